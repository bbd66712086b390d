"""URLs of entities: keys, second segments, names that no table can have."""
from __future__ import annotations

from conformance import (
    LEVELS,
    Session,
    check,
    doc,
    inferred,
    level_of,
    product,
    rec,
)
from conformance.errors import (
    INVALID_RESOURCE_NAME,
    MEDIA_TYPE_NOT_SUPPORTED,
    NAME_LENGTH,
    NOT_IMPLEMENTED,
    PROPERTIES_NEED_VALUE,
    TABLE_NOT_FOUND,
    key_count,
)

TOPIC = "entities"
ACCEPTS = (*LEVELS, "application/json")
PREFERENCES = {"no Prefer": None, "return-content": "return-content",
               "return-no-content": "return-no-content"}
WRITES = ("PUT", "PATCH", "MERGE")

# --- keys -----------------------------------------------------------------------------------------

KEYS_OF_QUERY = rec("python-assets/test_table_entity.query_special_chars(first-9)@0526594")
KEYS_OF_JS = rec("js-assets/node/special_characters.partition_and_row_keys@5350ba0")
KEYS_OF_ENCODER = rec("python-assets/test_encoder.create_entity_basic@0526594")
KEYS_OF_UNICODE = rec("python-2024/test_encoder.create_entity_atypical_values")
KEYS = {
    ":@x": KEYS_OF_QUERY, "+,$": KEYS_OF_QUERY, "=& ": KEYS_OF_QUERY,
    "it's": KEYS_OF_JS, "''": KEYS_OF_JS, "\"quoted\"": KEYS_OF_JS,
    "'@*$!%": KEYS_OF_ENCODER, "100%25": KEYS_OF_ENCODER,
    "ünï": KEYS_OF_UNICODE, "東京": KEYS_OF_UNICODE, "😀": KEYS_OF_UNICODE,
    "a-b_c.d~e": inferred("Unreserved characters are not escaped in a URL."),
    "(a)": inferred("The data-string escaping of .NET leaves parentheses alone."),
    "a;b<c>d[e]{f}|g^h`i": inferred("All other characters are escaped in a URL."),
}


@check("The key {key} is escaped in {where}",
       lambda key, where: KEYS[key],
       product(key=[*KEYS], where=["Location", "Location and DataServiceId", "odata.id"]))
def escaped(s: Session, key, where):
    body = {**s.keys(key), "n": 1}
    if where == "Location and DataServiceId":
        s.post(f"/{s.table}", body, prefer="return-no-content").is_(204)
    else:
        level = "fullmetadata" if where == "odata.id" else "minimalmetadata"
        s.post(f"/{s.table}", body, accept=level).is_(201, s.document({"n": 1}, level, key))
    s.get(s.entity_url(key), accept="fullmetadata").is_(200, s.document({"n": 1}, "fullmetadata", key))


@check("The key {key} is found in the URL of {method}",
       lambda key, method: KEYS[key], product(key=[*KEYS], method=[*WRITES, "DELETE"]))
def key_in_url(s: Session, key, method):
    s.given({"n": 1}, key)
    body = None if method == "DELETE" else {"m": 2}
    s.send(method, s.entity_url(key), body, if_match="*").is_(204)


SPACED = doc("learn.microsoft.com/rest/api/storageservices/update-entity2",
             "mytable(PartitionKey='myPartitionKey', RowKey='myRowKey')")
FORMS = {
    "/{table}(PartitionKey='{pk}',RowKey='r')": rec("python/test_table_entity.test_get_entity"),
    "/{table}(PartitionKey=%27{pk}%27,RowKey=%27r%27)": rec(
        "js/browsers/special_characters/recording_should_handle_partition_and_row_keys_with_special_chars"),
    "/{table}%28PartitionKey='{pk}',%20RowKey='r'%29": SPACED,
    "/{table}(PartitionKey='{pk}',%20RowKey='r')": SPACED,
    "/{table}(RowKey='r',PartitionKey='{pk}')": inferred("The names of the keys tell which is which."),
}


@check("An entity is addressed by {form}",
       lambda form: FORMS[form], product(form=[*FORMS]), requests=4)
def forms(s: Session, form):
    s.given({"n": 1})
    url = form.format(table=s.table, pk=s.pk)
    s.get(url).is_(200, s.document({"n": 1}))
    s.put(url, {"n": 2}).is_(204)
    s.delete(url, if_match="*").is_(204)


# --- a second segment -----------------------------------------------------------------------------

SECOND = rec("python-assets/test_table_client.test_client_with_url_ends_with_table_name@4f55d47")
NAMES = {"its own name": None, "Tables": "Tables"}


