// The lines of the list by test or by client: a line for each group, the one of the newest request first, and below
// it the requests of those that are open. It is read as RequestLog is.
import { clientOf, testOf } from "./request_words.js";

export const kGroupings = [["", "nothing"], ["test", "test"], ["client", "client"]];
const kKeys = { test: testOf, client: clientOf };
const kNameless = { test: "without a test", client: "without a client" };

export function groupedLines(log, by, open) {
  const groups = new Map();
  for (const entry of log.entries) {
    if (!entry.request) continue; // a gap is in no group
    const key = kKeys[by](entry.request);
    if (!groups.has(key))
      groups.set(key, { id: `group ${key}`, key, title: key || kNameless[by], entries: [], failed: 0 });
    const group = groups.get(key);
    group.entries.push(entry);
    if (entry.request.status >= 400 || !entry.request.status) group.failed += 1;
  }
  const lines = [];
  for (const { entries, ...group } of groups.values()) {
    const isOpen = open.has(group.key);
    lines.push({ ...group, group: true, isOpen, count: entries.length });
    if (isOpen) lines.push(...entries);
  }
  return {
    length: lines.length,
    at: (index) => lines[index],
    indexOf: (entry) => lines.findIndex((one) => one.id === entry?.id),
  };
}
