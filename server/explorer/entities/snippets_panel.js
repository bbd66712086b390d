// The query that the grid shows, as code of each language.
import { copy } from "../core/clipboard.js";
import { button } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";
import { snippets } from "./snippets.js";

export function openSnippets(account, table, query) {
  const { origin } = location;
  const keyIsPublic = state.catalog.accounts.find((one) => one.account === account)?.keyIsPublic ?? false;
  const own = { list: snippets({ ...query, account, table, origin, keyIsPublic, endpoint: `${origin}/${account}` }), copied: "" };
  const close = () => change(() => (state.panel = null));
  change(() => (state.panel = { view: () => view(own, close), close }));
}

const take = (own, { language, text }) =>
  copy(text).then((done) => done && change(() => (own.copied = language)));

const view = (own, close) => h("div", { class: "entity-panel snippets", key: "snippets" },
  h("header", { class: "row" },
    h("h2", { class: "grow" }, "Query as code"), button("Close", close, { class: "quiet" })),
  own.list.map((one) => h("section", { key: one.language },
    h("div", { class: "row" },
      h("h3", { class: "grow" }, one.language),
      own.copied === one.language && h("span", { class: "good", role: "status" }, "Copied"),
      button("Copy", () => take(own, one), { "aria-label": `Copy for ${one.language}` })),
    h("pre", { tabindex: "0", "aria-label": `Code for ${one.language}` }, one.text))));
