"""docs/ci.md, "Install": its commands run as written, in an empty folder and without network. Those of a .NET project,
of the Debian package and of the image are tested with those packages."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import packages
from guide import Guide
from rocktable_server import BINARY

SECONDS = 300
INSTALL = Guide("ci.md").text.partition("\n## Install\n")[2].partition("\n## ")[0]
ROWS = {row: commands for row, commands in re.findall(r"^\| ([^|]+) \| (`[^|]+) \|", INSTALL, re.MULTILINE)}

# How a row becomes the command `rocktable`: what precedes it, and the folder of the command.
NUGET_CONFIG = "<configuration><packageSources><clear /></packageSources></configuration>"
CASES = {
    "npm": ("npm", "echo '{}' > package.json", "node_modules/.bin"),
    "Python": ("wheel", "/usr/bin/python3 -m venv . && . bin/activate", "bin"),
    ".NET SDK 10": ("nuget", f"echo '{NUGET_CONFIG}' > nuget.config", ".dotnet/tools"),
    "any Linux": ("tarball", ":", "rocktable-VERSION-linux-x86_64"),
}


def version_of(program, environment=None):
    words = [program, "--version"]
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout.split()[1]


@pytest.mark.parametrize("row", CASES)
def test_the_command_installs_the_program(row, tmp_path):
    kind, preparation, place = CASES[row]
    if not BINARY.exists():
        pytest.skip("no program to make packages of")
    if kind == "nuget" and not shutil.which("dotnet"):
        pytest.skip("the .NET SDK is not installed")
    windows = packages.no_windows_program(tmp_path / "windows")
    packages.make(kind, tmp_path / "made", packages.stripped(tmp_path), windows=windows)
    version = version_of(BINARY)
    commands = [text for text in re.findall(r"`([^`]+)`", ROWS[row]) if " " in text]
    assert commands
    script = "\n".join([preparation, *commands]).replace("DIR", str(tmp_path / "made")).replace("VERSION", version)
    folder = tmp_path / "folder"
    folder.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ROCKTABLE_", "PIP_", "PYTHON"))}
    environment = {**kept, "HOME": str(folder), "DOTNET_CLI_HOME": str(folder), "npm_config_offline": "true",
                   "NUGET_PACKAGES": str(tmp_path / "nuget"), "DOTNET_CLI_TELEMETRY_OPTOUT": "1"}
    installed = subprocess.run(["sh", "-e", "-c", script], cwd=folder, env=environment, capture_output=True, text=True,
                               timeout=SECONDS, check=False)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    program = folder / place.replace("VERSION", version) / "rocktable"
    assert version_of(program, environment) == version
