"""Access through the SDK, and several clients at once."""
import base64
import concurrent.futures
import email.utils
import os
import time

import pytest
from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceModifiedError
from azure.data.tables import TableServiceClient, UpdateMode

from rocktable_server import Server, authorization, exchange, request_bytes, send, signature

WRONG_KEY = base64.b64encode(b"not the key of this account").decode()


def test_a_wrong_key_is_refused_everywhere(table, client_of, refused):
    client = client_of(table.table_name, WRONG_KEY)
    entity = {"PartitionKey": "p", "RowKey": "r"}
    for call in (
        lambda: client.create_entity(entity),
        lambda: client.get_entity("p", "r"),
        lambda: client.upsert_entity(entity),
        lambda: client.delete_entity("p", "r"),
        lambda: list(client.list_entities()),
        lambda: client.submit_transaction([("create", entity)]),
        lambda: client.create_table(),
        lambda: client.delete_table(),
    ):
        with refused(403, "AuthenticationFailed"):
            call()
    assert list(table.list_entities()) == []


def test_a_refusal_of_the_front_end_names_its_code_in_a_header(server):
    target = f"{server.base}/Tables"
    date = email.utils.formatdate(usegmt=True)
    headers = {"x-ms-date": date, "Authorization": authorization(server, target, date, WRONG_KEY)}
    answer = exchange(server, request_bytes(server, "GET", target, headers, signed=False))
    assert (answer.status, answer.code) == (403, "AuthenticationFailed")
    assert answer.headers["x-ms-error-code"] == "AuthenticationFailed"


@pytest.mark.parametrize("method, body", [("GET", None), ("MERGE", '{"a":1}')])
def test_shared_key_covers_verb_and_content_type(server, table, method, body):
    table.create_entity({"PartitionKey": "p", "RowKey": "r"})
    target = f"{server.base}/{table.table_name}(PartitionKey='p',RowKey='r')"
    date = email.utils.formatdate(usegmt=True)
    content_type = "application/json" if body else ""

    def ask(signed_method, signed_type):
        to_sign = f"{signed_method}\n\n{signed_type}\n{date}\n/{server.name}{target}"
        credentials = f"SharedKey {server.name}:{signature(server, to_sign)}"
        headers = {"x-ms-date": date, "Authorization": credentials}
        return exchange(server, request_bytes(server, method, target, headers, body, signed=False))

    assert ask(method, content_type).status in (200, 204)
    for signed in (("DELETE", content_type), (method, "text/plain")):
        answer = ask(*signed)
        assert (answer.status, answer.code) == (403, "AuthenticationFailed"), answer


@pytest.mark.parametrize("minutes", [-60, -20, 20, 60])
def test_a_request_far_from_now_is_refused(server, minutes):
    date = email.utils.formatdate(time.time() + minutes * 60, usegmt=True)
    target = f"{server.base}/Tables"
    headers = {"x-ms-date": date, "Authorization": authorization(server, target, date)}
    answer = exchange(server, request_bytes(server, "GET", target, headers, signed=False))
    assert (answer.status, answer.code) == (403, "AuthenticationFailed")


@pytest.mark.parametrize("minutes", [-10, 10])
def test_a_clock_may_be_a_little_off(server, minutes):
    date = email.utils.formatdate(time.time() + minutes * 60, usegmt=True)
    target = f"{server.base}/Tables"
    headers = {"x-ms-date": date, "Authorization": authorization(server, target, date)}
    assert exchange(server, request_bytes(server, "GET", target, headers, signed=False)).status == 200


@pytest.mark.parametrize(
    "value, statuses",
    [
        (None, {401, 403, 404}),
        ("SharedKeyLite", {400, 403}),
        ("Nonsense devstoreaccount1:abc", {400, 403}),
        ("SharedKeyLite devstoreaccount1", {400, 403}),
        ("SharedKeyLite devstoreaccount1:", {400, 403}),
        ("SharedKeyLite devstoreaccount1:%%%", {403}),
        ("SharedKeyLite :abcd", {400, 403}),
        ("SharedKeyLite otheraccount:" + "A" * 44, {403}),
        ("SharedKey devstoreaccount1:" + "A" * 44, {403}),
    ],
)
def test_a_malformed_authorization_is_refused(server, value, statuses):
    headers = {"x-ms-date": email.utils.formatdate(usegmt=True), "Authorization": value}
    answer = exchange(server, request_bytes(server, "GET", f"{server.base}/Tables", headers, signed=False))
    assert answer.status in statuses and answer.code, answer


