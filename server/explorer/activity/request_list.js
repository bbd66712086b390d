// The list of requests. Only the lines in sight are elements, so that its length costs nothing.
import { count, milliseconds, shown, time } from "../core/format.js";
import { plural } from "../core/parts.js";
import { h } from "../core/render.js";
import { notify, state } from "../core/state.js";
import { decoded } from "./request_filter.js";

const kLine = 28; // px, as in activity.css
const kHead = 28;
const kBeyond = 8; // lines above and below those in sight

let scroller = null;
let height = 600;
const resizes = new ResizeObserver(() => {
  height = scroller?.clientHeight || height;
  notify();
});

function adopt(element) {
  resizes.disconnect();
  resizes.observe(element);
  scroller = element;
  height = element.clientHeight || height;
}

export function scrollToTop() {
  if (scroller) scroller.scrollTop = 0;
}

// Also gives the list the focus, so that Enter opens the line and does not press a button.
export function scrollToLine(place) {
  if (!scroller) return;
  if (document.activeElement?.closest("button, a, body") && !scroller.contains(document.activeElement))
    scroller.focus({ preventScroll: true });
  const top = place * kLine;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  const bottom = top + kLine + kHead;
  const { clientHeight } = scroller;
  if (bottom > scroller.scrollTop + clientHeight) scroller.scrollTop = bottom - clientHeight;
}

const kColumns = [
  ["at", "Time"], ["op", "Request"], ["table", "Table"], ["status", "Status"], ["plan", "Plan"],
  ["scan", "Scanned / returned"], ["ms", "Took"], ["client", "Client"],
];

export function requestList(log, selected, { open, scrolled, move }) {
  const top = scroller?.isConnected ? scroller.scrollTop : 0;
  const first = Math.max(0, Math.min(Math.floor(top / kLine) - kBeyond, log.length - 1));
  const last = Math.min(log.length, first + Math.ceil(height / kLine) + 2 * kBeyond);
  const lines = [];
  for (let i = first; i < last; i += 1) lines.push(line(log.at(i), i, selected, open));
  return h("div", {
    class: "log", key: "log", ref: adopt, tabindex: "0", role: "region",
    "aria-label": "Requests, the newest first",
    onscroll: ({ target }) => scrolled(target.scrollTop > kLine / 2),
    onkeydown: (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) {
        move(step);
        event.preventDefault();
      }
    },
  },
  // Lines are laid out as grids, which takes the roles of a table from its elements.
  h("table", { class: "request-lines", role: "table", "aria-rowcount": String(log.length + 1) },
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, kColumns.map(([name, title]) =>
      h("th", { scope: "col", role: "columnheader", class: `c-${name}` }, title)))),
    h("tbody", { role: "rowgroup" },
      space("above", first),
      lines,
      space("below", log.length - last))));
}

const space = (key, lines) => lines > 0 &&
  h("tr", { key, class: "space", "aria-hidden": "true", style: { height: `${lines * kLine}px` } });

const cell = (name, ...children) => h("td", { class: `c-${name}`, role: "cell" }, ...children);

// Lines of entries do not change, but for being selected.
const kDrawn = new WeakMap();

function line(entry, place, selected, open) {
  const isSelected = entry === selected;
  const known = kDrawn.get(entry);
  if (known && known.isSelected === isSelected && known.account === state.account) return known.view;
  const view = entry.request ? requestLine(entry, isSelected, open) : gapLine(entry);
  kDrawn.set(entry, { view, isSelected, account: state.account });
  return view;
}

function gapLine({ id, missed, words }) {
  const text = [words, missed > 0 && `${count(missed)} ${plural(missed, "request")} not shown`]
    .filter(Boolean).join("; ");
  return h("tr", { key: id, class: "gap", role: "row" }, h("td", { role: "cell" }, text));
}

function requestLine(entry, isSelected, open) {
  const { request } = entry;
  const { method, operation, status, code, plan, client, account } = request;
  const { entitiesScanned, entitiesReturned } = request;
  const target = shown(decoded(request.target), 300);
  const at = time(request.time);
  return h("tr", {
    key: entry.id, role: "row", "aria-current": isSelected ? "true" : null, onclick: () => open(entry),
    class: `line of-${Math.floor(status / 100)}${isSelected ? " is-selected" : ""}`,
  },
    cell("at", at.slice(0, 8), h("span", { class: "fraction" }, at.slice(8))),
    h("td", { class: "c-op", role: "cell", title: `${method} ${target}` },
      h("b", null, shown(method, 16)), " ", shown(operation, 60)),
    cell("table",
      account && account !== state.account && h("span", { class: "dim" }, `${shown(account, 40)}/`),
      shown(request.table ?? "", 80)),
    cell("status", h("b", null, status || "none"), code ? ` ${shown(code, 60)}` : ""),
    cell("plan", plan && h("span", { class: `plan-class is-${plan}` }, plan)),
    cell("scan", plan || entitiesScanned > 0 ? `${count(entitiesScanned)} / ${count(entitiesReturned)}` : ""),
    cell("ms", timeBar(request.milliseconds)),
    cell("client", shown((client ?? "").split(" ")[0], 60)));
}

// From 0.1 ms to 10 s in five equal steps of a factor of ten.
export function widthOf(ms) {
  return Math.round(Math.min(1, Math.max(0, (Math.log10(Math.max(ms, 0.1)) + 1) / 5)) * 100);
}

function timeBar(ms) {
  const width = `${widthOf(ms)}%`;
  return [milliseconds(ms), h("span", { class: "ms-bar" }, h("span", { style: { width } }))];
}
