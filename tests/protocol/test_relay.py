"""--blobUpstream, --queueUpstream: connections are passed on as they are, and what happens if one side does not do its
part."""
import contextlib
import http.client
import os
import socket
import struct
import subprocess
import threading
import time

import pytest

from http_server import Handler, HttpServer
from own_server import needs_program
from process import resident_bytes, wait_until
from rocktable_server import BINARY, Server

pytestmark = needs_program

SECONDS = 20
MEBIBYTE = 1 << 20


class Upstream:
    """Listens on a free port. `accept()` returns the next connection."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.socket.settimeout(SECONDS)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"

    def accept(self):
        connection, _ = self.socket.accept()
        connection.settimeout(SECONDS)
        return connection

    def close(self):
        self.socket.close()


@pytest.fixture
def upstream():
    made = Upstream()
    yield made
    made.close()


@pytest.fixture
def relay(upstream):
    """A server whose blob port passes on to `upstream`."""
    server = Server("--blobUpstream", upstream.url, "--blobPort", 0)
    server.blob_port = port_of(server, "BlobEndpoint")
    yield server
    server.stop()


def port_of(server, name):
    parts = dict(part.split("=", 1) for part in server.connection_string.split(";") if part)
    return int(parts[name].split(":")[2].split("/")[0])


def connect(server):
    return socket.create_connection(("127.0.0.1", server.blob_port), timeout=SECONDS)


def receive(connection, count):
    received = b""
    while len(received) < count:
        piece = connection.recv(65536)
        assert piece, f"the connection ended after {received!r}"
        received += piece
    return received


def test_requests_and_answers_pass_through_unchanged():
    class Echo(Handler):
        def do_PUT(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.answer(201, body[::-1], x_target=self.path, x_host=self.headers["Host"])

    with HttpServer(Echo) as queues:
        server = Server("--queueUpstream", queues.url, "--queuePort", 0)
        port = port_of(server, "QueueEndpoint")
        assert "BlobEndpoint" not in server.connection_string
        assert f"rocktable: queues are at http://127.0.0.1:{port}, passed on to {queues.url}\n" in server.output()
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        for body in (b"abc", b"x" * MEBIBYTE + b"y"):  # on one connection
            client.request("PUT", "/devstoreaccount1/a%2Fb?c=d", body)
            answer = client.getresponse()
            assert (answer.status, answer.headers["x-target"]) == (201, "/devstoreaccount1/a%2Fb?c=d")
            assert answer.headers["x-host"] == f"127.0.0.1:{port}" and answer.read() == body[::-1]
        client.close()
        server.stop()


def test_each_side_may_end_its_sending_alone(relay, upstream):
    with connect(relay) as client, upstream.accept() as other:
        client.sendall(b"question")
        client.shutdown(socket.SHUT_WR)
        assert receive(other, 8) == b"question" and other.recv(1) == b""
        other.sendall(b"answer")
        assert receive(client, 6) == b"answer"
        other.shutdown(socket.SHUT_WR)
        assert client.recv(1) == b""
    with connect(relay) as client, upstream.accept() as other:  # the upstream first
        other.sendall(b"hello")
        other.shutdown(socket.SHUT_WR)
        assert receive(client, 5) == b"hello" and client.recv(1) == b""
        client.sendall(b"goodbye")
        assert receive(other, 7) == b"goodbye"


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def test_a_side_that_hangs_up_ends_the_other(relay, upstream):
    client, other = connect(relay), upstream.accept()
    reset(client)
    with contextlib.suppress(ConnectionResetError):
        assert other.recv(1) == b""
    other.close()
    client, other = connect(relay), upstream.accept()
    reset(other)
    with contextlib.suppress(ConnectionResetError):
        assert client.recv(1) == b""
    client.close()


def test_an_upstream_that_is_silent_holds_only_its_own_connections(relay, upstream):
    with connect(relay) as waiting, upstream.accept():
        waiting.sendall(b"GET / HTTP/1.1\r\n\r\n")
        with connect(relay) as client, upstream.accept() as other:
            other.sendall(b"answer")
            assert receive(client, 6) == b"answer"
        waiting.settimeout(0.2)
        with pytest.raises(TimeoutError):
            waiting.recv(1)
        assert relay.is_healthy()


def test_an_upstream_that_is_down_is_told_to_clients_and_once_to_the_user():
    upstream = Upstream()
    upstream.close()
    server = Server("--blobUpstream", upstream.url, "--blobPort", 0)
    sentence = f"the blob upstream {upstream.url} cannot be reached: Connection refused"
    for body in (b"", b"x" * MEBIBYTE):  # the second has not been sent when the answer comes
        client = http.client.HTTPConnection("127.0.0.1", port_of(server, "BlobEndpoint"), timeout=SECONDS)
        client.request("PUT", "/devstoreaccount1/c/b", body)
        answer = client.getresponse()
        assert (answer.status, answer.read().decode()) == (503, f"rocktable: {sentence}\n")
        client.close()
    assert server.errors() == f"rocktable: {sentence}\n"
    port = int(upstream.url.rsplit(":", 1)[1])
    with socket.create_server(("127.0.0.1", port)) as back:
        with socket.create_connection(("127.0.0.1", port_of(server, "BlobEndpoint")), timeout=SECONDS):
            back.accept()[0].close()
        wait_until(lambda: "answers again" in server.errors(), SECONDS, "its return is not told")
    server.stop()


def test_a_client_that_never_reads_the_refusal_is_dropped():
    upstream = Upstream()
    upstream.close()
    server = Server("--blobUpstream", upstream.url, "--blobPort", 0)
    with socket.create_connection(("127.0.0.1", port_of(server, "BlobEndpoint")), timeout=SECONDS) as client:
        began = time.monotonic()
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            while time.monotonic() - began < SECONDS:
                client.sendall(b"x" * 65536)
        assert time.monotonic() - began < 5
    server.stop()


def test_a_gibibyte_passes_through_bounded_memory(relay, upstream):
    total = 1024 * MEBIBYTE
    before = resident_bytes(relay)
    sent = 0

    def send():
        nonlocal sent
        piece = bytes(MEBIBYTE)
        while sent < total:
            client.sendall(piece)
            sent += len(piece)
        client.shutdown(socket.SHUT_WR)

    with connect(relay) as client, upstream.accept() as other:
        client.settimeout(60)
        sender = threading.Thread(target=send)
        sender.start()
        held = -1
        while held != sent:  # the upstream reads nothing: the client must stop
            held = sent
            time.sleep(0.2)
        assert held < 64 * MEBIBYTE  # in the buffers of the kernel
        received, buffer, most = 0, bytearray(MEBIBYTE), 0
        while count := other.recv_into(buffer):
            received += count
            if received % (64 * MEBIBYTE) < count:
                most = max(most, resident_bytes(relay))
        sender.join()
    assert received == total
    assert most - before < 4 * MEBIBYTE


def test_256_connections_are_passed_on_and_more_wait(relay, upstream):
    clients, others = [], []
    for _ in range(256):
        clients.append(connect(relay))
        others.append(upstream.accept())
    with connect(relay) as further:
        upstream.socket.settimeout(0.3)
        with pytest.raises(TimeoutError):
            upstream.socket.accept()
        upstream.socket.settimeout(SECONDS)
        clients.pop().close()
        others.pop().close()
        with upstream.accept() as other:
            other.sendall(b"at last")
            assert receive(further, 7) == b"at last"
    for one in clients + others:
        one.close()


def test_a_connection_that_is_open_does_not_delay_the_stop(upstream):
    server = Server("--blobUpstream", upstream.url, "--blobPort", 0)
    server.blob_port = port_of(server, "BlobEndpoint")
    with connect(server) as client, upstream.accept():
        began = time.monotonic()
        server.stop()
        assert time.monotonic() - began < 3
        with contextlib.suppress(ConnectionResetError):
            assert client.recv(1) == b""


def test_an_upstream_of_https_is_one_of_the_connection_string(upstream):
    server = Server("--blobUpstream", upstream.url.replace("http", "https"), "--blobPort", 0)
    assert f"BlobEndpoint=https://127.0.0.1:{port_of(server, 'BlobEndpoint')}/devstoreaccount1;" in server.connection_string
    assert server.connection_string.startswith("DefaultEndpointsProtocol=http;")
    server.stop()


def test_the_other_service_stays_a_stub_of_compat_azurite(upstream):
    server = Server("--compat", "azurite", "--blobUpstream", upstream.url, "--blobPort", 0, "--queuePort", 0)
    client = http.client.HTTPConnection("127.0.0.1", port_of(server, "QueueEndpoint"), timeout=SECONDS)
    client.request("GET", "/devstoreaccount1/queue")
    assert client.getresponse().status == 403
    client.close()
    server.stop()


def test_a_port_that_is_taken_is_named(upstream):
    port = upstream.url.rsplit(":", 1)[1]
    ended = subprocess.run([BINARY, "--inMemoryPersistence", "--tablePort", "0", "--blobUpstream", upstream.url, "--blobPort", port],
                           capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"rocktable: the port is in use: 127.0.0.1:{port} is taken by ")
    assert ended.stderr.endswith("; --blobPort 0 picks a free one\n")


def test_exec_has_them_too(upstream):
    ended = subprocess.run([BINARY, "exec", "--queueUpstream", upstream.url, "--", "sh", "-c", "echo $AZURE_STORAGE_CONNECTION_STRING"],
                           capture_output=True, text=True, timeout=SECONDS, check=True, env={**os.environ})
    assert "QueueEndpoint=http://127.0.0.1:" in ended.stdout and "BlobEndpoint" not in ended.stdout


@pytest.mark.parametrize("url, sentence", [
    ("ftp://h", "--blobUpstream: "), ("http://h/account", "--blobUpstream must be a URL without a path, such as "),
    ("http://h?a=b", "--blobUpstream must be a URL without a path, such as "), ("", "--blobUpstream: "),
], ids=["scheme", "path", "query", "empty"])
def test_what_is_no_address_is_refused(url, sentence):
    ended = subprocess.run([BINARY, f"--blobUpstream={url}"], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (ended.returncode, ended.stdout) == (2, "") and ended.stderr.startswith(f"rocktable: {sentence}"), ended.stderr
