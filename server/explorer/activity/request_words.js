// What a request asked and how it ended, as people say it: keys, filter, the operations of a batch.
import { count } from "../core/format.js";

const kStatusWords = {
  200: "OK", 201: "created", 202: "accepted", 204: "done", 206: "a part", 304: "not modified", 400: "bad request",
  403: "refused", 404: "not found", 409: "conflict", 412: "changed meanwhile", 429: "throttled", 500: "failed",
  503: "busy",
};
const kThrottled = /^(ServerBusy|OperationTimedOut|TooManyRequests)$/;
const kShownOperations = 3;

// { partition, row } of the entity that is asked for, or null.
export function keysOf({ target, partitionKey, rowKey }) {
  if (partitionKey !== undefined || rowKey !== undefined) return { partition: partitionKey, row: rowKey };
  const path = decoded((target ?? "").split("?")[0], false);
  const found = path.match(/\(PartitionKey='((?:[^']|'')*)',\s*RowKey='((?:[^']|'')*)'\)/);
  if (!found) return null;
  const [partition, row] = found.slice(1).map((one) => one.replaceAll("''", "'"));
  return { partition, row };
}

export function filterTextOf({ target }) {
  return new URLSearchParams((target ?? "").split(/\?(.*)/s)[1] ?? "").get("$filter") ?? "";
}

// No key has a slash. One that is not known is a question mark.
export const keysInWords = ({ partition, row }) => `${partition ?? "?"} / ${row ?? "?"}`;

// "2 POST, 1 DELETE: de / 1, de / 2, …"
export function batchInWords({ operations, operationCount }) {
  const methods = new Map();
  for (const { method } of operations) methods.set(method, (methods.get(method) ?? 0) + 1);
  const isAll = operationCount === operations.length;
  const words = isAll ? [...methods].map(([method, n]) => `${count(n)} ${method}`).join(", ") :
    `${operationCount === undefined ? "many" : count(operationCount)} operations`;
  const keys = operations.map(keysOf).filter(Boolean).map(keysInWords);
  const some = keys.slice(0, kShownOperations).join(", ");
  const isMore = !isAll || keys.length > kShownOperations;
  return some ? `${words}: ${some}${isMore ? ", …" : ""}` : words;
}

// What follows the table in a line.
export function askedOf(request) {
  if (request.operations?.length > 0) return batchInWords(request);
  const keys = keysOf(request);
  if (keys) return keysInWords(keys);
  if (!/^Query/.test(request.operation)) return "";
  return filterTextOf(request) || (request.operation === "QueryEntities" ? "all entities" : "");
}

// The first digit of the status. A batch that failed has 202 and the code of an operation.
export const kindOf = ({ status, code }) => (code && status < 400 ? 4 : Math.floor(status / 100));

// "404 ResourceNotFound", "204 done", "no answer"
export function statusInWords({ status, code }) {
  if (!status) return "no answer";
  const words = code || kStatusWords[status];
  return words ? `${status} ${words}` : String(status);
}

// "throttled" or "fault NAME"; empty: the service itself answered so.
export function faultInWords({ fault, code, status }) {
  if (!fault) return "";
  return kThrottled.test(code ?? "") && status >= 400 && /throttle/i.test(fault) ? "throttled" : `fault ${fault}`;
}

// As insight counts them: the part of the client's id before its last slash, and the first word of User-Agent.
export function testOf({ clientRequestId = "" }) {
  const id = clientRequestId ?? "";
  return id.slice(0, Math.max(0, id.lastIndexOf("/"))).slice(0, 256);
}

export const clientOf = ({ client }) => (client ?? "").split(" ")[0];

// As people read it; as it is if it is not valid. In a query a `+` is a blank.
export function decoded(target, isQuery = true) {
  try {
    return decodeURIComponent(isQuery ? (target ?? "").replace(/\+/g, " ") : target ?? "");
  } catch {
    return target ?? "";
  }
}
