"""Errors: their documents, byte by byte, their formats and headers, ids, times and reason phrases."""
from __future__ import annotations

import calendar
import email.utils
import json
import re
import time
from typing import Any, Callable, Dict, List, Tuple
from xml.sax.saxutils import escape

from conformance import (
    LEVELS,
    OPTIONAL,
    XML,
    Session,
    check,
    doc,
    inferred,
    product,
    rec,
    rows,
    wrong_key,
)
from conformance.errors import (
    AUTHENTICATION_FAILED,
    ENTITY_ALREADY_EXISTS,
    INVALID_QUERY_PARAMETER,
    INVALID_RESOURCE_NAME,
    INVALID_XML_DOCUMENT,
    NOT_IMPLEMENTED,
    PROPERTIES_NEED_VALUE,
    PROPERTY_NAME_INVALID,
    PROPERTY_NAME_TOO_LONG,
    RESOURCE_NOT_FOUND,
    TABLE_ALREADY_EXISTS,
    TABLE_NOT_FOUND,
    TOO_MANY_PROPERTIES,
    UPDATE_CONDITION_NOT_SATISFIED,
    Refusal,
    not_an_etag,
)
from conformance.session import Exchange
from conformance.values import ERROR_TIME_PATTERN, GUID_PATTERN

ACCEPTS = (*LEVELS, "application/json")
XML_ACCEPTS = {"*/*": "*/*", "none": None}
OLD_ETAG = "W/\"datetime'2001-02-03T04%3A05%3A06.7Z'\""
CODES = "learn.microsoft.com/rest/api/storageservices/table-service-error-codes"

# --- causes ---------------------------------------------------------------------------------------

Send = Callable[..., Exchange]


def get_absent(s: Session, **more: Any) -> Exchange:
    return s.get(s.entity_url(), **more)


def delete_absent(s: Session, **more: Any) -> Exchange:
    return s.delete(s.entity_url(), if_match="*", **more)


def delete_table(s: Session, **more: Any) -> Exchange:
    return s.delete(f"/Tables('{s.new_name()}')", **more)


def insert_again(s: Session, **more: Any) -> Exchange:
    s.given()
    return s.insert({}, **more)


def create_again(s: Session, **more: Any) -> Exchange:
    return s.post("/Tables", {"TableName": s.table}, **more)


def bad_name(s: Session, **more: Any) -> Exchange:
    return s.post("/Tables", {"TableName": "no_table"}, **more)


def keyless(s: Session, **more: Any) -> Exchange:
    return s.post(f"/{s.table}", {"n": 1}, **more)


def old_version(s: Session, **more: Any) -> Exchange:
    s.given()
    return s.put(s.entity_url(), {}, if_match=OLD_ETAG, **more)


def no_etag(s: Session, **more: Any) -> Exchange:
    return s.put(s.entity_url(), {}, if_match="old", **more)


def absent_table(s: Session, **more: Any) -> Exchange:
    return s.get(f"/{s.new_name()}()", **more)


def insert_of(members: Dict[str, Any]) -> Send:
    return lambda s, **more: s.insert(members, **more)


def put_of(members: Dict[str, Any]) -> Send:
    return lambda s, **more: s.put(s.entity_url(), members, **more)


TOO_MANY = {f"p{number}": 1 for number in range(253)}
LONG_NAME = {"n" * 256: 1}
BAD_NAME = {"1" * 255: 1}
Cause = Tuple[Send, Refusal, Any]

