"""Responses to operations on tables: exact headers, exact bodies."""
import json

import pytest

from answers import (
    ABSENT,
    EMPTY,
    INVALID,
    LEVELS,
    NO_CONTENT,
    NO_TABLE,
    TABLE_EXISTS,
    TABLE_LAYER,
    accept,
    check,
    check_early_error,
    check_empty,
    check_error,
    check_table_layer_xml_error,
    context,
    json_type,
)
from rocktable_server import create_table, delete_table, send, unique_name


def create(server, name, headers=None):
    return send(server, "POST", "/Tables", headers, json.dumps({"TableName": name}))


def element(server, name, level):
    """Returns one table at a metadata level: recorded from the service for a GET."""
    link = f"Tables('{name}')"
    more = f'"odata.type":"{server.name}.Tables","odata.id":"{server.endpoint}/{link}","odata.editLink":"{link}",'
    return f'{{{more if level == "fullmetadata" else ""}"TableName":"{name}"}}'


def document(server, name, level):
    return "{" + context(server, "Tables/@Element", level) + element(server, name, level)[1:]


# --- create ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_create_answers_201_with_the_table_and_its_location(server, level):
    """Recorded from the service; the level of metadata by learn.microsoft.com/rest/api/storageservices/create-table."""
    name = unique_name("Mixed")
    answer = create(server, name, accept(level))
    check(answer, 201, TABLE_LAYER | json_type(level) | {"Location": f"{server.endpoint}/Tables('{name}')"})
    assert answer.text == document(server, name, level)
    delete_table(server, name)


def test_create_with_return_content_says_that_the_preference_was_applied(server):
    """Recorded from the service for entities;
    learn.microsoft.com/rest/api/storageservices/setting-the-prefer-header-to-manage-response-echo."""
    name = unique_name()
    answer = create(server, name, {"Prefer": "return-content"})
    location = {"Location": f"{server.endpoint}/Tables('{name}')", "Preference-Applied": "return-content"}
    check(answer, 201, TABLE_LAYER | json_type() | location)
    assert answer.text == document(server, name, "minimalmetadata")
    delete_table(server, name)


@pytest.mark.parametrize("level", LEVELS)
def test_create_with_return_no_content_answers_204_with_two_locations(server, level):
    """Recorded from the service."""
    name = unique_name()
    answer = create(server, name, accept(level) | {"Prefer": "return-no-content"})
    location = f"{server.endpoint}/Tables('{name}')"
    check_empty(answer, 204, TABLE_LAYER | EMPTY | NO_CONTENT | {"Location": location, "DataServiceId": location})
    delete_table(server, name)


@pytest.mark.parametrize("prefer", [None, "return-content", "return-no-content"])
def test_create_of_an_existing_table_is_a_conflict_in_any_case_of_its_name(server, table, prefer):
    """Recorded from the service, Preference-Applied included; the case by
    learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model."""
    applied = {"Preference-Applied": prefer} if prefer else {}
    for name in (table, table.upper()):
        answer = create(server, name, {"Prefer": prefer})
        check_error(answer, 409, "TableAlreadyExists", TABLE_EXISTS, applied)


@pytest.mark.parametrize("level", LEVELS)
def test_an_error_has_the_metadata_level_asked_for_and_one_body_at_all_of_them(server, table, level):
    """Recorded from the service."""
    answer = create(server, table, accept(level))
    check_error(answer, 409, "TableAlreadyExists", TABLE_EXISTS, level=level)


@pytest.mark.parametrize(
    "name",
    ["my-table", "1table", "my table", "tablé", "a_b", "$Metrics", "a%20b", "a/b", "it's"],
)
def test_create_with_bad_characters_is_answered_with_the_services_misspelling(server, name):
    """Recorded from the service."""
    text = "The specifed resource name contains invalid characters."
    check_error(create(server, name), 400, "InvalidResourceName", text)


@pytest.mark.parametrize("name", ["tables", "Tables", "TABLES"])
def test_the_name_tables_is_reserved(server, name):
    """Decision: the code is that of public tests of the table SDK; the documentation names no code."""
    check_early_error(create(server, name), 400, "InvalidInput", INVALID)


# --- query ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("resource", ["/Tables", "/Tables()", "/Tables%28%29"])
@pytest.mark.parametrize("level", LEVELS)
def test_query_tables(server, resource, level):
    """Recorded from the service for minimal and no metadata;
    learn.microsoft.com/rest/api/storageservices/query-tables."""
    prefix = unique_name("q")
    names = [f"{prefix}A", f"{prefix}b"]
    for name in names:
        create_table(server, name)
    query = f"?$filter=TableName%20ge%20'{prefix}'%20and%20TableName%20lt%20'{prefix}%7B'"
    answer = send(server, "GET", resource + query, accept(level))
    check(answer, 200, TABLE_LAYER | json_type(level))
    items = ",".join(element(server, name, level) for name in names)
    assert answer.text == "{" + context(server, "Tables", level) + f'"value":[{items}]}}'
    for name in names:
        delete_table(server, name)


