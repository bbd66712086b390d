// Small parts that many views are made of.
import { count } from "./format.js";
import { h } from "./render.js";

export const button = (words, onclick, more) => h("button", { type: "button", onclick, ...more }, words);

export const plural = (n, one, many = `${one}s`) => (n === 1 ? one : many);

export const entitiesOf = (n) => `${count(n)} ${plural(n, "entity", "entities")}`;
