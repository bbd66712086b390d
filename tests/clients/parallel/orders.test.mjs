// Runs beside customers.test.mjs, in a process of its own, on the same instance.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { TableClient, odata } from "@azure/data-tables";
import { freshAccount } from "./fresh_account.mjs";

async function orders() {
  return TableClient.fromConnectionString(await freshAccount(), "orders", { allowInsecureConnection: true });
}

async function itemsOf(table, filter) {
  const items = [];
  for await (const order of table.listEntities({ queryOptions: { filter } })) items.push(order.Item);
  return items;
}

describe("orders", { concurrency: true }, () => {
  test("are found by what is still to pay", async () => {
    assert.deepEqual(await itemsOf(await orders(), odata`Paid eq ${false}`), ["Butter"]);
  });

  for (let number = 0; number < 10; ++number) {
    test(`are paid, all in one transaction, by test ${number}`, async () => {
      const table = await orders();
      await table.submitTransaction(
        ["0001", "0002"].map((rowKey) => ["update", { partitionKey: "de-1", rowKey, Paid: true }, "Merge"]),
      );
      assert.deepEqual(await itemsOf(table, odata`Paid eq ${false}`), []);
    });
  }

  test("can lose their table, and nobody else does", async () => {
    const table = await orders();
    await table.deleteTable();
    await assert.rejects(itemsOf(table), { statusCode: 404 });
  });
});
