// Switches for what the service does all the time, for all accounts or for one.
import { go } from "../core/address.js";
import { control } from "../core/api.js";
import { button } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, shownAccount, state } from "../core/state.js";
import { jsonOf, kBehaviours, valuesOf, withBehaviour } from "./behaviour_model.js";
import { act, errorOf } from "./lab_part.js";

const own = () => state.lab.behaviour;

const load = async () => Object.assign(own(), await control("GET", "behaviour"));

export function loadBehaviour() {
  Object.assign(own(), { typed: {}, account: shownAccount() });
  return act("behaviour", load, { isChange: false });
}

// What applies to the chosen accounts: their own, or that of all.
function documentOf({ account = "", behaviour = {}, accounts = {} }) {
  return Object.hasOwn(accounts, account) ? accounts[account] : behaviour;
}

const queryOf = ({ account }) => ({ account });

// One after another, because each replaces the whole document.
let queue = Promise.resolve();

function later(action) {
  queue = queue.then(action);
  return queue;
}

// `json` undefined switches the behaviour off. Returns whether it was done.
function put(name, json) {
  return act("behaviour", async () => {
    const body = withBehaviour(documentOf(own()), name, json);
    await control("PUT", "behaviour", { query: queryOf(own()), body });
    await load();
  });
}

function switchOff() {
  own().typed = {};
  return act("behaviour", async () => {
    await control("DELETE", "behaviour", { query: queryOf(own()) });
    await load();
  });
}

export function accountNames() {
  return (state.catalog?.accounts ?? []).map(({ account }) => account);
}

export function behaviourPart() {
  const { account = "", accounts = {}, behaviour } = own();
  const names = [...new Set([...accountNames(), ...Object.keys(accounts)])];
  const isOwn = Object.hasOwn(accounts, account);
  return h("section", { class: "lab-part", "aria-labelledby": "lab-behaviour" },
    h("header", { class: "row" },
      h("h2", { class: "grow", id: "lab-behaviour" }, "Behaviour of the service"),
      h("label", { class: "field" }, h("span", null, "For"), h("select", {
        value: account,
        onchange: ({ target }) => go("/lab", { tab: "behaviour", account: target.value || "*" }),
      }, ["", ...names].map((name) => h("option", { value: name, key: name }, name || "all accounts")))),
      button(account ? "As all accounts" : "Switch all off", switchOff, {
        disabled: Object.keys(documentOf(own())).length === 0 || (account !== "" && !isOwn),
      })),
    account && h("p", { class: "dim" }, isOwn ?
      "This account has a behaviour of its own, and nothing of the one for all." :
      "This account has the behaviour for all. A switch here gives it its own."),
    errorOf("behaviour"),
    behaviour && h("div", { class: "switches" }, kBehaviours.map(behaviourSwitch)));
}

// What was typed last, else what is on. Asked for at each event, since one may come before the page is drawn
// again: a click leaves the field that was typed in.
function numbersOf(definition) {
  const { name } = definition;
  return own().typed[name] ?? valuesOf(definition, documentOf(own())[name]);
}

function typeNumber(definition, place, target) {
  if (!target.checkValidity() || target.value === "") return void target.reportValidity();
  const { name } = definition;
  const numbers = numbersOf(definition).with(place, Number(target.value));
  change(() => (own().typed = { ...own().typed, [name]: numbers }));
  later(() => name in documentOf(own()) && put(name, jsonOf(definition, numbers)));
}

const flip = (definition, target) => later(async () => {
  const isOn = target.checked;
  const isDone = await put(definition.name, isOn ? jsonOf(definition, numbersOf(definition)) : undefined);
  if (!isDone) target.checked = !isOn;
});

function behaviourSwitch(definition) {
  const { name, title, sentence, values } = definition;
  const isOn = name in documentOf(own());
  const numbers = numbersOf(definition);
  return h("div", { class: `behaviour${isOn ? " is-on" : ""}`, key: name },
    h("label", { class: "switch" },
      h("input", {
        type: "checkbox", checked: isOn, "aria-describedby": `about-${name}`,
        onchange: ({ target }) => flip(definition, target),
      }), h("b", null, title)),
    h("p", { class: "dim", id: `about-${name}` }, sentence),
    h("div", { class: "row" }, values.map(({ label, unit, step, least }, i) =>
      h("label", { class: "number-field", key: label }, label, " ", h("input", {
        type: "number", value: String(numbers[i]), step, min: least,
        "aria-label": `${title}: ${label}${unit && `, ${unit}`}`,
        onchange: ({ target }) => typeNumber(definition, i, target),
      }), ` ${unit}`))));
}
