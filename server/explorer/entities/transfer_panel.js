// Import and export of a table, in the panel at the right. What runs goes on while the panel is closed.
//
//   own = { account, table, query, isQuery, format, mode, busy, where, note, problem, file, failed }
//     busy   what runs, or null: { text, done, total, controller }; where: "export" or "import", which it is
//     file   what was read: { name, entities, error }, or null
import { save } from "../activity/save.js";
import { count, shown } from "../core/format.js";
import { button, entitiesOf } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";
import { typeSign } from "../screens/cells.js";
import { reload } from "../screens/entities.js";
import { exportFile, importEntities, readFile } from "./transfer.js";
import { isProperty, textOf, typeOf } from "./values.js";

const kTypes = { ndjson: "application/x-ndjson", csv: "text/csv" };
const kMostShown = 3; // entities of a preview
const kMostFailed = 100;
const kFormats = { ndjson: "NDJSON: one entity a line", csv: "CSV, as Storage Explorer has it" };
const kModes = {
  insert: "Insert: an entity that exists is refused",
  replace: "Replace an entity that exists",
  merge: "Merge into an entity that exists",
};

let current = null;

const set = (own, values) => change(() => Object.assign(own, values));

addEventListener("beforeunload", (event) => {
  if (current?.busy) event.preventDefault();
});

export function openTransfer(account, table, { filter, select }) {
  if (!current?.busy) {
    current = {
      account, table, query: { filter, select }, isQuery: Boolean(filter || select), format: "ndjson",
      mode: "insert", failed: [],
    };
  }
  const own = current;
  const close = () => change(() => (state.panel = null));
  change(() => (state.panel = { view: () => view(own, close), close }));
}

// Runs a piece of work that can be cancelled, and shows how it ends.
async function run(own, where, text, work) {
  const controller = new AbortController();
  const busy = { text, controller };
  set(own, { where, busy, note: "", problem: "", failed: [] });
  try {
    const note = await work(controller.signal, (words) => change(() => Object.assign(busy, words)));
    set(own, { note });
  } catch (error) {
    const problem = [error.code, error.message].filter(Boolean).join(": ");
    set(own, error.name === "AbortError" ? { note: "Cancelled." } : { problem });
  }
  set(own, { busy: null });
}

const startExport = (own) => run(own, "export", "Reading…", async (signal, tell) => {
  const { account, table, format, isQuery, query } = own;
  let read = 0;
  const onProgress = (n) => tell({ text: `Read ${entitiesOf((read = n))}…` });
  const parts = await exportFile({ account, table, query: isQuery ? query : {}, format, onProgress, signal });
  const name = `${table}.${format}`;
  save(name, kTypes[format], parts);
  return `Saved ${entitiesOf(read)} as ${name}.`;
});

function take(own, file) {
  if (!file || own.busy) return;
  own.file = null;
  run(own, "import", "Reading the file…", async (signal, tell) => {
    const format = /\.csv$/i.test(file.name) ? "csv" : "ndjson";
    const onProgress = (n) => tell({ text: `Read ${entitiesOf(n)}…` });
    let text;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    } catch {
      throw new Error("The file is not UTF-8.");
    }
    own.file = { name: file.name, ...(await readFile(text, format, signal, onProgress)) };
  });
}

const startImport = (own) => run(own, "import", "Writing…", async (signal, tell) => {
  const { account, table, mode, file: { entities } } = own;
  const result = { written: 0, failed: own.failed };
  const words = (of, end) => {
    const { written, failed: { length } } = result;
    return `Wrote ${of}${length > 0 ? `${end} ${count(length)} failed` : ""}`;
  };
  const onProgress = () => tell({
    text: `${words(`${count(result.written)} of ${count(entities.length)}`, ",")}…`,
    done: result.written + own.failed.length, total: entities.length,
  });
  try {
    await importEntities({ account, table, entities, mode, result, onProgress, signal });
  } catch (error) {
    error.message += ` ${words(entitiesOf(result.written), ";")} before.`;
    throw error;
  } finally {
    if (state.entities?.table === table && state.entities.account === account) reload();
  }
  return `${signal.aborted ? "Cancelled. " : ""}${words(entitiesOf(result.written), ";")}.`;
});

