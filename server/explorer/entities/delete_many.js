// Deletes entities by change sets. One that was changed since it was read is not deleted.
import { changeSetsOf, sendChangeSet } from "./entity_client.js";

// `onProgress` gets { done, total }. Returns { deleted, failed: [{ entity, code, message }] }; what was not
// tried before an abort is in neither. Throws if the server cannot be reached, or refuses all.
export async function deleteMany(account, table, entities, { onProgress = () => {}, signal } = {}) {
  const deleted = [];
  const failed = [];
  const total = entities.length;
  const operations =
    entities.map((entity) => ({ method: "DELETE", entity, etag: entity["odata.etag"] ?? "*" }));
  for (const set of changeSetsOf(operations)) {
    while (set.length > 0 && !signal?.aborted) {
      try {
        await sendChangeSet(account, table, set); // not ended by the signal: what it did would not be known
        deleted.push(...set.map(({ entity }) => entity));
        break;
      } catch (error) {
        // A change set does all or nothing: the others are tried again without the one that was refused.
        const [refused] = set.splice(error.place, error.place >= 0 ? 1 : 0);
        if (!refused) throw error;
        const { entity } = refused;
        if (error.code === "ResourceNotFound") deleted.push(entity); // by another meanwhile
        else failed.push({ entity, code: error.code, message: error.message });
      }
    }
    onProgress({ done: deleted.length + failed.length, total });
  }
  for (const one of failed) {
    const { PartitionKey, RowKey } = one.entity;
    one.message = `${failed.length} of ${total} not deleted: ${PartitionKey} / ${RowKey}. ${one.message}`;
  }
  return { deleted, failed };
}
