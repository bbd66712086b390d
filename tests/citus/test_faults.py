"""Nodes, connections and front ends fail, and shards move: each entity stays linearizable, and nothing that was acknowledged
is lost.

    ROCKTABLE_TEST_SECONDS=N   duration of the first test, instead of 30 seconds
"""
import contextlib
import functools
import os
import random
import subprocess
import time

import pytest

import citus
import database
import isolation
import postgres

SECONDS = float(os.environ.get("ROCKTABLE_TEST_SECONDS", 30))
ROUNDS = 3


def statement(url, text):
    with contextlib.suppress(subprocess.CalledProcessError):  # a node is starting
        return postgres.sql(url, text)
    return ""


# --- faults of nodes; each has (nodes, URLs of the store, places, random_of) -----------------------------------------------


def cut_connections(nodes, urls, places, random_of):
    """Also those between nodes."""
    return statement(random_of.choice(nodes).url, citus.CUT_HALF) != ""


def be_silent(nodes, urls, places, random_of):
    with random_of.choice(nodes).silent():
        time.sleep(random_of.uniform(0.1, 1.8))


def kill_node(nodes, urls, places, random_of):
    node = random_of.choice(nodes)
    node.kill()
    time.sleep(random_of.uniform(0, 1))
    node.start()


def lock_row(nodes, urls, places, random_of):
    rows = statement(urls[0], "SELECT key, part FROM rocktable_entities").split()
    if not rows:
        return False
    key, part = random_of.choice(rows).split("|")
    return statement(urls[0], f"BEGIN; SELECT 1 FROM rocktable_entities WHERE key = '{key}' AND part = {part} FOR UPDATE; "
                              f"SELECT pg_sleep({random_of.uniform(0.05, 1.5)}); COMMIT") != ""


def move_shard(nodes, urls, places, random_of):
    try:
        part = random_of.choice(citus.parts(urls[0]))
        citus.move(urls[0], nodes, part, random_of.choice(["force_logical", "block_writes"]))
    except subprocess.CalledProcessError:  # after a kill, a node may still be starting
        return False
    return True


FAULTS = [cut_connections, be_silent, kill_node, lock_row, move_shard]


def test_each_entity_is_linearizable_whatever_fails(nodes, urls):
    faults = [functools.partial(fault, nodes, urls) for fault in FAULTS] + isolation.FAULTS
    isolation.check(urls, faults, entities=8, seconds=SECONDS, least=50)


# --- nothing that was acknowledged is lost ---------------------------------------------------------------------------------


def kill_worker(nodes, farm):
    worker = random.Random(farm.acknowledged()).choice(nodes[1:])
    worker.kill()
    worker.start()


def kill_coordinator(nodes, _farm):
    nodes[0].kill()
    nodes[0].start()


def end_connections(nodes, _farm):
    for number in range(20):
        statement(nodes[number % len(nodes)].url, citus.CUT_HALF)
        time.sleep(0.02)


@pytest.mark.parametrize("fail", [end_connections, kill_worker, kill_coordinator, database.kill_front_end])
def test_no_acknowledged_write_is_lost_and_nothing_is_done_twice(nodes, urls, fail):
    database.check(urls, functools.partial(fail, nodes), ROUNDS)
