import { h } from "../core/render.js";

export function view() {
  return h("h1", null, "tables");
}
export function enter() {}
export function leave() {}
