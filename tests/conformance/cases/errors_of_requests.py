"""Requests that are refused for their form: media types, methods, X-HTTP-Method."""
from __future__ import annotations

import re
from typing import Any, Optional

from conformance import (
    ETAG,
    LEVELS,
    OPTIONAL,
    Session,
    check,
    doc,
    empty_answer,
    inferred,
    product,
    rec,
    rows,
    shared_key,
)
from conformance.errors import (
    ATOM_NOT_SUPPORTED,
    MEDIA_TYPE_NOT_SUPPORTED,
    METHOD_NOT_ALLOWED,
    RESOURCE_NOT_FOUND,
    X_METHOD_COUNT,
    X_METHOD_VALUE,
    X_METHOD_WITHOUT_POST,
)
from conformance.session import Exchange

TOPIC = "errors"
ACCEPTS = (*LEVELS, "application/json")
PREFERENCES = {"no Prefer": None, "return-content": "return-content",
               "return-no-content": "return-no-content"}
CODES = "learn.microsoft.com/rest/api/storageservices/table-service-error-codes"

# --- media types ----------------------------------------------------------------------------------

UNSUPPORTED = inferred("All but JSON is refused, as a batch at a table is.")
MULTIPART = rec("python-assets/test_table_batch.test_client_with_url_ends_with_table_name@8a03a54")
ATOM = doc("learn.microsoft.com/rest/api/storageservices/query-tables",
           "application/atom+xml (versions prior to 2015-12-11 only)")
READS = {"a list of tables": "/Tables", "a table": "/Tables('{table}')", "a query": "/{table}()",
         "an entity": "/{table}(PartitionKey='{pk}',RowKey='r')"}


def read(s: Session, path: str, **more: Any) -> Exchange:
    s.given({"n": 1})
    return s.get(path.format(table=s.table, pk=s.pk), **more)


@check("GET of {what} does not answer Accept {accept}", UNSUPPORTED,
       product(what=READS, accept=["text/html", "text/plain", "image/png"]))
def unsupported_accept(s: Session, what, accept):
    read(s, what, accept=accept).fails(MEDIA_TYPE_NOT_SUPPORTED)


@check("GET of {what} does not answer in Atom: Accept {accept}", ATOM,
       product(what=READS, accept={"none": None, "application/atom+xml": "application/atom+xml"}))
def atom(s: Session, what, accept):
    read(s, what, accept=accept).fails(ATOM_NOT_SUPPORTED, more={"Cache-Control": OPTIONAL})


WRITES = {"POST of an entity": ("POST", "/{table}"), "POST of a table": ("POST", "/Tables"),
          "PUT": ("PUT", "/{table}(PartitionKey='{pk}',RowKey='r')"),
          "PATCH": ("PATCH", "/{table}(PartitionKey='{pk}',RowKey='r')"),
          "MERGE": ("MERGE", "/{table}(PartitionKey='{pk}',RowKey='r')")}


def written(s: Session, what: tuple, content_type: str, **more: Any) -> Exchange:
    method, path = what
    body = {"TableName": s.new_name()} if path == "/Tables" else s.keys()
    return s.send(method, path.format(table=s.table, pk=s.pk), body, content_type=content_type, **more)


@check("{what} does not take Content-Type {kind}",
       lambda kind, **_: MULTIPART if "multi" in kind else UNSUPPORTED,
       product(what=WRITES, kind=["text/plain", "application/xml", "multipart/mixed; boundary=b"]))
def unsupported_body(s: Session, what, kind):
    written(s, what, kind).fails(MEDIA_TYPE_NOT_SUPPORTED)


@check("{what} does not take Atom", ATOM, product(what=WRITES))
def atom_body(s: Session, what):
    written(s, what, "application/atom+xml").fails(ATOM_NOT_SUPPORTED, more={"Cache-Control": OPTIONAL})


@check("An unsupported Content-Type is refused at Accept {accept} with {prefer}", MULTIPART,
       product(accept=ACCEPTS, prefer=PREFERENCES))
def unsupported_formats(s: Session, accept, prefer):
    written(s, WRITES["POST of an entity"], "text/plain", accept=accept, prefer=prefer).fails(
        MEDIA_TYPE_NOT_SUPPORTED)


# --- methods --------------------------------------------------------------------------------------

