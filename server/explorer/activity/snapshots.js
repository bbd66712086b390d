// Snapshots of everything, and resets. What destroys data is confirmed by typing.
import { control } from "../core/api.js";
import { confirmAction } from "../core/dialog.js";
import { bytes, count } from "../core/format.js";
import { button } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";
import { loadCatalog } from "../screens/catalog.js";
import { accountNames, loadBehaviour } from "./behaviour.js";
import { loadFaults } from "./faults.js";
import { act, errorOf } from "./lab_part.js";

const own = () => state.lab.snapshots;

const load = async () => Object.assign(own(), await control("GET", "snapshots"));

export const loadSnapshots = () => act("snapshots", load, { isChange: false });

async function take(event) {
  event.preventDefault();
  const name = own().name;
  const isDone = await act("snapshots", async () => {
    await control("POST", `snapshots/${encodeURIComponent(name)}`);
    own().said = `Took ${name}.`;
    await load();
  });
  if (isDone) change(() => (own().name = ""));
}

const pathOf = (name) => `snapshots/${encodeURIComponent(name)}`;

// Errors of the action are shown in the dialog.
async function confirmed(options, said) {
  if (!(await confirmAction(options))) return;
  own().said = said;
  await Promise.all([act("snapshots", load), loadBehaviour(), loadFaults(), loadCatalog()]);
}

const restore = (name) => confirmed({
  title: `Restore ${name}?`,
  text: "All data and settings of all accounts become those of the snapshot. What was written since is lost.",
  word: name,
  button: "Restore",
  action: () => control("POST", `${pathOf(name)}/restore`),
}, `Restored ${name}.`);

const remove = (name) => confirmed({
  title: `Delete the snapshot ${name}?`,
  text: "It cannot be restored then.",
  word: name,
  action: () => control("DELETE", pathOf(name)),
}, `Deleted ${name}.`);

const resetAccount = (account) => confirmed({
  title: `Reset ${account}?`,
  text: "This deletes the account's tables, settings, fault rules, behaviour and retries. Snapshots stay.",
  word: account,
  button: "Reset",
  action: () => control("POST", "reset", { query: { account } }),
}, `Reset ${account}.`);

const resetEverything = () => confirmed({
  title: "Reset everything?",
  text: "This deletes all data and settings of all accounts. Snapshots and what is on for all stay.",
  word: "everything",
  button: "Reset everything",
  action: () => control("POST", "reset"),
}, "Reset everything.");

export function snapshotPart() {
  const { snapshots, name = "", said, resetOf, isBusy } = own();
  const accounts = accountNames();
  const chosen = accounts.includes(resetOf) ? resetOf : state.account;
  return [
    h("section", { class: "lab-part", key: "snapshots", "aria-labelledby": "lab-snapshots" },
      h("h2", { id: "lab-snapshots" }, "Snapshots"),
      h("p", { class: "dim" },
        "A snapshot has all data of all accounts. Restoring it replaces what is there; it stays."),
      errorOf("snapshots"),
      h("form", { class: "row", onsubmit: take },
        h("label", { class: "field" }, h("span", null, "Name"), h("input", {
          type: "text", value: name, required: true, maxlength: 64, pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]*",
          size: 20, spellcheck: "false", autocomplete: "off", title: "Letters, digits, - _ and .",
          oninput: ({ target }) => change(() => (own().name = target.value)),
        })),
        h("button", { type: "submit", disabled: isBusy }, "Take snapshot"),
        h("span", { role: "status" }, said)),
      snapshots?.length > 0 && h("div", { class: "sideways" }, snapshotTable(snapshots))),
    h("section", { class: "lab-part", key: "reset", "aria-labelledby": "lab-reset" },
      h("h2", { id: "lab-reset" }, "Reset"),
      h("p", { class: "dim" },
        "Deletes tables, entities and settings at once, as tests do before they begin."),
      h("div", { class: "row" },
        h("label", { class: "field" }, h("span", null, "Account"), h("select", {
          value: chosen, onchange: ({ target }) => change(() => (own().resetOf = target.value)),
        }, [...new Set([...accounts, chosen])].map((one) => h("option", { value: one, key: one }, one)))),
        button("Reset account…", () => resetAccount(chosen), { class: "danger" }),
        button("Reset everything…", resetEverything, { class: "danger" }))),
  ];
}

function snapshotTable(snapshots) {
  const head = (title, className) => h("th", { scope: "col", class: className }, title);
  return h("table", { class: "data" },
    h("thead", null, h("tr", null,
      head("Snapshot"), head("Taken"), head("Tables", "number"), head("Size", "number"),
      head(h("span", { class: "offscreen" }, "Actions")))),
    h("tbody", null, snapshots.map((one) => h("tr", { key: one.name },
      h("th", { scope: "row" }, one.name),
      h("td", null, `${one.taken.slice(0, 10)} ${one.taken.slice(11, 19)} UTC`),
      h("td", { class: "number" }, count(one.tables)),
      h("td", { class: "number" }, bytes(one.bytes)),
      h("td", null, h("div", { class: "row end" },
        button("Restore…", () => restore(one.name), { "aria-label": `Restore ${one.name}` }),
        button("Delete…", () => remove(one.name), {
          class: "quiet", "aria-label": `Delete ${one.name}`,
        })))))));
}
