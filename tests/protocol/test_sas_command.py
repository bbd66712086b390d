"""rocktable sas: signatures that the server takes, what they are said to allow, and wishes that are refused."""
import json
import urllib.parse

import pytest

from bearer_token import guid, token_for
from own_server import needs_program
from program import run_command
from rocktable_server import Server, create_table, exchange, request_bytes
from shared_access import send_with

pytestmark = needs_program

OWNER = guid(1)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server("--tls", "auto", "--location", tmp_path_factory.mktemp("sas"), "--oauth", "basic", "--explainAuth")
    yield running
    running.stop()


@pytest.fixture(scope="module")
def table(server):
    name = create_table(server)
    for partition in "ab":
        entity = json.dumps({"PartitionKey": partition, "RowKey": "1"})
        assert exchange(server, request_bytes(server, "POST", f"{server.base}/{name}", {}, entity)).status == 201
    return name


def made(*words, **variables):
    ended = run_command("sas", *words, "--json", **variables)
    assert ended.returncode == 0, ended
    return json.loads(ended.stdout)


def refused(*words, code=2, **variables):
    ended = run_command("sas", *words, **variables)
    assert ended.returncode == code and ended.stdout == "", ended
    return ended.stderr


def status(server, sas, method, resource, headers=None, body=None):
    return send_with(server, sas["sharedAccessSignature"], method, resource, headers, body).status


def by_user(server, table, *words, token=None):
    return ("user", table, "--endpoint", server.endpoint, "--caFile", server.ready["certificateAuthority"],
            "--token", "env:TOKEN", *words), {"TOKEN": token or token_for(OWNER)}


def test_a_signature_of_a_table(server, table):
    account = ("--connectionString", server.connection_string)
    sas = made("table", table, "--permissions", "dr", "--expiry", "10m", *account)
    assert status(server, sas, "GET", f"/{table}()") == 200
    assert status(server, sas, "POST", f"/{table}", {}, '{"PartitionKey":"p","RowKey":"2"}') == 403
    assert status(server, sas, "GET", "/Tables") == 403
    assert sas["allows"].startswith(f"reads and deletes entities of the table {table}, until 2")
    assert "sp=rd&" in sas["url"] and sas["url"].startswith(f"{server.endpoint}/{table}?")
    ranged = made("table", table, "--permissions", "r", "--fromPartition", "b", "--fromRow", "", "--toPartition", "b", *account)
    answer = send_with(server, ranged["sharedAccessSignature"], "GET", f"/{table}()")
    assert [entity["PartitionKey"] for entity in answer.json()["value"]] == ["b"]
    assert "from PartitionKey 'b', RowKey '' to PartitionKey 'b'" in ranged["allows"]


def test_the_text_is_the_url_and_a_sentence(server, table):
    ended = run_command("sas", "table", table, "--permissions", "r", "--connectionString", server.connection_string)
    url, sentence = ended.stdout.splitlines()
    target = urllib.parse.urlsplit(url)
    answer = exchange(server, request_bytes(server, "GET", f"{target.path}()?{target.query}", signed=False))
    assert answer.status == 200
    assert sentence.startswith(f"It reads entities of the table {table}, until ")
    assert server.key not in ended.stdout


def test_a_signature_of_a_policy_needs_no_letters(server, table):
    policy = ('<SignedIdentifiers><SignedIdentifier><Id>read</Id><AccessPolicy><Expiry>2099-01-01T00:00:00Z</Expiry>'
              '<Permission>r</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>')
    headers = {"Accept": "application/xml", "Content-Type": "application/xml"}
    assert exchange(server, request_bytes(server, "PUT", f"{server.base}/{table}?comp=acl", headers, policy)).status == 204
    sas = made("table", table, "--policy", "read", "--connectionString", server.connection_string)
    assert status(server, sas, "GET", f"/{table}()") == 200
    assert "as long as its policy read says" in sas["allows"]


def test_a_signature_of_an_account(server, table):
    sas = made("account", "--permissions", "lr", "--types", "oc", "--httpsOnly", "--ip", "127.0.0.1", "--connectionString",
               server.connection_string)
    assert status(server, sas, "GET", "/Tables") == 200
    assert status(server, sas, "GET", f"/{table}()") == 200
    assert status(server, sas, "DELETE", f"/Tables('{table}')") == 403
    assert sas["allows"].startswith("lists tables, reads entities of all tables, until ")
    assert sas["allows"].endswith("over HTTPS only, from the address 127.0.0.1 only")


def test_a_signature_of_a_user(server, table):
    words, variables = by_user(server, table, "--permissions", "r")
    sas = made(*words, **variables)
    assert status(server, sas, "GET", f"/{table}()") == 200
    assert status(server, sas, "POST", f"/{table}", {}, '{"PartitionKey":"p","RowKey":"2"}') == 403
    assert f"as far as the roles of {OWNER} permit it" in sas["allows"]
    assert len(sas["stringToSign"].split("\n")) == 19
    words, variables = by_user(server, table, "--permissions", "r", "--user", guid(4))
    only = made(*words, **variables)
    assert status(server, only, "GET", f"/{table}()") == 401
    token = {"Authorization": f"Bearer {token_for(guid(4))}"}
    assert status(server, only, "GET", f"/{table}()", token) == 200


def test_keys_that_the_server_refuses(server, table):
    words, variables = by_user(server, table, "--permissions", "r", "--expiry", "8d")
    assert "gives no user delegation key: it returned status 400 InvalidXmlNodeValue" in refused(*words, code=1, **variables)
    words, variables = by_user(server, table, "--permissions", "r", token=token_for(None))
    error = refused(*words, code=1, **variables)
    assert "403 AuthenticationFailed" in error and variables["TOKEN"] not in error


@pytest.mark.parametrize("words, sentence", [
    (["table", "orders", "--permissions", "x"], "--permissions has letters other than raud"),
    (["table", "orders"], "--permissions is missing: letters of raud"),
    (["table", "1x", "--permissions", "r"], "1x is not the name of a table"),
    (["table", "orders", "--permissions", "r", "--expiry", "soon"], "--expiry must be a time such as"),
    (["table", "orders", "--permissions", "r", "--expiry", "-1h"], "--expiry is over"),
    (["table", "orders", "--permissions", "r", "--start", "2h"], "--start must be before --expiry"),
    (["table", "orders", "--permissions", "r", "--fromRow", "1"], "--fromRow needs --fromPartition"),
    (["account", "--permissions", "r"], "--types is missing: letters of sco"),
    (["account", "--permissions", "a", "--types", "s"], "these --permissions allow nothing with these --types"),
    (["user", "orders", "--permissions", "r", "--token", "x"], "--endpoint is missing"),
    (["user", "orders", "--permissions", "r", "--endpoint", "https://a.test"], "--token is missing"),
    (["user", "orders", "--permissions", "r", "--token", "x", "--endpoint", "http://a.test"], "must begin with https://"),
])
def test_wishes_that_are_refused(words, sentence):
    account = {"AZURE_STORAGE_CONNECTION_STRING": "UseDevelopmentStorage=true"}
    assert sentence in refused(*words, **account)


def test_a_signature_needs_a_key(table):
    sas = "TableEndpoint=http://127.0.0.1:1/acc;SharedAccessSignature=sv=1&sig=secret"
    error = refused("table", table, "--permissions", "r", "--connectionString", sas)
    assert "has no account key" in error and "secret" not in error
