// Takes the last write of the page back: an entity that was inserted, edited or deleted, or many that were deleted. It
// never writes over what others have stored since: what was deleted is inserted, which the service refuses if there is
// one, and what was written goes back only with the ETag of that write.
//
//   state.undo = { account, table, pairs: [{ before, after }], words: what was done, isRunning, isOver, isBad } or null
import { count, shown } from "../core/format.js";
import { change, state } from "../core/state.js";
import { changedInGrid } from "../screens/entities.js";
import { writeMany } from "./write_many.js";

export const kMostToUndo = 1000; // entities that are kept for it

const kReasons = {
  EntityAlreadyExists: "Somebody has stored another under its keys since.",
  UpdateConditionNotSatisfied: "Somebody has changed it since.",
  ResourceNotFound: "Somebody has deleted it since.",
};

// `before` null: inserted; `after` null: deleted. Both are whole entities.
export function remember(account, table, words, pairs) {
  const isTooMuch = pairs.length > kMostToUndo || pairs.length === 0;
  change(() => (state.undo = isTooMuch ? null : { account, table, words, pairs }));
}

function operationOf({ before, after }) {
  if (!after) return { method: "POST", entity: before };
  const etag = after["odata.etag"];
  return before ? { method: "PUT", entity: before, etag } : { method: "DELETE", entity: after, etag };
}

// The entity as it is stored again. Its Timestamp is in the ETag.
function restored({ entity, etag }) {
  const [, time] = /^W\/"datetime'(.*)'"$/.exec(etag) ?? [];
  return { ...entity, "odata.etag": etag, ...(time && { Timestamp: decodeURIComponent(time) }) };
}

export async function undo() {
  const own = state.undo;
  if (!own || own.isRunning || own.isOver) return;
  const { account, table, pairs } = own;
  change(() => (own.isRunning = true));
  const operations = pairs.map((pair) => ({ ...operationOf(pair), pair }));
  let problem = "";
  const { done, failed } = await writeMany(account, table, operations).catch((error) => {
    problem = ` ${error.message}`;
    return { done: error.done ?? [], failed: [] };
  });
  changedInGrid(account, table, done.map(({ method, entity, etag, pair }) =>
    ({ before: pair.after, after: method === "DELETE" ? null : restored({ entity, etag }) })));
  const [first] = failed;
  if (first) {
    const { PartitionKey, RowKey } = first.operation.entity;
    problem = ` ${shown(`${PartitionKey} / ${RowKey}`, 100)}: ${kReasons[first.code] ?? first.message}`;
  }
  const left = pairs.length - done.length;
  const words = left === 0 ? "Undone." : `${count(left)} of ${count(pairs.length)} not undone.${problem}`;
  change(() => (state.undo = { account, table, words, isOver: true, isBad: left > 0 }));
}
