// Copies the connection string of the account, as each language takes it.
import { h } from "../core/render.js";

export function connectionString() {
  return h("button", { type: "button", class: "quiet" }, "Connection string");
}
