"""ETags: If-Match on every write, values that are no ETags, If-None-Match, and what an ETag says."""
from __future__ import annotations

from typing import Any, Dict, List, Tuple
from urllib.parse import quote, unquote

from conformance import (
    LEVELS,
    OPTIONAL,
    Batch,
    Change,
    Session,
    check,
    deleted,
    doc,
    failed,
    inferred,
    issue,
    product,
    rec,
    rows,
    sorted_members,
    timestamp_of,
    updated,
)
from conformance.errors import (
    CONDITION_NOT_MET,
    ENTITY_ALREADY_EXISTS,
    INVALID_INPUT,
    RESOURCE_NOT_FOUND,
    TABLE_NOT_FOUND,
    UNREADABLE_BODY,
    UPDATE_CONDITION_NOT_SATISFIED,
    Refusal,
    not_an_etag,
)

WRITES = ("PUT", "PATCH", "MERGE")
CONDITIONAL = (*WRITES, "DELETE")
ANY_ACCEPTS = {**{one: one for one in (*LEVELS, "application/json")}, "*/*": "*/*", "none": None}
# Well-formed ETags of other times: long ago, and in the future.
OLD_ETAG = "W/\"datetime'2001-02-03T04%3A05%3A06.7Z'\""
FUTURE_ETAG = "W/\"datetime'2901-02-03T04%3A05%3A06.1234567Z'\""

OLD, NEW = {"b": 1, "a": "old"}, {"c": True, "b": 2}
ERRORS = "learn.microsoft.com/rest/api/storageservices/table-service-error-codes"
MATCHING = rec("go/TestDeleteEntityWithETag/TestDeleteEntityWithETag_storage")
UPDATE_MATCHING = rec("cpp/EntityUpdate-key")
UPSERT = rec("cpp/EntityUpsert-key")
OTHER = rec("python-hist/test_table_entity_async.test_update_entity_with_if_doesnt_match@6458d58")
OTHER_DELETE = rec("python-cosmosdb/test_table_entity.test_delete_entity_with_if_doesnt_match")
ABSENT = rec("go/TestMergeEntityDoesNotExist/TestMergeEntityDoesNotExist_storage")
ABSENT_TABLE = rec("python-assets/test_encoder.delete_entity_complex_keys@7807206")


def write(s: Session, method: str, path: str = "", **more: Any) -> Any:
    return s.send(method, path or s.entity_url(), None if method == "DELETE" else NEW, **more)


def after(method: str) -> Dict[str, Any]:
    """Returns the members of an entity that was OLD, after a write of NEW."""
    return sorted_members(NEW if method == "PUT" else {**OLD, **NEW})


def ticks(etag: str) -> Tuple[str, str]:
    """Returns the time of an ETag in a form that can be compared."""
    whole, _, fraction = timestamp_of(etag).rstrip("Z").partition(".")
    return whole, fraction.ljust(7, "0")


# --- If-Match -------------------------------------------------------------------------------------


@check("{method} of an entity succeeds with If-Match {value}",
       lambda method, value: MATCHING if method == "DELETE" else UPDATE_MATCHING if method == "PUT" else
       rec("cpp-assets/EntityMergeInsert-key@235dde9"),
       product(method=WRITES, value=["none"]) + product(method=CONDITIONAL, value=["*", "its ETag"]),
       requests=3)
def matching(s: Session, method, value):
    match = {"none": None, "*": "*", "its ETag": s.given(OLD)}[value]
    answer = write(s, method, if_match=match).is_(204)
    if method == "DELETE":
        s.get(s.entity_url()).fails(RESOURCE_NOT_FOUND)
    else:
        s.get(s.entity_url()).is_(200, s.document(after(method), etag=answer.etag))


OTHERS = {"an old ETag": OLD_ETAG, "a future ETag": FUTURE_ETAG}


@check("{method} of an entity with {value} changes nothing",
       lambda method, value: OTHER_DELETE if method == "DELETE" else OTHER,
       product(method=CONDITIONAL, value=OTHERS), requests=3)
