"""Responses to operations on single entities: exact headers, exact bodies, values as they are returned."""
import json
import re
import urllib.parse

import pytest

from answers import (
    ABSENT,
    EMPTY,
    ENTITY_EXISTS,
    ETAG,
    INVALID,
    LEVELS,
    NOT_SATISFIED,
    NO_CONTENT,
    TABLE_LAYER,
    UNREADABLE,
    accept,
    check,
    check_early_error,
    check_empty,
    check_error,
    check_table_layer_xml_error,
    context,
    json_type,
    timestamp_of,
)
from rocktable_server import send

WRITTEN = TABLE_LAYER | EMPTY | {"ETag": ETAG}


def insert(server, table, members="", headers=None, keys=("p", "r")):
    """Inserts an entity whose properties are given as JSON text."""
    text = '{"PartitionKey":%s,"RowKey":%s%s}' % (*map(json.dumps, keys), f",{members}" if members else "")
    return send(server, "POST", f"/{table}", headers, text)


def get(server, table, level="minimalmetadata"):
    return send(server, "GET", f"/{table}(PartitionKey='p',RowKey='r')", accept(level))


def resource_of(table):
    return f"/{table}(PartitionKey='p',RowKey='r')"


def stored(server, table, members):
    """Returns the user's members exactly as they are returned after the Timestamp."""
    answer = insert(server, table, members)
    assert answer.status == 201, answer
    assert get(server, table).text == answer.text
    return answer.text.partition('"Timestamp":')[2].partition(",")[2][:-1]


def entity_text(server, table, etag, members, level):
    """Returns the entity (p, r) at a metadata level, as the root of a document."""
    timestamp = timestamp_of(etag)
    quoted = json.dumps(etag)
    link = f"{table}(PartitionKey='p',RowKey='r')"
    keys = '"PartitionKey":"p","RowKey":"r"'
    start = "{" + context(server, f"{table}/@Element", level)
    if level == "nometadata":
        return f'{start}{keys},"Timestamp":"{timestamp}",{members}}}'
    if level == "minimalmetadata":
        return f'{start}"odata.etag":{quoted},{keys},"Timestamp":"{timestamp}",{members}}}'
    return (
        f'{start}"odata.type":"{server.name}.{table}","odata.id":"{server.endpoint}/{link}","odata.etag":{quoted},'
        f'"odata.editLink":"{link}",{keys},"Timestamp@odata.type":"Edm.DateTime","Timestamp":"{timestamp}",{members}}}'
    )


# --- insert ---------------------------------------------------------------------------------------

SENT = '"b":1,"gone":null,"a":"x","Gone@odata.type":"Edm.Int64","Gone":null,"_c":true'
KEPT = '"b":1,"a":"x","_c":true'


@pytest.mark.parametrize("prefer", [None, "return-content"])
@pytest.mark.parametrize("level", LEVELS)
def test_insert_echoes_the_entity_in_the_order_sent_without_its_nulls(server, table, level, prefer):
    """Recorded from the service."""
    answer = insert(server, table, SENT, accept(level) | {"Prefer": prefer})
    applied = {"Preference-Applied": prefer} if prefer else {}
    location = {"Location": f"{server.endpoint}{resource_of(table)}", "ETag": ETAG}
    check(answer, 201, TABLE_LAYER | json_type(level) | location | applied)
    assert answer.text == entity_text(server, table, answer.headers["ETag"], KEPT, level)


@pytest.mark.parametrize("level", LEVELS)
def test_insert_with_return_no_content_answers_204_with_two_locations(server, table, level):
    """Recorded from the service."""
    answer = insert(server, table, SENT, accept(level) | {"Prefer": "return-no-content"})
    location = f"{server.endpoint}{resource_of(table)}"
    links = {"Location": location, "DataServiceId": location}
    check_empty(answer, 204, WRITTEN | NO_CONTENT | links)


@pytest.mark.parametrize("form", ["/{}", "/{}()", "/{}%28%29"])
def test_insert_takes_the_table_with_or_without_parentheses(server, table, form):
    """Recorded from the service without keys; decision: also with keys."""
    assert send(server, "POST", form.format(table), body='{"PartitionKey":"p","RowKey":"r"}').status == 201


ESCAPED_KEYS = [
    (":@", "%3A%40"),
    ("+,$", "%2B%2C%24"),
    ("=& ", "%3D%26%20"),
    ("table@storage.com0", "table%40storage.com0"),
    ("A'aaa_bbbb2\"", "A''aaa_bbbb2%22"),
    ("a''''b", "a''''''''b"),
    ("⒈①Ⅻㄨㄩ", "%E2%92%88%E2%91%A0%E2%85%AB%E3%84%A8%E3%84%A9"),
    ("AZaz09-_.~", "AZaz09-_.~"),
    ("", ""),
    ("100%", "100%25"),
    ("a b", "a%20b"),
]


