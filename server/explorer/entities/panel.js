// One entity in the panel at the right: its properties, and writing them. What was typed is kept until it is saved or
// the person says that it may go, whatever is opened meanwhile.
//
//   own = { account, table, base, property, fields, initial, isSaving, error, conflict, asks, note, taken }
//     base      the entity as it was read, or null: a new one
//     fields    what is edited, or null: the entity is only shown
//     initial   the fields as they were, to tell whether something was typed
//     asks      what is waiting for an answer: { text, word, action }
import { copy } from "../core/clipboard.js";
import { bytes, shown } from "../core/format.js";
import { onKey } from "../core/keyboard.js";
import { h } from "../core/render.js";
import { change, notify, state } from "../core/state.js";
import { typeSign } from "../screens/cells.js";
import { entityChanged } from "../screens/entities.js";
import { deleteEntity, getEntity, insertEntity, updateEntity } from "./entity_client.js";
import { fieldsOf, formView, linesOf, newField, newFields, readFields, storedOf } from "./entity_form.js";
import { conflictOf, conflictView, resolved } from "./etag_conflict.js";
import { isProperty, kKeys, propertiesOf } from "./values.js";

const kLong = 200; // characters of a value that gets an area of its own
const kAdvice = {
  EntityAlreadyExists: "An entity with these keys is stored already. Change a key, or compare yours with the stored one.",
  ResourceNotFound: "The entity was deleted since it was read. What you typed is still here.",
  UpdateConditionNotSatisfied: "The entity was changed since it was read.",
  PropertyValueTooLarge: "A String or Binary holds at most 64 KiB: 32,768 characters.",
  EntityTooLarge: "An entity holds at most 1 MiB.",
  TooManyProperties: "An entity has at most 252 properties of its own.",
};

let current = null;
let opened = 0;
let forgetKey = () => {};

const typedIn = (own) => JSON.stringify(own.fields?.map(({ name, type, text, isGone }) => [name, type, text, Boolean(isGone)]));
const isDirty = (own) => own.fields !== null && typedIn(own) !== own.initial;
const isOf = (own, account, table, key) =>
  own?.base && own.account === account && own.table === table && kKeys.every((name) => own.base[name] === key[name]);

addEventListener("beforeunload", (event) => {
  if (current && isDirty(current)) event.preventDefault();
});

export function openEntity(account, table, entity, { property, isEdit = false, isPartial = false } = {}) {
  if (isOf(current, account, table, entity) && (current.fields || current.base["odata.etag"] === entity["odata.etag"])) {
    current.property = property;
    if (isEdit) edit(current);
    return put(current);
  }
  const own = newPanel({ account, table, base: entity, property });
  show(own, () => (isPartial ? reread(own, isEdit) : isEdit && edit(own)));
}

// `from` is the entity that it becomes a copy of, or null.
export function newEntity(account, table, from = null) {
  const own = newPanel({ account, table, base: null, property: from ? "RowKey" : "PartitionKey", fields: newFields(from) });
  own.initial = typedIn(own);
  show(own);
}

const newPanel = (more) => ({
  id: ++opened, fields: null, initial: "", isSaving: false, error: null, conflict: null, asks: null, note: "", taken: null,
  focused: document.activeElement, ...more,
});

function put(own) {
  change(() => (state.panel = { view: () => view(own), close: () => leave(own) }));
}

const askToDiscard = (own, action) => {
  own.asks = { text: "Discard what you typed?", word: "Discard", action };
  put(own);
};

function show(own, then = () => {}) {
  const start = () => {
    current = own;
    forgetKey();
    forgetKey = onKey("e", "edit", editKey);
    put(own);
    then();
  };
  if (current && isDirty(current)) askToDiscard(current, start);
  else start();
}

// The row that was moved to, or else what is open.
function editKey() {
  const { active, rows, account, table } = state.entities ?? {};
  const row = state.screen === "entities" && active && rows[active.row];
  if (row && !isOf(current, account, table, row)) {
    return openEntity(account, table, row, { isEdit: true, isPartial: state.entities.query.select !== "" });
  }
  return edit(current);
}

// Escape and another address put the panel away after this, so one with edits comes back to ask.
function leave(own) {
  if (!isDirty(own)) return forget();
  if (own.asks) own.asks = null;
  else askToDiscard(own, close);
  queueMicrotask(() => current === own && put(own));
}

function forget() {
  forgetKey();
  const { focused } = current;
  current = null;
  if (focused?.isConnected) setTimeout(() => focused.focus());
}

function close() {
  forget();
  change(() => (state.panel = null));
}