def not_matching(s: Session, method, value):
    etag = s.given(OLD)
    write(s, method, if_match=value).fails(UPDATE_CONDITION_NOT_SATISFIED)
    s.get(s.entity_url()).is_(200, s.document(OLD, etag=etag))


@check("{method} with the ETag of another entity is refused", OTHER, product(method=CONDITIONAL), requests=3)
def of_another_entity(s: Session, method):
    s.given(OLD)
    other = s.given(OLD, row="other")
    write(s, method, if_match=other).fails(UPDATE_CONDITION_NOT_SATISFIED)


def shifted(etag: str) -> str:
    """Returns the ETag one tick before or after."""
    whole, fraction = ticks(etag)
    number = int(fraction) + (1 if fraction[-1] != "9" else -1)
    text = f"{number:07}".rstrip("0")
    return f"W/\"datetime'{quote(whole)}{'.' + text if text else ''}Z'\""


@check("{method} with an ETag of a tick away is refused", OTHER, product(method=CONDITIONAL), requests=3)
def a_tick_away(s: Session, method):
    etag = s.given(OLD)
    write(s, method, if_match=shifted(etag)).fails(UPDATE_CONDITION_NOT_SATISFIED)


@check("{method} makes an absent entity without If-Match", UPSERT, product(method=WRITES))
def makes(s: Session, method):
    answer = write(s, method).is_(204)
    s.get(s.entity_url()).is_(200, s.document(sorted_members(NEW), etag=answer.etag))


@check("{method} of an absent entity with {value} is refused", ABSENT,
       product(method=CONDITIONAL, value={"If-Match *": "*", "an old ETag": OLD_ETAG}))
def absent(s: Session, method, value):
    write(s, method, if_match=value).fails(RESOURCE_NOT_FOUND)
    s.get(s.entity_url()).fails(RESOURCE_NOT_FOUND)


@check("{method} at an absent table is refused with {value}", ABSENT_TABLE,
       product(method=WRITES, value={"no If-Match": None})
       + product(method=CONDITIONAL, value={"an old ETag": OLD_ETAG}), requests=1)
def absent_table(s: Session, method, value):
    write(s, method, s.entity_url(table=s.new_name("absent")), if_match=value).fails(TABLE_NOT_FOUND)


@check("An ETag is good for one write: {first}, then {second}", OTHER,
       product(first=WRITES, second=CONDITIONAL), requests=4)
def once(s: Session, first, second):
    etag = s.given(OLD)
    new = write(s, first, if_match=etag).is_(204).etag
    write(s, second, if_match=etag).fails(UPDATE_CONDITION_NOT_SATISFIED)
    write(s, second, if_match=new).is_(204)


@check("The ETag of a deleted entity does not match its successor: {method}", OTHER,
       product(method=CONDITIONAL), requests=4)
def of_a_deleted_entity(s: Session, method):
    old = s.given(OLD)
    s.delete(s.entity_url(), if_match=old).ok()
    new = s.given(OLD)
    s.holds("the successor has a later ETag", ticks(new) > ticks(old), (old, new))
    write(s, method, if_match=old).fails(UPDATE_CONDITION_NOT_SATISFIED)


def colons(etag: str) -> str:
    return unquote(etag)


def lower_hex(etag: str) -> str:
    return etag.replace("%3A", "%3a")


@check("{method} succeeds with the ETag in another encoding: {form}",
       inferred("ETags are compared as times, percent-decoded."),
       product(method=CONDITIONAL, form={"literal colons": colons, "lower hexadecimal digits": lower_hex}))
def encodings(s: Session, method, form):
    write(s, method, if_match=form(s.given(OLD))).is_(204)


@check("{method} with {value} is refused with literal colons",
       inferred("ETags are compared as times, percent-decoded."),
       product(method=["PUT", "DELETE"], value=OTHERS))
def other_in_another_encoding(s: Session, method, value):
    s.given(OLD)
    write(s, method, if_match=unquote(value)).fails(UPDATE_CONDITION_NOT_SATISFIED)


@check("{method} ignores an If-Match with {value}", inferred("An insert and a query have no condition."),
       product(method=["POST", "GET", "GET of all"], value={"*": "*", "an old ETag": OLD_ETAG}))
