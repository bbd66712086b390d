"""For all tests in Python: repeats a failed test that measures, because other programs also use the machine. If
ROCKTABLE_TEST_STORE is set, skips the tests that are for the embedded store alone."""
import os

import pytest

TRIES = 3


def pytest_collection_modifyitems(items):
    in_database = "ROCKTABLE_TEST_STORE" in os.environ
    for item in items:
        if item.get_closest_marker("alone") or item.get_closest_marker("timing"):
            item.add_marker(pytest.mark.flaky(reruns=TRIES - 1))
        embedded = item.get_closest_marker("embedded")
        if embedded and in_database:
            item.add_marker(pytest.mark.skip(reason=f"for the embedded store: {embedded.args[0]}"))
