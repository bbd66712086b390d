// The patterns of access as a matrix: tables by the part of the key that requests use, how often, and how much they
// read.
import { linkTo } from "../core/address.js";
import { about, count, shown } from "../core/format.js";
import { plural } from "../core/parts.js";
import { h } from "../core/render.js";
import { shownAccount } from "../core/state.js";

// The columns by plan class; writes have none.
const kColumns = [
  ["point", "Both keys"], ["row-range", "A range of rows"], ["partition-scan", "One partition"],
  ["partition-range", "Several partitions"], ["table-scan", "No key"], ["", "Writes"],
];
const kMostTables = 100;

// The rows: {table, cells, requests}, the busiest first. A cell has the sums of its shapes by its plan; none: no cell.
export function matrixOf(shapes) {
  const rows = new Map();
  for (const { table, plan, operation, fingerprint, requests, entitiesScanned } of shapes) {
    const isAccess = plan || /(Entity|Batch)$/.test(operation);
    if (!table || !isAccess) continue;
    if (!rows.has(table)) rows.set(table, { table, cells: {}, requests: 0 });
    const row = rows.get(table);
    const cell = (row.cells[plan] ??= { requests: 0, scanned: 0, patterns: new Set() });
    cell.requests += requests;
    cell.scanned += entitiesScanned;
    cell.patterns.add(fingerprint || operation);
    row.requests += requests;
  }
  return [...rows.values()].sort((a, b) => b.requests - a.requests);
}

export function accessMatrix(shapes) {
  const rows = matrixOf(shapes);
  if (rows.length === 0) return null;
  const most = Math.max(1, ...rows.flatMap(({ cells }) => Object.values(cells).map(({ scanned }) => scanned)));
  return h("section", null,
    h("h2", null, "Patterns of access: what each table is asked by"),
    h("div", { class: "sideways", tabindex: "0", role: "group", "aria-label": "Patterns of access" },
      h("table", { class: "data matrix" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Table"),
          kColumns.map(([, title]) => h("th", { scope: "col", key: title }, title)))),
        h("tbody", null, rows.slice(0, kMostTables).map(({ table, cells }) => h("tr", { key: table },
          h("th", { scope: "row" }, shown(table, 80)),
          kColumns.map(([plan]) => h("td", { key: plan }, cells[plan] && cellOf(table, plan, cells[plan], most)))))))),
    rows.length > kMostTables && h("p", { class: "dim" }, `${count(rows.length - kMostTables)} more tables`));
}

function cellOf(table, plan, { requests, scanned, patterns }, most) {
  const words = `${count(requests)} ${plural(requests, "request")}`;
  return [
    plan ? h("a", {
      href: linkTo("/requests", { of: "shape", table, plan, account: shownAccount() || "*" }),
      class: `plan-class is-${plan}`,
    }, words) : words,
    h("div", { class: "dim", title: shown([...patterns].join("\n"), 600) },
      scanned > 0 && `${about(scanned)} read, `, `${count(patterns.size)} ${plural(patterns.size, "pattern")}`),
    scanned > 0 && h("span", { class: `bar-meter plan-class is-${plan}` },
      h("span", { style: { width: `${Math.max(1, (scanned / most) * 100)}%` } })),
  ];
}
