// Starts a server that ends with this process, also if this is killed: then the kernel closes the pipe that is the
// server's standard input. On Windows, Node has also put both into a job, which the kernel ends.
"use strict";
const { spawn } = require("node:child_process");
const { mkdtempSync, readFileSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { fileURLToPath } = require("node:url");
const { programFile } = require("./program.js");
const { Server, accountOf, otherAccount } = require("./server.js");

// Options that the protocol of the start needs. The server's output has no reader, hence --silent.
const kReserved = { silent: true, readyFile: "-", stopAtInputEnd: true };

// Ctrl-C must not stop a server before the tests that use it. So it has a session of its own, or on Windows a console of
// its own, without a window.
const kApart = process.platform === "win32" ? { windowsHide: true } : { detached: true };

function valueOf(name, value) {
  if (value instanceof URL) return fileURLToPath(value);
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new TypeError(`the value of the option ${name} must be text, a number, true, false, a URL, or a list of these`);
}

// Returns the words of a command line. An option of the program is a member of the same name.
function wordsOf(options) {
  return Object.entries(options).flatMap(([name, values]) => {
    if (!/^\w+$/.test(name)) throw new TypeError(`${JSON.stringify(name)} is not the name of an option`);
    return [values]
      .flat()
      .filter((value) => value !== false && value !== undefined && value !== null)
      .map((value) => (value === true ? `--${name}` : `--${name}=${valueOf(name, value)}`));
  });
}

// Variables ROCKTABLE_... would configure the server. On Windows, their case does not count.
function environmentOfServer() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^ROCKTABLE_/i.test(name)));
}

// The option is the token itself, @FILE or env:NAME.
function controlTokenOf(text) {
  if (text?.startsWith("@")) return readFileSync(text.slice(1), "utf8").trim();
  return text?.startsWith("env:") ? process.env[text.slice("env:".length)] : text;
}

// The process of a server.
class ServerProcess {
  #child;
  #errors = "";
  #ended;

  constructor(words) {
    this.#child = spawn(programFile(), words, { env: environmentOfServer(), ...kApart });
    this.#child.stdin.on("error", () => {}); // it has ended
    this.#child.stderr.setEncoding("utf8").on("data", (text) => (this.#errors += text));
    this.#ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", (code, signal) => resolve(code ?? signal));
    });
    this.#ended.catch(() => {}); // reported where it is awaited
  }

  // Resolves with the ready document. Rejects with the sentence of the program if it cannot start.
  async ready() {
    const { stdout, stderr } = this.#child;
    const line = new Promise((resolve) => {
      let text = "";
      stdout.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
        if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
      });
    });
    const ready = await Promise.race([line, this.#ended.then((how) => Promise.reject(this.#failure(how)))]);
    process.stderr.write(this.#errors); // warnings
    stderr.on("data", (text) => process.stderr.write(text));
    for (const handle of [this.#child, ...this.#child.stdio]) handle.unref();
    return JSON.parse(ready);
  }

  // Resolves when the process has ended.
  async stop() {
    for (const handle of [this.#child, ...this.#child.stdio]) handle.ref();
    this.#child.stdin.end();
    const how = await this.#ended;
    if (how !== 0) throw this.#failure(how);
  }

  // `how`: its exit code or signal
  #failure(how) {
    const last = this.#errors.trimEnd().split("\n").pop();
    return new Error(last.replace(/^rocktable: /, "") || `the server ended unexpectedly: ${how}`);
  }
}

// The folder in which --tls auto keeps its authority, if no other is given.
class TemporaryFolder {
  #remove = () => {
    try {
      rmSync(this.path, { recursive: true, force: true });
    } catch {} // on Windows, a file that the server still has open
  };

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), "rocktable-"));
    process.once("exit", this.#remove);
  }

  remove() {
    process.removeListener("exit", this.#remove);
    this.#remove();
  }
}

class StartedServer extends Server {
  #process;
  #folder;
  #stopped;

  constructor(child, folder, server) {
    super(server);
    this.#process = child;
    this.#folder = folder;
  }

  stop() {
    this.#stopped ??= this.#process.stop().finally(() => this.#folder?.remove());
    return this.#stopped;
  }
}
// Node 18.0 to 18.17 does not have it.
if (Symbol.asyncDispose) StartedServer.prototype[Symbol.asyncDispose] = StartedServer.prototype.stop;

// Returns the account of the option `account`, or the first one.
function accountOfReady(ready, name) {
  const named = ready.accounts.find((one) => one.name === (name ?? ready.accounts[0].name));
  return named ? accountOf(named.connectionString) : otherAccount(ready.connectionString, name);
}

async function start({ account, template, args = [], ...flags } = {}) {
  for (const name of Object.keys(kReserved))
    if (name in flags) throw new TypeError(`start() sets the option ${name} itself`);
  const keepsData = flags.location !== undefined;
  const defaults = { inMemoryPersistence: !keepsData, tablePort: 0, anyAccount: true };
  if (account && flags.seed) defaults.seedAccount = account;

  const folder = flags.tls === "auto" && !keepsData ? new TemporaryFolder() : undefined;
  if (folder) flags.location = folder.path;
  let child;
  try {
    child = new ServerProcess([...wordsOf({ ...defaults, ...flags, ...kReserved }), ...args]);
    const ready = await child.ready();
    const server = new StartedServer(child, folder, {
      account: accountOfReady(ready, account),
      templates: template ? [template] : [],
      certificateAuthority: ready.certificateAuthority,
      controlToken: controlTokenOf(flags.controlToken),
    });
    if (flags.seed && !template) await server.copyFilledAccounts();
    return server;
  } catch (error) {
    await child?.stop().catch(() => {});
    folder?.remove();
    throw error;
  }
}

module.exports = { start };
