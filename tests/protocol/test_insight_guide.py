"""docs/insight.md: runs the blocks that are marked `run`, unchanged and in order. Other blocks must say that they are not
run."""
import json

import pytest

from guide import Guide, check_output, make_folder, output_of
from rocktable_server import BINARY

GUIDE = Guide("insight.md")

if not BINARY.exists():
    pytest.skip("there is no server to start", allow_module_level=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_folder(tmp_path_factory.mktemp("guide"), BINARY)


@pytest.mark.parametrize("language, text", GUIDE.runnable("sh"))
def test_a_step_does_what_it_says(folder, language, text):
    check_output(text, output_of(["sh", "-e", "-c", text], folder))


def test_what_is_not_run_says_so():
    GUIDE.check_that_the_rest_says_so(least=6)


# docs/patterns.md shows these scans as what not to do.
SHOWN_AS_MISTAKES = {
    ("events", "RowKey ge ? and RowKey lt ?"),
    ("fruit", "PartitionKey eq ? or Price gt ?"),
    ("fruit", "Price gt ?"),
    ("staff", "RowKey eq ?"),
}


def test_the_patterns_give_no_false_alarm(folder):
    """The program of docs/patterns.md: a log tail, two indexes, compound keys, prefixes, a table per day, hashed
    partitions."""
    blocks = [text for language, _, text, _ in Guide("patterns.md").blocks() if language == "python"]
    (folder / "patterns.py").write_text("\n".join(blocks))
    output_of(["rocktable", "exec", "--insightHeaders", "--report", "patterns.json", "--", "python3", "patterns.py"], folder)
    violations = json.loads((folder / "patterns.json").read_text())["verdict"]["violations"]
    kinds = {"table-scan", "partition-range-scan", "scanned-per-returned", "abandoned-paging"}
    alarms = {(one["table"], one["fingerprint"]) for one in violations if one["id"] in kinds}
    assert alarms == SHOWN_AS_MISTAKES
