"""Properties of the eight types: annotations, metadata levels, null, keys, Timestamp, names."""
from __future__ import annotations

from conformance import (
    LEVELS,
    OPTIONAL,
    Batch,
    Change,
    Session,
    check,
    doc,
    inferred,
    inserted,
    product,
    rec,
    rows,
    sorted_members,
    typed,
    updated,
)
from conformance.errors import DUPLICATE_PROPERTIES, INVALID_INPUT, PROPERTY_NAME_INVALID

MODEL = "learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model"
CODES = "learn.microsoft.com/rest/api/storageservices/table-service-error-codes"
TUPLES = rec("python-2024/test_encoder.create_entity_tuples")
ATYPICAL = rec("python-2024/test_encoder.create_entity_atypical_values")
TUPLES_BEHIND = rec("python-assets/test_encoder.create_entity_tuples@43b65cc")
RAW = rec("python-assets/test_encoder.create_entity_raw@0526594")
BASIC = rec("python-assets/test_encoder.create_entity_basic@0526594")
UPSERT_RAW = rec("python-assets/test_encoder.upsert_entity_raw@7807206")
UPSERT_BEFORE = rec("python-assets/test_encoder.update_entity_atypical_values(middle-13)@0526594")
MERGE = rec("python-cosmosdb/test_table_entity.test_insert_or_merge_entity_with_non_existing_entity")
FULL = rec("java/TableAsyncClientTest.createEntityWithAllSupportedDataTypes")
BATCH = rec("python-assets/test_encoder.batch(first-11)@7807206")
COMPLEX_KEYS = rec("python-2024/test_encoder.create_entity_complex_keys")
UPDATE_COMPLEX_KEYS = rec("python-assets/test_encoder.update_entity_complex_keys@7807206")
UNTYPED_KEYS = inferred("The URL decides, whatever the type of the keys in the body.")

WRITES = ("PUT", "PATCH", "MERGE")
# One value of each type, as the service writes it.
PLAIN = {"Edm.String": "some text", "Edm.Boolean": True, "Edm.Int32": 77, "Edm.Double": 2.75}
ANNOTATED = {"Edm.Int64": "77", "Edm.DateTime": "2018-11-30T23:59:58.25Z",
             "Edm.Guid": "5b3a1c1e-0d52-4f0a-9a63-7f6f0c9be1d4", "Edm.Binary": "q83v7w=="}
TYPES = {**PLAIN, **ANNOTATED}


def stored(kind: str, value: object) -> dict:
    """Returns the members that the service answers for a property V."""
    return {"V": value} if kind in PLAIN else typed("V", kind, value)


def write(s: Session, method: str, members: dict, row: str = "r", **more):
    """Sends an insert, or a write to the URL of the entity."""
    if method == "POST":
        return s.insert(members, row, **more)
    return s.send(method, s.entity_url(row), members, **more)


def written(s: Session, method: str, members: dict, answer: dict) -> None:
    """Judges a write and the entity that it makes."""
    made = write(s, method, members)
    if method == "POST":
        made.is_(201, s.document(answer))
    else:
        made.is_(204)
    s.get(s.entity_url()).is_(200, s.document(answer))


# --- annotations ----------------------------------------------------------------------------------


def spellings():
    """Yields a type, where its annotation stands, the members of the request and those of the answer."""
    for kind, value in TYPES.items():
        annotation, answer = {"V@odata.type": kind}, stored(kind, value)
        if kind in PLAIN:
            yield kind, "without annotation", {"V": value}, answer
        yield kind, "with the annotation before the value", {**annotation, "V": value}, answer
        yield kind, "with the annotation behind the value", {"V": value, **annotation}, answer
    for kind, text, value in (("Edm.Int32", "77", 77), ("Edm.Boolean", "true", True),
                              ("Edm.Boolean", "False", False), ("Edm.Double", "2.75", 2.75),
                              ("Edm.Double", "12", 12.0)):
        yield kind, f"as the text {text}", {"V": text, "V@odata.type": kind}, {"V": value}
    yield "Edm.Double", "as the integer 12", {"V": 12, "V@odata.type": "Edm.Double"}, {"V": 12.0}


