"""docs/compatibility.md: it is the output of its script, has a row for each program, and runs with other results are
reported."""
import json
import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLIENTS = ROOT / "tests/clients"
sys.path.insert(0, str(ROOT / "tests"))
import compatibility
from compatibility import Reached


def test_the_page_is_what_the_script_writes():
    assert compatibility.PAGE.read_text() == compatibility.page()


def test_every_program_that_is_tested_has_a_row():
    tested = {"azure-data-tables", "az"}
    for package in CLIENTS.glob("*/package.json"):
        folder = package.parent
        names = list(json.loads(package.read_text())["devDependencies"])
        files = {file.name.removesuffix(".test.mjs") for file in folder.glob("*.test.mjs")}
        tested |= {name for name in names if len(names) == 1 or name.lstrip("@").replace("/", "-") in files}
    for project in CLIENTS.glob("dotnet/*/*.csproj"):
        tested.add(re.search(r'<PackageReference Include="([^"]+)"', project.read_text())[1])
    assert tested == set(compatibility.PROGRAMS)
    rows = set(re.findall(r"^\| \[`(.*?)`\]", compatibility.PAGE.read_text(), re.MULTILINE))
    assert rows == tested


RECORDED = Reached("1.0", passed=3, skipped=1, failed=["a: b"])


@pytest.mark.parametrize("found, told", [
    (RECORDED, []),
    (Reached("1.0", 4, 0, ["a: b"]), []),  # a case that was skipped elsewhere
    (Reached("2.0", 9, 0, []), []),  # another version
    (Reached("1.0", 4, 1, ["a: b"]), ["p: 6 cases, failed: ['a: b']; recorded are 5, failed: ['a: b']"]),
    (Reached("1.0", 4, 1, []), ["p: 5 cases, failed: []; recorded are 5, failed: ['a: b']"]),
    (Reached("1.0", 3, 1, ["c"]), ["p: 5 cases, failed: ['c']; recorded are 5, failed: ['a: b']"]),
])
def test_what_differs_from_the_record_is_told(found, told):
    assert compatibility.differences({"p": found}, {"p": RECORDED}) == told


def test_a_program_without_a_record_is_told():
    assert compatibility.differences({"p": RECORDED}, {}) == ["p is not recorded"]
