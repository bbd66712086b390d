// Copies the connection string of the account, as each language takes it.
//
//   state.connection = { strings: [{ language, text }], copied: language }
import { copy } from "../core/clipboard.js";
import { button } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";

const kCopiedMs = 2000;

state.connection = { of: "", strings: [], copied: "" };

async function load({ target }) {
  if (!target.open) return;
  const { account, catalog } = state;
  const { connectionStrings } = await import("../entities/snippets.js");
  const keyIsPublic = catalog.accounts.find((one) => one.account === account)?.keyIsPublic ?? false;
  const strings = connectionStrings({ account, keyIsPublic, endpoint: `${location.origin}/${account}` });
  change(() => (state.connection = { strings, copied: "" }));
}

async function copied({ language, text }) {
  if (!(await copy(text))) return;
  change(() => (state.connection.copied = language));
  setTimeout(() => change(() => (state.connection.copied = "")), kCopiedMs);
}

export function connectionString({ account, connection: { strings, copied: last } }) {
  return h("details", { class: "menu connection", key: `connection ${account}`, ontoggle: load },
    h("summary", { class: "button" }, "Connection string"),
    h("div", { class: "menu-list connection-list" },
      strings.map((one) => h("div", { key: one.language, class: "connection-item" },
        h("span", { class: "row" },
          h("strong", { class: "grow" }, one.language),
          last === one.language && h("span", { class: "good", role: "status" }, "Copied"),
          button("Copy", () => copied(one), { "aria-label": `Copy for ${one.language}` })),
        h("pre", { tabindex: "0", "aria-label": `Connection string for ${one.language}` }, one.text)))));
}
