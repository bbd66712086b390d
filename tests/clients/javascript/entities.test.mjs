// Single entities through the SDK: insert, get, update, upsert, delete, and their conditions.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { refused, startServer } from "./server.mjs";

const server = await startServer();
after(() => server.stop());

const kStaleEtag = `W/"datetime'2020-01-01T00%3A00%3A00.1234567Z'"`;

describe("entities", () => {
  let table;
  let rows = 0;
  before(async () => {
    table = await server.newTable();
  });

  const newEntity = (properties = {}) => ({ partitionKey: "p", rowKey: `r${(rows += 1)}`, ...properties });
  const stored = async ({ partitionKey, rowKey }) => {
    const entity = await table.getEntity(partitionKey, rowKey);
    for (const name of ["odata.metadata", "etag", "timestamp"]) delete entity[name];
    return entity;
  };

  it("an inserted entity is read back with the ETag of the insert and a timestamp", async () => {
    const entity = newEntity({ text: "x", count: 3 });
    const before = Date.now();
    const { etag } = await table.createEntity(entity);
    const read = await table.getEntity(entity.partitionKey, entity.rowKey);
    assert.equal(read.etag, etag);
    assert.match(etag, /^W\/"datetime'\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d(\.\d{1,7})?Z'"$/);
    assert.ok(Math.abs(Date.parse(read.timestamp) - before) < 10_000, read.timestamp);
    assert.deepEqual(await stored(entity), entity);
  });

  it("a second insert of a key is refused and changes nothing", async () => {
    const entity = newEntity({ value: "first" });
    await table.createEntity(entity);
    await refused(table.createEntity({ ...entity, value: "second" }), 409, "EntityAlreadyExists");
    assert.equal((await stored(entity)).value, "first");
  });

  it("an absent entity is ResourceNotFound for get, update and delete", async () => {
    const entity = newEntity();
    await refused(table.getEntity("p", entity.rowKey), 404, "ResourceNotFound");
    await refused(table.updateEntity(entity, "Replace"), 404, "ResourceNotFound");
    await refused(table.updateEntity(entity, "Merge"), 404, "ResourceNotFound");
    await refused(table.deleteEntity("p", entity.rowKey), 404, "ResourceNotFound");
    await refused(table.updateEntity(entity, "Merge", { etag: kStaleEtag }), 404, "ResourceNotFound");
  });

  for (const [method, name] of [
    ["updateEntity", "update"],
    ["upsertEntity", "upsert"],
  ]) {
    it(`${name} replaces all properties or merges them`, async () => {
      const entity = newEntity({ a: 1, b: "old", c: true });
      await table.createEntity(entity);
      const { partitionKey, rowKey } = entity;
      await table[method]({ partitionKey, rowKey, b: "new", d: 2n }, "Merge");
      assert.deepEqual(await stored(entity), { partitionKey, rowKey, a: 1, b: "new", c: true, d: 2n });
      await table[method]({ partitionKey, rowKey, e: 5 }, "Replace");
      assert.deepEqual(await stored(entity), { partitionKey, rowKey, e: 5 });
    });
  }

  it("upsert creates what is not there", async () => {
    for (const mode of ["Merge", "Replace"]) {
      const entity = newEntity({ a: 1 });
      const { etag } = await table.upsertEntity(entity, mode);
      assert.equal((await table.getEntity("p", entity.rowKey)).etag, etag);
      assert.deepEqual(await stored(entity), entity);
    }
  });

  it("null properties are dropped on insert and replace, and change nothing on merge", async () => {
    const entity = newEntity();
    await table.createEntity({ ...entity, kept: 1, gone: null });
    assert.deepEqual(await stored(entity), { ...entity, kept: 1 });
    await table.updateEntity({ ...entity, kept: null, gone: null }, "Merge");
    assert.deepEqual(await stored(entity), { ...entity, kept: 1 });
    await table.updateEntity({ ...entity, kept: null, other: 2 }, "Replace");
    assert.deepEqual(await stored(entity), { ...entity, other: 2 });
  });

  it("a merge may give a property another type", async () => {
    const entity = newEntity({ value: "text" });
    await table.createEntity(entity);
    await table.updateEntity({ ...entity, value: 12n }, "Merge");
    assert.equal((await stored(entity)).value, 12n);
  });

  it("each write gives a new ETag, an empty merge too", async () => {
    const entity = newEntity();
    const etags = [(await table.createEntity(entity)).etag];
    for (let i = 0; i < 20; i += 1) etags.push((await table.updateEntity(entity, "Merge")).etag);
    assert.equal(new Set(etags).size, etags.length);
  });

  it("conditional updates and deletes demand the current ETag", async () => {
    const entity = newEntity({ value: 1 });
    const first = (await table.createEntity(entity)).etag;
    const second = (await table.updateEntity({ ...entity, value: 2 }, "Replace", { etag: first })).etag;
    for (const mode of ["Merge", "Replace"]) {
      await refused(
        table.updateEntity({ ...entity, value: 3 }, mode, { etag: first }),
        412,
        "UpdateConditionNotSatisfied",
      );
    }
    const { partitionKey, rowKey } = entity;
    await refused(
      table.deleteEntity(partitionKey, rowKey, { etag: first }),
      412,
      "UpdateConditionNotSatisfied",
    );
    assert.deepEqual(await stored(entity), { ...entity, value: 2 });
    const third = (await table.updateEntity({ ...entity, value: 3 }, "Merge", { etag: second })).etag;
    await table.deleteEntity(partitionKey, rowKey, { etag: third });
    await refused(table.getEntity(partitionKey, rowKey), 404, "ResourceNotFound");
  });

  it("an ETag of a deleted entity does not match its successor", async () => {
    const entity = newEntity();
    const { etag } = await table.createEntity(entity);
    await table.deleteEntity("p", entity.rowKey);
    await table.createEntity(entity);
    await refused(table.deleteEntity("p", entity.rowKey, { etag }), 412, "UpdateConditionNotSatisfied");
  });

  it("what is not an ETag of the service is refused", async () => {
    const entity = newEntity();
    await table.createEntity(entity);
    await refused(table.updateEntity(entity, "Merge", { etag: "nonsense" }), 400, "InvalidInput");
    await refused(table.updateEntity(entity, "Merge", { etag: `W/"nonsense"` }), 412, "ConditionNotMet");
  });

  const kKeys = [
    ["an apostrophe", "it's", "''"],
    ["URL syntax", "a=b&c+d, e;f:g@h$i", "100%25 (x)!*[y]"],
    ["spaces", " a ", "  "],
    ["non-Latin text", "Ключ", "鍵⒈①Ⅻㄨㄩ"],
    ["characters outside the BMP", "😀", "𝄞𠜎"],
    ["double quotes and braces", `"{x}"`, "<&>"],
    ["nothing", "", ""],
    ["an empty row key", "p-only", ""],
    ["512 characters", "k".repeat(512), "k".repeat(512)],
  ];
  for (const [what, partitionKey, rowKey] of kKeys) {
    it(`keys may hold ${what}`, async () => {
      const entity = { partitionKey, rowKey, value: 1 };
      await table.createEntity(entity);
      await refused(table.createEntity(entity), 409, "EntityAlreadyExists");
      assert.deepEqual(await stored(entity), entity);
      await table.updateEntity({ ...entity, value: 2 }, "Merge");
      await table.upsertEntity({ ...entity, value: 3 }, "Replace");
      assert.deepEqual(await stored(entity), { ...entity, value: 3 });
      const quoted = (text) => `'${text.replaceAll("'", "''")}'`;
      const filter = `PartitionKey eq ${quoted(partitionKey)} and RowKey eq ${quoted(rowKey)}`;
      const found = [];
      for await (const item of table.listEntities({ queryOptions: { filter } })) found.push(item.value);
      assert.deepEqual(found, [3]);
      await table.deleteEntity(partitionKey, rowKey);
      await refused(table.getEntity(partitionKey, rowKey), 404, "ResourceNotFound");
    });
  }

  for (const [what, key] of [
    ["a slash", "a/b"],
    ["a backslash", "a\\b"],
    ["a number sign", "a#b"],
    ["a question mark", "a?b"],
    ["a tab", "a\tb"],
    ["a C1 control character", "a\u0085b"],
  ]) {
    it(`${what} is refused in keys`, async () => {
      await refused(table.createEntity({ partitionKey: key, rowKey: "r" }), 400, "OutOfRangeInput");
      await refused(table.createEntity({ partitionKey: "p", rowKey: key }), 400, "OutOfRangeInput");
      const inUrl = /[/\\]/.test(key) ? "InvalidInput" : "OutOfRangeInput";
      await refused(table.getEntity("p", key), 400, inUrl);
      await refused(table.upsertEntity({ partitionKey: key, rowKey: "r" }), 400, inUrl);
      await refused(table.deleteEntity(key, "r"), 400, inUrl);
    });
  }

  it("keys are case-sensitive, and so are property names", async () => {
    const name = newEntity().rowKey;
    await table.createEntity({ partitionKey: "p", rowKey: name, value: 1, Value: 2 });
    await table.createEntity({ partitionKey: "P", rowKey: name, value: 3 });
    const read = await stored({ partitionKey: "p", rowKey: name });
    assert.deepEqual([read.value, read.Value], [1, 2]);
  });

  it("limits: 252 properties, 255 characters of a name, 64 KiB of a value, 1 MiB of an entity", async () => {
    const many = (count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, i]));
    await table.createEntity(newEntity(many(252)));
    await refused(table.createEntity(newEntity(many(253))), 400, "TooManyProperties");
    await table.createEntity(newEntity({ ["n".repeat(255)]: 1 }));
    await refused(table.createEntity(newEntity({ ["n".repeat(256)]: 1 })), 400, "PropertyNameTooLong");
    await refused(table.createEntity(newEntity({ "with-dash": 1 })), 400, "PropertyNameInvalid");
    const largest = newEntity({ text: "é".repeat(32_768), bytes: new Uint8Array(65_536).fill(7) });
    await table.createEntity(largest);
    assert.equal((await stored(largest)).text, largest.text);
    await refused(table.createEntity(newEntity({ text: "x".repeat(32_769) })), 400, "PropertyValueTooLarge");
    await refused(
      table.createEntity(newEntity({ bytes: new Uint8Array(65_537) })),
      400,
      "PropertyValueTooLarge",
    );
    const large = (count) =>
      newEntity(Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, "x".repeat(32_000)])));
    await table.createEntity(large(16));
    await refused(table.createEntity(large(17)), 400, "EntityTooLarge");
  });
});
