"""The soak test: a short run passes, and the verdict can be negative."""
import csv
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

import pytest

SOAK = pathlib.Path(__file__).resolve().parents[1] / "soak"
sys.path.insert(0, str(SOAK))

import soak  # noqa: E402

GOOD = [[60 * i, 200.0 + i % 3, 100.0 + 60 * (i % 4), 41 + i % 5, 18000, 0] for i in range(12)]


def verdict(rows=GOOD, wanted=12, errors=0, code=0, seconds=0.2):
    return list(soak.faults(rows, wanted, errors, code, seconds))


def with_column(column, values):
    return [[*row[:column], value, *row[column + 1:]] for row, value in zip(GOOD, values)]


def test_bounded_figures_pass():
    assert verdict() == []
    assert verdict(with_column(1, [20, 100, 180] + [200] * 9)) == [], "the first third fills caches"


@pytest.mark.parametrize("column, step, name", [(1, 4, "memory"), (2, 20, "disk"), (3, 3, "descriptors")])
def test_what_grows_on_and_on_fails(column, step, name):
    found = verdict(with_column(column, [100 + step * i for i in range(12)]))
    assert len(found) == 1 and found[0].startswith(name)


@pytest.mark.parametrize("more", [{"errors": 1}, {"code": -9}, {"seconds": 2.1}, {"wanted": 13}])
def test_errors_and_bad_ends_fail(more):
    assert len(verdict(**more)) == 1


@pytest.mark.skipif("san" in str(soak.BINARY), reason="a sanitizer's memory is not the program's")
def test_a_short_soak_passes_and_leaves_figures_and_a_chart(tmp_path):
    command = [sys.executable, SOAK / "soak.py", "0.1", tmp_path / "soak"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    print(result.stdout, result.stderr)
    with open(tmp_path / "soak/soak.csv", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12 and float(rows[-1]["requests a second"]) > 100
    assert {row["errors"] for row in rows} == {"0.0"} or {row["errors"] for row in rows} == {"0"}
    assert "stopped in" in result.stdout and result.stderr == ""
    xml.etree.ElementTree.parse(tmp_path / "soak/soak.svg")
    assert not (tmp_path / "soak/data").exists()
