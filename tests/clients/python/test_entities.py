"""Single entities through the SDK: insert, get, update, upsert, delete, and their conditions."""
import datetime

import pytest
from azure.core import MatchConditions
from azure.data.tables import UpdateMode

from rocktable_server import send

STALE_ETAG = "W/\"datetime'2020-01-01T00%3A00%3A00.1234567Z'\""
UNCHANGED = MatchConditions.IfNotModified


def key(row="r", partition="p"):
    return {"PartitionKey": partition, "RowKey": row}


def test_an_inserted_entity_is_read_back_with_its_etag_and_a_timestamp(table):
    inserted = table.create_entity(key() | {"text": "x", "count": 3})
    read = table.get_entity("p", "r")
    assert read == key() | {"text": "x", "count": 3}
    assert read.metadata["etag"] == inserted["etag"]
    age = datetime.datetime.now(datetime.timezone.utc) - read.metadata["timestamp"]
    assert abs(age) < datetime.timedelta(seconds=10)


def test_a_second_insert_is_refused_and_changes_nothing(table, refused):
    table.create_entity(key() | {"value": 1})
    with refused(409, "EntityAlreadyExists"):
        table.create_entity(key() | {"value": 2})
    assert table.get_entity("p", "r")["value"] == 1


def test_what_is_absent_is_not_found(table, refused):
    for call in (
        lambda: table.get_entity("p", "r"),
        lambda: table.update_entity(key(), mode=UpdateMode.MERGE),
        lambda: table.update_entity(key(), mode=UpdateMode.REPLACE),
        lambda: table.update_entity(key(), etag=STALE_ETAG, match_condition=UNCHANGED),
    ):
        with refused(404, "ResourceNotFound"):
            call()
    # The SDK swallows this one; the status shows through its hook.
    seen = []
    table.delete_entity("p", "r", raw_response_hook=lambda answer: seen.append(answer.http_response))
    assert [answer.status_code for answer in seen] == [404]


@pytest.mark.parametrize("method", ["update_entity", "upsert_entity"])
def test_replace_and_merge(table, method):
    table.create_entity(key() | {"a": 1, "b": "old", "c": True})
    write = getattr(table, method)
    write(key() | {"b": "new", "d": 2.5}, mode=UpdateMode.MERGE)
    assert table.get_entity("p", "r") == key() | {"a": 1, "b": "new", "c": True, "d": 2.5}
    write(key() | {"e": 5}, mode=UpdateMode.REPLACE)
    assert table.get_entity("p", "r") == key() | {"e": 5}


@pytest.mark.parametrize("mode", list(UpdateMode))
def test_upsert_creates_what_is_not_there(table, mode):
    written = table.upsert_entity(key() | {"a": 1}, mode=mode)
    read = table.get_entity("p", "r")
    assert (dict(read), read.metadata["etag"]) == (key() | {"a": 1}, written["etag"])


def test_conditional_writes_demand_the_current_etag(table, refused):
    first = table.create_entity(key() | {"value": 1})["etag"]
    second = table.update_entity(key() | {"value": 2}, etag=first, match_condition=UNCHANGED)["etag"]
    assert first != second
    for call in (
        lambda: table.update_entity(key(), mode=UpdateMode.MERGE, etag=first, match_condition=UNCHANGED),
        lambda: table.update_entity(key(), mode=UpdateMode.REPLACE, etag=first, match_condition=UNCHANGED),
        lambda: table.delete_entity("p", "r", etag=first, match_condition=UNCHANGED),
    ):
        with refused(412, "UpdateConditionNotSatisfied"):
            call()
    assert table.get_entity("p", "r")["value"] == 2
    table.delete_entity("p", "r", etag=second, match_condition=UNCHANGED)
    with refused(404, "ResourceNotFound"):
        table.get_entity("p", "r")


def test_an_etag_read_in_a_listing_is_good_for_an_update(table):
    table.create_entity(key() | {"value": 1})
    (entity,) = table.list_entities()
    entity["value"] = 2
    table.update_entity(entity, match_condition=UNCHANGED)
    assert table.get_entity("p", "r")["value"] == 2


def test_an_etag_of_a_deleted_entity_does_not_match_its_successor(table, refused):
    etag = table.create_entity(key())["etag"]
    table.delete_entity("p", "r")
    table.create_entity(key())
    with refused(412, "UpdateConditionNotSatisfied"):
        table.delete_entity("p", "r", etag=etag, match_condition=UNCHANGED)


def test_each_write_has_its_own_larger_etag(table):
    etags = [table.upsert_entity(key(str(index % 3)))["etag"] for index in range(60)]
    assert len(set(etags)) == 60
    # Trailing zeros of the fraction are not written, so fill them up to compare.
    assert etags == sorted(etags, key=lambda etag: etag.split("'")[1].rstrip("Z").ljust(40, "0"))


