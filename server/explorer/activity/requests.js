// The screen of live requests: a filter, the list, and a pill for what came while one was reading.
import { go } from "../core/address.js";
import { count } from "../core/format.js";
import { onKey } from "../core/keyboard.js";
import { button } from "../core/parts.js";
import { h } from "../core/render.js";
import { notify, state } from "../core/state.js";
import { closeDetail, openDetail } from "./request_detail.js";
import { filterOf, isEmpty, kPlans, kStatuses, matcher } from "./request_filter.js";
import { requestList, scrollToLine, scrollToTop } from "./request_list.js";
import { RequestLog } from "./request_log.js";
import { RequestStream } from "./request_stream.js";
import { save } from "./save.js";

const kDrawMs = 200;
const kAddressMs = 400; // after the last letter

const log = new RequestLog();
const stream = new RequestStream(log, drawSoon);
state.requests = {
  filter: filterOf({}), isPaused: false, isDetail: false, selected: null, isScrolled: false,
};
const own = state.requests;

// At most five times a second, however many requests come.
let timer = null;
let drawnAt = 0;

function drawSoon() {
  timer ??= setTimeout(() => {
    timer = null;
    drawnAt = performance.now();
    notify();
  }, Math.max(0, drawnAt + kDrawMs - performance.now()));
}

let removeKeys = () => {};
let filterInput = null;

export function enter({ parameters }) {
  clearTimeout(typing);
  apply(filterOf(parameters));
  stream.open(own);
  removeKeys();
  const keys = [
    onKey("/", "filter", () => filterInput?.focus()),
    onKey("j", "next line", () => move(1)),
    onKey("k", "line before", () => move(-1)),
    onKey("Enter", "open the line", () => open(own.selected ?? log.at(0))),
    onKey("p", "pause or go on", togglePause),
  ];
  removeKeys = () => keys.forEach((remove) => remove());
  notify();
}

export function leave() {
  clearTimeout(typing);
  stream.close();
  removeKeys();
  removeKeys = () => {};
  own.selected = null;
  own.isScrolled = false;
  holdOrRelease();
}

// Lines stay where they are while someone reads them.
function holdOrRelease() {
  const isReading = own.isPaused || own.isScrolled || own.selected !== null;
  if (isReading && !log.isHeld) log.hold();
  if (!isReading && log.isHeld) log.release();
  notify();
}

export function scrolled(isScrolled) {
  own.isScrolled = isScrolled;
  holdOrRelease();
}

function togglePause() {
  own.isPaused = !own.isPaused;
  holdOrRelease();
}

function showNew() {
  own.isPaused = false;
  own.isScrolled = false;
  closeDetail();
  own.selected = null;
  log.release();
  scrollToTop();
  notify();
}

function move(step) {
  if (log.length === 0) return;
  let place = own.selected ? log.indexOf(own.selected) : -1;
  do place += step;
  while (log.at(place) && !log.at(place).request);
  const entry = log.at(place);
  if (!entry) return;
  own.selected = entry;
  holdOrRelease();
  scrollToLine(log.indexOf(entry));
  if (state.panel) open(entry);
}

function open(entry) {
  if (!entry?.request) return;
  own.selected = entry;
  holdOrRelease();
  openDetail(entry.request, {
    setDetail,
    onClose: () => {
      own.selected = null;
      holdOrRelease();
    },
  });
}

function setDetail(isDetail) {
  own.isDetail = isDetail;
  stream.close();
  stream.open(own);
  notify();
}

function clear() {
  log.clear();
  closeDetail();
  own.selected = null;
  own.isScrolled = false;
  holdOrRelease();
}

let typing = null;

function apply(filter) {
  if (JSON.stringify(filter) === JSON.stringify(own.filter)) return;
  own.filter = filter;
  log.filterBy(matcher(filter));
  notify();
}

// At once; the address follows when the typing has ended.
function filterBy(name, value) {
  apply({ ...own.filter, [name]: value });
  clearTimeout(typing);
  typing = setTimeout(() => go("/requests", own.filter, { replace: true }), kAddressMs);
}

function showAll() {
  clearTimeout(typing);
  apply(filterOf({}));
  go("/requests", {}, { replace: true });
}

export function view() {
  return h("div", { class: "requests" },
    h("h1", { class: "offscreen" }, "Requests"),
    filterBar(),
    stream.error && h("p", { class: "notice bad", role: "alert" }, stream.error.message, " ",
      button("Try again", () => stream.open(own))),
    h("div", { class: "log-place" },
      log.newRequests > 0 && button(`${count(log.newRequests)} new`, showNew, {
        class: "pill primary", key: "pill",
      }),
      log.length === 0 ? nothing() : requestList(log, own.selected, { open, scrolled, move })));
}

function filterBar() {
  const { filter, isPaused, isDetail } = own;
  const field = (label, name, options) =>
    h("label", { class: `field of-${name}`, key: name }, h("span", null, label), h("input", {
      type: "search", value: filter[name], spellcheck: "false", autocomplete: "off", ...options,
      oninput: (event) => filterBy(name, event.target.value),
    }));
  const choice = (label, name, choices) =>
    h("label", { class: `field of-${name}`, key: name }, h("span", null, label), h("select", {
      value: filter[name], onchange: (event) => filterBy(name, event.target.value),
    }, ["", ...choices].map((one) => h("option", { value: one, key: one }, one || "all"))));
  const accounts = (state.catalog?.accounts ?? []).map(({ account }) => account);
  if (filter.account && !accounts.includes(filter.account)) accounts.push(filter.account);
  return h("form", { class: "request-filter", role: "search", onsubmit: (event) => event.preventDefault() },
    field("Text", "text", {
      placeholder: "target, code, client, id", ref: (element) => (filterInput = element),
    }),
    field("Table", "table"),
    field("Status", "status", { list: "request-statuses", placeholder: "4xx" }),
    h("datalist", { id: "request-statuses", key: "statuses" },
      kStatuses.map((one) => h("option", { value: one }))),
    choice("Plan", "plan", kPlans),
    (accounts.length > 1 || filter.account) && choice("Account", "account", accounts),
    filter.operation && button(`only ${filter.operation} ×`, () => filterBy("operation", ""), {
      class: "chip", key: "operation", title: "Show all operations",
    }),
    h("label", { class: "switch", key: "detail" }, h("input", {
      type: "checkbox", checked: isDetail, onchange: (event) => setDetail(event.target.checked),
    }), "Record headers and bodies"),
    h("div", { class: "row", key: "buttons" },
      button(isPaused ? "Go on" : "Pause", togglePause),
      button("Clear", clear),
      button("Export", () => save("requests.ndjson", "application/x-ndjson", log.toNdjson()), {
        disabled: log.length === 0,
      })));
}

function nothing() {
  if (log.total > 0 || !isEmpty(own.filter)) {
    return h("div", { class: "empty", key: "empty" }, h("h2", null, "No request passes the filter"),
      h("p", null, `${count(log.total)} recorded, while this screen was open. `,
        button("Show all", showAll, { class: "link" })));
  }
  return h("div", { class: "empty", key: "empty" }, h("h2", null, "No requests yet"),
    h("p", null, stream.isConnected ?
      "Each request to the table service appears here at once. They are recorded while this screen is open." :
      "Connecting…"));
}
