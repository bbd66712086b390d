// The screen of what requests cost: the report of `rocktable report`, of the server that runs.
import { linkTo } from "../core/address.js";
import { control } from "../core/api.js";
import { about, count, milliseconds, shown } from "../core/format.js";
import { button, plural } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, notify, shownAccount, state } from "../core/state.js";
import { accessMatrix } from "./access_matrix.js";
import { barChart, chartTable } from "./chart.js";
import { filterOfShape } from "./request_filter.js";
import { addedUp, findingsOf, grouped, totalsOf } from "./shapes.js";

const kFirstShapes = 50;
const kFirstItems = 5;
const kText = 600;

state.insight = { report: null, error: null, isLoading: false, loadedAt: 0, shapesShown: kFirstShapes };
const own = state.insight;
let clock = null;

export async function enter({ parameters }) {
  clock ??= setInterval(notify, 1000); // "updated 3 s ago"
  await load();
  if (parameters.finding) requestAnimationFrame(() => showFinding(parameters.finding));
}

export const back = () => load();

// The line of a request leads here.
function showFinding(id) {
  const article = document.getElementById(`finding-${id}`);
  article?.scrollIntoView({ block: "start" });
  article?.focus({ preventScroll: true });
}

export function leave() {
  clearInterval(clock);
  clock = null;
}

let loads = 0;

// An answer that was overtaken says nothing any more.
async function load() {
  const load_ = ++loads;
  change(() => (own.isLoading = true));
  try {
    const answer = await control("GET", "queries", { query: { account: shownAccount() } });
    if (load_ === loads) show(answer);
  } catch (error) {
    own.error = error;
  }
  if (load_ === loads) change(() => (own.isLoading = false));
}

// What is drawn is made once for each answer, because there may be thousands of shapes.
function show(answer) {
  const shapes = addedUp(answer.shapes);
  const groups = grouped(answer.findings);
  Object.assign(own, {
    report: { ...answer, shapes, groups, totals: totalsOf(shapes) },
    error: null,
    loadedAt: Date.now(),
    drawn: null,
  });
}

async function startAgain() {
  try {
    await control("POST", "queries/reset", { query: { account: shownAccount() } });
    own.shapesShown = kFirstShapes;
    await load();
  } catch (error) {
    change(() => (own.error = error));
  }
}

export function view() {
  const { report, error, loadedAt, isLoading } = own;
  const seconds = Math.max(0, Math.round((Date.now() - loadedAt) / 1000));
  const age = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
  if (report) own.drawn ??= content(report);
  return h("div", { class: "page insight" },
    h("header", { class: "row" },
      h("h1", { class: "grow" }, "Insight"),
      h("span", { class: "dim" }, report && `updated ${age} ago`),
      button("Reload", load, { disabled: isLoading }),
      button("Start again", startAgain, {
        title: `Forgets all counts and findings of ${shownAccount() || "all accounts"}`,
      })),
    error && h("p", { class: "error", role: "alert" }, error.message),
    report && own.drawn);
}

function content(report) {
  const { shapes, groups, minutes } = report;
  if (shapes.length === 0) {
    return h("div", { class: "empty", key: "empty" }, h("h2", null, "No requests counted"),
      h("p", null, `Each request ${shownAccount() && `of ${shownAccount()} `}`,
        `since ${instant(report.since)} would be here, by its shape. `,
        shownAccount() && h("a", { href: linkTo("/insight", { account: "*" }) }, "Show all accounts")));
  }
  return h("div", { class: "report", key: "report" },
    totals(report),
    minutes?.length > 0 && charts(minutes),
    findings(groups),
    accessMatrix(shapes),
    h("section", null,
      h("h2", null, "Shapes of requests, by entities scanned"),
      h("div", { class: "shapes" },
        shapes.slice(0, own.shapesShown).map((shape) => shapeCard(shape, groups, shapes[0].entitiesScanned))),
      shapes.length > own.shapesShown && button(`Show more of ${count(shapes.length)}`, showMore)));
}

const showMore = () =>
  change(() => Object.assign(own, { shapesShown: own.shapesShown * 4, drawn: null }));

function instant(iso) {
  const at = new Date(iso);
  return `${at.toLocaleDateString("en-CA")} ${at.toLocaleTimeString("en-GB")}`;
}

function totals({ totals: sums, shapes, since, notCounted }) {
  const numbers = [
    ["requests", sums.requests], ["shapes", shapes.length], ["scanned", sums.entitiesScanned],
    ["returned", sums.entitiesReturned], ["written", sums.entitiesWritten], ["failed", sums.errors],
  ];
  return h("section", null,
    h("dl", { class: "totals" },
      numbers.map(([name, number]) => counted(name, number))),
    h("p", { class: "dim" },
      `Since ${instant(since)}. Times are of this machine; the counts are those of the cloud, too.`,
      notCounted > 0 && ` Of ${count(notCounted)} more requests no shape was kept.`));
}

// Large numbers are short, and whole when pointed at.
const counted = (name, number, className) => h("div", { key: name }, h("dt", null, name),
  h("dd", { class: className, title: count(number) }, number < 100_000 ? count(number) : about(number)));

function charts(minutes) {
  const columns = [
    { title: "Requests in 10 s", of: (minute) => minute.requests, format: count },
    { title: "Entities scanned in 10 s", of: (minute) => minute.entitiesScanned, format: count },
    { title: "Time, 99th percentile", of: (minute) => minute.milliseconds?.p99 ?? 0, format: milliseconds },
  ];
  return h("section", null,
    h("div", { class: "charts" }, columns.map(({ title, of, format }) => {
      const points = minutes.map((minute) => ({ time: minute.time, value: of(minute) }));
      return barChart({ title, format, points });
    })),
    chartTable("The same as numbers", minutes, columns));
}

