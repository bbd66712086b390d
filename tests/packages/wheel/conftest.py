"""Makes the wheels of the program under test, and installs one into a virtual environment without network."""
import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import packages
from rocktable_server import BINARY

SECONDS = 120


class Environment:
    """A virtual environment with the wheel; also sees the modules of the distribution, such as the SDK."""

    def __init__(self, folder, wheel):
        self.folder = folder
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--system-site-packages", folder], check=True)
        self.run("pip", "install", "--quiet", "--no-index", "--no-deps", wheel)
        (self.program,) = folder.glob("lib/python3*/site-packages/rocktable/bin/rocktable")

    def command(self, name, *words):
        return [str(self.folder / "bin" / name), *map(str, words)]

    def variables(self, more=None):
        """As for a user: no ROCKTABLE_BINARY, and no outer pytest."""
        ours = ("ROCKTABLE_", "PYTEST_", "PIP_", "PYTHON")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        return {**kept, "PATH": f"{self.folder / 'bin'}:{kept['PATH']}", **(more or {})}

    def run(self, name, *words, code=0, folder=None, environment=None):
        """Runs a program of the virtual environment and checks its exit code. Returns what it wrote."""
        ended = subprocess.run(self.command(name, *words), cwd=folder or self.folder, env=self.variables(environment),
                               capture_output=True, text=True, timeout=SECONDS, check=False)
        assert ended.returncode == code, f"{name} {words}\n{ended.stdout}\n{ended.stderr}"
        return ended

    def script(self, text, **options):
        return self.run("python", "-c", text, **options).stdout


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    if not BINARY.exists():
        pytest.skip("no program to make packages of")
    return packages.stripped(tmp_path_factory.mktemp("program"))


@pytest.fixture(scope="session")
def windows_program(tmp_path_factory):
    return packages.no_windows_program(tmp_path_factory.mktemp("windows"))


@pytest.fixture(scope="session")
def wheels(program, windows_program, tmp_path_factory):
    return packages.make("wheel", tmp_path_factory.mktemp("wheels"), program, windows=windows_program)


@pytest.fixture(scope="session")
def environment(wheels, tmp_path_factory):
    (wheel,) = (wheel for wheel in wheels if wheel.name.endswith(f"_{os.uname().machine}.whl"))
    return Environment(tmp_path_factory.mktemp("environment"), wheel)
