"""Batches that succeed: each operation, sizes of change sets, Content-ID, keys, credentials."""
from __future__ import annotations

from typing import Any, Dict, List, Sequence

from conformance import (
    LEVELS,
    Batch,
    Change,
    Session,
    account_sas,
    check,
    deleted,
    doc,
    found,
    inferred,
    inserted,
    inserted_no_content,
    product,
    rec,
    rows,
    sorted_members,
    table_sas,
    typed,
    updated,
)
from conformance.errors import RESOURCE_NOT_FOUND
from conformance.expectations import ExpectedPart
from conformance.session import accept_of, level_of

PAGE = "learn.microsoft.com/rest/api/storageservices/performing-entity-group-transactions"
INSERT = rec("python/test_table_batch.test_batch_insert")
MANY_INSERTS = rec("python-hist/test_table_batch.test_batch_inserts@0965eb6")
INSERT_WITH_CONTENT = rec("python-hist/test_table_batch.test_batch_inserts@4dcd157")
PUT_WITH_PREFER = rec("cpp/TransactionUpdate-key")
PUT_WITH_ETAG = rec("python/test_table_batch.test_batch_update_if_match")
PATCH_WITH_ETAG = rec("go-2021/TestTableClient_Storage/TestBatchMixed")
DELETE = rec("cpp/TransactionDelete-key")
DELETE_WITH_PREFER = rec("go-legacy/TableBatchSuite/Test_BatchInsertThenDeleteDifferentBatches")
DELETE_WITH_ETAG = rec("python/test_table_batch.test_delete_batch_with_bad_kwarg")
ALL_KINDS = rec("java/TableAsyncClientTest.submitTransactionAllActions")
TOGETHER_WITH_CONTENT = rec("python-hist/test_table_batch.test_batch_all_operations_together@4bd007f")
ECHOED = rec("python-cosmosdb/test_table_batch.test_batch_all_operations_together_context_manager")
NOT_ECHOED = rec("python-hist/test_table_batch.test_batch_all_operations_together@8b6d5bd")
SAME = inferred("An operation in a change set is answered as alone, in the form of a part.")

ACCEPTS = (*LEVELS, "application/json")
NO_CONTENT = "return-no-content"
PREFERENCES = {"no Prefer": None, "return-content": "return-content", NO_CONTENT: NO_CONTENT}
WRITE_PREFERENCES = {"no Prefer": None, NO_CONTENT: NO_CONTENT}
WRITES = ("PUT", "PATCH", "MERGE")
LINE_ENDS = {"CRLF": "\r\n", "LF": "\n"}

OLD = {"b": "old", "d": 4}
# Neither in the order of names nor in its reverse.
NEW = {"b": 1, **typed("a", "Edm.Int64", "22"), "c": "ü \"x\""}


# --- what the checks of batches share -------------------------------------------------------------


def operation(s: Session, method: str, row: str = "r", **more: Any) -> Change:
    """Returns an operation on a row of this check."""
    if method == "POST":
        return Change("POST", f"/{s.table}", {**s.keys(row), **NEW}, **more)
    return Change(method, s.entity_url(row), NEW if method in WRITES else None, **more)


def answer_to(s: Session, change: Change, row: str = "r", content_id: str | None = None) -> ExpectedPart:
    """Returns the part that answers an operation that succeeds."""
    if change.method == "DELETE":
        return deleted(content_id)
    if change.method != "POST":
        return updated(content_id, change.prefer)
    if change.prefer == NO_CONTENT:
        return inserted_no_content(s.location(row), content_id)
    level = level_of((change.accept or "").rpartition("=")[2])
    return inserted(s.location(row), s.document(NEW, level, row), level, content_id, change.prefer)


def stored(method: str, existed: bool = False) -> Dict[str, Any]:
    """Returns the members of an entity after one operation, which found none, or OLD."""
    if method == "POST":
        return NEW
    return sorted_members({**OLD, **NEW} if existed and method != "PUT" else NEW)


