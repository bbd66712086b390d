"""The examples in README.md of the package and in docs/fixtures.md run unchanged, with the real test runners. The types
compile."""
import json
import re
import shutil

import pytest

from guide import JAVASCRIPT, ROOT, Guide, check_output
from packages import running
from process import wait_until

README = (ROOT / "packages/npm/rocktable/README.md").read_text()
SECONDS = 20
SUMMARIES = {"node:test": "# pass 1", "Vitest": "Tests  1 passed (1)", "Jest": "Tests:       1 passed, 1 total"}
COMMANDS = {
    "node:test": ["node", "--test", "--test-reporter=tap", "customers.test.mjs"],
    "Vitest": ["npx", "--no-install", "vitest", "run"],
    "Jest": ["npx", "--no-install", "jest"],
}

USE = """
import { connect, ControlError, start } from "rocktable";
import type { Account, Server, Snapshot, StartedServer, StartOptions } from "rocktable";
import vitest, { globalSetup as forVitest } from "rocktable/vitest";
import jest, { globalSetup as forJest } from "rocktable/jest";

const options: StartOptions = { seed: new URL("file:///seed"), tls: "auto", tlsName: ["a", "b"], explainAuth: true };
export async function use(): Promise<string> {
  await using server: StartedServer = await start({ ...options, args: ["--sync"] });
  const account: Account = await server.account({ template: "template" });
  const snapshot: Snapshot = await server.snapshot("first", { replace: true });
  const other: Server = connect({ template: account.name });
  await other.reset({ account: account.name });
  try {
    await server.restore(snapshot.name);
  } catch (error) {
    if (error instanceof ControlError) return `${error.status} ${error.message}`;
  }
  const port: number = server.port;
  const file: string | undefined = server.certificateAuthority;
  return `${port} ${file} ${server.connectionString} ${Object.keys(server.environment)}`;
}
export const setups: (() => Promise<unknown>)[] = [vitest, jest, forVitest(options), forJest()];
"""
ERRORS = [
    ("start({ seed: { a: 1 } });", "TS2353"),
    ("start({ account: 1 });", "TS2322"),
    ("connect().stop();", "TS2339"),
    ("start().then((server) => server.snapshot());", "TS2554"),
]


def section(title):
    return re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", README, re.MULTILINE | re.DOTALL)[1]


def link_modules(project, *folders):
    """Adds the modules of these folders to those of the project, also within one scope."""
    for source in (one for folder in folders for one in folder.iterdir() if not one.name.startswith(".")):
        for module in source.iterdir() if source.name.startswith("@") else [source]:
            target = project.folder / "node_modules" / module.relative_to(source.parent)
            target.parent.mkdir(exist_ok=True)
            if not target.exists():
                target.symlink_to(module)
    for command in ("vitest", "jest", "tsc"):
        script = next(one for folder in folders for one in folder.glob(f".bin/{command}"))
        (project.folder / "node_modules/.bin" / command).symlink_to(script)


@pytest.fixture(scope="module")
def runners(install, tools):
    """A project with test runners, the TypeScript compiler and the SDK."""
    if not JAVASCRIPT.exists():
        pytest.skip("script/bootstrap --test installs the SDK")
    project = install()
    link_modules(project, tools, JAVASCRIPT)
    return project


@pytest.fixture
def example(runners, request):
    """Writes the files of a section of the README into a new folder of the project."""

    def write(title):
        folder = runners.folder / re.sub(r"\W", "", request.node.name)
        for language, text in re.findall(r"^```(\w+)\n(.*?)^```", section(title), re.MULTILINE | re.DOTALL):
            name = re.match(r"// (\S+)\n", text)[1]
            runners.write(folder / name, text)
        seed = re.search(r"^```json\n(.*?)^```", README, re.MULTILINE | re.DOTALL)[1]
        runners.write(folder / "seed" / "customers.ndjson", seed)
        runners.write(folder / "package.json", '{ "private": true }\n')
        return folder

    return write


@pytest.mark.parametrize("title", COMMANDS)
def test_the_example_runs_with_the_real_runner(runners, example, title):
    folder = example(title)
    ended = runners.run(*COMMANDS[title], cwd=folder, environment={"NO_COLOR": "1"})
    assert SUMMARIES[title] in ended.stdout + ended.stderr
    wait_until(lambda: not running(runners.program), SECONDS, "the server outlives the runner")


