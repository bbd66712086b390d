"""Headers of requests and answers: versions, ids, preferences, media types, sets of headers, framing."""
from __future__ import annotations

import email.utils
import re
import time
from typing import Any, Callable, Dict, Optional

from conformance import (
    ETAG,
    LEVELS,
    UNJUDGED,
    XML,
    Batch,
    Change,
    Session,
    Xml,
    as_sent,
    check,
    doc,
    inferred,
    inserted_no_content,
    json_answer,
    product,
    rec,
    rows,
    shared_key_lite,
    typed,
)
from conformance.connection import Account
from conformance.errors import (
    INVALID_HEADER_VALUE,
    RESOURCE_NOT_FOUND,
    TABLE_NOT_FOUND,
)
from conformance.session import Exchange
from conformance.values import GUID_PATTERN
from conformance.wire import Request

# --- one exchange of each operation ---------------------------------------------------------------
# Each function sends one request, judges the answer, and returns it.

Run = Callable[..., Exchange]


def create_table(s: Session, **more: Any) -> Exchange:
    name = s.new_name()
    return s.post("/Tables", {"TableName": name}, **more).is_(201, s.documents.table(name))


def create_quietly(s: Session, **more: Any) -> Exchange:
    return s.post("/Tables", {"TableName": s.new_name()}, prefer="return-no-content", **more).is_(204)


def get_table(s: Session, **more: Any) -> Exchange:
    return s.get(f"/Tables('{s.table}')", **more).is_(200, s.documents.table(s.table))


def delete_table(s: Session, **more: Any) -> Exchange:
    return s.delete(f"/Tables('{s.new_table()}')", **more).is_(204)


def insert(s: Session, **more: Any) -> Exchange:
    return s.insert({"n": 1}, **more).is_(201, s.document({"n": 1}))


def insert_quietly(s: Session, **more: Any) -> Exchange:
    return s.insert({"n": 1}, prefer="return-no-content", **more).is_(204)


def get_entity(s: Session, **more: Any) -> Exchange:
    s.given({"n": 1})
    return s.get(s.entity_url(), **more).is_(200, s.document({"n": 1}))


def query(s: Session, **more: Any) -> Exchange:
    s.given({"n": 1})
    item = s.documents.entity_item(s.table, s.pk, "r", {"n": 1}, "minimalmetadata")
    answer = s.get(f"/{s.table}()", query={"$filter": f"PartitionKey eq '{s.pk}'"}, **more)
    return answer.is_(200, s.documents.entities(s.table, [item]))


def writing(method: str) -> Run:
    return lambda s, **more: s.send(method, s.entity_url(), {"n": 1}, **more).is_(204)


def delete_entity(s: Session, **more: Any) -> Exchange:
    return s.delete(s.entity_url(), if_match=s.given(), **more).is_(204)


def batch(s: Session, **more: Any) -> Exchange:
    changes = [Change("POST", f"/{s.table}", s.keys(), prefer="return-no-content")]
    return s.batch(Batch(changes), **more).has([inserted_no_content(s.location())])


def get_policies(s: Session, **more: Any) -> Exchange:
    return s.get(f"/{s.table}?comp=acl", **more).is_(200, Xml("<SignedIdentifiers />", bom=True))


def set_policies(s: Session, **more: Any) -> Exchange:
    return s.put(f"/{s.table}?comp=acl", "<SignedIdentifiers />", content_type=XML, **more).is_(204)


def get_properties(s: Session, **more: Any) -> Exchange:
    return s.get("/?restype=service&comp=properties", **more).is_(200, UNJUDGED)


def absent_entity(s: Session, **more: Any) -> Exchange:
    return s.get(s.entity_url(), **more).fails(RESOURCE_NOT_FOUND)


def absent_table(s: Session, **more: Any) -> Exchange:
    return s.get(f"/{s.new_name()}()", **more).fails(TABLE_NOT_FOUND)


def absent_policies(s: Session, **more: Any) -> Exchange:
    return s.get(f"/{s.new_name()}?comp=acl", **more).fails(TABLE_NOT_FOUND)


# --- x-ms-version ---------------------------------------------------------------------------------

RECORDED_VERSIONS = {
    "2017-04-17": rec("python-cosmosdb/test_table.test_create_table"),
    "2018-03-28": rec("go-legacy/StorageEntitySuite/TestDelete"),
    "2019-02-02": rec("python/test_table_entity.test_get_entity"),
    "2019-07-07": rec("python-2020/test_table_entity.test_get_entity"),
    "2020-12-06": rec("java/TableAsyncClientTest.deleteNonExistingEntity"),
    "2025-07-05": rec("python-assets/test_table_entity.sas_upper_case_table_name@8a03a54")}
