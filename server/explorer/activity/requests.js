// The screen of live requests: a filter, the list, and a pill for what came while one was reading.
import { go } from "../core/address.js";
import { control } from "../core/api.js";
import { count, shown } from "../core/format.js";
import { onKey } from "../core/keyboard.js";
import { button } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, notify, shownAccount, state } from "../core/state.js";
import { closeDetail, openDetail } from "./request_detail.js";
import { filterOf, isEmpty, kPlans, kStatuses, matcher, withoutShape } from "./request_filter.js";
import { RequestFindings } from "./request_findings.js";
import { groupedLines, kGroupings } from "./request_groups.js";
import { requestList, scrollToLine, scrollToTop } from "./request_list.js";
import { RequestLog } from "./request_log.js";
import { RequestStream } from "./request_stream.js";
import { save } from "./save.js";

const kDrawMs = 200;
const kAddressMs = 400; // after the last letter
const kChunk = 2000; // of older requests, at once
const kMostOlder = 8000;

const log = new RequestLog();
const findings = new RequestFindings();
const stream = new RequestStream(log, drawSoon);
state.requests = {
  filter: filterOf({}), isPaused: false, selected: null, isScrolled: false, by: "", openGroups: new Set(),
  inBodies: false, found: null, problem: null, isLoadingOlder: false, hasAll: false,
};
const own = state.requests;
let shownOf = null; // the account whose requests pass

// At most five times a second, however many requests come.
let timer = null;
let drawnAt = 0;

function drawSoon() {
  timer ??= setTimeout(() => {
    timer = null;
    drawnAt = performance.now();
    findings.load().then((isOther) => isOther && notify());
    notify();
  }, Math.max(0, drawnAt + kDrawMs - performance.now()));
}

let removeKeys = () => {};
let filterInput = null;

export function enter({ parameters }) {
  clearTimeout(typing);
  own.by = kGroupings.some(([name]) => name === parameters.by) ? parameters.by : "";
  apply(filterOf(parameters));
  stream.open();
  removeKeys();
  const keys = [
    onKey("/", "filter", () => filterInput?.focus()),
    onKey("j", "next line", () => move(1)),
    onKey("k", "line before", () => move(-1)),
    onKey("Enter", "open the line", () => open(own.selected ?? lines().at(0))),
    onKey("p", "pause or go on", togglePause),
  ];
  removeKeys = () => keys.forEach((remove) => remove());
  if (own.filter.of) loadOlder();
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

const lines = () => (own.by ? groupedLines(log, own.by, own.openGroups) : log);

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
  const all = lines();
  if (all.length === 0) return;
  let place = own.selected ? all.indexOf(own.selected) : -1;
  do place += step;
  while (all.at(place) && !all.at(place).request);
  const entry = place < 0 ? undefined : all.at(place);
  if (!entry) return;
  own.selected = entry;
  holdOrRelease();
  scrollToLine(place);
  if (state.panel) open(entry);
}

function open(entry) {
  if (!entry?.request) return;
  own.selected = entry;
  holdOrRelease();
  openDetail(entry.request, {
    findings,
    onClose: () => {
      own.selected = null;
      holdOrRelease();
    },
  });
}

function clear() {
  log.clear();
  own.hasAll = true; // what was cleared does not come again
  closeDetail();
  own.selected = null;
  own.isScrolled = false;
  holdOrRelease();
}

// Those that the server kept before the oldest one here.
async function loadOlder() {
  if (own.isLoadingOlder || own.hasAll) return;
  change(() => Object.assign(own, { isLoadingOlder: true, problem: null }));
  try {
    const older = [];
    const { next } = await control("GET", "requests");
    const end = log.oldest || next;
    for (let since = Math.max(1, end - kMostOlder); since < end;) {
      const answer = await control("GET", "requests", { query: { since, limit: kChunk } });
      older.push(...answer.requests.filter(({ number }) => number < end));
      if (!answer.more) break;
      since = answer.next;
    }
    if (!log.oldest || log.oldest === end) log.addOlder(older);
    own.hasAll = true;
  } catch (error) {
    own.problem = error;
  }
  change(() => (own.isLoadingOlder = false));
}

// Bodies are at the server: it is asked which requests have the text in theirs.
async function searchBodies() {
  const { text } = own.filter;
  own.found = null;
  if (own.inBodies && text) {
    try {
      await loadOlder();
      const since = Math.max(1, log.oldest);
      const { requests } = await control("GET", "requests", { query: { since, text } });
      if (text !== own.filter.text || !own.inBodies) return;
      own.found = new Set(requests.map(({ number }) => number));
      own.problem = null;
    } catch (error) {
      own.problem = error;
    }
  }
  filterLog();
}

let typing = null;

function filterLog() {
  log.filterBy(matcher(own.filter, shownOf, own.found));
  notify();
}

function apply(filter) {
  const account = shownAccount();
  if (account === shownOf && JSON.stringify(filter) === JSON.stringify(own.filter)) return;
  if (filter.text !== own.filter.text) own.found = null;
  shownOf = account;
  own.filter = filter;
  filterLog();
}

