// Shapes and findings of GET queries, as `rocktable report` adds them up: over accounts, clients and tests.

const kIdentity = ["table", "operation", "fingerprint", "select", "plan"];
const kSums = [
  "requests", "errors", "conflicts", "continuations", "abandoned", "entitiesScanned", "entitiesReturned",
  "entitiesWritten", "bytesRead", "bytesSent",
];

const keyOf = (item, names) => JSON.stringify(names.map((name) => item[name]));

// Those that scanned most first.
export function addedUp(shapes) {
  const sums = new Map();
  for (const shape of shapes) {
    const key = keyOf(shape, kIdentity);
    const sum = sums.get(key);
    if (sum) addTo(sum, shape);
    else sums.set(key, { ...shape, key, clients: new Set(), accounts: new Set(), tests: new Set() });
    const { clients, accounts, tests } = sums.get(key);
    if (shape.client) clients.add(shape.client);
    if (shape.test) tests.add(shape.test);
    accounts.add(shape.account);
  }
  return [...sums.values()].sort((a, b) => b.entitiesScanned - a.entitiesScanned || b.requests - a.requests);
}

function addTo(sum, shape) {
  if (shape.entitiesScanned > sum.entitiesScanned) sum.example = shape.example;
  for (const name of kSums) sum[name] += shape[name];
  sum.milliseconds = {
    p50: Math.max(sum.milliseconds.p50, shape.milliseconds.p50),
    p99: Math.max(sum.milliseconds.p99, shape.milliseconds.p99),
    max: Math.max(sum.milliseconds.max, shape.milliseconds.max),
  };
  sum.partitions = Math.max(sum.partitions, shape.partitions);
  sum.partitionsExact = false;
  if (shape.lastSeen > sum.lastSeen) sum.lastSeen = shape.lastSeen;
}

export function totalsOf(shapes) {
  const sum = (name) => shapes.reduce((total, shape) => total + shape[name], 0);
  return Object.fromEntries(kSums.map((name) => [name, sum(name)]));
}

// Findings of one kind together, in the order of the kinds' weight; in each the most frequent first.
export function grouped(findings) {
  const groups = new Map();
  for (const finding of findings) {
    const { id } = finding;
    const { advice = "" } = finding;
    if (!groups.has(id)) groups.set(id, { id, title: titleOf(finding), advice, items: new Map() });
    const { items } = groups.get(id);
    const key = keyOf(finding, ["table", "operation", "fingerprint"]);
    const known = items.get(key);
    // The sentence of the highest count stays.
    const [most, other] = known && known.count >= finding.count ? [known, finding] : [finding, known];
    items.set(key, { ...most, key, count: most.count + (other?.count ?? 0) });
  }
  return [...groups.values()].sort((a, b) => weightOf(a.id) - weightOf(b.id)).map((group) => ({
    ...group,
    isError: weightOf(group.id) < kErrors,
    items: [...group.items.values()].sort((a, b) => b.count - a.count),
  }));
}

// As in the server's catalog: the first are errors where there is a budget.
const kWeights = [
  "table-scan", "partition-range-scan", "scanned-per-returned", "abandoned-paging", "n-plus-one",
  "reads-across-partitions", "repeated-reads", "missing-reads", "or-across-partitions", "or-across-rows",
  "single-writes", "lost-update", "hot-partition", "append-only-keys", "unpadded-numbers", "insert-conflicts", "refused-updates", "near-limits", "repeated-create-table",
];
const kErrors = 4;

function weightOf(id) {
  const place = kWeights.indexOf(id);
  return place < 0 ? kWeights.length : place;
}

const titleOf = ({ id, title }) => title ?? id.replaceAll("-", " ");

// What would be better for a shape: the findings that name it.
export function findingsOf(shape, groups) {
  const names = ["table", "operation", "fingerprint"];
  const isOf = (item) => names.every((name) => item[name] === shape[name]);
  return groups.filter(({ items }) => items.some(isOf));
}
