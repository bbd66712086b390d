"""Responses to batches, byte by byte, except the GUIDs of boundaries, times and request ids."""
import json
import re

import pytest

from answers import (
    ABSENT,
    ENTITY_EXISTS,
    ERROR_TIME,
    ETAG,
    GUID,
    INVALID,
    NOT_SATISFIED,
    TABLE_LAYER,
    UNREADABLE,
    check,
    check_early_error,
    timestamp_of,
)
from rocktable_server import BATCH_HEADERS, all_entities, batch_body, create_table, delete_table, send

PART = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
JSON_TYPE = "Content-Type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8\r\n"
COMMON = "X-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n"
DUPLICATE = (
    "The batch request contains multiple changes with same row key. An entity can appear only once in a batch request."
)


def operation(server, method, resource, members=None, mime="", **headers):
    """Returns one part. The keyword `if_match` becomes the header If-Match, and so on."""
    text = "" if members is None else members
    fields = {"Accept": "application/json;odata=minimalmetadata", "Content-Type": "application/json"}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value is not None)
    start = f"Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n{mime}\r\n"
    return f"{start}{method} {server.endpoint}/{resource} HTTP/1.1\r\n{lines}\r\n{text}\r\n"


def insertion(server, table, row="r", more="", partition="p", **headers):
    text = f'{{"PartitionKey":"{partition}","RowKey":"{row}"{more}}}'
    return operation(server, "POST", table, text, **headers)


def writing(server, method, table, row="r", partition="p", **headers):
    members = None if method == "DELETE" else '{"a":1}'
    return operation(server, method, f"{table}(PartitionKey='{partition}',RowKey='{row}')", members, **headers)


def submit(server, parts, headers=None, body=None):
    """Sends a change set. Returns the response with both boundaries masked."""
    answer = send(server, "POST", "/$batch", BATCH_HEADERS | (headers or {}), body or batch_body(parts))
    kind = re.compile(f"multipart/mixed; boundary=batchresponse_{GUID}")
    check(answer, 202, TABLE_LAYER | {"Content-Type": kind, "Transfer-Encoding": "chunked"})
    guids = dict.fromkeys(re.findall(f"(?:batch|changeset)response_({GUID})", answer.text))
    assert answer.headers["Content-Type"].endswith(next(iter(guids)))
    assert "batch_1" not in answer.text and "changeset_1" not in answer.text, "boundaries are the answer's own"
    text = answer.text
    for name, guid in zip(("B", "C"), guids):
        text = text.replace(guid, name)
    return text.replace(answer.headers["x-ms-request-id"], "ID")


def change_set(*answers):
    """Returns the response to a change set with these parts."""
    parts = "".join(f"--changesetresponse_C\r\n{PART}{answer}\r\n" for answer in answers)
    start = "--batchresponse_B\r\nContent-Type: multipart/mixed; boundary=changesetresponse_C\r\n\r\n"
    return f"{start}{parts}--changesetresponse_C--\r\n--batchresponse_B--\r\n"


def etags(text):
    return [line.removeprefix("ETag: ") for line in text.split("\r\n") if line.startswith("ETag: ")]


EARLY = "X-Content-Type-Options: nosniff\r\n"  # what the readers of URLs, headers and bodies refuse


def failed(status, code, message, headers=COMMON):
    """Returns a pattern for the only part in the response to a failed change set."""
    value = message + "\nRequestId:ID\nTime:@"
    document = {"odata.error": {"code": code, "message": {"lang": "en-US", "value": value}}}
    text = json.dumps(document, separators=(",", ":"))
    body = f"HTTP/1.1 {status}\r\n{headers}DataServiceVersion: 3.0;\r\n{JSON_TYPE}\r\n{text}"
    return re.escape(change_set(body)).replace("@", ERROR_TIME)


def check_failed(text, *args, **kwargs):
    pattern = failed(*args, **kwargs)
    assert re.fullmatch(pattern, text), f"{text}\nis not\n{pattern}"


# --- successes ------------------------------------------------------------------------------------

