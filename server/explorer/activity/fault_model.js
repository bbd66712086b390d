// Fault rules: from the fields of the form, and in words. Retries in words.
import { count } from "../core/format.js";

export const kOperations = [
  "InsertEntity", "UpdateEntity", "MergeEntity", "InsertOrReplaceEntity", "InsertOrMergeEntity",
  "DeleteEntity", "WriteEntity", "GetEntity", "QueryEntities", "Batch", "CreateTable", "QueryTables",
  "GetTable", "DeleteTable", "GetTableAcl", "SetTableAcl", "GetServiceProperties", "SetServiceProperties",
  "GetServiceStats", "GetUserDelegationKey",
];

export const kEffects = [
  ["error", "an error of the service"],
  ["reset", "the connection is reset"],
  ["close", "the connection ends without an answer"],
  ["cut", "the answer is cut off"],
  ["delay", "none: only slower, or other headers"],
  ["handshake", "the TLS handshake fails"],
  ["clientClock", "the client's clock is wrong"],
];

export const kHandshakes = ["refuse", "cut", "expired", "otherName"];
export const kMoments = [["", "before it is carried out"], ["afterCommit", "after that"], ["arrival", "on arrival"]];

// The members that the form has, as they are stored in a rule.
const kMembers = {
  match: { account: String, table: String, operation: String, partitionKey: String, rowKey: String,
    clientRequestIdPrefix: String },
  when: { skip: Number, count: Number, probability: Number, after: String, for: String, every: String },
  then: { delay: String, bytesPerSecond: Number, requestBytesPerSecond: Number },
};
// Those of one effect. `reset` and `close` are only true.
const kOfEffect = {
  error: { status: Number, code: String }, reset: {}, close: {}, cut: { cutAfterBytes: Number }, delay: {},
  handshake: { handshake: String }, clientClock: { clientClock: String },
};
const kNotAfterCommit = ["cut", "delay", "handshake", "clientClock"]; // what they do has its own moment

const kAll = [...Object.values(kMembers), ...Object.values(kOfEffect)].flatMap(Object.keys);

export const kEmptyRule = {
  ...Object.fromEntries(kAll.map((name) => [name, ""])),
  name: "", count: "1", effect: "error", status: "503", cutAfterBytes: "100", handshake: "refuse", clientClock: "-20m",
  headers: "", at: "",
};

export const hasMoment = (effect) => !kNotAfterCommit.includes(effect);

// The fields of a rule that is there, and the rest of it, which the form does not know and does not change: also what a
// field holds in a form that it cannot show, such as a list of operations.
export function fieldsOf({ name, match = {}, when = {}, then = {}, hits, matched, on, ...more }) {
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
  for (const [part, names] of Object.entries(kMembers)) take(part, Object.keys(names));
  fields.effect = effectOf(then);
  take("then", Object.keys(kOfEffect[fields.effect]));
  const { at, reset, close, headers, ...others } = rest.then;
  if (["afterCommit", "arrival"].includes(at) && hasMoment(fields.effect)) fields.at = at;
  fields.headers = headersInLines(headers);
  rest.then = others;
  return { fields, rest };
}

function effectOf(then) {
  if (then.status !== undefined || then.code !== undefined) return "error";
  if (then.cutAfterBytes !== undefined) return "cut";
  return ["reset", "close", "handshake", "clientClock"].find((one) => then[one]) ?? "delay";
}

// A header a line; without a value it is removed from the answer.
const headersInLines = (headers = {}) => Object.entries(headers)
  .flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value ?? ""}`.trim())).join("\n");

function headersOf(text) {
  const headers = {};
  for (const line of text.split("\n").filter((one) => one.trim())) {
    const [name, value = ""] = line.split(/:(.*)/s).map((one) => one.trim());
    headers[name] = !value ? null : headers[name] ? [headers[name], value].flat() : value;
  }
  return headers;
}

// The document of a rule; the server says what is wrong with it. `rest` is what fieldsOf() left.
export function ruleOf(fields, rest = {}) {
  const part = (name) => ({ ...rest[name], ...given(fields, kMembers[name]) });
  const { effect, at, headers } = fields;
  const then = { ...part("then"), ...given(fields, kOfEffect[effect]) };
  if (effect === "reset" || effect === "close") then[effect] = true;
  if (headers.trim()) then.headers = headersOf(headers);
  if (at && hasMoment(effect)) then.at = at;
  return { ...rest, ...given(fields, { name: String }), match: part("match"), when: part("when"), then };
}

function given(fields, members) {
  const some = Object.entries(members).filter(([name]) => fields[name] !== "");
  return Object.fromEntries(some.map(([name, convert]) => [name, convert(fields[name])]));
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
  if (then.handshake) words.push(`TLS handshake: ${then.handshake}`);
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
