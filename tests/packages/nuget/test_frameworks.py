"""docs/fixtures.md: the fixtures for the test frameworks of .NET, and the program, run unchanged."""
import pathlib
import re
import shutil

import pytest

from guide import Guide

FRAMEWORKS = pathlib.Path(__file__).resolve().parent / "frameworks"
# By the first line of each: `// xunit 2`.
BLOCKS = {text.partition("\n")[0].removeprefix("// "): text
          for text in (block.values[1] for block in Guide("fixtures.md").runnable("csharp"))}
ROW = '{"PartitionKey": "de", "RowKey": "1", "Name": "Anna"}\n'


def folder_of(dotnet, name, text):
    """A project with this text, and the data that it begins with."""
    folder = dotnet.folder / "frameworks" / name
    folder.parent.mkdir(exist_ok=True)
    shutil.copy(FRAMEWORKS / "Directory.Build.props", folder.parent)
    shutil.copytree(FRAMEWORKS / name, folder, ignore=shutil.ignore_patterns("*.lock.json"))
    (folder / "Tests.cs").write_text(text)
    return folder


@pytest.mark.parametrize("block, project", [
    ("xunit 2", "with-xunit2"), ("xunit v3", "with-xunit3"), ("NUnit", "with-nunit")])
def test_a_fixture_compiles_and_its_test_passes(dotnet, block, project):
    folder = folder_of(dotnet, project, BLOCKS[block])
    out = folder / "out"
    seed = out / "seed/devstoreaccount1"
    seed.mkdir(parents=True)
    (seed / "customers.ndjson").write_text(ROW)
    told = dotnet.run("dotnet", "test", folder / f"{project}.csproj", "--output", out, "-nodeReuse:false",
                      f"-p:RocktableVersion={dotnet.version}")
    assert re.search(r"Passed!? .*Passed: +1|total: 1.*succeeded: 1", told, re.DOTALL), told


def test_each_framework_has_its_block():
    assert set(BLOCKS) == {"xunit 2", "xunit v3", "NUnit"}
