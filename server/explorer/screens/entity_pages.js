// Reads the entities of a table page by page, as the service pages them, and keeps what was loaded with the
// columns and types that were met. One query at a time: a new one ends the former.
//
//   state.entities = {
//     account, table, query: { filter, select, top },
//     rows, columns: [{ name, types: Set, width }],      in the order in which they were met, keys first
//     pages: [{ scanned, returned, hasMore, milliseconds }],
//     next: what continues the query, or null; isLoading; goal: so many rows are to be loaded; error: ApiError
//     selected: Set of rows, active: { row, column }: places, anchor: a place
//     look: of the columns; editing: the cell that is edited, or null; added: keys of rows that the page wrote itself }
import { queryPage } from "../entities/entity_client.js";
import { isProperty, kKeys, typeOf } from "../entities/values.js";
import { change, state } from "../core/state.js";
import { widthOf } from "./cells.js";
import { lookOf, sortRows } from "./columns.js";

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
      selected: new Set(), active: null, anchor: 0, look: lookOf(account, table), editing: null, added: new Set(),
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
  change(() => {
    Object.assign(own, { isLoading: false, goal: 0 });
    if (own.look.sort) sortRows(own);
  });
}

async function readPage(own, goal, signal) {
  const { filter, select, top: usual } = own.query;
  const top = goal ? Math.min(kMostPerPage, goal - own.rows.length) : usual;
  const query = { filter, select: selectOf(select), top };
  const page = await queryPage(own.account, own.table, query, own.next, signal);
  const { entities, next, headers, milliseconds } = page;
  change(() => {
    for (const entity of entities) if (!own.added.delete(keyOf(entity))) add(own, entity);
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

const keyOf = ({ PartitionKey, RowKey }) => JSON.stringify([PartitionKey, RowKey]);

// Of an entity that was written: what the query reads of it.
function asRead({ query: { select } }, entity) {
  const names = selectOf(select).split(",");
  const isRead = ([name]) => name === "odata.etag" || names.includes(name.split("@")[0]);
  return select ? Object.fromEntries(Object.entries(entity).filter(isRead)) : entity;
}

// What the page wrote, without reading again: a list of { before, after }. `before` null: inserted; `after` null:
// deleted.
export function rowsChanged(pairs) {
  change(() => {
    const own = state.entities;
    const places = new Map(own.rows.map((row, place) => [keyOf(row), place]));
    const gone = new Set();
    let hasNew = false;
    for (const { before, after } of pairs) {
      const place = places.get(keyOf(before ?? after));
      const row = after && asRead(own, after);
      own.selected.delete(own.rows[place]);
      if (!row) gone.add(place);
      else if (place !== undefined) {
        own.rows[place] = row;
        for (const name in row) if (isProperty(name)) meet(own, row, name);
      } else {
        add(own, row);
        if (own.next) own.added.add(keyOf(row));
        hasNew = true;
      }
    }
    if (gone.size > 0) {
      own.rows = own.rows.filter((_, place) => !gone.has(place));
      own.active = null;
    }
    if (hasNew) sortRows(own);
  });
}
