// The screen of access, as a person uses it: signatures by clicks, and the roles of tokens.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { browser, eventually, openExplorer, server, startExplorerServer, useServerAndBrowser } from "./harness.mjs";

import { isAway, variables } from "../../../server/explorer/access/identities.js";

const kOid = "00000000-0000-0000-0000-000000000007";

let explorer, page;

// Tokens need HTTPS. This file is about the page: neither Node nor the browser checks the certificate.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
const location = mkdtempSync(join(tmpdir(), "rocktable-access-"));
after(() => rmSync(location, { recursive: true, force: true }));

useServerAndBrowser({ flags: ["--anyAccount", "--tls", "auto", "--location", location, "--oauth", "basic"] });
const kIdentities = ["--identity", "shop=Storage Table Data Reader", "--identity", "report=Reader"];

beforeEach(async () => {
  await server.reset("orders", "other");
  await server.insert("orders", { PartitionKey: "a", RowKey: "1" });
  explorer = await openExplorer(browser, server, "#/access", { ignoreHTTPSErrors: true });
  ({ page } = explorer);
  await page.getByRole("heading", { name: "Signatures" }).waitFor();
});

afterEach(() => explorer.close());

const make = () => page.getByRole("button", { name: "Make signature" }).click();
const made = async (name) => {
  const text = page.getByLabel(`For ${name}`, { exact: true });
  await text.waitFor();
  return text.innerText();
};

describe("A person who lets a program into a table", () => {
  test("makes a signature by three clicks, which reads that table and nothing else", async () => {
    await page.getByRole("combobox", { name: "Table", exact: true }).selectOption("orders");
    await make();
    await page.getByRole("status").getByText(/^It reads entities of the table orders, until /).waitFor();
    const url = await made("URL");
    const headers = { accept: "application/json;odata=nometadata" };
    const answer = await fetch(url, { headers });
    assert.equal(answer.status, 200);
    assert.equal((await answer.json()).value.length, 1);
    const insert = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: "{}" };
    assert.equal((await fetch(url, insert)).status, 403);
    assert.equal((await fetch(url.replace("/orders?", "/other?"), { headers })).status, 403);
    assert.ok((await made("Connection string")).endsWith(`;SharedAccessSignature=${await made("Signature")}`));
  });

  test("changes what it may, and the old one is not shown any more", async () => {
    await make();
    await made("URL");
    await page.getByLabel("Delete", { exact: true }).check();
    await eventually(async () => assert.equal(await page.getByLabel("For URL").count(), 0));
    await page.getByText("More").click();
    await page.getByLabel("First PartitionKey").fill("m");
    await make();
    await page.getByText(/^It reads and deletes entities of the table .* from PartitionKey 'm', until /).waitFor();
  });

  test("is told what cannot be signed", async () => {
    await page.getByLabel("Valid for").fill("soon");
    await make();
    await page.getByRole("alert").getByText(/expiry must be a time such as/).waitFor();
  });
});

describe("A person who lets a program into the account", () => {
  test("chooses what and with what", async () => {
    await page.getByRole("combobox", { name: "For", exact: true }).selectOption("account");
    await page.getByLabel("List", { exact: true }).check();
    await page.getByLabel("Service", { exact: true }).uncheck();
    await make();
    await page.getByText(/^It lists tables, reads entities of all tables, until /).waitFor();
  });
});

describe("A person with roles", () => {
  test("sees who has which role where, and signs in the name of one", async () => {
    await page.getByText("a bearer token permits everything").waitFor();
    const roles = `clerk oid=${kOid}\nclerk Storage Table Data Reader devstoreaccount1/orders\n`;
    await server.control("PUT", "roles", roles);
    try {
      await page.reload();
      const row = page.getByRole("row", { name: /clerk/ });
      await row.getByText("Storage Table Data Reader").waitFor();
      await row.getByText("devstoreaccount1/orders").waitFor();
      await page.getByRole("combobox", { name: "For", exact: true }).selectOption("user");
      await make();
      assert.match(await made("URL"), new RegExp(`skoid=${kOid}`));
    } finally {
      await server.control("DELETE", "roles");
    }
  });
});

