"""What a program sent: /_rocktable/requests, once and as a stream."""
import contextlib
import json
import signal
import socket
import time

import pytest

from fixture_control import account_of, control, done, insert
from own_server import needs_program, own_server
from process import open_sockets, wait_until
from rocktable_server import (
    BATCH_HEADERS,
    Account,
    Server,
    batch_body,
    batch_part,
    connection,
    create_table,
    exchange_until_closed,
    request_bytes,
    send,
)

pytestmark = needs_program

SECONDS = 10

server = own_server("--anyAccount")


class Stream:
    """The events of a stream."""

    def __init__(self, client, query):
        self.socket = client
        target = f"/_rocktable/requests/stream{query}"
        client.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        self.text = b""
        self.until(b"\r\n\r\n")

    def until(self, wanted):
        self.socket.settimeout(SECONDS)
        while wanted not in self.text:
            data = self.socket.recv(65536)
            assert data, f"the stream ended before {wanted}: {self.text[-500:]}"
            self.text += data

    def events(self, kind):
        """The documents of all events of a kind so far. A chunk has whole events."""
        lines = self.text.decode().splitlines()
        return [
            json.loads(data.removeprefix("data: "))
            for event, data in zip(lines, lines[1:], strict=False)
            if event == f"event: {kind}" and data.startswith("data: ")
        ]


@contextlib.contextmanager
def streaming(server, query=""):
    with connection(server) as client:
        yield Stream(client, query)


def test_the_program_made_exactly_two_requests(server):
    account = account_of(server, "monitored1")
    create_table(account, "orders")
    begin = done(server, "GET", "requests")["next"]
    insert(account, "orders", "p", "r")
    send(account, "GET", "/orders(PartitionKey='p',RowKey='missing')", {"x-ms-client-request-id": "mine"})
    told = done(server, "GET", f"requests?since={begin}&account=monitored1")
    assert told["isComplete"]
    first, second = told["requests"]
    assert (first["operation"], first["table"], first["status"]) == ("InsertEntity", "orders", 204)
    assert first["code"] is None
    assert (second["operation"], second["status"]) == ("GetEntity", 404)
    assert second["code"] == "ResourceNotFound"
    assert (second["plan"], second["entitiesScanned"], second["clientRequestId"]) == ("point", 0, "mine")
    assert second["number"] > first["number"] >= begin
    assert done(server, "GET", f"requests?since={told['next']}")["requests"] == []


def test_requests_are_kept_although_nobody_asked():
    running = Server()
    try:
        create_table(running, "orders")
        insert(running, "orders", "p", "r")
        send(running, "GET", "/orders(PartitionKey='p',RowKey='missing')")
        told = done(running, "GET", "requests?since=1")
        assert [one["operation"] for one in told["requests"]] == ["CreateTable", "InsertEntity", "GetEntity"]
        assert (told["isComplete"], told["missing"], told["more"]) == (True, 0, False)
        assert (told["requests"][1]["partitionKey"], told["requests"][1]["rowKey"]) == ("p", "r")
        assert done(running, "DELETE", "requests") == {"status": "done"}
        told = done(running, "GET", "requests?since=1")
        assert (told["requests"], told["missing"], told["next"]) == ([], 3, 4)
    finally:
        running.stop()


def test_answers_in_parts(server):
    account = account_of(server, "monitored9")
    create_table(account, "orders")
    begin = done(server, "GET", "requests")["next"]
    for row in range(5):
        insert(account, "orders", "p", f"{row}")
    told = done(server, "GET", f"requests?since={begin}&account=monitored9&limit=3")
    assert (len(told["requests"]), told["more"], told["isComplete"]) == (3, True, False)
    rest = done(server, "GET", f"requests?since={told['next']}&account=monitored9&limit=3")
    assert [one["rowKey"] for one in told["requests"] + rest["requests"]] == ["0", "1", "2", "3", "4"]
    assert (rest["more"], rest["isComplete"]) == (False, True)


