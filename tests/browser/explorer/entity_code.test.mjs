// What the explorer offers as code of one entity stores that entity, with all types, digits and texts: it is run.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { parseAnnotated } from "../../../server/explorer/entities/values.js";
import { codeOf, startCodeRunner } from "./code_runner.mjs";
import { startExplorerServer } from "./harness.mjs";
import { typed } from "./sample.mjs";

const kHostile = [
  "it's", 'say "hi"', "back\\slash \\n \\u0041", "\\", "line\nfeed", "line\r\nfeed", "\ttab", "", " ",
  "$HOME `id` $(id) !1", "%20 %27 a&b=c#d?e+f", "ü € 日本", "😀", "\u202egpj", "\u2028\u2029", "\u0001\u007f\u0085",
  "{0} ${x} {name} %s", "</script>", "*/ -- #", "'; exit 1 #", "// at the start", "@file",
];
const kTypes = {
  Text: "text", Flag: true, Off: false, Small: -2147483648, Real: 0.1,
  ...typed("Big", "Int64", "-9223372036854775808"), ...typed("More", "Int64", "9007199254740993"),
  ...typed("Whole", "Double", "3.0"), ...typed("Zero", "Double", "-0.0"), ...typed("Large", "Double", "1e300"),
  ...typed("Least", "Double", "5e-324"), ...typed("Nothing", "Double", "NaN"),
  ...typed("Endless", "Double", "-Infinity"),
  ...typed("At", "DateTime", "2026-11-20T08:30:00.1234567Z"), ...typed("Day", "DateTime", "1601-01-01T00:00:00Z"),
  ...typed("Id", "Guid", "c9da6455-213d-42c9-9a79-3e9149a57833"), ...typed("Raw", "Binary", "AP8B/w=="),
  ...typed("Void", "Binary", ""),
};
// Names and keys may have letters of all scripts.
const kEntities = [
  { PartitionKey: "p", RowKey: "types", ...kTypes },
  { PartitionKey: "p", RowKey: "texts", ...Object.fromEntries(kHostile.map((text, i) => [`T${i}`, text])) },
  { PartitionKey: "it's & \"co\" ü €", RowKey: "$(id) 100% + 😀 `x`", Größe: "1" },
  { PartitionKey: "", RowKey: "" },
];

let server, runner;

before(async () => {
  server = await startExplorerServer();
  runner = await startCodeRunner();
});

after(async () => {
  await server?.stop();
  await runner?.stop();
});

async function stored(table) {
  const headers = { accept: "application/json;odata=fullmetadata" };
  const text = await (await server.fetch("GET", `${table}()`, { headers })).text();
  const known = /^Timestamp|^odata\./;
  return parseAnnotated(text).value.map((entity) => ({
    entity,
    values: Object.fromEntries(Object.entries(entity).filter(([name]) => !known.test(name)).sort()),
  }));
}

const codeOfEntity = (language, table, entity) => codeOf(server, language, { table, entity, isWrite: true });

describe("One entity as code", () => {
  for (const [language, options] of [["curl", " --silent --show-error --fail"], ["JavaScript", ""], ["Python", ""]]) {
    test(`is stored as it was by ${language}`, { timeout: 120_000 }, async (t) => {
      if (!runner.has(language)) return t.skip(`no SDK for ${language}`);
      const [from, to] = ["From", "To"].map((end) => language + end);
      for (const table of [from, to]) await server.createTable(table);
      await server.insert(from, ...kEntities);
      const wanted = await stored(from);
      assert.equal(wanted.length, kEntities.length);
      for (const { entity } of wanted) await runner.outputOf(language, codeOfEntity(language, to, entity) + options);
      assert.deepEqual((await stored(to)).map(({ values }) => values), wanted.map(({ values }) => values));
    });
  }

  test("has no character that a terminal, an editor or a page could take for another", async () => {
    await server.createTable("Ascii");
    await server.insert("Ascii", ...kEntities);
    for (const { entity } of await stored("Ascii"))
      for (const language of ["curl", "JavaScript", "Python", ".NET"])
        assert.match(codeOfEntity(language, "Ascii", entity), /^[\n\x20-\x7e]*$/, language);
  });
});