def spelled_evidence(method: str, spelling: str, **_):
    if "before" in spelling:
        return TUPLES if method == "POST" else UPSERT_BEFORE
    if "behind" in spelling:
        return TUPLES_BEHIND if method == "POST" else UPSERT_RAW
    if "as the text" in spelling:
        return RAW if method == "POST" else UPSERT_RAW
    return BASIC if method == "POST" else UPDATE_COMPLEX_KEYS


@check("{method} of an {kind} {spelling}", spelled_evidence,
       [{"method": method, **row} for method in ("POST", "PATCH")
        for row in rows("kind spelling sent answer", spellings())])
def spelled(s: Session, method, kind, spelling, sent, answer):
    written(s, method, sent, answer)


@check("{method} of an {kind} with an annotation",
       lambda method, kind: MERGE if method == "MERGE" else UPSERT_RAW,
       product(method=["PUT", "MERGE"], kind=[*TYPES]))
def annotated(s: Session, method, kind):
    written(s, method, typed("V", kind, TYPES[kind]), stored(kind, TYPES[kind]))


@check("An annotation stands anywhere in the body: {where}", FULL,
       product(where={"all annotations first": (0, 1, 2, 3), "all annotations last": (2, 3, 0, 1),
                      "annotations crosswise": (1, 2, 0, 3)}))
def anywhere(s: Session, where):
    members = [("A@odata.type", "Edm.Int64"), ("B@odata.type", "Edm.Guid"), ("A", "5"),
               ("B", TYPES["Edm.Guid"])]
    body = dict(members[index] for index in where)
    names = [name for name in body if "@" not in name]
    answer = {**typed("A", "Edm.Int64", "5"), **typed("B", "Edm.Guid", TYPES["Edm.Guid"])}
    if names == ["B", "A"]:
        answer = {**typed("B", "Edm.Guid", TYPES["Edm.Guid"]), **typed("A", "Edm.Int64", "5")}
    written(s, "POST", body, answer)


@check("Annotations are read whatever the Content-Type: {kind}", RAW,
       product(kind=["application/json", *(f"application/json;odata={level}" for level in LEVELS)]))
def content_type(s: Session, kind):
    members = typed("V", "Edm.Int64", "8")
    s.insert(members, content_type=kind).is_(201, s.document(members))


# --- metadata levels ------------------------------------------------------------------------------

SHOWN = {**{kind: stored(kind, value) for kind, value in TYPES.items()},
         "NaN": typed("V", "Edm.Double", "NaN"), "Infinity": typed("V", "Edm.Double", "-Infinity")}


@check("{kind} is echoed by an insert at {level}", FULL, product(kind=SHOWN, level=LEVELS))
def echoed(s: Session, kind, level):
    s.insert(kind, accept=level).is_(201, s.document(kind, level))


@check("{kind} is got and found by a query at {level} after PATCH", rec("cpp/EntityQuery-key"),
       product(kind=SHOWN, level=LEVELS), requests=3)
def found(s: Session, kind, level):
    s.patch(s.entity_url(), kind).ok()
    s.get(s.entity_url(), accept=level).is_(200, s.document(kind, level))
    item = s.documents.entity_item(s.table, s.pk, "r", kind, level)
    s.get(f"/{s.table}()", accept=level, query={"$filter": f"PartitionKey eq '{s.pk}'"}).is_(
        200, s.documents.entities(s.table, [item], level))


# --- batches --------------------------------------------------------------------------------------


@check("{method} of {kind} in a batch", BATCH, product(method=["POST", "PATCH"], kind=SHOWN),
       requests=3)
