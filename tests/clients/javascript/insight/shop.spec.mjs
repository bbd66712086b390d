// The tests of the shop: `rocktable exec --budget rocktable.budget.json -- node --test shop.spec.mjs`. SHOP names the design.
import assert from "node:assert/strict";
import { it } from "node:test";
import * as designs from "./shop.mjs";

const kLines = 25;

it("finds the lines and the orders of a customer", async () => {
  const shop = designs[process.env.SHOP];
  const table = await shop.open("orders");
  await shop.addOrder(table, "de-1", "Ada", kLines);
  const lines = await shop.linesOf(table, "de-1", kLines);
  assert.deepEqual(lines.map((line) => line.amount), [...Array(kLines).keys()]);
  assert.deepEqual(await shop.ordersOf(table, "Ada"), ["de-1"]);
});
