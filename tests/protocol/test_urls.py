"""URLs of resources: a name after a table, a slash at the end."""
import json
import re

import pytest

from answers import (
    EMPTY,
    ENTITY_EXISTS,
    ETAG,
    NOT_IMPLEMENTED,
    NO_CONTENT,
    NO_TABLE,
    TABLE_LAYER,
    accept,
    check,
    check_early_error,
    check_empty,
    check_error,
    check_front_end_error,
    json_type,
)
from fixture_control import account_of
from own_server import needs_program
from rocktable_server import (
    BATCH_HEADERS,
    all_entities,
    batch_body,
    batch_part,
    create_table,
    delete_table,
    send,
    unique_name,
)
from shared_access import table_sas, send_with

NO_VALUES = "The values are not specified for all properties in the entity."
KEYS = {"PartitionKey": "p", "RowKey": "r"}

# --- a name after a table -------------------------------------------------------------------------

SECOND = pytest.mark.parametrize("second", ["{}", "Tables", "other"])


@SECOND
@pytest.mark.parametrize("prefer", [None, "return-no-content"])
def test_post_behind_a_table_inserts_into_it(server, table, second, prefer):
    """Recorded from the service: clients built on the URL of a table send it. Location has the name once."""
    resource = f"/{table}/{second.format(table)}"
    answer = send(server, "POST", resource, {"Prefer": prefer}, json.dumps(KEYS))
    location = f"{server.endpoint}/{table}(PartitionKey='p',RowKey='r')"
    if prefer:
        expected = TABLE_LAYER | EMPTY | NO_CONTENT | {"Location": location, "DataServiceId": location, "ETag": ETAG}
        check_empty(answer, 204, expected)
    else:
        check(answer, 201, TABLE_LAYER | json_type() | {"Location": location, "ETag": ETAG})
        assert f'"{server.endpoint}/$metadata#{table}/@Element"' in answer.text
    assert [entity["RowKey"] for entity in all_entities(server, table)] == ["r"]
    answer = send(server, "POST", resource, {"Prefer": prefer}, json.dumps(KEYS))
    applied = NO_CONTENT if prefer else {}
    check_error(answer, 409, "EntityAlreadyExists", ENTITY_EXISTS, applied)


@SECOND
@pytest.mark.parametrize("prefer", [None, "return-no-content"])
def test_creating_a_table_behind_a_table_is_an_insert_without_keys(server, table, second, prefer):
    """Recorded from the service."""
    name = unique_name()
    body = json.dumps({"TableName": name})
    answer = send(server, "POST", f"/{table}/{second.format(table)}", {"Prefer": prefer}, body)
    check_error(answer, 400, "PropertiesNeedValue", NO_VALUES, NO_CONTENT if prefer else {})
    assert send(server, "GET", f"/Tables('{name}')").status == 404


@SECOND
@pytest.mark.parametrize("argument", ["", "()", "(PartitionKey='p',RowKey='r')", "('x')"])
def test_get_behind_a_table_is_not_implemented(server, table, second, argument):
    """Recorded from the service without keys, reported with keys: with Cache-Control, whether the entity exists or
    not."""
    send(server, "POST", f"/{table}", body=json.dumps(KEYS))
    answer = send(server, "GET", f"/{table}/{second.format(table)}{argument}")
    check_error(answer, 501, "NotImplemented", NOT_IMPLEMENTED)


@pytest.mark.parametrize("headers", [{}, {"If-Match": "*"}], ids=str)
def test_one_unnamed_key_behind_a_table_is_the_wrong_number_of_keys(server, table, headers):
    """Recorded from the service for DELETE without If-Match: an early error that names account and table."""
    answer = send(server, "DELETE", f"/{table}/Tables('{table}')", headers)
    text = (
        "The number of keys specified in the URI does not match number of key properties for the resource "
        f"'{server.name}.{table}'."
    )
    check_early_error(answer, 400, "InvalidInput", text)
    assert send(server, "GET", f"/Tables('{table}')").status == 200


@pytest.mark.parametrize("method", ["PUT", "MERGE", "PATCH", "DELETE"])
def test_other_writes_behind_a_table_are_not_implemented_and_change_nothing(server, table, method):
    """Decision: the behaviour of the service is not known."""
    send(server, "POST", f"/{table}", body=json.dumps(KEYS))
    before = all_entities(server, table)
    body = None if method == "DELETE" else '{"a":1}'
    for behind in (table, f"{table}(PartitionKey='p',RowKey='r')"):
        answer = send(server, method, f"/{table}/{behind}", {"If-Match": "*"}, body)
        assert (answer.status, answer.code) == (501, "NotImplemented"), answer
    assert all_entities(server, table) == before


