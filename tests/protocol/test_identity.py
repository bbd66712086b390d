"""--identity: the endpoint of local identities, by the requests that the libraries of each language document, and what
their tokens permit."""
import base64
import contextlib
import email.utils
import hashlib
import hmac
import http.client
import json
import re
import socket
import stat
import subprocess
import time
import urllib.parse

import pytest

from identities import APP_SERVICE, CONTRIBUTOR, MACHINE, READER, STORAGE, Identities, claims_of, put_roles
from fixture_control import control
from own_server import needs_program
from process import wait_until
from program import Program, run, user_environment
from rocktable_server import BINARY, Server, signature

pytestmark = needs_program

SECONDS = 20
GUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Identities(location=tmp_path_factory.mktemp("certificates"))
    yield running
    running.stop()


# --- requests of the libraries --------------------------------------------------------------------


def test_the_request_of_app_service(server):
    before = int(time.time())
    status, document = server.app_service()
    assert status == 200
    assert {name: type(value) for name, value in document.items()} == dict.fromkeys(
        ["access_token", "client_id", "expires_in", "expires_on", "ext_expires_in", "not_before", "resource", "token_type"], str)
    alice = server.identities["alice"]
    assert (document["client_id"], document["resource"], document["token_type"]) == (alice["clientId"], STORAGE, "Bearer")
    claims = claims_of(document["access_token"])
    assert 0 <= claims["exp"] - before - 24 * 3600 <= 2 and claims["exp"] == int(document["expires_on"])
    assert claims == {
        "aud": STORAGE, "iss": f"https://sts.windows.net/{alice['tenantId']}/", "iat": claims["iat"], "nbf": claims["iat"],
        "exp": claims["exp"], "appid": alice["clientId"], "idtyp": "app", "name": "alice", "oid": alice["objectId"],
        "sub": alice["objectId"], "tid": alice["tenantId"], "ver": "1.0",
    }


# GET of App Service: azure-identity for Java and Go, MSAL for .NET, Node and Python. Python sends Metadata as well.
@pytest.mark.parametrize("query, headers", [
    ("api-version=2019-08-01&resource=https%3A%2F%2Fstorage.azure.com", {}),
    ("api-version=2019-08-01&resource=https://storage.azure.com/", {}),
    ("resource=https%3A%2F%2Fstorage.azure.com&api-version=2019-08-01", {"Metadata": "true"}),
], ids=["java", "go", "python"])
def test_each_library_of_app_service_gets_a_token(server, query, headers):
    status, document = server.ask(f"{APP_SERVICE}?{query}", X_IDENTITY_HEADER=server.header, **headers)
    assert status == 200
    assert server.call(document["access_token"]).status == 200


# GET of the metadata service of virtual machines, at $AZURE_POD_IDENTITY_AUTHORITY_HOST.
@pytest.mark.parametrize("query", [
    "api-version=2018-02-01&resource=https%3A%2F%2Fstorage.azure.com",
    "resource=https%3A%2F%2Fstorage.azure.com&api-version=2018-02-01",
], ids=["java", "python"])
def test_each_library_of_a_machine_gets_a_token(server, query):
    status, document = server.ask(f"{MACHINE}?{query}", Metadata="true")
    assert status == 200 and document["expires_in"] == "86400"
    assert server.call(document["access_token"]).status == 200


def test_a_probe_without_the_header_is_answered_as_by_a_machine(server):
    assert server.ask(f"{MACHINE}?api-version=2018-02-01") == (
        400, {"error": "invalid_request", "error_description": "Required metadata header not specified"})


@pytest.mark.parametrize("parameter, member", [
    ("client_id", "clientId"), ("object_id", "objectId"), ("principal_id", "objectId"), ("mi_res_id", None),
])
def test_one_of_several_identities_is_chosen(server, parameter, member):
    bob = server.identities["bob"]
    path = "/subscriptions/s/resourcegroups/g/providers/Microsoft.ManagedIdentity/userAssignedIdentities/bob"
    status, document = server.app_service(**{parameter: bob[member].upper() if member else path})
    assert status == 200 and claims_of(document["access_token"])["name"] == "bob"


def test_an_unknown_identity_is_refused_with_those_that_exist(server):
    status, document = server.app_service(client_id="11111111-1111-1111-1111-111111111111")
    ids = {name: one["clientId"] for name, one in server.identities.items()}
    assert (status, document) == (400, {"error": "invalid_request", "error_description":
        f"Identity not found: alice has client_id {ids['alice']}, bob has client_id {ids['bob']}."})


