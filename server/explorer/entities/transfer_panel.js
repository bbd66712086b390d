// Import and export of a table, in the panel at the right.
//
//   own = { account, table, query, isQuery, format, mode, busy, note, problem, file, failed }
//     busy   what runs, or null: { text, controller }
//     file   what was read: { name, entities, error }, or null
import { save } from "../activity/save.js";
import { count, shown } from "../core/format.js";
import { button, plural } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";
import { refreshTable } from "../screens/catalog.js";
import { reload } from "../screens/entities.js";
import { exportFile, importEntities, readFile } from "./transfer.js";
import { isProperty, signOf, typeOf } from "./values.js";

const kTypes = { ndjson: "application/x-ndjson", csv: "text/csv" };
const kMostShown = 3; // entities of a preview
const kMostFailed = 100;
const kModes = {
  insert: "Insert: an entity that exists is refused",
  replace: "Replace an entity that exists",
  merge: "Merge into an entity that exists",
};

const set = (own, values) => change(() => Object.assign(own, values));
const entitiesOf = (n) => `${count(n)} ${plural(n, "entity", "entities")}`;

let last = null; // a transfer goes on while something else is looked at

export function openTransfer(account, table, query) {
  const own = last?.busy ? last : {
    account, table, query: { filter: query.filter, select: query.select }, format: "ndjson", mode: "insert",
    isQuery: Boolean(query.filter || query.select), busy: null, note: "", problem: "", file: null, failed: [],
  };
  const close = () => {
    own.busy?.controller.abort();
    change(() => (state.panel = null));
  };
  last = own;
  change(() => (state.panel = { view: () => view(own, close), close }));
}

// Runs a piece of work that can be cancelled, and shows how it ends.
async function run(own, text, work) {
  const controller = new AbortController();
  set(own, { busy: { text, controller }, note: "", problem: "" });
  try {
    set(own, { note: await work(controller.signal, (words) => set(own, { busy: { text: words, controller } })) });
  } catch (error) {
    const words = [error.code, error.message].filter(Boolean).join(": ");
    set(own, error.name === "AbortError" ? { note: "Cancelled." } : { problem: words });
  }
  set(own, { busy: null });
}

const startExport = (own) => run(own, "Reading…", async (signal, tell) => {
  const { account, table, format } = own;
  let read = 0;
  const onProgress = (n) => tell(`Read ${entitiesOf(read = n)}…`);
  const query = own.isQuery ? own.query : {};
  const texts = await exportFile({ account, table, query, format, onProgress, signal });
  const name = `${table}.${format}`;
  save(name, kTypes[format], texts);
  return `Saved ${entitiesOf(read)} as ${name}.`;
});

function take(own, file) {
  if (!file || own.busy) return;
  set(own, { file: null, failed: [] });
  run(own, "Reading the file…", async (signal, tell) => {
    const format = /\.csv$/i.test(file.name) ? "csv" : "ndjson";
    const text = await file.text();
    const read = await readFile(text, format, signal, (n) => tell(`Read ${entitiesOf(n)}…`));
    set(own, { file: { name: file.name, ...read } });
    return "";
  });
}

const startImport = (own) => run(own, "Writing…", async (signal, tell) => {
  const { account, table, mode, file } = own;
  const onProgress = (written, failed) =>
    tell(`Wrote ${count(written)} of ${count(file.entities.length)}${failed ? `, ${count(failed)} failed` : ""}…`);
  try {
    const { written, failed } =
      await importEntities({ account, table, entities: file.entities, mode, onProgress, signal });
    set(own, { failed });
    const words = `Wrote ${entitiesOf(written)}${failed.length ? `; ${count(failed.length)} failed` : ""}.`;
    return signal.aborted ? `Cancelled. ${words}` : words;
  } finally {
    reload();
    refreshTable(table, account).catch(() => {});
  }
});

function view(own, close) {
  const { busy } = own;
  return h("div", {
    class: "entity-panel transfer", key: `transfer ${own.table}`,
    ondragover: (event) => event.preventDefault(),
    ondrop: (event) => {
      event.preventDefault();
      take(own, event.dataTransfer.files[0]);
    },
  },
  h("header", { class: "row" },
    h("h2", { class: "grow" }, "Import and export"), button("Close", close, { class: "quiet" })),
  busy && h("p", { class: "row", role: "status" },
    h("span", { class: "grow" }, busy.text), button("Cancel", () => busy.controller.abort())),
  !busy && own.note && h("p", { class: "good", role: "status" }, own.note),
  own.problem && h("p", { class: "bad", role: "alert" }, shown(own.problem, 1000)),
  exportPart(own), importPart(own));
}

const choices = (name, chosen, words, choose) => Object.entries(words).map(([value, text]) =>
  h("label", { class: "choice", key: value },
    h("input", { type: "radio", name, value, checked: chosen === value, onchange: () => choose(value) }), text));

function exportPart(own) {
  const { filter, select } = own.query;
  return h("section", { key: "export" }, h("h3", null, "Export"),
    h("fieldset", null, h("legend", null, "Format"),
      choices("format", own.format, { ndjson: "NDJSON: one entity a line", csv: "CSV, as Storage Explorer has it" },
        (format) => set(own, { format }))),
    (filter || select) && h("label", { class: "choice" },
      h("input", { type: "checkbox", checked: own.isQuery, onchange: () => set(own, { isQuery: !own.isQuery }) }),
      h("span", null, "Only what the query gives: ", h("code", null, shown(filter || select, 200)))),
    button("Export", () => startExport(own), { disabled: Boolean(own.busy), class: "primary" }));
}

function importPart(own) {
  const { file, failed, busy } = own;
  return h("section", { key: "import" }, h("h3", null, "Import"),
    h("label", null, "A file of NDJSON or CSV, or drop one here",
      h("input", { type: "file", accept: ".ndjson,.jsonl,.json,.csv", disabled: Boolean(busy),
        onclick: ({ target }) => (target.value = ""), onchange: (event) => take(own, event.target.files[0]) })),
    file && preview(file),
    file && file.entities.length > 0 && !file.error && h("fieldset", null,
      h("legend", null, "Write as"), choices("mode", own.mode, kModes, (mode) => set(own, { mode }))),
    file && file.entities.length > 0 && !file.error && button(
      `Import ${entitiesOf(file.entities.length)}`, () => startImport(own), { disabled: Boolean(busy), class: "primary" }),
    failed.length > 0 && failures(failed));
}

function preview({ name, entities, error }) {
  const first = entities.slice(0, kMostShown).map(({ entity }) => Object.keys(entity).filter(isProperty)
    .map((one) => `${shown(one, 60)} ${signOf(typeOf(entity, one))} ${shown(String(entity[one]), 60)}`).join("\n"));
  return h("div", { role: "status" },
    h("p", null, h("b", null, shown(name, 100)), `: ${entitiesOf(entities.length)}`),
    error && h("p", { class: "bad", role: "alert" }, `${shown(error, 500)} Nothing was written.`),
    first.map((text, i) => h("pre", { key: i, tabindex: "0", "aria-label": `Entity ${i + 1}` }, text)));
}

const failures = (failed) => h("table", { class: "failed" },
  h("thead", null, h("tr", null, h("th", { scope: "col" }, "Line"), h("th", { scope: "col" }, "Why"))),
  h("tbody", null, failed.slice(0, kMostFailed).map(({ line, error }, i) => h("tr", { key: i },
    h("td", null, count(line)),
    h("td", null, h("b", null, error.code), ` ${shown(error.message, 300)}`)))),
  failed.length > kMostFailed && h("caption", null, `The first ${kMostFailed} of ${count(failed.length)}`));