CONTENT_IDS = pytest.mark.parametrize("content_id, echo", [({}, ""), ({"Content_ID": "7"}, "Content-ID: 7\r\n")])


def location(server, table, row="r"):
    return f"{server.endpoint}/{table}(PartitionKey='p',RowKey='{row}')"


@CONTENT_IDS
def test_insert_with_return_no_content(server, table, content_id, echo):
    """Recorded from the service. Of the inner headers, only Content-ID is echoed."""
    text = submit(server, [insertion(server, table, Prefer="return-no-content", **content_id)])
    (etag,) = etags(text)
    link = location(server, table)
    assert text == change_set(
        f"HTTP/1.1 204 No Content\r\n{echo}{COMMON}"
        "Preference-Applied: return-no-content\r\nDataServiceVersion: 3.0;\r\n"
        f"Location: {link}\r\nDataServiceId: {link}\r\nETag: {etag}\r\n\r\n"
    )
    assert ETAG.fullmatch(etag)


@CONTENT_IDS
@pytest.mark.parametrize(
    "prefer, applied",
    [(None, ""), ("return-content", "Preference-Applied: return-content\r\n")],
)
def test_insert_with_content(server, table, content_id, echo, prefer, applied):
    """Recorded from the service, return-content included."""
    text = submit(server, [insertion(server, table, more=',"b":1,"a":null', Prefer=prefer, **content_id)])
    (etag,) = etags(text)
    body = (
        f'{{"odata.metadata":"{server.endpoint}/$metadata#{table}/@Element","odata.etag":{json.dumps(etag)},'
        f'"PartitionKey":"p","RowKey":"r","Timestamp":"{timestamp_of(etag)}","b":1}}'
    )
    assert text == change_set(
        f"HTTP/1.1 201 Created\r\nDataServiceVersion: 3.0;\r\n{JSON_TYPE}{echo}{COMMON}{applied}"
        f"Location: {location(server, table)}\r\nETag: {etag}\r\n\r\n{body}"
    )


@CONTENT_IDS
@pytest.mark.parametrize("method", ["PUT", "MERGE", "PATCH"])
@pytest.mark.parametrize("condition", [{}, {"If_Match": "*"}])
@pytest.mark.parametrize("prefer", [None, "return-no-content"])
def test_replace_and_merge(server, table, content_id, echo, method, condition, prefer):
    """Recorded from the service; decision: a merge applies the preference in a batch as outside of one."""
    submit(server, [insertion(server, table)])
    text = submit(server, [writing(server, method, table, Prefer=prefer, **condition, **content_id)])
    (etag,) = etags(text)
    preference = "Preference-Applied: return-no-content\r\n" if prefer else ""
    version = f"{preference}DataServiceVersion: {'3.0' if prefer else '1.0'};\r\n"
    assert text == change_set(f"HTTP/1.1 204 No Content\r\n{echo}{COMMON}{version}ETag: {etag}\r\n\r\n")


@CONTENT_IDS
@pytest.mark.parametrize("prefer", [None, "return-no-content"])
def test_delete(server, table, content_id, echo, prefer):
    """Recorded from the service, with and without Prefer."""
    submit(server, [insertion(server, table)])
    text = submit(server, [writing(server, "DELETE", table, If_Match="*", Prefer=prefer, **content_id)])
    assert text == change_set(f"HTTP/1.1 204 No Content\r\n{echo}{COMMON}DataServiceVersion: 1.0;\r\n\r\n")


