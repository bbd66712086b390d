"""The design patterns of table storage: the results of their queries, and how many entities these read.

learn.microsoft.com/azure/storage/tables/table-storage-design-patterns and .../table-storage-design-for-query give the
reasons, docs/patterns.md the code. Only rocktable reports the cost; for other endpoints only results are checked.
"""
import contextlib
import datetime
import io
import json
import os
import pathlib
import random
import re
import types
import urllib.parse
import zlib

import pytest

import rocktable_server
from rocktable_server import (
    BATCH_HEADERS,
    batch_part,
    continuation,
    create_table,
    delete_table,
    exchange,
    request_bytes,
    send,
    send_batch,
    unique_name,
)

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "patterns.md"
MAX_TICKS = 3155378975999999999  # of .NET's DateTime.MaxValue: the last 100 ns of the year 9999


@pytest.fixture(scope="module")
def server():
    other = "ROCKTABLE_TEST_CONNECTION_STRING" in os.environ
    running = rocktable_server.connect() if other else rocktable_server.Server("--insightHeaders")
    yield running
    running.stop()


def transaction(server, table, *parts):
    """Commits the parts. Returns the statuses of the responses."""
    answer = send_batch(server, parts)
    assert answer.status == 202, answer
    return [int(status) for status in re.findall(r"^HTTP/1.1 (\d+) ", answer.text, re.MULTILINE)]


def insertion(server, table, partition, row, **properties):
    return batch_part(server, "POST", table, {"PartitionKey": partition, "RowKey": row, **properties})


def fill(server, table, entities):
    """Inserts (partition, row, properties) in any order."""
    partitions = {}
    for partition, row, properties in entities:
        partitions.setdefault(partition, []).append(insertion(server, table, partition, row, **properties))
    for parts in partitions.values():
        for start in range(0, len(parts), 100):
            some = parts[start : start + 100]
            assert transaction(server, table, *some) == [201] * len(some)


def check_cost(server, answer, plan, scanned, returned):
    """The class is the service's; `scanned` is what rocktable reads."""
    if isinstance(server, rocktable_server.RunningEndpoint):
        return
    told = [answer.headers[f"x-rocktable-{name}"] for name in ("plan", "read", "returned")]
    assert told == [plan, str(scanned), str(returned)], answer


def page(server, table, text, plan, scanned, **options):
    """Returns one page of a query and checks its cost: the entities, and the options that request the next page."""
    words = {"$filter": text, **{f"${name}" if name in ("top", "select") else name: value
                                 for name, value in options.items()}}
    target = urllib.parse.urlencode({name: value for name, value in words.items() if value is not None})
    answer = send(server, "GET", f"/{table}()?{target}", {"Accept": "application/json;odata=nometadata"})
    assert answer.status == 200, (text, answer)
    found = answer.json()["value"]
    check_cost(server, answer, plan, scanned, len(found))
    return found, continuation(answer)


def query(server, table, text, plan, scanned, **options):
    """Returns the entities of a query that fits into one page, and checks its cost."""
    found, more = page(server, table, text, plan, scanned, **options)
    assert not more
    return found


def keys(entities):
    return [(entity["PartitionKey"], entity["RowKey"]) for entity in entities]


def rows(entities):
    return [entity["RowKey"] for entity in entities]


# --- log tail -------------------------------------------------------------------------------------


def ticks(time):
    """100 ns since the year 1."""
    return (time - datetime.datetime(1, 1, 1)) // datetime.timedelta(microseconds=1) * 10


def newest_first(time):
    return f"{MAX_TICKS - ticks(time):019}"


START = datetime.datetime(2010, 6, 1, 12)


@pytest.fixture
def log(server, table):
    """200 events, one a minute, stored in random order."""
    events = [("app", newest_first(START + datetime.timedelta(minutes=i)), {"n": i}) for i in range(200)]
    fill(server, table, random.Random(1).sample(events, len(events)))
    return table


def test_log_tail_yields_the_newest_first_and_reads_no_more(server, log):
    found, more = page(server, log, "PartitionKey eq 'app'", "partition-scan", 10, top=10)
    assert [event["n"] for event in found] == list(range(199, 189, -1))
    found, more = page(server, log, "PartitionKey eq 'app'", "partition-scan", 10, top=10, **more)
    assert [event["n"] for event in found] == list(range(189, 179, -1))
    assert more