@pytest.mark.parametrize("key, written", ESCAPED_KEYS)
def test_keys_in_links_double_their_quotes_and_are_percent_encoded(server, table, key, written):
    """Recorded from the service in Location and DataServiceId; decision: odata.id and odata.editLink likewise."""
    link = f"{table}(PartitionKey='{written}',RowKey='x{written}')"
    location = f"{server.endpoint}/{link}"
    answer = insert(server, table, headers={"Prefer": "return-no-content"}, keys=(key, f"x{key}"))
    assert (answer.headers["Location"], answer.headers["DataServiceId"]) == (location, location)
    full = send(server, "GET", f"/{link}", accept("fullmetadata")).json()
    assert (full["odata.id"], full["odata.editLink"]) == (location, link)
    assert (full["PartitionKey"], full["RowKey"]) == (key, f"x{key}")


@pytest.mark.parametrize(
    "form",
    [
        "/{}(PartitionKey='p''q%20%2B',RowKey='r')",
        "/{}(PartitionKey=%27p%27%27q%20+%27,RowKey=%27r%27)",
        "/{}%28PartitionKey=%27p%27%27q%20%2B%27%2CRowKey=%27r%27%29",
        "/{}(RowKey='r',PartitionKey='p''q%20+')",
        "/{}(PartitionKey='p''q%20+',%20RowKey='r')",
    ],
)
def test_keys_in_urls_may_be_encoded_in_any_way(server, table, form):
    """Quotes literal or %27 and parentheses %28 %29: recorded from the service. A plus in a path is a plus. The blank:
    learn.microsoft.com/rest/api/storageservices/querying-tables-and-entities; decision: either order of keys."""
    insert(server, table, keys=("p'q +", "r"))
    answer = send(server, "GET", form.format(table))
    assert answer.status == 200, answer
    assert answer.json()["PartitionKey"] == "p'q +"


def test_the_keys_of_the_url_decide(server, table):
    """Recorded from the service: PartitionKey a''''b in the body of a PUT to a''b."""
    body = json.dumps({"PartitionKey": "other", "RowKey": "other", "a": 1})
    assert send(server, "PUT", f"/{table}(PartitionKey='a''''b',RowKey='r')", body=body).status == 204
    answer = send(server, "GET", f"/{table}(PartitionKey='a''''b',RowKey='r')")
    assert answer.json()["PartitionKey"] == "a''b"
    assert len(send(server, "GET", f"/{table}()").json()["value"]) == 1


@pytest.mark.parametrize(
    "method, key, code, message",
    [
        *((m, key, "InvalidInput", "Bad Request - Error in query syntax.") for m in ("GET", "PUT", "DELETE")
          for key in ("a%2Fb", "a%5Cb")),
        *((m, key, "OutOfRangeInput", "One of the request inputs is out of range.") for m in ("GET", "PUT", "DELETE")
          for key in ("a%23b", "a%3Fb", "a%1Fb", "a%C2%9Fb", "a%7Fb")),
    ],
)
def test_illegal_characters_of_a_key_in_the_url(server, table, method, key, code, message):
    """Decision: the codes are those of public tests of the table SDK. Early errors, because they are found while the
    URL is parsed."""
    for keys in (f"PartitionKey='{key}',RowKey='r'", f"PartitionKey='p',RowKey='{key}'"):
        body = "{}" if method == "PUT" else None
        answer = send(server, method, f"/{table}({keys})", {"If-Match": "*"}, body)
        check_early_error(answer, 400, code, message)


@pytest.mark.parametrize("method", ["GET", "PUT", "MERGE", "PATCH", "DELETE"])
@pytest.mark.parametrize("keys, message", [
    ("PartitionKey='pk',RowKey='r'k'", "There is an unterminated string literal at position 30"),
    ("PartitionKey='pk',RowKey='r%27k'", "There is an unterminated string literal at position 30"),
    ("PartitionKey='\"A'aaa\"_bbbb3'", "Syntax error: character '\"' is not valid at position 20"),
])
def test_a_quote_that_is_not_doubled_in_a_key_of_the_url(server, table, method, keys, message):
    """Seen in reports about the service. The text in the sentence is decoded."""
    answer = send(server, method, f"/{table}({keys})", {"If-Match": "*"}, "{}" if method not in ("GET", "DELETE") else None)
    check_early_error(answer, 400, "InvalidInput", f"{message} in '{keys.replace('%27', chr(39))}'.")


