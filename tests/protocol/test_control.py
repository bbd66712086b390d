"""Access to /_rocktable/...: probes may always request health; pages of other origins have no access."""
import base64
import email.utils
import re
import signal
import socket
import time

import pytest

from fixture_control import done
from own_server import needs_program, own_server
from rocktable_server import (
    Account, Server, connection, create_table, delete_table, exchange, read_response, request_bytes, signature
)

pytestmark = needs_program

TOKEN = "open-sesame"
OWN_KEY = base64.b64encode(b"a key of my own").decode()

local = own_server()
# `exposed` listens on all addresses. In TWO_ACCOUNTS, one has a second key.
ONE_ACCOUNT = {"AZURITE_ACCOUNTS": f"devstoreaccount1:{OWN_KEY}"}
TWO_ACCOUNTS = {"AZURITE_ACCOUNTS": f"devstoreaccount1:{OWN_KEY};other:{base64.b64encode(b'x').decode()}:{OWN_KEY}"}
with_token = own_server("--controlToken", TOKEN, environment=ONE_ACCOUNT)
exposed = own_server("--tableHost", "0.0.0.0", environment=TWO_ACCOUNTS)
exposed_with_token = own_server("--tableHost", "0.0.0.0", "--controlToken", TOKEN, environment=ONE_ACCOUNT)


def ask(server, resource="stats", method="GET", **headers):
    """Keywords are headers, with underscores for hyphens."""
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    target = f"/_rocktable/{resource}"
    answer = exchange(server, request_bytes(server, method, target, fields, signed=False), method)
    assert not [name for name in answer.headers if name.lower().startswith("access-control-")]
    if answer.status >= 400 and method != "HEAD":
        assert answer.headers["Content-Type"] == "application/json"
        assert answer.json()["error"]
    assert (answer.headers["WWW-Authenticate"] == "Bearer") == (answer.status == 401)
    return answer


def signed_fields(account, target, method="GET", lite=False, seconds=0):
    date = email.utils.formatdate(time.time() + seconds, usegmt=True)
    resource = f"/{account.name}{target}"
    text = f"{date}\n{resource}" if lite else f"{method}\n\n\n{date}\n{resource}"
    scheme = "SharedKeyLite" if lite else "SharedKey"
    return {"x_ms_date": date, "Authorization": f"{scheme} {account.name}:{signature(account, text)}"}


# --- probes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("resource", ["health", "ready"])
@pytest.mark.parametrize("kind", ["local", "with_token", "exposed", "exposed_with_token"])
def test_probes_need_nothing_and_learn_nothing(request, kind, resource):
    """`ready` also has a random id of the contents."""
    server = request.getfixturevalue(kind)
    known = {"status": "ready"}
    for headers in ({}, {"Host": "pod.example", "Origin": "http://evil.example", "Sec_Fetch_Site": "cross-site"}):
        answer = ask(server, resource, **headers)
        told = answer.json()
        if resource == "ready":
            assert re.fullmatch("[0-9a-f]{32}", told.pop("store"))
        assert (answer.status, told) == (200, known)
        assert ask(server, f"{resource}?x=1", "HEAD", **headers).status == 200
        assert ask(server, resource, "POST", **headers).status == 405


def contents_id(server):
    return ask(server, "ready").json()["store"]


def test_the_id_of_the_contents_is_another_one_after_each_reset_and_start(start, tmp_path):
    server = start(location=tmp_path)
    first = contents_id(server)
    create_table(server, "kept")
    delete_table(server, create_table(server))
    assert contents_id(server) == first
    seen = [first]
    for resource in ("reset?account=devstoreaccount1&table=kept", "reset?account=devstoreaccount1", "reset"):
        done(server, "POST", resource)
        assert contents_id(server) not in seen
        seen.append(contents_id(server))
    server.kill()
    assert contents_id(start(location=tmp_path)) == seen[-1]
    assert contents_id(start()) not in seen


@pytest.mark.embedded("snapshots")
def test_the_id_of_the_contents_is_another_one_after_a_restore(start):
    server = start()
    first = contents_id(server)
    done(server, "POST", "snapshots/one")
    assert contents_id(server) == first
    done(server, "POST", "snapshots/one/restore")
    assert contents_id(server) != first


