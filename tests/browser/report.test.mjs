// The page of `rocktable report --format html` in Chromium: it needs neither network nor script, shows hostile text as
// text, fits narrow screens, and can be read in both colour schemes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { kBinary } from "../support/server.mjs";
import { startBrowser } from "./browser.mjs";

const kReport = fileURLToPath(new URL("../unit/client/report/report.json", import.meta.url));
const kLeastContrast = 4.5; // of text, WCAG 2.1 AA

let folder, file, browser;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "rocktable-report-"));
  file = join(folder, "report.html");
  execFileSync(kBinary, ["report", "--from", kReport, "--output", file]);
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

// Returns the page with what it asked for and what Chromium says in its console.
async function openReport(width, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  const told = [], requests = [];
  page.on("console", (message) => told.push(message.text()));
  page.on("pageerror", (error) => told.push(String(error)));
  page.on("dialog", (dialog) => told.push(dialog.message()) && dialog.dismiss());
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  for (const details of await page.locator("details").all()) await details.evaluate((one) => (one.open = true));
  return { page, told, requests, close: () => context.close() };
}

// Runs in the page. Returns texts whose contrast to their background is less than `least`, each with its contrast.
function faintTexts(least) {
  const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = numbers(colour).map((one) => {
      const part = one / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const isSeen = (colour) => numbers(colour)[3] !== 0;
  const background = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (isSeen(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const faint = [];
  for (const element of document.body.querySelectorAll("*")) {
    const text = [...element.childNodes].filter((one) => one.nodeType === Node.TEXT_NODE && one.data.trim());
    if (text.length === 0 || element.tagName === "title") continue;
    const style = getComputedStyle(element);
    const isSvg = element instanceof SVGElement;
    const pair = [isSvg ? style.fill : style.color, background(element)].map(luminance).sort((a, b) => b - a);
    const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (contrast < least) faint.push(`${text[0].data.trim()}: ${contrast.toFixed(2)}`);
  }
  return faint;
}

describe("The page of a report", () => {
  for (const width of [1280, 480, 320]) {
    for (const scheme of ["light", "dark"]) {
      test(`asks for nothing, overflows nowhere and is legible at ${width} pixels, ${scheme}`, async () => {
        const { page, told, requests, close } = await openReport(width, scheme);
        assert.deepEqual(told, []);
        assert.deepEqual(requests, [pathToFileURL(file).href]);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
        assert.deepEqual(await page.evaluate(faintTexts, kLeastContrast), []);
        await close();
      });
    }
  }

  test("shows hostile text as text", async () => {
    const { page, close } = await openReport(1280, "light");
    assert.equal(await page.locator("script, img, iframe, object").count(), 0);
    const text = await page.locator("body").innerText();
    assert.ok(text.includes("evil#: QueryEntities <script>alert('x')</script> eq ?"));
    assert.ok(text.includes("\\u202e") && !text.includes("\u202e"));
    await close();
  });

  test("has a row for each shape, the worst first, also for readers of a narrow screen", async () => {
    for (const width of [1280, 480]) {
      const { page, close } = await openReport(width, "light");
      const rows = page.getByRole("table").first().getByRole("row");
      assert.equal(await rows.count(), 1 + 10);
      assert.match(await rows.nth(1).innerText(), /^orders: QueryEntities PartitionKey eq \? and Status eq \?/);
      assert.equal(await page.getByRole("img").count(), 3);
      await close();
    }
  });
});
