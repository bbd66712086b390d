"""Fixtures: one server for all tests of a file; SDK clients without retries, so that errors show at once."""
import pathlib
import sys

import pytest
from azure.core.exceptions import HttpResponseError
from azure.data.tables import TableClient, TableServiceClient

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import rocktable_server
from rocktable_server import unique_name


@pytest.fixture(scope="module")
def server():
    running = rocktable_server.connect()
    yield running
    running.stop()


def client_options():
    return {"retry_total": 0, "connection_timeout": 10, "read_timeout": 30}


@pytest.fixture
def new_name():
    return unique_name


@pytest.fixture(scope="module")
def service(server):
    with TableServiceClient.from_connection_string(server.connection_string, **client_options()) as client:
        yield client


@pytest.fixture(scope="module")
def client_of(server):
    """Makes a client for a table, with another key if one is given."""

    def make(name, key=None):
        text = server.connection_string.replace(server.key, key) if key else server.connection_string
        return TableClient.from_connection_string(text, name, **client_options())

    return make


@pytest.fixture
def table(client_of):
    with client_of(unique_name()) as client:
        client.create_table()
        yield client


@pytest.fixture
def refused():
    """refused(status, code): a `with` block whose request the service must refuse so."""
    return Refused


class Refused:
    def __init__(self, status, code):
        self.expected = (status, code)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        assert error is not None, f"expected {self.expected}, but the request succeeded"
        if not isinstance(error, HttpResponseError):
            return False
        # Not every method of the SDK decodes its errors, so look at the answer itself.
        text = error.response.text()
        assert (error.response.status_code, rocktable_server.error_code(text)) == self.expected, text
        self.error = error
        return True
