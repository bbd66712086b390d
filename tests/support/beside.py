"""Azurite and the SDKs that tests/beside installs from npm."""
import os
import pathlib

BESIDE = pathlib.Path(__file__).resolve().parents[1] / "beside"
INSTALLED = BESIDE / "node_modules"
AZURITE = INSTALLED / ".bin"
WITH_AZURITE = {"PATH": f"{AZURITE}:{os.environ['PATH']}"}
