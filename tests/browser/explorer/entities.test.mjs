// What a person does with the entities of a table: filters, sees plans and refusals, pages, selects.
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import {
  browser, eventually, kAccount, kOrders, openExplorer, rowsOf, server, useServerAndBrowser,
} from "./harness.mjs";

useServerAndBrowser();

beforeEach(async () => {
  await server.control("DELETE", "behaviour");
  await server.reset("orders");
});

const open = (address = kOrders, options) => openExplorer(browser, server, address, options);
const order = (partition, row, more) => ({ PartitionKey: partition, RowKey: row, ...more });
const filterOf = (page) => page.getByLabel("Filter", { exact: true });
const heads = async (page) =>
  (await page.locator(".grid thead th").allInnerTexts()).map((text) => text.trim()).filter(Boolean);

describe("A person who opens a table", () => {
  test("sees its properties in the order in which they were met, keys first, with their types", async () => {
    await server.insert(
      "orders",
      order("p", "1", { Zeta: "text", Price: 1.5 }),
      order("p", "2", { Alpha: 3, Zeta: true, "Big@odata.type": "Edm.Int64", Big: "9007199254740993" }),
    );
    const { page, close } = await open();
    await rowsOf(page).nth(1).waitFor();
    const names = (await heads(page)).map((text) => text.split(" ")[0]);
    assert.deepEqual(names, ["PartitionKey", "RowKey", "Timestamp", "Zeta", "Price", "Alpha", "Big"]);
    const signs = await page
      .locator(".grid thead th")
      .filter({ hasText: "Zeta" })
      .locator("abbr")
      .evaluateAll((all) => all.map((one) => one.title));
    assert.deepEqual(signs, ["Edm.String", "Edm.Boolean"]);
    assert.match(await rowsOf(page).nth(1).innerText(), /9007199254740993/, "an Int64 keeps all its digits");
    assert.equal(
      await rowsOf(page).nth(1).locator("td abbr").getAttribute("title"),
      "Edm.Boolean",
      "where there are several",
    );
    await close();
  });

  test("reads what a page has cost", async () => {
    await server.insert("orders", ...Array.from({ length: 5 }, (_, i) => order("p", String(i), { Age: i })));
    const { page, close } = await open(`${kOrders}?filter=Age%20gt%202`);
    await page.getByText(/^page 1: scanned 5 · returned 2 · more: no · [\d.]+ ms$/).waitFor();
    await close();
  });

  test("that does not exist is told so by the service", async () => {
    const { page, close } = await open(`${kAccount}/absent`);
    await page.getByRole("alert").filter({ hasText: "TableNotFound" }).waitFor();
    await close();
  });
});

describe("A person who has enlarged the page to 200 %", () => {
  test("still reaches everything", async () => {
    await server.insert(
      "orders",
      ...Array.from({ length: 30 }, (_, i) => order("p", String(i).padStart(2, "0"), { A: i })),
    );
    const { page, close } = await open(kOrders, { width: 640, height: 400, deviceScaleFactor: 2 });
    await page.getByText("30 loaded").waitFor();
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 640);
    assert.ok((await page.locator(".grid").boundingBox()).height >= 120);
    await page.locator(".page-line").scrollIntoViewIfNeeded();
    assert.ok(await page.locator(".page-line").isVisible());
    await close();
  });
});

describe("A person who types a filter", () => {
  test("sees its plan before it runs, and what would be better", async () => {
    await server.insert("orders", ...Array.from({ length: 20 }, (_, i) => order(`p${i}`, "1", { Age: i })));
    const { page, close } = await open();
    await page.getByText("20 loaded").waitFor();
    await filterOf(page).fill("Age gt 3");
    await page.getByText("table-scan").waitFor();
    await page.getByText("100 %").waitFor();
    await page.getByText("Better:").waitFor();
    await filterOf(page).fill("PartitionKey eq 'p3' and RowKey eq '1'");
    await page.getByText("point", { exact: true }).waitFor();
    assert.match(await page.getByText("loaded").innerText(), /^20 /, "nothing has run");
    await page.keyboard.press("Enter");
    await page.getByText("1 loaded").waitFor();
    await close();
  });

  test("sees the position where the service refuses it", async () => {
    const { page, close } = await open();
    await filterOf(page).fill("Age gt 3 and Name ?? 'x'");
    const detail = page.getByRole("status").filter({ hasText: "InvalidInput" });
    await detail.waitFor();
    assert.equal(await page.locator("mark").innerText(), "?");
    await page.locator("mark").click();
    assert.equal(await filterOf(page).evaluate((field) => field.selectionStart), 18);
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "InvalidInput" }).waitFor();
    await close();
  });

  test("gets the plan of what was typed last, however late the others come", async () => {
    const { page, close } = await open();
    let isFirst = true;
    await page.route(/\/_rocktable\/plan/, async (route) => {
      if (isFirst) await new Promise((resolve) => setTimeout(resolve, 600));
      isFirst = false;
      await route.continue().catch(() => {}); // it was given up meanwhile
    });
    await filterOf(page).fill("Age gt 3");
    await page.waitForTimeout(250);
    await filterOf(page).fill("PartitionKey eq 'a'");
    await page.getByText("partition-scan").waitFor();
    await page.waitForTimeout(600);
    assert.equal(await page.getByText("partition-scan").count(), 1);
    await close();
  });

  test("has it in the address, so that Back and links work", async () => {
    await server.insert("orders", order("a", "1"), order("b", "1"));
    const { page, close } = await open();
    await page.getByText("2 loaded").waitFor();
    await filterOf(page).fill("PartitionKey eq 'b'");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("1 loaded").waitFor();
    assert.match(page.url(), /\?filter=PartitionKey\+eq\+%27b%27$/);
    await page.goBack();
    await page.getByText("2 loaded").waitFor();
    assert.equal(await filterOf(page).inputValue(), "");
    await page.goForward();
    await page.getByText("1 loaded").waitFor();
    assert.equal(await filterOf(page).inputValue(), "PartitionKey eq 'b'");
    await close();
  });

  test("chooses properties and the page size", async () => {
    await server.insert(
      "orders",
      ...Array.from({ length: 5 }, (_, i) => order("p", String(i), { A: i, B: i })),
    );
    const { page, close } = await open();
    await page.getByText("5 loaded").waitFor();
    await page.getByLabel("Properties").fill("B");
    await page.getByLabel("Page size").fill("2");
    await page.keyboard.press("Enter");
    await page.getByText("2 loaded").waitFor();
    assert.deepEqual(
      (await heads(page)).map((text) => text.split(" ")[0]),
      ["PartitionKey", "RowKey", "B"],
    );
    await close();
  });
});