def test_a_head_has_no_body(local):
    with connection(local) as client:
        for _ in range(2):  # a body would be read as the start of the next response
            client.sendall(request_bytes(local, "HEAD", "/_rocktable/ready", signed=False))
            assert read_response(client, "HEAD").status == 200


def test_a_server_that_stops_is_not_ready():
    server = Server()
    with connection(server) as client:
        headers = {"Content-Length": "1"}
        client.sendall(request_bytes(server, "GET", "/_rocktable/ready", headers, signed=False))
        time.sleep(0.3)  # the header is read, the request is not complete
        server.process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex((server.host, server.port)) != 0:
                    break
            time.sleep(0.02)
        client.sendall(b"x")
        answer = read_response(client)
        assert (answer.status, answer.json()) == (503, {"status": "stopping"})
    assert server.process.wait(10) == 0
    server.kill()


# --- only on this machine -------------------------------------------------------------------------


def test_clients_of_this_machine_need_no_credentials(local):
    for host in (local.authority, f"localhost:{local.port}", "[::1]", "a.localhost", "host.docker.internal:1"):
        assert ask(local, Host=host).status == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.1"])
def test_a_foreign_host_is_refused(local, host):
    answer = ask(local, Host=host)
    assert answer.status == 403
    assert "Host" in answer.json()["error"]
    assert ask(local, "reset", "POST", Host=host).status == 403
    fields = signed_fields(local, "/_rocktable/stats")
    assert ask(local, Host=host, **fields).status == 200


def test_the_name_given_as_tablehost_is_its_own():
    server = Server("--tableHost", "localhost")
    try:
        assert ask(server, Host=f"localhost:{server.port}").status == 200
        assert ask(server, Host=f"{socket.gethostname()}.example").status == 403
    finally:
        server.kill()


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:3000"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
    ids=str,
)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "DELETE", "PUT", "OPTIONS"])
def test_pages_of_other_origins_are_refused_whatever_they_do(local, with_token, method, headers):
    headers = headers | {"Access_Control_Request_Method": "GET"}
    for resource in ("stats", "reset", "snapshots/x", "snapshots/x/restore", "accounts/x?from=devstoreaccount1"):
        assert ask(local, resource, method, **headers).status == 403
        assert ask(with_token, resource, method, Authorization=f"Bearer {TOKEN}", **headers).status == 403


def test_the_own_origin_and_an_address_typed_in_are_let_in(local):
    assert ask(local, Origin=local.url, Sec_Fetch_Site="same-origin").status == 200
    assert ask(local, Sec_Fetch_Site="none").status == 200


def test_a_preflight_gets_no_allowance(local):
    assert ask(local, "stats", "OPTIONS").status == 405


def test_what_is_not_there_is_told_only_to_those_who_may_ask(local, with_token):
    assert ask(local, "nothing").status == 404
    assert ask(local, "nothing", Host="evil.example").status == 403
    assert ask(with_token, "nothing").status == 401
    assert ask(with_token, "nothing", Authorization=f"Bearer {TOKEN}").status == 404


def test_no_detour_leads_around_the_gate(exposed):
    """Other ways to write the same target belong to no account."""
    for target in (
        f"{exposed.url}/_rocktable/stats",
        "/%5Frocktable/stats",
        "//_rocktable/stats",
        "/./_rocktable/stats",
        "/_rocktable",
    ):
        answer = exchange(exposed, request_bytes(exposed, "GET", target, signed=False))
        assert answer.status in (400, 403, 404), (target, answer)
        assert b"counters" not in answer.body


# --- credentials ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["with_token", "exposed_with_token"])
def test_the_token_is_asked_for(request, kind):
    server = request.getfixturevalue(kind)
    for headers in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Bearer {TOKEN[:-1]}"},
        {"Authorization": "Bearer"},
        {"Authorization": TOKEN},
        {"x_rocktable_token": "wrong"},
        {"x_rocktable_token": ""},
    ):
        answer = ask(server, **headers)
        assert answer.status == 401
        assert "Authorization: Bearer" in answer.json()["error"] and TOKEN not in answer.text
    for headers in ({"Authorization": f"Bearer {TOKEN}"}, {"x_rocktable_token": TOKEN}):
        for host in (server.authority, "gateway.example"):
            answer = ask(server, Host=host, **headers)
            assert answer.status == 200 and "counters" in answer.json()


