// What a person sees who types a filter: what may come next, the filters that ran last, and no judgement before it is
// there.
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { isUnfinished, suggestions } from "../../../server/explorer/screens/filter_words.js";
import { browser, eventually, kAccount, kOrders, openExplorer, server, useServerAndBrowser } from "./harness.mjs";
import { typed } from "./sample.mjs";

useServerAndBrowser();

beforeEach(() => server.reset("orders", "others"));

const kOrder = {
  PartitionKey: "de", RowKey: "1", Price: 2.5, Paid: true, ...typed("At", "DateTime", "2026-11-20T08:30:00Z"),
};

let page, close;

const filter = () => page.getByLabel("Filter", { exact: true });
const options = () => page.locator(".offer").getByRole("option");
const words = async () => (await options().allInnerTexts()).map((text) => text.split(" ")[0]);
const hasWords = (...wanted) => eventually(async () => assert.deepEqual(await words(), wanted));

async function open(address = kOrders) {
  await server.insert("orders", kOrder);
  ({ page, close } = await openExplorer(browser, server, address));
  await page.getByText("1 loaded").waitFor();
  await filter().focus();
}

describe("Completion", () => {
  test("offers the properties that were loaded, operators and literals, and is chosen by keys alone", async () => {
    await open();
    await page.keyboard.type("pr");
    await hasWords("Price");
    assert.equal(await filter().getAttribute("aria-expanded"), "true");
    await page.keyboard.press("ArrowDown");
    await page.locator(".offer [aria-selected=true]", { hasText: "Price 1.0" }).waitFor();
    assert.equal(await filter().getAttribute("aria-activedescendant"), "offer-0");
    await page.keyboard.press("Enter");
    await hasWords("eq", "ne", "gt", "ge", "lt", "le");
    await page.keyboard.type("g");
    await hasWords("gt", "ge");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    await page.keyboard.type("1 and ");
    await hasWords();
    await page.keyboard.press("Control+Space");
    await hasWords("PartitionKey", "RowKey", "Timestamp", "Price", "Paid", "At", "not");
    await page.keyboard.type("A");
    for (const key of ["ArrowDown", "Enter", "ArrowDown", "ArrowDown", "ArrowDown", "Enter", "ArrowDown", "Enter"])
      await page.keyboard.press(key);
    await page.keyboard.type("2026-01-01T00:00:00Z");
    assert.equal(await filter().inputValue(), "Price gt 1 and At gt datetime'2026-01-01T00:00:00Z'");
    await page.keyboard.press("Enter");
    await page.waitForURL(/datetime/);
    await page.getByText("1 loaded").waitFor();
    await close();
  });

  test("does not stand in the way: Enter runs what was typed, Escape and another place close it", async () => {
    await open();
    await page.keyboard.type("PartitionKey eq 'fr' and P");
    await hasWords("PartitionKey", "Price", "Paid", "Timestamp");
    await page.keyboard.press("Escape");
    await hasWords();
    assert.ok(await filter().evaluate((one) => one === document.activeElement), "the field keeps the focus");
    await page.keyboard.press("ArrowDown");
    await options().first().waitFor();
    await page.getByLabel("Properties").click();
    await hasWords();
    await filter().fill("PartitionKey eq 'fr' and Pa");
    await hasWords("PartitionKey", "Paid");
    await page.keyboard.press("Enter");
    await page.waitForURL(/Pa$/);
    await close();
  });

  test("is chosen by the mouse, in the middle of a filter", async () => {
    await open();
    await filter().fill("Pri gt 1 and RowKey eq '1'");
    await filter().evaluate((one) => one.setSelectionRange(3, 3));
    await page.keyboard.press("ArrowDown");
    await options().filter({ hasText: "Price" }).click();
    assert.equal(await filter().inputValue(), "Price gt 1 and RowKey eq '1'");
    assert.equal(await filter().evaluate((one) => one.selectionStart), 6);
    await close();
  });

  test("offers names of other scripts", async () => {
    await server.insert("orders", { PartitionKey: "de", RowKey: "2", Größe: 1 });
    ({ page, close } = await openExplorer(browser, server, kOrders));
    await page.getByText("1 loaded").waitFor();
    await filter().focus();
    await page.keyboard.press("Control+Space");
    await hasWords("PartitionKey", "RowKey", "Timestamp", "Größe", "not");
    await close();
  });
});

