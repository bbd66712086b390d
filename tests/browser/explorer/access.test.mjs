// The screen of access, as a person uses it: signatures by clicks, and the roles of tokens.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { browser, eventually, openExplorer, server, useServerAndBrowser } from "./harness.mjs";

const kOid = "00000000-0000-0000-0000-000000000007";

let explorer, page;

useServerAndBrowser({ flags: ["--anyAccount", "--oauth", "basic"] });

beforeEach(async () => {
  await server.reset("orders", "other");
  await server.insert("orders", { PartitionKey: "a", RowKey: "1" });
  explorer = await openExplorer(browser, server, "#/access");
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
    await page.getByLabel("Table", { exact: true }).selectOption("orders");
    await make();
    await page.getByRole("status").getByText(/^It reads entities of the table orders, until /).waitFor();
    const url = await made("URL");
    const headers = { accept: "application/json;odata=nometadata" };
    const answer = await fetch(url, { headers });
    assert.equal(answer.status, 200);
    assert.equal((await answer.json()).value.length, 1);
    assert.equal((await fetch(url, { method: "POST", headers, body: "{}" })).status, 403);
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
    await page.getByLabel("For", { exact: true }).selectOption("account");
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
      await page.getByLabel("For", { exact: true }).selectOption("user");
      await make();
      assert.match(await made("URL"), new RegExp(`skoid=${kOid}`));
    } finally {
      await server.control("DELETE", "roles");
    }
  });
});
