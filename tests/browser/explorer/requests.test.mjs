// The screen of live requests, as a person uses it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, test } from "node:test";
import { browser, eventually, openExplorer, server, startExplorerServer, useServerAndBrowser } from "./harness.mjs";
import { leastOf, nineInTen } from "../measure.mjs";
import { request, sendRaw, startDoor, takeOverStream } from "./live.mjs";

const kClickMs = 100;
const kWrk = "/usr/bin/wrk"; // a load generator

let explorer, page;

useServerAndBrowser({
  flags: ["--anyAccount"],
  prepare: async () => {
    await server.createTable("orders");
    for (let row = 0; row < 30; row += 1)
      await server.insert("orders", { PartitionKey: "de", RowKey: `${row}`, Price: row });
  },
});

beforeEach(async () => {
  await server.control("DELETE", "requests");
  explorer = await openExplorer(browser, server, "#/requests", { expect: ["restart"] });
  ({ page } = explorer);
  await page.getByText("Each request to the table service").or(page.locator(".line").first()).waitFor();
  // Those of the test before, which may still come.
  await eventually(async () => {
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByText("No requests yet").waitFor({ timeout: 500 });
  });
});

afterEach(() => explorer.close());

const lines = () => page.locator(".line");
const newest = () => lines().first();
const detail = () => page.getByRole("complementary");
const read = (row, options) => server.fetch("GET", `orders(PartitionKey='de',RowKey='${row}')`, options);
const scan = async (filter = "Price gt 27") =>
  (await server.fetch("GET", `orders()?$filter=${encodeURIComponent(filter)}`)).text();

describe("A person who watches requests", () => {
  test("sees a request within one second, with what it cost", async () => {
    const begin = performance.now();
    await scan();
    await newest().getByText("table-scan").waitFor();
    assert.ok(performance.now() - begin < 1000);
    const text = await newest().innerText();
    for (const part of ["GET QueryEntities", "orders", "200", "30 / 2", " ms", "node"])
      assert.ok(text.includes(part), text);
  });

  test("does not see the page's own requests", async () => {
    await server.control("GET", "stats");
    await page.evaluate(() => fetch("/_rocktable/entities/devstoreaccount1/Tables"));
    await read(1);
    await newest().getByText("GetEntity").waitFor();
    assert.equal(await lines().filter({ hasText: "QueryTables" }).count(), 0);
  });

  test("filters by status, table, plan and text, and can send the link", async () => {
    await read(2);
    await read("absent");
    await scan();
    await lines().nth(2).waitFor();
    const left = async (text) => eventually(async () => {
      const texts = await lines().allInnerTexts();
      assert.ok(texts.length > 0 && texts.every((one) => one.includes(text)), texts.join("\n"));
    });
    await page.getByLabel("Status", { exact: true }).fill("4xx");
    await left("404 ResourceNotFound");
    await page.waitForURL(/status=4xx/);
    await page.getByLabel("Status", { exact: true }).fill("");
    await page.getByRole("combobox", { name: "Plan" }).selectOption("table-scan");
    await left("table-scan");
    await page.getByRole("combobox", { name: "Plan" }).selectOption("");
    await page.getByLabel("Text", { exact: true }).fill("price gt 27");
    await left("QueryEntities");
    await page.getByLabel("Table", { exact: true }).fill("customers");
    await page.getByText("No request passes the filter").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await lines().nth(2).waitFor();
    assert.equal(await page.getByLabel("Text", { exact: true }).inputValue(), "");
    await page.goto(`${server.root}/_rocktable/#/requests?status=404`);
    await left("404");
  });

  test("pauses, goes on and clears", async () => {
    await read(3);
    await newest().waitFor();
    const before = await lines().count();
    await page.getByRole("button", { name: "Pause" }).click();
    await read(4);
    await read(5);
    await page.getByRole("button", { name: "2 new" }).waitFor();
    assert.equal(await lines().count(), before);
    await page.getByRole("button", { name: "Go on" }).click();
    await eventually(async () => assert.equal(await lines().count(), before + 2));
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByText("No requests yet").waitFor();
    await read(6);
    await eventually(async () => assert.equal(await lines().count(), 1));
  });

  test("saves the requests as NDJSON", async () => {
    await read(7);
    await read(8);
    await lines().nth(1).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click(),
    ]);
    const text = await readFile(await download.path(), "utf8");
    const rows = text.trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(rows.map(({ operation }) => operation), ["GetEntity", "GetEntity"]);
    assert.ok(rows[0].number < rows[1].number);
  });

  test("goes through the lines by keys, and closes the detail by Escape", async () => {
    await read(1);
    await read("absent");
    await lines().nth(1).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await detail().getByText("RowKey='1'").first().waitFor();
    await page.keyboard.press("k");
    await detail().getByText("ResourceNotFound").first().waitFor();
    await page.keyboard.press("Escape");
    await detail().waitFor({ state: "detached" });
  });

  test("leaves no connection when going to another screen", async () => {
    const live = await takeOverStream(page);
    const areOpen = (expected) => eventually(async () =>
      assert.deepEqual((await live.connections()).map(({ isOpen }) => isOpen), expected));
    await page.getByRole("link", { name: "Insight" }).click();
    await areOpen([false]);
    await page.getByRole("link", { name: "Requests", exact: true }).click();
    await areOpen([false, true]);
  });
});

