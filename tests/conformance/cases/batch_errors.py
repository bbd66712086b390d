"""Batches that fail, by one part for the operation that failed or as a whole. Nothing is written."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Sequence

from cases.batches import (
    NO_CONTENT,
    OLD,
    PAGE,
    QUERY,
    WRITE_PREFERENCES,
    WRITES,
    operation,
    stored,
    the_partition_holds,
    updated,
)
from conformance import (
    LEVELS,
    Batch,
    Change,
    Session,
    account_sas,
    check,
    doc,
    failed,
    inferred,
    level_of,
    product,
    rec,
    rows,
    table_sas,
    typed,
    wrong_key,
)
from conformance.errors import (
    AUTHENTICATION_FAILED,
    AUTHORIZATION_FAILURE,
    CONDITION_NOT_MET,
    ENTITY_ALREADY_EXISTS,
    INVALID_INPUT,
    INVALID_RESOURCE_NAME,
    METHOD_NOT_ALLOWED,
    NAME_LENGTH,
    PERMISSION_MISMATCH,
    PROPERTIES_NEED_VALUE,
    PROPERTY_NAME_INVALID,
    PROPERTY_NAME_TOO_LONG,
    QUERY_SYNTAX,
    RESOURCE_NOT_FOUND,
    TABLE_NOT_FOUND,
    TOO_MANY_PROPERTIES,
    UNREADABLE_BODY,
    UPDATE_CONDITION_NOT_SATISFIED,
    Refusal,
    not_an_etag,
)
from conformance.session import accept_of

TOPIC = "batches"
ACCEPTS = (*LEVELS, "application/json")
OLD_ETAG = "W/\"datetime'2001-02-03T04%3A05%3A06.7Z'\""
SAME = inferred("An operation in a change set fails as alone, with its index before the message.")

DUPLICATE = Refusal(400, "InvalidDuplicateRow",
                    "The batch request contains multiple changes with same row key. An entity can appear "
                    "only once in a batch request.")
OTHER_PARTITION = Refusal(400, "CommandsInBatchActOnDifferentPartitions",
                          "All commands in a batch must operate on same entity group.")
TOO_MANY = INVALID_INPUT.as_late().saying(
    "The batch request operation exceeds the maximum 100 changes per change set.")

# The index of the operation that fails, and the number of operations.
POSITIONS = {"alone": (0, 1), "first of three": (0, 3), "second of three": (1, 3), "last of three": (2, 3)}
ENDS = {one: POSITIONS[one] for one in ("alone", "last of three")}


def among(s: Session, change: Change, position: Sequence[int]) -> Batch:
    """Returns a batch with the operation at its position among inserts that would succeed."""
    index, size = position
    changes = [operation(s, "POST", f"other{number}", prefer=NO_CONTENT) for number in range(size)]
    changes[index] = change
    return Batch(changes)


def body_for(method: str) -> Any:
    return None if method in ("DELETE", "GET") else {"n": 1}


# --- errors of execution --------------------------------------------------------------------------

# Method, whether the entity exists, If-Match, the refusal.
EXECUTED = [("POST", True, None, ENTITY_ALREADY_EXISTS),
            *((method, False, "*", RESOURCE_NOT_FOUND) for method in (*WRITES, "DELETE")),
            *((method, True, OLD_ETAG, UPDATE_CONDITION_NOT_SATISFIED) for method in (*WRITES, "DELETE"))]
CONFLICT = rec("go-assets/TestBatchError_storage_tc@a600075")
RECORDED = {
    ("DELETE", 404, "alone"): rec("python/test_table_batch.test_new_delete_nonexistent_entity"),
    ("DELETE", 404, "several"): rec("java/TableAsyncClientTest.submitTransactionWithFailingAction"),
    ("DELETE", 412, "alone"): rec("python/test_table_batch.test_delete_batch_with_bad_kwarg"),
    ("PATCH", 412, "alone"): rec("python/test_table_batch.test_batch_single_op_if_doesnt_match"),
    ("PUT", 412, "alone"): rec("python-cosmosdb/test_table_batch.test_batch_update_if_doesnt_match"),
    ("POST", 409, "several"): CONFLICT,
}


def evidence_of(method, refusal, position, **_):
    return RECORDED.get((method, refusal.status, "alone" if position[1] == 1 else "several"), SAME)


def executed_rows(**more: Any) -> List[Dict[str, Any]]:
    found = []
    for row in product(outcome=EXECUTED, **more):
        method, existed, match, refusal = row.pop("outcome")
        if method != "DELETE" or row["prefer"].label == "no Prefer":
            found.append({"method": method, "existed": existed, "match": match, "refusal": refusal, **row})
    return found


@check("{method} fails with {refusal} in a change set, {position}: {prefer}", evidence_of,
       executed_rows(position=POSITIONS, prefer=WRITE_PREFERENCES), requests=3)
def executed(s: Session, method, existed, match, refusal, position, prefer):
    if existed:
        s.given(OLD)
    change = operation(s, method, if_match=match, prefer=prefer)
    index = position[0] if position[1] > 1 else None  # no prefix where the only operation fails
    s.batch(among(s, change, position)).has([failed(refusal, index, prefer=prefer)])
    the_partition_holds(s, {"r": OLD} if existed else {})


@check("{method} fails with {refusal} in a change set at Accept {accept}",
       inferred("The error has the level that its operation asks for."),
       [{"method": method, "match": match, "refusal": refusal, "accept": accept}
        for method, _, match, refusal in (EXECUTED[0], EXECUTED[1], EXECUTED[-1]) for accept in ACCEPTS])
def executed_at_level(s: Session, method, match, refusal, accept):
    if refusal is not RESOURCE_NOT_FOUND:
        s.given(OLD)
    change = operation(s, method, if_match=match, accept=accept_of(accept))
    s.batch(among(s, change, (1, 2))).has([failed(refusal, 1, level_of(accept))])


@check("Content-ID of {place} in an error, {position}",
       rec("python-cosmosdb/test_table_batch.test_batch_update_if_doesnt_match"),
       product(place={"the MIME part is not echoed": "part", "the request is echoed": "request"},
               position=POSITIONS))
def content_id(s: Session, place, position):
    s.given(OLD)
    batch = among(s, operation(s, "PUT", if_match=OLD_ETAG), position)
    for number, change in enumerate(batch.changes):
        change.content_id = str(7 + number)
    batch.content_id_in = place
    index, echoed = position[0], str(7 + position[0]) if place == "request" else None
    s.batch(batch).has([failed(UPDATE_CONDITION_NOT_SATISFIED, index if position[1] > 1 else None,
                               content_id=echoed)])


# --- errors of preparation ------------------------------------------------------------------------

Make = Callable[[Session], Change]


def insert_of(members: Dict[str, Any]) -> Make:
    return lambda s: Change("POST", f"/{s.table}", {**s.keys(), **members})


def put_with(match: str) -> Make:
    return lambda s: Change("PUT", s.entity_url(), {"n": 1}, if_match=match)


def put_at(row: str) -> Make:
    return lambda s: Change("PUT", s.entity_url().replace("RowKey='r'", f"RowKey='{row}'"), {"n": 1})


SDK = inferred("The tests of the libraries for .NET expect this of the service, alone and in batches.")
PREPARED = {
    "no RowKey": (lambda s: Change("POST", f"/{s.table}", {"PartitionKey": s.pk}), PROPERTIES_NEED_VALUE),
    "no PartitionKey": (lambda s: Change("POST", f"/{s.table}", {"RowKey": "r"}), PROPERTIES_NEED_VALUE),
    "a name of 256 characters": (insert_of({"x" * 256: 1}), PROPERTY_NAME_TOO_LONG),
    "253 properties": (insert_of({f"p{number}": 1 for number in range(253)}), TOO_MANY_PROPERTIES),
    "a bad name": (insert_of({"a-b": 1}), PROPERTY_NAME_INVALID),
    "a value that is no Int64": (insert_of(typed("n", "Edm.Int64", "9223372036854775808")), UNREADABLE_BODY),
    "broken JSON": (lambda s: Change("POST", f"/{s.table}", "{\"PartitionKey\":"), UNREADABLE_BODY),
    "an ETag that is none": (put_with("GolangRocks"), not_an_etag("GolangRocks")),
    "an ETag of another service": (put_with('W/"wrong"'), CONDITION_NOT_MET),
    "an encoded / in a key of the URL": (put_at("a%2Fb"), QUERY_SYNTAX, SDK),
}


@check("An operation with {what} is refused in a change set, {position}: {prefer}",
       lambda what, **_: what[2] if len(what) > 2 else SAME,
       product(what=PREPARED, position={"alone": (0, 1)}, prefer={"no Prefer": None})
       + product(what=PREPARED, position={"last of three": (2, 3)}, prefer={NO_CONTENT: NO_CONTENT}))
def prepared(s: Session, what, position, prefer):
    change, refusal = what[0](s), what[1]
    change.prefer = prefer
    s.batch(among(s, change, position)).has([failed(refusal, position[0], prefer=prefer)])
    the_partition_holds(s, {})


# --- the rules of a transaction -------------------------------------------------------------------

ONCE = rec("go-assets/TestBatchErrorHandleResponse_storage_tc@a600075")


@check("Row {first} of {size} appears again as row {second}: {prefer}", ONCE,
       [{**row, **more} for row in rows("first second size", [(0, 1, 2), (0, 2, 3), (1, 2, 3), (0, 3, 4),
                                                              (1, 3, 4), (0, 99, 100), (98, 99, 100)])
        for more in product(prefer=WRITE_PREFERENCES)])
def duplicate(s: Session, first, second, size, prefer):
    names = [f"r{number}" for number in range(size)]
    names[second] = names[first]
    changes = [operation(s, "POST", row, prefer=prefer) for row in names]
    s.batch(Batch(changes)).has([failed(DUPLICATE, second, prefer=prefer)])
    the_partition_holds(s, {})


@check("{first} and {second} of one row are refused",
       lambda first, second: rec("python-assets/test_table_batch.batch_same_row_operations_fail@8a03a54")
       if (first, second) == ("PATCH", "PUT") else
       doc(PAGE, "An entity can appear only once in the transaction, and only one operation may be performed "
           "against it."),
       rows("first second", [("PATCH", "PUT"), ("PUT", "PUT"), ("POST", "DELETE"), ("DELETE", "POST"),
                             ("MERGE", "PATCH"), ("DELETE", "DELETE"), ("POST", "MERGE")]))
def duplicate_kinds(s: Session, first, second):
    etag = s.given(OLD)
    changes = [operation(s, method, if_match=None if method == "POST" else "*") for method in (first, second)]
    s.batch(Batch(changes)).has([failed(DUPLICATE, 1)])
    s.get(s.entity_url()).is_(200, s.document(OLD, etag=etag))


@check("Rows that differ only in case stand in one change set", doc(
    "learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model",
    "The row key is a unique identifier for an entity within a given partition."))
def rows_in_another_case(s: Session):
    s.batch(Batch([operation(s, "PUT", "a"), operation(s, "PUT", "A")])).has([updated(), updated()])
    the_partition_holds(s, {"a": stored("PUT"), "A": stored("PUT")})


def elsewhere(s: Session, method: str, partition: str, row: str, prefer: str | None) -> Change:
    if method == "POST":
        return Change("POST", f"/{s.table}", s.keys(row, partition), prefer=prefer)
    return Change(method, s.entity_url(row, partition), body_for(method), prefer=prefer, if_match="*")


PARTITIONS = rec("python-hist/test_table_batch.test_batch_different_partition_keys@755b40b")


@check("{method} in another partition is refused as number {index}: {prefer}", PARTITIONS,
       product(method=["POST"], index=[1, 2, 99], prefer=WRITE_PREFERENCES)
       + product(method=[*WRITES, "DELETE"], index=[1], prefer={"no Prefer": None}))
def other_partition(s: Session, method, index, prefer):
    changes = [operation(s, "POST", f"r{number}", prefer=prefer) for number in range(index)]
    changes.append(elsewhere(s, method, f"{s.pk}x", "r", prefer))
    s.batch(Batch(changes)).has([failed(OTHER_PARTITION, index, prefer=prefer)])
    the_partition_holds(s, {})


@check("A PartitionKey in another case is another partition",
       doc(PAGE, "All entities subject to operations as part of the transaction must have the same "
           "PartitionKey value."))
def partition_in_another_case(s: Session):
    changes = [operation(s, "POST", "a"), elsewhere(s, "POST", s.pk.upper(), "b", None)]
    s.batch(Batch(changes)).has([failed(OTHER_PARTITION, 1)])


@check("{method} in another table is refused",
       inferred("A transaction has one table, as it has one partition."), product(method=["POST", "PUT"]),
       requests=3)
def other_table(s: Session, method):
    table = s.new_table()
    path = f"/{table}" if method == "POST" else s.entity_url("b", table=table)
    changes = [operation(s, "POST", "a"), Change(method, path, s.keys("b"))]
    s.batch(Batch(changes)).has([failed(OTHER_PARTITION, 1)])
    the_partition_holds(s, {})


@check("A change set of {size} operations is refused: {method}, {prefer}",
       lambda size, **_: rec("python/test_table_batch.test_batch_too_many_ops") if size == 101 else
       doc(PAGE, "The Table service supports a maximum of 100 operations in a change set."),
       product(size=[101, 102], method=["POST", "MERGE"], prefer=WRITE_PREFERENCES))
def too_many(s: Session, size, method, prefer):
    changes = [operation(s, method, f"r{number}", prefer=prefer) for number in range(size)]
    s.batch(Batch(changes)).has([failed(TOO_MANY, 99, prefer=prefer)])
    the_partition_holds(s, {})


# --- tables ---------------------------------------------------------------------------------------

ABSENT = rec("js/browsers/handle_suberror/recording_should_handle_sub_request_error")


@check("{method} at an absent table is refused in a change set of {size}: {prefer}", ABSENT,
       product(method=["POST"], size=[1, 3], prefer=WRITE_PREFERENCES)
       + product(method=[*WRITES, "DELETE"], size=[1, 3], prefer={"no Prefer": None}), requests=1)
def absent_table(s: Session, method, size, prefer):
    table = s.new_name("absent")
    match = "*" if method == "DELETE" else None
    changes = [Change("POST", f"/{table}", s.keys(str(row)), prefer=prefer) if method == "POST" else
               Change(method, s.entity_url(str(row), table=table), body_for(method), prefer, match)
               for row in range(size)]
    s.batch(Batch(changes)).has([failed(TABLE_NOT_FOUND, 0)])


@check("A missing table is noticed before operation {bad} of three, which is refused: {what}",
       inferred("The index of a missing table is 0, and the table is looked up before an entity is judged."),
       product(bad=[0, 1, 2], what={"no RowKey": {"PartitionKey": "p"}, "an object": {"V": {}}}), requests=1)
def absent_table_first(s: Session, bad, what):
    table = s.new_name("absent")
    bodies = [s.keys(str(row)) for row in range(3)]
    bodies[bad] = what if "PartitionKey" in what else {**bodies[bad], **what}
    changes = [Change("POST", f"/{table}", body, prefer="return-no-content") for body in bodies]
    s.batch(Batch(changes)).has([failed(TABLE_NOT_FOUND, 0)])


RECORDED_NAMES = rec("python-assets/test_table_client.test_table_name_errors@4f55d47")
NAMES = {"1table": INVALID_RESOURCE_NAME, "my_table": INVALID_RESOURCE_NAME, "a": NAME_LENGTH,
         "aa": NAME_LENGTH, "a" * 64: NAME_LENGTH, "a%2F%2F": NAME_LENGTH}


@check("{method} at the impossible table {name} is refused in a change set: {prefer}",
       lambda method, **_: RECORDED_NAMES if method == "PATCH" else SAME,
       [{"name": name, "refusal": refusal.as_early(), **more} for name, refusal in NAMES.items()
        for more in product(method=["PATCH"], prefer=WRITE_PREFERENCES)
        + product(method=["POST"], prefer={"no Prefer": None})], requests=1)
def impossible_table(s: Session, method, name, refusal, prefer):
    path = f"/{name}" + ("" if method == "POST" else "(PartitionKey='a',RowKey='b')")
    s.batch(Batch([Change(method, path, s.keys(), prefer=prefer)])).has([failed(refusal, 0)])


@check("An insert at the service itself is refused in a change set: {prefer}",
       inferred("A URL without a table names the service, which has no inserts."),
       product(prefer=WRITE_PREFERENCES), requests=1)
def bare_host(s: Session, prefer):
    s.batch(Batch([Change("POST", "", s.keys(), prefer=prefer)])).has([failed(METHOD_NOT_ALLOWED, 0)])


# --- queries --------------------------------------------------------------------------------------

INDEXED = inferred("The only operation of a query has the index 0, and its error is that of a query alone.")


@check("A query in a batch fails: {what}, Accept {accept}", INDEXED,
       product(what={"no entity": RESOURCE_NOT_FOUND, "no table": TABLE_NOT_FOUND,
                     "an encoded / in a key": QUERY_SYNTAX}, accept=ACCEPTS), requests=1)
def query_fails(s: Session, what, accept):
    table = s.new_name("absent") if what is TABLE_NOT_FOUND else s.table
    url = s.entity_url("a/b" if what is QUERY_SYNTAX else "r", table=table)
    s.batch(Batch([Change("GET", url, accept=accept_of(accept))])).has(
        [failed(what, 0, level_of(accept))], changeset=False)


# --- batches that are bad as a whole --------------------------------------------------------------


def two_change_sets(s: Session) -> str:
    first, second = (Batch([operation(s, "PUT", row)], inner_boundary=f"c{row}").render(s.account.primary)
                     for row in "ab")
    return first.replace("--batch_a1--\r\n", "") + second


def query_beside_changes(s: Session) -> str:
    changes = Batch([operation(s, "PUT", "a")]).render(s.account.primary)
    return changes.replace("--batch_a1--\r\n", "") + Batch([operation(s, "GET")]).render(s.account.primary)


def text_of(*methods: str, **options: Any) -> Callable[[Session], str]:
    return lambda s: Batch([operation(s, method, str(row)) for row, method in enumerate(methods)],
                           **options).render(s.account.primary)


ONE_SET = doc(PAGE, "If a batch includes more than one change set, the first change set will be processed by "
              "the service, and additional change sets will be rejected with status code 400 (Bad Request).")
NOT_MULTIPART = inferred("What is not a batch is an input that is not valid.")
BOUNDED = "multipart/mixed; boundary=batch_a1"
BAD = {
    "two change sets": (two_change_sets, BOUNDED, ONE_SET),
    "a query beside a change set": (query_beside_changes, BOUNDED, QUERY),
    "a query in a change set": (text_of("GET", changeset=True), BOUNDED, QUERY),
    "an insert and a query in a change set": (text_of("POST", "GET"), BOUNDED, QUERY),
    "two queries": (text_of("GET", "GET", changeset=False), BOUNDED, QUERY),
    "an insert without a change set": (text_of("POST", changeset=False), BOUNDED, NOT_MULTIPART),
    "an unknown method": (text_of("FETCH"), BOUNDED, NOT_MULTIPART),
    "no boundary": (text_of("PUT"), "multipart/mixed", NOT_MULTIPART),
    "another boundary": (text_of("PUT"), "multipart/mixed; boundary=other", NOT_MULTIPART),
    "an empty body": (lambda s: "", BOUNDED, NOT_MULTIPART),
    "no multipart body": (lambda s: "{}", BOUNDED, NOT_MULTIPART),
}


@check("A batch is refused that has {what}: Accept {accept}", lambda what, accept: what[2],
       product(what=BAD, accept={"minimalmetadata": "minimalmetadata", "*/*": "*/*"}), requests=1)
def bad(s: Session, what, accept):
    s.batch(what[0](s), content_type=what[1], accept=accept).fails(INVALID_INPUT)
    if what[2] is not ONE_SET:
        the_partition_holds(s, {})


@check("A batch that is signed with another key is refused at Accept {accept}",
       rec("python/test_table_batch_async.test_new_invalid_key"),
       product(accept={"minimalmetadata": "minimalmetadata", "application/json": "application/json",
                       "none": None}), needs=["key"])
def not_signed(s: Session, accept):
    s.batch(Batch([operation(s, "POST")]), accept=accept, auth=wrong_key).fails(AUTHENTICATION_FAILED)
    the_partition_holds(s, {})


# --- what a SAS does not allow --------------------------------------------------------------------

REFUSED_PART = inferred("The first operation that a SAS does not grant is refused in its part.")

# What a SAS grants, and an operation that needs more.
NOT_GRANTED = [("ard", "PUT", "none"), ("ard", "MERGE", "none"), ("ard", "PATCH", "*"),
               ("aru", "DELETE", "*")]
GRANTS = [("rud", "POST", "none", "alone"), ("aud", "GET", "none", "alone"),
          *((*row, place) for place in ENDS for row in NOT_GRANTED)]


@check("A SAS of the {scope} with sp={letters} refuses {method}, If-Match {match}, in a batch, {place}",
       REFUSED_PART,
       [{"scope": scope, **row} for scope, grants in (("account", GRANTS), ("table", GRANTS[:6]))
        for row in rows("letters method match place", grants)], needs=["key"])
def refused_by_sas(s: Session, scope, letters, method, match, place):
    sas = account_sas(letters, "o") if scope == "account" else table_sas(s.table, letters)
    batch = among(s, operation(s, method, if_match="*" if match == "*" else None), POSITIONS[place])
    refused = failed(PERMISSION_MISMATCH, POSITIONS[place][0])
    s.batch(batch, auth=sas).has([refused], changeset=method != "GET")
    the_partition_holds(s, {})


@check("A row beyond the rows of a SAS is refused in a change set: {rows_of}", REFUSED_PART,
       product(rows_of={"below": ("n", "a"), "above": ("n", "x")}), needs=["key"])
def beyond_rows(s: Session, rows_of):
    sas = table_sas(s.table, "raud", first_partition=s.pk, first_row="m", last_partition=s.pk, last_row="p")
    s.batch(Batch([operation(s, "POST", row) for row in rows_of]), auth=sas).has(
        [failed(AUTHORIZATION_FAILURE, 1)])
    the_partition_holds(s, {})