def test_several_operations_are_answered_in_order_with_one_timestamp(server, table):
    """Recorded from the service: the order, and that the entities of most batches have the same ETag."""
    submit(server, [insertion(server, table, row) for row in "abc"])
    text = submit(
        server,
        [
            insertion(server, table, "d", Prefer="return-no-content", Content_ID="3"),
            writing(server, "DELETE", table, "a", If_Match="*", Content_ID="1"),
            writing(server, "PUT", table, "b"),
            writing(server, "MERGE", table, "c", If_Match="*", Content_ID="2"),
        ],
    )
    etag = etags(text)[0]
    link = location(server, table, "d")
    assert text == change_set(
        f"HTTP/1.1 204 No Content\r\nContent-ID: 3\r\n{COMMON}Preference-Applied: return-no-content\r\n"
        f"DataServiceVersion: 3.0;\r\nLocation: {link}\r\nDataServiceId: {link}\r\nETag: {etag}\r\n\r\n",
        f"HTTP/1.1 204 No Content\r\nContent-ID: 1\r\n{COMMON}DataServiceVersion: 1.0;\r\n\r\n",
        f"HTTP/1.1 204 No Content\r\n{COMMON}DataServiceVersion: 1.0;\r\nETag: {etag}\r\n\r\n",
        f"HTTP/1.1 204 No Content\r\nContent-ID: 2\r\n{COMMON}DataServiceVersion: 1.0;\r\nETag: {etag}\r\n\r\n",
    )
    assert {entity["RowKey"] for entity in all_entities(server, table)} == set("bcd")


def test_adjacent_operations_are_answered_each_by_its_own_headers(server, table):
    """Decision: the operations of a batch do not share what only their neighbours say."""
    no_content = {"Prefer": "return-no-content"}
    spelled = table.upper()
    text = submit(
        server,
        [
            insertion(server, table, "a", **no_content),
            insertion(server, table, "b'", **no_content),
            insertion(server, table, "c", **no_content, Content_ID="1"),
            insertion(server, spelled, "d", **no_content, Content_ID="1"),
            insertion(server, spelled, "e", Content_ID="2", Accept="application/json;odata=nometadata"),
            insertion(server, table, "f", **no_content),
            writing(server, "PUT", table, "g", **no_content),
            writing(server, "MERGE", table, "h"),
            insertion(server, table, "i", **no_content),
        ],
    )
    etag = etags(text)[0]
    preferred = "Preference-Applied: return-no-content\r\nDataServiceVersion: 3.0;\r\n"

    def inserted(name, row, echo=""):
        link = location(server, name, row)
        places = f"Location: {link}\r\nDataServiceId: {link}\r\nETag: {etag}\r\n\r\n"
        return f"HTTP/1.1 204 No Content\r\n{echo}{COMMON}{preferred}{places}"

    plain_type = JSON_TYPE.replace("minimalmetadata", "nometadata")
    assert text == change_set(
        inserted(table, "a"),
        inserted(table, "b''"),
        inserted(table, "c", "Content-ID: 1\r\n"),
        inserted(spelled, "d", "Content-ID: 1\r\n"),
        f"HTTP/1.1 201 Created\r\nDataServiceVersion: 3.0;\r\n{plain_type}Content-ID: 2\r\n{COMMON}"
        f"Location: {location(server, spelled, 'e')}\r\nETag: {etag}\r\n\r\n"
        f'{{"PartitionKey":"p","RowKey":"e","Timestamp":"{timestamp_of(etag)}"}}',
        inserted(table, "f"),
        f"HTTP/1.1 204 No Content\r\n{COMMON}{preferred}ETag: {etag}\r\n\r\n",
        f"HTTP/1.1 204 No Content\r\n{COMMON}DataServiceVersion: 1.0;\r\nETag: {etag}\r\n\r\n",
        inserted(table, "i"),
    )
    assert [entity["RowKey"] for entity in all_entities(server, table)] == ["a", "b'", *"cdefghi"]


def test_an_empty_change_set_is_answered_by_one(server):
    """Recorded from the service."""
    assert submit(server, []) == change_set()


@pytest.mark.parametrize("resource", ["/$batch", "/%24batch"])
def test_the_dollar_of_the_resource_may_be_encoded(server, resource):
    """Recorded from the service."""
    assert send(server, "POST", resource, BATCH_HEADERS, batch_body([])).status == 202


@pytest.mark.parametrize(
    "media_type",
    [None, "*/*", "application/json", "application/json;odata=minimalmetadata", "multipart/mixed"],
)
def test_a_batch_may_accept_anything(server, table, media_type):
    """Recorded from the service, without Accept, too; decision: multipart/mixed."""
    text = submit(server, [insertion(server, table, Prefer="return-no-content")], {"Accept": media_type})
    assert "HTTP/1.1 204 No Content" in text