describe("Requests that nobody watched", () => {
  test("are there when the page is opened", async () => {
    await page.goto(`${server.root}/_rocktable/${"#/insight"}`);
    await read("unwatched");
    await page.getByRole("link", { name: "Requests", exact: true }).click();
    await page.reload();
    await newest().getByText("de / unwatched").waitFor();
    await newest().getByText("404 ResourceNotFound").click();
    await detail().getByText("The specified resource does not exist.").first().waitFor();
  });

  test("of which the page has only the last can be loaded", async () => {
    const first = `first-${Date.now()}`;
    await read(first);
    await Promise.all(Array.from({ length: 20 }, async () => {
      for (let i = 0; i < 110; i += 1) await (await read(1)).text();
    }));
    await page.reload();
    await lines().first().waitFor();
    await page.getByLabel("Text", { exact: true }).fill(first);
    await page.getByText("No request passes the filter").waitFor();
    await page.getByRole("button", { name: "Older" }).click();
    await lines().getByText(`de / ${first}`).waitFor();
    assert.equal(await page.getByRole("button", { name: "Older" }).count(), 0);
  });
});

describe("A line", () => {
  test("tells keys, filter and the operations of a batch", async () => {
    await read(3);
    await newest().getByText("orders de / 3").waitFor();
    await server.insert("orders", { PartitionKey: "fr", RowKey: `${Date.now()}` });
    await newest().getByText(/orders fr \/ \d+/).waitFor();
    await newest().getByText("201 created").waitFor();
    await scan();
    await newest().getByText("orders Price gt 27").waitFor();
    const entity = (row) => JSON.stringify({ PartitionKey: "batch", RowKey: `${row}` });
    const part = (row) => ["--changeset_1", "Content-Type: application/http", "Content-Transfer-Encoding: binary", "",
      `POST ${server.endpoint}/orders HTTP/1.1`, "Content-Type: application/json", "Accept: application/json", "",
      entity(row), ""].join("\r\n");
    const begin = Date.now();
    const body = ["--batch_1", "Content-Type: multipart/mixed; boundary=changeset_1", "", ""].join("\r\n") +
      [0, 1, 2, 3].map((i) => part(begin + i)).join("") + "--changeset_1--\r\n--batch_1--\r\n";
    const answer = await server.fetch("POST", "$batch", {
      body, headers: { "content-type": "multipart/mixed; boundary=batch_1" },
    });
    assert.equal(answer.status, 202);
    await newest().getByText(`orders 4 POST: batch / ${begin}, batch / ${begin + 1}, batch / ${begin + 2}, …`).waitFor();
    await newest().click();
    await detail().getByRole("heading", { name: "4 operations" }).waitFor();
    assert.equal(await detail().locator(".operations li").count(), 4);
    assert.match(await detail().locator(".operations li").first().innerText(), /^POST batch \/ \d+ 20[14]$/);
  });

  test("tells a fault and a throttle by a word", async () => {
    await server.control("POST", "faults", { name: "unlucky", match: { operation: "GetEntity" }, then: { status: 500 } });
    await read(1);
    await newest().getByText("fault unlucky").waitFor();
    await server.control("DELETE", "faults");
    await server.control("PUT", "behaviour", { throttle: [1, 1] });
    for (let i = 0; i < 4; i += 1) await read(i);
    await server.control("DELETE", "behaviour");
    await lines().filter({ hasText: "ServerBusy" }).getByText("throttled").first().waitFor();
  });

  test("names the finding that its request caused, and the finding leads back to it", async () => {
    for (let i = 0; i < 3; i += 1) await scan(`Price gt ${i}`);
    const chip = lines().filter({ hasText: "Price gt 2" }).getByRole("link", { name: "table scan" });
    await eventually(async () => {
      await scan("Price gt 2"); // the page asks for findings when requests come
      await chip.first().waitFor({ timeout: 1000 });
    }, 20_000);
    await chip.first().click();
    const finding = page.locator("#finding-table-scan");
    await finding.waitFor();
    await read(1);
    await finding.getByRole("link", { name: "Last requests" }).first().click();
    await page.getByRole("button", { name: /of the finding table scan/ }).waitFor();
    await lines().filter({ hasText: "Price gt 1" }).first().waitFor();
    for (const text of await lines().allInnerTexts()) assert.match(text, /QueryEntities[\s\S]*table-scan/);
  });
});