def path_of(table: str, second: str | None) -> str:
    return f"/{table}/{second or table}"


@check("POST to {second} behind a table inserts into the table: {prefer}, Accept {accept}", SECOND,
       product(second=NAMES, prefer=PREFERENCES, accept=ACCEPTS))
def insert_at_second(s: Session, second, prefer, accept):
    answer = s.post(path_of(s.table, second), {**s.keys(), "n": 1}, prefer=prefer, accept=accept)
    if prefer == "return-no-content":
        answer.is_(204)
    else:
        answer.is_(201, s.document({"n": 1}, level_of(accept)))
    s.get(s.entity_url()).is_(200, s.document({"n": 1}))


@check("POST of a table behind a table lacks keys: {second}, {prefer}", SECOND,
       product(second=NAMES, prefer=PREFERENCES))
def table_at_second(s: Session, second, prefer):
    s.post(path_of(s.table, second), {"TableName": s.table}, prefer=prefer).fails(PROPERTIES_NEED_VALUE)


@check("GET of {what} behind a table is not implemented, Accept {accept}",
       inferred("A segment behind a table is ignored by an insert; nothing else is defined for it."),
       product(what=["its own name", "Tables", "keys"], accept=ACCEPTS))
def get_at_second(s: Session, what, accept):
    second = {"its own name": s.table, "Tables": "Tables", "keys": s.entity_url()[1:]}[what]
    s.get(f"/{s.table}/{second}", accept=accept).fails(NOT_IMPLEMENTED)


@check("DELETE of a table behind a table has too few keys", SECOND)
def delete_at_second(s: Session):
    s.delete(f"/{s.table}/Tables('{s.table}')").fails(key_count(s.account.name, s.table))


@check("{method} behind an absent table is refused: {second}", SECOND,
       product(method=["POST", "DELETE"], second=NAMES))
def absent_with_second(s: Session, method, second):
    table = s.new_name("absent")
    if method == "POST":
        s.post(path_of(table, second), {"TableName": table}).fails(TABLE_NOT_FOUND)
    else:
        s.delete(f"{path_of(table, second)}('{table}')").fails(TABLE_NOT_FOUND)


@check("A batch behind a table has an unsupported media type",
       rec("python-assets/test_table_batch.test_client_with_url_ends_with_table_name@8a03a54"))
def batch_at_second(s: Session):
    s.post(f"/{s.table}/$batch", "--b\r\n\r\n--b--\r\n", content_type="multipart/mixed; boundary=b").fails(
        MEDIA_TYPE_NOT_SUPPORTED)


# --- names that no table can have -----------------------------------------------------------------

RECORDED = rec("python-assets/test_table_client.test_table_name_errors@4f55d47")
RULE = doc("learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model",
           "Table names must be from 3 to 63 characters long.")
IMPOSSIBLE = {"1table": INVALID_RESOURCE_NAME, "my_table": INVALID_RESOURCE_NAME,
              "my-table": INVALID_RESOURCE_NAME,
              "a": NAME_LENGTH, "aa": NAME_LENGTH, "a" * 64: NAME_LENGTH, "a%2F%2F": NAME_LENGTH}
IMPOSSIBLE_NAMES = {name: (name, refusal.as_early()) for name, refusal in IMPOSSIBLE.items()}
OPERATIONS = ("POST", "PATCH", "DELETE", "PUT", "MERGE", "GET", "GET of all")


def send_to(s: Session, operation: str, table: str, **more):
    """Sends a good request to a table that cannot exist."""
    method = operation.split()[0]
    one = "" if operation in ("POST", "GET of all") else "(PartitionKey='a',RowKey='b')"
    body = s.keys() if method in ("POST", *WRITES) else None
    match = "*" if method in (*WRITES, "DELETE") else None
    return s.send(method, f"/{table}{one}", body, if_match=match, **more)


@check("{operation} at the impossible table {name} is refused: {prefer}",
       lambda operation, **_: RECORDED if operation in OPERATIONS[:3] else RULE,
       product(operation=OPERATIONS, name=IMPOSSIBLE_NAMES, prefer=PREFERENCES), requests=1)
def impossible(s: Session, operation, name, prefer):
    table, refusal = name
    send_to(s, operation, table, prefer=prefer).fails(refusal)


@check("{operation} at an impossible table is refused at Accept {accept}", RECORDED,
       product(operation=OPERATIONS[:3], accept=ACCEPTS), requests=1)
def impossible_at_levels(s: Session, operation, accept):
    send_to(s, operation, "1table", accept=accept).fails(INVALID_RESOURCE_NAME.as_early())
