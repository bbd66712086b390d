// queryEntities with TableQuery: conditions by type, projection, page size, continuation.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { PayloadFormat, TableQuery, TableUtilities, edm, refused, startServer } from "./server.mjs";

const server = await startServer();
after(() => server.stop());

const { QueryComparisons, TableOperators } = TableUtilities;
const kGuids = ["00000000-0000-0000-0000-000000000000", "c9da6455-213d-42c9-9a79-3e9149a57833"];
const kDates = [new Date(Date.UTC(2001, 1, 3, 4, 5, 6, 789)), new Date(Date.UTC(2012, 0, 1))];
const kBytes = [Buffer.from([1, 2]), Buffer.from([1, 2, 3])];

describe("queries", () => {
  const client = server.client();
  let table;
  before(async () => {
    table = await server.newTable(client);
    for (const [index, row] of ["r0", "r1"].entries()) {
      await client.insertEntity(table, {
        PartitionKey: edm.String("p"),
        RowKey: edm.String(row),
        int32: edm.Int32(index),
        int64: edm.Int64(`${2n ** 53n + BigInt(index)}`),
        double: edm.Double(index + 0.5),
        bool: edm.Boolean(index === 1),
        text: edm.String(["it's", "other"][index]),
        guid: edm.Guid(kGuids[index]),
        date: edm.DateTime(kDates[index]),
        bytes: edm.Binary(kBytes[index]),
      });
    }
    await client.insertEntity(table, { PartitionKey: edm.String("q"), RowKey: edm.String("bare") });
  });

  const rowsOf = (result) => result.entries.map((entity) => entity.RowKey._);
  const rows = async (query) => rowsOf(await client.queryEntities(table, query, null));

  it("without a query all entities come, in the order of their keys", async () => {
    assert.deepEqual(await rows(null), ["r0", "r1", "bare"]);
    assert.deepEqual(await rows(new TableQuery()), ["r0", "r1", "bare"]);
  });

  for (const [condition, args, expected] of [
    ["PartitionKey eq ?", ["p"], ["r0", "r1"]],
    ["PartitionKey == 'p' && RowKey > ?", ["r0"], ["r1"]],
    ["PartitionKey == ?string? or RowKey == ?string?", ["q", "r1"], ["r1", "bare"]],
    ["int32 == ?", [1], ["r1"]],
    ["int32 <= ?int32?", [0], ["r0"]],
    ["int64 == ?int64?", ["9007199254740993"], ["r1"]],
    ["int64 < ?int64?", ["9007199254740993"], ["r0"]],
    ["double >= ?double?", [1.5], ["r1"]],
    ["double < ?", [1.25], ["r0"]],
    ["bool == ?bool?", [true], ["r1"]],
    ["bool != ?", [true], ["r0"]],
    ["text == ?", ["it's"], ["r0"]],
    ["guid == ?guid?", [kGuids[1]], ["r1"]],
    ["date > ?date?", [kDates[0]], ["r1"]],
    ["date <= ?", [kDates[0]], ["r0"]],
    ["bytes == ?binary?", [kBytes[0]], ["r0"]],
    ["not (int32 == ?)", [0], ["r1", "bare"]],
    ["(int32 == ? || int32 == ?) && bool == ?", [0, 1, true], ["r1"]],
  ]) {
    it(`where ${condition}`, async () => {
      assert.deepEqual(await rows(new TableQuery().where(condition, ...args)), expected);
    });
  }

  it("conditions are joined with and, or", async () => {
    const both = new TableQuery().where("PartitionKey == ?", "p").and("int32 == ?", 1);
    assert.deepEqual(await rows(both), ["r1"]);
    const either = new TableQuery().where("int32 == ?", 0).or("PartitionKey == ?", "q");
    assert.deepEqual(await rows(either), ["r0", "bare"]);
  });

  it("filters of each type can be made by hand and combined", async () => {
    const { EQUAL, GREATER_THAN } = QueryComparisons;
    for (const filter of [
      TableQuery.int32Filter("int32", EQUAL, 1),
      TableQuery.int64Filter("int64", EQUAL, "9007199254740993"),
      TableQuery.doubleFilter("double", GREATER_THAN, 1.25),
      TableQuery.booleanFilter("bool", EQUAL, true),
      TableQuery.stringFilter("text", EQUAL, "other"),
      TableQuery.guidFilter("guid", EQUAL, kGuids[1]),
      TableQuery.dateFilter("date", EQUAL, kDates[1]),
      TableQuery.binaryFilter("bytes", EQUAL, kBytes[1]),
    ]) {
      const inPartition = TableQuery.stringFilter("PartitionKey", EQUAL, "p");
      const combined = TableQuery.combineFilters(inPartition, TableOperators.AND, filter);
      assert.deepEqual(await rows(new TableQuery().where(combined)), ["r1"], filter);
    }
  });

  it("what is no filter is refused", () =>
    refused(client.queryEntities(table, new TableQuery().where("int32 eq"), null), 400, "InvalidInput"));

  it("select takes the named properties, null where an entity has none", async () => {
    const query = new TableQuery().select("RowKey", "int64", "absent").where("RowKey == ?", "r1");
    const { entries } = await client.queryEntities(table, query, null);
    assert.equal(entries.length, 1);
    const [{ ".metadata": metadata, ...selected }] = entries;
    assert.deepEqual(selected, {
      RowKey: edm.String("r1"),
      int64: edm.Int64("9007199254740993"),
      absent: { _: null },
    });
  });

  it("top limits a page, and the token continues behind it", async () => {
    const pages = [];
    let token = null;
    do {
      const page = await client.queryEntities(table, new TableQuery().top(2), token);
      pages.push(rowsOf(page));
      token = page.continuationToken;
    } while (token);
    assert.deepEqual(pages, [["r0", "r1"], ["bare"]]);
  });

  it("a page holds 1000 entities at most", async () => {
    const many = await server.newTable(client);
    const kCount = 1203;
    const insert = (i) =>
      client.insertEntity(many, { PartitionKey: `p${i % 3}`, RowKey: `${i}`.padStart(5, "0") });
    for (let i = 0; i < kCount; i += 50)
      await Promise.all(Array.from({ length: Math.min(50, kCount - i) }, (_, k) => insert(i + k)));
    const first = await client.queryEntities(many, null, null);
    const second = await client.queryEntities(many, null, first.continuationToken);
    assert.deepEqual([first.entries.length, second.entries.length], [1000, 203]);
    assert.equal(second.continuationToken, null);
    const keys = [...first.entries, ...second.entries].map((e) => `${e.PartitionKey._}/${e.RowKey._}`);
    assert.deepEqual(keys, [...new Set(keys)].sort());
    assert.equal(keys.length, kCount);
  });

  for (const top of [-1, 1001]) {
    it(`top ${top} is refused`, () =>
      refused(client.queryEntities(table, new TableQuery().top(top), null), 400, "InvalidInput"));
  }

  for (const [level, payloadFormat] of Object.entries(PayloadFormat)) {
    it(`a query answers with ${level}`, async () => {
      const query = new TableQuery().where("RowKey == ?", "r1");
      const { entries } = await client.queryEntities(table, query, null, { payloadFormat });
      assert.equal(entries.length, 1);
      const typed = payloadFormat !== PayloadFormat.NO_METADATA;
      assert.deepEqual(entries[0].int64, typed ? edm.Int64("9007199254740993") : { _: "9007199254740993" });
      assert.match(entries[0][".metadata"].etag, /^W\/"datetime'/);
      const hasLink = payloadFormat === PayloadFormat.FULL_METADATA;
      assert.equal("editLink" in entries[0][".metadata"], hasLink);
    });
  }

  it("an entity resolver is handed each entity", async () => {
    const entityResolver = (entity) => entity.RowKey._;
    const { entries } = await client.queryEntities(table, null, null, { entityResolver });
    assert.deepEqual(entries, ["r0", "r1", "bare"]);
  });
});
