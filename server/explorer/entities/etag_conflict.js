// What was typed against what is stored now, if that changed since it was read: one line for each property in which the
// two differ, with a choice.
import { typeSign } from "../screens/cells.js";
import { shown } from "../core/format.js";
import { h } from "../core/render.js";
import { notify } from "../core/state.js";
import { propertiesOf } from "./values.js";
import { newField, storedOf } from "./entity_form.js";

const kMostShown = 300;
const isSame = (a, b) => a?.type === b?.type && a?.text === b?.text;

// { theirs, rows: [{ name, mine, theirs, was, choice }] }: null is a property that there is not.
export function conflictOf(fields, base, theirs) {
  const own = fields.filter(({ isKey, name }) => !isKey && name);
  const typed = new Map(own.map(({ name, type, text, isGone }) => [name, isGone ? null : { type, text }]));
  const rows = [...new Set([...typed.keys(), ...propertiesOf(theirs)])].map((name) => {
    const mine = typed.get(name) ?? null;
    const was = storedOf(base, name);
    return { name, mine, theirs: storedOf(theirs, name), was, choice: isSame(mine, was) ? "theirs" : "mine" };
  });
  return { theirs, rows: rows.filter((row) => !isSame(row.mine, row.theirs)) };
}

// The fields after the choices, on the ground of what is stored now. `all` makes each choice.
export function resolved({ theirs, rows }, fields, all) {
  const byName = new Map(rows.map((row) => [row.name, row]));
  const chosen = new Set([...fields.filter(({ isKey }) => !isKey).map(({ name }) => name), ...propertiesOf(theirs)]);
  return [...chosen].flatMap((name) => {
    const was = storedOf(theirs, name);
    const row = byName.get(name);
    const value = row && (all ?? row.choice) === "mine" ? row.mine : was;
    if (value) return newField({ name, ...value, was });
    return was ? newField({ name, ...was, was, isGone: true }) : [];
  });
}

const valueView = (value) => (value ? [typeSign(value.type), " ", shown(value.text, kMostShown)] : h("i", null, "none"));

function cell(row, side, title) {
  const choose = () => {
    row.choice = side;
    notify();
  };
  return h("td", null, h("label", { class: "choice" },
    h("input", {
      type: "radio", name: `choice ${row.name}`, checked: row.choice === side, onchange: choose,
      "aria-label": `${title} of ${shown(row.name, 100)}`,
    }),
    h("span", { class: "mono" }, valueView(row[side]))));
}

function meanwhile({ mine, theirs, was }) {
  if (isSame(theirs, was)) return "yours alone";
  return ["changed meanwhile", isSame(mine, was) ? "" : ", and by you", "; was ", h("span", { class: "mono" }, valueView(was))];
}

export const conflictView = ({ rows }) =>
  h("table", { class: "data conflict" },
    h("thead", null, h("tr", null, ["Property", "Yours", "Stored now"].map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", null, rows.map((row) => h("tr", { key: row.name },
      h("th", { scope: "row" }, h("span", { class: "mono" }, shown(row.name)), h("small", { class: "dim" }, meanwhile(row))),
      cell(row, "mine", "Yours"),
      cell(row, "theirs", "Stored now")))));
