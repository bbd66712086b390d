// Each Edm type that the legacy SDK makes: written, read back, and refused where it must be.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { inspect } from "node:util";
import { PayloadFormat, edm, refused, startServer } from "./server.mjs";

const server = await startServer();
after(() => server.stop());

const show = (value) => {
  if (value instanceof Date) return value.toISOString();
  return Buffer.isBuffer(value) || value.length > 40 ? `of length ${value.length}` : inspect(value);
};

describe("property types", () => {
  const client = server.client();
  let table;
  let rows = 0;
  before(async () => {
    table = await server.newTable(client);
  });

  async function roundTrip(property) {
    const RowKey = `${(rows += 1)}`;
    const given = { PartitionKey: edm.String("p"), RowKey: edm.String(RowKey), property };
    await client.insertOrReplaceEntity(table, given);
    return (await client.retrieveEntity(table, "p", RowKey)).property;
  }

  const kDate = new Date(Date.UTC(2011, 10, 25, 1, 2, 3, 456));
  for (const [kind, value] of [
    ["Int32", 0],
    ["Int32", -2147483648],
    ["Int32", 2147483647],
    ["Int64", "0"],
    ["Int64", "-9223372036854775808"],
    ["Int64", "9223372036854775807"],
    ["Double", 0.1],
    ["Double", -1.7976931348623157e308],
    ["Double", 5e-324],
    ["Double", 3],
    ["Double", Infinity],
    ["Double", -Infinity],
    ["Double", NaN],
    ["Boolean", true],
    ["Boolean", false],
    ["String", ""],
    ["String", 'it\'s "quoted" \\ ä€😀\n'],
    ["String", "x".repeat(32 * 1024)],
    ["Guid", "c9da6455-213d-42c9-9a79-3e9149a57833"],
    ["DateTime", kDate],
    ["DateTime", new Date(Date.UTC(1601, 0, 1))],
    ["DateTime", new Date(Date.UTC(9999, 11, 31, 23, 59, 59, 999))],
    ["Binary", Buffer.alloc(0)],
    ["Binary", Buffer.from([0, 1, 254, 255])],
    ["Binary", Buffer.alloc(64 * 1024, 7)],
  ]) {
    it(`${kind} ${show(value)} comes back as it was`, async () => {
      const read = await roundTrip(edm[kind](value));
      assert.deepEqual(read._, value);
      // JSON itself says what a number, a text and a truth value is: no annotation comes with them.
      const isJson = ["String", "Boolean", "Int32"].includes(kind);
      const isFraction = kind === "Double" && Number.isFinite(value);
      if (!isJson && !isFraction) assert.equal(read.$, `Edm.${kind}`);
    });
  }

  it("a number that no Int32 holds is kept as a Double, as the SDK sends it without a type", async () => {
    assert.equal((await roundTrip(edm.Int32(1498179600055)))._, 1498179600055);
    const RowKey = "double";
    await client.insertEntity(table, { PartitionKey: "p", RowKey, property: edm.Int32(2147483648) });
    const answer = await server.fetch("GET", `${table}(PartitionKey='p',RowKey='double')`, {
      headers: { accept: PayloadFormat.NO_METADATA },
    });
    assert.match(await answer.text(), /"property":2147483648\.0}/);
  });

  it("a DateTime may be given as text", async () => {
    assert.deepEqual((await roundTrip(edm.DateTime(kDate.toISOString())))._, kDate);
  });

  it("100 ns of a DateTime survive, though the SDK's dates are coarser", async () => {
    const RowKey = "fine";
    const property = edm.DateTime("2011-11-25T01:02:03.1234567Z");
    await client.insertEntity(table, { PartitionKey: "p", RowKey, property });
    const path = `${table}(PartitionKey='p',RowKey='fine')`;
    const answer = await server.fetch("GET", path, { headers: { accept: PayloadFormat.NO_METADATA } });
    assert.equal((await answer.json()).property, "2011-11-25T01:02:03.1234567Z");
  });

  for (const [kind, value] of [
    ["Int32", "not a number"],
    ["Int64", "9223372036854775808"],
    ["Double", "text"],
    ["Guid", "c9da6455"],
    ["DateTime", "yesterday"],
    ["Binary", "%%%"],
  ]) {
    it(`${kind} '${value}' is refused`, async () => {
      const annotated = { PartitionKey: "p", RowKey: "refused", property: edm[kind](value) };
      await assert.rejects(client.insertEntity(table, annotated), (error) => error.statusCode === 400);
      await refused(client.retrieveEntity(table, "p", "refused"), 404, "ResourceNotFound");
    });
  }

  for (const [name, entity, code] of [
    ["a string of more than 64 KiB", { a: edm.String("x".repeat(32 * 1024 + 1)) }, "PropertyValueTooLarge"],
    ["more than 64 KiB of bytes", { a: edm.Binary(Buffer.alloc(64 * 1024 + 1)) }, "PropertyValueTooLarge"],
    ["a long name", { ["n".repeat(256)]: edm.Int32(1) }, "PropertyNameTooLong"],
    [
      "253 properties",
      Object.fromEntries(Array.from({ length: 253 }, (_, i) => [`n${i}`, edm.Int32(i)])),
      "TooManyProperties",
    ],
    [
      "more than 1 MiB",
      Object.fromEntries(
        Array.from({ length: 17 }, (_, i) => [`n${i}`, edm.Binary(Buffer.alloc(64 * 1024))]),
      ),
      "EntityTooLarge",
    ],
  ]) {
    it(`${name} is refused with ${code}`, () =>
      refused(client.insertEntity(table, { PartitionKey: "p", RowKey: "r", ...entity }), 400, code));
  }

  it("252 properties are accepted", async () => {
    const many = Object.fromEntries(Array.from({ length: 252 }, (_, i) => [`n${i}`, edm.Int32(i)]));
    await client.insertEntity(table, { PartitionKey: "p", RowKey: "many", ...many });
    assert.equal((await client.retrieveEntity(table, "p", "many")).n251._, 251);
  });
});
