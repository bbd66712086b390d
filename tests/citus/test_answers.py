"""Answers are those of the service through each node."""
import json
import pathlib
import subprocess

import pytest

import rocktable_server as rocktable
from rocktable_server import Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDINGS = ROOT.parent / "shared/recordings"
NODES = ["coordinator", "first worker", "second worker"]


@pytest.fixture(params=NODES)
def server(request, urls):
    Server("--store", urls[0]).stop()  # makes the tables
    running = Server("--store", urls[NODES.index(request.param)])
    yield running
    running.stop()


def run(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_suite_of_conformance(server):
    run("tests/conformance/run", "--serviceProperties", "--require", "100", "--connectionString", server.connection_string)


@pytest.mark.skipif(not RECORDINGS.exists(), reason="the recorded exchanges of the service are not here")
def test_the_recorded_exchanges(server):
    run("tests/replay", server.endpoint)


def test_a_store_moves_there(urls):
    old, new = Server(), Server("--store", urls[0])
    try:
        for table in ("Orders", "Logs"):
            rocktable.create_table(old, table)
            for number in range(300):
                body = json.dumps({"PartitionKey": f"p{number % 40}", "RowKey": str(number), "Text": table * (number % 7)})
                assert rocktable.send(old, "POST", f"/{table}", None, body).status == 201
        run(rocktable.BINARY, "copy", "--from", old.connection_string, "--to", new.connection_string, "--all", "--verify")
        for table in ("Orders", "Logs"):
            assert without_time(rocktable.all_entities(new, table)) == without_time(rocktable.all_entities(old, table))
    finally:
        old.stop()
        new.stop()


def without_time(entities):
    return [{name: value for name, value in entity.items() if name != "Timestamp"} for entity in entities]
