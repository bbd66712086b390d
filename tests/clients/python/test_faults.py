"""How the SDK meets faults, and behaviour that an emulator does not have by itself: docs/faults.md has the table of these
outcomes. Each test has an account of its own.

The SDK repeats a request that gets 500, 502, 503 or 504. It repeats one without an answer only if its method is GET, PUT
or DELETE; so neither an insert nor a merge (PATCH), nor a transaction."""
import concurrent.futures
import time

import pytest
from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceModifiedError, ServiceResponseError
from azure.data.tables import TableClient, TableTransactionError, UpdateMode

from fixture_control import account_of, done
from own_server import needs_program, own_server
from rocktable_server import unique_name

pytestmark = needs_program

ENTITY = {"PartitionKey": "p", "RowKey": "r", "Value": 1}
# Of more bytes than the headers of an answer.
LARGE_ENTITY = {**ENTITY, "Text": "x" * 10_000}
IN_BODY = 5_000
IN_HEADERS = 200

server = own_server("--anyAccount")


class Faults:
    """A new account with a table: its faults, behaviour and retries."""

    def __init__(self, server):
        self.server = server
        self.account = account_of(server, unique_name("faults"))
        self.query = f"account={self.account.name}"

    def table(self, **options):
        """A client with the default number of retries, and short delays."""
        options = {"retry_total": 3, "retry_backoff_factor": 0.001, **options}
        return TableClient.from_connection_string(self.account.connection_string, "customers", **options)

    def add(self, operation, then, count=1, **match):
        match |= {"account": self.account.name, "operation": operation}
        done(self.server, "POST", "faults", {"match": match, "when": {"count": count}, "then": then})

    def behave(self, **behaviour):
        done(self.server, "PUT", f"behaviour?{self.query}", behaviour)

    def rules(self):
        return done(self.server, "GET", f"faults?{self.query}")["faults"]

    def retries(self):
        """The requests that met a fault."""
        return done(self.server, "GET", f"retries?{self.query}")["retries"]


@pytest.fixture
def faults(server):
    made = Faults(server)
    with made.table() as table:
        table.create_table()
    return made


def insert(table):
    table.create_entity(ENTITY)


def upsert(mode):
    return lambda table: table.upsert_entity(ENTITY, mode=mode)


def read(table):
    table.create_entity(LARGE_ENTITY)
    assert table.get_entity("p", "r")["Value"] == 1


def list_all(table):
    table.create_entity(LARGE_ENTITY)
    assert [entity["Value"] for entity in table.list_entities()] == [1]


def delete(table):
    table.create_entity(ENTITY)
    table.delete_entity("p", "r")


def update(mode):
    def work(table):
        etag = table.create_entity(ENTITY)["etag"]
        table.update_entity({**ENTITY, "Value": 2}, mode=mode, etag=etag, match_condition=MatchConditions.IfNotModified)

    return work


def transaction(operation):
    return lambda table: table.submit_transaction([(operation, ENTITY)])


LOST = {"at": "afterCommit", "reset": True}
TIMED_OUT = {"code": "OperationTimedOut"}
REPLACE, MERGE = UpdateMode.REPLACE, UpdateMode.MERGE

# What is done, the fault, the error, and what the server recorded: attempts, outcome, commits, metOwnWork. `match` limits
# the rule further.
CASES = {
    "an insert meets three 503": (insert, "InsertEntity", {"status": 503}, None, (4, "succeeded", 1, False), {"count": 3}),
    "an insert meets four 503":
        (insert, "InsertEntity", {"status": 503}, HttpResponseError, (4, "given up", 0, False), {"count": 4}),
    "an insert meets OperationTimedOut": (insert, "InsertEntity", TIMED_OUT, None, (2, "succeeded", 1, False), {}),
    "an insert meets OperationTimedOut after its commit":
        (insert, "InsertEntity", {**TIMED_OUT, "at": "afterCommit"}, ResourceExistsError, (2, "failed", 1, True), {}),
    "an insert meets 504 of a gateway": (insert, "InsertEntity", {"status": 504}, None, (2, "succeeded", 1, False), {}),
    "an insert meets 504 of a gateway after its commit":
        (insert, "InsertEntity", {"status": 504, "at": "afterCommit"}, ResourceExistsError, (2, "failed", 1, True), {}),
    "a query meets OperationTimedOut": (list_all, "QueryEntities", TIMED_OUT, None, (2, "succeeded", 0, False), {}),
    "an insert meets a reset":
        (insert, "InsertEntity", {"reset": True}, ServiceResponseError, (1, "given up", 0, False), {}),
    "an insert meets an end of the connection":
        (insert, "InsertEntity", {"close": True}, ServiceResponseError, (1, "given up", 0, False), {}),
    "a read meets a reset": (read, "GetEntity", {"reset": True}, None, (2, "succeeded", 0, False), {}),
    "the answer to an insert is lost":
        (insert, "InsertEntity", LOST, ServiceResponseError, (1, "given up", 1, False), {}),
    "the answer to a merging upsert is lost":
        (upsert(MERGE), "InsertOrMergeEntity", LOST, ServiceResponseError, (1, "given up", 1, False), {}),
    "the answer to a replacing upsert is lost":
        (upsert(REPLACE), "InsertOrReplaceEntity", LOST, None, (2, "succeeded", 2, False), {}),
    "the answer to a merge with an ETag is lost":
        (update(MERGE), "MergeEntity", LOST, ServiceResponseError, (1, "given up", 1, False), {}),
    "the answer to an update with an ETag is lost":
        (update(REPLACE), "UpdateEntity", LOST, ResourceModifiedError, (2, "failed", 1, True), {}),
    # The SDK takes 404 for a success.
    "the answer to a deletion is lost": (delete, "DeleteEntity", LOST, None, (2, "failed", 1, True), {}),
    # Python reads headers that end early as complete ones, and the SDK an entity from no body.
    "the answer to a read is cut in its headers":
        (read, "GetEntity", {"cutAfterBytes": IN_HEADERS}, AttributeError, (1, "given up", 0, False), {}),
    "the answer to a read is cut in its body":
        (read, "GetEntity", {"cutAfterBytes": IN_BODY}, None, (2, "succeeded", 0, False), {}),
    "a page of a query is cut in its body":
        (list_all, "QueryEntities", {"cutAfterBytes": IN_BODY}, None, (2, "succeeded", 0, False), {}),
    "a transaction meets 503": (transaction("create"), "Batch", {"status": 503}, None, (2, "succeeded", 1, False), {}),
    "a transaction meets OperationTimedOut":
        (transaction("create"), "Batch", TIMED_OUT, None, (2, "succeeded", 1, False), {}),
    "a transaction meets 503 inside of 202":
        (transaction("create"), "InsertEntity", {"status": 503}, TableTransactionError, (1, "given up", 0, False),
         {"position": 0}),
    "the answer to a transaction with an insert is lost":
        (transaction("create"), "Batch", LOST, ServiceResponseError, (1, "given up", 1, False), {}),
    "the answer to a transaction with an upsert is lost":
        (transaction("upsert"), "Batch", LOST, ServiceResponseError, (1, "given up", 1, False), {}),
}


