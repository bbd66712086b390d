// What a person does with files: export a table, import it elsewhere, see what failed.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { browser, kAccount, loaded, openExplorer, rowsOf, server, useServerAndBrowser } from "./harness.mjs";
import { kBinary } from "../../support/server.mjs";

const kNasty = 'a,"b"\r\nc\t= <script>alert(1)</script> \u202e \u0001 𝄞 ';

// Each type, and what programs get wrong: -0, doubles without a fraction, large numbers, texts with line ends.
const kEntities = [
  { PartitionKey: "p", RowKey: "1", Text: kNasty, Small: -7, Flag: true, Empty: "" },
  { PartitionKey: "p", RowKey: "2", "Real@odata.type": "Edm.Double", Real: "-0.0", "Big@odata.type": "Edm.Int64",
    Big: "9223372036854775807" },
  { PartitionKey: "p", RowKey: "3", Real: 1e300, "Whole@odata.type": "Edm.Double", Whole: "3.0",
    "Nothing@odata.type": "Edm.Double", Nothing: "NaN" },
  { PartitionKey: "q ü", RowKey: "it's", "At@odata.type": "Edm.DateTime", At: "2026-11-20T08:30:00.1234567Z",
    "Id@odata.type": "Edm.Guid", Id: "c9da6455-213d-42c9-9a79-3e9149a57833", "Raw@odata.type": "Edm.Binary", Raw: "AQID" },
];

let folder, page, close;

useServerAndBrowser();

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rocktable-transfer-"));
});

after(async () => {
  await rm(folder, { recursive: true, force: true });
});

beforeEach(() => server.reset("orders", "copied"));

const panel = () => page.getByRole("complementary", { name: "Details" });
const button = (name) => panel().getByRole("button", { name });
const says = (text) => panel().getByText(text).first().waitFor();

async function open(table, query = "") {
  ({ page, close } = await openExplorer(browser, server, `${kAccount}/${table}${query}`));
  await loaded(page);
  await page.getByRole("button", { name: "Import, export" }).click();
  await panel().waitFor();
}

async function exported(table, format, query) {
  await open(table, query);
  await panel().getByLabel(format === "csv" ? /^CSV/ : /^NDJSON/).check();
  const [download] = await Promise.all([page.waitForEvent("download"), button("Export").click()]);
  assert.equal(download.suggestedFilename(), `${table}.${format}`);
  const bytes = readFileSync(await download.path());
  await close();
  return bytes;
}

async function choose(name, content) {
  const file = join(folder, name);
  await writeFile(file, content);
  await panel().getByLabel(/^A file/).setInputFiles(file);
  await panel().getByText(name).first().waitFor();
}

async function countOf(table) {
  const answer = await server.fetch("GET", `${table}()?$select=RowKey`);
  return (await answer.json()).value.length;
}

