"""docs/ci.md: runs the blocks that are marked `run`, unchanged and in order. Other blocks must say that they are not
run."""
import re
import shutil

import pytest

from guide import JAVASCRIPT, ROOT, Guide, check_output, output_of
from own_server import needs_program

GUIDE = Guide("ci.md")
SAMPLE = ROOT / "tests" / "clients" / "parallel"

pytestmark = needs_program


@pytest.mark.parametrize("language, text", GUIDE.runnable("sh", "js", "python"))
def test_a_recipe_does_what_it_says(guide_folder, language, text):
    if language == "sh":
        printed = output_of(["sh", "-e", "-c", text], guide_folder)
    elif language == "js":
        assert JAVASCRIPT.exists(), "script/bootstrap --test installs the SDK"
        (guide_folder / "recipe.mjs").write_text(text)
        printed = output_of(["rocktable", "exec", "--seed", "seed", "--", "node", "recipe.mjs"], guide_folder)
    else:
        (guide_folder / "recipe.py").write_text(text)
        printed = output_of(["rocktable", "exec", "--seed", "seed", "--", "python3", "recipe.py"], guide_folder)
    check_output(text, printed)


@pytest.mark.parametrize("language, text", GUIDE.runnable("yaml"))
def test_the_steps_of_a_job_are_run_in_the_sample_project(guide_folder, language, text):
    project = guide_folder / "project"
    shutil.copytree(SAMPLE, project, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    (project / "node_modules").symlink_to(JAVASCRIPT)
    steps = re.findall(r"^ +- run: (rocktable .*)$", text, re.MULTILINE)
    assert len(steps) == 2
    for step in steps:
        output_of(["sh", "-e", "-c", step], guide_folder, cwd=project)


def test_what_is_not_run_says_so():
    GUIDE.check_that_the_rest_says_so(least=8)
