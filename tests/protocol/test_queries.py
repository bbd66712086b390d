"""What requests cost, by shape, and which findings that gives: /_rocktable/queries."""
import concurrent.futures
import itertools
import json
import subprocess
import urllib.parse

import pytest

from fixture_control import account_of, control, done, insert
from own_server import needs_program, own_server
from rocktable_server import BINARY, all_entities, batch_part, continuation, create_table, send, send_batch

pytestmark = needs_program

_numbers = itertools.count()
ROW = "(PartitionKey='{}',RowKey='{}')"

server = own_server("--anyAccount")


@pytest.fixture
def account(server):
    """An account of its own with the table `orders`. Its requests until now are forgotten."""
    one = account_of(server, f"insight{next(_numbers)}")
    one.server = server
    create_table(one, "orders")
    begin_again(one)
    return one


def begin_again(account):
    done(account.server, "POST", f"queries/reset?account={account.name}")


def report(account):
    return done(account.server, "GET", f"queries?account={account.name}")


def shapes(account):
    return report(account)["shapes"]


def findings(account):
    return {finding["id"] for finding in report(account)["findings"]}


def finding(account, wanted):
    return next(one for one in report(account)["findings"] if one["id"] == wanted)


def query(account, text="", table="orders", headers=None, **parameters):
    """Returns the entities of one page, and the parameters that continue it."""
    parameters = ({"$filter": text} if text else {}) | parameters
    target = f"/{table}()" + ("?" + urllib.parse.urlencode(parameters) if parameters else "")
    answer = send(account, "GET", target, headers)
    assert answer.status == 200, answer
    return answer.json()["value"], continuation(answer)


def get(account, partition, row, **headers):
    return send(account, "GET", "/orders" + ROW.format(partition, row), headers)


def write(account, method, partition, row, match=None, **properties):
    headers = {"If-Match": match} if match else {}
    answer = send(account, method, "/orders" + ROW.format(partition, row), headers, json.dumps(properties))
    assert answer.status == 204, answer


def transaction(account, partition, rows, table="orders"):
    parts = [batch_part(account, "POST", table, json.dumps({"PartitionKey": partition, "RowKey": row}))
             for row in rows]
    assert send_batch(account, parts).status == 202


def rows(count):
    return [f"{number:04}" for number in range(count)]


# --- Shapes --------------------------------------------------------------------------------------------------------


def test_requests_that_the_service_would_not_bill_are_counted(account):
    done(account.server, "POST", "faults",
         {"match": {"account": account.name}, "when": {"count": 2}, "then": {"status": 503}})
    assert [get(account, "a", "1").status for _ in range(3)] == [503, 503, 404]
    (shape,) = [one for one in shapes(account) if one["operation"] == "GetEntity"]
    assert (shape["requests"], shape["errors"], shape["unbilled"]) == (3, 3, 2)


def test_queries_that_differ_in_values_have_one_shape(account):
    transaction(account, "de", rows(10))
    begin_again(account)
    for row in rows(3):
        query(account, f"PartitionKey eq 'de' and RowKey gt '{row}'")
    (shape,) = shapes(account)
    assert shape["fingerprint"] == "PartitionKey eq ? and RowKey gt ?"
    assert (shape["table"], shape["operation"], shape["plan"]) == ("orders", "QueryEntities", "row-range")
    assert (shape["requests"], shape["entitiesScanned"], shape["entitiesReturned"]) == (3, 24, 24)
    assert (shape["partitions"], shape["partitionsExact"]) == (1, True)
    assert shape["example"].startswith(f"GET /{account.name}/orders()?%24filter=PartitionKey")
    assert 0 < shape["milliseconds"]["p50"] <= shape["milliseconds"]["max"]
    assert shape["bytesRead"] > 0 and shape["bytesSent"] > 0
    assert shape["firstSeen"] <= shape["lastSeen"]


