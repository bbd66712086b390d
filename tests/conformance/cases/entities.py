"""Insert, get, query, replace, merge and delete entities; the forms of their URLs."""
from urllib.parse import quote

from conformance import (
    LEVELS,
    Session,
    check,
    doc,
    inferred,
    level_of,
    product,
    rec,
    rows,
    sorted_members,
    typed,
)
from conformance.errors import (
    ENTITY_ALREADY_EXISTS,
    PROPERTIES_NEED_VALUE,
    RESOURCE_NOT_FOUND,
    TABLE_NOT_FOUND,
    UPDATE_CONDITION_NOT_SATISFIED,
)

INSERT = rec("python-2020/test_table_entity.test_insert_entity_dictionary")
INSERT_FULL = rec("python-2020/test_table_entity.test_insert_entity_with_full_metadata")
NO_CONTENT = rec("go-legacy/StorageEntitySuite/TestDelete")
GET = rec("python-2020/test_table_entity.test_get_entity_no_metadata")
QUERY = rec("cpp/EntityQuery-key")
UPSERT = rec("cpp/EntityUpsert-key")
MERGE = rec("python-cosmosdb/test_table_entity.test_insert_or_merge_entity_with_non_existing_entity")
DELETE = rec("python-cosmosdb/test_table_entity.test_delete_entity_with_if_doesnt_match")
SELECT = rec("python-cosmosdb/test_table_entity.test_query_entities_with_select")

ACCEPTS = (*LEVELS, "application/json")
XML_ACCEPTS = {"*/*": "*/*", "none": None}
ANY_ACCEPTS = {**{one: one for one in ACCEPTS}, **XML_ACCEPTS}
PREFERENCES = {"no Prefer": None, "return-content": "return-content",
               "return-no-content": "return-no-content"}
WRITE_PREFERENCES = {"no Prefer": None, "return-no-content": "return-no-content"}
WRITES = ("PUT", "PATCH", "MERGE")
OLD_ETAG = "W/\"datetime'2001-02-03T04%3A05%3A06.7Z'\""

# One property of each type, neither in the order of names nor in its reverse.
MEMBERS = {
    "Size": 7,
    **typed("Total", "Edm.Int64", "8123456789012345678"),
    "name": "Ærø \"quoted\" \\ / 'x'",
    "Ratio": 0.125,
    **typed("Made", "Edm.DateTime", "2019-03-04T05:06:07.1234567Z"),
    **typed("Id", "Edm.Guid", "0f8fad5b-d9cb-469f-a165-70867728950e"),
    "Used": False,
    **typed("Bytes", "Edm.Binary", "AAEC/w=="),
}


# --- insert ---------------------------------------------------------------------------------------


@check("An entity is inserted with {prefer} and Accept {accept}",
       lambda prefer, accept: INSERT_FULL if accept == "fullmetadata" else NO_CONTENT,
       product(prefer=PREFERENCES, accept=ACCEPTS))
def inserted(s: Session, prefer, accept):
    answer = s.insert(MEMBERS, prefer=prefer, accept=accept)
    if prefer == "return-no-content":
        answer.is_(204)
    else:
        answer.is_(201, s.document(MEMBERS, level_of(accept)))


@check("An entity is inserted at {form}", inferred("A query accepts both forms, and so does an insert."),
       product(form=["/{}", "/{}()", "/{}%28%29"]))
def insert_forms(s: Session, form):
    s.post(form.format(s.table), {**s.keys(), "n": 1}).is_(201, s.document({"n": 1}))


@check("An entity exists already: {prefer}, Accept {accept}", rec("cpp-assets/EntityCreateFail-key@0b3363c"),
       product(prefer=PREFERENCES, accept=ACCEPTS))
def exists(s: Session, prefer, accept):
    s.given()
    s.insert({"n": 1}, prefer=prefer, accept=accept).fails(ENTITY_ALREADY_EXISTS)


KEYLESS = {"without PartitionKey": {"RowKey": "r"}, "without RowKey": {"PartitionKey": "p"},
           "without keys": {},
           "with a null PartitionKey": {"PartitionKey": None, "RowKey": "r"},
           "with a null RowKey": {"PartitionKey": "p", "RowKey": None}}


@check("An entity {what} is refused with {prefer}", rec("go-assets/TestInvalidEntity_storage_tc@a600075"),
       product(what=KEYLESS, prefer=PREFERENCES))
def keyless(s: Session, what, prefer):
    s.post(f"/{s.table}", {**what, "n": 1}, prefer=prefer).fails(PROPERTIES_NEED_VALUE)


@check("An entity has an empty {which}",
       rec("js-assets/node/createentity_empty_partition_and_row_keys@5350ba0"),
       product(which={"PartitionKey": ("", "r"), "RowKey": ("p", ""), "pair of keys": ("", "")}), requests=5)
