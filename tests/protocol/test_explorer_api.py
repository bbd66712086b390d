"""What the explorer asks: accounts, sizes of tables, plans, and the table service as its owner."""
import json
import time
import urllib.parse

import pytest

from fixture_control import account_of, control, done, fill, insert
from own_server import SANITIZED, needs_program, own_server
from process import resident_bytes
from rocktable_server import (
    BATCH_HEADERS, Server, batch_body, batch_part, connection, create_table, exchange, read_response, request_bytes,
    send
)

pytestmark = needs_program

JSON = {"Accept": "application/json;odata=fullmetadata", "Content-Type": "application/json"}
FAULT = {"name": "all", "match": {"account": "explored8"}, "then": {"status": 503}}
ROW = "(PartitionKey='p',RowKey='{}')"

server = own_server("--anyAccount")


def own(server, method, resource, headers=None, body=None):
    """Sends a request to the table service through the control API, without signature."""
    fields = JSON | (headers or {})
    data = request_bytes(server, method, f"/_rocktable/entities/{resource}", fields, body, signed=False)
    return exchange(server, data, method)


def plan_of(server, account, table, text):
    query = urllib.parse.urlencode({"account": account, "table": table, "filter": text})
    return done(server, "GET", f"plan?{query}")


# --- Accounts and tables --------------------------------------------------------------------------------------


def test_accounts_are_those_served_and_those_with_tables(server):
    fill(account_of(server, "explored1"))
    accounts = {one["account"]: one for one in done(server, "GET", "accounts")["accounts"]}
    assert accounts["explored1"]["tables"] == 2
    assert accounts["explored1"]["keyIsPublic"]
    assert accounts["devstoreaccount1"]["account"] == "devstoreaccount1"


def test_an_account_with_a_key_of_its_own_is_told_without_its_key(tmp_path):
    (tmp_path / "accounts").write_text("mine:bXkgb3duIHNlY3JldCBrZXk=\n")
    running = Server("--accounts", tmp_path / "accounts")
    try:
        (one,) = done(running, "GET", "accounts")["accounts"]
        assert one == {"account": "mine", "tables": 0, "keyIsPublic": False}
    finally:
        running.stop()


def test_tables_have_counts_and_sizes(server):
    fill(account_of(server, "explored2"), tables=("One", "Two"), rows=7)
    told = done(server, "GET", "tables?account=explored2")
    assert told["account"] == "explored2"
    assert [(one["name"], one["entities"], one["isExact"]) for one in told["tables"]] == [
        ("One", 7, True), ("Two", 7, True)
    ]
    assert all(one["bytes"] > 0 for one in told["tables"])
    (one,) = done(server, "GET", "tables?account=explored2&table=two")["tables"]
    assert one["name"] == "Two"


@pytest.mark.parametrize(
    ("resource", "status"),
    [("tables", 400), ("tables?account=-", 404), ("tables?account=explored2&table=missing", 404),
     ("plan?account=explored2", 400), ("accounts?x=1", 400)],
)
def test_bad_parameters_are_refused(server, resource, status):
    assert control(server, "GET", resource).status == status


# --- Plans ----------------------------------------------------------------------------------------------------


def test_a_plan_says_how_much_a_filter_reads(server):
    account = account_of(server, "explored3")
    create_table(account, "orders")
    for partition in ("a", "b"):
        for row in range(5):
            insert(account, "orders", partition, str(row))
    plan = plan_of(server, "explored3", "orders", "PartitionKey eq 'a' and RowKey ge '3'")
    assert (plan["plan"], plan["ranges"], plan["entities"], plan["isExact"]) == ("row-range", 1, 2, True)
    assert plan["share"] == 0.2
    assert plan["rangeTexts"] == ["PartitionKey = 'a', RowKey from '3'"]
    assert plan["better"] == ""
    scan = plan_of(server, "explored3", "orders", "Price gt 3")
    assert (scan["plan"], scan["share"]) == ("table-scan", 1)
    assert "PartitionKey" in scan["better"]


