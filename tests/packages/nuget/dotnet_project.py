"""The .NET SDK with the made packages, and programs that it builds with them."""
import os
import pathlib
import shutil
import subprocess

PROGRAM = pathlib.Path(__file__).resolve().parent / "program"
INSTALLED = pathlib.Path(os.environ.get("NUGET_PACKAGES", pathlib.Path.home() / ".nuget/packages"))
SECONDS = 300


class DotNet:
    """Runs the .NET SDK with its own folders for tools and packages. The only sources of packages are those made and those
    installed; with `only_made=False` also the registry."""

    def __init__(self, folder, made, only_made=True):
        self.folder = folder
        self.made = made
        self.version = made[0].name.partition("linux-arm64.")[2].removesuffix(".nupkg")
        folder.joinpath("nuget.config").write_text(
            '<configuration><packageSources>'
            f'{"<clear />" if only_made else ""}<add key="made" value="{made[0].parent}" /></packageSources><fallbackPackageFolders>'
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
        return Built(self, self._build(name, *properties, source=source))

    def build_for(self, rid, name):
        """Builds the program with the runtime of another system. Returns its folder."""
        return self._build(name, "-r", rid, "--self-contained", "-p:UseAppHost=true")

    def _build(self, name, *words, source=None):
        folder = shutil.copytree(PROGRAM, self.folder / name)
        if source:
            (folder / "Program.cs").write_text(source)
        self.run("dotnet", "build", folder / "program.csproj", "--output", folder / "out", "-nodeReuse:false",
                 f"-p:RocktableVersion={self.version}", *words)
        return folder / "out"


class Built:
    """A built program."""

    def __init__(self, dotnet, folder):
        self.dotnet = dotnet
        self.command = ["dotnet", str(folder / "program.dll")]
        (self.program,) = folder.glob("runtimes/linux-x64/native/rocktable")

    def run(self, *words, **options):
        return self.dotnet.run(*self.command, *words, **options)
