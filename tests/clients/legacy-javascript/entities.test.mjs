// Single entities through the legacy SDK: each write, with and without an ETag, and what is read back.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { PayloadFormat, edm, refused, startServer } from "./server.mjs";

const server = await startServer();
after(() => server.stop());

const kPreconditionFailed = [412, "UpdateConditionNotSatisfied"];
const etagOf = (entity) => entity[".metadata"].etag;

// The properties without keys, Timestamp and metadata.
function own(entity) {
  const system = ["PartitionKey", "RowKey", "Timestamp", ".metadata"];
  return Object.fromEntries(
    Object.entries(entity)
      .filter(([name]) => !system.includes(name))
      .map(([name, value]) => [name, value._]),
  );
}

describe("entities", () => {
  const client = server.client();
  let table;
  let rows = 0;
  before(async () => {
    table = await server.newTable(client);
  });

  // An entity with a key of its own.
  const entity = (properties = {}) => ({
    PartitionKey: edm.String("p"),
    RowKey: edm.String(`${(rows += 1)}`),
    ...properties,
  });
  const withEtag = (descriptor, etag) => ({ ...descriptor, ".metadata": { etag } });
  const stored = async (descriptor) => client.retrieveEntity(table, "p", descriptor.RowKey._);
  const kStaleEtag = "W/\"datetime'2015-01-01T00%3A00%3A00Z'\"";

  it("an insert answers with the ETag alone, or with the entity if asked", async () => {
    const silent = entity({ a: edm.Int32(1) });
    const etag = etagOf(await client.insertEntity(table, silent));
    assert.match(etag, /^W\/"datetime'/);
    assert.equal(etagOf(await stored(silent)), etag);

    const echoed = entity({ a: edm.Int64("9007199254740993") });
    const answer = await client.insertEntity(table, echoed, { echoContent: true });
    assert.deepEqual(own(answer), { a: "9007199254740993" });
    assert.deepEqual(answer.PartitionKey, edm.String("p"));
    assert.ok(Math.abs(answer.Timestamp._ - Date.now()) < 60_000, `${answer.Timestamp._}`);
    assert.deepEqual(answer, await stored(echoed));
  });

  it("an insert of an existing key is EntityAlreadyExists", async () => {
    const first = entity({ a: edm.Int32(1) });
    await client.insertEntity(table, first);
    await refused(client.insertEntity(table, { ...first, a: edm.Int32(2) }), 409, "EntityAlreadyExists");
    assert.deepEqual(own(await stored(first)), { a: 1 });
  });

  it("entities may be plain values", async () => {
    const date = new Date(Date.UTC(2011, 10, 11, 12, 13, 14, 156));
    const plain = { PartitionKey: "p", RowKey: "plain", text: "x", whole: 7, half: 0.5, yes: true, date };
    await client.insertEntity(table, plain);
    const read = await client.retrieveEntity(table, "p", "plain");
    assert.deepEqual(own(read), { text: "x", whole: 7, half: 0.5, yes: true, date });
  });

  it("null and undefined properties are left out", async () => {
    const sparse = entity({ a: edm.String(null), b: edm.Int32(undefined), c: edm.String("") });
    await client.insertEntity(table, sparse);
    assert.deepEqual(own(await stored(sparse)), { c: "" });
  });

  it("an absent entity is ResourceNotFound", async () => {
    const absent = entity();
    await refused(stored(absent), 404, "ResourceNotFound");
    await refused(client.replaceEntity(table, absent), 404, "ResourceNotFound");
    await refused(client.mergeEntity(table, absent), 404, "ResourceNotFound");
    await refused(client.deleteEntity(table, absent), 404, "ResourceNotFound");
  });

  for (const [method, left] of [
    ["replaceEntity", { b: 2 }],
    ["insertOrReplaceEntity", { b: 2 }],
    ["mergeEntity", { a: 1, b: 2 }],
    ["insertOrMergeEntity", { a: 1, b: 2 }],
  ]) {
    it(`${method} leaves ${Object.keys(left)} of a, and b as written`, async () => {
      const first = entity({ a: edm.Int32(1), b: edm.Int32(1) });
      const before = etagOf(await client.insertEntity(table, first));
      const { a, ...second } = { ...first, b: edm.Int32(2) };
      const etag = etagOf(await client[method](table, second));
      const read = await stored(first);
      assert.deepEqual(own(read), left);
      assert.equal(etagOf(read), etag);
      assert.notEqual(etag, before);
    });
  }

  for (const method of ["insertOrReplaceEntity", "insertOrMergeEntity"]) {
    it(`${method} inserts what is not there`, async () => {
      const fresh = entity({ a: edm.Int32(1) });
      const etag = etagOf(await client[method](table, fresh));
      assert.equal(etagOf(await stored(fresh)), etag);
      assert.deepEqual(own(await stored(fresh)), { a: 1 });
    });
  }

  for (const method of ["replaceEntity", "mergeEntity", "deleteEntity"]) {
    it(`${method} with an ETag succeeds while it is current`, async () => {
      const first = entity({ a: edm.Int32(1) });
      const etag = etagOf(await client.insertEntity(table, first));
      await client.insertOrMergeEntity(table, { ...first, a: edm.Int32(2) });
      await refused(client[method](table, withEtag(first, etag)), ...kPreconditionFailed);
      await refused(client[method](table, withEtag(first, kStaleEtag)), ...kPreconditionFailed);
      assert.deepEqual(own(await stored(first)), { a: 2 });

      const current = await stored(first);
      await client[method](table, withEtag({ ...first, a: edm.Int32(3) }, etagOf(current)));
      if (method === "deleteEntity") await refused(stored(first), 404, "ResourceNotFound");
      else assert.deepEqual(own(await stored(first)), { a: 3 });
    });

    it(`${method} with the ETag * is unconditional`, async () => {
      const first = entity({ a: edm.Int32(1) });
      await client.insertEntity(table, first);
      await client[method](table, withEtag(first, "*"));
    });
  }

  it("an entity that was read is written back as it is", async () => {
    const first = entity({ a: edm.Int64("5"), b: edm.Binary(Buffer.from([0, 255])), c: edm.Double(2) });
    await client.insertEntity(table, first);
    const read = await stored(first);
    read.d = edm.Boolean(true);
    await client.replaceEntity(table, read);
    const again = await stored(first);
    assert.deepEqual(own(again), { a: "5", b: Buffer.from([0, 255]), c: 2, d: true });
    await refused(client.replaceEntity(table, read), ...kPreconditionFailed);
  });

  for (const key of ["it's", "100%", "a b", "a+b", "ä€😀", "a&b=c", "", "(x)", "a,b"]) {
    it(`'${key}' is a key like any other`, async () => {
      const odd = { PartitionKey: edm.String(`p${key}`), RowKey: edm.String(key), a: edm.Int32(1) };
      await client.insertEntity(table, odd);
      const read = await client.retrieveEntity(table, `p${key}`, key);
      assert.deepEqual([read.PartitionKey._, read.RowKey._], [`p${key}`, key]);
      await client.mergeEntity(table, { ...odd, a: edm.Int32(2) });
      await client.deleteEntity(table, odd);
      await refused(client.retrieveEntity(table, `p${key}`, key), 404, "ResourceNotFound");
    });
  }

  describe("payload formats", () => {
    const metadataOf = async (payloadFormat) => {
      const first = entity({ a: edm.Int64("5"), b: edm.Int32(6) });
      await client.insertEntity(table, first);
      return client.retrieveEntity(table, "p", first.RowKey._, { payloadFormat });
    };

    it("without metadata types are lost, but not the ETag", async () => {
      const read = await metadataOf(PayloadFormat.NO_METADATA);
      assert.deepEqual([read.a, read.b], [{ _: "5" }, { _: 6 }]);
      assert.deepEqual(Object.keys(read[".metadata"]), ["etag"]);
    });

    it("minimal metadata has the types and the name of the entity set", async () => {
      const read = await metadataOf(PayloadFormat.MINIMAL_METADATA);
      assert.deepEqual([read.a, read.b], [edm.Int64("5"), { _: 6 }]);
      assert.equal(read[".metadata"].metadata, `${server.endpoint}/$metadata#${table}/@Element`);
    });

    it("full metadata adds type, id and edit link", async () => {
      const read = await metadataOf(PayloadFormat.FULL_METADATA);
      assert.deepEqual(read.a, edm.Int64("5"));
      const { type, id, editLink } = read[".metadata"];
      assert.equal(type, `${server.account}.${table}`);
      const path = `${table}(PartitionKey='p',RowKey='${read.RowKey._}')`;
      assert.deepEqual([id, editLink], [`${server.endpoint}/${path}`, path]);
    });

    for (const [level, payloadFormat] of Object.entries(PayloadFormat)) {
      it(`an insert is echoed with ${level}`, async () => {
        const first = entity({ a: edm.Int32(1) });
        const answer = await client.insertEntity(table, first, { echoContent: true, payloadFormat });
        assert.deepEqual(own(answer), { a: 1 });
      });
    }

    it("a property resolver gives the types that were not sent", async () => {
      const first = entity({ a: edm.Int64("5"), b: edm.Double(1.5) });
      await client.insertEntity(table, first);
      const read = await client.retrieveEntity(table, "p", first.RowKey._, {
        payloadFormat: PayloadFormat.NO_METADATA,
        propertyResolver: (_pk, _rk, name) => (name === "a" ? "Edm.Int64" : "Edm.Double"),
      });
      assert.deepEqual([read.a, read.b], [edm.Int64("5"), edm.Double(1.5)]);
    });
  });
});
