// One entity in the panel at the right: its properties, and writing them. What was typed is kept until it is
// saved or the person says that it may go, whatever is opened meanwhile.
//
//   own = { account, table, base, property, fields, initial, isSaving, error, conflict, asks, note }
//     base      the entity as it was read, or null: a new one
//     fields    what is edited, or null: the entity is only shown; initial: as they were
//     asks      what waits for an answer: { text, word, action }
import { copy } from "../core/clipboard.js";
import { bytes, shown } from "../core/format.js";
import { button } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";
import { typeSign } from "../screens/cells.js";
import { changedInGrid } from "../screens/entities.js";
import { deleteEntity, getEntity, insertEntity, updateEntity } from "./entity_client.js";
import {
  conflictOf, conflictView, fieldsOf, formView, linesOf, newField, newFields, readFields, resolved, storedOf,
} from "./entity_form.js";
import { remember } from "./undo.js";
import { isOwn, isProperty, kKeys, propertiesOf } from "./values.js";

const kLong = 200; // characters of a value that gets an area of its own
const kAdvice = {
  EntityAlreadyExists: "Change a key, or compare yours with what is stored under these keys.",
  ResourceNotFound: "The entity was deleted since it was read.",
  UpdateConditionNotSatisfied: "The entity was changed since it was read.",
};

let current = null;
let opened = 0;

const typedIn = (own) =>
  JSON.stringify(own.fields.map(({ name, type, text, isGone }) => [name, type, text, Boolean(isGone)]));
const isDirty = (own) => own?.fields && typedIn(own) !== own.initial;
const set = (own, values) => change(() => Object.assign(own, values));

addEventListener("beforeunload", (event) => {
  if (isDirty(current)) event.preventDefault();
});

// `property` is what was clicked; `isPartial`: not all properties have been read.
export function openEntity(account, table, entity, { property, isEdit = false, isPartial = false } = {}) {
  const { base, fields } = current ?? {};
  const isOpen = base && current.account === account && current.table === table &&
    kKeys.every((name) => base[name] === entity[name]);
  const etag = "odata.etag";
  if (isOpen && (fields || base[etag] === entity[etag])) {
    current.property = property;
    if (isEdit) edit(current);
    return put(current);
  }
  const start = (own) => (isPartial ? reread(own, isEdit) : isEdit && edit(own));
  show({ account, table, base: entity, property, isPartial }, start);
}

// `from` is the entity that it becomes a copy of, or null: then it begins with the properties of `columns`.
export function newEntity(account, table, from, columns = []) {
  const fields = newFields(from ?? undefined);
  for (const { name, types } of columns)
    if (isOwn(name)) fields.push(newField({ name, type: [...types][0], isOffered: true }));
  show({ account, table, base: null, property: kKeys[from ? 1 : 0], fields, initial: typedIn({ fields }) });
}

// What a cell could not store, because others have changed the entity since it was read. `onStart()`: it is here.
export function openConflict(account, table, base, { name, type, text }, onStart) {
  const start = (own) => {
    onStart();
    edit(own);
    const field = own.fields.find((one) => one.name === name);
    if (field) field.text = text;
    else own.fields.push(newField({ name, type, text }));
    attempt(own, () => compare(own, base));
  };
  show({ account, table, base, property: name }, start);
}

function put(own) {
  const panel = { view: () => view(own), close: () => leave(own), told: (...all) => told(own, ...all) };
  change(() => (state.panel = panel));
}

// What the page wrote elsewhere, such as in a cell. What is being edited meets it when it is saved.
function told(own, account, table, pairs) {
  if (own.fields || own.account !== account || own.table !== table) return;
  const pair = pairs.find(({ before }) => before && kKeys.every((name) => before[name] === own.base[name]));
  if (!pair) return;
  if (pair.after) set(own, { base: pair.after, note: "" });
  else if (current === own) close();
}

function show(values, then) {
  const start = () => {
    current = { id: ++opened, fields: null, focused: document.activeElement, ...values };
    put(current);
    then?.(current);
  };
  unlessTyped(current, start);
}

// Does what would lose what was typed, after asking.
function unlessTyped(own, action) {
  if (!isDirty(own)) return action();
  own.asks = { text: "Discard what you typed?", word: "Discard", action };
  put(own);
}

