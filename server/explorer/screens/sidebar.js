// The list of tables at the left: filter, folds, counts, and a new table. A drawer on narrow screens.
//
//   state.sidebar = { text, open: Set of shapes, isAdding, name, error }
import { go, linkTo } from "../core/address.js";
import { ApiError, service } from "../core/api.js";
import { about, bytes, count } from "../core/format.js";
import { button, plural } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";
import { refreshTables } from "./catalog.js";
import { foldTables, matching } from "./fold.js";

const kMostLines = 500; // as many as a person looks through; the filter finds the others

state.sidebar = { text: "", open: new Set(), isAdding: false, name: "", error: null };

export const linkToTable = (account, table, parameters) =>
  linkTo(`/acc/${encodeURIComponent(account)}/${encodeURIComponent(table)}`, parameters);

export function sidebar({ catalog, sidebar: own, isDrawerOpen }) {
  const tables = catalog.tables;
  return h("nav", {
    class: `sidebar${isDrawerOpen ? " is-open" : ""}`, id: "sidebar", key: "sidebar", "aria-label": "Tables",
  },
    h("div", { class: "find" },
      h("input", {
        type: "search", placeholder: "Filter tables", "aria-label": "Filter tables", value: own.text,
        spellcheck: "false",
        oninput: (event) => change(() => (own.text = event.target.value)),
        onkeydown: (event) => event.key === "Enter" && openFirst(),
      })),
    tables === null ? h("p", { class: "note list" }) : lines(tables),
    h("div", { class: "foot" }, own.isAdding ? newTable(own) :
      button("New table", addTable, { key: "add" })));
}

function lines(tables) {
  const { text, open } = state.sidebar;
  const found = matching(tables, text);
  const folded = text ? found.map((table) => ({ table })) : foldTables(found);
  const items = folded.slice(0, kMostLines).map((line) => (line.table ? item(line.table) : fold(line, open)));
  return h("ul", { class: "list" },
    items,
    folded.length > kMostLines &&
      h("li", { class: "note", key: "more" }, `${count(folded.length - kMostLines)} more: use the filter.`),
    found.length === 0 &&
      h("li", { class: "note", key: "none" }, text ? "No table has such a name." : "No tables yet."));
}

function item(table) {
  const isCurrent = state.table?.toLowerCase() === table.name.toLowerCase();
  return h("li", { key: `t ${table.name}` },
    h("a", {
      class: "item", href: linkToTable(state.account, table.name), "aria-current": isCurrent ? "page" : null,
      title: `${table.name}: ${sizeOf(table)}`,
    },
      h("span", { class: "name" }, table.name), " ",
      h("span", { class: "size" }, `${table.isExact ? "" : "~"}${about(table.entities)}`)));
}

function fold(line, open) {
  const holdsCurrent = line.tables.some(({ name }) => name.toLowerCase() === state.table?.toLowerCase());
  const isOpen = open.has(line.shape) !== holdsCurrent; // the current table's is open unless it was closed
  const toggle = () => change(() => (open.has(line.shape) ? open.delete(line.shape) : open.add(line.shape)));
  return h("li", { key: `f ${line.shape}` },
    h("button", {
      type: "button", class: "item", "aria-expanded": String(isOpen), onclick: toggle,
      title: `${line.tables.length} tables: ${sizeOf(line)}`,
    },
      h("span", { class: "name" }, line.label), " ",
      h("span", { class: "size" }, `(${count(line.tables.length)})`)),
    isOpen && h("ul", null, line.tables.slice(0, kMostLines).map(item)));
}

// "12,480 entities · 9.1 MB", with "about" where it is an estimate.
export function sizeOf({ entities, isExact, bytes: size }) {
  const words = isExact ? count(entities) : `about ${about(entities)}`;
  return `${words} ${plural(entities, "entity", "entities")} · ${isExact ? "" : "about "}${bytes(size)}`;
}

function openFirst() {
  const [first] = matching(state.catalog.tables ?? [], state.sidebar.text);
  if (first && state.sidebar.text) location.hash = linkToTable(state.account, first.name);
}

export function addTable() {
  change(() => {
    Object.assign(state.sidebar, { isAdding: true, name: "", error: null });
    state.isDrawerOpen = true;
  });
}

function newTable(own) {
  const stop = () => change(() => Object.assign(own, { isAdding: false, error: null }));
  return h("form", { class: "stack", key: "adding", onsubmit: create },
    h("label", null, "Name of the new table",
      h("input", {
        value: own.name, required: true, autocomplete: "off", spellcheck: "false",
        "aria-describedby": "new-table-error",
        ref: (element) => requestAnimationFrame(() => element.focus()),
        oninput: (event) => (own.name = event.target.value),
        onkeydown: (event) => event.key === "Escape" && stop(),
      })),
    own.error && h("p", { class: "error", role: "alert", id: "new-table-error" },
      `${own.error.code}: ${own.error.message}`),
    h("div", { class: "row" },
      h("button", { type: "submit", class: "primary grow" }, "Create"),
      button("Cancel", stop, { class: "grow" })));
}

async function create(event) {
  event.preventDefault();
  const { account, sidebar: own } = state;
  const name = own.name.trim();
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ TableName: name });
  const answer = await service(account, "POST", "/Tables", { headers, body }).catch((error) => ({ error }));
  if (answer.error) {
    if (!(answer.error instanceof ApiError)) throw answer.error;
    change(() => (own.error = answer.error));
    return;
  }
  change(() => (own.isAdding = false));
  await refreshTables();
  go(`/acc/${encodeURIComponent(account)}/${encodeURIComponent(name)}`);
}