describe("A person who searches requests", () => {
  test("finds them by keys, and by what is in their bodies", async () => {
    const city = `City${Date.now()}`;
    await server.insert("orders", { PartitionKey: "search", RowKey: city.toLowerCase(), City: `In ${city}Town` });
    await read(1);
    await page.getByLabel("Text", { exact: true }).fill(`${city}Town`);
    await page.getByText("No request passes the filter").waitFor();
    await page.getByLabel("in bodies, too").check();
    await newest().getByText(`search / ${city.toLowerCase()}`).waitFor();
    assert.equal(await lines().count(), 1);
    await page.getByLabel("Text", { exact: true }).fill("search / city");
    await newest().getByText("InsertEntity").waitFor();
  });

  test("groups them by test", async () => {
    const from = (id, row) => read(row, { headers: { "x-ms-client-request-id": id } });
    await from("suite/one/1", 1);
    await from("suite/one/2", "absent");
    await from("suite/two/1", 2);
    await lines().nth(2).waitFor();
    await page.getByLabel("Group by").selectOption("test");
    const groups = page.locator(".group");
    await groups.nth(1).getByText("suite/one").waitFor();
    assert.match(await groups.nth(0).innerText(), /suite\/two 1 request$/);
    assert.match(await groups.nth(1).innerText(), /suite\/one 2 requests, 1 failed/);
    assert.equal(await lines().count(), 0);
    await groups.nth(1).getByRole("button").click();
    await eventually(async () => assert.equal(await lines().count(), 2));
    await page.waitForURL(/by=test/);
  });

  test("sees those of the account of the page, or of all", async () => {
    await read(1);
    await server.control("GET", "requests");
    await fetch(`${server.root}/another1/Tables`);
    await lines().first().waitFor();
    assert.equal(await lines().filter({ hasText: "another1" }).count(), 0);
    await page.getByLabel("Account").selectOption("*");
    await lines().filter({ hasText: "another1/" }).first().waitFor();
    await page.waitForURL(/account=\*/);
    await page.getByRole("link", { name: "Insight" }).click();
    assert.equal(await page.getByLabel("Account").inputValue(), "*");
  });
});

