"""The native program: where it is, and the command `rocktable`, which becomes it."""
from __future__ import annotations

import os
import signal
import sys


def path() -> str:
    """ROCKTABLE_BINARY, or else the program in this package."""
    return os.environ.get("ROCKTABLE_BINARY") or os.path.join(os.path.dirname(__file__), "bin", "rocktable")


def main() -> None:
    """Replaces this process by the program, so signals reach it and its exit code is that of the command."""
    for ignored_by_python in (signal.SIGPIPE, signal.SIGXFSZ):  # an ignored signal stays ignored in the program
        signal.signal(ignored_by_python, signal.SIG_DFL)
    program = path()
    try:
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"rocktable: {program} cannot be executed: {error.strerror}")
