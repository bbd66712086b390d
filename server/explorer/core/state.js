// All that the page shows, in one place. What changes it calls change(); the page is drawn once in the next
// frame, however many changes there were.

export const state = {
  account: "devstoreaccount1",
  screen: "tables", // tables, entities, requests, insight, lab or access
  table: null,
  address: { path: [], parameters: {} },
  panel: null, // { view: () => node, close: () => {} }: what the right side shows
  isReachable: true,
  hasAllAccounts: false, // Requests, Insight and Lab show those of all accounts
};

// Whose requests, findings and settings Requests, Insight and Lab show; empty: those of all accounts.
export const shownAccount = () => (state.hasAllAccounts ? "" : state.account);

let draw = () => {};
let isScheduled = false;

export function change(mutate) {
  mutate(state);
  notify();
}

export function notify() {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    draw();
  });
}

// main.js says how to draw.
export function drawWith(redraw) {
  draw = redraw;
}
