// The SDK over HTTPS. Node reads the authorities that it trusts once, when it starts: so each client is a process
// of its own (https_client.mjs).
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { AzureNamedKeyCredential, generateAccountSas } from "@azure/data-tables";
import { startServer } from "./server.mjs";

const kClient = fileURLToPath(new URL("https_client.mjs", import.meta.url));
const kGiven = process.env.ROCKTABLE_TEST_CONNECTION_STRING;

describe("HTTPS", { skip: kGiven ? "needs a server of its own" : false }, async () => {
  if (kGiven) return;
  const location = await mkdtemp(join(tmpdir(), "rocktable-js-"));
  const server = await startServer({ flags: ["--tls", "auto", "--location", location] });
  after(async () => {
    await server.stop();
    await rm(location, { recursive: true });
  });

  // What the client's process prints, or its error.
  const runClient = (environment) =>
    new Promise((resolve) => {
      const { NODE_EXTRA_CA_CERTS, NODE_TEST_CONTEXT, ...inherited } = process.env;
      const env = { ...inherited, CONNECTION_STRING: server.connectionString, ...environment };
      execFile(process.execPath, [...process.execArgv, kClient], { env }, (error, stdout, stderr) =>
        resolve(error ? stderr : stdout),
      );
    });
  const trusting = { NODE_EXTRA_CA_CERTS: server.certificateAuthority };

  it("serves who trusts the authority", async () => {
    assert.equal(await runClient({ ...trusting, TABLE: server.newTableName() }), "101 entities\n");
  });

  it("serves a shared access signature for HTTPS alone", async () => {
    const permissions = { query: true, write: true, delete: true, list: true, add: true, update: true };
    const sas = generateAccountSas(new AzureNamedKeyCredential(server.account, server.key), {
      permissions,
      services: { table: true },
      resourceTypes: "sco",
      expiresOn: new Date(Date.now() + 3_600_000),
      protocol: "https",
    });
    const url = `${server.endpoint}?${sas}`;
    assert.match(url, /spr=https&/);
    assert.equal(await runClient({ ...trusting, TABLE: server.newTableName(), URL: url }), "101 entities\n");
  });

  it("is not believed by who does not", async () => {
    assert.match(await runClient({ TABLE: server.newTableName() }), /unable to verify|self.signed certificate/);
  });
});
