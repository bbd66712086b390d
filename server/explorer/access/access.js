// The screen of who may do what: signatures to make, local identities, and the roles of bearer tokens.
import { h } from "../core/render.js";
import { identityPart, loadIdentities } from "./identities.js";
import { loadRoles, rolePart } from "./roles.js";
import { signaturePart } from "./signatures.js";

export async function enter() {
  document.title = "Access · rocktable";
  await Promise.all([loadRoles(), loadIdentities()]);
}

export function leave() {}

export const view = () => h("div", { class: "page" }, h("h1", null, "Access"), signaturePart(), identityPart(),
  rolePart());
