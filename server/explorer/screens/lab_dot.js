// Whether the lab has something on: behaviours, faults, or a clock that is not the wall clock. It shows on
// every screen, since nobody should debug a fault that they switched on themselves.
//
//   state.labOn = ["behaviour boundaries", "1 fault rule"]
//
// Nothing is polled: it is asked for on arrival at a screen, when the window gets the focus, and by the lab
// after a change.
import { control } from "../core/api.js";
import { change, state } from "../core/state.js";

state.labOn = [];

export async function refreshLab() {
  try {
    const [{ behaviour, accounts }, { faults }, clock] = await Promise.all([
      control("GET", "behaviour"),
      control("GET", "faults"),
      control("GET", "clock"),
    ]);
    change(() => (state.labOn = whatIsOn(behaviour, accounts, faults, clock)));
  } catch {
    // says nothing rather than something wrong
  }
}

function whatIsOn(behaviour, accounts, faults, clock) {
  const names = Object.keys(behaviour ?? {});
  for (const [account, own] of Object.entries(accounts ?? {}))
    for (const name of Object.keys(own)) names.push(`${name} (${account})`);
  const on = names.map((name) => `behaviour ${name}`);
  if (faults?.length) on.push(`${faults.length} fault ${faults.length === 1 ? "rule" : "rules"}`);
  if (clock?.frozen) on.push("frozen clock");
  else if (clock && !/^[+-]?0s?$/.test(clock.offset ?? "0")) on.push(`clock ${clock.offset}`);
  return on;
}
