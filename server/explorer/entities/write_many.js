// Writes many entities by change sets, and does not end at the first that is refused.
import { changeSetsOf, getEntity, sendChangeSet } from "./entity_client.js";

const kAtOnce = 20;

// `operations` as changeSetsOf() takes them. `onProgress` gets how many are dealt with. Returns { done, failed: [{
// operation, code, message }] }; what was not tried before an abort is in neither. `etag` of what is done is the new
// one. Throws if the server cannot be reached, or refuses all; the error has what is `done`.
export async function writeMany(account, table, operations, { onProgress = () => {}, signal } = {}) {
  const done = [];
  const failed = [];
  for (const set of changeSetsOf(operations)) {
    while (set.length > 0 && !signal?.aborted) {
      try {
        // Not ended by the signal: what it did would not be known.
        const etags = await sendChangeSet(account, table, set);
        done.push(...set.map((operation, i) => ({ ...operation, etag: etags[i] })));
        break;
      } catch (error) {
        if (error.code === "TableNotFound") throw Object.assign(error, { done }); // the others are refused, too
        // A change set does all or nothing: the others are tried again without the one that was refused.
        const [operation] = set.splice(error.place, error.place >= 0 ? 1 : 0);
        if (!operation) throw Object.assign(error, { done });
        failed.push({ operation, code: error.code, message: error.message });
      }
    }
    onProgress(done.length + failed.length);
  }
  return { done, failed };
}

// Deletes entities, but none that was changed since it was read. The result has also `gone`, which others have deleted.
export async function deleteMany(account, table, entities, options) {
  const operations = entities.map((entity) => ({ method: "DELETE", entity, etag: entity["odata.etag"] ?? "*" }));
  const { done, failed } = await writeMany(account, table, operations, options);
  const isGone = ({ code }) => code === "ResourceNotFound";
  const left = failed.filter((one) => !isGone(one));
  const [first] = left;
  if (first) {
    const { PartitionKey, RowKey } = first.operation.entity;
    const place = `${left.length} of ${entities.length} not deleted: ${PartitionKey} / ${RowKey}.`;
    first.message = `${place} ${first.message}`;
  }
  return {
    deleted: done.map(({ entity }) => entity), failed: left,
    gone: failed.filter(isGone).map(({ operation }) => operation.entity),
  };
}

// All properties of entities of which some have been read, and their ETags as they were read. One that is no more is
// left as it is.
export async function wholeOf(account, table, entities) {
  const out = [];
  const read = async (entity) => {
    const whole = await getEntity(account, table, entity).catch((error) => {
      if (error.status !== 404) throw error;
    });
    return { ...(whole ?? entity), "odata.etag": entity["odata.etag"] };
  };
  for (let i = 0; i < entities.length; i += kAtOnce)
    out.push(...(await Promise.all(entities.slice(i, i + kAtOnce).map(read))));
  return out;
}
