// The parts of Requests, Insight and Lab that need no page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import { leastOf } from "../measure.mjs";
import { request } from "./live.mjs";

const load = (name) => import(new URL(`../../../server/explorer/activity/${name}.js`, import.meta.url));
const { RequestLog } = await load("request_log");
const { decoded, filterOf, filterOfShape, isOfFinding, matcher, withoutShape } = await load("request_filter");
const { groupedLines } = await load("request_groups");
const { askedOf, faultInWords, keysOf, statusInWords, testOf } = await load("request_words");
const { asCurl, copyOf, pathOf, quoted } = await load("request_copy");
const { jsonOf, kBehaviours, valuesOf, withBehaviour } = await load("behaviour_model");
const { fieldsOf, kEmptyRule, ruleOf } = await load("fault_model");
const { matchInWords, retryInWords, thenInWords, whenInWords } = await load("fault_model");
const { addedUp, findingsOf, grouped, totalsOf } = await load("shapes");
const { matrixOf } = await load("access_matrix");
const { barHeight } = await load("chart");

const lines = (log) => Array.from({ length: log.length }, (_, i) => {
  const { request: one, missed, words } = log.at(i);
  return one ? one.number : words || -missed;
});

function logOf(count, capacity) {
  const log = new RequestLog(capacity);
  for (let i = 1; i <= count; i += 1) log.add(request(i));
  return log;
}

describe("The log of requests", () => {
  test("has the newest first, and forgets the oldest", () => {
    assert.deepEqual(lines(logOf(3, 10)), [3, 2, 1]);
    const log = logOf(25_000, 10_000);
    assert.ok(log.length > 9_000 && log.length <= 10_000, `${log.length}`);
    const numbers = [log.at(0), log.at(log.length - 1)].map((entry) => entry.request.number);
    assert.deepEqual(numbers, [25_000, 25_001 - log.length]);
    assert.equal(log.at(log.length), undefined);
  });

  test("joins gaps that follow each other, also those that a filter brings together", () => {
    const log = logOf(1);
    log.addGap(5);
    log.addGap(7);
    log.add(request(14, { status: 404 }));
    log.addGap(3);
    assert.deepEqual(lines(log), [-3, 14, -12, 1]);
    log.filterBy(({ status }) => status === 200);
    assert.deepEqual(lines(log), [-15, 1]);
    log.addGap(0, "restarted");
    assert.deepEqual([lines(log), log.at(0).missed], [["restarted", 1], 15]);
  });

  test("keeps the lines that one reads, however many come", () => {
    const log = logOf(3, 10);
    log.hold();
    for (let i = 4; i <= 100; i += 1) log.add(request(i));
    assert.deepEqual([lines(log), log.newRequests, log.total], [[3, 2, 1], 97, 10]);
    log.release();
    assert.deepEqual([lines(log), log.newRequests], [[100, 99, 98, 97, 96, 95, 94, 93, 92, 91], 0]);
  });

  test("counts as new what passes the filter", () => {
    const log = logOf(2);
    log.filterBy(({ status }) => status === 404);
    log.hold();
    log.add(request(3));
    log.add(request(4, { status: 404 }));
    assert.equal(log.newRequests, 1);
  });

  test("takes older ones before all others, as many as there is room for", () => {
    const log = new RequestLog(6);
    for (let i = 10; i < 13; i += 1) log.add(request(i));
    log.hold();
    log.addOlder([1, 2, 3, 4, 5].map((i) => request(i)));
    assert.deepEqual([lines(log), log.oldest, log.newRequests], [[12, 11, 10, 5, 4, 3], 3, 0]);
    log.release();
    for (let place = 0; place < 6; place += 1) assert.equal(log.indexOf(log.at(place)), place);
    log.addOlder([request(0)]);
    assert.equal(log.total, 6);
  });

  test("finds the place of an entry", () => {
    const log = logOf(20, 20);
    for (const place of [0, 7, 19]) assert.equal(log.indexOf(log.at(place)), place);
    const forgotten = log.at(19);
    log.add(request(21));
    assert.equal(log.indexOf(forgotten), -1);
    assert.equal(log.indexOf(null), -1);
  });

  test("is exported with its gaps, the oldest first", () => {
    const log = logOf(1);
    log.addGap(5);
    log.add(request(7));
    const rows = log.toNdjson().trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(rows.map((row) => row.gap ?? row.number), [1, { missed: 5 }, 7]);
  });

  test("takes 20,000 requests in less time than they need to come", async () => {
    const took = await leastOf(500, () => {
      const begin = performance.now();
      logOf(20_000);
      return performance.now() - begin;
    });
    assert.ok(took < 500, `${took} ms`);
  });
});

