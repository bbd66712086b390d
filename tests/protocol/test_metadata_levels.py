"""The exact annotations of the three metadata levels, in single entities and in sets."""
import json
import urllib.parse

import pytest

from rocktable_server import send

OWN = {
    "Text": "it's",
    "Flag": True,
    "Small": 42,
    "Large@odata.type": "Edm.Int64",
    "Large": "5432873627392",
    "Ratio": 4.81516,
    "Whole": 5.0,
    "Bytes@odata.type": "Edm.Binary",
    "Bytes": "U2FtcGxl",
    "Id@odata.type": "Edm.Guid",
    "Id": "dd3cb8f8-93b7-44e2-b74a-c0aa3b27a6d2",
    "When@odata.type": "Edm.DateTime",
    "When": "2014-05-07T08:20:53Z",
    "Nothing@odata.type": "Edm.Double",
    "Nothing": "NaN",
}
BARE = {name: value for name, value in OWN.items() if "@" not in name}
KEYS = {"PartitionKey": "p'k", "RowKey": "r k"}


@pytest.fixture
def entity(server, table):
    """Inserts an entity with a property of each type and returns its resource."""
    body = json.dumps(KEYS | OWN)
    answer = send(server, "POST", f"/{table}", {"Prefer": "return-no-content"}, body)
    assert answer.status == 204
    return f"{table}(PartitionKey='p''k',RowKey='r%20k')"


def get(server, resource, accept):
    answer = send(server, "GET", f"/{resource}", {"Accept": accept})
    assert answer.status == 200
    level = accept.partition("odata=")[2] or "minimalmetadata"
    assert answer.headers["Content-Type"] == f"application/json;odata={level};streaming=true;charset=utf-8"
    return answer


def expected_entity(server, resource, etag, level):
    timestamp = urllib.parse.unquote(etag).split("'")[1]
    table = resource.partition("(")[0]
    if level == "nometadata":
        return KEYS | {"Timestamp": timestamp} | BARE
    if level == "fullmetadata":
        return {
            "odata.type": f"{server.name}.{table}",
            "odata.id": f"{server.endpoint}/{resource}",
            "odata.etag": etag,
            "odata.editLink": resource,
            **KEYS,
            "Timestamp@odata.type": "Edm.DateTime",
            "Timestamp": timestamp,
            **OWN,
        }
    return {"odata.etag": etag, **KEYS, "Timestamp": timestamp, **OWN}


def context(server, suffix, level):
    return {} if level == "nometadata" else {"odata.metadata": f"{server.endpoint}/$metadata#{suffix}"}


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


@pytest.mark.parametrize("level", ["nometadata", "minimalmetadata", "fullmetadata"])
def test_an_entity_and_a_set(server, entity, level):
    accept = f"application/json;odata={level}"
    table = entity.partition("(")[0]
    one = get(server, entity, accept)
    expected = expected_entity(server, entity, one.headers["ETag"], level)
    assert one.text == compact(context(server, f"{table}/@Element", level) | expected)
    both = context(server, table, level) | {"value": [expected]}
    assert get(server, f"{table}()", accept).text == compact(both)


@pytest.mark.parametrize("accept", ["application/json", "application/json; odata=minimalmetadata"])
def test_spellings_of_minimal_metadata(server, entity, accept):
    answer = send(server, "GET", f"/{entity}", {"Accept": accept})
    kind = "application/json;odata=minimalmetadata;streaming=true;charset=utf-8"
    assert answer.headers["Content-Type"] == kind
    assert "odata.etag" in answer.json() and "odata.id" not in answer.json()


def test_an_insert_echoes_the_entity_at_the_level_asked_for(server, table):
    body = compact(KEYS | OWN | {"Dropped": None})
    resource = f"{table}(PartitionKey='p''k',RowKey='r%20k')"
    accept = {"Accept": "application/json;odata=fullmetadata"}
    answer = send(server, "POST", f"/{table}", accept, body)
    assert answer.status == 201
    assert answer.headers["Location"] == f"{server.endpoint}/{resource}"
    expected = expected_entity(server, resource, answer.headers["ETag"], "fullmetadata")
    assert answer.text == compact(context(server, f"{table}/@Element", "fullmetadata") | expected)


def test_select_is_named_in_the_context(server, entity):
    table = entity.partition("(")[0]
    one = get(server, f"{entity}?$select=Small,%20Absent", "application/json;odata=minimalmetadata")
    etag = one.headers["ETag"]
    start = context(server, f"{table}/@Element&$select=Small,%20Absent", "minimalmetadata")
    assert one.json() == start | {"odata.etag": etag, "Small": 42, "Absent": None}
    both = get(server, f"{table}()?$select=RowKey,Large", "application/json;odata=minimalmetadata")
    item = {"odata.etag": etag, "RowKey": "r k", "Large@odata.type": "Edm.Int64", "Large": "5432873627392"}
    start = context(server, f"{table}&$select=RowKey,Large", "minimalmetadata")
    assert both.json() == start | {"value": [item]}
