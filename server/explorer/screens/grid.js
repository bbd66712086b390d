// The grid of entities: a real table of which only the rows in sight are in the page. All rows have one
// height, so that 100,000 scroll as smoothly as ten.
import { shown } from "../core/format.js";
import { h } from "../core/render.js";
import { change, notify, state } from "../core/state.js";
import { isOwn, textOf } from "../entities/values.js";
import { cellContent, typeSign } from "./cells.js";
import { columnsShown, grip, sortBy, widen, widthIn } from "./columns.js";

const kRowHeight = 28;
const kHeadHeight = 33;
const kCheckWidth = 36;
const kOverscan = 12; // rows above and below what is in sight
const kStep = 8; // rows are exchanged in steps, so that not each pixel draws
const kFrozen = 2; // PartitionKey and RowKey
const kNarrowKey = 110; // where the page is narrow, the frozen keys leave room for the others
const kTwiceMs = 250; // a click opens the panel, which moves what is below, only if no other follows

let opening = 0;

let scroller = null; // the element that scrolls
let first = 0; // the first row in the page
let height = 600;

const resized = new ResizeObserver(([entry]) => {
  if (entry.contentRect.height === 0) return;
  height = entry.contentRect.height;
  notify();
});

function attach(element) {
  if (scroller) resized.unobserve(scroller);
  scroller = element;
  first = 0;
  resized.observe(element);
}

function scrolled() {
  const now = Math.max(0, Math.floor(scroller.scrollTop / kRowHeight / kStep) * kStep - kOverscan);
  if (now !== first) {
    first = now;
    notify();
  }
}

export function scrollToTop() {
  first = 0;
  if (scroller) scroller.scrollTop = 0;
}

// `on.open(row, name)` opens an entity at the side, `on.edit(row, name)` edits a cell, `on.format(name, text)` shows
// JSON.
export function grid(own, on) {
  const { rows, look } = own;
  const columns = columnsShown(own);
  const isNarrow = innerWidth <= 700;
  const widths = columns.map((column, i) => {
    const usual = widthIn(own, column);
    return i < kFrozen && isNarrow && !look.widths.has(column.name) ? Math.min(usual, kNarrowKey) : usual;
  });
  const begin = Math.min(first, Math.max(0, rows.length - kStep));
  const end = Math.min(rows.length, begin + Math.ceil(height / kRowHeight) + 2 * kOverscan + kStep);
  const total = widths.reduce((sum, width) => sum + width, kCheckWidth);
  const shape = columns.map((column) => `${column.name}\n${column.version ?? 0}`).join("\n") + widths.join();
  const before = described;
  described = new Map();
  const body = [];
  for (let i = begin; i < end; i += 1) body.push(row(own, columns, i, shape, widths, before, on));
  return h("div", {
    class: "grid", key: "grid", role: "region", "aria-label": `Entities of ${shown(own.table)}`,
    tabindex: "0", ref: attach, onscroll: scrolled, oncopy: copyCell,
    style: { scrollPadding: `${kHeadHeight}px 0 0 ${kCheckWidth + widths[0] + widths[1]}px` }, // nothing is below them
  },
    h("table", { "aria-rowcount": String(rows.length + 1), style: { width: `${total}px` } },
      h("colgroup", null,
        h("col", { key: "check", style: { width: `${kCheckWidth}px` } }),
        columns.map(({ name }, i) => h("col", { key: `c ${name}`, style: { width: `${widths[i]}px` } }))),
      head(own, columns, widths),
      space("above", begin * kRowHeight),
      h("tbody", { key: "rows" }, body),
      space("below", (rows.length - end) * kRowHeight)));
}

const space = (key, pixels) =>
  h("tbody", { key, "aria-hidden": "true", class: "space" },
    pixels > 0 && h("tr", null, h("td", { style: { height: `${pixels}px` } })));

const frozenAt = (i, widths) => (i === 0 ? kCheckWidth : kCheckWidth + widths[0]);
const frozen = (i, widths) => (i < kFrozen ? { left: `${frozenAt(i, widths)}px` } : null);

function head(own, columns, widths) {
  const { rows, selected, look: { sort } } = own;
  const all = rows.length > 0 && selected.size === rows.length;
  return h("thead", { key: "head" }, h("tr", { "aria-rowindex": "1", onkeydown: inHead },
    h("th", { key: "check", class: "check frozen", scope: "col", style: { left: "0" } },
      h("input", {
        type: "checkbox", "aria-label": "Select all loaded entities", checked: all,
        indeterminate: selected.size > 0 && !all,
        onchange: ({ target }) =>
          change(() => (state.entities.selected = new Set(target.checked ? rows : []))),
      })),
    columns.map((column, i) => {
      const { name, types } = column;
      const isKey = i < kFrozen;
      const order = sort?.name === name && (sort.isDown ? "descending" : "ascending");
      return h("th", {
        key: name, scope: "col", class: isKey ? "frozen" : null, style: frozen(i, widths), title: shown(name),
        "aria-sort": order,
      },
        h("button", {
          type: "button", class: "quiet sort", tabindex: i === 0 ? "0" : "-1", onclick: () => sortBy(own, column),
        },
          h("span", null, shown(name), !isKey && [...types].map((type) => [" ", typeSign(type)])),
          order && h("span", { "aria-hidden": "true" }, sort.isDown ? " ▾" : " ▴")),
        grip(own, column));
    })));
}