def empty_keys(s: Session, which):
    partition, row = which
    table = s.new_table()
    body = s.documents.entity(table, partition, row, {"n": 1})
    s.post(f"/{table}", {"PartitionKey": partition, "RowKey": row, "n": 1}).is_(201, body)
    s.get(s.entity_url(row, partition, table)).is_(200, body)
    s.delete(s.entity_url(row, partition, table), if_match="*").is_(204)


@check("A null property is not stored by {method}, {annotated}",
       rec("python/test_table_entity.test_none_property_value"),
       product(method=["POST", "PUT", "PATCH"], annotated={"not annotated": False, "annotated": True}))
def null(s: Session, method, annotated):
    nothing = typed("gone", "Edm.Int64", None) if annotated else {"gone": None}
    path = f"/{s.table}" if method == "POST" else s.entity_url()
    s.send(method, path, {**s.keys(), "kept": 1, **nothing}).ok()
    s.get(s.entity_url()).is_(200, s.document({"kept": 1}))


# --- get and query --------------------------------------------------------------------------------


@check("An entity is got at Accept {accept} after {method}",
       lambda accept, method: UPSERT if accept == "fullmetadata" else GET,
       product(accept=ACCEPTS, method=["POST", *WRITES]))
def got(s: Session, accept, method):
    path = f"/{s.table}" if method == "POST" else s.entity_url()
    s.send(method, path, {**s.keys(), **MEMBERS}).ok()
    members = MEMBERS if method == "POST" else sorted_members(MEMBERS)
    s.get(s.entity_url(), accept=accept).is_(200, s.document(members, level_of(accept)))


@check("An entity is got at {level} by $format", rec("go/TestAddBasicEntity/TestAddBasicEntity_storage"),
       product(level=LEVELS))
def format_option(s: Session, level):
    s.given(MEMBERS)
    query = {"$format": f"application/json;odata={level}"}
    s.get(s.entity_url(), query=query).is_(200, s.document(MEMBERS, level))


@check("Entities are queried at Accept {accept} by {form}", QUERY,
       product(accept=ACCEPTS, form=["/{}", "/{}()", "/{}%28%29"]))
def queried(s: Session, accept, form):
    s.given(MEMBERS, row="a")
    s.put(s.entity_url("b"), {"z": 1, "A": "x"}).ok()
    level = level_of(accept)
    items = [s.documents.entity_item(s.table, s.pk, "a", MEMBERS, level),
             s.documents.entity_item(s.table, s.pk, "b", {"A": "x", "z": 1}, level)]
    s.get(form.format(s.table), accept=accept, query={"$filter": f"PartitionKey eq '{s.pk}'"}).is_(
        200, s.documents.entities(s.table, items, level))


@check("A query without a match is empty at Accept {accept}", QUERY, product(accept=ACCEPTS))
def nothing_queried(s: Session, accept):
    s.get(f"/{s.table}()", accept=accept, query={"$filter": f"PartitionKey eq '{s.pk}'"}).is_(
        200, s.documents.entities(s.table, [], level_of(accept)))


# --- order of properties --------------------------------------------------------------------------

MIXED = {"b": 1, "_x": 2, "B": 3, "a1": 4, "É": 5, "A": 6, "ab": 7, "a": 8}


@check("{method} leaves the properties {order} at {level}",
       lambda method, **_: INSERT if method == "POST" else UPSERT,
       product(method=["POST"], order=["in their order"], level=LEVELS)
       + product(method=WRITES, order=["sorted by name"], level=LEVELS))
def property_order(s: Session, method, order, level):
    path = f"/{s.table}" if method == "POST" else s.entity_url()
    s.send(method, path, {**s.keys(), **MIXED}).ok()
    s.get(s.entity_url(), accept=level).is_(
        200, s.document(MIXED if order == "in their order" else sorted_members(MIXED), level))


@check("An inserted entity is sorted by name after {method} with If-Match {etag}", UPSERT,
       product(method=WRITES, etag=["none", "*", "its ETag"]), requests=4)
def sorted_after(s: Session, method, etag):
    current = s.given(MIXED)
    match = {"none": None, "*": "*", "its ETag": current}[etag]
    s.send(method, s.entity_url(), MIXED, if_match=match).ok()
    s.get(s.entity_url()).is_(200, s.document(sorted_members(MIXED)))


@check("Keys and annotations are understood {where}",
       rec("python-2020/test_table_entity.test_insert_entity_dictionary"),
       product(where={"behind the values": False, "before the values": True}))
