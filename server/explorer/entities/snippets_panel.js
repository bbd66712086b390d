// The query that the grid shows, or an entity, as code of each language.
import { copy } from "../core/clipboard.js";
import { button } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";
import { accountOf, codeList } from "../screens/connection.js";
import { snippets } from "./snippets.js";

// `what` is { filter, select, top }, or { entity }.
export function openSnippets(account, table, what) {
  const list = snippets({ ...what, ...accountOf(state), table, origin: location.origin });
  const own = { title: `${what.entity ? "Entity" : "Query"} as code`, list, copied: "" };
  const close = () => change(() => (state.panel = null));
  change(() => (state.panel = { view: () => view(own, close), close }));
}

const take = (own, { language, text }) =>
  copy(text).then((done) => done && change(() => (own.copied = language)));

const view = (own, close) => h("div", { class: "entity-panel stack", key: "snippets" },
  h("header", { class: "row" },
    h("h2", { class: "grow" }, own.title), button("Close", close, { class: "quiet" })),
  codeList(own.list, own.copied, (one) => take(own, one)));
