"""rocktable report --roles: what callers needed. A run is repeated with the role that it is told: nothing is refused, and
with one action less something is."""
import json

import pytest

from bearer_token import KEY_RESOURCE, XML_FIELDS, delegation_key, guid, key_info, send_token, token_for
from own_server import needs_program
from program import run_command
from rocktable_server import BATCH_HEADERS, Server, batch_body, batch_part, create_table, exchange, request_bytes
from rocktable_server import send, unique_name
from shared_access import account_sas, delegation_sas, send_with, table_sas

pytestmark = needs_program

ANY = {"If-Match": "*"}
XML = {"Accept": "application/xml"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server("--tls", "auto", "--location", tmp_path_factory.mktemp("report"), "--oauth", "basic")
    yield running
    running.stop()


@pytest.fixture(autouse=True)
def forgotten(server):
    control(server, "DELETE", "permissions")
    yield
    control(server, "DELETE", "roles")


def control(server, method, resource, body=None):
    return exchange(server, request_bytes(server, method, f"/_rocktable/{resource}", None, body, signed=False), method)


def reported(server):
    ended = run_command("report", "--roles", "--json", "--url", server.url, "--caFile", server.ready["certificateAuthority"])
    assert ended.returncode == 0, ended
    return json.loads(ended.stdout)["callers"]


def run(server, token, table):
    """A program that uses a table; returns the answers that say no."""
    row = unique_name()
    one = f"/{table}(PartitionKey='p',RowKey='{row}')"
    part = batch_part(server, "POST", table, {"PartitionKey": "p", "RowKey": unique_name()})
    answers = [
        send_token(server, token, "POST", f"/{table}", {}, json.dumps({"PartitionKey": "p", "RowKey": row})),
        send_token(server, token, "GET", one),
        send_token(server, token, "MERGE", one, ANY, "{}"),
        send_token(server, token, "PUT", f"/{table}(PartitionKey='p',RowKey='{unique_name()}')", {}, "{}"),
        send_token(server, token, "DELETE", one, ANY),
        send_token(server, token, "POST", "/$batch", BATCH_HEADERS, batch_body([part])),
        send_token(server, token, "GET", "/?restype=service&comp=properties", XML),
        send_token(server, token, "POST", KEY_RESOURCE, XML_FIELDS, key_info()),
    ]
    return [answer for answer in answers if answer.status >= 400 or b"AuthorizationPermissionMismatch" in answer.body]


def test_the_role_that_is_told_suffices_and_no_action_of_it_is_too_much(server):
    table, token = create_table(server), token_for(guid(1))
    assert run(server, token, table) == []
    (caller,) = reported(server)
    assert (caller["kind"], caller["oid"], caller["requests"], caller["tables"]) == ("token", guid(1), 8, [table])
    assert caller["builtInRoles"] == ["Storage Table Data Contributor", "Storage Account Contributor"]
    role = caller["customRole"]
    actions = [name.removeprefix("Microsoft.Storage/storageAccounts/tableServices/")
               for name in role["Actions"] + role["DataActions"]]
    assert actions == ["read", "generateUserDelegationKey/action", "tables/entities/read", "tables/entities/delete",
                       "tables/entities/add/action", "tables/entities/update/action"]

    def with_role(changed):
        text = json.dumps({"roles": [changed],
                           "assignments": [{"identity": guid(1), "role": changed["Name"], "scope": caller["scope"]}]})
        assert control(server, "PUT", "roles", text).status == 200
        return run(server, token, table)

    assert with_role(role) == []
    for kind in ("Actions", "DataActions"):
        for action in role[kind]:
            assert with_role(role | {kind: [one for one in role[kind] if one != action]}) != [], action
    for built_in in (caller["builtInRoles"], caller["builtInRoles"][:1], caller["builtInRoles"][1:]):
        control(server, "PUT", "roles", "\n".join(f"{guid(1)} {name}" for name in built_in))
        assert (run(server, token, table) == []) == (len(built_in) == 2)


def test_a_caller_of_one_table_needs_it_alone_and_of_two_the_account(server):
    one, other = create_table(server), create_table(server)
    send_token(server, token_for(guid(1)), "GET", f"/{one.upper()}()")
    (caller,) = reported(server)
    assert caller["scope"] == f"{server.name}/{one}" and caller["builtInRoles"] == ["Storage Table Data Reader"]
    send_token(server, token_for(guid(1)), "GET", f"/{other}()")
    send_token(server, token_for(guid(2)), "GET", "/Tables")
    first, second = reported(server)
    assert (first["oid"], first["scope"], first["tables"]) == (guid(1), server.name, sorted([one, other]))
    assert (second["oid"], second["scope"], second["tables"]) == (guid(2), server.name, [])


def test_identities_have_their_names_and_refused_requests_count(server):
    table = create_table(server)
    control(server, "PUT", "roles", f"alice oid={guid(1)}\n")
    assert send_token(server, token_for(guid(1)), "GET", f"/{table}()").status == 403
    assert send_token(server, token_for(guid(1)), "POST", "/Tables", {}, f'{{"TableName":"{table}"}}').status == 403
    (caller,) = reported(server)
    assert caller["identity"] == "alice" and caller["tables"] == [table]
    assert caller["builtInRoles"] == ["Storage Table Data Contributor"]


def test_signatures_are_told_their_letters_tables_and_range(server):
    table = create_table(server)
    entity = '{"PartitionKey":"%s","RowKey":"r"}'
    everything = account_sas(server)
    send_with(server, everything, "GET", "/Tables")
    send_with(server, everything, "GET", f"/{table}()")
    of_table = table_sas(server, table)
    for key in ("m", "d"):
        assert send_with(server, of_table, "POST", f"/{table}", {}, entity % key).status == 201
    send_with(server, of_table, "GET", f"/{table}()?$filter=PartitionKey%20eq%20'k'")
    by_user = delegation_sas(server, table, delegation_key(server, token_for(guid(1))))
    send_with(server, by_user, "GET", f"/{table}()")
    callers = {caller["kind"]: caller for caller in reported(server)}
    assert callers["accountSas"]["sas"] == {"sp": "rl", "srt": "co"}
    assert "customRole" not in callers["accountSas"]
    assert callers["tableSas"]["sas"] == {"sp": "ra", "tn": table, "spk": "d", "epk": "m"}
    user = callers["userDelegationSas"]
    assert user["sas"] == {"sp": "r", "tn": table, "spk": None, "epk": None}
    assert (user["oid"], user["builtInRoles"]) == (guid(1), ["Storage Table Data Reader"])
    assert callers["token"]["builtInRoles"] == ["Storage Table Delegator"]
    # The smaller signature suffices.
    small = table_sas(server, table, sp="ra", spk="d", epk="m")
    assert send_with(server, small, "GET", f"/{table}(PartitionKey='d',RowKey='r')").status == 200


def test_owners_strangers_and_other_accounts_are_not_counted(server):
    table = create_table(server)
    send(server, "GET", f"/{table}()")
    send_with(server, "sv=2019-02-02&sig=x", "GET", "/Tables")
    send_token(server, "x", "GET", "/Tables")
    assert reported(server) == []
    send_token(server, token_for(guid(1)), "GET", f"/{table}()")
    assert control(server, "GET", "permissions?account=absent").status == 404
    assert len(control(server, "GET", f"permissions?account={server.name}").json()["callers"]) == 1


def test_the_text_of_the_report(server):
    words = ("report", "--roles", "--url", server.url, "--caFile", server.ready["certificateAuthority"])
    assert run_command(*words).stdout == "No request had a bearer token or a shared access signature.\n"
    table = create_table(server)
    send_token(server, token_for(guid(1)), "GET", f"/{table}()")
    send_with(server, table_sas(server, table), "GET", f"/{table}()?$filter=PartitionKey%20eq%20'k'")
    text = run_command(*words, "--reset").stdout
    assert f"Token of {guid(1)} for {server.name}, 1 request\n  tables: {table}\n" in text
    assert f"  built-in roles: Storage Table Data Reader\n  scope: {server.name}/{table}\n" in text
    assert f'      "Microsoft.Storage/storageAccounts/tableServices/tables/entities/read"\n' in text
    assert f"Table SAS for {server.name}, 1 request\n  tables: {table}\n  smallest signature: sp=r tn={table} spk=k epk=k\n" in text
    assert reported(server) == []
    refused = run_command("report", "--roles", "--data")
    assert refused.returncode == 2 and "--roles excludes --data" in refused.stderr
