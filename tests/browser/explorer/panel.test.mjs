// What a person does with one entity: reads, makes, edits and duplicates it, also while others write.
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { browser, eventually, kOrders, loaded, openExplorer, rowsOf, server, useServerAndBrowser } from "./harness.mjs";
import { leastOf } from "../measure.mjs";

const kAnyTypes = {
  Text: ["Edm.String", "bread"],
  Small: ["Edm.Int32", "-7"],
  Big: ["Edm.Int64", "9223372036854775807"],
  Real: ["Edm.Double", "3"],
  Flag: ["Edm.Boolean", "true"],
  At: ["Edm.DateTime", "2026-11-20T08:30:00.1234567Z"],
  Id: ["Edm.Guid", "c9da6455-213d-42c9-9a79-3e9149a57833"],
  Raw: ["Edm.Binary", "AQID"],
};

let page, close;

useServerAndBrowser();

beforeEach(() => server.reset("orders"));

const panel = () => page.getByRole("complementary", { name: "Details" });
const button = (name) => panel().getByRole("button", { name, exact: true });
const field = (name) => panel().getByLabel(`Value of ${name}`, { exact: true });
const type = (name) => panel().getByLabel(`Type of ${name}`, { exact: true });
const says = (text) => panel().getByText(text).waitFor();
const row = (i) => rowsOf(page).nth(i);

async function open(options) {
  ({ page, close } = await openExplorer(browser, server, kOrders, options));
  await loaded(page);
}

// Opens the first row for reading, or for editing.
async function openFirst(isEdit = false) {
  await open();
  await page.keyboard.press("j");
  await page.keyboard.press(isEdit ? "e" : "Enter");
  await panel().waitFor();
  if (isEdit) await hasFocus();
}

// An editor takes the focus a moment after it is there. Escape in between would leave no field.
const hasFocus = () => panel().locator(":focus").waitFor();

const pathOf = (key) => `orders(PartitionKey='p',RowKey='${key}')`;

async function stored(key = "1") {
  const headers = { accept: "application/json;odata=fullmetadata" };
  const answer = await server.fetch("GET", pathOf(key), { headers });
  return answer.status === 200 ? { ...(await answer.json()), status: 200 } : { status: answer.status };
}

// What another client writes meanwhile.
async function elsewhere(method, properties) {
  const body = method === "DELETE" ? undefined : JSON.stringify(properties);
  const answer = await server.fetch(method, pathOf("1"), { body, headers: { "if-match": "*" } });
  assert.equal(answer.status, 204);
}

const order = (more, key = "1") => ({ PartitionKey: "p", RowKey: key, ...more });

async function addProperty(name, ofType, text) {
  const names = panel().getByLabel("Name of the property");
  const before = await names.count();
  await button("+ property").click();
  await names.nth(before).fill(name);
  await field(name).fill(text); // before the type, which may bring another field
  await type(name).selectOption(ofType);
}

