// Shared access signatures of tables and of the account, and stored access policies, made by the SDK.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { AzureNamedKeyCredential, generateAccountSas, generateTableSas } from "@azure/data-tables";
import { collect, refused, startServer } from "./server.mjs";

const server = await startServer();
after(() => server.stop());

const credential = new AzureNamedKeyCredential(server.account, server.key);
const inHours = (hours) => new Date(Date.now() + hours * 3_600_000);
const entity = (rowKey, partitionKey = "p") => ({ partitionKey, rowKey });
const rows = async (client) => (await collect(client.listEntities())).map((e) => e.rowKey);
const only = (...permissions) => Object.fromEntries(permissions.map((name) => [name, true]));

// A client that may do what the SAS for its table allows.
const allowed = (table, options) =>
  server.tableClientWithSas(table.tableName, generateTableSas(table.tableName, credential, options));

const kMismatch = [403, "AuthorizationPermissionMismatch"];
const kFailed = [403, "AuthenticationFailed"];

// The SDK does not decode the errors of the front end in every method, so the status must do there.
const isForbidden = (promise) => assert.rejects(promise, (error) => error.statusCode === 403);

describe("access policies", () => {
  it("are set as a whole and come back", async () => {
    const table = await server.newTable();
    assert.deepEqual(await table.getAccessPolicy(), []);
    const policies = [
      {
        id: "whole",
        accessPolicy: {
          start: new Date(Date.UTC(2020, 1, 2, 3, 4, 5)),
          expiry: new Date(Date.UTC(2030, 1, 1)),
          permission: "raud",
        },
      },
      { id: "<&> permissions", accessPolicy: { permission: "r" } },
      { id: "bare" },
    ];
    await table.setAccessPolicy(policies);
    const seen = await table.getAccessPolicy();
    assert.deepEqual(
      seen.map((one) => [one.id, one.accessPolicy?.permission]),
      [
        ["whole", "raud"],
        ["<&> permissions", "r"],
        ["bare", undefined],
      ],
    );
    const { start, expiry } = seen[0].accessPolicy;
    assert.deepEqual([start, expiry], [policies[0].accessPolicy.start, policies[0].accessPolicy.expiry]);
    await table.setAccessPolicy([]);
    assert.deepEqual(await table.getAccessPolicy(), []);
  });

  it("are five at most", async () => {
    const table = await server.newTable();
    const policies = (count) =>
      Array.from({ length: count }, (_, i) => ({ id: `${i}`, accessPolicy: { permission: "r" } }));
    await table.setAccessPolicy(policies(5));
    await refused(table.setAccessPolicy(policies(6)), 400, "InvalidXmlDocument");
    assert.equal((await table.getAccessPolicy()).length, 5);
  });

  it("of an absent table are TableNotFound", async () => {
    const absent = server.tableClient("absent1");
    await refused(absent.getAccessPolicy(), 404, "TableNotFound");
    await refused(absent.setAccessPolicy([]), 404, "TableNotFound");
  });
});