# --- who gets none --------------------------------------------------------------------------------


def app_service(query="api-version=2019-08-01&resource=https://storage.azure.com"):
    return f"{APP_SERVICE}?{query}"


@pytest.mark.parametrize("status, target, given", [
    (401, app_service(), {}),
    (401, app_service(), {"X_IDENTITY_HEADER": "guess"}),
    (401, app_service(), {"X_IDENTITY_HEADER": ""}),
    (401, app_service(), {"Metadata": "true"}),
    (400, f"{MACHINE}?api-version=2018-02-01&resource=r", {"Metadata": "false"}),
    (400, f"{MACHINE}?api-version=2018-02-01&resource=r", {"Metadata": "true", "X_Forwarded_For": "10.0.0.1"}),
    (400, app_service("resource=r"), "header"),
    (400, app_service("api-version=2019-08-01"), "header"),
    (400, app_service("api-version=2019-08-01&resource="), "header"),
    (400, app_service("api-version=2019-08-01&resource=a%20b"), "header"),
    (400, app_service("api-version=2019-08-01&resource=" + "r" * 2049), "header"),
    (400, app_service("api-version=2019-08-01&resource=r&resource=s"), "header"),
    (404, "/", "header"),
    (404, "/msi/token/", "header"),
    (403, app_service(), {"host": "attacker.example"}),
    (403, app_service(), {"host": "127.0.0.1.attacker.example:80"}),
], ids=range(16))
def test_requests_without_a_right_are_refused(server, status, target, given):
    given = {"X_IDENTITY_HEADER": server.header} if given == "header" else dict(given)
    if "host" in given:
        given["X_IDENTITY_HEADER"] = server.header
    told, document = server.ask(target, **given)
    assert (told, set(document)) == (status, {"error", "error_description"})


def test_other_methods_are_refused(server):
    for method in ("POST", "OPTIONS", "HEAD", "PUT"):
        authority = urllib.parse.urlsplit(server.identity_url).netloc
        client = http.client.HTTPConnection(authority, timeout=SECONDS)
        client.request(method, app_service(), headers={"X-IDENTITY-HEADER": server.header, "Origin": "https://a.example"})
        answer = client.getresponse()
        assert answer.status == 405 and "Access-Control-Allow-Origin" not in answer.headers
        client.close()


def test_only_this_machine_is_served(server):
    assert server.identity_url.startswith("http://127.0.0.1:")
    port = int(server.identity_url.split(":")[2].split("/")[0])
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.2", port), timeout=1).close()