KNOWN = doc("learn.microsoft.com/rest/api/storageservices/versioning-for-the-azure-storage-services",
            "The x-ms-version request header value must be specified in the format YYYY-MM-DD.")
VERSIONS = [*RECORDED_VERSIONS, "2015-12-11", "2023-11-03"]


def evidence_of(version: str, **_: Any):
    return RECORDED_VERSIONS.get(version, KNOWN)


@check("The version {version} is repeated with {what}", evidence_of,
       product(version=VERSIONS, what={"policies": get_policies}), needs=["key"])
@check("The version {version} is repeated with {what}", evidence_of,
       product(version=VERSIONS, what={"an insert": insert, "a batch": batch, "an error": absent_entity}))
def version_repeated(s: Session, version, what):
    what(s, version=version)


@check("The version {version} is refused", KNOWN,
       product(version=["abc", "2019", "2019-02", "2019-2-2", "20190202", "2019/02/02", "2019-13-01",
                        "2019-02-30", "v2019-02-02"]), requests=1)
def bad_version(s: Session, version):
    answer = s.get(f"/Tables('{s.table}')", version=version)
    answer.fails(INVALID_HEADER_VALUE, headers=as_sent(answer.answer))


# --- x-ms-client-request-id -----------------------------------------------------------------------

ECHO = rec("js/node/access_policy_operations/recording_should_send_a_null_ap")
ASKED = rec("net-2024/ValidateSasCredentialsWithRowKeyAndPartitionKeyRanges")
ID_LIMIT = doc("learn.microsoft.com/rest/api/storageservices/insert-entity",
               "Provides a client-generated, opaque value with a 1-kibibyte (KiB) character limit.")
CLIENT_ID, RETURN = "x-ms-client-request-id", "x-ms-return-client-request-id"
OPERATIONS = {"Create Table": create_table, "Get Table": get_table, "Delete Table": delete_table,
              "Insert Entity": insert, "Get Entity": get_entity, "Query Entities": query,
              "Insert Or Replace Entity": writing("PUT"), "Delete Entity": delete_entity, "a batch": batch,
              "Get Table Service Properties": get_properties, "an absent entity": absent_entity,
              "an absent table": absent_table}
OF_POLICIES = {"Get Table ACL": get_policies, "Set Table ACL": set_policies,
               "policies of an absent table": absent_policies}


def repeats(s: Session, answer: Exchange, value: Optional[str]) -> None:
    s.holds("x-ms-client-request-id is repeated", answer.answer.header(CLIENT_ID) == value,
            answer.answer.header(CLIENT_ID))


@check("The id of the client is repeated by {what}", ECHO, product(what=OF_POLICIES), needs=["key"])
@check("The id of the client is repeated by {what}", ECHO, product(what=OPERATIONS))
def id_repeated(s: Session, what):
    value = "7f3b5c1e-0b52-4f0c-9f0e-5d4c3b2a1908"
    repeats(s, what(s, headers={CLIENT_ID: value}), value)


