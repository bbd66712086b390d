// Export and import of entities. The server writes and reads the formats (POST /_rocktable/convert), so that a
// file is the same as that of `rocktable export`.
import { control } from "../core/api.js";
import { changeSetsOf, queryPages, sendChangeSet } from "./entity_client.js";
import { isProperty, parseAnnotated } from "./values.js";

const kMostSent = 1 << 20; // characters of a body
const kMethods = { insert: "POST", replace: "PUT", merge: "MERGE" };

const convert = (from, to, text, signal, more = {}) =>
  control("POST", "convert", { query: { from, to, ...more }, body: text, signal });

const wanted = (entity) => JSON.stringify(Object.fromEntries(Object.entries(entity).filter(([name]) =>
  name !== "Timestamp" && name !== "Timestamp@odata.type" &&
  (isProperty(name) || name.endsWith("@odata.type")))));

// Cuts lines into texts of a size that the server takes.
function* chunksOf(lines) {
  for (let i = 0; i < lines.length;) {
    const begin = i;
    for (let size = 0; i < lines.length && (i === begin || size + lines[i].length < kMostSent); i += 1)
      size += lines[i].length + 1;
    yield lines.slice(begin, i).join("\n") + "\n";
  }
}

// Returns the texts of a file, one after the other. `onProgress` gets the number of entities that were read.
export async function exportFile({ account, table, query, format, onProgress, signal }) {
  const lines = [];
  const names = new Set();
  const withKeys = { ...query, select: query.select && `PartitionKey,RowKey,${query.select}` };
  for await (const { entities } of queryPages(account, table, withKeys, signal)) {
    for (const entity of entities) {
      lines.push(wanted(entity));
      for (const name of Object.keys(entity))
        if (isProperty(name) && !["PartitionKey", "RowKey", "Timestamp"].includes(name)) names.add(name);
    }
    onProgress(lines.length);
  }
  const texts = [];
  const columns = format === "csv" ? JSON.stringify([...names]) : undefined;
  const chunks = lines.length > 0 ? chunksOf(lines) : [""];
  for (const text of chunks) {
    const header = format === "csv" && texts.length > 0 ? "false" : undefined;
    const answer = await convert("ndjson", format, text, signal, { columns, header });
    if (answer.error) throw new Error(answer.error.message);
    texts.push(answer.text);
  }
  return texts;
}

// The records of a file as texts of whole lines, each with the number of its first line. A record of a CSV ends
// at a line end outside of quotes.
function recordsOf(text, format) {
  const records = [];
  let line = 1, begin = 0, first = 1, isOpen = false;
  for (let end = text.indexOf("\n"); ; end = text.indexOf("\n", end + 1)) {
    const stop = end < 0 ? text.length : end;
    const last = text.lastIndexOf("\n", stop - 1) + 1;
    if (format === "csv") for (let i = last; i < stop; i += 1) if (text[i] === '"') isOpen = !isOpen;
    line += 1;
    if (!isOpen || end < 0) {
      if (stop > begin) records.push({ line: first, text: text.slice(begin, stop) });
      begin = stop + 1;
      first = line;
    }
    if (end < 0) return records;
  }
}

// Reads a whole file before anything is written: { entities: [{ line, entity }], error: null or a sentence }.
export async function readFile(text, format, signal, onProgress = () => {}) {
  const records = recordsOf(text.replace(/^\ufeff/, ""), format);
  const header = format === "csv" ? records.shift() : null;
  const entities = [];
  for (let i = 0; i < records.length;) {
    const begin = i;
    for (let size = 0; i < records.length && (i === begin || size + records[i].text.length < kMostSent); i += 1)
      size += records[i].text.length + 1;
    const part = records.slice(begin, i);
    const body = [...(header ? [header] : []), ...part].map((record) => `${record.text}\n`).join("");
    const answer = await convert(format, "ndjson", body, signal);
    // Lines of the answer count in the body; those of a record may be several.
    const lineOf = new Map();
    let at = header ? header.text.split("\n").length + 1 : 1;
    for (const record of part) {
      lineOf.set(at, record.line);
      at += record.text.split("\n").length;
    }
    const rows = answer.text.split("\n").filter(Boolean);
    rows.forEach((row, place) =>
      entities.push({ line: lineOf.get(answer.lines[place]) ?? 0, entity: parseAnnotated(row) }));
    if (answer.error) {
      const starts = [...lineOf].filter(([start]) => start <= answer.error.line).pop();
      const line = starts ? starts[1] + answer.error.line - starts[0] : answer.error.line;
      return { entities, error: `Line ${line}: ${answer.error.message.replace(/^file:\d+:\d+: /, "")}` };
    }
    onProgress(entities.length);
  }
  return { entities, error: null };
}

// Writes entities in change sets of one partition. A set that is refused is sent again without the entity at
// fault. Returns { written, failed: [{ line, error }] }; `onProgress` gets both numbers.
export async function importEntities({ account, table, entities, mode, onProgress, signal }) {
  const method = kMethods[mode];
  const failed = [];
  let written = 0;
  // Two lines with the same keys must not be in one set.
  const rounds = [];
  const seen = new Map();
  for (const { line, entity } of entities) {
    const key = JSON.stringify([entity.PartitionKey, entity.RowKey]);
    const round = seen.get(key) ?? 0;
    seen.set(key, round + 1);
    (rounds[round] ??= []).push({ method, entity, line });
  }
  for (const round of rounds) {
    for (let set of changeSetsOf(round)) {
      while (set.length > 0 && !signal.aborted) {
        try {
          await sendChangeSet(account, table, set); // to its end, so that what was written is known
          written += set.length;
          break;
        } catch (error) {
          if ([0, 401, 404].includes(error.status)) // no server, no token, no table
            throw Object.assign(error, { message: `${error.message} Written before: ${written}.` });
          const bad = error.place >= 0 ? [set[error.place]] : set;
          failed.push(...bad.map(({ line }) => ({ line, error })));
          set = set.filter((one) => !bad.includes(one));
        }
      }
      onProgress(written, failed.length);
      if (signal.aborted) return { written, failed };
    }
  }
  return { written, failed };
}
