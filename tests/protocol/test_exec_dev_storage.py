"""rocktable exec --devStorage: for programs that contain UseDevelopmentStorage=true. The ports are fixed, so each test
has a private network."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

import private_network
from own_server import needs_program
from rocktable_server import BINARY, WELL_KNOWN_KEY

WHY_NOT = private_network.why_not()
pytestmark = [
    needs_program,
    pytest.mark.skipif(WHY_NOT is not None, reason=f"no network of its own for ports 10000 to 10002: {WHY_NOT}"),
]

CLIENTS = pathlib.Path(__file__).resolve().parents[1] / "clients"
SECONDS = 60

PYTHON_SDK = """
from azure.data.tables import TableServiceClient
service = TableServiceClient.from_connection_string("UseDevelopmentStorage=true", retry_total=0)
service.create_table("inside")
print(service.url + "/inside")
"""
JAVASCRIPT_SDK = """
import { TableClient } from "@azure/data-tables";
const table = TableClient.fromConnectionString("UseDevelopmentStorage=true", "inside");
await table.createTable();
console.log(table.url + "/inside");
"""
LEGACY_JAVASCRIPT_SDK = """
import azure from "azure-storage";
const service = azure.createTableService("UseDevelopmentStorage=true;");
service.createTable("inside", (error) => console.log(error?.message ?? service.host.primaryHost + "/inside"));
"""

# Listens on port $1 until the command after it has ended.
WITH_PORT_TAKEN = """
import socket, subprocess, sys
taken = socket.create_server(("127.0.0.1", int(sys.argv[1])))
sys.exit(subprocess.run(sys.argv[2:]).returncode)
"""


def run(*words, cwd=None, **variables):
    environment = {name: value for name, value in os.environ.items() if not re.match("ROCKTABLE_|AZUR", name)} | variables
    return subprocess.run(private_network.words(*words), cwd=cwd, env=environment, capture_output=True, text=True,
                          timeout=SECONDS, check=False)


def refusal(result, code):
    assert (result.returncode, result.stdout) == (code, "")
    (line,) = result.stderr.splitlines()
    return line


@pytest.mark.parametrize("command, folder", [
    ([sys.executable, "-c", PYTHON_SDK], "python"),
    (["node", "--input-type=module", "--experimental-global-webcrypto", "-e", JAVASCRIPT_SDK], "javascript"),
    (["node", "--input-type=module", "-e", LEGACY_JAVASCRIPT_SDK], "legacy-javascript"),
], ids=["python", "javascript", "legacy-javascript"])
def test_sdks_find_what_they_have_built_in(command, folder):
    result = run(BINARY, "exec", "--devStorage", "--", *command, cwd=CLIENTS / folder)
    assert result.returncode == 0, result
    assert re.fullmatch("http://127.0.0.1:10002/devstoreaccount1/+inside\n", result.stdout), result


def test_the_ports_of_all_three_services_are_there_and_exported():
    code = """
import os, urllib.error, urllib.request
for port in (10000, 10001, 10002):
    try:
        urllib.request.urlopen(f"http://localhost:{port}/devstoreaccount1?comp=list")
    except urllib.error.HTTPError as error:
        print(port, error.code)
print(os.environ["AZURE_STORAGE_CONNECTION_STRING"])
print(os.environ["AzureWebJobsStorage"] == os.environ["AZURE_STORAGE_CONNECTION_STRING"])
"""
    result = run(BINARY, "exec", "--devStorage", "--export", "AzureWebJobsStorage", "--", sys.executable, "-c", code)
    *answers, connection_string, same = result.stdout.splitlines()
    assert [line.split()[0] for line in answers] == ["10000", "10001", "10002"] and same == "True", result
    parts = dict(part.split("=", 1) for part in connection_string.split(";") if part)
    endpoints = {f"{name}Endpoint": f"http://127.0.0.1:{port}/devstoreaccount1"
                 for name, port in (("Blob", 10000), ("Queue", 10001), ("Table", 10002))}
    account = {"AccountName": "devstoreaccount1", "AccountKey": WELL_KNOWN_KEY}
    assert parts == {"DefaultEndpointsProtocol": "http", **account, **endpoints}


@pytest.mark.parametrize("port", [10000, 10001, 10002])
def test_a_port_that_is_taken_is_named(port, tmp_path):
    touched = tmp_path / "touched"
    result = run(sys.executable, "-c", WITH_PORT_TAKEN, port, BINARY, "exec", "--devStorage", "--", "touch", touched)
    line = refusal(result, 1)
    assert re.match(rf"rocktable: the port is in use: 127.0.0.1:{port} is taken by python\S* \(pid \d+\); --devStorage needs this port: ", line)
    assert not touched.exists()


@pytest.mark.parametrize("flags", [
    ["--tablePort", "0"], ["--tableHost", "0.0.0.0"], ["--blobPort", "1"], ["--queuePort", "1"], ["--blobHost", "a"],
    ["--queueHost", "a"], ["--tls", "auto"], ["--cert", "c", "--key", "k"], ["--compat", "azurite-table"],
], ids=lambda flags: flags[0])
def test_what_contradicts_it_is_refused(flags):
    line = refusal(run(BINARY, "exec", *flags, "--devStorage", "--", "true"), 2)
    assert line.startswith("rocktable: --devStorage ") and f" {flags[0]}" in line


def test_other_accounts_alone_are_refused():
    line = refusal(run(BINARY, "exec", "--devStorage", "--", "true", AZURITE_ACCOUNTS="orders:a2V5"), 1)
    assert line.startswith("rocktable: --devStorage needs the account devstoreaccount1")
    beside = f"orders:a2V5;devstoreaccount1:{WELL_KNOWN_KEY}"
    assert run(BINARY, "exec", "--devStorage", "--", "true", AZURITE_ACCOUNTS=beside).returncode == 0
    assert run(BINARY, "exec", "--devStorage", "--anyAccount", "--", "true", AZURITE_ACCOUNTS="orders:a2V5").returncode == 0
