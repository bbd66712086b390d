// Settings of the account through the SDK: service properties, CORS rules; the secondary location.
import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import { AzureNamedKeyCredential, TableServiceClient } from "@azure/data-tables";
import { collect, refused, startServer } from "./server.mjs";

const server = await startServer();
after(() => server.stop());

const service = server.serviceClient();
const kRetention = { enabled: true, days: 10 };
const kSettings = {
  logging: { version: "1.0", delete: true, read: false, write: true, retentionPolicy: kRetention },
  hourMetrics: { version: "1.0", enabled: true, includeAPIs: false, retentionPolicy: kRetention },
  minuteMetrics: { version: "1.0", enabled: false, retentionPolicy: { enabled: false } },
  cors: [],
};
const kRule = {
  allowedOrigins: "http://www.ab.com,http://www.bc.com",
  allowedMethods: "GET,PUT",
  allowedHeaders: "x-ms-meta-xyz,x-ms-meta-data*",
  exposedHeaders: "x-ms-meta-abc,x-ms-meta-data*",
  maxAgeInSeconds: 500,
};
const kNames = ["logging", "hourMetrics", "minuteMetrics", "cors"];

// Without what is undefined, which the SDK sets where the service sent nothing.
async function settings() {
  const answer = JSON.parse(JSON.stringify(await service.getProperties()));
  return Object.fromEntries(
    kNames.map((name) => [name, name === "cors" ? (answer.cors ?? []) : answer[name]]),
  );
}

describe("service properties", () => {
  beforeEach(() => service.setProperties(kSettings));

  it("come back as they were set", async () => assert.deepEqual(await settings(), kSettings));

  it("what is left out keeps its value", async () => {
    await service.setProperties({ cors: [kRule] });
    assert.deepEqual(await settings(), { ...kSettings, cors: [kRule] });
    const minuteMetrics = { ...kSettings.hourMetrics, includeAPIs: true };
    await service.setProperties({ minuteMetrics });
    assert.deepEqual(await settings(), { ...kSettings, minuteMetrics, cors: [kRule] });
  });

  it("up to five CORS rules are kept in their order", async () => {
    const rules = (count) => Array.from({ length: count }, (_, i) => ({ ...kRule, maxAgeInSeconds: i }));
    await service.setProperties({ cors: rules(5) });
    assert.deepEqual((await settings()).cors, rules(5));
    await refused(service.setProperties({ cors: rules(6) }), 400, "InvalidXmlDocument");
    assert.deepEqual((await settings()).cors, rules(5));
    await service.setProperties({ cors: [] });
    assert.deepEqual((await settings()).cors, []);
  });

  for (const days of [0, 366]) {
    it(`a retention of ${days} days is refused`, async () => {
      const logging = { ...kSettings.logging, retentionPolicy: { enabled: true, days } };
      await refused(service.setProperties({ logging }), 400, "InvalidXmlDocument");
      assert.deepEqual(await settings(), kSettings);
    });
  }
});

describe("the secondary location", () => {
  const options = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
  const credential = new AzureNamedKeyCredential(server.account, server.key);
  const secondary = new TableServiceClient(server.secondaryEndpoint, credential, options);

  it("alone has the statistics of the replication", async () => {
    const { geoReplication } = await secondary.getStatistics();
    assert.equal(geoReplication.status, "live");
    assert.ok(
      Math.abs(geoReplication.lastSyncTime - Date.now()) < 3_600_000,
      `${geoReplication.lastSyncTime}`,
    );
    await refused(service.getStatistics(), 400, "InvalidQueryParameterValue");
  });

  it("serves reads and no writes", async () => {
    const table = await server.newTable();
    const names = (await collect(secondary.listTables())).map((item) => item.name);
    assert.ok(names.includes(table.tableName), `${names}`);
    // Asked by status, for the SDK takes some refusals of createTable for success.
    let status;
    const onResponse = (response) => (status = response.status);
    await secondary.createTable(server.newTableName(), { onResponse }).catch(() => {});
    assert.equal(status, 403);
  });
});
