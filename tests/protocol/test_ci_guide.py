"""docs/ci.md: what it marks `run` is run, as it stands there and in its order; what is not marked says that it is not run."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from rocktable_server import BINARY

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "ci.md"
SAMPLE = ROOT / "tests" / "clients" / "parallel"
JAVASCRIPT = ROOT / "tests" / "clients" / "javascript" / "node_modules"
PYTHON = "/usr/bin/python3"
BLOCK = re.compile(r"^```(\w+)( run)?\n(.*?)^```", re.MULTILINE | re.DOTALL)

if not BINARY.exists():
    pytest.skip("there is no server to start", allow_module_level=True)


def blocks():
    """(language, is it run, text, what stands before it) of each."""
    guide = GUIDE.read_text()
    return [(block[1], bool(block[2]), block[3], guide[: block.start()]) for block in BLOCK.finditer(guide)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where all blocks run: the program is `rocktable`, and the SDK is installed."""
    made = tmp_path_factory.mktemp("guide")
    (made / "bin").mkdir()
    (made / "bin" / "rocktable").symlink_to(BINARY.absolute())
    (made / "bin" / "python3").symlink_to(PYTHON)
    if JAVASCRIPT.exists():
        (made / "node_modules").symlink_to(JAVASCRIPT)
    return made


def node_options():
    """Node 18 has the global `crypto`, which the SDK wants, behind a flag."""
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    return {"NODE_OPTIONS": "--experimental-global-webcrypto"} if version.startswith("v18.") else {}


def output_of(command, folder, cwd=None):
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", **node_options()}
    ended = subprocess.run(command, cwd=cwd or folder, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, f"{command}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout


def runnable(*languages):
    chosen = [(language, text) for language, is_run, text, _ in blocks() if is_run and language in languages]
    return [pytest.param(*one, id=f"{one[0]}{number}") for number, one in enumerate(chosen)]


@pytest.mark.parametrize("language, text", runnable("sh", "js", "python"))
def test_a_recipe_does_what_it_says(folder, language, text):
    """`#> ` is what the recipe prints, from there on back."""
    if language == "sh":
        printed = output_of(["sh", "-e", "-c", text], folder)
    elif language == "js":
        assert JAVASCRIPT.exists(), "script/bootstrap --test installs the SDK"
        (folder / "recipe.mjs").write_text(text)
        printed = output_of(["rocktable", "exec", "--seed", "seed", "--", "node", "recipe.mjs"], folder)
    else:
        (folder / "recipe.py").write_text(text)
        printed = output_of(["rocktable", "exec", "--seed", "seed", "--", "python3", "recipe.py"], folder)
    expected = re.findall(r"^(?:#|//)> (.*)$", text, re.MULTILINE)
    if expected:
        assert printed.splitlines() == expected


@pytest.mark.parametrize("language, text", runnable("yaml"))
def test_the_steps_of_a_job_are_run_in_the_sample_project(folder, language, text):
    project = folder / "project"
    shutil.copytree(SAMPLE, project, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    (project / "node_modules").symlink_to(JAVASCRIPT)
    steps = re.findall(r"^ +- run: (rocktable .*)$", text, re.MULTILINE)
    assert len(steps) == 2
    for step in steps:
        output_of(["sh", "-e", "-c", step], folder, cwd=project)


def test_what_is_not_run_says_so():
    unmarked = []
    for language, is_run, text, before in blocks():
        paragraph = before.rstrip().rsplit("\n\n", 1)[-1]
        told = re.search(r"\*[^*]*not run by our tests", paragraph, re.IGNORECASE) or "is not run by our tests" in paragraph
        if not is_run and not told:
            unmarked.append(f"{language}: {text[:60]}")
    assert unmarked == []
    assert sum(is_run for _, is_run, _, _ in blocks()) >= 8


def test_no_recipe_is_lost():
    """As many blocks as there are fences: a slip in a fence would hide what follows it."""
    assert GUIDE.read_text().count("```") == 2 * len(blocks())
