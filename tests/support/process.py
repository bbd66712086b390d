"""State, memory and descriptors of a process, as reported by the kernel, and the limit of descriptors of this process."""
import contextlib
import os
import resource
import time

MEBIBYTE = 1 << 20


def resident_bytes(server):
    with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def open_sockets(server):
    folder = f"/proc/{server.process.pid}/fd"
    count = 0
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            count += os.readlink(f"{folder}/{name}").startswith("socket:")
    return count


def is_running(pid):
    """Whether the process exists and has not ended; one that nobody has waited for yet has ended."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # the second: it ended between open and read
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as status:
            return status.read().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def allow_many_files():
    """Raises the limit of descriptors of this process as far as permitted. Returns the limit."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def wait_until(holds, seconds, what):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)