IDS = {"1 character": "x", "1023 characters": "x" * 1023, "1024 characters": "x" * 1024,
       "signs": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", "words": "one two", "digits": "0123456789"}


@check("The id of the client is repeated: {value}", ID_LIMIT, product(value=IDS))
def kinds_of_ids(s: Session, value):
    repeats(s, get_table(s, headers={CLIENT_ID: value}), value)


@check("No id of the client is made up: {header}", ASKED,
       product(header={"no header": {}, f"{RETURN} alone": {RETURN: "true"}}))
def no_id(s: Session, header):
    repeats(s, get_table(s, headers=header), None)


@check("The id of the client is repeated where x-ms-return-client-request-id is {value}", ECHO,
       product(value=["true", "false"]))
def id_asked_for(s: Session, value):
    repeats(s, get_table(s, headers={CLIENT_ID: "abc", RETURN: value}), "abc")


# --- x-ms-request-id and Date ---------------------------------------------------------------------

GUIDS = rec("go/TestSetAccessPolicy")


@check("x-ms-request-id is a GUID of its own, Date the time: {what}", GUIDS,
       product(what={name: OPERATIONS[name] for name in ("Get Entity", "an absent entity", "Insert Entity",
                                                         "Get Table Service Properties", "Delete Table")}))
def request_ids(s: Session, what):
    answer = what(s).answer
    other = get_table(s).answer.header("x-ms-request-id")
    value = answer.header("x-ms-request-id") or ""
    s.holds("x-ms-request-id is a GUID", re.fullmatch(GUID_PATTERN, value) is not None, value)
    s.holds("two answers have two ids", value != other, value)
    date = answer.header("Date") or ""
    parsed = email.utils.parsedate_tz(date)
    good = re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", date) is not None
    s.holds("Date has the form of RFC 1123", good, date)
    s.holds("Date is the time", bool(parsed) and abs(email.utils.mktime_tz(parsed) - time.time()) < 900, date)


# --- Prefer ---------------------------------------------------------------------------------------

PREFER = doc("learn.microsoft.com/rest/api/storageservices/insert-entity",
             "Prefer specifies whether the response should include the inserted entity in the payload. "
             "Possible values are return-no-content and return-content.")
OTHERS = ["return=minimal", "return=representation", "respond-async", "no-content"]


@check("Prefer: {prefer} has no effect on {what}", PREFER,
       product(prefer=OTHERS, what=["an insert", "a new table", "PUT"]))
def unknown_preference(s: Session, prefer, what):
    name, none = s.new_name(), ["Preference-Applied"]
    if what == "an insert":
        s.insert({"n": 1}, prefer=prefer).is_(201, s.document({"n": 1}), without=none)
    elif what == "PUT":
        s.put(s.entity_url(), {"n": 1}, prefer=prefer).is_(204, without=none)
    else:
        s.post("/Tables", {"TableName": name}, prefer=prefer).is_(201, s.documents.table(name), without=none)


@check("Prefer: {prefer} has no effect on {what}", PREFER,
       product(prefer=["return-content", "return-no-content"],
               what={"Get Table": get_table, "Get Entity": get_entity, "Query Entities": query,
                     "Get Table Service Properties": get_properties}))
def preference_of_reads(s: Session, prefer, what):
    what(s, prefer=prefer)


# --- media types ----------------------------------------------------------------------------------

SPELLED = inferred("Libraries write media types with and without spaces, some with a charset.")
LISTS = inferred("Where JSON is acceptable, the answer is JSON.")
ACCEPTS = {
    "application/json; odata=nometadata": ("nometadata", SPELLED),
    "application/json; odata=fullmetadata": ("fullmetadata", SPELLED),
    "application/json;  odata=minimalmetadata": ("minimalmetadata", SPELLED),
    "application/json ;odata=nometadata": ("nometadata", SPELLED),
    "application/json;odata=nometadata;charset=utf-8": ("nometadata", SPELLED),
    "application/json;odata=fullmetadata;streaming=true;charset=utf-8": ("fullmetadata", SPELLED),
    "application/json; charset=utf-8": ("minimalmetadata", SPELLED),
    "application/json, text/plain": ("minimalmetadata", LISTS),
    "text/plain, application/json": ("minimalmetadata", LISTS),
    "application/json, */*": ("minimalmetadata", LISTS), "*/*": ("minimalmetadata", LISTS)}


@check("Accept: {accept} is {level} for {method}", lambda accept, **_: ACCEPTS[accept][1],
       rows("accept level method", [(accept, ACCEPTS[accept][0], method) for accept in ACCEPTS
                                    for method in ("GET", "POST")]))
def accepted(s: Session, accept, level, method):
    if method == "GET":
        s.given({"n": 1})
        s.get(s.entity_url(), accept=accept).is_(
            200, s.document({"n": 1}, level), headers=json_answer(level, ETag=ETAG))
    else:
        s.insert({"n": 1}, accept=accept).is_(
            201, s.document({"n": 1}, level), headers=json_answer(level, ETag=ETAG, Location=s.location()))


BY_FORMAT = rec("java/AzureTableImplTest.createTableDuplicateNameImpl")
ANY_ACCEPT = {**{one: one for one in (*LEVELS, XML, "text/html")}, "none": None}


@check("$format={level} overrides Accept {accept}", BY_FORMAT, product(level=LEVELS, accept=ANY_ACCEPT))
def format_first(s: Session, level, accept):
    s.given({"n": 1})
    s.get(s.entity_url(), accept=accept, query={"$format": f"application/json;odata={level}"}).is_(
        200, s.document({"n": 1}, level))


FORMAT_SPELLINGS = ["$format=application/json;odata=nometadata",
                    "$format=application/json%3Bodata%3Dnometadata",
                    "%24format=application%2Fjson%3Bodata%3Dnometadata",
                    "$format=application/json;%20odata=nometadata"]


@check("$format is written {spelling}", BY_FORMAT, product(spelling=FORMAT_SPELLINGS))
def format_spelled(s: Session, spelling):
    s.given({"n": 1})
    s.get(s.entity_url(), query=spelling, accept="fullmetadata").is_(
        200, s.document({"n": 1}, "nometadata"), headers=json_answer("nometadata", ETag=ETAG))


@check("$format={level} is the format of {what}", BY_FORMAT,
       product(level=LEVELS, what=["an insert", "a new table", "an error of an insert", "an error of a GET"]))
def format_of_writes(s: Session, level, what):
    more = {"query": {"$format": f"application/json;odata={level}"}, "accept": XML}
    if what == "an insert":
        s.insert({"n": 1}, **more).is_(201, s.document({"n": 1}, level))
    elif what == "a new table":
        name = s.new_name()
        s.post("/Tables", {"TableName": name}, **more).is_(201, s.documents.table(name, level))
    elif what == "an error of a GET":
        s.get(s.entity_url(), **more).fails(RESOURCE_NOT_FOUND)
    else:
        s.post(f"/{s.new_name()}", s.keys(), **more).fails(TABLE_NOT_FOUND)


KINDS = ["application/json;odata=nometadata", "application/json;odata=fullmetadata",
         "application/json; odata=minimalmetadata", "application/json;charset=utf-8",
         "application/json; charset=utf-8; odata=nometadata"]


@check("{method} honours annotations in a body of type {kind}",
       rec("python-2020/test_table_entity.test_insert_entity_dictionary"),
       product(method=["POST", "PUT", "MERGE"], kind=KINDS))
def content_types(s: Session, method, kind):
    body, path = typed("n", "Edm.Int64", "5"), f"/{s.table}" if method == "POST" else s.entity_url()
    s.send(method, path, {**s.keys(), **body}, content_type=kind, prefer="return-no-content").is_(204)
    s.get(s.entity_url()).is_(200, s.document(body))


# --- other headers of requests --------------------------------------------------------------------

DATA_VERSIONS = {
    "DataServiceVersion 3.0": (
        {"DataServiceVersion": "3.0"}, rec("python/test_table_entity.test_get_entity")),
    "DataServiceVersion 3.0;": (
        {"DataServiceVersion": "3.0;", "MaxDataServiceVersion": "3.0;NetFx"},
        rec("js/browsers/batch_operations/recording_should_send_a_set_of_create_batch_operations")),
    "DataServiceVersion 3.0;NetFx": (
        {"DataServiceVersion": "3.0;NetFx", "MaxDataServiceVersion": "3.0"},
        rec("python-cosmosdb/test_table.test_create_table")),
    "no DataServiceVersion": ({"DataServiceVersion": None}, rec("go-legacy/StorageEntitySuite/TestDelete"))}


@check("{what} takes {version}, and does not answer it", lambda version, **_: version[1],
       product(version=DATA_VERSIONS,
               what={"Insert Entity": insert, "Get Entity": get_entity, "a batch": batch}))
def data_service_version(s: Session, version, what):
    answer = what(s, headers=version[0]).answer
    s.holds("the answer has no DataServiceVersion", answer.header("DataServiceVersion") is None,
            answer.header("DataServiceVersion"))


CASES = {"lower": str.lower, "upper": str.upper}


@check("The names of headers are read in {case} case: {what}",
       inferred("HTTP does not distinguish the case of the names of headers."),
       product(case=CASES,
               what=["Prefer", "If-Match", "x-ms-version", "Accept", "Content-Type", "x-ms-date"]))
def header_names(s: Session, case, what):
    def renamed(value: str) -> Dict[str, Optional[str]]:
        return {what: None, case(what): value}
    if what == "Prefer":
        s.insert({}, headers=renamed("return-no-content")).is_(204)
    elif what == "If-Match":
        s.put(s.entity_url(), {}, headers=renamed("*")).fails(RESOURCE_NOT_FOUND)
    elif what == "x-ms-version":
        get_table(s, headers=renamed("2018-03-28"))
    elif what == "Accept":
        answer = s.get(f"/Tables('{s.table}')", accept=None,
                       headers=renamed("application/json;odata=nometadata"))
        answer.is_(200, {"TableName": s.table})
    elif what == "Content-Type":
        s.insert({}, prefer="return-no-content", headers=renamed("application/json")).is_(204)
    else:
        get_table(s, headers=renamed(email.utils.formatdate(time.time(), usegmt=True)))


@check("The name of Authorization is read in {case} case",
       inferred("HTTP does not distinguish the case of the names of headers."), product(case=CASES),
       needs=["key"], requests=1)
def authorization_name(s: Session, case):
    def auth(account: Account, request: Request) -> None:
        shared_key_lite(account, request)
        request.headers[case("Authorization")] = request.headers.pop("Authorization")
    get_table(s, auth=auth)


@check("{name}: {value} has no effect", inferred("Headers that are not known are ignored."),
       rows("name value", [("x-ms-unknown", "1"), ("Accept-Language", "de"), ("Accept-Charset", "UTF-8"),
                           ("Accept-Encoding", "gzip, deflate")]))
def other_headers(s: Session, name, value):
    answer = get_entity(s, headers={name: value}).answer
    s.holds("the body is not compressed", answer.header("Content-Encoding") is None,
            answer.header("Content-Encoding"))


@check("{what} takes Expect: 100-continue", inferred("Older libraries for .NET send it with each body."),
       product(what={"an insert": insert, "PUT": writing("PUT"), "a batch": batch}))
def expect(s: Session, what):
    what(s, headers={"Expect": "100-continue"})