@pytest.mark.parametrize("kind", ["with_token", "exposed", "exposed_with_token"])
def test_a_signature_will_do(request, kind):
    """Not one of Shared Key Lite, which signs no method: who sees one for a GET could send any method."""
    server = request.getfixturevalue(kind)
    target = "/_rocktable/stats"
    assert ask(server, **signed_fields(server, target)).status == 200
    for fields in (
        signed_fields(server, "/_rocktable/other"),
        signed_fields(server, target, "POST"),
        signed_fields(server, target, seconds=-16 * 60),
        signed_fields(server, target, seconds=16 * 60),
        signed_fields(server, target) | {"x_ms_date": None},
        signed_fields(server, target, lite=True),
    ):
        assert ask(server, **fields).status == 401


@pytest.mark.parametrize(
    "method, resource, status",
    [
        ("POST", "reset", 200),
        pytest.param("POST", "snapshots/x?replace=true", 201, marks=pytest.mark.embedded("snapshots")),
        pytest.param("GET", "snapshots", 200, marks=pytest.mark.embedded("snapshots")),
        pytest.param("POST", "snapshots/y/restore", 404, marks=pytest.mark.embedded("snapshots")),
        pytest.param("DELETE", "snapshots/y", 404, marks=pytest.mark.embedded("snapshots")),
        ("POST", "accounts/other?from=devstoreaccount1", 404),
        ("DELETE", "accounts/other", 200),
    ],
)
def test_what_changes_data_asks_for_the_same(local, exposed, exposed_with_token, method, resource, status):
    if "other" not in resource:
        assert ask(local, resource, method).status == status
    assert ask(local, resource, method, Host="evil.example").status == 403
    for server in (exposed, exposed_with_token):
        assert ask(server, resource, method).status == 401
        assert ask(server, resource, method, Authorization="Bearer wrong").status == 401
        other = signed_fields(server, "/_rocktable/stats", method)
        assert ask(server, resource, method, **other).status == 401
        mine = signed_fields(server, f"/_rocktable/{resource.partition('?')[0]}", method)
        assert ask(server, resource, method, **mine).status == (404 if server is exposed_with_token and "other" in resource else status)
    assert ask(exposed_with_token, "stats", Authorization=f"Bearer {TOKEN}").status == 200


def test_the_key_must_be_one_of_the_account_that_is_named(exposed):
    for name, key, status in (
        ("devstoreaccount1", OWN_KEY, 200),
        ("other", OWN_KEY, 200),
        ("devstoreaccount1", base64.b64encode(b"x").decode(), 401),
        ("nobody", OWN_KEY, 401),
        ("", OWN_KEY, 401),
    ):
        account = Account(f"AccountName={name};AccountKey={key};TableEndpoint={exposed.endpoint}")
        assert ask(exposed, **signed_fields(account, "/_rocktable/stats")).status == status


def test_a_server_that_others_reach_is_closed_without_a_token(exposed):
    answer = ask(exposed)
    assert answer.status == 401 and "Shared Key" in answer.json()["error"]
    assert ask(exposed, Authorization=f"Bearer {TOKEN}").status == 401
    assert ask(exposed, Authorization="Bearer ").status == 401
    assert ask(exposed, Host="evil.example").status == 403


def test_a_shared_access_signature_opens_nothing_here(exposed):
    fields = "sv=2019-02-02&ss=t&srt=sco&sp=rwdlacu&se=2099-01-01T00:00:00Z"
    text = "devstoreaccount1\nrwdlacu\nt\nsco\n\n2099-01-01T00:00:00Z\n\n\n2019-02-02\n"
    sas = signature(exposed, text).replace("+", "%2B").replace("=", "%3D")
    assert exchange(exposed, request_bytes(exposed, "GET", f"{exposed.base}/Tables?{fields}&sig={sas}", signed=False)).status == 200
    assert ask(exposed, f"stats?{fields}&sig={sas}").status == 401


def test_beside_a_token_the_key_that_everybody_knows_opens_nothing():
    server = Server("--controlToken", TOKEN)
    try:
        assert ask(server, **signed_fields(server, "/_rocktable/stats")).status == 401
        assert ask(server, Authorization=f"Bearer {TOKEN}").status == 200
    finally:
        server.kill()
