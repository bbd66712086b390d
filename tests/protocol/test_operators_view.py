"""What an operator sees and sets of a front end: readiness, the log, connections, metrics, and how it ends."""
import concurrent.futures
import contextlib
import functools
import json
import os
import re
import signal
import subprocess
import time
import urllib.parse

import pytest

import postgres
import rocktable_server as rocktable
from own_server import own_database, own_server

TABLE = "Orders"
SECONDS = 2  # the limit for the database to answer
MOMENT = 1.0  # s; on a busy machine, too

pytestmark = pytest.mark.embedded("it starts databases of its own")

embedded = own_server()


@pytest.fixture(scope="module")
def database():
    with own_database() as server:
        yield server


@pytest.fixture
def store(database):
    """The URL of an empty database."""
    url = postgres.new_database(database.url)
    yield url
    postgres.drop_database(url)


@pytest.fixture
def front_end(store):
    """Starts front ends of the store with these flags."""
    with contextlib.ExitStack() as running:
        def start(*flags, url=store, timeout=SECONDS):
            server = rocktable.Server("--store", url, "--storeTimeout", str(timeout), *map(str, flags))
            running.callback(server.kill)
            return server
        yield start


def control(server, resource, headers=None):
    return rocktable.exchange(server, rocktable.request_bytes(server, "GET", f"/_rocktable/{resource}", headers,
                                                              signed=False))


def point_read(server):
    return rocktable.request_bytes(server, "GET", f"{server.base}/{TABLE}(PartitionKey='p',RowKey='r')")


def query(server):
    return rocktable.request_bytes(server, "GET", f"{server.base}/{TABLE}()?$filter=Text%20eq%20'x'")


def insertion(server):
    return rocktable.request_bytes(server, "POST", f"{server.base}/{TABLE}", {"Content-Type": "application/json"},
                                   json.dumps({"PartitionKey": "p", "RowKey": os.urandom(8).hex()}).encode())


def wait_until(holds, limit=10.0):
    """Returns after how long it holds."""
    begin = time.monotonic()
    while not holds():
        assert time.monotonic() - begin < limit
        time.sleep(0.05)
    return time.monotonic() - begin


# --- A database that is silent ----------------------------------------------------------------------------------------


def test_a_silent_database_is_told_within_two_seconds_and_in_the_log(database, front_end):
    server = front_end()
    assert control(server, "ready").status == 200
    with database.silent():
        assert wait_until(lambda: control(server, "ready").status == 503) < 2 + MOMENT
        told = control(server, "ready").json()
        assert told["status"] == "unavailable"
        assert told["error"].startswith("The store is not available: ")
        assert metric(server, "rocktable_store_up") == 0
        wait_until(lambda: "the database does not answer: " in server.errors())
    wait_until(lambda: control(server, "ready").status == 200)
    wait_until(lambda: re.search(r"the database answers again, after \d+\.\d s", server.errors()))
    assert server.errors().count("the database does not answer: ") == 1
    assert metric(server, "rocktable_store_up") == 1


def test_all_who_wait_for_a_silent_database_are_answered_in_time(database, front_end):
    """Also queries, which have threads, and many more requests than reach the database."""
    server = front_end()
    rocktable.create_table(server, TABLE)
    for request in (point_read, query, insertion):
        assert rocktable.exchange(server, request(server)).status in (200, 201, 404)
    with contextlib.ExitStack() as waiting, database.silent():
        clients = [waiting.enter_context(rocktable.connection(server)) for _ in range(300)]
        begin = time.monotonic()
        for i, client in enumerate(clients):
            client.sendall((point_read, query, insertion)[i % 3](server))
        statuses = [rocktable.read_response(client).status for client in clients]
        assert time.monotonic() - begin < SECONDS + 1 + 2 * MOMENT
        assert set(statuses) <= {500, 503}
        assert all(status == 503 for i, status in enumerate(statuses) if i % 3 != 2)  # reads have no effect


def test_a_stop_with_a_silent_database_answers_who_waits_and_ends(database, front_end):
    server = front_end(timeout=60)
    rocktable.create_table(server, TABLE)
    rocktable.exchange(server, insertion(server))
    with contextlib.ExitStack() as waiting, database.silent():
        clients = [waiting.enter_context(rocktable.connection(server)) for _ in range(60)]
        for i, client in enumerate(clients):
            client.sendall((point_read, query, insertion)[i % 3](server))
        time.sleep(0.5)
        begin = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert {rocktable.read_response(client).status for client in clients} <= {500, 503}
        assert server.process.wait(10) == 0
        assert time.monotonic() - begin < 6 + MOMENT


# --- Connections ------------------------------------------------------------------------------------------------------


def connections(url):
    name = url.rsplit("/", 1)[1]
    return int(postgres.sql(url, "SELECT count(*) FROM pg_stat_activity "
                                 f"WHERE application_name = 'rocktable' AND datname = '{name}'"))


