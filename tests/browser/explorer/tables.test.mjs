// What a person does with tables: sees, creates, finds, empties and deletes them.
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { browser, eventually, kAccount, openExplorer, server, useServerAndBrowser } from "./harness.mjs";

useServerAndBrowser();

beforeEach(() => server.reset());

const list = (page) => page.getByRole("navigation", { name: "Tables" });

describe("A person", () => {
  test("creates a table, and is in it", async () => {
    const { page, close } = await openExplorer(browser, server, kAccount);
    await page.getByRole("heading", { name: "No tables yet" }).waitFor();
    await page.getByRole("main").getByRole("button", { name: "New table" }).click();
    await page.getByLabel("Name of the new table").fill("orders");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "orders" }).waitFor();
    await page.waitForURL(/#\/acc\/devstoreaccount1\/orders$/);
    await list(page)
      .getByRole("link", { name: /orders/ })
      .waitFor();
    await close();
  });

  test("sees why a table cannot be created, and keeps what was typed", async () => {
    await server.createTable("orders");
    const { page, close } = await openExplorer(browser, server, kAccount);
    await list(page).getByRole("button", { name: "New table" }).click();
    for (const [name, code] of [
      ["1st", "InvalidResourceName"],
      ["orders", "TableAlreadyExists"],
    ]) {
      await page.getByLabel("Name of the new table").fill(name);
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("alert").filter({ hasText: code }).waitFor();
      assert.equal(await page.getByLabel("Name of the new table").inputValue(), name);
    }
    await close();
  });

  test("sees the tables of one prefix folded, and opens the fold", async () => {
    for (let day = 1; day <= 31; day += 1)
      await server.createTable(`log202611${String(day).padStart(2, "0")}`);
    await server.createTable("orders");
    const { page, close } = await openExplorer(browser, server, kAccount);
    const fold = list(page).getByRole("button", { name: /log…/ });
    assert.match(await fold.innerText(), /\(31\)/);
    assert.equal(await list(page).getByRole("link").count(), 1);
    await fold.click();
    await eventually(async () => assert.equal(await list(page).getByRole("link").count(), 32));
    await list(page)
      .getByRole("link", { name: /log20261120/ })
      .click();
    await page.getByRole("heading", { name: "log20261120" }).waitFor();
    await close();
  });

  test("finds a table by a part of its name, and opens it with Enter", async () => {
    for (const name of ["customers", "orders", "old"]) await server.createTable(name);
    const { page, close } = await openExplorer(browser, server, kAccount);
    await page.getByLabel("Filter tables").fill("ORD");
    await eventually(async () => assert.equal(await list(page).getByRole("link").count(), 1));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "orders" }).waitFor();
    await close();
  });

  test("sees exact counts", async () => {
    await server.createTable("orders");
    await server.insert("orders", { PartitionKey: "p", RowKey: "1" }, { PartitionKey: "p", RowKey: "2" });
    const { page, close } = await openExplorer(browser, server, kAccount);
    const row = page.getByRole("row").filter({ hasText: "orders" });
    await row.waitFor();
    assert.match(await row.innerText(), /orders\s+2\s/);
    await close();
  });

  test("empties a table, after typing its name", async () => {
    await server.createTable("orders");
    await server.insert("orders", { PartitionKey: "p", RowKey: "1" });
    const { page, close } = await openExplorer(browser, server, kAccount);
    await page.getByRole("button", { name: "Empty orders" }).click();
    const dialog = page.getByRole("dialog");
    assert.equal(await dialog.getByRole("button", { name: "Empty" }).isDisabled(), true);
    await dialog.getByRole("textbox").fill("orders");
    await page.keyboard.press("Enter");
    await eventually(async () =>
      assert.match(await page.getByRole("row").nth(1).innerText(), /orders\s+0\s/),
    );
    assert.equal(await dialog.count(), 0);
    await close();
  });

  test("deletes a table, after typing its name", async () => {
    for (const name of ["customers", "orders"]) await server.createTable(name);
    const { page, close } = await openExplorer(browser, server, kAccount);
    await page.getByRole("button", { name: "Delete orders" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("order");
    assert.equal(await page.getByRole("dialog").getByRole("button", { name: "Delete" }).isDisabled(), true);
    await page.keyboard.press("Escape");
    assert.equal(await list(page).getByRole("link").count(), 2, "Escape deletes nothing");
    await page.getByRole("button", { name: "Delete orders" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("orders");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await eventually(async () => assert.equal(await list(page).getByRole("link").count(), 1));
    await close();
  });

  test("uses the list as a drawer at 480 pixels", async () => {
    await server.createTable("orders");
    const { page, close } = await openExplorer(browser, server, kAccount, { width: 480 });
    await page.getByRole("heading", { name: "devstoreaccount1" }).waitFor();
    assert.equal(await list(page).isVisible(), false);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 480);
    await page.getByRole("button", { name: "List" }).click();
    await list(page)
      .getByRole("link", { name: /orders/ })
      .click();
    await page.getByRole("heading", { name: "orders" }).waitFor();
    await eventually(async () => assert.equal(await list(page).isVisible(), false, "closed by the choice"));
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 480);
    await close();
  });

  test("goes back to the tables with Back", async () => {
    await server.createTable("orders");
    const { page, close } = await openExplorer(browser, server, kAccount);
    await page.getByRole("main").getByRole("link", { name: "orders" }).click();
    await page.getByRole("heading", { name: "orders" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "devstoreaccount1" }).waitFor();
    await close();
  });
});
