// Export and import of entities. The server writes and reads the formats (POST /_rocktable/convert), so that
// a file is the same as that of `rocktable export`.
import { control } from "../core/api.js";
import { selectOf } from "../screens/entity_pages.js";
import { bodyOf, changeSetsOf, queryPages, sendChangeSet } from "./entity_client.js";
import { parseAnnotated, propertiesOf } from "./values.js";

const kMostSent = 1 << 20; // characters of a body
const kMethods = { insert: "POST", replace: "PUT", merge: "MERGE" };

const convert = (from, to, text, signal, more = {}) =>
  control("POST", "convert", { query: { from, to, ...more }, body: text, signal });

// Cuts a list into parts that fit into a body; of an empty list there is one.
function* partsOf(list, textOf) {
  let part = [];
  let size = 0;
  for (const one of list) {
    const more = textOf(one).length + 1;
    if (part.length > 0 && size + more > kMostSent) {
      yield part;
      part = [];
      size = 0;
    }
    part.push(one);
    size += more;
  }
  yield part;
}

// Returns the parts of a file. The lines of a CSV need the names of all columns first, so it is read twice.
// `onProgress` gets the number of entities that were read.
export async function exportFile({ account, table, query, format, onProgress, signal }) {
  const pages = () => queryPages(account, table, { ...query, select: selectOf(query.select ?? "") }, signal);
  const names = new Set();
  let read = 0;
  if (format === "csv") {
    for await (const { entities } of pages()) {
      for (const entity of entities)
        for (const name of propertiesOf(entity)) if (entity[name] !== null) names.add(name);
      onProgress((read += entities.length));
    }
  }
  const columns = format === "csv" ? JSON.stringify([...names]) : undefined;
  const parts = [];
  read = 0;
  for await (const { entities } of pages()) {
    for (const lines of partsOf(entities.map(bodyOf), String)) {
      const header = format === "csv" ? parts.length === 0 : undefined;
      const { text, error } = await convert("ndjson", format, lines.join("\n"), signal, { columns, header });
      if (error) throw new Error(error.message);
      parts.push(new Blob([text])); // which browsers may keep outside of the memory
    }
    onProgress((read += entities.length));
  }
  return parts;
}

// The records of a file as texts of whole lines, each with the number of its first line. A record of a CSV
// ends at a line end outside of quotes.
function recordsOf(text, format) {
  const records = [];
  let isOpen = false;
  text.split("\n").forEach((one, i) => {
    if (isOpen) records.at(-1).text += `\n${one}`;
    else records.push({ line: i + 1, text: one });
    if (format === "csv" && one.split('"').length % 2 === 0) isOpen = !isOpen;
  });
  return records.filter((record) => record.text);
}

// Reads a whole file before anything is written: { entities: [{ line, entity }], error: null or a sentence }.
export async function readFile(text, format, signal, onProgress) {
  const records = recordsOf(text, format);
  const header = format === "csv" ? records.splice(0, 1) : [];
  const entities = [];
  for (const part of partsOf(records, (record) => record.text)) {
    const body = [...header, ...part];
    const answer = await convert(format, "ndjson", body.map((record) => record.text).join("\n"), signal);
    // Lines of the answer count in the body.
    const lineOf = [0];
    for (const { line, text: one } of body) one.split("\n").forEach((_, i) => lineOf.push(line + i));
    const rows = answer.text.split("\n").filter(Boolean);
    rows.forEach((row, i) => entities.push({ line: lineOf[answer.lines[i]], entity: parseAnnotated(row) }));
    if (answer.error) {
      const { line, message } = answer.error;
      const error = `Line ${lineOf[line] ?? line}: ${message.replace(/^file:\d+:\d+: /, "")}`;
      return { entities, error };
    }
    onProgress(entities.length);
  }
  return { entities, error: null };
}

// Writes entities in change sets of one partition. A set that is refused is sent again without the entity at
// fault. What was done is in `result` = { written, failed: [{ line, error }] }, also if this throws.
export async function importEntities({ account, table, entities, mode, result, onProgress, signal }) {
  const method = kMethods[mode];
  // Two lines with the same keys must not be in one set.
  const rounds = [];
  const seen = new Map();
  for (const { line, entity } of entities) {
    const key = JSON.stringify([entity.PartitionKey, entity.RowKey]);
    const round = seen.get(key) ?? 0;
    seen.set(key, round + 1);
    (rounds[round] ??= []).push({ method, entity, line });
  }
  for (const set of rounds.flatMap(changeSetsOf)) {
    while (set.length > 0 && !signal.aborted) {
      try {
        await sendChangeSet(account, table, set); // not ended by the signal: what it did would not be known
        result.written += set.splice(0).length;
      } catch (error) {
        const isOfOne = error.place >= 0;
        if (!isOfOne && !(error.status >= 400 && error.status < 500)) throw error;
        if (error.code === "TableNotFound") throw error;
        for (const { line } of isOfOne ? set.splice(error.place, 1) : set.splice(0))
          result.failed.push({ line, error });
      }
      onProgress();
    }
  }
}