@pytest.mark.parametrize("prefer", [None, "return-content", "return-no-content"])
def test_insert_of_an_existing_entity_is_a_conflict(server, table, prefer):
    """Recorded from the service."""
    insert(server, table)
    answer = insert(server, table, headers={"Prefer": prefer})
    applied = {"Preference-Applied": prefer} if prefer else {}
    check_error(answer, 409, "EntityAlreadyExists", ENTITY_EXISTS, applied)


@pytest.mark.parametrize("prefer", [None, "return-no-content"])
@pytest.mark.parametrize(
    "body, code, message",
    [
        ('{"RowKey":"r"}', "PropertiesNeedValue", "The values are not specified for all properties in the entity."),
        ('{"PartitionKey":"p","RowKey":null}', "PropertiesNeedValue",
         "The values are not specified for all properties in the entity."),
        ('{"PartitionKey":"p","RowKey":"r","a":1,"a":1}', "DuplicatePropertiesSpecified",
         "A property is specified more than one time."),
        ('{"PartitionKey":"a/b","RowKey":"r"}', "OutOfRangeInput", "One of the request inputs is out of range."),
    ],
)
def test_a_refused_insert_has_the_headers_of_the_table_layer(server, table, prefer, body, code, message):
    """Recorded from the service for PropertiesNeedValue; the others are from its documentation and the tests of its
    SDKs."""
    applied = {"Preference-Applied": prefer} if prefer else {}
    check_error(send(server, "POST", f"/{table}", {"Prefer": prefer}, body), 400, code, message, applied)


@pytest.mark.parametrize("method", ["POST", "PUT", "MERGE", "PATCH"])
@pytest.mark.parametrize("asked", ["json", "*/*"])
@pytest.mark.parametrize("members, code, message", [
    ('"a":{}', "InvalidInput", UNREADABLE),
    ('"a":[1]', "InvalidInput", UNREADABLE),
    ('"a@odata.type":"Edm.Nonsense","a":"1"', "InvalidInput", UNREADABLE),
    ('"a@odata.type":"Edm.Int64","a":"9223372036854775808"', "InvalidInput", UNREADABLE),
    ('"a@odata.type":"Edm.Guid","a":"x"', "InvalidInput", UNREADABLE),
    ('"123":456', "PropertyNameInvalid", "The property name is invalid."),
])
def test_what_the_reader_of_bodies_refuses_is_an_early_error(server, table, method, asked, members, code, message):
    """Recorded from the service for unknown types, values beyond their type, and names; the format follows Accept."""
    resource = f"/{table}" if method == "POST" else resource_of(table)
    keys = '"PartitionKey":"p","RowKey":"r",' if method == "POST" else ""
    headers = {"Prefer": "return-no-content", "If-Match": "*"} | ({} if asked == "json" else {"Accept": asked})
    answer = send(server, method, resource, headers, f"{{{keys}{members}}}")
    if asked == "json":
        check_early_error(answer, 400, code, message)
    else:
        check_table_layer_xml_error(answer, 400, code, message, without=("Cache-Control",))


@pytest.mark.parametrize("method", ["POST", "PUT", "MERGE", "PATCH"])
@pytest.mark.parametrize("body", ["", " ", "{", "[]", "x"])
def test_a_body_that_is_no_json_object_is_refused_and_changes_nothing(server, table, method, body):
    """Recorded from the service for the empty body of POST /Tables; inferred for entities."""
    stored(server, table, '"a":1')
    before = get(server, table)
    resource = f"/{table}" if method == "POST" else resource_of(table)
    check_early_error(send(server, method, resource, body=body), 400, "InvalidInput", UNREADABLE)
    assert get(server, table).body == before.body


@pytest.mark.parametrize("keys", [
    '"PartitionKey":1,"RowKey":"r"',
    '"PartitionKey":"p","RowKey":true',
    '"PartitionKey@odata.type":"Edm.DateTime","PartitionKey":"2022-04-01T09:30:45.000000Z","RowKey":"r"',
    '"PartitionKey":"p","RowKey@odata.type":"Edm.Guid","RowKey":"4738422c-15e7-4170-9eb6-fb5b284e11ac"',
    '"PartitionKey@odata.type":"Edm.Binary","PartitionKey":"YmluYXJ5","RowKey":99999999999999999999',
])
def test_only_an_insert_refuses_keys_that_are_no_text(server, table, keys):
    """Recorded from the service: for other writes, the URL decides."""
    check_early_error(send(server, "POST", f"/{table}", body=f"{{{keys}}}"), 400, "InvalidInput", INVALID)
    for method in ("PUT", "MERGE", "PATCH"):
        assert send(server, method, resource_of(table), body=f'{{{keys},"a":1}}').status == 204
    assert get(server, table).json() | {"Timestamp": 0, "odata.metadata": 0, "odata.etag": 0} == {
        "PartitionKey": "p", "RowKey": "r", "a": 1, "Timestamp": 0, "odata.metadata": 0, "odata.etag": 0}


