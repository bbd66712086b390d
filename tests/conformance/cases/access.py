"""Shared Key and Shared Key Lite: what is signed, dates, refusals; requests without credentials."""
from __future__ import annotations

import base64
import hashlib
from typing import Callable, List

from cases.access_operations import (
    ENTITIES,
    POLICIES,
    SERVICE,
    TABLES,
    Operation,
    forbidden,
    transaction,
)
from conformance import (
    LEVELS,
    Session,
    account_sas,
    anonymous,
    as_sent,
    check,
    doc,
    http_date,
    inferred,
    product,
    rec,
    rows,
    shared_key,
    shared_key_lite,
    wrong_key,
)
from conformance.connection import Account
from conformance.errors import (
    AUTHENTICATION_FAILED,
    INVALID_AUTHENTICATION_INFO,
    NO_AUTHENTICATION,
    RESOURCE_NOT_FOUND,
)
from conformance.signing import Auth, canonicalized_resource, signature
from conformance.values import Placeholder
from conformance.wire import Request

SHARED_KEY_PAGE = "learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key"
SIGNED = rec("go-legacy/StorageEntitySuite/TestDelete")
LITE = doc(SHARED_KEY_PAGE, 'Authorization="[SharedKey|SharedKeyLite] <AccountName>:<Signature>"')
WRONG_KEY = rec("python/test_table_batch.test_new_invalid_key")
WRONG_KEY_IN_XML = rec("python-hist/test_table_service_stats.test_table_service_stats_f@ee9540b")

SCHEMES = {"Shared Key": shared_key, "Shared Key Lite": shared_key_lite}
STATS = "Get Table Service Stats"
OPERATIONS = {**ENTITIES, **TABLES, **POLICIES, **SERVICE, "a batch": Operation(transaction, "o", ("a",))}
AT_PRIMARY = {name: one for name, one in OPERATIONS.items() if name != STATS}


# --- every operation ------------------------------------------------------------------------------


@check("{scheme} signs {operation}", lambda scheme, **_: SIGNED if scheme is shared_key else LITE,
       product(scheme=SCHEMES, operation=AT_PRIMARY), needs=["key"])
def signed(s: Session, scheme: Auth, operation: Operation):
    operation.run(s, scheme)


@check("{scheme} signs Get Table Service Stats at the secondary endpoint", LITE, product(scheme=SCHEMES),
       needs=["key", "secondary"], requests=1)
def signed_at_secondary(s: Session, scheme: Auth):
    OPERATIONS[STATS].run(s, scheme)


@check("{operation} is refused with another key", WRONG_KEY, product(operation=AT_PRIMARY), needs=["key"])
def wrong(s: Session, operation: Operation):
    operation.run(s, wrong_key, AUTHENTICATION_FAILED)


@check("Get Table Service Stats is refused with another key", WRONG_KEY_IN_XML,
       needs=["key", "secondary"], requests=1)
def wrong_at_secondary(s: Session):
    OPERATIONS[STATS].run(s, wrong_key, AUTHENTICATION_FAILED)


@check("{method} {path} is refused at the secondary endpoint",
       inferred("The secondary location is for reads; which code a write gets is not known."),
       rows("method path", [("POST", "/Tables"), ("POST", "/{table}"),
                            *((method, "/{table}(PartitionKey='{pk}',RowKey='r')")
                              for method in ("PUT", "PATCH", "MERGE", "DELETE"))]),
       needs=["secondary"], requests=3)
def written_at_secondary(s: Session, method, path):
    etag = s.given({"n": 1}, "r")
    body = {"TableName": s.new_name()} if path == "/Tables" else {**s.keys("other"), "n": 2}
    match = "*" if method == "DELETE" else None
    forbidden(s.send(method, path.format(table=s.table, pk=s.pk), None if match else body, if_match=match,
                     secondary=True))
    s.get(s.entity_url("r")).is_(200, s.document({"n": 1}, row="r"), more={"ETag": etag})


XML_ACCEPTS = {"application/xml": "application/xml", "none": None}


@check("Another key is refused in the format of Accept: {accept}",
       lambda accept: WRONG_KEY_IN_XML if accept == "application/xml" else WRONG_KEY,
       product(accept={**{one: one for one in (*LEVELS, "application/json")}, **XML_ACCEPTS}),
       needs=["key"], requests=1)
