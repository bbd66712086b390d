// What a cell of the grid shows, and how wide its column is.
import { signOf, textOf, typeOf } from "../entities/values.js";
import { bytes, shown } from "../core/format.js";
import { h } from "../core/render.js";

const kCharWidth = 8; // of the monospaced face, a little more than it is
const kPadding = 18;
const kLeastWidth = 64;
const kMostWidth = 340;
export const kLongText = 200; // longer texts are cut here, and open at the side
const kShortJson = 2000; // characters; of a longer text only the ends are looked at, because rows are drawn often

const kTimestampWidth = 130;

const characters = (width) => Math.floor((width - kPadding) / kCharWidth);

// The width that this cell and the head of its column would like.
export function widthOf(entity, { name, types }) {
  if (name === "Timestamp") return kTimestampWidth;
  const text = Math.min(textOf(entity, name).length, kLongText);
  const signs = [...types].reduce((sum, type) => sum + signOf(type).length + 1, 1);
  const longest = Math.max(text + (types.size > 1 ? 3 : 0), name.length + signs);
  return Math.min(kMostWidth, Math.max(kLeastWidth, longest * kCharWidth + kPadding));
}

// The sign of a type, with its name for those who ask.
export const typeSign = (type) =>
  h("abbr", { class: "sign", key: type, title: type }, signOf(type));

// A text that is JSON of several values, with lines and indentation; else "".
export function formatted(text) {
  if (!/^\s*[[{]/.test(text)) return "";
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return "";
  }
}

// The content of a cell: nothing for a property that the entity does not have. `onFormat(name, text)` shows JSON.
export function cellContent(entity, { name, types, width }, onFormat) {
  if (!Object.hasOwn(entity, name) || entity[name] === null) return null;
  const text = textOf(entity, name);
  if (name === "Timestamp") // the panel and a copy have all of it
    return h("span", { title: text }, text.slice(5, 19).replace("T", " "));
  const json = /^\s*[[{]/.test(text) && "]}".includes(text.trimEnd().at(-1)) &&
    (text.length > kShortJson || formatted(text));
  const sign = [
    types.size > 1 && typeSign(typeOf(entity, name)),
    json && h("button", {
      type: "button", class: "json", key: "json", tabindex: "-1", title: "Show the JSON in lines: f",
      "aria-label": `JSON of ${shown(name)} in lines`, onclick: () => onFormat(name, text),
    }, "{}"),
  ];
  if (text.length <= kLongText) return [sign, shown(text)];
  const size = `… ${bytes(new TextEncoder().encode(text).length)}`;
  const room = characters(width) - size.length - (types.size > 1 ? 4 : 0) - (json ? 4 : 0);
  return [sign, shown(text.slice(0, Math.max(room, 4))), h("span", { class: "dim" }, size)];
}
