"""The load of a soak: all operations of clients, on a bounded set of keys, so that the live data are bounded too.

Requests are pipelined, so that a few Python processes keep the server busy. Each response is compared with the
responses that are possible, whatever other clients did to the same entity.
"""
import json
import random
import re
import socket
import sys
import time

from rocktable_server import BATCH_HEADERS, batch_body, batch_part
from shared_access import account_sas

TABLES = [f"soak{i}" for i in range(4)]
PARTITIONS, ROWS = 10, 1000  # in each table
DEPTH = 4  # unanswered requests on one connection

HEAD_END = re.compile(rb"\r\n\r\n")
LENGTH = re.compile(rb"\r\nContent-Length: (\d+)", re.IGNORECASE)
ETAG = re.compile(rb"\r\nETag: ([^\r]+)", re.IGNORECASE)


class Wrong(Exception):
    """A response that the operation cannot have, or no response."""


class Wire:
    """One connection: pipelined requests, and their responses in order."""

    def __init__(self, account):
        self.client = socket.create_connection((account.host, account.port), timeout=60)
        self.client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.unread = b""

    def receive(self):
        piece = self.client.recv(1 << 18)
        if not piece:
            raise Wrong("the connection was closed")
        self.unread += piece

    def answer(self):
        """Returns (status, head, body)."""
        while not (found := HEAD_END.search(self.unread)):
            self.receive()
        head, start = self.unread[:found.start()], found.end()
        status = int(head[9:12])
        if length := LENGTH.search(head):
            end = start + int(length[1])
            while len(self.unread) < end:
                self.receive()
            body = self.unread[start:end]
        elif status == 204:
            body, end = b"", start
        else:
            body, end = self.chunked(start)
        self.unread = self.unread[end:]
        return status, head, body

    def chunked(self, start):
        pieces = []
        while True:
            while (line := self.unread.find(b"\r\n", start)) < 0:
                self.receive()
            size = int(self.unread[start:line], 16)
            start = line + 2 + size + 2
            while len(self.unread) < start:
                self.receive()
            if size == 0:
                return b"".join(pieces), start
            pieces.append(self.unread[line + 2:start - 2])