def wrong_key_formats(s: Session, accept):
    answer = s.get("/Tables", query="$top=1", accept=accept, auth=wrong_key)
    answer.fails(AUTHENTICATION_FAILED)
    s.holds("the reason phrase is the message", answer.answer.reason == AUTHENTICATION_FAILED.message,
            answer.answer.reason)


# --- what is signed -------------------------------------------------------------------------------


def changed_after(sign: Auth, change: Callable[[Request], None]) -> Auth:
    """Signs, and changes the request behind the signature."""
    def auth(account: Account, request: Request) -> None:
        sign(account, request)
        change(request)
    return auth


def set_header(name: str, value: str) -> Callable[[Request], None]:
    return lambda request: request.headers.update({name: value})


def merge_instead(request: Request) -> None:
    request.method = "MERGE"


def other_path(request: Request) -> None:
    request.target = request.target.replace("RowKey='r'", "RowKey='s'")


def later(request: Request) -> None:
    request.headers["x-ms-date"] = http_date(-60)


def with_option(request: Request) -> None:
    request.target += "?timeout=20"


def with_comp(request: Request) -> None:
    request.target += "?comp=acl"


MD5 = base64.b64encode(hashlib.md5(b'{"n":2}').digest()).decode()
CHANGES = {"the verb": merge_instead, "the path": other_path, "the date": later,
           "Content-Type": set_header("Content-Type", "application/json;odata=nometadata"),
           "Content-MD5": set_header("Content-MD5", MD5), "comp": with_comp}
UNSIGNED = {"an option of the query": with_option, "Prefer": set_header("Prefer", "return-no-content"),
            "x-ms-version": set_header("x-ms-version", "2018-03-28")}
LITE_UNSIGNED = {**{name: CHANGES[name] for name in ("the verb", "Content-Type", "Content-MD5")}, **UNSIGNED}
TEXT = doc(SHARED_KEY_PAGE, 'StringToSign = VERB + "\\n" + Content-MD5 + "\\n" + Content-Type + "\\n" + '
                            'Date + "\\n" + CanonicalizedResource;')
LITE_TEXT = doc(SHARED_KEY_PAGE, 'StringToSign = Date + "\\n" + CanonicalizedResource')


@check("{scheme} covers {part}", lambda scheme, **_: TEXT if scheme is shared_key else LITE_TEXT,
       product(scheme={"Shared Key": shared_key}, part=CHANGES)
       + product(scheme={"Shared Key Lite": shared_key_lite},
                 part={name: CHANGES[name] for name in ("the path", "the date", "comp")}), needs=["key"])
def covered(s: Session, scheme: Auth, part):
    s.given({"n": 1})
    s.put(s.entity_url(), '{"n":2}', auth=changed_after(scheme, part)).fails(AUTHENTICATION_FAILED)


@check("{scheme} does not cover {part}", lambda scheme, **_: TEXT if scheme is shared_key else LITE_TEXT,
       product(scheme={"Shared Key": shared_key}, part=UNSIGNED)
       + product(scheme={"Shared Key Lite": shared_key_lite}, part=LITE_UNSIGNED), needs=["key"])
def not_covered(s: Session, scheme: Auth, part):
    s.put(s.entity_url(), '{"n":2}', auth=changed_after(scheme, part)).is_(204)


@check("{scheme} covers the path as it is sent: {form}", rec("cpp/EntityUpdate-key"),
       product(scheme=SCHEMES,
               form=["/{}(PartitionKey='{}',RowKey='r')", "/{}(PartitionKey=%27{}%27,RowKey=%27r%27)",
                     "/{}%28PartitionKey%3D%27{}%27%2CRowKey%3D%27r%27%29",
                     "/{}(PartitionKey='{}',%20RowKey='r')"]), needs=["key"])
def paths(s: Session, scheme: Auth, form):
    s.given({"n": 1})
    s.get(form.format(s.table, s.pk), auth=scheme).is_(200, s.document({"n": 1}))


@check("{scheme} covers a key of other characters: {key}",
       rec("python-2024/test_encoder.create_entity_atypical_values"),
       product(scheme=SCHEMES, key=["a b", "ünï", "東京", "it's", "1+1"]), needs=["key"])
def encoded_paths(s: Session, scheme: Auth, key):
    s.given({"n": 1}, key)
    s.get(s.entity_url(key), auth=scheme).is_(200, s.document({"n": 1}, row=key))


