// Reads and writes entities as the table service does. All throw the service's ApiError.
import { ApiError, service, serviceError } from "../core/api.js";
import { isProperty, parseAnnotated } from "./values.js";

const kMostPerSet = 100;
const kMostBytes = 4 * 2 ** 20; // of a change set
const kSpare = 1024; // for what is around each of its operations
const kJson = { "content-type": "application/json" };

const quoted = (key) => encodeURIComponent(key.replaceAll("'", "''"));

export const keyPath = (table, { PartitionKey, RowKey }) =>
  `/${encodeURIComponent(table)}(PartitionKey='${quoted(PartitionKey)}',RowKey='${quoted(RowKey)}')`;

export const parseEntities = (text) => parseAnnotated(text).value;

// What is sent of an entity: the service sets the Timestamp, and of the annotations only the types matter.
export function bodyOf(entity) {
  const isSent = ([name]) => name !== "Timestamp" && (isProperty(name) || name.endsWith("@odata.type"));
  const { "Timestamp@odata.type": _, ...body } = Object.fromEntries(Object.entries(entity).filter(isSent));
  return JSON.stringify(body);
}

async function send(account, method, path, { etag, entity, signal } = {}) {
  const headers = { ...(etag && { "if-match": etag }), ...(entity && kJson) };
  const answer = await service(account, method, path, { headers, body: entity && bodyOf(entity), signal });
  if (answer.error) throw answer.error;
  return answer;
}

export const getEntity = async (account, table, key, signal) =>
  parseAnnotated((await send(account, "GET", keyPath(table, key), { signal })).text);

// Returns the entity as it is stored.
export const insertEntity = async (account, table, entity) =>
  parseAnnotated((await send(account, "POST", `/${encodeURIComponent(table)}`, { entity })).text);

// `method` is PUT (replace) or MERGE; with the ETag of what it changes. Returns the entity as it is `stored`, and the
// `written` keys and ETag: others may have written again before it was read. `whole` is what it should be.
export async function updateEntity(account, table, method, entity, whole, etag) {
  const { headers } = await send(account, method, keyPath(table, entity), { entity, etag });
  const { PartitionKey, RowKey } = entity;
  const written = { PartitionKey, RowKey, "odata.etag": headers.get("etag") };
  // It is written, whatever becomes of reading it.
  const stored = await getEntity(account, table, entity).catch(() => ({ ...whole, ...written }));
  return { stored, written };
}

export const deleteEntity = (account, table, key, etag) =>
  send(account, "DELETE", keyPath(table, key), { etag: etag ?? "*" });

// One page of a query: { entities, next, headers, milliseconds }; `next` goes into the following call, if not
// null.
export async function queryPage(account, table, { filter = "", select = "", top = 1000 }, next = {}, signal) {
  const given = Object.entries({ $filter: filter, $select: select, $top: top, ...next });
  const query = given.filter(([, value]) => value).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const path = `/${encodeURIComponent(table)}()?${query.join("&")}`;
  const { text, headers, milliseconds } = await send(account, "GET", path, { signal });
  const keys = ["NextPartitionKey", "NextRowKey"]
    .map((key) => [key, headers.get(`x-ms-continuation-${key}`)]);
  const following = keys[0][1] === null ? null : Object.fromEntries(keys);
  return { entities: parseEntities(text), next: following, headers, milliseconds };
}

// All entities of a query, a page at a time.
export async function* queryPages(account, table, query, signal) {
  for (let next = {}; next;) {
    const page = await queryPage(account, table, query, next, signal);
    yield page;
    next = page.next;
  }
}

// Cuts operations { method: "POST" | "PUT" | "MERGE" | "DELETE", entity, etag } into change sets that the
// service takes: of one partition, at most 100, at most 4 MiB.
export function changeSetsOf(operations) {
  const open = new Map(); // partition -> { set, size }
  const sets = [];
  for (const operation of operations) {
    const { PartitionKey } = operation.entity;
    operation.body ??= operation.method === "DELETE" ? "" : bodyOf(operation.entity);
    const size = new Blob([operation.body, keyPath("", operation.entity)]).size + kSpare;
    let last = open.get(PartitionKey);
    if (!last || last.set.length === kMostPerSet || last.size + size > kMostBytes) {
      open.set(PartitionKey, (last = { set: [], size: 0 }));
      sets.push(last.set);
    }
    last.set.push(operation);
    last.size += size;
  }
  return sets;
}

// Sends one change set, of which all is done or nothing. Returns the ETags; an error has the `place` of the
// operation that was refused, or -1.
export async function sendChangeSet(account, table, operations, signal) {
  const root = `${location.origin}/${account}`;
  const part = ({ method, entity, etag, body = method === "DELETE" ? "" : bodyOf(entity) }) => [
    "--set", "Content-Type: application/http", "Content-Transfer-Encoding: binary", "",
    `${method} ${root}${method === "POST" ? `/${table}` : keyPath(table, entity)} HTTP/1.1`,
    "Accept: application/json", "Content-Type: application/json", "Prefer: return-no-content",
    ...(etag ? [`If-Match: ${etag}`] : []), "", body, "",
  ].join("\r\n");
  // The boundaries need not be random: no line of JSON begins as they do.
  const body = "--batch\r\nContent-Type: multipart/mixed; boundary=set\r\n\r\n" +
    `${operations.map(part).join("")}--set--\r\n--batch--\r\n`;
  const headers = { "content-type": "multipart/mixed; boundary=batch" };
  const answer = await service(account, "POST", "/$batch", { headers, body, signal });
  if (answer.error) throw Object.assign(answer.error, { place: -1 });
  // A body is one line of JSON, so nothing in it looks like a status line.
  const answers = [...answer.text.matchAll(/^HTTP\/1\.1 (\d+).*\r?\n((?:.+\r?\n)*)\r?\n(.*)/gm)];
  for (const [, status, , text] of answers) {
    if (status < 300) continue;
    const error = serviceError({ status: Number(status) }, text);
    // The service leaves the place out of some errors.
    const known = operations.length === 1 ? 0 : -1;
    const [, place = known, message = error.message] = /^(\d+):(.*)$/s.exec(error.message) ?? [];
    throw Object.assign(error, { place: Number(place), message });
  }
  if (answers.length < operations.length) throw new ApiError(answer.status, "", "Not all was answered.");
  return answers.map(([, , lines]) => /^etag: *(.*?)\r?$/im.exec(lines)?.[1]);
}