@pytest.mark.parametrize("minute", [0, 1, 100, 198, 199])
def test_log_tail_since_a_time_reads_what_is_newer(server, log, minute):
    limit = newest_first(START + datetime.timedelta(minutes=minute))
    text = f"PartitionKey eq 'app' and RowKey lt '{limit}'"
    found = query(server, log, text, "row-range", 199 - minute)
    assert [event["n"] for event in found] == list(range(199, minute, -1))


def test_log_tail_between_two_times_reads_what_lies_between(server, log):
    since, until = (newest_first(START + datetime.timedelta(minutes=i)) for i in (50, 60))
    text = f"PartitionKey eq 'app' and RowKey gt '{until}' and RowKey le '{since}'"
    assert [event["n"] for event in query(server, log, text, "row-range", 10)] == list(range(59, 49, -1))


def test_numbers_sort_as_text_unless_padded(server, table):
    for width, order in ((1, [1, 10, 100, 9]), (3, [1, 9, 10, 100])):
        fill(server, table, [(f"w{width}", f"{number:0{width}}", {}) for number in (9, 100, 1, 10)])
        found = query(server, table, f"PartitionKey eq 'w{width}'", "partition-scan", 4)
        assert [int(row) for row in rows(found)] == order


# --- secondary index within the partition ---------------------------------------------------------


def employee_parts(server, table, number, email, method="POST", **properties):
    parts = []
    for row in (f"empid_{number:06}", f"email_{email}"):
        entity = {"number": number, "email": email, **properties}
        if method == "POST":
            parts.append(insertion(server, table, "sales", row, **entity))
        else:
            parts.append(batch_part(server, method, f"{table}(PartitionKey='sales',RowKey='{row}')", entity))
    return parts


@pytest.fixture
def employees(server, table):
    for i in range(40):
        assert transaction(server, table, *employee_parts(server, table, i, f"e{i}@example.org", age=i)) == [201] * 2
    return table


def test_secondary_index_finds_by_either_key_with_one_look_up(server, employees):
    for row in ("empid_000007", "email_e7@example.org"):
        text = f"PartitionKey eq 'sales' and RowKey eq '{row}'"
        (entity,) = query(server, employees, text, "point", 1)
        assert entity["number"] == 7
        answer = send(server, "GET", f"/{employees}(PartitionKey='sales',RowKey='{row}')")
        assert (answer.status, answer.json()["number"]) == (200, 7)
        check_cost(server, answer, "point", 1, 1)


def test_secondary_index_orders_by_either_key(server, employees):
    by_number = query(server, employees, starts_with("empid_", "PartitionKey eq 'sales' and "), "row-range", 40)
    assert [entity["number"] for entity in by_number] == list(range(40))
    by_email = query(server, employees, starts_with("email_", "PartitionKey eq 'sales' and "), "row-range", 40)
    assert [entity["email"] for entity in by_email] == sorted(f"e{i}@example.org" for i in range(40))


def test_secondary_index_changes_in_one_transaction_or_not_at_all(server, employees):
    older = employee_parts(server, employees, 7, "e7@example.org", "PUT", age=70)
    assert transaction(server, employees, *older) == [204] * 2
    taken = employee_parts(server, employees, 41, "e7@example.org", age=41)  # a new number, the same address
    assert transaction(server, employees, *taken) == [409]
    text = "PartitionKey eq 'sales' and (RowKey eq 'empid_000007' or RowKey eq 'email_e7@example.org')"
    assert [entity["age"] for entity in query(server, employees, text, "partition-scan", 2)] == [70, 70]
    assert query(server, employees, "PartitionKey eq 'sales' and RowKey eq 'empid_000041'", "point", 0) == []


# --- compound keys --------------------------------------------------------------------------------


@pytest.fixture
def reviews(server, table):
    fill(server, table, [("sales", f"{number:06}_{year}", {"rating": number % 5}) for number in range(20)
                         for year in range(2008, 2013)])
    return table