@pytest.mark.parametrize("method", ["POST", "PUT", "MERGE", "PATCH"])
@pytest.mark.parametrize("number, read", [
    ("2147483647", "2147483647"), ("2147483648", "2147483648.0"), ("-2147483649", "-2147483649.0"),
    ("1498179600055", "1498179600055.0"), ("9223372036854775808000", "9.2233720368547758E+21"),
])
def test_an_integer_beyond_32_bits_without_annotation_is_a_double(server, table, method, number, read):
    """Recorded from the service; JavaScript's Date.now() is such a number."""
    resource, keys = (f"/{table}", '"PartitionKey":"p","RowKey":"r",') if method == "POST" else (resource_of(table), "")
    assert send(server, method, resource, body=f'{{{keys}"a":{number}}}').status in (201, 204)
    assert get(server, table).text.endswith(f'"a":{read}}}')


# --- get ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_get_entity(server, table, level):
    """Recorded from the service. Without metadata, the ETag is only in the header."""
    etag = insert(server, table, KEPT).headers["ETag"]
    answer = get(server, table, level)
    check(answer, 200, TABLE_LAYER | json_type(level) | {"ETag": etag})
    assert answer.text == entity_text(server, table, etag, KEPT, level)
    assert ("odata.etag" in answer.text) == (level != "nometadata")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("method", ["GET", "PUT", "MERGE", "PATCH", "DELETE"])
def test_an_absent_entity_is_a_resource_not_found(server, table, method, level):
    """Recorded from the service: not EntityNotFound."""
    body = "{}" if method in ("PUT", "MERGE", "PATCH") else None
    answer = send(server, method, resource_of(table), accept(level) | {"If-Match": "*"}, body)
    check_error(answer, 404, "ResourceNotFound", ABSENT, level=level)


def test_a_point_get_ignores_filter_and_top(server, table):
    """Decision: $filter and $top have no effect on a single entity."""
    insert(server, table)
    assert send(server, "GET", f"{resource_of(table)}?$filter=RowKey%20eq%20'x'&$top=1").status == 200


# --- replace, merge, delete -----------------------------------------------------------------------


@pytest.mark.parametrize("method", ["PUT", "MERGE", "PATCH"])
@pytest.mark.parametrize("condition", [None, "*", "etag"])
@pytest.mark.parametrize("media_type", ["application/json", "*/*", "application/json;odata=nometadata", None])
def test_a_write_answers_204_with_the_new_etag_and_no_location(server, table, method, condition, media_type):
    """Recorded from the service."""
    etag = insert(server, table).headers["ETag"]
    headers = {"If-Match": etag if condition == "etag" else condition, "Accept": media_type}
    answer = send(server, method, resource_of(table), headers, '{"a":1}')
    check_empty(answer, 204, WRITTEN)
    assert answer.headers["ETag"] != etag
    assert get(server, table).headers["ETag"] == answer.headers["ETag"]


@pytest.mark.parametrize("method", ["PUT", "MERGE", "PATCH"])
def test_a_write_without_condition_creates_the_entity(server, table, method):
    """learn.microsoft.com/rest/api/storageservices/insert-or-replace-entity and .../insert-or-merge-entity."""
    check_empty(send(server, method, resource_of(table), body='{"a":1}'), 204, WRITTEN)
    assert get(server, table).json()["a"] == 1


@pytest.mark.parametrize(
    "method, prefer, applied",
    [
        ("PUT", "return-no-content", True),
        ("PUT", "return-content", True),
        ("MERGE", "return-no-content", True),
        ("MERGE", "return-content", True),
        ("PATCH", "return-no-content", True),
        ("DELETE", "return-no-content", False),
    ],
)
def test_of_writes_all_but_a_delete_apply_a_preference(server, table, method, prefer, applied):
    """Recorded from the service for return-no-content of PUT, MERGE and DELETE; decision: PATCH is MERGE, and
    return-content is echoed likewise."""
    insert(server, table)
    body = None if method == "DELETE" else "{}"
    answer = send(server, method, resource_of(table), {"If-Match": "*", "Prefer": prefer}, body)
    expected = TABLE_LAYER | EMPTY if method == "DELETE" else WRITTEN
    check_empty(answer, 204, expected | ({"Preference-Applied": prefer} if applied else {}))


