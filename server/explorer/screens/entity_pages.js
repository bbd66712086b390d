// Reads the entities of a table page by page, as the service pages them, and keeps what was loaded with the
// columns and types that were met. One query at a time: a new one ends the former.
//
//   state.entities = {
//     account, table, query: { filter, select, top },
//     rows, columns: [{ name, types: Set, width }],      in the order in which they were met, keys first
//     pages: [{ scanned, returned, hasMore, milliseconds }],
//     next: what continues the query, or null; isLoading; goal: so many rows are to be loaded; error: ApiError
//     selected: Set of rows, active: { row, column }: places, anchor: a place }
import { queryPage } from "../entities/entity_client.js";
import { isProperty, kKeys, typeOf } from "../entities/values.js";
import { change, state } from "../core/state.js";
import { widthOf } from "./cells.js";

const kMostRows = 1_000_000; // of more, the rows would be higher together than browsers can show
const kMostPerPage = 1000; // the service's own limit
const kRowsForWidth = 200; // later rows do not change the width of a column, so that nothing jumps

let running = null; // the AbortController of what is being loaded

export const kUsualTop = 100;

// Forgets what was loaded, and reads the first page.
export function run(account, table, query) {
  stop();
  change(() => {
    state.entities = {
      account, table, query,
      rows: [], columns: kKeys.map(newColumn), pages: [], next: {}, isLoading: false, goal: 0, error: null,
      selected: new Set(), active: null, anchor: 0,
    };
  });
  return load(0);
}

export const nextPage = () => load(0);
export const loadUpTo = (goal) => load(goal);

// Ends what is being loaded; what has arrived stays.
export function stop() {
  running?.abort();
  running = null;
}

// Reads one page, and then more while there are fewer than `goal` rows.
async function load(goal) {
  const own = state.entities;
  if (!own.next || own.isLoading) return;
  const controller = (running = new AbortController());
  change(() => Object.assign(own, { isLoading: true, goal, error: null }));
  try {
    do await readPage(own, goal, controller.signal);
    while (own.next && own.rows.length < Math.min(goal, kMostRows));
  } catch (error) {
    if (error.name !== "AbortError") change(() => (own.error = error));
  }
  if (running === controller) running = null;
  change(() => Object.assign(own, { isLoading: false, goal: 0 }));
}

async function readPage(own, goal, signal) {
  const { filter, select, top: usual } = own.query;
  const top = goal ? Math.min(kMostPerPage, goal - own.rows.length) : usual;
  const query = { filter, select: selectOf(select), top };
  const page = await queryPage(own.account, own.table, query, own.next, signal);
  const { entities, next, headers, milliseconds } = page;
  change(() => {
    for (const entity of entities) add(own, entity);
    own.next = next;
    own.pages.push({
      scanned: Number(headers.get("x-rocktable-scanned") ?? NaN),
      returned: entities.length,
      hasMore: next !== null,
      milliseconds: Number(headers.get("x-rocktable-milliseconds") ?? milliseconds),
    });
  });
}

// The keys are always read: without them an entity cannot be opened.
export function selectOf(select) {
  const names = select.split(",").map((name) => name.trim()).filter(Boolean);
  return names.length === 0 ? "" : [...new Set([...kKeys, ...names])].join(",");
}

const newColumn = (name) => ({ name, types: new Set(), width: 0 });

function add(own, entity) {
  own.rows.push(entity);
  for (const name in entity) if (isProperty(name)) meet(own, entity, name);
}

function meet(own, entity, name) {
  own.byName ??= new Map(own.columns.map((column) => [column.name, column]));
  let column = own.byName.get(name);
  if (!column) {
    column = newColumn(name);
    own.byName.set(name, column);
    own.columns.push(column);
  }
  if (entity[name] === null) return;
  const isNewType = column.types.size;
  column.types.add(typeOf(entity, name));
  if (column.types.size !== isNewType) column.version = (column.version ?? 0) + 1;
  if (own.rows.length <= kRowsForWidth || column.width === 0)
    column.width = Math.max(column.width, widthOf(entity, column));
}

// What the panel wrote, without reading again. `before` null: inserted; `after` null: deleted.
export function entityChanged(before, after) {
  change(() => {
    const own = state.entities;
    if (!own) return;
    const isSame = (row) => row.PartitionKey === before?.PartitionKey && row.RowKey === before?.RowKey;
    const place = before ? own.rows.findIndex(isSame) : -1;
    if (place >= 0) own.selected.delete(own.rows[place]);
    if (place < 0 && after) add(own, after); // at the end; the next run puts it in its order
    else if (place >= 0 && after) {
      own.rows[place] = after;
      for (const name in after) if (isProperty(name)) meet(own, after, name);
    } else if (place >= 0) own.rows.splice(place, 1);
  });
}

export function entitiesDeleted(entities) {
  change(() => {
    const own = state.entities;
    const keyOf = (entity) => JSON.stringify([entity.PartitionKey, entity.RowKey]);
    const gone = new Set(entities.map(keyOf));
    own.rows = own.rows.filter((row) => !gone.has(keyOf(row)));
    own.selected = new Set([...own.selected].filter((row) => !gone.has(keyOf(row))));
    own.active = null;
  });
}
