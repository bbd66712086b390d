// Which words of a filter are there, and which may come next: for completion, and to know whether a filter is still
// being typed. Pure. It knows the order of words; whether a filter is right, the service says.
import { signOf } from "../entities/values.js";

const kWords = /(?:datetime|guid|binary|X)?'(?:[^']|'')*'?|[()]|[^\s()']+/g;
const kClosed = /^\w*'(?:[^']|'')*'$/;
const kOperators = {
  eq: "equal", ne: "not equal", gt: "greater", ge: "greater or equal", lt: "less", le: "less or equal",
};
const kJoiners = { and: "both", or: "one of both" };
const kLiterals = {
  "Edm.String": ["''"], "Edm.DateTime": ["datetime''"], "Edm.Guid": ["guid''"], "Edm.Binary": ["X''"],
  "Edm.Boolean": ["true", "false"],
};
const kMostOptions = 12;

// What is wanted after `words`: { wanted: "name" | "operator" | "value" | "joiner", depth, name }; {} if they are in no
// order of a filter. `name` is the last that a comparison began with.
function after(words) {
  let wanted = "name";
  let depth = 0;
  let name = "";
  for (const word of words) {
    const isOperator = Object.hasOwn(kOperators, word);
    const isJoiner = Object.hasOwn(kJoiners, word);
    const isEnd = wanted === "operator" || wanted === "joiner"; // of a condition
    if (word === "(" && wanted === "name") depth += 1;
    else if (word === ")" && isEnd && depth > 0) [wanted, depth] = ["joiner", depth - 1];
    else if (isJoiner && isEnd) wanted = "name";
    else if (isOperator && wanted === "operator") wanted = "value";
    else if (isOperator || isJoiner || /^[()]$/.test(word)) return {};
    else if (wanted === "value") wanted = "joiner";
    else if (wanted !== "name") return {};
    else if (word !== "not") [wanted, name] = ["operator", word];
  }
  return { wanted, depth, name };
}

// The same before `caret`, with the word that ends there: `partial`; `isOpen`: it is a literal without its end.
function typedAt(text, caret) {
  const before = text.slice(0, caret);
  const words = before.match(kWords) ?? [];
  const last = words.at(-1) ?? "";
  const isOpen = last.includes("'") && !kClosed.test(last);
  const partial = isOpen || /[^\s()]$/.test(before) ? words.pop() : "";
  return { ...after(words), partial, isOpen };
}

// Whether a filter is still being typed, so that it is too early to judge it. `isBoolean(name)`: a condition may be
// that name alone.
export function isUnfinished(text, caret, isRefused, isBoolean) {
  const { wanted, depth, name, partial } = typedAt(text, caret);
  if (!wanted) return false;
  const isInside = caret < text.trimEnd().length;
  if (isInside || wanted === "value") return isRefused && (partial !== "" || !isInside);
  if (wanted === "joiner") return isRefused && (partial !== "" || depth > 0);
  return !isBoolean(wanted === "name" ? partial : partial ? "" : name);
}

// What may stand at the caret: { from, options: [{ word, hint }] }; each goes in the place of the text between `from`
// and the caret.
export function suggestions(text, caret, columns) {
  const { wanted, name, partial, isOpen } = typedAt(text, caret);
  const hinted = (words) => Object.entries(words).map(([word, hint]) => ({ word, hint }));
  const all = {
    name: () => [...columns.map(({ name: word, types }) => ({ word, hint: [...types].map(signOf).join(" ") }))
      .filter(({ word }) => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(word)), { word: "not", hint: "the opposite" }],
    operator: () => hinted(kOperators),
    value: () => [...(columns.find((one) => one.name === name)?.types ?? ["Edm.String"])]
      .flatMap((type) => (kLiterals[type] ?? []).map((word) => ({ word, hint: type.slice(4) }))),
    joiner: () => hinted(kJoiners),
  }[isOpen ? "" : wanted]?.() ?? [];
  const typed = partial.toLowerCase();
  const placeOf = ({ word }) => word.toLowerCase().indexOf(typed);
  const found = all.filter((one) => placeOf(one) === 0 || (wanted === "name" && placeOf(one) > 0));
  found.sort((a, b) => Math.sign(placeOf(a)) - Math.sign(placeOf(b)));
  return { from: caret - partial.length, options: found.slice(0, kMostOptions) };
}