AS_INSERTS = inferred("A replacement has the limits of an insert.")
CAUSES: Dict[str, Cause] = {
    "GET of an absent entity": (
        get_absent, RESOURCE_NOT_FOUND, rec("python/test_table_aad.test_aad_delete_entities")),
    "DELETE of an absent entity": (
        delete_absent, RESOURCE_NOT_FOUND, rec("java/TableAsyncClientTest.deleteNonExistingEntity")),
    "an entity that exists": (
        insert_again, ENTITY_ALREADY_EXISTS,
        rec("go-late/TestEdmMarshalling/TestEdmMarshalling_storage@dc6db39")),
    "a table that exists": (
        create_again, TABLE_ALREADY_EXISTS,
        rec("python-cosmosdb/test_table.test_create_table_with_already_existing_table")),
    "an impossible name": (
        bad_name, INVALID_RESOURCE_NAME,
        rec("python-assets/test_table_client.test_table_name_errors@4f55d47")),
    "an insert without keys": (
        keyless, PROPERTIES_NEED_VALUE, rec("python/test_table_entity.test_insert_entity_missing_pk")),
    "an old ETag": (
        old_version, UPDATE_CONDITION_NOT_SATISFIED,
        rec("python-hist/test_table_entity_async.test_update_entity_with_if_doesnt_match@6458d58")),
    "a word for an ETag": (
        no_etag, not_an_etag("old"), rec("go-legacy/StorageEntitySuite/TestDelete")),
    "a query of an absent table": (
        absent_table, TABLE_NOT_FOUND, doc(CODES, "The table specified does not exist.")),
    "an insert of too many properties": (
        insert_of(TOO_MANY), TOO_MANY_PROPERTIES,
        rec("python-assets/test_table_entity.insert_entity_too_many_properties@0526594")),
    "PUT of too many properties": (put_of(TOO_MANY), TOO_MANY_PROPERTIES, AS_INSERTS),
    "an insert of a long name": (
        insert_of(LONG_NAME), PROPERTY_NAME_TOO_LONG,
        rec("python-assets/test_table_entity.insert_entity_property_name_too_long@0526594")),
    "PUT of a long name": (put_of(LONG_NAME), PROPERTY_NAME_TOO_LONG, AS_INSERTS),
    "an insert of a bad name": (
        insert_of(BAD_NAME), PROPERTY_NAME_INVALID,
        rec("python-2024/test_encoder.create_entity_atypical_values")),
    "PUT of a bad name": (
        put_of(BAD_NAME), PROPERTY_NAME_INVALID,
        rec("python-assets/test_encoder.update_entity_atypical_values(middle-13)@0526594")),
}


def some(*names: str) -> Dict[str, Cause]:
    return {name: CAUSES[name] for name in names}


# --- the documents, byte by byte ------------------------------------------------------------------

TAIL = f"RequestId:{GUID_PATTERN}LINEFEEDTime:{ERROR_TIME_PATTERN}"
NAMESPACE = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"
DECLARATION = '<?xml version="1.0" encoding="utf-8"?>'


def json_bytes(refusal: Refusal) -> str:
    text = re.escape(json.dumps(refusal.message, ensure_ascii=False)[1:-1])
    return (rf'\{{"odata\.error":\{{"code":"{refusal.code}","message":\{{"lang":"en-US","value":"{text}\\n'
            + TAIL.replace("LINEFEED", r"\\n") + r'"\}\}\}')


def xml_bytes(refusal: Refusal, prefix: str) -> str:
    name = "xmlns:m" if prefix else "xmlns"
    start = (f'{DECLARATION}<{prefix}error {name}="{NAMESPACE}"><{prefix}code>{refusal.code}</{prefix}code>'
             f'<{prefix}message xml:lang="en-US">{escape(refusal.message)}\n')
    end = f"</{prefix}message></{prefix}error>"
    return re.escape(start) + TAIL.replace("LINEFEED", "\n") + re.escape(end)


def has_bytes(s: Session, answer: Exchange, pattern: str) -> None:
    text = answer.answer.text
    s.holds("the document has the bytes of the service", re.fullmatch(pattern, text) is not None, text)


@check("The JSON of an error is that of the service: {cause}", lambda cause: cause[2],
       product(cause=some(*[name for name in CAUSES if not name.startswith("PUT of")])))
