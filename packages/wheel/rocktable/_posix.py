"""What a server process needs of Linux. `_windows` has the same names."""
from __future__ import annotations

import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:  # without the module `typing`, the command starts sooner
    from typing import Any

FILE_NAME = "rocktable"

# Its own session keeps a terminal's Ctrl-C from a server: tests still use it when they clean up.
SEPARATE: dict[str, Any] = {"start_new_session": True}


class ErrorFile:
    """What a server writes to standard error. Not a pipe, because nobody reads while the server runs."""

    def __init__(self) -> None:
        import tempfile  # the command needs no such file, and starts sooner without it

        self.writer = tempfile.TemporaryFile()
        self._position = 0

    def read_new(self) -> bytes:
        """What was not read yet. Does not move the server's position in the file."""
        text = b""
        while piece := os.pread(self.writer.fileno(), 1 << 16, self._position):
            self._position += len(piece)
            text += piece
        return text

    def close(self) -> None:
        self.writer.close()


def run(words: list[str]) -> None:
    """Replaces this process by a program, so signals reach it and its exit code is that of the command. OSError: it
    cannot be executed."""
    for ignored_by_python in (signal.SIGPIPE, signal.SIGXFSZ):  # an ignored signal stays ignored in the program
        signal.signal(ignored_by_python, signal.SIG_DFL)
    os.execv(words[0], words)
