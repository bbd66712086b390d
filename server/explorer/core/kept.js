// What this browser keeps of each table: its filters, and how its columns look. Of at most kMostTables tables, the
// last that were used. Nothing is kept where the browser does not allow it.
const kItem = "rocktable";
const kMostTables = 50;

const keyOf = (account, table) => `${account}/${table}`.toLowerCase();

let last = { text: null, tables: {} }; // what was parsed need not be parsed for each frame

function all() {
  try {
    const text = localStorage.getItem(kItem);
    if (text !== last.text) last = { text, tables: JSON.parse(text) ?? {} };
    return last.tables;
  } catch {
    return {};
  }
}

export const kept = (account, table) => all()[keyOf(account, table)] ?? {};

// Adds `values` to what is kept of the table.
export function keep(account, table, values) {
  const tables = { ...all() };
  const key = keyOf(account, table);
  const own = { ...tables[key], ...values };
  delete tables[key]; // the last used one is the last
  tables[key] = own;
  for (const old of Object.keys(tables).slice(0, -kMostTables)) delete tables[old];
  try {
    localStorage.setItem(kItem, JSON.stringify(tables));
  } catch {
    // full, or not allowed
  }
}
