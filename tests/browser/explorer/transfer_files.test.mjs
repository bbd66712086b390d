// Export and import in the panel: files are those of `rocktable export` to the byte.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { beforeEach, describe, test } from "node:test";
import { promisify } from "node:util";
import { kBinary } from "../../support/server.mjs";
import { browser, eventually, kAccount, openExplorer, server, useServerAndBrowser } from "./harness.mjs";
import { typed } from "./sample.mjs";

const run = promisify(execFile);
const kFormats = { ndjson: /^NDJSON/, csv: /^CSV/ };

let page, close;

useServerAndBrowser();

beforeEach(() => server.reset("orders"));

const order = (row, more = {}) => ({ PartitionKey: "p", RowKey: String(row), ...more });
const lines = (n) => Array.from({ length: n }, (_, i) => JSON.stringify(order(i, { Age: i }))).join("\n");

// What a transfer can lose: types, digits, signs, spaces, line ends, order of properties, what CSV quotes.
function fillHostile() {
  const doubles = ["0.0", "-0.0", "1.0", "1E+300", "5E-324", "0.1", "123456789012345680", "NaN", "-Infinity",
    "2.9802322387695312E-08", "1.7976931348623157E+308"];
  const texts = [
    "", " ", " ends ", "\t", 'say "hi"', "a,b", "two\r\nlines\n\n", "\r", "=1+1", "'", "-5", "ü 😀", "\\",
    "\u0000\u001f\u007f", "\u2028", "null", "true", "1.0", '{"value":[{', "x".repeat(32_000), "\ufeff",
  ];
  return server.insert("orders",
    ...doubles.map((text, i) => order(`double ${i}`, typed("Real", "Double", text))),
    ...texts.map((Text, i) => order(`text ${i}`, { Text })),
    order("all", {
      Zebra: "first", Count: -2147483648, Paid: false, ...typed("Big", "Int64", "-9223372036854775808"),
      ...typed("At", "DateTime", "2026-11-20T08:30:00.1234567Z"),
      ...typed("Old", "DateTime", "1601-01-01T00:00:00Z"),
      ...typed("Id", "Guid", "c9da6455-213d-42c9-9a79-3e9149a57833"), ...typed("Photo", "Binary", "AQID/+8="),
      ...typed("Nothing", "Binary", ""), Äpfel: 3, __proto__x: 1, constructor: "own",
    }),
    order("other types", { Zebra: 5, Count: "5", Paid: 0.5 }),
    { PartitionKey: "", RowKey: "", Text: "empty keys" },
    { PartitionKey: "it's, \"quoted\"", RowKey: "\u202e<b>", Text: "keys" });
}

async function open(table = "orders", query = "") {
  ({ page, close } = await openExplorer(browser, server, `${kAccount}/${table}${query}`));
  await page.getByRole("button", { name: "Import, export" }).click();
}

const button = (name) => page.locator(".panel").getByRole("button", { name });
const says = (text) => page.locator(".panel").getByText(text).first().waitFor();

async function exported(format) {
  await page.getByLabel(kFormats[format]).check();
  const [download] = await Promise.all([page.waitForEvent("download"), button("Export").click()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path()) };
}

async function choose(name, text) {
  const file = { name, mimeType: "", buffer: Buffer.from(text) };
  await page.locator('.panel input[type="file"]').setInputFiles(file);
}

async function imported(name, text, mode = /^Insert/) {
  await choose(name, text);
  await page.getByLabel(mode).check();
  await button(/^Import \d/).click();
}

async function exportedByCommand(table, format) {
  const args = ["export", "--connectionString", server.connectionString, "--table", table, "--to", "-"];
  const options = { encoding: "buffer", maxBuffer: 2 ** 26 };
  return (await run(kBinary, [...args, "--format", format], options)).stdout;
}

const stored = async (table = "orders") => (await (await server.fetch("GET", `${table}()`)).json()).value;

async function count() {
  const { tables } = await server.control("GET", "tables?account=devstoreaccount1&table=orders");
  return tables[0].entities;
}

const slowly = () => page.route(/\$batch$/, async (route) => {
  await new Promise((resolve) => setTimeout(resolve, 100));
  await route.continue();
});

for (const format of ["ndjson", "csv"]) {
  describe(`A person who moves a table as ${format}`, () => {
    test("gets the file of the command, and by importing it the same table again", async () => {
      await fillHostile();
      await server.createTable("copies");
      await open();
      const first = await exported(format);
      assert.equal(first.name, `orders.${format}`);
      const wanted = await exportedByCommand("orders", format);
      assert.equal(first.text.toString(), wanted.toString());
      assert.ok(first.text.equals(wanted));
      await close();

      await open("copies");
      await imported(first.name, first.text);
      await says(/^Wrote 36 entities\.$/);
      const second = await exported(format);
      assert.ok(second.text.equals(first.text));
      await close();
    });

    test("gets all pages of it, and an empty file of an empty table", async () => {
      await open();
      assert.ok((await exported(format)).text.equals(await exportedByCommand("orders", format)));
      await close();
      for (let i = 0; i < 2300; i += 100) await insertMany(i, 100);
      await open();
      assert.ok((await exported(format)).text.equals(await exportedByCommand("orders", format)));
      await says("Saved 2,300 entities");
      await close();
    });
  });
}

