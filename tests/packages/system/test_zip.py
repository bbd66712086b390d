"""The zip file for Windows, and the manifests of Scoop and winget. The program in it is any file."""
import hashlib
import json
import pathlib
import subprocess
import zipfile

import packages
import pytest
from rocktable_server import BINARY

ROOT = pathlib.Path(__file__).resolve().parents[3]
SECONDS = 60
ADDRESS = "https://example.com/files"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return packages.no_windows_program(tmp_path_factory.mktemp("program"))


def test_the_zip_has_the_program_its_completion_and_licences(program, tmp_path):
    (file,) = packages.make("zip", tmp_path / "first", windows=program)
    (again,) = packages.make("zip", tmp_path / "second", windows=program)
    assert file.read_bytes() == again.read_bytes()
    with zipfile.ZipFile(file) as archive:
        assert archive.namelist() == ["LICENSE", "THIRD-PARTY-LICENSES", "rocktable.exe", "rocktable.ps1"]
        assert archive.read("rocktable.exe") == program.read_bytes()
        assert b"\r\n" in archive.read("LICENSE")
        assert b"Register-ArgumentCompleter" in archive.read("rocktable.ps1")


def test_the_manifests_have_the_address_and_the_digest(program, tmp_path):
    file, *manifests = packages.make("zip", tmp_path / "out", windows=program, address=ADDRESS)
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
    assert packages.make("zip", tmp_path / "out") == []
    refused = subprocess.run([ROOT / "script/package", "--program", f"x86_64={BINARY}", "zip"], capture_output=True,
                             text=True, timeout=SECONDS, check=False)
    assert refused.returncode == 2 and "zip needs --program windows-x86_64=FILE" in refused.stderr, refused