def the_partition_holds(s: Session, rows: Dict[str, Dict[str, Any]]) -> None:
    """Judges the entities of this check: their members by row."""
    items = [s.documents.entity_item(s.table, s.pk, row, members, "minimalmetadata")
             for row, members in sorted(rows.items())]
    s.get(f"/{s.table}()", query={"$filter": f"PartitionKey eq '{s.pk}'"}).is_(
        200, s.documents.entities(s.table, items))


# --- one operation --------------------------------------------------------------------------------


@check("A change set inserts an entity: {prefer}, Accept {accept}, {end}",
       lambda prefer, accept, end: INSERT if prefer == NO_CONTENT else
       INSERT_WITH_CONTENT if not prefer and accept in LEVELS else SAME,
       product(prefer=PREFERENCES, accept=ACCEPTS, end={"CRLF": "\r\n"})
       + product(prefer=PREFERENCES, accept=["minimalmetadata"], end={"LF": "\n"}))
def insert(s: Session, prefer, accept, end):
    change = operation(s, "POST", prefer=prefer, accept=accept_of(accept))
    answer = s.batch(Batch([change], line_end=end)).has([answer_to(s, change)])
    s.get(s.entity_url()).is_(200, s.document(NEW, etag=answer.parts[0].etag))


LIKE_PUT = inferred("PUT in a change set and MERGE alone repeat the preference.")


def evidence_of_write(method, state, prefer, **_):
    if prefer:
        return PUT_WITH_PREFER if method == "PUT" else LIKE_PUT
    if state == (True, "its ETag"):
        return {"PUT": PUT_WITH_ETAG, "PATCH": PATCH_WITH_ETAG}.get(method, SAME)
    return ALL_KINDS if method != "PATCH" else rec("go/TestBatchComplex/TestBatchComplex_storage")


STATES = {"makes an entity": (False, None), "changes an entity": (True, None),
          "changes an entity by If-Match *": (True, "*"), "changes an entity by its ETag": (True, "its ETag")}


@check("{method} in a change set {state}: {prefer}, {end}", evidence_of_write,
       product(method=WRITES, state=STATES, prefer=WRITE_PREFERENCES, end={"CRLF": "\r\n"})
       + product(method=WRITES, state=STATES, prefer={"no Prefer": None}, end={"LF": "\n"}), requests=3)
def write(s: Session, method, state, prefer, end):
    existed, match = state
    old = s.given(OLD) if existed else None
    change = operation(s, method, if_match=old if match == "its ETag" else match, prefer=prefer)
    answer = s.batch(Batch([change], line_end=end)).has([answer_to(s, change)])
    s.holds("each write gives another ETag", answer.parts[0].etag != old, old)
    s.get(s.entity_url()).is_(200, s.document(stored(method, existed), etag=answer.parts[0].etag))


@check("{method} in a change set has an answer without Content-Type at Accept {accept}",
       inferred("An answer without a body does not depend on the level."),
       product(method=[*WRITES, "DELETE"],
               accept={"nometadata": accept_of("nometadata"), "fullmetadata": accept_of("fullmetadata"),
                       "none": None}))
def write_at_level(s: Session, method, accept):
    s.given(OLD)
    change = operation(s, method, accept=accept, if_match="*")
    s.batch(Batch([change])).has([answer_to(s, change)])


@check("DELETE in a change set removes an entity: If-Match {match}, {prefer}, {end}",
       lambda match, prefer, end: DELETE_WITH_PREFER if prefer == NO_CONTENT else SAME if prefer else
       DELETE if match == "*" else DELETE_WITH_ETAG,
       product(match=["*", "its ETag"], prefer=PREFERENCES, end=LINE_ENDS), requests=3)
def delete(s: Session, match, prefer, end):
    etag = s.given(OLD)
    change = operation(s, "DELETE", if_match="*" if match == "*" else etag, prefer=prefer)
    s.batch(Batch([change], line_end=end)).has([deleted()])
    s.get(s.entity_url()).fails(RESOURCE_NOT_FOUND)


