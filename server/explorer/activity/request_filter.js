// Which requests pass the filter of the screen. It is in the address, so that links can name it.
import { askedOf, clientOf, decoded, testOf } from "./request_words.js";

export { decoded };

export const kPlans = ["point", "row-range", "partition-scan", "partition-range", "table-scan"];
export const kStatuses = ["2xx", "4xx", "5xx"];
// `of` says which finding the others are of, or that they are a shape: then all of them hold exactly.
const kNames = ["table", "operation", "status", "plan", "text", "of", "fingerprint", "client", "test"];
const kOfShape = ["of", "operation", "fingerprint", "client", "test"];

export function filterOf(parameters) {
  return Object.fromEntries(kNames.map((name) => [name, parameters[name] ?? ""]));
}

export const isEmpty = (filter) => kNames.every((name) => !filter[name]);

// The filter without the shape that it had.
export const withoutShape = (filter) =>
  ({ ...filter, ...Object.fromEntries(kOfShape.map((name) => [name, ""])), ...(filter.of && { table: "", plan: "" }) });

// The filter of exactly the requests of a shape or a finding.
export function filterOfShape(one, of = "shape") {
  const { table, operation, fingerprint, plan, client, test } = one;
  const isOne = of !== "shape"; // a shape is added up over clients and tests
  return {
    of, table: table === "*" ? "" : table, operation, fingerprint, plan: isOne ? "" : plan,
    client: isOne ? client : "", test: isOne ? test : "",
  };
}

// The requests that a kind of finding is about, where its shape has more.
const isRead = ({ operation }) => operation === "GetEntity";
const isAdded = ({ operation, status }) => /^Insert|Batch/.test(operation) && status < 400;
const kOfFinding = {
  "n-plus-one": isRead,
  "reads-across-partitions": isRead,
  "repeated-reads": (request) => isRead(request) && request.status === 200,
  "missing-reads": ({ status }) => status === 404,
  "single-writes": ({ operation, status }) => /Entity$/.test(operation) && operation !== "GetEntity" && status < 400,
  "lost-update": ({ operation, status }) => operation === "UpdateEntity" && status < 400,
  "append-only-keys": isAdded,
  "unpadded-numbers": isAdded,
  "near-limits": ({ method, status }) => method !== "GET" && status < 400,
  "insert-conflicts": ({ status }) => status === 409,
  "refused-updates": ({ status }) => status === 412 || status === 404,
  "repeated-create-table": ({ operation }) => operation === "CreateTable",
};

// Whether a request is one of a finding, by its shape.
export function isOfFinding(finding, request) {
  const { id, table, operation, fingerprint, client, test } = finding;
  if (table !== "*" && request.shapeTable !== table) return false;
  if (operation && request.operation !== operation) return false;
  if (operation === "QueryEntities" && (request.fingerprint ?? "") !== fingerprint) return false;
  if (client && clientOf(request) !== client) return false;
  if (test && testOf(request) !== test) return false;
  return kOfFinding[id]?.(request) ?? true;
}

// `account` empty: those of all. `found`: the numbers of requests whose bodies have the text. Returns a function of a
// request.
export function matcher(filter, account = "", found = null) {
  const tests = [];
  const { operation, status, plan, of } = filter;
  if (account) tests.push((request) => request.account === account);
  if (of) tests.push((request) => isOfFinding({ ...filter, id: of, table: filter.table || "*" }, request));
  else if (operation) tests.push((request) => request.operation === operation);
  if (plan) tests.push((request) => request.plan === plan);
  if (filter.table && !of) tests.push(tableTest(filter.table.trim().toLowerCase()));
  const kind = /^[1-5]xx$/i.test(status) && Number(status[0]);
  if (kind) tests.push((request) => Math.floor(request.status / 100) === kind);
  else if (status.trim()) tests.push((request) => String(request.status) === status.trim());
  if (filter.text) {
    const wanted = filter.text.toLowerCase();
    tests.push((request) => searched(request).includes(wanted) || found?.has(request.number));
  }
  return (request) => tests.every((test) => test(request));
}

// Tables whose name begins so; with # all whose dates are folded to it, as shapes of requests name them.
function tableTest(name) {
  if (!name.includes("#")) return (request) => (request.table ?? "").toLowerCase().startsWith(name);
  return (request) => request.shapeTable === name;
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
    text = [...names.map((name) => request[name]), decoded(request.target), askedOf(request)]
      .join("\n").toLowerCase();
    kTexts.set(request, text);
  }
  return text;
}
