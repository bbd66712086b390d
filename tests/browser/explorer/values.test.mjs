// Values between annotated JSON and what a person types, without a browser.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseAnnotated, propertiesOf, setProperty, textOf, typeOf, valueOf } from
  "../../../server/explorer/entities/values.js";

const value = (type, text) => {
  const read = valueOf(`Edm.${type}`, text);
  assert.equal(read.problem, undefined, `${type} ${text}`);
  return read.value;
};
const refused = (type, ...texts) => {
  for (const text of texts)
    assert.match(valueOf(`Edm.${type}`, text).problem ?? "", /\w+.*\.$/, `${type} ${text}`);
};

describe("What a person types", () => {
  test("is an integer within its range, exactly", () => {
    assert.equal(value("Int32", " -2147483648 "), -2147483648);
    assert.equal(value("Int32", "+7"), 7);
    assert.equal(value("Int64", "-9223372036854775808"), "-9223372036854775808");
    assert.equal(value("Int64", "9007199254740993"), "9007199254740993");
    refused("Int32", "2147483648", "-2147483649", "1.5", "", "1e3", "0x10", "1,000");
    refused("Int64", "9223372036854775808", "1L", "");
  });

  test("is a double, with those that JSON has no numbers for", () => {
    assert.equal(value("Double", "3"), 3);
    assert.equal(value("Double", ".5e-3"), 0.0005);
    for (const text of ["NaN", "Infinity", "-Infinity"]) assert.equal(value("Double", text), text);
    assert.equal(value("Double", "-0"), "-0.0");
    refused("Double", "1e400", "1,5", "", "0x10", "one");
  });

  test("is a date, kept to seven digits, in UTC", () => {
    assert.equal(value("DateTime", "2026-11-20"), "2026-11-20T00:00:00Z");
    assert.equal(value("DateTime", "2026-11-20 08:30"), "2026-11-20T08:30:00Z");
    assert.equal(value("DateTime", "2026-11-20T08:30:00.1234567Z"), "2026-11-20T08:30:00.1234567Z");
    assert.equal(value("DateTime", "2026-01-01T00:30:00.5+02:00"), "2025-12-31T22:30:00.5Z");
    assert.equal(value("DateTime", "1601-01-01T00:00:00Z"), "1601-01-01T00:00:00Z");
    assert.equal(value("DateTime", "1970-01-01"), "1970-01-01T00:00:00Z");
    refused("DateTime", "2026-02-30", "2026-13-01", "2026-01-01T24:00:00Z", "1600-12-31", "now", "");
  });

  test("is a Guid, a Binary or a Boolean in its form", () => {
    const guid = "c9da6455-213d-42c9-9a79-3e9149a57833";
    assert.equal(value("Guid", `{${guid.toUpperCase()}}`), guid);
    assert.equal(value("Guid", guid.replaceAll("-", "")), guid);
    assert.equal(value("Binary", "AQ ID\n"), "AQID");
    assert.equal(value("Binary", ""), "");
    assert.equal(value("Boolean", "TRUE"), true);
    refused("Guid", "", "c9da6455", `${guid}0`);
    refused("Binary", "AQ", "A===", "AQI-", "A_ID");
    refused("Boolean", "", "yes", "1");
  });
});

describe("What the service answers", () => {
  test("keeps doubles apart from integers, and -0 from 0", () => {
    const { value: [entity] } = parseAnnotated(
      '{"odata.metadata":"u","value":[{"odata.type":"a","odata.id":"u","odata.etag":"W/\\"1\\"",' +
      '"PartitionKey":"odata.id","A":3.0,"B":3,"C":-0.0,"D":1E+300,"E":"\\"F\\":2.0","G":true,' +
      '"N@odata.type":"Edm.Double","N":"NaN","L@odata.type":"Edm.Int64","L":"9007199254740993"}]}');
    assert.deepEqual(Object.keys(entity).filter((name) => name.startsWith("odata")), ["odata.etag"]);
    const told = propertiesOf(entity)
      .map((name) => `${name} ${typeOf(entity, name)} ${textOf(entity, name)}`);
    assert.deepEqual(told, [
      "A Edm.Double 3", "B Edm.Int32 3", "C Edm.Double -0.0", "D Edm.Double 1e+300", 'E Edm.String "F":2.0',
      "G Edm.Boolean true", "N Edm.Double NaN", "L Edm.Int64 9007199254740993",
    ]);
    assert.equal(entity.E, '"F":2.0');
  });

  test("may have properties that every object seems to have", () => {
    const entity = parseAnnotated('{"__proto__":1.0,"PartitionKey":"p"}');
    assert.equal(typeOf(entity, "__proto__"), "Edm.Double");
    assert.deepEqual([textOf(entity, "__proto__"), textOf(entity, "constructor")], ["1", ""]);
    setProperty(entity, "__proto__", "Edm.Int32", 2);
    assert.equal(JSON.stringify(entity), '{"__proto__":2,"PartitionKey":"p"}');
  });
});
