// The parts of the core that need no page: addresses, numbers, hostile text, folds.
import assert from "node:assert/strict";
import { describe, test } from "node:test";

const kRoot = new URL("../../../server/explorer/", import.meta.url);
const { about, bytes, count, milliseconds, percent, shown } = await import(new URL("core/format.js", kRoot));
const { linkTo, readAddress } = await import(new URL("core/address.js", kRoot));
const { stumbledOver } = await import(new URL("screens/plan.js", kRoot));
const { foldTables, matching } = await import(new URL("screens/fold.js", kRoot));

describe("Hostile text", () => {
  const cases = [
    ["plain", "plain"],
    ["a\u0000b", "a‹U+0000›b"],
    ["\u202eabc", "‹U+202E›abc"],
    ["line\nline", "line‹U+000A›line"],
    ["\ud800", "‹U+D800›"],
    ["😀", "😀"],
    ["\u{e0041}", "‹U+E0041›"],
    ["zero\u200bwidth\ufeff", "zero‹U+200B›width‹U+FEFF›"],
    ["<script>", "<script>"],
  ];
  for (const [text, expected] of cases)
    test(`${JSON.stringify(text)} is shown as ${expected}`, () => assert.equal(shown(text), expected));

  test("is cut at a length, with its size", () => {
    assert.equal(shown("x".repeat(32_768), 10), "xxxxxxxxxx … 32 KB");
    assert.equal(shown("ab😀", 3), "ab … 6 B", "not within a character");
  });
});

describe("Numbers", () => {
  test("are as people read them", () => {
    assert.deepEqual([0, 999, 12_480].map(count), ["0", "999", "12,480"]);
    assert.deepEqual([999, 12_480, 1_200_000].map(about), ["999", "12.5k", "1.2M"]);
    assert.deepEqual([0, 1023, 1024, 9_100_000].map(bytes), ["0 B", "1023 B", "1 KB", "8.7 MB"]);
    assert.deepEqual([0.103, 2.14, 340, 12_345].map(milliseconds), ["0.10 ms", "2.1 ms", "340 ms", "12 s"]);
    assert.deepEqual([0, 0.00001, 0.002, 0.34, 1].map(percent), ["0 %", "< 0.1 %", "0.2 %", "34 %", "100 %"]);
  });
});

describe("An address", () => {
  test("brings back what was put in", () => {
    const parameters = { filter: "PartitionKey eq 'a/b?c#d&e=ü'", select: "A,B" };
    assert.deepEqual(readAddress(linkTo("/acc/a/orders", parameters)), {
      path: ["acc", "a", "orders"],
      parameters,
    });
  });

  test("leaves out what is empty", () =>
    assert.equal(linkTo("/lab", { a: "", b: null, c: undefined }), "#/lab"));

  test("that was mistyped is read as far as it goes", () =>
    assert.deepEqual(readAddress("#/acc/%E0%A4%A"), { path: ["acc", "%E0%A4%A"], parameters: {} }));
});

describe("A list of tables", () => {
  const table = (name, entities = 1, isExact = true) => ({ name, entities, bytes: 10, isExact });

  test("folds those that differ only in digits, from three on", () => {
    const tables = [
      table("a1"),
      table("a2"),
      table("log20261120"),
      table("log20261121", 5, false),
      table("Log20261122"),
      table("z"),
    ];
    const lines = foldTables(tables);
    assert.deepEqual(
      lines.map((line) => line.table?.name ?? `${line.label} ${line.tables.length}`),
      ["a1", "a2", "log… 3", "z"],
    );
    assert.deepEqual(
      [lines[2].entities, lines[2].bytes, lines[2].isExact, lines[2].shape],
      [7, 30, false, "log#"],
    );
  });

  test("is found by parts of names, in any case", () =>
    assert.deepEqual(
      matching([table("Orders"), table("old"), table("items")], "O R").map(({ name }) => name),
      ["Orders"],
    ));
});

describe("The part of a filter that the service stumbled over", () => {
  const cases = [
    ["A eq 1 ?? 'x'", 8, "?"],
    ["A eq", 4, "eq"],
    ["A eq 'it''s' 'b", 15, "'b"],
    ["K eq 'de-03' and P gt gt 3", 26, "3"],
    ["A eq guid'zz'", 13, "'zz'"],
    ["", 0, ""],
  ];
  for (const [filter, position, part] of cases)
    test(`in ${filter} at ${position} is ${part}`, () =>
      assert.equal(filter.slice(...stumbledOver(filter, position)), part));
});
