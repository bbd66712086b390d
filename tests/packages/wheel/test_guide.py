"""docs/fixtures.md: runs the blocks in Python that are marked `run`, with the data of docs/ci.md."""
import pytest

from guide import Guide, check_output

GUIDE = Guide("fixtures.md")


@pytest.fixture(scope="module")
def folder(tmp_path_factory, environment):
    folder = tmp_path_factory.mktemp("guide")
    (text,) = (text for language, run, text, _ in Guide("ci.md").blocks() if run and "mkdir -p seed" in text)
    environment.run("rocktable", "exec", "--", "sh", "-ec", text, folder=folder)
    return folder


@pytest.mark.parametrize("language, text", GUIDE.runnable("python"))
def test_a_recipe_does_what_it_says(folder, environment, language, text):
    if "def test_" in text:
        (folder / "test_recipe.py").write_text(text)
        environment.run("python", "-m", "pytest", "-p", "no:cacheprovider", "--rocktable-seed", "seed", folder=folder)
    else:
        check_output(text, environment.script(text, folder=folder))


def test_what_is_not_run_says_so():
    assert len(GUIDE.runnable("python")) == 3
    GUIDE.check_that_the_rest_says_so(least=5)