def in_batch(s: Session, method, kind):
    body = {**s.keys(), **kind}
    if method == "POST":
        change, part = Change("POST", f"/{s.table}", body), inserted(s.location(), s.document(kind))
    else:
        change, part = Change(method, s.entity_url(), body), updated()
    s.batch(Batch([change])).has([part])
    s.get(s.entity_url()).is_(200, s.document(kind))


# --- null -----------------------------------------------------------------------------------------


@check("A null with the annotation {kind} is not stored by {method}", TUPLES,
       product(kind=[*TYPES], method=["POST"]) + product(kind=["Edm.Int64"], method=["PUT", "PATCH"]))
def null(s: Session, kind, method):
    written(s, method, {**typed("V", kind, None), "kept": 1}, {"kept": 1})


# --- the system properties ------------------------------------------------------------------------

TIMESTAMPS = {
    "old text": {"Timestamp": "0001-01-01T00:00:00Z"},
    "annotated old text": typed("Timestamp", "Edm.DateTime", "1999-08-07T06:05:04.000000Z"),
    "nine digits": typed("Timestamp", "Edm.DateTime", "2020-03-04T05:06:07.123456789Z"),
    "null": {"Timestamp": None},
}


def timestamp_evidence(method: str, form: dict):
    if form["Timestamp"] is None:
        return doc(MODEL, "The server manages the value of Timestamp, which cannot be modified.")
    if "789Z" in form["Timestamp"]:
        return rec("java/TableAsyncClientTest.updateEntityWithResponseReplace")
    if len(form) == 2:
        return rec("python-assets/test_table_entity.datetime_duplicate_field@0526594")
    return rec("go-2021/TestTableClient_Storage/TestAddBasicEntity")


@check("{method} ignores a Timestamp in the body: {form}", timestamp_evidence,
       product(method=["POST", *WRITES], form=TIMESTAMPS))
def timestamp(s: Session, method, form):
    body = {**form, "n": 1}
    made = write(s, method, body).ok()
    answer = s.get(s.entity_url()).is_(200, s.document({"n": 1}, etag=made.etag))
    own = answer.json.get("Timestamp")
    s.holds("the Timestamp is the time of the write", own not in form.values(), own)


@check("{method} ignores what the service itself writes at {level}",
       rec("java/TableAsyncClientTest.updateEntityWithResponseReplace"),
       product(method=WRITES, level=LEVELS), requests=4)
def sent_back(s: Session, method, level):
    s.given({"n": 1, **typed("Id", "Edm.Guid", TYPES["Edm.Guid"])})
    body = s.get(s.entity_url(), accept=level).ok().json
    if level == "nometadata":
        body["Id@odata.type"] = "Edm.Guid"
    s.send(method, s.entity_url(), body).is_(204)
    s.get(s.entity_url()).is_(200, s.document({**typed("Id", "Edm.Guid", TYPES["Edm.Guid"]), "n": 1}))


TYPED_KEYS = {
    "an Edm.DateTime as PartitionKey": typed("PartitionKey", "Edm.DateTime", "2022-07-06T05:04:03.000000Z"),
    "an Edm.Binary as PartitionKey": typed("PartitionKey", "Edm.Binary", "a2V5"),
    "an Edm.Guid as RowKey": typed("RowKey", "Edm.Guid", TYPES["Edm.Guid"]),
    "an Edm.Int64 as RowKey": typed("RowKey", "Edm.Int64", "12"),
    "an Edm.Double as RowKey": typed("RowKey", "Edm.Double", 2.5),
    "the number 7 as RowKey": {"RowKey": 7},
    "the number 7 as PartitionKey": {"PartitionKey": 7},
    "true as RowKey": {"RowKey": True},
}


@check("An insert refuses {keys}", lambda keys: COMPLEX_KEYS if len(keys) == 2 else BASIC,
       product(keys=TYPED_KEYS))
def typed_keys_refused(s: Session, keys):
    s.post(f"/{s.table}", {**s.keys(), **keys, "n": 1}).fails(INVALID_INPUT)


