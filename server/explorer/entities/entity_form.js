// The fields of an entity that is edited or made, and how they go together with what others have stored
// meanwhile.
//
//   field = { id, name, type, text, was, isKey, isGone, isOffered, problem }
//     was: the stored { type, text }, or null; isOffered: other entities have it, and it is left out while it is empty
import { shown } from "../core/format.js";
import { button } from "../core/parts.js";
import { h } from "../core/render.js";
import { notify } from "../core/state.js";
import { typeSign } from "../screens/cells.js";
import { kKeys, kTypes, propertiesOf, setProperty, signOf, textOf, typeOf, valueOf } from "./values.js";

const kMostOfName = 100;
const kMostOfValue = 100; // where two are side by side
let ids = 0;

export const newField = (more) => ({ id: ++ids, name: "", type: "Edm.String", text: "", was: null, ...more });

// What an entity has of a property, or null.
export const storedOf = (entity, name) =>
  entity && Object.hasOwn(entity, name) ? { type: typeOf(entity, name), text: textOf(entity, name) } : null;

export const fieldsOf = (entity) => propertiesOf(entity).map((name) => {
  const was = storedOf(entity, name);
  return newField({ name, ...was, was });
});

// The fields of an entity that is not stored yet: its keys, and what it is a copy of.
export const newFields = (from = {}, fields = fieldsOf(from)) => [
  ...kKeys.map((name) => newField({ name, isKey: true, text: textOf(from, name) })),
  ...fields.filter(({ isGone }) => !isGone).map((field) => ({ ...field, was: null })),
];

const isSame = (a, b) => a?.type === b?.type && a?.text === b?.text;

// Checks all fields, and says in each what is wrong with it: then null. Else the `whole` entity as it shall
// be, and of it the `changes` for a MERGE. What was not changed is written as it was read.
export function readFields(fields, base) {
  const whole = {};
  const changes = {};
  const names = new Set([...kKeys, "Timestamp"]);
  for (const name of base ? kKeys : []) whole[name] = changes[name] = base[name];
  for (const field of fields) {
    const { name, type, text, was, isKey, isGone, isOffered } = field;
    field.problem = "";
    if (isGone || (!was && !text && (!name || isOffered))) continue;
    const isKept = isSame(field, was);
    const { value, problem } = isKept ? { value: base[name] } : valueOf(type, text);
    const isTwice = !isKey && names.has(name) && "There is such a property already.";
    field.problem = name ? isTwice || problem : "The property needs a name.";
    names.add(name);
    if (field.problem) continue;
    setProperty(whole, name, type, value);
    if (!isKept) setProperty(changes, name, type, value);
  }
  if (fields.some(({ problem }) => problem)) return null;
  return { whole, changes, isRemoving: fields.some(({ was, isGone }) => was && isGone) };
}

const kExamples = { "Edm.DateTime": "2026-11-20T08:30:00Z", "Edm.Binary": "base64" };

// A field shows hidden characters as the browser does, so they are told beside it.
function hiddenIn(text) {
  const signs = new Set(shown(text.replace(/[\r\n\t]/g, "")).match(/‹U\+[\dA-F]+›/g));
  return signs.size > 0 && h("small", { class: "warn" }, `Contains ${[...signs].join(" ")}`);
}

export const linesOf = (text) =>
  Math.min(12, Math.max(text.split("\n", 12).length, Math.ceil(text.length / 48), 1));

// `focus` is the name of the field that gets the focus.
export const formView = (fields, focus) =>
  fields.map((field) => fieldView(field, field.name === focus, fields));

