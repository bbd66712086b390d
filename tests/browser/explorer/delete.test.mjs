// What a person sees who deletes many entities at once.
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { browser, kOrders, openExplorer, rowsOf, server, useServerAndBrowser } from "./harness.mjs";

const kPartitions = ["it's", "per%20cent", "--set", "\u202e<b>&"]; // none may end a path or a change set

useServerAndBrowser();

beforeEach(() => server.reset("orders"));

const pathOf = (row) => `orders(PartitionKey='p',RowKey='${row}')`;

const entity = (partition, row) => ({ PartitionKey: partition, RowKey: String(row) });

const left = async () => (await (await server.fetch("GET", "orders()?$top=1000")).json()).value;

// Selects all entities of the table, and deletes them after `meanwhile`.
async function deleteAll(total, meanwhile = async () => {}) {
  const { page, close } = await openExplorer(browser, server, `${kOrders}?top=1000`);
  const sets = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/$batch")) sets.push(request.postData().split("HTTP/1.1\r\n").length - 1);
  });
  await page.getByText(`${total} loaded`).waitFor();
  await page.getByLabel("Select all loaded entities").click();
  await meanwhile();
  await page.getByRole("button", { name: `Delete ${total}…` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  return { page, close, sets };
}

describe("A person who deletes many entities", () => {
  test("deletes 250 of several partitions in change sets of up to 100", async () => {
    await server.insert("orders", ...kPartitions.map((partition) => entity(partition, "1")));
    await server.insert("orders", ...Array.from({ length: 246 }, (_, i) => entity("plain", i)));
    const { page, close, sets } = await deleteAll(250);
    await page.getByText("0 loaded", { exact: true }).waitFor();
    assert.deepEqual(await left(), []);
    assert.deepEqual(sets.toSorted((a, b) => b - a), [100, 100, 46, 1, 1, 1, 1]);
    await close();
  });

  test("does not delete what others have changed since it was read, and is told so", async () => {
    await server.insert("orders", ...Array.from({ length: 5 }, (_, i) => entity("p", i)));
    const { page, close } = await deleteAll(5, async () => {
      const headers = { "if-match": "*" };
      await server.fetch("MERGE", pathOf("2"), { body: JSON.stringify({ Age: 1 }), headers });
      await server.fetch("DELETE", pathOf("3"), { headers });
    });
    const told = page.getByRole("alert").filter({ hasText: "UpdateConditionNotSatisfied" });
    await told.getByText("1 of 5 not deleted: p / 2").waitFor();
    await page.getByText("1 loaded").waitFor();
    assert.deepEqual((await left()).map(({ RowKey }) => RowKey), ["2"]);
    await close();
  });
});

const undoOf = (page) => page.locator(".undo");
const keys = async () => (await left()).map(({ RowKey }) => RowKey);

describe("A person who deletes six entities", () => {
  test("clicks, confirms by a click, and brings them back as they were", async () => {
    const big = { "Big@odata.type": "Edm.Int64", Big: "9007199254740993", Real: 3.5 };
    const eight = Array.from({ length: 8 }, (_, i) => ({ ...entity("p", i), Item: `item ${i}`, ...big }));
    await server.insert("orders", ...eight);
    const { page, close } = await openExplorer(browser, server, kOrders);
    await page.getByLabel("Select row 2", { exact: true }).click();
    await page.getByLabel("Select row 7", { exact: true }).click({ modifiers: ["Shift"] });
    await page.getByRole("button", { name: "Delete 6…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Delete" }).waitFor();
    assert.equal(await dialog.getByRole("textbox").count(), 0);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal((await left()).length, 8, "Escape deletes nothing");
    await page.getByRole("button", { name: "Delete 6…" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("2 loaded").waitFor();
    await undoOf(page).getByText("Deleted 6 entities.").waitFor();
    assert.deepEqual(await keys(), ["0", "7"]);
    await page.keyboard.press("u");
    await undoOf(page).getByText("Undone.").waitFor();
    const all = await left();
    assert.deepEqual(all.map(({ RowKey, Item, Big }) => [RowKey, Item, Big]),
      Array.from({ length: 8 }, (_, i) => [String(i), `item ${i}`, "9007199254740993"]));
    assert.equal(await page.locator(".loaded").innerText(), "8 loaded");
    const shown = await rowsOf(page).locator("th:nth-child(3)").allInnerTexts();
    assert.deepEqual(shown, [..."01234567"], "in their places");
    assert.equal(await undoOf(page).getByRole("button").count(), 0, "there is no second time");
    await close();
  });

  test("has all properties back, also those that the grid did not read", async () => {
    await server.insert("orders", { ...entity("p", 1), Item: "bread", Price: 3 });
    const { page, close } = await openExplorer(browser, server, `${kOrders}?select=Item`);
    await page.getByLabel("Select row 1", { exact: true }).click();
    await page.getByRole("button", { name: "Delete 1…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await undoOf(page).getByRole("button", { name: "Undo" }).click();
    await undoOf(page).getByText("Undone.").waitFor();
    const [{ Item, Price }] = await left();
    assert.deepEqual([Item, Price], ["bread", 3]);
    assert.equal(await page.locator(".grid thead th").count(), 4, "the grid shows what the query reads");
    await close();
  });

  test("does not write over what somebody has stored under the keys since", async () => {
    await server.insert("orders", ...Array.from({ length: 6 }, (_, i) => entity("p", i)));
    const { page, close } = await deleteAll(6);
    await undoOf(page).waitFor();
    await server.insert("orders", { ...entity("p", 3), Item: "theirs" });
    await undoOf(page).getByRole("button", { name: "Undo" }).click();
    const told = "1 of 6 not undone. p / 3: Somebody has stored another under its keys since.";
    await undoOf(page).getByText(told).waitFor();
    const all = await left();
    assert.deepEqual(all.map(({ RowKey }) => RowKey), [..."012345"]);
    assert.equal(all[3].Item, "theirs");
    await close();
  });

  test("does not bring back what others have deleted at the same time", async () => {
    await server.insert("orders", ...Array.from({ length: 6 }, (_, i) => entity("p", i)));
    const { page, close } = await deleteAll(6, () =>
      server.fetch("DELETE", pathOf("2"), { headers: { "if-match": "*" } }));
    await undoOf(page).getByText("Deleted 5 entities.").waitFor();
    await undoOf(page).getByRole("button", { name: "Undo" }).click();
    await undoOf(page).getByText("Undone.").waitFor();
    assert.deepEqual(await keys(), [..."01345"]);
    await close();
  });

  test("of more pages is told that they are deleted, not that the service ended a page", async () => {
    await server.insert("orders", ...Array.from({ length: 7 }, (_, i) => entity("p", i)));
    const { page, close } = await openExplorer(browser, server, `${kOrders}?top=6`);
    await page.getByText("6 loaded").waitFor();
    await page.getByLabel("Select all loaded entities").click();
    await page.getByRole("button", { name: "Delete 6…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("All entities that were loaded are deleted").waitFor();
    assert.equal(await page.getByText("ends a page early").count(), 0);
    await page.getByRole("main").locator(".empty").getByRole("button", { name: "Next page" }).click();
    await page.getByText("1 loaded").waitFor();
    await page.keyboard.press("u");
    await page.getByText("7 loaded").waitFor();
    const shown = await rowsOf(page).locator("th:nth-child(3)").allInnerTexts();
    assert.deepEqual(shown, [..."0123456"], "each once, in the order of the service");
    await close();
  });

  test("brings back what was deleted before the server went away", async () => {
    await server.insert("orders", ...Array.from({ length: 150 }, (_, i) => entity("p", String(i).padStart(3, "0"))));
    const { page, close } = await openExplorer(browser, server, `${kOrders}?top=1000`, { expect: ["restart"] });
    let sets = 0;
    await page.route(/\$batch$/, (route) => ((sets += 1) === 2 ? route.abort() : route.continue()));
    await page.getByLabel("Select all loaded entities").click();
    await page.getByRole("button", { name: "Delete 150…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await undoOf(page).getByText("Deleted 100 entities.").waitFor();
    assert.equal((await left()).length, 50);
    await page.getByText("50 loaded").waitFor();
    await undoOf(page).getByRole("button", { name: "Undo" }).click();
    await undoOf(page).getByText("Undone.").waitFor();
    assert.equal((await left()).length, 150);
    await page.getByText("150 loaded").waitFor();
    await close();
  });

  test("is told when the table is gone meanwhile", async () => {
    await server.insert("orders", ...Array.from({ length: 2 }, (_, i) => entity("p", i)));
    const { page, close } = await deleteAll(2);
    await undoOf(page).waitFor();
    await server.fetch("DELETE", "Tables('orders')");
    await undoOf(page).getByRole("button", { name: "Undo" }).click();
    await undoOf(page).getByText("2 of 2 not undone. The table specified does not exist.").waitFor();
    await close();
  });

  test("of more than can be brought back types how many", async () => {
    const lines = Array.from({ length: 1001 }, (_, i) => entity("p", String(i).padStart(4, "0")));
    for (let i = 0; i < lines.length; i += 50)
      await Promise.all(lines.slice(i, i + 50).map((one) => server.insert("orders", one)));
    const { page, close } = await openExplorer(browser, server, `${kOrders}?top=1000`);
    await page.getByRole("button", { name: "Load all" }).click();
    await page.getByText("1,001 loaded").waitFor();
    await page.getByLabel("Select all loaded entities").click();
    await page.getByRole("button", { name: "Delete 1,001…" }).click();
    const dialog = page.getByRole("dialog");
    assert.ok(await dialog.getByRole("button", { name: "Delete" }).isDisabled());
    await dialog.getByRole("textbox").fill("1001");
    await page.keyboard.press("Enter");
    await page.getByText("No entities").waitFor();
    assert.equal(await undoOf(page).count(), 0);
    await close();
  });
});

test("Change sets hold at most 4 MiB, and give the ETag of each entity", async () => {
  const { page, close } = await openExplorer(browser, server, kOrders);
  const [sizes, etags] = await page.evaluate(async () => {
    const client = await import("/_rocktable/explorer/entities/entity_client.js");
    const long = "é".repeat(32_000);
    const properties = Object.fromEntries(Array.from({ length: 14 }, (_, i) => [`P${i}`, long]));
    const operations = Array.from({ length: 9 }, (_, i) =>
      ({ method: "POST", entity: { PartitionKey: "p", RowKey: String(i), ...properties } }));
    const sets = client.changeSetsOf(operations);
    const answers = [];
    for (const set of sets) answers.push(...(await client.sendChangeSet("devstoreaccount1", "orders", set)));
    return [sets.map((set) => set.length), answers];
  });
  assert.deepEqual(sizes, [4, 4, 1]);
  assert.equal(etags.length, 9);
  for (const etag of etags) assert.match(etag, /^W\/"datetime/);
  assert.equal((await left()).length, 9);
  await close();
});
