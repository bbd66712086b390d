"""What all packages have in common: the version, the date, the programs, the licences."""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
ARCHITECTURES = ("x86_64", "aarch64")
DESCRIPTION = "Azure Table Storage, emulated on your machine: a native program with a durable store"


def version():
    """The version has one source: the project() of CMakeLists.txt."""
    return re.search(r"^project\(rocktable VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]


def commit_time():
    """Seconds since 1970: of the commit, so that the same commit gives the same bytes; SOURCE_DATE_EPOCH overrides it."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    answer = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False)
    return int(answer.stdout or 0)


class Release:
    """`programs`: a file for each architecture (ARCHITECTURES) to make packages for. `out`: the folder of packages."""

    def __init__(self, programs, out):
        self.programs = programs
        self.out = out
        self.version = version()
        self.time = commit_time()
        self.description = DESCRIPTION
        self.license = ROOT / "LICENSE"

    @contextlib.contextmanager
    def staging(self):
        """An empty folder in which to put a package together. Deleted at the end."""
        with tempfile.TemporaryDirectory(prefix="rocktable-package-") as folder:
            yield pathlib.Path(folder)

    def copy_program(self, architecture, target):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.programs[architecture], target)
        target.chmod(0o755)
