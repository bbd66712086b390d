"""Writes and reads every Edm type."""
import datetime
import math
import uuid

import pytest
from azure.data.tables import EdmType, EntityProperty

UTC = datetime.timezone.utc


def round_trip(table, value):
    table.upsert_entity({"PartitionKey": "p", "RowKey": "r", "value": value}, mode="replace")
    return table.get_entity("p", "r")["value"]


@pytest.mark.parametrize(
    "value",
    [
        "",
        "text",
        "'\"\\ / \b\f\n\r\t\x01",
        "Grüße, Ελλάδα, 漢字, עברית",
        "😀𝄞𠜎",
        "2014-05-07T08:20:53Z",
        "c29tZWJ5dGVz",
        True,
        False,
        0,
        2147483647,
        -2147483648,
        4.81516,
        5.0,
        0.1 + 0.2,
        123456789012345.12,
        1.7976931348623157e308,
        5e-324,
        -1e20,
        math.inf,
        -math.inf,
        b"",
        bytes(range(256)),
        uuid.UUID("c9da6455-213d-42c9-9a79-3e9149a57833"),
        datetime.datetime(2014, 5, 7, 8, 20, 53, 250001, UTC),
        datetime.datetime(2014, 5, 7, 8, 20, 53, tzinfo=UTC),
        datetime.datetime(1601, 1, 1, tzinfo=UTC),
        datetime.datetime(9999, 12, 31, 23, 59, 59, 999999, UTC),
    ],
    ids=repr,
)
def test_a_value_is_kept(table, value):
    read = round_trip(table, value)
    assert read == value
    assert isinstance(read, type(value))


def test_nan_is_kept(table):
    assert math.isnan(round_trip(table, math.nan))


@pytest.mark.parametrize("number", [0, 39, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)])
def test_an_int64_is_kept(table, number):
    assert round_trip(table, EntityProperty(number, EdmType.INT64)) == EntityProperty(number, EdmType.INT64)


@pytest.mark.parametrize(
    "sent, read",
    [
        ("2021-05-26T15:48:10.6785697Z", "2021-05-26T15:48:10.6785697Z"),
        ("2021-05-26T15:48:10.0000001Z", "2021-05-26T15:48:10.0000001Z"),
        ("2021-05-26T15:48:10.5000000Z", "2021-05-26T15:48:10.5Z"),
        ("2021-05-26T15:48:10.0000000Z", "2021-05-26T15:48:10Z"),
        ("9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.9999999Z"),
    ],
)
def test_a_date_is_kept_to_100_nanoseconds(table, sent, read):
    value = round_trip(table, EntityProperty(sent, EdmType.DATETIME))
    assert value.tables_service_value == read
    # What was read is written back as it came, with the digits that Python's own type has no room for.
    assert round_trip(table, value).tables_service_value == read


def test_dates_of_other_zones_are_kept_as_utc(table):
    zone = datetime.timezone(datetime.timedelta(hours=-7))
    value = datetime.datetime(2021, 5, 26, 8, 0, 0, tzinfo=zone)
    assert round_trip(table, value) == value


def test_an_insert_and_a_replace_store_the_same(table):
    values = {"s": "x", "i": 1, "d": 1.0, "b": b"x", "t": True, "g": uuid.uuid4()}
    values["l"] = EntityProperty(1, EdmType.INT64)
    table.create_entity({"PartitionKey": "p", "RowKey": "insert"} | values)
    table.upsert_entity({"PartitionKey": "p", "RowKey": "replace"} | values, mode="replace")
    inserted, replaced = table.get_entity("p", "insert"), table.get_entity("p", "replace")
    assert {name: inserted[name] for name in values} == {name: replaced[name] for name in values} == values