def test_compound_key_yields_all_of_one_or_some_or_one(server, reviews):
    here = "PartitionKey eq 'sales' and "
    found = query(server, reviews, starts_with("000007_", here), "row-range", 5)
    assert rows(found) == [f"000007_{year}" for year in range(2008, 2013)]
    text = f"{here}RowKey ge '000007_2009' and RowKey le '000007_2010'"
    assert rows(query(server, reviews, text, "row-range", 2)) == ["000007_2009", "000007_2010"]
    assert rows(query(server, reviews, f"{here}RowKey eq '000007_2011'", "point", 1)) == ["000007_2011"]


def test_compound_key_has_to_start_with_what_is_asked_for(server, reviews):
    """All employees of one year. The year is the second part of the key, so each is looked up, or all are read."""
    wanted = [f"{number:06}_2010" for number in range(20)]
    text = "PartitionKey eq 'sales' and (" + " or ".join(f"RowKey eq '{row}'" for row in wanted) + ")"
    assert rows(query(server, reviews, text, "partition-scan", 20)) == wanted
    assert len(query(server, reviews, "PartitionKey eq 'sales'", "partition-scan", 100)) == 100


# --- starts with ----------------------------------------------------------------------------------


def upper_bound(prefix):
    """Returns the first text after all that start with the prefix."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


def literal(text):
    return "'" + text.replace("'", "''") + "'"


def starts_with(prefix, before="", name="RowKey"):
    return f"{before}{name} ge {literal(prefix)} and {name} lt {literal(upper_bound(prefix))}"


WORDS = ["", "a", "a'", "a'b", "aB", "ab", "abc", "ab~", "ac", "b", "B", "log_1", "log_2", "logs", "x", "x\uffee",
         "xé", "y", "~", "~~", "é", "éé", "ê", "日", "日本", "\U0001f600", "\U0001f600x", "\U0001f601", "ﬁ"]


@pytest.mark.parametrize("prefix", ["a", "a'", "ab", "log_", "log_1", "x", "~", "é", "日", "\U0001f600", "q"])
def test_starts_with_is_a_range_that_reads_its_results_alone(server, table, prefix):
    fill(server, table, [("p", word, {}) for word in WORDS] + [(word, "r", {}) for word in WORDS if word])
    expected = [word for word in WORDS if word.startswith(prefix)]
    found = query(server, table, starts_with(prefix, "PartitionKey eq 'p' and "), "row-range", len(expected))
    assert sorted(rows(found)) == sorted(expected)
    found = query(server, table, starts_with(prefix, name="PartitionKey"), "partition-range", len(expected))
    assert sorted(keys(found)) == sorted((word, "r") for word in expected)


# --- a table per day ------------------------------------------------------------------------------


def test_a_table_per_day_is_dropped_in_one_call(server):
    prefix = unique_name("Log")
    days = [create_table(server, f"{prefix}201006{day:02}") for day in range(1, 5)]
    for day in days:
        fill(server, day, [("p", f"{i:03}", {}) for i in range(300)])
    text = urllib.parse.quote(f"TableName ge '{prefix}20100601' and TableName lt '{prefix}20100603'")
    old = [table["TableName"] for table in send(server, "GET", f"/Tables?$filter={text}").json()["value"]]
    assert old == days[:2]
    for day in old:
        delete_table(server, day)
    text = urllib.parse.quote(starts_with(prefix, name="TableName"))
    left = [table["TableName"] for table in send(server, "GET", f"/Tables?$filter={text}").json()["value"]]
    assert left == days[2:]
    answer = send(server, "GET", f"/{days[0]}()")
    assert (answer.status, answer.code) == (404, "TableNotFound")
    assert len(query(server, days[2], None, "table-scan", 300)) == 300
    for day in left:
        delete_table(server, day)


@pytest.mark.skipif("ROCKTABLE_TEST_CONNECTION_STRING" in os.environ, reason="the service needs some 40 s for it")
def test_a_dropped_table_can_be_created_again_at_once_and_holds_nothing(server, table):
    fill(server, table, [("p", f"{i:03}", {}) for i in range(300)])
    delete_table(server, table)
    create_table(server, table)
    assert query(server, table, None, "table-scan", 0) == []


# --- hash-distributed partitions ------------------------------------------------------------------

BUCKETS = 8


def bucket(identifier):
    return f"{zlib.crc32(identifier.encode()) % BUCKETS:02}"


@pytest.fixture
def spread(server, table):
    """400 events in eight partitions, each in order of time."""
    fill(server, table, [(bucket(f"id{i}"), f"{i:06}", {"id": f"id{i}"}) for i in range(400)])
    return table


RANGE = "RowKey ge '000100' and RowKey lt '000140'"
EXPECTED = sorted((bucket(f"id{i}"), f"{i:06}") for i in range(100, 140))


@pytest.mark.parametrize(
    "text",
    [
        " or ".join(f"(PartitionKey eq '{i:02}' and {RANGE})" for i in range(BUCKETS)),
        "(" + " or ".join(f"PartitionKey eq '{i:02}'" for i in range(BUCKETS)) + f") and {RANGE}",
    ],
    ids=["range by range", "partitions and range"],
)
def test_a_fan_out_in_one_filter_reads_a_range_of_each_partition(server, spread, text):
    assert keys(query(server, spread, text, "table-scan", 40)) == EXPECTED


def test_the_same_range_without_the_partitions_reads_the_whole_table(server, spread):
    assert keys(query(server, spread, RANGE, "table-scan", 400)) == EXPECTED


def test_who_knows_the_id_knows_the_partition(server, spread):
    text = f"PartitionKey eq '{bucket('id77')}' and RowKey eq '000077'"
    assert [entity["id"] for entity in query(server, spread, text, "point", 1)] == ["id77"]


# --- many points ----------------------------------------------------------------------------------


def test_multi_get_looks_up_each_key_and_reads_what_is_there(server, spread):
    wanted = [(bucket(f"id{i}"), f"{i:06}") for i in range(380, 420)]  # 20 of them exist
    text = " or ".join(f"(PartitionKey eq '{partition}' and RowKey eq '{row}')" for partition, row in reversed(wanted))
    assert keys(query(server, spread, text, "table-scan", 20)) == sorted(wanted[:20])


# --- cost of filters ------- ----------------------------------------------------------------------

# Three partitions a, b, c with the rows 0 to 9; n is the row's number.
GRID = [(partition, str(row), {"n": row}) for partition in "abc" for row in range(10)]


@pytest.fixture(scope="module")
def grid(server):
    table = create_table(server)
    fill(server, table, GRID)
    yield table
    delete_table(server, table)


def expand(words):
    """`a1 b34`: rows of partitions."""
    return [(word[0], row) for word in words.split() for row in word[1:]]


ALL = "0123456789"


@pytest.mark.parametrize(
    "text, plan, scanned, found",
    [
        ("PartitionKey eq 'b' and RowKey eq '5'", "point", 1, "b5"),
        ("PartitionKey eq 'b' and RowKey eq '5' and n eq 4", "point", 1, ""),
        ("PartitionKey eq 'b' and (RowKey eq '5' or RowKey eq '7' or RowKey eq 'x')", "point", 2, "b57"),
        ("PartitionKey eq 'b' and RowKey ge '5' and RowKey lt '7'", "row-range", 2, "b56"),
        ("PartitionKey eq 'b' and RowKey gt '5' and RowKey le '7'", "row-range", 2, "b67"),
        ("PartitionKey eq 'b' and RowKey ge '7'", "row-range", 3, "b789"),
        ("PartitionKey eq 'b' and RowKey ge '5' and n lt 7", "row-range", 5, "b56"),
        ("(PartitionKey eq 'a' and RowKey eq '1') or (PartitionKey eq 'c' and RowKey lt '2')", "row-range", 3,
         "a1 c01"),
        ("PartitionKey eq 'b'", "partition-scan", 10, f"b{ALL}"),
        ("PartitionKey eq 'b' and n gt 7", "partition-scan", 10, "b89"),
        ("(PartitionKey eq 'a' or PartitionKey eq 'c') and n eq 3", "partition-scan", 20, "a3 c3"),
        ("PartitionKey ge 'b'", "partition-range", 20, f"b{ALL} c{ALL}"),
        ("PartitionKey gt 'a' and PartitionKey lt 'c' and RowKey eq '4'", "partition-range", 10, "b4"),
        # the constant on the left
        ("'b' eq PartitionKey and '5' eq RowKey", "point", 1, "b5"),
        ("'b' eq PartitionKey and '5' le RowKey and '7' gt RowKey", "row-range", 2, "b56"),
        ("'b' le PartitionKey", "partition-range", 20, f"b{ALL} c{ALL}"),
        # not
        ("not (PartitionKey ne 'b')", "partition-scan", 10, f"b{ALL}"),
        ("not (PartitionKey ne 'b' or RowKey ne '5')", "point", 1, "b5"),
        ("PartitionKey eq 'b' and not (RowKey lt '8')", "row-range", 2, "b89"),
        ("PartitionKey eq 'b' and not (RowKey lt '3' or RowKey ge '5')", "row-range", 2, "b34"),
        ("not (PartitionKey eq 'b')", "partition-range", 20, f"a{ALL} c{ALL}"),
        ("PartitionKey eq 'b' and RowKey ne '5'", "row-range", 9, "b012346789"),
        ("not (not (PartitionKey eq 'b' and RowKey eq '5'))", "point", 1, "b5"),
        # parentheses and order do not matter
        ("(((RowKey eq '5')) and (PartitionKey eq 'b'))", "point", 1, "b5"),
        ("RowKey lt '7' and n ge 0 and PartitionKey eq 'b' and RowKey ge '5'", "row-range", 2, "b56"),
        ("PartitionKey eq 'b' and (RowKey ge '5' and RowKey lt '7' or RowKey ge '6' and RowKey lt '9')", "row-range", 4,
         "b5678"),
        # what reads everything
        (None, "table-scan", 30, f"a{ALL} b{ALL} c{ALL}"),
        ("RowKey eq '5'", "table-scan", 30, "a5 b5 c5"),
        ("n eq 5", "table-scan", 30, "a5 b5 c5"),
        ("Timestamp lt datetime'2001-01-01T00:00:00Z'", "table-scan", 30, ""),
        ("PartitionKey eq 'b' or n eq 5", "table-scan", 30, f"a5 b{ALL} c5"),
        ("PartitionKey eq 'b' or RowKey eq '5'", "table-scan", 30, f"a5 b{ALL} c5"),
        ("PartitionKey ge ''", "table-scan", 30, f"a{ALL} b{ALL} c{ALL}"),
        ("not (n ne 5)", "table-scan", 30, "a5 b5 c5"),
        ("partitionkey eq 'b'", "table-scan", 30, ""),  # no property has that name
    ],
)
def test_a_filter_reads_the_keys_that_it_leaves(server, grid, text, plan, scanned, found):
    """`plan` is the class of what rocktable reads; the class that the header has is the service's."""
    words = {} if text is None else {"$filter": text}
    answer = send(server, "GET", f"/{grid}()?{urllib.parse.urlencode(words)}")
    assert keys(answer.json()["value"]) == expand(found)
    if isinstance(server, rocktable_server.RunningEndpoint):
        return
    assert answer.headers["x-rocktable-read"] == str(scanned)
    target = urllib.parse.urlencode({"account": server.name, "table": grid, **({} if text is None else {"filter": text})})
    told = exchange(server, request_bytes(server, "GET", f"/_rocktable/plan?{target}", signed=False)).json()
    assert (told["planHere"], told["plan"]) == (plan, answer.headers["x-rocktable-plan"])