describe("A person with files", () => {
  for (const format of ["ndjson", "csv"]) {
    test(`exports ${format}, imports it elsewhere, and gets the same bytes`, async () => {
      await server.insert("orders", ...kEntities);
      const first = await exported("orders", format);
      const file = join(folder, `cli.${format}`);
      const flags = ["export", "--table", "orders", "--to", file, "--restart", "--connectionString", server.connectionString];
      execFileSync(kBinary, flags, { stdio: "ignore" });
      assert.deepEqual(first, readFileSync(file), "what `rocktable export` writes");

      await open("copied");
      await choose(`copied.${format}`, first);
      await button(/^Import 4/).click();
      await says("Wrote 4 entities.");
      await close();
      assert.deepEqual(await exported("copied", format), first);
    });
  }

  test("exports only what the query gives", async () => {
    await server.insert("orders", ...kEntities);
    const bytes = await exported("orders", "ndjson", `?filter=${encodeURIComponent("PartitionKey eq 'p'")}`);
    assert.equal(bytes.toString().trim().split("\n").length, 3);
  });

  test("exports the properties that the query gives, and the keys", async () => {
    await server.insert("orders", { PartitionKey: "p", RowKey: "1", Item: "bread", Price: 3 });
    const bytes = await exported("orders", "ndjson", "?select=Item");
    assert.deepEqual(JSON.parse(bytes), { PartitionKey: "p", RowKey: "1", Item: "bread" });
  });

  test("looks at an entity during an import, and finds the import again", async () => {
    await server.insert("orders", { PartitionKey: "p", RowKey: "1" });
    await open("orders");
    const line = (i) => `${JSON.stringify({ PartitionKey: `q${i}`, RowKey: "r" })}\n`;
    await choose("long.ndjson", Array.from({ length: 5000 }, (_, i) => line(i)).join(""));
    await button(/^Import 5,000/).click();
    await rowsOf(page).first().click();
    await panel().getByRole("heading", { name: /^Entity/ }).waitFor();
    await page.getByRole("button", { name: "Import, export" }).click();
    await panel().getByText(/^(Wrote|Writing)/).first().waitFor();
    await button("Cancel").click();
    await says(/^Cancelled\. Wrote/);
    await close();
  });

  test("exports 3,000 entities of several pages", async () => {
    const line = (i) => `${JSON.stringify({ PartitionKey: `p${i % 7}`, RowKey: String(i).padStart(5, "0"), N: i })}\n`;
    await open("orders");
    await choose("many.ndjson", Array.from({ length: 3000 }, (_, i) => line(i)).join(""));
    await button(/^Import 3,000/).click();
    await says("Wrote 3,000 entities.");
    await close();
    assert.equal((await exported("orders", "csv")).toString().trim().split("\r\n").length, 3001);
  });

  test("sees which lines failed, and why", async () => {
    await server.insert("orders", { PartitionKey: "p", RowKey: "2" });
    await open("orders");
    const lines = [1, 2, 3, 2].map((row) => JSON.stringify({ PartitionKey: "p", RowKey: String(row) }));
    await choose("some.ndjson", lines.join("\n\n"));
    await button(/^Import 4/).click();
    await says("Wrote 2 entities; 2 failed.");
    const rows = await panel().locator(".failed tbody tr").allTextContents();
    assert.match(rows[0], /^3EntityAlreadyExists/);
    assert.match(rows[1], /^7EntityAlreadyExists/);
    await close();
  });

  test("sees the line that is no entity, and nothing is written", async () => {
    await open("orders");
    await choose("bad.csv", 'PartitionKey,RowKey,A,A@type\np,1,"two\nlines",String\np,2,x,Int32\n');
    await says(/Line 4: .*not an Int32\. Nothing was written\.$/);
    assert.equal(await button(/^Import /).count(), 0);
    assert.equal(await countOf("orders"), 0);
    await close();
  });

  test("is told that a file is not UTF-8, which would lose letters", async () => {
    await open("orders");
    const file = join(folder, "latin.csv");
    await writeFile(file, Buffer.from("PartitionKey,RowKey,City\r\np,1,Köln\r\n", "latin1"));
    await panel().getByLabel(/^A file/).setInputFiles(file);
    await says("The file is not UTF-8.");
    assert.equal(await button(/^Import /).count(), 0);
    await close();
  });

  test("cancels an export, and gets no file", async () => {
    await server.insert("orders", ...kEntities);
    await open("orders");
    await page.route(/convert/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue().catch(() => {}); // given up meanwhile
    });
    let files = 0;
    page.on("download", () => (files += 1));
    await button("Export").click();
    await button("Cancel").click();
    await says(/^Cancelled\./);
    await page.waitForTimeout(500);
    assert.equal(files, 0);
    await close();
  });

  test("cancels an import", async () => {
    await open("orders");
    const line = (i) => `${JSON.stringify({ PartitionKey: `p${i}`, RowKey: "r" })}\n`;
    await choose("long.ndjson", Array.from({ length: 20_000 }, (_, i) => line(i)).join(""));
    await button(/^Import 20,000/).click({ timeout: 60_000 }); // 20,000 partitions are sorted first
    await panel().getByText(/^Wrote [1-9]/).waitFor();
    await button("Cancel").click();
    await says(/^Cancelled\./);
    assert.ok((await countOf("orders")) < 20_000);
    await close();
  });
});
