"""docs/cloud-host-names.md, unchanged: an unmodified client with the host name of the cloud and port 443, in a private
network."""
import os
import re
import shutil
import subprocess
import sys

import pytest

import private_network
from guide import Guide, check_output, output_of
from own_server import needs_program
from rocktable_server import BINARY

GUIDE = Guide("cloud-host-names.md")
WHY_NOT = private_network.why_not()
HOST = "myaccount.table.core.windows.net"

pytestmark = needs_program
needs_network = pytest.mark.skipif(WHY_NOT is not None, reason=f"no network of its own for port 443: {WHY_NOT}")


@pytest.mark.parametrize("language, text", GUIDE.runnable("sh"))
def test_a_recipe_does_what_it_says(guide_folder, language, text):
    if "unshare" in text and (WHY_NOT is not None or shutil.which("ip") is None):
        pytest.skip(WHY_NOT or "there is no ip(8) to bring the network up")
    check_output(text, output_of(["sh", "-e", "-c", text], guide_folder))


def test_what_is_not_run_says_so():
    GUIDE.check_that_the_rest_says_so(least=4)


# Also the secondary location, from a connection string without endpoint and port, like those of the portal.
CLOUD_PROGRAM = """
from azure.data.tables import TableServiceClient
service = TableServiceClient.from_connection_string(
    "DefaultEndpointsProtocol=https;AccountName=myaccount;AccountKey=a2V5;EndpointSuffix=core.windows.net", retry_total=0)
table = service.create_table("inside")
table.submit_transaction([("create", {"PartitionKey": "p", "RowKey": str(row)}) for row in range(3)])
print(len(list(table.list_entities())))
print(service.get_service_stats()["geo_replication"]["status"])
"""


def run_in_cloud(tmp_path, *flags, names=f"{HOST} myaccount-secondary.table.core.windows.net", program=CLOUD_PROGRAM):
    hosts, accounts = tmp_path / "hosts", tmp_path / "accounts"
    hosts.write_text(f"127.0.0.1 localhost {names}\n")
    accounts.write_text("myaccount:a2V5\n")
    command = private_network.words(BINARY, "exec", "--tls", "auto", "--tablePort", 443, "--accounts", accounts, *flags, "--",
                                    sys.executable, "-c", program, hosts=hosts)
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return subprocess.run(command, env=kept, capture_output=True, text=True, timeout=60, check=False)


@needs_network
def test_who_may_not_listen_at_port_443_is_told_what_to_do():
    words = private_network.words("setpriv", "--bounding-set=-net_bind_service", BINARY, "--inMemoryPersistence", "--tablePort", 443)
    result = subprocess.run(words, capture_output=True, text=True, timeout=20, check=False)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("rocktable: cannot listen at 127.0.0.1:443: port 443 is for root; `sudo sysctl "), result


@needs_network
def test_a_connection_string_of_the_cloud_works_unchanged(tmp_path):
    result = run_in_cloud(tmp_path, "--tlsName", "*.table.core.windows.net")
    assert (result.returncode, result.stdout) == (0, "3\nlive\n"), result


@needs_network
def test_without_the_name_in_the_certificate_the_client_refuses(tmp_path):
    result = run_in_cloud(tmp_path, "--tlsName", "*.blob.core.windows.net")
    assert result.returncode == 1, result
    # The message of Python's ssl, or of urllib3.
    assert re.search(f"(mismatch|match).*{re.escape(HOST)}|{re.escape(HOST)}.*doesn't match", result.stderr), result
