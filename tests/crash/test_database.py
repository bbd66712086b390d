"""Nothing acknowledged is lost when connections, the database, the network or a front end fail (database.py)."""
import functools

import pytest

import database
import postgres
from own_server import own_database

ROUNDS = 3
STORE_TIMEOUT = 1  # seconds


@pytest.fixture(scope="module")
def server():
    with own_database(database.FailingPostgres) as running:
        yield running


def check(server, fail, rounds=ROUNDS, options=(), least=101):
    """`least`: of requests acknowledged."""
    url = postgres.new_database(server.url)
    try:
        return database.check([url] * 3, functools.partial(fail, server), rounds, options, least)
    finally:
        postgres.drop_database(url)


@pytest.mark.embedded("it starts a database of its own")
@pytest.mark.parametrize("fail", [database.end_connections, database.kill_database, database.kill_front_end])
def test_no_acknowledged_write_is_lost_and_nothing_is_done_twice(server, fail):
    check(server, fail)


@pytest.mark.embedded("it starts databases of its own")
def test_a_synchronous_standby_that_is_promoted_has_every_acknowledged_write():
    with own_database(database.Pair) as pair:
        pause = check(pair, database.fail_over, rounds=1, least=10)
    assert pause < 10


@pytest.mark.embedded("it starts a database of its own")
@pytest.mark.skipif(database.Cable.why_not() is not None, reason=str(database.Cable.why_not()))
@pytest.mark.parametrize("seconds", [0.5, 3 * STORE_TIMEOUT])
def test_a_network_that_is_cut_loses_no_acknowledged_write(seconds):
    cable = database.Cable()
    try:
        with own_database(database.FailingPostgres, cable.FAR, cable.within) as server:
            pause = check(server, database.pull_cable(cable, seconds), rounds=1,
                          options=("--storeTimeout", str(STORE_TIMEOUT)), least=1)
        assert pause < seconds + 10
    finally:
        cable.remove()
