// The local identities of --identity, and what a program needs to get their tokens.
//
//   state.identities = { told, error, chosen, copied, isShown }; `told` as GET identities answers
import { quoted } from "../activity/request_copy.js";
import { control } from "../core/api.js";
import { copy } from "../core/clipboard.js";
import { button } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";
import { codeList } from "../screens/connection.js";

state.identities = { told: null, error: null, chosen: "", copied: "", isShown: false };

const own = () => state.identities;

export async function loadIdentities() {
  try {
    const told = await control("GET", "identities");
    change(() => Object.assign(own(), { told, error: null }));
  } catch (error) {
    change(() => (own().error = error));
  }
}

// What the identity may do, by the roles that are in force: [text].
function rolesOf({ name, objectId }, roles) {
  if (!roles) return [];
  if (!roles.enforced) return ["everything"];
  const assigned = (roles.assignments ?? []).filter(({ identity }) => identity === name || identity === objectId);
  if (assigned.length === 0) return ["none"];
  return assigned.map(({ role, scope }) => (scope ? `${role} (${scope})` : role));
}

// [{ language, text }] of an identity. Libraries take an endpoint at `localhost` for one of Cosmos DB.
export function variables({ endpoint, header, identities }, { clientId }, { account, origin }) {
  const names = Object.entries({
    ROCKTABLE_ENDPOINT: `${origin.replace(/\/\/localhost(?=:|$)/, "//127.0.0.1")}/${account}`,
    IDENTITY_ENDPOINT: endpoint,
    IDENTITY_HEADER: header,
    ...(identities.length > 1 && { AZURE_CLIENT_ID: clientId }),
  });
  const query = new URLSearchParams({
    "api-version": "2019-08-01", resource: "https://storage.azure.com", client_id: clientId,
  });
  return [
    { language: "bash", text: names.map(([name, value]) => `export ${name}=${quoted(value)}`).join("\n") },
    { language: "PowerShell", text: names.map(([name, value]) => `$env:${name} = '${value}'`).join("\n") },
    { language: "curl", text: `curl -s -H ${quoted(`X-IDENTITY-HEADER: ${header}`)} ${quoted(`${endpoint}?${query}`)}` },
  ];
}

export function identityPart() {
  const { told, error } = own();
  return h("section", { class: "lab-part", "aria-labelledby": "access-identities" },
    h("h2", { id: "access-identities" }, "Local identities"),
    error && h("p", { class: "error", role: "alert" }, error.message),
    told && (told.identities.length > 0 ? withIdentities(told) : h("p", { class: "dim" },
      "There are none. With ", h("code", null, "--tls auto --identity NAME=ROLE"),
      " at the start, DefaultAzureCredential gets tokens without a cloud.")));
}

function withIdentities(told) {
  const { identities, header } = told;
  const { chosen, copied, isShown } = own();
  const one = identities.find(({ name }) => name === chosen) ?? identities[0];
  if (header === null)
    return [identityTable(identities), h("p", { class: "notice" }, "Others can reach this server, so its pages do not get " +
      "the header. The ready file has it; with --controlToken, this page has it, too.")];
  const list = variables(told, one, { account: state.account, origin: location.origin })
    .map((each) => (isShown ? each : { ...each, shown: each.text.replaceAll(header, "***") }));
  const copyOne = async ({ language, text }) => {
    if (await copy(text)) change(() => (own().copied = language));
  };
  return [
    identityTable(identities),
    h("p", { class: "dim" }, "With these variables, DefaultAzureCredential and ManagedIdentityCredential get tokens of " +
      `${one.name}. The header is a secret. Programs must trust the certificate of the tables, too.`),
    isAway(location.hostname) && h("p", { class: "notice" }, "The endpoint is at 127.0.0.1 of the machine where rocktable runs: only " +
      "programs there can ask it."),
    h("div", { class: "row" },
      identities.length > 1 && h("label", { class: "field" }, h("span", null, "For"), h("select", {
        value: one.name, onchange: ({ target }) => change(() => Object.assign(own(), { chosen: target.value, copied: "" })),
      }, identities.map(({ name }) => h("option", { key: name, value: name }, name)))),
      button(isShown ? "Hide the header" : "Show the header", () => change(() => (own().isShown = !isShown)))),
    h("div", { class: "made" }, codeList(list, copied, copyOne)),
  ];
}

// Whether a page of this host may be on another machine than rocktable.
export const isAway = (host) => !/^(127\.[\d.]+|\[::1\]|(.+\.)?localhost)$/.test(host);

function identityTable(identities) {
  const { roles } = state.access;
  return h("div", { class: "sideways" }, h("table", { class: "data" },
    h("thead", null, h("tr", null,
      ["Name", "Client id", "Object id", "Roles"].map((title) => h("th", { key: title, scope: "col" }, title)))),
    h("tbody", null, identities.map((one) => h("tr", { key: one.name },
      h("th", { scope: "row" }, one.name),
      h("td", null, h("code", null, one.clientId)),
      h("td", null, h("code", null, one.objectId)),
      h("td", null, rolesOf(one, roles).map((text, i) => h("div", { key: i }, text))))))));
}
