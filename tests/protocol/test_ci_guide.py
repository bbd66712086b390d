"""docs/ci.md: runs the blocks that are marked `run`, unchanged and in order. Other blocks must say that they are not
run."""
import re
import shutil

import pytest

from guide import JAVASCRIPT, ROOT, Guide, check_output, make_folder, output_of
from rocktable_server import BINARY

GUIDE = Guide("ci.md")
SAMPLE = ROOT / "tests" / "clients" / "parallel"

if not BINARY.exists():
    pytest.skip("there is no server to start", allow_module_level=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_folder(tmp_path_factory.mktemp("guide"), BINARY)


@pytest.mark.parametrize("language, text", GUIDE.runnable("sh", "js", "python"))
def test_a_recipe_does_what_it_says(folder, language, text):
    if language == "sh":
        printed = output_of(["sh", "-e", "-c", text], folder)
    elif language == "js":
        assert JAVASCRIPT.exists(), "script/bootstrap --test installs the SDK"
        (folder / "recipe.mjs").write_text(text)
        printed = output_of(["rocktable", "exec", "--seed", "seed", "--", "node", "recipe.mjs"], folder)
    else:
        (folder / "recipe.py").write_text(text)
        printed = output_of(["rocktable", "exec", "--seed", "seed", "--", "python3", "recipe.py"], folder)
    check_output(text, printed)


@pytest.mark.parametrize("language, text", GUIDE.runnable("yaml"))
def test_the_steps_of_a_job_are_run_in_the_sample_project(folder, language, text):
    project = folder / "project"
    shutil.copytree(SAMPLE, project, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    (project / "node_modules").symlink_to(JAVASCRIPT)
    steps = re.findall(r"^ +- run: (rocktable .*)$", text, re.MULTILINE)
    assert len(steps) == 2
    for step in steps:
        output_of(["sh", "-e", "-c", step], folder, cwd=project)


def test_what_is_not_run_says_so():
    GUIDE.check_that_the_rest_says_so(least=8)
