// What a person does with the cells and columns of the grid: edits a value in its cell, takes it back, sorts, hides and
// widens.
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { browser, eventually, kOrders, loaded, openExplorer, rowsOf, server, useServerAndBrowser } from "./harness.mjs";

useServerAndBrowser();

beforeEach(() => server.reset("orders"));

let page, close;

const kFull = { accept: "application/json;odata=fullmetadata" };
const pathOf = (key) => `orders(PartitionKey='p',RowKey='${key}')`;
const stored = async (key = "1") => (await server.fetch("GET", pathOf(key), { headers: kFull })).json();
const order = (more, key = "1") => ({ PartitionKey: "p", RowKey: key, ...more });
const merge = (more, key = "1") =>
  server.fetch("MERGE", pathOf(key), { body: JSON.stringify(more), headers: { "if-match": "*" } });

async function open(address = kOrders, options) {
  ({ page, close } = await openExplorer(browser, server, address, options));
  await loaded(page);
}

const heads = async () =>
  (await page.locator(".grid thead th").allInnerTexts()).map((text) => text.trim().split(/\s/)[0]).filter(Boolean);

// The cell of a column, by its name.
async function cell(name, row = 0) {
  return rowsOf(page).nth(row).locator("td, th").nth((await heads()).indexOf(name) + 1);
}

const editor = () => page.locator(".grid .editing input");
const undo = () => page.locator(".undo");

async function edit(name, text, row = 0) {
  await (await cell(name, row)).dblclick();
  await editor().fill(text);
  await page.keyboard.press("Enter");
}