@pytest.mark.parametrize(
    "text",
    [
        "PartitionKey eq 'a' and PartitionKey eq 'b'",
        "PartitionKey eq 'a' and RowKey gt '5' and RowKey lt '5'",
        "PartitionKey eq 'a' and RowKey gt '6' and RowKey lt '5'",
        "RowKey eq '5' and RowKey eq '6'",
        "PartitionKey lt ''",
        "PartitionKey eq 'a' and not (PartitionKey eq 'a')",
        "PartitionKey gt 'a' and not (PartitionKey ge 'a')",
        "(PartitionKey eq 'a' or PartitionKey eq 'b') and PartitionKey gt 'b'",
        "PartitionKey eq 'a' and 1 eq 2",
        "false",
    ],
)
def test_a_contradiction_reads_nothing(server, grid, text):
    answer = send(server, "GET", f"/{grid}()?{urllib.parse.urlencode({'$filter': text})}")
    assert answer.json()["value"] == []
    assert answer.headers["x-rocktable-read"] in ("0", None)


def test_a_table_scan_costs_the_same_whether_it_finds_or_not(server, grid):
    """$top ends such a query early only if it finds enough entities."""
    assert query(server, grid, "n eq 77", "table-scan", 30, top=1) == []
    found, more = page(server, grid, "n eq 5", "table-scan", 6, top=1)
    assert keys(found) == [("a", "5")] and more