// One head of a column is in the order of Tab; arrows go to the others.
function inHead(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const cell = event.target.closest("th");
  const next = step && event.currentTarget.cells[cell.cellIndex + step]?.querySelector("button");
  if (!next) return;
  next.focus();
  event.preventDefault();
}

// The column whose head has the focus, or that of the active cell.
function columnAt(own) {
  const cell = document.activeElement?.closest(".grid thead th");
  return columnsShown(own)[cell ? cell.cellIndex - 1 : own.active?.column];
}

export function onColumn(action, ...more) {
  const own = state.entities;
  const column = own && columnAt(own);
  return column ? action(own, column, ...more) : false;
}

// The rows in the page, as they were described last: a row that looks the same is the same description, which
// the renderer does not compare again.
let described = new Map(); // entity -> { look, view }

function row(own, columns, i, shape, widths, drawn, on) {
  const entity = own.rows[i];
  const isSelected = own.selected.has(entity);
  const column = own.active?.row === i ? own.active.column : -1;
  const editing = own.editing?.entity === entity ? own.editing : null;
  const look = `${i} ${isSelected} ${column} ${shape}`;
  const before = drawn.get(entity);
  if (before?.look === look && !editing) {
    described.set(entity, before);
    return before.view;
  }
  const cells = columns.map((one, c) => {
    const isEdited = editing?.name === one.name;
    const names = [c < kFrozen && "frozen", c === column && "active", isEdited && "editing"].filter(Boolean);
    return h(c < kFrozen ? "th" : "td", {
      scope: c < kFrozen ? "row" : null, style: frozen(c, widths), class: names.join(" ") || null, key: one.name,
    }, isEdited ? editing.view() : cellContent(entity, { ...one, width: widths[c] }, on.format));
  });
  const view = h("tr", {
    key: i, "aria-rowindex": String(i + 2),
    class: `${isSelected ? "selected" : ""}${column >= 0 ? " current" : ""}` || null,
    onclick: (event) => clicked(event, i, on.open), ondblclick: (event) => clickedTwice(event, i, on.edit),
  },
    h("td", { class: "check frozen", key: " ", style: { left: "0" } },
      h("input", {
        type: "checkbox", "aria-label": `Select row ${i + 1}`, checked: isSelected,
        onclick: (event) => { event.stopPropagation(); select(i, event.target.checked, event.shiftKey); },
      })),
    cells);
  described.set(entity, { look: editing ? "" : look, view });
  return view;
}

// The name of the column that was clicked, which becomes active; nothing for a control in a cell.
function clickedName({ target }, row) {
  const cell = target.closest("td, th");
  const column = cell ? cell.cellIndex - 1 : -1;
  if (column < 0 || target.closest("input, button")) return null;
  activate(row, column);
  return columnsShown(state.entities)[column].name;
}

function clicked(event, i, onOpen) {
  clearTimeout(opening);
  if (String(getSelection())) return; // a person who selects text does not want to leave it
  const name = clickedName(event, i);
  const entity = state.entities.rows[i];
  if (!name) return;
  if (state.panel || !isOwn(name)) onOpen(entity, name);
  else opening = setTimeout(() => onOpen(entity, name), kTwiceMs);
}

function clickedTwice(event, i, onEdit) {
  clearTimeout(opening);
  const name = clickedName(event, i);
  if (!name || !isOwn(name)) return;
  getSelection().empty();
  onEdit(state.entities.rows[i], name);
}

// Ctrl+C copies the whole cell, unless text is selected.
function copyCell(event) {
  const { active, rows } = state.entities;
  if (!active || String(getSelection()) || event.target.closest("input")) return;
  const { name } = columnsShown(state.entities)[active.column];
  event.clipboardData.setData("text/plain", textOf(rows[active.row], name));
  event.preventDefault();
}

// With `isRange`, all rows from the last that was selected.
export function select(i, isOn, isRange = false) {
  change(() => {
    const own = state.entities;
    const [from, to] = isRange ? [Math.min(own.anchor, i), Math.max(own.anchor, i)] : [i, i];
    for (const entity of own.rows.slice(from, to + 1)) own.selected[isOn ? "add" : "delete"](entity);
    own.anchor = i;
  });
}

export function activate(row, column) {
  change(() => (state.entities.active = { row, column }));
}

const showActive = () =>
  scroller.querySelector(".active")?.scrollIntoView({ block: "nearest", inline: "nearest" });

// Moves by rows or columns, and scrolls so far that the cell is in sight. Returns false if there is no row.
export function move(rows, columns) {
  const own = state.entities;
  if (!own || own.rows.length === 0 || !scroller) return false;
  const { row, column } = own.active ?? { row: rows > 0 ? -1 : 0, column: 0 };
  const within = (n, count) => Math.min(Math.max(n, 0), count - 1);
  const next = within(row + rows, own.rows.length);
  activate(next, within(column + columns, columnsShown(own).length));
  const top = next * kRowHeight;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  const bottom = top + kRowHeight + kHeadHeight - scroller.clientHeight;
  if (bottom > scroller.scrollTop) scroller.scrollTop = bottom + 16; // room for the scroll bar
  if (columns) requestAnimationFrame(showActive); // when it is drawn
  return true;
}
