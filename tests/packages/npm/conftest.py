"""Makes the npm packages of the program under test, and installs them into clean projects, as npm does for users."""
import fcntl
import pathlib
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import packages
from guide import JAVASCRIPT
from npm_project import Project
from npm_registry import Registry
from rocktable_server import BINARY

HERE = pathlib.Path(__file__).resolve().parent
NODES = ["node", "node-18", "node-24"]  # that in PATH, and packages of package.json


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    if not BINARY.exists():
        pytest.skip("no program to make packages of")
    return packages.make("npm", tmp_path_factory.mktemp("packages"))


@pytest.fixture(scope="session")
def registry(files):
    with Registry(files) as running:
        yield running


@pytest.fixture(scope="session")
def install(registry, tmp_path_factory):
    """Makes a project with the package `rocktable`. Modules of the folder `outer` can be loaded in it."""
    cache = tmp_path_factory.mktemp("cache")

    def make(*options, outer=None):
        folder = tmp_path_factory.mktemp("npm") / "outer"
        folder.mkdir()
        if outer:
            (folder / "node_modules").symlink_to(outer)
        return Project(folder / "project", registry, *options, cache=cache)

    return make


@pytest.fixture(scope="session")
def project(install):
    """With the SDK."""
    if not JAVASCRIPT.exists():
        pytest.skip("script/bootstrap --test installs the SDK")
    return install(outer=JAVASCRIPT)


@pytest.fixture(scope="session")
def tools():
    """The folder of the packages in package.json; installs them if they are missing. Without a lock file, because some
    registries lack packages for other platforms, and `npm ci` needs all in a lock file."""
    modules, wanted = HERE / "node_modules", HERE / "package.json"
    installed = modules / ".installed.json"
    with open(wanted) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # other workers of pytest install them, too
        if not installed.exists() or installed.read_bytes() != wanted.read_bytes():
            words = ["npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
            ended = subprocess.run(words, cwd=HERE, capture_output=True, text=True, check=False)
            if ended.returncode != 0:
                pytest.skip(f"npm install failed: {(ended.stderr.strip() or 'without a reason').splitlines()[0]}")
            shutil.copy(wanted, installed)
    return modules


@pytest.fixture(params=NODES)
def node(request):
    """Versions of Node: the oldest supported one, and one in which the launcher can become the program."""
    if request.param == "node":
        return shutil.which("node")
    program = request.getfixturevalue("tools") / request.param / "bin" / "node"
    if not program.exists():
        pytest.skip(f"{request.param} is not available for this processor")
    return program
