"""A database that is silent: a request that waits for it keeps nobody else from being served."""
import contextlib
import json
import time

import pytest

import postgres
import rocktable_server as rocktable
from access import set_policy
from own_server import own_database
from shared_access import at, table_sas

TABLE = "Orders"
AT_WORK = 32  # requests that a front end sends to the database at the same time
CONNECTIONS = 8  # more than the server has threads for connections on the machines of developers
AT_ONCE = 2.0  # s; on a busy machine, too. Requests wait for the database up to STORE_TIMEOUT.
STORE_TIMEOUT = 8
KNOWN_FOR = 1.5  # s; what a front end knows of tables and accounts for longer it asks for again

pytestmark = pytest.mark.embedded("it starts a database of its own")


@pytest.fixture(scope="module")
def database():
    with own_database() as server:
        yield server


@pytest.fixture
def server(database):
    url = postgres.new_database(database.url)
    running = rocktable.Server("--store", url, "--storeTimeout", str(STORE_TIMEOUT))
    yield running
    running.kill()
    postgres.drop_database(url)


def by_policy(server):
    """Needs the access policies of the table to be accepted."""
    sas = table_sas(server, TABLE, si="id", sp=None, se=None)
    return rocktable.request_bytes(server, "GET", f"{server.base}/{TABLE}()?{sas}", signed=False), 200


def preflight(server):
    """Needs the CORS rules of the account to be accepted."""
    headers = {"Origin": "https://page.example", "Access-Control-Request-Method": "GET"}
    return rocktable.request_bytes(server, "OPTIONS", f"{server.base}/{TABLE}", headers, signed=False), 403


def refused(server):
    """Needs the CORS rules of the account for its answer."""
    headers = {"Origin": "https://page.example", "Authorization": "SharedKeyLite devstoreaccount1:AAAA"}
    return rocktable.request_bytes(server, "GET", f"{server.base}/{TABLE}()", headers), 403


def refused_before_its_body(server):
    headers = {"Origin": "https://page.example", "Authorization": "SharedKeyLite devstoreaccount1:AAAA"}
    return rocktable.request_bytes(server, "POST", f"{server.base}/{TABLE}", headers, b" " * 100_000), 403


def point_read(server):
    return rocktable.request_bytes(server, "GET", f"{server.base}/{TABLE}(PartitionKey='p',RowKey='r')"), 404


@pytest.mark.parametrize("request_of", [by_policy, preflight, refused, refused_before_its_body, point_read])
def test_health_is_answered_while_others_wait(database, server, request_of):
    rocktable.create_table(server, TABLE)
    set_policy(server, TABLE, expiry=at(3600), permission="r")
    data, status = request_of(server)
    assert rocktable.exchange(server, data).status == status
    time.sleep(KNOWN_FOR)
    with contextlib.ExitStack() as waiting:
        with database.silent():
            clients = [waiting.enter_context(rocktable.connection(server)) for _ in range(CONNECTIONS)]
            for client in clients:
                client.sendall(data)
            health = rocktable.request_bytes(server, "GET", "/_rocktable/health", signed=False)
            for _ in range(CONNECTIONS):
                begin = time.monotonic()
                assert rocktable.exchange(server, health).status == 200
                assert time.monotonic() - begin < AT_ONCE
        assert {rocktable.read_response(client).status for client in clients} == {status}


def test_who_waits_for_a_silent_database_is_told_so_in_time(database, start):
    """Also those who wait for their turn: five times as many requests as reach the database."""
    server = start("--store", postgres.new_database(database.url), "--storeTimeout", 2)
    rocktable.create_table(server, TABLE)
    data, status = point_read(server)
    assert rocktable.exchange(server, data).status == status
    with contextlib.ExitStack() as waiting:
        with database.silent():
            clients = [waiting.enter_context(rocktable.connection(server)) for _ in range(5 * AT_WORK)]
            begin = time.monotonic()
            for client in clients:
                client.sendall(data)
            assert {rocktable.read_response(client).status for client in clients} == {503}
            assert time.monotonic() - begin < 2 + 1 + AT_ONCE
    assert rocktable.exchange(server, data).status == status


def test_a_write_whose_client_has_left_does_not_begin(database, server):
    """It waits for its turn behind reads, and its client gives up meanwhile."""
    rocktable.create_table(server, TABLE)
    data, status = point_read(server)
    with contextlib.ExitStack() as waiting:
        with database.silent():
            clients = [waiting.enter_context(rocktable.connection(server)) for _ in range(3 * AT_WORK)]
            for client in clients:
                client.sendall(data)
            time.sleep(0.5)
            with rocktable.connection(server) as writer:
                entity = {"PartitionKey": "p", "RowKey": "r"}
                writer.sendall(rocktable.request_bytes(server, "POST", f"{server.base}/{TABLE}",
                                                       {"Content-Type": "application/json"},
                                                       json.dumps(entity).encode()))
                time.sleep(0.5)
            time.sleep(0.5)
        assert {rocktable.read_response(client).status for client in clients} == {status}
    assert rocktable.exchange(server, data).status == status