function edit(own) {
  if (own.fields) return;
  change(() => {
    Object.assign(own, { fields: fieldsOf(own.base), error: null, note: "", taken: null });
    own.initial = typedIn(own);
    if (!own.fields.some(({ name }) => name === own.property)) own.property = own.fields[0]?.name;
  });
}

// Runs what asks the service; its error is shown, and all that was typed stays.
async function attempt(own, action) {
  if (own.isSaving) return;
  change(() => Object.assign(own, { isSaving: true, error: null, note: "" }));
  try {
    await action();
  } catch (error) {
    own.error = error;
  }
  change(() => (own.isSaving = false));
}

const reread = (own, isEdit) => attempt(own, async () => {
  own.base = await getEntity(own.account, own.table, own.base);
  if (isEdit) edit(own);
});

const tellGrid = (own, before, after) => {
  const { entities } = state;
  if (entities?.account === own.account && entities.table === own.table) entityChanged(before, after);
};

function saved(own, after, note) {
  const before = own.base;
  change(() => Object.assign(own, { base: after, fields: null, conflict: null, asks: null, note }));
  tellGrid(own, before, after);
}

const save = (own) => attempt(own, async () => {
  const { account, table, base, fields } = own;
  const wanted = readFields(fields, base);
  if (!wanted) {
    setTimeout(() => document.querySelector('.panel [aria-invalid="true"]')?.focus(), 50);
    return;
  }
  if (!base) return saved(own, await insertEntity(account, table, wanted.whole), "Inserted.");
  const { whole, changes, isRemoving } = wanted;
  if (!isRemoving && propertiesOf(changes).length === 0) return saved(own, base, "Nothing was changed.");
  try {
    // A MERGE cannot remove a property.
    const [method, entity] = isRemoving ? ["PUT", whole] : ["MERGE", changes];
    const etag = await updateEntity(account, table, method, entity, base["odata.etag"]);
    // It is written, whatever becomes of reading it.
    const after = await getEntity(account, table, base).catch(() => ({ ...whole, "odata.etag": etag }));
    saved(own, after, "Saved.");
  } catch (error) {
    if (error.status !== 412) throw error;
    await compare(own, base);
  }
});

async function compare(own, key) {
  const theirs = await getEntity(own.account, own.table, key);
  own.conflict = conflictOf(own.fields, own.base, theirs);
}

const compareWithStored = (own) => attempt(own, () =>
  compare(own, Object.fromEntries(own.fields.filter(({ isKey }) => isKey).map(({ name, text }) => [name, text]))));

// Goes on from what is stored now, with the choices; `all` makes each of them.
function resolve(own, all) {
  const { conflict } = own;
  change(() => Object.assign(own, { fields: resolved(conflict, own.fields, all), base: conflict.theirs, conflict: null, error: null }));
}

function takeTheirs(own) {
  const taken = resolved(own.conflict, own.fields, "mine");
  saved(own, own.conflict.theirs, "This is what is stored now.");
  own.taken = taken;
}

function bringBack(own) {
  change(() => Object.assign(own, { fields: own.taken, initial: "", taken: null, note: "" }));
}

// The entity is not there any more: what was typed becomes a new one.
function makeNew(own) {
  change(() => {
    const fields = [...newFields(own.base).slice(0, kKeys.length), ...own.fields.filter(({ isGone }) => !isGone)];
    Object.assign(own, { fields: fields.map((field) => ({ ...field, was: null })), base: null, error: null });
  });
}

function askToDelete(own) {
  const action = () => attempt(own, async () => {
    const { account, table, base } = own;
    await deleteEntity(account, table, base, base["odata.etag"]);
    tellGrid(own, base, null);
    close();
  });
  change(() => (own.asks = { text: "Delete this entity?", word: "Delete", action }));
}

async function copied(own, text, what) {
  const isCopied = await copy(text);
  change(() => (own.note = isCopied ? `Copied ${what}.` : "The browser did not allow it."));
}

const button = (text, action, more = {}) => h("button", { type: "button", onclick: action, ...more }, text);

function view(own) {
  const { base, fields, conflict, note, taken, table } = own;
  const title = conflict ? "Changed meanwhile" : !base ? "New entity" : fields ? "Edit entity" : "Entity";
  return h("div", { class: "entity-panel stack", key: own.id },
    h("header", { class: "row" },
      h("h2", { class: "grow" }, title, h("span", { class: "dim mono" }, ` ${shown(table, 63)}`)),
      button("Close", () => (isDirty(own) ? askToDiscard(own, close) : close()), { class: "quiet" })),
    own.asks && question(own),
    own.error && problem(own),
    note && h("p", { class: "dim", role: "status", key: "note" }, note, " ",
      taken && button("Bring back what I typed", () => bringBack(own), { class: "link" })),
    conflict ? conflictPart(own) : fields ? form(own) : detail(own));
}

