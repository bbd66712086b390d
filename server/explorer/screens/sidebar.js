// The list of tables at the left.
import { linkTo } from "../core/address.js";
import { h } from "../core/render.js";

export function sidebar({ catalog, account }) {
  return h("nav", { class: "sidebar", id: "sidebar", "aria-label": "Tables" },
    (catalog.tables ?? []).map(({ name }) =>
      h("a", { key: name, href: linkTo(`/acc/${encodeURIComponent(account)}/${encodeURIComponent(name)}`) }, name)));
}