@pytest.mark.parametrize(
    "partition, row",
    [
        ("it's", "''"),
        ("a=b&c+d, e;f:g@h$i", "100%25 (x)!*[y]"),
        (" a ", "  "),
        ("Ключ", "鍵⒈①Ⅻㄨㄩ"),
        ("😀", "𝄞𠜎"),
        ('"{x}"', "<&>"),
        ("k" * 512, "k" * 512),
    ],
)
def test_keys_of_all_kinds(table, refused, partition, row):
    entity = key(row, partition) | {"value": 1}
    table.create_entity(entity)
    with refused(409, "EntityAlreadyExists"):
        table.create_entity(entity)
    assert table.get_entity(partition, row) == entity
    table.update_entity(entity | {"value": 2})
    names = {"p": partition, "r": row}
    (found,) = table.query_entities("PartitionKey eq @p and RowKey eq @r", parameters=names)
    assert found["value"] == 2
    table.delete_entity(partition, row)
    with refused(404, "ResourceNotFound"):
        table.get_entity(partition, row)


def test_keys_may_be_empty(table, refused):
    table.create_entity(key("", "") | {"value": 1})
    table.upsert_entity(key("", "") | {"value": 2})
    assert table.get_entity("", "")["value"] == 2
    assert [entity["value"] for entity in table.query_entities("PartitionKey eq '' and RowKey eq ''")] == [2]
    table.delete_entity("", "")
    with refused(404, "ResourceNotFound"):
        table.get_entity("", "")


@pytest.mark.parametrize("bad", ["a/b", "a\\b", "a#b", "a?b", "a\tb", "a\nb", "a\x7fb", "a\x85b"])
def test_forbidden_characters_in_keys(table, refused, bad):
    with refused(400, "OutOfRangeInput"):
        table.create_entity(key(bad))
    with refused(400, "OutOfRangeInput"):
        table.create_entity(key("r", bad))
    in_url = "InvalidInput" if set(bad) & set("/\\") else "OutOfRangeInput"
    with refused(400, in_url):
        table.get_entity("p", bad)
    with refused(400, in_url):
        table.upsert_entity(key("r", bad))


def test_null_properties_are_dropped(table):
    table.create_entity(key() | {"kept": 1, "gone": None})
    assert table.get_entity("p", "r") == key() | {"kept": 1}
    table.update_entity(key() | {"kept": None}, mode=UpdateMode.MERGE)
    assert table.get_entity("p", "r") == key() | {"kept": 1}


@pytest.mark.parametrize(
    "verb, expected",
    [("MERGE", {"a": 1, "b": 2}), ("PATCH", {"a": 1, "b": 2}), ("PUT", {"b": 2}), ("DELETE", None)],
)
def test_a_verb_may_be_tunnelled_through_post(server, table, verb, expected):
    table.create_entity(key() | {"a": 1})
    headers = {"X-HTTP-Method": verb, "If-Match": "*"}
    body = None if verb == "DELETE" else '{"b":2}'
    answer = send(server, "POST", f"/{table.table_name}(PartitionKey='p',RowKey='r')", headers, body)
    assert answer.status == 204, answer
    assert list(table.list_entities()) == ([key() | expected] if expected else [])


def test_the_keys_of_the_url_decide(server, table):
    """A body may repeat the keys, even wrongly; recorded from the service."""
    body = '{"PartitionKey":"other","RowKey":"other","a":1}'
    assert send(server, "PUT", f"/{table.table_name}(PartitionKey='p',RowKey='r')", {}, body).status == 204
    assert list(table.list_entities()) == [key() | {"a": 1}]


@pytest.mark.parametrize(
    "resource",
    [
        "(PartitionKey=%27p%27,RowKey=%27r%27)",
        "%28PartitionKey='p',%20RowKey='r'%29",
        "(RowKey='r',PartitionKey='p')",
    ],
)
def test_keys_may_be_spelt_in_several_ways(server, table, resource):
    table.create_entity(key())
    assert send(server, "GET", f"/{table.table_name}{resource}").status == 200


def test_limits(table, refused):
    table.create_entity(key("252") | {f"p{i}": i for i in range(252)})
    with refused(400, "TooManyProperties"):
        table.create_entity(key("253") | {f"p{i}": i for i in range(253)})
    table.create_entity(key("255") | {"n" * 255: 1})
    with refused(400, "PropertyNameTooLong"):
        table.create_entity(key("256") | {"n" * 256: 1})
    table.create_entity(key("64K") | {"text": "漢" * 32768, "bytes": b"x" * 65536})
    with refused(400, "PropertyValueTooLarge"):
        table.create_entity(key("a") | {"text": "漢" * 32769})
    # The limit counts UTF-16 code units, so two for each of these.
    table.create_entity(key("emoji") | {"text": "😀" * 16384})
    with refused(400, "PropertyValueTooLarge"):
        table.create_entity(key("a") | {"text": "😀" * 16385})
    with refused(400, "PropertyValueTooLarge"):
        table.create_entity(key("a") | {"bytes": b"x" * 65537})
    with refused(400, "EntityTooLarge"):
        table.create_entity(key("a") | {f"p{i}": "x" * 32768 for i in range(16)})
    with refused(400, "PropertyValueTooLarge"):
        table.create_entity(key("k" * 513))
