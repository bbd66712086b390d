"""Fixtures: one server for all tests of a file, and a table of its own for each test."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import rocktable_server


@pytest.fixture(scope="module")
def server():
    running = rocktable_server.connect()
    yield running
    running.stop()


@pytest.fixture
def table(server):
    """The name of a new table."""
    name = rocktable_server.create_table(server)
    yield name
    rocktable_server.delete_table(server, name)
