// Tables whose names differ only in digits, such as log20261120, log20261121, are one line of a list. Pure.

const kLeastToFold = 3;
const folded = new WeakMap(); // a list that was folded before is not folded for each frame

// Returns, in the order of the names, { table } or { shape, label, tables, entities, bytes, isExact }.
// `shape` is the name in lower case with # for digits, as the insight resources write it.
export function foldTables(tables) {
  if (!folded.has(tables)) folded.set(tables, fold(tables));
  return folded.get(tables);
}

function fold(tables) {
  const groups = new Map();
  for (const table of tables) {
    const shape = shapeOf(table.name);
    if (!groups.has(shape)) groups.set(shape, []);
    groups.get(shape).push(table);
  }
  const lines = [];
  for (const table of tables) {
    const shape = shapeOf(table.name);
    const group = groups.get(shape);
    if (!shape.includes("#") || group.length < kLeastToFold) lines.push({ table });
    else if (group[0] === table) lines.push(foldOf(shape, group));
  }
  return lines;
}

export const shapeOf = (name) => name.toLowerCase().replace(/\d+/g, "#");

function foldOf(shape, tables) {
  const sum = (member) => tables.reduce((total, table) => total + table[member], 0);
  return {
    shape,
    label: tables[0].name.replace(/\d+/g, "…"),
    tables,
    entities: sum("entities"),
    bytes: sum("bytes"),
    isExact: tables.every((table) => table.isExact),
  };
}

// Those whose name contains all words of `text`, in any case.
export function matching(tables, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return tables;
  return tables.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}