def test_a_filter_that_the_service_refuses_has_its_error_and_position(server):
    account = account_of(server, "explored4")
    create_table(account, "orders")
    for text, position in (("Price gx 3", 8), ("Price gt 'x", 11), ("PartitionKey eq 5", -1), ("((A eq 1)", 9),
                           ("Price eq <3", 10), ("Price eq 3000000000", 19)):
        error = plan_of(server, "explored4", "orders", text)["error"]
        answer = send(account, "GET", f"/orders()?$filter={urllib.parse.quote(text)}")
        assert error["code"] == answer.code
        assert error["message"] in answer.json()["odata.error"]["message"]["value"]
        assert error["position"] == position
    assert plan_of(server, "explored4", "missing", "A eq 1")["error"]["code"] == "TableNotFound"


# --- The table service as its owner ---------------------------------------------------------------------------


def test_the_owner_creates_writes_reads_and_deletes(server):
    table = "explored5/orders"
    assert own(server, "POST", "explored5/Tables", body='{"TableName":"orders"}').status == 201
    entity = {"PartitionKey": "p", "RowKey": "1", "N": "5", "N@odata.type": "Edm.Int64"}
    assert own(server, "POST", table, body=json.dumps(entity)).status == 201
    answer = own(server, "GET", f"{table}()?$filter=N%20eq%205L")
    assert answer.json()["value"][0]["N@odata.type"] == "Edm.Int64"
    assert (answer.headers["x-rocktable-plan"], answer.headers["x-rocktable-scanned"]) == ("table-scan", "1")
    assert float(answer.headers["x-rocktable-milliseconds"]) >= 0
    etag = answer.json()["value"][0]["odata.etag"]
    changed = own(server, "PUT", table + ROW.format(1), {"If-Match": etag}, '{"A":1}')
    assert changed.status == 204
    stale = own(server, "PUT", table + ROW.format(1), {"If-Match": etag}, '{"A":2}')
    assert (stale.status, stale.code) == (412, "UpdateConditionNotSatisfied")
    assert own(server, "DELETE", table + ROW.format(1), {"If-Match": "*"}).status == 204
    assert own(server, "DELETE", "explored5/Tables('orders')").status == 204


def test_the_owner_sends_a_transaction(server):
    account = account_of(server, "explored6")
    create_table(account, "orders")
    entities = [{"PartitionKey": "p", "RowKey": str(row)} for row in range(3)]
    prefer = "Prefer: return-no-content\r\n"
    body = batch_body([batch_part(account, "POST", "orders", entity, prefer) for entity in entities])
    answer = own(server, "POST", "explored6/$batch", BATCH_HEADERS, body)
    assert answer.status == 202
    assert answer.text.count("204 No Content") == 3
    assert len(own(server, "GET", "explored6/orders()").json()["value"]) == 3


def test_requests_of_the_owner_are_not_counted(server):
    account = account_of(server, "explored7")
    create_table(account, "orders")
    done(server, "POST", "queries/reset?account=explored7")
    begin = done(server, "GET", "requests")["next"]
    assert own(server, "GET", "explored7/orders()").status == 200
    assert own(server, "GET", "explored7/missing()").status == 404
    assert done(server, "GET", "queries?account=explored7")["shapes"] == []
    assert done(server, "GET", f"requests?since={begin}&account=explored7")["requests"] == []
    counted = {(row["account"], row["operation"]) for row in done(server, "GET", "stats")["counters"]}
    assert ("explored7", "QueryEntities") not in counted


def test_no_fault_hits_the_owner_but_short_pages_show(server):
    account = account_of(server, "explored8")
    create_table(account, "orders")
    for partition in range(8):
        insert(account, "orders", f"p{partition}", "r")
    done(server, "PUT", "behaviour?account=explored8", {"boundaries": 3, "latency": [500, 0]})
    done(server, "POST", "faults", FAULT)
    try:
        answer = own(server, "GET", "explored8/orders()")
        assert answer.status == 200
        assert float(answer.headers["x-rocktable-milliseconds"]) < 400
        assert "x-ms-continuation-NextPartitionKey" in answer.headers
        assert done(server, "GET", "faults/all")["hits"] == 0
    finally:
        done(server, "DELETE", "faults?account=explored8")
        done(server, "DELETE", "behaviour?account=explored8")


