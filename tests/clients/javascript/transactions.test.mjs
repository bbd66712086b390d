// Entity group transactions through the SDK: all or nothing, and what is refused with which index.
import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import { TableTransaction } from "@azure/data-tables";
import { collect, refused, startServer } from "./server.mjs";

const server = await startServer();
after(() => server.stop());

describe("transactions", () => {
  let table;
  beforeEach(async () => {
    table = await server.newTable();
  });

  const entity = (rowKey, properties = {}) => ({ partitionKey: "p", rowKey, ...properties });
  const stored = async () =>
    (await collect(table.listEntities())).map(({ rowKey, value, other }) =>
      Object.fromEntries(Object.entries({ rowKey, value, other }).filter((pair) => pair[1] !== undefined)),
    );
  const failed = async (actions, status, code, index) => {
    const before = await stored();
    const error = await refused(table.submitTransaction(actions), status, code);
    assert.match(error.message, new RegExp(`^${index}:`));
    assert.deepEqual(await stored(), before, "something of a failed transaction was left behind");
    return error;
  };

  it("one transaction mixes insert, merge, replace, upsert and delete", async () => {
    for (const rowKey of ["merge", "replace", "delete", "upsert-merge", "upsert-replace"]) {
      await table.createEntity(entity(rowKey, { value: 1, other: "kept" }));
    }
    const transaction = new TableTransaction();
    transaction.createEntity(entity("insert", { value: 2 }));
    transaction.updateEntity(entity("merge", { value: 3 }), "Merge");
    transaction.updateEntity(entity("replace", { value: 4 }), "Replace");
    transaction.upsertEntity(entity("upsert-merge", { value: 5 }), "Merge");
    transaction.upsertEntity(entity("upsert-replace", { value: 6 }), "Replace");
    transaction.upsertEntity(entity("upsert-new", { value: 7 }), "Merge");
    transaction.deleteEntity("p", "delete");
    const answer = await table.submitTransaction(transaction.actions);
    assert.equal(answer.status, 202);
    assert.deepEqual(
      answer.subResponses.map((part) => part.status),
      Array(7).fill(204),
    );
    assert.deepEqual(await stored(), [
      { rowKey: "insert", value: 2 },
      { rowKey: "merge", value: 3, other: "kept" },
      { rowKey: "replace", value: 4 },
      { rowKey: "upsert-merge", value: 5, other: "kept" },
      { rowKey: "upsert-new", value: 7 },
      { rowKey: "upsert-replace", value: 6 },
    ]);
    for (const [index, rowKey] of ["insert", "merge", "replace", "upsert-merge"].entries()) {
      assert.equal((await table.getEntity("p", rowKey)).etag, answer.subResponses[index].etag);
    }
    assert.equal(answer.getResponseForEntity("insert").status, 204);
  });

  it("100 operations commit, 101 are refused", async () => {
    const actions = (count) =>
      Array.from({ length: count }, (_, i) => ["create", entity(`${1000 + i}`, { value: i })]);
    await failed(actions(101), 400, "InvalidInput", 99);
    const answer = await table.submitTransaction(actions(100));
    assert.equal(answer.subResponses.length, 100);
    assert.deepEqual(
      (await stored()).map((row) => row.value),
      Array.from({ length: 100 }, (_, i) => i),
    );
  });

  it("keys and values of every script pass through", async () => {
    const partitionKey = "it's 漢字 😀 a=b&c+d %25";
    const rowKey = "é'😀";
    await table.submitTransaction([["create", { partitionKey, rowKey, value: "漢😀\r\n--changeset_x\r\n" }]]);
    await table.submitTransaction([["update", { partitionKey, rowKey, other: 1n }, "Merge"]]);
    const read = await table.getEntity(partitionKey, rowKey);
    assert.deepEqual([read.value, read.other], ["漢😀\r\n--changeset_x\r\n", 1n]);
    await table.submitTransaction([["delete", { partitionKey, rowKey }]]);
    assert.deepEqual(await stored(), []);
  });

  it("an insert of an existing entity in the middle undoes everything", async () => {
    await table.createEntity(entity("b", { value: 1 }));
    await table.createEntity(entity("c", { value: 1 }));
    await failed(
      [
        ["create", entity("a")],
        ["update", entity("b", { value: 2 }), "Merge"],
        ["create", entity("c")],
        ["upsert", entity("d"), "Replace"],
      ],
      409,
      "EntityAlreadyExists",
      2,
    );
  });

  it("an update of an absent entity in the middle undoes everything", () =>
    failed(
      [
        ["create", entity("a")],
        ["create", entity("b")],
        ["update", entity("absent"), "Merge"],
        ["create", entity("c")],
      ],
      404,
      "ResourceNotFound",
      2,
    ));

  it("a delete of an absent entity at the end undoes everything", () =>
    failed(
      [
        ["create", entity("a")],
        ["delete", entity("absent")],
      ],
      404,
      "ResourceNotFound",
      1,
    ));

  it("a stale ETag undoes everything, the current one commits", async () => {
    const { etag } = await table.createEntity(entity("a", { value: 1 }));
    const current = (await table.updateEntity(entity("a", { value: 2 }), "Replace")).etag;
    const actions = (condition) => [
      ["create", entity("b")],
      ["update", entity("a", { value: 3 }), "Replace", { etag: condition }],
      ["create", entity("c")],
    ];
    await failed(actions(etag), 412, "UpdateConditionNotSatisfied", 1);
    await table.submitTransaction(actions(current));
    assert.deepEqual(await stored(), [{ rowKey: "a", value: 3 }, { rowKey: "b" }, { rowKey: "c" }]);
  });

  it("an entity may appear only once", async () => {
    await failed(
      [
        ["create", entity("a")],
        ["upsert", entity("a"), "Merge"],
      ],
      400,
      "InvalidDuplicateRow",
      1,
    );
    await failed(
      [
        ["create", entity("a")],
        ["create", entity("b")],
        ["create", entity("c")],
        ["delete", entity("b")],
      ],
      400,
      "InvalidDuplicateRow",
      3,
    );
  });

  it("a value that is too large is refused at its index", () =>
    failed(
      [
        ["create", entity("a")],
        ["create", entity("b", { value: "x".repeat(32_769) })],
      ],
      400,
      "PropertyValueTooLarge",
      1,
    ));

  it("a body over 4 MiB is refused as a whole", async () => {
    const text = "x".repeat(30_000);
    const large = { a: text, b: text };
    const actions = Array.from({ length: 100 }, (_, i) => ["create", entity(`${i}`, large)]);
    await refused(table.submitTransaction(actions), 413, "RequestBodyTooLarge");
    assert.deepEqual(await stored(), []);
  });

  // The SDK refuses these two by itself, so the requests are written by hand.
  const submit = async (requests, headers = {}) => {
    const parts = requests.map(([method, resource, body, more = ""]) =>
      [
        "--changeset_1",
        "Content-Type: application/http",
        "Content-Transfer-Encoding: binary",
        "",
        `${method} ${server.endpoint}/${resource} HTTP/1.1`,
        "Accept: application/json;odata=minimalmetadata",
        "Content-Type: application/json",
        `Prefer: return-no-content${more}`,
        "",
        body === undefined ? "" : JSON.stringify(body),
      ].join("\r\n"),
    );
    const body = [
      "--batch_1",
      "Content-Type: multipart/mixed; boundary=changeset_1",
      "",
      ...parts,
      "--changeset_1--",
      "--batch_1--",
      "",
    ].join("\r\n");
    const answer = await server.fetch("POST", "$batch", {
      body,
      headers: {
        "content-type": "multipart/mixed; boundary=batch_1",
        accept: "application/json",
        ...headers,
      },
    });
    return [answer.status, await answer.text()];
  };

  it("two partitions in one transaction are refused", async () => {
    const name = table.tableName;
    const [status, text] = await submit([
      ["POST", name, { PartitionKey: "p", RowKey: "a" }],
      ["POST", name, { PartitionKey: "q", RowKey: "a" }],
    ]);
    assert.equal(status, 202);
    assert.match(text, /HTTP\/1\.1 400 Bad Request\r\n/);
    assert.match(
      text,
      /"code":"CommandsInBatchActOnDifferentPartitions".*"value":"1:All commands in a batch/,
    );
    assert.deepEqual(await stored(), []);
  });

  it("two tables in one transaction are refused", async () => {
    const other = await server.newTable();
    const [status, text] = await submit([
      ["POST", table.tableName, { PartitionKey: "p", RowKey: "a" }],
      ["POST", other.tableName, { PartitionKey: "p", RowKey: "b" }],
    ]);
    assert.equal(status, 202);
    assert.match(text, /HTTP\/1\.1 400 Bad Request\r\n/);
    assert.match(text, /"code":"CommandsInBatchActOnDifferentPartitions".*"value":"1:/);
    assert.deepEqual(await stored(), []);
  });

  it("a batch may hold one query", async () => {
    await table.createEntity(entity("r", { value: 5 }));
    const query = (rowKey) =>
      [
        "--batch_1",
        "Content-Type: application/http",
        "Content-Transfer-Encoding: binary",
        "",
        `GET ${server.endpoint}/${table.tableName}(PartitionKey='p',RowKey='${rowKey}') HTTP/1.1`,
        "Accept: application/json;odata=nometadata",
        "",
        "",
        "--batch_1--",
        "",
      ].join("\r\n");
    const send = (rowKey) =>
      server.fetch("POST", "$batch", {
        body: query(rowKey),
        headers: { "content-type": "multipart/mixed; boundary=batch_1", accept: "application/json" },
      });
    const found = await send("r");
    assert.equal(found.status, 202);
    const text = await found.text();
    assert.match(text, /HTTP\/1\.1 200 OK\r\n/);
    assert.match(text, /"PartitionKey":"p","RowKey":"r".*"value":5/);
    const absent = await (await send("absent")).text();
    assert.match(absent, /HTTP\/1\.1 404 Not Found\r\n/);
    assert.match(absent, /"code":"ResourceNotFound"/);
  });
});
