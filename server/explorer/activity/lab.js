// The screen where the service is made to behave as it does at bad times: behaviours, fault rules, the clock;
// snapshots and resets. Each part loads its own data, and shows its own errors.
import { h } from "../core/render.js";
import { behaviourPart, loadBehaviour } from "./behaviour.js";
import { clockPart, loadClock } from "./clock.js";
import { faultPart, loadFaults } from "./faults.js";
import { loadSnapshots, snapshotPart } from "./snapshots.js";

export async function enter() {
  await Promise.all([loadBehaviour(), loadFaults(), loadClock(), loadSnapshots()]);
}

export function leave() {}

export function view() {
  return h("div", { class: "page lab" },
    h("h1", null, "Lab"),
    h("p", { class: "dim" },
      "Makes the service behave as at bad times. What is on shows as a dot beside Lab on every screen."),
    behaviourPart(), faultPart(), clockPart(), snapshotPart());
}
