"""Many clients at once: each entity is linearizable, and clients see all of a transaction or nothing.

    ROCKTABLE_TEST_SECONDS=N   duration of each history, instead of 2 seconds
"""
import concurrent.futures
import json
import os
import random
import socket
import time

import pytest

from history import Broken, Read, Refused, Write, check_linearizable
from rocktable_server import BATCH_HEADERS, batch_body, batch_part, connection, request_bytes

SECONDS = float(os.environ.get("ROCKTABLE_TEST_SECONDS", 2))
CLIENTS = 32
NO_METADATA = {"Accept": "application/json;odata=nometadata"}
NO_CONTENT = {"Prefer": "return-no-content"}


class Client:
    """A persistent connection."""

    def __init__(self, server, client):
        self.server, self.client = server, client
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.unread = b""

    def send(self, method, target, headers=None, body=None):
        """Returns (status, lower-case headers, body). Faster than http.client, which would take longer than the
        server."""
        self.client.sendall(request_bytes(self.server, method, self.server.base + target, headers, body))
        while (end := self.unread.find(b"\r\n\r\n")) < 0:
            self.receive()
        first, *lines = self.unread[:end].decode().split("\r\n")
        fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        self.unread = self.unread[end + 4:]
        status = int(first.split()[1])
        return status, fields, self.chunks() if "transfer-encoding" in fields else self.take(
            0 if status == 204 else int(fields["content-length"]))

    def take(self, count):
        while len(self.unread) < count:
            self.receive()
        taken, self.unread = self.unread[:count], self.unread[count:]
        return taken

    def chunks(self):
        body = b""
        while True:
            while b"\r\n" not in self.unread:
                self.receive()
            size, self.unread = self.unread.split(b"\r\n", 1)
            body += self.take(int(size, 16))
            self.take(2)
            if size == b"0":
                return body

    def receive(self):
        piece = self.client.recv(1 << 20)
        assert piece, "the server closed the connection"
        self.unread += piece


def at_once(server, work, count=CLIENTS):
    """Runs work(client, number, until) on so many connections. Returns all results. Fails if one fails."""
    until = time.monotonic() + SECONDS

    def run(number):
        with connection(server, timeout=20) as client:
            return work(Client(server, client), number, until)

    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


# --- one entity -----------------------------------------------------------------------------------


def count_up(client, entity, operations, random_of):
    """Reads the counter and increments it under its ETag; sometimes only reads."""
    start = time.monotonic()
    status, fields, body = client.send("GET", entity, NO_METADATA)
    assert status == 200
    etag, value = fields["etag"], json.loads(body)["n"]
    operations.append(Read(start, time.monotonic(), etag, value))
    if random_of.random() < 0.3:
        return
    method = random_of.choice(["PUT", "PATCH"])
    start = time.monotonic()
    status, fields, _ = client.send(method, entity, {"If-Match": etag}, json.dumps({"n": value + 1}))
    end = time.monotonic()
    assert status in (204, 412)
    operations.append(
        Write(start, end, fields["etag"], value + 1, etag) if status == 204 else Refused(start, end, etag)
    )


def overwrite(client, entity, operations, value):
    start = time.monotonic()
    status, fields, _ = client.send("PUT", entity, None, json.dumps({"n": value}))
    assert status == 204
    operations.append(Write(start, time.monotonic(), fields["etag"], value, None))


def make_counter(server, table):
    entity = f"/{table}(PartitionKey='p',RowKey='counter')"
    operations = []
    with connection(server) as client:
        overwrite(Client(server, client), entity, operations, 0)
    return entity, operations[0]


def test_conditional_updates_of_one_entity_lose_none_and_are_linearizable(server, table):
    entity, first = make_counter(server, table)

    def work(client, number, until):
        operations, random_of = [], random.Random(number)
        while time.monotonic() < until:
            count_up(client, entity, operations, random_of)
        return operations

    operations = sum(at_once(server, work), [])
    writes = [o for o in operations if isinstance(o, Write)]
    refused = [o for o in operations if isinstance(o, Refused)]
    print(f"{len(operations)} operations, {len(writes)} updates, {len(refused)} refused")
    assert writes and refused, "nobody was in the way of anybody"
    check_linearizable(first, operations)
    with connection(server) as client:
        _, _, body = Client(server, client).send("GET", entity, NO_METADATA)
    assert json.loads(body)["n"] == len(writes)


def test_writes_with_and_without_conditions_are_linearizable(server, table):
    entity, first = make_counter(server, table)

    def work(client, number, until):
        operations, random_of = [], random.Random(number)
        while time.monotonic() < until:
            if number % 4 == 0:
                overwrite(client, entity, operations, random_of.randrange(10**9))
            else:
                count_up(client, entity, operations, random_of)
        return operations

    operations = sum(at_once(server, work), [])
    print(f"{len(operations)} operations")
    check_linearizable(first, operations)


# --- transactions ---------------------------------------------------------------------------------


def transaction(server, table, partition, method, value=None, headers=""):
    parts = [
        batch_part(server, method, f"{table}(PartitionKey='{partition}',RowKey='{row:02}')",
                   None if value is None else {"n": value}, headers)
        for row in range(100)
    ]
    return batch_body(parts)


