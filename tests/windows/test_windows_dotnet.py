"""The NuGet packages on Windows: the library Rocktable.Testing in a program with the runtime of Windows."""
import json
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "packages/nuget"))
import packages
import windows_program
from dotnet_project import DotNet
from process import wait_until
from windows_program import SECONDS, does_listen, path, run, words_of

pytestmark = pytest.mark.skipif(not windows_program.IS_THERE or not shutil.which("dotnet"),
                                reason=f"{windows_program.WHAT_IS_MISSING}; and the .NET SDK")


class Program:
    """The program of the tests of packages, built with the runtime."""

    def __init__(self, dotnet, folder):
        self._dotnet = dotnet
        self.folder = folder
        self.command = words_of(folder / "program.exe")

    def variables(self, more=None):
        # The loader of Wine needs its mscoree for files without native code. By Wine, .NET fails when it frees code that
        # was made at run time, so nothing is collected: the youngest generation has 1 GB.
        return {**self._dotnet.variables(more), "WINEDLLOVERRIDES": "mshtml=", "DOTNET_GCgen0size": "0x40000000"}

    def run(self, *words, environment=None):
        ended = subprocess.run([*self.command, *map(str, words)], env=self.variables(environment), cwd=self.folder,
                               stdin=subprocess.DEVNULL, capture_output=True, timeout=2 * SECONDS, check=False)
        assert ended.returncode == 0, ended
        return ended.stdout.decode()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    program = windows_program.PROGRAM
    return packages.make("nuget", tmp_path_factory.mktemp("made"), program, windows=program)


@pytest.fixture(scope="module")
def built(made, tmp_path_factory):
    dotnet = DotNet(tmp_path_factory.mktemp("dotnet"), made, only_made=False)
    try:
        folder = dotnet.build_for("win-x64", "built")
    except AssertionError as error:
        missing = [line for line in str(error).splitlines() if "error NU1101" in line or "error NU1301" in line]
        if not missing:
            raise
        pytest.skip(f"the runtime for Windows cannot be installed: {missing[0].strip()}")
    return Program(dotnet, folder)


@pytest.fixture
def seed(tmp_path):
    folder = tmp_path / "the seed"
    folder.mkdir()
    (folder / "customers.ndjson").write_text('{"PartitionKey":"de","RowKey":"1","Name":"Anna"}\n')
    return folder


def test_the_packages_are_small_and_name_the_program(made):
    files = [file for file in made if "win-x64" in file.name]
    assert len(files) == 2
    for file in files:
        assert file.stat().st_size < packages.MAXIMUM_BYTES
        with zipfile.ZipFile(file) as archive:
            (name,) = (name for name in archive.namelist() if name.endswith("rocktable.exe"))
            assert archive.read(name) == windows_program.PROGRAM.read_bytes()


def test_accounts_are_copies_of_the_seed_and_share_nothing(built, seed):
    assert built.run("accounts", path(seed)).splitlines() == ["|customers|customers", "True", "True", ""]


def test_data_can_be_reset_and_restored(built, seed):
    empty, restored, counted, refused = built.run("data", path(seed)).splitlines()
    assert (empty, restored, counted) == ("", "customers", "True")
    assert refused.startswith("404: ") and "missing" in refused


def test_a_server_that_cannot_start_says_why(built, tmp_path):
    wrong = tmp_path / "a wrong.ndjson"
    wrong.write_text('{"PartitionKey":"p","RowKey":"r","N@odata.type":"Edm.Int64","N":"many"}\n')
    told, unknown, quoted, missing, reserved = built.run("refusals", path(wrong)).splitlines()
    expected = run("--inMemoryPersistence", "--tablePort", 0, "--seed", path(wrong)).stderr.decode().splitlines()[-1]
    assert told == f": {expected.removeprefix('rocktable: ')}"
    assert unknown.startswith(": there is no option --noSuchOption")
    assert '--tablePort a "b" \\: ' in quoted or '--tablePort=a "b" \\' in quoted
    assert missing.startswith(": /missing cannot be executed: ")
    assert reserved == "StartAsync sets the option readyFile itself"


def test_a_hundred_parallel_tests_have_their_own_accounts(built, seed):
    assert built.run("parallel", path(seed)).strip() == "100"


def test_the_server_ends_with_a_program_that_does_not_stop_it(built):
    port = int(built.run("forget"))
    wait_until(lambda: not does_listen(port), SECONDS, "the server still runs")


def test_a_killed_runner_leaves_no_server(built):
    command = [*built.command, "wait alone"]
    with subprocess.Popen(command, env=built.variables(), stdout=subprocess.PIPE, text=True) as runner:
        port = json.loads(runner.stdout.readline())
        try:
            assert does_listen(port)
        finally:
            runner.kill()
    wait_until(lambda: not does_listen(port), SECONDS, "the server still runs")
