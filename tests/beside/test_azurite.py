"""rocktable --with azurite: one connection string for blobs, queues and tables, with the services of Azurite from npm."""
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest
from azure.core.exceptions import ClientAuthenticationError
from azure.data.tables import TableServiceClient
from azure.storage.blob import BlobServiceClient
from azure.storage.queue import QueueServiceClient

import private_network
from beside import AZURITE, BESIDE, WITH_AZURITE
from descendants import children_of
from guide import node_options
from process import is_running, wait_until
from rocktable_server import BINARY, Server

pytestmark = pytest.mark.skipif(not AZURITE.exists(), reason="Azurite is not installed: script/bootstrap --test")

SECONDS = 60
ANY_PORTS = ["--with", "azurite", "--blobPort", 0, "--queuePort", 0]


def start(*flags, **options):
    return Server(*ANY_PORTS, *flags, environment=WITH_AZURITE, **options)


def parts_of(connection_string):
    return dict(part.split("=", 1) for part in connection_string.split(";") if part)


def use_all_three(connection_string, name, **options):
    """Writes to each service and reads it back."""
    blobs = BlobServiceClient.from_connection_string(connection_string, **options).create_container(name)
    blobs.upload_blob("one", b"bytes")
    assert blobs.download_blob("one").readall() == b"bytes"
    queues = QueueServiceClient.from_connection_string(connection_string, **options).create_queue(name)
    queues.send_message("text")
    assert [message.content for message in queues.receive_messages()] == ["text"]
    tables = TableServiceClient.from_connection_string(connection_string, **options).create_table(name)
    tables.create_entity({"PartitionKey": "p", "RowKey": "r"})
    assert [entity["RowKey"] for entity in tables.list_entities()] == ["r"]


def azurites_of(server):
    """Returns {"blob": pid, "queue": pid}."""
    return {re.search("azurite-(blob|queue)", words)[1]: pid for pid, words in children_of(server.process.pid).items()}


@pytest.mark.parametrize("place", [0, 1], ids=["devstoreaccount1", "shop"])
def test_each_account_has_all_three_services_in_one_connection_string(beside, place):
    account = beside.ready["accounts"][place]
    assert set(parts_of(account["connectionString"])) >= {"BlobEndpoint", "QueueEndpoint", "TableEndpoint"}
    use_all_three(account["connectionString"], f"python{place}")


def test_the_accounts_do_not_share_blobs(beside):
    one, other = (BlobServiceClient.from_connection_string(account["connectionString"])
                  for account in beside.ready["accounts"])
    one.create_container("ofone")
    assert "ofone" not in [container.name for container in other.list_containers()]


def test_another_key_is_refused(beside):
    parts = parts_of(beside.ready["accounts"][1]["connectionString"])
    stranger = BlobServiceClient(parts["BlobEndpoint"], credential={"account_name": "shop", "account_key": "b3RoZXI="})
    with pytest.raises(ClientAuthenticationError):
        list(stranger.list_containers())


def test_the_javascript_sdks_take_the_same_connection_string(beside):
    program = """
        import { BlobServiceClient } from "@azure/storage-blob";
        import { QueueServiceClient } from "@azure/storage-queue";
        import { TableClient } from "@azure/data-tables";
        const text = process.env.AZURE_STORAGE_CONNECTION_STRING;
        const container = BlobServiceClient.fromConnectionString(text).getContainerClient("javascript");
        await container.create();
        await container.getBlockBlobClient("one").upload("bytes", 5);
        const queue = QueueServiceClient.fromConnectionString(text).getQueueClient("javascript");
        await queue.create();
        await queue.sendMessage("text");
        const table = TableClient.fromConnectionString(text, "javascript", { allowInsecureConnection: true });
        await table.createTable();
        await table.createEntity({ partitionKey: "p", rowKey: "r" });
        const { receivedMessageItems } = await queue.receiveMessages();
        const blob = await container.getBlockBlobClient("one").downloadToBuffer();
        console.log(blob.toString(), receivedMessageItems[0].messageText, (await table.getEntity("p", "r")).rowKey);
    """
    environment = {**os.environ, **node_options(), "AZURE_STORAGE_CONNECTION_STRING": beside.connection_string}
    ended = subprocess.run(["node", "--input-type=module", "-e", program], cwd=BESIDE, env=environment, capture_output=True,
                           text=True, timeout=SECONDS, check=False)
    assert (ended.returncode, ended.stdout) == (0, "bytes text r\n"), ended.stderr


def test_versions_newer_than_azurite_are_answered(beside):
    blobs = BlobServiceClient.from_connection_string(beside.connection_string)
    blobs.get_account_information(headers={"x-ms-version": "2026-06-06"})


