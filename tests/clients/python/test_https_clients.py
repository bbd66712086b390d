"""The SDK over HTTPS: it checks the certificate, and trusts the emulator's authority if it is configured."""
import datetime
import socket

import pytest
from azure.core.credentials import AzureNamedKeyCredential, AzureSasCredential
from azure.core.exceptions import HttpResponseError, ServiceRequestError
from azure.data.tables import (
    AccountSasPermissions,
    ResourceTypes,
    TableClient,
    TableServiceClient,
    generate_account_sas,
)

from own_server import needs_program
from rocktable_server import Server, unique_name

pytestmark = needs_program


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server("--tls", "auto", "--location", tmp_path_factory.mktemp("https"))
    yield running
    running.stop()


@pytest.fixture
def trusting(server):
    return {"connection_verify": server.ready["certificateAuthority"], "retry_total": 0}


def check_that_it_serves(client):
    client.create_table()
    client.create_entity({"PartitionKey": "p", "RowKey": "r", "text": "ä" * 20_000})
    client.submit_transaction([("create", {"PartitionKey": "p", "RowKey": f"{row:03}"}) for row in range(100)])
    assert len(list(client.list_entities(results_per_page=30))) == 101
    assert client.get_entity("p", "r")["text"] == "ä" * 20_000
    client.delete_table()


def test_an_account_key(server, trusting):
    with TableClient.from_connection_string(server.connection_string, unique_name(), **trusting) as client:
        assert client.url.startswith("https://")
        check_that_it_serves(client)


@pytest.mark.parametrize("protocol", ["https", "https,http"])
def test_a_shared_access_signature(server, trusting, protocol):
    everything = AccountSasPermissions(read=True, write=True, delete=True, list=True, add=True, update=True)
    expiry = datetime.datetime.utcnow().replace(microsecond=0) + datetime.timedelta(hours=1)
    sas = generate_account_sas(AzureNamedKeyCredential(server.name, server.key), ResourceTypes.from_string("sco"),
                               everything, expiry, protocol=protocol)
    with TableClient(server.endpoint, unique_name(), credential=AzureSasCredential(sas), **trusting) as client:
        check_that_it_serves(client)


def test_an_account_in_the_host_name(server, trusting, monkeypatch):
    """`*.localhost` is this machine by RFC 6761, though not every resolver knows it."""
    resolve = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *more, **named: resolve(
        "127.0.0.1" if host.endswith(".localhost") else host, *more, **named))
    credential = AzureNamedKeyCredential(server.name, server.key)
    endpoint = f"https://{server.name}.table.localhost:{server.port}"
    with TableClient(endpoint, unique_name(), credential=credential, **trusting) as client:
        check_that_it_serves(client)


def test_who_was_not_told_to_trust_the_authority_does_not(server):
    with TableServiceClient.from_connection_string(server.connection_string, retry_total=0) as client:
        with pytest.raises(ServiceRequestError, match="(?i)certificate"):
            list(client.list_tables())


def test_http_in_place_of_https_is_refused_with_a_sentence(server):
    text = server.connection_string.replace("https", "http")
    with TableServiceClient.from_connection_string(text, retry_total=0) as client:
        with pytest.raises(HttpResponseError, match="use https://"):
            list(client.list_tables())
