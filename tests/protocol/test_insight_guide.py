"""docs/insight.md: runs the blocks that are marked `run`, unchanged and in order. Other blocks must say that they are not
run."""
import json

import pytest

from guide import Guide, check_output, output_of
from own_server import needs_program

GUIDE = Guide("insight.md")

pytestmark = needs_program


@pytest.mark.parametrize("language, text", GUIDE.runnable("sh"))
def test_a_step_does_what_it_says(guide_folder, language, text):
    check_output(text, output_of(["sh", "-e", "-c", text], guide_folder))


def test_what_is_not_run_says_so():
    GUIDE.check_that_the_rest_says_so(least=6)


# docs/patterns.md shows these scans as what not to do.
SHOWN_AS_MISTAKES = {("events", "RowKey ge ? and RowKey lt ?")}


def test_the_patterns_give_no_false_alarm(guide_folder):
    """The program of docs/patterns.md: a log tail, two indexes, compound keys, prefixes, a table per day, hashed
    partitions."""
    blocks = [text for language, _, text, _ in Guide("patterns.md").blocks() if language == "python"]
    (guide_folder / "patterns.py").write_text("\n".join(blocks))
    command = ["rocktable", "exec", "--insightHeaders", "--report", "patterns.json", "--", "python3", "patterns.py"]
    output_of(command, guide_folder)
    violations = json.loads((guide_folder / "patterns.json").read_text())["verdict"]["violations"]
    kinds = {"table-scan", "partition-range-scan", "scanned-per-returned", "abandoned-paging"}
    alarms = {(one["table"], one["fingerprint"]) for one in violations if one["id"] in kinds}
    assert alarms == SHOWN_AS_MISTAKES
