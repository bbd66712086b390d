"""Shards move between workers while clients read and write: no request fails."""
import concurrent.futures
import json
import time

import pytest

import citus
import rocktable_server as rocktable
from workload import Client

CLIENTS = 12
PARTITIONS = 60
MOVES = 8
TABLE = "Orders"
LONGEST_PAUSE = 5.0  # s


def work(server, number, moments):
    """Reads and writes the entities of a client until the moves are done. Returns (requests, the longest one in s)."""
    client, requests, longest, values = Client(server), 0, 0.0, {}
    while not moments.done():
        partition = requests // 2 % (PARTITIONS // CLIENTS) * CLIENTS + number
        target = f"/{TABLE}(PartitionKey='{partition}',RowKey='r')"
        begin = time.monotonic()
        if requests % 2 == 0:
            answer = client.send("PUT", target, None, json.dumps({"n": requests}))
            assert answer.status == 204, answer
            values[partition] = requests
        else:
            answer = client.send("GET", target)
            assert answer.status == 200, answer
            assert answer.json()["n"] == values[partition]
        longest = max(longest, time.monotonic() - begin)
        requests += 1
    client.close()
    return requests, longest


@pytest.mark.parametrize("mode", ["force_logical", "block_writes"])
def test_no_request_fails_while_shards_move(nodes, urls, mode):
    servers = []
    try:
        for url in urls:
            servers.append(rocktable.Server("--store", url))
        rocktable.create_table(servers[0], TABLE)
        time.sleep(1.2)  # until all front ends know of the table
        moves = concurrent.futures.Future()
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            running = [pool.submit(work, servers[number % 3], number, moves) for number in range(CLIENTS)]
            try:
                time.sleep(1)
                parts = citus.parts(urls[0])
                for number in range(MOVES):
                    citus.move(urls[0], nodes, parts[number % 2], mode)
            finally:
                moves.set_result(None)
            told = [one.result() for one in running]
        print(f"{MOVES} moves, {sum(requests for requests, _ in told)} requests, the longest took "
              f"{max(longest for _, longest in told):.2f} s")
        assert max(longest for _, longest in told) < LONGEST_PAUSE
    finally:
        for server in servers:
            server.kill()
