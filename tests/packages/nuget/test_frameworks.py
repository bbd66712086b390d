"""docs/fixtures.md, docs/ci.md and README.md of the package: the fixtures for the test frameworks of .NET, and the programs,
run unchanged."""
import pathlib
import re
import shutil

import pytest

from guide import Guide, check_output
from rocktable_server import BINARY

FRAMEWORKS = pathlib.Path(__file__).resolve().parent / "frameworks"


def blocks(guide):
    return [block.values[1] for block in Guide(guide).runnable("csharp")]


def fixtures_of(guide):
    """By the first line of each: `// xunit 2`."""
    return {text.partition("\n")[0].removeprefix("// "): text for text in blocks(guide) if text.startswith("// ")}


README = "../packages/nuget/testing/README.md"
FIXTURES = fixtures_of("fixtures.md")
PROGRAMS = [text for guide in ("fixtures.md", "ci.md", README) for text in blocks(guide) if not text.startswith("// ")]
ROW = '{"PartitionKey": "de", "RowKey": "1", "Name": "Anna"}\n'
ROWS = ROW + '{"PartitionKey": "de", "RowKey": "2", "Name": "Bernd"}\n'


def folder_of(dotnet, project, text, name=None):
    """A copy of a project with this text."""
    folder = dotnet.folder / "frameworks" / (name or project)
    folder.parent.mkdir(exist_ok=True)
    shutil.copy(FRAMEWORKS / "Directory.Build.props", folder.parent)
    shutil.copytree(FRAMEWORKS / project, folder, ignore=shutil.ignore_patterns("*.lock.json"))
    (folder / "Tests.cs").write_text(text)
    return folder


@pytest.mark.parametrize("block, project", [
    ("xunit 2", "with-xunit2"), ("xunit v3", "with-xunit3"), ("NUnit", "with-nunit")])
def test_a_fixture_compiles_and_its_test_passes(dotnet, block, project):
    folder = folder_of(dotnet, project, FIXTURES[block])
    out = folder / "out"
    seed = out / "seed/devstoreaccount1"
    seed.mkdir(parents=True)
    (seed / "customers.ndjson").write_text(ROW)
    told = dotnet.run("dotnet", "test", folder / f"{project}.csproj", "--output", out, "-nodeReuse:false",
                      f"-p:RocktableVersion={dotnet.version}")
    assert re.search(r"Passed!? .*Passed: +1|total: 1.*succeeded: 1", told, re.DOTALL), told


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_a_program_prints_what_it_says(dotnet, number):
    folder = folder_of(dotnet, "without", PROGRAMS[number], name=f"program{number}")
    seed = folder / "seed/devstoreaccount1"
    seed.mkdir(parents=True)
    (seed / "customers.ndjson").write_text(ROWS)
    dotnet.run("dotnet", "build", folder / "without.csproj", "--output", folder / "out", "-nodeReuse:false",
               f"-p:RocktableVersion={dotnet.version}")
    command = ["dotnet", folder / "out/without.dll"]
    if "AZURE_TABLES_CONNECTION_STRING" in PROGRAMS[number]:
        command = [BINARY.absolute(), "exec", "--seed", folder / "seed", "--", *command]
    check_output(PROGRAMS[number], dotnet.run("env", "-C", folder, *command))


def test_each_framework_has_its_block():
    assert set(FIXTURES) == {"xunit 2", "xunit v3", "NUnit"}
    assert len(PROGRAMS) == 3


def test_the_package_prints_the_fixtures_of_the_guide():
    assert fixtures_of(README) == FIXTURES