def commit(client, body):
    status, _, answer = client.send("POST", "/$batch", BATCH_HEADERS, body)
    assert status == 202 and answer.count(b"HTTP/1.1 204") == 100, answer[:1000]


def page(client, table, partition, options=""):
    target = f"/{table}()?$filter=PartitionKey%20eq%20'{partition}'{options}"
    status, _, body = client.send("GET", target, NO_METADATA)
    assert status == 200
    return [entity["n"] for entity in json.loads(body)["value"]]


def test_queries_see_transactions_of_100_whole(server, table):
    """One writer sets all 100 entities of a partition to increasing numbers; another inserts and deletes 100 at a
    time."""
    with connection(server) as client:
        commit(Client(server, client), transaction(server, table, "same", "PUT", 0))

    def write(client, until):
        number = 0
        while time.monotonic() < until:
            number += 1
            commit(client, transaction(server, table, "same", "PUT", number))
        return number

    def come_and_go(client, until):
        number = 0
        while time.monotonic() < until:
            number += 1
            commit(client, transaction(server, table, "there", "PUT", number))
            commit(client, transaction(server, table, "there", "DELETE", headers="If-Match: *\r\n"))
        return number

    def read(client, until):
        seen = set()
        while time.monotonic() < until:
            numbers = page(client, table, "same")
            assert len(numbers) == 100 and len(set(numbers)) == 1, numbers
            seen.add(numbers[0])
            numbers = page(client, table, "same", "%20and%20n%20ge%200&$select=n&$top=50")
            assert len(numbers) == 50 and len(set(numbers)) == 1, numbers
            numbers = page(client, table, "there")
            assert len(numbers) in (0, 100) and len(set(numbers)) <= 1, numbers
        return len(seen)

    def work(client, number, until):
        return write(client, until) if number == 0 else come_and_go(client, until) if number == 1 else read(client, until)

    committed, pairs, *seen = at_once(server, work, 8)
    print(f"{committed} transactions, {pairs} pairs of insertion and deletion, {sum(seen)} of them seen by queries")
    assert committed > 5 and pairs > 5 and max(seen) > 5


def test_point_reads_never_go_back_behind_a_transaction_that_they_saw(server, table):
    """A client that has read the number of a transaction in one entity finds it, or a later one, in every other."""
    with connection(server) as client:
        commit(Client(server, client), transaction(server, table, "same", "PUT", 0))

    def work(client, number, until):
        written, last, random_of = 0, 0, random.Random(number)
        while time.monotonic() < until:
            if number == 0:
                written += 1
                commit(client, transaction(server, table, "same", "PUT", written))
                continue
            row = random_of.randrange(100)
            status, _, body = client.send("GET", f"/{table}(PartitionKey='same',RowKey='{row:02}')", NO_METADATA)
            assert status == 200
            found = json.loads(body)["n"]
            assert found >= last, f"{found} in row {row}, after {last} in another"
            last = found
        return max(written, last)

    last = at_once(server, work, 8)
    print(f"{last[0]} transactions")
    assert last[0] > 5 and max(last[1:]) > 5


# --- the checker itself ---------------------------------------------------------------------------

FIRST = Write(0, 1, "a", 0, None)
GOOD = [Write(2, 5, "b", 1, "a"), Read(3, 4, "a", 0), Read(3, 4, "b", 1), Refused(4, 6, "a"), Write(4, 9, "c", 7, None)]


def test_the_checker_accepts_a_history_that_an_order_explains():
    check_linearizable(FIRST, GOOD)
    check_linearizable(FIRST, [])


@pytest.mark.parametrize(
    "more, told",
    [
        ([Read(10, 11, "x", 1)], "nobody wrote"),
        ([Read(10, 11, "c", 1)], "another value"),
        ([Read(10, 11, "b", 1)], "those with earlier ETags, or their readers"),  # after the next write was over
        ([Read(1, 1.5, "b", 1)], "before it was made"),
        ([Write(10, 11, "d", 2, "b")], "had changed it"),  # a lost update
        ([Write(10, 11, "c", 2, "b")], "the same ETag"),
        ([Write(1, 1.5, "d", 2, None)], "was over before"),
        ([Refused(10, 11, "c")], "nobody had changed"),
        ([Refused(1, 1.5, "a")], "nobody had changed"),
        ([Refused(1, 1.5, "x")], "nobody had changed"),
    ],
)
def test_the_checker_finds_what_no_order_explains(more, told):
    with pytest.raises(Broken, match=told):
        check_linearizable(FIRST, GOOD + more)


def test_the_checker_finds_two_reads_in_an_order_that_no_write_allows():
    """Each read is valid alone, but the new value was seen before the old one."""
    slow = Write(2, 9, "b", 1, "a")
    new, old = Read(3, 4, "b", 1), Read(5, 6, "a", 0)
    check_linearizable(FIRST, [slow, new])
    check_linearizable(FIRST, [slow, old])
    with pytest.raises(Broken, match="before it was made"):
        check_linearizable(FIRST, [slow, new, old])
