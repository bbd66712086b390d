"""Fixtures: one server for all tests of a file, further servers for one test, a new table for each test, a folder for the
blocks of a guide."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import rocktable_server
from guide import make_folder


@pytest.fixture(scope="module")
def server():
    running = rocktable_server.connect()
    yield running
    running.stop()


@pytest.fixture
def table(server):
    """Returns the name of a new table."""
    name = rocktable_server.create_table(server)
    yield name
    rocktable_server.delete_table(server, name)


@pytest.fixture
def start():
    """Starts servers and ends those that still run after the test."""
    started = []

    def make(*flags, **options):
        started.append(rocktable_server.Server(*flags, **options))
        return started[-1]

    yield make
    for one in started:
        if one.is_running():
            one.stop()
        else:
            one.kill()


@pytest.fixture
def symlink(tmp_path):
    """Makes a link to the program, so that it starts under another name."""

    def make(name):
        link = tmp_path / name
        link.symlink_to(rocktable_server.BINARY.resolve())
        return link

    return make


@pytest.fixture(scope="module")
def guide_folder(tmp_path_factory):
    return make_folder(tmp_path_factory.mktemp("guide"))