// Escape and another address put the panel away after this, so one with edits comes back to ask.
function leave(own) {
  const asks = own.asks;
  unlessTyped(own, close);
  if (asks) own.asks = null;
  if (isDirty(own)) queueMicrotask(() => current === own && put(own));
}

function close() {
  const { focused } = current;
  current = null;
  change(() => (state.panel = null));
  setTimeout(() => focused?.focus());
}

function edit(own) {
  if (own.fields) return;
  if (own.isPartial) return void reread(own, true); // a replacement would lose what was not read
  const fields = fieldsOf(own.base);
  const isThere = fields.some(({ name }) => name === own.property);
  set(own, { fields, property: isThere ? own.property : fields[0]?.name, error: null, note: "" });
  own.initial = typedIn(own);
}

// Runs what asks the service; its error is shown, and all that was typed stays.
async function attempt(own, action) {
  if (own.isSaving) return;
  set(own, { isSaving: true, error: null, note: "" });
  await action().catch((error) => (own.error = error));
  set(own, { isSaving: false });
}

const reread = (own, isEdit) => attempt(own, async () => {
  own.base = await getEntity(own.account, own.table, own.base);
  own.isPartial = false;
  if (isEdit) edit(own);
});

function saved(own, stored, note, written = stored) {
  const { account, table, base } = own;
  remember(account, table, note, [{ before: base, after: written }]);
  changedInGrid(account, table, [{ before: base, after: stored }]);
  set(own, { base: stored, fields: null, note });
}

const save = (own) => attempt(own, async () => {
  const { account, table, base, fields } = own;
  const wanted = readFields(fields, base);
  if (!wanted) {
    setTimeout(() => document.querySelector('.panel [aria-invalid="true"]')?.focus(), 50);
    return;
  }
  const { whole, changes, isRemoving } = wanted;
  if (!base) return saved(own, await insertEntity(account, table, whole), "Inserted.");
  if (!isRemoving && propertiesOf(changes).length === 0) {
    changedInGrid(account, table, [{ before: base, after: base }]); // it may be what others have stored
    return set(own, { fields: null, note: "Nothing to change." });
  }
  // A MERGE cannot remove a property.
  const [method, entity] = isRemoving ? ["PUT", whole] : ["MERGE", changes];
  try {
    const { stored, written } = await updateEntity(account, table, method, entity, whole, base["odata.etag"]);
    saved(own, stored, "Saved.", written);
  } catch (error) {
    if (error.status !== 412) throw error;
    await compare(own, base);
  }
});

async function compare(own, key) {
  own.conflict = conflictOf(own.fields, own.base, await getEntity(own.account, own.table, key));
}

const compareWithStored = (own) => attempt(own, () =>
  compare(own, Object.fromEntries(own.fields.slice(0, kKeys.length).map(({ name, text }) => [name, text]))));

// Goes on from what is stored now, with the choices; `all` makes each of them.
function resolve(own, all) {
  const { conflict } = own;
  set(own, { fields: resolved(conflict, all), base: conflict.theirs, conflict: null });
}

const askToDelete = (own) => set(own, {
  asks: {
    text: "Delete this entity?", word: "Delete",
    action: () => attempt(own, async () => {
      const { account, table, base } = own;
      if (own.isPartial) own.base = await getEntity(account, table, base); // else it could not be brought back
      await deleteEntity(account, table, base, base["odata.etag"]);
      remember(account, table, "Deleted an entity.", [{ before: own.base, after: null }]);
      changedInGrid(account, table, [{ before: base, after: null }]); // it closes the panel, too
    }),
  },
});

async function copied(own, text, what) {
  set(own, { note: (await copy(text)) ? `Copied ${what}.` : "The browser did not allow it." });
}

function view(own) {
  const { base, fields, conflict, note, table, asks, error } = own;
  const title = conflict ? "Changed meanwhile" : !base ? "New entity" : fields ? "Edit entity" : "Entity";
  return h("div", { class: "entity-panel stack", key: own.id },
    h("header", { class: "row" },
      h("h2", { class: "grow" }, title, h("span", { class: "dim mono" }, ` ${shown(table)}`)),
      button("Close", () => unlessTyped(own, close), { class: "quiet" })),
    asks && question(own, asks),
    error && problem(own, error),
    note && h("p", { class: "dim", role: "status", key: "note" }, note),
    conflict ? conflictPart(own, conflict) : fields ? form(own) : detail(own));
}

