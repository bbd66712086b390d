// Fault rules: from the fields of the form, and in words. Retries in words.
import { count } from "../core/format.js";

export const kOperations = [
  "InsertEntity", "UpdateEntity", "MergeEntity", "InsertOrReplaceEntity", "InsertOrMergeEntity",
  "DeleteEntity", "WriteEntity", "GetEntity", "QueryEntities", "Batch", "CreateTable", "QueryTables",
  "GetTable", "DeleteTable", "GetTableAcl", "SetTableAcl", "GetServiceProperties", "SetServiceProperties",
  "GetServiceStats",
];

export const kEffects = [
  ["error", "an error of the service"],
  ["reset", "the connection is reset"],
  ["close", "the connection ends without an answer"],
  ["cut", "the answer is cut off"],
  ["delay", "only a delay"],
];

export const kEmptyRule = {
  name: "", account: "", table: "", operation: "", partitionKey: "", skip: "", count: "1", probability: "",
  effect: "error", status: "503", code: "", cutAfterBytes: "100", delay: "", isAfterCommit: false,
};

const kMatch = ["account", "table", "operation", "partitionKey"];
const kWhen = ["skip", "count", "probability"];

// The fields of a rule that is there, and the rest of it, which the form does not know and does not change: also what a
// field holds in a form that it cannot show, such as a list of operations.
export function fieldsOf({ name, match = {}, when = {}, then = {}, hits, matched, ...more }) {
  const fields = { ...kEmptyRule, name, count: "", status: "" };
  const rest = { ...more, match: { ...match }, when: { ...when }, then: { ...then } };
  const take = (part, names) => {
    for (const one of names) {
      const value = rest[part][one];
      if (!["string", "number"].includes(typeof value)) continue;
      fields[one] = String(value);
      delete rest[part][one];
    }
  };
  take("match", kMatch);
  take("when", kWhen);
  take("then", ["delay", "status", "code", "cutAfterBytes"]);
  fields.isAfterCommit = rest.then.at === "afterCommit";
  if (["afterCommit", "beforeCommit"].includes(rest.then.at)) delete rest.then.at;
  const { reset, close } = then;
  fields.effect = reset ? "reset" : close ? "close" : then.cutAfterBytes !== undefined ? "cut" :
    then.status !== undefined || then.code !== undefined ? "error" : "delay";
  delete rest.then.reset;
  delete rest.then.close;
  return { fields, rest };
}

// The document of a rule; the server says what is wrong with it. `rest` is what fieldsOf() left.
export function ruleOf(fields, rest = {}) {
  const match = { ...rest.match, ...given(fields, kMatch, String) };
  const when = { ...rest.when, ...given(fields, kWhen, Number) };
  const then = { ...rest.then, ...(fields.delay && { delay: fields.delay }) };
  const { effect } = fields;
  if (effect === "error")
    Object.assign(then, given(fields, ["status"], Number), given(fields, ["code"], String));
  if (effect === "reset" || effect === "close") then[effect] = true;
  if (effect === "cut") then.cutAfterBytes = Number(fields.cutAfterBytes);
  if (fields.isAfterCommit && !["cut", "delay"].includes(effect)) then.at = "afterCommit";
  return { ...rest, ...given(fields, ["name"], String), match, when, then };
}

function given(fields, names, convert) {
  const some = names.filter((name) => fields[name] !== "");
  return Object.fromEntries(some.map((name) => [name, convert(fields[name])]));
}

const listed = (x) => [x].flat().join(", ");

export function matchInWords({ match }) {
  const {
    operation, method, account, table, partitionKey, partitionKeyPrefix, rowKey, position,
    clientRequestIdPrefix,
  } = match;
  const words = [listed(operation ?? method ?? "every request")];
  if (operation && method) words.push(`by ${listed(method)}`);
  if (account || table) words.push(`of ${[account, table].filter(Boolean).join("/")}`);
  if (partitionKey !== undefined) words.push(`with PartitionKey '${partitionKey}'`);
  if (partitionKeyPrefix !== undefined) words.push(`with PartitionKey '${partitionKeyPrefix}…'`);
  if (rowKey !== undefined) words.push(`with RowKey '${rowKey}'`);
  if (position !== undefined) words.push(`as operation ${position} of a change set`);
  if (clientRequestIdPrefix) words.push(`of the client request id '${clientRequestIdPrefix}…'`);
  return words.join(" ");
}

export function whenInWords({ when, on }) {
  const words = [];
  if (when.skip) words.push(`after ${count(when.skip)}`);
  if (when.count) words.push(`the first ${count(when.count)}`);
  else if (!when.after && !when.for) words.push("always");
  if (when.probability < 1) words.push(`each with ${when.probability * 100} %`);
  if (when.after) words.push(`from ${when.after} on`);
  if (when.for) words.push(when.every ? `for ${when.for} of each ${when.every}` : `for ${when.for}`);
  if (on === false) words.push("off now");
  return words.join(", ");
}

export function thenInWords({ then }) {
  const words = [];
  const { delay } = then;
  if (delay) words.push(typeof delay === "string" ? `${delay} later` :
    `about ${delay.lognormal?.median} later (sigma ${delay.lognormal?.sigma})`);
  if (then.status || then.code) words.push([then.status, then.code].filter(Boolean).join(" "));
  if (then.reset) words.push("connection reset");
  if (then.close) words.push("connection closed");
  if (then.cutAfterBytes !== undefined) words.push(`cut after ${count(then.cutAfterBytes)} bytes`);
  if (then.clientClock) words.push(`the client's clock is off by ${then.clientClock}`);
  if (then.bytesPerSecond) words.push(`answer at ${count(then.bytesPerSecond)} bytes/s`);
  if (then.requestBytesPerSecond) words.push(`request at ${count(then.requestBytesPerSecond)} bytes/s`);
  if (then.headers) words.push(`headers ${Object.keys(then.headers).join(", ")}`);
  if (then.at === "afterCommit") words.push("after the commit");
  if (then.at === "arrival") words.push("on arrival");
  return words.join(", ");
}

// `"busy", then 204 after 19 ms; succeeded; committed once`
export function retryInWords({ attempts, outcome, committed, metOwnWork }) {
  const story = attempts.map(({ after, status, code, fault }, i) => {
    const rule = fault === "throttle" ? fault : `"${fault}"`;
    const what = fault ? rule : [status, code].filter(Boolean).join(" ");
    return i > 0 ? `${what} after ${count(after)} ms` : what;
  });
  const words = [story.join(", then "), outcome];
  if (committed > 0) words.push(committed === 1 ? "committed once" : `committed ${committed} times`);
  if (metOwnWork) words.push("met its own work");
  return words.join("; ");
}