describe("The filters that ran last", () => {
  // The address of the run before may still put its filter into the field.
  const run = (text) => eventually(async () => {
    await filter().fill(text);
    await page.keyboard.press("Enter");
    const parameters = new URLSearchParams({ filter: text }).toString();
    await page.waitForURL((url) => url.hash.includes(parameters), { timeout: 500 });
  });

  const hasNone = () => eventually(async () =>
    assert.equal(await page.getByRole("button", { name: "Recent" }).count(), 0));

  test("are kept for each table, run again, and are forgotten on request", async () => {
    await open();
    await hasNone();
    for (const text of ["Price gt 1", "Price gt 2", "Price gt 1"]) await run(text);
    await page.reload();
    await filter().fill("");
    await page.keyboard.press("ArrowDown");
    await eventually(async () =>
      assert.deepEqual(await options().allInnerTexts(), ["Price gt 1", "Price gt 2", "Forget these filters"]));
    await options().filter({ hasText: "gt 2" }).click();
    await page.waitForURL(/filter=Price\+gt\+2$/);
    await page.goto(page.url().replace(/#.*/, `${kAccount}/others`));
    await page.getByRole("heading", { name: "others" }).waitFor();
    await hasNone(); // another table has its own
    await page.goBack();
    await page.getByRole("heading", { name: "orders" }).waitFor();
    await page.getByRole("button", { name: "Recent" }).click();
    await options().filter({ hasText: "Forget" }).click();
    await hasNone();
    assert.equal(await page.evaluate(() => JSON.stringify({ ...localStorage }).includes("gt 2")), false);
    await close();
  });

  test("are at most 20 of a table and of 50 tables, and none that looks for a secret", async () => {
    await open();
    await run("AccessToken eq 'abc'");
    await run(`RowKey eq '${"x".repeat(600)}'`);
    assert.equal(await page.evaluate(() => localStorage.length), 0);
    const sizes = await page.evaluate(async () => {
      const { keep, kept } = await import("/_rocktable/explorer/core/kept.js");
      for (let i = 0; i < 60; i += 1) keep("a", `t${i}`, { filters: ["x"] });
      const { length } = Object.keys(JSON.parse(localStorage.rocktable));
      return [length, kept("a", "T59").filters, kept("a", "t9").filters];
    });
    assert.deepEqual(sizes, [50, ["x"], undefined]);
    for (let i = 0; i < 22; i += 1) await run(`Price gt ${i}`);
    const { filters } = await page.evaluate(() => JSON.parse(localStorage.rocktable)["devstoreaccount1/orders"]);
    assert.equal(filters.length, 20);
    assert.equal(filters[0], "Price gt 21");
    await close();
  });

  test("are nothing where the browser keeps nothing, or something else is there", async () => {
    await open();
    await page.evaluate(() => localStorage.setItem("rocktable", JSON.stringify({
      "devstoreaccount1/orders": { filters: [1, { a: 2 }], look: { widths: 7, hidden: "x", sort: "y" } },
    })));
    await page.reload();
    await page.getByText("1 loaded").waitFor();
    await page.evaluate(() => localStorage.setItem("rocktable", "no JSON"));
    await page.reload();
    await page.getByText("1 loaded").waitFor();
    await page.evaluate(() => (Storage.prototype.setItem = () => { throw new Error("full"); }));
    await run("Price gt 1");
    await page.getByText("1 loaded").waitFor();
    await close();
  });
});

describe("The plan of a filter", () => {
  test("is neutral until the filter is finished, letter by letter", async () => {
    await open();
    const text = "Price gt 1 and PartitionKey eq 'de'";
    const judged = [];
    for (let i = 1; i <= text.length; i += 1) {
      const asked = page.waitForResponse(/\/_rocktable\/plan/);
      await page.keyboard.type(text[i - 1]);
      await asked;
      await eventually(async () => assert.equal(await page.locator(".filter-bar .old").count(), 0));
      const isRefused = (await page.locator(".refusal").count()) + (await page.locator("[aria-invalid]").count()) > 0;
      assert.ok(!isRefused, text.slice(0, i));
      if ((await page.locator(".bar-meter").count()) > 0) judged.push(text.slice(0, i));
    }
    assert.deepEqual(judged, ["Price gt 1", "Price gt 1 ", text]);
    await close();
  });

  test("that is wrong is told as soon as that is certain, and always when it runs", async () => {
    await open();
    await filter().fill("Price gx ");
    await page.locator(".refusal").waitFor();
    await filter().fill("Price gt");
    await page.getByText("not finished").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "InvalidInput" }).waitFor();
    await page.locator(".refusal").waitFor();
    await close();
  });
});

test("A filter is unfinished while a word, a literal or a condition is", () => {
  const isBoolean = (name) => name === "Paid";
  const is = (text, isRefused = true, caret = text.length) => isUnfinished(text, caret, isRefused, isBoolean);
  for (const text of ["Price g", "Price gt", "Price gt ", "PartitionKey eq 'd", "Name eq 'it''", "(Price gt 3",
    "Price gt 3 an", "Price gt 3 and", "not", "not (", "At gt datetime", "At gt datetime'2026", "(A eq 1 and ("])
    assert.ok(is(text), text);
  for (const text of ["Pri", "Price", "Price ", "Price gt 3 and O"]) assert.ok(is(text, false), text);
  for (const text of ["Price gx 3", "Price gt gt 3", "Price gt 3) ", ") ", "eq 3", "Price gt 3 x y"])
    assert.ok(!is(text), text);
  for (const text of ["Price gt 3", "Paid", "Paid and A eq 'a'", "not Paid", "(A eq 1)"])
    assert.ok(!is(text, false), text);
  assert.ok(is("Price g and A eq 1", true, 7), "where the caret is");
  assert.ok(!is("Price g and A eq 1", true, 18));
});

test("Suggestions are bounded, for any text", () => {
  const columns = Array.from({ length: 250 }, (_, i) => ({ name: `N${i}`, types: new Set(["Edm.Int32"]) }));
  const kLong = ["x", "(", "' ", "a eq "].map((text) => text.repeat(20_000));
  for (const text of ["", "N", "N1 ", "N1 eq", "((((((", "'", "' '' '", "and and", ...kLong])
    assert.ok(suggestions(text, text.length, columns).options.length <= 12, text.slice(0, 20));
});