@pytest.mark.parametrize("resource", ["Tables", "-/Tables", "explored9", "devstoreaccount1/$batch/x", "/Tables"])
def test_paths_that_are_no_resource_get_the_errors_of_the_service(server, resource):
    answer = own(server, "GET", resource)
    assert answer.status in (400, 404, 405, 501)
    assert answer.code


def test_the_owners_door_has_the_rules_of_the_control_api():
    running = Server("--controlToken", "secret")
    try:
        resource = "devstoreaccount1/Tables"
        assert own(running, "GET", resource).status == 401
        assert own(running, "GET", resource, {"x-rocktable-token": "wrong"}).status == 401
        assert own(running, "GET", resource, {"x-rocktable-token": "secret"}).status == 200
        foreign = {"x-rocktable-token": "secret", "Origin": "http://evil.example"}
        assert own(running, "GET", resource, foreign).status == 403
    finally:
        running.stop()


@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example:10002"}, {"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"},
     {"Origin": "null"}, {"Sec-Fetch-Site": "same-site"}],
)
@pytest.mark.parametrize("resource", ["entities/devstoreaccount1/Tables", "accounts", "tables?account=devstoreaccount1",
                                      "requests", "requests/stream", "queries"])
def test_nothing_is_read_from_a_foreign_page(server, resource, headers):
    data = request_bytes(server, "GET", f"/_rocktable/{resource}", JSON | headers, signed=False)
    assert exchange(server, data, "GET").status == 403


