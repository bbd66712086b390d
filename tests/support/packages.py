"""Makes packages of the program under test, as script/package does, and watches the programs installed from them."""
import os
import pathlib
import subprocess

from rocktable_server import BINARY

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 300

# A separate process: a kind of package can have the name of an installed module.
MAKE = """
import importlib, pathlib, sys
kind, program, out, *architectures = sys.argv[1:]
from release import ARCHITECTURES, Release
release = Release({name: pathlib.Path(program) for name in architectures or ARCHITECTURES}, pathlib.Path(out))
for file in importlib.import_module(f"{kind}.make").make(release):
    print(file)
"""


def make(kind, out, program=BINARY, architectures=()):
    """Makes packages in the folder `out` with the same program for each architecture; without `architectures`, for all.
    Returns their files."""
    out.mkdir(parents=True, exist_ok=True)
    words = ["/usr/bin/python3", "-c", MAKE, kind, program.absolute(), out, *architectures]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "packages"), "PYTHONDONTWRITEBYTECODE": "1"}
    made = subprocess.run(words, env=environment, stdout=subprocess.PIPE, text=True, timeout=SECONDS, check=True)
    return [pathlib.Path(line) for line in made.stdout.splitlines()]


def stripped(folder):
    """Returns a copy of the program under test without symbols, as releases have it."""
    subprocess.run(["strip", "-o", folder / "rocktable", BINARY], check=True)
    return folder / "rocktable"


def make_with_other_umask(kind, out, program):
    """Modes of files in packages must not depend on the umask."""
    mask = os.umask(0o077)
    try:
        return make(kind, out, program)
    finally:
        os.umask(mask)


def running(program):
    """Returns the ids of the processes that execute this file."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (process / "exe").readlink() == program.resolve():
                found.append(int(process.name))
        except OSError:  # it ended, or has ended and was not waited for
            pass
    return found