class Load:
    """The load of one process. Each operation yields (request, valid statuses, further check)."""

    def __init__(self, account, number):
        self.account, self.number, self.random = account, number, random.Random(number)
        self.sas = account_sas(account, se="2099-01-01T00:00:00Z")
        self.etags = {}  # the latest ETags seen
        self.own, self.own_exists = f"own{number}", False
        self.texts = ["".join(self.random.choices("abcdefghij klmnop", k=size)) for size in (50, 200, 800, 3000)]
        self.kinds = [
            (35, self.get), (12, self.insert), (14, self.upsert), (10, self.merge), (10, self.update),
            (10, self.delete), (1, self.transaction), (5, self.query), (2, self.use_own_table), (1, self.page),
        ]
        self.weights = [weight for weight, _ in self.kinds]

    def request(self, method, resource, body=None, fields="", kind="application/json"):
        body = b"" if body is None else body.encode()
        query = "&" if "?" in resource else "?"
        return (
            f"{method} {self.account.base}/{resource}{query}{self.sas} HTTP/1.1\r\nHost: {self.account.authority}\r\n"
            f"x-ms-version: 2019-02-02\r\nAccept: application/json;odata=nometadata\r\nContent-Type: {kind}\r\n"
            f"Prefer: return-no-content\r\n{fields}Content-Length: {len(body)}\r\n\r\n"
        ).encode() + body

    def key(self):
        return self.random.choice(TABLES), f"p{self.random.randrange(PARTITIONS)}", f"r{self.random.randrange(ROWS):04}"

    def entity(self):
        """Returns the URL of a random entity."""
        table, partition, row = self.key()
        return f"{table}(PartitionKey='{partition}',RowKey='{row}')"

    def properties(self, **more):
        return json.dumps({"n": self.random.randrange(1000), "text": self.random.choice(self.texts)} | more)

    def get(self):
        entity = self.entity()

        def remember(head, _body):
            if found := ETAG.search(head):
                self.etags[entity] = found[1].decode()

        return self.request("GET", entity), (200, 404), remember

    def insert(self):
        table, partition, row = self.key()
        return self.request("POST", table, self.properties(PartitionKey=partition, RowKey=row)), (204, 409), None

    def upsert(self):
        return self.request("PUT", self.entity(), self.properties()), (204,), None

    def merge(self):
        return self.request("MERGE", self.entity(), self.properties()), (204,), None

    def update(self):
        """Updates an entity read earlier, which others may have changed since."""
        if not self.etags:
            return self.get()
        entity, etag = self.etags.popitem()
        return self.request("PUT", entity, self.properties(), f"If-Match: {etag}\r\n"), (204, 404, 412), None

    def delete(self):
        return self.request("DELETE", self.entity(), fields="If-Match: *\r\n"), (204, 404), None

    def transaction(self):
        table, partition, _ = self.key()
        start = self.random.randrange(ROWS - 100)
        parts = [batch_part(self.account, "PUT", f"{table}(PartitionKey='{partition}',RowKey='r{start + i:04}')",
                            self.properties()) for i in range(100)]

        def all_done(_head, body):
            if body.count(b"HTTP/1.1 204") != 100:
                raise Wrong(f"a transaction was answered with {body[:300]!r}")

        kind = BATCH_HEADERS["Content-Type"]
        return self.request("POST", "$batch", batch_body(parts), kind=kind), (202,), all_done

    def query(self):
        table, partition, row = self.key()
        condition = f"PartitionKey eq '{partition}' and RowKey ge '{row}'"
        return self.request("GET", f"{table}()?$top=20&$filter={condition.replace(' ', '%20')}"), (200,), None

    def page(self):
        """Reads a whole partition, or the part that matches a filter."""
        table, partition, _ = self.key()
        condition = f"PartitionKey eq '{partition}' and n lt {self.random.randrange(1000)}"
        return self.request("GET", f"{table}()?$filter={condition.replace(' ', '%20')}"), (200,), None

    def use_own_table(self):
        """Creates, fills and deletes a table. The requests are independent: the server may handle them in any order."""
        turn = self.random.randrange(10)
        if turn == 0:
            return self.request("DELETE", f"Tables('{self.own}')"), (204, 404), None
        if turn == 1:
            return self.request("POST", "Tables", json.dumps({"TableName": self.own})), (204, 409), None
        keys = {"PartitionKey": "p", "RowKey": str(self.random.randrange(10**6))}
        return self.request("POST", self.own, self.properties(**keys)), (204, 404, 409), None

    def some_requests(self):
        return [kind() for _, kind in self.random.choices(self.kinds, self.weights, k=DEPTH)]


def check(wire, allowed, hold):
    status, head, body = wire.answer()
    if status not in allowed:
        raise Wrong(f"{status} in place of {allowed}: {body[:300]!r}")
    if hold:
        hold(head, body)


def run(account, number, connections, done, wrong, stop):
    """Runs the load until `stop` is set. Counts requests and errors, and prints the first errors to standard error."""
    load = Load(account, number)
    wires = [Wire(account) for _ in range(connections)]
    while not stop.is_set():
        sent = []
        for i, wire in enumerate(wires):
            requests = load.some_requests()
            try:
                wire.client.sendall(b"".join(request for request, _, _ in requests))
                sent.append((i, requests))
            except OSError as error:
                wires[i] = failed(account, number, wrong, error)
        for i, requests in sent:
            try:
                for _, allowed, hold in requests:
                    check(wires[i], allowed, hold)
                    done[number] += 1
            except (Wrong, OSError) as error:
                wires[i] = failed(account, number, wrong, error)


def failed(account, number, wrong, error):
    """Counts an error. Returns a new connection, because responses may still arrive on the old one."""
    wrong[number] += 1
    if wrong[number] <= 5:
        print(f"soak: {error}", file=sys.stderr, flush=True)
    time.sleep(0.1)
    return Wire(account)