def test_clients_that_are_silent_or_send_nonsense_do_not_disturb(server):
    port = int(server.identity_url.split(":")[2].split("/")[0])
    silent = [socket.create_connection(("127.0.0.1", port), timeout=SECONDS) for _ in range(20)]
    for data in (b"\x16\x03\x01\x02\x00", b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 5000, b"nonsense\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as client, contextlib.suppress(OSError):
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            assert b"access_token" not in client.recv(65536)
    assert server.app_service()[0] == 200
    for one in silent:
        one.close()


# --- what tokens permit -----------------------------------------------------------------------------


def test_roles_decide_what_each_may_do(server):
    alice, bob = server.token("alice"), server.token("bob")
    assert server.call(bob, "POST", "/Tables", {"TableName": "roles"}).status == 403
    assert server.call(alice, "POST", "/Tables", {"TableName": "roles"}).status == 201
    entity = {"PartitionKey": "p", "RowKey": "r"}
    refused = server.call(bob, "POST", "/roles", entity)
    assert (refused.status, refused.code) == (403, "AuthorizationPermissionMismatch")
    assert server.call(alice, "POST", "/roles", entity).status == 201
    assert server.call(bob, "GET", "/roles(PartitionKey='p',RowKey='r')").status == 200


def test_the_token_of_a_client_that_takes_it_for_cosmos_is_accepted(server):
    assert server.call(server.token(resource="https://cosmos.azure.com")).status == 200
    assert server.call(server.token(resource=server.endpoint)).status == 200
    assert server.call(server.token(resource="https://vault.azure.net")).status == 401


def signed(claims, key, algorithm="HS256"):
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    text = f"{part({'alg': algorithm, 'typ': 'JWT'})}.{part(claims)}"
    return f"{text}.{base64.urlsafe_b64encode(hmac.digest(key, text.encode(), hashlib.sha256)).rstrip(b'=').decode()}"


def test_forged_tokens_are_refused(server):
    token = server.token("bob")
    head, payload, signature = token.split(".")
    claims = claims_of(token) | {"oid": server.identities["alice"]["objectId"]}
    forged = signed(claims, b"guess")
    cases = [forged, forged.rsplit(".", 1)[0] + ".", forged.rsplit(".", 1)[0] + "." + signature, f"{head}.{payload}.",
             signed(claims, b"", "none"), token[:-1] + ("A" if token[-1] != "A" else "B"), f"{head}.{payload}.{signature}="]
    for case in cases:
        assert server.call(case).status == 401, case
    # Another tenant is not that of alice, whatever its object id.
    other = claims | {"tid": "11111111-1111-4111-8111-111111111111"}
    assert server.call(signed(other, b"")).status == 403


def test_a_role_that_is_taken_away_counts_at_once(server):
    token = server.token("alice")
    assert server.call(token, "POST", "/Tables", {"TableName": "taken"}).status == 201
    put_roles(server, f"alice {READER}\nbob {READER}\n")
    assert server.call(token, "POST", "/taken", {"PartitionKey": "p", "RowKey": "r"}).status == 403
    put_roles(server, f"alice {CONTRIBUTOR}\nbob {READER}\n")
    assert server.call(token, "POST", "/taken", {"PartitionKey": "p", "RowKey": "r"}).status == 201


# --- starts -----------------------------------------------------------------------------------------


def test_ids_follow_from_the_name(server, tmp_path):
    other = Identities("--identity", "bob", "--identity", "Alice", location=tmp_path)
    assert other.identities["bob"] == server.identities["bob"]
    assert other.identities["Alice"]["objectId"] != server.identities["alice"]["objectId"]
    every = [one[member] for one in [*server.identities.values(), *other.identities.values()] for member in ("clientId", "objectId")]
    assert all(GUID.fullmatch(one) for one in every) and len(set(every)) == 6
    other.stop()


def test_the_only_identity_has_every_client_id_and_without_roles_may_do_everything(tmp_path):
    server = Identities("--identity", "solo", location=tmp_path)
    status, document = server.app_service(client_id="11111111-1111-1111-1111-111111111111")
    assert status == 200 and document["client_id"] == server.identities["solo"]["clientId"]
    assert server.call(document["access_token"], "POST", "/Tables", {"TableName": "solo"}).status == 201
    server.stop()


def test_tokens_outlive_a_restart_only_with_the_folder(tmp_path):
    first = Identities("--identity", "alice", location=tmp_path)
    token, header = first.token(), first.header
    first.stop()
    second = Identities("--identity", "alice", location=tmp_path)
    assert second.call(token).status == 200 and second.header == header
    second.stop()
    elsewhere = Identities("--inMemoryPersistence", "--identity", "alice", location=tmp_path)
    assert elsewhere.call(token).status == 401 and elsewhere.header != header
    elsewhere.stop()


def test_the_ready_file_is_only_for_its_owner_and_output_has_no_secret(tmp_path):
    ready = tmp_path / "ready.json"
    with Program(BINARY, "--inMemoryPersistence", "--tablePort", 0, "--location", tmp_path, "--tls", "auto", "--identity",
                 "alice", "--readyFile", ready) as program:
        said = program.wait_for("press Ctrl-C")
        told = json.loads(ready.read_text())["identity"]
        assert stat.S_IMODE(ready.stat().st_mode) == 0o600
        url = told["endpoint"].removesuffix("/msi/token")
        assert f"rocktable: tokens of alice: AZURE_POD_IDENTITY_AUTHORITY_HOST={url}\n" in said
        assert told["header"] not in said and program.end() == 0


def test_roles_of_the_file_and_of_the_identities_add_up(tmp_path):
    roles = tmp_path / "roles"
    roles.write_text(f"bob {CONTRIBUTOR}\n")
    server = Identities("--identity", f"alice={READER}", "--identity", "bob", "--roles", roles, location=tmp_path)
    assert server.call(server.token("alice"), "POST", "/Tables", {"TableName": "file"}).status == 403
    assert server.call(server.token("bob"), "POST", "/Tables", {"TableName": "file"}).status == 201
    roles.write_text(f"bob {READER}\nalice {CONTRIBUTOR}\n")

    def is_reread():
        return server.call(server.token("alice"), "POST", "/Tables", {"TableName": "reread"}).status in (201, 409)

    wait_until(is_reread, SECONDS, "the changed file does not count")
    assert server.call(server.token("bob"), "POST", "/Tables", {"TableName": "other"}).status == 403
    server.stop()


@pytest.mark.parametrize("flags, code, sentence", [
    (["--identity", "alice"], 2, "--identity needs HTTPS: add --tls auto or --cert"),
    (["--tls", "auto", "--identity", "a b"], 2, "--identity needs NAME or NAME=ROLE[,ROLE]"),
    (["--tls", "auto", "--identity", ""], 2, "--identity needs NAME or NAME=ROLE[,ROLE]"),
    (["--tls", "auto", "--identity", "alice="], 2, "--identity needs NAME or NAME=ROLE[,ROLE]"),
    (["--tls", "auto", "--identity", "alice", "--identity", "alice=Reader"], 2, "--identity alice is given twice"),
    (["--tls", "auto", "--identityPort", "5"], 2, "--identityPort needs --identity"),
    (["--tls", "auto", "--identity", "alice=Storage Table Data Raeder"], 1, "--identity alice"),
], ids=range(7))
def test_what_makes_no_sense_is_refused(flags, code, sentence, tmp_path):
    ended = run("--inMemoryPersistence", "--tablePort", 0, "--location", tmp_path, *flags)
    assert ended.returncode == code and ended.stderr.startswith(f"rocktable: {sentence}"), ended


# --- the control API ------------------------------------------------------------------------------


def test_the_control_api_tells_what_the_ready_file_tells(server):
    answer = control(server, "GET", "identities")
    assert answer.status == 200 and answer.json() == server.ready["identity"]
    assert answer.headers["Cache-Control"] == "no-store"
    assert control(server, "HEAD", "identities").body == b""
    assert control(server, "GET", "identities?account=another").status == 400
    assert control(server, "PUT", "identities", {}).status == 405


def test_pages_of_other_origins_and_names_learn_no_secret(server):
    for headers in ({"Origin": "https://attacker.example"}, {"Host": "attacker.example"}, {"Sec_Fetch_Site": "cross-site"}):
        refused = control(server, "GET", "identities", **headers)
        assert refused.status == 403 and server.header not in refused.text


def test_the_control_token_protects_the_secret(tmp_path):
    server = Identities("--tableHost", "0.0.0.0", "--controlToken", "secret", location=tmp_path)
    try:
        refused = control(server, "GET", "identities")
        assert refused.status == 401 and server.header not in refused.text
        assert control(server, "GET", "identities", x_rocktable_token="secret").json() == server.ready["identity"]
    finally:
        server.stop()


def test_who_can_reach_the_server_and_knows_the_public_key_learns_no_secret(tmp_path):
    server = Identities("--tableHost", "0.0.0.0", location=tmp_path)
    try:
        date = email.utils.formatdate(usegmt=True)
        signed_by_key = signature(server, f"GET\n\n\n{date}\n/{server.name}/_rocktable/identities")
        told = control(server, "GET", "identities", x_ms_date=date, Authorization=f"SharedKey {server.name}:{signed_by_key}")
        assert told.status == 200 and told.json() == server.ready["identity"] | {"header": None}
    finally:
        server.stop()


def test_a_server_without_identities_tells_none(tmp_path):
    server = Server("--tls", "auto", "--oauth", "basic", location=tmp_path)
    try:
        assert control(server, "GET", "identities").json() == {"endpoint": None, "header": None, "identities": []}
    finally:
        server.stop()


# --- rocktable exec and rocktable token -----------------------------------------------------------


def exec_with(*words, environment=None, code=0):
    command = [BINARY, "exec", "--tls", "auto", *words]
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=SECONDS, check=False,
                           env=user_environment(**(environment or {})))
    assert ended.returncode == code, ended
    return ended


