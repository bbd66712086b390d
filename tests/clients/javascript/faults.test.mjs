// How the SDK meets faults, and behaviour that an emulator does not have by itself: docs/faults.md has the table of
// these outcomes. Each test has an account of its own.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { TableClient } from "@azure/data-tables";
import { collect, startServer } from "./server.mjs";

const kGiven = process.env.ROCKTABLE_TEST_CONNECTION_STRING;
const kEntity = { partitionKey: "p", rowKey: "r", Value: 1 };
// Of more bytes than the headers of an answer.
const kLargeEntity = { ...kEntity, Text: "x".repeat(10_000) };
const kInBody = 5_000;
const kInHeaders = 200;

describe("faults", { skip: kGiven ? "needs a server of its own" : false }, async () => {
  if (kGiven) return;
  let server;
  let accounts = 0;
  before(async () => (server = await startServer({ flags: ["--anyAccount"] })));
  after(() => server.stop());

  async function control(method, resource, body) {
    const url = `${new URL(server.endpoint).origin}/_rocktable/${resource}`;
    const answer = await fetch(url, { method, body: body && JSON.stringify(body) });
    assert.ok(answer.ok, `${method} ${resource}: ${answer.status}`);
    return answer.json();
  }

  // A table in a new account; the default number of retries, with short delays.
  async function newTable(kind = TableClient, retryOptions = {}) {
    accounts += 1;
    const account = `faults${accounts}`;
    const table = kind.fromConnectionString(
      server.connectionString.replaceAll(server.account, account),
      "customers",
      {
        allowInsecureConnection: true,
        retryOptions: { maxRetries: 3, retryDelayInMs: 1, maxRetryDelayInMs: 10, ...retryOptions },
      },
    );
    await table.createTable();
    return { account, table };
  }

  const addFault = (account, operation, then, { count = 1, position } = {}) =>
    control("POST", "faults", { match: { account, operation, position }, when: { count }, then });

  // The requests that met a fault.
  const retriesOf = async (account) => (await control("GET", `retries?account=${account}`)).retries;

  const insert = (table) => table.createEntity(kEntity);
  const upsertMerging = (table) => table.upsertEntity(kEntity, "Merge");
  const upsertReplacing = (table) => table.upsertEntity(kEntity, "Replace");
  const read = async (table) => {
    await table.createEntity(kLargeEntity);
    assert.equal((await table.getEntity("p", "r")).Value, 1);
  };
  const list = async (table) => {
    await table.createEntity(kLargeEntity);
    assert.deepEqual(
      (await collect(table.listEntities())).map((entity) => entity.Value),
      [1],
    );
  };
  const remove = async (table) => {
    await table.createEntity(kEntity);
    await table.deleteEntity("p", "r");
  };
  const update = (mode) => async (table) => {
    const { etag } = await table.createEntity(kEntity);
    await table.updateEntity({ ...kEntity, Value: 2 }, mode, { etag });
  };
  const insertInTransaction = (table) => table.submitTransaction([["create", kEntity]]);
  const upsertInTransaction = (table) => table.submitTransaction([["upsert", kEntity]]);

  const kLost = { at: "afterCommit", reset: true };
  const kTimedOut = { code: "OperationTimedOut" };
  const kSucceeds = { outcome: "succeeded", committed: 1 };
  const kReads = { outcome: "succeeded", committed: 0 };

  // What is done, the fault, and what comes of it. `error` is the status or the code of the error; `attempts` is 2 if
  // it is left out: the request came again, once.
  const kCases = [
    ["an insert meets three 503", insert, "InsertEntity", { status: 503 }, { ...kSucceeds, count: 3, attempts: 4 }],
    ["an insert meets four 503", insert, "InsertEntity", { status: 503 },
      { count: 4, attempts: 4, error: 503, outcome: "given up", committed: 0 }],
    ["an insert meets OperationTimedOut", insert, "InsertEntity", kTimedOut, kSucceeds],
    ["an insert meets OperationTimedOut after its commit", insert, "InsertEntity", { ...kTimedOut, at: "afterCommit" },
      { error: 409, outcome: "failed", committed: 1, metOwnWork: true }],
    ["an insert meets 504 of a gateway", insert, "InsertEntity", { status: 504 }, kSucceeds],
    ["an insert meets 504 of a gateway after its commit", insert, "InsertEntity", { status: 504, at: "afterCommit" },
      { error: 409, outcome: "failed", committed: 1, metOwnWork: true }],
    ["a query meets OperationTimedOut", list, "QueryEntities", kTimedOut, kReads],
    ["an insert meets a reset", insert, "InsertEntity", { reset: true }, kSucceeds],
    ["an insert meets an end of the connection", insert, "InsertEntity", { close: true }, kSucceeds],
    ["a read meets a reset", read, "GetEntity", { reset: true }, kReads],
    ["the answer to an insert is lost", insert, "InsertEntity", kLost,
      { error: 409, outcome: "failed", committed: 1, metOwnWork: true }],
    ["the answer to a merging upsert is lost", upsertMerging, "InsertOrMergeEntity", kLost,
      { ...kSucceeds, committed: 2 }],
    ["the answer to a replacing upsert is lost", upsertReplacing, "InsertOrReplaceEntity", kLost,
      { ...kSucceeds, committed: 2 }],
    ["the answer to a merge with an ETag is lost", update("Merge"), "MergeEntity", kLost,
      { error: 412, outcome: "failed", committed: 1, metOwnWork: true }],
    ["the answer to an update with an ETag is lost", update("Replace"), "UpdateEntity", kLost,
      { error: 412, outcome: "failed", committed: 1, metOwnWork: true }],
    ["the answer to a deletion is lost", remove, "DeleteEntity", kLost,
      { error: 404, outcome: "failed", committed: 1, metOwnWork: true }],
    ["the answer to a read is cut in its headers", read, "GetEntity", { cutAfterBytes: kInHeaders }, kReads],
    ["the answer to a read is cut in its body", read, "GetEntity", { cutAfterBytes: kInBody },
      { attempts: 1, error: "PARSE_ERROR", outcome: "given up", committed: 0 }],
    ["a page of a query is cut in its body", list, "QueryEntities", { cutAfterBytes: kInBody },
      { attempts: 1, error: "PARSE_ERROR", outcome: "given up", committed: 0 }],
    ["a transaction meets 503", insertInTransaction, "Batch", { status: 503 }, kSucceeds],
    ["a transaction meets OperationTimedOut", insertInTransaction, "Batch", kTimedOut, kSucceeds],
    ["a transaction meets 503 inside of 202", insertInTransaction, "InsertEntity", { status: 503 },
      { position: 0, attempts: 1, error: 503, outcome: "given up", committed: 0 }],
    ["the answer to a transaction with an insert is lost", insertInTransaction, "Batch", kLost,
      { error: 409, outcome: "failed", committed: 1, metOwnWork: true }],
    ["the answer to a transaction with an upsert is lost", upsertInTransaction, "Batch", kLost,
      { ...kSucceeds, committed: 2 }],
  ];
  for (const [name, work, operation, then, expected] of kCases) {
    it(name, async () => {
      const { account, table } = await newTable();
      await addFault(account, operation, then, expected);
      let error;
      await work(table).catch((thrown) => (error = thrown));
      assert.equal(error?.statusCode ?? error?.code, expected.error, error?.message);
      const requests = await retriesOf(account);
      assert.equal(requests.length, 1);
      const { attempts, outcome, committed, metOwnWork } = requests[0];
      assert.deepEqual(
        { attempts: attempts.length, outcome, committed, metOwnWork },
        {
          attempts: expected.attempts ?? 2,
          outcome: expected.outcome,
          committed: expected.committed,
          metOwnWork: expected.metOwnWork ?? false,
        },
      );
    });
  }

  it("a delayed insert is waited for", async () => {
    const { account, table } = await newTable();
    await addFault(account, "InsertEntity", { delay: "300ms" });
    const start = performance.now();
    await insert(table);
    assert.ok(performance.now() - start >= 295);
    const [{ attempts }] = await retriesOf(account);
    assert.deepEqual([attempts.length, attempts[0].status], [1, 204]);
  });

  it("a request that is aborted during a delay does not come again", async () => {
    const { account, table } = await newTable();
    await addFault(account, "InsertEntity", { delay: "10s" });
    const abortSignal = AbortSignal.timeout(100);
    await assert.rejects(table.createEntity(kEntity, { abortSignal }), { name: "AbortError" });
    const { faults } = await control("GET", `faults?account=${account}`);
    assert.deepEqual([faults[0].matched, faults[0].hits], [1, 1]);
  });

  it("throttled inserts succeed in the end, each once", async () => {
    const patient = { retryDelayInMs: 50, maxRetries: 20, maxRetryDelayInMs: 400 };
    const { account, table } = await newTable(TableClient, patient);
    await control("PUT", `behaviour?account=${account}`, { throttle: [20, 20_000] });
    const rows = Array.from({ length: 40 }, (_, number) => ({ partitionKey: "p", rowKey: `${number}` }));
    await Promise.all(rows.map((row) => table.createEntity(row)));
    const retries = await retriesOf(account);
    assert.notEqual(retries.length, 0);
    for (const { attempts, outcome, committed, metOwnWork } of retries) {
      assert.deepEqual([outcome, committed, metOwnWork], ["succeeded", 1, false]);
      assert.deepEqual([attempts[0].status, attempts[0].code, attempts[0].fault], [503, "ServerBusy", "throttle"]);
    }
    await control("DELETE", `behaviour?account=${account}`);
    assert.equal((await collect(table.listEntities())).length, rows.length);
  });

  it("Retry-After is obeyed", async () => {
    const { account, table } = await newTable();
    await control("PUT", `behaviour?account=${account}`, { throttle: [1, 20_000], retryAfter: 1 });
    for (const rowKey of ["1", "2"]) await table.createEntity({ partitionKey: "p", rowKey });
    const [{ attempts, outcome }] = await retriesOf(account);
    assert.equal(outcome, "succeeded");
    assert.ok(attempts[1].after >= 950, `${attempts[1].after} ms`);
  });

  // Each partition begins behind a page's end, and every second page is empty.
  const kPartitions = ["a", "b", "c", "d", "e"];
  async function fillPartitions(table) {
    for (const partitionKey of kPartitions)
      await table.submitTransaction(
        ["1", "2", "3"].map((rowKey) => ["create", { partitionKey, rowKey, Even: rowKey === "2" }]),
      );
  }
  const keysOf = (entities) => entities.map(({ partitionKey, rowKey }) => partitionKey + rowKey);
  const kKeys = kPartitions.flatMap((partition) => ["1", "2", "3"].map((row) => partition + row));

  it("a query over boundaries finds all entities, once each, in order, with empty pages between", async () => {
    const { account, table } = await newTable();
    await fillPartitions(table);
    await control("PUT", `behaviour?account=${account}`, { boundaries: 4 });
    assert.deepEqual(keysOf(await collect(table.listEntities())), kKeys);
    const even = await collect(table.listEntities({ queryOptions: { filter: "Even eq true" } }));
    assert.deepEqual(keysOf(even), ["a2", "b2", "c2", "d2", "e2"]);
    const pages = await collect(table.listEntities().byPage({ maxPageSize: 2 }));
    assert.deepEqual(keysOf(pages.flat()), kKeys);
    assert.equal(pages.filter((page) => page.length === 0).length, 4);
  });

  describe("a page that ends between two partitions has no NextRowKey", () => {
    for (const [version, works] of [
      ["13.0.1", false],
      ["13.1.1", true],
    ]) {
      it(`${version} ${works ? "goes on" : "sends an empty one, which is refused"}`, async (test) => {
        const older = await import(`data-tables-${version}`).catch(() => undefined);
        if (!older) return test.skip(`@azure/data-tables ${version} is not installed`);
        const { account, table } = await newTable(older.TableClient);
        await fillPartitions(table);
        await control("PUT", `behaviour?account=${account}`, { boundaries: 4 });
        const keys = collect(table.listEntities()).then(keysOf);
        if (works) return assert.deepEqual(await keys, kKeys);
        await assert.rejects(keys, (error) => {
          assert.equal(error.statusCode, 400);
          assert.match(error.request.url, /NextRowKey=(&|$)/);
          assert.match(error.message, /InvalidInput/);
          return true;
        });
      });
    }
  });
});