def test_select_and_client_are_parts_of_the_shape(account):
    for select, agent in (("A,B", "one/1 x"), ("B", "one/1 y"), ("B", "two/1")):
        query(account, "A eq 1", headers={"User-Agent": agent}, **{"$select": select})
    assert sorted((s["select"], s["client"]) for s in shapes(account)) == [
        ("A,B", "one/1"), ("B", "one/1"), ("B", "two/1")]


def test_tables_named_by_a_date_have_one_shape(account):
    for day in (20261121, 20261122):
        create_table(account, f"Log{day}")
        insert(account, f"log{day}", "p", "r")
    writes = {(s["operation"], s["table"]): s["requests"] for s in shapes(account)}
    assert writes == {("CreateTable", "log#"): 2, ("InsertEntity", "log#"): 2}


def test_writes_have_the_services_names(account):
    insert(account, "orders", "p", "r")
    write(account, "PUT", "p", "r", A=1)
    write(account, "PUT", "p", "r", "*", A=1)
    write(account, "PATCH", "p", "r", A=1)
    write(account, "PATCH", "p", "r", "*", A=1)
    assert send(account, "DELETE", "/orders" + ROW.format("p", "r"), {"If-Match": "*"}).status == 204
    assert {s["operation"]: s["entitiesWritten"] for s in shapes(account)} == {
        "InsertEntity": 1, "InsertOrReplaceEntity": 1, "UpdateEntity": 1, "InsertOrMergeEntity": 1, "MergeEntity": 1,
        "DeleteEntity": 1}


def test_a_transaction_is_one_request(account):
    transaction(account, "p", rows(100))
    (shape,) = shapes(account)
    assert (shape["operation"], shape["table"], shape["requests"], shape["entitiesWritten"]) == ("Batch", "orders", 1, 100)


def test_the_name_of_a_test_comes_with_the_request_id(account):
    get(account, "p", "r", **{"x-ms-client-request-id": "orders/adds up/9b2f"})
    get(account, "p", "r", **{"x-ms-client-request-id": "3e2c0c7c-5f1a-4a43-93f5-0a2f6a0c7b11"})
    assert sorted(s["test"] for s in shapes(account)) == ["", "orders/adds up"]


def test_a_report_says_what_each_test_cost(account, server):
    transaction(account, "p", rows(30))
    begin_again(account)
    for test in ("orders/adds up", "orders/lists"):
        get(account, "p", "0001", **{"x-ms-client-request-id": f"{test}/9b2f"})
    query(account, "A eq 1", headers={"x-ms-client-request-id": "orders/lists/9b30"})
    url = server.url
    command = [BINARY, "report", "--url", url, "--account", account.name, "--format", "markdown"]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    lines = told.partition("### Tests")[2].splitlines()
    assert lines[2:4] == [
        "- orders/lists: 2 requests, 31 entities scanned, 1 returned; most by orders: QueryEntities A eq ? (table-scan)",
        "- orders/adds up: 1 request, 1 entity scanned, 1 returned; most by orders: GetEntity (point)",
    ]


def test_secrets_are_not_in_examples(account):
    send(account, "GET", "/orders()?sv=2019-02-02&tn=orders&sig=secret%3D", signed=True)
    query(account, "A eq 1", sig="secret")
    assert "secret" not in json.dumps(report(account))


def test_an_account_sees_and_resets_its_own_requests(account, server):
    other = account_of(server, f"insight{next(_numbers)}")
    create_table(other, "orders")
    query(other, "A eq 1")
    query(account, "B eq 1")
    assert [s["fingerprint"] for s in shapes(account)] == ["B eq ?"]
    assert {s["account"] for s in done(server, "GET", "queries")["shapes"]} >= {account.name, other.name}
    begin_again(account)
    assert shapes(account) == []
    assert any(s["account"] == other.name for s in done(server, "GET", "queries")["shapes"])