@check("{scheme} takes parameters in the order {query}", rec("cpp/ServiceClientSet-key"),
       product(scheme=SCHEMES, query=["restype=service&comp=properties", "comp=properties&restype=service",
                                      "timeout=30&comp=properties&restype=service"]),
       needs=["key"], requests=1)
def order_of_parameters(s: Session, scheme: Auth, query):
    answer = s.get("/", query=query, auth=scheme)
    answer.is_(200, answer.answer.body)


# --- dates ----------------------------------------------------------------------------------------

DATE = doc(SHARED_KEY_PAGE, "The storage services ensure that a request is no older than 15 minutes by the "
                            "time it reaches the service.")
MINUTE = 60


def dated(name: str, seconds: float) -> dict:
    return {name: http_date(seconds)}


@check("{name} may be {seconds}: {scheme}", DATE,
       product(scheme=SCHEMES, name=["x-ms-date", "Date"],
               seconds={"14.5 minutes old": -14.5 * MINUTE, "14.5 minutes ahead": 14.5 * MINUTE}),
       needs=["key"], requests=1)
def skewed(s: Session, scheme: Auth, name, seconds):
    s.get(f"/Tables('{s.table}')", headers=dated(name, seconds), auth=scheme).is_(
        200, s.documents.table(s.table))


@check("{name} may not be {seconds}: {scheme}", DATE,
       product(scheme=SCHEMES, name=["x-ms-date", "Date"],
               seconds={"a day old": -24 * 60 * MINUTE, "15.5 minutes old": -15.5 * MINUTE,
                        "15.5 minutes ahead": 15.5 * MINUTE}), needs=["key"], requests=1)
def too_skewed(s: Session, scheme: Auth, name, seconds):
    s.get("/Tables", headers=dated(name, seconds), auth=scheme).fails(AUTHENTICATION_FAILED)


BOTH = doc(SHARED_KEY_PAGE, "If both headers are specified on the request, the value of x-ms-date is used as "
                            "the request's time of creation.")


@check("x-ms-date goes before Date: {scheme}", BOTH, product(scheme=SCHEMES), needs=["key"], requests=1)
def both_dates(s: Session, scheme: Auth):
    s.get(f"/Tables('{s.table}')", headers={**dated("x-ms-date", 0), **dated("Date", -60 * MINUTE)},
          auth=scheme).is_(200, s.documents.table(s.table))


@check("A good Date does not help an old x-ms-date: {scheme}", BOTH, product(scheme=SCHEMES), needs=["key"],
       requests=1)
def old_date_before_good_one(s: Session, scheme: Auth):
    s.get("/Tables", headers={**dated("x-ms-date", -60 * MINUTE), **dated("Date", 0)},
          auth=scheme).fails(AUTHENTICATION_FAILED)


def without_date(account: Account, request: Request) -> None:
    text = f"\n{canonicalized_resource(account, request)}"
    request.headers["Authorization"] = f"SharedKeyLite {account.name}:{signature(account.key or b'', text)}"


@check("A signed request needs a date", inferred("A date is required with Shared Key and Shared Key Lite."),
       needs=["key"], requests=1)
def no_date(s: Session):
    s.get("/Tables", auth=without_date).fails(AUTHENTICATION_FAILED)


@check("x-ms-date {value} is refused", inferred("What is no date cannot be within 15 minutes."),
       product(value=["yesterday", "0", "Sat, 99 May 2021 23:05:14 GMT"]), needs=["key"], requests=1)
def no_date_at_all(s: Session, value):
    s.get("/Tables", headers={"x-ms-date": value}).fails(AUTHENTICATION_FAILED)


# --- the Authorization header ---------------------------------------------------------------------


def authorization(form: str) -> Auth:
    """Fills the account and the right signature into a header."""
    def auth(account: Account, request: Request) -> None:
        shared_key_lite(account, request)
        right = (request.header("Authorization") or "").partition(":")[2]
        request.headers["Authorization"] = form.format(account=account.name, signature=right)
    return auth


FAILED = doc("learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes",
             "Server failed to authenticate the request.")


@check("Authorization is refused: {form}", FAILED,
       product(form=["SharedKeyLite other{account}:{signature}", "SharedKeyLite {account}:",
                     "SharedKeyLite {account}:c2lnbmF0dXJl", "SharedKeyLite {account}:not base64!",
                     "SharedKeyLite {account}:{signature}A", "SharedKey {account}:{signature}"]),
       needs=["key"], requests=1)
