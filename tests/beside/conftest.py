"""Fixtures: rocktable with Azurite beside it, shared by all tests that do not change it."""
import os
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from rocktable_server import WELL_KNOWN_KEY, Server

AZURITE = HERE / "node_modules" / ".bin"
WITH_AZURITE = {"PATH": f"{AZURITE}:{os.environ['PATH']}"}
SHOP_KEY = "c2hvcA=="


@pytest.fixture(scope="session")
def beside():
    """A server with two accounts, and its Azurite."""
    accounts = f"devstoreaccount1:{WELL_KNOWN_KEY};shop:{SHOP_KEY}"
    server = Server("--with", "azurite", "--blobPort", 0, "--queuePort", 0,
                    environment={**WITH_AZURITE, "AZURITE_ACCOUNTS": accounts, "AZURITE_DB": "mysql://nowhere/"})
    yield server
    server.stop()
