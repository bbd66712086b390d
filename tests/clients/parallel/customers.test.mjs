// All tests of this file run at the same time, on tables of the same names: each sees what was seeded, and what it has
// done itself.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { TableClient } from "@azure/data-tables";
import { freshAccount } from "./fresh_account.mjs";

async function customers() {
  return TableClient.fromConnectionString(await freshAccount(), "customers", { allowInsecureConnection: true });
}

async function namesIn(table) {
  const names = [];
  for await (const { Name } of table.listEntities()) names.push(Name);
  return names;
}

describe("customers", { concurrency: true }, () => {
  test("are there as seeded, types included", async () => {
    const anna = await (await customers()).getEntity("de", "1");
    assert.equal(anna.Name, "Anna");
    assert.equal(anna.Points, 1200n);
    assert.equal(anna.Since.toISOString(), "2019-04-01T00:00:00.000Z");
  });

  test("can leave", async () => {
    const table = await customers();
    await table.deleteEntity("de", "1");
    assert.deepEqual(await namesIn(table), ["Bernd", "Chloé"]);
  });

  test("can all leave", async () => {
    const table = await customers();
    for await (const { partitionKey, rowKey } of table.listEntities()) await table.deleteEntity(partitionKey, rowKey);
    assert.deepEqual(await namesIn(table), []);
  });

  for (let number = 0; number < 20; ++number) {
    test(`can be joined by number ${number}, and nobody else`, async () => {
      const table = await customers();
      await table.createEntity({ partitionKey: "de", rowKey: "3", Name: `Guest ${number}` });
      assert.deepEqual(await namesIn(table), ["Anna", "Bernd", `Guest ${number}`, "Chloé"]);
    });
  }
});
