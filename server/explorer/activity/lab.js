// The screen where the service is made to behave as it does at bad times, in tabs: behaviours, fault rules, the clock;
// snapshots and resets. Each part loads its own data, and shows its own errors.
import { linkTo } from "../core/address.js";
import { h } from "../core/render.js";
import { shownAccount, state } from "../core/state.js";
import { behaviourPart, loadBehaviour } from "./behaviour.js";
import { clockPart, loadClock } from "./clock.js";
import { faultPart, loadFaults } from "./faults.js";
import { loadSnapshots, snapshotPart } from "./snapshots.js";

const kTabs = {
  behaviour: ["Behaviour", behaviourPart],
  faults: ["Faults", faultPart],
  clock: ["Clock", clockPart],
  snapshots: ["Snapshots", snapshotPart],
};

// All parts, because the tabs say what is on in the others.
export async function enter() {
  await Promise.all([loadBehaviour(), loadFaults(), loadClock(), loadSnapshots()]);
}

export function leave() {}

const isOn = {
  behaviour: () => Object.keys(state.lab.behaviour.behaviour ?? {}).length +
    Object.keys(state.lab.behaviour.accounts ?? {}).length > 0,
  faults: () => state.lab.faults.rules?.length > 0,
  clock: ({ frozen, offset } = state.lab.clock) => frozen || !/^[+-]?0s?$/.test(offset ?? "0s"),
  snapshots: () => false,
};

export function view() {
  const { tab } = state.address.parameters;
  const current = Object.hasOwn(kTabs, tab ?? "") ? tab : "behaviour";
  const account = shownAccount() || "*";
  return h("div", { class: "page lab" },
    h("h1", null, "Lab"),
    h("p", { class: "dim" },
      "Makes the service behave as at bad times. What is on shows as a dot beside Lab on every screen."),
    h("nav", { class: "tabs lab-tabs", "aria-label": "Parts of the lab" },
      Object.entries(kTabs).map(([name, [title]]) => h("a", {
        key: name, href: linkTo("/lab", { tab: name, account }), "aria-current": name === current ? "page" : null,
      }, title, isOn[name]() && h("span", { class: "dot", role: "img", "aria-label": ", on" })))),
    h("div", { class: "stack", key: current }, kTabs[current][1]()));
}