# --- a query --------------------------------------------------------------------------------------

QUERY = doc(PAGE, "Note that a query operation is not permitted within a batch that contains insert, update, "
            "or delete operations; it must be submitted singly in the batch.")


@check("A batch of one GET finds an entity at Accept {accept}, {end}", QUERY,
       product(accept=ACCEPTS, end=LINE_ENDS))
def query_one(s: Session, accept, end):
    etag, level = s.given(NEW), level_of(accept)
    change = operation(s, "GET", accept=accept_of(accept))
    s.batch(Batch([change], line_end=end)).has(
        [found(s.document(NEW, level, etag=etag), level)], changeset=False)


@check("A batch of one GET is served by the secondary endpoint at {level}",
       inferred("The secondary endpoint serves reads, and a batch of one GET is a read."),
       product(level=["nometadata"]), needs=["secondary"])
def query_secondary(s: Session, level):
    s.given(NEW)
    s.wait_for_service(60)
    answer = s.batch(Batch([operation(s, "GET", accept=accept_of(level))]), secondary=True)
    answer.has([found(s.document(NEW, level), level)], changeset=False)


# --- several operations ---------------------------------------------------------------------------

SIZES = {"one operation": 1, "two operations": 2, "three operations": 3, "99 operations": 99,
         "100 operations": 100}
SIZE = doc(PAGE, "The transaction can include at most 100 entities, and its total payload may be no more "
           "than 4 MiB in size.")


@check("A change set of {size} is answered in their order: {method}, {prefer}",
       lambda size, method, prefer: SIZE if method != "POST" or size == 99 else
       MANY_INSERTS if prefer else INSERT_WITH_CONTENT,
       product(size=SIZES, method=["POST"], prefer=WRITE_PREFERENCES)
       + product(size=SIZES, method=["PUT", "MERGE"], prefer={"no Prefer": None}))
def sizes(s: Session, size, method, prefer):
    rows = [f"r{number:03}" for number in range(size)]
    changes = [operation(s, method, row, prefer=prefer) for row in rows]
    s.batch(Batch(changes)).has([answer_to(s, one, row) for one, row in zip(changes, rows)])
    the_partition_holds(s, {row: stored(method) for row in rows})


@check("A change set of {size} removes as many entities", SIZE, product(size=SIZES), requests=3)
def removes(s: Session, size):
    rows = [f"r{number:03}" for number in range(size)]
    s.batch(Batch([operation(s, "POST", row) for row in rows])).ok()
    s.batch(Batch([operation(s, "DELETE", row, if_match="*") for row in rows])).has([deleted()] * size)
    the_partition_holds(s, {})


# Method, and how it finds the row: (existed, If-Match).
KINDS = [("POST", (False, None)), ("PUT", (False, None)), ("MERGE", (True, None)), ("PATCH", (True, "*")),
         ("PUT", (True, "*")), ("DELETE", (True, "*")), ("PATCH", (False, None))]


def mixed(s: Session, kinds: Sequence[tuple]) -> List[Change]:
    """Prepares and returns operations of several kinds, on the rows 0, 1, ..."""
    changes = []
    for number, (method, (existed, match)) in enumerate(kinds):
        if existed:
            s.given(OLD, row=str(number))
        changes.append(operation(s, method, str(number), if_match=match))
    return changes


@check("A change set has seven kinds of operations, {method} {state} first",
       ALL_KINDS, [{"method": kind[0], "state": "of an entity" if kind[1][0] else "of none", "first": number}
                   for number, kind in enumerate(KINDS)], requests=7)
def all_kinds(s: Session, method, state, first):
    kinds = KINDS[first:] + KINDS[:first]
    changes = mixed(s, kinds)
    s.batch(Batch(changes)).has([answer_to(s, one, str(row)) for row, one in enumerate(changes)])
    the_partition_holds(s, {str(row): stored(method, state[0]) for row, (method, state) in enumerate(kinds)
                            if method != "DELETE"})


