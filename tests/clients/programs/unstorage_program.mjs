// What users of unstorage do, on the tables of AZURE_STORAGE_CONNECTION_STRING; for unstorage.test.mjs. Prints a line of JSON
// for each case: its name, and what went wrong or null.
import assert from "node:assert/strict";
import { createStorage, prefixStorage } from "unstorage";
import azureStorageTable from "unstorage/drivers/azure-storage-table";

const connectionString = process.env.AZURE_STORAGE_CONNECTION_STRING;
const accountName = /AccountName=([^;]*)/.exec(connectionString)[1];
let tables = 0;

// A storage whose table is there and empty.
async function newStorage(options = {}) {
  const tableName = `unstorage${process.pid}x${Date.now().toString(36)}x${(tables += 1)}`;
  const driver = azureStorageTable({ accountName, connectionString, tableName, ...options });
  await driver.getInstance().createTable();
  return createStorage({ driver });
}

const cases = {
  "keeps values of all kinds": async () => {
    const storage = await newStorage();
    for (const value of ["text", "日本 'quoted' \"\\\n", 42, -0.5, true, null, [1, [2]], { a: { b: "ç" } }]) {
      await storage.setItem("key", value);
      assert.deepEqual(await storage.getItem("key"), value);
    }
  },
  "has null for a key that is not there": async () => {
    const storage = await newStorage();
    assert.equal(await storage.getItem("nothing"), null);
    assert.equal(await storage.hasItem("nothing"), false);
    await storage.setItem("nothing", "something");
    assert.equal(await storage.hasItem("nothing"), true);
  },
  "replaces a value": async () => {
    const storage = await newStorage();
    await storage.setItem("key", { a: 1 });
    await storage.setItem("key", { b: 2 });
    assert.deepEqual(await storage.getItem("key"), { b: 2 });
  },
  "removes a value": async () => {
    const storage = await newStorage();
    await storage.setItem("a", 1);
    await storage.setItem("b", 2);
    await storage.removeItem("a");
    assert.equal(await storage.getItem("a"), null);
    assert.deepEqual(await storage.getKeys(), ["b"]);
  },
  "refuses to remove what is not there": async () => {
    const storage = await newStorage();
    await assert.rejects(storage.removeItem("nothing"), { statusCode: 404 });
  },
  "lists keys, all and those below one": async () => {
    const storage = await newStorage();
    for (const key of ["users:1:name", "users:2:name", "posts:1", "b/c", "it's"]) await storage.setItem(key, key);
    assert.deepEqual(await storage.getKeys(), ["b:c", "it's", "posts:1", "users:1:name", "users:2:name"]);
    assert.deepEqual(await storage.getKeys("users"), ["users:1:name", "users:2:name"]);
    assert.equal(await storage.getItem("b:c"), "b/c");
  },
  "lists keys page by page": async () => {
    const storage = await newStorage({ pageSize: 7 });
    const keys = Array.from({ length: 30 }, (_, i) => `key${String(i).padStart(3, "0")}`);
    await Promise.all(keys.map((key) => storage.setItem(key, key)));
    assert.deepEqual(await storage.getKeys(), keys);
  },
  "clears everything": async () => {
    const storage = await newStorage({ pageSize: 7 });
    const keys = Array.from({ length: 20 }, (_, i) => `a:${i}`);
    await Promise.all([...keys, "b:1"].map((key) => storage.setItem(key, key)));
    await storage.clear();
    assert.deepEqual(await storage.getKeys(), []);
    assert.equal(await storage.getItem("b:1"), null);
  },
  "tells when a value was written, and its ETag": async () => {
    const storage = await newStorage();
    await storage.setItem("key", 1);
    const { mtime, etag } = await storage.getMeta("key");
    assert.ok(Math.abs(mtime - Date.now()) < 900_000, mtime);
    assert.match(etag, /^W\/"datetime'.*'"$/);
    await storage.setItem("key", 2);
    assert.notEqual((await storage.getMeta("key")).etag, etag);
  },
  "keeps raw bytes": async () => {
    const storage = await newStorage();
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    await storage.setItemRaw("bytes", bytes);
    assert.deepEqual(Uint8Array.from(await storage.getItemRaw("bytes")), bytes);
  },
  "sets and gets several values at once": async () => {
    const storage = await newStorage();
    await storage.setItems([
      { key: "a", value: 1 },
      { key: "b", value: { two: 2 } },
    ]);
    assert.deepEqual(await storage.getItems(["a", "b", "c"]), [
      { key: "a", value: 1 },
      { key: "b", value: { two: 2 } },
      { key: "c", value: null },
    ]);
  },
  "takes keys of any script": async () => {
    const storage = await newStorage();
    for (const key of ["Владимир", "東京", "a b", "100%", "a+b&c=d", "😀"]) {
      await storage.setItem(key, key);
      assert.equal(await storage.getItem(key), key);
    }
  },
  "refuses a text of more than 64 KiB": async () => {
    const storage = await newStorage();
    await storage.setItem("key", "x".repeat(32768));
    assert.equal((await storage.getItem("key")).length, 32768);
    await assert.rejects(storage.setItem("key", "x".repeat(32769)), { statusCode: 400 });
  },
  "mounts one table beside another": async () => {
    const storage = await newStorage();
    const cache = await newStorage();
    storage.mount("cache", cache.getMount("").driver);
    await prefixStorage(storage, "cache").setItem("key", "cached");
    await storage.setItem("key", "kept");
    assert.equal(await storage.getItem("cache:key"), "cached");
    assert.equal(await cache.getItem("key"), "cached");
    assert.deepEqual((await storage.getKeys()).sort(), ["cache:key", "key"]);
  },
};

for (const [name, run] of Object.entries(cases)) {
  const error = await run().then(
    () => null,
    (thrown) => thrown.stack ?? String(thrown),
  );
  console.log(JSON.stringify({ name, error }));
}
