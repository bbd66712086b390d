"""docs/faults.md: runs the blocks that are marked `run`, unchanged and in order; those in JavaScript and Python each with
a service of their own. Other blocks must say that they are not run."""
import pytest

from guide import JAVASCRIPT, Guide, check_output, output_of
from own_server import needs_program

GUIDE = Guide("faults.md")

pytestmark = needs_program


@pytest.mark.parametrize("language, text", GUIDE.runnable("sh", "js", "python"))
def test_a_recipe_does_what_it_says(guide_folder, language, text):
    if language != "python":
        assert JAVASCRIPT.exists(), "script/bootstrap --test installs the SDK"
    if language == "sh":
        printed = output_of(["sh", "-e", "-c", text], guide_folder)
    else:
        program, name = {"js": ("node", "recipe.mjs"), "python": ("python3", "recipe.py")}[language]
        (guide_folder / name).write_text(text)
        printed = output_of(["rocktable", "exec", "--", program, name], guide_folder)
    check_output(text, printed)


def test_what_is_not_run_says_so():
    GUIDE.check_that_the_rest_says_so(least=10)
