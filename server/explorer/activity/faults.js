// Fault rules with their hits, what clients did after them, and a form for a new rule.
import { control } from "../core/api.js";
import { count, shown } from "../core/format.js";
import { button } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, shownAccount, state } from "../core/state.js";
import { accountNames } from "./behaviour.js";
import {
  fieldsOf, hasMoment, kEffects, kEmptyRule, kHandshakes, kMoments, kOperations, matchInWords, retryInWords, ruleOf,
  thenInWords, whenInWords,
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

// The old rule stays if the server refuses the new one, or if the new name is that of another rule.
async function replace({ name }, rule) {
  return act("faults", async () => {
    const old = `faults/${encodeURIComponent(name)}`;
    if ((rule.name ?? name) === name) {
      await control("PUT", old, { body: rule });
    } else {
      await control("POST", "faults", { body: rule });
      await control("DELETE", old);
    }
    await load();
  });
}

const emptyRule = () => ({ ...kEmptyRule, account: shownAccount() });

const edit = (rule) => change(() => {
  const { fields, rest } = fieldsOf(rule);
  Object.assign(own(), { form: fields, rest, edited: rule, isFormOpen: true });
});

const stopEditing = () => change(() => Object.assign(own(), { form: emptyRule(), rest: {}, edited: null }));

// Those that can hit requests of the account of the page.
const concerns = ({ match }) => !shownAccount() || !match?.account || match.account === shownAccount();

export function faultPart() {
  const { isBusy } = own();
  const rules = own().rules?.filter(concerns);
  const others = (own().rules?.length ?? 0) - (rules?.length ?? 0);
  return h("section", { class: "lab-part", "aria-labelledby": "lab-faults" },
    h("header", { class: "row" },
      h("h2", { class: "grow", id: "lab-faults" }, "Fault rules"),
      button("Reload", loadFaults, { disabled: isBusy }),
      button("Remove all", () => remove("faults"), { disabled: !rules?.length })),
    h("p", { class: "dim" },
      "A rule makes single requests fail. The first rule that matches a request hits it."),
    errorOf("faults"),
    rules?.length > 0 && ruleTable(rules),
    others > 0 && h("p", { class: "dim" }, `${count(others)} more for other accounts only.`),
    ruleForm(),
    retryPart());
}

function ruleTable(rules) {
  return h("div", { class: "sideways" }, h("table", { class: "data" },
    h("thead", null, h("tr", null, ["Rule", "Hits", "When", "Then", ""].map((title) =>
      h("th", { scope: "col", class: title === "Hits" ? "number" : null },
        title || h("span", { class: "offscreen" }, "Actions"))))),
    h("tbody", null, rules.map((rule) => h("tr", { key: rule.name },
      h("th", { scope: "row" }, h("b", { class: "name" }, shown(rule.name, 100)),
        h("div", { class: "dim" }, shown(matchInWords(rule), 600))),
      h("td", { class: "number" }, h("b", { class: rule.hits > 0 ? "warn" : "" }, count(rule.hits ?? 0)),
        h("div", { class: "dim" }, `of ${count(rule.matched ?? 0)}`)),
      h("td", null, whenInWords(rule)),
      h("td", null, shown(thenInWords(rule), 600)),
      h("td", { class: "actions" }, button("Edit", () => edit(rule), {
        class: "quiet", "aria-label": `Edit ${shown(rule.name, 100)}`,
      }), button("Remove", () => remove(`faults/${encodeURIComponent(rule.name)}`), {
        class: "quiet", "aria-label": `Remove ${shown(rule.name, 100)}`,
      })))))));
}

function ruleForm() {
  own().form ??= emptyRule();
  const { form, rest = {}, edited, text = "", isBusy, isFormOpen = false, isMoreOpen = false } = own();
  // Another status has another code.
  const set = (name) => ({ target }) => change(() =>
    (own().form = { ...own().form, ...(name === "status" && { code: "" }), [name]: target.value }));
  const field = (label, name, options = {}) =>
    h("label", { key: name }, label, h("input", {
      type: "text", autocomplete: "off", spellcheck: "false", value: form[name], oninput: set(name),
      ...options,
    }));
  const choice = (label, name, choices) =>
    h("label", { key: name }, label, h("select", { value: form[name], onchange: set(name) },
      choices.map(([value, words]) => h("option", { value, key: value }, words))));
  const number = { type: "number", min: 0, inputmode: "numeric" };
  // The code that stands there is that of the old status.
  const setStatus = ({ target }) => change(() => (own().form = { ...own().form, status: target.value, code: "" }));
  const addRule = async (event) => {
    event.preventDefault();
    const rule = ruleOf(form, rest);
    if (await (edited ? replace(edited, rule) : add(rule))) stopEditing();
  };
  const addText = async (event) => {
    event.preventDefault();
    if (await add(text)) change(() => (own().text = ""));
  };
  const accounts = [...new Set([...accountNames(), form.account].filter(Boolean))];
  const delay = () => field("Delay before", "delay", { placeholder: rest.then?.delay ? "as it is" : "300ms" });
  const names = (all) => all.map((one) => [one, one]);
  const ofEffect = {
    error: () => field("Status", "status", { ...number, oninput: setStatus }),
    cut: () => field("Cut after, bytes", "cutAfterBytes", number),
    delay,
    handshake: () => choice("How", "handshake", names(kHandshakes)),
    clientClock: () => field("Fast by; - is slow", "clientClock"),
  };
  const keep = (name) => ({ target }) => (own()[name] = target.open);
  const unknown = ["match", "when", "then"].flatMap((part) => Object.keys(rest[part] ?? {}));
  return [
    h("details", { key: "form", open: isFormOpen, ontoggle: keep("isFormOpen") },
      h("summary", null, edited ? `Edit ${shown(edited.name, 100)}` : "Add a rule"),
      h("form", { class: "stack", onsubmit: addRule },
        h("div", { class: "rule-form" },
          choice("Operation", "operation", [["", rest.match?.operation ? "as it is" : "every one"],
            ...names(kOperations)]),
          field("Table", "table", { placeholder: "all" }),
          choice("Effect", "effect", kEffects),
          ofEffect[form.effect]?.()),
        h("details", { open: isMoreOpen, ontoggle: keep("isMoreOpen") },
          h("summary", null, "More: which requests, how often, at which times, how slow"),
          group("Which requests",
            choice("Account", "account", [["", "all"], ...names(accounts)]),
            field("PartitionKey", "partitionKey", { placeholder: "all" }),
            field("RowKey", "rowKey", { placeholder: "all" }),
            field("Client request id begins", "clientRequestIdPrefix", { placeholder: "all" })),
          group("How often",
            field("Skip, requests", "skip", { ...number, placeholder: "0" }),
            field("Then hit, requests", "count", { ...number, placeholder: "no limit" }),
            field("Probability", "probability", {
              ...number, max: 1, step: "any", inputmode: "decimal", placeholder: "1",
            })),
          group("At which times",
            field("On after", "after", { placeholder: "at once" }),
            field("On for", "for", { placeholder: "10s; no limit" }),
            field("Again every", "every", { placeholder: "60s; once" })),
          group("The answer",
            form.effect === "error" && field("Code", "code", { placeholder: "that of the status" }),
            hasMoment(form.effect) && choice("When", "at", kMoments),
            form.effect !== "delay" && delay(),
            field("Answer, bytes/s", "bytesPerSecond", { ...number, placeholder: "no limit" }),
            field("Request, bytes/s", "requestBytesPerSecond", { ...number, placeholder: "no limit" }),
            h("label", { key: "headers" }, "Headers, one a line", h("textarea", {
              rows: 2, class: "mono", spellcheck: "false", value: form.headers, oninput: set("headers"),
              placeholder: "Retry-After: 5", title: "Without a value: the answer has no such header",
            }))),
          group("The rule", field("Name", "name", { placeholder: "fault-1" }))),
        h("p", { class: "dim" }, shown(inWords(ruleOf(form, rest)), 600),
          unknown.length > 0 && ` It also has ${shown(unknown.join(", "), 200)}, which stay.`),
        h("div", { class: "row" },
          h("button", { type: "submit", class: "primary", disabled: isBusy }, edited ? "Save" : "Add"),
          edited && button("Cancel", stopEditing)))),
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

const group = (title, ...some) =>
  h("fieldset", { key: title }, h("legend", null, title), h("div", { class: "rule-form" }, some));

// "InsertEntity of orders: the first 1: 503"
const inWords = (rule) => [matchInWords(rule), whenInWords(rule), thenInWords(rule)].filter(Boolean).join(": ");

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
