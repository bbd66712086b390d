// The frame of the page, and the ways between its screens.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openExplorer, startBrowser, startExplorerServer } from "./harness.mjs";

let server, browser;

before(async () => {
  server = await startExplorerServer();
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

describe("A person who opens the page", () => {
  test("sees the tables of the well-known account", async () => {
    const { page, close } = await openExplorer(browser, server);
    await page.getByRole("navigation", { name: "Screens" }).waitFor();
    await page.waitForURL(/#\/acc\/devstoreaccount1$/);
    assert.equal(await page.getByLabel("Account").inputValue(), server.account);
    await close();
  });
});