# --- queries --------------------------------------------------------------------------------------


def query_body(server, table, row="r", headers="Accept: application/json;odata=minimalmetadata\r\n"):
    target = f"{server.endpoint}/{table}(PartitionKey='p',RowKey='{row}')"
    return f"--batch_1\r\n{PART}GET {target} HTTP/1.1\r\n{headers}\r\n\r\n--batch_1--\r\n"


def test_a_query_is_answered_without_change_set(server, table):
    """Recorded from the service."""
    (etag,) = etags(submit(server, [insertion(server, table)]))
    text = submit(server, None, body=query_body(server, table))
    body = (
        f'{{"odata.metadata":"{server.endpoint}/$metadata#{table}/@Element","odata.etag":{json.dumps(etag)},'
        f'"PartitionKey":"p","RowKey":"r","Timestamp":"{timestamp_of(etag)}"}}'
    )
    assert text == (
        f"--batchresponse_B\r\n{PART}HTTP/1.1 200 OK\r\nDataServiceVersion: 3.0;\r\n{JSON_TYPE}{COMMON}"
        f"ETag: {etag}\r\n\r\n{body}\r\n--batchresponse_B--\r\n"
    )


def test_a_failed_query_has_an_index(server, table):
    """Recorded from the service: 0: although it is the only operation."""
    text = submit(server, None, body=query_body(server, table))
    pattern = failed("404 Not Found", "ResourceNotFound", f"0:{ABSENT}")
    start = re.escape("--batchresponse_B\r\nContent-Type: multipart/mixed; boundary=changesetresponse_C\r\n\r\n")
    pattern = pattern.replace(start, "").replace(re.escape("--changesetresponse_C--\r\n"), "")
    assert re.fullmatch(pattern.replace("changesetresponse_C", "batchresponse_B"), text), text


@pytest.mark.parametrize("level", ["nometadata", "fullmetadata"])
def test_a_part_has_the_metadata_level_that_it_asks_for(server, table, level):
    """Decision: like the same operation outside of a batch."""
    submit(server, [insertion(server, table)])
    accept = f"Accept: application/json;odata={level}\r\n"
    text = submit(server, None, body=query_body(server, table, headers=accept))
    assert f"Content-Type: application/json;odata={level};streaming=true;charset=utf-8\r\n" in text
    alone = send(server, "GET", f"/{table}(PartitionKey='p',RowKey='r')", {"Accept": accept[8:-2]}).text
    assert text.endswith(f"\r\n\r\n{alone}\r\n--batchresponse_B--\r\n")


# --- failures -------------------------------------------------------------------------------------


@CONTENT_IDS
@pytest.mark.parametrize(
    "method, headers, status, code, message",
    [
        ("POST", {}, "409 Conflict", "EntityAlreadyExists", ENTITY_EXISTS),
        ("PUT", {"If_Match": "old"}, "412 Precondition Failed", "UpdateConditionNotSatisfied", NOT_SATISFIED),
        ("MERGE", {"If_Match": "old"}, "412 Precondition Failed", "UpdateConditionNotSatisfied", NOT_SATISFIED),
        ("DELETE", {"If_Match": "old"}, "412 Precondition Failed", "UpdateConditionNotSatisfied", NOT_SATISFIED),
        ("PUT absent", {"If_Match": "*"}, "404 Not Found", "ResourceNotFound", ABSENT),
        ("PATCH absent", {"If_Match": "*"}, "404 Not Found", "ResourceNotFound", ABSENT),
        ("DELETE absent", {"If_Match": "*"}, "404 Not Found", "ResourceNotFound", ABSENT),
    ],
)
@pytest.mark.parametrize("others", [0, 2])
@pytest.mark.parametrize("prefer", [None, "return-no-content"])
def test_one_failing_operation_is_all_that_is_answered(
    server, table, content_id, echo, method, headers, status, code, message, others, prefer
):
    """Recorded from the service: without an index if it is the only operation, otherwise with one."""
    (old,) = etags(submit(server, [insertion(server, table)]))
    submit(server, [writing(server, "PUT", table)])
    before = all_entities(server, table)
    options = headers | content_id | {"Prefer": prefer}
    if options.get("If_Match") == "old":
        options["If_Match"] = old
    verb, _, row = method.partition(" ")
    bad = insertion(server, table, **options) if verb == "POST" else writing(server, verb, table, row or "r", **options)
    text = submit(server, [insertion(server, table, f"x{i}") for i in range(others)] + [bad])
    applied = "Preference-Applied: return-no-content\r\n" if prefer and verb not in ("GET", "DELETE") else ""
    index = f"{others}:" if others else ""
    check_failed(text, status, code, index + message, headers=f"{echo}{COMMON}{applied}")
    assert all_entities(server, table) == before, "all or nothing"