def ignored(s: Session, method, value):
    if method == "POST":
        s.insert(OLD, if_match=value).is_(201, s.document(OLD))
        return
    etag = s.given(OLD)
    if method == "GET":
        s.get(s.entity_url(), if_match=value).is_(200, s.document(OLD, etag=etag))
    else:
        item = s.documents.entity_item(s.table, s.pk, "r", OLD, "minimalmetadata", etag=etag)
        s.get(f"/{s.table}", query={"$filter": f"PartitionKey eq '{s.pk}'"}, if_match=value).is_(
            200, s.documents.entities(s.table, [item]))


# --- what is no ETag ------------------------------------------------------------------------------

NO_ETAG = rec("go-legacy/StorageEntitySuite/TestDelete")
NOT_OURS = rec("go-legacy/StorageEntitySuite/TestUpdate")
WEAK = issue("Azure/Azurite#1229", 'For W/"wrong" Azure returns 412.')
FORM = inferred("What is not of the form W/\"...\" is refused like a word, what is of the form is compared.")
SINGLE = doc(ERRORS, "The etag value '{0}' specified in one of the request headers is not valid. Please make "
             "sure only one etag value is specified and is valid.")
MALFORMED = [
    ("GolangRocks", not_an_etag("GolangRocks"), NO_ETAG),
    ('"0"', not_an_etag('"0"'), issue("Azure/azure-storage-net#904", 'A merge with "0" is a bad request.')),
    (OLD_ETAG[2:], not_an_etag(OLD_ETAG[2:]), FORM),  # a strong ETag
    (f"{OLD_ETAG}, {FUTURE_ETAG}", not_an_etag(f"{OLD_ETAG}, {FUTURE_ETAG}"), SINGLE),
    ("W/\"datetime''2001-02-03T04%3A05%3A06.7Z''\"", CONDITION_NOT_MET, NOT_OURS),
    ('W/"wrong"', CONDITION_NOT_MET, WEAK),
    ('W/"0x8D1234567890ABC"', CONDITION_NOT_MET, FORM),
    ("W/\"datetime'yesterday'\"", CONDITION_NOT_MET, FORM),
]
FIRST_OF_EACH_KIND = (MALFORMED[0], MALFORMED[4])


@check("{method} with If-Match {value} is refused",
       each=[{"method": method, **row} for method in CONDITIONAL
             for row in rows("value refusal evidence", MALFORMED)], requests=3)
def malformed(s: Session, method, value, refusal):
    etag = s.given(OLD)
    write(s, method, if_match=value).fails(refusal)
    s.get(s.entity_url()).is_(200, s.document(OLD, etag=etag))


@check("{method} with If-Match {value} is refused with {prefer} and Accept {accept}",
       each=[{"method": method, **row, **more} for method in ("PUT", "DELETE")
             for row in rows("value refusal evidence", FIRST_OF_EACH_KIND)
             for more in product(prefer={"no Prefer": None}, accept=ANY_ACCEPTS)
             + product(prefer={"return-no-content": "return-no-content"}, accept=["nometadata"])])
def malformed_at_level(s: Session, method, value, refusal, prefer, accept):
    s.given(OLD)
    write(s, method, if_match=value, prefer=prefer, accept=accept).fails(refusal)


@check("{method} of an absent entity with If-Match {value} is refused before it is looked up",
       inferred("The header is read before the operation begins."),
       [{"method": method, "value": value, "refusal": refusal} for method in CONDITIONAL
        for value, refusal, _ in FIRST_OF_EACH_KIND])
def malformed_and_absent(s: Session, method, value, refusal):
    write(s, method, if_match=value).fails(refusal)


# --- DELETE without If-Match ----------------------------------------------------------------------

MISSING = Refusal(400, "MissingRequiredHeader",
                  "An HTTP header that's mandatory for this request is not specified.")
REQUIRED = inferred("The documentation requires If-Match, and MissingRequiredHeader is its code for a header "
                    "that is missing.")


@check("DELETE without If-Match is refused at Accept {accept}", REQUIRED, product(accept=ANY_ACCEPTS),
       requests=3)
