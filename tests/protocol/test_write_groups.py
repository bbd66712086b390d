"""Writes and reads of many clients share transactions and round trips on the shared store: each has its own outcome."""
import concurrent.futures
import contextlib
import json
import subprocess
import time

import pytest

import postgres
import rocktable_server as rocktable
from own_server import own_database

TABLE = "Orders"
CLIENTS = 48  # more than go at once, so that they meet
ROUNDS = 12
MOMENT = 1.0  # s; on a busy machine, too

pytestmark = pytest.mark.embedded("it starts a database of its own")


@pytest.fixture(scope="module")
def database():
    with own_database() as server:
        yield server


@pytest.fixture
def store(database):
    url = postgres.new_database(database.url)
    yield url
    postgres.drop_database(url)


@pytest.fixture
def server(store, start):
    running = start("--store", store)
    rocktable.create_table(running, TABLE)
    return running


def send(server, method, row=None, value=None, headers=None):
    target = f"/{TABLE}" if row is None else f"/{TABLE}(PartitionKey='p',RowKey='{row}')"
    body = None if value is None else json.dumps({"PartitionKey": "p", **value})
    return rocktable.send(server, method, target, {"Content-Type": "application/json", **(headers or {})}, body)


def insert(server, row, number=0):
    return send(server, "POST", value={"RowKey": row, "Number": number}).status


def number(server, row):
    answer = send(server, "GET", row)
    return answer.json()["Number"] if answer.status == 200 else None


def transactions(store):
    """How many the database has committed."""
    postgres.sql(store, "SELECT pg_stat_clear_snapshot()")
    return int(postgres.sql(store, "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"))


def test_each_write_of_a_group_has_its_own_outcome(server):
    """Conflicts, preconditions that fail, rows that are missing, and a table that is."""
    for row in ("taken", "changed"):
        assert insert(server, row) == 201

    def write(client, turn):
        row = f"{client}-{turn}"
        kind = client % 6
        if kind == 0:
            return kind, insert(server, row)
        if kind == 1:
            return kind, insert(server, "taken")
        if kind == 2:
            return kind, send(server, "PUT", "changed", {"Number": 1}, {"If-Match": "W/\"datetime'2020-01-01T00%3A00%3A00Z'\""}).status
        if kind == 3:
            return kind, send(server, "DELETE", row, headers={"If-Match": "*"}).status
        if kind == 4:
            return kind, send(server, "PUT", row, {"Number": turn}).status
        return kind, rocktable.send(server, "POST", "/Missing", {"Content-Type": "application/json"},
                                    json.dumps({"PartitionKey": "p", "RowKey": row})).status

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        told = set(pool.map(write, *zip(*((client, turn) for turn in range(ROUNDS) for client in range(CLIENTS)))))
    assert told == {(0, 201), (1, 409), (2, 412), (3, 404), (4, 204), (5, 404)}
    kept = rocktable.all_entities(server, TABLE)
    assert len(kept) == 2 + 2 * ROUNDS * CLIENTS // 6
    assert len({entity["RowKey"] for entity in kept}) == len(kept)


def test_reads_of_a_group_have_their_own_rows(server):
    for row in range(20):
        assert insert(server, str(row), row) == 201
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        rows = [i % 40 for i in range(1200)]  # half of them are missing
        assert list(pool.map(lambda row: number(server, str(row)), rows)) == [
            row if row < 20 else None for row in rows]


@contextlib.contextmanager
def locked_rows(store):
    """Another client of the database holds a lock on all entities."""
    with subprocess.Popen(["psql", "--no-psqlrc", "--quiet", "--tuples-only", store], text=True, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as other:
        other.stdin.write("BEGIN; SELECT count(*) FROM (SELECT 1 FROM rocktable_entities FOR UPDATE) locked;\n")
        other.stdin.flush()
        other.stdout.readline()
        yield
        other.stdin.close()  # and so it rolls back


def test_rows_that_somebody_locks_keep_only_their_own_writers_waiting(store, server):
    held = [f"held-{i}" for i in range(5)]
    for row in held:
        assert insert(server, row) == 201
    with concurrent.futures.ThreadPoolExecutor(CLIENTS + len(held)) as pool:
        with locked_rows(store):
            waiting = [pool.submit(send, server, "PUT", row, {"Number": 7}) for row in held]
            time.sleep(0.2)
            begin = time.monotonic()
            assert {insert(server, f"alone-{i}") for i in range(5)} == {201}
            assert set(pool.map(lambda i: insert(server, f"free-{i}"), range(20 * CLIENTS))) == {201}
            assert time.monotonic() - begin < 5 + MOMENT
            assert not any(one.done() for one in waiting)
        assert {one.result().status for one in waiting} == {204}
    assert [number(server, row) for row in held] == [7] * len(held)


def test_a_refusal_of_the_database_for_one_leaves_the_others(store, server):
    """A group in which a statement fails is done again, each write alone."""
    for statement in ["CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
                      "$$ BEGIN RAISE EXCEPTION 'refused by a test' USING ERRCODE = '53100'; END $$",
                      "CREATE TRIGGER refuse BEFORE INSERT ON rocktable_entities FOR EACH ROW "
                      "WHEN (position('REFUSED'::bytea in NEW.record) > 0) EXECUTE FUNCTION refuse()"]:
        postgres.sql(store, statement)

    def write(i):
        value = {"RowKey": str(i), "Text": "REFUSED" if i % 10 == 0 else "x"}
        return i % 10 == 0, send(server, "POST", value=value).status

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        assert set(pool.map(write, range(600))) == {(True, 503), (False, 201)}
    assert len(rocktable.all_entities(server, TABLE)) == 540


def test_writes_that_meet_share_transactions(store, server):
    before = transactions(store)
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        assert set(pool.map(lambda i: insert(server, str(i)), range(2000))) == {201}
    time.sleep(1.5)  # the database counts with a delay
    assert transactions(store) - before < 1900  # this client is slow: few of its requests meet


def test_connections_that_are_cut_lose_and_double_nothing(store, server):
    """Groups whose answers are lost: each write is answered by what it did."""
    with concurrent.futures.ThreadPoolExecutor(CLIENTS + 1) as pool:
        writing = [pool.submit(insert, server, str(i), i) for i in range(1500)]
        while not all(one.done() for one in writing):
            postgres.sql(store, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                                "WHERE application_name = 'rocktable' AND datname = current_database() AND random() < 0.5")
        statuses = [one.result() for one in writing]
    kept = {int(entity["RowKey"]) for entity in rocktable.all_entities(server, TABLE)}
    assert set(statuses) <= {201, 500, 503}
    assert {i for i, status in enumerate(statuses) if status == 201} <= kept
    assert not kept & {i for i, status in enumerate(statuses) if status == 503}
    assert statuses.count(201) > 1000
