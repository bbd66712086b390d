"""Fixtures: rocktable with Azurite beside it, shared by all tests that do not change it; a server with local identities."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from beside import WITH_AZURITE
from identities import Identities
from rocktable_server import WELL_KNOWN_KEY, Server


@pytest.fixture(scope="session")
def beside():
    """A server with two accounts, and its Azurite."""
    accounts = f"devstoreaccount1:{WELL_KNOWN_KEY};shop:c2hvcA=="
    server = Server("--with", "azurite", "--blobPort", 0, "--queuePort", 0,
                    environment={**WITH_AZURITE, "AZURITE_ACCOUNTS": accounts, "AZURITE_DB": "mysql://nowhere/"})
    yield server
    server.stop()


@pytest.fixture(scope="module")
def identities(tmp_path_factory):
    running = Identities("--inMemoryPersistence", "--anyAccount", location=tmp_path_factory.mktemp("certificates"))
    yield running
    running.stop()
