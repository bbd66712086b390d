// A running server: its connection strings, and its control API.
"use strict";
const { randomBytes } = require("node:crypto");
const { readFileSync } = require("node:fs");
const http = require("node:http");
const https = require("node:https");

// The key of devstoreaccount1, and of every account that --anyAccount adds. It is public.
const kKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

class ControlError extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.name = "ControlError";
    this.status = status;
  }
}

// Returns [[name, value]...].
function parts(connectionString) {
  return connectionString
    .split(";")
    .filter(Boolean)
    .map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]);
}

// Returns the account of a connection string: { name, key, endpoint, connectionString }.
function accountOf(connectionString) {
  const { AccountName, AccountKey, TableEndpoint } = Object.fromEntries(parts(connectionString));
  return { name: AccountName, key: AccountKey, endpoint: TableEndpoint, connectionString };
}

// Returns another account of the same server: one that --anyAccount adds.
function otherAccount(connectionString, name) {
  const valueOf = (key, value) => {
    if (key === "AccountName") return name;
    if (key === "AccountKey") return kKey;
    return key.endsWith("Endpoint") ? new URL(`/${name}`, value).href : value;
  };
  return accountOf(
    parts(connectionString)
      .map(([key, value]) => `${key}=${valueOf(key, value)};`)
      .join(""),
  );
}

// Requests a resource and resolves with the JSON of the answer.
//
//   url    of the resource
//   ca     authorities to trust, PEM; undefined: those of Node
//   token  of --controlToken; may be undefined
function request(method, url, { ca, token }) {
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  const options = { method, headers, ca, agent: false }; // no connection remains open
  const { request } = url.startsWith("https:") ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      const chunks = [];
      response.on("error", reject);
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => {
        const { statusCode } = response;
        let body;
        try {
          body = JSON.parse(Buffer.concat(chunks).toString());
        } catch {
          body = { error: `the answer to ${method} ${url} is no JSON; its status is ${statusCode}` };
        }
        if (statusCode < 300 && !body.error) resolve(body);
        else reject(new ControlError(body.error, statusCode));
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}

class Server {
  #templates;
  #access;

  // `account`: of accountOf(). `templates`: the accounts that account() can copy. `certificateAuthority`: a file.
  constructor({ account, templates, certificateAuthority, controlToken }) {
    const { origin, port, protocol } = new URL(account.endpoint);
    this.connectionString = account.connectionString;
    this.endpoint = account.endpoint;
    this.url = origin;
    this.port = Number(port || (protocol === "https:" ? 443 : 80));
    this.certificateAuthority = certificateAuthority;
    this.#templates = templates;
    this.#access = { ca: certificateAuthority && readFileSync(certificateAuthority), token: controlToken };
  }

  get environment() {
    const authority = this.certificateAuthority;
    const { token } = this.#access;
    return {
      AZURE_STORAGE_CONNECTION_STRING: this.connectionString,
      AZURE_TABLES_CONNECTION_STRING: this.connectionString,
      ROCKTABLE_ENDPOINT: this.endpoint,
      ROCKTABLE_URL: this.url,
      ROCKTABLE_PORT: String(this.port),
      ROCKTABLE_YES: "1",
      ROCKTABLE_TEMPLATE: this.#templates.join(),
      ...(token && { ROCKTABLE_CONTROL_TOKEN: token }),
      ...(authority && { ROCKTABLE_CA_FILE: authority, NODE_EXTRA_CA_CERTS: authority }),
    };
  }

  async account({ template } = {}) {
    const templates = template === undefined ? this.#templates : [template].filter(Boolean);
    if (templates.length > 1)
      throw new Error(`the seed fills the accounts ${templates.join(", ")}: choose one by the option template`);
    const name = `t${randomBytes(10).toString("hex")}`;
    for (const from of templates) await this.#control("POST", `accounts/${name}`, { from });
    return otherAccount(this.connectionString, name);
  }

  async reset({ account, table } = {}) {
    await this.#control("POST", "reset", { account, table });
  }

  snapshot(name, { replace } = {}) {
    return this.#control("POST", `snapshots/${encodeURIComponent(name)}`, { replace });
  }

  async restore(name) {
    await this.#control("POST", `snapshots/${encodeURIComponent(name)}/restore`);
  }

  stats() {
    return this.#control("GET", "stats");
  }

  // Makes all accounts that have tables templates.
  async copyFilledAccounts() {
    const { accounts } = await this.#control("GET", "contents");
    this.#templates = accounts.map(({ account }) => account);
  }

  // `path` is relative to /_rocktable/.
  #control(method, path, parameters = {}) {
    const url = new URL(`${this.url}/_rocktable/${path}`);
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined) url.searchParams.set(name, value);
    return request(method, url.href, this.#access);
  }
}

module.exports = { ControlError, Server, accountOf, otherAccount };
