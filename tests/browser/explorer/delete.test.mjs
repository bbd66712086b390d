// What a person sees who deletes many entities at once.
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { browser, kOrders, openExplorer, server, useServerAndBrowser } from "./harness.mjs";

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
  await page.getByRole("dialog").getByRole("textbox").fill(String(total));
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