@CONTENT_IDS
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("prefer", [None, "return-no-content"])
def test_an_absent_table_is_reported_with_index_0_and_without_two_headers(server, content_id, echo, count, prefer):
    """Recorded from the service: no Cache-Control, no Preference-Applied, an index also for one operation."""
    parts = [insertion(server, "absent", f"{i}", Prefer=prefer, **content_id) for i in range(count)]
    check_failed(
        submit(server, parts), "404 Not Found", "TableNotFound", "0:The table specified does not exist.",
        headers=f"{echo}X-Content-Type-Options: nosniff\r\n",
    )


@pytest.mark.parametrize("first, count", [(0, 2), (1, 4), (0, 100)])
def test_duplicates_in_a_batch_give_400_at_the_second_occurrence(server, table, first, count):
    """Recorded from the service for 1 of 2; asserted by Microsoft's SDK tests for 3 of 4 and 99 of 100."""
    rows = [f"{i}" for i in range(count - 1)] + [f"{first}"]
    text = submit(server, [insertion(server, table, row) for row in rows])
    check_failed(text, "400 Bad Request", "InvalidDuplicateRow", f"{count - 1}:{DUPLICATE}")
    assert all_entities(server, table) == []


@pytest.mark.parametrize("method", ["PUT", "MERGE", "DELETE"])
def test_duplicates_are_found_whatever_the_operations(server, table, method):
    """Decision: these errors are found before any row is read, so the missing row does not matter."""
    parts = [insertion(server, table), writing(server, method, table, If_Match="*")]
    check_failed(submit(server, parts), "400 Bad Request", "InvalidDuplicateRow", f"1:{DUPLICATE}")


def test_row_keys_that_differ_in_case_alone_are_no_duplicates(server, table):
    """learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model: keys are strings, and
    strings compare by their characters."""
    text = submit(server, [insertion(server, table, row) for row in ("row", "ROW", "Row")])
    assert text.count("HTTP/1.1 201 Created") == 3
    text = submit(server, [writing(server, "DELETE", table, "row", If_Match="*"), insertion(server, table, "rOW")])
    assert [entity["RowKey"] for entity in all_entities(server, table)] == ["ROW", "Row", "rOW"], text


@pytest.mark.parametrize("different", [1, 2])
def test_another_partition_is_reported_at_the_first_operation_that_has_one(server, table, different):
    """Recorded from the service."""
    parts = [insertion(server, table, f"{i}", partition="q" if i >= different else "p") for i in range(3)]
    text = "All commands in a batch must operate on same entity group."
    check_failed(
        submit(server, parts), "400 Bad Request", "CommandsInBatchActOnDifferentPartitions", f"{different}:{text}"
    )


def test_another_table_is_another_entity_group(server, table):
    """Decision: the documentation requires one table and names no code."""
    other = create_table(server)
    parts = [insertion(server, table, "a"), insertion(server, other, "b")]
    text = "1:All commands in a batch must operate on same entity group."
    check_failed(submit(server, parts), "400 Bad Request", "CommandsInBatchActOnDifferentPartitions", text)
    delete_table(server, other)