def test_a_point_get_that_finds_nothing_reads_nothing(server, grid):
    answer = send(server, "GET", f"/{grid}(PartitionKey='b',RowKey='x')")
    assert (answer.status, answer.code) == (404, "ResourceNotFound")
    check_cost(server, answer, "point", 0, 0)


# --- common mistakes in articles ------------------------------------------------------------------


def test_two_entities_under_one_key_are_refused(server, table):
    """learn.microsoft.com/rest/api/storageservices/insert-entity. What works: keys that differ, or an upsert."""
    body = {"PartitionKey": "app", "RowKey": "2010-06-01T12:00:00", "text": "first"}
    assert send(server, "POST", f"/{table}", body=json.dumps(body)).status == 201
    answer = send(server, "POST", f"/{table}", body=json.dumps(body | {"text": "second"}))
    assert (answer.status, answer.code) == (409, "EntityAlreadyExists")
    apart = body | {"RowKey": body["RowKey"] + "_0001", "text": "second"}
    assert send(server, "POST", f"/{table}", body=json.dumps(apart)).status == 201
    found = query(server, table, starts_with(body["RowKey"], "PartitionKey eq 'app' and "), "row-range", 2)
    assert [entity["text"] for entity in found] == ["first", "second"]
    target = f"/{table}(PartitionKey='app',RowKey='{urllib.parse.quote(body['RowKey'])}')"
    assert send(server, "PUT", target, body=json.dumps({"text": "third"})).status == 204
    assert send(server, "GET", target).json()["text"] == "third"


