// The frame of the page: ways between screens, the token, the lab's dot, and a server that goes away.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { kBinary } from "../../support/server.mjs";
import {
  browser, eventually, kAccount, loaded, openExplorer, server, startExplorerServer, useServerAndBrowser,
} from "./harness.mjs";

useServerAndBrowser({ flags: ["--anyAccount"] });

describe("A person who opens the page", () => {
  test("sees the tables of the well-known account", async () => {
    const { page, close } = await openExplorer(browser, server);
    await page.waitForURL(/#\/acc\/devstoreaccount1$/);
    assert.equal(await page.getByLabel("Account").inputValue(), server.account);
    await page.getByRole("link", { name: "Tables" }).and(page.locator("[aria-current=page]")).waitFor();
    await close();
  });

  test("reaches each screen by its tab, and by keys", async () => {
    const { page, close } = await openExplorer(browser, server, kAccount);
    for (const [name, key] of [
      ["Requests", "r"],
      ["Insight", "i"],
      ["Lab", "l"],
      ["Tables", "t"],
    ]) {
      const tab = page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name });
      await tab.click();
      await page.locator("[aria-current=page]", { hasText: name }).waitFor();
      await page.getByText("This screen cannot be loaded").waitFor({ state: "detached" });
      await page.keyboard.press("Escape");
      await page.keyboard.press("g");
      await page.keyboard.press("t");
      await page.getByRole("heading", { name: /devstoreaccount1|No tables yet/ }).waitFor();
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await page.locator("[aria-current=page]", { hasText: name }).first().waitFor();
    }
    await close();
  });

  test("with an address that does not exist comes to the tables", async () => {
    const { page, close } = await openExplorer(browser, server, "#/nowhere/at/all");
    await page.waitForURL(/#\/acc\/devstoreaccount1$/);
    await close();
  });

  test("chooses another account, and sees its tables", async () => {
    const body = JSON.stringify({ TableName: "elsewhere" });
    const headers = { "content-type": "application/json" };
    await fetch(`${server.root}/_rocktable/entities/second/Tables`, { method: "POST", headers, body });
    const { page, close } = await openExplorer(browser, server, kAccount);
    await page.locator("option[value=second]").waitFor({ state: "attached" });
    await page.getByLabel("Account").selectOption("second");
    await page.waitForURL(/#\/acc\/second$/);
    await page.getByRole("main").getByRole("link", { name: "elsewhere" }).waitFor();
    await page.goBack();
    await page.getByRole("main").getByText("elsewhere").waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("Account").inputValue(), server.account);
    await close();
  });

  test("copies a connection string", async () => {
    const { page, close } = await openExplorer(browser, server, kAccount);
    await page.locator("summary", { hasText: "Connection string" }).click();
    await page.getByRole("button", { name: /^Copy/ }).first().click();
    await page.getByText("Copied").waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(
      text,
      /AccountName=devstoreaccount1;AccountKey=.*TableEndpoint=http:\/\/127\.0\.0\.1:\d+\/devstoreaccount1/,
    );
    await close();
  });
});

describe("A person who has switched something on", () => {
  test("sees it on every screen", async () => {
    await server.control("PUT", "behaviour", { latency: 1 });
    await server.control("POST", "faults", { name: "busy", then: { status: 503 } });
    const { page, close } = await openExplorer(browser, server, kAccount);
    const dot = page.getByRole("img", { name: /^On: behaviour latency, 1 fault rule$/ });
    await dot.waitFor();
    await server.control("DELETE", "behaviour");
    await server.control("DELETE", "faults");
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await eventually(async () => assert.equal(await dot.count(), 0));
    await close();
  });
});

describe("A server with a control token", () => {
  test("asks for it, says when it is wrong, and keeps it out of addresses and storage", async () => {
    const guarded = await startExplorerServer({ flags: ["--controlToken", "secret-token"] });
    const { page, close } = await openExplorer(browser, guarded, kAccount);
    const dialog = page.getByRole("dialog", { name: "Control token" });
    await dialog.getByLabel("Token").fill("wrong");
    await page.keyboard.press("Enter");
    await dialog.getByText("The server refused that token.").waitFor();
    await dialog.getByLabel("Token").fill("secret-token");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "No tables yet" }).waitFor();
    assert.equal(await dialog.count(), 0, "asked once for all requests");
    const kept = await page.evaluate(() => [
      location.href,
      JSON.stringify({ ...localStorage, ...sessionStorage }),
      document.cookie,
    ]);
    assert.ok(!kept.join(" ").includes("secret"));
    await close();
    await guarded.stop();
  });

  test("shows nothing without it, and says what is missing", async () => {
    const guarded = await startExplorerServer({ flags: ["--controlToken", "secret-token"] });
    const { page, close } = await openExplorer(browser, guarded, kAccount);
    await page.getByRole("dialog", { name: "Control token" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "The tables cannot be listed" }).waitFor();
    await close();
    await guarded.stop();
  });
});

// A server whose port and data outlive it.
async function startAt(port, folder) {
  const readyFile = join(folder, `ready-${Date.now()}.json`);
  const flags = ["--location", folder, "--tablePort", String(port), "--readyFile", readyFile, "--silent"];
  const child = spawn(kBinary, flags, { stdio: ["ignore", "ignore", "inherit"] });
  await eventually(async () => JSON.parse(await readFile(readyFile, "utf8")));
  return async () => {
    child.kill("SIGTERM");
    await once(child, "exit");
  };
}

async function freePort() {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address();
  listener.close();
  await once(listener, "close");
  return port;
}

describe("A server that is away when a screen is opened for the first time", () => {
  test("is told in one sentence, and the screen appears when it is there again", async () => {
    const folder = await mkdtemp(join(tmpdir(), "rocktable-explorer-"));
    const port = await freePort();
    const root = `http://127.0.0.1:${port}`;
    const stop = await startAt(port, folder);
    const { page, close } = await openExplorer(browser, { root }, kAccount, { expect: ["restart"] });
    await page.getByRole("heading", { level: 1 }).waitFor();
    // As a server that is gone, also where the files come from a folder.
    await page.route(/explorer\/activity\//, (route) => route.abort("connectionrefused"));
    await stop();
    await page.getByRole("link", { name: "Lab" }).click();
    await page.getByText("rocktable does not answer. The screen appears when it is there again.").waitFor();
    assert.doesNotMatch(await page.locator("body").innerText(), /module|fetch|TypeError/i);
    await page.unroute(/explorer\/activity\//);
    const stopAgain = await startAt(port, folder);
    await page.getByRole("checkbox", { name: "Throttling" }).waitFor({ timeout: 20_000 });
    await close();
    await stopAgain();
    await rm(folder, { recursive: true, force: true });
  });
});

describe("A server that was restarted", () => {
  test("is waited for, and the page works again by itself", async () => {
    const folder = await mkdtemp(join(tmpdir(), "rocktable-explorer-"));
    const port = await freePort();
    const root = `http://127.0.0.1:${port}`;
    const stop = await startAt(port, folder);
    await fetch(`${root}/_rocktable/entities/devstoreaccount1/Tables`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ TableName: "orders" }),
    });
    const { page, close } = await openExplorer(browser, { root }, `${kAccount}/orders`, {
      expect: ["restart"],
    });
    await loaded(page);
    await stop();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("rocktable does not answer. The page goes on by itself").waitFor();
    const stopAgain = await startAt(port, folder);
    await page.getByText("The page goes on by itself").waitFor({ state: "detached" });
    await page.getByText("page 1: scanned 0").waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
    await close();
    await stopAgain();
    await rm(folder, { recursive: true, force: true });
  });
});
