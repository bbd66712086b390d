#!/usr/bin/env node
// Runs the program with the same arguments and standard streams. Signals, exit code and end are those of the program.
"use strict";
const { spawn } = require("node:child_process");
const { readFileSync } = require("node:fs");
const { constants } = require("node:os");
const { programFile } = require("../program.js");

const kForwarded = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];
const kFromTerminal = ["SIGINT", "SIGQUIT"];
const kFromConsole = ["SIGINT", "SIGBREAK", "SIGHUP"]; // of Windows: Ctrl-C, Ctrl-Break, the end of its window

function fail(sentence) {
  console.error(`rocktable: ${sentence}`);
  process.exit(1);
}

// A terminal sends Ctrl-C to all processes in its foreground, so the program has received it, too. A second one would
// mean another request. Node does not tell who sent a signal: so one that a process sends to a launcher in the
// foreground is not forwarded either.
function isInForeground() {
  const [, , group, , , foreground] = readFileSync("/proc/self/stat", "utf8").replace(/^.*\) /s, "").split(" ");
  return group === foreground;
}

// Starts a process that sends SIGTERM to the process whose id it is given, when this process ends by SIGKILL: the kernel
// closes the pipe. It has a session of its own, because the signals of a terminal must not end it.
function startGuard() {
  const script = 'read -r pid || exit; read -r end; kill -TERM "$pid"';
  const guard = spawn("/bin/sh", ["-c", script], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  guard.on("error", () => {}); // a system without a shell
  guard.stdin.on("error", () => {});
  return guard;
}

function runAsChild(program, words) {
  let child;
  for (const signal of kForwarded)
    process.on(signal, () => {
      if (!kFromTerminal.includes(signal) || !isInForeground()) child.kill(signal);
    });
  const guard = startGuard();
  child = spawn(program, words, { stdio: "inherit" });
  child.on("error", (error) => fail(`cannot run ${program}: ${error.message}`));
  if (child.pid) guard.stdin.write(`${child.pid}\n`);
  child.on("exit", (code, signal) => {
    guard.kill("SIGKILL");
    if (!signal) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    process.exit(128 + constants.signals[signal]); // Node ignores the signal
  });
}

// The console sends its events to all of its processes, so the program has received them, and this process waits for
// its end. If this process is killed, the program ends: Node has both in a job.
function runOnWindows(program, words) {
  for (const signal of kFromConsole) process.on(signal, () => {});
  const child = spawn(program, words, { stdio: "inherit" });
  child.on("error", (error) => fail(`cannot run ${program}: ${error.message}`));
  child.on("exit", (code) => process.exit(code));
}

let program;
try {
  program = programFile();
} catch (error) {
  fail(error.message);
}
const words = process.argv.slice(2);
// Node 22.15 and later can become the program, but not on Windows. Its warning that this is experimental never appears.
if (process.platform === "win32") runOnWindows(program, words);
else if (process.execve) process.execve(program, [program, ...words], process.env);
else runAsChild(program, words);