def places(s: Session, where):
    n = {"n@odata.type": "Edm.Int64", "n": "5"} if where else {"n": "5", "n@odata.type": "Edm.Int64"}
    body = {**s.keys(), **n} if where else {**n, **s.keys()}
    s.post(f"/{s.table}", body).is_(201, s.document(typed("n", "Edm.Int64", "5")))


# --- $select --------------------------------------------------------------------------------------

# The text of $select as it goes out, the names, and how the context repeats them.
SELECTIONS = {
    "one property": ("Size", ["Size"], "&$select=Size"),
    "two properties": ("Size,Used", ["Size", "Used"], "&$select=Size,Used"),
    "an encoded comma": ("Size%2CUsed", ["Size", "Used"], "&$select=Size,Used"),
    "a space after the comma": ("Size,%20Used", ["Size", "Used"], "&$select=Size,%20Used"),
    "a missing property": ("Size,none", ["Size", "none"], "&$select=Size,none"),
    "only missing ones": ("none", ["none"], "&$select=none"),
    "an annotated property": ("Total", ["Total"], "&$select=Total"),
    "another case": ("size", ["size"], "&$select=size"),
    "RowKey": ("RowKey", ["RowKey"], "&$select=RowKey"),
    "Timestamp": ("Timestamp", ["Timestamp"], "&$select=Timestamp"),
    "keys behind a property": ("Size,RowKey,PartitionKey", ["Size", "RowKey", "PartitionKey"],
                               "&$select=Size,RowKey,PartitionKey"),
    "nothing": ("", None, "&$select="),
}


@check("$select of {what} from {one_or_all} at {level}",
       lambda level, **_: QUERY if level == "fullmetadata" else SELECT,
       product(what=SELECTIONS, one_or_all=["one entity", "a query"], level=LEVELS))
def select(s: Session, what, one_or_all, level):
    text, names, context = what
    s.given(MEMBERS)
    if one_or_all == "one entity":
        body = s.document(MEMBERS, level, select=names, context_suffix=context)
        s.get(s.entity_url(), accept=level, query=f"$select={text}").is_(200, body)
        return
    item = s.documents.entity_item(s.table, s.pk, "r", MEMBERS, level, names)
    query = f"$filter={quote(f'''PartitionKey eq '{s.pk}' ''')}&$select={text}"
    s.get(f"/{s.table}()", accept=level, query=query).is_(
        200, s.documents.entities(s.table, [item], level, context))


# --- replace and merge ----------------------------------------------------------------------------


def changed(method: str, old: dict, new: dict) -> dict:
    """Returns the members after a write to an entity with the old ones."""
    return sorted_members(new if method == "PUT" else {**old, **new})


@check("{method} changes an entity: If-Match {etag}, {prefer}, Accept {accept}",
       lambda method, **_: MERGE if method == "MERGE" else UPSERT,
       product(method=WRITES, etag=["none", "*", "its ETag"], prefer=WRITE_PREFERENCES, accept=ANY_ACCEPTS),
       requests=3)
def written(s: Session, method, etag, prefer, accept):
    old, new = {"a": 1, "b": "old"}, {"b": "new", "c": True}
    match = {"none": None, "*": "*", "its ETag": s.given(old)}[etag]
    answer = s.send(method, s.entity_url(), {**s.keys(), **new}, if_match=match, prefer=prefer, accept=accept)
    answer.is_(204)
    s.get(s.entity_url()).is_(200, s.document(changed(method, old, new), etag=answer.etag))


@check("{method} makes an entity: {prefer}, Accept {accept}",
       lambda method, **_: MERGE if method == "MERGE" else UPSERT,
       product(method=WRITES, prefer=WRITE_PREFERENCES, accept=ANY_ACCEPTS))
def upserted(s: Session, method, prefer, accept):
    answer = s.send(method, s.entity_url(), MEMBERS, prefer=prefer, accept=accept).is_(204)
    s.get(s.entity_url()).is_(200, s.document(sorted_members(MEMBERS), etag=answer.etag))


REFUSED_WRITES = product(method=[*WRITES, "DELETE"], prefer=WRITE_PREFERENCES, accept=ANY_ACCEPTS)


@check("{method} of an absent entity is refused: {prefer}, Accept {accept}",
       rec("java/AzureTableImplTest.updateNonExistentEntityImpl"), REFUSED_WRITES)
def absent(s: Session, method, prefer, accept):
    body = None if method == "DELETE" else {"n": 1}
    s.send(method, s.entity_url(), body, if_match="*", prefer=prefer, accept=accept).fails(RESOURCE_NOT_FOUND)


@check("{method} with another ETag is refused: {prefer}, Accept {accept}",
       rec("python-hist/test_table_entity_async.test_update_entity_with_if_doesnt_match@6458d58"),
       REFUSED_WRITES)
