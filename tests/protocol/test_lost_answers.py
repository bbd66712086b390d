"""Answers of the database that come too late or never: a write is answered by what it did. 503: nothing. 500: that is not
known."""
import contextlib
import json
import subprocess
import threading
import time

import pytest

import postgres
import rocktable_server as rocktable
from own_server import own_database

TABLE = "Orders"
STORE_TIMEOUT = 1  # seconds

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
    running = start("--store", store, "--storeTimeout", STORE_TIMEOUT)
    rocktable.create_table(running, TABLE)
    return running


def put(server, text, etag=None):
    headers = {"Content-Type": "application/json"} | ({"If-Match": etag} if etag else {})
    return rocktable.send(server, "PUT", f"/{TABLE}(PartitionKey='p',RowKey='r')", headers, json.dumps({"Text": text}))


def insert(server, text):
    body = json.dumps({"PartitionKey": "p", "RowKey": "r", "Text": text})
    return rocktable.send(server, "POST", f"/{TABLE}", {"Content-Type": "application/json"}, body)


def read(server):
    """(text, ETag) of the row; None if there is none."""
    answer = rocktable.send(server, "GET", f"/{TABLE}(PartitionKey='p',RowKey='r')")
    return (answer.json()["Text"], answer.headers["ETag"]) if answer.status == 200 else None