def test_behind_a_table_that_is_not_there(server):
    """Decision: a usual insert; a GET is refused with NotImplemented before the table is looked up."""
    answer = send(server, "POST", "/absent/absent", body=json.dumps(KEYS))
    check_early_error(answer, 404, "TableNotFound", NO_TABLE)
    check_error(send(server, "GET", "/absent/absent"), 501, "NotImplemented", NOT_IMPLEMENTED)


def test_a_signature_for_a_table_opens_that_table_alone_whatever_stands_behind(server, table):
    """The first segment is the resource."""
    other = create_table(server)
    sas = table_sas(server, table)
    body = json.dumps(KEYS)
    assert send_with(server, sas, "POST", f"/{other}/{table}", body=body).status == 403
    assert send_with(server, sas, "GET", f"/{other}/{table}").status == 403
    assert send_with(server, sas, "POST", f"/{table}/{other}", body=body).status == 201
    assert all_entities(server, other) == []
    delete_table(server, other)


@pytest.mark.parametrize("resource", ["/Tables/{}", "/{}/{}/{}", "///{}", "/{}//{}"])
def test_other_paths_lead_nowhere(server, table, resource):
    """Recorded from the service: the front end refuses such a path, without a version. Decision: which paths."""
    answer = send(server, "POST", resource.format(table, table, table), body=json.dumps(KEYS))
    check_front_end_error(answer, 400, "InvalidUri", "The requested URI does not represent any resource on the server.",
                          json_wanted=True, without=("x-ms-version",))
    assert all_entities(server, table) == []


def test_one_empty_segment_after_the_account_is_skipped(server, table):
    """The library for Java appends `/Tables` to an endpoint that ends in a slash. A signature is over the path as sent."""
    assert send(server, "POST", f"//{table}", body=json.dumps(KEYS)).status == 201
    assert send(server, "GET", f"//Tables('{table}')").status == 200
    answer = send(server, "POST", f"//{table}", body=json.dumps({**KEYS, "RowKey": "other"}))
    assert answer.headers["Location"].count("//") == 1  # links are as those for the path without it


def test_a_batch_after_an_empty_segment_is_carried_out(server, table):
    """The library for Java writes the path of the request into the parts."""
    parts = [batch_part(server, "POST", path, KEYS | {"RowKey": row}) for row, path in (("1", table), ("2", f"/{table}"))]
    answer = send(server, "POST", "//$batch", BATCH_HEADERS, batch_body(parts))
    assert (answer.status, re.findall(r"^HTTP/1.1 (\d+)", answer.text, re.MULTILINE)) == (202, ["201", "201"])
    assert [entity["RowKey"] for entity in all_entities(server, table)] == ["1", "2"]


def test_a_signature_for_a_table_opens_that_table_alone_after_an_empty_segment(server, table):
    other = create_table(server)
    sas = table_sas(server, table)
    assert send_with(server, sas, "POST", f"//{table}", body=json.dumps(KEYS)).status == 201
    assert send_with(server, sas, "GET", f"//{table}(PartitionKey='p',RowKey='r')").status == 200
    assert send_with(server, sas, "GET", f"//{other}()").status == 403
    delete_table(server, other)


@needs_program
def test_an_empty_segment_does_not_lead_to_another_account(start):
    first = start("--anyAccount")
    second = account_of(first, "second")
    create_table(second, "Orders")
    assert send(second, "POST", "//Orders", body=json.dumps(KEYS)).status == 201
    assert [entity["RowKey"] for entity in all_entities(second, "Orders")] == ["r"]
    assert send(first, "GET", "//Orders()").code == "TableNotFound"
    assert send(first, "GET", "//second/Orders").status == send(first, "GET", "/second/Orders").status == 501  # a table, `second`


def test_a_batch_behind_a_table_is_an_insert_of_the_wrong_type(server, table):
    """Recorded from the service."""
    answer = send(server, "POST", f"/{table}/$batch", BATCH_HEADERS | {"Accept": "application/json"}, "--batch_1--")
    check_early_error(answer, 415, "MediaTypeNotSupported", "None of the provided media types are supported")