describe("A person who makes an entity", () => {
  test("gives it each of the eight types", async () => {
    await open();
    await page.keyboard.press("n");
    await field("PartitionKey").fill("p");
    await field("RowKey").fill("1");
    for (const [name, [ofType, text]] of Object.entries(kAnyTypes)) await addProperty(name, ofType, text);
    await button("Insert").click();
    await says("Inserted.");
    const entity = await stored();
    for (const [name, [ofType, text]] of Object.entries(kAnyTypes)) {
      assert.equal(String(entity[name]), text, name);
      const isTold = ["Edm.Int64", "Edm.DateTime", "Edm.Guid", "Edm.Binary"].includes(ofType);
      assert.equal(entity[`${name}@odata.type`], isTold ? ofType : undefined, name);
    }
    const answer = await server.fetch("GET", pathOf("1"));
    assert.match(await answer.text(), /"Real":3\.0/, "a Double, not an Int32");
    assert.match(await row(0).innerText(), /bread/, "the grid shows it without another query");
    await close();
  });

  test("is told what is wrong with a value, in words, and loses nothing", async () => {
    await open();
    await page.keyboard.press("n");
    await field("PartitionKey").fill("p");
    await field("RowKey").fill("1");
    const wrong = { A: ["Edm.Int32", "2147483648"], B: ["Edm.DateTime", "yesterday"], C: ["Edm.Guid", "12"] };
    for (const [name, [ofType, text]] of Object.entries(wrong)) await addProperty(name, ofType, text);
    await button("Insert").click();
    await says("An Int32 is a whole number from -2147483648 to 2147483647.");
    await says(/^A DateTime is from/);
    await says(/^A Guid is 32 hexadecimal digits/);
    for (const [name, [, text]] of Object.entries(wrong)) assert.equal(await field(name).inputValue(), text);
    const isFocused = () => field("A").evaluate((one) => one === document.activeElement);
    await eventually(async () => assert.ok(await isFocused()));
    assert.equal((await stored()).status, 404);
    await close();
  });

  test("learns that the keys are taken, and compares with what is stored", async () => {
    await server.insert("orders", order({ Item: "cake" }));
    await open();
    await page.keyboard.press("n");
    await field("PartitionKey").fill("p");
    await field("RowKey").fill("1");
    await field("Item").fill("bread");
    await button("Insert").click();
    await says("EntityAlreadyExists");
    assert.equal(await field("Item").inputValue(), "bread");
    await button("Compare").click();
    await says("cake");
    await button("Save mine over it").click();
    await says("Saved.");
    assert.equal((await stored()).Item, "bread");
    await close();
  });

  test("begins with the properties and types of the table, and what stays empty is not stored", async () => {
    const big = { "Big@odata.type": "Edm.Int64", Big: "1" };
    await server.insert("orders", order({ Item: "bread", ...big }), order({ Paid: true, Note: "x" }, "2"));
    await open();
    await page.keyboard.press("n");
    await field("RowKey").waitFor();
    const types = await panel().locator(".property select[aria-label^=Type]").evaluateAll((all) =>
      all.map((one) => `${one.getAttribute("aria-label")} ${one.value}`));
    assert.deepEqual(types, ["Type of Item Edm.String", "Type of Big Edm.Int64", "Type of Paid Edm.Boolean",
      "Type of Note Edm.String"]);
    await field("PartitionKey").fill("p");
    await field("RowKey").fill("3");
    await field("Big").fill("9007199254740993");
    await field("Paid").selectOption("false");
    await button("Insert").click();
    await says("Inserted.");
    const { Big, "Big@odata.type": type_, Paid, Item, Note } = await stored("3");
    assert.deepEqual([Big, type_, Paid, Item, Note], ["9007199254740993", "Edm.Int64", false, undefined, undefined]);
    await close();
  });

  test("duplicates another", async () => {
    const big = { "Big@odata.type": "Edm.Int64", Big: "9007199254740993" };
    await server.insert("orders", order({ Item: "bread", ...big }));
    await openFirst();
    await button("Duplicate").click();
    await field("RowKey").fill("2");
    await button("Insert").click();
    await says("Inserted.");
    const copy = await stored("2");
    assert.equal(copy.Item, "bread");
    assert.deepEqual([copy.Big, copy["Big@odata.type"]], ["9007199254740993", "Edm.Int64"]);
    assert.equal((await stored()).status, 200);
    await close();
  });
});

