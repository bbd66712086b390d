"""--compat azurite: the output and the three ports that tools for Azurite expect."""
import re
import socket
import subprocess
import time

import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.data.tables import TableServiceClient
from azure.storage.blob import (
    AccountSasPermissions,
    BlobServiceClient,
    ResourceTypes,
    generate_account_sas as blob_sas,
)
from azure.storage.queue import QueueServiceClient, generate_account_sas as queue_sas

from drop_in import announced_ports, ports_of
from own_server import needs_program
from program import Program
from rocktable_server import (
    BINARY,
    Account,
    create_table,
    error_code,
    exchange,
    request_bytes,
    unique_name,
)

pytestmark = needs_program

SECONDS = 20
FREE = ["--blobPort", "0", "--queuePort", "0"]


@pytest.fixture
def compatible(start):
    return start("--compat", "azurite", *FREE)


def started(program, *flags):
    return Program(program, "--inMemoryPersistence", "--tablePort", 0, *flags)


def endpoint(server, service):
    """Returns the account at one of the services, from the connection string."""
    parts = dict(part.split("=", 1) for part in server.connection_string.split(";") if part)
    return Account(server.connection_string.replace(parts["TableEndpoint"], parts[f"{service}Endpoint"]))


def blobs(server, **more):
    return BlobServiceClient.from_connection_string(server.connection_string, retry_total=0, **more)


def queues(server, **more):
    return QueueServiceClient.from_connection_string(server.connection_string, retry_total=0, **more)


# --- requests of tools -----------------------------------------------------------------------------


def test_who_asks_the_blob_service_for_its_health_is_content(compatible):
    for _ in range(2):  # like a repeated health check
        properties = blobs(compatible).get_service_properties()
        assert properties["cors"] == [] and not properties["static_website"].enabled
        assert not properties["delete_retention_policy"].enabled
        assert list(blobs(compatible).list_containers(results_per_page=1)) == []


def test_who_probes_all_services_finds_an_empty_account(compatible):
    assert blobs(compatible).get_account_information()["account_kind"] == "StorageV2"
    assert list(blobs(compatible).list_containers(name_starts_with="a&b <c>", include_metadata=True)) == []
    assert queues(compatible).get_service_properties()["cors"] == []
    assert list(queues(compatible).list_queues(name_starts_with="x", results_per_page=5)) == []
    assert list(TableServiceClient.from_connection_string(compatible.connection_string).list_tables()) == []


# --- what is printed ------------------------------------------------------------------------------


def test_the_lines_are_the_peers(symlink):
    with started(symlink("azurite"), *FREE, "--queueHost", "0.0.0.0") as program:
        blob, queue, table = announced_ports(program)
        expected = []
        for name, where in (("Blob", f"127.0.0.1:{blob}"), ("Queue", f"0.0.0.0:{queue}"), ("Table", f"127.0.0.1:{table}")):
            expected += [f"Azurite {name} service is starting at http://{where}"]
            expected += [f"Azurite {name} service is successfully listening at http://{where}"]
        assert program.output().splitlines() == expected
        assert program.end() == 0
        assert program.output().splitlines() == expected, "the end is told on standard output"


def test_the_table_service_alone_prints_its_two_lines_and_opens_no_other_port(symlink):
    with started(symlink("azurite-table"), "--blobPort", 1, "--queuePort", 1) as program:
        first, second = program.wait_for("successfully started").splitlines()
        port = int(first.rsplit(":", 1)[1])
        assert first == f"Azurite Table service is starting on 127.0.0.1:{port}"
        assert second == f"Azurite Table service successfully started on 127.0.0.1:{port}"
        assert ports_of(program.pid) == {port}


def test_over_https_the_lines_say_so(tmp_path, symlink):
    with started(symlink("azurite"), *FREE, "--tls", "auto", "-l", tmp_path) as program:
        announced_ports(program)
        assert set(re.findall(r"listening at (\w+)://", program.output())) == {"https"}


def test_without_compat_there_is_one_port(start):
    server = start(*FREE)
    assert ports_of(server.process.pid) == {server.port}
    assert server.output().startswith("rocktable: Table service is successfully listening")
    assert "BlobEndpoint" not in server.connection_string


def test_a_busy_port_of_another_service_is_reported(tmp_path):
    for flag, other in (("--blobPort", "--queuePort"), ("--queuePort", "--blobPort")):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            words = [BINARY, "--compat", "azurite", "--tablePort", 0, flag, port, other, 0, "--inMemoryPersistence"]
            result = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=SECONDS, check=False)
            assert (result.returncode, result.stdout) == (1, "")
            assert str(port) in result.stderr


# --- the blob and the queue service -------------------------------------------------------------------


def test_what_is_not_there_is_not_found(compatible):
    container, queue = blobs(compatible).get_container_client("absent"), queues(compatible).get_queue_client("absent")
    blob = container.get_blob_client("folder/a blob")
    for ask, code in (
        (container.get_container_properties, "ContainerNotFound"),
        (container.delete_container, "ContainerNotFound"),
        (lambda: list(container.list_blobs()), "ContainerNotFound"),
        (blob.get_blob_properties, "ContainerNotFound"),
        (blob.download_blob, "ContainerNotFound"),
        (queue.get_queue_properties, "QueueNotFound"),
        (queue.receive_message, "QueueNotFound"),
        (queue.delete_queue, "QueueNotFound"),
    ):
        with pytest.raises(ResourceNotFoundError) as refusal:
            ask()
        assert (refusal.value.status_code, refusal.value.error_code) == (404, code)