describe("A person who edits a value in its cell", () => {
  test("clicks twice, types and presses Enter: the type stays, and nothing else is sent", async () => {
    const big = { "Big@odata.type": "Edm.Int64", Big: "9007199254740993" };
    await server.insert("orders", order({ Item: "bread", ...big, Real: 3.5 }));
    await open();
    const sent = page.waitForRequest((request) => request.method() === "MERGE");
    await edit("Big", "9007199254740995");
    assert.deepEqual(JSON.parse((await sent).postData()), order({ ...big, Big: "9007199254740995" }));
    await eventually(async () => assert.equal(await (await cell("Big")).innerText(), "9007199254740995"));
    await edit("Real", "4");
    await eventually(async () => assert.equal((await stored()).Real, 4));
    const { Big, "Big@odata.type": type, Item } = await stored();
    assert.deepEqual([Big, type, Item], ["9007199254740995", "Edm.Int64", "bread"]);
    const text = await (await server.fetch("GET", pathOf("1"))).text();
    assert.match(text, /"Real":4\.0/, "a Double, not an Int32");
    assert.equal(await page.getByRole("complementary").count(), 0, "the panel stays closed");
    await close();
  });

  test("uses keys alone, and Escape leaves it as it was", async () => {
    await server.insert("orders", order({ Item: "bread" }));
    await open();
    for (const key of ["j", "l", "l", "l", "Enter"]) await page.keyboard.press(key);
    await editor().waitFor();
    await eventually(async () => assert.ok(await editor().evaluate((one) => one === document.activeElement)));
    await page.keyboard.type("cake");
    await page.keyboard.press("Escape");
    await eventually(async () => assert.equal(await editor().count(), 0));
    assert.equal((await stored()).Item, "bread");
    await page.keyboard.press("F2");
    await eventually(async () => assert.ok(await editor().evaluate((one) => one === document.activeElement)));
    await page.keyboard.type("cake");
    await page.keyboard.press("Enter");
    await undo().getByText("Stored Item.").waitFor();
    assert.equal((await stored()).Item, "cake");
    await page.keyboard.press("u");
    await undo().getByText("Undone.").waitFor();
    assert.equal((await stored()).Item, "bread");
    await eventually(async () => assert.equal(await (await cell("Item")).innerText(), "bread"));
    await close();
  });

  test("sees at the cell what is wrong, and loses nothing", async () => {
    await server.insert("orders", order({ Count: 1 }));
    await open();
    await edit("Count", "2147483648");
    await page.locator(".editing").getByText("An Int32 is a whole number from -2147483648 to 2147483647.").waitFor();
    assert.equal(await editor().inputValue(), "2147483648");
    assert.equal(await editor().getAttribute("aria-invalid"), "true");
    await editor().fill("7");
    await page.route(/entities\/devstoreaccount1\/orders\(/, (route) => route.fulfill({
      status: 503, body: JSON.stringify({ "odata.error": { code: "ServerBusy", message: { value: "Busy now." } } }),
    }));
    await page.keyboard.press("Enter");
    await page.locator(".editing").getByText("ServerBusy Busy now.").waitFor();
    assert.equal(await editor().inputValue(), "7");
    await page.unrouteAll();
    await page.keyboard.press("Enter");
    await eventually(async () => assert.equal((await stored()).Count, 7));
    await close();
  });

  test("meets a changed ETag, and compares as in the form", async () => {
    await server.insert("orders", order({ Item: "bread", Stock: 5 }));
    await open();
    await (await cell("Item")).dblclick();
    await editor().fill("cake");
    await merge({ Item: "pie", Stock: 4 });
    await page.keyboard.press("Enter");
    const panel = page.getByRole("complementary", { name: "Details" });
    await panel.getByRole("heading", { name: "Changed meanwhile" }).waitFor();
    assert.equal((await stored()).Item, "pie");
    await panel.getByRole("button", { name: "Save mine over it" }).click();
    await panel.getByText("Saved.").waitFor();
    const { Item, Stock } = await stored();
    assert.deepEqual([Item, Stock], ["cake", 5]);
    await close();
  });

  test("loses nothing of it to what is typed in the panel", async () => {
    await server.insert("orders", order({ Item: "bread" }), order({ Item: "pie" }, "2"));
    await open();
    await (await cell("RowKey", 1)).click();
    await page.keyboard.press("e");
    const panel = page.getByRole("complementary", { name: "Details" });
    await panel.getByLabel("Value of Item").fill("typed");
    await merge({ Item: "theirs" });
    for (const key of ["Escape", "k", "l", "l", "F2"]) await page.keyboard.press(key);
    await editor().fill("cake");
    await page.keyboard.press("Enter");
    await panel.getByRole("button", { name: "Keep it" }).click();
    assert.equal(await panel.getByLabel("Value of Item").inputValue(), "typed");
    assert.equal(await editor().inputValue(), "cake");
    await editor().press("Enter");
    await panel.getByRole("button", { name: "Discard" }).click();
    await panel.getByRole("button", { name: "Save mine over it" }).click();
    await panel.getByText("Saved.").waitFor();
    assert.equal((await stored()).Item, "cake");
    assert.equal(await editor().count(), 0);
    await close();
  });

  test("loses nothing by scrolling away", async () => {
    await server.insert("orders", ...Array.from({ length: 200 }, (_, i) => order({ A: "a" }, String(i).padStart(3, "0"))));
    await open(`${kOrders}?top=1000`);
    await (await cell("A")).dblclick();
    await editor().fill("typed");
    const scroll = (top) => page.locator(".grid").evaluate((grid, to) => (grid.scrollTop = to), top);
    await scroll(5000);
    await rowsOf(page).last().getByText("199").waitFor();
    await scroll(0);
    await eventually(async () => {
      const now = (await editor().count()) > 0 ? await editor().inputValue() : await (await cell("A")).innerText();
      assert.equal(now, "typed");
    });
    await page.getByRole("heading", { name: "orders" }).click();
    await eventually(async () => assert.equal((await stored("000")).A, "typed"));
    await close();
  });

  test("stores by leaving the cell, gives a value to an entity without it, and meets one that is gone", async () => {
    await server.insert("orders", order({ Paid: true }), order({ Item: "bread" }, "2"));
    await open();
    await (await cell("Paid", 1)).dblclick();
    await editor().fill("false");
    await page.getByRole("heading", { name: "orders" }).click();
    await eventually(async () => assert.equal((await stored("2")).Paid, false));
    await server.fetch("DELETE", pathOf("1"), { headers: { "if-match": "*" } });
    await edit("Item", "cake");
    await page.locator(".editing").getByText("ResourceNotFound").waitFor();
    assert.equal((await server.fetch("GET", pathOf("1"))).status, 404);
    await close();
  });

  test("of which the grid has only some properties loses none of the others, also by Undo", async () => {
    await server.insert("orders", order({ Item: "bread", Price: 3 }));
    await open(`${kOrders}?select=Item`);
    await edit("Item", "cake");
    await undo().getByRole("button", { name: "Undo" }).click();
    await undo().getByText("Undone.").waitFor();
    const { Item, Price } = await stored();
    assert.deepEqual([Item, Price], ["bread", 3]);
    assert.deepEqual(await heads(), ["PartitionKey", "RowKey", "Item"]);
    await close();
  });

  test("has the form for a long value and one of several lines, and the panel for the keys", async () => {
    await server.insert("orders", order({ Long: "x".repeat(300), Lines: "a\nb" }));
    await open();
    const panel = page.getByRole("complementary", { name: "Details" });
    for (const name of ["Long", "Lines"]) {
      await (await cell(name)).dblclick();
      await panel.getByLabel(`Value of ${name}`).and(page.locator(":focus")).waitFor();
      await panel.getByRole("button", { name: "Cancel" }).click();
      await panel.getByRole("button", { name: "Close" }).click();
    }
    await (await cell("RowKey")).dblclick();
    await panel.getByText("ETag").waitFor();
    assert.equal(await editor().count(), 0);
    await close();
  });

  test("sees it in the open panel, too", async () => {
    await server.insert("orders", order({ Item: "bread" }));
    await open();
    await (await cell("RowKey")).click();
    const panel = page.getByRole("complementary", { name: "Details" });
    await panel.getByText("bread").waitFor();
    await edit("Item", "cake");
    await panel.getByText("cake").waitFor();
    await panel.getByRole("button", { name: "Edit" }).click();
    await panel.getByLabel("Value of Item").fill("pie");
    await panel.getByRole("button", { name: "Save" }).click();
    await panel.getByText("Saved.").waitFor();
    await close();
  });
});

describe("Undo", () => {
  test("does not write over what somebody has written since, and says so", async () => {
    await server.insert("orders", order({ Item: "bread" }));
    await open();
    await edit("Item", "cake");
    await undo().getByText("Stored Item.").waitFor();
    await merge({ Item: "theirs" });
    await undo().getByRole("button", { name: "Undo" }).click();

    await undo().getByText("1 of 1 not undone. p / 1: Somebody has changed it since.").waitFor();
    assert.equal((await stored()).Item, "theirs");
    await close();
  });

  test("does not, either, if they wrote before the page had read its own write", async () => {
    await server.insert("orders", order({ Item: "bread" }));
    await open();
    await page.route(/entities\/devstoreaccount1\/orders\(/, async (route) => {
      if (route.request().method() === "GET") await merge({ Item: "theirs" });
      await route.continue();
    });
    await edit("Item", "cake");
    await eventually(async () => assert.equal(await (await cell("Item")).innerText(), "theirs"));
    await undo().getByRole("button", { name: "Undo" }).click();
    await undo().getByText("Somebody has changed it since.").waitFor();
    assert.equal((await stored()).Item, "theirs");
    await close();
  });

  test("takes back a new entity, an edit and a deletion of the panel", async () => {
    await server.insert("orders", order({ Item: "bread", Old: 1 }));
    await open();
    const panel = page.getByRole("complementary", { name: "Details" });
    const takeBack = async () => {
      await undo().getByRole("button", { name: "Undo" }).click();
      await undo().getByText("Undone.").waitFor();
    };
    await page.getByRole("button", { name: "New entity" }).click();
    await panel.getByLabel("Value of PartitionKey").fill("p");
    await panel.getByLabel("Value of RowKey").fill("2");
    await panel.getByRole("button", { name: "Insert" }).click();
    await page.getByText("2 loaded").waitFor();
    await takeBack();
    await page.getByText("1 loaded").waitFor();
    assert.equal((await server.fetch("GET", pathOf("2"))).status, 404);
    await (await cell("RowKey")).click();
    await page.keyboard.press("e");
    await panel.getByRole("button", { name: "Remove Old" }).click();
    await panel.getByRole("button", { name: "Save" }).click();
    await panel.getByText("Saved.").waitFor();
    await takeBack();
    assert.equal((await stored()).Old, 1);
    await panel.getByRole("button", { name: "Delete…" }).click();
    await panel.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("0 loaded").waitFor();
    await takeBack();
    await page.getByText("1 loaded").waitFor();
    assert.deepEqual([(await stored()).Item, (await stored()).Old], ["bread", 1]);
    await close();
  });
});

describe("Columns", () => {
  const kAnyOrder = [
    order({ N: 10, "Big@odata.type": "Edm.Int64", Big: "9007199254740993", T: "b" }, "1"),
    order({ N: 9.5, "Big@odata.type": "Edm.Int64", Big: "9007199254740992", T: "B" }, "2"),
    order({ T: "a" }, "3"),
    order({ N: -1, "Big@odata.type": "Edm.Int64", Big: "5", T: 7 }, "4"),
  ];
  const keys = () => rowsOf(page).locator("th:nth-child(3)").allInnerTexts();
  const isSorted = (...wanted) => eventually(async () => assert.deepEqual(await keys(), wanted));
  const head = (name) => page.locator(".grid thead th").filter({ hasText: name });

  test("sort what is loaded by number or text, say so, and stay so", async () => {
    await server.insert("orders", ...kAnyOrder);
    await open(`${kOrders}?top=3`);
    await head("N").last().getByRole("button").click();
    await isSorted("2", "1", "3");
    await page.getByText("sorted by N: only what is loaded").waitFor();
    await page.getByRole("button", { name: "Next page" }).click();
    await isSorted("4", "2", "1", "3");
    assert.equal(await page.getByText("only what is loaded").count(), 0, "all is loaded");
    await head("N").last().getByRole("button").click();
    await isSorted("1", "2", "4", "3");
    assert.equal(await head("N").last().getAttribute("aria-sort"), "descending");
    await page.reload();
    await page.getByRole("button", { name: "Next page" }).click();
    await isSorted("1", "2", "4", "3");
    await head("N").last().getByRole("button").click();
    await isSorted("1", "2", "3", "4");
    await head("Big").getByRole("button").click();
    await isSorted("4", "2", "1", "3");
    await head("T").last().getByRole("button").click();
    await isSorted("4", "2", "3", "1");
    await close();
  });

  test("sort by keys of the keyboard; the active row stays", async () => {
    await server.insert("orders", ...kAnyOrder);
    await open();
    for (const key of ["j", "l", "l", "l", "s"]) await page.keyboard.press(key);
    await isSorted("4", "2", "1", "3");
    assert.match(await page.locator(".grid tr.current").innerText(), /b/);
    await head("PartitionKey").getByRole("button").focus();
    for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "Enter"]) await page.keyboard.press(key);
    await isSorted("1", "2", "4", "3");
    await close();
  });

  test("are hidden and widened, by pointer and keys, for this table, until they are as at first", async () => {
    await server.insert("orders", ...kAnyOrder);
    await open();
    const width = async (name) => (await head(name).last().boundingBox()).width;
    const before = await width("Big");
    const grip = await head("Big").locator(".grip").boundingBox();
    await page.mouse.move(grip.x + 4, grip.y + 10);
    await page.mouse.down();
    await page.mouse.move(grip.x + 44, grip.y + 10, { steps: 4 });
    await page.mouse.up();
    await eventually(async () => assert.equal(await width("Big"), before + 40));
    assert.equal(await head("Big").getAttribute("aria-sort"), null, "it is no click on the head");
    await head("T").last().getByRole("button").focus();
    const narrow = await width("T");
    await page.keyboard.press(">");
    await page.keyboard.press(">");
    await page.keyboard.press("<");
    await eventually(async () => assert.equal(await width("T"), narrow + 24));
    await page.locator("summary", { hasText: "Columns" }).click();
    await page.getByLabel("Timestamp", { exact: true }).uncheck();
    await page.getByLabel("N", { exact: true }).uncheck();
    await eventually(async () => assert.deepEqual(await heads(), ["PartitionKey", "RowKey", "Big", "T"]));
    await page.reload();
    await page.locator("summary", { hasText: "Columns: 2 hidden" }).click();
    assert.deepEqual(await heads(), ["PartitionKey", "RowKey", "Big", "T"]);
    assert.equal(await width("Big"), before + 40);
    await edit("T", "edited"); // a cell is that of its column, whatever is hidden before it
    await eventually(async () => assert.equal((await stored()).T, "edited"));
    await page.locator("summary", { hasText: "Columns: 2 hidden" }).click();
    await page.getByRole("button", { name: "As they were at first" }).click();
    await eventually(async () => assert.equal((await heads()).length, 6));
    assert.equal(await width("Big"), before);
    await close();
  });

  test("show a narrow Timestamp, of which a copy has all", async () => {
    await server.insert("orders", order({ A: 1 }));
    await open();
    assert.match(await (await cell("Timestamp")).innerText(), /^\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.ok((await head("Timestamp").boundingBox()).width <= 130);
    for (const key of ["j", "l", "l", "c"]) await page.keyboard.press(key);
    await page.getByText("copied").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), (await stored()).Timestamp);
    await close();
  });

  test("show JSON in lines on request, and only what is JSON", async () => {
    await server.insert("orders", order({ Json: '{"a":[1,{"b":"<b>\\u202e"}]}', Text: "{no JSON}", N: 1 }));
    await open();
    assert.equal(await rowsOf(page).getByRole("button", { name: /JSON/ }).count(), 1);
    await rowsOf(page).getByRole("button", { name: "JSON of Json in lines" }).click();
    const dialog = page.getByRole("dialog");
    assert.equal((await dialog.locator("pre").innerText()).trim(),
      '{\n  "a": [\n    1,\n    {\n      "b": "<b>‹U+202E›"\n    }\n  ]\n}');
    assert.equal(await page.getByRole("complementary").count(), 0, "the panel stays closed");
    await page.keyboard.press("Escape");
    for (const key of ["j", "l", "l", "l", "f"]) await page.keyboard.press(key);
    await dialog.locator("pre").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    for (const key of ["l", "f"]) await page.keyboard.press(key);
    assert.equal(await dialog.count(), 0, "this is no JSON");
    await close();
  });
});

