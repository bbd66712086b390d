"""A database whose clock goes back, as after the promotion of a standby that is behind: ETags never do."""
import json
import time

import pytest

import postgres
import rocktable_server as rocktable
from own_server import own_database

TABLE = "Orders"
BEHIND = 60  # seconds
LOOKED = 2.0  # seconds until each front end has asked the database for its time

# A clock that the statements of the front ends find before PostgreSQL's own.
CLOCK = ["CREATE SCHEMA turned", "CREATE TABLE turned.back (seconds int)", "INSERT INTO turned.back VALUES (0)", """
    CREATE FUNCTION turned.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    'SELECT pg_catalog.clock_timestamp() - seconds * interval ''1 second'' FROM turned.back'"""]

pytestmark = pytest.mark.embedded("it starts databases of its own")


@pytest.fixture
def store():
    with own_database() as server:
        url = postgres.new_database(server.url)
        for statement in CLOCK:
            postgres.sql(url, statement)
        postgres.sql(url, f"ALTER DATABASE {url.rsplit('/', 1)[1]} SET search_path = turned, pg_catalog, public")
        yield url


@pytest.fixture
def front_ends(store):
    first, second = rocktable.Server("--store", store), rocktable.Server("--store", store)
    try:
        rocktable.create_table(first, TABLE)
        time.sleep(LOOKED)
        yield first, second
    finally:
        first.kill()
        second.kill()


def turn_back(store):
    postgres.sql(store, f"UPDATE turned.back SET seconds = {BEHIND}")
    time.sleep(LOOKED)


def insert(server, row):
    """Returns the ETag: it has the time in a form that sorts."""
    answer = rocktable.send(server, "POST", f"/{TABLE}", {"Content-Type": "application/json"},
                            json.dumps({"PartitionKey": "p", "RowKey": row}))
    assert answer.status == 201
    return answer.headers["etag"]


def delete(server, row):
    assert rocktable.send(server, "DELETE", f"/{TABLE}(PartitionKey='p',RowKey='{row}')",
                          {"If-Match": "*"}).status == 204


def test_an_entity_that_was_deleted_and_is_inserted_again_has_a_later_etag(store, front_ends):
    first, second = front_ends
    before = insert(first, "r")
    delete(first, "r")
    turn_back(store)
    assert before < insert(second, "r")


def test_a_new_entity_is_later_than_those_of_before(store, front_ends):
    first, second = front_ends
    before = insert(first, "a")
    turn_back(store)
    assert min(insert(second, "b"), insert(first, "c"), insert(second, "d")) > before