describe("A filter", () => {
  const cases = [
    [{}, {}, true],
    [{ status: "2xx" }, {}, true],
    [{ status: "4xx" }, {}, false],
    [{ status: "4XX" }, { status: 412 }, true],
    [{ status: "404" }, { status: 404 }, true],
    [{ status: "40" }, { status: 404 }, false],
    [{ text: "de / 1" }, {}, true],
    [{ of: "shape", table: "orders", operation: "GetEntity" }, {}, true],
    [{ of: "shape", table: "order", operation: "GetEntity" }, {}, false],
    [{ of: "shape", table: "log#", operation: "GetEntity" }, { table: "log2026", shapeTable: "log#" }, true],
    [{ of: "single-writes", table: "orders" }, {}, false],
    [{ of: "single-writes", table: "orders" }, { method: "POST", operation: "InsertEntity", status: 201 }, true],
    [{ of: "insert-conflicts", table: "orders" }, { status: 409 }, true],
    [{ of: "insert-conflicts", table: "orders" }, { status: 201 }, false],
    [{ of: "n-plus-one", table: "orders" }, {}, true],
    [{ of: "n-plus-one", table: "orders" }, { method: "POST", operation: "Batch", status: 202 }, false],
    [{ of: "single-writes", table: "orders" }, { method: "POST", operation: "Batch", status: 202 }, false],
    [{ of: "missing-reads", table: "orders" }, {}, false],
    [{ of: "missing-reads", table: "orders" }, { status: 404 }, true],
    [{ of: "repeated-reads", table: "orders" }, { status: 404 }, false],
    [{ of: "refused-updates", table: "orders" }, { operation: "MergeEntity", status: 412 }, true],
    [{ of: "append-only-keys", table: "orders" }, { operation: "InsertEntity", status: 409 }, false],
    [{ of: "table-scan", client: "other" }, {}, false],
    [{ of: "table-scan", client: "azsdk-js-data-tables/13.3.2" }, {}, true],
    [{ of: "table-scan", test: "suite" }, { clientRequestId: "suite/1" }, true],
    [{ table: "ORD" }, {}, true],
    [{ table: "rders" }, {}, false],
    [{ table: "log#" }, { table: "log20261121", shapeTable: "log#" }, true],
    [{ table: "log#" }, { table: "log" }, false],
    [{ plan: "point" }, {}, true],
    [{ plan: "table-scan" }, {}, false],
    [{ operation: "GetEntity" }, {}, true],
    [{ text: "price gt 3" }, { target: "/a/orders()?$filter=Price%20gt%203" }, true],
    [{ text: "%20gt" }, { target: "/a/orders()?$filter=Price%20gt%203" }, true],
    [{ text: "SERVERBUSY" }, { code: "ServerBusy" }, true],
    [{ text: "nowhere" }, {}, false],
    [{ text: "azsdk", status: "5xx" }, {}, false],
  ];
  for (const [parameters, changes, passes] of cases)
    test(`${JSON.stringify(parameters)} ${passes ? "passes" : "keeps out"} ${JSON.stringify(changes)}`, () =>
      assert.equal(matcher(filterOf(parameters))(request(1, changes)), passes));

  test("holds for an account, or for all", () => {
    assert.equal(matcher(filterOf({}), "other")(request(1)), false);
    assert.equal(matcher(filterOf({}), "devstoreaccount1")(request(1)), true);
    assert.equal(matcher(filterOf({}), "")(request(1)), true);
  });

  test("finds what the server found in bodies", () => {
    const found = new Set([2]);
    const passes = matcher(filterOf({ text: "cologne" }), "", found);
    assert.deepEqual([request(1), request(2)].map(passes), [false, true]);
  });

  test("of a finding is left as a whole", () => {
    const finding = {
      id: "table-scan", table: "orders", operation: "QueryEntities", fingerprint: "Age gt ?", client: "c", test: "t",
    };
    const filter = filterOf({ ...filterOfShape(finding, "table-scan"), text: "x" });
    assert.equal(filter.fingerprint, "Age gt ?");
    assert.deepEqual(withoutShape(filter), filterOf({ text: "x" }));
    const scan = { operation: "QueryEntities", client: "c more", clientRequestId: "t/1" };
    assert.equal(isOfFinding(finding, request(1, { ...scan, fingerprint: "Age gt ?" })), true);
    assert.equal(isOfFinding(finding, request(1, { ...scan, fingerprint: "Age lt ?" })), false);
  });

  test("does not fail at a target that is not valid", () => assert.equal(decoded("/a/%zz"), "/a/%zz"));
});