def test_a_text_is_searched_in_bodies_but_not_in_secrets(server):
    account = account_of(server, "monitored10")
    create_table(account, "orders")
    begin = done(server, "GET", "requests")["next"]
    send(account, "POST", "/orders?sig=hiddenvalue", body='{"PartitionKey":"p","RowKey":"1","City":"Cologne"}')
    insert(account, "orders", "p", "2")
    found = done(server, "GET", f"requests?since={begin}&account=monitored10&text=cologne")["requests"]
    assert [one["rowKey"] for one in found] == ["1"]
    assert "requestBody" not in found[0]
    assert done(server, "GET", f"requests?since={begin}&account=monitored10&text=hiddenvalue")["requests"] == []


def test_a_batch_is_told_as_its_operations(server):
    account = account_of(server, "monitored11")
    create_table(account, "orders")
    begin = done(server, "GET", "requests")["next"]
    parts = [
        batch_part(account, "POST", "orders", {"PartitionKey": "p", "RowKey": f"{row:02}"}) for row in range(12)
    ]
    assert send(account, "POST", "/$batch", BATCH_HEADERS, batch_body(parts)).status == 202
    (one,) = done(server, "GET", f"requests?since={begin}&account=monitored11")["requests"]
    assert (one["operation"], one["table"], one["operationCount"]) == ("Batch", "orders", 12)
    assert len(one["operations"]) == 10
    (one,) = done(server, "GET", f"requests?since={begin}&account=monitored11&detail=true")["requests"]
    assert [part["rowKey"] for part in one["operations"]] == [f"{row:02}" for row in range(12)]
    assert {part["status"] for part in one["operations"][:3]} == {201}


def test_nothing_is_kept_if_it_is_switched_off():
    running = Server("--keepRequests", "0")
    try:
        create_table(running, "orders")
        for resource in ("requests", "requests/stream"):
            answer = control(running, "GET", resource)
            assert answer.status == 404
            assert "--keepRequests 0" in json.loads(answer.body)["error"]
        assert control(running, "DELETE", "requests").status == 404
    finally:
        running.stop()


def test_bodies_are_not_kept_if_they_are_switched_off():
    running = Server("--keepNoBodies")
    try:
        create_table(running, "orders")
        insert(running, "orders", "p", "r")
        told = done(running, "GET", "requests?since=1&detail=true")["requests"][1]
        assert (told["requestBody"], told["responseBody"]) == ("", "")
        assert told["bytesReceived"] > 0
        assert "partitionKey" not in told
        assert ["Content-Type", "application/json"] in told["requestHeaders"]
    finally:
        running.stop()


def test_accounts_are_told_apart(server):
    begin = done(server, "GET", "requests")["next"]
    for name in ("monitored2", "monitored3"):
        create_table(account_of(server, name), "orders")
    told = done(server, "GET", f"requests?since={begin}&account=monitored3")["requests"]
    assert [one["account"] for one in told] == ["monitored3"]


def test_secrets_and_control_requests_are_not_told(server):
    begin = done(server, "GET", "requests?detail=true")["next"]
    account = account_of(server, "monitored4")
    send(account, "GET", "/Tables?sig=secret")
    told = done(server, "GET", f"requests?since={begin}&account=monitored4&detail=true")
    (one,) = told["requests"]
    assert "secret" not in json.dumps(told)
    headers = dict(one["requestHeaders"])
    assert headers["Authorization"] == "SharedKeyLite monitored4:***"


def test_the_reason_of_a_refusal_is_told(server):
    begin = done(server, "GET", "requests")["next"]
    account = account_of(server, "monitored5")
    stranger = Account(f"AccountName=monitored5;AccountKey=bm90IHRoZSBrZXk=;TableEndpoint={account.endpoint}")
    assert send(stranger, "GET", "/Tables").status == 403
    (one,) = done(server, "GET", f"requests?since={begin}&account=monitored5")["requests"]
    assert (one["status"], one["code"]) == (403, "AuthenticationFailed")
    assert "key" in one["explanation"]


def test_a_request_is_streamed_within_a_second(server):
    account = account_of(server, "monitored6")
    with streaming(server, "?account=monitored6") as stream:
        stream.until(b"event: start")
        begin = time.monotonic()
        create_table(account, "orders")
        stream.until(b"event: request")
        assert time.monotonic() - begin < 1
        (one,) = stream.events("request")
        assert (one["operation"], one["status"]) == ("CreateTable", 204)