def test_it_listens_where_the_start_says(beside):
    said = beside.output()
    parts = parts_of(beside.connection_string)
    for what, name in (("blobs", "BlobEndpoint"), ("queues", "QueueEndpoint")):
        url = parts[name].removesuffix("/devstoreaccount1")
        assert f"rocktable: {what} are at {url}, served by azurite-{what[:-1]}\n" in said


def test_ctrl_c_at_a_terminal_reaches_only_the_server(beside):
    for pid in azurites_of(beside).values():
        assert os.getsid(pid) == pid


def test_the_companions_inherit_neither_sockets_nor_files_of_the_store(beside):
    for pid in azurites_of(beside).values():
        names = [os.readlink(f"/proc/{pid}/fd/{one}") for one in (0, 1, 2)]
        assert names[0] == "/dev/null" and names[1] == names[2] and names[1].startswith("pipe:")
        listening = {line.split()[1] for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
                     if line.split()[3] == "0A" and f"socket:[{line.split()[9]}]" in sockets_of(pid)}
        assert listening and not any(address.endswith(f":{beside.port:04X}") for address in listening)


def sockets_of(pid):
    return {os.readlink(path) for path in pathlib.Path(f"/proc/{pid}/fd").iterdir() if path.is_symlink()}


def test_what_ends_is_told_and_the_tables_go_on_and_sigterm_ends_the_rest():
    server = start()
    try:
        azurites = azurites_of(server)
        os.kill(azurites["queue"], signal.SIGKILL)
        wait_until(lambda: "azurite-queue ended" in server.errors(), SECONDS, "the end of azurite-queue is not told")
        assert server.errors() == ("rocktable: azurite-queue ended (signal 9 (Killed)): there are no queues any more, the "
                                   "tables go on; its last line: Azurite Queue service successfully listens on "
                                   f"{parts_of(server.connection_string)['QueueEndpoint'].removesuffix('/devstoreaccount1')}\n")
        tables = TableServiceClient.from_connection_string(server.connection_string)
        tables.create_table("goeson")
        BlobServiceClient.from_connection_string(server.connection_string).create_container("goeson")
        server.stop()
        assert not is_running(azurites["blob"])
    finally:
        server.kill()


def test_they_end_even_if_the_server_is_killed():
    server = start()
    azurites = azurites_of(server)
    assert len(azurites) == 2
    server.kill()
    for name, pid in azurites.items():
        wait_until(lambda pid=pid: not is_running(pid), SECONDS, f"azurite-{name} goes on")


def test_https_and_the_folder_are_those_of_the_tables(tmp_path):
    for again in (False, True):
        server = start("--tls", "auto", "--oauth", "basic", location=tmp_path)
        try:
            verify = {"connection_verify": server.ready["certificateAuthority"]}
            parts = parts_of(server.connection_string)
            assert all(parts[f"{name}Endpoint"].startswith("https://127.0.0.1:") for name in ("Blob", "Queue", "Table"))
            blobs = BlobServiceClient.from_connection_string(server.connection_string, **verify)
            assert [container.name for container in blobs.list_containers()] == ["kept"] * again
            if not again:
                use_all_three(server.connection_string, "kept", **verify)
        finally:
            server.stop()
    assert {path.name for path in tmp_path.iterdir()} == {"__rocktable__", "__rocktable_azurite__", "__rocktable_tls__"}
    kept = [path.read_bytes() for path in tmp_path.glob("__rocktable_azurite__/**/*") if path.is_file()]
    assert not any(b"PRIVATE KEY" in content for content in kept)


WHY_NOT = private_network.why_not()
DEVELOPMENT_STORAGE = """
from azure.data.tables import TableServiceClient
from azure.storage.blob import BlobServiceClient
from azure.storage.queue import QueueServiceClient
for Client, create in ((BlobServiceClient, "create_container"), (QueueServiceClient, "create_queue"),
                       (TableServiceClient, "create_table")):
    getattr(Client.from_connection_string("UseDevelopmentStorage=true", retry_total=0), create)("inside")
import os
print(os.environ["AZURE_STORAGE_CONNECTION_STRING"].count("Endpoint=http://127.0.0.1:1000"))
"""


@pytest.mark.skipif(WHY_NOT is not None, reason=f"no network of its own for ports 10000 to 10002: {WHY_NOT}")
def test_exec_serves_use_development_storage(tmp_path):
    words = private_network.words(BINARY, "exec", "--devStorage", "--with", "azurite", "--", sys.executable, "-c",
                                  DEVELOPMENT_STORAGE)
    ended = subprocess.run(words, cwd=tmp_path, env={**os.environ, **WITH_AZURITE}, capture_output=True, text=True,
                           timeout=SECONDS, check=False)
    assert (ended.returncode, ended.stdout) == (0, "3\n"), ended.stderr
    assert list(tmp_path.iterdir()) == []  # in memory