const parameters = () => ({ ...own.filter, by: own.by, account: shownAccount() || "*" });

// At once; the address follows when the typing has ended.
function filterBy(name, value) {
  applySoon({ ...own.filter, [name]: value });
}

function applySoon(filter) {
  apply(filter);
  clearTimeout(typing);
  typing = setTimeout(() => {
    go("/requests", parameters(), { replace: true });
    if (own.inBodies) searchBodies();
  }, kAddressMs);
}

function showAll() {
  clearTimeout(typing);
  apply(filterOf({}));
  go("/requests", { by: own.by }, { replace: true });
}

function groupBy(by) {
  own.by = by;
  own.openGroups = new Set();
  go("/requests", parameters(), { replace: true });
  notify();
}

function toggleGroup(key) {
  if (!own.openGroups.delete(key)) own.openGroups.add(key);
  notify();
}

export function view() {
  const all = lines();
  const problem = stream.error ?? own.problem;
  return h("div", { class: "requests" },
    h("h1", { class: "offscreen" }, "Requests"),
    filterBar(),
    problem && h("p", { class: "notice bad", role: "alert" }, problem.message, " ",
      stream.error && button("Try again", () => stream.open())),
    h("div", { class: "log-place" },
      log.newRequests > 0 && button(`${count(log.newRequests)} new`, showNew, {
        class: "pill primary", key: "pill",
      }),
      all.length === 0 ? nothing() : requestList(all, own.selected, { account: shownOf, findings }, {
        open, scrolled, move, toggle: toggleGroup,
      })));
}

// "QueryEntities, Age gt ?, of the finding table scan"
function shapeInWords({ of, operation, fingerprint }) {
  return [operation, fingerprint, of && of !== "shape" && `of the finding ${of.replaceAll("-", " ")}`]
    .filter(Boolean).join(", ") || "this shape";
}

function filterBar() {
  const { filter, isPaused, by, inBodies, isLoadingOlder, hasAll } = own;
  const field = (label, name, options) =>
    h("label", { class: `field of-${name}`, key: name }, h("span", null, label), h("input", {
      type: "search", value: filter[name], spellcheck: "false", autocomplete: "off", ...options,
      oninput: (event) => filterBy(name, event.target.value),
    }));
  const choice = (label, name, value, choices, onchange) =>
    h("label", { class: `field of-${name}`, key: name }, h("span", null, label), h("select", {
      value, onchange: (event) => onchange(event.target.value),
    }, choices.map(([one, words]) => h("option", { value: one, key: one }, words))));
  return h("form", { class: "request-filter", role: "search", onsubmit: (event) => event.preventDefault() },
    field("Text", "text", {
      placeholder: "target, keys, code, client, id", ref: (element) => (filterInput = element),
    }),
    h("label", { class: "switch", key: "bodies" }, h("input", {
      type: "checkbox", checked: inBodies, onchange: ({ target }) => {
        own.inBodies = target.checked;
        searchBodies();
      },
    }), "in bodies, too"),
    field("Table", "table"),
    field("Status", "status", { list: "request-statuses", placeholder: "4xx" }),
    h("datalist", { id: "request-statuses", key: "statuses" },
      kStatuses.map((one) => h("option", { value: one }))),
    choice("Plan", "plan", filter.plan, [["", "all"], ...kPlans.map((one) => [one, one])],
      (value) => filterBy("plan", value)),
    choice("Group by", "by", by, kGroupings, groupBy),
    (filter.operation || filter.of) &&
      button(`only ${shown(shapeInWords(filter), 120)} ×`, () => applySoon(withoutShape(filter)), {
        class: "chip", key: "operation", title: "Show all requests",
      }),
    h("div", { class: "row", key: "buttons" },
      !hasAll && button(isLoadingOlder ? "Loading…" : "Older", loadOlder, {
        disabled: isLoadingOlder, title: "Those that the server kept before these",
      }),
      button(isPaused ? "Go on" : "Pause", togglePause),
      button("Clear", clear),
      button("Export", () => save("requests.ndjson", "application/x-ndjson", log.toNdjson()), {
        disabled: log.length === 0,
      })));
}

function nothing() {
  if (log.total > 0 || !isEmpty(own.filter)) {
    return h("div", { class: "empty", key: "empty" }, h("h2", null, "No request passes the filter"),
      h("p", null, `${count(log.total)} are here. `,
        !isEmpty(own.filter) && button("Show all", showAll, { class: "link" }), " ",
        shownOf && button("Show those of all accounts", () => go("/requests", { ...parameters(), account: "*" }), {
          class: "link",
        })));
  }
  return h("div", { class: "empty", key: "empty" }, h("h2", null, "No requests yet"),
    h("p", null, stream.isConnected ?
      "Each request to the table service appears here at once. The last ones are kept, also while nobody looks." :
      "Connecting…"));
}
