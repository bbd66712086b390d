// The tables of an account: how many entities, how large; empty and delete.
//
//   state.tables = { open: Set of shapes }
import { control, service } from "../core/api.js";
import { about, bytes, count } from "../core/format.js";
import { confirmAction } from "../core/dialog.js";
import { button, plural } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";
import { refreshTables } from "./catalog.js";
import { foldTables } from "./fold.js";
import { addTable, linkToTable, sizeOf } from "./sidebar.js";

const kMostLines = 500;

state.tables = { open: new Set() };

export function enter() {
  document.title = `${state.account} · rocktable`;
}

export function leave() {}

export function view({ account, catalog, tables: own }) {
  const { tables, error } = catalog;
  if (error) return problem(error);
  if (tables === null) return h("div", { class: "page" });
  if (tables.length === 0) return nothing(account);
  const lines = foldTables(tables);
  const all = {
    entities: total(tables, "entities"),
    bytes: total(tables, "bytes"),
    isExact: tables.every((one) => one.isExact),
  };
  const first = lines.slice(0, kMostLines);
  return h("div", { class: "page" },
    h("div", { class: "row" },
      h("h1", { class: "grow" }, account),
      h("span", { class: "dim" },
        `${count(tables.length)} ${plural(tables.length, "table")} · ${sizeOf(all)}`)),
    h("div", { class: "sideways", role: "region", "aria-label": "Tables", tabindex: "0" },
      h("table", { class: "data tables" },
        h("thead", null, h("tr", null,
          h("th", { scope: "col" }, "Table"),
          h("th", { scope: "col", class: "number" }, "Entities"),
          h("th", { scope: "col", class: "number" }, "Size"),
          h("th", { scope: "col" }, h("span", { class: "offscreen" }, "Actions")))),
        h("tbody", null, first.map((line) => (line.table ? row(line.table) : fold(line, own.open)))))),
    lines.length > kMostLines &&
      h("p", { class: "dim" }, `${count(lines.length - kMostLines)} more: see the list.`));
}

const total = (tables, member) => tables.reduce((sum, table) => sum + table[member], 0);
const entitiesOf = ({ isExact, entities }) => (isExact ? count(entities) : `about ${about(entities)}`);
const bytesOf = ({ isExact, bytes: size }) => (isExact ? bytes(size) : `about ${bytes(size)}`);

function row(table, isInFold = false) {
  const { name } = table;
  return h("tr", { key: `t ${name}`, class: isInFold ? "in-fold" : null },
    h("th", { scope: "row", class: "mono" }, h("a", { href: linkToTable(state.account, name) }, name)),
    h("td", { class: "number" }, entitiesOf(table)),
    h("td", { class: "number" }, bytesOf(table)),
    h("td", { class: "actions" },
      button("Empty…", () => emptyTable(name), { class: "quiet", "aria-label": `Empty ${name}` }),
      button("Delete…", () => deleteTable(name), { class: "quiet", "aria-label": `Delete ${name}` })));
}

function fold(line, open) {
  const isOpen = open.has(line.shape);
  const toggle = () => change(() => (isOpen ? open.delete(line.shape) : open.add(line.shape)));
  return [
    h("tr", { key: `f ${line.shape}` },
      h("th", { scope: "row", class: "mono" },
        h("button", { type: "button", class: "quiet fold", "aria-expanded": String(isOpen), onclick: toggle },
          line.label, h("span", { class: "dim" }, ` ${count(line.tables.length)} tables`))),
      h("td", { class: "number" }, entitiesOf(line)),
      h("td", { class: "number" }, bytesOf(line)),
      h("td", null)),
    isOpen && line.tables.slice(0, kMostLines).map((table) => row(table, true)),
  ];
}

export async function emptyTable(name) {
  const { account } = state;
  const isDone = await confirmAction({
    title: `Empty ${name}?`,
    text: "All its entities are deleted. The table and its access policies stay.",
    word: name,
    button: "Empty",
    action: () => control("POST", "reset", { query: { account, table: name } }),
  });
  if (isDone) await refreshTables();
  return isDone;
}

export async function deleteTable(name) {
  const { account } = state;
  const isDone = await confirmAction({
    title: `Delete ${name}?`,
    text: "The table, its entities and its access policies are deleted.",
    word: name,
    action: async () => {
      const { error } = await service(account, "DELETE", `/Tables('${encodeURIComponent(name)}')`);
      if (error) throw error;
    },
  });
  if (isDone) await refreshTables();
  return isDone;
}

const problem = (error) =>
  h("div", { class: "empty" },
    h("h1", null, "The tables cannot be listed"),
    h("p", { class: "error" }, error.message));

const nothing = (account) =>
  h("div", { class: "empty" },
    h("h1", null, "No tables yet"),
    h("p", null, `Create one, or connect a program: the connection string of ${account} is above.`),
    h("p", null, button("New table", addTable, { class: "primary" })));