def bad_authorization(s: Session, form):
    s.get("/Tables", auth=authorization(form)).fails(AUTHENTICATION_FAILED)


@check("Authorization has no known scheme: {form}",
       doc("learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes",
           "The authentication information was not provided in the correct format."),
       product(form=["{account}:{signature}", "{signature}", "Basic {signature}", "Digest username={account}",
                     "SharedKeyMore {account}:{signature}"]), needs=["key"], requests=1)
def unknown_scheme(s: Session, form):
    answer = s.get("/Tables", auth=authorization(form))
    answer.fails(INVALID_AUTHENTICATION_INFO, headers=as_sent(answer.answer))


@check("A wrong Authorization is not saved by a right SAS",
       inferred("A request with Authorization is judged by that scheme alone."), needs=["key"], requests=1)
def sas_and_wrong_key(s: Session):
    def both(account: Account, request: Request) -> None:
        wrong_key(account, request)
        account_sas("rl")(account, request)
    s.get("/Tables", query="$top=1", auth=both).fails(AUTHENTICATION_FAILED)


# --- no credentials -------------------------------------------------------------------------------
# Blobs and queues are challenged from 2019-12-12 on, tables from 2020-12-06 on.

CHALLENGE = Placeholder(
    "challenge", r"Bearer authorization_uri=https://login\.microsoftonline\.com/[0-9a-f-]{36}/oauth2/"
                 r"authorize resource_id=https://storage\.azure\.com")
CHALLENGED = rec("go/TestMultiTenantAuth")
BORDER = doc("learn.microsoft.com/rest/api/storageservices/authorize-with-azure-active-directory",
             "Azure Storage Table service returns a bearer challenge for version 2020-12-06 and newer.")
ANONYMOUS: List[tuple] = [
    ("GET", "/Tables"), ("POST", "/Tables"), ("DELETE", "/Tables('{table}')"), ("GET", "/{table}()"),
    ("POST", "/{table}"), ("PUT", "/{table}(PartitionKey='p',RowKey='r')"),
    ("DELETE", "/{table}(PartitionKey='p',RowKey='r')"), ("POST", "/$batch"), ("GET", "/{table}?comp=acl"),
    ("GET", "/?restype=service&comp=properties"), ("GET", "/Tables('{absent}')")]
REQUESTS = {f"{method} {path}".replace("{", "").replace("}", ""): (method, path)
            for method, path in ANONYMOUS}


def without_credentials(s: Session, request: tuple, version: str):
    method, path = request
    body = {"TableName": s.new_name()} if path == "/Tables" and method == "POST" else s.keys()
    return s.send(method, path.format(table=s.table, absent=s.new_name()),
                  body if method in ("POST", "PUT") else None, version=version, auth=anonymous)


@check("{request} without credentials is challenged", CHALLENGED, product(request=REQUESTS), requests=1)
def challenged(s: Session, request):
    answer = without_credentials(s, request, "2020-12-06")
    answer.fails(NO_AUTHENTICATION, more={"WWW-Authenticate": CHALLENGE})
    s.holds("the reason phrase is the message", answer.answer.reason == NO_AUTHENTICATION.message,
            answer.answer.reason)


@check("{request} without credentials is hidden from version 2019-02-02",
       inferred("Versions before the challenge answered a DELETE of a table with ResourceNotFound."),
       product(request=REQUESTS), requests=1)
def hidden(s: Session, request):
    without_credentials(s, request, "2019-02-02").fails(
        RESOURCE_NOT_FOUND.from_front_end(), without=["x-ms-error-code"])


@check("A request of version {version} without credentials is {outcome}", BORDER,
       product(version=["2021-02-12", "2021-12-02", "2023-11-03", "2025-07-05"], outcome=["challenged"])
       + product(version=["2016-05-31", "2019-07-07", "2019-12-12", "2020-10-02"], outcome=["hidden"]),
       requests=1)
def border(s: Session, version, outcome):
    answer = without_credentials(s, ("GET", "/Tables"), version)
    if outcome == "challenged":
        answer.fails(NO_AUTHENTICATION, more={"WWW-Authenticate": CHALLENGE})
    else:
        answer.fails(RESOURCE_NOT_FOUND.from_front_end(), without=["x-ms-error-code"])
