// Tables through the SDK: create, list, look up, delete.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { odata } from "@azure/data-tables";
import { collect, refused, startServer } from "./server.mjs";

const server = await startServer();
after(() => server.stop());

describe("tables", () => {
  let service;
  before(async () => {
    service = server.serviceClient();
  });

  // The SDK swallows "exists already" and "is not there"; the status shows through `onResponse`.
  const outcome = async (call) => {
    let seen;
    await call({ onResponse: (response) => (seen = response) });
    return [seen.status, seen.parsedBody?.odataError?.code ?? seen.parsedBody?.["odata.error"]?.code];
  };

  it("a table is created once, in whatever case", async () => {
    const name = server.newTableName("Case");
    assert.deepEqual(await outcome((options) => service.createTable(name, options)), [201, undefined]);
    assert.deepEqual(await outcome((options) => service.createTable(name, options)), [
      409,
      "TableAlreadyExists",
    ]);
    assert.deepEqual(await outcome((options) => service.createTable(name.toUpperCase(), options)), [
      409,
      "TableAlreadyExists",
    ]);
  });

  it("deleting an absent table is a 404, and a deleted name is free again", async () => {
    const table = await server.newTable();
    await table.createEntity({ partitionKey: "p", rowKey: "r" });
    assert.deepEqual(await outcome((options) => table.deleteTable(options)), [204, undefined]);
    assert.deepEqual(await outcome((options) => table.deleteTable(options)), [404, "ResourceNotFound"]);
    await refused(table.getEntity("p", "r"), 404, "TableNotFound");
    await table.createTable();
    assert.deepEqual(await collect(table.listEntities()), []);
  });

  it("a table is addressed in any case and listed in the case of its creation", async () => {
    const name = server.newTableName("MixedCase");
    await service.createTable(name);
    const lower = server.tableClient(name.toLowerCase());
    await lower.createEntity({ partitionKey: "p", rowKey: "r" });
    assert.equal((await server.tableClient(name).getEntity("p", "r")).rowKey, "r");
    const listed = await collect(
      service.listTables({ queryOptions: { filter: odata`TableName eq ${name}` } }),
    );
    assert.deepEqual(
      listed.map((item) => item.name),
      [name],
    );
  });

  it("tables are listed by filter, in order, and by page", async () => {
    const prefix = server.newTableName("list");
    const names = Array.from({ length: 7 }, (_, index) => `${prefix}n${index}`);
    for (const name of [...names].reverse()) await service.createTable(name);
    const filter = odata`TableName ge ${prefix + "n"} and TableName lt ${prefix + "o"}`;
    const listed = await collect(service.listTables({ queryOptions: { filter } }));
    assert.deepEqual(
      listed.map((item) => item.name),
      names,
    );

    const pages = await collect(service.listTables({ queryOptions: { filter } }).byPage({ maxPageSize: 3 }));
    assert.deepEqual(
      pages.map((page) => page.map((item) => item.name)),
      [names.slice(0, 3), names.slice(3, 6), names.slice(6)],
    );
    assert.equal(pages[2].continuationToken, undefined);

    const resumed = service
      .listTables({ queryOptions: { filter } })
      .byPage({ maxPageSize: 4, continuationToken: pages[0].continuationToken });
    assert.deepEqual(
      (await collect(resumed)).flat().map((item) => item.name),
      names.slice(3),
    );
  });

  it("GET Tables('name') tells whether a table exists", async () => {
    const table = await server.newTable();
    const found = await server.fetch("GET", `Tables('${table.tableName}')`, {
      headers: { accept: "application/json;odata=nometadata" },
    });
    assert.equal(found.status, 200);
    assert.deepEqual(await found.json(), { TableName: table.tableName });
    const absent = await server.fetch("GET", "Tables('absent1')", {
      headers: { accept: "application/json" },
    });
    assert.equal(absent.status, 404);
    assert.equal((await absent.json())["odata.error"].code, "ResourceNotFound");
  });

  for (const [name, code] of [
    ["ab", "OutOfRangeInput"],
    ["a".repeat(64), "OutOfRangeInput"],
    ["with-dash", "InvalidResourceName"],
    ["1digit", "InvalidResourceName"],
    ["tables", "InvalidInput"],
  ]) {
    it(`'${name}' is refused as a table name`, () => refused(service.createTable(name), 400, code));
  }

  it("every entity operation on an absent table is TableNotFound", async () => {
    const absent = server.tableClient("absent2");
    const entity = { partitionKey: "p", rowKey: "r" };
    await refused(absent.createEntity(entity), 404, "TableNotFound");
    await refused(absent.getEntity("p", "r"), 404, "TableNotFound");
    await refused(absent.listEntities().next(), 404, "TableNotFound");
    await refused(absent.updateEntity(entity, "Replace"), 404, "TableNotFound");
    await refused(absent.updateEntity(entity, "Merge"), 404, "TableNotFound");
    await refused(absent.upsertEntity(entity, "Replace"), 404, "TableNotFound");
    await refused(absent.upsertEntity(entity, "Merge"), 404, "TableNotFound");
    await refused(absent.deleteEntity("p", "r"), 404, "TableNotFound");
    await refused(absent.submitTransaction([["create", entity]]), 404, "TableNotFound");
  });
});
