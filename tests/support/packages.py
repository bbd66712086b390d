"""Makes packages of the program under test, as script/package does, and watches the programs installed from them."""
import os
import pathlib
import subprocess

from rocktable_server import BINARY

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 300
MAXIMUM_BYTES = 6_000_000  # of npm, NuGet packages and wheels
ARCHITECTURES = ("x86_64", "aarch64")
WINDOWS = "windows-x86_64"

# A separate process: a kind of package can have the name of an installed module.
MAKE = """
import importlib, pathlib, sys
kind, out, address, *programs = sys.argv[1:]
import third_party
from release import WINDOWS, Release
programs = {name: pathlib.Path(file) for name, file in (text.split("=", 1) for text in programs)}
def is_installed(library):
    try:
        return bool(third_party.installed_package(library))
    except FileNotFoundError:
        return False
# Not every machine has the packages of what is only in the program for Windows.
third_party.LIBRARIES = [one for one in third_party.LIBRARIES if one.systems != ("windows",) or is_installed(one)]
release = Release(programs, pathlib.Path(out), address or None)
if kind == "sbom":
    from sbom import sbom
    print(sbom(release))
else:
    for file in importlib.import_module(f"{kind}.make").make(release):
        print(file)
"""


def run_maker(kind, out, programs, address=""):
    """Makes packages of a kind of the files `programs`, by platform, in the folder `out`. Returns what the maker says."""
    out.mkdir(parents=True, exist_ok=True)
    pairs = [f"{platform}={file.absolute()}" for platform, file in programs.items()]
    words = ["/usr/bin/python3", "-c", MAKE, kind, out, address, *pairs]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "packages"), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(words, env=environment, stdout=subprocess.PIPE, text=True, timeout=SECONDS, check=True).stdout


def make(kind, out, program=BINARY, architectures=ARCHITECTURES, windows=None, address=""):
    """Makes packages in the folder `out` with the same program for each architecture of Linux, and with the file `windows`
    for Windows. Returns their files."""
    programs = dict.fromkeys(architectures, program) | ({WINDOWS: windows} if windows else {})
    return [pathlib.Path(line) for line in run_maker(kind, out, programs, address).splitlines()]


def no_windows_program(folder):
    """Writes a file in place of the program for Windows. tests/windows starts the real one."""
    folder.mkdir(exist_ok=True)
    file = folder / "rocktable.exe"
    file.write_bytes(b"MZ\n\r\n")
    return file


def stripped(folder):
    """Returns a copy of the program under test without symbols, as releases have it."""
    subprocess.run(["strip", "-o", folder / "rocktable", BINARY], check=True)
    return folder / "rocktable"


def make_with_other_umask(kind, out, program, windows):
    """Modes of files in packages must not depend on the umask."""
    mask = os.umask(0o077)
    try:
        return make(kind, out, program, windows=windows)
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
