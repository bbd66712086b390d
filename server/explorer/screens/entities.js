// The entities of a table: the query, the grid, the pages, and what can be done with them. The panel,
// deleting, import, export and snippets are in entities/, and loaded when they are first used.
import { go } from "../core/address.js";
import { copy } from "../core/clipboard.js";
import { count, shown } from "../core/format.js";
import { onKey } from "../core/keyboard.js";
import { button, entitiesOf } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";
import { isOwn, textOf } from "../entities/values.js";
import { refreshTable, tableOf } from "./catalog.js";
import { formatted, kLongText } from "./cells.js";
import { columnsShown, sortBy, widen } from "./columns.js";
import { rowsChanged, run, stop } from "./entity_pages.js";
import { filterBar, focusFilter, readQuery } from "./filter_bar.js";
import { grid, move, onColumn, scrollToTop, select } from "./grid.js";
import { emptyGrid, paging } from "./paging.js";
import { planSoon } from "./plan.js";
import { sizeOf } from "./sidebar.js";
import { deleteTable, emptyTable } from "./tables.js";

const kNoteMs = 2000;
const kWiden = 24; // pixels
let forgetKeys = [];
let deleting = null; // { done, total, controller } while entities are being deleted

export function enter({ path: [, account, table], parameters }) {
  document.title = `${shown(table)} · rocktable`;
  if (forgetKeys.length === 0) forgetKeys = listen();
  const query = readQuery(parameters);
  planSoon(account, table, query.filter, 0);
  scrollToTop();
  refreshTable(table, account).catch(() => {}); // the query says what is wrong
  return run(account, table, query);
}

export function leave() {
  stop();
  for (const forget of forgetKeys) forget();
  forgetKeys = [];
  change(() => (state.plan = null));
}

// Runs what failed while the server was away. What was loaded and typed stays.
export function back() {
  if (state.entities?.error) reload();
}

// What the page wrote, as rowsChanged() takes it: tells the grid and the panel, if they show that table.
export function changedInGrid(account, table, pairs) {
  const own = state.entities;
  if (own?.account === account && own.table === table) rowsChanged(pairs);
  state.panel?.told?.(account, table, pairs);
  if (pairs.some(({ before, after }) => !before || !after)) refreshTable(table, account).catch(() => {});
}

// Runs the query again: after an import, for example.
export function reload() {
  const { account, table, query } = state.entities;
  refreshTable(table, account).catch(() => {});
  return run(account, table, query);
}

function listen() {
  const onRow = (action) => () => {
    const own = state.entities;
    if (!own?.active || !own.rows[own.active.row]) return false;
    return action(own.active, own);
  };
  const cell = ({ row, column }, own) => [own.rows[row], columnsShown(own)[column].name];
  const json = (entity) => JSON.stringify(entity, null, 2);
  const openWith = (isEdit) => onRow((...place) => void open(...cell(...place), isEdit));
  return [
    ["/", "filter", () => focusFilter()],
    ["j", "next row", () => move(1, 0)],
    ["k", "row before", () => move(-1, 0)],
    ["l", "next cell", () => move(0, 1)],
    ["h", "cell before", () => move(0, -1)],
    ["ArrowDown", "next row, in the grid", inGrid(() => move(1, 0))],
    ["ArrowUp", "row before, in the grid", inGrid(() => move(-1, 0))],
    ["Enter", "edit the cell; at the keys: open the row", onRow((...place) => void editOrOpen(...cell(...place)))],
    ["F2", "edit the cell", onRow((...place) => void editOrOpen(...cell(...place)))],
    ["o", "open the row", openWith(false)],
    ["e", "edit the row", openWith(true)],
    ["u", "undo the last change of the page", () => void undo()],
    ["s", "sort by the column, of what is loaded", () => onColumn(sortBy)],
    [">", "wider column", () => onColumn(widen, kWiden)],
    ["<", "narrower column", () => onColumn(widen, -kWiden)],
    ["f", "show the JSON of the cell in lines", onRow((...place) => {
      const [entity, name] = cell(...place);
      const text = textOf(entity, name);
      return formatted(text) ? void showJson(name, text) : false;
    })],
    ["n", "new entity", () => void add()],
    ["x", "select the row", onRow(({ row }, { rows, selected }) => select(row, !selected.has(rows[row])))],
    ["c", "copy the cell", onRow((...place) => void copied(textOf(...cell(...place))))],
    ["y", "copy the row as JSON", onRow((...place) => void copied(json(cell(...place)[0])))],
  ].map((one) => onKey(...one));
}

const inGrid = (action) => (event) => (event.target.closest?.(".grid") ? action() : false);

async function copied(text) {
  const isCopied = await copy(text);
  const { entities } = state;
  change(() => (entities.note = isCopied ? "copied" : "not copied: the browser does not allow it"));
  setTimeout(() => change(() => (entities.note = "")), kNoteMs);
}

async function open(entity, property, isEdit = false) {
  const { account, table, entities } = state;
  const { openEntity } = await import("../entities/panel.js");
  openEntity(account, table, entity, { property, isEdit, isPartial: entities.query.select !== "" });
}

// A value that needs more room, and what is no property, has the panel.
async function editOrOpen(entity, name) {
  const { entities } = state;
  const text = textOf(entity, name);
  if (!isOwn(name)) return open(entity, name);
  if (text.length > kLongText || /[\r\n]/.test(text)) return open(entity, name, true);
  const { editCell } = await import("../entities/cell_editor.js");
  editCell(entities, entity, entities.columns.find((one) => one.name === name));
}

