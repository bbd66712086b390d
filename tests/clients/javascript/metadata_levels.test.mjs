// What the three metadata levels annotate, in single entities and in sets.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startServer } from "./server.mjs";

const server = await startServer();
after(() => server.stop());

const kOwn = {
  Text: "it's",
  Flag: true,
  Small: 42,
  "Large@odata.type": "Edm.Int64",
  Large: "5432873627392",
  Ratio: 4.81516,
  "Bytes@odata.type": "Edm.Binary",
  Bytes: "U2FtcGxl",
  "Id@odata.type": "Edm.Guid",
  Id: "dd3cb8f8-93b7-44e2-b74a-c0aa3b27a6d2",
  "When@odata.type": "Edm.DateTime",
  When: "2014-05-07T08:20:53Z",
  "Nothing@odata.type": "Edm.Double",
  Nothing: "NaN",
};
const kBare = Object.fromEntries(Object.entries(kOwn).filter(([name]) => !name.includes("@")));

describe("metadata levels", () => {
  let table;
  let name;
  let one;
  before(async () => {
    table = await server.newTable();
    name = table.tableName;
    one = `${name}(PartitionKey='p''k',RowKey='r%20k')`;
    const inserted = await server.fetch("POST", name, {
      body: JSON.stringify({ PartitionKey: "p'k", RowKey: "r k", ...kOwn }),
      headers: { accept: "application/json;odata=nometadata", prefer: "return-no-content" },
    });
    assert.equal(inserted.status, 204);
  });

  const get = async (resource, level) => {
    const accept = level ? `application/json;odata=${level}` : "application/json";
    const answer = await server.fetch("GET", resource, { headers: { accept } });
    assert.equal(answer.status, 200);
    assert.equal(
      answer.headers.get("content-type"),
      `application/json;odata=${level ?? "minimalmetadata"};streaming=true;charset=utf-8`,
    );
    return { etag: answer.headers.get("etag"), body: await answer.json() };
  };
  // Order matters too: annotations stand before what they describe.
  const same = (actual, expected) => {
    assert.deepEqual(actual, expected);
    assert.deepEqual(Object.keys(actual), Object.keys(expected));
  };
  const keys = { PartitionKey: "p'k", RowKey: "r k" };
  const timestampOf = (etag) => decodeURIComponent(etag).slice("W/\"datetime'".length, -2);

  it("nometadata has the properties alone", async () => {
    const { etag, body } = await get(one, "nometadata");
    same(body, { ...keys, Timestamp: timestampOf(etag), ...kBare });
    same((await get(`${name}()`, "nometadata")).body, { value: [body] });
  });

  for (const level of ["minimalmetadata", undefined]) {
    it(`${level ?? "no level"} adds the context, the ETag and the types JSON cannot tell`, async () => {
      const { etag, body } = await get(one, level);
      const entity = { "odata.etag": etag, ...keys, Timestamp: timestampOf(etag), ...kOwn };
      const context = `${server.endpoint}/$metadata#${name}`;
      same(body, { "odata.metadata": `${context}/@Element`, ...entity });
      same((await get(`${name}()`, level)).body, { "odata.metadata": context, value: [entity] });
    });
  }

  it("fullmetadata adds the type, the id, the edit link and the type of the timestamp", async () => {
    const { etag, body } = await get(one, "fullmetadata");
    const entity = {
      "odata.type": `${server.account}.${name}`,
      "odata.id": `${server.endpoint}/${one}`,
      "odata.etag": etag,
      "odata.editLink": one,
      ...keys,
      "Timestamp@odata.type": "Edm.DateTime",
      Timestamp: timestampOf(etag),
      ...kOwn,
    };
    const context = `${server.endpoint}/$metadata#${name}`;
    same(body, { "odata.metadata": `${context}/@Element`, ...entity });
    same((await get(`${name}()`, "fullmetadata")).body, { "odata.metadata": context, value: [entity] });
  });

  it("$format overrides Accept", async () => {
    const answer = await server.fetch("GET", `${one}?$format=application/json;odata=nometadata`, {
      headers: { accept: "application/json;odata=fullmetadata" },
    });
    assert.equal("odata.metadata" in (await answer.json()), false);
  });

  it("$select is named in the context", async () => {
    const context = `${server.endpoint}/$metadata#${name}`;
    const { etag, body } = await get(`${one}?$select=Small,Absent`, "minimalmetadata");
    same(body, {
      "odata.metadata": `${context}/@Element&$select=Small,Absent`,
      "odata.etag": etag,
      Small: 42,
      Absent: null,
    });
    same((await get(`${name}()?$select=Small`, "minimalmetadata")).body, {
      "odata.metadata": `${context}&$select=Small`,
      value: [{ "odata.etag": etag, Small: 42 }],
    });
  });

  it("the SDK's typed view tells every type that is annotated", async () => {
    const entity = await table.getEntity("p'k", "r k", { disableTypeConversion: true });
    assert.deepEqual(entity.Large, { type: "Int64", value: kOwn.Large });
    assert.deepEqual(entity.Bytes, { type: "Binary", value: kOwn.Bytes });
    assert.deepEqual(entity.Id, { type: "Guid", value: kOwn.Id });
    assert.deepEqual(entity.When, { type: "DateTime", value: kOwn.When });
    assert.deepEqual(entity.Nothing, { type: "Double", value: "NaN" });
    assert.deepEqual(entity.Small, { type: "Int32", value: "42" });
  });

  const kTable = (level) =>
    ({
      nometadata: {},
      minimalmetadata: {},
      fullmetadata: {
        "odata.type": `${server.account}.Tables`,
        "odata.id": `${server.endpoint}/Tables('${name}')`,
        "odata.editLink": `Tables('${name}')`,
      },
    })[level];
  for (const level of ["nometadata", "minimalmetadata", "fullmetadata"]) {
    it(`a table has its annotations with ${level}`, async () => {
      const context =
        level === "nometadata" ? [] : [["odata.metadata", `${server.endpoint}/$metadata#Tables`]];
      const item = { ...kTable(level), TableName: name };
      const listed = (await get(`Tables?$filter=TableName%20eq%20'${name}'`, level)).body;
      same(listed, { ...Object.fromEntries(context), value: [item] });
      const found = (await get(`Tables('${name}')`, level)).body;
      const element = Object.fromEntries(context.map(([key, value]) => [key, `${value}/@Element`]));
      same(found, { ...element, ...item });
    });
  }
});