@check("An insert refuses a key that is no text at {level}", BASIC, product(level=LEVELS))
def typed_keys_refused_at(s: Session, level):
    s.post(f"/{s.table}", {**s.keys(), "RowKey": 7}, accept=level).fails(INVALID_INPUT)


@check("{method} takes the keys of the URL where the body has {keys}",
       lambda method, keys: UPDATE_COMPLEX_KEYS if len(keys) == 2 else UNTYPED_KEYS,
       product(method=["PUT", "PATCH"], keys=TYPED_KEYS))
def typed_keys_accepted(s: Session, method, keys):
    s.send(method, s.entity_url(), {**s.keys(), **keys, "n": 1}).is_(204)
    s.get(s.entity_url()).is_(200, s.document({"n": 1}))


@check("{method} accepts keys annotated as Edm.String",
       lambda method: RAW if method == "POST" else UPSERT_RAW, product(method=["POST", "PUT", "PATCH"]))
def string_keys(s: Session, method):
    keys = {**typed("PartitionKey", "Edm.String", s.pk), **typed("RowKey", "Edm.String", "r")}
    written(s, method, {**keys, "n": 1}, {"n": 1})


# --- names ----------------------------------------------------------------------------------------

IDENTIFIERS = doc(MODEL, "Property names should follow naming rules for C# identifiers.")
CASES = doc(MODEL, "Property names are case-sensitive strings up to 255 characters in size.")
NAMES = {
    "_": IDENTIFIERS, "_9": IDENTIFIERS, "x1_y2": IDENTIFIERS, "ünïcödé": IDENTIFIERS, "名前": IDENTIFIERS,
    "ꀕꀕ": rec("go/TestEntityUnicode/TestEntityUnicode_storage"), "Имя": IDENTIFIERS,
    "partitionkey": CASES, "rowKey": CASES,
    "timestamp": rec("python-assets/test_table_entity.datetime_duplicate_field@0526594"),
    "value": IDENTIFIERS, "TableName": IDENTIFIERS, "odata": IDENTIFIERS,
}


@check("A property has the name {name}", lambda name: NAMES[name], product(name=[*NAMES]))
def name_accepted(s: Session, name):
    written(s, "POST", {name: "x"}, {name: "x"})


@check("Names that differ in case are properties of their own: {names}, {method}",
       rec("python/test_table_entity.test_etag_duplicate_field"),
       product(names={"ETag, Etag, etag": ("etag", "ETag", "Etag"), "b, B, a, A": ("b", "B", "a", "A")},
               method=["POST", "PATCH"]))
def names_by_case(s: Session, names, method):
    members = {name: number for number, name in enumerate(names)}
    written(s, method, members, members if method == "POST" else sorted_members(members))


DASH = doc(MODEL, "Beginning with version 2009-04-14, the Table service no longer supports including the "
                  "dash (-) character in property names.")
BAD_NAMES = ["123", "9a", "a-b", "a b", "a/b", "a+b", "#a"]


@check("{method} refuses the property name {name}",
       lambda method, name: {"123": ATYPICAL if method == "POST" else UPSERT_BEFORE,
                             "a-b": DASH}.get(name, IDENTIFIERS),
       product(method=["POST", "PUT", "PATCH"], name=BAD_NAMES))
def name_refused(s: Session, method, name):
    write(s, method, {name: 1}).fails(PROPERTY_NAME_INVALID)


@check("{method} refuses a property that comes twice: {values}",
       doc(CODES, "A property is specified more than one time."),
       product(method=["POST", "PUT", "PATCH"], values={"the same value": "1", "another value": "2"}))
def doubled(s: Session, method, values):
    keys = f'"PartitionKey":"{s.pk}","RowKey":"r",'
    path = f"/{s.table}" if method == "POST" else s.entity_url()
    s.send(method, path, f'{{{keys}"n":1,"n":{values}}}').fails(
        DUPLICATE_PROPERTIES, more={"Cache-Control": OPTIONAL})
