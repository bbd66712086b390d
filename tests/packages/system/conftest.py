"""The static program, which is in all packages, and folders that contain nothing else."""
import os
import pathlib
import shutil
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import packages
from root_folder import Root

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
