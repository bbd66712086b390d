"""What fault rules do to time, speed, headers and arrivals: schedules, outages, slow answers, wrong clocks."""
import concurrent.futures
import itertools
import json
import re
import socket
import ssl
import subprocess
import time

import pytest

from fault_rules import add, entity, hits, post, raw, retries, rows
from fixture_control import account_of, control, done
from own_server import needs_program, own_server
from rocktable_server import (
    BINARY,
    Server,
    batch_part,
    connection,
    create_table,
    request_bytes,
    send,
    send_batch,
)
from shared_access import account_sas, at, send_with, table_sas

pytestmark = needs_program

_numbers = itertools.count()

server = own_server("--anyAccount", "--explainAuth")


@pytest.fixture
def account(server):
    """An account of its own, whose faults no other test meets."""
    one = account_of(server, f"effects{next(_numbers)}")
    yield one
    done(server, "POST", f"reset?account={one.name}")


def faults_command(server, *words):
    ended = subprocess.run([BINARY, "faults", *words, "--url", server.url], capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr


# --- schedules ------------------------------------------------------------------------------------


def test_a_schedule_follows_the_clock(server, account):
    """Ten seconds of each minute, without waiting for one."""
    done(server, "PUT", "clock", {"frozen": True})
    try:
        name = add(server, account, {"status": 503}, {"after": "5s", "every": "60s", "for": "10s"})
        seen = []
        for _ in range(30):
            seen.append(send(account, "GET", "/Tables").status)
            done(server, "PUT", "clock", {"step": "+5s"})
        assert [place * 5 for place, status in enumerate(seen) if status == 503] == [5, 10, 65, 70, 125, 130]
        assert set(seen) == {200, 503}
        rule = done(server, "GET", f"faults/{name}")
        assert (rule["matched"], rule["hits"], rule["on"]) == (6, 6, False)
        assert rule["when"] == {"after": "5s", "every": "1m", "for": "10s"}
        assert '"every":"1m","for":"10s"}' in faults_command(server, "list", "--account", account.name)[1]
        assert "; off now\n" in faults_command(server, "list", "--account", account.name)[1]
    finally:
        done(server, "PUT", "clock", {})


def test_a_rule_that_was_never_on_hit_nothing(tmp_path):
    file = tmp_path / "faults.json"
    file.write_text(json.dumps({"name": "too late", "when": {"after": "1h"}, "then": {"status": 503}}))
    program = "import os, urllib.request; urllib.request.urlopen(os.environ['ROCKTABLE_URL'] + '/_rocktable/health')"
    command = [BINARY, "exec", "--faults", file, "--strictFaults", "--", "/usr/bin/python3", "-c", program]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (4, 'rocktable: the fault rule "too late" hit no request\n')


# --- outages --------------------------------------------------------------------------------------


def test_an_outage_hits_every_request_of_its_account(server, account):
    table = create_table(account)
    other = account_of(server, f"{account.name}x")
    other_table = create_table(other)
    code, text = faults_command(server, "outage", "--account", account.name)
    assert (code, text) == (0, f"rocktable: every request of the account {account.name} gets 503 ServerBusy at {server.url}; "
                               f"`rocktable faults outage --off --account {account.name}` ends it\n")
    large = json.dumps({"PartitionKey": "p", "RowKey": "1", "Text": "x" * 60_000})
    answers = [
        post(account, table, "1"),
        send(account, "POST", f"/{table}", body=large),
        send(account, "GET", f"/{table}()"),
        send(account, "GET", "/Tables", signed=False),  # the service would refuse these three
        send(account, "GET", f"/{table}()?$filter=V%20eq"),
        send(account, "OPTIONS", f"/{table}", {"Origin": "http://a.b", "Access-Control-Request-Method": "GET"}),
        send_batch(account, [batch_part(account, "POST", table, {"PartitionKey": "p", "RowKey": row}) for row in "ab"]),
    ]
    assert [(answer.status, answer.code) for answer in answers] == [(503, "ServerBusy")] * 7
    assert post(other, other_table, "1").status == 204
    assert rows(other, other_table) == ["1"]
    assert control(server, "GET", f"contents?account={account.name}").status in (200, 400)
    target = f"/_rocktable/entities/{account.name}/Tables"  # the owner's way in is the control API's
    owner = raw(server, request_bytes(server, "GET", target, {"Connection": "close"}, signed=False))
    assert owner.startswith(b"HTTP/1.1 200 ")
    code, text = faults_command(server, "outage", "--off", "--account", account.name)
    assert (code, text) == (0, f"rocktable: ended the outage of the account {account.name} at {server.url}\n")
    assert rows(account, table) == []
    assert faults_command(server, "outage", "--off", "--account", account.name)[1].startswith("rocktable: there was no outage")


def test_an_outage_of_all_leaves_the_control_api_alone_and_ends_by_itself():
    running = Server("--anyAccount")
    done(running, "PUT", "clock", {"frozen": True})
    assert faults_command(running, "outage", "--for", "30s")[0] == 0
    assert send(running, "GET", "/Tables").status == 503
    assert send(account_of(running, "another"), "GET", "/Tables").status == 503
    assert control(running, "GET", "ready").status == 200
    done(running, "PUT", "clock", {"step": "+29s"})
    assert send(running, "GET", "/Tables").status == 503
    done(running, "PUT", "clock", {"step": "+1s"})
    assert send(running, "GET", "/Tables").status == 200
    assert faults_command(running, "outage", "--as", "reset")[0] == 0  # replaces it
    with pytest.raises(ConnectionResetError):
        send(running, "GET", "/Tables")
    assert [rule["name"] for rule in done(running, "GET", "faults")["faults"]] == ["outage"]
    assert faults_command(running, "clear", "outage")[0] == 0
    assert send(running, "GET", "/Tables").status == 200
    assert faults_command(running, "outage", "--as", "close")[0] == 0
    request = request_bytes(running, "GET", f"{running.base}/Tables")
    assert raw(running, request) == b""
    body = "x" * 1_000_000  # refused by its head: the body is read all the same
    unsigned = request_bytes(running, "POST", f"{running.base}/Tables", {}, body, signed=False)
    assert raw(running, unsigned) == b""
    running.stop()


def test_a_wrong_outage_is_refused(server):
    code, text = faults_command(server, "outage", "--for", "soon")
    assert code == 1 and "when.for: must be a duration such as 500ms, 10s or 2m" in text
    assert faults_command(server, "outage", "--as", "nothing")[0] == 2
    assert faults_command(server, "outage", "--off", "--for", "1s")[0] == 2


def test_a_rule_is_put_by_its_name(server, account):
    rule = {"match": {"account": account.name}, "then": {"at": "arrival", "status": 503}}
    assert done(server, "PUT", "faults/my%20rule", rule)["name"] == "my rule"
    assert send(account, "GET", "/Tables").status == 503
    rule["then"] = {"status": 500}
    done(server, "PUT", "faults/my%20rule", {**rule, "name": "my rule"})
    assert send(account, "GET", "/Tables").status == 500
    for wrong, sentence in (
        ({**rule, "name": "other"}, 'the rule has the name "other", but the URL has "my rule"'),
        ([rule, rule], "PUT faults/NAME takes one rule, not a list"),
        ({"then": {}}, "faults:1:10: then: must have one of"),
    ):
        answer = control(server, "PUT", "faults/my%20rule", wrong)
        assert answer.status == 400 and sentence in answer.json()["error"], answer
    unknown = control(server, "DELETE", "faults/another")
    assert unknown.status == 404
    assert 'There is no fault rule "another"; there are: ' in unknown.json()["error"]
    assert '"my rule"' in unknown.json()["error"]
    assert faults_command(server, "clear", "my rule") == (0, f"rocktable: removed 1 fault rule at {server.url}\n")


# --- clocks ---------------------------------------------------------------------------------------


def test_a_clients_clock_is_wrong(server, account):
    """The service's answer: 403 in the front end's form. A shared access signature has no date."""
    name = add(server, account, {"clientClock": "-20m"})
    answer = send(account, "GET", "/Tables")
    assert (answer.status, answer.code) == (403, "AuthenticationFailed")
    assert answer.headers["x-ms-error-code"] == "AuthenticationFailed"
    assert "x-ms-version" not in answer.headers
    explained = answer.headers["x-rocktable-explain"]
    assert explained == f"The fault rule \"{name}\" takes the client's clock for 20m slow."
    plain = send(account, "GET", "/Tables", {"x-ms-date": "Sat, 22 May 2021 23:05:14 GMT"})  # as the service refuses it
    assert (plain.status, set(plain.headers)) == (answer.status, set(answer.headers))
    assert send_with(account, account_sas(account), "GET", "/Tables").status == 200
    assert hits(server, name) == 2
    done(server, "PUT", f"faults/{name}", {"match": {"account": account.name}, "then": {"clientClock": "14m"}})
    assert send(account, "GET", "/Tables").status == 200


def test_a_turned_clock_may_be_lenient_to_signatures(server, account):
    table = create_table(account)
    soon = table_sas(account, table, se=at(3600))
    try:
        assert done(server, "PUT", "clock", {"step": "+2h", "lenient": True})["lenient"] is True
        assert send(account, "GET", "/Tables").status == 200  # the client's clock is real
        assert send_with(account, soon, "GET", f"/{table}()").status == 403  # and time has passed
        assert send(account, "GET", "/Tables", {"x-ms-date": "Sat, 22 May 2021 23:05:14 GMT"}).status == 403
        done(server, "PUT", "clock", {"step": "+0s"})
        assert send(account, "GET", "/Tables").status == 403
    finally:
        done(server, "PUT", "clock", {})
    assert "lenient" not in done(server, "GET", "clock")


# --- headers --------------------------------------------------------------------------------------


def test_headers_are_added_replaced_and_removed(server, account):
    table = create_table(account)
    changes = {"Retry-After": "5", "x-ms-version": "1999-01-01", "ETAG": None, "X-Two": ["1", "2"]}
    add(server, account, {"headers": changes}, {"count": 1}, operation="InsertEntity")
    add(server, account, {"status": 503, "headers": {"Retry-After": "1"}}, {"count": 1}, operation="QueryEntities")
    answer = post(account, table, "1")
    assert answer.status == 204
    assert answer.headers["Retry-After"] == "5"
    assert answer.headers.get_all("x-ms-version") == ["1999-01-01"]
    assert answer.headers.get_all("X-Two") == ["1", "2"]
    assert "ETag" not in answer.headers
    busy = send(account, "GET", f"/{table}()")
    assert (busy.status, busy.code, busy.headers["Retry-After"]) == (503, "ServerBusy", "1")
    assert rows(account, table) == ["1"]
    assert [one["outcome"] for one in retries(server, account)][0] == "succeeded"


@pytest.mark.parametrize("headers, place", [
    ('{"A": "1\\r\\nSet-Cookie: x"}', "faults:1:28: then.headers.A: must be printable ASCII, without a line break"),
    ('{"A": "\\u0000"}', "faults:1:28: then.headers.A: must be printable ASCII"),
    ('{"A\\r\\nB": "1"}', "faults:1:33: then.headers.A"),
    ('{"": "1"}', "faults:1:27: then.headers.: the name of a header must have"),
    ('{"Transfer-Encoding": "chunked"}', "this header says where the answer ends"),
    ('{"A": 7}', "faults:1:28: then.headers.A: must be text, but is an integer"),
])
def test_headers_that_would_break_the_answer_are_refused(server, headers, place):
    answer = control(server, "POST", "faults", '{"then": {"headers": ' + headers + "}}")
    assert answer.status == 400
    assert place in answer.json()["error"]


# --- statuses of others ---------------------------------------------------------------------------


@pytest.mark.parametrize("status, reason", [
    (408, "Request Timeout"), (429, "Too Many Requests"), (502, "Bad Gateway"), (504, "Gateway Timeout")])
def test_the_answer_of_a_gateway_has_nothing_of_the_service(server, account, status, reason):
    add(server, account, {"status": status, "at": "afterCommit"}, {"count": 1})
    body = json.dumps({"TableName": "Orders"})
    answer = raw(account, request_bytes(account, "POST", f"{account.base}/Tables", {"Connection": "close"}, body))
    assert answer == f"HTTP/1.1 {status} {reason}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
    assert send(account, "POST", "/Tables", body=body).status == 409
    (seen,) = retries(server, account)
    assert (seen["attempts"][0]["status"], seen["attempts"][0]["code"]) == (status, None)


# --- slow bodies ----------------------------------------------------------------------------------


def filled(account, count=20, size=1000):
    table = create_table(account)
    for row in range(count):
        body = json.dumps({"PartitionKey": "p", "RowKey": f"{row:03}", "Text": "x" * size})
        assert send(account, "POST", f"/{table}", {"Prefer": "return-no-content"}, body).status == 204
    return table


def test_an_answer_comes_at_its_rate(server, account):
    table = filled(account)
    whole = send(account, "GET", f"/{table}()")
    assert len(whole.body) > 20_000
    add(server, account, {"bytesPerSecond": 40_000}, {"count": 1}, operation="QueryEntities")
    begin = time.monotonic()
    slow = send(account, "GET", f"/{table}()")
    took = time.monotonic() - begin
    assert (slow.status, slow.body) == (200, whole.body)
    assert 0.9 * len(whole.body) / 40_000 <= took < 3
    (seen,) = retries(server, account)
    assert seen["outcome"] == "succeeded"


def test_the_head_of_a_slow_answer_comes_at_once(server, account):
    table = filled(account, 1)
    add(server, account, {"bytesPerSecond": 1}, {"count": 1}, operation="QueryEntities")
    with connection(account) as client:
        client.sendall(request_bytes(account, "GET", f"{account.base}/{table}()"))
        received = b""
        while b"\r\n\r\n" not in received:
            received += client.recv(65536)
    assert received.startswith(b"HTTP/1.1 200 OK\r\n")


def test_a_slow_answer_can_be_cut(server, account):
    table = filled(account, 5)
    add(server, account, {"bytesPerSecond": 10_000, "cutAfterBytes": 3000}, {"count": 1}, operation="QueryEntities")
    begin = time.monotonic()
    assert len(raw(account, request_bytes(account, "GET", f"{account.base}/{table}()"))) == 3000
    assert time.monotonic() - begin > 0.2


def test_a_request_is_carried_out_when_its_slow_body_has_come(server, account):
    table = create_table(account)
    add(server, account, {"requestBytesPerSecond": 4000}, {"count": 1}, operation="InsertEntity")
    body = json.dumps({"PartitionKey": "p", "RowKey": "1", "Text": "x" * 2000})
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        begin = time.monotonic()
        sent = pool.submit(send, account, "POST", f"/{table}", {"Prefer": "return-no-content"}, body)
        time.sleep(0.2)
        assert rows(account, table) == []
        assert sent.result().status == 204
        assert time.monotonic() - begin > 0.5
    assert rows(account, table) == ["1"]


def threads_of(running):
    with open(f"/proc/{running.process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("Threads:"))


def test_slow_answers_hold_neither_threads_nor_others_and_end_with_their_clients():
    """Two hundred clients, some of which do not read, some of which leave."""
    running = Server("--anyAccount")
    slow, other = account_of(running, "slow"), account_of(running, "other")
    table, other_table = filled(slow, 40), filled(other, 1)
    before = threads_of(running)
    done(running, "POST", "faults", {"match": {"account": "slow", "operation": "QueryEntities"}, "then": {"bytesPerSecond": 10}})
    clients = []
    for _ in range(200):
        client = socket.create_connection((running.host, running.port))
        client.sendall(request_bytes(slow, "GET", f"{slow.base}/{table}()"))
        clients.append(client)
    for client in clients[:100]:
        assert client.recv(100)
    begin = time.monotonic()
    assert len(rows(other, other_table)) == 1
    assert time.monotonic() - begin < 1
    assert threads_of(running) == before
    for client in clients[:150]:
        client.close()
    deadline = time.monotonic() + 10
    while open_connections(running) > 60:
        assert time.monotonic() < deadline, "connections of clients that have gone stay open"
        time.sleep(0.1)
    begin = time.monotonic()
    running.stop()  # the other fifty are still waiting for their bodies
    assert time.monotonic() - begin < 5
    for client in clients[150:]:
        client.close()


def open_connections(running):
    """Those of the server, also if their client has gone."""
    with open(f"/proc/{running.process.pid}/net/tcp", encoding="ascii") as table:
        rows_ = [line.split() for line in table][1:]
    return sum(row[1].endswith(f":{running.port:04X}") and row[3] in ("01", "08") for row in rows_)


def test_a_client_that_does_not_read_a_slow_answer_loses_its_connection():
    running = Server("--answerTimeout", "2")
    table = filled(running, 130, 30_000)  # more than the system takes from the server
    done(running, "POST", "faults", {"match": {"operation": "QueryEntities"}, "then": {"bytesPerSecond": 1_000_000_000}})
    with socket.socket() as lazy:
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        lazy.connect((running.host, running.port))
        lazy.sendall(request_bytes(running, "GET", f"{running.base}/{table}()"))
        time.sleep(0.5)
        assert open_connections(running) >= 1
        deadline = time.monotonic() + 10
        while open_connections(running) > 0:
            assert time.monotonic() < deadline, "the connection stays open"
            time.sleep(0.1)
    running.stop()


# --- a retry that overtakes -----------------------------------------------------------------------


def test_a_retry_that_overtakes_its_first_attempt_is_the_same_request(server, account):
    """The client waits for 300 ms, hangs up, and sends the insert again while the first one is still delayed."""
    table = create_table(account)
    add(server, account, {"delay": "3s"}, {"count": 1}, name=f"slow-{account.name}", operation="InsertEntity")
    request = request_bytes(account, "POST", f"{account.base}/{table}", {}, entity("1"))
    with connection(account) as impatient:
        impatient.sendall(request)
        time.sleep(0.3)
        (seen,) = retries(server, account)
        assert (seen["outcome"], len(seen["attempts"])) == ("pending", 1)
        assert send(account, "POST", f"/{table}", body=entity("1")).status == 201
        (seen,) = retries(server, account)
        assert [one["status"] for one in seen["attempts"]] == [None, 201]
        assert seen["outcome"] == "succeeded"
    deadline = time.monotonic() + 5
    while retries(server, account)[0]["attempts"][0]["fault"] is None:
        assert time.monotonic() < deadline
    (seen,) = retries(server, account)
    assert [one["fault"] for one in seen["attempts"]] == [f"slow-{account.name}", None]
    assert (seen["committed"], seen["metOwnWork"]) == (1, False)
    assert rows(account, table) == ["1"]


def test_an_answer_that_is_delayed_after_the_commit_can_be_overtaken(server, account):
    table = create_table(account)
    add(server, account, {"at": "afterCommit", "delay": "2s"}, {"count": 1}, operation="InsertEntity")
    with connection(account) as impatient:
        impatient.sendall(request_bytes(account, "POST", f"{account.base}/{table}", {}, entity("1")))
        time.sleep(0.3)
        assert send(account, "POST", f"/{table}", body=entity("1")).status == 409
    (seen,) = retries(server, account)
    assert (len(seen["attempts"]), seen["outcome"], seen["metOwnWork"]) == (2, "failed", True)


# --- handshakes -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def https(tmp_path_factory):
    running = Server("--tls", "auto", "--anyAccount", "--location", tmp_path_factory.mktemp("https"))
    yield running
    running.stop()


def shake_hands(running, server_name):
    """Returns the client's error; None if the handshake succeeds and the server answers."""
    context = ssl.create_default_context(cafile=running.ready["certificateAuthority"])
    context.check_hostname = server_name in ("localhost", "127.0.0.1")
    try:
        with socket.create_connection((running.host, running.port), timeout=10) as plain:
            with context.wrap_socket(plain, server_hostname=server_name) as client:
                client.sendall(request_bytes(running, "GET", "/_rocktable/health", {"Connection": "close"}, signed=False))
                assert client.recv(100).startswith(b"HTTP/1.1 200 ")
    except OSError as error:
        return error
    return None


@pytest.mark.parametrize("fault, reason", [
    ("refuse", "ALERT_HANDSHAKE_FAILURE"), ("cut", "EOF"), ("expired", "certificate has expired"),
    ("otherName", "Hostname mismatch|IP address mismatch"),
])
def test_a_handshake_fails(https, fault, reason):
    name = "localhost"
    assert shake_hands(https, name) is None
    done(https, "POST", "faults", {"name": fault, "when": {"count": 1}, "then": {"handshake": fault}})
    error = shake_hands(https, name)
    assert error is not None and re.search(reason, str(error)), error
    assert shake_hands(https, name) is None
    rule = done(https, "GET", f"faults/{fault}")
    assert (rule["matched"], rule["hits"]) == (2, 1) or rule["hits"] == 1
    done(https, "DELETE", "faults")


def test_a_handshake_of_an_account_is_known_by_its_host_name(https):
    """Neither the other account nor the control API is hit."""
    done(https, "POST", "faults", {"match": {"account": "shop"}, "then": {"handshake": "cut"}})
    assert shake_hands(https, "shop.table.localhost") is not None
    assert shake_hands(https, "other.table.localhost") is None
    assert shake_hands(https, "localhost") is None
    with socket.create_connection((https.host, https.port), timeout=10) as stranger:  # no handshake at all
        stranger.sendall(b"\x16\x03\x01\x00\x05hello")
        stranger.recv(100)
    done(https, "DELETE", "faults")
    assert shake_hands(https, "shop.table.localhost") is None


def test_a_wrong_certificate_needs_the_authority(tmp_path):
    """With a certificate of one's own the handshake is refused: no other one could be trusted."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2",
                    "-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem",
                    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
    running = Server("--cert", tmp_path / "cert.pem", "--key", tmp_path / "key.pem", authority=str(tmp_path / "cert.pem"))
    running.ready["certificateAuthority"] = str(tmp_path / "cert.pem")
    done(running, "POST", "faults", {"when": {"count": 1}, "then": {"handshake": "expired"}})
    assert "ALERT_HANDSHAKE_FAILURE" in str(shake_hands(running, "localhost"))
    assert shake_hands(running, "localhost") is None
    running.stop()
