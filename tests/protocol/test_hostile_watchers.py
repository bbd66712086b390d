"""Those who watch, and what is kept for them: bounded in bytes, and paid for by nobody else."""
import contextlib
import json
import multiprocessing
import selectors
import socket
import time

import pytest

from fixture_control import control, done
from own_server import SANITIZED, needs_program
from process import MEBIBYTE, resident_bytes
from rocktable_server import Server, connection, create_table, read_response, request_bytes, send

pytestmark = [pytest.mark.alone, needs_program]

POINT = "/victim(PartitionKey='p',RowKey='r')"


@pytest.fixture
def server():
    running = Server()
    create_table(running, "victim")
    assert send(running, "PUT", POINT, body='{"a":1}').status == 204
    yield running
    running.stop()


@contextlib.contextmanager
def watchers(server, count, detail):
    """Opens streams of requests. Nobody reads them."""
    ask = request_bytes(server, "GET", f"/_rocktable/requests/stream?detail={detail}", signed=False)
    with contextlib.ExitStack() as stack:
        streams = [stack.enter_context(socket.create_connection((server.host, server.port))) for _ in range(count)]
        for stream in streams:
            stream.sendall(ask)
            assert stream.recv(1000).startswith(b"HTTP/1.1 200")
        yield streams


def flood(server, seconds, headers=None):
    """Sends point reads over four connections, 50 at once. Returns the number of answers in a second."""
    request = request_bytes(server, "GET", server.base + POINT, headers)
    selector = selectors.DefaultSelector()
    count, begin = 0, time.monotonic()
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            client = stack.enter_context(socket.create_connection((server.host, server.port)))
            client.sendall(50 * request)
            selector.register(client, selectors.EVENT_READ, [50])
        while (now := time.monotonic()) < begin + seconds:
            for key, _ in selector.select(0.1):
                answers = key.fileobj.recv(1 << 20).count(b"HTTP/1.1 200")
                count += answers
                key.data[0] -= answers
                if key.data[0] <= 0:
                    key.fileobj.sendall(50 * request)
                    key.data[0] += 50
    return count / (now - begin)


def latency(server):
    times = []
    for _ in range(20):
        begin = time.monotonic()
        assert send(server, "GET", POINT).status == 200
        times.append(time.monotonic() - begin)
    return sorted(times)[-1]


def test_streams_that_are_not_read_hold_little(server):
    """Forty streams with all details, of requests with 30 KB of headers each."""
    before = resident_bytes(server)
    with watchers(server, 40, "true"):
        flood(server, 5, {f"x-ms-meta-{number}": "x" * 1_000 for number in range(12)})
        growth = resident_bytes(server) - before
        print(f"40 streams that are not read: {growth / MEBIBYTE:.1f} MiB more")
        assert SANITIZED or growth < 80 * MEBIBYTE
        assert SANITIZED or latency(server) < 0.5


def test_the_last_requests_are_bounded_in_bytes(server):
    done(server, "GET", "requests?detail=true")
    flood(server, 3, {f"x-ms-meta-{number}": "x" * 1_000 for number in range(12)})
    begin = time.monotonic()
    answer = control(server, "GET", "requests?detail=true&since=1")
    print(f"{len(answer.body) / MEBIBYTE:.1f} MiB in {time.monotonic() - begin:.2f} s")
    assert len(answer.body) < 17 * MEBIBYTE
    assert len(json.loads(answer.body)["requests"]) > 300


def growth_by_large_bodies(server):
    """Sends some 90 MB in bodies of 30 KB. Returns how much the process has grown."""
    create_table(server, "large")
    before = resident_bytes(server)
    body = json.dumps({"a": "x" * 30_000})
    target = server.base + "/large(PartitionKey='p',RowKey='r')"
    request = request_bytes(server, "PUT", target, {"Content-Type": "application/json"}, body)
    with connection(server) as client:
        for _ in range(3_000):
            client.sendall(request)
            assert read_response(client).status == 204
    return resident_bytes(server) - before


@pytest.mark.parametrize("limit", [2, 32])
def test_what_is_kept_is_bounded(limit):
    """While nobody looks. The store also grows by the bodies: as much in a server that keeps no requests."""
    without = Server("--keepRequests", "0")
    server = Server("--keepRequests", str(limit))
    try:
        growth, of_the_store = growth_by_large_bodies(server), growth_by_large_bodies(without)
        print(f"{growth / MEBIBYTE:.1f} MiB more, {of_the_store / MEBIBYTE:.1f} without")
        told = done(server, "GET", "requests?since=1")
        assert told["missing"] > 1_000
        kept = sum(one["bytesReceived"] for one in told["requests"])
        assert limit * MEBIBYTE / 2 < kept + told["more"] * limit * MEBIBYTE, "an answer has 16 MiB"
        assert SANITIZED or growth < of_the_store + (limit + 8) * MEBIBYTE
    finally:
        server.stop()
        without.stop()


def read_all(endpoint, count, ready, over):
    selector = selectors.DefaultSelector()
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            client = stack.enter_context(socket.create_connection(endpoint))
            client.sendall(b"GET /_rocktable/requests/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            selector.register(client, selectors.EVENT_READ)
        ready.set()
        while not over.is_set():
            for key, _ in selector.select(0.1):
                key.fileobj.recv(1 << 20)


@pytest.mark.timing
def test_watchers_do_not_slow_others_down(server):
    """A hundred streams that are read, beside a flood of 8,000 requests a second."""
    flood(server, 1)
    without = flood(server, 3)
    ready, over = multiprocessing.Event(), multiprocessing.Event()
    reader = multiprocessing.Process(target=read_all, args=((server.host, server.port), 100, ready, over))
    reader.start()
    ready.wait()
    time.sleep(0.5)
    beside = flood(server, 5)
    over.set()
    reader.join()
    print(f"{without:.0f} requests/s, with 100 watchers {beside:.0f}")
    assert SANITIZED or beside >= 0.8 * min(without, 8_000)


def test_shapes_with_long_texts_take_bounded_memory(server):
    """A thousand selections of 50 KB, each of other properties."""
    before = resident_bytes(server)
    with connection(server) as client:
        for number in range(1_000):
            names = ",".join(f"P{number}x{column:05}" for column in range(4_500))
            client.sendall(request_bytes(server, "GET", f"{server.base}/victim()?$select={names}"))
            assert read_response(client).status == 200
    growth = resident_bytes(server) - before
    begin = time.monotonic()
    answer = control(server, "GET", "queries")
    took = time.monotonic() - begin
    shapes = json.loads(answer.body)["shapes"]
    print(f"{len(shapes)} shapes: {growth / MEBIBYTE:.1f} MiB more, {len(answer.body) / MEBIBYTE:.1f} MiB in {took:.2f} s")
    assert len(shapes) > 1_000
    assert SANITIZED or growth < 40 * MEBIBYTE
    assert SANITIZED or took < 2
