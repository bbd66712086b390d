// The lab, as a person uses it: behaviours, fault rules, the clock, snapshots and resets.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { browser, eventually, openExplorer, server, useServerAndBrowser } from "./harness.mjs";

let explorer, page;

useServerAndBrowser({ flags: ["--anyAccount"] });

beforeEach(async () => {
  await server.control("POST", "reset");
  for (const path of ["behaviour", "faults", "retries"]) await server.control("DELETE", path);
  await server.control("PUT", "clock", {});
  const { snapshots } = await server.control("GET", "snapshots");
  for (const { name } of snapshots) await server.control("DELETE", `snapshots/${name}`);
  await server.createTable("orders");
  explorer = await openExplorer(browser, server, "#/lab?account=*");
  ({ page } = explorer);
  await page.getByRole("checkbox", { name: "Throttling" }).waitFor();
});

afterEach(() => explorer.close());

const dot = () => page.getByRole("img", { name: /^On: / });
const insert = (row) =>
  server.fetch("POST", "orders", { body: JSON.stringify({ PartitionKey: "de", RowKey: row }) });
const behaviour = () => server.control("GET", "behaviour");
const tab = (name) => page.getByRole("navigation", { name: "Parts of the lab" }).getByRole("link", { name }).click();
const part = (name) => page.getByRole("region", { name });

describe("A person who makes the service behave badly", () => {
  test("switches on throttling, sees the dot on every screen, and switches it off", async () => {
    assert.equal(await dot().count(), 0);
    await page.getByRole("checkbox", { name: "Throttling" }).check();
    await dot().waitFor();
    assert.deepEqual((await behaviour()).behaviour, { throttle: [2000, 20000] });
    await page.getByRole("spinbutton", { name: "Throttling: Partition, entities/s" }).fill("5");
    await page.keyboard.press("Tab");
    await eventually(async () =>
      assert.deepEqual((await behaviour()).behaviour, { throttle: [5, 20000] }));
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => insert(`${i}`)));
    assert.ok(answers.some(({ status }) => status === 503));
    await page.getByRole("link", { name: "Tables" }).click();
    assert.match(await dot().getAttribute("aria-label"), /throttle/);
    await page.getByRole("link", { name: "Lab" }).click();
    await page.getByRole("checkbox", { name: "Throttling" }).uncheck();
    await dot().waitFor({ state: "detached" });
  });

  test("switches several on, and all off at once", async () => {
    await page.getByRole("spinbutton", { name: "Short pages: At up to, keys" }).fill("3");
    await page.getByRole("checkbox", { name: "Short pages" }).check();
    await page.getByRole("checkbox", { name: "Latency" }).check();
    await page.getByRole("spinbutton", { name: "Latency: Spread, sigma" }).fill("0.5");
    await page.keyboard.press("Tab");
    await eventually(async () =>
      assert.deepEqual((await behaviour()).behaviour, { boundaries: 3, latency: [20, 0.5] }));
    await page.getByRole("button", { name: "Switch all off" }).click();
    await eventually(async () => assert.deepEqual((await behaviour()).behaviour, {}));
    await dot().waitFor({ state: "detached" });
    assert.equal(await page.getByRole("checkbox", { name: "Short pages" }).isChecked(), false);
  });

  test("gives one account a behaviour of its own", async () => {
    const accounts = part("Behaviour of the service").getByRole("combobox", { name: "For" });
    await accounts.selectOption("devstoreaccount1");
    await page.getByText("This account has the behaviour for all.").waitFor();
    await page.getByRole("checkbox", { name: "Slow table deletion" }).check();
    await page.getByText("This account has a behaviour of its own").waitFor();
    const expected = { accounts: { devstoreaccount1: { deleteDelay: 40 } }, behaviour: {} };
    assert.deepEqual(await server.control("GET", "behaviour"), expected);
    assert.match(await dot().getAttribute("aria-label"), /devstoreaccount1/);
    await page.getByRole("button", { name: "As all accounts" }).click();
    await eventually(async () => assert.deepEqual((await behaviour()).accounts, {}));
  });

  test("reads what the server refuses, and the switch is off again", async () => {
    await page.getByRole("spinbutton", { name: "Page deadline: After, ms" }).fill("6000");
    await page.getByRole("checkbox", { name: "Page deadline" }).click();
    await page.getByRole("alert").getByText(/pageDeadline/).waitFor();
    assert.equal(await page.getByRole("checkbox", { name: "Page deadline" }).isChecked(), false);
  });
});

