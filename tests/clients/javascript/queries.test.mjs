// Queries through the SDK: $filter, $select, order and paging.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { odata } from "@azure/data-tables";
import { collect, refused, startServer } from "./server.mjs";

const server = await startServer();
after(() => server.stop());

const kGuid = "c9da6455-213d-42c9-9a79-3e9149a57833";

describe("$filter", () => {
  let table;
  before(async () => {
    table = await server.newTable();
    // Row n holds the nth value of each type; row "void" holds no property at all.
    const rows = [1, 2, 3].map((n) => ({
      partitionKey: n < 3 ? "a" : "b",
      rowKey: `r${n}`,
      Text: ["Apple", "apple", "it's"][n - 1],
      Flag: n === 2,
      Small: n - 2,
      Large: BigInt(n) * 9007199254740993n,
      Ratio: { type: "Double", value: n / 2 },
      When: { type: "DateTime", value: `2021-05-26T15:48:10.678569${n}Z` },
      Id: { type: "Guid", value: `${n}9da6455-213d-42c9-9a79-3e9149a57833` },
      Bytes: Uint8Array.from([0, n]),
    }));
    rows.push({ partitionKey: "b", rowKey: "void" });
    for (const row of rows) await table.createEntity(row);
  });

  const keysOf = async (filter) =>
    (await collect(table.listEntities({ queryOptions: { filter } }))).map((row) => row.rowKey).join(" ");

  const kOperators = [
    ["eq", "r2"],
    ["ne", "r1 r3"],
    ["lt", "r1"],
    ["le", "r1 r2"],
    ["gt", "r3"],
    ["ge", "r2 r3"],
  ];
  // The second row's value as a literal of each type.
  const kLiterals = [
    ["Small", "0"],
    ["Large", "18014398509481986L"],
    ["Ratio", "1.0"],
    ["Ratio", "1e0"],
    ["Ratio", "1"],
    ["When", "datetime'2021-05-26T15:48:10.6785692Z'"],
    ["Id", "guid'29da6455-213d-42c9-9a79-3e9149a57833'"],
    ["Bytes", "X'0002'"],
    ["Bytes", "binary'0002'"],
    ["Text", "'apple'"],
  ];
  for (const [property, literal] of kLiterals) {
    for (const [operator, expected] of kOperators) {
      it(`${property} ${operator} ${literal}`, async () => {
        assert.equal(await keysOf(`${property} ${operator} ${literal}`), expected);
      });
    }
  }

  const kMirrored = { eq: "eq", ne: "ne", lt: "gt", le: "ge", gt: "lt", ge: "le" };
  for (const [operator, expected] of kOperators) {
    it(`the constant may stand on the left: 0 ${kMirrored[operator]} Small`, async () => {
      assert.equal(await keysOf(`0 ${kMirrored[operator]} Small`), expected);
    });
  }

  const kCases = [
    ["", "r1 r2 r3 void"],
    ["true", "r1 r2 r3 void"],
    ["false", ""],
    ["Flag eq true", "r2"],
    ["Flag eq false", "r1 r3"],
    ["Flag ne true", "r1 r3"],
    ["Flag", "r2"],
    ["not Flag", "r1 r3 void"],
    ["not (Small eq 0)", "r1 r3 void"],
    ["not(Small ne 0)", "r2 void"],
    ["Small ge 0 and Flag eq false", "r3"],
    ["Small lt 0 or Flag eq true", "r1 r2"],
    // 'and' binds tighter than 'or'.
    ["Small eq -1 or Small eq 0 and Flag eq false", "r1"],
    ["(Small eq -1 or Small eq 0) and Flag eq false", "r1"],
    ["(Small eq -1 or Small eq 0) and Flag eq true", "r2"],
    ["not (Small eq -1) and not (Small eq 0)", "r3 void"],
    ["((((Small eq 1))))", "r3"],
    ["Text eq 'it''s'", "r3"],
    ["Text ge 'apple' and Text lt 'applf'", "r2"],
    ["Text eq 'APPLE'", ""],
    ["PartitionKey eq 'a'", "r1 r2"],
    ["PartitionKey ne 'a'", "r3 void"],
    ["PartitionKey gt 'a'", "r3 void"],
    ["PartitionKey eq 'a' and RowKey eq 'r2'", "r2"],
    ["PartitionKey eq 'a' and RowKey gt 'r1'", "r2"],
    ["PartitionKey ge 'a' and PartitionKey lt 'b'", "r1 r2"],
    ["RowKey ge 'r' and RowKey lt 's'", "r1 r2 r3"],
    ["RowKey gt 'u' or (PartitionKey eq 'a' and RowKey eq 'r1')", "r1 void"],
    ["(PartitionKey eq 'a' and RowKey eq 'r1') or (PartitionKey eq 'b' and RowKey eq 'r3')", "r1 r3"],
    ["Timestamp gt datetime'2020-01-01T00:00:00Z'", "r1 r2 r3 void"],
    ["Timestamp lt datetime'2020-01-01T00:00:00Z'", ""],
    // A property that is not there fails every comparison.
    ["Absent eq 1", ""],
    ["Absent ne 1", ""],
    ["not (Absent eq 1)", "r1 r2 r3 void"],
    // A literal is widened to the type of the property, never the other way; another type is not equal.
    ["Large eq 0", ""],
    ["Small eq 0L", ""],
    ["Small eq 0.0", ""],
    ["Small eq '0'", ""],
    ["Small ne '0'", "r1 r2 r3"],
    [`Id eq '29da6455-213d-42c9-9a79-3e9149a57833'`, ""],
  ];
  for (const [filter, expected] of kCases) {
    it(`'${filter}' finds '${expected}'`, async () => assert.equal(await keysOf(filter), expected));
  }

  it("the odata tag quotes what needs quotes", async () => {
    assert.equal(await keysOf(odata`Text eq ${"it's"}`), "r3");
    assert.equal(await keysOf(odata`When lt ${new Date("2021-05-26T15:48:10.679Z")}`), "r1 r2 r3");
    assert.equal(await keysOf(odata`Small eq ${1} and Flag eq ${false}`), "r3");
  });

  for (const filter of [
    "aaa bbb ccc",
    "PartitionKey eq null",
    "PartitionKey eq 12345",
    "(PartitionKey ) and (RowKey ge 'x')",
    "Small eq",
    "eq 1",
    "Small eq 'x",
    "(Small eq 1",
    "Small eq 1)",
    "Small == 1",
    "When eq datetime'nonsense'",
    `Id eq guid'${kGuid.slice(1)}'`,
    "Bytes eq X'0'",
  ]) {
    it(`'${filter}' is refused`, () =>
      refused(table.listEntities({ queryOptions: { filter } }).next(), 400, "InvalidInput"));
  }

  for (const filter of ["startswith(PartitionKey,'a')", "substringof('a',Text)"]) {
    it(`'${filter}' is not implemented`, () =>
      refused(table.listEntities({ queryOptions: { filter } }).next(), 501, "NotImplemented"));
  }

  it("a filter of many kilobytes works", async () => {
    const terms = Array.from({ length: 400 }, (_, i) => `RowKey eq 'absent-row-number-${i}'`);
    assert.equal(await keysOf([...terms, "RowKey eq 'r3'"].join(" or ")), "r3");
  });
});

