// Edits one value in its cell. The type stays; Enter or leaving the field stores it, Escape does not. What others have
// changed meanwhile is compared in the panel, as the form does.
//
//   state.entities.editing = { entity, name, view: () => node; type, text, was, problem, isSaving: the editor's own }
import { shown } from "../core/format.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";
import { changedInGrid } from "../screens/entities.js";
import { getEntity, updateEntity } from "./entity_client.js";
import { remember } from "./undo.js";
import { kKeys, setProperty, textOf, typeOf, valueOf } from "./values.js";

export function editCell(own, entity, { name, types }) {
  const isThere = Object.hasOwn(entity, name);
  const type = isThere ? typeOf(entity, name) : ([...types][0] ?? "Edm.String");
  const text = textOf(entity, name);
  const cell = { entity, name, type, text, was: isThere ? text : null, problem: "", isSaving: false };
  cell.view = () => view(own, cell);
  change(() => (own.editing = cell));
}

function end(own, cell, hasFocus) {
  if (own.editing === cell) change(() => (own.editing = null));
  if (hasFocus) document.querySelector(".grid")?.focus({ preventScroll: true });
}

async function save(own, cell, hasFocus) {
  const { entity, name, type, text, was } = cell;
  if (cell.isSaving || own.editing !== cell) return;
  if (text === (was ?? "")) return end(own, cell, hasFocus);
  const { value, problem } = valueOf(type, text);
  if (problem) return change(() => (cell.problem = problem));
  const { account, table, query } = own;
  change(() => Object.assign(cell, { isSaving: true, problem: "" }));
  const etag = entity["odata.etag"];
  let before = entity;
  try {
    if (query.select) before = { ...(await getEntity(account, table, entity)), "odata.etag": etag };
    const changes = Object.fromEntries(kKeys.map((key) => [key, entity[key]]));
    setProperty(changes, name, type, value);
    const { stored, written } =
      await updateEntity(account, table, "MERGE", changes, { ...before, ...changes }, etag);
    remember(account, table, `Stored ${shown(name, 40)}.`, [{ before, after: written }]);
    changedInGrid(account, table, [{ before: entity, after: stored }]);
    end(own, cell, hasFocus);
  } catch (error) {
    change(() => Object.assign(cell, { isSaving: false, problem: `${error.code} ${error.message}`.trim() }));
    if (error.status !== 412) return;
    // What is typed in the panel may stay there; then this stays here.
    const { openConflict } = await import("./panel.js");
    openConflict(account, table, before, { name, type, text }, () => end(own, cell, false));
  }
}

function view(own, cell) {
  const { name, text, problem, isSaving } = cell;
  const pressed = (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter") save(own, cell, true);
    else if (event.key === "Escape") end(own, cell, true);
    else return;
    event.preventDefault();
  };
  return [
    h("input", {
      key: "edit", class: "mono", value: text, spellcheck: "false", autocomplete: "off", readonly: isSaving,
      "aria-label": `Value of ${shown(name)} in the cell`, "aria-invalid": problem ? "true" : null,
      "aria-describedby": problem ? "cell-problem" : null,
      oninput: ({ target }) => change(() => Object.assign(cell, { text: target.value, problem: "" })),
      onkeydown: pressed,
      onblur: () => document.hasFocus() && save(own, cell, false),
      ref: (element) => setTimeout(() => { element.focus(); element.select(); }),
    }),
    problem && h("div", {
      class: "error", role: "alert", id: "cell-problem", key: "problem",
      ref: (element) => setTimeout(() => element.scrollIntoView({ block: "nearest", inline: "nearest" })),
    }, shown(problem, 300)),
  ];
}
