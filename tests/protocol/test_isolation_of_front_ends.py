"""Three front ends of one database, while faults of every kind happen: each entity stays linearizable.

    ROCKTABLE_TEST_SECONDS=N   duration, instead of 6 seconds

What is answered with 503 has no effect. What gets 500 or no answer may have had one: it counts if somebody saw it.
"""
import concurrent.futures
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import time

import pytest

import postgres
import rocktable_server as rocktable
from history import Read, Refused, Write, check_linearizable
from own_server import own_database

SECONDS = float(os.environ.get("ROCKTABLE_TEST_SECONDS", 6))
TABLE = "Counters"
ENTITIES = 3
CLIENTS = 24
STORE_TIMEOUT = 1
NEVER = float("inf")

pytestmark = pytest.mark.embedded("it starts a database of its own")


class Places:
    """The front ends, each at a port of its own; one that was killed is started again there."""

    def __init__(self, url):
        self.url = url
        self.said = ""  # by those that have ended
        self.running = [self.start(0) for _ in range(3)]

    def start(self, port):
        return rocktable.Server("--store", self.url, "--storeTimeout", str(STORE_TIMEOUT), "--storeWait", "30", port=port)

    def restart(self, number, ending):
        server = self.running[number]
        server.process.send_signal(ending)
        server.process.wait(20)
        self.running[number] = self.start(server.ready["port"])
        self.said += server.errors()
        server.kill()

    def why(self, request_id):
        """What the front ends say of a request."""
        said = self.said + "".join(server.errors() for server in self.running)
        return [line for line in said.splitlines() if request_id in line]

    def stop(self):
        for server in self.running:
            server.kill()


class Client:
    """Sends requests to one front end, over a connection that it makes again when it is lost."""

    def __init__(self, server):
        self.server, self.connection = server, None

    def send(self, method, row, headers=None, body=None):
        """Returns (status, ETag or None, value of a GET, or the id of a request that failed); status 0: there is no answer."""
        target = f"{self.server.base}/{TABLE}(PartitionKey='p',RowKey='{row}')"
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
        row = random_of.randrange(ENTITIES)
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


def cut_connections(database, url, places, random_of):
    postgres.sql(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rocktable' "
                      "AND datname = current_database() AND random() < 0.5")


def be_silent(database, url, places, random_of):
    with database.silent():
        time.sleep(random_of.uniform(0.1, 1.8))


def crash_database(database, url, places, random_of):
    database.halt()
    time.sleep(random_of.uniform(0, 1))
    database.start()


def lock_rows(database, url, places, random_of):
    seconds = random_of.uniform(0.05, 1.5)
    postgres.sql(url, f"DO $$ BEGIN PERFORM 1 FROM rocktable_entities FOR UPDATE; PERFORM pg_sleep({seconds}); END $$")


def kill_front_end(database, url, places, random_of):
    places.restart(random_of.randrange(3), signal.SIGKILL)


def stop_front_end(database, url, places, random_of):
    places.restart(random_of.randrange(3), signal.SIGTERM)


def stall_front_end(database, url, places, random_of):
    server = places.running[random_of.randrange(3)]
    server.process.send_signal(signal.SIGSTOP)
    time.sleep(random_of.uniform(0.1, 1.8))
    server.process.send_signal(signal.SIGCONT)


FAULTS = [cut_connections, be_silent, crash_database, lock_rows, kill_front_end, stop_front_end, stall_front_end]


def test_each_entity_is_linearizable_whatever_fails():
    with own_database() as database:
        url = postgres.new_database(database.url)
        places = Places(url)
        try:
            rocktable.create_table(places.running[0], TABLE)
            histories = []
            for row in range(ENTITIES):
                start = time.monotonic()
                status, etag, _ = Client(places.running[0]).send("PUT", row, None, json.dumps({"n": 0}))
                assert status == 204
                histories.append(History(Write(start, time.monotonic(), etag, 0, None)))
            until = time.monotonic() + SECONDS
            random_of, happened = random.Random(7), []
            with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
                running = [pool.submit(work, places.running[number % 3], number + 1, until, histories)
                           for number in range(CLIENTS)]
                while time.monotonic() < until - 2.5:
                    fault = FAULTS[len(happened)] if len(happened) < len(FAULTS) else random_of.choice(FAULTS)
                    try:
                        fault(database, url, places, random_of)
                    except subprocess.CalledProcessError:
                        assert fault in (cut_connections, lock_rows)  # the database is starting
                    happened.append(fault.__name__)
                    time.sleep(random_of.uniform(0.1, 0.5))
                for one in running:
                    one.result()
            for row, history in enumerate(histories):
                client = Client(places.running[0])
                start = time.monotonic()
                status, etag, value = client.send("GET", row)
                assert status == 200
                history.known.append(Read(start, time.monotonic(), etag, value))
            told = [history.check(places) for history in histories]
            print(f"{len(happened)} faults; operations, late writes that were seen, unknown writes: {told}")
            assert all(known > 50 for known, _, _ in told)
        finally:
            places.stop()
            postgres.drop_database(url)
