"""For all tests in Python: what measures is tried again before it fails, for the machine does other things as well."""
import pytest

TRIES = 3


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("alone") or item.get_closest_marker("timing"):
            item.add_marker(pytest.mark.flaky(reruns=TRIES - 1))
