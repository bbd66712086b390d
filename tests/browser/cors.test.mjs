// What pages of another origin may do with a table, as a browser sees it: nothing until the account's CORS rules allow
// it, then exactly that. The signature in the URL is good throughout, so CORS alone decides.
// Source: learn.microsoft.com/rest/api/storageservices/cross-origin-resource-sharing--cors--support-for-the-azure-storage-services
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startServer } from "../support/server.mjs";
import { openPage, startBrowser, startSite } from "./browser.mjs";

const kEveryMethod = "DELETE,GET,HEAD,MERGE,POST,OPTIONS,PUT,PATCH";
const kJson = "application/json;odata=nometadata";
// What an SDK sends from a page. A browser asks first whether it may.
const kHeaders = { accept: kJson, "x-ms-version": "2019-02-02", prefer: "return-no-content" };

let server, site, browser, origin, table, page;

before(async () => {
  server = await startServer();
  site = await startSite();
  browser = await startBrowser();
  origin = site.origin();
});

after(async () => {
  await browser?.close();
  site?.stop();
  await server?.stop();
});

beforeEach(async () => {
  table = server.newTableName();
  await done(server.fetch("POST", "Tables", { body: JSON.stringify({ TableName: table }) }), 201);
  for (const row of ["1", "2"])
    await done(server.fetch("POST", table, { body: JSON.stringify({ PartitionKey: "p", RowKey: row }) }), 201);
  page = await openPage(browser, origin);
});

afterEach(async () => {
  await page?.close();
  await setRules();
  await done(server.fetch("DELETE", `Tables('${table}')`), 204);
});

async function done(promise, status) {
  const answer = await promise;
  assert.equal(answer.status, status, await answer.text());
}

// The rules of the account from now on; without any CORS is off.
function setRules(...rules) {
  const elements = rules.map(
    ({ origins = origin, methods = kEveryMethod, allowed = "*", exposed = "", age = 0 }) =>
      `<CorsRule><AllowedOrigins>${origins}</AllowedOrigins><AllowedMethods>${methods}</AllowedMethods>` +
      `<AllowedHeaders>${allowed}</AllowedHeaders><ExposedHeaders>${exposed}</ExposedHeaders>` +
      `<MaxAgeInSeconds>${age}</MaxAgeInSeconds></CorsRule>`,
  );
  const body = `<StorageServiceProperties><Cors>${elements.join("")}</Cors></StorageServiceProperties>`;
  const headers = { accept: "application/xml", "content-type": "application/xml" };
  return done(server.fetch("PUT", "?restype=service&comp=properties", { headers, body }), 202);
}

// An account SAS for all entities, good for an hour unless it says otherwise.
function sas(expiry = new Date(Date.now() + 3_600_000)) {
  const fields = { sv: "2019-02-02", ss: "t", srt: "sco", sp: "rwdlacu", se: expiry.toISOString().slice(0, 19) + "Z" };
  const lines = [server.account, fields.sp, fields.ss, fields.srt, "", fields.se, "", "", fields.sv, ""];
  const sig = createHmac("sha256", Buffer.from(server.key, "base64")).update(lines.join("\n")).digest("base64");
  return new URLSearchParams({ ...fields, sig }).toString();
}

const url = (resource, options = "") => `${server.endpoint}/${resource}?${options}${options && "&"}${sas()}`;
const rowsOf = (answer) => JSON.parse(answer.text).value.map((entity) => entity.RowKey);

// The page's script learns nothing, and Chromium says why: the answer came, and did not allow it.
async function blocked(promise, reason) {
  const answer = await promise;
  assert.deepEqual(answer, { failed: "TypeError: Failed to fetch" });
  const told = page.told.join("\n");
  assert.match(told, /has been blocked by CORS policy/);
  assert.match(told, reason);
}

async function rowsStored() {
  const answer = await server.fetch("GET", `${table}()`, { headers: { accept: kJson } });
  return rowsOf({ text: await answer.text() });
}

const kNoOrigin = /No 'Access-Control-Allow-Origin' header is present/;
const kPreflight = /Response to preflight request doesn't pass access control check/;

