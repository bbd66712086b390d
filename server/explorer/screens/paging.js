// What each page has cost and given, and the ways to more of them. A page that returned nothing is not the
// end: it says so.
import { count, milliseconds, shown } from "../core/format.js";
import { button, plural } from "../core/parts.js";
import { h } from "../core/render.js";
import { loadUpTo, nextPage, stop } from "./entity_pages.js";

const kPagesListed = 200;

// `undo` is what the page wrote last here, and onUndo() takes it back.
export function paging({ rows, pages, next, isLoading, goal, selected, note, look: { sort } }, undo, onUndo) {
  const last = pages.at(-1);
  return h("footer", { class: "paging", key: "paging" },
    h("div", { class: "grow told" },
      h("span", { class: "loaded" },
        `${count(rows.length)} loaded`, selected.size > 0 && `, ${count(selected.size)} selected`),
      last && h("span", { class: "page-line", role: "status" }, `page ${count(pages.length)}: `, line(last)),
      pages.length > 1 && details(pages),
      sort && next && h("span", { class: "warn", key: "sorted" },
        `sorted by ${shown(sort.name, 40)}: only what is loaded`),
      undo && h("span", { class: "undo", key: "undo", role: "status" },
        h("span", { class: undo.isBad ? "bad" : null }, undo.words), " ",
        !undo.isOver && button("Undo", onUndo, { class: "link", disabled: Boolean(undo.isRunning), title: "u" })),
      note && h("span", { class: "good", role: "status" }, note)),
    h("div", { class: "row" },
      goal > 0 ? loading(goal, rows.length) : next && pages.length > 0 && [
        button("Next page", nextPage, { key: "next", disabled: isLoading }),
        button("Load 10,000", () => loadUpTo(rows.length + 10_000), { key: "10k", disabled: isLoading }),
        button("Load all", () => loadUpTo(Infinity), { key: "all", disabled: isLoading }),
      ]));
}

const loading = (goal, loaded) => [
  h("span", { class: "dim", key: "progress", role: "status" },
    goal === Infinity ? `loading all: ${count(loaded)}…` : `loading ${count(loaded)} of ${count(goal)}…`),
  button("Cancel", stop, { key: "cancel" }),
];

function line(page) {
  const scanned = Number.isNaN(page.scanned) ? "" : `scanned ${count(page.scanned)} · `;
  return `${scanned}returned ${count(page.returned)} · more: ${page.hasMore ? "yes" : "no"} · ` +
    milliseconds(page.milliseconds);
}

function details(pages) {
  const sum = (name) => pages.reduce((total, page) => total + page[name], 0);
  const listed = pages.slice(-kPagesListed);
  return h("details", { class: "pages" },
    h("summary", null,
      `all ${count(pages.length)}: scanned ${count(sum("scanned"))} · returned ${count(sum("returned"))}`,
      ` · ${milliseconds(sum("milliseconds"))}`),
    h("ol", { start: pages.length - listed.length + 1 }, listed.map((page) => h("li", null, line(page)))));
}

// In the place of rows where there are none.
export function emptyGrid({ query, pages, next, isLoading, error }) {
  if (error || isLoading || pages.length === 0) return null;
  const [hadSome] = pages.filter(({ returned }) => returned > 0);
  if (next && hadSome) {
    return h("div", { class: "empty" },
      h("h2", null, "All entities that were loaded are deleted"),
      h("p", null, "The query goes on after them."),
      h("p", null, button("Next page", nextPage, { class: "primary" })));
  }
  if (next) {
    return h("div", { class: "empty" },
      h("h2", null, `${plural(pages.length, "This page is", "These pages are")} empty, but there is more`),
      h("p", null, "The service ends a page early when it has scanned enough; the query goes on after it."),
      h("p", null, button("Next page", nextPage, { class: "primary" })));
  }
  return h("div", { class: "empty" },
    h("h2", null, query.filter ? "No entity matches" : "No entities"),
    h("p", null, !query.filter ? "New entity adds one, Import many." :
      `The query has read all that its filter allows${hadSome ? ", and it is deleted" : ""}.`));
}
