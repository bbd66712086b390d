// Who may ask: keys, shared access signatures of tables and of the account, stored access policies.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { TableBatch, TableQuery, edm, refused, startServer } from "./server.mjs";

const server = await startServer();
after(() => server.stop());

const client = server.client();
const kHour = 3_600_000;
const inHours = (hours) => new Date(Date.now() + hours * kHour);
const entity = (row, partition = "p") => ({ PartitionKey: edm.String(partition), RowKey: edm.String(row) });
const batchOf = (...entities) => {
  const batch = new TableBatch();
  for (const one of entities) batch.insertOrReplaceEntity(one);
  return batch;
};
const rows = async (asking, table) =>
  (await asking.queryEntities(table, new TableQuery(), null)).entries.map((e) => e.RowKey._);

const kMismatch = [403, "AuthorizationPermissionMismatch"];
const kFailed = [403, "AuthenticationFailed"];

describe("keys", () => {
  it("a wrong key is AuthenticationFailed for every operation", async () => {
    const table = await server.newTable(client);
    const wrong = server.client({ key: Buffer.from("not the key of this account").toString("base64") });
    for (const call of [
      () => wrong.createTable(server.newTableName()),
      () => wrong.listTablesSegmented(null),
      () => wrong.doesTableExist(table),
      () => wrong.deleteTable(table),
      () => wrong.insertEntity(table, entity("r")),
      () => wrong.retrieveEntity(table, "p", "r"),
      () => wrong.queryEntities(table, null, null),
      () => wrong.insertOrMergeEntity(table, entity("r")),
      () => wrong.deleteEntity(table, entity("r")),
      () => wrong.executeBatch(table, batchOf(entity("r"))),
      () => wrong.getTableAcl(table),
      () => wrong.setTableAcl(table, {}),
      () => wrong.getServiceProperties(),
      () => wrong.setServiceProperties({ Cors: {} }),
    ]) {
      await refused(call(), ...kFailed);
    }
    assert.deepEqual(await rows(client, table), []);
  });
});

describe("table ACL", () => {
  it("is empty at first, is replaced as a whole, and can be cleared", async () => {
    const table = await server.newTable(client);
    const acl = async () => (await client.getTableAcl(table)).signedIdentifiers;
    assert.deepEqual(await acl(), {});
    const five = {
      whole: {
        Start: new Date(Date.UTC(2020, 1, 2, 3, 4, 5)),
        Expiry: new Date(Date.UTC(2030, 1, 1)),
        Permissions: "raud",
      },
      "only permissions": { Permissions: "r" },
      expiry: { Expiry: new Date(Date.UTC(2030, 1, 1)) },
      empty: {},
      "<&>'\"": { Permissions: "au" },
    };
    await client.setTableAcl(table, five);
    assert.deepEqual(await acl(), five);
    await client.setTableAcl(table, { other: { Permissions: "d" } });
    assert.deepEqual(await acl(), { other: { Permissions: "d" } });
    await client.setTableAcl(table, {});
    assert.deepEqual(await acl(), {});
    await client.setTableAcl(table, five);
    await client.setTableAcl(table, null);
    assert.deepEqual(await acl(), {});
  });

  it("has five policies at most, and permissions of tables alone", async () => {
    const table = await server.newTable(client);
    const six = Object.fromEntries([1, 2, 3, 4, 5, 6].map((id) => [id, { Permissions: "r" }]));
    await refused(client.setTableAcl(table, six), 400, "InvalidXmlDocument");
    const wrong = client.setTableAcl(table, { a: { Permissions: "xyz" } });
    await assert.rejects(wrong, (error) => error.statusCode === 400 && /^InvalidXml/.test(error.code));
    assert.deepEqual((await client.getTableAcl(table)).signedIdentifiers, {});
  });

  it("goes with its table", async () => {
    const table = await server.newTable(client);
    await client.setTableAcl(table, { a: { Permissions: "r" } });
    await client.deleteTable(table);
    await client.createTable(table);
    assert.deepEqual((await client.getTableAcl(table)).signedIdentifiers, {});
  });
});