describe("A person who opens a request", () => {
  test("sees the plan of a query, and a better one", async () => {
    await scan();
    await newest().getByText("table-scan").click();
    await detail().getByText("reads 100 % of the table").waitFor();
    await detail().getByText("Better:").waitFor();
    await detail().getByText("Give the PartitionKey").waitFor();
    await detail().getByText("Price gt 27").first().waitFor();
  });

  test("sees headers and bodies, and no signature", async () => {
    await read(9, { headers: { "x-ms-client-request-id": "suite/reads/9" } });
    await newest().click();
    await detail().getByText('"RowKey":"9"').first().waitFor();
    const text = await detail().innerText();
    assert.match(text, /x-ms-client-request-id: suite\/reads\/9/i);
    assert.match(text, /authorization: SharedKeyLite/i);
    assert.doesNotMatch(text, /SharedKeyLite devstoreaccount1:[A-Za-z0-9+/]{20}/);
  });

  test("sees why a signature was refused", async () => {
    const wrong = Buffer.alloc(32).toString("base64");
    await read(1, { headers: { authorization: `SharedKeyLite ${server.account}:${wrong}` } });
    await newest().getByText("403 AuthenticationFailed").click();
    await detail().getByRole("heading", { name: "Why it was refused" }).waitFor();
    assert.match(await detail().innerText(), /signature/i);
  });

  test("copies it as curl, which works as it is", async () => {
    await scan("PartitionKey eq 'de' and RowKey eq '7'");
    await newest().getByText("point").click();
    await detail().getByRole("button", { name: "Copy as curl" }).click();
    await detail().getByText("Copied.").waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    const shell = spawn("bash", ["-c", `${command} --silent`], { stdio: ["ignore", "pipe", "inherit"] });
    let received = "";
    shell.stdout.on("data", (data) => (received += data));
    await once(shell, "close");
    assert.deepEqual(JSON.parse(received).value.map(({ RowKey }) => RowKey), ["7"]);
  });

  test("sends a read again, at once", async () => {
    await read(11);
    await newest().getByText("GetEntity").click();
    await detail().getByRole("button", { name: "Send again" }).click();
    await detail().locator(".answer").getByText("200").waitFor();
    await detail().locator(".answer").getByText('"RowKey":"11"').waitFor();
  });

  test("sends a write again only when asked twice", async () => {
    const target = "orders(PartitionKey='de',RowKey='again')";
    await server.fetch("PUT", target, { body: JSON.stringify({ Price: 5 }) });
    await newest().getByText("PUT").click();
    await detail().getByText('{"Price":5}').first().waitFor();
    await server.fetch("DELETE", target, { headers: { "if-match": "*" } });
    await detail().getByRole("button", { name: "Send again" }).click();
    await detail().getByText("It changes data.").waitFor();
    assert.equal((await read("again")).status, 404, "not sent yet");
    await detail().getByRole("button", { name: "Send PUT" }).click();
    await detail().locator(".answer").getByText("204").waitFor();
    assert.equal((await read("again")).status, 200);
  });

  test("is told that a write cannot be sent again without its whole body", async () => {
    await server.insert("orders", { PartitionKey: "x", RowKey: String(Date.now()), Text: "x".repeat(32_000), More: "y".repeat(5_000) });
    await newest().getByText("InsertEntity").click();
    await detail().getByText("Its body is not kept, or only its beginning.").waitFor();
    assert.equal(await detail().getByRole("button", { name: "Send again" }).isDisabled(), true);
  });
});

