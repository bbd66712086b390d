// Settings of the account through the legacy SDK: service properties, CORS rules, and statistics.
import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import storage from "azure-storage";
import { refused, startServer } from "./server.mjs";

const { LocationMode } = storage.StorageUtilities;

const server = await startServer();
after(() => server.stop());

const client = server.client();

const kRetention = { Enabled: true, Days: 10 };
const kSettings = {
  Logging: { Version: "1.0", Delete: true, Read: false, Write: true, RetentionPolicy: kRetention },
  HourMetrics: { Version: "1.0", Enabled: true, IncludeAPIs: false, RetentionPolicy: kRetention },
  MinuteMetrics: { Version: "1.0", Enabled: false, RetentionPolicy: { Enabled: false } },
  Cors: {},
};
const kRule = {
  AllowedMethods: ["GET", "PUT"],
  AllowedOrigins: ["http://www.ab.com", "http://www.bc.com"],
  AllowedHeaders: ["x-ms-meta-xyz", "x-ms-meta-data*"],
  ExposedHeaders: ["x-ms-meta-abc", "x-ms-meta-data*"],
  MaxAgeInSeconds: 500,
};
const rules = (...list) => ({ Cors: { CorsRule: list.map((rule) => ({ ...kRule, ...rule })) } });

describe("service properties", () => {
  beforeEach(() => client.setServiceProperties(kSettings));

  it("come back as they were set", async () => {
    assert.deepEqual(await client.getServiceProperties(), kSettings);
  });

  it("what is left out keeps its value", async () => {
    const MinuteMetrics = { ...kSettings.HourMetrics, IncludeAPIs: true };
    await client.setServiceProperties({ MinuteMetrics });
    assert.deepEqual(await client.getServiceProperties(), { ...kSettings, MinuteMetrics });
    await client.setServiceProperties(rules({}));
    const changed = await client.getServiceProperties();
    assert.deepEqual(changed, { ...kSettings, MinuteMetrics, ...rules({}) });
  });

  for (const [name, settings, code] of [
    [
      "a retention of 366 days",
      { Logging: { RetentionPolicy: { Enabled: true, Days: 366 } } },
      "InvalidXmlDocument",
    ],
    [
      "a retention of 0 days",
      { Logging: { RetentionPolicy: { Enabled: true, Days: 0 } } },
      "InvalidXmlDocument",
    ],
    ["a default version", { DefaultServiceVersion: "2018-03-28" }, "InvalidXmlDocument"],
    ["six rules", rules({}, {}, {}, {}, {}, {}), "InvalidXmlDocument"],
    ["65 origins", rules({ AllowedOrigins: Array(65).fill("www.xyz.com") }), "InvalidXmlNodeValue"],
    ["an unknown method", rules({ AllowedMethods: ["GRAB"] }), "InvalidXmlNodeValue"],
  ]) {
    it(`${name}: refused, and nothing is changed`, async () => {
      await refused(client.setServiceProperties(settings), 400, code);
      assert.deepEqual(await client.getServiceProperties(), kSettings);
    });
  }
});

describe("CORS", () => {
  const preflight = (origin, method, headers) =>
    fetch(`${server.endpoint}/Tables`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": method,
        ...(headers ? { "access-control-request-headers": headers } : {}),
      },
    });

  it("five rules are kept in their order, and an empty list removes them", async () => {
    const five = rules(...[1, 2, 3, 4, 5].map((seconds) => ({ MaxAgeInSeconds: seconds })));
    await client.setServiceProperties(five);
    assert.deepEqual((await client.getServiceProperties()).Cors, five.Cors);
    await client.setServiceProperties(rules());
    assert.deepEqual((await client.getServiceProperties()).Cors, {});
  });

  it("a preflight is answered by the rule that matches", async () => {
    await client.setServiceProperties(rules({}));
    const answer = await preflight("http://www.bc.com", "PUT", "x-ms-meta-data1");
    const headers = ["origin", "methods", "headers"].map((n) =>
      answer.headers.get(`access-control-allow-${n}`),
    );
    assert.deepEqual([answer.status, ...headers], [200, "http://www.bc.com", "PUT", "x-ms-meta-data1"]);
    assert.equal(answer.headers.get("access-control-max-age"), "500");
  });

  for (const [name, ...request] of [
    ["another origin", "http://www.cd.com", "PUT"],
    ["another method", "http://www.ab.com", "DELETE"],
    ["another header", "http://www.ab.com", "GET", "x-ms-date"],
  ]) {
    it(`a preflight of ${name} is refused`, async () => {
      await client.setServiceProperties(rules({}));
      const answer = await preflight(...request);
      assert.equal(answer.status, 403);
      assert.match(await answer.text(), /CorsPreflightFailure/);
    });
  }

  it("an answer to a listed origin says so", async () => {
    await client.setServiceProperties(rules({}));
    const ask = async (origin) => {
      const headers = { accept: "application/json;odata=nometadata", origin };
      const answer = await server.fetch("GET", "Tables", { headers });
      assert.equal(answer.status, 200);
      return answer.headers.get("access-control-allow-origin");
    };
    assert.equal(await ask("http://www.ab.com"), "http://www.ab.com");
    assert.equal(await ask("http://www.cd.com"), null);
  });
});

describe("the secondary location", () => {
  const locationMode = LocationMode.SECONDARY_ONLY;

  it("has the statistics of the replication", async () => {
    const { GeoReplication } = await client.getServiceStats({ locationMode });
    assert.equal(GeoReplication.Status, "live");
    assert.ok(
      Math.abs(GeoReplication.LastSyncTime - Date.now()) < 3_600_000,
      `${GeoReplication.LastSyncTime}`,
    );
  });

  it("the primary location has none", () =>
    refused(client.getServiceStats(), 400, "InvalidQueryParameterValue"));

  it("serves reads", async () => {
    const table = await server.newTable(client);
    await client.insertEntity(table, { PartitionKey: "p", RowKey: "it's" });
    assert.equal((await client.doesTableExist(table, { locationMode })).exists, true);
    assert.equal((await client.queryEntities(table, null, null, { locationMode })).entries.length, 1);
    assert.deepEqual((await client.getTableAcl(table, { locationMode })).signedIdentifiers, {});
    const listed = await client.listTablesSegmentedWithPrefix(table, null, { locationMode });
    assert.deepEqual(listed.entries, [table]);
  });
});