@pytest.mark.parametrize("resource", ["t()/%2e%2e/../../reset", "../../reset", "t/..", "t/.%2E/x", "t\\..\\reset", "./t"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_a_path_that_leaves_the_account_is_refused(server, table, method, resource):
    """A stranger sends it without credentials; whoever sends it again with the token would reset the store."""
    answer = own(server, method, f"devstoreaccount1/{resource}")
    assert (answer.status, answer.json()) == (400, {"error": "The path has a dot segment."})
    assert send(server, "GET", f"/Tables('{table}')").status == 200


# --- Files ----------------------------------------------------------------------------------------------------

NDJSON = (
    '{"PartitionKey":"p","RowKey":"1","A":"x, \\"y\\"\\r\\nz","N":5}\n'
    '{"PartitionKey":"p","RowKey":"2","D":3.0,"I@odata.type":"Edm.Int64","I":"7"}\n'
)
CSV = (
    "PartitionKey,RowKey,A,A@type,N,N@type,D,D@type,I,I@type\r\n"
    'p,1,"x, ""y""\r\nz",String,5,Int32,,,,\r\n'
    "p,2,,,,,3.0,Double,7,Int64\r\n"
)


def converted(server, text, **parameters):
    query = urllib.parse.urlencode(parameters)
    data = request_bytes(server, "POST", f"/_rocktable/convert?{query}", {}, text, signed=False)
    with connection(server, timeout=60) as client:
        client.sendall(data)
        return read_response(client, "POST")


def test_entities_are_converted_between_formats(server):
    columns = json.dumps(["A", "N", "D", "I"])
    to_csv = converted(server, NDJSON, **{"from": "ndjson", "to": "csv", "columns": columns}).json()
    assert to_csv == {"text": CSV, "lines": [1, 2], "names": ["A", "N", "D", "I"], "error": None}
    back = converted(server, CSV, **{"from": "csv", "to": "ndjson"}).json()
    assert (back["text"], back["lines"], back["error"]) == (NDJSON, [2, 4], None)
    rest = converted(server, NDJSON, **{"from": "ndjson", "to": "csv", "columns": columns, "header": "false"}).json()
    assert rest["text"] == CSV.split("\r\n", 1)[1]


def test_what_is_before_a_line_that_is_no_entity_is_converted(server):
    broken = NDJSON + '{"PartitionKey":"p"}\n' + NDJSON
    answer = converted(server, broken, **{"from": "ndjson", "to": "ndjson"}).json()
    assert (answer["text"], answer["lines"]) == (NDJSON, [1, 2])
    assert answer["error"]["line"] == 3
    assert "RowKey" in answer["error"]["message"]


def test_what_a_conversion_may_take_is_bounded(server):
    """Each of 20,000 short lines becomes one of 40 KB, 800 MB in all."""
    columns = json.dumps([f"{number:x}" for number in range(9_000)], separators=(",", ":"))
    lines = "".join(f'{{"PartitionKey":"p","RowKey":"{row}"}}\n' for row in range(20_000))
    before = resident_bytes(server) if hasattr(server, "process") else 0
    answer = converted(server, lines, **{"from": "ndjson", "to": "csv", "columns": columns}).json()
    assert "more than 16 MiB" in answer["error"]["message"]
    assert answer["error"]["line"] == len(answer["lines"]) + 1
    assert 16 << 20 < len(answer["text"]) < 17 << 20
    if before and not SANITIZED:
        assert resident_bytes(server) - before < 150 << 20


def test_a_conversion_ends_when_its_client_goes(server):
    lines = "".join(f'{{"PartitionKey":"p","RowKey":"{row}"}}\n' for row in range(60_000))
    data = request_bytes(server, "POST", "/_rocktable/convert?from=ndjson&to=ndjson", {}, lines, signed=False)
    for _ in range(20):
        with connection(server) as client:
            client.sendall(data)
    begin = time.monotonic()
    assert converted(server, NDJSON, **{"from": "ndjson", "to": "csv"}).status == 200
    assert SANITIZED or time.monotonic() - begin < 2


def test_an_entity_with_a_property_that_has_no_column_is_not_converted(server):
    answer = converted(server, NDJSON, **{"from": "ndjson", "to": "csv", "columns": '["A"]'}).json()
    assert (answer["lines"], answer["names"], answer["error"]["line"] > 0) == ([], [], True)


@pytest.mark.parametrize(
    "parameters",
    [{}, {"from": "csv"}, {"from": "csv", "to": "xml"}, {"from": "csv", "to": "csv", "header": "1"},
     {"from": "csv", "to": "csv", "columns": "A"}, {"from": "csv", "to": "csv", "columns": "{}"}],
)
def test_unknown_formats_are_refused(server, parameters):
    assert converted(server, CSV, **parameters).status == 400


# --- Pages ----------------------------------------------------------------------------------------------------


def test_the_page_and_its_parts_are_served(server):
    data = request_bytes(server, "GET", "/_rocktable/", {}, signed=False)
    answer = exchange(server, data)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "<!doctype html>" in answer.text
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'self';")
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    again = exchange(
        server, request_bytes(server, "GET", "/_rocktable/", {"If-None-Match": answer.headers["ETag"]}, signed=False)
    )
    assert again.status == 304


def test_the_page_loads_without_the_token_but_no_data_does():
    running = Server("--controlToken", "secret")
    try:
        assert exchange(running, request_bytes(running, "GET", "/_rocktable/", {}, signed=False)).status == 200
        assert control(running, "GET", "accounts").status == 401
    finally:
        running.stop()


@pytest.mark.parametrize(
    ("flags", "status", "word"),
    [(["--noExplorer"], 404, b"--noExplorer"), (["--tableHost", "0.0.0.0"], 403, b"--controlToken")],
)
def test_the_page_says_why_it_is_not_there(flags, status, word):
    running = Server(*flags)
    try:
        answer = exchange(running, request_bytes(running, "GET", "/_rocktable/", {}, signed=False))
        assert answer.status == status
        assert word in answer.body
        assert "/_rocktable/" not in running.output()
    finally:
        running.stop()
