"""The zip file for Windows, and the manifests of Scoop and winget. The program in it is any file here: tests/windows
starts the real one."""
import hashlib
import json
import os
import pathlib
import subprocess
import zipfile

import pytest

from rocktable_server import BINARY

ROOT = pathlib.Path(__file__).resolve().parents[3]
SECONDS = 60
ADDRESS = "https://example.com/files"

MAKE = """
import pathlib, sys
from release import Release
from zip.make import make
out, program, windows_program, *address = sys.argv[1:]
programs = {"x86_64": pathlib.Path(program), "aarch64": pathlib.Path(program)}
release = Release(programs, pathlib.Path(out), pathlib.Path(windows_program) if windows_program else None, *address)
print(*make(release), sep="\\n")
"""


def make(out, windows_program, *address):
    out.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "packages"), "PYTHONDONTWRITEBYTECODE": "1"}
    made = subprocess.run(["/usr/bin/python3", "-c", MAKE, out, BINARY, windows_program, *address], env=environment,
                          stdout=subprocess.PIPE, text=True, timeout=SECONDS, check=True)
    return [pathlib.Path(line) for line in made.stdout.splitlines() if line]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    file = tmp_path_factory.mktemp("program") / "rocktable.exe"
    file.write_bytes(b"MZ\n\r\n")
    return file


def test_the_zip_has_the_program_its_completion_and_licences(program, tmp_path):
    (file,) = make(tmp_path / "first", program)
    (again,) = make(tmp_path / "second", program)
    assert file.read_bytes() == again.read_bytes()
    with zipfile.ZipFile(file) as archive:
        assert archive.namelist() == ["LICENSE", "THIRD-PARTY-LICENSES", "rocktable.exe", "rocktable.ps1"]
        assert archive.read("rocktable.exe") == program.read_bytes()
        assert b"\r\n" in archive.read("LICENSE")
        assert b"Register-ArgumentCompleter" in archive.read("rocktable.ps1")


def test_the_manifests_have_the_address_and_the_digest(program, tmp_path):
    file, *manifests = make(tmp_path / "out", program, ADDRESS)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    contents = {manifest.name: json.loads(manifest.read_text()) for manifest in manifests}
    scoop = contents.pop("rocktable.json")
    assert scoop["architecture"] == {"64bit": {"url": f"{ADDRESS}/{file.name}", "hash": digest}}
    kinds = {one["ManifestType"]: one for one in contents.values()}
    assert set(kinds) == {"version", "installer", "defaultLocale"}
    (installer,) = kinds["installer"]["Installers"]
    assert installer["InstallerUrl"] == f"{ADDRESS}/{file.name}" and installer["InstallerSha256"] == digest.upper()
    assert len({(one["PackageIdentifier"], one["PackageVersion"]) for one in contents.values()}) == 1


def test_without_a_program_for_windows_there_is_no_zip(tmp_path):
    assert make(tmp_path / "out", "") == []
    refused = subprocess.run([ROOT / "script/package", "--program", f"x86_64={BINARY}", "zip"], capture_output=True,
                             text=True, timeout=SECONDS, check=False)
    assert refused.returncode == 2 and "zip needs --program windows-x86_64=FILE" in refused.stderr, refused
