// Makes shared access signatures by clicks. The server signs: the page knows no key.
//
//   state.signature = { kind, table, letters, types, expiry, more, ..., made, error, copied }
import { control } from "../core/api.js";
import { copy } from "../core/clipboard.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";
import { codeList } from "../screens/connection.js";

const kKinds = {
  table: "Entities of a table",
  account: "All tables of the account",
  user: "Entities of a table, in the name of an identity",
};
const kEntityLetters = { r: "Read", a: "Add", u: "Update", d: "Delete" };
const kAccountLetters = { r: "Read", w: "Write", d: "Delete", l: "List", a: "Add", c: "Create", u: "Update" };
const kTypes = { s: "Service", c: "Tables", o: "Entities" };
const kTexts = {
  start: "Valid from", fromPartition: "First PartitionKey", fromRow: "First RowKey", toPartition: "Last PartitionKey",
  toRow: "Last RowKey", ip: "IP address", policy: "Access policy", user: "Object id of the only user",
};
const kTextsOf = {
  table: ["start", "fromPartition", "fromRow", "toPartition", "toRow", "ip", "policy"],
  account: ["start", "ip"],
  user: ["start", "fromPartition", "fromRow", "toPartition", "toRow", "ip", "user"],
};

state.signature = { kind: "table", letters: "r", types: "sco", expiry: "1h" };

const own = () => state.signature;

// What was made belongs to what is typed.
const set = (name, value) => change(() => Object.assign(own(), { [name]: value, made: null, error: null }));

function wishOf({ account, signature, catalog, access }) {
  const { kind, letters, types, expiry, httpsOnly, owner } = signature;
  const known = kind === "account" ? kAccountLetters : kEntityLetters;
  const texts = kTextsOf[kind].map((name) => [name, signature[name]]).filter(([, text]) => text);
  return {
    account, kind, expiry, ...Object.fromEntries(texts),
    permissions: [...letters].filter((letter) => letter in known).join(""),
    ...(httpsOnly && { httpsOnly }),
    ...(kind === "account" ? { types } : { table: signature.table || catalog.tables?.[0]?.name || "" }),
    ...(kind === "user" && { owner: owner ?? access.roles?.identities?.[0]?.oid ?? "" }),
  };
}

async function make(event) {
  event.preventDefault();
  const wish = wishOf(state);
  try {
    const made = { ...(await control("POST", "sas", { body: wish })), wish };
    change(() => Object.assign(own(), { made, error: null, copied: "" }));
  } catch (error) {
    change(() => Object.assign(own(), { made: null, error }));
  }
}

const input = (name, words, more) => h("label", { class: "field", key: name }, h("span", null, words), h("input", {
  type: "text", value: own()[name] ?? "", spellcheck: "false", autocomplete: "off", ...more,
  oninput: ({ target }) => set(name, target.value.trim()),
}));

const letterBoxes = (title, name, letters) => h("fieldset", { class: "row", key: name }, h("legend", null, title),
  Object.entries(letters).map(([letter, words]) => h("label", { key: letter, class: "check" }, h("input", {
    type: "checkbox", checked: own()[name].includes(letter),
    onchange: ({ target }) =>
      set(name, target.checked ? own()[name] + letter : own()[name].replace(letter, "")),
  }), words)));

const choice = (name, words, chosen, options) => h("label", { class: "field", key: name }, h("span", null, words),
  h("select", { value: chosen, onchange: ({ target }) => set(name, target.value) },
    Object.entries(options).map(([value, text]) => h("option", { key: value, value }, text))));

export function signaturePart() {
  const { kind, table, error, made, httpsOnly, owner } = own();
  const tables = Object.fromEntries((state.catalog.tables ?? []).map(({ name }) => [name, name]));
  const identities = (state.access.roles?.identities ?? []).map(({ name, oid }) => [oid, name || oid]);
  return h("section", { class: "lab-part", "aria-labelledby": "access-signatures" },
    h("h2", { id: "access-signatures" }, "Signatures"),
    h("p", { class: "dim" }, `A signature lets a program into ${state.account} without a key, for a time.`),
    h("form", { class: "stack", onsubmit: make },
      h("div", { class: "row" },
        choice("kind", "For", kind, kKinds),
        kind !== "account" && choice("table", "Table", table || Object.keys(tables)[0], tables),
        kind === "user" && (identities.length > 0 ?
          choice("owner", "Identity", owner ?? identities[0][0], Object.fromEntries(identities)) :
          input("owner", "Object id of the identity", { size: 36 })),
        input("expiry", "Valid for", { size: 8, title: "1h, 30m, 2d, or a time such as 2026-01-31T12:00:00Z" })),
      letterBoxes("May", "letters", kind === "account" ? kAccountLetters : kEntityLetters),
      kind === "account" && letterBoxes("With", "types", kTypes),
      h("details", { key: `more ${kind}` }, h("summary", null, "More"),
        h("div", { class: "row" }, kTextsOf[kind].map((name) => input(name, kTexts[name])),
          h("label", { class: "check" }, h("input", {
            type: "checkbox", checked: Boolean(httpsOnly), onchange: ({ target }) => set("httpsOnly", target.checked),
          }), "Only HTTPS"))),
      h("div", { class: "row" }, h("button", { type: "submit" }, "Make signature"))),
    error && h("p", { class: "error", role: "alert" }, error.message),
    made && result(made));
}

function result({ sharedAccessSignature, allows, wish: { account, table } }) {
  const endpoint = `${location.origin}/${account}`;
  const list = [
    { language: "URL", text: `${endpoint}/${table ?? ""}?${sharedAccessSignature}` },
    { language: "Connection string", text: `TableEndpoint=${endpoint};SharedAccessSignature=${sharedAccessSignature}` },
    { language: "Signature", text: sharedAccessSignature },
  ];
  const copied = async ({ language, text }) => {
    if (await copy(text)) change(() => (own().copied = language));
  };
  return h("div", { class: "stack made" }, h("p", { role: "status" }, `It ${allows}.`),
    codeList(list, own().copied, copied));
}