def test_an_unknown_account_is_refused(server):
    answer = exchange(server, request_bytes(server, "GET", "/otheraccount/Tables"))
    assert answer.status in (403, 404) and answer.code, answer


def test_a_signature_covers_the_path(server, table):
    """A signature made for one resource does not open another."""
    date = email.utils.formatdate(usegmt=True)
    headers = {"x-ms-date": date, "Authorization": authorization(server, f"{server.base}/Tables", date)}
    answer = send(server, "GET", f"/{table.table_name}()", headers)
    assert (answer.status, answer.code) == (403, "AuthenticationFailed")


def test_conditional_increments_of_several_clients_lose_none(table, client_of):
    clients, increments = 6, 20
    table.create_entity({"PartitionKey": "p", "RowKey": "counter", "value": 0})

    def work(_):
        conflicts = done = 0
        with client_of(table.table_name) as client:
            while done < increments:
                entity = client.get_entity("p", "counter")
                entity["value"] += 1
                try:
                    client.update_entity(
                        entity, mode=UpdateMode.REPLACE, match_condition=MatchConditions.IfNotModified
                    )
                    done += 1
                except ResourceModifiedError:
                    conflicts += 1
        return conflicts

    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        list(pool.map(work, range(clients)))
    assert table.get_entity("p", "counter")["value"] == clients * increments


def test_of_many_inserts_of_one_key_exactly_one_succeeds(table, client_of):
    def insert(writer):
        with client_of(table.table_name) as client:
            try:
                client.create_entity({"PartitionKey": "p", "RowKey": "r", "writer": writer})
                return True
            except ResourceExistsError:
                return False

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(insert, range(24))) == 1


def test_transactions_on_one_partition_do_not_mix(table, client_of):
    """Two writers swap all rows of a partition; no reader ever sees rows of both."""
    rows, rounds = 20, 15

    def write(writer):
        with client_of(table.table_name) as client:
            entities = [{"PartitionKey": "p", "RowKey": f"{row}", "writer": writer} for row in range(rows)]
            for _ in range(rounds):
                client.submit_transaction([("upsert", entity) for entity in entities])

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        writers = [pool.submit(write, writer) for writer in range(2)]
        while not all(writer.done() for writer in writers):
            assert len({entity["writer"] for entity in table.list_entities()}) <= 1
        for writer in writers:
            writer.result()


def test_errors_carry_the_request_id(table):
    with pytest.raises(HttpResponseError) as failure:
        table.get_entity("p", "absent")
    assert failure.value.response.headers["x-ms-request-id"] in failure.value.message


@pytest.mark.skipif("ROCKTABLE_TEST_CONNECTION_STRING" in os.environ, reason="needs a server of its own")
def test_an_account_of_ones_own_works_with_its_second_key(refused):
    first, second = (base64.b64encode(text).decode() for text in (b"first", b"second"))
    server = Server(environment={"AZURITE_ACCOUNTS": f"mine:{first}:{second};theirs:{first}"})
    try:
        mine, theirs, forged = (
            TableServiceClient.from_connection_string(text, retry_total=0)
            for text in (
                server.connection_string.replace(first, second),
                server.connection_string.replace("mine", "theirs"),
                server.connection_string.replace("mine", "theirs").replace(first, second),
            )
        )
        with mine, theirs, forged:
            table = mine.create_table("people")
            table.create_entity({"PartitionKey": "p", "RowKey": "r"})
            table.submit_transaction([("upsert", {"PartitionKey": "p", "RowKey": "r", "value": 1})])
            assert table.get_entity("p", "r")["value"] == 1
            assert [one.name for one in mine.list_tables()] == ["people"]
            assert list(theirs.list_tables()) == []
            with refused(403, "AuthenticationFailed"):
                list(forged.list_tables())
    finally:
        server.kill()
