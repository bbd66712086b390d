// Small parts that many views are made of.
import { h } from "./render.js";

export const button = (words, onclick, more) => h("button", { type: "button", onclick, ...more }, words);

export const plural = (n, one, many = `${one}s`) => (n === 1 ? one : many);
