"""Entity group transactions through the SDK: all or nothing, and refusals with the index of the failed operation."""
import pytest
from azure.core import MatchConditions
from azure.data.tables import EdmType, EntityProperty, RequestTooLargeError, TableTransactionError, UpdateMode

from rocktable_server import batch_part, send_batch

UNCHANGED = MatchConditions.IfNotModified


def entity(row, **properties):
    return {"PartitionKey": "p", "RowKey": row, **properties}


def values(table):
    def own(item):
        return {name: value for name, value in item.items() if name not in ("PartitionKey", "RowKey")}

    return {item["RowKey"]: own(item) for item in table.list_entities()}


def fails(table, operations, status, code, index):
    before = values(table)
    with pytest.raises(TableTransactionError) as failure:
        table.submit_transaction(operations)
    error = failure.value
    assert (error.response.status_code, error.error_code, error.index) == (status, code, index), error.message
    assert error.message.startswith(f"{index}:")
    assert values(table) == before, "something of a failed transaction was left behind"


def test_one_transaction_mixes_all_operations(table):
    for row in ("delete", "merge", "replace", "upsert-merge", "upsert-replace"):
        table.create_entity(entity(row, value=1, other="kept"))
    answers = table.submit_transaction(
        [
            ("create", entity("insert", value=2)),
            ("update", entity("merge", value=3), {"mode": UpdateMode.MERGE}),
            ("update", entity("replace", value=4), {"mode": UpdateMode.REPLACE}),
            ("upsert", entity("upsert-merge", value=5), {"mode": UpdateMode.MERGE}),
            ("upsert", entity("upsert-replace", value=6), {"mode": UpdateMode.REPLACE}),
            ("upsert", entity("upsert-new", value=7)),
            ("delete", entity("delete")),
        ]
    )
    assert values(table) == {
        "insert": {"value": 2},
        "merge": {"value": 3, "other": "kept"},
        "replace": {"value": 4},
        "upsert-merge": {"value": 5, "other": "kept"},
        "upsert-new": {"value": 7},
        "upsert-replace": {"value": 6},
    }
    rows = ["insert", "merge", "replace", "upsert-merge", "upsert-replace", "upsert-new"]
    stored = [table.get_entity("p", row).metadata["etag"] for row in rows]
    assert [answer["etag"] for answer in answers[:6]] == stored
    assert len(answers) == 7


def test_100_operations_commit_and_101_are_refused(table):
    operations = [("create", entity(f"{row:03}", value=row)) for row in range(101)]
    fails(table, operations, 400, "InvalidInput", 99)
    assert len(table.submit_transaction(operations[:100])) == 100
    assert [item["value"] for item in table.list_entities()] == list(range(100))


def test_every_type_passes_through(table):
    keys = {"PartitionKey": "it's 漢", "RowKey": "😀 %25"}
    properties = {"s": "漢😀\r\n--changeset_x", "i": 1, "l": EntityProperty(2**60, EdmType.INT64), "b": b"\0\xff"}
    table.submit_transaction([("create", keys | properties | {"nothing": None})])
    assert table.get_entity(*keys.values()) == keys | properties


@pytest.mark.parametrize("position", [0, 1, 3])
def test_a_failing_insert_undoes_everything(table, position):
    table.create_entity(entity("there", value=1))
    operations = [("create", entity("a")), ("upsert", entity("b")), ("create", entity("c"))]
    operations.insert(position, ("create", entity("there", value=2)))
    fails(table, operations, 409, "EntityAlreadyExists", position)


def test_an_absent_entity_undoes_everything(table):
    table.create_entity(entity("there", value=1))
    start = [("create", entity("a")), ("update", entity("there", value=2))]
    for last in (("update", entity("absent")), ("delete", entity("absent"))):
        fails(table, [*start, last, ("create", entity("z"))], 404, "ResourceNotFound", 2)


@pytest.mark.parametrize("operation", ["update", "delete"])
def test_a_stale_etag_undoes_everything(table, operation):
    old = table.create_entity(entity("there", value=1))["etag"]
    new = table.update_entity(entity("there", value=2))["etag"]

    def operations(etag):
        condition = {"etag": etag, "match_condition": UNCHANGED}
        return [("create", entity("a")), (operation, entity("there"), condition), ("create", entity("b"))]

    fails(table, operations(old), 412, "UpdateConditionNotSatisfied", 1)
    assert len(table.submit_transaction(operations(new))) == 3