describe("Lines", () => {
  test("stay where they are while one reads, and a pill counts what came", async () => {
    const live = await takeOverStream(page);
    const send = (from, to) =>
      live.push(...Array.from({ length: to - from + 1 }, (_, i) => ["request", request(from + i)]));
    await live.push(["start", { next: 1 }]);
    await send(1, 200);
    await newest().waitFor();
    const log = page.getByRole("region", { name: "Requests, the newest first" });
    await log.evaluate((element) => (element.scrollTop = 1400));
    await eventually(async () => assert.match(await log.innerText(), /10:00:00\.145/));
    const seen = await page.locator(".line", { hasText: "10:00:00.145" }).boundingBox();
    await send(201, 237);
    await page.getByRole("button", { name: "37 new" }).waitFor();
    assert.deepEqual(await page.locator(".line", { hasText: "10:00:00.145" }).boundingBox(), seen);
    assert.ok((await lines().count()) < 80, "only the lines in sight are elements");
    await page.getByRole("button", { name: "37 new" }).click();
    await newest().getByText("10:00:00.237").waitFor();
    assert.equal(await log.evaluate((element) => element.scrollTop), 0);
    await newest().click();
    await send(238, 238);
    await page.getByRole("button", { name: "1 new" }).waitFor();
    await page.keyboard.press("Escape");
    await newest().getByText("10:00:00.238").waitFor();
  });

  test("that are missing are a gap", async () => {
    const live = await takeOverStream(page);
    await live.push(["start", { next: 1 }], ["gap", { missed: 9 }], ["request", request(10)],
      ["gap", { missed: 1800 }], ["request", request(1811)]);
    await page.getByText("1,800 requests not shown").waitFor();
    assert.equal(await page.locator(".gap").count(), 1, "what was before the first line is not missing");
  });

  test("with hostile text show it as text", async () => {
    const target = "/devstoreaccount1/orders()?$filter=<script>alert(1)</script>%E2%80%AE%00";
    await sendRaw(server, `GET ${target} HTTP/1.1\r\n` +
      "Host: 127.0.0.1\r\nUser-Agent: <img/src=x/onerror=alert(1)>\xe2\x80\xae\r\n" +
      "x-ms-client-request-id: \"><svg onload=alert(1)>\r\nConnection: close\r\n\r\n");
    const live = newest();
    await live.waitFor();
    await live.click();
    await detail().getByText("Request id", { exact: true }).waitFor();
    const made = "\u202eevil\u0000<b>x</b>";
    const taken = await takeOverStream(page, "#/requests?account=*");
    await taken.push(["start", { next: 1 }], ["request", request(1, {
      table: made, operation: made, method: made, code: made, client: made, account: made,
      target: `/a/${made}`, clientRequestId: made, requestId: made, fault: made, explanation: made,
      requestHeaders: [[made, made]], requestBody: made, responseHeaders: [[made, made]], responseBody: made,
      plan: "",
    })]);
    await newest().click();
    await detail().getByText("‹U+202E›evil‹U+0000›<b>x</b>").first().waitFor();
    const body = await page.evaluate(() => document.body.innerText);
    assert.doesNotMatch(body, /[\u202e\u0000]/);
    assert.equal(await page.locator(":is(main, aside) :is(b b, script, svg, img)").count(), 0);
  });
});

