"""What all packages have in common: the version, the date, the programs, the licences."""
import contextlib
import functools
import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile

import third_party
from documents.write import documents

ROOT = pathlib.Path(__file__).resolve().parents[1]
ARCHITECTURES = ("x86_64", "aarch64")  # of Linux
WINDOWS = "windows-x86_64"
PLATFORMS = (*ARCHITECTURES, WINDOWS)
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


def system_of(platform):
    return "windows" if platform == WINDOWS else "linux"


def file_name(platform):
    """The name of the program on a platform."""
    return "rocktable.exe" if platform == WINDOWS else "rocktable"


class Release:
    """`programs`: a file for each platform (PLATFORMS) to make packages for. `out`: the folder of packages."""

    def __init__(self, programs, out, address=None):
        self.programs = programs
        self.address = address  # URL of the folder from which the packages will be downloaded; None: unknown
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

    @property
    def architectures(self):
        """The architectures of Linux for which there is a program."""
        return [platform for platform in self.programs if platform in ARCHITECTURES]

    @property
    def systems(self):
        """The systems for which there is a program: "linux", "windows"."""
        return sorted(set(map(system_of, self.programs)))

    def program(self, platform):
        return self.programs[platform].read_bytes()

    def digests(self):
        """SHA-256 of the program of each platform."""
        return {platform: hashlib.sha256(self.program(platform)).hexdigest() for platform in self.programs}

    def copy_program(self, platform, target):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.programs[platform], target)
        target.chmod(0o755)

    @functools.cache
    def documents(self):
        """The manual page and the completions, by file name (packages/documents/write.py)."""
        program = self.programs.get(platform.machine())
        if program is None:
            raise LookupError(f"the manual page is written by the program: --program {platform.machine()}=FILE is missing")
        described = subprocess.run([program, "help", "--json"], capture_output=True, text=True, check=True).stdout
        return documents(json.loads(described), self.version)

    @functools.cache
    def license_texts(self, system="linux"):
        """The licence of rocktable and those of the libraries in a system's program, by file name."""
        return {"LICENSE": self.license.read_text(), "THIRD-PARTY-LICENSES": third_party.license_texts(system)}