def test_an_entity_may_appear_only_once(table):
    fails(table, [("create", entity("a")), ("upsert", entity("a"))], 400, "InvalidDuplicateRow", 1)
    rows = [("create", entity(f"{row:02}")) for row in range(99)]
    fails(table, [*rows, ("delete", entity("50"))], 400, "InvalidDuplicateRow", 99)


def test_what_is_malformed_is_refused_at_its_index(table):
    good = ("create", entity("a"))
    fails(table, [good, ("create", entity("b", text="x" * 32769))], 400, "PropertyValueTooLarge", 1)
    fails(table, [good, ("create", entity("b/c"))], 400, "OutOfRangeInput", 1)
    fails(table, [good, ("create", entity("b", **{"n" * 256: 1}))], 400, "PropertyNameTooLong", 1)
    too_many = {f"p{i}": i for i in range(253)}
    fails(table, [good, ("create", entity("b", **too_many))], 400, "TooManyProperties", 1)


def test_a_body_over_4_mib_is_refused_as_a_whole(table):
    with pytest.raises(RequestTooLargeError) as failure:
        large = {"a": "x" * 30000, "b": "x" * 30000}
        table.submit_transaction([("create", entity(f"{row}", **large)) for row in range(100)])
    assert failure.value.response.status_code == 413
    assert values(table) == {}


def test_an_absent_table_is_reported_at_index_0(client_of, refused):
    with refused(404, "TableNotFound") as seen:
        client_of("absent3").submit_transaction([("create", entity("a")), ("create", entity("b"))])
    assert seen.error.message.startswith("0:The table specified does not exist.")


@pytest.mark.parametrize("what", ["partition", "table"])
def test_one_partition_of_one_table(server, table, service, new_name, what):
    other = new_name()
    service.create_table(other)
    name = table.table_name
    second = (name, {"PartitionKey": "q", "RowKey": "b"}) if what == "partition" else (other, entity("b"))
    parts = [batch_part(server, "POST", name, entity("a")), batch_part(server, "POST", *second)]
    answer = send_batch(server, parts)
    assert answer.status == 202
    assert "HTTP/1.1 400 Bad Request\r\n" in answer.text
    assert '"code":"CommandsInBatchActOnDifferentPartitions"' in answer.text
    assert '"value":"1:All commands in a batch must operate on same entity group.' in answer.text
    assert values(table) == {}


def test_the_parts_of_the_answer(server, table):
    """Every line as the service writes it; SDKs of other languages parse these bytes strictly."""
    name = table.table_name
    parts = [
        batch_part(server, "POST", name, entity("a"), "Prefer: return-no-content\r\nContent-ID: 7\r\n"),
        batch_part(server, "PUT", f"{name}(PartitionKey='p',RowKey='b')", entity("b")),
    ]
    answer = send_batch(server, parts)
    assert answer.status == 202
    boundary = answer.headers["Content-Type"].partition("boundary=")[2]
    assert boundary.startswith("batchresponse_")
    inner = answer.text.partition("boundary=")[2].partition("\r\n")[0]
    assert inner.startswith("changesetresponse_")
    first, second = (table.get_entity("p", row).metadata["etag"] for row in "ab")
    url = f"{server.endpoint}/{name}(PartitionKey='p',RowKey='a')"
    assert answer.text.split("\r\n") == [
        f"--{boundary}",
        f"Content-Type: multipart/mixed; boundary={inner}",
        "",
        f"--{inner}",
        "Content-Type: application/http",
        "Content-Transfer-Encoding: binary",
        "",
        "HTTP/1.1 204 No Content",
        "Content-ID: 7",
        "X-Content-Type-Options: nosniff",
        "Cache-Control: no-cache",
        "Preference-Applied: return-no-content",
        "DataServiceVersion: 3.0;",
        f"Location: {url}",
        f"DataServiceId: {url}",
        f"ETag: {first}",
        "",
        "",
        f"--{inner}",
        "Content-Type: application/http",
        "Content-Transfer-Encoding: binary",
        "",
        "HTTP/1.1 204 No Content",
        "X-Content-Type-Options: nosniff",
        "Cache-Control: no-cache",
        "DataServiceVersion: 1.0;",
        f"ETag: {second}",
        "",
        "",
        f"--{inner}--",
        f"--{boundary}--",
        "",
    ]
