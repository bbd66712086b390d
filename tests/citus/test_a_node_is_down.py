"""A node that stays down: requests for its partitions are refused, others go on."""
import json
import threading
import time

import pytest

import citus
import rocktable_server as rocktable

PARTITIONS = 24
STORE_TIMEOUT = 2
LATEST = STORE_TIMEOUT + 1.0  # s
BACK = 20.0  # s; until the node has started, and front ends have found it
TABLE = "Orders"


@pytest.fixture
def servers(urls):
    """A front end of each node."""
    running = []
    try:
        for url in urls:
            running.append(rocktable.Server("--store", url, "--storeTimeout", STORE_TIMEOUT))
        yield running
    finally:
        for server in running:
            server.kill()


def entity(number):
    return f"/{TABLE}(PartitionKey='{number}',RowKey='r')"


def write(server, number, value):
    return rocktable.send(server, "PUT", entity(number), None, json.dumps({"n": value})).status


def read(server, number):
    answer = rocktable.send(server, "GET", entity(number), {"Accept": "application/json;odata=nometadata"})
    return answer.status, answer.json()["n"] if answer.status == 200 else None


def some(homes, home, number=3):
    """Entities of a node. Requests for one that is down wait for it."""
    return [one for one, its in homes.items() if its == home][:number]


def in_time(call, *arguments):
    begin = time.monotonic()
    result = call(*arguments)
    assert time.monotonic() - begin < LATEST
    return result


def until(condition):
    deadline = time.monotonic() + BACK
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.fixture
def homes(nodes, urls, servers):
    """{number of an entity: index of its node}; both workers have some."""
    rocktable.create_table(servers[0], TABLE)
    for number in range(PARTITIONS):
        assert write(servers[0], number, 0) == 204
    found = citus.homes(urls[0], nodes)
    assert len(found) == PARTITIONS and set(found.values()) == {1, 2}
    return found


def test_of_a_worker_its_partitions_are_refused_and_others_go_on(nodes, servers, homes):
    nodes[2].kill()
    try:
        for server in servers[:2]:
            for number in some(homes, 1, PARTITIONS):
                assert in_time(read, server, number) == (200, 0)
                assert in_time(write, server, number, 0) == 204
            for number in some(homes, 2):
                assert in_time(read, server, number) == (503, None)
                assert in_time(write, server, number, 1) == 503
        assert in_time(rocktable.send, servers[0], "GET", f"/{TABLE}()").status == 503
        assert in_time(read, servers[2], 0)[0] == 503
    finally:
        nodes[2].start()
    for server in servers:
        until(lambda: all(read(server, number) == (200, 0) for number in homes))
    assert rocktable.send(servers[0], "GET", f"/{TABLE}()").status == 200


def test_a_table_is_made_on_all_nodes_or_none(nodes, servers, homes):
    nodes[2].kill()
    try:
        def make():
            return in_time(rocktable.send, servers[0], "POST", "/Tables", None, json.dumps({"TableName": "Later"})).status
        assert make() in (500, 503)  # nodes keep connections to each other, and it may have been sent over one
        assert make() == 503
        assert f"port {nodes[2].port}" in servers[0].errors() or f":{nodes[2].port}" in servers[0].errors()
        assert rocktable.send(servers[1], "GET", "/Tables('Later')").status == 404
    finally:
        nodes[2].start()
    until(lambda: read(servers[2], 0)[0] == 200)
    assert rocktable.send(servers[0], "GET", "/Tables('Later')").status == 404
    rocktable.create_table(servers[0], "Later")
    time.sleep(1.2)  # what other front ends know of tables is as old as that
    for server in servers:
        assert rocktable.send(server, "GET", "/Tables('Later')").status == 200


def test_of_the_coordinator_entities_go_on_through_workers(nodes, servers, homes):
    nodes[0].kill()
    try:
        for server in servers[1:]:
            for number in homes:
                assert in_time(read, server, number) == (200, 0)
                assert in_time(write, server, number, 0) == 204
        assert in_time(rocktable.send, servers[1], "GET", f"/{TABLE}()").status == 200
        assert in_time(read, servers[0], 0)[0] == 503
    finally:
        nodes[0].start()
    until(lambda: read(servers[0], 0) == (200, 0))


def test_a_silent_worker_stops_its_partitions_alone(nodes, servers, homes):
    here, there = some(homes, 1)[0], some(homes, 2)[0]
    stop = threading.Event()

    refused = []

    def insist():
        while not stop.is_set():
            refused.append(read(servers[0], there)[0])

    others = [threading.Thread(target=insist) for _ in range(30)]  # fewer than connections
    with nodes[2].silent():
        for other in others:
            other.start()
        time.sleep(STORE_TIMEOUT)
        try:
            waits = []
            for _ in range(20):
                begin = time.monotonic()
                assert read(servers[0], here) == (200, 0)
                waits.append(time.monotonic() - begin)
        finally:
            stop.set()
    for other in others:
        other.join()
    print(f"reads of the other node beside 30 clients of the silent one: {min(waits):.3f} to {max(waits):.3f} s")
    assert sorted(waits)[len(waits) // 2] < 0.5
    assert refused.count(503) > len(others) // 2
    until(lambda: read(servers[0], there) == (200, 0))


@pytest.mark.parametrize("missing", [1, 2])
def test_a_front_end_starts_while_a_node_is_down(nodes, urls, servers, homes, missing):
    nodes[missing].kill()
    try:
        servers.append(rocktable.Server("--store", urls[3 - missing], "--storeTimeout", STORE_TIMEOUT))
        for number in some(homes, 3 - missing, PARTITIONS):
            assert read(servers[-1], number) == (200, 0)
        assert read(servers[-1], some(homes, missing)[0]) == (503, None)
        assert "a node of the database is down" in servers[-1].errors()
    finally:
        nodes[missing].start()


def test_a_front_end_waits_for_its_node(nodes, urls, servers, homes):
    nodes[2].kill()
    starting = threading.Timer(2.0, nodes[2].start)
    starting.start()
    try:
        servers.append(rocktable.Server("--store", urls[2], "--storeWait", "30"))
        until(lambda: read(servers[-1], 0) == (200, 0))
    finally:
        starting.join()