def test_a_table_may_be_named_in_any_case_within_a_batch(server, table):
    """learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model."""
    text = submit(server, [insertion(server, table, "a"), insertion(server, table.upper(), "b")])
    assert text.count("HTTP/1.1 201 Created") == 2


def test_101_operations_are_reported_at_index_99(server, table):
    """Recorded from the service."""
    parts = [insertion(server, table, f"{i}", Prefer="return-no-content") for i in range(101)]
    check_failed(
        submit(server, parts), "400 Bad Request", "InvalidInput",
        "99:The batch request operation exceeds the maximum 100 changes per change set.",
        headers=f"{COMMON}Preference-Applied: return-no-content\r\n",
    )
    assert all_entities(server, table) == []


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize(
    "more, code, message",
    [
        (',"a":"%s"' % ("x" * 32769), "PropertyValueTooLarge",
         "The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 "
         "encoded and the maximum number of characters should be 32K or less."),
        (',"a@odata.type":"Edm.DateTime","a":"0001-01-01T00:00:00Z"', "OutOfRangeInput",
         "One of the request inputs is out of range."),
        (',"%s":1' % ("n" * 256), "PropertyNameTooLong", "The property name exceeds the maximum allowed length (255)."),
        ("," + ",".join(f'"p{i}":1' for i in range(253)), "TooManyProperties",
         "The entity contains more properties than allowed. Each entity can include up to 252 properties to store "
         "data. Each entity also has 3 system properties."),
        (',"a@odata.type":"Edm.DateTime","a":1', "InvalidInput", UNREADABLE),
    ],
    ids=lambda value: str(value)[:30],
)
def test_errors_found_while_preparing_have_an_index_always(server, table, at, more, code, message):
    """Decision, after a public suite for the table SDK: `0:` also if there is only one operation."""
    parts = [insertion(server, table, f"{i}") for i in range(at)] + [insertion(server, table, "bad", more=more)]
    headers = EARLY if message == UNREADABLE else COMMON
    check_failed(submit(server, parts), "400 Bad Request", code, f"{at}:{message}", headers=headers)


@pytest.mark.parametrize("keys", ["PartitionKey='a%2Fb',RowKey='r'", "PartitionKey='p',RowKey='a%5Cb'"])
def test_slashes_in_a_key_of_a_url(server, table, keys):
    """The code of a GET in a batch is asserted by Microsoft's SDK tests; decision: the text."""
    text = submit(server, [operation(server, "DELETE", f"{table}({keys})", If_Match="*")])
    check_failed(text, "400 Bad Request", "InvalidInput", "0:Bad Request - Error in query syntax.", headers=EARLY)


def test_a_malformed_etag_in_a_part(server, table):
    """Seen in a report about the service."""
    text = submit(server, [writing(server, "PUT", table, If_Match="nonsense")])
    message = (
        "0:The etag value 'nonsense' specified in one of the request headers is not valid. Please make sure only one "
        "etag value is specified and is valid."
    )
    check_failed(text, "400 Bad Request", "InvalidInput", message, headers=EARLY)


@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "MERGE"])
def test_a_part_whose_headers_run_into_each_other_is_refused_in_xml(server, table, method, exists):
    """Recorded from the service, for the replace of the library for C++ on an absent entity; inferred: the same on one
    that exists, whose ETag stays."""
    if exists:
        submit(server, [writing(server, "PUT", table)])
    before = all_entities(server, table)
    part = writing(server, method, table, If_Match="*").partition("\r\n\r\n")
    glued = re.sub(r"Content-Type: application/json\r\n", "Content-Length: 69Content-Type: application/json\r\n",
                   part[0] + part[1] + part[2].partition("\r\n\r\n")[0])
    text = submit(server, [glued + "\r\n\r\n\r\n"])
    assert "69Content-Type" in glued
    xml = (
        '<?xml version="1.0" encoding="utf-8"?><error xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">'
        f'<code>InvalidInput</code><message xml:lang="en-US">{UNREADABLE}\nRequestId:ID\nTime:@</message></error>'
    )
    body = f"HTTP/1.1 400 Bad Request\r\nDataServiceVersion: 1.0;\r\nContent-Type: application/xml;charset=utf-8\r\n\r\n{xml}"
    pattern = re.escape(change_set(body)).replace("@", ERROR_TIME)
    assert re.fullmatch(pattern, text), text
    assert all_entities(server, table) == before