def test_nothing_can_be_made(compatible):
    for ask in (
        lambda: blobs(compatible).create_container("made"),
        lambda: blobs(compatible).get_blob_client("made", "blob").upload_blob(b"bytes"),
        lambda: blobs(compatible).set_service_properties(cors=[]),
        lambda: list(blobs(compatible).find_blobs_by_tags("a='b'")),
        lambda: queues(compatible).create_queue("made"),
        lambda: queues(compatible).get_queue_client("made").send_message("text"),
    ):
        with pytest.raises(HttpResponseError) as refusal:
            ask()
        assert (refusal.value.status_code, refusal.value.error_code) == (501, "NotImplemented")


def test_the_secondary_location_has_statistics(compatible):
    for service, client in (("Blob", blobs), ("Queue", queues)):
        one = endpoint(compatible, service)
        secondary = f"http://127.0.0.1:{one.port}/devstoreaccount1-secondary"
        found = client(compatible, secondary_hostname=secondary.removeprefix("http://")).get_service_stats()
        assert found["geo_replication"]["status"] == "live"


@pytest.mark.parametrize("service", ["Blob", "Queue"])
def test_who_cannot_sign_is_refused_in_the_services_form(compatible, service):
    one = endpoint(compatible, service)
    target = f"{one.base}?comp=list"
    cases = [
        (request_bytes(one, "GET", target, signed=False), 401, "NoAuthenticationInformation"),
        (request_bytes(one, "GET", target), 403, "AuthenticationFailed"),  # signed like requests to the table service
        (request_bytes(one, "GET", "/absent?comp=list", signed=False), 404, "ResourceNotFound"),
        (request_bytes(one, "OPTIONS", target, signed=False), 403, "CorsPreflightFailure"),
        (b"nonsense\r\n\r\n", 400, "InvalidHeaderValue"),
    ]
    for data, status, code in cases:
        answer = exchange(one, data)
        assert (answer.status, answer.headers["x-ms-error-code"]) == (status, code), answer
        assert answer.headers["Server"].startswith(f"Windows-Azure-{service}/1.0 ")
        assert answer.headers["Content-Type"] == "application/xml"
        pattern = rf'\ufeff<\?xml version="1\.0" encoding="utf-8"\?><Error><Code>{code}</Code><Message>[^<]+</Message></Error>'
        assert re.fullmatch(pattern, answer.text), answer.text
        assert f"RequestId:{answer.headers['x-ms-request-id']}\nTime:" in answer.text


def test_a_wrong_key_is_refused(compatible):
    wrong = compatible.connection_string.replace(compatible.key, "d3Jvbmc=")
    for client in (BlobServiceClient, QueueServiceClient):
        with pytest.raises(HttpResponseError) as refusal:
            client.from_connection_string(wrong, retry_total=0).get_service_properties()
        assert (refusal.value.status_code, refusal.value.error_code) == (403, "AuthenticationFailed")


def test_a_shared_access_signature_grants_what_it_says(compatible):
    expiry = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 600))

    def sas(make, **permissions):
        return make("devstoreaccount1", compatible.key, ResourceTypes(service=True),
                    AccountSasPermissions(**permissions), expiry)

    for service, client, make, other in (("Blob", BlobServiceClient, blob_sas, queue_sas),
                                         ("Queue", QueueServiceClient, queue_sas, blob_sas)):
        url = endpoint(compatible, service).endpoint
        assert client(url, sas(make, read=True), retry_total=0).get_service_properties()["cors"] == []
        for wrong, code in ((sas(make, list=True), "AuthorizationPermissionMismatch"),
                            (sas(other, read=True), "AuthorizationServiceMismatch")):
            with pytest.raises(HttpResponseError) as refusal:
                client(url, wrong, retry_total=0).get_service_properties()
            assert refusal.value.error_code == code


def test_the_control_surface_is_on_the_table_port_alone(start):
    server = start("--compat", "azurite", *FREE, "--blobHost", "0.0.0.0")
    assert server.is_healthy()
    for service in ("Blob", "Queue"):
        for resource in ("health", "stats"):
            one = endpoint(server, service)
            answer = exchange(one, request_bytes(one, "GET", f"/_rocktable/{resource}", signed=False))
            assert (answer.status, error_code(answer.text) or answer.headers["x-ms-error-code"]) == (404, "ResourceNotFound")


def test_tables_are_as_ever(compatible):
    name = create_table(compatible, unique_name())
    with TableServiceClient.from_connection_string(compatible.connection_string) as service:
        assert [table.name for table in service.list_tables()] == [name]
    one = endpoint(compatible, "Blob")
    answer = exchange(one, request_bytes(one, "GET", f"{one.base}/Tables"))
    assert answer.status == 403, "the blob port answers for tables"