TOGETHER = [("POST PATCH DELETE", "no Prefer", TOGETHER_WITH_CONTENT),
            ("POST PATCH DELETE", NO_CONTENT, NOT_ECHOED),
            ("PATCH PUT DELETE", "no Prefer", rec("go-2021/TestTableClient_Storage/TestBatchComplex")),
            ("POST PATCH PUT DELETE", NO_CONTENT, PATCH_WITH_ETAG)]
ORDERS = {"in this order": 1, "in the reverse order": -1}


@check("{methods} stand in one change set {order}, inserts with {prefer}",
       each=[{**row, **order} for row in rows("methods prefer evidence", TOGETHER)
             for order in product(order=ORDERS)], requests=6)
def together(s: Session, methods, prefer, order):
    changes = []
    for method in methods.split()[::order]:
        row = str(len(changes))
        if method != "POST":
            s.given(OLD, row=row)
        changes.append(operation(s, method, row, if_match=None if method == "POST" else "*",
                                 prefer=PREFERENCES[prefer] if method == "POST" else None))
    s.batch(Batch(changes)).has([answer_to(s, one, str(row)) for row, one in enumerate(changes)])
    the_partition_holds(s, {str(row): stored(one.method, one.method != "POST")
                            for row, one in enumerate(changes) if one.method != "DELETE"})


@check("Inserts with {first} and with {second} stand in one change set", SAME,
       product(first=PREFERENCES, second=PREFERENCES))
def mixed_preferences(s: Session, first, second):
    changes = [operation(s, "POST", "a", prefer=first), operation(s, "POST", "b", prefer=second)]
    s.batch(Batch(changes)).has([answer_to(s, one, row) for one, row in zip(changes, "ab")])


@check("An insert at {first} and one at {second} stand in one change set", SAME,
       [row for row in product(first=LEVELS, second=LEVELS) if row["first"] != row["second"]])
def mixed_levels(s: Session, first, second):
    changes = [operation(s, "POST", "a", accept=accept_of(first)),
               operation(s, "POST", "b", accept=accept_of(second))]
    s.batch(Batch(changes)).has([answer_to(s, one, row) for one, row in zip(changes, "ab")])


@check("An empty change set is answered with an empty one: {end}, {ending} final --",
       rec("python-cosmosdb/test_table_entity.test_query_zero_entities"),
       product(end=LINE_ENDS, ending={"with": True, "without": False}), requests=1)
def empty(s: Session, end, ending):
    s.batch(Batch([], line_end=end, last_dashes=ending)).has([])


# --- Content-ID -----------------------------------------------------------------------------------

PLACES = {"the MIME part is not echoed": "part", "the request is echoed": "request"}


@check("Content-ID of {place}: {method}, {prefer}",
       lambda place, method, prefer: SAME if method == "POST" and not prefer and place == "request" else
       ECHOED if place == "request" else NOT_ECHOED,
       product(place=PLACES, method=["POST"], prefer=WRITE_PREFERENCES)
       + product(place=PLACES, method=[*WRITES, "DELETE"], prefer={"no Prefer": None}))
def content_id(s: Session, place, method, prefer):
    if method == "DELETE":
        s.given(OLD)
    change = operation(s, method, prefer=prefer, content_id="1", if_match="*" if method == "DELETE" else None)
    s.batch(Batch([change], content_id_in=place)).has(
        [answer_to(s, change, content_id="1" if place == "request" else None)])


@check("Content-IDs {ids} of {place}", lambda ids, place: ECHOED if place == "request" else NOT_ECHOED,
       product(ids={"0, 1, 2": "012", "1, 2, 3": "123", "3, 1, 2": "312"}, place=PLACES))
def content_ids(s: Session, ids, place):
    changes = [operation(s, "PUT", one, content_id=one) for one in ids]
    s.batch(Batch(changes, content_id_in=place)).has(
        [updated(one if place == "request" else None) for one in ids])


