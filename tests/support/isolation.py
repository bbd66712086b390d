"""Clients that read and write a few entities through several front ends of one store, while faults happen. Each entity
must stay linearizable (history.py).

What is answered with 503 has no effect. What gets 500 or no answer may have had one: it counts if somebody saw it.
"""
import collections
import concurrent.futures
import functools
import http.client
import json
import random
import signal
import socket
import time

import rocktable_server as rocktable
from history import Read, Refused, Write, check_linearizable

TABLE = "Counters"
CLIENTS = 24
STORE_TIMEOUT = 1
LONGEST_FAULT = 2.5  # s
NEVER = float("inf")


class Places:
    """Front ends, one for each URL, each at a port of its own; one that was killed is started again there."""

    def __init__(self, urls):
        self.urls = urls
        self.said = ""  # by those that have ended
        self.running = []
        try:
            for url in urls:
                self.running.append(self.start(url, 0))
        except BaseException:
            self.stop()
            raise

    @staticmethod
    def start(url, port):
        return rocktable.Server("--store", url, "--storeTimeout", str(STORE_TIMEOUT), "--storeWait", "30", port=port)

    def restart(self, number, ending):
        server = self.running[number]
        server.process.send_signal(ending)
        server.process.wait(20)
        self.running[number] = self.start(self.urls[number], server.ready["port"])
        self.said += server.errors()
        server.kill()

    def why(self, request_id):
        """What the front ends say of a request."""
        said = self.said + "".join(server.errors() for server in self.running)
        return [line for line in said.splitlines() if request_id in line]

    def stop(self):
        for server in self.running:
            server.kill()


def partition(number):
    """The PartitionKey of an entity. Its RowKey is its number."""
    return f"p{number // 2}"


class Client:
    """Sends requests to one front end, over a connection that it makes again when it is lost."""

    def __init__(self, server):
        self.server, self.connection = server, None

    def send(self, method, row, headers=None, body=None):
        """Returns (status, ETag or None, value of a GET, or the id of a request that failed); status 0: there is no answer."""
        target = f"{self.server.base}/{TABLE}(PartitionKey='{partition(row)}',RowKey='{row}')"
        data = rocktable.request_bytes(self.server, method, target,
                                       {"Content-Type": "application/json", "Accept": "application/json;odata=nometadata",
                                        **(headers or {})}, body)
        try:
            if self.connection is None:
                self.connection = socket.create_connection(("127.0.0.1", self.server.ready["port"]), timeout=20)
            self.connection.sendall(data)
            answer = rocktable.read_response(self.connection, method)
        except (OSError, http.client.HTTPException, AssertionError):
            self.close()
            return 0, None, None
        value = answer.json()["n"] if method == "GET" and answer.status == 200 else answer.headers["x-ms-request-id"]
        return answer.status, answer.headers.get("ETag"), value

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class History:
    """What clients saw of one entity. Values are never used twice."""

    def __init__(self, first):
        self.first, self.known = first, []
        self.unknown = {}  # value: (start, ETag in If-Match or None)
        self.without_effect = {}  # value: id of its request

    def check(self, places):
        seen = {}
        for one in self.known:
            if isinstance(one, Read):
                seen.setdefault(one.value, one.etag)
        wrong = {value: places.why(request_id) for value, request_id in self.without_effect.items() if value in seen}
        assert not wrong, "writes that were answered with 503 were seen"
        late = [Write(start, NEVER, seen[value], value, before)
                for value, (start, before) in self.unknown.items() if value in seen]
        written = {one.etag for one in self.known + late if isinstance(one, Write)} | {self.first.etag}
        # A conditional write may name what an unknown write made that nobody read: its writer read it.
        check_linearizable(self.first, self.known + late)
        assert {one.etag for one in self.known if isinstance(one, Read)} <= written
        return len(self.known), len(late), len(self.unknown)


def work(server, number, until, histories):
    client, random_of, turn = Client(server), random.Random(number), 0
    while time.monotonic() < until:
        row = random_of.randrange(len(histories))
        history = histories[row]
        start = time.monotonic()
        status, etag, value = client.send("GET", row)
        if status == 200:
            history.known.append(Read(start, time.monotonic(), etag, value))
        else:
            assert status in (0, 500, 503), status
        if status != 200 or random_of.random() < 0.3:
            continue
        turn += 1
        value = number * 10_000_000 + turn
        before = etag if random_of.random() < 0.7 else None
        start = time.monotonic()
        status, etag, request_id = client.send("PUT", row, {"If-Match": before} if before else {}, json.dumps({"n": value}))
        end = time.monotonic()
        if status == 204:
            history.known.append(Write(start, end, etag, value, before))
        elif status == 412:
            history.known.append(Refused(start, end, before))
        elif status == 503:
            history.without_effect[value] = request_id
        else:
            assert status in (0, 500), status
            history.unknown[value] = (start, before)
    client.close()


# --- faults of front ends; each has (places, random_of) --------------------------------------------------------------------


def kill_front_end(places, random_of):
    places.restart(random_of.randrange(len(places.running)), signal.SIGKILL)


def stop_front_end(places, random_of):
    places.restart(random_of.randrange(len(places.running)), signal.SIGTERM)


def stall_front_end(places, random_of):
    server = places.running[random_of.randrange(len(places.running))]
    server.process.send_signal(signal.SIGSTOP)
    time.sleep(random_of.uniform(0.1, 1.8))
    server.process.send_signal(signal.SIGCONT)


FAULTS = [kill_front_end, stop_front_end, stall_front_end]


def name_of(fault):
    return (fault.func if isinstance(fault, functools.partial) else fault).__name__


def first_history(server, row):
    start = time.monotonic()
    status, etag, _ = Client(server).send("PUT", row, None, json.dumps({"n": 0}))
    assert status == 204
    return History(Write(start, time.monotonic(), etag, 0, None))


def check(urls, faults, entities, seconds, least):
    """Runs clients on front ends of these URLs, and each fault in turn, then at random. A fault returns False if it could not
    happen. Each entity must have at least so many operations with a known outcome."""
    places = Places(urls)
    try:
        rocktable.create_table(places.running[0], TABLE)
        histories = [first_history(places.running[0], row) for row in range(entities)]
        until = time.monotonic() + seconds
        random_of, turns, happened = random.Random(7), 0, collections.Counter()
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            running = [pool.submit(work, places.running[number % len(urls)], number + 1, until, histories)
                       for number in range(CLIENTS)]
            while time.monotonic() < until - LONGEST_FAULT:
                fault = faults[turns] if turns < len(faults) else random_of.choice(faults)
                turns += 1
                happened[name_of(fault)] += fault(places, random_of) is not False
                time.sleep(random_of.uniform(0.1, 0.5))
            for one in running:
                one.result()
        for row, history in enumerate(histories):
            start = time.monotonic()
            status, etag, value = Client(places.running[0]).send("GET", row)
            assert status == 200
            history.known.append(Read(start, time.monotonic(), etag, value))
        told = [history.check(places) for history in histories]
        print(f"{happened.total()} faults; operations, late writes that were seen, unknown writes: {told}")
        assert all(known > least for known, _, _ in told)
        assert turns < 3 * len(faults) or all(happened[name_of(fault)] for fault in faults), happened
    finally:
        places.stop()
