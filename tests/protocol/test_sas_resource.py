"""POST /_rocktable/sas: the server takes the signatures that it makes, and they allow no more than was asked for."""
import json

import pytest

from bearer_token import guid
from own_server import needs_program
from rocktable_server import Server, create_table, exchange, request_bytes, send
from shared_access import send_with

pytestmark = needs_program

ENTITY = '{"PartitionKey": "a", "RowKey": "%s"}'


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server("--tls", "auto", "--location", tmp_path_factory.mktemp("sas"), "--oauth", "basic", "--anyAccount")
    yield running
    running.stop()


@pytest.fixture(scope="module")
def table(server):
    name = create_table(server)
    for row in "12":
        assert send(server, "POST", f"/{name}", {}, ENTITY % row).status == 201
    return name


def ask(server, wish):
    body = wish if isinstance(wish, str) else json.dumps({"account": server.name, **wish})
    return exchange(server, request_bytes(server, "POST", "/_rocktable/sas", {}, body, signed=False), "POST")


def make(server, **wish):
    answer = ask(server, wish)
    assert answer.status == 200, answer
    return answer.json()


def status(server, made, method, resource, body=None):
    return send_with(server, made["sharedAccessSignature"], method, resource, {}, body).status


def test_a_signature_of_a_table(server, table):
    made = make(server, kind="table", table=table, permissions="ra", expiry="10m", fromPartition="a", fromRow="2")
    assert made["allows"].startswith(f"reads and adds entities of the table {table} from PartitionKey 'a', RowKey '2', until ")
    assert status(server, made, "GET", f"/{table}(PartitionKey='a',RowKey='2')") == 200
    assert status(server, made, "GET", f"/{table}(PartitionKey='a',RowKey='1')") == 404  # as if it were absent
    assert status(server, made, "POST", f"/{table}", ENTITY % 3) == 201
    assert status(server, made, "PUT", f"/{table}(PartitionKey='a',RowKey='2')", "{}") == 403
    assert status(server, made, "GET", f"/{create_table(server)}()") == 403


def test_a_signature_of_an_account(server, table):
    made = make(server, kind="account", permissions="lr", types="co")
    assert status(server, made, "GET", "/Tables") == 200
    assert status(server, made, "GET", f"/{table}()") == 200
    assert status(server, made, "POST", "/Tables", '{"TableName": "another"}') == 403


def test_a_signature_in_the_name_of_an_identity(server, table):
    wish = {"kind": "user", "table": table, "permissions": "r", "expiry": "1d"}
    made = make(server, owner=guid(7), **wish)
    assert f"skoid={guid(7)}" in made["sharedAccessSignature"]
    assert status(server, made, "GET", f"/{table}()") == 200
    assert status(server, made, "POST", f"/{table}", ENTITY % 4) == 403
    revoke = f"/_rocktable/accounts/{server.name}/revoke-user-delegation-keys"
    assert exchange(server, request_bytes(server, "POST", revoke, signed=False), "POST").status == 200
    assert status(server, made, "GET", f"/{table}()") == 403


def test_it_is_of_the_account_that_is_named(server, table):
    body = json.dumps({"account": "neighbour", "kind": "table", "table": table, "permissions": "r"})
    answer = ask(server, body)
    assert answer.status == 200 and status(server, answer.json(), "GET", f"/{table}()") == 403


@pytest.mark.parametrize("wish, sentence", [
    ({"kind": "queue"}, 'the body:1:41: kind: must be account, table or user'),
    ({"kind": "table", "permissions": "r"}, "The member table is no name of a table: ."),
    ({"kind": "table", "table": "orders"}, "The member permissions is missing: letters of raud."),
    ({"kind": "table", "table": "orders", "permissions": "rw"}, "The member permissions has letters other than raud."),
    ({"kind": "table", "table": "orders", "permissions": "r", "expiry": "-1h"}, "The member expiry is over: the signature would allow nothing."),
    ({"kind": "table", "table": "orders", "permissions": "r", "toRow": "1"}, "The member toRow needs toPartition."),
    ({"kind": "account", "permissions": "l", "types": "o"}, "The member permissions allow nothing with these types."),
    ({"kind": "user", "table": "orders", "permissions": "r", "owner": "bob"}, "The member owner is neither an identity of the roles nor an object id."),
    ({"kind": "user", "table": "orders", "permissions": "r", "policy": "p", "owner": guid(1)}, "The member policy is only for signatures of a table."),
    ({"kind": "user", "table": "orders", "permissions": "r", "expiry": "8d", "owner": guid(1)}, "The member expiry must be within seven days."),
], ids=lambda value: value.split("member ")[-1][:24] if isinstance(value, str) else "")
def test_what_cannot_be_made_is_refused_with_the_reason(server, wish, sentence):
    answer = ask(server, wish)
    assert (answer.status, answer.json()["error"]) == (400, sentence)


def test_unknown_members_and_accounts_are_refused(server):
    answer = ask(server, {"kind": "table", "tabel": "orders"})
    assert answer.status == 400 and "tabel" in answer.json()["error"]
    assert ask(server, '{"account": "UPPER", "kind": "account", "permissions": "r", "types": "o"}').status == 404
    assert ask(server, "{").status == 400


def test_without_bearer_tokens_there_are_no_keys_of_users():
    server = Server("--inMemoryPersistence")
    try:
        answer = ask(server, {"kind": "user", "table": "orders", "permissions": "r", "owner": guid(1)})
        assert answer.status == 409 and "--oauth basic" in answer.json()["error"]
    finally:
        server.stop()
