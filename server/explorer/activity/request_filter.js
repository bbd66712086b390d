// Which requests pass the filter of the screen. It is in the address, so that links can name it.

export const kPlans = ["point", "row-range", "partition-scan", "partition-range", "table-scan"];
export const kStatuses = ["2xx", "4xx", "5xx"];
const kNames = ["account", "table", "operation", "status", "plan", "text"];

export function filterOf(parameters) {
  return Object.fromEntries(kNames.map((name) => [name, parameters[name] ?? ""]));
}

export const isEmpty = (filter) => kNames.every((name) => !filter[name]);

// Returns a function of a request.
export function matcher(filter) {
  const tests = [];
  const { account, operation, status, plan } = filter;
  if (account) tests.push((request) => request.account === account);
  if (operation) tests.push((request) => request.operation === operation);
  if (plan) tests.push((request) => request.plan === plan);
  if (filter.table) tests.push(tableTest(filter.table.trim().toLowerCase()));
  const kind = /^[1-5]xx$/i.test(status) && Number(status[0]);
  if (kind) tests.push((request) => Math.floor(request.status / 100) === kind);
  else if (status.trim()) tests.push((request) => String(request.status) === status.trim());
  if (filter.text) {
    const wanted = filter.text.toLowerCase();
    tests.push((request) => searched(request).includes(wanted));
  }
  return (request) => tests.every((test) => test(request));
}

// Tables whose name begins so; with # all whose digits are folded to it, as shapes of requests name them.
function tableTest(name) {
  if (!name.includes("#")) return (request) => (request.table ?? "").toLowerCase().startsWith(name);
  return (request) => (request.table ?? "").toLowerCase().replace(/\d+/g, "#") === name;
}

// Searched texts are made once for each request. Targets are found encoded and decoded.
const kTexts = new WeakMap();

function searched(request) {
  let text = kTexts.get(request);
  if (text === undefined) {
    const names = [
      "method", "operation", "target", "code", "client", "clientRequestId", "requestId", "fault",
      "explanation",
    ];
    text = [...names.map((name) => request[name]), decoded(request.target)].join("\n").toLowerCase();
    kTexts.set(request, text);
  }
  return text;
}

// As people read it; as it is if it is not valid.
export function decoded(target) {
  try {
    return decodeURIComponent((target ?? "").replace(/\+/g, " "));
  } catch {
    return target ?? "";
  }
}