@pytest.mark.parametrize("media_type", ["application/json", "*/*", None])
def test_delete_answers_204_without_etag(server, table, media_type):
    """Recorded from the service."""
    insert(server, table)
    answer = send(server, "DELETE", resource_of(table), {"If-Match": "*", "Accept": media_type})
    check_empty(answer, 204, TABLE_LAYER | EMPTY)


@pytest.mark.parametrize("method", ["PUT", "MERGE", "PATCH", "DELETE"])
@pytest.mark.parametrize("prefer", [None, "return-no-content"])
def test_an_outdated_etag_is_not_satisfied(server, table, method, prefer):
    """Recorded from the service."""
    old = insert(server, table).headers["ETag"]
    assert send(server, "PUT", resource_of(table), {"If-Match": old}, "{}").status == 204
    body = None if method == "DELETE" else "{}"
    answer = send(server, method, resource_of(table), {"If-Match": old, "Prefer": prefer}, body)
    applied = NO_CONTENT if prefer and method != "DELETE" else {}
    check_error(answer, 412, "UpdateConditionNotSatisfied", NOT_SATISFIED, applied)


def test_a_failed_delete_of_an_entity_with_any_accept_is_answered_in_xml(server, table):
    """Recorded from the service."""
    old = insert(server, table).headers["ETag"]
    send(server, "PUT", resource_of(table), body="{}")
    answer = send(server, "DELETE", resource_of(table), {"If-Match": old, "Accept": "*/*"})
    check_table_layer_xml_error(answer, 412, "UpdateConditionNotSatisfied", NOT_SATISFIED)


@pytest.mark.parametrize("spell", [str, urllib.parse.unquote, lambda etag: etag.replace("%3A", "%3a")])
def test_an_etag_may_be_sent_percent_encoded_or_not(server, table, spell):
    """Decision: clients send the ETag in both forms, so both are accepted."""
    etag = insert(server, table).headers["ETag"]
    assert send(server, "PUT", resource_of(table), {"If-Match": spell(etag)}, "{}").status == 204


@pytest.mark.parametrize("method", ["PUT", "MERGE", "PATCH", "DELETE"])
@pytest.mark.parametrize("etag", ["GolangRocksOnAzure", '"x"', 'W/"x', "W/x"])
def test_what_is_no_etag_is_an_early_error_that_quotes_it(server, table, method, etag):
    """Recorded from the service with GolangRocksOnAzure."""
    body = None if method == "DELETE" else "{}"
    headers = {"If-Match": etag, "Prefer": "return-no-content"}
    text = (
        f"The etag value '{etag}' specified in one of the request headers is not valid. Please make sure only one "
        "etag value is specified and is valid."
    )
    check_early_error(send(server, method, resource_of(table), headers, body), 400, "InvalidInput", text)


@pytest.mark.parametrize("method", ["PUT", "MERGE", "PATCH", "DELETE"])
def test_an_etag_that_the_service_never_made_is_a_condition_not_met(server, table, method):
    """Recorded from the service: the apostrophes doubled."""
    etag = "W/\"datetime''2017-04-01T01%3A07%3A23.8881885Z''\""
    body = None if method == "DELETE" else "{}"
    answer = send(server, method, resource_of(table), {"If-Match": etag, "Prefer": "return-no-content"}, body)
    text = "The condition specified using HTTP conditional header(s) is not met."
    check_early_error(answer, 412, "ConditionNotMet", text)


def test_a_delete_needs_a_condition(server, table):
    """learn.microsoft.com/rest/api/storageservices/delete-entity1; decision: the code."""
    insert(server, table)
    text = "An HTTP header that's mandatory for this request is not specified."
    check_early_error(send(server, "DELETE", resource_of(table)), 400, "MissingRequiredHeader", text)
    assert get(server, table).status == 200


@pytest.mark.parametrize("method", ["PUT", "MERGE", "PATCH", "DELETE"])
def test_writes_take_no_if_none_match(server, table, method):
    """learn.microsoft.com/rest/api/storageservices/table-service-error-codes."""
    body = None if method == "DELETE" else "{}"
    answer = send(server, method, resource_of(table), {"If-None-Match": "*"}, body)
    text = f"If-None-Match HTTP header cannot be specified for {method} operations."
    check_early_error(answer, 400, "InvalidInput", text)
    answer = send(server, method, resource_of(table), {"If-None-Match": "*", "If-Match": "*"}, body)
    text = (
        "Both If-Match and If-None-Match HTTP headers cannot be specified at the same time. Please specify either one "
        "of the headers or none of them."
    )
    check_early_error(answer, 400, "InvalidInput", text)


