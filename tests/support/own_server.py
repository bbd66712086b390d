"""Servers that tests start themselves, whatever ROCKTABLE_TEST_CONNECTION_STRING says."""
import contextlib
import os

import pytest

from postgres import Postgres
from rocktable_server import BINARY, Server

SANITIZED = BINARY.parent.name in ("asan-ubsan", "tsan", "fuzzer")  # a sanitizer uses memory and time of its own

# Against another endpoint, the program may be absent; otherwise that is an error.
needs_program = pytest.mark.skipif(
    "ROCKTABLE_TEST_CONNECTION_STRING" in os.environ and not BINARY.exists(), reason="no program to start"
)


def own_server(*flags, scope="module", **options):
    """Returns a fixture: a server with these flags, for all tests of a file unless another scope is given."""

    @pytest.fixture(scope=scope)
    def running():
        server = Server(*flags, **options)
        yield server
        server.stop()

    return running


def own_server_in_each_place(*flags):
    """Returns a fixture: a server for each test, once in memory and once in a folder."""

    @pytest.fixture(params=["in memory", "on disk"])
    def running(request, tmp_path):
        server = Server(*flags, location=tmp_path if request.param == "on disk" else None)
        yield server
        server.stop()

    return running


@contextlib.contextmanager
def own_database(kind=Postgres, *arguments):
    """A PostgreSQL server for the block, or something that has one. Skips the test where PostgreSQL is not installed."""
    try:
        running = kind(*arguments)
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    try:
        yield running
    finally:
        running.stop()
