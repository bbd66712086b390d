// Runs what the explorer offers as code: with curl, and with the SDKs for JavaScript and Python if they are there.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { snippets } from "../../../server/explorer/entities/snippets.js";

const run = promisify(execFile);
const kModules = fileURLToPath(new URL("../../clients/javascript/node_modules", import.meta.url));

// What the explorer of this server offers; `what` is a query or an entity.
export function codeOf(server, language, what) {
  const { endpoint, root: origin, account } = server;
  const all = snippets({ account, keyIsPublic: true, endpoint, origin, ...what });
  return all.find((one) => one.language === language).text;
}

export async function startCodeRunner() {
  const folder = await mkdtemp(join(tmpdir(), "rocktable-code-"));
  if (existsSync(kModules)) await symlink(kModules, join(folder, "node_modules"));
  let python;
  for (const one of ["python3", "/usr/bin/python3"])
    python ??= await run(one, ["-c", "import azure.data.tables"]).then(() => one, () => undefined);

  const inFile = async (program, name, code) => {
    const file = join(folder, name);
    await writeFile(file, code);
    return run(program, [file]);
  };
  const programs = {
    curl: (code) => run("bash", ["-c", code], { env: { ...process.env, LC_ALL: "C" } }),
    ...(existsSync(kModules) && { JavaScript: (code) => inFile(process.execPath, "code.mjs", code) }),
    ...(python && { Python: (code) => inFile(python, "code.py", code) }),
  };
  return {
    has: (language) => language in programs,
    outputOf: async (language, code) => (await programs[language](code)).stdout,
    stop: () => rm(folder, { recursive: true }),
  };
}