def delete_without(s: Session, accept):
    etag = s.given(OLD)
    s.delete(s.entity_url(), accept=accept).fails(MISSING, more={"Cache-Control": OPTIONAL})
    s.get(s.entity_url()).is_(200, s.document(OLD, etag=etag))


# --- If-None-Match --------------------------------------------------------------------------------


def not_for(method: str) -> Refusal:
    return INVALID_INPUT.saying(f"If-None-Match HTTP header cannot be specified for {method} operations.")


BOTH = INVALID_INPUT.saying("Both If-Match and If-None-Match HTTP headers cannot be specified at the same "
                            "time. Please specify either one of the headers or none of them.")
NONE_MATCH = {"*": "*", "an old ETag": OLD_ETAG}


@check("GET with If-None-Match and an old ETag finds the entity at {level}",
       rec("js/browsers/tableclient_createentity_getentity_and_delete/"
           "recording_should_createentity_with_primitive_int_and_float_without_automatic_type_conversion"),
       product(level=LEVELS))
def get_none_match(s: Session, level):
    etag = s.given(OLD)
    s.get(s.entity_url(), accept=level, headers={"If-None-Match": OLD_ETAG}).is_(
        200, s.document(OLD, level, etag=etag))


@check("{method} with If-None-Match {value} is refused: {state}, Accept {accept}",
       lambda method, **_: doc(ERRORS, not_for(method).message),
       product(method=["PUT", "DELETE"], value=NONE_MATCH, state={"an entity": True, "no entity": False},
               accept=["minimalmetadata"])
       + product(method=["PUT", "DELETE"], value={"*": "*"}, state={"an entity": True}, accept=["*/*"]))
def none_match(s: Session, method, value, state, accept):
    if state:
        s.given(OLD)
    write(s, method, headers={"If-None-Match": value}, accept=accept).fails(not_for(method))


@check("{method} with If-Match {match} and If-None-Match {value} is refused", doc(ERRORS, BOTH.message),
       product(method=CONDITIONAL, match=["*", "its ETag"], value={"*": "*"}))
def both(s: Session, method, match, value):
    etag = s.given(OLD)
    write(s, method, if_match="*" if match == "*" else etag, headers={"If-None-Match": value}).fails(BOTH)


# --- what an ETag says ----------------------------------------------------------------------------


def written(s: Session, method: str) -> Tuple[str, Dict[str, Any]]:
    """Writes an entity. Returns its ETag and its members."""
    if method == "batch":
        return s.batch(Batch([Change("PUT", s.entity_url(), NEW)])).ok().parts[0].etag, sorted_members(NEW)
    path = f"/{s.table}" if method == "POST" else s.entity_url()
    answer = s.send(method, path, {**s.keys(), **NEW}).ok()
    return answer.etag, NEW if method == "POST" else sorted_members(NEW)


WRITERS = {**{method: method for method in ("POST", *WRITES)}, "a batch": "batch"}


@check("The ETag of {method} is that of a later {reading} at {level}",
       lambda method, **_: rec("cpp/EntityQuery-key") if method == "POST" else UPSERT,
       product(method=WRITERS, reading=["GET"], level=["minimalmetadata", "nometadata"])
       + product(method=WRITERS, reading=["query"], level=["fullmetadata"]))
def read_back(s: Session, method, reading, level):
    etag, members = written(s, method)
    if reading == "GET":
        answer = s.get(s.entity_url(), accept=level).is_(200, s.document(members, level, etag=etag))
        s.holds("the header is the ETag of the write", answer.etag == etag, f"{answer.etag} and {etag}")
        return
    item = s.documents.entity_item(s.table, s.pk, "r", members, level, etag=etag)
    s.get(f"/{s.table}", query={"$filter": f"PartitionKey eq '{s.pk}'"}, accept=level).is_(
        200, s.documents.entities(s.table, [item], level))


GROWS = inferred("Each successful write has a time of its own, later than that of the version before.")


def all_grow(s: Session, etags: List[str]) -> None:
    s.holds("each ETag is later than the one before",
            all(ticks(one) < ticks(next_one) for one, next_one in zip(etags, etags[1:])), ", ".join(etags))