def test_query_tables_without_a_match_has_an_empty_value(server):
    """Recorded from the service."""
    answer = send(server, "GET", "/Tables?$filter=TableName%20eq%20'absent'")
    check(answer, 200, TABLE_LAYER | json_type())
    assert answer.text == "{" + context(server, "Tables", "minimalmetadata") + '"value":[]}'


def test_tables_are_listed_by_lower_cased_name_in_the_case_of_their_creation(server):
    """Recorded from the service: byPageTest before CreateSimple."""
    prefix = unique_name("order")
    made = [f"{prefix}{end}" for end in ("Zb", "a1", "B2", "zA", "Ba")]
    for name in made:
        create_table(server, name)
    listed = [item["TableName"] for item in send(server, "GET", "/Tables").json()["value"]]
    assert [name for name in listed if name.startswith(prefix)] == sorted(made, key=str.lower)
    for name in made:
        delete_table(server, name)


def test_select_has_no_effect_on_tables(server, table):
    """Decision: a table has no other property; the documentation names no $select here."""
    assert send(server, "GET", "/Tables?$select=x").body == send(server, "GET", "/Tables").body
    assert table in send(server, "GET", "/Tables?$select=x").text


# --- get and delete -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    ["/Tables('{}')", "/Tables(%27{}%27)", "/Tables%28'{}'%29", "/Tables%28%27{}%27%29"],
)
@pytest.mark.parametrize("level", LEVELS)
def test_get_table(server, table, form, level):
    """Recorded from the service for no metadata; both spellings of quotes and parentheses were recorded, too."""
    answer = send(server, "GET", form.format(table), accept(level))
    check(answer, 200, TABLE_LAYER | json_type(level))
    assert answer.text == document(server, table, level)


def test_get_table_finds_it_in_any_case_and_names_it_as_created(server):
    """learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model."""
    name = create_table(server, unique_name("Case"))
    answer = send(server, "GET", f"/Tables('{name.upper()}')", accept("nometadata"))
    assert answer.text == f'{{"TableName":"{name}"}}'
    delete_table(server, name)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_an_absent_table_is_a_resource_not_found(server, method, level):
    """Recorded from the service: not TableNotFound."""
    answer = send(server, method, "/Tables('absent')", accept(level))
    check_error(answer, 404, "ResourceNotFound", ABSENT, level=level)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Prefer": "return-no-content"},
        {"Prefer": "return-content"},
        {"Accept": "*/*"},
        {"Accept": None},
        {"Content-Type": "application/json"},
    ],
    ids=str,
)
def test_delete_table_answers_204_and_ignores_preferences(server, headers):
    """Recorded from the service."""
    name = create_table(server)
    check_empty(send(server, "DELETE", f"/Tables('{name}')", headers), 204, TABLE_LAYER | EMPTY)
    assert create_table(server, name) == name  # immediately; the service takes about 40 s
    delete_table(server, name)


def test_a_failed_delete_of_a_table_with_any_accept_is_answered_in_xml(server):
    """Recorded from the service."""
    answer = send(server, "DELETE", "/Tables('absent')", {"Accept": "*/*"})
    check_table_layer_xml_error(answer, 404, "ResourceNotFound", ABSENT)


# --- entities of an absent table ------------------------------------------------------------------

ENTITY = "/absent(PartitionKey='p',RowKey='r')"
BODY = '{"PartitionKey":"p","RowKey":"r"}'


@pytest.mark.parametrize(
    "method, resource, body",
    [
        ("GET", "/absent()", None),
        ("GET", "/absent?$filter=RowKey%20eq%20'r'", None),
        ("GET", ENTITY, None),
        ("POST", "/absent", BODY),
        ("PUT", ENTITY, "{}"),
        ("MERGE", ENTITY, "{}"),
        ("PATCH", ENTITY, "{}"),
        ("DELETE", ENTITY, None),
    ],
)
@pytest.mark.parametrize("prefer", [None, "return-no-content"])
def test_entity_operations_on_an_absent_table_are_a_table_not_found(server, method, resource, body, prefer):
    """An early error, as recorded from the service in batches; decision: also outside of batches."""
    answer = send(server, method, resource, {"If-Match": "*", "Prefer": prefer}, body)
    check_early_error(answer, 404, "TableNotFound", NO_TABLE)