@pytest.mark.parametrize("resource", ["/absent/Tables", "/absent/absent", "/absent/Tables('absent')"])
def test_behind_a_table_that_is_missing(server, resource):
    """Recorded from the service: the table is looked up before keys are counted."""
    method = "DELETE" if resource.endswith(")") else "POST"
    check_early_error(send(server, method, resource, body='{"TableName":"x"}' if method == "POST" else None), 404,
                      "TableNotFound", NO_TABLE)


IMPOSSIBLE = [
    *((name, "InvalidResourceName", "The specifed resource name contains invalid characters.")
      for name in ("1table", "my_table", "my-table", "t%C3%A9t")),
    *((name, "OutOfRangeInput", "The specified resource name length is not within the permissible limits.")
      for name in ("a", "aa", "a" * 64, "a%2F%2F")),
]


@pytest.mark.parametrize("name, code, message", IMPOSSIBLE)
def test_an_impossible_name_of_a_table_is_told_at_every_operation(server, name, code, message):
    """Recorded from the service."""
    entity = f"/{name}(PartitionKey='p',RowKey='r')"
    body = json.dumps(KEYS)
    for method, resource, sent in (
        ("GET", f"/{name}()", None), ("POST", f"/{name}", body), ("POST", f"/{name}", "{"), ("GET", entity, None),
        ("PUT", entity, body), ("MERGE", entity, body), ("PATCH", entity, body), ("DELETE", entity, None),
    ):
        check_early_error(send(server, method, resource, {"If-Match": "*"}, sent), 400, code, message)
    for method, sent in (("GET", None), ("PUT", "<SignedIdentifiers />")):
        answer = send(server, method, f"/{name}?comp=acl", {"Accept": "application/xml"}, sent)
        check_front_end_error(answer, 400, code, message)


@pytest.mark.parametrize("key", ["a!b", "a*b", "a(b)", "it''s", "a~b"])
def test_links_leave_the_marks_of_urls_as_they_are(server, table, key):
    """Recorded from the service for the first two; inferred for the parentheses."""
    row = {"PartitionKey": "p", "RowKey": key.replace("''", "'")}
    answer = send(server, "POST", f"/{table}", accept("fullmetadata"), json.dumps(row))
    link = f"{table}(PartitionKey='p',RowKey='{key}')"
    assert answer.headers["Location"] == f"{server.endpoint}/{link}"
    assert (answer.json()["odata.id"], answer.json()["odata.editLink"]) == (f"{server.endpoint}/{link}", link)
    assert send(server, "GET", f"/{link}").json()["RowKey"] == row["RowKey"]


# --- a slash at the end ---------------------------------------------------------------------------


def test_a_slash_at_the_end_says_nothing(server, table):
    """Decision: one rule for all resources; no recording shows one."""
    entity = f"/{table}(PartitionKey='p',RowKey='r')"
    put = {"If-Match": "*"}
    xml = {"Accept": "application/xml"}
    name = unique_name()
    steps = [
        ("POST", f"/{table}/", {}, json.dumps(KEYS), 201),
        ("GET", "/Tables/", {}, None, 200),
        ("GET", "/Tables()/", {}, None, 200),
        ("POST", "/Tables/", {}, json.dumps({"TableName": name}), 201),
        ("GET", f"/Tables('{name}')/", {}, None, 200),
        ("DELETE", f"/Tables('{name}')/", {}, None, 204),
        ("GET", f"/{table}/", {}, None, 200),
        ("GET", f"/{table}()/", {}, None, 200),
        ("GET", f"/{table}()/?$top=1", {}, None, 200),
        ("GET", f"{entity}/", {}, None, 200),
        ("PUT", f"{entity}/", put, "{}", 204),
        ("MERGE", f"{entity}/", put, "{}", 204),
        ("GET", f"/{table}/?comp=acl", xml, None, 200),
        ("POST", f"/{table}/{table}/", {}, json.dumps(KEYS | {"RowKey": "s"}), 201),
        ("POST", "/$batch/", BATCH_HEADERS, batch_body([batch_part(server, "PUT", f"{entity[1:]}/", {})]), 202),
        ("DELETE", f"{entity}/", put, None, 204),
    ]
    for method, resource, headers, body, status in steps:
        answer = send(server, method, resource, headers, body)
        assert answer.status == status, (method, resource, answer)
        assert "batch" not in resource or re.search("HTTP/1.1 204", answer.text), answer
        assert "/Tables" not in resource or f"{name}/" not in (answer.headers["Location"] or "")
    assert [found["RowKey"] for found in all_entities(server, table)] == ["s"]
    with_slash, without = send(server, "GET", f"/{table}()/"), send(server, "GET", f"/{table}()")
    assert with_slash.body == without.body