def test_a_stream_goes_on_where_another_ended(server):
    account = account_of(server, "monitored7")
    with streaming(server) as stream:
        stream.until(b"event: start")
        (start,) = stream.events("start")
    create_table(account, "orders")
    with streaming(server, f"?account=monitored7&since={start['next']}") as stream:
        stream.until(b"event: request")
        assert stream.events("gap") == []


def test_a_closed_stream_leaves_no_connection():
    running = Server()
    try:
        before = open_sockets(running)
        with streaming(running) as stream:
            stream.until(b"event: start")
            assert open_sockets(running) > before
        wait_until(lambda: open_sockets(running) <= before, SECONDS, "the connection stays open")
    finally:
        running.stop()


def test_a_stream_outlasts_the_timeout_of_an_answer():
    running = Server("--answerTimeout", "1")
    try:
        with streaming(running) as stream:
            stream.until(b"event: start")
            time.sleep(3)
            create_table(running, "late")
            stream.until(b'"operation":"CreateTable"')
    finally:
        running.stop()


def test_a_server_with_open_streams_stops_at_once():
    running = Server()
    try:
        with streaming(running) as first, streaming(running) as second:
            for stream in (first, second):
                stream.until(b"event: start")
            begin = time.monotonic()
            running.process.send_signal(signal.SIGTERM)
            for stream in (first, second):
                stream.until(b"0\r\n\r\n")
            running.process.wait(SECONDS)
            assert time.monotonic() - begin < 2
    finally:
        if running.is_running():
            running.kill()


@pytest.mark.timing  # a slow server sends less than what buffers hold
def test_a_stream_that_nobody_reads_does_not_delay_the_stop():
    running = Server()
    try:
        create_table(running, "orders")
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            client.connect((running.host, running.port))
            client.sendall(b"GET /_rocktable/requests/stream?detail=true HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            client.recv(1_000)
            target = f"{running.base}/orders(PartitionKey='p',RowKey='r')?ignored={'x' * 2_000}"
            for _ in range(3):
                exchange_until_closed(running, request_bytes(running, "GET", target) * 1_000)
                time.sleep(1)
            begin = time.monotonic()
            running.process.send_signal(signal.SIGTERM)
            running.process.wait(SECONDS)
            assert time.monotonic() - begin < 2
    finally:
        if running.is_running():
            running.kill()


@pytest.mark.timing  # a slow server has no flood
def test_a_flood_has_a_gap(server):
    account = account_of(server, "monitored8")
    create_table(account, "orders")
    target = f"{account.base}/orders(PartitionKey='p',RowKey='r')"
    with streaming(server, "?account=monitored8") as stream:
        stream.until(b"event: start")
        exchange_until_closed(account, request_bytes(account, "GET", target) * 5_000)
        time.sleep(0.3)  # then there is room again
        create_table(account, "last")
        stream.until(b"event: gap")
        stream.until(b'"operation":"CreateTable"')
        requests = sum(one["operation"] == "GetEntity" for one in stream.events("request"))
        missed = sum(gap["missed"] for gap in stream.events("gap"))
        assert requests + missed >= 5_000
        assert 1_900 <= requests < 5_000


@pytest.mark.parametrize("query", ["since=1&limit=0", "since=1&limit=x", "since=1&text="])
def test_bad_parameters_of_answers_are_refused(server, query):
    assert control(server, "GET", f"requests?{query}").status == 400
    assert control(server, "GET", f"requests/stream?{query}").status == 400


@pytest.mark.parametrize("resource", ["requests", "requests/stream"])
@pytest.mark.parametrize("query", ["since=x", "since=-1", "since=", "x=1", "account=-", "detail=1"])
def test_bad_parameters_are_refused(server, resource, query):
    assert control(server, "GET", f"{resource}?{query}").status in (400, 404)


def test_a_stream_needs_the_token_and_the_right_origin():
    running = Server("--controlToken", "secret")
    try:
        assert control(running, "GET", "requests/stream").status == 401
        assert control(running, "GET", "requests", Origin="http://evil.example").status == 403
        assert control(running, "GET", "requests", x_rocktable_token="secret").status == 200
    finally:
        running.stop()
