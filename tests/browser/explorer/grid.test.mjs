// The grid with many and with hostile entities: what it costs, and that text stays text.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, kAccount, openExplorer, rowsOf, startBrowser, startExplorerServer } from "./harness.mjs";
import { leastOf, nineInTen } from "../measure.mjs";

const kRows = 100_000;
const kStepBoundMs = 100; // of nine in ten scroll steps, from the event to the frame that shows it
const kMostRowsInPage = 200;
const kCellBoundMs = 400; // measured 68 to 150; beside other tests on a busy machine up to 300

let server, browser, folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rocktable-explorer-"));
  const lines = Array.from({ length: kRows }, (_, i) => {
    const key = String(i).padStart(6, "0");
    return JSON.stringify({
      PartitionKey: `p${key.slice(0, 3)}`,
      RowKey: key,
      Item: `item ${i}`,
      Price: i / 8,
      Ok: i % 3 === 0,
    });
  });
  await writeFile(join(folder, "many.ndjson"), `${lines.join("\n")}\n`);
  server = await startExplorerServer({ flags: ["--seed", join(folder, "many.ndjson")] });
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

// Scrolls the grid to `top`; returns how long it took until a frame showed rows there.
const scrollTo = (page, top) =>
  page.evaluate(async (to) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const grid = document.querySelector(".grid");
    const begin = performance.now();
    grid.scrollTop = to;
    const isFilled = () => {
      const box = grid.getBoundingClientRect();
      const at = document.elementFromPoint(box.left + 60, box.top + box.height / 2);
      return Boolean(at?.closest("tr[aria-rowindex]"));
    };
    do await frame();
    while (!isFilled() && performance.now() - begin < 5000);
    return performance.now() - begin;
  }, top);

// How long nine in ten of these steps take at most.
const scrollSteps = async (page, tops) => {
  const steps = [];
  for (const top of tops) steps.push(await scrollTo(page, top));
  return nineInTen(steps);
};

describe("A person with 100,000 rows", () => {
  test("loads and scrolls them, while few are in the page", async (t) => {
    const { page, close } = await openExplorer(browser, server, `${kAccount}/many?top=1000`);
    await page.getByText("1,000 loaded").waitFor();
    const begin = performance.now();
    await page.getByRole("button", { name: "Load all" }).click();
    await page.locator(".loaded", { hasText: "100,000 loaded" }).waitFor({ timeout: 120_000 });
    t.diagnostic(`loaded in ${((performance.now() - begin) / 1000).toFixed(1)} s`);
    assert.equal(await page.locator(".grid table").getAttribute("aria-rowcount"), String(kRows + 1));
    const height = await page.locator(".grid").evaluate((grid) => grid.scrollHeight);
    const tops = Array.from({ length: 40 }, (_, i) => (i < 20 ? (height / 20) * i + 40 : height / 2 + i * 500));
    const took = await leastOf(kStepBoundMs, () => scrollSteps(page, tops));
    t.diagnostic(`nine in ten scroll steps: at most ${took.toFixed(1)} ms`);
    assert.ok(took < kStepBoundMs, `${took} ms`);
    assert.ok((await rowsOf(page).count()) < kMostRowsInPage);
    await scrollTo(page, height);
    await rowsOf(page).last().getByText("099999").waitFor();
    assert.equal(await rowsOf(page).last().getAttribute("aria-rowindex"), String(kRows + 1));
    await close();
  });
});

describe("A person with a 32 KB cell", () => {
  test("sees it cut, with its size, and waits for nothing", async (t) => {
    await server.createTable("long");
    for (let i = 0; i < 40; i += 1)
      await server.insert("long", {
        PartitionKey: "p",
        RowKey: String(i).padStart(2, "0"),
        Text: "x".repeat(32_768 - i),
      });
    const { page, close } = await openExplorer(browser, server, `${kAccount}/long`);
    const cell = rowsOf(page).first().locator("td").last();
    await eventually(async () => assert.match(await cell.innerText(), /^x+… 32 KB$/));
    assert.ok((await cell.innerText()).length < 100);
    const runOnce = () => page.evaluate(async () => {
      const begin = performance.now();
      document.querySelector(".filter-bar button[type=submit]").click();
      await new Promise((resolve) => {
        new MutationObserver(() => document.querySelectorAll(".grid tr").length > 20 && resolve()).observe(
          document.body,
          { childList: true, subtree: true },
        );
      });
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return performance.now() - begin;
    });
    const took = await leastOf(kCellBoundMs, runOnce);
    t.diagnostic(`40 such cells: ${took.toFixed(0)} ms from Run to the frame`);
    assert.ok(took < kCellBoundMs, `${took}`);
    await close();
  });
});

describe("A person with 60 KB of JSON in each row", () => {
  test("scrolls as before, and reads one of them in lines", async () => {
    await server.createTable("documents");
    const list = JSON.stringify(Array.from({ length: 1800 }, (_, i) => ({ number: i })));
    for (let i = 0; i < 300; i += 1)
      await server.insert("documents", { PartitionKey: "p", RowKey: String(i).padStart(3, "0"), List: list });
    const { page, close } = await openExplorer(browser, server, `${kAccount}/documents?top=1000`);
    await page.getByText(/^300 loaded|^1\d\d loaded/).waitFor();
    const tops = Array.from({ length: 20 }, (_, i) => i * 150);
    const took = await leastOf(kStepBoundMs, () => scrollSteps(page, tops));
    assert.ok(took < kStepBoundMs, `${took} ms`);
    await rowsOf(page).first().getByRole("button", { name: "JSON of List in lines" }).click();
    await page.getByRole("dialog").getByText('"number": 1799').waitFor();
    await close();
  });
});

describe("Hostile text", () => {
  test("in keys, names and values is shown as text", async () => {
    await server.createTable("hostile");
    const script = "<script>document.title='broken'</script><img src=x onerror=alert(1)>";
    await server.insert(
      "hostile",
      {
        PartitionKey: script.replace("/", ""),
        RowKey: "\u202eevil",
        Bidi: "a\u202eb\u2066c",
        Nul: "a\u0000b",
        Script: script,
        constructor: "c",
      },
      { PartitionKey: "quote'\"&amp;", RowKey: "'", Script: "{{7*7}}${7*7}" },
    );
    const { page, close } = await openExplorer(browser, server, `${kAccount}/hostile`);
    page.on("dialog", (dialog) => assert.fail(dialog.message()));
    await rowsOf(page).nth(1).waitFor();
    const text = await page.locator(".grid").innerText();
    for (const part of [
      script,
      "‹U+202E›evil",
      "a‹U+202E›b‹U+2066›c",
      "a‹U+0000›b",
      "quote'\"&amp;",
      "{{7*7}}${7*7}",
    ])
      assert.ok(text.includes(part), part);
    assert.ok(!text.includes("\u202e") && !text.includes("\u0000"));
    assert.equal(await page.locator("main script, main img").count(), 0);
    assert.equal(await page.title(), "hostile · rocktable");
    await close();
  });

  test("in an address is shown as text, or told by the service", async () => {
    const name = encodeURIComponent("<img src=x onerror=alert(1)>\u202e");
    const { page, close } = await openExplorer(
      browser,
      server,
      `${kAccount}/${name}?filter=%3Cscript%3E%00`,
    );
    await page.getByRole("alert").first().waitFor();
    assert.equal(await page.locator("main img, main script").count(), 0);
    assert.ok(!(await page.getByRole("heading", { level: 1 }).innerText()).includes("\u202e"));
    await close();
  });
});