NOT_ALLOWED = doc(CODES, "The requested method is not allowed on the specified resource.")
ENTITY = "/{table}(PartitionKey='{pk}',RowKey='r')"
# The methods that a resource does not have, and one that Allow must name.
METHODS = [(method, path, known) for path, known, methods in (
    ("/Tables", "GET", ["PUT", "PATCH", "MERGE", "DELETE"]),
    ("/Tables('{table}')", "DELETE", ["POST", "PUT", "PATCH", "MERGE"]),
    ("/{table}", "GET", ["PUT", "PATCH", "MERGE", "DELETE"]), (ENTITY, "PUT", ["POST"]),
    ("/$batch", "POST", ["GET", "PUT", "PATCH", "DELETE"])) for method in methods]


@check("{method} is not allowed at {path}, but {known}", NOT_ALLOWED, rows("method path known", METHODS))
def methods(s: Session, method, path, known):
    body = None if method in ("GET", "DELETE") else s.keys()
    answer = s.send(method, path.format(table=s.table, pk=s.pk), body, if_match="*")
    answer.fails(METHOD_NOT_ALLOWED, more={"Cache-Control": OPTIONAL})
    allow = re.split(r", *", answer.answer.header("Allow") or "")
    s.holds("Allow names the methods of the resource", known in allow and method not in allow, allow)


@check("A method that is not allowed is refused at Accept {accept}", NOT_ALLOWED, product(accept=ACCEPTS),
       requests=1)
def method_formats(s: Session, accept):
    s.put("/Tables", {}, accept=accept).fails(METHOD_NOT_ALLOWED, more={"Cache-Control": OPTIONAL})


# --- X-HTTP-Method --------------------------------------------------------------------------------

TUNNEL = inferred("The codes of X-HTTP-Method tell that a POST may carry another verb.")
MATCHES = {"none": None, "*": "*"}


def tunnelled(s: Session, verb: Any, match: Optional[str], method: str = "POST", **more: Any) -> Exchange:
    body = None if verb == "DELETE" else {"n": 2}
    return s.send(method, s.entity_url(), body, if_match=match, headers={"X-HTTP-Method": verb}, **more)


@check("POST with X-HTTP-Method {verb} is that verb: If-Match {match}", TUNNEL,
       product(verb=["PUT", "MERGE", "PATCH"], match=MATCHES) + product(verb=["DELETE"], match={"*": "*"}),
       requests=3)
def tunnel(s: Session, verb, match):
    s.given({"m": 1, "n": 1})
    answer = tunnelled(s, verb, match)
    if verb == "DELETE":
        answer.is_(204, headers=empty_answer())
        s.get(s.entity_url()).fails(RESOURCE_NOT_FOUND)
    else:
        answer.is_(204, headers=empty_answer(ETag=ETAG))
        members = {"n": 2} if verb == "PUT" else {"m": 1, "n": 2}
        s.get(s.entity_url()).is_(200, s.document(members, etag=answer.etag))


@check("Shared Key signs the verb POST of a request with X-HTTP-Method {verb}", TUNNEL,
       product(verb=["PUT", "MERGE"]), needs=["key"])
def tunnel_signed(s: Session, verb):
    tunnelled(s, verb, None, auth=shared_key).is_(204, headers=empty_answer(ETag=ETAG))


@check("X-HTTP-Method with {method} is refused", doc(CODES, X_METHOD_WITHOUT_POST.message),
       product(method=["PUT", "PATCH", "MERGE", "DELETE", "GET"]))
def without_post(s: Session, method):
    s.given({"n": 1})
    body = None if method in ("GET", "DELETE") else {"n": 2}
    s.send(method, s.entity_url(), body, if_match="*", headers={"X-HTTP-Method": "MERGE"}).fails(
        X_METHOD_WITHOUT_POST, more={"Cache-Control": OPTIONAL})
    s.get(s.entity_url()).is_(200, s.document({"n": 1}))


@check("X-HTTP-Method {verb} is refused", doc(CODES, X_METHOD_VALUE.message),
       product(verb=["GET", "POST", "OPTIONS", "UPSERT"]))
def unknown_verb(s: Session, verb):
    tunnelled(s, verb, None).fails(X_METHOD_VALUE, more={"Cache-Control": OPTIONAL})


@check("X-HTTP-Method twice is refused: {verbs}", doc(CODES, X_METHOD_COUNT.message),
       product(verbs={"PUT, MERGE": ["PUT", "MERGE"], "MERGE, MERGE": ["MERGE", "MERGE"]}))
def twice(s: Session, verbs):
    tunnelled(s, verbs, None).fails(X_METHOD_COUNT, more={"Cache-Control": OPTIONAL})