# --- keys ----------------------------------------------------------------------------------------

SPECIAL_KEYS = rec("python-assets/test_table_batch.batch_with_specialchar_partitionkey(first-7)@8a03a54")
KEYS = ["it's", "\"q\"_b", "a b", "+,$", "100%25", "ünï", "東京", "=&;"]


@check("A change set inserts an entity with the key {key}: {prefer}", SPECIAL_KEYS,
       product(key=KEYS, prefer=WRITE_PREFERENCES))
def key_of_insert(s: Session, key, prefer):
    change = operation(s, "POST", key, prefer=prefer)
    s.batch(Batch([change])).has([answer_to(s, change, key)])
    s.get(s.entity_url(key)).is_(200, s.document(NEW, row=key))


def with_doubled_quotes_encoded(url: str) -> str:
    return url.replace("''", "%27%27")


ENCODED = {"literal quotes": str, "encoded quotes inside the key": with_doubled_quotes_encoded}


@check("A change set finds the key {key} in a URL with {form}", SPECIAL_KEYS,
       product(key=["it's", "''", "\"q\"'_b", "'@*$!%"], form=ENCODED), requests=3)
def key_of_write(s: Session, key, form):
    s.given(OLD, row=key)
    change = Change("PATCH", form(s.entity_url(key)), NEW, if_match="*")
    s.batch(Batch([change])).has([updated()])
    s.get(s.entity_url(key)).is_(200, s.document(stored("PATCH", True), row=key))


# --- the outer request ----------------------------------------------------------------------------


@check("Accept {outer} of the batch does not matter, {inner} of the operation does",
       lambda outer, inner: INSERT_WITH_CONTENT if inner == "minimalmetadata" else SAME,
       product(outer={**{one: one for one in LEVELS}, "application/json": "application/json", "*/*": "*/*",
                      "none": None}, inner=["minimalmetadata"])
       + product(outer={"minimalmetadata": "minimalmetadata", "none": None},
                 inner=["nometadata", "fullmetadata"]))
def outer_accept(s: Session, outer, inner):
    change = operation(s, "POST", accept=accept_of(inner))
    s.batch(Batch([change]), accept=outer).has([answer_to(s, change)])


VERSIONS = {"2017-04-17": ECHOED, "2018-03-28": DELETE_WITH_PREFER, "2019-02-02": INSERT,
            "2020-12-06": ALL_KINDS, "2025-07-05": SPECIAL_KEYS}


@check("A batch has the version {version}", lambda version: VERSIONS[version], product(version=[*VERSIONS]))
def version_of_batch(s: Session, version):
    changes = [operation(s, "POST", "a", prefer=NO_CONTENT), operation(s, "PUT", "b")]
    s.batch(Batch(changes), version=version).has([answer_to(s, changes[0], "a"), updated()])


PERMISSIONS = [("POST", "none", "a"), ("PUT", "none", "au"), ("MERGE", "none", "au"), ("PUT", "*", "u"),
               ("PATCH", "*", "u"), ("DELETE", "*", "d"), ("GET", "none", "r")]
NEEDED = inferred("A SAS grants each operation of a batch as it grants it alone.")


@check("A SAS of the {scope} with sp={letters} allows {method} with If-Match {match} in a batch", NEEDED,
       [{"scope": scope, **row} for scope in ("account", "table")
        for row in rows("method match letters", PERMISSIONS)], needs=["key"])
def allowed_by_sas(s: Session, scope, method, match, letters):
    if method == "GET" or match == "*":
        s.given(OLD)
    sas = account_sas(letters, "o") if scope == "account" else table_sas(s.table, letters)
    change = operation(s, method, if_match="*" if match == "*" else None)
    expected = found(s.document(OLD)) if method == "GET" else answer_to(s, change)
    s.batch(Batch([change]), auth=sas).has([expected], changeset=method != "GET")