describe("A request in words", () => {
  const asked = (changes) => askedOf(request(1, changes));

  test("tells its keys or its filter", () => {
    assert.equal(asked(), "de / 1");
    assert.equal(asked({ target: "/a/t(PartitionKey='it''s%20%27%27',RowKey='a%2Bb+c')" }), "it's ' / a+b+c");
    assert.equal(asked({ operation: "InsertEntity", target: "/a/t", partitionKey: "p", rowKey: "" }), "p / ");
    const query = (target) => asked({ operation: "QueryEntities", target });
    assert.equal(query("/a/t()?$filter=Price%20gt+3&$top=1"), "Price gt 3");
    assert.equal(query("/a/t()"), "all entities");
    assert.equal(keysOf({ target: "/a/%zz(PartitionKey='a')" }), null);
    assert.equal(keysOf({}), null);
  });

  test("tells the operations of a batch, and that there are more", () => {
    const operation = (method, rowKey) => ({ method, target: "/a/t", partitionKey: "p", rowKey });
    const operations = [operation("POST", "1"), operation("POST", "2"), operation("DELETE", "3")];
    const batch = (more) => asked({ operation: "Batch", target: "/a/$batch", operations, ...more });
    assert.equal(batch({ operationCount: 3 }), "2 POST, 1 DELETE: p / 1, p / 2, p / 3");
    assert.equal(batch({ operationCount: 1200 }), "1,200 operations: p / 1, p / 2, p / 3, …");
    assert.match(batch({}), /^many operations/);
  });

  test("tells how it ended, and who made it so", () => {
    assert.equal(statusInWords({ status: 404, code: "ResourceNotFound" }), "404 ResourceNotFound");
    assert.equal(statusInWords({ status: 204, code: null }), "204 done");
    assert.equal(statusInWords({ status: 0 }), "no answer");
    assert.equal(faultInWords({ fault: "", status: 503, code: "ServerBusy" }), "");
    assert.equal(faultInWords({ fault: "throttle", status: 503, code: "ServerBusy" }), "throttled");
    assert.equal(faultInWords({ fault: "mine", status: 503, code: "ServerBusy" }), "fault mine");
    assert.equal(testOf({ clientRequestId: "a/b/1" }), "a/b");
    assert.equal(testOf({ clientRequestId: "plain" }), "");
  });
});

