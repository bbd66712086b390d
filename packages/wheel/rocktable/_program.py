"""The native program: where it is, and the command `rocktable`, which runs it."""
from __future__ import annotations

import os
import sys

if sys.platform == "win32":
    from . import _windows as system
else:
    from . import _posix as system

__all__ = ["main", "path", "system"]


def path() -> str:
    """ROCKTABLE_BINARY, or else the program in this package."""
    return os.environ.get("ROCKTABLE_BINARY") or os.path.join(os.path.dirname(__file__), "bin", system.FILE_NAME)


def main() -> None:
    """Runs the program with the same arguments; its exit code is that of the command."""
    program = path()
    try:
        system.run([program, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"rocktable: {program} cannot be executed: {error.strerror}")
