"""Makes the NuGet packages of the program under test, installs the tool, and builds a program that uses the library.
The only sources of packages are the folder of those packages, and what `script/bootstrap --dotnet` has installed."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import packages
from rocktable_server import BINARY

PROGRAM = pathlib.Path(__file__).resolve().parent / "program"
INSTALLED = pathlib.Path(os.environ.get("NUGET_PACKAGES", pathlib.Path.home() / ".nuget/packages"))
SECONDS = 300


class DotNet:
    """Runs the .NET SDK with its own folders for tools and packages."""

    def __init__(self, folder, made):
        self.folder = folder
        self.made = made
        self.version = made[0].name.partition("linux-arm64.")[2].removesuffix(".nupkg")
        folder.joinpath("nuget.config").write_text(
            '<configuration><packageSources>'
            f'<clear /><add key="made" value="{made[0].parent}" /></packageSources><fallbackPackageFolders>'
            f'<add key="installed" value="{INSTALLED}" /></fallbackPackageFolders></configuration>'
        )

    def variables(self, more=None):
        """As for a user: no ROCKTABLE_BINARY."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ROCKTABLE_")}
        ours = {"NUGET_PACKAGES": str(self.folder / "packages"), "DOTNET_CLI_HOME": str(self.folder / "home"),
                "DOTNET_NOLOGO": "1", "DOTNET_CLI_TELEMETRY_OPTOUT": "1"}
        return {**kept, **ours, **(more or {})}

    def run(self, *words, code=0, environment=None):
        """Runs a command and checks its exit code. Returns its output."""
        ended = subprocess.run([str(word) for word in words], cwd=self.folder, env=self.variables(environment),
                               capture_output=True, text=True, timeout=SECONDS, check=False)
        assert ended.returncode == code, f"{words}\n{ended.stdout}\n{ended.stderr}"
        return ended.stdout

    def build(self, name, *properties, source=None):
        """Builds the program, or one of another source text. Returns the command that runs it."""
        folder = shutil.copytree(PROGRAM, self.folder / name)
        if source:
            (folder / "Program.cs").write_text(source)
        self.run("dotnet", "build", folder / "program.csproj", "--output", folder / "out", "-nodeReuse:false",
                 f"-p:RocktableVersion={self.version}", *properties)
        return Built(self, folder / "out")


class Built:
    """A built program."""

    def __init__(self, dotnet, folder):
        self.dotnet = dotnet
        self.command = ["dotnet", str(folder / "program.dll")]
        (self.program,) = folder.glob("runtimes/linux-x64/native/rocktable")

    def run(self, *words, **options):
        return self.dotnet.run(*self.command, *words, **options)


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    if not BINARY.exists():
        pytest.skip("no program to make packages of")
    return packages.stripped(tmp_path_factory.mktemp("program"))


@pytest.fixture(scope="session")
def made(program, tmp_path_factory):
    if not shutil.which("dotnet"):
        pytest.skip("the .NET SDK is not installed")
    return packages.make("nuget", tmp_path_factory.mktemp("made"), program)


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