describe("The account of the page", () => {
  test("is the one whose behaviour is set, and whose rules are shown", async () => {
    await page.goto(`${server.root}/_rocktable/#/lab?account=devstoreaccount1`);
    const accounts = part("Behaviour of the service").getByRole("combobox", { name: "For" });
    await eventually(async () => assert.equal(await accounts.inputValue(), "devstoreaccount1"));
    await page.getByRole("checkbox", { name: "Short pages" }).check();
    await eventually(async () =>
      assert.deepEqual(await behaviour(), { accounts: { devstoreaccount1: { boundaries: 4 } }, behaviour: {} }));
    await server.control("POST", "faults", [
      { name: "others", match: { account: "another1" }, then: { status: 503 } },
      { name: "everybodys", then: { status: 503 } },
    ]);
    await tab("Faults");
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByRole("row", { name: /everybodys/ }).waitFor();
    assert.equal(await page.getByRole("row", { name: /others/ }).count(), 0);
    await page.getByText("1 more for other accounts only.").waitFor();
    await page.getByRole("banner").getByRole("combobox", { name: "Account" }).selectOption("*");
    await page.getByRole("row", { name: /others/ }).waitFor();
  });
});

describe("A person who makes requests fail", () => {
  test("adds a rule by the form, and sees its hits and the retries", async () => {
    await tab("Faults");
    await page.getByText("Add a rule", { exact: true }).click();
    const form = part("Fault rules");
    assert.equal(await form.locator(":is(input, select):visible").count(), 4, "the others are shown on request");
    await form.getByText("More: which requests").click();
    await form.getByRole("textbox", { name: "Name" }).fill("busy");
    await form.getByRole("combobox", { name: "Operation" }).selectOption("InsertEntity");
    await form.getByRole("textbox", { name: "Table" }).fill("orders");
    await form.getByLabel("Then hit, requests").fill("2");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    const row = form.getByRole("row", { name: /busy/ });
    await row.getByText("InsertEntity of orders").waitFor();
    assert.match(await row.innerText(), /0[\s\S]*of 0[\s\S]*the first 2[\s\S]*503 ServerBusy/);
    await dot().waitFor();
    for (let i = 0; i < 3; i += 1) await insert("1");
    await form.getByRole("button", { name: "Reload" }).click();
    await row.getByText("of 3").waitFor();
    assert.match(await row.innerText(), /^busy[\s\S]*2\s+of 3/);
    const story = /["“]busy["”], then ["“]busy["”] after .* ms, then 201 after .* ms; succeeded; committed once/;
    await form.getByText(story).waitFor();
    await form.getByRole("button", { name: "Forget retries" }).click();
    await form.getByText("succeeded").waitFor({ state: "detached" });
    await form.getByRole("button", { name: "Remove busy" }).click();
    await dot().waitFor({ state: "detached" });
    assert.deepEqual((await server.control("GET", "faults")).faults, []);
  });

  test("edits a rule, and members that the form does not know stay", async () => {
    await server.control("POST", "faults", {
      name: "slow", match: { operation: ["GetEntity", "Batch"], method: "GET", table: "orders" },
      then: { delay: { lognormal: { median: "1ms", sigma: 0.5 } }, status: 500 }, when: { count: 3, seed: 7 },
    });
    await tab("Faults");
    const form = part("Fault rules");
    await form.getByRole("button", { name: "Reload" }).click();
    await form.getByRole("button", { name: "Edit slow" }).click();
    await form.getByText("It also has method, operation, seed, delay, which stay.").waitFor();
    await form.getByLabel("Status").fill("503");
    await form.getByRole("textbox", { name: "Table" }).fill("customers");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByRole("row", { name: /of customers/ }).waitFor();
    const [{ hits, matched, ...rule }] = (await server.control("GET", "faults")).faults;
    assert.deepEqual([rule.name, rule.match.operation, rule.match.method, rule.match.table],
      ["slow", ["GetEntity", "Batch"], ["GET"], "customers"]);
    assert.deepEqual([rule.then.status, rule.then.delay.lognormal.sigma, rule.when.count, rule.when.seed], [503, 0.5, 3, 7]);
    assert.equal(hits + matched, 0);
  });

  test("gives a rule times, a slow answer and headers, in two clicks more than the four fields", async () => {
    await tab("Faults");
    const form = part("Fault rules");
    await form.getByText("Add a rule", { exact: true }).click();
    await form.getByLabel("Status").fill("429");
    await form.getByText("More: which requests").click();
    await form.getByLabel("Then hit, requests").fill("");
    await form.getByLabel("On for").fill("10s");
    await form.getByLabel("Again every").fill("60s");
    await form.getByLabel("Answer, bytes/s").fill("1000");
    await form.getByLabel("Headers, one a line").fill("Retry-After: 5\nServer:");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    const row = form.getByRole("row", { name: /fault-/ });
    await row.getByText("for 10s of each 1m").waitFor();
    const [rule] = (await server.control("GET", "faults")).faults;
    assert.deepEqual([rule.when.for, rule.when.every, rule.on], ["10s", "1m", true]);
    assert.deepEqual([rule.then.status, rule.then.bytesPerSecond, rule.then.headers],
      [429, 1000, { "Retry-After": "5", Server: null }]);
    await form.getByRole("button", { name: /^Edit fault-/ }).click();
    await form.getByLabel("On for").fill("20s");
    await form.getByRole("textbox", { name: "Name" }).fill("nightly");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByRole("row", { name: /nightly/ }).getByText("for 20s of each 1m").waitFor();
    assert.deepEqual((await server.control("GET", "faults")).faults.map(({ name }) => name), ["nightly"]);
  });

  test("breaks handshakes and puts a client's clock wrong", async () => {
    await tab("Faults");
    const form = part("Fault rules");
    await form.getByText("Add a rule", { exact: true }).click();
    await form.getByLabel("Effect").selectOption("handshake");
    await form.getByLabel("How").selectOption("expired");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await form.getByRole("row", { name: /TLS handshake: expired/ }).waitFor();
    await eventually(async () => assert.equal(await form.getByLabel("Effect").inputValue(), "error")); // a new rule
    await form.getByLabel("Effect").selectOption("clientClock");
    await form.getByLabel("Fast by").fill("15m");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await form.getByRole("row", { name: /clock is off by 15m/ }).waitFor();
    const { faults } = await server.control("GET", "faults");
    assert.deepEqual(faults.map(({ then }) => [then.handshake, then.clientClock]),
      [["expired", undefined], [undefined, "15m"]]);
  });

  test("keeps the old rule when the server refuses the new one", async () => {
    await server.control("POST", "faults", { name: "old", then: { status: 503 } });
    await tab("Faults");
    const form = part("Fault rules");
    await form.getByRole("button", { name: "Reload" }).click();
    await form.getByRole("button", { name: "Edit old" }).click();
    await form.getByLabel("Status").fill("7");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByRole("alert").waitFor();
    const { faults } = await server.control("GET", "faults");
    assert.deepEqual(faults.map(({ name, then }) => [name, then.status]), [["old", 503]]);
  });

  test("adds rules as JSON, and reads where it is wrong", async () => {
    await tab("Faults");
    await page.getByText("Add rules as JSON").click();
    const text = page.getByLabel("A rule, or a list of rules");
    await text.fill('{"match": {"opration": "InsertEntity"}, "then": {"status": 503}}');
    await page.getByRole("button", { name: "Add rules" }).click();
    await page.getByRole("alert").getByText("match.opration: unknown property").waitFor();
    const rules = [{ name: "<script>", then: { delay: "1ms" } }, { name: "two", then: { reset: true } }];
    await text.fill(JSON.stringify(rules));
    await page.getByRole("button", { name: "Add rules" }).click();
    const row = page.getByRole("row", { name: /<script>/ });
    await row.waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
    assert.equal(await text.inputValue(), "");
    await page.getByRole("button", { name: "Remove <script>" }).click();
    await row.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Remove all" }).click();
    await eventually(async () => assert.deepEqual((await server.control("GET", "faults")).faults, []));
  });
});

