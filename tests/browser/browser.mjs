// Chromium without a window, pages of chosen origins, and what they may read of another origin. Nothing beyond this
// machine is asked: no proxy is used, and no name resolves but localhost.
import { createServer } from "node:http";
import { once } from "node:events";
import { chromium } from "playwright-core";

const kNoNetwork = [
  "--no-proxy-server",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
  "--no-first-run",
];

// With a new, empty profile, which is removed at the end.
export function startBrowser() {
  return chromium.launch({
    executablePath: "/usr/bin/chromium-headless-shell",
    headless: true,
    args: ["--no-sandbox", "--disable-gpu", ...kNoNetwork],
  });
}

// Serves an empty page at any path of any of the machine's own names, so that its origins are many.
export async function startSite() {
  const site = createServer((request, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>another origin</title>");
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  const { port } = site.address();
  return { origin: (host = "127.0.0.1") => `http://${host}:${port}`, stop: () => site.close() };
}

// A page of `origin`, in a context of its own: nothing that was learnt from preflights is shared.
export async function openPage(browser, origin) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const told = []; // what Chromium says in its console, e.g. why it blocks an answer
  page.on("console", (message) => told.push(message.text()));
  const preflights = [];
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  devtools.on("Network.requestWillBeSent", ({ initiator, request }) => {
    if (initiator.type === "preflight") preflights.push(request.headers);
  });
  await page.goto(`${origin}/`);
  return {
    page,
    told,
    preflights,
    // fetch() as the page does it: what its script gets to see, or nothing but that it failed.
    fetch: (url, options) => page.evaluate(fetchInPage, [url, options]),
    close: () => context.close(),
  };
}

async function fetchInPage([url, options]) {
  try {
    const answer = await fetch(url, options);
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
  } catch (error) {
    return { failed: String(error) };
  }
}
