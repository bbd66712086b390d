"""Roles: what a bearer token permits with --roles, by operation; the recorded refusal; changes of the file."""
import json
import re
import time

import pytest

from answers import ABSENT, BAD_XML, check_front_end_error
from bearer_token import guid, send_token, token_for
from own_server import needs_program
from program import refusal
from rocktable_server import BATCH_HEADERS, Server, batch_body, batch_part, create_table, exchange, request_bytes, send
from rocktable_server import unique_name

pytestmark = needs_program

NEW = {"x-ms-version": "2025-07-05"}
XML = {"Accept": "application/xml"}
ANY = {"If-Match": "*"}
MISMATCH = "This request is not authorized to perform this operation using this permission."
PROPERTIES = "/?restype=service&comp=properties"
STATS = "/?restype=service&comp=stats"
ROLES = ["Storage Table Data Reader", "Storage Table Delegator", "Storage Table Data Contributor", "Reader",
         "Storage Account Contributor", "Contributor", "Owner"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("roles")
    (folder / "roles.txt").write_text("# nobody\n")
    running = Server("--tls", "auto", "--location", folder, "--oauth", "basic", "--anyAccount", "--explainAuth",
                     "--roles", folder / "roles.txt")
    running.folder = folder
    yield running
    running.stop()


def control(server, method, resource, body=None, headers=None):
    data = request_bytes(server, method, f"/_rocktable/{resource}", headers, body, signed=False)
    return exchange(server, data, method)


def set_roles(server, text):
    answer = control(server, "PUT", "roles", text)
    assert answer.status == 200, answer


@pytest.fixture(scope="module")
def table(server):
    return create_table(server)


def operations(server, table):
    """Each operation: its name, a request, and the letters of the roles that permit it."""
    one, entity = f"/{table}(PartitionKey='p',RowKey='{unique_name()}')", json.dumps({"PartitionKey": "p", "RowKey": unique_name()})
    new = unique_name()
    return [
        ("get properties", ("GET", PROPERTIES, XML, None), "---RACO"),
        ("set properties", ("PUT", PROPERTIES, XML, "<StorageServiceProperties><Cors /></StorageServiceProperties>"), "----ACO"),
        ("get stats", ("GET", STATS, XML, None), "---RACO"),
        ("query tables", ("GET", "/Tables", {}, None), "r-cRACO"),
        ("get table", ("GET", f"/Tables('{table}')", {}, None), "r-cRACO"),
        ("create table", ("POST", "/Tables", {}, json.dumps({"TableName": new})), "--c-ACO"),
        ("delete table", ("DELETE", f"/Tables('{new}')", {}, None), "--c-ACO"),
        ("get ACL", ("GET", f"/{table}?comp=acl", XML | NEW, None), "----ACO"),
        ("set ACL", ("PUT", f"/{table}?comp=acl", XML | NEW, "<SignedIdentifiers />"), "----ACO"),
        ("query entities", ("GET", f"/{table}()", {}, None), "r-c----"),
        ("get entity", ("GET", one, {}, None), "r-c----"),
        ("insert", ("POST", f"/{table}", {}, entity), "--c----"),
        ("insert or replace", ("PUT", one, {}, "{}"), "--c----"),
        ("insert or merge", ("MERGE", one, {}, "{}"), "--c----"),
        ("update", ("PUT", one, ANY, "{}"), "--c----"),
        ("merge", ("MERGE", one, ANY, "{}"), "--c----"),
        ("delete entity", ("DELETE", one, ANY, None), "--c----"),
        ("batch", ("POST", "/$batch", BATCH_HEADERS,
                   batch_body([batch_part(server, "POST", table, json.loads(entity) | {"RowKey": unique_name()})])), "--c----"),
    ]


def is_refused(answer):
    return answer.status == 403 or answer.status == 202 and b"AuthorizationPermissionMismatch" in answer.body


@pytest.mark.parametrize("number, role", enumerate(ROLES), ids=ROLES)
def test_operations_of_each_built_in_role(server, table, number, role):
    """learn.microsoft.com/azure/role-based-access-control/built-in-roles/storage, and the permissions for operations of
    tables in .../rest/api/storageservices/authorize-with-azure-active-directory."""
    set_roles(server, f"{guid(1)} {role}")
    for name, (method, resource, headers, body), roles in operations(server, table):
        answer = send_token(server, token_for(guid(1)), method, resource, headers, body)
        assert is_refused(answer) == (roles[number] == "-"), (role, name, answer)
        if is_refused(answer) and answer.status == 403:
            assert "AuthorizationPermissionMismatch" in answer.text, (name, answer)


def test_the_refusal_has_the_recorded_form(server, table):
    """Recorded: POST of an entity by a caller that may create tables. No x-ms-error-code and no challenge."""
    set_roles(server, f"{guid(1)} Contributor")
    answer = send_token(server, token_for(guid(1)), "POST", f"/{table}", {}, '{"PartitionKey":"p","RowKey":"r"}')
    assert answer.status == 403
    told = answer.headers["x-rocktable-explain"]
    names = {name for name in answer.headers.keys() if name != "x-rocktable-explain"}
    assert names == {"Cache-Control", "Transfer-Encoding", "Content-Type", "Server", "X-Content-Type-Options",
                     "x-ms-request-id", "x-ms-version", "Date"}
    assert answer.headers["Cache-Control"] == "no-cache"
    assert answer.headers["Content-Type"] == "application/json;odata=minimalmetadata;streaming=true;charset=utf-8"
    error = answer.json()["odata.error"]
    assert error["code"] == "AuthorizationPermissionMismatch"
    assert re.fullmatch(re.escape(MISMATCH) + r"\nRequestId:[0-9a-f-]{36}\nTime:\S+Z", error["message"]["value"])
    assert "InsertEntity needs the data action tables/entities/write or tables/entities/add/action" in told
    assert f"{guid(1)} has Contributor." in told and "Storage Table Data Contributor" in told


def test_refusals_of_the_front_end_are_xml(server):
    """Inferred: as all errors of service properties."""
    set_roles(server, f"{guid(1)} Storage Table Data Contributor")
    answer = send_token(server, token_for(guid(1)), "GET", PROPERTIES, XML)
    check_front_end_error(answer, 403, "AuthorizationPermissionMismatch", MISMATCH,
                          {"x-rocktable-explain": re.compile("GetServiceProperties needs the action read.*")})


def test_roles_are_checked_before_the_table_is_looked_up(server):
    """Inferred: the service refuses before it looks for the table."""
    set_roles(server, f"{guid(1)} Storage Table Data Reader")
    token = token_for(guid(1))
    assert send_token(server, token, "GET", "/absent()").status == 404
    assert send_token(server, token, "POST", "/absent", {}, '{"PartitionKey":"p","RowKey":"r"}').status == 403


def test_scopes_strangers_and_other_accounts(server, table):
    """A role counts for its identity, its account and its table, and a name in the file for one tenant."""
    other = unique_name()
    set_roles(server, f"alice oid={guid(1)} tid={guid(9)}\nalice Storage Table Data Contributor {server.name}/{table}\n"
                      f"{guid(2)} Storage Table Data Contributor {server.name}\n")
    entity = '{"PartitionKey":"p","RowKey":"%s"}'

    def insert(token, into):
        return send_token(server, token, "POST", f"/{into}", {}, entity % unique_name()).status

    def create(token, name):
        return send_token(server, token, "POST", "/Tables", {}, json.dumps({"TableName": name})).status

    alice, bob = token_for(guid(1), guid(9)), token_for(guid(2))
    assert insert(alice, table) == 201 and insert(alice, table.upper()) == 201
    assert create(alice, other) == 403  # the body names the table
    assert create(alice, table) == 409
    assert send_token(server, alice, "GET", "/Tables").status == 403  # needs the account
    assert create(bob, other) == 201 and insert(bob, other) == 201
    assert insert(alice, other) == 403
    for stranger in (token_for(guid(3)), token_for(guid(1), guid(8)), token_for(None), token_for(guid(1), None)):
        assert insert(stranger, table) == 403
    # Another account, with the same roles in force.
    elsewhere = request_bytes(server, "GET", "/elsewhere/Tables", {"Authorization": f"Bearer {bob}"}, signed=False)
    assert exchange(server, elsewhere).status == 403
    # The key of the account, and signatures by it, ignore roles.
    assert send(server, "GET", f"/{table}()").status == 200


def test_a_part_of_a_batch_without_its_role_refuses_the_change_set(server, table):
    """Inferred: the part says so, with its index."""
    role = {"name": "Adds", "dataActions": ["Microsoft.Storage/storageAccounts/tableServices/tables/entities/add/action"]}
    set_roles(server, json.dumps({"roles": [role], "assignments": [{"identity": guid(1), "role": "Adds"}]}))
    keys = [unique_name() for _ in range(2)]
    parts = [batch_part(server, "POST", table, {"PartitionKey": "q", "RowKey": keys[0]}),
             batch_part(server, "PUT", f"{table}(PartitionKey='q',RowKey='{keys[1]}')", {})]
    answer = send_token(server, token_for(guid(1)), "POST", "/$batch", BATCH_HEADERS, batch_body(parts))
    assert answer.status == 202 and "AuthorizationPermissionMismatch" in answer.text and f"1:{MISMATCH}" in answer.text
    assert send(server, "GET", f"/{table}(PartitionKey='q',RowKey='{keys[0]}')").status == 404
    alone = send_token(server, token_for(guid(1)), "POST", "/$batch", BATCH_HEADERS, batch_body(parts[:1]))
    assert "AuthorizationPermissionMismatch" not in alone.text
    assert send(server, "GET", f"/{table}(PartitionKey='q',RowKey='{keys[0]}')").status == 200


@pytest.mark.parametrize("method, body", [("GET", None), ("PUT", "<SignedIdentifiers />")])
def test_access_policies_by_token_depend_on_the_version(server, table, method, body):
    """Recorded: 404 ResourceNotFound with 2019-02-02, also where the table exists; TableNotFound for an absent table with
    2025-07-05. That roles decide from there is inferred."""
    set_roles(server, f"{guid(1)} Storage Account Contributor")
    token = token_for(guid(1))

    def ask(name, version):
        return send_token(server, token, method, f"/{name}?comp=acl", XML | {"x-ms-version": version}, body)

    assert (ask(table, "2025-05-05").status, ask(table, "2025-05-05").code) == (404, "ResourceNotFound")
    assert ask(table, "2025-07-05").status in (200, 204)
    assert (ask("absent", "2025-07-05").status, ask("absent", "2025-07-05").code) == (404, "TableNotFound")


def test_the_roles_of_the_control_api_are_those_in_force(server):
    set_roles(server, f"alice oid={guid(1)} appid={guid(7)}\nalice Reader {server.name}\n")
    shown = control(server, "GET", "roles").json()
    assert shown == {"enforced": True, "identities": [{"name": "alice", "oid": guid(1), "appid": guid(7)}], "roles": [],
                     "assignments": [{"identity": "alice", "role": "Reader", "scope": server.name}]}
    assert control(server, "PUT", "roles", json.dumps(shown)).json() == shown
    for bad in ("alice Reader", "{", "role roles.txt", f"{guid(1)} Nothing"):
        answer = control(server, "PUT", "roles", bad)
        assert answer.status == 400 and "roles:1:" in answer.json()["error"], answer
    assert control(server, "GET", "roles").json() == shown
    assert control(server, "PUT", "roles?x=1", "").status == 400
    doubtful = {"name": "R", "dataActions": ["Microsoft.Storage/storageAccounts/tableServices/tables/entities/delete/action"]}
    assert "is no action" in control(server, "PUT", "roles", json.dumps(doubtful)).json()["doubts"][0]
    token = token_for(guid(1))
    set_roles(server, "")
    assert send_token(server, token, "GET", "/Tables").status == 403
    assert control(server, "DELETE", "roles").json() == {"status": "done"}
    assert control(server, "GET", "roles").json() == {"enforced": False}
    assert send_token(server, token, "GET", "/Tables").status == 200


def test_a_page_of_another_origin_cannot_change_roles(server):
    for headers in ({"Origin": "https://example.com"}, {"Host": "example.com"}):
        assert control(server, "PUT", "roles", "", headers).status == 403


def test_the_file_is_read_again_and_a_bad_one_changes_nothing(server):
    token, file = token_for(guid(1)), server.folder / "roles.txt"

    def wait_for(status):
        deadline = time.monotonic() + 20
        while (answer := send_token(server, token, "GET", "/Tables")).status != status:
            assert time.monotonic() < deadline, answer

    file.write_text("# nobody, again\n")
    wait_for(403)
    file.write_text(f"{guid(1)} Reader\n")
    wait_for(200)
    file.write_text(f"{guid(1)} Rader\n")
    deadline = time.monotonic() + 20
    while "the roles are unchanged" not in server.output() + server.errors():
        assert time.monotonic() < deadline
    assert "there is no role `Rader`" in server.output() + server.errors()
    assert send_token(server, token, "GET", "/Tables").status == 200
    file.write_text("# nobody\n")
    wait_for(403)


def test_starts_that_are_refused(tmp_path):
    bad = tmp_path / "roles.txt"
    bad.write_text("alice Reader\n")
    tls = ("--tls", "auto", "--location", tmp_path)
    assert "--roles needs --oauth basic" in refusal(2, *tls, "--roles", bad)
    assert "`alice` is neither an oid nor a name" in refusal(1, *tls, "--oauth", "basic", "--roles", bad)
    assert "cannot be read" in refusal(1, *tls, "--oauth", "basic", "--roles", tmp_path / "absent")
