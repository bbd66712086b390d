// What the explorer offers as code does what the query does, whatever its texts contain: the code is run.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { connectionStrings } from "../../../server/explorer/entities/snippets.js";
import { codeOf, startCodeRunner } from "./code_runner.mjs";
import { startExplorerServer } from "./harness.mjs";

const kHostile = [
  "it's", "two '' quotes'", 'say "hi"', "back\\slash \\n \\u0041", "\\", "line\nfeed", "line\r\nfeed", "\ttab",
  "$HOME `id` $(id) !1", "%20 %27 a&b=c#d?e+f", "ü € 日本", "😀", "\u202egpj", "\u2028\u2029", "\u0001\u007f\u0085",
  "{0} ${x} {name}", "@parameter", "' or 1 eq 1 or '", "</script>", "*/ -- #",
];
const rowOf = (i) => `row-${i}`;

let server, runner;

before(async () => {
  server = await startExplorerServer();
  await server.createTable("orders");
  for (const [i, Text] of kHostile.entries())
    await server.insert("orders", { PartitionKey: "p", RowKey: rowOf(i), Text, Other: i });
  runner = await startCodeRunner();
});

after(async () => {
  await server?.stop();
  await runner?.stop();
});

const codeOfQuery = (language, query) => codeOf(server, language, { table: "orders", ...query });

const rowsIn = (output) => [...new Set(output.match(/row-\d+/g))];
const filterOf = (text) => `Text eq '${text.replaceAll("'", "''")}'`;

for (const language of ["curl", "JavaScript", "Python"]) {
  describe(`The query as ${language}`, () => {
    test("finds what the filter finds", { timeout: 120_000 }, async (t) => {
      if (!runner.has(language)) return t.skip(`no SDK for ${language}`);
      for (const [i, text] of kHostile.entries()) {
        const output = await runner.outputOf(language, codeOfQuery(language, { filter: filterOf(text) }));
        assert.deepEqual(rowsIn(output), [rowOf(i)], JSON.stringify(text));
      }
    });

    test("has the selected properties alone", async (t) => {
      if (!runner.has(language)) return t.skip(`no SDK for ${language}`);
      const query = { filter: "Other eq 5", select: " RowKey, Other" };
      const output = await runner.outputOf(language, codeOfQuery(language, query));
      assert.deepEqual(rowsIn(output), [rowOf(5)]);
      assert.match(output, /Other/);
      assert.doesNotMatch(output, /Text|feed/);
    });

    test("may have neither filter nor select, and a size of pages", async (t) => {
      if (!runner.has(language)) return t.skip(`no SDK for ${language}`);
      const output = await runner.outputOf(language, codeOfQuery(language, { filter: "", select: "", top: 7 }));
      assert.equal(rowsIn(output).length, language === "curl" ? 7 : kHostile.length);
    });
  });
}

describe("The query as .NET", () => {
  test("has the filter as a literal of C#", () => {
    for (const text of kHostile) {
      const filter = filterOf(text);
      const code = codeOfQuery(".NET", { filter });
      const [literal] = /(?<=filter: )"(?:[^"\\]|\\.)*"/.exec(code);
      assert.match(code, /^[\n\x20-\x7e]*$/, "a source file in any encoding");
      assert.equal(JSON.parse(literal), filter); // what JSON escapes, C# reads likewise
    }
  });
});

describe("Connection strings", () => {
  test("are short for the well-known account at its usual address", () => {
    const of = { account: "devstoreaccount1", keyIsPublic: true };
    const [first] = connectionStrings({ ...of, endpoint: "http://127.0.0.1:10002/devstoreaccount1" });
    assert.equal(first.text, "UseDevelopmentStorage=true");
    const [other] = connectionStrings({ ...of, endpoint: "http://127.0.0.1:10003/devstoreaccount1" });
    assert.match(other.text, /^DefaultEndpointsProtocol=http;.*TableEndpoint=http:\/\/127\.0\.0\.1:10003\/devst/);
  });

  test("have no key that is not public", () => {
    const of = { account: "orders", keyIsPublic: false, endpoint: "https://localhost:10002/orders" };
    const [{ text }] = connectionStrings(of);
    assert.equal(text, "DefaultEndpointsProtocol=https;AccountName=orders;AccountKey=KEY;" +
      "TableEndpoint=https://localhost:10002/orders;");
  });
});