LEADS_ELSEWHERE = {name: "x" for name in (
    "AZURE_CLIENT_SECRET", "AZURE_FEDERATED_TOKEN_FILE", "AZURE_CLIENT_CERTIFICATE_PATH", "MSI_ENDPOINT", "MSI_SECRET",
    "IMDS_ENDPOINT", "IDENTITY_SERVER_THUMBPRINT", "AZURE_TOKEN_CREDENTIALS", "AZURE_USERNAME", "AZURE_PASSWORD",
    "AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_POD_IDENTITY_AUTHORITY_HOST")}


def test_exec_leads_credentials_to_the_instance_and_nowhere_else():
    ended = exec_with("--identity", "alice", "--", "env", environment=LEADS_ELSEWHERE)
    told = dict(line.split("=", 1) for line in ended.stdout.splitlines() if "=" in line)
    assert not set(told) & set(LEADS_ELSEWHERE)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/msi/token", told["IDENTITY_ENDPOINT"]) and len(told["IDENTITY_HEADER"]) == 43
    assert told["ROCKTABLE_ENDPOINT"].startswith("https://127.0.0.1:")


def test_exec_without_an_identity_changes_nothing_about_credentials():
    ended = exec_with("--", "env", environment=LEADS_ELSEWHERE)
    told = dict(line.split("=", 1) for line in ended.stdout.splitlines() if "=" in line)
    assert set(LEADS_ELSEWHERE) <= set(told) and "IDENTITY_ENDPOINT" not in told