function question(own, { text, word, action }) {
  const answer = (then) => () => {
    set(own, { asks: null });
    then?.();
  };
  return h("div", { class: "row ask", role: "alert", key: "ask" },
    h("span", { class: "grow" }, text),
    button(word, answer(action), { class: "danger" }),
    button("Keep it", answer(), { ref: (element) => setTimeout(() => element.focus()) }));
}

function problem(own, { code, message, status }) {
  const { base, fields } = own;
  // What was typed becomes a new entity.
  const makeNew = () => set(own, { fields: newFields(base, fields), base: null, error: null });
  return h("div", { class: "ask stack", role: "alert", key: "error" },
    h("p", { class: "error" },
      h("strong", null, code || (status ? `Status ${status}` : "Not sent")), ` ${shown(message, 1000)}`),
    kAdvice[code] && h("p", null, kAdvice[code]),
    code === "EntityAlreadyExists" && button("Compare", () => compareWithStored(own)),
    code === "ResourceNotFound" && fields && base && button("Make it a new entity", makeNew),
    status === 412 && button("Read it again", () => reread(own)));
}

function detail(own) {
  const { base, account, table } = own;
  return [
    h("div", { class: "row", key: "actions" },
      button("Edit", () => edit(own), { class: "primary", title: "e" }),
      button("Duplicate", () => newEntity(account, table, base), { disabled: Boolean(own.isPartial) }),
      button("Copy as JSON", () => copied(own, JSON.stringify(base, null, 2), "the entity as JSON")),
      button("As code", async () => {
        (await import("./snippets_panel.js")).openSnippets(account, table, { entity: base });
      }),
      button("Delete…", () => askToDelete(own), { class: "danger" })),
    Object.keys(base).filter(isProperty).map((name) => property(own, name)),
    h("p", { class: "dim mono etag", key: "etag" }, `ETag ${shown(base["odata.etag"], kLong)}`),
  ];
}

function property(own, name) {
  const { type, text } = storedOf(own.base, name);
  const isLong = text.length > kLong || text.includes("\n");
  const isClicked = name === own.property;
  const inLines = () => text.split(/\r?\n/).map((line) => shown(line)).join("\n");
  return h("div", {
    class: `property${isClicked ? " is-clicked" : ""}`, key: `property ${name}`,
    ref: (element) => isClicked && setTimeout(() => element.scrollIntoView({ block: "nearest" })),
  },
    h("div", { class: "row" },
      h("strong", { class: "mono" }, shown(name)), typeSign(type),
      h("span", { class: "grow dim" }, isLong && bytes(new TextEncoder().encode(text).length)),
      button("Copy", () => copied(own, text, shown(name)), {
        class: "link", "aria-label": `Copy ${shown(name)}`,
      })),
    isLong ? h("textarea", {
      class: "mono", readonly: true, rows: linesOf(text), "aria-label": shown(name), value: inLines(),
    }) : h("div", { class: "mono value" }, shown(text) || h("i", { class: "dim" }, "empty")));
}

function form(own) {
  const { base, fields, isSaving } = own;
  const submit = (event) => {
    event.preventDefault();
    save(own);
  };
  const cancel = () => unlessTyped(own, base ? () => set(own, { fields: null, error: null }) : close);
  return h("form", {
    class: "stack", key: "form", onsubmit: submit,
    onkeydown: (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && submit(event),
  },
    base && h("p", { class: "mono keys-of-entity" },
      kKeys.map((name) => [h("span", { class: "dim" }, name), ` ${shown(base[name], kLong)} `])),
    formView(fields, own.property),
    h("div", null, button("+ property", () => change(() => fields.push(newField())))),
    h("div", { class: "row save" },
      h("button", { class: "primary", disabled: isSaving, title: "Ctrl+Enter" }, base ? "Save" : "Insert"),
      button("Cancel", cancel)));
}

function conflictPart(own, { rows }) {
  const saveWith = (all) => () => {
    resolve(own, all);
    save(own);
  };
  return h("div", { class: "stack", key: "conflict" },
    h("p", null, "Others have written it since you read it",
      rows.length > 0 ? ". Choose what to save of each property." : ", and it is already what you typed."),
    conflictView({ rows }),
    h("div", { class: "row save" },
      button("Save the choices", saveWith(), { class: "primary" }),
      button("Save mine over it", saveWith("mine")),
      button("Take theirs", saveWith("theirs")),
      button("Edit further", () => resolve(own))));
}
