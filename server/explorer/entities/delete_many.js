// Deletes entities by change sets of up to 100 of a partition. One that was changed since it was read is not deleted.
import { changeSetsOf, sendChangeSet } from "./entity_client.js";

const kGone = "ResourceNotFound"; // deleted by another meanwhile: what was wanted

// `onProgress` gets { done, total }. Returns { deleted, failed: [{ entity, code, message }] }; after an abort, those that
// were not tried are in neither. Throws if the server cannot be reached or the table is gone.
export async function deleteMany(account, table, entities, { onProgress = () => {}, signal } = {}) {
  const deleted = [];
  const failed = [];
  const operations = entities.map((entity) => ({ method: "DELETE", entity, etag: entity["odata.etag"] ?? "*" }));
  for (let set of changeSetsOf(operations)) {
    while (set.length > 0 && !signal?.aborted) {
      try {
        await sendChangeSet(account, table, set); // not ended by the signal: what it did would not be known
        deleted.push(...set.map(({ entity }) => entity));
        set = [];
      } catch (error) {
        // A change set does all or nothing: the one that was refused is left out, and the others are tried again.
        const refused = set[error.place];
        if (!refused) throw error;
        if (error.code === kGone) deleted.push(refused.entity);
        else failed.push({ entity: refused.entity, code: error.code, message: error.message });
        set = set.filter((one) => one !== refused);
      }
    }
    onProgress({ done: deleted.length + failed.length, total: entities.length });
  }
  return { deleted, failed };
}