@pytest.mark.parametrize("work, operation, then, error, recorded, rule", CASES.values(), ids=CASES)
def test_what_comes_of_a_fault(faults, work, operation, then, error, recorded, rule):
    with faults.table() as table:
        faults.add(operation, then, **rule)
        if error:
            with pytest.raises(error):
                work(table)
        else:
            work(table)
    (request,) = faults.retries()
    assert (len(request["attempts"]), *(request[name] for name in ("outcome", "committed", "metOwnWork"))) == recorded


def test_a_delayed_insert_is_waited_for(faults):
    faults.add("InsertEntity", {"delay": "300ms"})
    start = time.monotonic()
    with faults.table() as table:
        insert(table)
    assert time.monotonic() - start >= 0.295
    ((attempt,),) = [request["attempts"] for request in faults.retries()]
    assert attempt["status"] == 201


def test_an_insert_whose_answer_takes_too_long_does_not_come_again(faults):
    faults.add("InsertEntity", {"delay": "10s"})
    with faults.table(read_timeout=0.1) as table, pytest.raises(ServiceResponseError, match="timed out"):
        insert(table)
    assert [(rule["matched"], rule["hits"]) for rule in faults.rules()] == [(1, 1)]


def test_a_read_whose_answer_takes_too_long_comes_again(faults):
    faults.add("GetEntity", {"delay": "10s"})
    with faults.table(read_timeout=1) as table:
        read(table)
    assert [(rule["matched"], rule["hits"]) for rule in faults.rules()] == [(2, 1)]


def test_throttled_inserts_succeed_in_the_end_each_once(faults):
    faults.behave(throttle=[20, 20_000])
    rows = [{"PartitionKey": "p", "RowKey": f"{number:02}"} for number in range(40)]
    patient = {"retry_total": 20, "retry_status": 20, "retry_backoff_factor": 0.05, "retry_backoff_max": 0.4}
    with faults.table(**patient) as table, concurrent.futures.ThreadPoolExecutor(8) as threads:
        list(threads.map(table.create_entity, rows))
    requests = faults.retries()
    assert requests
    for request in requests:
        assert (request["outcome"], request["committed"], request["metOwnWork"]) == ("succeeded", 1, False)
        first = request["attempts"][0]
        assert (first["status"], first["code"], first["fault"]) == (503, "ServerBusy", "throttle")
    faults.behave()
    with faults.table() as table:
        assert [entity["RowKey"] for entity in table.list_entities()] == [row["RowKey"] for row in rows]


def test_retry_after_is_obeyed(faults):
    faults.behave(throttle=[1, 20_000], retryAfter=1)
    with faults.table() as table:
        for row in "12":
            table.create_entity({"PartitionKey": "p", "RowKey": row})
    (request,) = faults.retries()
    assert request["outcome"] == "succeeded"
    assert request["attempts"][1]["after"] >= 950


def test_a_query_over_boundaries_finds_all_entities_once_each_in_order_with_empty_pages_between(faults):
    keys = [(partition, row) for partition in "abcde" for row in "123"]
    with faults.table() as table:
        for partition in "abcde":
            table.submit_transaction(
                [("create", {"PartitionKey": partition, "RowKey": row, "Even": row == "2"}) for row in "123"])
        faults.behave(boundaries=4)

        def key(entity):
            return entity["PartitionKey"], entity["RowKey"]

        assert [key(entity) for entity in table.list_entities()] == keys
        assert [key(entity) for entity in table.query_entities("Even eq true")] == [(one, "2") for one in "abcde"]
        pages = [[key(entity) for entity in page] for page in table.list_entities(results_per_page=2).by_page()]
    assert sum(pages, []) == keys
    assert pages.count([]) == 4