function question(own) {
  const answer = (action) => () => {
    change(() => (own.asks = null));
    action?.();
  };
  const { text, word, action } = own.asks;
  return h("div", { class: "row ask", role: "alert", key: "ask" },
    h("span", { class: "grow" }, text),
    button(word, answer(action), { class: "danger" }),
    button("Keep it", answer(null), { ref: (element) => setTimeout(() => element.focus()) }));
}

function problem(own) {
  const { code, message, status } = own.error;
  return h("div", { class: "ask stack", role: "alert", key: "error" },
    h("p", { class: "error" }, h("strong", null, code || (status ? `Status ${status}` : "Not sent")), ` ${shown(message, 1000)}`),
    kAdvice[code] && h("p", null, own.fields || code !== "ResourceNotFound" ? kAdvice[code] : "The entity was deleted since it was read."),
    own.fields && h("div", { class: "row" },
      code === "EntityAlreadyExists" && button("Compare with the stored one", () => compareWithStored(own)),
      code === "ResourceNotFound" && own.base && button("Make it a new entity", () => makeNew(own))),
    !own.fields && status === 412 && button("Read it again", () => reread(own)));
}

function detail(own) {
  const { base } = own;
  const names = Object.keys(base).filter((name) => isProperty(name) && base[name] !== null);
  return [
    h("div", { class: "row", key: "actions" },
      button("Edit", () => edit(own), { class: "primary", title: "e" }),
      button("Duplicate", () => newEntity(own.account, own.table, base)),
      button("Copy as JSON", () => copied(own, JSON.stringify(base, null, 2), "the entity as JSON")),
      button("Delete…", () => askToDelete(own), { class: "danger" })),
    names.map((name) => property(own, name)),
    base["odata.etag"] && h("p", { class: "dim mono etag", key: "etag" }, `ETag ${shown(base["odata.etag"], 200)}`),
  ];
}

const inLines = (text) => text.split(/\r?\n/).map((line) => shown(line)).join("\n");

function property(own, name) {
  const { type, text } = storedOf(own.base, name);
  const isLong = text.length > kLong || text.includes("\n");
  const scroll = (element) => name === own.property && setTimeout(() => element.scrollIntoView({ block: "nearest" }));
  return h("div", { class: `property${name === own.property ? " is-clicked" : ""}`, key: `property ${name}`, ref: scroll },
    h("div", { class: "row" },
      h("strong", { class: "mono" }, shown(name)), typeSign(type),
      h("span", { class: "grow dim" }, isLong && bytes(new TextEncoder().encode(text).length)),
      button("Copy", () => copied(own, text, shown(name, 60)), { class: "quiet", "aria-label": `Copy ${shown(name, 100)}` })),
    isLong ? h("textarea", { class: "mono", readonly: true, rows: linesOf(text), "aria-label": shown(name, 100), value: inLines(text) }) :
      h("div", { class: "mono value" }, text === "" ? h("i", { class: "dim" }, "empty") : shown(text)));
}

function form(own) {
  const { base, fields } = own;
  const submit = (event) => {
    event.preventDefault();
    save(own);
  };
  const cancel = () => {
    if (!base) return isDirty(own) ? askToDiscard(own, close) : close();
    const stop = () => change(() => Object.assign(own, { fields: null, error: null, note: "" }));
    return isDirty(own) ? askToDiscard(own, stop) : stop();
  };
  const keys = (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && submit(event);
  return h("form", { class: "stack", key: "form", onsubmit: submit, onkeydown: keys },
    base && h("p", { class: "mono keys-of-entity" }, kKeys.map((name) => h("span", null, h("span", { class: "dim" }, `${name} `), shown(base[name], kLong)))),
    formView(fields, own.property),
    h("div", { class: "row" }, button("+ property", () => change(() => fields.push(newField())))),
    h("div", { class: "row save" },
      h("button", { type: "submit", class: "primary", disabled: own.isSaving, title: "Ctrl+Enter" }, base ? "Save" : "Insert"),
      button("Cancel", cancel)));
}

function conflictPart(own) {
  const choose = (all) => () => {
    resolve(own, all);
    return save(own);
  };
  const { rows } = own.conflict;
  return h("div", { class: "stack", key: "conflict" },
    h("p", null, rows.length > 0 ? "The entity is not what you read any more. Nothing that you typed is lost: choose for each property." :
      "The entity was written meanwhile, and is already what you typed."),
    rows.length > 0 && conflictView(own.conflict),
    h("div", { class: "row" },
      button("Save the choices", choose(), { class: "primary" }),
      button("Save mine over it", choose("mine")),
      button("Take theirs", () => takeTheirs(own)),
      button("Edit further", () => resolve(own))));
}
