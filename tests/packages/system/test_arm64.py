"""The static program for 64-bit ARM, under the emulator of the processor (qemu-user)."""
import json
import os
import pathlib
import shutil
import subprocess

import pytest
from azure.data.tables import TableServiceClient

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "build" / "portable-aarch64" / "rocktable"
START = ["--inMemoryPersistence", "--tablePort", "0", "--silent", "--readyFile", "-", "--stopAtInputEnd"]

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists() or not shutil.which("qemu-aarch64"),
    reason="needs `script/bootstrap --portable-aarch64` and `script/build portable-aarch64`",
)


def emulated(*words):
    machine = [] if os.uname().machine == "aarch64" else ["qemu-aarch64"]
    return [*machine, str(PROGRAM), *words]


def test_it_is_for_arm64_and_static():
    header = PROGRAM.read_bytes()[:20]
    assert header[:5] == b"\x7fELF\x02" and int.from_bytes(header[18:20], "little") == 183
    listed = subprocess.run(["readelf", "--program-headers", PROGRAM], capture_output=True, text=True, check=True).stdout
    assert "INTERP" not in listed


def test_an_sdk_uses_it():
    with subprocess.Popen(emulated(*START), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        ready = json.loads(process.stdout.readline())
        customers = TableServiceClient.from_connection_string(ready["connectionString"]).create_table("customers")
        customers.create_entity({"PartitionKey": "p", "RowKey": "r", "Name": "Chloé", "Size": 1.5})
        (found,) = customers.query_entities("Size gt 1.0")
        assert found["Name"] == "Chloé"
        process.stdin.close()
        assert process.wait(30) == 0
