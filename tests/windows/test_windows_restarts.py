"""The program for Windows on one folder: killed while clients write, and stopped in order.

    ROCKTABLE_TEST_LONG=1   20 kills and 50 stops, in place of 3 and 5, with another seed each time

A journal outside the program has what was answered (tests/crash/workload.py). `pytest -rP` shows the figures.
"""
import contextlib
import json
import os
import random
import secrets
import statistics
import time

import pytest

import windows_program
from process import wait_until
from rocktable_server import BATCH_HEADERS, batch_body, batch_part, create_table, send
from windows_program import SECONDS, serving
from workload import Check, Client, Writer, entities_of

pytestmark = pytest.mark.skipif(not windows_program.IS_THERE, reason=windows_program.WHAT_IS_MISSING)

LONG = bool(os.environ.get("ROCKTABLE_TEST_LONG"))
KILLS, STOPS = (20, 50) if LONG else (3, 5)
WRITERS = 4
SHARED_TABLES = ("Steady0", "Steady1")
MOST_BEFORE_A_KILL = 400  # requests: RocksDB writes and replaces files in most rounds
ROWS = 1000


def answered(writers):
    return sum(writer.acknowledged for writer in writers)


def test_kills_while_clients_write_lose_nothing_that_was_answered(tmp_path):
    seed = secrets.randbelow(10**6) if LONG else 1
    choices = random.Random(seed)
    writers = [Writer(number, random.Random(seed * 1000 + number), SHARED_TABLES) for number in range(WRITERS)]
    begin = time.monotonic()
    for number in range(KILLS + 1):
        with serving(tmp_path / str(number), "--silent", location=tmp_path / "data") as server:
            if number == 0:
                for name in SHARED_TABLES:
                    create_table(server, name)
            check = Check(server, writers)  # fails for each answered change that is missing, and for a half one
            check.run()
            if number == KILLS:
                assert server.stop() == 0
                break
            enough = answered(writers) + choices.randint(1, MOST_BEFORE_A_KILL)
            for writer in writers:
                writer.start(server)
            wait_until(lambda: answered(writers) >= enough, SECONDS, "the writers get no answers")
            assert server.process.poll() is None
            server.process.kill()
            server.process.wait(SECONDS)
            for writer in writers:
                writer.join()
    print(f"seed {seed}: {KILLS} kills, {answered(writers)} requests answered, none lost, {check.entities} entities, "
          f"{time.monotonic() - begin:.0f} s")


def test_starts_and_stops_in_order_keep_everything(tmp_path):
    seconds = []
    for number in range(STOPS):
        begin = time.monotonic()
        with serving(tmp_path / str(number), "--silent", location=tmp_path / "data") as server:
            seconds.append(time.monotonic() - begin)
            if number == 0:
                create_table(server, "Kept")
                for first in range(0, ROWS, 100):
                    entities = [{"PartitionKey": "p", "RowKey": f"{first + i:04}", "A": "x" * 500} for i in range(100)]
                    parts = [batch_part(server, "POST", "Kept", entity) for entity in entities]
                    assert send(server, "POST", "/$batch", BATCH_HEADERS, batch_body(parts)).status == 202
            with contextlib.closing(Client(server)) as client:
                assert len(entities_of(client, "Kept")) == ROWS + number
            entity = {"PartitionKey": "starts", "RowKey": f"{number}"}
            assert send(server, "POST", "/Kept", {"Prefer": "return-no-content"}, json.dumps(entity)).status == 204
            assert server.stop() == 0
            assert number == 0 or server.errors() == ""  # the first one says that it makes the folder
    print(f"{STOPS} starts and stops, none failed; until ready: median {statistics.median(seconds):.2f} s, "
          f"slowest {max(seconds):.2f} s")
