"""Which headers an answer has: the sets of the service, by operation and outcome.

Each function returns the whole set of judged headers with their values. `usual_headers` picks the set from
the request and the status, so that most cases need to name none.
"""
from __future__ import annotations

import re
from typing import Dict, Union
from urllib.parse import unquote

from conformance.answers import Answer
from conformance.errors import Refusal
from conformance.kinds import resource_kind
from conformance.values import BATCH_BOUNDARY, ETAG, LENGTH, PRESENT, SENT_VERSION, Placeholder
from conformance.wire import Request

HeaderSet = Dict[str, Union[str, Placeholder]]

# Headers that are judged: an answer has those of its set, and no other of these. `Server` is not judged, nor
# is what a proxy may add.
JUDGED = ("Cache-Control", "Content-Length", "Content-Type", "DataServiceId", "Date", "ETag", "Location",
          "Preference-Applied", "Transfer-Encoding", "WWW-Authenticate", "X-Content-Type-Options",
          "x-ms-continuation-NextPartitionKey", "x-ms-continuation-NextRowKey",
          "x-ms-continuation-NextTableName",
          "x-ms-error-code", "x-ms-request-id", "x-ms-version")
# Judged in the topic `cors` alone: elsewhere they depend on the properties of the account.
JUDGED_FOR_CORS = ("Access-Control-Allow-Credentials", "Access-Control-Allow-Headers",
                   "Access-Control-Allow-Methods", "Access-Control-Allow-Origin",
                   "Access-Control-Expose-Headers", "Access-Control-Max-Age", "Vary")

COMMON: HeaderSet = {"x-ms-request-id": PRESENT, "x-ms-version": SENT_VERSION, "Date": PRESENT}
NOSNIFF: HeaderSet = {"X-Content-Type-Options": "nosniff"}
TABLE_LAYER: HeaderSet = {**COMMON, **NOSNIFF, "Cache-Control": "no-cache"}
EMPTY_BODY: HeaderSet = {"Content-Length": "0"}
CHUNKED: HeaderSet = {"Transfer-Encoding": "chunked"}
LEVELS = ("nometadata", "minimalmetadata", "fullmetadata")


def json_type(level: str) -> str:
    return f"application/json;odata={level};streaming=true;charset=utf-8"


def json_answer(level: str, **more: Union[str, Placeholder]) -> HeaderSet:
    """A JSON body of the table layer. `more`: by name, "_" for "-", as ETag=ETAG."""
    return {**TABLE_LAYER, **CHUNKED, "Content-Type": json_type(level), **named(more)}


def empty_answer(**more: Union[str, Placeholder]) -> HeaderSet:
    """An answer of the table layer without a body."""
    return {**TABLE_LAYER, **EMPTY_BODY, **named(more)}


def batch_answer() -> HeaderSet:
    return {**TABLE_LAYER, **CHUNKED, "Content-Type": BATCH_BOUNDARY}


def front_end_xml() -> HeaderSet:
    """Properties, stats and access policies that are read."""
    return {**COMMON, **CHUNKED, "Content-Type": "application/xml"}


def front_end_empty() -> HeaderSet:
    """Access policies that are set."""
    return {**COMMON, **EMPTY_BODY}


def as_sent(answer: Answer) -> HeaderSet:
    """Returns the headers of this very answer, for expectations of headers that no source shows."""
    return dict(answer.headers)


def named(more: Dict[str, Union[str, Placeholder]]) -> HeaderSet:
    return {name.replace("_", "-"): value for name, value in more.items()}


# --- picked from the request ----------------------------------------------------------------------


def wanted_format(request: Request) -> str:
    """Returns "nometadata", "minimalmetadata", "fullmetadata", or "xml" for the errors of other requests."""
    wanted = request.header("Accept") or ""
    asked = re.search(r"(?:^|&)(?:\$|%24)format=([^&]*)", request.query)
    if asked:
        wanted = unquote(asked[1])
    level = re.search(r"application/json(?:;odata=(\w+))?", wanted.replace(" ", ""))
    return (level[1] or "minimalmetadata") if level else "xml"


def is_batch(request: Request) -> bool:
    return resource_kind(request.target).endswith("batch") or request.path.lower().endswith("batch")


def preference(request: Request) -> HeaderSet:
    """Returns Preference-Applied where writes with a body repeat the preference of the request."""
    wanted = request.header("Prefer")
    applies = request.method in ("POST", "PUT", "PATCH", "MERGE") and not is_batch(request)
    return {"Preference-Applied": wanted} if wanted and applies else {}


def usual_headers(request: Request, status: int, base_path: str, location: str = "") -> HeaderSet:
    """Returns the set for an answer without an error. `location`: the URL of what POST makes."""
    kind = resource_kind(request.target, base_path)
    level = wanted_format(request)
    if kind in ("acl", "properties", "stats"):
        if request.method in ("GET", "HEAD"):
            return front_end_xml()
        return {**COMMON, **CHUNKED} if kind == "properties" else front_end_empty()
    if kind == "batch":
        return batch_answer()
    if request.method == "GET":
        return json_answer(level, **({"ETag": ETAG} if kind == "one entity" else {}))
    if request.method == "DELETE":
        return empty_answer()
    made: HeaderSet = {} if kind == "table set" else {"ETag": ETAG}
    if request.method == "POST":
        made["Location"] = location or PRESENT
        if status == 204:
            made["DataServiceId"] = made["Location"]
    answer = json_answer(level) if status == 201 else empty_answer()
    return {**answer, **made, **preference(request)}


def error_headers(request: Request, refusal: Refusal) -> HeaderSet:
    """Returns the set for a refusal, by the two sources of answers and by early and late errors."""
    level = wanted_format(request)
    if refusal.front_end:
        kind = "application/xml" if level == "xml" else "application/json"
        answer: HeaderSet = {**COMMON, "Content-Type": kind, "Content-Length": LENGTH,
                             "x-ms-error-code": refusal.code}
        if refusal.status == 401:
            answer["WWW-Authenticate"] = PRESENT
        return answer if refusal.version else {k: v for k, v in answer.items() if k != "x-ms-version"}
    kind = "application/xml;charset=utf-8" if level == "xml" else json_type(level)
    answer = {**COMMON, **NOSNIFF, **CHUNKED, "Content-Type": kind}
    if refusal.early:
        return answer
    return {**answer, "Cache-Control": "no-cache", **preference(request)}
