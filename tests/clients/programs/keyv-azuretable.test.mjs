// keyv with keyv-azuretable: a namespace is a partition.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import Keyv from "keyv";
import keyvAzureTable from "keyv-azuretable";
import { startServer } from "../../support/server.mjs";

const server = await startServer();
after(() => server.stop());

describe("keyv-azuretable", () => {
  const tableName = server.newTableName("keyv");
  const adapter = (namespace) =>
    new keyvAzureTable.AzureTableAdapter({
      connectionString: server.connectionString,
      tableName,
      namespace,
      clientOptions: { allowInsecureConnection: true },
    });
  let namespaces = 0;
  const newKeyv = (options) => new Keyv({ ...adapter(`namespace ${(namespaces += 1)}`).getKeyvConfig(), ...options });
  before(() => adapter().createTable());

  it("a table that is there is created without an error", async () => {
    await adapter().createTable();
  });

  it("values of all kinds are kept", async () => {
    const keyv = newKeyv();
    for (const value of ["text", "", "日本 'quoted' \"\\\n", 42, -0.5, true, false, null, [1, [2]], { a: { b: "c" } }]) {
      assert.equal(await keyv.set("key", value), true);
      assert.deepEqual(await keyv.get("key"), value);
    }
    await keyv.set("key", Buffer.from([0, 1, 255]));
    assert.deepEqual(await keyv.get("key"), Buffer.from([0, 1, 255]));
  });

  it("a key that is not there is undefined", async () => {
    const keyv = newKeyv();
    assert.equal(await keyv.get("nothing"), undefined);
    assert.equal(await keyv.has("nothing"), false);
  });

  it("keys of any script are keys", async () => {
    const keyv = newKeyv();
    const keys = ["it's", "a:b", "Владимир", "100%", "a+b&c=d", "😀", " "];
    for (const key of keys) await keyv.set(key, key);
    for (const key of keys) assert.equal(await keyv.get(key), key);
    assert.deepEqual(await keyv.get(keys), keys);
  });

  it("a key is deleted", async () => {
    const keyv = newKeyv();
    await keyv.set("key", 1);
    assert.equal(await keyv.has("key"), true);
    assert.equal(await keyv.delete("key"), true);
    assert.equal(await keyv.get("key"), undefined);
  });

  it("several keys are asked for and deleted at once", async () => {
    const keyv = newKeyv();
    await keyv.set("a", 1);
    await keyv.set("c", 3);
    assert.deepEqual(await keyv.get(["a", "b", "c"]), [1, undefined, 3]);
    assert.equal(await keyv.delete(["a", "c"]), true);
    assert.deepEqual(await keyv.get(["a", "c"]), [undefined, undefined]);
  });

  it("deleting a key that is not there is told as an error", async () => {
    const keyv = newKeyv();
    const told = [];
    keyv.on("error", (error) => told.push(error.statusCode));
    await assert.rejects(keyv.delete("nothing"), { statusCode: 404 });
    assert.deepEqual(told, [404]);
  });

  it("a value lives as long as it was given", async () => {
    const keyv = newKeyv();
    await keyv.set("short", "x", 30);
    await keyv.set("long", "y", 60_000);
    await sleep(50); // the clock of the value began before
    assert.equal(await keyv.get("short"), undefined);
    assert.equal(await keyv.has("short"), false); // removed by who asked for it
    assert.equal(await keyv.get("long"), "y");
  });

  it("a default of how long values live", async () => {
    const keyv = newKeyv({ ttl: 60_000 });
    await keyv.set("key", "x");
    assert.ok((await keyv.get("key", { raw: true })).expires > Date.now());
  });

  it("namespaces share nothing", async () => {
    const [one, other] = [newKeyv(), newKeyv()];
    await one.set("key", "one");
    await other.set("key", "other");
    assert.equal(await one.get("key"), "one");
    await one.clear();
    assert.equal(await one.get("key"), undefined);
    assert.equal(await other.get("key"), "other");
  });

  it("a namespace of 230 keys is cleared", async () => {
    const keyv = newKeyv();
    const keys = Array.from({ length: 230 }, (_, i) => `key ${i}`);
    await Promise.all(keys.map((key) => keyv.set(key, key)));
    assert.deepEqual(await keyv.get(keys), keys);
    await keyv.clear();
    assert.deepEqual(await keyv.get(keys), keys.map(() => undefined));
    await keyv.clear(); // of nothing
  });
});