def test_an_empty_part_is_refused_and_nothing_is_written(server, table):
    """Recorded from the service: the change set of one empty part that the library for Python sends."""
    assert f"<code>InvalidInput</code><message xml:lang=\"en-US\">{UNREADABLE}" in submit(server, [""])
    assert "<code>" in submit(server, [insertion(server, table), ""])
    assert all_entities(server, table) == []


def test_an_operation_on_the_bare_host_is_not_allowed(server, table):
    """Recorded from the service."""
    part = insertion(server, table)
    assert f"/{table} HTTP" in part
    text = submit(server, [part.replace(f"/{table} HTTP", " HTTP", 1)])
    check_failed(text, "405 Method Not Allowed", "MethodNotAllowed",
                 "0:The requested method is not allowed on the specified resource.", headers=EARLY)


@pytest.mark.parametrize("broken", [0, 1])
def test_a_missing_table_is_noticed_before_its_entities_are_judged(server, broken):
    """Recorded from the service: `0:`. Inferred: also if a later entity is refused."""
    parts = [insertion(server, "absent", "a"), insertion(server, "absent", "b")]
    parts[broken] = insertion(server, "absent", "c", more=',"a":{}')
    check_failed(submit(server, parts), "404 Not Found", "TableNotFound", "0:The table specified does not exist.",
                 headers=EARLY)


@pytest.mark.parametrize("name, code, message", [
    ("1table", "InvalidResourceName", "The specifed resource name contains invalid characters."),
    ("aa", "OutOfRangeInput", "The specified resource name length is not within the permissible limits."),
])
def test_an_impossible_table_name_in_a_part(server, name, code, message):
    """Recorded from the service."""
    for part in (insertion(server, name, Prefer="return-no-content"), writing(server, "DELETE", name, If_Match="*")):
        check_failed(submit(server, [part]), "400 Bad Request", code, f"0:{message}", headers=EARLY)


@pytest.mark.parametrize("method", ["MERGE", "PUT", "DELETE"])
def test_a_part_may_name_its_method_twice(server, table, method):
    """Asserted by tests of the legacy library for Java, which run against the service."""
    submit(server, [insertion(server, table)])
    text = submit(server, [writing(server, method, table, X_HTTP_Method=method, If_Match="*")])
    assert "204 No Content" in text


def test_errors_of_a_part_are_json_whatever_it_accepts(server, table):
    """Decision: XML was recorded only for operations outside of batches."""
    submit(server, [insertion(server, table)])
    text = submit(server, [insertion(server, table, Accept="*/*")])
    check_failed(text, "409 Conflict", "EntityAlreadyExists", ENTITY_EXISTS)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "--batch_1--\r\n",
        "--batch_1\r\nContent-Type: text/plain\r\n\r\nx\r\n--batch_1--\r\n",
        "--batch_1\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c--\r\n"
        "--batch_1\r\nContent-Type: multipart/mixed; boundary=d\r\n\r\n--d--\r\n--batch_1--\r\n",
    ],
    ids=["nothing", "no part", "text", "two change sets"],
)
def test_a_batch_that_is_none_is_an_ordinary_error(server, body):
    """learn.microsoft.com/rest/api/storageservices/performing-entity-group-transactions allows one change set;
    decision: the code, and that the second change set fails the batch."""
    answer = send(server, "POST", "/$batch", BATCH_HEADERS, body)
    check_early_error(answer, 400, "InvalidInput", INVALID)


def test_the_content_length_of_a_part_does_not_matter(server, table):
    """Recorded from the service with and without Content-Length; decision: a wrong one has no effect."""
    for row, length in zip("abc", (None, "1", "99999")):
        text = submit(server, [insertion(server, table, row, Content_Length=length, Prefer="return-no-content")])
        assert "204 No Content" in text
