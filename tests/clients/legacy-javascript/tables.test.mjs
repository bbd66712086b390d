// Tables through the legacy SDK: create, look up, list, delete.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { PayloadFormat, refused, startServer } from "./server.mjs";

const server = await startServer();
after(() => server.stop());

describe("tables", () => {
  const client = server.client();

  it("a table is created once, in whatever case", async () => {
    const name = server.newTableName("Case");
    assert.deepEqual(await client.createTable(name), {
      isSuccessful: true,
      statusCode: 204,
      TableName: name,
    });
    await refused(client.createTable(name), 409, "TableAlreadyExists");
    await refused(client.createTable(name.toUpperCase()), 409, "TableAlreadyExists");
  });

  it("createTableIfNotExists tells whether it created the table", async () => {
    const name = server.newTableName();
    assert.equal((await client.createTableIfNotExists(name)).created, true);
    assert.equal((await client.createTableIfNotExists(name)).created, false);
    await client.deleteTable(name);
    assert.equal((await client.createTableIfNotExists(name)).created, true);
  });

  it("doesTableExist sees tables come and go", async () => {
    const name = server.newTableName();
    assert.equal((await client.doesTableExist(name)).exists, false);
    await client.createTable(name);
    assert.equal((await client.doesTableExist(name)).exists, true);
    assert.equal((await client.doesTableExist(name.toUpperCase())).exists, true);
    await client.deleteTable(name);
    assert.equal((await client.doesTableExist(name)).exists, false);
  });

  it("deleteTable needs a table, deleteTableIfExists does not", async () => {
    const name = await server.newTable(client);
    assert.equal((await client.deleteTable(name)).statusCode, 204);
    await refused(client.deleteTable(name), 404, "ResourceNotFound");
    assert.equal(await client.deleteTableIfExists(name), false);
    await client.createTable(name);
    assert.equal(await client.deleteTableIfExists(name), true);
    await refused(client.queryEntities(name, null, null), 404, "TableNotFound");
  });

  it("a table of the same name starts empty", async () => {
    const name = await server.newTable(client);
    await client.insertEntity(name, { PartitionKey: "p", RowKey: "r" });
    await client.deleteTable(name);
    await client.createTable(name);
    assert.deepEqual((await client.queryEntities(name, null, null)).entries, []);
  });

  it("tables are listed by prefix, in order, in segments", async () => {
    const prefix = server.newTableName("list");
    const names = Array.from({ length: 5 }, (_, index) => `${prefix}n${index}`);
    for (const name of [...names].reverse()) await client.createTable(name);
    await server.newTable(client); // does not have the prefix

    const whole = await client.listTablesSegmentedWithPrefix(prefix, null);
    assert.deepEqual(whole, { entries: names, continuationToken: null });

    const segments = [];
    let token = null;
    do {
      const segment = await client.listTablesSegmentedWithPrefix(prefix, token, { maxResults: 2 });
      segments.push(segment.entries);
      token = segment.continuationToken;
    } while (token);
    assert.deepEqual(segments, [names.slice(0, 2), names.slice(2, 4), names.slice(4)]);
  });

  it("listTablesSegmented lists all tables", async () => {
    const names = [await server.newTable(client), await server.newTable(client)];
    const seen = [];
    let token = null;
    do {
      const segment = await client.listTablesSegmented(token, { maxResults: 3 });
      assert.ok(segment.entries.length <= 3);
      seen.push(...segment.entries);
      token = segment.continuationToken;
    } while (token);
    for (const name of names) assert.ok(seen.includes(name), name);
    assert.deepEqual(new Set(seen).size, seen.length, "a table is listed twice");
  });

  for (const [level, payloadFormat] of Object.entries(PayloadFormat)) {
    it(`tables are listed with ${level}`, async () => {
      const name = await server.newTable(client);
      const { entries } = await client.listTablesSegmentedWithPrefix(name, null, { payloadFormat });
      assert.deepEqual(entries, [name]);
    });
  }

  it("every operation on an absent table is TableNotFound", async () => {
    const absent = server.newTableName("absent");
    const entity = { PartitionKey: "p", RowKey: "r" };
    for (const call of [
      () => client.insertEntity(absent, entity),
      () => client.retrieveEntity(absent, "p", "r"),
      () => client.replaceEntity(absent, entity),
      () => client.mergeEntity(absent, entity),
      () => client.insertOrReplaceEntity(absent, entity),
      () => client.insertOrMergeEntity(absent, entity),
      () => client.deleteEntity(absent, entity),
      () => client.queryEntities(absent, null, null),
      () => client.getTableAcl(absent),
      () => client.setTableAcl(absent, {}),
    ]) {
      await refused(call(), 404, "TableNotFound");
    }
  });
});