def test_the_client_id_of_one_of_the_identities_stays(server):
    bob = server.identities["bob"]["clientId"]
    ended = exec_with("--identity", "alice", "--identity", "bob", "--", "printenv", "AZURE_CLIENT_ID",
                      environment={"AZURE_CLIENT_ID": bob.upper()})
    assert ended.stdout == bob.upper() + "\n"


CURL = 'curl -s -o /dev/null -w "%{http_code}\\n" --cacert "$ROCKTABLE_CA_FILE" -H "Authorization: Bearer $TOKEN" '
CURL += '-H "x-ms-version: 2020-12-06" '


def test_tokens_for_curl():
    script = f"""
        for name in alice bob; do
          TOKEN=$({BINARY} token --as $name)
          {CURL} "$ROCKTABLE_ENDPOINT/Tables"
          {CURL} -H "Content-Type: application/json" -d '{{"TableName":"one"}}' "$ROCKTABLE_ENDPOINT/Tables"
        done"""
    ended = exec_with("--identity", f"alice={CONTRIBUTOR}", "--identity", f"bob={READER}", "--", "sh", "-c", script)
    assert ended.stdout.split() == ["200", "201", "200", "403"]


def test_token_asks_a_running_server_by_its_ready_file(tmp_path):
    ready = tmp_path / "ready.json"
    with Program(BINARY, "--inMemoryPersistence", "--tablePort", 0, "--location", tmp_path, "--tls", "auto", "--identity",
                 "alice", "--readyFile", ready) as program:
        program.wait_for("press Ctrl-C")
        for words, name in ([], "alice"), (["--as", "alice"], "alice"):
            ended = run("token", *words, "--readyFile", ready)
            assert ended.returncode == 0 and claims_of(ended.stdout.strip())["name"] == name
        ended = run("token", "--as", "bob", "--readyFile", ready)
        assert ended.returncode == 1 and ended.stderr.startswith("rocktable: the instance has no such identity; its only one ")
        ended = run("token", "--resource", "https://a.example", "--readyFile", ready, "--json")
        assert json.loads(ended.stdout)["resource"] == claims_of(json.loads(ended.stdout)["token"])["aud"] == "https://a.example"
    ended = run("token", "--readyFile", ready)
    assert ended.returncode == 1 and "cannot connect" in ended.stderr or "refused" in ended.stderr, ended


def test_token_without_an_endpoint_says_where_one_is(tmp_path):
    ended = subprocess.run([BINARY, "token"], capture_output=True, text=True, timeout=SECONDS, check=False, env=user_environment(
        IDENTITY_ENDPOINT=None))
    assert ended.returncode == 2 and "run this in `rocktable exec --tls auto --identity NAME`, or give --readyFile" in ended.stderr
    other = tmp_path / "ready.json"
    other.write_text("{}")
    ended = run("token", "--readyFile", other)
    assert ended.returncode == 1 and ended.stderr == f"rocktable: {other} is of a server without --identity\n"


def test_a_port_that_is_taken_is_named(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run("--inMemoryPersistence", "--tablePort", 0, "--location", tmp_path, "--tls", "auto", "--identity", "a",
                    "--identityPort", port)
    assert ended.returncode == 1 and f"127.0.0.1:{port} is taken by" in ended.stderr
    assert ended.stderr.endswith("; --identityPort 0 picks a free one\n")
