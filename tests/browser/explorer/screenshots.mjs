// Takes a picture of every screen: node screenshots.mjs FOLDER [SCREEN...]. script/screenshots prepares what
// it needs.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openExplorer, startBrowser, startExplorerServer } from "./harness.mjs";
import { ask, fillSample, switchOn } from "./sample.mjs";
import { kScreens } from "./screens.mjs";

const kHeights = { 1280: 800, 480: 900 };
const kSettleMs = 400; // for what is drawn after the data came

const [folder, ...wanted] = process.argv.slice(2);
const unknown = wanted.filter((name) => !kScreens[name]);
if (!folder || unknown.length > 0) {
  const known = Object.keys(kScreens).join(" ");
  console.error(
    folder
      ? `unknown: ${unknown.join(" ")}; there are ${known}`
      : "usage: screenshots.mjs FOLDER [SCREEN...]",
  );
  process.exit(2);
}

await mkdir(folder, { recursive: true });
const server = await startExplorerServer({ flags: ["--anyAccount"] });
const browser = await startBrowser();
await fillSample(server);
await switchOn(server);

let failed = 0;
for (const [name, { address, prepare }] of Object.entries(kScreens)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const colorScheme of ["light", "dark"])
    for (const width of [1280, 480]) await take(name, address, prepare, colorScheme, width);
}

async function take(name, address, prepare, colorScheme, width) {
  const file = join(folder, `${name}-${colorScheme}-${width}.png`);
  const { page, close } = await openExplorer(browser, server, address, {
    width,
    height: kHeights[width],
    colorScheme,
  });
  try {
    if (name === "requests") setTimeout(() => ask(server), 0); // it shows what comes after it was opened
    await prepare(page, server);
    await page.waitForTimeout(kSettleMs * (name === "requests" ? 4 : 1));
    await page.screenshot({ path: file });
    await close();
    console.log(file);
  } catch (error) {
    failed += 1;
    console.error(`${file}: ${error.message}`);
    await page
      .context()
      .close()
      .catch(() => {});
  }
}

await browser.close();
await server.stop();
process.exitCode = failed > 0 ? 1 : 0;