def test_requests_that_nobody_may_send_are_not_counted(account):
    assert send(account, "GET", "/orders()", {"Authorization": f"SharedKey {account.name}:AAAA"}, signed=False).status == 403
    assert send(account, "GET", "/orders()?$filter=(").status == 400
    assert shapes(account) == []


@pytest.mark.parametrize("resource, method", [("queries?account=-", "GET"), ("queries?x=1", "GET"),
                                              ("queries/reset?account=-", "POST")])
def test_bad_parameters_are_refused(server, resource, method):
    assert control(server, method, resource).status in (400, 404)


def test_many_connections_count_every_request(account):
    insert(account, "orders", "p", "r")
    begin_again(account)
    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        for answer in pool.map(lambda _: get(account, "p", "r"), range(960)):
            assert answer.status == 200
    (shape,) = shapes(account)
    assert (shape["requests"], shape["entitiesReturned"], shape["partitions"]) == (960, 960, 1)


# --- Findings: what gives one, and what nearly does -------------------------------------------------------------


def test_a_table_scan(account):
    transaction(account, "p", [f"{n:04}" for n in range(20)])
    begin_again(account)
    query(account, "Age gt 30")
    assert finding(account, "table-scan")["fingerprint"] == "Age gt ?"
    begin_again(account)
    query(account, "PartitionKey eq 'de' and Age gt 30")
    assert findings(account) == set()


def test_a_scan_of_a_few_settings_is_no_finding(account):
    transaction(account, "p", ["colour", "language", "size"])
    for _ in range(100):
        query(account, "Age gt 30")
        query(account, None)
    assert findings(account) == set()


def test_keys_that_are_joined_by_or_are_judged_by_what_the_service_scans(account):
    for start in (0, 100):
        transaction(account, "p", [f"{start + n:04}" for n in range(100)])
    begin_again(account)
    query(account, "PartitionKey eq 'p' and (RowKey eq '0001' or RowKey eq '0199')")
    found = finding(account, "or-across-rows")
    assert "200 entities scanned in the cloud by estimate (2 here), 2 returned" in found["sentence"]
    (shape,) = [one for one in shapes(account) if one["operation"] == "QueryEntities"]
    assert (shape["plan"], shape["entitiesScanned"], shape["entitiesScannedHere"]) == ("partition-scan", 200, 2)


def test_a_range_of_partitions(account):
    transaction(account, "a1", [f"{n:04}" for n in range(20)])
    begin_again(account)
    query(account, "PartitionKey ge 'a' and PartitionKey lt 'b'")
    assert findings(account) == {"partition-range-scan"}


def test_many_entities_scanned_for_each_one_returned(account):
    for start in (0, 100):
        transaction(account, "p", [f"{start + n:04}" for n in range(100)])
    begin_again(account)
    query(account, "PartitionKey eq 'p' and RowKey ge '0000' and A eq 1")
    assert "200 entities were scanned for each one returned" in finding(account, "scanned-per-returned")["sentence"]
    begin_again(account)
    query(account, "PartitionKey eq 'p' and RowKey ge '0000'")
    assert findings(account) == set()


def test_a_read_and_an_update_of_each_entity_could_be_one_query_and_one_transaction(account):
    etags = {row: insert(account, "orders", "p", row) for row in rows(60)}
    begin_again(account)
    for row, etag in etags.items():
        get(account, "p", row)
        write(account, "PATCH", "p", row, etag, A=1)
    assert findings(account) == {"n-plus-one", "single-writes"}
    assert finding(account, "n-plus-one")["count"] == finding(account, "single-writes")["count"] == 60


def test_one_entity_that_is_read_again_and_again(account):
    etag = insert(account, "orders", "p", "config")
    for _ in range(49):
        get(account, "p", "config")
    assert findings(account) == set()
    write(account, "PATCH", "p", "config", etag, A=1)
    for _ in range(49):
        get(account, "p", "config")
    assert findings(account) == set()
    get(account, "p", "config")
    assert "`p`, `config` was read 50 times" in finding(account, "repeated-reads")["sentence"]