@check("Ten writes give ten growing ETags: {method}, If-Match {match}", GROWS,
       product(method=WRITES, match=["none", "*", "the last ETag"]), requests=11)
def growing(s: Session, method, match):
    etags = [s.given(OLD)]
    for number in range(10):
        value = {"none": None, "*": "*", "the last ETag": etags[-1]}[match]
        etags.append(s.send(method, s.entity_url(), {"n": number}, if_match=value).is_(204).etag)
    all_grow(s, etags)


@check("Writes of the same content by {method} give growing ETags", GROWS, product(method=WRITES), requests=4)
def growing_without_change(s: Session, method):
    etags = [s.given(NEW)]
    for _ in range(3):
        etags.append(write(s, method).is_(204).etag)
    all_grow(s, etags)


@check("Batches give growing ETags", GROWS, requests=6)
def growing_in_batches(s: Session):
    etags = [s.given(OLD)]
    for method in (*WRITES, *WRITES):
        change = Change(method, s.entity_url(), NEW, if_match=etags[-1])
        etags.append(s.batch(Batch([change])).has([updated()]).parts[0].etag)
    all_grow(s, etags)


@check("Forty ETags have no zeros at the end of their times", rec("cpp/TransactionDelete-key"), requests=40)
def no_trailing_zeros(s: Session):
    for number in range(40):
        s.put(s.entity_url(str(number)), NEW).is_(204)


FAILURES = {
    "an insert": ("POST", OLD, None, ENTITY_ALREADY_EXISTS),
    "another ETag": ("PUT", NEW, OLD_ETAG, UPDATE_CONDITION_NOT_SATISFIED),
    "a bad value": ("PUT", {"n": "x", "n@odata.type": "Edm.Int64"}, "*", UNREADABLE_BODY),
}


@check("A write that is refused for {what} leaves the ETag", OTHER, product(what=FAILURES), requests=3)
def unchanged(s: Session, what):
    method, members, match, refusal = what
    etag = s.given(OLD)
    path = f"/{s.table}" if method == "POST" else s.entity_url()
    s.send(method, path, {**s.keys(), **members}, if_match=match).fails(refusal)
    s.get(s.entity_url()).is_(200, s.document(OLD, etag=etag))


# --- in batches -----------------------------------------------------------------------------------

BATCH = rec("python/test_table_batch.test_batch_update_if_match")
BATCH_OTHER = rec("python/test_table_batch.test_batch_single_op_if_doesnt_match")


def change_of(s: Session, method: str, etag: str, row: str = "r") -> Change:
    return Change(method, s.entity_url(row), None if method == "DELETE" else NEW, if_match=etag)


@check("{method} in a batch takes the ETag {form}", BATCH,
       product(method=CONDITIONAL, form={"as it came": str, "with literal colons": colons}), requests=3)
def in_batch(s: Session, method, form):
    etag = form(s.given(OLD))
    s.batch(Batch([change_of(s, method, etag)])).has([deleted() if method == "DELETE" else updated()])
    s.batch(Batch([change_of(s, method, etag)])).has(
        [failed(RESOURCE_NOT_FOUND if method == "DELETE" else UPDATE_CONDITION_NOT_SATISFIED, None)])


@check("One old ETag of two undoes a batch of {method}", BATCH_OTHER, product(method=CONDITIONAL), requests=5)
def one_of_two(s: Session, method):
    first = s.given(OLD, row="a")
    s.given(OLD, row="b")
    changes = [change_of(s, method, first, "a"), change_of(s, method, OLD_ETAG, "b")]
    s.batch(Batch(changes)).has([failed(UPDATE_CONDITION_NOT_SATISFIED, 1)])
    s.get(s.entity_url("a")).is_(200, s.document(OLD, row="a", etag=first))


@check("An ETag from a batch is good for {method} alone", BATCH, product(method=CONDITIONAL))
def from_batch(s: Session, method):
    etag = s.batch(Batch([Change("POST", f"/{s.table}", {**s.keys(), **OLD})])).ok().parts[0].etag
    write(s, method, if_match=etag).is_(204)
