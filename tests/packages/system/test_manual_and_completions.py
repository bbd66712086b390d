"""The manual page and the completions name what the program accepts, and work in their shells."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from rocktable_server import BINARY

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "packages"))
from documents.description import read_program, with_subcommands
from documents.write import documents


@pytest.fixture(scope="module")
def described():
    return json.loads(subprocess.run([BINARY, "help", "--json"], capture_output=True, text=True, check=True).stdout)


@pytest.fixture(scope="module")
def folder(described, tmp_path_factory):
    made = tmp_path_factory.mktemp("documents")
    for name, text in documents(described, "1.2.3").items():
        (made / name).write_text(text)
    return made


def help_of(*words):
    return subprocess.run([BINARY, "help", *words], capture_output=True, text=True, check=True).stdout


def shell(program, *words):
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    ended = subprocess.run([program, *words], capture_output=True, text=True, timeout=30, cwd=ROOT, check=False)
    assert (ended.returncode, ended.stderr) == (0, ""), ended
    return ended.stdout


def test_the_description_has_every_option_of_the_help_pages(described):
    server, commands = read_program(described)
    for command in (server, *with_subcommands(commands)):
        shown = set(re.findall(r"^ +(?:-\w,)?(--\w+)", help_of(*command.words), re.MULTILINE))
        known = {name for option in command.options for name in option.names}
        assert shown - known <= {"--blobHost", "--blobKeepAliveTimeout"}, command.words  # shown, but in a footer
        assert len(shown) > 0


def test_the_manual_page_has_every_option_and_command(described, folder):
    page = shell("man", "-l", str(folder / "rocktable.1")) if shutil.which("man") else pytest.skip("man is not installed")
    page = re.sub(r"-\n *", "-", page.replace("\u2010", "-"))
    server, commands = read_program(described)
    for command in (server, *with_subcommands(commands)):
        assert " ".join(("rocktable", *command.words)) in page
        for option in command.options:
            for name in option.names:
                assert re.search(rf"(?<![\w-]){re.escape(name)}(?!\w)", page), name


def test_the_manual_page_has_no_error(folder):
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    assert shell("groff", "-man", "-Tutf8", "-ww", "-z", str(folder / "rocktable.1")) == ""


CASES = {
    "rocktable co": ["copy"],
    "rocktable --inM": ["--inMemoryPersistence"],
    "rocktable snapshot ta": ["take"],
    "rocktable snapshot take --rep": ["--replace"],
    "rocktable copy --mode ": ["insert", "merge", "replace"],
    "rocktable exec --anyA": ["--anyAccount"],
    "rocktable help sn": ["snapshot"],
    "rocktable --seed READ": ["README.md"],
    "rocktable import --from READ": ["README.md"],
    "rocktable --tablePort ": [],
}


@pytest.mark.parametrize("line", CASES)
def test_bash_completes(folder, line):
    script = f"""
source {folder}/rocktable.bash
line={line!r}
read -ra COMP_WORDS <<<"$line"
[[ $line != *' ' ]] || COMP_WORDS+=("")
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_rocktable 2>/dev/null
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    assert sorted(shell("bash", "-c", script).split()) == CASES[line]


@pytest.mark.parametrize("line", CASES)
def test_fish_completes(folder, line):
    if CASES[line] == []:
        pytest.skip("fish offers files where it knows nothing else")
    said = shell("fish", "--no-config", "-c", f"source {folder}/rocktable.fish; complete -C {line!r}")
    assert sorted({row.split("\t")[0] for row in said.splitlines()}) == CASES[line]


# zsh completes only at a terminal.
def test_zsh_accepts_its_file(folder):
    assert shell("zsh", "-n", str(folder / "rocktable.zsh")) == ""
    assert (folder / "rocktable.zsh").read_text().startswith("#compdef rocktable\n")


# Debian has no package of PowerShell, whose tables refuse a key that is there in another case.
def test_powershell_has_each_name_once(folder, described):
    text = (folder / "rocktable.ps1").read_text()
    tables = [re.findall(r"'((?:[^']|'')*)' = '(?:[^']|'')*'", line)
              for line in re.findall(r"^      Words = \[ordered\]@\{ (.*) \}$", text, re.MULTILINE)]
    server, commands = read_program(described)
    assert len(tables) == 2 + len(list(with_subcommands(commands)))  # and those of the server and of help
    for names in tables:
        assert len({name.lower() for name in names}) == len(names)
    expected = {name.lower() for option in server.options for name in option.names}
    assert expected <= {name.lower() for name in tables[0]}
    assert {command.words[0] for command in commands} <= set(tables[1])
    if shutil.which("pwsh"):
        line = "rocktable snapshot ta"
        said = shell("pwsh", "-NoProfile", "-Command", f". {folder}/rocktable.ps1; "
                     f"[System.Management.Automation.CommandCompletion]::CompleteInput('{line}', {len(line)}, $null)"
                     ".CompletionMatches.CompletionText")
        assert said.split() == ["take"]