function fieldView(field, isFocused, fields) {
  const { id, name, type, text, was, isKey, isGone, isOffered, problem } = field;
  const label = shown(name, kMostOfName) || "new property";
  const typed = (member) => ({ target: { value } }) => {
    // A text area gives line feeds alone.
    const isCrlf = member === "text" && was?.text.includes("\r\n");
    field[member] = isCrlf ? value.replace(/\n/g, "\r\n") : value;
    field.problem = "";
    notify();
  };
  const focusIf = (isOn) => (element) => isOn && setTimeout(() => element.focus());
  const common = { class: "mono", spellcheck: "false", autocomplete: "off" };
  const props = {
    ...common, key: type, value: text, "aria-label": `Value of ${label}`, "aria-describedby": `problem-${id}`,
    "aria-invalid": problem ? "true" : null, oninput: typed("text"), ref: focusIf(isFocused),
    placeholder: kExamples[type] ?? (isOffered ? "not stored while it is empty" : null),
  };
  const remove = () => {
    if (was) field.isGone = !isGone;
    else fields.splice(fields.indexOf(field), 1);
    notify();
  };
  const option = (value, words = value) => h("option", { value }, words);
  const control = () => {
    if (type === "Edm.Boolean") return h("select", props, ["", "true", "false"].map((one) => option(one)));
    if (isKey || !/String|Binary/.test(type)) return h("input", props);
    return h("textarea", { ...props, rows: linesOf(text) });
  };
  return h("div", { class: `property${isGone ? " is-gone" : ""}`, key: `field ${id}` },
    h("div", { class: "row" },
      isKey || was || isOffered ? h("strong", { class: "mono grow" }, shown(name)) : h("input", {
        ...common, class: "mono grow", value: name, placeholder: "name", "aria-label": "Name of the property",
        oninput: typed("name"), ref: focusIf(!name),
      }),
      !isKey && [
        h("select", {
          "aria-label": `Type of ${label}`, value: type, disabled: isGone, onchange: typed("type"),
        }, kTypes.map((one) => option(one, `${signOf(one)} ${one.slice(4)}`))),
        button(isGone ? "Keep" : "Remove", remove, {
          class: "quiet", "aria-label": `${isGone ? "Keep" : "Remove"} ${label}`,
        }),
      ]),
    !isGone && [
      control(),
      h("div", { id: `problem-${id}` },
        problem ? h("small", { class: "error", role: "alert" }, problem) : hiddenIn(text)),
    ]);
}

// What was typed against what is stored now: { theirs, rows: [{ name, mine, theirs, was, choice }] }, a row
// for each property in which the two differ; null is one that there is not.
export function conflictOf(fields, base, theirs) {
  const typed = new Map(fields.filter(({ isKey, name }) => !isKey && name)
    .map(({ name, type, text, isGone }) => [name, isGone ? null : { type, text }]));
  const rows = [...new Set([...typed.keys(), ...propertiesOf(theirs)])].map((name) => {
    const mine = typed.get(name) ?? null;
    const was = storedOf(base, name);
    return { name, mine, theirs: storedOf(theirs, name), was, choice: isSame(mine, was) ? "theirs" : "mine" };
  });
  return { theirs, rows: rows.filter((row) => !isSame(row.mine, row.theirs)) };
}

// The fields after the choices, upon what is stored now. `all` makes each choice.
export function resolved({ theirs, rows }, all) {
  const fields = fieldsOf(theirs);
  for (const { name, mine, choice } of rows) {
    if ((all ?? choice) === "theirs") continue;
    let field = fields.find((one) => one.name === name);
    if (!field) fields.push((field = newField({ name })));
    Object.assign(field, mine ?? { isGone: true });
  }
  return fields;
}

// Long values are shown from where they begin to differ.
function valueView(value, from = 0) {
  if (!value) return h("i", null, "none");
  return [typeSign(value.type), from > 0 ? " …" : " ", shown(value.text.slice(from), kMostOfValue)];
}

export function conflictView({ rows }) {
  const line = (row) => {
    const { name, mine, theirs, was } = row;
    let same = 0;
    while (mine && theirs && same < mine.text.length && mine.text[same] === theirs.text[same]) same += 1;
    const from = same > kMostOfValue / 2 ? same - 20 : 0;
    const cell = (side, title) => h("td", null, h("label", { class: "choice" },
      h("input", {
        type: "radio", name: `choice ${name}`, checked: row.choice === side,
        "aria-label": `${title} of ${shown(name, kMostOfName)}`,
        onchange: () => { row.choice = side; notify(); },
      }),
      h("span", { class: "mono" }, valueView(row[side], from))));
    return h("tr", { key: name },
      h("th", { scope: "row" }, h("span", { class: "mono" }, shown(name)),
        h("small", null, isSame(theirs, was) ? "yours alone" :
          [`changed meanwhile${isSame(mine, was) ? "" : ", and by you"}; was `, valueView(was, from)])),
      cell("mine", "Yours"),
      cell("theirs", "Stored now"));
  };
  return h("table", { class: "data conflict" },
    h("thead", null, h("tr", null,
      ["Property", "Yours", "Stored now"].map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", null, rows.map(line)));
}
