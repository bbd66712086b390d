"""Makes the npm packages of the program under test, and installs them into clean projects, as npm does for users."""
import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import node_modules
import packages
from guide import JAVASCRIPT
from npm_project import Project
from npm_registry import Registry
from rocktable_server import BINARY

HERE = pathlib.Path(__file__).resolve().parent
NODES = ["node", "node-18", "node-24"]  # that in PATH, and packages of package.json


@pytest.fixture(scope="session")
def windows_program(tmp_path_factory):
    return packages.no_windows_program(tmp_path_factory.mktemp("windows"))


@pytest.fixture(scope="session")
def files(windows_program, tmp_path_factory):
    if not BINARY.exists():
        pytest.skip("no program to make packages of")
    program = packages.stripped(tmp_path_factory.mktemp("program"))
    return packages.make("npm", tmp_path_factory.mktemp("packages"), program, windows=windows_program)


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
    """The folder of the packages in package.json."""
    return node_modules.install(HERE)


@pytest.fixture(params=NODES)
def node(request):
    """Versions of Node: the oldest supported one, and one in which the launcher can become the program."""
    if request.param == "node":
        return shutil.which("node")
    program = request.getfixturevalue("tools") / request.param / "bin" / "node"
    if not program.exists():
        pytest.skip(f"{request.param} is not available for this processor")
    return program
