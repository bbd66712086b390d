"""rocktable report --roles: what callers needed. A run is repeated with the role that it is told: nothing is refused, and
with one action less something is."""
import json

import pytest

from bearer_token import KEY_RESOURCE, XML_FIELDS, delegation_key, guid, key_info, send_token, token_for
from fixture_control import account_of
from own_server import needs_program
from program import run_command
from rocktable_server import BATCH_HEADERS, BINARY, Server, batch_body, batch_part, create_table, exchange, request_bytes
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


SECTION = "The smallest roles and signatures that suffice"


@pytest.fixture
def report(server):
    def run(*words, code=0):
        target = () if "--from" in words else ("--url", server.url, "--caFile", server.ready["certificateAuthority"])
        ended = run_command("report", *words, *target)
        assert ended.returncode == code, ended
        return ended.stderr if code else ended.stdout

    return run


def use_as(server, token, table):
    send_token(server, token, "GET", f"/{table}()")
    send_with(server, table_sas(server, table), "GET", f"/{table}()?$filter=PartitionKey%20eq%20'a%3Cb'")


def test_a_page_of_a_run_with_tokens_or_signatures_tells_the_smallest(server, report, tmp_path):
    table = create_table(server)
    send(server, "GET", f"/{table}()")
    assert SECTION not in report("--format", "html") and "permissions" not in json.loads(report("--json"))
    control(server, "PUT", "roles", f"alice oid={guid(1)}\nalice Storage Table Data Reader\n")
    use_as(server, token_for(guid(1)), table)
    page = report("--format", "html")
    for part in (SECTION, "<h3>Token of alice</h3>", "<dd>Storage Table Data Reader</dd>", f"<code>{server.name}/{table}</code>",
                 "&quot;Name&quot;: &quot;Tables of alice&quot;", "<h3>Table SAS</h3>", "<code>&#39;a&lt;b&#39;</code>",
                 f"<dt>table (tn)</dt><dd><code>{table}</code></dd>", "<h2>Shapes of requests, the worst first</h2>"):
        assert part in page, part
    # The page of --roles has the same section alone; a file tells its format; text is as before.
    alone = report("--roles", "--format", "html")
    assert alone.startswith("<!doctype html>") and "<h2>Shapes" not in alone
    section = page[page.index(f"<section>\n<h2>{SECTION}"):]
    assert section in alone
    markdown = report("--format", "markdown")
    assert f"\n### {SECTION}\n\n#### Token of alice\n" in markdown and "\n- partitions (spk, epk): `'a<b' to 'a<b'`\n" in markdown
    assert report("--roles", "--format", "markdown") == markdown[markdown.index(f"\n### {SECTION}"):]
    report("--roles", "--output", tmp_path / "roles.html")
    assert (tmp_path / "roles.html").read_text() == alone
    # What is saved has them, too.
    report("--save", tmp_path / "saved.json")
    assert section in report("--from", tmp_path / "saved.json", "--format", "html")
    assert report("--roles", "--from", tmp_path / "saved.json", "--format", "html") == alone
    (tmp_path / "roles.json").write_text(report("--roles", "--json"))
    assert report("--roles", "--from", tmp_path / "roles.json") == report("--roles")
    assert "No request had" in report("--roles", "--from", tmp_path / "saved.json", "--account", "other")


def test_what_is_no_report_of_roles_is_refused(server, report, tmp_path):
    send(server, "GET", "/Tables")
    report("--save", tmp_path / "saved.json")
    assert "does not tell what callers needed" in report("--roles", "--from", tmp_path / "saved.json", code=1)
    (tmp_path / "odd.json").write_text('{"callers": [{"requests": "many"}]}')
    assert "callers[0].requests must be a whole number" in report("--roles", "--from", tmp_path / "odd.json", code=1)
    for words, sentence in ((("--output", tmp_path / "a.xml"), "--roles has the formats text, markdown, html and json"),
                            (("--data",), "--roles excludes --data"), (("--why",), "--roles excludes --why")):
        assert sentence in report("--roles", *words, code=2)


def test_a_reset_forgets_what_was_shown_and_leaves_other_accounts(tmp_path):
    server = Server("--tls", "auto", "--location", tmp_path, "--oauth", "basic", "--anyAccount")
    authority = server.ready["certificateAuthority"]

    def report(*words):
        ended = run_command("report", *words, "--url", server.url, "--caFile", authority)
        assert ended.returncode == 0, ended
        return ended.stdout

    def accounts():
        return [caller["account"] for caller in json.loads(report("--roles", "--json"))["callers"]]

    try:
        other = account_of(server, "other")
        other.tls = server.tls
        for one in (server, other):
            send_token(one, token_for(guid(1)), "GET", "/Tables")
        report("--reset", "--account", "other")  # text does not show them
        assert accounts() == [server.name, "other"]
        report("--roles", "--reset", "--account", "other")
        assert accounts() == [server.name]
        report("--format", "html", "--reset", "--account", "other")
        assert accounts() == [server.name]
        report("--format", "html", "--reset")
        assert accounts() == []
    finally:
        server.stop()


def test_the_report_of_exec_tells_the_roles_of_its_command(tmp_path):
    page, saved = tmp_path / "report.html", tmp_path / "report.json"
    script = ('curl -fsS -o /dev/null --cacert "$ROCKTABLE_CA_FILE" -H "Authorization: Bearer $("$1" token)" '
              '-H "x-ms-version: 2020-12-06" -H "Accept: application/json" "$ROCKTABLE_ENDPOINT/Tables"')
    for report in (page, saved):
        ended = run_command("exec", "--tls", "auto", "--location", tmp_path, "--identity", "shop=Reader", "--report", report, "--",
                            "sh", "-c", script, "sh", BINARY)
        assert ended.returncode == 0, ended
    assert SECTION in page.read_text() and "<h3>Token of shop</h3>" in page.read_text()
    (caller,) = json.loads(saved.read_text())["permissions"]["callers"]
    assert (caller["identity"], caller["builtInRoles"]) == ("shop", ["Storage Table Data Reader"])