describe("A person who edits an entity", () => {
  test("changes a value, and the rest is not sent", async () => {
    await server.insert("orders", order({ Item: "bread", Real: 3.0, Note: "a\r\nb" }));
    await openFirst(true);
    await field("Item").fill("cake");
    const sent = page.waitForRequest((request) => request.method() === "MERGE");
    await field("Item").press("Control+Enter");
    assert.deepEqual(JSON.parse((await sent).postData()), order({ Item: "cake" }));
    assert.match(await (await sent).headerValue("if-match"), /^W\//);
    await says("Saved.");
    assert.match(await row(0).innerText(), /cake/);
    assert.equal((await stored()).Note, "a\r\nb");
    await close();
  });

  test("changes the type of a property", async () => {
    await server.insert("orders", order({ Price: "35" }));
    await openFirst(true);
    await type("Price").selectOption("Edm.Int64");
    await button("Save").click();
    await says("Saved.");
    const entity = await stored();
    assert.deepEqual([entity.Price, entity["Price@odata.type"]], ["35", "Edm.Int64"]);
    await close();
  });

  test("removes a property of an entity of which the grid has only some", async () => {
    await server.insert("orders", order({ Old: 1, Item: "bread", Price: 3 }));
    ({ page, close } = await openExplorer(browser, server, `${kOrders}?select=Old`));
    await loaded(page);
    await page.keyboard.press("j");
    await page.keyboard.press("e");
    await button("Remove Old").click();
    await button("Save").click();
    await says("Saved.");
    const { Item, Price, Old } = await stored();
    assert.deepEqual([Item, Price, Old], ["bread", 3, undefined]);
    await close();
  });

  test("removes a property, and adds another", async () => {
    await server.insert("orders", order({ Item: "bread", Old: 1, Real: 2.5 }));
    await openFirst(true);
    await button("Remove Old").click();
    await addProperty("New", "Edm.Int32", "5");
    await button("Save").click();
    await says("Saved.");
    const entity = await stored();
    assert.deepEqual([entity.Item, entity.Old, entity.New, entity.Real], ["bread", undefined, 5, 2.5]);
    await close();
  });

  test("meets a changed ETag, sees both, and chooses for each property", async () => {
    await server.insert("orders", order({ Item: "bread", Price: 1, Stock: 5 }));
    await openFirst(true);
    await field("Item").fill("cake");
    await field("Price").fill("2");
    await elsewhere("MERGE", { Item: "pie", Stock: 4 });
    await button("Save").click();
    const lines = panel().locator(".conflict tbody tr");
    await eventually(async () => assert.equal(await lines.count(), 3));
    assert.match(await lines.nth(0).innerText(), /Item.*meanwhile, and by you; was.*bread.*cake.*pie/s);
    assert.match(await lines.nth(1).innerText(), /Price.*yours alone/s);
    assert.match(await lines.nth(2).innerText(), /Stock.*changed meanwhile; was/s);
    assert.ok(await panel().getByLabel("Yours of Item").isChecked());
    assert.ok(await panel().getByLabel("Stored now of Stock").isChecked(), "changed by them alone");
    await panel().getByLabel("Stored now of Item").check();
    await button("Save the choices").click();
    await says("Saved.");
    const entity = await stored();
    assert.deepEqual([entity.Item, entity.Price, entity.Stock], ["pie", 2, 4]);
    await close();
  });

  test("saves over what was written meanwhile", async () => {
    await server.insert("orders", order({ Item: "bread", Stock: 5 }));
    await openFirst(true);
    await field("Item").fill("cake");
    await elsewhere("PUT", { Item: "pie", Added: true });
    await button("Save").click();
    await button("Save mine over it").click();
    await says("Saved.");
    const entity = await stored();
    assert.deepEqual([entity.Item, entity.Stock, entity.Added], ["cake", 5, undefined]);
    await close();
  });

  test("takes what is stored, or goes on editing upon it", async () => {
    await server.insert("orders", order({ Item: "bread", Stock: 5 }));
    await openFirst(true);
    await field("Item").fill("cake");
    await elsewhere("MERGE", { Stock: 4 });
    await button("Save").click();
    await button("Edit further").click();
    assert.deepEqual([await field("Item").inputValue(), await field("Stock").inputValue()], ["cake", "4"]);
    await elsewhere("MERGE", { Item: "pie" });
    await button("Save").click();
    await button("Take theirs").click();
    await says("Nothing to change.");
    await panel().getByText("pie").waitFor();
    assert.match(await row(0).innerText(), /pie/);
    await close();
  });

  test("that was deleted meanwhile makes a new one of what was typed", async () => {
    await server.insert("orders", order({ Item: "bread", Old: 1 }));
    await openFirst(true);
    await field("Item").fill("cake");
    await button("Remove Old").click();
    await elsewhere("DELETE");
    await button("Save").click();
    await says("ResourceNotFound");
    await button("Make it a new entity").click();
    await button("Insert").click();
    await says("Inserted.");
    const entity = await stored();
    assert.deepEqual([entity.Item, entity.Old], ["cake", undefined]);
    await close();
  });

  test("keeps what was typed when the service refuses it", async () => {
    await server.insert("orders", order({ Item: "bread" }));
    await openFirst(true);
    await field("Item").fill("x".repeat(40_000));
    await button("Save").click();
    await says("PropertyValueTooLarge");
    assert.equal((await field("Item").inputValue()).length, 40_000);
    await close();
  });
});

describe("A person who leaves an edit", () => {
  beforeEach(() => server.insert("orders", order({ Item: "bread" }), order({ Item: "pie" }, "2")));

  test("is asked only if something that was typed would be lost", async () => {
    await openFirst(true);
    await page.keyboard.press("Escape"); // leaves the field
    await page.keyboard.press("Escape");
    await eventually(async () => assert.equal(await panel().count(), 0));
    await page.keyboard.press("e");
    await hasFocus();
    await field("Item").fill("cake");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await says("Discard what you typed?");
    await button("Keep it").click();
    assert.equal(await field("Item").inputValue(), "cake");
    await button("Close").click();
    await button("Discard").click();
    await eventually(async () => assert.equal(await panel().count(), 0));
    assert.equal((await stored()).Item, "bread");
    await close();
  });

  test("is asked before another entity takes its place, and after another screen", async () => {
    await openFirst(true);
    await field("Item").fill("cake");
    await row(1).locator("th").nth(1).click();
    await button("Keep it").click();
    await page.getByRole("link", { name: "Insight" }).click();
    await says("Discard what you typed?");
    await button("Keep it").click();
    assert.equal(await field("Item").inputValue(), "cake");
    await page.goBack();
    await row(1).locator("th").nth(1).click();
    await button("Discard").click();
    await panel().getByText("pie").waitFor();
    await close();
  });
});

describe("A person who reads an entity", () => {
  test("opens a value of 32 KB in less than 200 ms, and copies it whole", async () => {
    const long = "line \u00e9 of a long text\n".repeat(1300);
    await server.insert("orders", order({ Long: long }));
    await open();
    await page.keyboard.press("j");
    const openPanel = () => page.evaluate(async () => {
      const key = (name) => document.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
      key("Escape");
      while (document.querySelector(".panel textarea")) await new Promise(requestAnimationFrame);
      await import("/_rocktable/explorer/entities/panel.js"); // the module is loaded once
      const begin = performance.now();
      key("Enter");
      while (!document.querySelector(".panel textarea")) await new Promise(requestAnimationFrame);
      return performance.now() - begin;
    });
    const took = await leastOf(200, openPanel);
    assert.ok(took < 200, `${took} ms`);
    await button("Copy Long").click();
    await says("Copied Long.");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), long);
    await close();
  });

  test("sees hostile names and values as text, with hidden characters as signs", async () => {
    const markup = "<script>window.hit = 1</script><img src=x onerror='window.hit = 1'>";
    const values = { A: markup, B: "\u202egpj.exe", C: "nul\u0000bell\u0007", constructor: "own" };
    await server.insert("orders", order(values));
    await openFirst();
    await says(markup);
    await says("‹U+202E›gpj.exe");
    await says("nul‹U+0000›bell‹U+0007›");
    await button("Edit").click();
    await says("Contains ‹U+202E›");
    await field("A").fill(`${markup}!`);
    await button("Save").click();
    await says("Saved.");
    const entity = await stored();
    for (const name of "BC") assert.equal(entity[name], values[name]);
    assert.deepEqual([entity.A, entity.constructor], [`${markup}!`, "own"]);
    assert.equal(await page.evaluate(() => window.hit), undefined);
    await close();
  });

  test("copies it as JSON, and deletes it", async () => {
    await server.insert("orders", order({ Item: "bread" }));
    await openFirst();
    await button("Copy as JSON").click();
    await says("Copied the entity as JSON.");
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    assert.equal(copied.Item, "bread");
    await elsewhere("MERGE", { Item: "pie" });
    await button("Delete…").click();
    await button("Delete").click();
    await says("UpdateConditionNotSatisfied");
    await button("Read it again").click();
    await says("pie");
    await button("Delete…").click();
    await button("Delete").click();
    await eventually(async () => assert.equal(await row(0).count(), 0));
    assert.equal((await stored()).status, 404);
    await close();
  });
});

test("A person who reads an entity copies it as code", async () => {
  await server.insert("orders", order({ Item: "it's" }));
  await openFirst();
  await button("As code").click();
  await panel().getByText("Entity as code").waitFor();
  await panel().getByRole("button", { name: "Copy for JavaScript" }).click();
  await panel().getByText("Copied").waitFor();
  const code = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(code, /table\.upsertEntity\(\{.*\["Item"\]: "it's",\n\}, "Replace"\);$/s);
  await close();
});