describe("A page of another origin reads nothing", () => {
  test("without rules", async () => {
    await blocked(page.fetch(url(`${table}()`), { headers: kHeaders }), kPreflight);
    assert.equal(page.preflights.length, 1);
    await blocked(page.fetch(url(`${table}()`, `$format=${encodeURIComponent(kJson)}`)), kNoOrigin);
    assert.equal(page.preflights.length, 1, "nothing to ask for without headers of its own");
  });

  test("with a rule for another origin", async () => {
    await setRules({ origins: `http://contoso.example,${site.origin("localhost")}` });
    await blocked(page.fetch(url(`${table}()`), { headers: kHeaders }), kPreflight);
    await blocked(page.fetch(url(`${table}()`, `$format=${encodeURIComponent(kJson)}`)), kNoOrigin);
  });

  test("with a rule for another port of its host", async () => {
    await setRules({ origins: "http://127.0.0.1" });
    await blocked(page.fetch(url(`${table}()`), { headers: kHeaders }), kPreflight);
  });

  test("with a rule for other methods, and writes nothing", async () => {
    await setRules({ methods: "GET,POST" });
    const target = url(`${table}(PartitionKey='p',RowKey='1')`);
    await blocked(page.fetch(target, { method: "DELETE", headers: { "if-match": "*" } }), kPreflight);
    assert.deepEqual(await rowsStored(), ["1", "2"]);
  });

  test("with a rule that lacks one of its headers", async () => {
    await setRules({ allowed: "accept,prefer,x-ms-meta-*" });
    await blocked(page.fetch(url(`${table}()`), { headers: kHeaders }), kPreflight);
    assert.equal(page.preflights[0]["Access-Control-Request-Headers"], "prefer,x-ms-version");
  });

  test("of what the emulator tells of itself, whatever the rules", async () => {
    await setRules({ origins: "*", exposed: "*" });
    const root = new URL(server.endpoint).origin;
    assert.equal((await fetch(`${root}/_rocktable/stats`)).status, 200);
    await blocked(page.fetch(`${root}/_rocktable/stats`), kNoOrigin);
    await blocked(page.fetch(`${root}/_rocktable/health`, { headers: kHeaders }), kPreflight);
  });
});