describe("Groups of requests", () => {
  test("are those of a test, that of the newest request first", () => {
    const log = new RequestLog();
    for (const [i, id] of ["a/1", "b/1", "a/2", "plain"].entries()) log.add(request(i, { clientRequestId: id }));
    log.addGap(3);
    log.add(request(9, { clientRequestId: "b/2", status: 500 }));
    const told = (open) => {
      const all = groupedLines(log, "test", new Set(open));
      return Array.from({ length: all.length }, (_, i) => all.at(i))
        .map((one) => (one.group ? [one.title, one.count, one.failed] : one.request.number));
    };
    assert.deepEqual(told([]), [["b", 2, 1], ["without a test", 1, 0], ["a", 2, 0]]);
    assert.deepEqual(told(["a"]), [["b", 2, 1], ["without a test", 1, 0], ["a", 2, 0], 2, 0]);
    const lines_ = groupedLines(log, "client", new Set());
    assert.deepEqual([lines_.length, lines_.at(0).title], [1, "azsdk-js-data-tables/13.3.2"]);
  });
});

describe("A request once more", () => {
  const path = (target, account = "devstoreaccount1") => pathOf({ account, target });

  test("has no account and no signature in its path", () => {
    assert.equal(path("/devstoreaccount1/orders()?$filter=A%20eq%201"), "/orders()?$filter=A%20eq%201");
    assert.equal(path("/devstoreaccount1-secondary/orders()"), "/orders()");
    assert.equal(path("/orders()?$top=1&sv=2019-02-02&sig=%2A&SE=x&se=y", "contoso"), "/orders()?$top=1");
    assert.equal(path("/devstoreaccount1/$batch"), "/$batch");
    assert.equal(path("/devstoreaccount1?comp=list"), "/?comp=list");
  });

  test("has the headers that matter, and its body", () => {
    const requestHeaders = [["Authorization", "SharedKey"], ["If-Match", "*"], ["Content-Length", "2"]];
    const copy = copyOf(request(1, { method: "PUT", requestHeaders, requestBody: "{}" }));
    assert.deepEqual([copy.headers, copy.body, copy.problem], [{ "if-match": "*" }, "{}", ""]);
  });

  test("is not sent without its whole body", () => {
    assert.match(copyOf(request(1, { method: "POST" })).problem, /not known/);
    const requestHeaders = [["content-length", "4000"]];
    const cut = request(1, { method: "POST", requestHeaders, requestBody: "x".repeat(1024) });
    assert.match(copyOf(cut).problem, /only its beginning/);
    const chunked = { method: "POST", requestHeaders: [], requestBody: "xy" };
    assert.match(copyOf(request(1, { ...chunked, bytesReceived: 3 })).problem, /only its beginning/);
    assert.equal(copyOf(request(1, { ...chunked, bytesReceived: 2 })).problem, "");
    assert.equal(copyOf(request(1)).problem, "");
    assert.match(copyOf(request(1, { account: "" })).problem, /no account/);
  });

  test("does not leave its account, however its dots are written", () => {
    const origin = "http://127.0.0.1:10002";
    const leaving = ["/t()/%2e%2e/../../reset", "/t/..", "/t/./x", "/t/.%2E/x", "/t\\..\\..\\reset", "/t/.\t./x", "/../reset#/"];
    for (const target of leaving) {
      const stranger = request(1, { method: "POST", target: `/devstoreaccount1${target}`, requestHeaders: [] });
      assert.match(copyOf(stranger).problem, /dot segment/, target);
      assert.match(asCurl(stranger, origin), / --path-as-is /, target);
    }
    assert.match(copyOf(request(1, { account: "..", target: "/reset" })).problem, /dot segment/);
    for (const target of ["/t()?$filter=A eq '/../'", "/t(PartitionKey='..',RowKey='.')", "/...", "/t..", "/%2e%2e%2e"])
      assert.equal(copyOf(request(1, { target: `/devstoreaccount1${target}` })).problem, "", target);
  });

  test("as a command reads no file and sends nothing else than it shows", () => {
    const requestHeaders = [["content-length", "13"]];
    const read = request(1, { method: "POST", target: "/a/t{1,2}[1-9]", requestHeaders, requestBody: "@/etc/hostname" });
    const text = asCurl(read, "http://127.0.0.1:10002");
    assert.match(text, / --data-raw @\/etc\/hostname$/);
    assert.match(text, / --globoff /);
  });

  test("is a command that a shell takes as it is", () => {
    const hostile = "it's `id` $(id) \\ \u0007 \n \u202e é";
    for (const text of [hostile, "it's $(id)", "a b", ""])
      assert.equal(execFileSync("bash", ["-c", `printf %s ${quoted(text)}`], { encoding: "utf8" }), text);
    assert.doesNotMatch(quoted("\u001b[2J"), /\u001b/, "a terminal would obey it");
    const text = asCurl(request(1, { method: "DELETE" }), "http://127.0.0.1:10002");
    const url = "http://127.0.0.1:10002/_rocktable/entities/devstoreaccount1/orders";
    assert.equal(text, "curl -X DELETE " +
      `'${url}(PartitionKey='\\''de'\\'',RowKey='\\''1'\\'')' ` +
      "-H 'accept: application/json;odata=fullmetadata' -H 'if-match: *'");
  });
});

