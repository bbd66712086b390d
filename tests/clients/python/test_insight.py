"""The gate: `rocktable exec --budget` fails a program with three planted anti-patterns, names each with the better design, and
passes the same program when it is mended. In JavaScript and Python."""
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from own_server import needs_program
from rocktable_server import BINARY

pytestmark = needs_program

CLIENTS = Path(__file__).resolve().parents[1]
NODE = ["node", *(["--experimental-global-webcrypto"] if subprocess.run(
    ["node", "--version"], capture_output=True, text=True, check=False).stdout.startswith("v18.") else [])]
PROGRAMS = {
    "javascript": [*NODE, "--test", "shop.spec.mjs"],
    "python": [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "spec_shop.py"],
}
ADVICE = {
    "table-scan": "Give the PartitionKey in the filter",
    "n-plus-one": "one query of the partition",
    "single-writes": "entity group transaction",
}


def run(language, design, report, *options):
    """Runs the tests of the shop under the gate."""
    command = [BINARY, "exec", "--budget", "rocktable.budget.json", "--report", report, *options, "--", *PROGRAMS[language]]
    return subprocess.run(command, cwd=CLIENTS / language / "insight", env={**os.environ, "SHOP": design},
                          capture_output=True, text=True, timeout=120, check=False)


def without_measurements(text):
    """A report with `#` in place of what differs between runs: times, versions, sizes, dates."""
    text = re.sub(r"\b\d{4}-\d\d-\d\d([T ])[\d:.]+Z?( to [\d:]+)?", "#", text)
    text = re.sub(r"(azsdk-[\w-]+)/[\d.]+\w*", r"\1/#", text)
    text = re.sub(r"rocktable [\d.]+", "rocktable #", text)
    text = re.sub(r'\btime="[\d.]+"', 'time="#"', text)
    return re.sub(r"\| [\d.,]+ \| ([\w-]*) \| `", r"| # | \1 | `", text)  # p99, beside class and shape


@pytest.mark.parametrize("language", PROGRAMS)
def test_planted_anti_patterns_fail_the_build(language, tmp_path):
    ended = run(language, "planted", tmp_path / "report.json")
    assert ended.returncode == 3, ended.stdout + ended.stderr
    verdict = json.loads((tmp_path / "report.json").read_text())["verdict"]
    errors = {violation["id"] for violation in verdict["violations"] if violation["level"] == "error"}
    assert errors == set(ADVICE)
    for kind in ADVICE:
        assert kind in ended.stderr


@pytest.mark.parametrize("language", PROGRAMS)
def test_the_mended_program_passes(language, tmp_path):
    ended = run(language, "mended", tmp_path / "report.json")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    verdict = json.loads((tmp_path / "report.json").read_text())["verdict"]
    assert [one for one in verdict["violations"] if one["level"] == "error"] == []


@pytest.mark.parametrize("language", PROGRAMS)
@pytest.mark.parametrize("ending", ["md", "xml"])
def test_reports_look_as_they_should(language, ending, tmp_path):
    """Compared with golden files: tests/clients/python/insight/golden. Write them anew by ROCKTABLE_WRITE_GOLDEN=1."""
    report = tmp_path / f"report.{ending}"
    assert run(language, "planted", report).returncode == 3
    text = without_measurements(report.read_text())
    golden = CLIENTS / "python/insight/golden" / f"{language}.{ending}"
    if "ROCKTABLE_WRITE_GOLDEN" in os.environ:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text)
    assert text == golden.read_text()


@pytest.mark.parametrize("language", PROGRAMS)
def test_the_report_names_the_better_design(language, tmp_path):
    assert run(language, "planted", tmp_path / "report.md").returncode == 3
    text = (tmp_path / "report.md").read_text()
    for kind, advice in ADVICE.items():
        assert kind in text and advice in text


def test_junit_counts_the_failures(tmp_path):
    assert run("python", "planted", tmp_path / "report.xml").returncode == 3
    suite = next(ElementTree.parse(tmp_path / "report.xml").iter("testsuite"))
    assert int(suite.get("failures")) >= 3