describe("A person who turns the clock", () => {
  const clock = () => server.control("GET", "clock");

  test("turns it, stops it, and sets it right", async () => {
    await tab("Clock");
    const own = part("Clock");
    await own.getByText(/when asked, the real time/).waitFor();
    await own.getByRole("button", { name: "Turn", exact: true }).click();
    await own.getByText("+2h from the real time").waitFor();
    assert.equal((await clock()).offset, "2h");
    await dot().waitFor();
    await own.getByLabel("Turn by").fill("-15m");
    await own.getByRole("button", { name: "Set offset" }).click();
    await own.getByText("-15m from the real time").waitFor();
    await own.getByLabel("Stop at").fill("2026-01-31T12:00:00Z");
    await own.getByRole("button", { name: "Stop", exact: true }).click();
    await own.getByText("2026-01-31 12:00:00 UTC").waitFor();
    await own.getByText("stopped").waitFor();
    assert.equal((await clock()).frozen, true);
    await own.getByRole("button", { name: "Real time" }).click();
    await dot().waitFor({ state: "detached" });
    assert.equal((await clock()).offset, "0s");
  });

  test("reads what it did not understand", async () => {
    await tab("Clock");
    await part("Clock").getByLabel("Turn by").fill("tomorrow");
    await part("Clock").getByRole("button", { name: "Turn", exact: true }).click();
    await page.getByRole("alert").getByText("must be a duration").waitFor();
  });
});