describe("Behaviours", () => {
  const named = (name) => kBehaviours.find((one) => one.name === name);

  test("are numbers in fields and JSON", () => {
    assert.deepEqual(valuesOf(named("throttle")), [2000, 20000]);
    assert.deepEqual(valuesOf(named("throttle"), [500]), [500, 20000]);
    assert.deepEqual(valuesOf(named("latency"), 7), [7, 0]);
    assert.deepEqual(valuesOf(named("deleteDelay"), true), [40]);
    assert.deepEqual(jsonOf(named("throttle"), [500, 100]), [500, 100]);
    assert.equal(jsonOf(named("latency"), [20, 0]), 20);
    assert.deepEqual(jsonOf(named("latency"), [20, 0.8]), [20, 0.8]);
    assert.equal(jsonOf(named("boundaries"), [4]), 4);
  });

  test("are switched one by one", () => {
    assert.deepEqual(withBehaviour({ boundaries: 4 }, "deleteDelay", 5), { boundaries: 4, deleteDelay: 5 });
    assert.deepEqual(withBehaviour({ boundaries: 4, deleteDelay: 5 }, "deleteDelay", undefined), { boundaries: 4 });
  });
});

describe("Fault rules", () => {
  test("are made of what was given", () => {
    assert.deepEqual(ruleOf(kEmptyRule), { match: {}, when: { count: 1 }, then: { status: 503 } });
    const lost = { name: "lost", table: "orders", count: "", effect: "reset", at: "afterCommit" };
    assert.deepEqual(ruleOf({ ...kEmptyRule, ...lost }),
      { name: "lost", match: { table: "orders" }, when: {}, then: { reset: true, at: "afterCommit" } });
    const late = { effect: "delay", delay: "300ms", at: "afterCommit", probability: "0.5", skip: "2" };
    assert.deepEqual(ruleOf({ ...kEmptyRule, ...late }),
      { match: {}, when: { skip: 2, count: 1, probability: 0.5 }, then: { delay: "300ms" } });
    assert.deepEqual(ruleOf({ ...kEmptyRule, effect: "cut" }).then, { cutAfterBytes: 100 });
  });

  test("keep what the form does not know when they are edited", () => {
    const rule = {
      name: "r", match: { operation: ["A", "B"], table: "t", position: 2 }, when: { count: 1, seed: 4 },
      then: { status: 503, code: "X", at: "afterCommit", delay: { lognormal: { median: "1ms", sigma: 1 } } },
      later: true, hits: 3, matched: 9,
    };
    const { fields, rest } = fieldsOf(rule);
    assert.deepEqual([fields.effect, fields.table, fields.status, fields.at], ["error", "t", "503", "afterCommit"]);
    const { hits, matched, ...same } = rule;
    assert.deepEqual(ruleOf(fields, rest), same);
    const cut = { name: "c", match: {}, when: {}, then: { cutAfterBytes: 5 } };
    const reset = { name: "c", match: {}, when: {}, then: { reset: true } };
    const delay = { name: "c", match: {}, when: {}, then: { delay: "1s" } };
    const night = {
      name: "n", match: { rowKey: "1", clientRequestIdPrefix: "night/" }, when: { after: "1s", for: "10s", every: "1m" },
      then: { at: "arrival", status: 429, headers: { "Retry-After": "5", ETag: null, "X-Two": ["1", "a: b"] } },
    };
    const slow = {
      name: "s", match: {}, when: { count: 2 }, then: { bytesPerSecond: 100, requestBytesPerSecond: 50, delay: "1s" },
    };
    const handshake = { name: "h", match: { account: "a" }, when: {}, then: { handshake: "expired" } };
    const clock = { name: "k", match: {}, when: {}, then: { clientClock: "-20m" } };
    for (const one of [cut, reset, delay, night, slow, handshake, clock]) {
      const parts = fieldsOf(one);
      assert.deepEqual(ruleOf(parts.fields, parts.rest), one);
      assert.deepEqual(parts.rest, { match: {}, when: {}, then: {} }, "the form has all of it");
    }
    const shown = { ...handshake, then: { handshake: "expired", at: "handshake" }, on: true, hits: 0, matched: 0 };
    const { fields: again, rest: none } = fieldsOf(shown);
    assert.deepEqual(ruleOf(again, none), handshake);
  });

  test("are told in words", () => {
    const rule = {
      match: { operation: ["InsertEntity", "GetEntity"], table: "orders", partitionKeyPrefix: "de" },
      when: { count: 2, skip: 1, probability: 0.5 },
      then: { status: 503, code: "ServerBusy", delay: "20ms", at: "afterCommit" },
    };
    assert.equal(matchInWords(rule), "InsertEntity, GetEntity of orders with PartitionKey 'de…'");
    assert.equal(whenInWords(rule), "after 1, the first 2, each with 50 %");
    assert.equal(thenInWords(rule), "20ms later, 503 ServerBusy, after the commit");
    assert.equal(matchInWords({ match: {} }), "every request");
    assert.equal(whenInWords({ when: { seed: 1 } }), "always");
    const delay = { lognormal: { median: "20ms", sigma: 0.8 } };
    assert.equal(thenInWords({ then: { delay } }), "about 20ms later (sigma 0.8)");
  });

  test("a rule with a schedule says when it is on, and what it slows and changes", () => {
    const when = { after: "5s", for: "10s", every: "1m" };
    assert.equal(whenInWords({ when, on: true }), "from 5s on, for 10s of each 1m");
    assert.equal(whenInWords({ when: { for: "10s", count: 2 }, on: false }), "the first 2, for 10s, off now");
    const then = {
      at: "arrival", clientClock: "-20m", bytesPerSecond: 1000, requestBytesPerSecond: 50,
      headers: { "Retry-After": "5", ETag: null },
    };
    assert.equal(thenInWords({ then }), "the client's clock is off by -20m, answer at 1,000 bytes/s, " +
      "request at 50 bytes/s, headers Retry-After, ETag, on arrival");
  });

  test("and what clients did then, too", () => {
    const attempts = [
      { after: 0, status: 503, code: "ServerBusy", fault: "busy", committed: false },
      { after: 19, status: 409, code: "EntityAlreadyExists", fault: null, committed: false },
    ];
    assert.equal(retryInWords({ attempts, outcome: "failed", committed: 1, metOwnWork: true }),
      '"busy", then 409 EntityAlreadyExists after 19 ms; failed; committed once; met its own work');
  });
});