def json_document(s: Session, cause):
    send, refusal, _ = cause
    answer = send(s).fails(refusal)
    has_bytes(s, answer, json_bytes(refusal))


XML_RECORDED = {
    "DELETE of an absent table": rec(
        "python-2020/test_table.test_delete_table_with_non_existing_table_fail_not_exist"),
    "an old ETag": rec("python-hist/test_table_entity_async.test_update_entity_with_if_doesnt_match@5330e2c"),
    "PUT of an absent entity": rec(
        "python-hist/test_table_entity_async.test_update_entity_not_existing@a5cbea0")}


def put_absent(s: Session, **more: Any) -> Exchange:
    return s.put(s.entity_url(), {}, if_match="*", **more)


IN_XML = {"DELETE of an absent table": (delete_table, RESOURCE_NOT_FOUND),
          "an old ETag": (old_version, UPDATE_CONDITION_NOT_SATISFIED),
          "PUT of an absent entity": (put_absent, RESOURCE_NOT_FOUND)}


@check("The XML of the table layer is that of the service: {cause}, Accept {accept}",
       lambda cause, accept: XML_RECORDED[cause], product(cause=[*IN_XML], accept=XML_ACCEPTS))
def xml_document(s: Session, cause, accept):
    send, refusal = IN_XML[cause]
    answer = send(s, accept=accept).fails(refusal)
    has_bytes(s, answer, xml_bytes(refusal, ""))


def absent_policies(s: Session) -> Exchange:
    return s.get(f"/{s.new_name()}?comp=acl")


def bad_policies(s: Session) -> Exchange:
    return s.put(f"/{s.table}?comp=acl", "<SignedIdentifiers>", content_type=XML)


def statistics(s: Session) -> Exchange:
    return s.get("/?restype=service&comp=stats")


def wrongly_signed(s: Session) -> Exchange:
    return s.get("/?restype=service&comp=properties", auth=wrong_key)


FRONT_END = {
    "policies of an absent table": (
        absent_policies, TABLE_NOT_FOUND,
        rec("go-legacy/StorageTableSuite/TestSetPermissionsUnsuccessfully")),
    "policies that are no XML": (
        bad_policies, INVALID_XML_DOCUMENT, rec("python/test_table.test_set_table_acl_too_many_ids")),
    "statistics of the primary endpoint": (
        statistics, INVALID_QUERY_PARAMETER, rec("go-2021/TestServiceClient_Storage/TestGetStatistics")),
    "properties with another key": (
        wrongly_signed, AUTHENTICATION_FAILED,
        rec("python-hist/test_table_service_stats.test_table_service_stats_f@ee9540b"))}


@check("The XML of the front end is that of the service: {cause}", lambda cause: cause[2],
       product(cause=FRONT_END), needs=["key"])
def front_end_document(s: Session, cause):
    send, refusal, _ = cause
    answer = send(s).fails(refusal)
    has_bytes(s, answer, xml_bytes(refusal, "m:"))
    reason = answer.answer.reason
    s.holds("the reason phrase is the message", reason == refusal.message, reason)
    s.holds("Content-Length is that of the body",
            answer.answer.header("Content-Length") == str(len(answer.answer.body)),
            answer.answer.header("Content-Length"))


@check("The JSON of the front end is that of the service at {accept}: {method} {path}",
       rec("python/test_table_batch.test_new_invalid_key"),
       product(accept=["nometadata", "application/json"], method=["GET"], path=["/Tables", "/{table}()"])
       + product(accept=["fullmetadata"], method=["POST"], path=["/$batch", "/{table}"]),
       needs=["key"], requests=1)
def front_end_json(s: Session, accept, method, path):
    body = None if method == "GET" else {}
    answer = s.send(method, path.format(table=s.table), body, accept=accept, auth=wrong_key)
    answer.fails(AUTHENTICATION_FAILED)
    has_bytes(s, answer, json_bytes(AUTHENTICATION_FAILED))


