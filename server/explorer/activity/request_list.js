// The list of requests. Only the lines in sight are elements, so that its length costs nothing.
import { linkTo } from "../core/address.js";
import { count, milliseconds, shown, time } from "../core/format.js";
import { plural } from "../core/parts.js";
import { h } from "../core/render.js";
import { notify } from "../core/state.js";
import { askedOf, decoded, faultInWords, kindOf, statusInWords } from "./request_words.js";

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
  ["at", "Time"], ["op", "Request"], ["what", "Table, keys or filter"], ["status", "Status"], ["plan", "Plan"],
  ["scan", "Scanned / returned"], ["ms", "Took"], ["client", "Client"],
];

// `look` decides how lines are drawn: { account, findings }.
export function requestList(lines, selected, look, { open, scrolled, move, toggle }) {
  const top = scroller?.isConnected ? scroller.scrollTop : 0;
  const first = Math.max(0, Math.min(Math.floor(top / kLine) - kBeyond, lines.length - 1));
  const last = Math.min(lines.length, first + Math.ceil(height / kLine) + 2 * kBeyond);
  const drawn = [];
  for (let i = first; i < last; i += 1) drawn.push(line(lines.at(i), selected, look, { open, toggle }));
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
  h("table", { class: "request-lines", role: "table", "aria-rowcount": String(lines.length + 1) },
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, kColumns.map(([name, title]) =>
      h("th", { scope: "col", role: "columnheader", class: `c-${name}` }, title)))),
    h("tbody", { role: "rowgroup" },
      space("above", first),
      drawn,
      space("below", lines.length - last))));
}

const space = (key, lines) => lines > 0 &&
  h("tr", { key, class: "space", "aria-hidden": "true", style: { height: `${lines * kLine}px` } });

const cell = (name, ...children) => h("td", { class: `c-${name}`, role: "cell" }, ...children);

// Lines of entries do not change, but for being selected, and for the findings.
const kDrawn = new WeakMap();

function line(entry, selected, look, { open, toggle }) {
  if (entry.group) return groupLine(entry, toggle);
  const isSelected = entry === selected;
  const { account, findings } = look;
  const known = kDrawn.get(entry);
  const isSame = known && known.isSelected === isSelected && known.account === account;
  if (isSame && known.version === findings.version) return known.view;
  const view = entry.request ? requestLine(entry, isSelected, look, open) : gapLine(entry);
  kDrawn.set(entry, { view, isSelected, account, version: findings.version });
  return view;
}

function gapLine({ id, missed, words }) {
  const text = [words, missed > 0 && `${count(missed)} ${plural(missed, "request")} not shown`]
    .filter(Boolean).join("; ");
  return h("tr", { key: id, class: "gap", role: "row" }, h("td", { role: "cell" }, text));
}

function groupLine({ id, key, title, count: requests, failed, isOpen }, toggle) {
  return h("tr", { key: id, class: "group", role: "row" }, h("td", { role: "cell" },
    h("button", { type: "button", class: "link", "aria-expanded": String(isOpen), onclick: () => toggle(key) },
      shown(title, 200)),
    h("span", { class: "dim" }, ` ${count(requests)} ${plural(requests, "request")}`),
    failed > 0 && h("span", { class: "bad" }, `, ${count(failed)} failed`)));
}

function requestLine(entry, isSelected, { account: ownAccount, findings }, open) {
  const { request } = entry;
  const { method, operation, plan, client, account } = request;
  const { entitiesScanned, entitiesReturned } = request;
  const target = shown(decoded(request.target), 300);
  const at = time(request.time);
  const fault = faultInWords(request);
  const [number, ...words] = statusInWords(request).split(" ");
  return h("tr", {
    key: entry.id, role: "row", "aria-current": isSelected ? "true" : null, onclick: () => open(entry),
    class: `line of-${kindOf(request)}${fault ? " is-fault" : ""}${isSelected ? " is-selected" : ""}`,
  },
    cell("at", at.slice(0, 8), h("span", { class: "fraction" }, at.slice(8))),
    h("td", { class: "c-op", role: "cell", title: `${method} ${target}` },
      h("b", null, shown(method, 16)), " ", shown(operation, 60)),
    h("td", { class: "c-what", role: "cell", title: target },
      account && account !== ownAccount && h("span", { class: "dim" }, `${shown(account, 40)}/`),
      h("b", null, shown(request.table ?? "", 80)), " ", shown(askedOf(request), 200)),
    cell("status", h("b", null, number), fault && h("span", { class: "chip fault" }, shown(fault, 60)),
      words.length > 0 && ` ${shown(words.join(" "), 60)}`),
    cell("plan", plan && h("span", { class: `plan-class is-${plan}` }, plan), findings.of(request).map(findingChip)),
    cell("scan", plan || entitiesScanned > 0 ? `${count(entitiesScanned)} / ${count(entitiesReturned)}` : ""),
    cell("ms", timeBar(request.milliseconds)),
    cell("client", shown((client ?? "").split(" ")[0], 60)));
}

// A link, which does not open the line.
export const findingChip = (id) => h("a", {
  class: "chip finding-chip", key: id, href: linkTo("/insight", { finding: id }),
  onclick: (event) => event.stopPropagation(), title: "A finding of Insight",
}, id.replaceAll("-", " "));

// From 0.1 ms to 10 s in five equal steps of a factor of ten.
export function widthOf(ms) {
  return Math.round(Math.min(1, Math.max(0, (Math.log10(Math.max(ms, 0.1)) + 1) / 5)) * 100);
}

function timeBar(ms) {
  const width = `${widthOf(ms)}%`;
  return [milliseconds(ms), h("span", { class: "ms-bar" }, h("span", { style: { width } }))];
}