describe("SAS of a table", () => {
  let table;
  before(async () => {
    table = await server.newTable(client);
    await client.insertEntity(table, entity("there"));
  });

  // A client with these permissions; `policy` adds to them, `id` names a stored access policy.
  const allowed = (policy, id, name = table) => {
    const AccessPolicy = { ...policy };
    return server.clientWithSas(client.service.generateSharedAccessSignature(name, { Id: id, AccessPolicy }));
  };
  const until = (permissions, more) => allowed({ Permissions: permissions, Expiry: inHours(1), ...more });

  // What each operation needs, and what it does not.
  for (const [name, needed, call] of [
    ["a query", "r", (c) => c.queryEntities(table, null, null)],
    ["retrieveEntity", "r", (c) => c.retrieveEntity(table, "p", "there")],
    ["insertEntity", "a", (c) => c.insertEntity(table, entity("inserted"))],
    ["mergeEntity", "u", (c) => c.mergeEntity(table, entity("there"))],
    ["replaceEntity", "u", (c) => c.replaceEntity(table, entity("there"))],
    ["insertOrMergeEntity", "au", (c) => c.insertOrMergeEntity(table, entity("upserted"))],
    ["insertOrReplaceEntity", "au", (c) => c.insertOrReplaceEntity(table, entity("upserted"))],
    ["a batch of upserts", "au", (c) => c.executeBatch(table, batchOf(entity("batched")))],
    ["deleteEntity", "d", (c) => c.deleteEntity(table, entity("inserted"))],
  ]) {
    it(`${name} needs ${needed}`, async () => {
      for (const missing of needed) {
        const others = "raud".replace(missing, "");
        await refused(call(until(others)), ...kMismatch);
      }
      await call(until(needed));
    });
  }

  it("gives no access to tables, policies, settings, or another table", async () => {
    const all = until("raud");
    const other = await server.newTable(client);
    for (const call of [
      () => all.createTable(server.newTableName()),
      () => all.deleteTable(table),
      () => all.listTablesSegmented(null),
      () => all.getTableAcl(table),
      () => all.setTableAcl(table, {}),
      () => all.getServiceProperties(),
      () => all.queryEntities(other, null, null),
      () => all.insertEntity(other, entity("r")),
    ]) {
      await assert.rejects(call(), (error) => error.statusCode === 403);
    }
    assert.deepEqual(await rows(client, other), []);
  });

  it("holds from its start to its expiry", async () => {
    await rows(until("r", { Start: inHours(-1) }), table);
    await refused(rows(until("r", { Start: inHours(1), Expiry: inHours(2) }), table), ...kFailed);
    await refused(rows(until("r", { Expiry: inHours(-1) }), table), ...kFailed);
  });

  it("a signature that was tampered with is refused", async () => {
    const policy = { AccessPolicy: { Permissions: "r", Expiry: inHours(1) } };
    const sas = client.service.generateSharedAccessSignature(table, policy);
    const wider = sas.replace("sp=r", "sp=raud");
    assert.notEqual(wider, sas);
    await refused(rows(server.clientWithSas(wider), table), ...kFailed);
  });

  it("may be bound to addresses and to HTTPS", async () => {
    await rows(until("r", { IPAddressOrRange: "127.0.0.1" }), table);
    await rows(until("r", { IPAddressOrRange: "127.0.0.0-127.0.0.9", Protocols: "https,http" }), table);
    const elsewhere = until("r", { IPAddressOrRange: "192.0.2.1-192.0.2.9" });
    await refused(rows(elsewhere, table), 403, "AuthorizationSourceIPMismatch");
    await refused(rows(until("r", { Protocols: "https" }), table), 403, "AuthorizationProtocolMismatch");
  });

  it("names the table in any case", async () => {
    const name = server.newTableName("Mixed");
    await client.createTable(name);
    const sas = { Permissions: "r", Expiry: inHours(1) };
    assert.deepEqual(await rows(allowed(sas, undefined, name.toUpperCase()), name), []);
  });

  it("a key range bounds what is read and written", async () => {
    const ranged = await server.newTable(client);
    for (const [partition, row] of ["a1", "b1", "b2", "b3", "c1", "c2", "d1"])
      await client.insertEntity(ranged, entity(`${partition}${row}`, partition));
    const bounds = { StartPk: "b", StartRk: "b2", EndPk: "c", EndRk: "c1" };
    const inRange = allowed({ Permissions: "raud", Expiry: inHours(1), ...bounds }, undefined, ranged);

    assert.deepEqual(await rows(inRange, ranged), ["b2", "b3", "c1"]);
    assert.equal((await inRange.retrieveEntity(ranged, "b", "b2")).RowKey._, "b2");
    for (const [partition, row] of ["b1", "c2", "a1", "d1"]) {
      const outside = entity(`${partition}${row}`, partition);
      await refused(inRange.retrieveEntity(ranged, partition, `${partition}${row}`), 404, "ResourceNotFound");
      await refused(inRange.insertOrMergeEntity(ranged, outside), 403, "AuthorizationFailure");
      await refused(inRange.deleteEntity(ranged, outside), 403, "AuthorizationFailure");
    }
    await refused(inRange.insertEntity(ranged, entity("new", "a")), 403, "AuthorizationFailure");
    await inRange.insertEntity(ranged, entity("b9", "b"));
    const batch = inRange.executeBatch(ranged, batchOf(entity("b8", "b"), entity("b0", "b")));
    await assert.rejects(batch, (error) => error.statusCode === 403);
    assert.deepEqual(await rows(client, ranged), ["a1", "b1", "b2", "b3", "b9", "c1", "c2", "d1"]);
  });

  it("a stored access policy holds as long as it is there", async () => {
    const stored = await server.newTable(client);
    await client.insertEntity(stored, entity("r"));
    const reading = allowed(null, "reading", stored);
    await refused(rows(reading, stored), ...kFailed);

    await client.setTableAcl(stored, { reading: { Permissions: "r", Expiry: inHours(1) } });
    assert.deepEqual(await rows(reading, stored), ["r"]);
    await refused(reading.insertEntity(stored, entity("s")), ...kMismatch);

    await client.setTableAcl(stored, { reading: { Permissions: "ra", Expiry: inHours(1) } });
    await reading.insertEntity(stored, entity("s"));

    await client.setTableAcl(stored, { reading: { Permissions: "r", Expiry: inHours(-1) } });
    await refused(rows(reading, stored), ...kFailed);
    await client.setTableAcl(stored, {});
    await refused(rows(reading, stored), ...kFailed);
  });

  it("a policy and its signature share the fields, but no field is in both", async () => {
    const shared = await server.newTable(client);
    await client.setTableAcl(shared, { half: { Permissions: "r" } });
    assert.deepEqual(await rows(allowed({ Expiry: inHours(1) }, "half", shared), shared), []);
    const twice = allowed({ Expiry: inHours(1), Permissions: "r" }, "half", shared);
    await assert.rejects(rows(twice, shared), (error) => error.statusCode === 403);
  });
});