async function showJson(name, value) {
  const text = formatted(value) || value;
  const { showDialog } = await import("../core/dialog.js");
  await showDialog(`JSON of ${shown(name, 100)}`, (close) => h("div", { class: "stack" },
    h("h2", { class: "mono" }, shown(name, 100)),
    h("pre", { tabindex: "0", "aria-label": "JSON" }, text.split("\n").map((line) => `${shown(line)}\n`)),
    h("div", { class: "row end" },
      button("Copy", () => copied(text)), button("Close", () => close(), { autofocus: true }))), { className: "wide" });
}

async function undo() {
  (await import("../entities/undo.js")).undo();
}

async function add() {
  const { newEntity } = await import("../entities/panel.js");
  newEntity(state.account, state.table, null, state.entities.columns);
}

// What can be undone is confirmed by a click; more is confirmed by typing how many.
async function removeSelected() {
  const { account, table, entities: { selected, query } } = state;
  const [{ deleteMany, wholeOf }, { kMostToUndo, remember }, { confirmAction }] = await Promise.all([
    import("../entities/write_many.js"), import("../entities/undo.js"), import("../core/dialog.js"),
  ]);
  const words = entitiesOf(selected.size);
  const isUndoable = selected.size <= kMostToUndo;
  const action = async () => {
    const list = query.select && isUndoable ? await wholeOf(account, table, [...selected]) : [...selected];
    deleteAll(account, table, list, deleteMany, remember);
  };
  await confirmAction({
    title: `Delete ${words} of ${table}?`,
    text: isUndoable ? "Undo brings back what is deleted, until the next change." : "That many cannot be brought back.",
    word: isUndoable ? "" : String(selected.size),
    action,
  });
}

async function deleteAll(account, table, list, deleteMany, remember) {
  const controller = new AbortController();
  deleting = { done: 0, total: list.length, controller };
  const onProgress = (done) => change(() => (deleting.done = done));
  const gone = (entities) => entities.map((before) => ({ before, after: null }));
  try {
    const result = await deleteMany(account, table, list, { onProgress, signal: controller.signal });
    remember(account, table, `Deleted ${entitiesOf(result.deleted.length)}.`, gone(result.deleted));
    changedInGrid(account, table, gone([...result.deleted, ...result.gone]));
    if (result.failed.length) change(() => (state.error = result.failed[0]));
  } catch (error) {
    change(() => (state.error = error));
    const deleted = (error.done ?? []).map(({ entity }) => entity);
    remember(account, table, `Deleted ${entitiesOf(deleted.length)}.`, gone(deleted));
    reload(); // what is left is not known
  }
  change(() => (deleting = null));
}

const openPart = (module, name) => async () => {
  const part = await import(`../entities/${module}.js`);
  part[name](state.account, state.table, { ...state.entities.query });
};

export function view({ account, table, entities: own, ...all }) {
  if (!own || own.table !== table || own.account !== account) return null;
  const undone = all.undo?.account === account && all.undo.table === table ? all.undo : null;
  return h("div", { class: "entities", key: `${account}/${table}` },
    titleLine(own, tableOf(table)),
    filterBar(all, own),
    own.error && problem(own.error, table),
    emptyOrGrid(own),
    paging(own, undone, undo));
}

function emptyOrGrid(own) {
  if (own.rows.length === 0) return h("div", { class: "no-rows", key: "empty" }, emptyGrid(own));
  return grid(own, { open: (...cell) => void open(...cell), edit: editOrOpen, format: showJson });
}

function titleLine(own, about) {
  const { selected } = own;
  return h("div", { class: "row title-line", key: "title" },
    h("h1", { class: "mono" }, shown(own.table)),
    h("span", { class: "dim grow size-of-table" }, about && sizeOf(about)),
    deleting ? h("span", { class: "row", key: "deleting", role: "status" },
      `deleting ${count(deleting.done)} of ${count(deleting.total)}…`,
      button("Cancel", () => deleting.controller.abort())) :
      selected.size > 0 &&
        button(`Delete ${count(selected.size)}…`, removeSelected, { key: "delete", class: "danger" }),
    button("New entity", () => add(), { key: "new" }),
    button("Import, export", openPart("transfer_panel", "openTransfer"), { key: "transfer" }),
    button("Query as code", openPart("snippets_panel", "openSnippets"), { key: "snippets" }),
    menu(own.table));
}

function menu(table) {
  const act = (action) => async (event) => {
    event.target.closest("details").open = false;
    if (!(await action(table))) return;
    if (action === deleteTable) go(`/acc/${encodeURIComponent(state.account)}`);
    else reload();
  };
  return h("details", { class: "menu", key: "menu" },
    h("summary", { class: "button" }, "Table"),
    h("div", { class: "menu-list" },
      button("Empty…", act(emptyTable), { class: "quiet" }),
      button("Delete…", act(deleteTable), { class: "quiet" })));
}

const kAdvice = {
  TableNotFound: "The table does not exist any more, or not yet: see the list.",
  InvalidInput: "Correct the filter, and run it again.",
  ServerBusy: "The server throttles or restores; run it again in a moment.",
};

function problem(error) {
  return h("div", { class: "notice bad", role: "alert", key: "error" },
    h("div", { class: "grow" },
      h("strong", null, error.code || `Status ${error.status}`), ` ${shown(error.message, 600)} `,
      h("span", { class: "dim" }, kAdvice[error.code] ?? "")),
    button("Run again", reload));
}
