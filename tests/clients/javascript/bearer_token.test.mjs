// The SDK with a token credential, over HTTPS. Node reads the authorities that it trusts once, when it starts: so each
// client is a process of its own (bearer_token_client.mjs).
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { startServer } from "./server.mjs";

const kClient = fileURLToPath(new URL("bearer_token_client.mjs", import.meta.url));
const kGiven = process.env.ROCKTABLE_TEST_CONNECTION_STRING;
const kTenant = "00000000-0000-0000-0000-000000000000";

// A token that counts for an hour, unless changed; nobody checks its signature.
function bearerToken(changes = {}) {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    aud: "https://storage.azure.com",
    iss: `https://sts.windows.net/${kTenant}/`,
    iat: now - 60,
    nbf: now - 60,
    exp: now + 3600,
    ...changes,
  };
  const encode = (part) => Buffer.from(JSON.stringify(part)).toString("base64url");
  return `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}.${encode("nobody")}`;
}

describe("bearer tokens", { skip: kGiven ? "needs a server of its own" : false }, async () => {
  if (kGiven) return;
  const location = await mkdtemp(join(tmpdir(), "rocktable-js-"));
  const server = await startServer({ flags: ["--tls", "auto", "--oauth", "basic", "--location", location] });
  after(async () => {
    await server.stop();
    await rm(location, { recursive: true });
  });

  // What a client with these tokens, one after the other, prints.
  const runClient = (...tokens) => runClientOf("2020-12-06", ...tokens);

  const runClientOf = (version, ...tokens) => {
    const { NODE_TEST_CONTEXT, ...inherited } = process.env;
    const env = {
      ...inherited,
      NODE_EXTRA_CA_CERTS: server.certificateAuthority,
      ENDPOINT: server.endpoint,
      TABLE: server.newTableName(),
      VERSION: version,
      TOKENS: tokens.join(" "),
    };
    return new Promise((resolve) =>
      execFile(process.execPath, [...process.execArgv, kClient], { env }, (error, stdout, stderr) =>
        resolve(error ? stderr : stdout.trim()),
      ),
    );
  };

  it("serve entities and transactions, but no access policies", async () => {
    assert.equal(await runClient(bearerToken()), "101 entities, policies 404, one token");
  });

  it("are replaced when the service asks, after they have expired", async () => {
    const expired = bearerToken({ exp: 1_000_000_000 });
    assert.equal(await runClient(expired, bearerToken()), "101 entities, policies 404, asked for another token");
  });

  // Recorded from the service, with version 2019-07-07. The SDK's own version is older.
  it("are refused without a challenge before version 2020-12-06", async () => {
    const expired = bearerToken({ exp: 1_000_000_000 });
    assert.equal(await runClientOf("2019-02-02", expired, bearerToken()), "403");
  });

  it("are refused where they are for somebody else, or are none", async () => {
    assert.equal(await runClient(bearerToken({ aud: "https://management.azure.com/" })), "401");
    assert.equal(await runClient("nonsense"), "403");
  });
});
