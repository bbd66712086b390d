"""The processes that a process has started."""
import contextlib
import pathlib


def children_of(pid):
    """Returns {pid: command line} of the direct children."""
    found = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            for child in (task / "children").read_text().split():
                words = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
                found[int(child)] = " ".join(word.decode() for word in words).strip()
    return found
