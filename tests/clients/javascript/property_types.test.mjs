// Every Edm type there and back, typed and untyped.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { refused, startServer } from "./server.mjs";

const server = await startServer();
after(() => server.stop());

describe("property types", () => {
  let table;
  let rows = 0;
  before(async () => {
    table = await server.newTable();
  });

  const roundTrip = async (value, options) => {
    const rowKey = `r${(rows += 1)}`;
    await table.createEntity({ partitionKey: "p", rowKey, value });
    const inserted = (await table.getEntity("p", rowKey, options)).value;
    await table.upsertEntity({ partitionKey: "p", rowKey, value }, "Replace");
    assert.deepEqual(
      (await table.getEntity("p", rowKey, options)).value,
      inserted,
      "insert and replace differ",
    );
    return inserted;
  };

  const kNative = [
    ["an empty string", ""],
    ["a plain string", "text"],
    ["quotes, backslashes and control characters", `'"\\ / \b\f\n\r\t\u0001`],
    ["non-Latin text", "Grüße, Ελλάδα, 漢字, עברית"],
    ["characters outside the BMP", "😀𝄞𠜎"],
    ["a string that looks like a date", "2014-05-07T08:20:53Z"],
    ["a string that looks like base64", "c29tZWJ5dGVz"],
    ["true", true],
    ["false", false],
    ["zero", 0],
    ["the largest Int32", 2147483647],
    ["the smallest Int32", -2147483648],
    ["a double", 4.81516],
    ["the largest double", Number.MAX_VALUE],
    ["the smallest double", Number.MIN_VALUE],
    ["a double of 17 digits", 0.1 + 0.2],
    ["an Int64", 5432873627392n],
    ["an Int64 beyond 2^53", 9007199254740993n],
    ["the largest Int64", 9223372036854775807n],
    ["the smallest Int64", -9223372036854775808n],
    ["a date", new Date("2014-05-07T08:20:53.250Z")],
    ["the first date", new Date("1601-01-01T00:00:00Z")],
    ["the last date", new Date("9999-12-31T23:59:59.999Z")],
    ["no bytes", new Uint8Array(0)],
    ["all bytes", Uint8Array.from({ length: 256 }, (_, index) => index)],
  ];
  for (const [what, value] of kNative) {
    it(`${what} is kept`, async () => {
      const read = await roundTrip(value);
      assert.deepEqual(value instanceof Uint8Array ? Uint8Array.from(read) : read, value);
    });
  }

  const kTyped = [
    ["String", "text", "text"],
    ["Boolean", true, "true"],
    ["Int32", 39, "39"],
    ["Int64", "-9223372036854775808", "-9223372036854775808"],
    ["Double", "NaN", "NaN"],
    ["Double", "Infinity", "Infinity"],
    ["Double", "-Infinity", "-Infinity"],
    ["Double", 2.5, "2.5"],
    ["DateTime", "2021-05-26T15:48:10.6785697Z", "2021-05-26T15:48:10.6785697Z"],
    ["DateTime", "2021-05-26T15:48:10.0000001Z", "2021-05-26T15:48:10.0000001Z"],
    ["DateTime", "2021-05-26T15:48:10.5000000Z", "2021-05-26T15:48:10.5Z"],
    ["DateTime", "2021-05-26T15:48:10.0000000Z", "2021-05-26T15:48:10Z"],
    ["DateTime", "1601-01-01T00:00:00Z", "1601-01-01T00:00:00Z"],
    ["DateTime", "9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.9999999Z"],
    ["DateTime", "2021-05-26T15:48:10.25+02:00", "2021-05-26T13:48:10.25Z"],
    ["Guid", "c9da6455-213d-42c9-9a79-3e9149a57833", "c9da6455-213d-42c9-9a79-3e9149a57833"],
    ["Guid", "C9DA6455-213D-42C9-9A79-3E9149A57833", "c9da6455-213d-42c9-9a79-3e9149a57833"],
    ["Binary", "AP8Q", "AP8Q"],
  ];
  for (const [type, sent, read] of kTyped) {
    it(`Edm.${type} ${sent} reads back as ${read}`, async () => {
      assert.deepEqual(await roundTrip({ type, value: sent }, { disableTypeConversion: true }), {
        type,
        value: read,
      });
    });
  }

  it("a whole double stays a double on the wire", async () => {
    await table.createEntity({ partitionKey: "p", rowKey: "whole", value: { type: "Double", value: 5 } });
    const answer = await server.fetch("GET", `${table.tableName}(PartitionKey='p',RowKey='whole')`, {
      headers: { accept: "application/json;odata=nometadata" },
    });
    assert.match(await answer.text(), /"value":5\.0[,}]/);
  });

  for (const [type, value, code] of [
    ["Int64", "9223372036854775808", "InvalidInput"],
    ["Int64", "12x", "InvalidInput"],
    ["Int64", "", "InvalidInput"],
    ["Double", "1,5", "InvalidInput"],
    ["DateTime", "yesterday", "InvalidInput"],
    ["DateTime", 12345, "InvalidInput"],
    ["DateTime", "2021-02-30T00:00:00Z", "InvalidInput"],
    ["DateTime", "1600-12-31T23:59:59.999Z", "OutOfRangeInput"],
    ["DateTime", "0001-01-01T00:00:00Z", "OutOfRangeInput"],
    ["Guid", "not-a-guid", "InvalidInput"],
    ["Guid", "{c9da6455-213d-42c9-9a79-3e9149a57833}", "InvalidInput"],
    ["Binary", "&&&&", "InvalidInput"],
  ]) {
    it(`Edm.${type} ${JSON.stringify(value)} is refused`, () =>
      refused(table.createEntity({ partitionKey: "p", rowKey: "bad", value: { type, value } }), 400, code));
  }

  it("a whole number beyond Int32 is kept as a Double, such as Date.now()", async () => {
    for (const [rowKey, value] of [["near", 2147483648], ["now", 1498179600055], ["far", 2 ** 53]]) {
      await table.createEntity({ partitionKey: "numbers", rowKey, value });
      assert.equal((await table.getEntity("numbers", rowKey)).value, value);
    }
    const answer = await server.fetch("GET", `${table.tableName}(PartitionKey='numbers',RowKey='now')`, {
      headers: { accept: "application/json;odata=nometadata" },
    });
    assert.match(await answer.text(), /"value":1498179600055\.0}/);
  });
});
