// A server, and its explorer in Chromium. A page that says anything in its console, breaks its content
// security policy or asks another host fails its test.
//
//   ROCKTABLE_EXPLORER_SOURCES  a folder, such as server/explorer, that the page is served from instead of the binary:
//                               to develop without building
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { after, before } from "node:test";
import { Server, startServer } from "../../support/server.mjs";
import { startBrowser } from "../browser.mjs";

export { startBrowser };
export const kAccount = "#/acc/devstoreaccount1";
export const kOrders = `${kAccount}/orders`;

const kSources = process.env.ROCKTABLE_EXPLORER_SOURCES;
const kTypes = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
const kPolicy =
  "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'"; // that of the server
const kWaitMs = 10_000;

// A server with requests that tests prepare data by.
export class ExplorerServer extends Server {
  get root() {
    return new URL(this.endpoint).origin;
  }

  // A control resource; returns its JSON.
  async control(method, path, body) {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const answer = await fetch(`${this.root}/_rocktable/${path}`, { method, body: text });
    const received = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${received}`);
    return received ? JSON.parse(received) : null;
  }

  async createTable(name) {
    const answer = await this.fetch("POST", "Tables", { body: JSON.stringify({ TableName: name }) });
    assert.equal(answer.status, 201, await answer.text());
    return name;
  }

  // Empties the server, except for these new tables.
  async reset(...tables) {
    await this.control("POST", "reset");
    for (const table of tables) await this.createTable(table);
  }

  // Entities as annotated JSON.
  async insert(table, ...entities) {
    for (const entity of entities) {
      const answer = await this.fetch("POST", table, { body: JSON.stringify(entity) });
      assert.equal(answer.status, 201, await answer.text());
    }
  }
}

// A server of its own, whatever ROCKTABLE_TEST_CONNECTION_STRING says.
export const startExplorerServer = (options) => startServer(ExplorerServer, { environment: {}, ...options });

// The server and the browser of a test file, while its tests run.
export let server, browser;

// `prepare` is called when both are there. It is no hook of its own, because node starts those of a file at once.
export function useServerAndBrowser({ prepare, ...options } = {}) {
  before(async () => {
    server = await startExplorerServer(options);
    browser = await startBrowser();
    await prepare?.();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });
}

// Opens `address` (such as kAccount) in a context of its own.
//
//   expect   what the console may say, as regular expressions: refusals, for example, which Chromium reports itself
//
// Returns the page, and `close`, which also checks that the page was quiet.
export async function openExplorer(browser, server, address = "", options = {}) {
  const { width = 1280, height = 800, colorScheme = "light", expect = [], ...more } = options;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, ...more });
  const root = server.root ?? new URL(server.endpoint).origin;
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: root });
  const page = await context.newPage();
  page.setDefaultTimeout(kWaitMs);
  const told = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()))
      told.push(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => told.push(String(error.stack ?? error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${root}/`) && !url.startsWith("blob:")) told.push(`asked another host: ${url}`);
  });
  if (kSources) await serveSources(page, root);
  await page.goto(`${root}/_rocktable/${address}`);
  return {
    page,
    told,
    close: async () => {
      await context.close();
      assert.deepEqual(
        told.filter((text) => !isExpected(text, expect)),
        [],
        "what the page said in its console",
      );
    },
  };
}

// Chromium reports each answer of 400 and above itself, although the page deals with it.
const kAnswers = /^Failed to load resource: the server responded with a status of/;
const kRefused = /^Failed to load resource: net::ERR_/;

function isExpected(text, expect) {
  const isOfApi = kAnswers.test(text) && !/explorer\/[^)]*\.(js|css|svg)\)$/.test(text);
  return (
    isOfApi ||
    (expect.includes("restart") && kRefused.test(text)) ||
    expect.some((one) => one instanceof RegExp && one.test(text))
  );
}

async function serveSources(page, root) {
  const folder = resolve(kSources);
  await page.route(
    (url) => url.origin === root && isOfPage(url.pathname),
    (route) => {
      const path = new URL(route.request().url()).pathname;
      const name = path === "/_rocktable/" ? "index.html" : path.slice("/_rocktable/explorer/".length);
      const file = join(folder, decodeURIComponent(name));
      if (!file.startsWith(folder) || !existsSync(file)) return route.fulfill({ status: 404, body: "" });
      return route.fulfill({
        body: readFileSync(file),
        headers: {
          "content-type": kTypes[extname(file)] ?? "application/octet-stream",
          "content-security-policy": kPolicy,
          "x-content-type-options": "nosniff",
          "cache-control": "no-store",
        },
      });
    },
  );
}

const isOfPage = (path) => path === "/_rocktable/" || path.startsWith("/_rocktable/explorer/");

// The entities in the grid.
export const rowsOf = (page) => page.locator(".grid tbody:not(.space) tr");

// Waits until a page of entities is shown.
export const loaded = (page) => page.locator(".page-line").waitFor();

// Waits until `check` does not throw; then returns its value.
export async function eventually(check, milliseconds = kWaitMs) {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve_) => setTimeout(resolve_, 20));
    }
  }
}