describe("A person who prepares data", () => {
  const status = async () => (await server.fetch("GET", "orders(PartitionKey='de',RowKey='1')")).status;

  async function confirm(word, button) {
    const dialog = page.getByRole("dialog");
    assert.equal(await dialog.getByRole("button", { name: button }).isDisabled(), true);
    await dialog.getByRole("textbox").fill(word);
    await dialog.getByRole("button", { name: button }).click();
    await dialog.waitFor({ state: "detached" });
  }

  test("takes a snapshot, restores it, and deletes it", async () => {
    await tab("Snapshots");
    const own = part("Snapshots");
    await insert("1");
    await own.getByLabel("Name").fill("seeded");
    await own.getByRole("button", { name: "Take snapshot" }).click();
    await own.getByRole("row", { name: /seeded/ }).waitFor();
    await server.fetch("DELETE", "orders(PartitionKey='de',RowKey='1')", { headers: { "if-match": "*" } });
    assert.equal(await status(), 404);
    await own.getByRole("button", { name: "Restore seeded" }).click();
    await confirm("seeded", "Restore");
    await own.getByText("Restored seeded.").waitFor();
    assert.equal(await status(), 200);
    await own.getByLabel("Name").fill("seeded");
    await own.getByRole("button", { name: "Take snapshot" }).click();
    await own.getByRole("alert").waitFor();
    await own.getByRole("button", { name: "Delete seeded" }).click();
    await confirm("seeded", "Delete");
    await own.getByRole("row", { name: /seeded/ }).waitFor({ state: "detached" });
  });

  test("resets an account only after typing its name, and everything only after typing so", async () => {
    await tab("Snapshots");
    const own = part("Reset");
    await insert("1");
    await own.getByRole("button", { name: "Reset account…" }).click();
    await page.keyboard.press("Escape");
    assert.equal(await status(), 200);
    await own.getByRole("button", { name: "Reset account…" }).click();
    await confirm("devstoreaccount1", "Reset");
    await eventually(async () => assert.deepEqual((await server.control("GET", "contents")).accounts, []));
    await server.createTable("orders");
    await own.getByRole("button", { name: "Reset everything…" }).click();
    await confirm("everything", "Reset everything");
    await eventually(async () => assert.deepEqual((await server.control("GET", "contents")).accounts, []));
  });
});