describe("A person with 480 pixels", () => {
  test("reaches a cell that is out of sight by keys, and it is beside the keys, with what is wrong", async () => {
    await server.insert("orders", order({ A: "a".repeat(40), B: "b", C: 1, D: "d".repeat(40) }));
    await open(kOrders, { width: 480 });
    for (const key of ["j", "l", "l", "l", "l", "l", "l"]) await page.keyboard.press(key);
    const keysEnd = async () => {
      const { x, width } = await (await cell("RowKey")).boundingBox();
      return x + width;
    };
    const isBeside = (locator) => eventually(async () => {
      const { x, width } = await locator.boundingBox();
      assert.ok(x >= (await keysEnd()) - 1 && x + Math.min(width, 60) <= 480, `${x} ${width}`);
    });
    await isBeside(await cell("D"));
    for (const key of ["h", "Enter"]) await page.keyboard.press(key);
    await editor().fill("x");
    await page.keyboard.press("Enter");
    await isBeside(page.locator(".editing .error"));
    await isBeside(editor());
    await close();
  });

  const kLongName = `T${"abcdefghij".repeat(6)}`;

  test("sees tables without anything over another, or cut", async () => {
    await server.createTable(kLongName);
    ({ page, close } = await openExplorer(browser, server, "", { width: 480 }));
    await page.route(/\/_rocktable\/tables/, async (route) => route.fulfill({ json: {
      account: "devstoreaccount1", tables: [
        { name: kLongName, entities: 5_279_123, isExact: false, bytes: 123_456_789 },
        { name: "orders", entities: 100_076, isExact: true, bytes: 21_456_789 }],
    } }));
    await page.reload();
    await page.getByRole("button", { name: "Delete orders" }).waitFor();
    const boxes = await page.locator("main h1, main h1 + span").evaluateAll((all) => all.map((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      const { left, right, top, bottom } = range.getBoundingClientRect();
      return { left, right, top, bottom };
    }));
    const [a, b] = boxes;
    assert.ok(a.right <= b.left || a.bottom <= b.top, JSON.stringify(boxes));
    for (const name of [`Delete ${kLongName}`, "Delete orders"]) {
      const box = await page.getByRole("button", { name, exact: true }).boundingBox();
      assert.ok(box.x + box.width <= 480, `${name} ends at ${box.x + box.width}`);
    }
    assert.ok(await page.locator(".sideways").evaluate((one) => one.scrollWidth <= one.clientWidth));
    await close();
  });

  test("sees the controls of a table without anything over another, or cut", async () => {
    await server.createTable(kLongName);
    await server.insert(kLongName, order({ A: 1 }), order({ A: 2 }, "2"));
    await open(kOrders.replace("orders", kLongName), { width: 480 });
    await page.getByLabel("Select row 1", { exact: true }).click();
    await page.getByLabel("Filter", { exact: true }).fill("A gt 1 ");
    await page.locator(".bar-meter").waitFor();
    const boxes = await page.locator("main :is(h1, .size-of-table, button, summary, input, .plan)").evaluateAll((all) =>
      all.filter((one) => one.checkVisibility() && !one.closest(".grid"))
        .map((one) => ({ ...one.getBoundingClientRect().toJSON(), name: one.textContent || one.className })));
    for (const box of boxes) assert.ok(box.left >= 0 && box.right <= 480, JSON.stringify(box));
    for (const [i, a] of boxes.entries())
      for (const b of boxes.slice(i + 1)) {
        const isApart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
        assert.ok(isApart, `${a.name} and ${b.name}`);
      }
    await page.locator("summary", { hasText: "Columns" }).click();
    await page.getByLabel("A", { exact: true }).uncheck();
    await eventually(async () => assert.deepEqual(await heads(), ["PartitionKey", "RowKey", "Timestamp"]));
    const menu = await page.locator(".columns-list").boundingBox();
    assert.ok(menu.x >= 0 && menu.x + menu.width <= 480);
    await close();
  });
});