describe("Shapes", () => {
  const shape = (changes) => ({
    account: "a", table: "orders", operation: "QueryEntities", plan: "table-scan", fingerprint: "Age gt ?",
    select: "", client: "one", test: "", requests: 1, errors: 0, conflicts: 0, continuations: 0, abandoned: 0,
    entitiesScanned: 10, entitiesReturned: 1, entitiesWritten: 0, bytesRead: 1, bytesSent: 1,
    milliseconds: { p50: 1, p99: 2, max: 3 },
    partitions: 1, partitionsExact: true, lastSeen: "2026-11-22T10:00:00Z", example: "few", ...changes,
  });
  const finding = (changes) => ({
    id: "single-writes", table: "orders", operation: "", fingerprint: "", count: 1, sentence: "one",
    example: "", ...changes,
  });

  test("are added up over accounts and clients, those that scan most first", () => {
    const sums = addedUp([
      shape({ operation: "GetEntity", plan: "point", entitiesScanned: 15 }),
      shape(),
      shape({
        account: "b", client: "two", entitiesScanned: 30, example: "many",
        milliseconds: { p50: 1, p99: 9, max: 9 },
      }),
    ]);
    assert.deepEqual(sums.map(({ entitiesScanned }) => entitiesScanned), [40, 15]);
    assert.deepEqual([...sums[0].accounts, ...sums[0].clients], ["a", "b", "one", "two"]);
    assert.deepEqual([sums[0].example, sums[0].milliseconds.p99, sums[0].requests], ["many", 9, 2]);
    assert.equal(totalsOf(sums).entitiesScanned, 55);
  });

  test("name their findings, the worst kind first", () => {
    const groups = grouped([
      finding(), finding({ sentence: "five", count: 5, client: "two" }),
      finding({ table: "other", count: 2 }),
      finding({
        id: "table-scan", operation: "QueryEntities", fingerprint: "Age gt ?", advice: "Give the key.",
      }),
    ]);
    const kinds = groups.map(({ id, isError }) => [id, isError]);
    assert.deepEqual(kinds, [["table-scan", true], ["single-writes", false]]);
    const items = groups[1].items.map(({ sentence, count }) => [sentence, count]);
    assert.deepEqual(items, [["five", 6], ["one", 2]]);
    assert.deepEqual(findingsOf(shape(), groups).map(({ advice }) => advice), ["Give the key."]);
  });

  test("are a matrix of tables by the part of the key that they use", () => {
    const rows = matrixOf([
      shape(), shape({ fingerprint: "Price gt ?", requests: 2 }), shape({ operation: "GetEntity", plan: "point", fingerprint: "" }),
      shape({ operation: "InsertEntity", plan: "", fingerprint: "", entitiesScanned: 0 }),
      shape({ operation: "CreateTable", plan: "", fingerprint: "", entitiesScanned: 0 }),
      shape({ table: "busy", requests: 9 }), shape({ table: "" }),
    ]);
    assert.deepEqual(rows.map(({ table, requests }) => [table, requests]), [["busy", 9], ["orders", 5]]);
    const { cells } = rows[1];
    assert.deepEqual(Object.keys(cells), ["table-scan", "point", ""]);
    const { requests, scanned, patterns } = cells["table-scan"];
    assert.deepEqual([requests, scanned, [...patterns]], [3, 20, ["Age gt ?", "Price gt ?"]]);
    assert.equal(cells[""].requests, 1);
  });

  test("have charts in which something is never nothing", () => {
    const cases = [[0, 10, 0], [1, 1e6, 1], [10, 10, 64], [0, 0, 0]];
    for (const [value, most, height] of cases) assert.equal(barHeight(value, most), height);
  });
});
