"""Makes the NuGet packages of the program under test, installs the tool, and builds a program that uses the library.
The only sources of packages are the folder of those packages, and what `script/bootstrap --dotnet` has installed."""
import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import packages
from dotnet_project import DotNet
from rocktable_server import BINARY


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    if not BINARY.exists():
        pytest.skip("no program to make packages of")
    return packages.stripped(tmp_path_factory.mktemp("program"))


@pytest.fixture(scope="session")
def windows_program(tmp_path_factory):
    return packages.no_windows_program(tmp_path_factory.mktemp("windows"))


@pytest.fixture(scope="session")
def made(program, windows_program, tmp_path_factory):
    if not shutil.which("dotnet"):
        pytest.skip("the .NET SDK is not installed")
    return packages.make("nuget", tmp_path_factory.mktemp("made"), program, windows=windows_program)


@pytest.fixture(scope="session")
def dotnet(made, tmp_path_factory):
    return DotNet(tmp_path_factory.mktemp("dotnet"), made)


@pytest.fixture(scope="session")
def tool(dotnet):
    """Installs the tool. Returns its file."""
    folder = dotnet.folder / "tools"
    dotnet.run("dotnet", "tool", "install", "rocktable", "--tool-path", folder)
    return folder / "rocktable"


@pytest.fixture(scope="session")
def built(dotnet):
    return dotnet.build("built")
