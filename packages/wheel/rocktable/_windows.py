"""What a server process needs of Windows. `_posix` has the same names."""
from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # without the module `typing`, the command starts sooner
    from typing import Any

FILE_NAME = "rocktable.exe"

# A console of its own, without a window, keeps Ctrl-C from a server: tests still use it when they clean up.
SEPARATE: dict[str, Any] = {"creationflags": subprocess.CREATE_NO_WINDOW}


class ErrorFile:
    """What a server writes to standard error. Not a pipe, because nobody reads while the server runs."""

    def __init__(self) -> None:
        import tempfile  # the command needs no such file, and starts sooner without it

        self.writer = tempfile.NamedTemporaryFile(prefix="rocktable-")  # has no name when all have closed it
        self._reader = open(self.writer.name, "rb", opener=_open_again)

    def read_new(self) -> bytes:
        """What was not read yet. Has a position of its own in the file."""
        return self._reader.read()

    def close(self) -> None:
        self._reader.close()
        self.writer.close()


def _open_again(name: str, flags: int) -> int:
    """Opens a temporary file that is open: only those who also let the system delete it may do so."""
    return os.open(name, flags | os.O_TEMPORARY)


def run(words: list[str]) -> None:
    """Runs a program, and ends with its exit code. A process cannot be replaced here: a shell would not wait for the
    program. The console sends Ctrl-C to both. If this process is killed, the program ends. OSError: it cannot be
    executed."""
    for of_the_console in (signal.SIGINT, signal.SIGBREAK):
        signal.signal(of_the_console, signal.SIG_IGN)
    process = subprocess.Popen(words)
    _end_with_this_process(process.pid)
    sys.exit(process.wait())


# --- A job: the system ends its process when the last handle of it is closed, but not what that process started. -----

_KILL_ON_JOB_CLOSE = 0x2000
_SILENT_BREAKAWAY_OK = 0x1000
_EXTENDED_LIMIT_INFORMATION = 9
_PROCESS_TERMINATE, _PROCESS_SET_QUOTA = 0x0001, 0x0100


class _Limits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION, of which only the flags are used."""

    _fields_ = [
        ("times", ctypes.c_int64 * 2), ("flags", ctypes.c_uint32), ("sizes", ctypes.c_size_t * 2),
        ("processes", ctypes.c_uint32), ("affinity", ctypes.c_size_t), ("classes", ctypes.c_uint32 * 2),
        ("counters", ctypes.c_uint64 * 6), ("memory", ctypes.c_size_t * 4),
    ]


def _end_with_this_process(pid: int) -> None:
    """Puts a process into a new job, whose handle is open until this process ends. If the system refuses that, only
    those who kill this process notice it."""
    kernel = ctypes.WinDLL("kernel32")
    kernel.CreateJobObjectW.restype = kernel.OpenProcess.restype = ctypes.c_void_p
    limits = _Limits(flags=_KILL_ON_JOB_CLOSE | _SILENT_BREAKAWAY_OK)
    job = kernel.CreateJobObjectW(None, None)
    process = kernel.OpenProcess(_PROCESS_TERMINATE | _PROCESS_SET_QUOTA, False, pid)
    handles = ctypes.c_void_p(job), ctypes.c_void_p(process)
    size = ctypes.sizeof(limits)
    kernel.SetInformationJobObject(handles[0], _EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), size)
    kernel.AssignProcessToJobObject(*handles)
    kernel.CloseHandle(handles[1])
