"""A server process that ends with this process, however this process ends."""
from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import warnings
import weakref
from typing import Any, Mapping

from . import _program

STOP_SECONDS = 10


class Error(Exception):
    """The server could not start, or refused a call, or ended. The text is the server's own sentence, if it has one.

    status: the HTTP status of a refused call, otherwise None
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


def flag_name(option: str) -> str:
    """explain_auth becomes explainAuth."""
    return re.sub("_(.)", lambda match: match[1].upper(), option)


def flags(options: Mapping[str, Any]) -> list[str]:
    """{"explainAuth": True, "tls": "auto", "tlsName": ["a", "b"]} becomes --explainAuth --tls=auto --tlsName=a
    --tlsName=b. False and None omit an option."""
    words = []
    for name, value in options.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(f"--{name}")
            elif one is not False and one is not None:
                words.append(f"--{name}={one}")
    return words


class Process:
    """Starts the server with these flags, and waits until it answers.

    ready: the members of its ready document
    """

    ready: dict[str, Any]

    def __init__(self, words: list[str]) -> None:
        self._errors = _program.system.ErrorFile()
        self._server: subprocess.Popen[bytes] | None = None
        server_end, self._input = os.pipe()  # the server stops when all copies of _input are closed
        _running.add(self)
        try:
            self._server = self._spawn([*words, "--readyFile=-", "--stopAtInputEnd"], server_end)
            assert self._server.stdout
            line = self._server.stdout.readline()
            if not line:
                code = self._server.wait()
                raise Error(self._last_error() or _how_it_ended(code))
            self.ready = json.loads(line)
            _warn(self._new_errors())
        except BaseException:
            self._end()
            raise
        finally:
            os.close(server_end)

    def _spawn(self, words: list[str], server_end: int) -> subprocess.Popen[bytes]:
        """No variable ROCKTABLE_... configures the server. Ctrl-C at a terminal does not reach it."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ROCKTABLE_")}
        program = _program.path()
        try:
            return subprocess.Popen(
                [program, *words], stdin=server_end, stdout=subprocess.PIPE, stderr=self._errors.writer,
                env=environment, **_program.system.SEPARATE,
            )
        except OSError as error:
            raise Error(f"{program} cannot be executed: {error.strerror}") from None

    def stop(self) -> None:
        """Stops the server. In a child process made by fork, and if the server is stopped already, has no effect.

        Error: the server ended before, or not in order
        """
        if self._input < 0:
            return
        assert self._server
        sentences = self._new_errors()
        code = self._end()
        _warn(sentences)
        if code != 0:
            raise Error(_how_it_ended(code))

    def _end(self) -> int:
        """Returns the exit code; 0 if the server never ran."""
        self.close_input()
        code = 0
        if self._server:
            try:
                code = self._server.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._server.kill()
                code = self._server.wait()
            assert self._server.stdout
            self._server.stdout.close()
        self._errors.close()
        return code

    def close_input(self) -> None:
        if self._input >= 0:
            os.close(self._input)
            self._input = -1

    def _new_errors(self) -> list[str]:
        """The sentences on standard error that were not read yet."""
        text = self._errors.read_new().decode(errors="replace")
        return [line.removeprefix("rocktable: ") for line in text.splitlines()]

    def _last_error(self) -> str:
        """Warnings precede the sentence that says why the server could not start."""
        return "".join(self._new_errors()[-1:])


def _warn(sentences: list[str]) -> None:
    for sentence in sentences:
        warnings.warn(f"rocktable: {sentence}", stacklevel=3)


def _how_it_ended(code: int) -> str:
    return "the server ended " + (f"with exit code {code}" if code >= 0 else f"by {signal.Signals(-code).name}")


_running: weakref.WeakSet[Process] = weakref.WeakSet()


def _close_inputs() -> None:
    for process in list(_running):
        process.close_input()


# A child process made by fork has copies of the pipes, and can live longer than this process. Windows has no fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_inputs)
