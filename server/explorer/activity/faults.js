// Fault rules with their hits, what clients did after them, and a form for a new rule.
import { control } from "../core/api.js";
import { count, shown } from "../core/format.js";
import { button } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";
import { accountNames } from "./behaviour.js";
import {
  kEffects, kEmptyRule, kOperations, matchInWords, retryInWords, ruleOf, thenInWords, whenInWords,
} from "./fault_model.js";
import { act, errorOf } from "./lab_part.js";

const kMostRetries = 100;
const own = () => state.lab.faults;

async function load() {
  const [{ faults }, { retries, dropped }] =
    await Promise.all([control("GET", "faults"), control("GET", "retries")]);
  Object.assign(own(), { rules: faults, retries, dropped });
}

export const loadFaults = () => act("faults", load, { isChange: false });

async function remove(path) {
  await act("faults", async () => {
    await control("DELETE", path);
    await load();
  });
}

async function add(document_) {
  return act("faults", async () => {
    await control("POST", "faults", { body: document_ });
    await load();
  });
}

export function faultPart() {
  const { rules, isBusy } = own();
  return h("section", { class: "lab-part", "aria-labelledby": "lab-faults" },
    h("header", { class: "row" },
      h("h2", { class: "grow", id: "lab-faults" }, "Fault rules"),
      button("Reload", loadFaults, { disabled: isBusy }),
      button("Remove all", () => remove("faults"), { disabled: !rules?.length })),
    h("p", { class: "dim" },
      "A rule makes single requests fail. The first rule that matches a request hits it."),
    errorOf("faults"),
    rules?.length > 0 && ruleTable(rules),
    ruleForm(),
    retryPart());
}

function ruleTable(rules) {
  return h("div", { class: "sideways" }, h("table", { class: "data" },
    h("thead", null, h("tr", null, ["Rule", "Hits", "When", "Then", ""].map((title) =>
      h("th", { scope: "col", class: title === "Hits" ? "number" : null },
        title || h("span", { class: "offscreen" }, "Remove"))))),
    h("tbody", null, rules.map((rule) => h("tr", { key: rule.name },
      h("th", { scope: "row" }, h("b", { class: "name" }, shown(rule.name, 100)),
        h("div", { class: "dim" }, shown(matchInWords(rule), 600))),
      h("td", { class: "number" }, h("b", { class: rule.hits > 0 ? "warn" : "" }, count(rule.hits ?? 0)),
        h("div", { class: "dim" }, `of ${count(rule.matched ?? 0)}`)),
      h("td", null, whenInWords(rule)),
      h("td", null, shown(thenInWords(rule), 600)),
      h("td", null, button("Remove", () => remove(`faults/${encodeURIComponent(rule.name)}`), {
        class: "quiet", "aria-label": `Remove ${shown(rule.name, 100)}`,
      })))))));
}

function ruleForm() {
  own().form ??= { ...kEmptyRule };
  const { form, text = "", isBusy } = own();
  const set = (name) => ({ target }) => change(() =>
    (own().form = { ...own().form, [name]: target.type === "checkbox" ? target.checked : target.value }));
  const field = (label, name, options = {}) =>
    h("label", { key: name }, label, h("input", {
      type: "text", autocomplete: "off", spellcheck: "false", value: form[name], oninput: set(name),
      ...options,
    }));
  const choice = (label, name, choices) =>
    h("label", { key: name }, label, h("select", { value: form[name], onchange: set(name) },
      choices.map(([value, words]) => h("option", { value, key: value }, words))));
  const number = { type: "number", min: 0, inputmode: "numeric" };
  const addRule = async (event) => {
    event.preventDefault();
    if (await add(ruleOf(form))) change(() => (own().form = { ...kEmptyRule }));
  };
  const addText = async (event) => {
    event.preventDefault();
    if (await add(text)) change(() => (own().text = ""));
  };
  return [
    h("details", { key: "form" }, h("summary", null, "Add a rule"),
      h("form", { class: "rule-form", onsubmit: addRule },
        choice("Operation", "operation", [["", "every one"], ...kOperations.map((one) => [one, one])]),
        field("Table", "table", { placeholder: "all" }),
        choice("Account", "account", [["", "all"], ...accountNames().map((one) => [one, one])]),
        field("PartitionKey", "partitionKey", { placeholder: "all" }),
        choice("Effect", "effect", kEffects),
        form.effect === "error" && field("Status", "status", number),
        form.effect === "error" && field("Code", "code", { placeholder: "that of the status" }),
        form.effect === "cut" && field("Cut after, bytes", "cutAfterBytes", number),
        field("Delay before", "delay", { placeholder: "300ms" }),
        field("Skip, requests", "skip", { ...number, placeholder: "0" }),
        field("Then hit, requests", "count", { ...number, placeholder: "no limit" }),
        field("Probability", "probability", {
          ...number, max: 1, step: "any", inputmode: "decimal", placeholder: "1",
        }),
        field("Name", "name", { placeholder: "fault-1" }),
        h("label", { class: "switch" }, h("input", {
          type: "checkbox", checked: form.isAfterCommit, disabled: ["cut", "delay"].includes(form.effect),
          onchange: set("isAfterCommit"),
        }), "After the request was carried out"),
        h("button", { type: "submit", class: "primary", disabled: isBusy }, "Add"))),
    h("details", { key: "json" }, h("summary", null, "Add rules as JSON"),
      h("form", { class: "stack", onsubmit: addText },
        h("label", null, "A rule, or a list of rules", h("textarea", {
          rows: 6, class: "mono", spellcheck: "false", value: text,
          placeholder: '{"match": {"operation": "InsertEntity"}, "then": {"status": 503}}',
          oninput: ({ target }) => change(() => (own().text = target.value)),
        })),
        h("div", { class: "row" },
          h("button", { type: "submit", class: "primary", disabled: isBusy || !text.trim() }, "Add rules")))),
  ];
}

function retryPart() {
  const { retries = [], dropped } = own();
  if (retries.length === 0) return null;
  const latest = retries.slice(-kMostRetries).reverse();
  return h("details", { key: "retries", open: true },
    h("summary", null, `Retries: what clients did after a fault (${count(retries.length + dropped)})`),
    h("ul", { class: "retries" }, latest.map((retry, i) => h("li", { key: retries.length - i },
      h("code", null, shown(`${retry.method} ${retry.target}`, 300)), ": ",
      shown(retryInWords(retry), 2000)))),
    button("Forget retries", () => act("faults", async () => {
        await control("DELETE", "retries");
        await load();
      })));
}
