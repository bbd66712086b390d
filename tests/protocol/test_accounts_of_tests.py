"""An account for each test: parallel processes on one instance, each in a copy of a seeded account. The service has no
such function."""
import json
import os
import sys
import traceback
import urllib.parse

import pytest

import rocktable_server
from own_server import needs_program
from rocktable_server import all_entities, create_table, exchange, request_bytes, send

pytestmark = needs_program

PROCESSES = 100
ROWS = 20


@pytest.fixture
def seeded(start, tmp_path):
    folder = tmp_path / "seed" / "template"
    folder.mkdir(parents=True)
    rows = [{"PartitionKey": "p", "RowKey": f"{row:02}", "Owner": "nobody"} for row in range(ROWS)]
    (folder / "items.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return start("--seed", folder.parent, "--anyAccount", "--maxConnections", "1000")


def own_account(server, name):
    """Creates a copy of the template."""
    answer = exchange(server, request_bytes(server, "POST", f"/_rocktable/accounts/{name}?from=template", signed=False))
    assert answer.status in (200, 201), answer
    return rocktable_server.Account(server.connection_string.replace("devstoreaccount1", name))


def write_and_look(server, number):
    """The work of one test, on tables with the same names as in all other tests."""
    account = own_account(server, f"test{number}")
    mine = f"test {number}"
    create_table(account, "extra")
    for row in range(0, ROWS, 2):
        answer = send(account, "MERGE", f"/items(PartitionKey='p',RowKey='{row:02}')", body=json.dumps({"Owner": mine}))
        assert answer.status == 204, answer
        body = {"PartitionKey": "p", "RowKey": str(row), "Owner": mine}
        assert send(account, "POST", "/extra", body=json.dumps(body)).status == 201
    owners = [entity["Owner"] for entity in all_entities(account, "items")]
    assert owners == [mine, "nobody"] * (ROWS // 2), owners
    assert {entity["Owner"] for entity in all_entities(account, "extra")} == {mine}
    taken = send(account, "GET", "/items()?$filter=" + urllib.parse.quote("Owner eq 'nobody'"))
    assert len(taken.json()["value"]) == ROWS // 2


def start_process(work, *arguments):
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work(*arguments)
        status = 0
    except BaseException:
        traceback.print_exc(file=sys.stderr)
    finally:
        os._exit(status)


def test_a_hundred_processes_side_by_side_see_only_their_own(seeded):
    children = [start_process(write_and_look, seeded, number) for number in range(PROCESSES)]
    statuses = [os.waitpid(child, 0)[1] for child in children]
    assert statuses == [0] * PROCESSES
    template = rocktable_server.Account(seeded.connection_string.replace("devstoreaccount1", "template"))
    assert {entity["Owner"] for entity in all_entities(template, "items")} == {"nobody"}