@pytest.mark.parametrize("title, name", [("Vitest", "rocktable.setup.mjs"), ("Jest", "rocktable.setup.js")])
def test_without_options_the_package_is_the_global_set_up(runners, example, title, name):
    folder = example(title)
    (folder / name).unlink()
    shutil.rmtree(folder / "seed")
    empty = "  expect(connectionString).toMatch(/AccountName=t/);\n"
    for file in folder.glob("*.*js"):
        text = re.sub(r'"(\./)?rocktable\.setup\.\w+"', f'"rocktable/{title.lower()}"', file.read_text())
        file.write_text(re.sub(r"^  const customers.*\n^  expect.*\n", empty, text, flags=re.MULTILINE))
    ended = runners.run(*COMMANDS[title], cwd=folder, environment={"NO_COLOR": "1"})
    assert SUMMARIES[title] in ended.stdout + ended.stderr
    wait_until(lambda: not running(runners.program), SECONDS, "the server outlives the runner")


@pytest.mark.parametrize("title, options", [
    ("Vitest", ["--pool=forks"]), ("Vitest", ["--pool=threads"]), ("Jest", ["--maxWorkers=2"]), ("Jest", ["--runInBand"]),
])
def test_all_workers_use_one_server(runners, example, title, options):
    folder = example(title)
    imports = 'import { test } from "vitest"; import { appendFileSync } from "node:fs"; import { connect } from "rocktable";'
    requires = 'const { appendFileSync } = require("node:fs"); const { connect } = require("rocktable");'
    text = """
        test("a worker", async () => {
          const server = connect();
          const { name } = await server.account();
          appendFileSync("found", `${server.url} ${name}\\n`);
        });
        """
    for number in range(4):
        if title == "Vitest":
            runners.write(folder / f"worker{number}.test.mjs", imports + text)
        else:
            runners.write(folder / f"worker{number}.test.js", requires + text)
    runners.run(*COMMANDS[title], *options, cwd=folder)
    urls, accounts = zip(*(line.split() for line in (folder / "found").read_text().splitlines()))
    assert (len(urls), len(set(urls)), len(set(accounts))) == (4, 1, 4)


@pytest.mark.parametrize("title, options", [("Vitest", []), ("Jest", ["--maxWorkers=2"])])
def test_workers_that_are_processes_trust_the_authority(runners, example, title, options):
    folder = example(title)
    for file in folder.glob("rocktable.setup.*"):
        file.write_text(file.read_text().replace('seed: "seed"', 'seed: "seed", tls: "auto"'))
    for file in folder.glob("customers.test.*"):
        text = file.read_text().replace(', { allowInsecureConnection: true }', '')
        file.write_text(text)
        (folder / f"more.{file.name}").write_text(text)  # Jest tests a single file without workers
    ended = runners.run(*COMMANDS[title], *options, cwd=folder, environment={"NO_COLOR": "1"})
    assert "2 passed" in ended.stdout + ended.stderr


@pytest.mark.parametrize("title", ["Vitest", "Jest"])
def test_a_wrong_seed_ends_the_run_with_the_sentence_of_the_program(runners, example, title):
    folder = example(title)
    (folder / "seed" / "customers.ndjson").write_text("no JSON\n")
    ended = runners.run(*COMMANDS[title], cwd=folder, environment={"NO_COLOR": "1"}, code=1)
    assert re.search(r"seed/customers\.ndjson:1:\d+: ", ended.stdout + ended.stderr)


@pytest.mark.parametrize("module, resolution, types", [
    ("nodenext", "nodenext", ["node"]), ("commonjs", "node10", []), ("esnext", "bundler", []),
])
def test_the_types_compile_and_refuse_errors(runners, module, resolution, types):
    options = {"strict": True, "noEmit": True, "target": "es2022", "module": module, "moduleResolution": resolution,
               "esModuleInterop": True, "types": types}
    runners.write("types/tsconfig.json", json.dumps({"compilerOptions": options}))
    runners.write("types/use.ts", USE)
    for number, (text, _) in enumerate(ERRORS):
        lines = ['import { connect, start } from "rocktable";', text, "export { connect, start };", ""]
        runners.write(f"types/error{number}.ts", "\n".join(lines))
    ended = runners.run("npx", "--no-install", "tsc", "--project", "types", "--pretty", "false", code=2)
    found = re.findall(r"^types/(\w+)\.ts\((\d+),\d+\): error (TS\d+)", ended.stdout, re.MULTILINE)
    assert found == [(f"error{number}", "2", error) for number, (_, error) in enumerate(ERRORS)], ended.stdout


@pytest.mark.parametrize("language, text", Guide("fixtures.md").runnable("js"))
def test_a_recipe_does_what_it_says(project, language, text):
    if not (project.folder / "seed").exists():
        (data,) = (text for language, run, text, _ in Guide("ci.md").blocks() if run and "mkdir -p seed" in text)
        project.run("npx", "--no-install", "rocktable", "exec", "--", "sh", "-ec", data)
    check_output(text, project.script(text))


def test_recipes_are_found():
    assert len(Guide("fixtures.md").runnable("js")) == 2