def test_reads_and_inserts_ignore_conditions(server, table):
    """Recorded from the service for a GET with an older ETag in If-None-Match; decision: the rest."""
    old = insert(server, table, headers={"If-Match": "*"}).headers["ETag"]
    new = send(server, "PUT", resource_of(table), body="{}").headers["ETag"]
    for headers in ({"If-None-Match": old}, {"If-None-Match": new}, {"If-Match": old}):
        assert send(server, "GET", resource_of(table), headers).status == 200


# --- the entity after a write ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "method, creates",
    [(m, c) for m in ("PUT", "MERGE", "PATCH") for c in (True, False)],
)
def test_any_write_but_an_insert_sorts_the_properties(server, table, method, creates):
    """Recorded from the service, without exception: ordinal order of the names."""
    members = '"etag":1,"b":2,"_x":3,"Birthday":4,"birthday":5,"ETag":6,"Etag":7,"é":8,"a":9'
    if not creates:
        assert stored(server, table, members) == members
    assert send(server, method, resource_of(table), body=f"{{{members}}}").status == 204
    text = get(server, table).text.partition('"Timestamp":')[2].partition(",")[2]
    assert text == '"Birthday":4,"ETag":6,"Etag":7,"_x":3,"a":9,"b":2,"birthday":5,"etag":1,"é":8}'


@pytest.mark.parametrize("method", ["MERGE", "PATCH"])
def test_merge_adds_and_replaces_and_leaves_the_rest(server, table, method):
    """Recorded from the service: another type may replace the old one, a null changes nothing."""
    stored(server, table, '"a":1,"b":2,"c":3')
    body = '{"b":"text","c":null,"d@odata.type":"Edm.Int64","d":"4","c@odata.type":"Edm.Int32"}'
    assert send(server, method, resource_of(table), body=body).status == 204
    assert get(server, table).text.endswith('"a":1,"b":"text","c":3,"d@odata.type":"Edm.Int64","d":"4"}')


def test_replace_leaves_nothing_of_the_old_entity(server, table):
    """Recorded from the service: a null creates no property."""
    stored(server, table, '"a":1,"b":2,"c":3')
    assert send(server, "PUT", resource_of(table), body='{"b":null,"c":4}').status == 204
    assert re.search(r'"Timestamp":"[^"]*","c":4}$', get(server, table).text)


@pytest.mark.parametrize("method", ["MERGE", "PATCH"])
def test_an_empty_merge_makes_a_new_version(server, table, method):
    """Decision: nothing else changes."""
    stored(server, table, '"a":1')
    old = get(server, table)
    answer = send(server, method, resource_of(table), {"If-Match": "*"}, "{}")
    check_empty(answer, 204, WRITTEN)
    new = get(server, table)
    assert new.headers["ETag"] == answer.headers["ETag"] != old.headers["ETag"]
    assert new.json()["Timestamp"] > old.json()["Timestamp"] and new.json()["a"] == 1


# --- Timestamp and ETag ---------------------------------------------------------------------------


def test_etag_header_and_body_and_timestamp_are_one_value_without_trailing_zeros(server, table):
    """Recorded from the service: of 3,389 ETags one in ten had fewer than seven digits, none ended in a zero."""
    previous = ""
    for _ in range(200):  # in one of ten, the last digit is a zero, which must not be written
        answer = send(server, "PUT", resource_of(table), body="{}")
        etag = answer.headers["ETag"]
        assert ETAG.fullmatch(etag), etag
        body = get(server, table).json()
        assert body["odata.etag"] == etag
        assert body["Timestamp"] == timestamp_of(etag)
        ticks = re.split(r"[.Z]", body["Timestamp"])
        value = (ticks[0], ticks[1].ljust(7, "0"))
        assert not previous or value > previous, "each write makes a larger one"
        previous = value


@pytest.mark.parametrize(
    "sent",
    [
        '"Timestamp":"0001-01-01T00:00:00Z"',
        '"Timestamp":"2030-01-01T00:00:00Z","Timestamp@odata.type":"Edm.DateTime"',
        '"Timestamp@odata.type":"Edm.DateTime","Timestamp":"nonsense"',
        '"Timestamp":null',
        '"Timestamp":1',
    ],
)
def test_a_sent_timestamp_is_ignored(server, table, sent):
    """Recorded from the service, even with 0001-01-01."""
    assert stored(server, table, f'{sent},"a":1') == '"a":1'
    assert send(server, "PUT", resource_of(table), body=f'{{{sent},"a":2}}').status == 204
    assert get(server, table).text.count("Timestamp") == 1


def test_names_that_look_like_system_properties_are_the_users(server, table):
    """Recorded from the service."""
    members = '"timestamp":"x","ETag":1,"etag":2,"Etag":3,"partitionKey":4'
    assert stored(server, table, members) == members