def other_etag(s: Session, method, prefer, accept):
    s.given({"n": 1})
    body = None if method == "DELETE" else {"n": 2}
    s.send(method, s.entity_url(), body, if_match=OLD_ETAG, prefer=prefer, accept=accept).fails(
        UPDATE_CONDITION_NOT_SATISFIED)


@check("GET of an absent entity is refused at Accept {accept}",
       rec("go-2021/TestTableClient_Storage/TestBatchComplex"), product(accept=ACCEPTS))
def get_absent(s: Session, accept):
    s.get(s.entity_url(), accept=accept).fails(RESOURCE_NOT_FOUND)


@check("{method} gives a property another type",
       rec("python-hist/test_table_entity.test_insert_or_merge_entity_with_existing_entity@7304ec0"),
       product(method=WRITES))
def retyped(s: Session, method):
    s.given({"n": 1, "other": "x"})
    s.send(method, s.entity_url(), typed("n", "Edm.Int64", "2")).is_(204)
    s.get(s.entity_url()).is_(
        200, s.document(changed(method, {"other": "x"}, typed("n", "Edm.Int64", "2"))))


@check("{method} with null {effect}", rec("python/test_table_entity.test_none_property_value"),
       each=rows("method effect", [("PUT", "removes the value"), ("PATCH", "keeps the value"),
                                   ("MERGE", "keeps the value")]))
def null_over_a_value(s: Session, method, effect):
    s.given({"n": 1})
    s.send(method, s.entity_url(), {"n": None}).is_(204)
    s.get(s.entity_url()).is_(200, s.document({} if effect == "removes the value" else {"n": 1}))


@check("{method} of an empty object makes a new version", inferred("Each successful write gives a new ETag."),
       product(method=WRITES))
def empty_object(s: Session, method):
    old = s.given({"n": 1})
    new = s.send(method, s.entity_url(), {}).is_(204).etag
    s.holds("each write gives another ETag", old != new, new)
    s.get(s.entity_url()).is_(200, s.document(changed(method, {"n": 1}, {}), etag=new))


@check("{method} takes the keys from the URL, the body says {other}",
       rec("net-2024/UpsertAndQueryWithSingleQuoteNames(True)"),
       product(method=WRITES, other={"others": {"PartitionKey": "other", "RowKey": "other"}, "none": {}}))
def keys_of_the_url(s: Session, method, other):
    s.send(method, s.entity_url(), {**other, "n": 1}).is_(204)
    s.get(s.entity_url()).is_(200, s.document({"n": 1}))


# --- delete ---------------------------------------------------------------------------------------


@check("An entity is deleted: If-Match {etag}, {prefer}, Accept {accept}", DELETE,
       product(etag=["*", "its ETag"], prefer=PREFERENCES, accept=ANY_ACCEPTS))
def deleted(s: Session, etag, prefer, accept):
    match = {"*": "*", "its ETag": s.given()}[etag]
    s.delete(s.entity_url(), if_match=match, prefer=prefer, accept=accept).is_(204)
    s.get(s.entity_url()).fails(RESOURCE_NOT_FOUND)


@check("A deleted entity is inserted again by {method}", DELETE, product(method=["POST", *WRITES]),
       requests=4)
def again(s: Session, method):
    s.given({"old": 1})
    s.delete(s.entity_url(), if_match="*").ok()
    path = f"/{s.table}" if method == "POST" else s.entity_url()
    s.send(method, path, {**s.keys(), "new": 1}).ok()
    s.get(s.entity_url()).is_(200, s.document({"new": 1}))


# --- absent tables --------------------------------------------------------------------------------


LIST_OF_ABSENT = doc("learn.microsoft.com/rest/api/storageservices/table-service-error-codes",
                     "The table specified does not exist.")


@check("{method} {what} of an absent table is refused: {prefer}, Accept {accept}",
       lambda what, **_: LIST_OF_ABSENT if what == "a list" else rec("cpp-assets/EntityGetFail-sas@0b3363c"),
       product(method=["GET"], what=["a list", "an entity"], prefer={"no Prefer": None}, accept=ACCEPTS)
       + product(method=["POST"], what=["an entity"], prefer=PREFERENCES, accept=ACCEPTS)
       + product(method=[*WRITES, "DELETE"], what=["an entity"], prefer=PREFERENCES, accept=ANY_ACCEPTS),
       requests=1)
def absent_table(s: Session, method, what, prefer, accept):
    table = s.new_name("absent")
    one = what == "an entity" and method != "POST"
    body = s.keys() if method in ("POST", *WRITES) else None
    s.send(method, s.entity_url(table=table) if one else f"/{table}", body, prefer=prefer, accept=accept,
           if_match="*" if method in (*WRITES, "DELETE") else None).fails(TABLE_NOT_FOUND)
