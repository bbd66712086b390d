// The screen of who may do what: signatures to make, and the roles of bearer tokens.
import { h } from "../core/render.js";
import { loadRoles, rolePart } from "./roles.js";
import { signaturePart } from "./signatures.js";

export async function enter() {
  document.title = "Access · rocktable";
  await loadRoles();
}

export function leave() {}

export const view = () => h("div", { class: "page" }, h("h1", null, "Access"), signaturePart(), rolePart());
