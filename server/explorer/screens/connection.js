// Copies the connection string of the account, as each language takes it.
//
//   state.connection = { strings: [{ language, text }], copied: language }
import { copy } from "../core/clipboard.js";
import { button } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";

const kCopiedMs = 2000;

state.connection = { of: "", strings: [], copied: "" };

// What a program needs to know of the account.
export function accountOf({ account, catalog }) {
  const keyIsPublic = catalog.accounts.find((one) => one.account === account)?.keyIsPublic ?? false;
  return { account, keyIsPublic, endpoint: `${location.origin}/${account}` };
}

async function load({ target }) {
  if (!target.open) return;
  const { connectionStrings } = await import("../entities/snippets.js");
  const strings = connectionStrings(accountOf(state));
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
      codeList(strings, last, copied)));
}

// A list of { language, text }, each to copy; `last` is the language that was copied. `shown` stands for a text that has
// a secret.
export const codeList = (list, last, onCopy) => list.map((one) =>
  h("div", { key: one.language, class: "connection-item" },
    h("span", { class: "row" },
      h("strong", { class: "grow" }, one.language),
      last === one.language && h("span", { class: "good", role: "status" }, "Copied"),
      button("Copy", () => onCopy(one), { "aria-label": `Copy for ${one.language}` })),
    h("pre", { tabindex: "0", "aria-label": `For ${one.language}` }, one.shown ?? one.text)));
