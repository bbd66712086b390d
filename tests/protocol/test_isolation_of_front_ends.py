"""Three front ends of one database, while faults of every kind happen: each entity stays linearizable.

    ROCKTABLE_TEST_SECONDS=N   duration, instead of 6 seconds
"""
import contextlib
import functools
import os
import subprocess
import time

import pytest

import isolation
import postgres
from own_server import own_database

SECONDS = float(os.environ.get("ROCKTABLE_TEST_SECONDS", 6))

pytestmark = pytest.mark.embedded("it starts a database of its own")


def statement(url, text):
    with contextlib.suppress(subprocess.CalledProcessError):  # the database is starting
        postgres.sql(url, text)


def cut_connections(database, url, places, random_of):
    statement(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rocktable' "
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
    statement(url, f"DO $$ BEGIN PERFORM 1 FROM rocktable_entities FOR UPDATE; PERFORM pg_sleep({seconds}); END $$")


FAULTS = [cut_connections, be_silent, crash_database, lock_rows]


def test_each_entity_is_linearizable_whatever_fails():
    with own_database() as database:
        url = postgres.new_database(database.url)
        try:
            faults = [functools.partial(fault, database, url) for fault in FAULTS] + isolation.FAULTS
            isolation.check([url] * 3, faults, entities=3, seconds=SECONDS, least=50)
        finally:
            postgres.drop_database(url)