describe("A person with local identities", () => {
  let own, opened, screen;

  before(async () => {
    own = await startExplorerServer({ flags: ["--anyAccount", "--tls", "auto", "--location", location, ...kIdentities] });
    opened = await openExplorer(browser, own, "#/access", { ignoreHTTPSErrors: true });
    screen = opened.page.getByRole("region", { name: "Local identities" });
    await screen.getByRole("table").waitFor();
  });

  after(async () => {
    await opened?.close();
    await own?.stop();
  });

  const shown = (language) => screen.getByLabel(`For ${language}`, { exact: true }).innerText();

  test("sees who they are and what they may do", async () => {
    const { identities } = await own.control("GET", "identities");
    for (const [i, role] of ["Storage Table Data Reader", "Reader"].entries()) {
      const row = screen.getByRole("row", { name: identities[i].name });
      for (const text of [identities[i].clientId, identities[i].objectId, role])
        await row.getByText(text, { exact: true }).waitFor();
    }
  });

  test("sees the secret only when asked for, and copies it by a click", async () => {
    const { header, identities: [shop, report], endpoint } = await own.control("GET", "identities");
    const page = opened.page;
    assert.ok(!(await page.content()).includes(header));
    assert.match(await shown("bash"), /IDENTITY_HEADER=\*\*\*/);
    await opened.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await screen.getByRole("button", { name: "Copy for bash" }).click();
    await screen.getByText("Copied").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.deepEqual(copied.split("\n"), [
      `export ROCKTABLE_ENDPOINT=${own.root}/devstoreaccount1`, `export IDENTITY_ENDPOINT=${endpoint}`,
      `export IDENTITY_HEADER=${header}`, `export AZURE_CLIENT_ID=${shop.clientId}`,
    ]);
    await screen.getByRole("button", { name: "Show the header" }).click();
    await eventually(async () => assert.ok((await shown("PowerShell")).includes(`$env:IDENTITY_HEADER = '${header}'`)));
    await screen.getByRole("combobox", { name: "For" }).selectOption("report");
    await eventually(async () => assert.ok((await shown("PowerShell")).includes(report.clientId)));
    await screen.getByRole("button", { name: "Hide the header" }).click();
    await eventually(async () => assert.ok(!(await page.content()).includes(header)));
  });

  test("runs the line for curl, and gets a token that the tables take", async () => {
    await screen.getByRole("button", { name: "Show the header" }).click();
    await screen.getByRole("combobox", { name: "For" }).selectOption("shop");
    const { identities: [shop] } = await own.control("GET", "identities");
    await eventually(async () => assert.ok((await shown("curl")).includes(shop.clientId)));
    const told = JSON.parse(execFileSync("sh", ["-c", await shown("curl")]));
    assert.equal(told.client_id, shop.clientId);
    const headers = { authorization: `Bearer ${told.access_token}`, "x-ms-version": "2020-12-06", accept: "application/json" };
    assert.equal((await fetch(`${own.root}/devstoreaccount1/Tables`, { headers })).status, 200);
  });

  test("is told why there is nothing to copy where the server keeps the header to itself", async () => {
    const told = { ...await own.control("GET", "identities"), header: null };
    const other = await opened.page.context().newPage();
    await other.route("**/_rocktable/identities", (route) => route.fulfill({ json: told }));
    await other.goto(`${own.root}/_rocktable/#/access`);
    const region = other.getByRole("region", { name: "Local identities" });
    await region.getByText("Others can reach this server").waitFor();
    await region.getByRole("row", { name: "shop" }).waitFor();
    assert.equal(await region.getByRole("button").count(), 0);
    await other.close();
  });

  test("gets the endpoint of the account that is chosen", async () => {
    await opened.page.goto(`${own.root}/_rocktable/#/access?account=other`);
    await eventually(async () => assert.ok((await shown("bash")).includes(`${own.root}/other\n`)));
  });
});

describe("A server without local identities", () => {
  test("tells in one line how to get them", async () => {
    const screen = page.getByRole("region", { name: "Local identities" });
    await screen.getByText("--identity NAME=ROLE").waitFor();
    assert.equal(await screen.getByRole("button").count(), 0);
  });
});

describe("The variables of an identity", () => {
  const told = { endpoint: "http://127.0.0.1:1/msi/token", header: "a-b_c", identities: [{ clientId: "x" }] };
  const texts = (origin, account = "acc") => Object.fromEntries(
    variables(told, told.identities[0], { account, origin }).map(({ language, text }) => [language, text]));

  test("name 127.0.0.1 for localhost, which libraries take for Cosmos DB", () => {
    assert.equal(texts("https://localhost:5").bash.split("\n")[0], "export ROCKTABLE_ENDPOINT=https://127.0.0.1:5/acc");
    assert.equal(texts("https://localhost.example:5").bash.split("\n")[0],
      "export ROCKTABLE_ENDPOINT=https://localhost.example:5/acc");
    assert.equal(texts("https://[::1]:5").PowerShell.split("\n")[0], "$env:ROCKTABLE_ENDPOINT = 'https://[::1]:5/acc'");
  });

  test("are of the machine of rocktable, which a page from elsewhere is told", () => {
    for (const host of ["127.0.0.1", "127.9.9.9", "localhost", "a.localhost", "[::1]"]) assert.equal(isAway(host), false, host);
    for (const host of ["10.0.0.5", "tables.example", "localhost.example", "127.0.0.1.example", "[fe80::1]"])
      assert.equal(isAway(host), true, host);
  });

  test("name no client id if there is one identity, which has all of them", () => {
    assert.ok(!texts("https://a").bash.includes("AZURE_CLIENT_ID"));
  });
});
