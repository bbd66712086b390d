// executeBatch with TableBatch. The SDK separates lines with LF alone and asks for Atom outside, JSON inside.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { TableBatch, TableQuery, edm, refused, startServer } from "./server.mjs";

const server = await startServer();
after(() => server.stop());

describe("batches", () => {
  const client = server.client();
  const entity = (row, properties = {}, partition = "p") => ({
    PartitionKey: edm.String(partition),
    RowKey: edm.String(`${row}`),
    ...properties,
  });
  const stored = async (table) => {
    const { entries } = await client.queryEntities(table, new TableQuery(), null);
    return Object.fromEntries(entries.map((e) => [e.RowKey._, [e.a?._, e.b?._]]));
  };
  const batchOf = (...operations) => {
    const batch = new TableBatch();
    for (const [method, ...args] of operations) batch[method](...args);
    return batch;
  };

  it("all kinds of writes are committed together", async () => {
    const table = await server.newTable(client);
    for (const row of ["merged", "replaced", "orMerged", "orReplaced", "deleted"])
      await client.insertEntity(table, entity(row, { a: edm.Int32(1) }));
    const change = { b: edm.Int32(2) };
    const results = await client.executeBatch(
      table,
      batchOf(
        ["insertEntity", entity("inserted", change)],
        ["mergeEntity", entity("merged", change)],
        ["replaceEntity", entity("replaced", change)],
        ["insertOrMergeEntity", entity("orMerged", change)],
        ["insertOrReplaceEntity", entity("orReplaced", change)],
        ["insertOrMergeEntity", entity("newMerged", change)],
        ["insertOrReplaceEntity", entity("newReplaced", change)],
        ["deleteEntity", entity("deleted")],
      ),
    );
    assert.deepEqual(
      results.map(({ error, response }) => [error, response.statusCode]),
      Array(8).fill([null, 204]),
    );
    for (const { entity: answered } of results.slice(0, 7)) assert.match(answered[".metadata"].etag, /^W\//);
    assert.deepEqual(await stored(table), {
      inserted: [undefined, 2],
      merged: [1, 2],
      newMerged: [undefined, 2],
      newReplaced: [undefined, 2],
      orMerged: [1, 2],
      orReplaced: [undefined, 2],
      replaced: [undefined, 2],
    });
  });

  it("an insert in a batch can answer with the entity", async () => {
    const table = await server.newTable(client);
    const inserted = entity("it's", { a: edm.Int64("5") });
    const batch = batchOf(
      ["insertEntity", entity(0)],
      ["insertEntity", inserted, { echoContent: true }],
      ["insertEntity", entity(2)],
    );
    const results = await client.executeBatch(table, batch);
    assert.deepEqual(
      results.map(({ response }) => response.statusCode),
      [204, 201, 204],
    );
    assert.deepEqual(results[1].entity.a, edm.Int64("5"));
    assert.equal(results[1].entity.RowKey._, "it's");
    assert.equal(results[2].response.headers["content-id"], "2");
  });

  it("100 operations are committed", async () => {
    const table = await server.newTable(client);
    const inserts = Array.from({ length: 100 }, (_, i) => ["insertEntity", entity(i, { a: edm.Int32(i) })]);
    assert.equal((await client.executeBatch(table, batchOf(...inserts))).length, 100);
    const deletes = Array.from({ length: 100 }, (_, i) => ["deleteEntity", entity(i)]);
    assert.equal(Object.keys(await stored(table)).length, 100);
    await client.executeBatch(table, batchOf(...deletes));
    assert.deepEqual(await stored(table), {});
  });

  it("a failing operation is named, and nothing is left behind", async () => {
    const table = await server.newTable(client);
    await client.insertEntity(table, entity("there", { a: edm.Int32(1) }));
    const batch = batchOf(
      ["insertEntity", entity("new")],
      ["mergeEntity", entity("there", { b: edm.Int32(2) })],
      ["deleteEntity", entity("absent")],
      ["insertEntity", entity("last")],
    );
    const error = await refused(client.executeBatch(table, batch), 404, "ResourceNotFound");
    assert.match(error.message, /^2:The specified resource does not exist\./);
    assert.deepEqual(await stored(table), { there: [1, undefined] });
  });

  it("a stale ETag fails the batch", async () => {
    const table = await server.newTable(client);
    const first = entity("r", { a: edm.Int32(1) });
    const read = await client.insertEntity(table, first, { echoContent: true });
    await client.mergeEntity(table, entity("r", { a: edm.Int32(2) }));
    for (const method of ["mergeEntity", "replaceEntity", "deleteEntity"]) {
      const batch = batchOf(["insertEntity", entity("new")], [method, read]);
      await refused(client.executeBatch(table, batch), 412, "UpdateConditionNotSatisfied");
    }
    assert.deepEqual(await stored(table), { r: [2, undefined] });
  });

  it("an existing key, a key used twice and an absent table fail the batch", async () => {
    const table = await server.newTable(client);
    await client.insertEntity(table, entity("there"));
    const existing = batchOf(["insertEntity", entity("new")], ["insertEntity", entity("there")]);
    const error = await refused(client.executeBatch(table, existing), 409, "EntityAlreadyExists");
    assert.match(error.message, /^1:/);
    const twice = batchOf(["insertEntity", entity("new")], ["mergeEntity", entity("new")]);
    await refused(client.executeBatch(table, twice), 400, "InvalidDuplicateRow");
    const absent = server.newTableName("absent");
    await refused(client.executeBatch(absent, batchOf(["insertEntity", entity("r")])), 404, "TableNotFound");
    assert.deepEqual(Object.keys(await stored(table)), ["there"]);
  });

  it("two partitions in one batch are refused", async () => {
    const table = await server.newTable(client);
    const batch = batchOf(["insertEntity", entity("r")]);
    // Behind the SDK's own check.
    batch.operations.push({ type: "INSERT", entity: entity("r", {}, "q"), options: {} });
    await refused(client.executeBatch(table, batch), 400, "CommandsInBatchActOnDifferentPartitions");
    assert.deepEqual(await stored(table), {});
  });

  it("a batch may be one query", async () => {
    const table = await server.newTable(client);
    await client.insertEntity(table, entity("it's", { a: edm.Int32(7) }));
    const [{ entity: found, response }] = await client.executeBatch(
      table,
      batchOf(["retrieveEntity", "p", "it's"]),
    );
    assert.deepEqual([response.statusCode, found.a._, found.RowKey._], [200, 7, "it's"]);
    const absent = client.executeBatch(table, batchOf(["retrieveEntity", "p", "absent"]));
    await refused(absent, 404, "ResourceNotFound");
  });

  it("text of all planes survives a batch", async () => {
    const table = await server.newTable(client);
    const text = "ä€😀 --batch_x \"'\\ \u007f";
    await client.executeBatch(table, batchOf(["insertEntity", entity("ä€😀", { a: edm.String(text) })]));
    assert.equal((await client.retrieveEntity(table, "p", "ä€😀")).a._, text);
  });
});
