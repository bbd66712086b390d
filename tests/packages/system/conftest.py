"""The static program, which is in all packages, and folders that contain nothing else."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import packages

STATIC = pathlib.Path(os.environ.get("ROCKTABLE_STATIC_BINARY", ROOT / "build" / "portable" / "rocktable"))


@pytest.fixture(scope="session")
def static_program():
    if not STATIC.exists():
        pytest.skip("`script/build portable rocktable` builds the static program")
    return STATIC.resolve()


@pytest.fixture(scope="session")
def packages_of(static_program, tmp_path_factory):
    """Makes packages of a kind, of the static program."""
    made = {}

    def make(kind):
        if kind not in made:
            made[kind] = packages.make(kind, tmp_path_factory.mktemp(kind), static_program)
        return made[kind]

    return make


class Root:
    """A folder that programs have as their root. They run as `user` (a number) in `cwd`. Needs the rights of root."""

    def __init__(self, folder, user=0, cwd="/"):
        self.folder = folder
        self._user = user
        self._cwd = cwd

    def _enter(self):
        os.chroot(self.folder)
        os.chdir(self._cwd)
        os.setgroups([])
        os.setgid(self._user)
        os.setuid(self._user)

    def start(self, *words, environment=None, **options):
        """Searches the first word in PATH of `environment`, below the folder."""
        return subprocess.Popen([str(word) for word in words], preexec_fn=self._enter, env=environment or {}, **options)

    def run(self, *words, code=0, environment=None):
        """Checks the exit code, and returns the output and the error output."""
        with self.start(*words, environment=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            output, errors = process.communicate(timeout=60)
        assert process.returncode == code, f"{words}\n{output}\n{errors}"
        return output, errors


@pytest.fixture
def empty_root(static_program, tmp_path):
    """Contains the program and empty folders for data and temporary files: no library, no /etc, no /dev, no /proc."""
    if os.geteuid() != 0:
        pytest.skip("chroot needs root")
    folder = tmp_path / "root"
    for name in ("data", "tmp"):
        (folder / name).mkdir(parents=True)
    shutil.copy(static_program, folder / "rocktable")
    return Root(folder)
