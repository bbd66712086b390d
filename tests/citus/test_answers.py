"""Answers are those of the service through each node."""
import pathlib
import subprocess

import pytest

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