// One change set.
async function insertMany(from, n) {
  const part = (i) => ["--c", "Content-Type: application/http", "Content-Transfer-Encoding: binary", "",
    `POST ${server.endpoint}/orders HTTP/1.1`,
    "Content-Type: application/json", "Prefer: return-no-content", "",
    JSON.stringify(order(String(i).padStart(5, "0"), { Age: i })), ""].join("\r\n");
  const parts = Array.from({ length: n }, (_, i) => part(from + i)).join("");
  const body = `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${parts}--c--\r\n--b--\r\n`;
  const headers = { "content-type": "multipart/mixed; boundary=b" };
  const answer = await fetch(`${server.root}/_rocktable/entities/${server.account}/$batch`,
    { method: "POST", headers, body });
  assert.equal(answer.status, 202, await answer.text());
}

describe("A person who exports", () => {
  test("gets what the query gives", async () => {
    const [first, ...others] = [1, 2, 3].map((Age) => order(Age, { Age }));
    await server.insert("orders", { ...first, Name: "a" }, ...others);
    await open("orders", "?filter=Age%20gt%201&select=Age,Name");
    assert.equal(String((await exported("ndjson")).text),
      '{"PartitionKey":"p","RowKey":"2","Age":2}\n{"PartitionKey":"p","RowKey":"3","Age":3}\n');
    const table = "PartitionKey,RowKey,Age,Age@type\r\np,2,2,Int32\r\np,3,3,Int32\r\n";
    assert.equal(String((await exported("csv")).text), table);
    await close();
  });
});

describe("A person who imports", () => {
  test("sees the first entities and their types before anything is written", async () => {
    await open();
    await choose("orders.csv", "PartitionKey,RowKey,Age,Age@type\r\np,1,5,Int64\r\np,2,,\r\n");
    await says(/2 entities/);
    await says(/Age.*5/s);
    assert.deepEqual(await stored(), []);
    await close();
  });

  test("replaces, or merges into, what exists", async () => {
    await server.insert("orders", order(1, { Age: 1, Name: "a" }));
    await open();
    await imported("a.ndjson", '{"PartitionKey":"p","RowKey":"1","Age":2}', /^Merge/);
    await says(/^Wrote 1 entity/);
    assert.deepEqual((await stored()).map(({ Age, Name }) => [Age, Name]), [[2, "a"]]);
    await imported("b.csv", "PartitionKey,RowKey,Age,Age@type\np,1,3,Int32\n", /^Replace/);
    await eventually(async () =>
      assert.deepEqual((await stored()).map(({ Age, Name }) => [Age, Name]), [[3, undefined]]));
    await close();
  });

  test("with the same keys twice keeps the last", async () => {
    await open();
    const three = [1, 2, 3].map((Age) => JSON.stringify(order(1, { Age })));
    await imported("a.ndjson", three.join("\n"), /^Replace/);
    await says(/^Wrote 3 entities/);
    assert.deepEqual((await stored()).map(({ Age }) => Age), [3]);
    await close();
  });

  test("is told when a file has no columns of keys", async () => {
    await open();
    await choose("c.csv", "Name,Age\r\na,5\r\n");
    await says(/Line 1: .*PartitionKey.* Nothing was written/);
    await choose("d.csv", "Name,Age\r\n");
    await says(/Line 1: .*PartitionKey/);
    await close();
  });

  test("may close the panel meanwhile, and finds it again", async () => {
    await open();
    await slowly();
    await imported("a.ndjson", lines(1000));
    await says(/^Wrote [1-9].* of 1,000/);
    await page.keyboard.press("Escape");
    await eventually(async () => assert.equal(await page.locator(".panel").count(), 0));
    await page.getByRole("button", { name: "Import, export" }).click();
    await says(/^Wrote 1,000 entities\.$/);
    assert.equal(await count(), 1000);
    await close();
  });

  test("is told what was written before the service refused more", async () => {
    await open();
    let sets = 0;
    await page.route(/\$batch$/, (route) => {
      sets += 1;
      return sets > 3 ? route.fulfill({ status: 503, body: "" }) : route.continue();
    });
    await imported("a.ndjson", lines(1000));
    await says(/The server answered 503\. Wrote 300 entities before\./);
    await page.unroute(/\$batch$/);
    await page.getByLabel(/^Replace/).check();
    await button(/^Import 1,000/).click();
    await says(/^Wrote 1,000 entities\.$/);
    await close();
  });

  test("cancels, and is told how much was written", async () => {
    await open();
    await slowly();
    await imported("a.ndjson", lines(3000));
    await says(/^Wrote [1-9].* of 3,000/);
    await button("Cancel").click();
    await says(/^Cancelled/);
    const n = await count();
    assert.ok(n > 0 && n < 3000, String(n));
    await says(`Wrote ${n.toLocaleString("en-US")} entities`);
    await close();
  });

  test("drops a file on the panel", async () => {
    await open();
    const text = JSON.stringify(order(1));
    const data = await page.evaluateHandle((one) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([one], "a.ndjson"));
      return transfer;
    }, text);
    await page.dispatchEvent(".panel .transfer", "drop", { dataTransfer: data });
    await button("Import 1 entity").click();
    await says("Wrote 1 entity.");
    await close();
  });
});