@contextlib.contextmanager
def held(store, lock):
    """Another client of the database holds this lock."""
    with subprocess.Popen(["psql", "--no-psqlrc", "--quiet", "--tuples-only", store], text=True, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as other:
        other.stdin.write(f"BEGIN; {lock}; SELECT 'locked';\n")
        other.stdin.flush()
        while "locked" not in other.stdout.readline():
            pass
        yield
        other.stdin.close()  # and so it rolls back


def locked_rows(store):
    """Another client of the database holds a lock on all entities."""
    return held(store, "SELECT count(*) FROM (SELECT 1 FROM rocktable_entities FOR UPDATE) entities")


def slow_writes(store, seconds):
    """Makes the database sleep before it inserts a record that has the word SLOW."""
    for statement in [f"""CREATE OR REPLACE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql AS
                          $$ BEGIN PERFORM pg_sleep({seconds}); RETURN NEW; END $$""",
                      """CREATE OR REPLACE TRIGGER sleep BEFORE INSERT ON rocktable_entities FOR EACH ROW
                         WHEN (position('SLOW'::bytea in NEW.record) > 0) EXECUTE FUNCTION sleep()"""]:
        postgres.sql(store, statement)


def backends(store):
    """The statements of the front ends that the server works on."""
    return int(postgres.sql(store, """SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                                      AND state = 'active' AND query LIKE '%rocktable_entities%'
                                      AND pid <> pg_backend_pid()"""))


def test_nothing_is_done_if_the_rules_for_its_answer_cannot_be_read(store, server):
    """The CORS rules of the account. What a front end knows of them it asks for again after a second."""
    assert insert(server, "first").status == 201
    before = read(server)
    time.sleep(1.2)
    with held(store, "LOCK TABLE rocktable_accounts"):
        assert put(server, "second").status == 503
    assert read(server) == before


def test_what_waits_for_a_lock_for_too_long_is_not_done_later(store, server):
    assert put(server, "first").status == 204
    before = read(server)
    with locked_rows(store):
        assert put(server, "late").status == 503
        assert backends(store) == 0
        assert put(server, "later", before[1]).status == 503
        assert backends(store) == 0
    time.sleep(0.5)
    assert read(server) == before
    assert put(server, "second", before[1]).status == 204


def test_a_deletion_that_waits_for_a_lock_for_too_long_is_not_done_later(store, server):
    """The database is well meanwhile, and the front end says so."""
    assert put(server, "first").status == 204
    before = read(server)
    with locked_rows(store):
        answer = rocktable.send(server, "DELETE", f"/{TABLE}(PartitionKey='p',RowKey='r')", {"If-Match": "*"})
        assert answer.status == 503
        assert backends(store) == 0
        ready = rocktable.exchange(server, rocktable.request_bytes(server, "GET", "/_rocktable/ready", signed=False))
        assert ready.status == 200
    time.sleep(0.5)
    assert read(server) == before


def test_a_transaction_that_waits_for_a_lock_for_too_long_is_not_done_later(store, server):
    assert put(server, "first").status == 204
    before = read(server)
    merge = rocktable.batch_part(server, "MERGE", f"{TABLE}(PartitionKey='p',RowKey='r')", {"Text": "late"},
                                 "If-Match: *\r\n")
    with locked_rows(store):
        answer = rocktable.send_batch(server, [merge])
        assert (answer.status, answer.code) == (503, "ServerBusy")
        assert backends(store) == 0
    time.sleep(0.5)
    assert read(server) == before


def test_a_write_is_not_taken_for_that_of_another_front_end_of_the_same_number(store, server, start):
    slow_writes(store, 3 * STORE_TIMEOUT)
    postgres.sql(store, "SELECT setval('rocktable_front_ends', 100)")  # the next number is that of the first, modulo 100
    other = start("--store", store, "--storeTimeout", STORE_TIMEOUT)
    answers = []
    late = threading.Thread(target=lambda: answers.append(insert(server, "SLOW")))
    late.start()
    time.sleep(0.3)
    assert insert(other, "fast").status == 201
    late.join()
    assert [answer.status for answer in answers] == [500]  # nobody knows whether it was inserted, and replaced since
    time.sleep(3 * STORE_TIMEOUT)
    assert read(server)[0] == "fast"


def test_a_write_whose_answer_was_lost_is_answered_by_what_it_did(store, server):
    """Its connection ends while the server works on it: it is repeated, unless it was done."""
    slow_writes(store, 0.4)  # twice that is less than STORE_TIMEOUT
    answers = []
    writer = threading.Thread(target=lambda: answers.append(insert(server, "SLOW")))
    writer.start()
    time.sleep(0.2)
    postgres.sql(store, """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                           WHERE datname = current_database() AND pid <> pg_backend_pid()""")
    writer.join()
    assert [answer.status for answer in answers] == [201]
    assert read(server)[0] == "SLOW"


def test_a_write_to_a_silent_database_has_an_unknown_effect(database, server):
    assert put(server, "first").status == 204
    with database.silent():
        begin = time.monotonic()
        assert put(server, "stalled").status == 500
        assert time.monotonic() - begin < 3 * STORE_TIMEOUT + 2
    deadline = time.monotonic() + 10
    while rocktable.send(server, "GET", "/Tables").status != 200 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert read(server)[0] in ("first", "stalled")
    assert put(server, "second").status == 204


def refusal_of_readiness(server):
    ready = rocktable.exchange(server, rocktable.request_bytes(server, "GET", "/_rocktable/ready", signed=False))
    assert ready.status == 503
    return ready.text


def test_a_front_end_does_not_use_tables_that_became_those_of_a_newer_version(store, server):
    assert put(server, "first").status == 204
    postgres.sql(store, "UPDATE rocktable_meta SET value = '99' WHERE name = 'format'")
    postgres.sql(store, """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                           WHERE datname = current_database() AND pid <> pg_backend_pid()""")
    assert put(server, "second").status == 503
    deadline = time.monotonic() + 10
    while "format 99" not in (text := refusal_of_readiness(server)):  # on a busy machine, an attempt ends before it knows
        assert time.monotonic() < deadline, text
        time.sleep(0.1)
    assert postgres.sql(store, "SELECT count(*) FROM rocktable_entities").strip() == "1"
    postgres.sql(store, "UPDATE rocktable_meta SET value = '1' WHERE name = 'format'")
    while read(server) is None:
        assert time.monotonic() < deadline
    assert read(server)[0] == "first"