def test_reads_of_what_does_not_exist(account):
    for n in range(30):
        get(account, "p", f"{n % 3}")
    assert "30 of 30 reads met no entity (404)" in finding(account, "missing-reads")["sentence"]


def test_merges_that_are_refused(account):
    insert(account, "orders", "p", "counter")
    old = "W/\"datetime'2020-01-01T00%3A00%3A00Z'\""
    for number in range(54):
        headers = {"If-Match": old if number < 44 else "*"}
        answer = send(account, "PATCH", "/orders" + ROW.format("p", "counter"), headers, '{"A":1}')
        assert answer.status == (412 if number < 44 else 204)
    assert "44 of 54 requests were refused: 44 because the entity has changed (412)" in finding(account, "refused-updates")["sentence"]


def test_point_reads_through_partitions_in_order(account):
    for n in range(40):
        insert(account, "orders", f"order{n:03}", "head")
    begin_again(account)
    for n in range(40):
        get(account, f"order{n:03}", "head")
    found = finding(account, "reads-across-partitions")
    assert found["count"] == 40 and "up to `order039`" in found["sentence"]


def test_point_reads_that_could_be_one_query(account):
    for row in rows(19):
        get(account, "de", row)
    assert findings(account) == set()
    query(account, "PartitionKey eq 'de' and RowKey eq '0019'")  # a point read as well
    found = finding(account, "n-plus-one")
    assert found["count"] == 20
    assert "`de`" in found["sentence"]


def test_keys_of_several_partitions_in_one_filter(account):
    filter_of_two = "(PartitionKey eq 'a' and RowKey eq '1') or (PartitionKey eq 'b' and RowKey eq '1')"
    query(account, filter_of_two)
    assert findings(account) == set()  # the service scans a table that is nearly empty
    transaction(account, "a", rows(20))
    begin_again(account)
    query(account, filter_of_two)
    assert findings(account) == {"or-across-partitions"}
    begin_again(account)
    query(account, "PartitionKey eq 'a' and (RowKey eq '1' or RowKey eq '2')")
    assert findings(account) == set()


def test_single_writes_that_could_be_one_transaction(account):
    for row in rows(19):
        write(account, "PUT", "p", row)
    assert findings(account) == set()
    write(account, "PATCH", "p", "0019", A=1)
    assert finding(account, "single-writes")["count"] == 20
    begin_again(account)
    transaction(account, "q", rows(100))
    assert findings(account) == set()


def test_a_hot_partition(account):
    for start in range(0, 2000, 100):
        transaction(account, "p", [f"{start + n:05}" for n in range(100)])
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: query(account, "PartitionKey eq 'p'", **{"$top": 1}), range(1990)))
    found = finding(account, "hot-partition")
    assert "`p`" in found["sentence"] and found["count"] >= 2000


def test_partitions_that_are_named_by_the_time(account):
    for minute in range(60):
        insert(account, "orders", f"2026-11-22T10:{minute:02}", "r")
    assert findings(account) == {"append-only-keys"}
    begin_again(account)
    for minute in range(60):
        insert(account, "orders", f"{minute * 37 % 60:02}-2026-11-22", "r")
    assert findings(account) == set()


def test_numbers_in_keys_without_leading_zeros(account):
    transaction(account, "p", [f"item{n}" for n in range(1, 13)])
    query(account, "PartitionKey eq 'p' and RowKey eq 'item3'")
    assert findings(account) == set()  # these keys need no order
    query(account, "PartitionKey eq 'p' and RowKey ge 'item3'")
    assert "`item9` and `item10`" in finding(account, "unpadded-numbers")["sentence"]
    begin_again(account)
    transaction(account, "q", [f"item{n:02}" for n in range(1, 13)])
    query(account, "PartitionKey eq 'q' and RowKey ge 'item03'")
    assert findings(account) == set()