describe("SAS of a table", () => {
  let table;
  before(async () => {
    table = await server.newTable();
    await table.createEntity(entity("there"));
  });

  for (const [name, needed, call] of [
    ["listEntities", ["query"], (c) => rows(c)],
    ["getEntity", ["query"], (c) => c.getEntity("p", "there")],
    ["createEntity", ["add"], (c) => c.createEntity(entity("new"))],
    ["updateEntity", ["update"], (c) => c.updateEntity(entity("there"), "Merge")],
    ["upsertEntity", ["add", "update"], (c) => c.upsertEntity(entity("there"), "Replace")],
    ["deleteEntity", ["delete"], (c) => c.deleteEntity("p", "new")],
    ["a transaction", ["add"], (c) => c.submitTransaction([["create", entity("transacted")]])],
  ]) {
    it(`${name} needs ${needed.join(" and ")}`, async () => {
      for (const missing of needed) {
        const others = ["query", "add", "update", "delete"].filter((p) => p !== missing);
        await refused(call(allowed(table, { permissions: only(...others) })), ...kMismatch);
      }
      await call(allowed(table, { permissions: only(...needed) }));
    });
  }

  it("gives no access to another table, to tables, or to policies", async () => {
    const sas = generateTableSas(table.tableName, credential, {
      permissions: only("query", "add", "update", "delete"),
    });
    const other = await server.newTable();
    const client = server.tableClientWithSas(other.tableName, sas);
    await isForbidden(client.createEntity(entity("r")));
    await isForbidden(rows(client));
    await isForbidden(collect(server.serviceClientWithSas(sas).listTables()));
    const own = server.tableClientWithSas(table.tableName, sas);
    await isForbidden(own.getAccessPolicy());
    await isForbidden(own.setAccessPolicy([]));
    await isForbidden(own.deleteTable());
    assert.deepEqual(await rows(other), []);
  });

  it("holds from its start to its expiry, for its address and protocol", async () => {
    const ask = (more) => rows(allowed(table, { permissions: only("query"), ...more }));
    await ask({ startsOn: inHours(-1), expiresOn: inHours(1), ipRange: { start: "127.0.0.1" } });
    await refused(ask({ startsOn: inHours(1), expiresOn: inHours(2) }), ...kFailed);
    await refused(ask({ expiresOn: inHours(-1) }), ...kFailed);
    await refused(
      ask({ ipRange: { start: "192.0.2.1", end: "192.0.2.9" } }),
      403,
      "AuthorizationSourceIPMismatch",
    );
    await refused(ask({ protocol: "https" }), 403, "AuthorizationProtocolMismatch");
  });

  it("a key range bounds what is read and written", async () => {
    const ranged = await server.newTable();
    for (const [p, r] of ["a1", "b1", "b2", "c1", "c2"]) await ranged.createEntity(entity(p + r, p));
    const client = allowed(ranged, {
      permissions: only("query", "add", "update", "delete"),
      ...{ startPartitionKey: "b", startRowKey: "b2", endPartitionKey: "c", endRowKey: "c1" },
    });
    assert.deepEqual(await rows(client), ["b2", "c1"]);
    await refused(client.getEntity("c", "c2"), 404, "ResourceNotFound");
    for (const [p, r] of ["a1", "b1", "c2"]) {
      await refused(client.upsertEntity(entity(p + r, p)), 403, "AuthorizationFailure");
      await refused(client.deleteEntity(p, p + r), 403, "AuthorizationFailure");
    }
    await client.upsertEntity(entity("b3", "b"));
    assert.deepEqual(await rows(ranged), ["a1", "b1", "b2", "b3", "c1", "c2"]);
  });

  it("a stored access policy holds as long as it is there", async () => {
    const stored = await server.newTable();
    await stored.createEntity(entity("r"));
    const reading = allowed(stored, { identifier: "reading" });
    const policy = (expiry, permission = "r") => [{ id: "reading", accessPolicy: { expiry, permission } }];
    await refused(rows(reading), ...kFailed);
    await stored.setAccessPolicy(policy(inHours(1)));
    assert.deepEqual(await rows(reading), ["r"]);
    await refused(reading.createEntity(entity("s")), ...kMismatch);
    await stored.setAccessPolicy(policy(inHours(1), "ra"));
    await reading.createEntity(entity("s"));
    await stored.setAccessPolicy(policy(inHours(-1)));
    await refused(rows(reading), ...kFailed);
    await stored.setAccessPolicy([]);
    await refused(rows(reading), ...kFailed);
  });
});

describe("SAS of the account", () => {
  const kAll = only("query", "write", "delete", "list", "add", "update");
  const sasOf = (more) =>
    generateAccountSas(credential, { permissions: kAll, resourceTypes: "sco", ...more });
  const list = (more) => collect(server.serviceClientWithSas(sasOf(more)).listTables());

  it("with everything allowed does everything but the access policies", async () => {
    const sas = sasOf();
    const name = server.newTableName();
    const service = server.serviceClientWithSas(sas);
    await service.createTable(name);
    const table = server.tableClientWithSas(name, sas);
    await table.createEntity(entity("r"));
    await table.submitTransaction([["upsert", entity("s")]]);
    await table.deleteEntity("p", "r");
    assert.deepEqual(await rows(table), ["s"]);
    assert.ok((await collect(service.listTables())).some((item) => item.name === name));
    await service.setProperties({ cors: [] });
    await service.getProperties();
    await isForbidden(table.getAccessPolicy());
    await table.deleteTable();
    await refused(rows(server.tableClient(name)), 404, "TableNotFound");
  });

  it("is bound to its permissions, types, services and time", async () => {
    await list({ permissions: only("list"), resourceTypes: "c", services: only("table") });
    const others = { ...kAll, list: false };
    await refused(list({ permissions: others }), ...kMismatch);
    await refused(list({ resourceTypes: "so" }), 403, "AuthorizationResourceTypeMismatch");
    await refused(list({ services: only("blob", "queue", "file") }), 403, "AuthorizationServiceMismatch");
    await refused(list({ expiresOn: inHours(-1) }), ...kFailed);
    await refused(list({ startsOn: inHours(1), expiresOn: inHours(2) }), ...kFailed);
  });

  for (const version of ["2015-04-05", "2018-11-09"]) {
    it(`signatures of version ${version} are understood`, async () => {
      await list({ version });
      const table = await server.newTable();
      assert.deepEqual(await rows(allowed(table, { version, permissions: only("query") })), []);
    });
  }
});