const view = (own, close) => h("div", {
  class: "entity-panel stack transfer", key: "transfer",
  ondragover: (event) => event.preventDefault(),
  ondrop: (event) => {
    event.preventDefault();
    take(own, event.dataTransfer.files[0]);
  },
},
h("header", { class: "row" },
  h("h2", { class: "grow" }, "Import and export", h("span", { class: "dim mono" }, ` ${shown(own.table)}`)),
  button("Close", close, { class: "quiet" })),
exportPart(own), importPart(own));

// Where it was begun: what runs, or how it ended.
function told({ busy, note, problem, where }, here) {
  if (where !== here) return null;
  if (busy) {
    const { text, done, total, controller } = busy;
    return h("div", { class: "row", key: "busy", role: "status" },
      h("span", { class: "grow" }, text),
      total && h("progress", { value: done, max: total, "aria-label": "Done" }),
      button("Cancel", () => controller.abort()));
  }
  return [
    note && h("p", { class: "good", role: "status", key: "note" }, note),
    problem && h("p", { class: "bad", role: "alert", key: "problem" }, shown(problem, 1000)),
  ];
}

const choices = (name, own, words) => Object.entries(words).map(([value, text]) =>
  h("label", { class: "choice", key: value },
    h("input", {
      type: "radio", name, value, checked: own[name] === value, onchange: () => set(own, { [name]: value }),
    }), text));

function exportPart(own) {
  const { query: { filter, select }, isQuery, busy } = own;
  const only = { type: "checkbox", checked: isQuery, onchange: () => set(own, { isQuery: !isQuery }) };
  return h("section", { class: "stack", key: "export" }, h("h3", null, "Export"),
    h("fieldset", null, h("legend", null, "Format"),
      choices("format", own, kFormats)),
    (filter || select) && h("div", null, h("label", { class: "choice" }, h("input", only),
      h("span", null, "Only what the query gives: ",
        [filter, select].filter(Boolean).map((one) => h("code", null, shown(one, 200), " "))))),
    h("div", null, button("Export", () => startExport(own), { disabled: Boolean(busy), class: "primary" })),
    told(own, "export"));
}

function importPart(own) {
  const { file, failed, busy } = own;
  const n = file?.entities.length;
  const choose = { type: "file", accept: ".ndjson,.jsonl,.json,.csv", disabled: Boolean(busy) };
  return h("section", { class: "stack", key: "import" }, h("h3", null, "Import"),
    h("label", null, "A file of NDJSON or CSV, or drop one here",
      h("input", { ...choose, onchange: ({ target }) => take(own, target.files[0]) })),
    file && preview(file),
    n > 0 && !file.error && [
      h("fieldset", { key: "mode" }, h("legend", null, "Write as"), choices("mode", own, kModes)),
      h("div", { key: "start" }, button(`Import ${entitiesOf(n)}`, () => startImport(own), {
        disabled: Boolean(busy), class: "primary",
      })),
    ],
    told(own, "import"),
    failed.length > 0 && !busy && failures(failed));
}

// The first entities, with the properties that they have.
function preview({ name, entities, error }) {
  const first = entities.slice(0, kMostShown).map(({ entity }) => entity);
  const names = [...new Set(first.flatMap((entity) => Object.keys(entity).filter(isProperty)))];
  const cell = (entity, one) => Object.hasOwn(entity, one) &&
    [typeSign(typeOf(entity, one)), " ", shown(textOf(entity, one), 40)];
  const line = (tag, of) => h("tr", null, names.map((one) => h(tag, null, of(one))));
  return h("div", { role: "status", key: "preview" },
    h("p", null, `${shown(name, 100)}: ${entitiesOf(entities.length)}`),
    error && h("p", { class: "bad", role: "alert" },
      `${shown(error, 500).replace(/[^.!?]$/, "$&.")} Nothing was written.`),
    names.length > 0 && h("div", { class: "sideways", tabindex: "0", "aria-label": "The first entities" },
      h("table", { class: "data mono" },
        h("thead", null, line("th", (one) => shown(one, 40))),
        h("tbody", null, first.map((entity) => line("td", (one) => cell(entity, one)))))));
}

const failures = (failed) => h("table", { class: "data failed", key: "failed" },
  failed.length > kMostFailed && h("caption", null, `The first ${kMostFailed} of ${count(failed.length)}`),
  h("thead", null, h("tr", null, ["Line", "Why"].map((one) => h("th", { scope: "col" }, one)))),
  h("tbody", null, failed.slice(0, kMostFailed).map(({ line, error }) => h("tr", null,
    h("td", null, count(line)),
    h("td", null, shown(`${error.code}: ${error.message}`, 300))))));