def test_a_replacement_of_what_was_read_without_its_etag(account):
    etag = {row: insert(account, "orders", "p", row) for row in rows(3)}
    for row in etag:
        get(account, "p", row)
        write(account, "PUT", "p", row, etag[row], A=1)
    assert findings(account) == set()
    for row in etag:
        get(account, "p", row)
        write(account, "PATCH", "p", row, "*", A=2)  # a merge loses nothing that it does not name
    assert findings(account) == set()
    for row, match in zip(etag, ("*", None, "*")):
        get(account, "p", row)
        write(account, "PUT", "p", row, match, A=3)
    assert finding(account, "lost-update")["count"] == 3


def test_inserts_that_meet_existing_entities(account):
    insert(account, "orders", "p", "r")
    body = json.dumps({"PartitionKey": "p", "RowKey": "r"})
    for _ in range(9):
        assert send(account, "POST", "/orders", body=body).status == 409
    assert findings(account) == set()
    assert send(account, "POST", "/orders", body=body).status == 409
    assert finding(account, "insert-conflicts")["count"] == 10


@pytest.mark.parametrize("near, far, what", [
    ({f"P{n}": 1 for n in range(201)}, {f"P{n}": 1 for n in range(200)}, "201 properties"),
    ({f"P{n}": "x" * 30_000 for n in range(14)}, {f"P{n}": "x" * 30_000 for n in range(13)}, "840,"),
    ({"RowKey": "x" * 409}, {"RowKey": "x" * 408}, "a key of 409 characters"),
])
def test_entities_near_a_limit(account, near, far, what):
    insert(account, "orders", "p", far.pop("RowKey", "r"), **far)
    assert findings(account) == set()
    insert(account, "orders", "p", near.pop("RowKey", "s"), **near)
    assert what in finding(account, "near-limits")["sentence"]


def test_paging_that_is_given_up(account):
    for start in range(0, 1100, 100):
        transaction(account, "p", [f"{start + n:05}" for n in range(100)])
    begin_again(account)
    first = "PartitionKey eq 'p'"
    assert len(query(account, first)[0]) == 1000
    assert finding(account, "abandoned-paging")["count"] == 1
    begin_again(account)
    _, token = query(account, first)
    query(account, first, **token)
    assert findings(account) == set()
    assert len(query(account, first, **{"$top": 10})[0]) == 10  # as many as it asked for
    assert findings(account) == set()


def test_a_short_page_that_is_given_up(account):
    """`$top` was not reached, so the client misses entities that it asked for."""
    for partition in rows(40):
        insert(account, "orders", partition, "r")
    begin_again(account)
    done(account.server, "PUT", f"behaviour?account={account.name}", {"boundaries": 8})
    found, token = query(account, "RowKey eq 'r'", **{"$top": 40})
    assert len(found) < 40 and token
    assert "abandoned-paging" in findings(account)
    while token:
        _, token = query(account, "RowKey eq 'r'", **{"$top": 40}, **token)
    assert "abandoned-paging" not in findings(account)


def test_a_table_that_is_created_again_and_again(account):
    for _ in range(9):
        send(account, "POST", "/Tables", body=json.dumps({"TableName": "often"}))
    assert findings(account) == set()
    send(account, "POST", "/Tables", body=json.dumps({"TableName": "Often"}))
    assert finding(account, "repeated-create-table")["table"] == "often"


def test_a_client_that_does_everything_right_has_no_findings(account):
    transaction(account, "de", rows(100))
    assert len(all_entities(account, "orders")) == 100  # a table scan, which is not part of the check
    begin_again(account)
    query(account, "PartitionKey eq 'de' and RowKey ge '0010' and RowKey lt '0020'")
    etag = get(account, "de", "0001").headers["ETag"]
    write(account, "PUT", "de", "0001", etag, A=1)
    assert findings(account) == set()
