"""The fixtures of the wheel with the program for Windows. On Windows by its own Python; elsewhere by this Python with the
part for Windows, `rocktable._windows`, and a script that starts the program by Wine."""
import pathlib
import subprocess
import sys
import zipfile

import pytest

import packages
import windows_program
from process import wait_until
from windows_program import ON_WINDOWS, SECONDS, does_listen, path, run

pytestmark = pytest.mark.skipif(not windows_program.IS_THERE, reason=windows_program.WHAT_IS_MISSING)

AS_ON_WINDOWS = (pathlib.Path(__file__).resolve().parents[1] / "packages/wheel/as_on_windows.py").read_text()


class Package:
    """The unpacked wheel for Windows."""

    def __init__(self, folder, wheel):
        self.folder = folder / "site"
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(self.folder)
        self.program = self.folder / "rocktable/bin/rocktable.exe"
        self._variables = windows_program.environment(PYTHONPATH=str(self.folder), PYTHONDONTWRITEBYTECODE="1")
        if not ON_WINDOWS:
            script = folder / "rocktable"
            script.write_text(f'#!/bin/sh\nexec wine {self.program} "$@"\n')
            script.chmod(0o755)
            self._variables["ROCKTABLE_BINARY"] = str(script)

    def start(self, text):
        text = text if ON_WINDOWS else AS_ON_WINDOWS + text
        return subprocess.Popen([sys.executable, "-c", text], env=self._variables, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")

    def script(self, text):
        with self.start(text) as process:
            output, errors = process.communicate(timeout=2 * SECONDS)
        assert process.returncode == 0, errors
        return output


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    (wheel,) = packages.make("wheel", folder / "made", architectures=(), windows=windows_program.PROGRAM)
    assert wheel.stat().st_size < packages.MAXIMUM_BYTES
    return Package(folder, wheel)


def test_the_wheel_has_the_program(package):
    assert package.program.read_bytes() == windows_program.PROGRAM.read_bytes()


def test_accounts_are_copies_of_the_seed_and_share_nothing(package, tmp_path):
    seed = tmp_path / "Müller 日本"
    seed.mkdir()
    (seed / "customers.ndjson").write_text('{"PartitionKey":"de","RowKey":"1","Name":"Anna"}\n')
    assert package.script(f"""
import rocktable
with rocktable.start(seed={path(seed)!r}) as server:
    one, two = server.account(), server.account()
    server.reset(one.name)
    server.snapshot("one")
    print(sorted(server._filled()) == sorted(["devstoreaccount1", two.name]))
try:
    server.reset()
except rocktable.Error as error:
    print(str(error).partition(":")[0])
""") == "True\nthe server does not answer\n"


def test_a_server_that_cannot_start_says_why_and_warnings_are_shown(package, tmp_path):
    missing = path(tmp_path / "fehlt überall.ndjson")
    told = run("--inMemoryPersistence", "--tablePort", 0, "--seed", missing).stderr.decode().splitlines()[-1]
    output = package.script(f"""
import rocktable, sys, warnings
sys.stdout.reconfigure(encoding="utf-8")
for options in ({{"seed": {missing!r}}}, {{"no_such_option": True}}):
    try:
        rocktable.start(**options)
    except rocktable.Error as error:
        print(error)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    rocktable.start(table_host="0.0.0.0").stop()
print(str(caught[0].message)[:26])
""").splitlines()
    assert output == [told.removeprefix("rocktable: "), "there is no option --noSuchOption (see rocktable --help)",
                      "rocktable: everybody who c"]


def test_the_server_of_a_process_that_is_killed_ends(package):
    with package.start("import rocktable, time; print(rocktable.start().port, flush=True); time.sleep(60)") as process:
        port = int(process.stdout.readline())
        assert does_listen(port)
        process.kill()
    wait_until(lambda: not does_listen(port), SECONDS, "the server outlives the program")