def test_annotations_that_a_client_sends_back_are_ignored(server, table):
    """learn.microsoft.com/rest/api/storageservices/payload-format-for-table-service-operations."""
    sent = (
        '"odata.metadata":"x","odata.type":"y","odata.id":"z","odata.etag":"W/","odata.editLink":"e",'
        '"PartitionKey@odata.type":"Edm.String","absent@odata.type":"Edm.Int64","a":1'
    )
    assert stored(server, table, sent) == '"a":1'


@pytest.mark.parametrize("method", ["PUT", "PATCH", "MERGE"])
@pytest.mark.parametrize("level", LEVELS)
def test_an_entity_may_be_sent_back_as_it_was_read(server, table, method, level):
    """Recorded from the service: a client reads with full metadata, changes a property, and sends all of it."""
    sent = typed("Int64", '"5"') + ',"b":1.5,"c@odata.type":"Edm.DateTime","c":"2020-01-01T00:00:00Z"'
    etag = insert(server, table, sent).headers["ETag"]
    read = get(server, table, level).json()
    answer = send(server, method, resource_of(table), {"If-Match": etag}, json.dumps(read | {"d": "new"}))
    assert answer.status == 204, answer
    found = get(server, table).json()
    kept = {name: value for name, value in read.items() if not name.startswith("odata.") and "Timestamp" not in name}
    assert found | kept | {"d": "new"} == found
    assert found["odata.etag"] == answer.headers["ETag"] != etag
    if level != "nometadata":
        assert found["a@odata.type"] == "Edm.Int64" and found["c@odata.type"] == "Edm.DateTime"


@pytest.mark.parametrize(
    "media_type",
    [
        "application/json",
        "application/json;odata=nometadata",
        "application/json; odata=minimalmetadata",
        "application/json;odata=fullmetadata",
        "application/json;charset=utf-8",
    ],
)
def test_the_content_type_has_no_influence_on_how_the_body_is_read(server, table, media_type):
    """Recorded from the service: annotations in a request have an effect also with odata=nometadata."""
    answer = insert(server, table, '"a@odata.type":"Edm.Int64","a":"5"', {"Content-Type": media_type})
    assert answer.text.endswith('"a@odata.type":"Edm.Int64","a":"5"}')


# --- values ---------------------------------------------------------------------------------------

GUID_TEXT = "c9da6455-213d-42c9-9a79-3e9149a57833"


def typed(kind, value):
    return f'"a@odata.type":"Edm.{kind}","a":{value}'


@pytest.mark.parametrize(
    "sent, written",
    [
        # Recorded from the service.
        ('"a":"text"', '"a":"text"'),
        ('"a":"2014-05-07T08:20:53Z"', '"a":"2014-05-07T08:20:53Z"'),
        ('"a":"c29tZWJ5dGVz"', '"a":"c29tZWJ5dGVz"'),
        (typed("String", '"male"'), '"a":"male"'),
        ('"a":"male","a@odata.type":"Edm.String"', '"a":"male"'),
        ('"a":true', '"a":true'),
        (typed("Boolean", "false"), '"a":false'),
        ('"a":39', '"a":39'),
        (typed("Int32", "-2147483648"), '"a":-2147483648'),
        (typed("Int64", '"39"'), typed("Int64", '"39"')),
        ('"a":"39","a@odata.type":"Edm.Int64"', typed("Int64", '"39"')),
        (typed("Int64", '"-9223372036854775808"'), typed("Int64", '"-9223372036854775808"')),
        (typed("Guid", f'"{GUID_TEXT}"'), typed("Guid", f'"{GUID_TEXT}"')),
        (typed("Binary", '"YmluYXJ5"'), typed("Binary", '"YmluYXJ5"')),
        (typed("Binary", '"U2FtcGw="'), typed("Binary", '"U2FtcGw="')),
        # Decisions: a number for an Int64, upper-case GUIDs, Booleans as text.
        (typed("Int64", "39"), typed("Int64", '"39"')),
        (typed("Guid", f'"{GUID_TEXT.upper()}"'), typed("Guid", f'"{GUID_TEXT}"')),
        (typed("Boolean", '"true"'), '"a":true'),
        # learn.microsoft.com/rest/api/storageservices/payload-format-for-table-service-operations: empty values.
        (typed("Binary", '""'), typed("Binary", '""')),
        ('"a":""', '"a":""'),
    ],
)
def test_values_and_annotations_of_each_type(server, table, sent, written):
    """Sources are next to the cases. A value that needs an annotation is returned with it, any other value without
    one."""
    assert stored(server, table, sent) == written
    full = get(server, table, "fullmetadata").text.partition('"Timestamp":')[2].partition(",")[2][:-1]
    assert full == written
    bare = get(server, table, "nometadata").text.partition('"Timestamp":')[2].partition(",")[2][:-1]
    assert bare == '"a":' + written.rpartition('"a":')[2]


