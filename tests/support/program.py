"""Starts the program as users do, and checks its output and its exit code."""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

from process import wait_until
from rocktable_server import BINARY, paths_here

SECONDS = 20
COMMAND_SECONDS = 60


def user_environment(**variables):
    """Returns the environment of this process without variables that name servers or accounts, and with these; None
    removes one."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ROCKTABLE_", "AZURE_"))}
    return {name: value for name, value in (kept | variables).items() if value is not None}


class Program:
    """Runs until the end of the block, or until it is signalled. `words`: the complete command line."""

    def __init__(self, *words, environment=None, folder=None):
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="rocktable-program-"))
        self._words = [str(word) for word in words]
        with open(self._folder / "stdout", "wb") as output, open(self._folder / "stderr", "wb") as errors:
            self.process = subprocess.Popen(
                self._words, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, cwd=folder,
                env={**os.environ, **(environment or {})},
            )
        self.pid = self.process.pid

    def output(self):
        return paths_here((self._folder / "stdout").read_text())

    def errors(self):
        return paths_here((self._folder / "stderr").read_text())

    def wait_for(self, text):
        """Waits until it has printed this, and returns its output so far."""

        def is_there():
            assert self.process.poll() is None, f"it ended with {self.process.poll()}: {self.errors()}"
            return text in self.output()

        wait_until(is_there, SECONDS, f"{self._words} does not print: {text}")
        return self.output()

    def end(self, number=signal.SIGTERM):
        """Sends a signal and returns the exit code."""
        self.process.send_signal(number)
        return self.process.wait(SECONDS)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(SECONDS)
        shutil.rmtree(self._folder, ignore_errors=True)


def _with_paths_here(ended):
    return subprocess.CompletedProcess(ended.args, ended.returncode, paths_here(ended.stdout), paths_here(ended.stderr))


def run(*flags, environment=None, folder=None, program=BINARY):
    """Runs the program until it ends. Only for commands that do not start a server."""
    words = [str(word) for word in (program, *flags)]
    environment = {**os.environ, **(environment or {})}
    return _with_paths_here(subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, env=environment,
                                           cwd=folder, check=False))


def run_command(*words, given=None, **variables):
    """Runs a command that asks a server, in user_environment(**variables). `given`: its standard input."""
    source = {"stdin": subprocess.DEVNULL} if given is None else {"input": given}
    words = [str(word) for word in (BINARY, *words)]
    return _with_paths_here(subprocess.run(words, **source, capture_output=True, text=True, timeout=COMMAND_SECONDS,
                                           env=user_environment(**variables), check=False))


def refusal(code, *flags, **options):
    """Checks that the program exits with this code and one sentence on standard error. Returns it without `rocktable:
    `."""
    result = run(*flags, **options)
    assert (result.returncode, result.stdout) == (code, ""), result
    line, end = result.stderr[:-1], result.stderr[-1:]
    assert end == "\n" and "\n" not in line, result.stderr
    assert line.startswith("rocktable: "), line
    return line.removeprefix("rocktable: ")
