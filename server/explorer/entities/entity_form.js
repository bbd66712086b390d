// The fields of an entity that is edited or made, and what is to be written of them.
//
//   field = { id, name, type, text, was, isKey, isGone, problem }   was: { type, text } that is stored, or null
import { shown } from "../core/format.js";
import { h } from "../core/render.js";
import { notify } from "../core/state.js";
import { kKeys, kTypes, propertiesOf, setProperty, signOf, textOf, typeOf, valueOf } from "./values.js";

let ids = 0;

export const newField = (more) => ({ id: ++ids, name: "", type: "Edm.String", text: "", was: null, ...more });

// What an entity has of a property, or null.
export const storedOf = (entity, name) =>
  entity && Object.hasOwn(entity, name) && entity[name] !== null ? { type: typeOf(entity, name), text: textOf(entity, name) } : null;

export const fieldsOf = (entity) =>
  propertiesOf(entity).map((name) => [name, storedOf(entity, name)]).filter(([, was]) => was)
    .map(([name, was]) => newField({ name, ...was, was }));

// The fields of an entity that is not stored yet: its keys, and what it is a copy of.
export const newFields = (from) => [
  ...kKeys.map((name) => newField({ name, isKey: true, text: from ? textOf(from, name) : "" })),
  ...(from ? fieldsOf(from).map((field) => ({ ...field, was: null })) : []),
];

export const isChanged = ({ name, type, text, was, isGone }) =>
  was ? Boolean(isGone) || type !== was.type || text !== was.text : !isGone && Boolean(name || text);

// Checks all fields, and says in each what is wrong with it. Returns { whole, changes, isRemoving }, or null: the entity
// as it shall be, and of it what a MERGE needs. What was not changed is written as it was read.
export function readFields(fields, base) {
  const whole = {};
  const changes = {};
  const names = new Set([...kKeys, "Timestamp"]);
  for (const name of base ? kKeys : []) whole[name] = changes[name] = base[name];
  for (const field of fields) {
    const { name, type, text, was, isKey, isGone } = field;
    field.problem = "";
    if (isGone || (!was && !name && !text)) continue;
    const { value, problem } = was && !isChanged(field) ? { value: base[name] } : valueOf(type, text);
    if (!name) field.problem = "The property needs a name.";
    else if (!isKey && names.has(name)) field.problem = "There is such a property already.";
    else if (problem) field.problem = problem;
    names.add(name);
    if (field.problem) continue;
    setProperty(whole, name, type, value);
    if (isKey || isChanged(field)) setProperty(changes, name, type, value);
  }
  if (fields.some((field) => field.problem)) return null;
  return { whole, changes, isRemoving: fields.some((field) => field.was && field.isGone) };
}

const isLong = (type) => type === "Edm.String" || type === "Edm.Binary";
const kExamples = {
  "Edm.Int32": "0", "Edm.Int64": "0", "Edm.Double": "0.5", "Edm.DateTime": "2026-11-20T08:30:00Z",
  "Edm.Guid": "c9da6455-213d-42c9-9a79-3e9149a57833",
};

// A field shows hidden characters as the browser does, so they are told beside it.
function hiddenIn(text) {
  const signs = new Set(shown(text.replace(/[\r\n\t]/g, "")).match(/‹U\+[\dA-F]+›/g));
  return signs.size > 0 && !/‹U\+/.test(text) && h("small", { class: "warn" }, `Contains ${[...signs].join(" ")}`);
}

export const linesOf = (text) => Math.min(12, Math.max(1, text.split("\n", 13).length, Math.ceil(text.length / 48)));

// `focus` is the name of the field that gets the focus.
export function formView(fields, focus) {
  return fields.map((field) => fieldView(field, field.name === focus, fields));
}

function fieldView(field, isFocused, fields) {
  const { id, name, type, text, was, isKey, isGone, problem } = field;
  const isNamed = isKey || was;
  const label = isNamed ? shown(name, 100) : name ? shown(name, 100) : "new property";
  const typed = (member) => (event) => {
    const { value } = event.target;
    // A text area gives line feeds alone.
    field[member] = member === "text" && was?.text.includes("\r\n") ? value.replace(/\n/g, "\r\n") : value;
    field.problem = "";
    notify();
  };
  const props = {
    key: type, "aria-label": `Value of ${label}`, "aria-invalid": problem ? "true" : null, "aria-describedby": `problem-${id}`,
    value: text, oninput: typed("text"), spellcheck: "false", autocomplete: "off", class: "mono",
    ref: (element) => isFocused && setTimeout(() => element.focus()),
  };
  const remove = () => {
    if (was) field.isGone = !isGone;
    else fields.splice(fields.indexOf(field), 1);
    notify();
  };
  return h("div", { class: `property${isGone ? " is-gone" : ""}`, key: `field ${id}` },
    h("div", { class: "row" },
      isNamed ? h("strong", { class: "mono grow" }, shown(name)) :
        h("input", {
          class: "mono grow", value: name, placeholder: "name", "aria-label": "Name of the property", autocomplete: "off",
          spellcheck: "false", oninput: typed("name"), ref: (element) => name || setTimeout(() => element.focus()),
        }),
      !isKey && [
        h("select", { "aria-label": `Type of ${label}`, value: type, disabled: isGone, onchange: typed("type") },
          kTypes.map((one) => h("option", { value: one }, `${signOf(one)} ${one.slice(4)}`))),
        h("button", { type: "button", class: "quiet", "aria-label": `${isGone ? "Keep" : "Remove"} ${label}`, onclick: remove },
          isGone ? "Keep" : "Remove"),
      ]),
    !isGone && [
      type === "Edm.Boolean" ? h("select", { ...props, onchange: typed("text"), oninput: null },
        ["", "true", "false"].map((one) => h("option", { value: one }, one))) :
        isLong(type) && !isKey ? h("textarea", { ...props, rows: linesOf(text) }) :
          h("input", { ...props, placeholder: kExamples[type] }),
      h("div", { id: `problem-${id}` }, problem ? h("small", { class: "error", role: "alert" }, problem) : hiddenIn(text)),
    ]);
}
