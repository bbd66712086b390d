"""Hostile requests: the server responds, its memory stays bounded, and it continues to work."""
import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import time

import pytest

from own_server import own_server
from process import MEBIBYTE, resident_bytes, wait_until
from rocktable_server import BINARY, connection, create_table, delete_table, error_code, request_bytes, send

CHUNKED = b"POST /devstoreaccount1/Tables HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"

own = own_server("--silent")  # its process can be observed


def flood(server, start, filler, total):
    """Sends until the server closes. Returns its response."""
    with connection(server, timeout=10) as client:
        block = filler * (MEBIBYTE // len(filler))
        try:
            client.sendall(start)
            for _ in range(total // len(block)):
                client.sendall(block)
        except OSError:
            pass
        client.settimeout(2)
        try:
            return client.recv(1000)
        except OSError:
            return b""


@pytest.mark.parametrize(
    "start, filler",
    [
        (CHUNKED + b"1;a=", b"b"),
        (CHUNKED + b"0\r\n", b"a: b\r\n"),
        (CHUNKED, b"0"),
        (CHUNKED, b"1\r\na\r\n"),
        (b"GET / HTTP/1.1\r\n", b"a: b\r\n"),
        (b"GET /", b"a"),
    ],
    ids=["chunk extension", "trailers", "chunk size", "tiny chunks", "headers", "target"],
)
def test_endless_framing_is_refused_before_it_fills_the_memory(own, start, filler):
    before = resident_bytes(own)
    answer = flood(own, start, filler, 200 * MEBIBYTE)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 4"), answer
    assert resident_bytes(own) - before < 100 * MEBIBYTE
    assert own.is_healthy()


@pytest.mark.parametrize("coding", ["xchunked", "identity", "chunked, identity", "gzip"])
def test_a_body_framed_in_an_unknown_way_is_refused(server, coding):
    """RFC 9112, section 6.3: the end of such a body, and so the start of the next request, is ambiguous."""
    data = request_bytes(server, "POST", f"{server.base}/Tables", {"Transfer-Encoding": coding})
    with connection(server) as client:
        client.sendall(data + b"4\r\nabcd\r\n0\r\n\r\n")
        answer = client.recv(65536)
    assert answer.startswith(b"HTTP/1.1 400 "), answer


@pytest.mark.parametrize("hosts", [[b'h"x'], [b"h\xff"], [b"a", b"b"]], ids=["quote", "not ASCII", "two"])
def test_a_host_that_is_no_host_is_refused(server, hosts):
    """The host would be copied into the links of the response."""
    lines = b"".join(b"Host: %s\r\n" % host for host in hosts)
    with connection(server) as client:
        client.sendall(b"GET /devstoreaccount1/Tables HTTP/1.1\r\n" + lines + b"\r\n")
        answer = client.recv(65536)
    assert answer.startswith(b"HTTP/1.1 400 "), answer
    assert b"InvalidHeaderValue" in answer


def test_standard_output_that_its_reader_closed_does_not_end_the_server(tmp_path):
    """As in `rocktable | head -2`."""
    ready = tmp_path / "ready"
    command = [BINARY, "--inMemoryPersistence", "--tablePort", "0", "--readyFile", ready]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        port = json.loads(content_of(ready))["port"]
        assert [status(port) for _ in range(3)] == [200] * 3
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0


def test_standard_output_that_nobody_reads_does_not_hold_up_the_server(tmp_path):
    ready = tmp_path / "ready"
    command = [BINARY, "--inMemoryPersistence", "--tablePort", "0", "--readyFile", ready]
    reader, writer = os.pipe()
    with subprocess.Popen(command, stdout=writer) as process:
        port = json.loads(content_of(ready))["port"]
        assert {status(port, "/" + "x" * 3000) for _ in range(200)} == {401}
        assert status(port) == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
    os.close(reader)
    os.close(writer)


def test_idle_connections_leave_the_store_its_files(tmp_path):
    """With few descriptors, connections wait to be accepted. Writes continue, including the switch to a new log
    file."""
    limit = 160
    command = ["prlimit", f"--nofile={limit}", BINARY]
    ready = tmp_path / "ready"
    command += ["--location", tmp_path, "--tablePort", "0", "--silent", "--readyFile", ready]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        server = type("Endpoint", (), {})()
        told = json.loads(content_of(ready))
        server.host, server.port, server.base = "127.0.0.1", told["port"], "/devstoreaccount1"
        idle = [socket.create_connection((server.host, server.port)) for _ in range(300)]
        time.sleep(0.2)
        assert len(os.listdir(f"/proc/{process.pid}/fd")) < limit
        for one in idle:
            one.close()
        assert status(server.port) == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0


def test_a_start_that_fails_at_a_busy_port_leaves_the_ready_file_of_the_other(own, tmp_path):
    ready = tmp_path / "ready"
    ready.write_text("of the instance that runs")
    result = subprocess.run(
        [BINARY, "--inMemoryPersistence", "--tablePort", str(own.port), "--readyFile", ready],
        capture_output=True,
        timeout=10,
        check=False,
    )
    assert (result.returncode, ready.read_text()) == (1, "of the instance that runs")


def test_names_that_no_table_can_have_are_not_kept_by_the_statistics(own):
    long = "a" * 5000
    answer = send(own, "GET", f"/{long}()", {"Accept": "application/json"})
    assert answer.status in (400, 404)
    table = create_table(own)
    with http_connection(own.port) as client:
        client.request("GET", "/_rocktable/stats")
        told = client.getresponse().read().decode()
    assert long not in told
    delete_table(own, table)


def test_a_control_character_in_a_filter_does_not_cut_the_error(server, table):
    answer = send(server, "GET", f"/{table}()?$filter=a%00b%01c", {"Accept": "*/*"})
    assert answer.status == 400
    assert error_code(answer.text) == "InvalidInput"
    assert "RequestId:" in answer.text and "Time:" in answer.text


def http_connection(port):
    return contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5))


def status(port, target="/_rocktable/health"):
    with http_connection(port) as client:
        target = target if target.startswith("/_") else "/devstoreaccount1" + target
        client.request("GET", target)
        return client.getresponse().status


def content_of(file):
    wait_until(file.exists, 20, f"{file} does not come")
    return file.read_text()