def test_there_are_no_more_connections_than_allowed(store, front_end):
    server = front_end("--storeConnections", 2, timeout=20)
    rocktable.create_table(server, TABLE)
    most = []
    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        def use(i):
            return rocktable.exchange(server, (point_read, query, insertion)[i % 3](server)).status
        running = [pool.submit(use, i) for i in range(300)]
        while not all(one.done() for one in running):
            most.append(connections(store))
        assert {one.result() for one in running} == {200, 201, 404}
    assert 2 <= max(most) <= 3  # one asks whether the database answers
    assert metric(server, "rocktable_store_connections_limit") == 2
    assert metric(server, 'rocktable_store_connections{state="in_use"}') == 0
    assert metric(server, "rocktable_store_calls_waiting") == 0


def test_who_waits_for_a_connection_for_too_long_is_told_so(store, front_end):
    """The copy of an account has the only one, and waits for a lock of the database."""
    server = front_end("--storeConnections", 1, "--anyAccount")
    rocktable.create_table(server, TABLE)
    with contextlib.ExitStack() as waiting:
        locking = waiting.enter_context(subprocess.Popen(["psql", "--no-psqlrc", "--quiet", store], text=True,
                                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        locking.stdin.write("BEGIN; LOCK TABLE rocktable_accounts; SELECT 'locked';\n")
        locking.stdin.flush()
        while "locked" not in locking.stdout.readline():
            pass
        copying = waiting.enter_context(rocktable.connection(server))
        copying.sendall(rocktable.request_bytes(server, "POST", "/_rocktable/accounts/copy?from=devstoreaccount1",
                                                signed=False))
        wait_until(lambda: metric(server, 'rocktable_store_connections{state="in_use"}') == 1)
        begin = time.monotonic()
        answer = rocktable.exchange(server, point_read(server))
        assert (answer.status, answer.code) == (503, "ServerBusy")
        assert time.monotonic() - begin < SECONDS + 1 + MOMENT
        assert "all 1 connections to the database are in use" in server.errors()
        locking.stdin.close()
        assert rocktable.read_response(copying).status == 201
    assert rocktable.exchange(server, point_read(server)).status == 404


def test_idle_connections_go_when_the_database_has_no_more():
    with own_database(functools.partial(postgres.Postgres, settings={"max_connections": "30"})) as database:
        url = postgres.new_database(database.url)
        greedy = rocktable.Server("--store", url)
        other = None
        try:
            rocktable.create_table(greedy, TABLE)
            with concurrent.futures.ThreadPoolExecutor(24) as pool:
                list(pool.map(lambda _: rocktable.exchange(greedy, insertion(greedy)), range(600)))
            other = rocktable.Server("--store", url, "--storeWait", "20")
            assert rocktable.exchange(other, insertion(other)).status == 201
            if 10 <= connections(url) < 24:
                pytest.skip("requests came too slowly to use all connections: they shared some")
            wait_until(lambda: connections(url) < 10)
        finally:
            for server in filter(None, (greedy, other)):
                server.kill()


def test_a_start_waits_for_a_database_that_is_not_up_yet():
    with own_database() as database:
        url = postgres.new_database(database.url)
        database.halt()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            starting = pool.submit(rocktable.Server, "--store", url, "--storeWait", "20")
            time.sleep(1.5)
            database.start()
            server = starting.result()
        try:
            assert control(server, "ready").status == 200
            assert re.search(r"waits for the database postgresql://\S+: .*Connection refused", server.errors())
        finally:
            server.kill()


def test_a_start_does_not_wait_longer_than_told(store):
    begin = time.monotonic()
    ended = subprocess.run([rocktable.BINARY, "--store", "postgresql://127.0.0.1:1/none", "--storeWait", "1",
                            "--tablePort", "0"], capture_output=True, text=True, timeout=20)
    assert 1 <= time.monotonic() - begin < 5
    assert ended.returncode != 0
    assert ended.stderr.splitlines()[-1].startswith("rocktable: cannot open the store postgresql://127.0.0.1:1/none: ")


@pytest.mark.parametrize("flag", ["--storeTimeout", "--storeConnections", "--storeWait"])
def test_flags_of_a_database_need_one(flag):
    ended = subprocess.run([rocktable.BINARY, flag, "5"], capture_output=True, text=True, timeout=20)
    assert ended.returncode == 2
    assert f"{flag} needs --store" in ended.stderr


# --- The end ----------------------------------------------------------------------------------------------------------


def test_a_server_that_drains_is_not_ready_and_serves_on():
    server = rocktable.Server("--drain", "2")
    rocktable.create_table(server, TABLE)
    with rocktable.connection(server) as client:
        client.sendall(point_read(server))
        assert rocktable.read_response(client).headers["Connection"] != "close"
        begin = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: control(server, "ready").status == 503)
        assert control(server, "ready").json() == {"status": "stopping"}
        client.sendall(point_read(server))
        answer = rocktable.read_response(client)
        assert (answer.status, answer.headers["Connection"]) == (404, "close")
        assert client.recv(1) == b""
    assert rocktable.exchange(server, insertion(server)).status == 201
    assert server.process.wait(10) == 0
    assert 2 <= time.monotonic() - begin < 2 + 2 * MOMENT


def test_a_second_signal_ends_it_at_once():
    server = rocktable.Server("--drain", "60")
    server.process.send_signal(signal.SIGTERM)
    wait_until(lambda: control(server, "ready").status == 503)
    time.sleep(0.6)  # two signals within half a second are one
    begin = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    server.process.wait(10)
    assert time.monotonic() - begin < MOMENT


# --- Metrics ----------------------------------------------------------------------------------------------------------


def metrics(server):
    """Returns {name with labels: value}, and checks that the text is what Prometheus reads."""
    answer = control(server, "metrics")
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    out, types, text = {}, {}, answer.text
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in types, "metrics of one name follow each other"
            types[name] = kind
        elif not line.startswith("# HELP "):
            key, value = line.rsplit(" ", 1)
            name = re.fullmatch(r'(\w+)(?:\{(?:\w+="[^"\\]*",?)+\})?', key).group(1)
            family = re.sub(r"_(bucket|sum|count)$", "", name)
            assert types.get(name) in ("counter", "gauge") or types[family] == "histogram"
            assert name == list(types)[-1] or family == list(types)[-1]
            assert key not in out
            out[key] = float(value)
    return out


def metric(server, key):
    return metrics(server)[key]


def test_metrics_count_requests_by_operation_plan_and_status(embedded):
    rocktable.create_table(embedded, TABLE)
    for _ in range(3):
        rocktable.exchange(embedded, point_read(embedded))
    rocktable.exchange(embedded, insertion(embedded))
    told = metrics(embedded)
    assert told['rocktable_requests_total{operation="CreateTable",plan="",status="204"}'] == 1
    missing = [key for key in told if 'operation="GetEntity"' in key and 'status="404"' in key]
    assert [told[key] for key in missing] == [3], told
    assert told["rocktable_store_up"] == 1
    assert not any("connections" in key for key in told)


def test_a_query_that_comes_again_uses_a_column_until_the_next_write(embedded):
    rocktable.create_table(embedded, "Columns")

    def insert(rows):
        parts = [rocktable.batch_part(embedded, "POST", "Columns", json.dumps(
            {"PartitionKey": f"p{row // 100}", "RowKey": f"{row:04}", "Number": row})) for row in rows]
        assert rocktable.send_batch(embedded, parts).status == 202

    def ask(**parameters):
        options = urllib.parse.urlencode({"$filter": "Number ge 597", **parameters}, quote_via=urllib.parse.quote)
        answer = rocktable.send(embedded, "GET", f"/Columns()?{options}")
        assert answer.status == 200, answer
        rows = [(entity["RowKey"], entity["Number"]) for entity in answer.json()["value"]]
        return rows, rocktable.continuation(answer)

    for begin in range(0, 600, 100):
        insert(range(begin, begin + 100))
    assert metric(embedded, "rocktable_store_column_bytes") == 0
    first, short = ask(), ask(**{"$top": "2"})
    assert first[0] == [("0597", 597), ("0598", 598), ("0599", 599)]
    assert short[1], "a page that ends early has a token"
    for _ in range(4):
        assert ask() == first
        assert ask(**{"$top": "2"}) == short
        assert ask(**{"$select": "RowKey,Number"}) == first
    assert 600 * 17 < metric(embedded, "rocktable_store_column_bytes") < 100_000
    insert(range(600, 602))
    assert [row for row, _ in ask()[0]] == ["0597", "0598", "0599", "0600", "0601"]
    assert metric(embedded, "rocktable_store_column_bytes") == 0


def test_the_durations_of_an_operation_add_up(embedded):
    for _ in range(5):
        rocktable.exchange(embedded, insertion(embedded))
    told = metrics(embedded)
    name, label = "rocktable_request_duration_seconds", 'operation="InsertEntity"'
    buckets = [value for key, value in told.items() if key.startswith(f"{name}_bucket{{{label},")]
    count = told[f"{name}_count{{{label}}}"]
    assert buckets == sorted(buckets)
    assert buckets[-1] == count >= 5
    assert 0 < told[f"{name}_sum{{{label}}}"] < 60


def test_metrics_are_not_for_strangers():
    server = rocktable.Server("--controlToken", "secret-token-of-operators")
    try:
        assert control(server, "metrics").status == 401
        headers = {"Authorization": "Bearer secret-token-of-operators"}
        assert control(server, "metrics", headers).status == 200
    finally:
        server.kill()


def test_lost_connections_are_counted(store, front_end):
    server = front_end()
    rocktable.create_table(server, TABLE)
    wait_until(lambda: connections(store) == 2)  # one asks whether the database answers
    assert metric(server, "rocktable_store_failures_total") == 0
    postgres.sql(store, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rocktable' "
                        f"AND datname = '{store.rsplit('/', 1)[1]}'")
    assert rocktable.exchange(server, point_read(server)).status == 404
    wait_until(lambda: metric(server, "rocktable_store_failures_total") >= 1)
    assert metric(server, "rocktable_store_unknown_effects_total") == 0
