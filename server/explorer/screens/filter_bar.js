// The query of the grid: filter, properties and page size. Enter or Run runs it, and puts it in the address.
//
//   state.filterBar = { filter, select, top }: what is typed, which may not have run yet
import { go } from "../core/address.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";
import { kUsualTop, run } from "./entity_pages.js";
import { planBadge, planDetail, planSoon } from "./plan.js";

state.filterBar = { filter: "", select: "", top: "" };

let field = null;

export function focusFilter() {
  field?.focus();
  field?.select();
}

// Takes the query of an address; returns it as the pages read it.
export function readQuery({ filter = "", select = "", top = "" }) {
  change(() => (state.filterBar = { filter, select, top }));
  const number = Number(top);
  const isGood = Number.isInteger(number) && number >= 1 && number <= 1000;
  return { filter, select, top: isGood ? number : kUsualTop };
}

// Shows the query in the address, which runs it; runs it again if it is there already.
function submit(event) {
  event.preventDefault();
  const { account, table, filterBar, address } = state;
  const before = location.hash;
  const filter = filterBar.filter.trim();
  go(`/acc/${encodeURIComponent(account)}/${encodeURIComponent(table)}`, { ...filterBar, filter });
  if (location.hash === before) run(account, table, readQuery(address.parameters));
}

function typed(name, event) {
  change(() => (state.filterBar[name] = event.target.value));
  if (name === "filter") planSoon(state.account, state.table, event.target.value);
}

function goTo(from, to) {
  field.focus();
  field.setSelectionRange(from, to);
}

export function filterBar({ filterBar: { filter, select, top }, plan }) {
  const isRefused = Boolean(plan?.result?.error);
  return h("form", { class: "filter-bar", key: "filter-bar", onsubmit: submit },
    h("div", { class: "row" },
      h("label", { class: "filter" },
        h("span", { class: "offscreen" }, "Filter"),
        h("input", {
          class: "mono", value: filter, placeholder: "Filter, such as PartitionKey eq 'de' and Price gt 3",
          spellcheck: "false", autocomplete: "off", autocapitalize: "off",
          "aria-invalid": isRefused ? "true" : null,
          "aria-describedby": "plan-detail", ref: (element) => (field = element),
          oninput: (event) => typed("filter", event),
        })),
      planBadge(plan),
      h("button", { type: "submit", class: "primary", title: "Enter" }, "Run")),
    planDetail(plan, !filter.trim(), goTo),
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
        }))));
}