# --- the format by Accept, and the headers by the cause -------------------------------------------

MANY = ["an insert without keys", "an impossible name", "an insert of too many properties",
        "PUT of too many properties", "an insert of a long name", "PUT of a long name",
        "an insert of a bad name", "PUT of a bad name"]


@check("An error is written at Accept {accept}: {cause}", lambda accept, cause: cause[2],
       product(accept=ACCEPTS, cause=some(*MANY)))
def formats(s: Session, accept, cause):
    send, refusal, _ = cause
    send(s, accept=accept).fails(refusal)


@check("An error of a write without an answer is XML for Accept {accept}: {cause}",
       inferred("Refused writes of entities are answered in XML to all but JSON."),
       product(accept=XML_ACCEPTS, cause=some("PUT of too many properties", "PUT of a long name",
                                              "PUT of a bad name", "DELETE of an absent entity")))
def xml_formats(s: Session, accept, cause):
    send, refusal, _ = cause
    send(s, accept=accept).fails(refusal)


@check("An error by its cause repeats the preference {prefer}, or not: {cause}",
       lambda prefer, cause: cause[2],
       product(prefer=["return-content", "return-no-content"],
               cause=some(*MANY[2:], "an old ETag", "a word for an ETag", "GET of an absent entity",
                          "DELETE of an absent entity")))
def preferences(s: Session, prefer, cause):
    send, refusal, _ = cause
    send(s, prefer=prefer).fails(refusal)


@check("An option that is not implemented is refused at Accept {accept}",
       doc("learn.microsoft.com/rest/api/storageservices/querying-tables-and-entities",
           "Additional query options defined by OData are not supported by the Table service."),
       product(accept=ACCEPTS), requests=1)
def option(s: Session, accept):
    s.get(f"/{s.table}()", query="$orderby=RowKey", accept=accept).fails(
        NOT_IMPLEMENTED, more={"Cache-Control": OPTIONAL})


# --- RequestId, Time and reason phrases -----------------------------------------------------------


def close(date: str, written: str) -> bool:
    """Whether an HTTP date and the Time of an error differ by at most five seconds."""
    seconds = email.utils.mktime_tz(email.utils.parsedate_tz(date) or (1970, 1, 1, 0, 0, 0, 0, 1, 0, 0))
    try:
        other = calendar.timegm(time.strptime(written[:19], "%Y-%m-%dT%H:%M:%S"))
    except ValueError:
        return False
    return abs(seconds - other) <= 5


@check("Each error has a RequestId of its own and the time of its Date: {cause}", lambda cause: cause[2],
       product(cause=some("GET of an absent entity", "an insert without keys",
                          "a query of an absent table")), requests=3)
def ids_and_times(s: Session, cause):
    send, refusal, _ = cause
    answers = [send(s).fails(refusal).answer for _ in range(3)]
    ids = {one.error.request_id for one in answers if one.error}
    s.holds("three errors have three ids", len(ids) == 3, ids)
    for one in answers:
        date, written = one.header("Date") or "", one.error.time if one.error else ""
        s.holds("the Time is that of the Date", close(date, written), f"{date} and {written}")


PHRASES: List[tuple] = [("GET of an absent entity", "Not Found"), ("an entity that exists", "Conflict"),
                        ("an old ETag", "Precondition Failed"), ("an insert without keys", "Bad Request"),
                        ("a query of an absent table", "Not Found")]


@check("The reason phrase is {phrase} for {cause}", lambda cause, phrase: CAUSES[cause][2],
       rows("cause phrase", PHRASES))
def phrases(s: Session, cause, phrase):
    send, refusal, _ = CAUSES[cause]
    answer = send(s).fails(refusal)
    s.holds(f"the reason phrase is {phrase}", answer.answer.reason == phrase, answer.answer.reason)
