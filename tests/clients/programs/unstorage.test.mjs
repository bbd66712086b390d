// unstorage with its driver azure-storage-table, which takes no endpoint without HTTPS: so unstorage_program.mjs runs under
// `rocktable exec --tls auto`, which tells node whom to trust, and says what became of each of its cases.
//
//   ROCKTABLE_TEST_HTTPS_CONNECTION_STRING  use the endpoint of this connection string instead of starting a server,
//   ROCKTABLE_TEST_HTTPS_CA                 and trust the authorities in this file
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { kBinary } from "../../support/server.mjs";

const kProgram = fileURLToPath(new URL("unstorage_program.mjs", import.meta.url));
const kTimeoutMs = 60_000;

// What it printed: a line of JSON for each case.
async function runProgram() {
  const { NODE_TEST_CONTEXT, ...environment } = process.env;
  const node = [process.execPath, ...process.execArgv, kProgram];
  const connectionString = process.env.ROCKTABLE_TEST_HTTPS_CONNECTION_STRING;
  const folder = await mkdtemp(join(tmpdir(), "rocktable-js-"));
  let command = node;
  if (connectionString) {
    environment.AZURE_STORAGE_CONNECTION_STRING = connectionString;
    environment.NODE_EXTRA_CA_CERTS = process.env.ROCKTABLE_TEST_HTTPS_CA;
  } else {
    const rocktable = kBinary;
    command = [rocktable, "exec", "--tls", "auto", "--location", folder, "--", ...node];
  }
  try {
    return await new Promise((resolve, reject) =>
      execFile(command[0], command.slice(1), { env: environment, timeout: kTimeoutMs }, (error, stdout, stderr) =>
        error ? reject(new Error(`${error.message}\n${stdout}\n${stderr}`)) : resolve(stdout),
      ),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

const given = process.env.ROCKTABLE_TEST_CONNECTION_STRING && !process.env.ROCKTABLE_TEST_HTTPS_CONNECTION_STRING;

describe("unstorage", { skip: given ? "needs an endpoint with HTTPS" : false }, async () => {
  if (given) return;
  const outcome = await runProgram().catch((error) => error);
  it("runs to its end", () => assert.ok(!(outcome instanceof Error), outcome));
  if (outcome instanceof Error) return;
  for (const { name, error } of outcome.trim().split("\n").map((line) => JSON.parse(line))) {
    it(name, () => assert.equal(error, null));
  }
});