describe("$select", () => {
  let table;
  before(async () => {
    table = await server.newTable();
    await table.createEntity({ partitionKey: "p", rowKey: "r", a: 1, b: 2n, c: "three" });
  });

  const kCases = [
    [["a"], { a: 1 }],
    [["a", "b"], { a: 1, b: 2n }],
    [["rowKey", "c"], { rowKey: "r", c: "three" }],
    [["partitionKey", "rowKey"], { partitionKey: "p", rowKey: "r" }],
    [["a", "missing"], { a: 1, missing: null }],
    [["A"], { A: null }],
  ];
  for (const [select, expected] of kCases) {
    it(`${select} gives just these, null for what is missing`, async () => {
      const found = await collect(table.listEntities({ queryOptions: { select } }));
      const one = await table.getEntity("p", "r", { queryOptions: { select } });
      for (const entity of [...found, one]) {
        assert.match(entity.etag, /^W\//);
        for (const name of ["odata.metadata", "etag"]) delete entity[name];
        assert.deepEqual(entity, expected);
      }
      assert.equal(found.length, 1);
    });
  }

  it("* selects all", async () => {
    const one = await table.getEntity("p", "r", { queryOptions: { select: ["*"] } });
    assert.deepEqual([one.partitionKey, one.rowKey, one.a, one.b, one.c], ["p", "r", 1, 2n, "three"]);
  });
});

describe("paging", () => {
  const kPartitions = 5;
  const kRowsPerPartition = 500;
  let table;
  const expected = [];
  before(async () => {
    table = await server.newTable();
    for (let p = 0; p < kPartitions; p += 1) {
      const partitionKey = `partition ${p}`;
      const rows = Array.from({ length: kRowsPerPartition }, (_, i) => ({
        partitionKey,
        rowKey: `${String(i).padStart(5, "0")}`,
        even: i % 2 === 0,
      }));
      expected.push(...rows);
      for (let i = 0; i < rows.length; i += 100) {
        // In reverse, so that the order of the answer is not that of the insertion.
        const actions = rows
          .slice(i, i + 100)
          .reverse()
          .map((row) => ["create", row]);
        await table.submitTransaction(actions);
      }
    }
  });

  const keyOf = ({ partitionKey, rowKey }) => `${partitionKey}|${rowKey}`;
  const expectedKeys = () => expected.map(keyOf);

  it("all 2,500 entities come in key order, 1,000 a page", async () => {
    assert.deepEqual((await collect(table.listEntities())).map(keyOf), expectedKeys());
    const pages = await collect(table.listEntities().byPage());
    assert.deepEqual(
      pages.map((page) => page.length),
      [1000, 1000, 500],
    );
  });

  it("the page size is kept across partitions, and a token resumes anywhere", async () => {
    const pages = await collect(table.listEntities().byPage({ maxPageSize: 333 }));
    assert.deepEqual(
      pages.map((page) => page.length),
      [333, 333, 333, 333, 333, 333, 333, 169],
    );
    assert.deepEqual(pages.flat().map(keyOf), expectedKeys());
    const rest = await collect(
      table.listEntities().byPage({ maxPageSize: 1000, continuationToken: pages[4].continuationToken }),
    );
    assert.deepEqual(rest.flat().map(keyOf), expectedKeys().slice(5 * 333));
  });

  it("a page that ends with the last row has no token", async () => {
    const filter = odata`PartitionKey eq ${"partition 2"}`;
    const pages = await collect(
      table.listEntities({ queryOptions: { filter } }).byPage({ maxPageSize: 250 }),
    );
    assert.deepEqual(
      pages.map((page) => page.length),
      [250, 250],
    );
    assert.equal(pages[1].continuationToken, undefined);
  });

  it("a filter is applied before the page is counted", async () => {
    const filter = "even eq true";
    const pages = await collect(
      table.listEntities({ queryOptions: { filter } }).byPage({ maxPageSize: 600 }),
    );
    assert.deepEqual(pages.flat().map(keyOf), expected.filter((row) => row.even).map(keyOf));
    assert.deepEqual(pages.map((page) => page.length).filter(Boolean), [600, 600, 50]);
  });

  it("rows deleted and inserted between two pages neither stop nor repeat the listing", async () => {
    const partitionKey = "moving";
    for (let i = 0; i < 6; i += 1) await table.createEntity({ partitionKey, rowKey: `${i}` });
    const filter = odata`PartitionKey eq ${partitionKey}`;
    const { value: first } = await table
      .listEntities({ queryOptions: { filter } })
      .byPage({ maxPageSize: 2 })
      .next();
    await table.deleteEntity(partitionKey, "2");
    await table.createEntity({ partitionKey, rowKey: "0x" });
    await table.createEntity({ partitionKey, rowKey: "4x" });
    const rest = await collect(
      table
        .listEntities({ queryOptions: { filter } })
        .byPage({ maxPageSize: 2, continuationToken: first.continuationToken }),
    );
    assert.deepEqual(
      rest.flat().map((row) => row.rowKey),
      ["3", "4", "4x", "5"],
    );
    for (const rowKey of ["0", "0x", "1", "3", "4", "4x", "5"])
      await table.deleteEntity(partitionKey, rowKey);
  });

  it("keys sort by UTF-16 code unit", async () => {
    const other = await server.newTable();
    const keys = ["", " ", "A", "B", "Z", "a", "b", "bB", "bb", "é", "漢", "😀", "\uE000", "\uFF21"];
    for (const rowKey of [...keys].reverse()) await other.createEntity({ partitionKey: "p", rowKey });
    const pages = await collect(other.listEntities().byPage({ maxPageSize: 1 }));
    assert.deepEqual(
      pages.flat().map((row) => row.rowKey),
      keys,
    );
    const partitions = await server.newTable();
    for (const partitionKey of [...keys].reverse())
      await partitions.createEntity({ partitionKey, rowKey: "" });
    const paged = await collect(partitions.listEntities().byPage({ maxPageSize: 1 }));
    assert.deepEqual(
      paged.flat().map((row) => row.partitionKey),
      keys,
    );
  });

  it("a page of size 0 is empty, and the only one", async () => {
    const pages = [];
    for await (const page of table.listEntities().byPage({ maxPageSize: 0 })) {
      pages.push([...page]);
      if (pages.length > 1) break; // who sends tokens here sends them for ever
    }
    assert.deepEqual(pages, [[]]);
  });

  for (const top of [-1, 1001]) {
    it(`a page size of ${top} is refused`, () =>
      refused(table.listEntities().byPage({ maxPageSize: top }).next(), 400, "InvalidInput"));
  }
});