// How long the page takes from clicks to what they show, while `run` runs.
async function clicksDuring(run, clicks = 20) {
  const times = [];
  let isOver = false;
  const running = run().finally(() => (isOver = true));
  for (let i = 0; i < clicks && !isOver; i += 1) {
    times.push(await page.evaluate(async () => {
      const buttons = [...document.querySelectorAll("button")];
      const button = buttons.find((one) => /^(Pause|Go on)$/.test(one.textContent));
      const before = button.textContent;
      const begin = performance.now();
      button.click();
      while (button.textContent === before) await new Promise((resolve) => requestAnimationFrame(resolve));
      return performance.now() - begin;
    }));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await running;
  return times;
}

describe("A flood", () => {
  const skip = !existsSync(kWrk) && "wrk is not installed";
  test("of requests leaves the page quick, and what it did not get is a gap", { skip }, async () => {
    const url = `${server.endpoint}/orders(PartitionKey='de',RowKey='1')?${await sasOf(server)}`;
    const flood = async () => {
      const options = ["-t1", "-c16", "-d4s", "-H", "accept: application/json"];
      const wrk = spawn(kWrk, [...options, url], { stdio: ["ignore", "pipe", "inherit"] });
      let report = "";
      wrk.stdout.on("data", (data) => (report += data));
      await once(wrk, "close");
      assert.match(report, /requests in/);
      assert.doesNotMatch(report, /Non-2xx/);
    };
    const took = await leastOf(kClickMs, async () => nineInTen(await clicksDuring(flood)));
    assert.ok(took < kClickMs, `${took} ms`);
    await page.locator(".gap").first().waitFor();
    assert.ok((await lines().count()) < 80);
  });

  test("of 20,000 requests in a second through the stream leaves the page quick", async () => {
    const live = await takeOverStream(page);
    await live.push(["start", { next: 1 }]);
    let number = 0;
    const flood = async () => {
      for (let i = 0; i < 20; i += 1) {
        const from = number;
        number += 1000;
        await page.evaluate(([one, first]) => {
          const numbers = Array.from({ length: 1000 }, (_, k) => first + k);
          window.pushEvents(numbers.map((each) => ["request", { ...one, number: each }]));
        }, [request(1), from]);
      }
    };
    const took = await leastOf(kClickMs, async () => nineInTen(await clicksDuring(flood, 10)));
    assert.ok(took < kClickMs, `${took} ms`);
  });
});

// A shared access signature for the account, so that a load generator need not sign.
async function sasOf({ account, key }) {
  const se = `${new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)}Z`;
  const fields = { sv: "2019-02-02", ss: "t", srt: "sco", sp: "rwdlacu", se };
  const text = [account, fields.sp, fields.ss, fields.srt, "", fields.se, "", "", fields.sv, ""].join("\n");
  const sig = createHmac("sha256", Buffer.from(key, "base64")).update(text).digest("base64");
  return new URLSearchParams({ ...fields, sig });
}

describe("A server with a control token", () => {
  test("streams to a page whose person has typed it", async () => {
    const guarded = await startExplorerServer({ flags: ["--controlToken", "open-sesame"] });
    const own = await openExplorer(browser, guarded, "#/requests");
    await own.page.getByRole("dialog").getByLabel("Token").fill("open-sesame");
    await own.page.getByRole("button", { name: "Continue" }).click();
    await own.page.getByText("No requests yet").waitFor();
    await eventually(async () => {
      await guarded.fetch("GET", "Tables");
      await own.page.locator(".line", { hasText: "QueryTables" }).first().waitFor({ timeout: 300 });
    });
    assert.doesNotMatch(own.page.url(), /sesame/);
    await own.close();
    await guarded.stop();
  });
});

describe("A server that is started again", () => {
  test("is connected to by itself, and the list says so", async () => {
    const door = await startDoor();
    const first = await startExplorerServer();
    door.to(first);
    const through = await openExplorer(browser, door, "#/requests", { expect: ["restart", /./] });
    await through.page.getByText("No requests yet").waitFor();
    const ask = (one, table) => one.fetch("GET", `${table}()`);
    for (let i = 0; i < 5; i += 1) await ask(first, "before");
    await through.page.locator(".line", { hasText: "before" }).first().waitFor();
    door.to(null);
    await first.stop();
    const second = await startExplorerServer();
    door.to(second);
    await eventually(async () => {
      await ask(second, "after");
      await through.page.locator(".line", { hasText: "after" }).first().waitFor({ timeout: 300 });
    });
    await through.page.locator(".gap", { hasText: "The server was started again" }).waitFor();
    await through.page.locator(".line", { hasText: "before" }).first().waitFor();
    await through.close();
    await second.stop();
    door.stop();
  });
});