@pytest.mark.parametrize("name", ["Log_20100601", "Log-20100601", "Log 20100601", "Log.20100601", "20100601Log"])
def test_a_table_name_has_letters_and_digits_alone(server, name):
    """learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model."""
    answer = send(server, "POST", "/Tables", body=json.dumps({"TableName": name}))
    assert (answer.status, answer.code) == (400, "InvalidResourceName")
    delete_table(server, create_table(server, unique_name("Log20100601")))


@pytest.mark.parametrize("count", [1, 2])
def test_a_batch_of_writes_needs_a_change_set(server, table, count):
    """learn.microsoft.com/rest/api/storageservices/performing-entity-group-transactions; code by decision."""
    parts = [insertion(server, table, "p", str(i)) for i in range(count)]
    bare = "".join(f"--batch_1\r\n{part}" for part in parts) + "--batch_1--\r\n"
    answer = send(server, "POST", "/$batch", BATCH_HEADERS, bare)
    assert (answer.status, answer.code) == (400, "InvalidInput")
    assert query(server, table, None, "table-scan", 0) == []
    assert transaction(server, table, *parts) == [201] * count
    assert len(query(server, table, None, "table-scan", count)) == count


# --- the guide ------------------------------------------------------------------------------------


def test_the_examples_of_the_guide_do_what_it_says(server, monkeypatch):
    """Runs all Python of docs/patterns.md, in order; `#> ` marks the expected output of the line before."""
    pytest.importorskip("azure.data.tables")
    if isinstance(server, rocktable_server.RunningEndpoint):
        pytest.skip("the guide prints what rocktable tells of the cost")
    guide = GUIDE.read_text()
    blocks = list(re.finditer(r"^```python\n(.*?)^```", guide, re.MULTILINE | re.DOTALL))
    assert blocks
    module = types.ModuleType("guide")
    monkeypatch.setenv("AZURE_STORAGE_CONNECTION_STRING", server.connection_string)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in blocks:
            lines_before = guide[: block.start(1)].count("\n")  # so that a traceback names the line of the guide
            exec(compile("\n" * lines_before + block[1], str(GUIDE), "exec"), vars(module))
    expected = [line for block in blocks for line in re.findall(r"^#> (.*)$", block[1], re.MULTILINE)]
    assert printed.getvalue().splitlines() == expected