describe("A person who pages", () => {
  test("is not told that there is nothing when a page is empty and more follows", async () => {
    await server.control("PUT", "behaviour", { boundaries: 2 });
    for (let i = 0; i < 8; i += 1) await server.insert("orders", order(`p${i}`, "1", { Age: i }));
    const { page, close } = await open();
    let pages = 1;
    let empty = 0;
    for (; ; pages += 1) {
      const line = await page.locator(".page-line", { hasText: `page ${pages}:` }).innerText();
      if (/returned 0 .* more: yes/.test(line)) empty += 1;
      const isBare = (await page.locator(".loaded").innerText()) === "0 loaded";
      if (isBare && /more: yes/.test(line)) await page.getByText("empty, but there is more").waitFor();
      if (/more: no/.test(line)) break;
      await page.locator(".paging").getByRole("button", { name: "Next page" }).click();
    }
    assert.ok(pages > 1 && empty > 0, `${pages} pages, ${empty} of them empty`);
    assert.equal(await page.locator(".loaded").innerText(), "8 loaded");
    await page
      .getByRole("link", { name: "Lab" })
      .getByRole("img", { name: /boundaries/ })
      .waitFor();
    await close();
  });

  test("loads all, and can cancel", async () => {
    await server.insert(
      "orders",
      ...Array.from({ length: 60 }, (_, i) => order("p", String(i).padStart(3, "0"))),
    );
    const { page, close } = await open(`${kOrders}?top=10`);
    await page.getByText("10 loaded").waitFor();
    await page.getByRole("button", { name: "Load all" }).click();
    await page.getByText("60 loaded").waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("10 loaded").waitFor();
    await page.route(/NextPartitionKey/, () => {}); // never answers
    await page.getByRole("button", { name: "Load all" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Load all" }).waitFor();
    assert.equal(await page.locator(".loaded").innerText(), "10 loaded", "what has arrived stays");
    await close();
  });
});

describe("A person who selects", () => {
  test("takes single rows, ranges with Shift, and all", async () => {
    await server.insert("orders", ...Array.from({ length: 9 }, (_, i) => order("p", String(i))));
    const { page, close } = await open();
    const check = (i) => page.getByLabel(`Select row ${i}`, { exact: true });
    await check(2).click();
    await check(6).click({ modifiers: ["Shift"] });
    await page.getByText("9 loaded, 5 selected").waitFor();
    await check(4).click();
    await page.getByRole("button", { name: "Delete 4…" }).waitFor();
    await page.getByLabel("Select all loaded entities").click();
    await page.getByText("9 loaded, 9 selected").waitFor();
    await close();
  });

  test("moves and copies with the keyboard alone", async () => {
    await server.insert("orders", order("p", "1", { A: "first" }), order("p", "2", { A: "second" }));
    const { page, close } = await open();
    await page.getByText("2 loaded").waitFor();
    for (const key of ["j", "j", "l", "l", "l", "c"]) await page.keyboard.press(key);
    await page.getByText("copied").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "second");
    await page.locator(".grid").focus();
    await page.keyboard.press("k");
    await page.keyboard.press("Control+c");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "first");
    await page.keyboard.press("x");
    await page.getByText("2 loaded, 1 selected").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("RowKey eq '2'");
    await page.keyboard.press("Enter");
    await page.getByText("1 loaded").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.getByRole("heading", { name: "devstoreaccount1" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByText("requests").waitFor();
    await page.keyboard.press("Escape");
    await eventually(async () => assert.equal(await page.getByRole("dialog").count(), 0));
    await close();
  });
});