@pytest.mark.parametrize(
    "sent, written",
    [
        # Recorded from the service.
        ("4.81516", "4.81516"),
        ("3.0", "3.0"),
        ("5.0", "5.0"),
        (typed("Double", "5"), "5.0"),
        (typed("Double", '"10"'), "10.0"),
        (typed("Double", '"123456789012345.12"'), "123456789012345.12"),
        ("1.7976931348623157E+308", "1.7976931348623157E+308"),
        ("4.94065645841247E-324", "4.94065645841247E-324"),
        ("5e-324", "4.94065645841247E-324"),
        # Asserted by the SDKs' tests: a negative zero is returned as zero.
        ("-0.0", "0.0"),
        # Decisions: exponents from 1E+15 and below 1E-05, as in .NET's format "R".
        ("1e14", "100000000000000.0"),
        ("1E15", "1E+15"),
        ("1E+20", "1E+20"),
        ("0.0001", "0.0001"),
        ("0.00001", "1E-05"),
        ("-1.5", "-1.5"),
        ("0.1", "0.1"),
        ("1e0", "1.0"),
    ],
)
def test_doubles_are_written_as_the_service_writes_them(server, table, sent, written):
    """Sources beside the cases."""
    members = sent if sent.startswith('"') else f'"a":{sent}'
    assert stored(server, table, members) == f'"a":{written}'


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_is_a_text_with_an_annotation(server, table, value):
    """Recorded from the service."""
    members = typed("Double", f'"{value}"')
    assert stored(server, table, members) == members


@pytest.mark.parametrize(
    "sent, written",
    [
        # Recorded from the service.
        ("2014-05-07T08:20:53Z", "2014-05-07T08:20:53Z"),
        ("1970-10-04T00:00:00.000000Z", "1970-10-04T00:00:00Z"),
        ("2012-11-10T03:04:05.200Z", "2012-11-10T03:04:05.2Z"),
        ("2003-09-27T09:52:43.99999Z", "2003-09-27T09:52:43.99999Z"),
        ("2003-09-27T09:52:43.0090043Z", "2003-09-27T09:52:43.0090043Z"),
        ("2020-01-01T00:00Z", "2020-01-01T00:00:00Z"),  # without seconds, as the Java client writes it
        # Decisions: an offset is applied, the default is UTC, all seven digits are kept.
        ("2012-11-10T03:04:05.1234567Z", "2012-11-10T03:04:05.1234567Z"),
        ("2012-11-10T03:04:05", "2012-11-10T03:04:05Z"),
        ("2012-11-10T03:04:05+02:00", "2012-11-10T01:04:05Z"),
        ("1601-01-01T00:00:00Z", "1601-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.9999999Z"),
    ],
)
def test_dates_come_back_in_utc_without_trailing_zeros(server, table, sent, written):
    """Sources beside the cases."""
    assert stored(server, table, typed("DateTime", f'"{sent}"')) == typed("DateTime", f'"{written}"')


def test_strings_come_back_compact_with_only_the_necessary_escapes(server, table):
    """Recorded from the service: quotes and backslashes are escaped, slashes and apostrophes are not. Decision: other
    characters are written unescaped in UTF-8."""
    sent = r'"a":"q\" b\\ s\/ a' + "'" + r' t\t n\n \u0001 \u00e9 \ud83d\ude00 é"'
    assert stored(server, table, sent) == r'"a":"q\" b\\ s/ a' + "'" + r' t\t n\n \u0001 é 😀 é"'


def test_property_names_may_be_unicode_and_differ_in_case_alone(server, table):
    """Recorded from the service."""
    members = '"啊齄丂狛狜":"x","Birthday":1,"birthday":2,"_1":3'
    assert stored(server, table, members) == members


@pytest.mark.parametrize("key", ["", " ", "%", "it's", "a''b", "é😀", "x" * 512])
def test_keys_may_be_empty_and_hold_quotes_and_percent_signs(server, table, key):
    """Recorded from the service; the length by
    learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model."""
    answer = insert(server, table, keys=(key, key))
    assert answer.status == 201, answer
    path = urllib.parse.quote(key.replace("'", "''"), safe="'")
    found = send(server, "GET", f"/{table}(PartitionKey='{path}',RowKey='{path}')")
    assert (found.json()["PartitionKey"], found.json()["RowKey"]) == (key, key)