function findings(groups) {
  if (groups.length === 0) {
    return h("section", null, h("h2", null, "Findings"),
      h("p", { class: "good" }, "None: no use of tables that gets slow or expensive."));
  }
  return h("section", { class: "findings" },
    h("h2", null, "Findings, the worst first"), h("div", { class: "finding-groups" }, groups.map(findingGroup)));
}

function findingGroup({ id, title, advice, isError, items }) {
  return h("article", {
    class: `finding ${isError ? "is-error" : ""}`, key: id, id: `finding-${id}`, tabindex: "-1",
  },
    h("h3", null,
      h("span", { class: isError ? "bad" : "warn" }, isError ? "Expensive: " : "Look at: "), title,
      items.length > 1 && h("span", { class: "dim" }, ` (${count(items.length)})`)),
    advice && h("p", { class: "better" }, h("b", null, "Better: "), prose(advice)),
    h("ul", null, items.slice(0, kFirstItems).map(findingItem)),
    items.length > kFirstItems && h("details", null,
      h("summary", null, `${count(items.length - kFirstItems)} more`),
      h("ul", null, items.slice(kFirstItems, 100).map(findingItem))));
}

function findingItem(item) {
  return h("li", { key: item.key },
    h("p", null, prose(item.sentence)),
    h("p", { class: "place" }, h("code", null, placeOf(item)), " ", requestsLink(item, item.id)),
    item.design && design(item.design),
    item.example && h("details", null,
      h("summary", null, "Example"), h("pre", null, shown(item.example, kText))));
}

// The keys that would serve the query; why, and the change as code, on request.
function design({ sentence, why, code }) {
  return h("div", { class: "design" },
    h("p", null, h("b", null, "Here: "), prose(sentence)),
    h("details", null,
      h("summary", null, code ? "Why, and as code" : "Why"), h("p", null, prose(why)), code && h("pre", null, code)));
}

// "QueryEntities orders: Age gt ?"
function placeOf({ operation, table, fingerprint }) {
  const place = [operation, table].filter(Boolean).join(" ");
  return shown(fingerprint ? `${place}: ${fingerprint}` : place, kText);
}

// What stands between backticks is code.
const prose = (text) => shown(text).split("`").map((part, i) => (i % 2 === 1 ? h("code", null, part) : part));

const requestsLink = (one, of) => h("a", {
  href: linkTo("/requests", { ...filterOfShape(one, of), account: shownAccount() || "*" }),
}, "Last requests");

function shapeCard(shape, groups, most) {
  const { key, plan, entitiesScanned, entitiesReturned, entitiesWritten, requests, errors } = shape;
  const isManyForFew = entitiesScanned >= 100 && entitiesScanned > 20 * Math.max(entitiesReturned, 1);
  const isOfMany = plan === "table-scan" || plan === "partition-range";
  const colour = isOfMany ? "bad" : isManyForFew ? "warn" : "good";
  const numbers = [
    ["scanned", entitiesScanned], ["returned", entitiesReturned], ["written", entitiesWritten],
    ["requests", requests], ["failed", errors],
  ].filter(([name, number]) => number > 0 || name === "scanned");
  const better = findingsOf(shape, groups);
  return h("article", { class: "shape", key },
    h("div", { class: "did" },
      h("h3", null, shown([shape.operation, shape.table].filter(Boolean).join(" "), 120), " ",
        plan && h("span", { class: `plan-class is-${plan}` }, plan)),
      shape.fingerprint && h("code", { class: "fingerprint" }, shown(shape.fingerprint, kText)),
      shape.select && h("p", { class: "dim" }, `$select=${shown(shape.select, 200)}`),
      h("p", { class: "dim" }, shown(moreOf(shape), kText)),
      better.map(({ id, title, advice }) =>
        h("p", { class: "better", key: id },
          h("b", null, advice ? "Better: " : "Finding: "), prose(advice || title)))),
    h("div", { class: "cost" },
      entitiesScanned > 0 && h("span", { class: `bar-meter ${colour}` },
        h("span", { style: { width: `${Math.max(1, (entitiesScanned / most) * 100)}%` } })),
      h("dl", null,
        numbers.map(([name, number]) => counted(name, number, name === "failed" ? "bad" : null)),
        h("div", { key: "p99" }, h("dt", null, "p99"), h("dd", null, milliseconds(shape.milliseconds.p99)))),
      requestsLink(shape)));
}

function moreOf(shape) {
  const { partitions, partitionsExact, continuations, abandoned, conflicts } = shape;
  const { clients, tests, accounts } = shape;
  const some = (n, one) => n > 0 && `${count(n)} ${plural(n, one)}`;
  const list = (set, word) => set.size > 0 &&
    (set.size <= 3 ? `${word} ${[...set].join(", ")}` : `${set.size} ${word}s`);
  return [
    partitions > 0 && `${partitionsExact ? "" : "at least "}${some(partitions, "partition")}`,
    some(continuations, "continuation"),
    abandoned > 0 && `${count(abandoned)} abandoned`,
    some(conflicts, "conflict"),
    accounts.size > 1 ? list(accounts, "account") : "",
    list(clients, "client"),
    list(tests, "test"),
  ].filter(Boolean).join(" · ");
}