describe("SAS of the account", () => {
  const kAll = { Services: "t", ResourceTypes: "sco", Permissions: "rwdlacu" };
  const allowed = (policy) =>
    server.clientWithSas(server.accountSas({ ...kAll, Expiry: inHours(1), ...policy }));

  it("with everything allowed does everything but the ACL", async () => {
    const all = allowed({ Start: inHours(-1), Services: "bqtf", Protocols: "https,http" });
    const table = server.newTableName();
    await all.createTable(table);
    assert.equal((await all.doesTableExist(table)).exists, true);
    assert.deepEqual((await all.listTablesSegmentedWithPrefix(table, null)).entries, [table]);
    await all.insertEntity(table, entity("r"));
    await all.executeBatch(table, batchOf(entity("s")));
    assert.deepEqual(await rows(all, table), ["r", "s"]);
    await all.deleteEntity(table, entity("r"));
    await all.setServiceProperties({ Cors: {} });
    await all.getServiceProperties();
    await assert.rejects(all.getTableAcl(table), (error) => error.statusCode === 403);
    await assert.rejects(all.setTableAcl(table, {}), (error) => error.statusCode === 403);
    await all.deleteTable(table);
  });

  // The resource type and the permissions, any of which suffices unless all are needed.
  for (const [name, type, permissions, call] of [
    ["getServiceProperties", "s", "r", (c) => c.getServiceProperties()],
    ["setServiceProperties", "s", "w", (c) => c.setServiceProperties({ Cors: {} })],
    ["listTablesSegmented", "c", "l", (c) => c.listTablesSegmented(null)],
    ["createTable", "c", "c", (c) => c.createTable(server.newTableName())],
    ["queryEntities", "o", "r", (c, table) => c.queryEntities(table, null, null)],
    ["insertEntity", "o", "a", (c, table) => c.insertEntity(table, entity("new"))],
    ["mergeEntity", "o", "u", (c, table) => c.mergeEntity(table, entity("there"))],
    ["insertOrMergeEntity", "o", "au", (c, table) => c.insertOrMergeEntity(table, entity("there"))],
    ["deleteEntity", "o", "d", (c, table) => c.deleteEntity(table, entity("there"))],
    ["deleteTable", "c", "d", (c, table) => c.deleteTable(table)],
  ]) {
    it(`${name} needs the type ${type} and ${permissions}`, async () => {
      const table = await server.newTable(client);
      await client.insertEntity(table, entity("there"));
      const otherTypes = "sco".replace(type, "");
      const otherPermissions = kAll.Permissions.replace(/./g, (p) => (permissions.includes(p) ? "" : p));
      const withoutWrite = name === "createTable" ? otherPermissions.replace("w", "") : otherPermissions;
      const without = (policy) => call(allowed(policy), table);
      await refused(without({ ResourceTypes: otherTypes }), 403, "AuthorizationResourceTypeMismatch");
      await refused(without({ Permissions: withoutWrite }), ...kMismatch);
      await call(allowed({ ResourceTypes: type, Permissions: permissions }), table);
    });
  }

  it("of another service, another time or another place is refused", async () => {
    const list = (policy) => allowed(policy).listTablesSegmented(null);
    await refused(list({ Services: "bqf" }), 403, "AuthorizationServiceMismatch");
    await refused(list({ Expiry: inHours(-1) }), ...kFailed);
    await refused(list({ Start: inHours(0.5) }), ...kFailed);
    await refused(list({ IPAddressOrRange: "192.0.2.1" }), 403, "AuthorizationSourceIPMismatch");
    await refused(list({ Protocols: "https" }), 403, "AuthorizationProtocolMismatch");
  });
});
