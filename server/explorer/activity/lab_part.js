// What the parts of the lab share: state.lab has one object for each, with the error of its last action.
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";
import { refreshLab } from "../screens/lab_dot.js";

state.lab = { behaviour: {}, faults: {}, clock: {}, snapshots: {} };

// Runs an action of a part: its error is shown in the part, and the dot of the frame follows what it changed.
export async function act(part, action, { isChange = true } = {}) {
  const own = state.lab[part];
  change(() => (own.isBusy = true));
  try {
    await action();
    own.error = null;
  } catch (error) {
    own.error = error;
  }
  change(() => (own.isBusy = false));
  if (isChange) refreshLab();
  return own.error === null;
}

export function errorOf(part) {
  const { error } = state.lab[part];
  return error && h("p", { class: "error", role: "alert", key: "error" }, error.message);
}
