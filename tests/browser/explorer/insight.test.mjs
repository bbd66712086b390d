// The screen of what requests cost, as a person uses it.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { browser, eventually, openExplorer, server, useServerAndBrowser } from "./harness.mjs";

let explorer, page;

const query = async (table, filter) =>
  (await server.fetch("GET", `${table}()?$filter=${encodeURIComponent(filter)}`)).text();

useServerAndBrowser({
  prepare: async () => {
    await server.createTable("orders");
    await server.createTable("log20261121");
    for (let row = 0; row < 30; row += 1)
      await server.insert("orders", { PartitionKey: "de", RowKey: `item${row}`, Price: row });
    for (let i = 0; i < 3; i += 1) await query("orders", `Price gt ${20 + i}`);
    await query("orders", "PartitionKey eq 'de' and RowKey ge 'item1' and RowKey lt 'item2'");
    await query("log20261121", "<script>alert(1)</script> eq '\u202e'");
    await query("log20261121", "Text eq '<script>alert(1)</script>'");
  },
});

beforeEach(async () => {
  explorer = await openExplorer(browser, server, "#/insight");
  ({ page } = explorer);
  await page.getByRole("heading", { name: "Insight" }).waitFor();
});

afterEach(() => explorer.close());

const shape = (text) => page.locator("article.shape", { hasText: text });

describe("A person who asks what requests cost", () => {
  test("sees the shapes, those that scanned most first", async () => {
    await shape("Price gt ?").waitFor();
    const first = await page.locator("article.shape").first().innerText();
    for (const part of ["QueryEntities orders", "table-scan", "Price gt ?", "90", "p99"])
      assert.ok(first.includes(part), first);
    const scanned = await page.locator("article.shape .cost dl div:first-child dd").allInnerTexts();
    const numbers = scanned.map((text) => Number(text.replaceAll(",", "")));
    assert.deepEqual(numbers, [...numbers].sort((a, b) => b - a));
    assert.match(await shape("log#").first().innerText(), /log#/);
  });

  test("opens a finding, the worst first, with the better query", async () => {
    const finding = page.locator("article.finding").first();
    await finding.getByRole("heading", { name: "Expensive: table scan" }).waitFor();
    await finding.getByText("The service searches the whole table: 90 entities scanned").waitFor();
    assert.match(await finding.innerText(), /Better: Give the PartitionKey/);
    await finding.getByText("Example", { exact: true }).first().click();
    await finding.getByText("GET /devstoreaccount1/orders()?$filter=Price").waitFor();
    assert.ok((await page.locator("article.finding", { hasText: "Look at:" }).count()) >= 2);
    await shape("Price gt ?").getByText("Better:").waitFor();
  });

  test("goes on to the last requests of a shape", async () => {
    await shape("Price gt ?").getByRole("link", { name: "Last requests" }).click();
    await page.waitForURL(/#\/requests\?.*table=orders.*operation=QueryEntities.*plan=table-scan/);
    await page.getByRole("button", { name: "only QueryEntities" }).waitFor();
    assert.equal(await page.getByRole("combobox", { name: "Plan" }).inputValue(), "table-scan");
    await eventually(async () => {
      await query("orders", "Price gt 3");
      await page.locator(".line", { hasText: "table-scan" }).first().waitFor({ timeout: 300 });
    });
    await page.getByRole("button", { name: "only QueryEntities" }).click();
    await page.waitForURL((url) => !url.hash.includes("operation"));
  });

  test("sees charts of the last minutes, and the same as numbers", async () => {
    const chart = page.getByRole("img", { name: /^Requests in 10 s: at most \d+$/ });
    await chart.waitFor();
    await page.getByRole("img", { name: /^Entities scanned in 10 s/ }).waitFor();
    await page.getByRole("img", { name: /^Time, 99th percentile/ }).waitFor();
    assert.ok((await chart.locator("rect.bar").count()) >= 1);
    await page.getByText("The same as numbers").click();
    const table = page.getByRole("table");
    await table.getByRole("columnheader", { name: "Entities scanned in 10 s" }).waitFor();
    const requests = await table.locator("tbody td:nth-child(2)").allInnerTexts();
    const sum = requests.reduce((a, text) => a + Number(text), 0);
    assert.ok(sum >= 35, `${sum} requests`);
  });

  test("sees new requests after a reload, and how old the numbers are", async () => {
    await page.getByText("updated 0 s ago").waitFor();
    await page.getByText("updated 2 s ago").waitFor();
    await query("orders", "Item eq 'new'");
    await page.getByRole("button", { name: "Reload" }).click();
    await shape("Item eq ?").waitFor();
    await page.getByText("updated 0 s ago").waitFor();
    await query("orders", "Item eq 'newer' and Price gt 3");
    await page.getByRole("link", { name: "Lab" }).click();
    await page.getByRole("link", { name: "Insight" }).click();
    await shape("Item eq ? and Price gt ?").waitFor();
  });

  test("sees hostile text as text", async () => {
    await shape("Text eq ?").waitFor();
    assert.equal(await page.locator("main script").count(), 0);
    await page.route(/_rocktable\/queries(\?|$)/, async (route) => {
      const answer = await (await route.fetch()).json();
      const made = "\u202e<img src=x onerror=alert(1)>`\u0000`";
      for (const one of answer.shapes)
        Object.assign(one, { table: made, fingerprint: made, select: made, client: made, test: made });
      for (const one of answer.findings)
        Object.assign(one, { sentence: made, advice: made, example: made, table: made });
      await route.fulfill({ json: answer });
    });
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByText("‹U+202E›<img src=x onerror=alert(1)>").first().waitFor();
    assert.equal(await page.locator("main img").count(), 0);
    assert.doesNotMatch(await page.evaluate(() => document.body.innerText), /[\u202e\u0000]/);
  });

  test("starts again", async () => {
    await page.getByRole("button", { name: "Start again" }).click();
    await page.getByText("No requests counted").waitFor();
    assert.deepEqual((await server.control("GET", "queries")).shapes, []);
  });
});
