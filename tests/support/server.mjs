// Starts the server under test, for the suites of all JavaScript SDKs: each adds its own clients. Hand-signed
// requests are for what no SDK can send.
//
//   ROCKTABLE_BINARY                  the server to start; default: build/release/rocktable of this tree
//   ROCKTABLE_TEST_CONNECTION_STRING  use the endpoint of this connection string instead of starting a server
//   ROCKTABLE_TEST_STORE              the PostgreSQL server (postgres.py) where servers keep their data, each in a database of
//                                     its own, which is dropped with it; default: in memory
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const kStartDeadlineMs = 20_000;
const kStopDeadlineMs = 10_000;
export const kBinary =
  process.env.ROCKTABLE_BINARY ?? fileURLToPath(new URL("../../build/release/rocktable", import.meta.url));

let databases = 0;

// Makes an empty database on a PostgreSQL server. Returns its URL, and what drops it.
async function newDatabase(server) {
  databases += 1;
  const name = `test_js_${process.pid}_${Date.now()}_${databases}`;
  const sql = (statement) =>
    promisify(execFile)("psql", ["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--command", statement, server]);
  await sql(`CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => sql(`DROP DATABASE ${name} WITH (FORCE)`) };
}

// Starts a server on a free port with data that end with it, or connects to one that already runs; returns an
// instance of `Kind`, which is `Server` or derived from it. With an `environment` of its own it is always started; `flags` are
// further ones of a server that is started.
export async function startServer(Kind = Server, { environment, flags = [] } = {}) {
  const given = process.env.ROCKTABLE_TEST_CONNECTION_STRING;
  if (given && !environment) return new Kind(given, async () => {});

  const folder = await mkdtemp(join(tmpdir(), "rocktable-js-"));
  const readyFile = join(folder, "ready.json");
  const databaseServer = process.env.ROCKTABLE_TEST_STORE;
  const database = databaseServer ? await newDatabase(databaseServer) : undefined;
  const storage = database ? ["--store", database.url] : ["--inMemoryPersistence"];
  const always = [...storage, "--tablePort", "0", "--readyFile", readyFile, "--silent"];
  const env = { ...process.env, ...environment };
  const child = spawn(kBinary, [...always, ...flags], { stdio: ["ignore", "ignore", "inherit"], env });
  const ended = new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(code ?? signal));
  });
  const remove = async () => {
    await rm(folder, { recursive: true, force: true });
    await database?.drop();
  };
  const ready = await waitForReadyFile(readyFile, ended).catch(async (error) => {
    child.kill("SIGKILL");
    await remove();
    throw error;
  });
  const server = new Kind(ready.connectionString, async () => {
    child.kill("SIGTERM");
    const outcome = await Promise.race([ended, sleep(kStopDeadlineMs, "still running", { ref: false })]);
    if (outcome === "still running") child.kill("SIGKILL");
    await remove();
    assert.equal(outcome, 0, "exit code after SIGTERM");
  });
  server.certificateAuthority = ready.certificateAuthority; // a file; over HTTPS alone
  return server;
}

async function waitForReadyFile(path, ended) {
  let outcome;
  ended.then((value) => (outcome = value));
  const deadline = Date.now() + kStartDeadlineMs;
  while (Date.now() < deadline) {
    assert.equal(outcome, undefined, "the server ended instead of starting");
    if (existsSync(path)) return JSON.parse(await readFile(path, "utf8"));
    await sleep(5);
  }
  throw new Error("the server did not get ready");
}

export class Server {
  #tables = 0;

  constructor(connectionString, stop) {
    this.connectionString = connectionString;
    this.stop = stop;
    const parts = Object.fromEntries(
      connectionString
        .split(";")
        .filter(Boolean)
        .map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]),
    );
    this.account = parts.AccountName;
    this.key = parts.AccountKey;
    this.endpoint = parts.TableEndpoint.replace(/\/$/, "");
    this.secondaryEndpoint = `${this.endpoint}-secondary`; // in path style
  }

  // Unique among processes too, because all may use one running endpoint.
  newTableName(prefix = "t") {
    this.#tables += 1;
    return `${prefix}${process.pid}x${Date.now().toString(36)}x${this.#tables}`;
  }

  // Sends a request signed with SharedKeyLite. `resource` is what follows the endpoint, percent-encoded.
  async fetch(method, resource, { headers = {}, body } = {}) {
    const url = new URL(`${this.endpoint}/${resource}`);
    const date = new Date().toUTCString();
    const comp = url.searchParams.get("comp");
    const toSign = `${date}\n/${this.account}${url.pathname}${comp ? `?comp=${comp}` : ""}`;
    const signature = createHmac("sha256", Buffer.from(this.key, "base64")).update(toSign).digest("base64");
    return fetch(url, {
      method,
      body,
      headers: {
        "x-ms-date": date,
        "x-ms-version": "2019-02-02",
        authorization: `SharedKeyLite ${this.account}:${signature}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
    });
  }
}

// Checks that the service refuses, with this status and error code, and returns the error.
export async function refused(promise, status, code) {
  let error;
  try {
    const answer = await promise;
    assert.fail(`expected ${status} ${code}, but the request succeeded: ${JSON.stringify(answer)}`);
  } catch (thrown) {
    error = thrown;
  }
  if (error instanceof assert.AssertionError) throw error;
  // If @azure/data-tables does not decode the body, it takes the code from a header.
  const seen = error.details?.odataError?.code ?? error.code ?? error.details?.errorCode;
  assert.deepEqual([error.statusCode, seen], [status, code], error.message);
  return error;
}
