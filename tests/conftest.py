"""For all tests in Python: repeats a failed test that measures, because other programs also use the machine."""
import pytest

TRIES = 3


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("alone") or item.get_closest_marker("timing"):
            item.add_marker(pytest.mark.flaky(reruns=TRIES - 1))
