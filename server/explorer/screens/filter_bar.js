// The query of the grid: filter, properties and page size. Enter or Run runs it, and puts it in the address. The filter
// is completed while it is typed, and the last ones of the table are kept in the browser.
//
//   state.filterBar = { filter, select, top: what is typed, which may not have run yet
//                       offer: { from, options: [{ word, hint }], at, isRecent }, or null: what is offered to choose }
import { go } from "../core/address.js";
import { shown } from "../core/format.js";
import { keep, kept } from "../core/kept.js";
import { button } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";
import { columnsMenu } from "./columns.js";
import { kUsualTop, run } from "./entity_pages.js";
import { isUnfinished, suggestions } from "./filter_words.js";
import { planBadge, planDetail, planSoon } from "./plan.js";

const kMostKept = 20; // filters of a table
const kLongest = 500; // characters of one that is kept
// Who looks for a secret by its value does not leave it in the browser.
const kSecret = /pass|secret|token|credential|signature|apikey/i;

state.filterBar = { filter: "", select: "", top: "", offer: null };

let field = null;

export function focusFilter() {
  field?.focus();
  field?.select();
}

// Takes the query of an address; returns it as the pages read it.
export function readQuery({ filter = "", select = "", top = "" }) {
  change(() => (state.filterBar = { filter, select, top, offer: null }));
  const number = Number(top);
  const isGood = Number.isInteger(number) && number >= 1 && number <= 1000;
  return { filter, select, top: isGood ? number : kUsualTop };
}

// Shows the query in the address, which runs it; runs it again if it is there already.
function submit(event) {
  event?.preventDefault();
  const { account, table, filterBar, address } = state;
  const { select, top } = filterBar;
  const before = location.hash;
  const filter = filterBar.filter.trim();
  const isSecret = kSecret.test(filter) || filter.length > kLongest;
  if (filter && !isSecret) {
    const filters = [filter, ...recent().filter((one) => one !== filter)].slice(0, kMostKept);
    keep(account, table, { filters });
  }
  change(() => (filterBar.offer = null));
  go(`/acc/${encodeURIComponent(account)}/${encodeURIComponent(table)}`, { filter, select, top });
  if (location.hash === before) run(account, table, readQuery(address.parameters));
}

function recent() {
  const { filters } = kept(state.account, state.table);
  return Array.isArray(filters) ? filters.filter((one) => typeof one === "string") : [];
}

function typed(name, event) {
  change(() => (state.filterBar[name] = event.target.value));
  if (name !== "filter") return;
  planSoon(state.account, state.table, event.target.value);
  offerWords(true);
}

function offer(options, more) {
  change(() => (state.filterBar.offer = options.length > 0 ? { options, at: -1, ...more } : null));
}

// `isTyped`: only if a word has begun that is not complete.
function offerWords(isTyped) {
  const { value, selectionStart } = field;
  const { from, options } = suggestions(value, selectionStart, state.entities.columns);
  const begun = value.slice(from, selectionStart);
  const isComplete = options.length === 1 && options[0].word === begun;
  offer(isComplete || (isTyped && !begun) ? [] : options, { from });
}

function offerRecent() {
  const options = recent().map((word) => ({ word }));
  if (options.length > 0) options.push({ word: "", hint: "Forget these filters" });
  offer(options, { isRecent: true });
  field.focus();
}

function choose({ word }) {
  const { filterBar } = state;
  const { from, isRecent } = filterBar.offer;
  const { value, selectionStart: caret } = field;
  if (isRecent) {
    change(() => Object.assign(filterBar, { offer: null, filter: word || filterBar.filter }));
    if (word) submit();
    else keep(state.account, state.table, { filters: [] });
    return;
  }
  const rest = value.slice(caret);
  const isQuoted = word.endsWith("'");
  const text = `${value.slice(0, from)}${word}${isQuoted || /^\s/.test(rest) ? "" : " "}`;
  field.value = text + rest;
  const place = isQuoted ? text.length - 1 : text.length + (/^\s/.test(rest) ? 1 : 0);
  field.setSelectionRange(place, place);
  typed("filter", { target: field });
  if (!isQuoted) offerWords(false);
}

