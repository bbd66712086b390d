// Who may ask, and several clients at once.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { refused, startServer } from "./server.mjs";

const server = await startServer();
after(() => server.stop());

describe("authentication", () => {
  const kWrongKey = Buffer.from("not the key of this account").toString("base64");

  it("a wrong key is AuthenticationFailed for every operation", async () => {
    const table = await server.newTable();
    const wrong = server.connectionString.replace(server.key, kWrongKey);
    assert.notEqual(wrong, server.connectionString);
    const client = server.tableClient(table.tableName, wrong);
    const entity = { partitionKey: "p", rowKey: "r" };
    await refused(server.serviceClient(wrong).listTables().next(), 403, "AuthenticationFailed");
    await refused(server.serviceClient(wrong).createTable("forbidden1"), 403, "AuthenticationFailed");
    await refused(client.createEntity(entity), 403, "AuthenticationFailed");
    await refused(client.getEntity("p", "r"), 403, "AuthenticationFailed");
    await refused(client.listEntities().next(), 403, "AuthenticationFailed");
    await refused(client.upsertEntity(entity), 403, "AuthenticationFailed");
    await refused(client.deleteEntity("p", "r"), 403, "AuthenticationFailed");
    await refused(table.getEntity("p", "r"), 404, "ResourceNotFound");
  });

  it("a wrong key refuses a transaction", async () => {
    const table = await server.newTable();
    const client = server.tableClient(
      table.tableName,
      server.connectionString.replace(server.key, kWrongKey),
    );
    const submit = client.submitTransaction([["create", { partitionKey: "p", rowKey: "r" }]]);
    await assert.rejects(submit, (error) => error.statusCode === 403);
    await refused(table.getEntity("p", "r"), 404, "ResourceNotFound");
  });

  it("no credentials at all are not enough", async () => {
    const answer = await fetch(`${server.endpoint}/Tables`, {
      headers: { accept: "application/json", "x-ms-version": "2020-12-06" },
    });
    assert.ok([401, 403].includes(answer.status), `${answer.status}`);
  });

  it("a request from an hour ago is refused", async () => {
    const answer = await server.fetch("GET", "Tables", {
      headers: { accept: "application/json", "x-ms-date": new Date(Date.now() - 3_600_000).toUTCString() },
    });
    assert.equal(answer.status, 403);
  });
});

describe("several clients at once", () => {
  it("conditional increments lose none", async () => {
    const table = await server.newTable();
    await table.createEntity({ partitionKey: "p", rowKey: "counter", value: 0 });
    const kClients = 8;
    const kIncrements = 25;
    let conflicts = 0;
    const work = Array.from({ length: kClients }, async () => {
      const client = server.tableClient(table.tableName);
      for (let done = 0; done < kIncrements;) {
        const { value, etag } = await client.getEntity("p", "counter");
        try {
          const next = { partitionKey: "p", rowKey: "counter", value: value + 1 };
          await client.updateEntity(next, "Replace", { etag });
          done += 1;
        } catch (error) {
          assert.equal(error.statusCode, 412, error.message);
          conflicts += 1;
        }
      }
    });
    await Promise.all(work);
    assert.equal((await table.getEntity("p", "counter")).value, kClients * kIncrements);
    assert.ok(conflicts > 0, "the clients never met, so the test showed nothing");
  });

  it("of many inserts of one key exactly one succeeds", async () => {
    const table = await server.newTable();
    const attempts = Array.from({ length: 20 }, (_, writer) =>
      table.createEntity({ partitionKey: "p", rowKey: "r", writer }).then(
        () => 204,
        (error) => error.statusCode,
      ),
    );
    const statuses = (await Promise.all(attempts)).sort();
    assert.deepEqual(statuses, [204, ...Array(19).fill(409)]);
  });

  it("a reader sees a transaction whole or not at all", async () => {
    const table = await server.newTable();
    const kRows = 20;
    const write = (value) =>
      table.submitTransaction(
        Array.from({ length: kRows }, (_, i) => [
          "upsert",
          { partitionKey: "p", rowKey: `${i}`, value },
          "Replace",
        ]),
      );
    await write(0);
    let writing = true;
    const writer = (async () => {
      for (let value = 1; value <= 30; value += 1) await write(value);
      writing = false;
    })();
    while (writing) {
      const values = [];
      for await (const { value } of table.listEntities()) values.push(value);
      assert.deepEqual(values, Array(kRows).fill(values[0]));
    }
    await writer;
  });
});

describe("an account of one's own", () => {
  const given = process.env.ROCKTABLE_TEST_CONNECTION_STRING;
  const skip = given ? "needs a server of its own" : false;
  it("works with its second key, and sees nothing of the others", { skip }, async () => {
    const [first, second] = ["first", "second"].map((text) => Buffer.from(text).toString("base64"));
    const own = await startServer({ environment: { AZURITE_ACCOUNTS: `mine:${first}:${second};theirs:${first}` } });
    try {
      assert.equal(own.account, "mine");
      const table = own.tableClient("people", own.connectionString.replace(first, second));
      await table.createTable();
      await table.createEntity({ partitionKey: "p", rowKey: "r" });
      assert.equal((await table.getEntity("p", "r")).rowKey, "r");
      await table.submitTransaction([["update", { partitionKey: "p", rowKey: "r", value: 1 }]]);
      const theirs = own.connectionString.replaceAll("mine", "theirs");
      await refused(own.tableClient("people", theirs).getEntity("p", "r"), 404, "TableNotFound");
      await refused(
        own.serviceClient(theirs.replace(first, second)).listTables().next(),
        403,
        "AuthenticationFailed",
      );
    } finally {
      await own.stop();
    }
  });
});
