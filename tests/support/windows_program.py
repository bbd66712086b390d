"""Starts the program for Windows: as it is on Windows, and by Wine elsewhere.

    ROCKTABLE_WINDOWS_BINARY   the program; default: build/windows/rocktable.exe of this tree
"""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

from process import wait_until
from rocktable_server import Account

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("ROCKTABLE_WINDOWS_BINARY", ROOT / "build/windows/rocktable.exe"))
ON_WINDOWS = sys.platform == "win32"
SECONDS = 30
IS_THERE = PROGRAM.exists() and (ON_WINDOWS or shutil.which("wine") is not None)
WHAT_IS_MISSING = "needs the program for Windows, and Wine: script/test --windows"

if not ON_WINDOWS:
    # Its registry and folders are made at the first start, which takes seconds. No window asks for further downloads.
    os.environ.setdefault("WINEPREFIX", str(ROOT / "build/wine"))
    os.environ.setdefault("WINEDEBUG", "-all")
    os.environ.setdefault("WINEDLLOVERRIDES", "mscoree,mshtml=")


def path(name):
    """Returns a path as Windows has it. In Wine, drive Z: is the root folder."""
    return str(name) if ON_WINDOWS else "Z:" + str(name).replace("/", "\\")


def words_of(program, *arguments):
    """The command line of any program for Windows."""
    return [*([] if ON_WINDOWS else ["wine"]), str(program), *map(str, arguments)]


def words(*arguments):
    return words_of(PROGRAM, *arguments)


def environment(**variables):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ROCKTABLE_", "AZURE_"))}
    return kept | variables


def run(*arguments, given=None, folder=None, program=PROGRAM, **variables):
    """Runs the program to its end. Its output is bytes as it wrote them."""
    source = {"stdin": subprocess.DEVNULL} if given is None else {"input": given}
    # Not pipes: the services that Wine starts beside the first program keep them open.
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        done = subprocess.run(words_of(program, *arguments), **source, stdout=output, stderr=errors, timeout=SECONDS,
                              cwd=folder, env=environment(**variables), check=False)
        for file in (output, errors):
            file.seek(0)
        return subprocess.CompletedProcess(done.args, done.returncode, output.read(), errors.read())


def does_listen(port):
    with socket.socket() as client:
        client.settimeout(1)
        return client.connect_ex(("127.0.0.1", port)) == 0


def interrupt(process):
    """As Ctrl-C, to the process and all that it started; on Windows as Ctrl-Break, which can be sent to one group."""
    if ON_WINDOWS:
        process.send_signal(signal.CTRL_BREAK_EVENT)
    else:
        os.killpg(process.pid, signal.SIGINT)


def start(folder, *arguments, name="program", **options):
    """Starts the program, with files for its output in the folder, and a pipe as its input."""
    if ON_WINDOWS:
        options["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP
    else:
        options["start_new_session"] = True
    with open(folder / f"{name}.out", "wb") as output, open(folder / f"{name}.err", "wb") as errors:
        options = {"stdout": output, "stderr": errors} | options
        return subprocess.Popen(words(*arguments), stdin=subprocess.PIPE,
                                env=environment(**options.pop("variables", {})), **options)


class WindowsServer(Account):
    """A server that ends with its standard input."""

    def __init__(self, folder, *flags, location=None, **options):
        self._folder = folder
        ready_file = folder / "ready.json"
        storage = ["--location", path(location)] if location else ["--inMemoryPersistence"]
        self.process = start(folder, *storage, "--tablePort", 0, "--readyFile", path(ready_file), "--stopAtInputEnd",
                             *flags, name="server", **options)

        def is_ready():
            assert self.process.poll() is None, f"it ended with {self.process.poll()}: {self.errors()}"
            return ready_file.exists()

        try:
            wait_until(is_ready, SECONDS, "the server does not get ready")
            self.ready = json.loads(ready_file.read_text(encoding="utf-8"))
        except BaseException:
            self.process.kill()
            raise
        super().__init__(self.ready["connectionString"], self._authority_file())

    def _authority_file(self):
        named = self.ready.get("certificateAuthority")
        return named if named is None or ON_WINDOWS else named.removeprefix("Z:").replace("\\", "/")

    def output(self):
        return (self._folder / "server.out").read_bytes()

    def errors(self):
        return (self._folder / "server.err").read_text(encoding="utf-8")

    def stop(self):
        """Ends its input, and returns its exit code."""
        self.process.stdin.close()
        return self.process.wait(SECONDS)


@contextlib.contextmanager
def serving(folder, *flags, **options):
    folder.mkdir(exist_ok=True)
    server = WindowsServer(folder, *flags, **options)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait(SECONDS)