function pressed(event) {
  const { offer: own } = state.filterBar;
  const { key, ctrlKey, altKey, isComposing } = event;
  if (isComposing) return;
  const count = own?.options.length;
  if (/^Arrow(Down|Up)$/.test(key)) {
    const step = key === "ArrowDown" ? 1 : count; // one place before the first is none: the field itself
    if (own) change(() => (own.at = ((own.at + 1 + step) % (count + 1)) - 1));
    else if (altKey || !field.value) offerRecent();
    else offerWords(false);
    if (!own && !state.filterBar.offer) offerWords(false);
  } else if (key === " " && ctrlKey) offerWords(false);
  else if (key === "Escape" && own) change(() => (state.filterBar.offer = null));
  else if (/^(Enter|Tab)$/.test(key) && own?.at >= 0) choose(own.options[own.at]);
  else return;
  event.preventDefault();
}

function offered({ options, at, isRecent }) {
  // The field keeps the focus.
  const item = (one, i) => h("li", {
    id: `offer-${i}`, role: "option", "aria-selected": String(i === at), class: one.word ? "mono" : null,
    key: `${i} ${one.word}`, onmousedown: (event) => event.preventDefault(), onclick: () => choose(one),
  }, shown(one.word, 160), one.hint && h("span", { class: "dim" }, one.word && " ", one.hint));
  return h("ul", {
    class: "offer", id: "filter-offer", role: "listbox", key: "offer",
    "aria-label": isRecent ? "Filters that ran last" : "What may come next",
  }, options.map(item));
}

function goTo(from, to) {
  field.focus();
  field.setSelectionRange(from, to);
}

// Whether the plan is one of a filter that is still typed: not if it has run so.
function isTooEarly(plan, { query, columns }) {
  if (!plan || query.filter === plan.filter) return false;
  const caret = document.activeElement === field ? field.selectionStart : plan.filter.length;
  const isBoolean = (name) => columns.some((one) => one.name === name && one.types.has("Edm.Boolean"));
  return isUnfinished(plan.filter, caret, Boolean(plan.result?.error), isBoolean);
}

export function filterBar({ filterBar: { filter, select, top, offer: own }, plan }, entities) {
  const isEarly = isTooEarly(plan, entities);
  const isRefused = !isEarly && Boolean(plan?.result?.error);
  return h("form", { class: "filter-bar", key: "filter-bar", onsubmit: submit },
    h("div", { class: "row" },
      h("div", { class: "filter" },
        h("label", null,
          h("span", { class: "offscreen" }, "Filter"),
          h("input", {
            class: "mono", value: filter, placeholder: "Filter, such as PartitionKey eq 'de' and Price gt 3",
            spellcheck: "false", autocomplete: "off", autocapitalize: "off",
            role: "combobox", "aria-autocomplete": "list", "aria-haspopup": "listbox",
            "aria-expanded": String(Boolean(own)), "aria-controls": own ? "filter-offer" : null,
            "aria-activedescendant": own?.at >= 0 ? `offer-${own.at}` : null,
            "aria-invalid": isRefused ? "true" : null,
            "aria-describedby": "plan-detail", ref: (element) => (field = element),
            oninput: (event) => typed("filter", event), onkeydown: pressed,
            onblur: () => state.filterBar.offer && change(() => (state.filterBar.offer = null)),
          })),
        own && offered(own)),
      recent().length > 0 && button("Recent", offerRecent, {
        class: "quiet recent", key: "recent", title: "Filters that ran last: Alt+↓",
        onmousedown: (event) => event.preventDefault(),
      }),
      planBadge(plan, isEarly),
      h("button", { type: "submit", class: "primary", title: "Enter" }, "Run")),
    planDetail(plan, !filter.trim(), isEarly, goTo),
    h("div", { class: "row more" },
      h("label", { class: "grow inline" }, h("span", null, "Properties"),
        h("input", {
          class: "mono grow", value: select, placeholder: "all; or a list, such as Item,Price",
          spellcheck: "false", autocomplete: "off", oninput: (event) => typed("select", event),
        })),
      h("label", { class: "inline" }, h("span", null, "Page size"),
        h("input", {
          type: "number", min: 1, max: 1000, value: top, placeholder: String(kUsualTop),
          oninput: (event) => typed("top", event),
        })),
      columnsMenu(entities)));
}
