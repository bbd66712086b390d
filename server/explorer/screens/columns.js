// How the columns of a table look: which are hidden, how wide they are, and by which the loaded rows are sorted. The
// browser keeps it.
//
//   state.entities.look = { widths: Map of name to pixels, hidden: [name], sort: { name, isDown } or null }
import { shown } from "../core/format.js";
import { keep, kept } from "../core/kept.js";
import { button } from "../core/parts.js";
import { h } from "../core/render.js";
import { change } from "../core/state.js";
import { kKeys, typeOf } from "../entities/values.js";

const kLeastWidth = 48;
const kMostWidth = 2000;

const within = (width) => Math.round(Math.min(Math.max(width, kLeastWidth), kMostWidth));
const isNames = (list) => Array.isArray(list) && list.every((one) => typeof one === "string");

export function lookOf(account, table) {
  const { widths, hidden, sort } = kept(account, table).look ?? {};
  return {
    widths: new Map(Object.entries(widths ?? {}).filter(([, width]) => width === within(width))),
    hidden: isNames(hidden) ? hidden : [],
    sort: typeof sort?.name === "string" ? sort : null,
  };
}

function keepLook({ account, table, look: { widths, hidden, sort } }) {
  keep(account, table, { look: { widths: Object.fromEntries(widths), hidden, sort } });
}

// The keys are always shown.
export const columnsShown = ({ columns, look }) =>
  columns.filter(({ name }) => kKeys.includes(name) || !look.hidden.includes(name));

// --- Widths

export const widthIn = ({ look }, { name, width }) => look.widths.get(name) ?? (width || 120);

function setWidth(own, name, width) {
  change(() => own.look.widths.set(name, within(width)));
}

export function widen(own, column, pixels) {
  setWidth(own, column.name, widthIn(own, column) + pixels);
  keepLook(own);
}

// At the right edge of a head: drags its width; twice clicked, the width is that of its values again.
export function grip(own, column) {
  const begin = (event) => {
    const { currentTarget, pointerId, clientX } = event;
    const width = currentTarget.parentElement.offsetWidth;
    event.preventDefault();
    currentTarget.setPointerCapture(pointerId);
    const move = ({ clientX: x }) => setWidth(own, column.name, width + x - clientX);
    currentTarget.addEventListener("pointermove", move);
    currentTarget.addEventListener("lostpointercapture", () => {
      currentTarget.removeEventListener("pointermove", move);
      keepLook(own);
    }, { once: true });
  };
  const fit = () => {
    change(() => own.look.widths.delete(column.name));
    keepLook(own);
  };
  return h("span", { class: "grip", "aria-hidden": "true", onpointerdown: begin, ondblclick: fit });
}

// --- Order

const isBefore = (a, b) => (a < b ? -1 : a > b ? 1 : 0); // strings by UTF-16 code units, as the service's keys
const byKeys = (a, b) => isBefore(a.PartitionKey, b.PartitionKey) || isBefore(a.RowKey, b.RowKey);

// What a value is sorted by: a number, or a text; null: there is none.
function orderOf(entity, name) {
  if (!Object.hasOwn(entity, name) || entity[name] === null) return null;
  const value = entity[name];
  const type = typeOf(entity, name);
  if (type === "Edm.Int64") return BigInt(value);
  if (type === "Edm.DateTime") return String(value).replace("Z", ""); // 30.5Z is after 30Z
  if (type !== "Edm.Double" && typeof value !== "number") return String(value);
  return Number.isNaN(Number(value)) ? -Infinity : Number(value);
}

const kind = (value) => (value === null ? 2 : typeof value === "string" ? 1 : 0);

// Sorts what is loaded: by a column, without its value last; else as the service does. The active row stays.
export function sortRows(own) {
  const { sort } = own.look;
  const active = own.rows[own.active?.row];
  if (!sort) own.rows.sort(byKeys);
  else {
    const sign = sort.isDown ? -1 : 1;
    own.rows = own.rows.map((row) => [orderOf(row, sort.name), row]).sort(([a, one], [b, other]) =>
      kind(a) - kind(b) || sign * isBefore(a, b) || byKeys(one, other)).map(([, row]) => row);
  }
  if (active) own.active.row = own.rows.indexOf(active);
  own.anchor = 0;
}

// Upwards, downwards, and as they were.
export function sortBy(own, { name }) {
  const { sort } = own.look;
  change(() => {
    own.look.sort = sort?.name !== name ? { name, isDown: false } : sort.isDown ? null : { name, isDown: true };
    sortRows(own);
  });
  keepLook(own);
}

// --- Which

export function columnsMenu(own) {
  const { columns, look } = own;
  const optional = columns.filter(({ name }) => !kKeys.includes(name));
  const count = optional.filter(({ name }) => look.hidden.includes(name)).length;
  const show = (name) => ({ target }) => {
    change(() => {
      look.hidden = look.hidden.filter((one) => one !== name);
      if (!target.checked) look.hidden.push(name);
      own.active = null; // its place is one of the columns in sight
    });
    keepLook(own);
  };
  const reset = () => {
    change(() => {
      Object.assign(look, { widths: new Map(), hidden: [], sort: null });
      own.active = null;
      sortRows(own);
    });
    keepLook(own);
  };
  return h("details", { class: "menu", key: "columns" },
    h("summary", { class: "button" }, count > 0 ? `Columns: ${count} hidden` : "Columns"),
    h("div", { class: "menu-list columns-list" },
      optional.map(({ name }) => h("label", { key: name, class: "row mono" },
        h("input", { type: "checkbox", checked: !look.hidden.includes(name), onchange: show(name) }),
        h("span", { class: "grow" }, shown(name, 60)))),
      button("As they were at first", reset, { class: "quiet" })));
}
