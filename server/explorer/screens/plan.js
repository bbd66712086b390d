// What the service would do with a filter, while it is being typed: the class, the share of the table that it
// reads, and a better query; or the refusal, with its position.
//
//   state.plan = { filter, result, isOld }
import { control } from "../core/api.js";
import { percent, shown } from "../core/format.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";

const kQuietMs = 150;
const kAround = 40; // characters of the filter before a position that are shown

state.plan = null;
let timer = 0;
let asking = null;

export function planSoon(account, table, filter, milliseconds = kQuietMs) {
  clearTimeout(timer);
  asking?.abort();
  if (!filter.trim()) return change(() => (state.plan = null));
  change(() => state.plan && (state.plan.isOld = true));
  timer = setTimeout(() => ask(account, table, filter), milliseconds);
}

async function ask(account, table, filter) {
  const { signal } = (asking = new AbortController());
  try {
    const result = await control("GET", "plan", { query: { account, table, filter }, signal });
    if (!signal.aborted) change(() => (state.plan = { filter, result, isOld: false }));
  } catch (error) {
    if (error.name !== "AbortError") change(() => (state.plan = null)); // running it says what is wrong
  }
}

const level = (share) => (share < 0.01 ? "good" : share < 0.2 ? "warn" : "bad");

// The class and the bar, beside the filter. `isEarly`: the filter is still being typed, and nothing of it is judged.
export function planBadge(plan, isEarly) {
  const { plan: name, share, entities, error } = plan?.result ?? {};
  if (isEarly) return h("span", { class: "plan", key: "plan" }, h("span", { class: "chip dim" }, "not finished"));
  if (!plan || error)
    return h("span", { class: "plan", key: "plan" }, error && h("span", { class: "chip bad" }, "refused"));
  const text = `reads ${percent(share)} of the table`;
  return h("span", {
    class: `plan${plan.isOld ? " old" : ""}`, key: "plan", title: `${text}, about ${entities} entities`,
  },
    h("span", { class: "chip" }, name),
    h("span", { class: `bar-meter ${level(share)}`, role: "img", "aria-label": text },
      h("span", { style: { width: `${Math.min(100, share * 100)}%` } })),
    h("span", { class: `share ${level(share)}` }, percent(share)));
}

// Under the filter: the better query, or what is wrong and where. `isEmpty`: there is no
// filter. `onGoTo(from, to)` selects it.
export function planDetail(plan, isEmpty, isEarly, onGoTo) {
  if (isEarly) return h("div", { class: "plan-detail", id: "plan-detail" });
  const { error, better, rangeTexts = [], plan: name } = plan?.result ?? {};
  const isOld = plan?.isOld ? " old" : "";
  if (error) return refusal(plan.filter, error, isOld, onGoTo);
  return h("div", { class: `plan-detail${isOld}`, id: "plan-detail" },
    isEmpty && h("p", { class: "dim" }, "Without a filter: all entities, in the order of their keys."),
    rangeTexts.length > 0 && name !== "table-scan" && h("p", { class: "dim mono" }, ranges(rangeTexts)),
    better && h("p", null, h("strong", null, "Better: "), shown(better)));
}

function ranges(texts) {
  const some = texts.slice(0, 3).map((text) => shown(text, 160)).join(" · ");
  return texts.length > 3 ? `${some} · ${texts.length - 3} more` : some;
}

function refusal(filter, { code, message, position }, isOld, onGoTo) {
  const sentence = h("span", { key: "sentence" }, shown(message.split("\n")[0], 400));
  return h("div", { class: `plan-detail refusal${isOld}`, id: "plan-detail", role: "status" },
    h("strong", { class: "error" }, code),
    position >= 0 && marked(filter, position, onGoTo),
    sentence);
}

// The part of the filter that the service stumbled over. It tells how far it had read, which is the end of
// that part.
export function stumbledOver(filter, position) {
  let found = [position, position];
  for (const { 0: part, index } of filter.matchAll(/'(?:[^']|'')*'?|[\w.]+|\S/g))
    if (index < position) found = [index, index + part.length];
  return found;
}

// The filter around that part.
function marked(filter, position, onGoTo) {
  const [from, to] = stumbledOver(filter, position);
  const start = Math.max(0, from - kAround);
  return h("button", {
    type: "button", key: "marked", class: "quiet mono marked", title: `Go to position ${position}`,
    onclick: () => onGoTo(from, to),
  },
    start > 0 && "…", shown(filter.slice(start, from)),
    h("mark", null, shown(filter.slice(from, to)) || " "),
    shown(filter.slice(to, to + kAround)));
}