describe("A page of an allowed origin", () => {
  for (const origins of ["its own", "*"]) {
    test(`reads a table where the rule says ${origins}`, async () => {
      await setRules({ origins: origins === "*" ? "*" : `http://contoso.example,${origin}`, methods: "GET" });
      const answer = await page.fetch(url(`${table}()`), { headers: kHeaders });
      assert.deepEqual(rowsOf(answer), ["1", "2"]);
      assert.deepEqual([page.preflights.length, page.told], [1, []]);
    });
  }

  test("reads a table where a rule allows all subdomains of its site", async () => {
    await setRules({ origins: site.origin("*.localhost") });
    const inside = await openPage(browser, site.origin("www.localhost"));
    assert.deepEqual(rowsOf(await inside.fetch(url(`${table}()`), { headers: kHeaders })), ["1", "2"]);
    await inside.close();
    await blocked(page.fetch(url(`${table}()`), { headers: kHeaders }), kPreflight);
  });

  test("may send the headers that the rule names, and its prefixes cover", async () => {
    await setRules({ allowed: "Accept,PREFER,X-Ms-*" });
    assert.equal((await page.fetch(url(`${table}()`), { headers: kHeaders })).status, 200);
  });

  test("sees the headers that the rule exposes, and no others", async () => {
    const next = "x-ms-continuation-nextpartitionkey";
    for (const [exposed, seen] of [["", false], ["x-ms-continuation-*", true], ["*", true]]) {
      await setRules({ exposed });
      const answer = await page.fetch(url(`${table}()`, "$top=1"), { headers: kHeaders });
      assert.deepEqual(rowsOf(answer), ["1"]);
      assert.equal(next in answer.headers, seen, exposed);
      assert.equal("x-ms-request-id" in answer.headers, exposed === "*");
    }
  });

  test("goes on with the token of a page", async () => {
    await setRules({ exposed: "x-ms-continuation-*" });
    const { headers } = await page.fetch(url(`${table}()`, "$top=1"), { headers: kHeaders });
    const token = new URLSearchParams({
      NextPartitionKey: headers["x-ms-continuation-nextpartitionkey"],
      NextRowKey: headers["x-ms-continuation-nextrowkey"],
    });
    assert.deepEqual(rowsOf(await page.fetch(url(`${table}()`, `$top=1&${token}`), { headers: kHeaders })), ["2"]);
  });

  test("inserts, merges, replaces and deletes", async () => {
    await setRules({ exposed: "ETag" });
    const headers = { ...kHeaders, "content-type": "application/json" };
    const body = JSON.stringify({ PartitionKey: "p", RowKey: "3" });
    const inserted = await page.fetch(url(table), { method: "POST", headers, body });
    assert.deepEqual([inserted.status, await rowsStored()], [204, ["1", "2", "3"]]);

    const third = `${table}(PartitionKey='p',RowKey='3')`;
    const write = (method, etag, text) =>
      page.fetch(url(third), { method, headers: { ...headers, "if-match": etag }, body: text });
    const merged = await write("MERGE", inserted.headers.etag, '{"A":1}');
    assert.equal(merged.status, 204);
    assert.equal((await write("PUT", inserted.headers.etag, '{"A":2}')).status, 412, "the ETag is read and sent");
    assert.equal((await write("PUT", merged.headers.etag, '{"A":2}')).status, 204);
    assert.equal((await write("DELETE", "*")).status, 204);
    assert.deepEqual(await rowsStored(), ["1", "2"]);
  });

  test("submits a transaction", async () => {
    await setRules({});
    const target = `${server.endpoint}/${table}(PartitionKey='p',RowKey='3')`;
    const body = [
      "--b", "Content-Type: multipart/mixed; boundary=c", "", "--c", "Content-Type: application/http",
      "Content-Transfer-Encoding: binary", "", `PUT ${target} HTTP/1.1`, "Content-Type: application/json", "", "{}",
      "--c--", "--b--", "",
    ].join("\r\n");
    const headers = { ...kHeaders, "content-type": "multipart/mixed; boundary=b" };
    const answer = await page.fetch(url("$batch"), { method: "POST", headers, body });
    assert.match(answer.text, /HTTP\/1\.1 204 No Content/);
    assert.deepEqual(await rowsStored(), ["1", "2", "3"]);
  });

  test("may bring credentials where it is named, and may not where the rule says *", async () => {
    await setRules({});
    const options = { headers: kHeaders, credentials: "include" };
    assert.equal((await page.fetch(url(`${table}()`), options)).status, 200);
    await setRules({ origins: "*" });
    await blocked(page.fetch(url(`${table}()`), options), /must not be the wildcard '\*'/);
  });

  test("reads why its request is refused", async () => {
    await setRules({ exposed: "x-ms-error-code" });
    const expired = `${server.endpoint}/${table}()?${sas(new Date(Date.now() - 60_000))}`;
    const refused = await page.fetch(expired, { headers: kHeaders });
    assert.deepEqual([refused.status, refused.headers["x-ms-error-code"]], [403, "AuthenticationFailed"]);
    const absent = await page.fetch(url(`${table}(PartitionKey='p',RowKey='9')`), { headers: kHeaders });
    assert.deepEqual([absent.status, JSON.parse(absent.text)["odata.error"].code], [404, "ResourceNotFound"]);
  });
});

describe("A preflight", () => {
  test("is remembered for as long as the rule says", async () => {
    const target = url(`${table}()`);
    await setRules({ age: 600 });
    for (let i = 0; i < 3; i += 1) assert.equal((await page.fetch(target, { headers: kHeaders })).status, 200);
    assert.equal(page.preflights.length, 1);
  });

  test("is asked each time where the rule says 0, and so rules that are gone count no more", async () => {
    const target = url(`${table}()`);
    await setRules({ age: 0 });
    for (let i = 0; i < 2; i += 1) assert.equal((await page.fetch(target, { headers: kHeaders })).status, 200);
    assert.equal(page.preflights.length, 2);
    await setRules();
    await blocked(page.fetch(target, { headers: kHeaders }), kPreflight);
  });
});
