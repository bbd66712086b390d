// Each screen, light and dark, wide and narrow, as axe-core judges it: nothing serious or critical.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import { browser, openExplorer, server, useServerAndBrowser } from "./harness.mjs";
import { fillSample } from "./sample.mjs";
import { kScreens } from "./screens.mjs";

const kAxe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

useServerAndBrowser({ flags: ["--anyAccount"], prepare: () => fillSample(server) });

// What axe-core finds, each with the first of its places.
async function findings(page) {
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary}`);
}

// Colours do not depend on the width, nor the layout on colours.
const kLooks = [["light", 1280], ["dark", 480]];

describe("axe-core finds nothing serious", () => {
  for (const [name, { address, prepare }] of Object.entries(kScreens)) {
    test(`on the screen ${name}`, async () => {
      const found = {};
      const { page, close } = await openExplorer(browser, server, address);
      await prepare(page, server);
      await page.evaluate(kAxe);
      for (const [colorScheme, width] of kLooks) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        await page.waitForTimeout(150); // colours change within 120 ms
        const list = await findings(page);
        if (list.length > 0) found[`${colorScheme}, ${width}`] = list;
      }
      await close();
      assert.deepEqual(found, {});
    });
  }
});
