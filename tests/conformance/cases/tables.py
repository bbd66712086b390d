"""Create, list, get and delete tables."""
import base64
import re
from urllib.parse import quote

from conformance import (
    LEVELS,
    TOKEN,
    Session,
    check,
    doc,
    inferred,
    level_of,
    product,
    rec,
    rows,
)
from conformance.errors import (
    INVALID_INPUT,
    INVALID_RESOURCE_NAME,
    NAME_LENGTH,
    RESOURCE_NOT_FOUND,
    TABLE_ALREADY_EXISTS,
    TABLE_NOT_FOUND,
    UNREADABLE_BODY,
)

CREATE = rec("python/test_table.test_create_table")
LIST = rec("python-cosmosdb/test_table.test_list_tables")
GET = rec("python-cosmosdb/test_table.test_create_table")
DELETE = rec("python-cosmosdb/test_table.test_delete_table_with_existing_table")
DELETE_ABSENT = rec("python-cosmosdb/test_table.test_delete_table_with_non_existing_table")
PAGES = rec("java/TableServiceClientTest.serviceListTablesWithTop")
RAW_TOKEN = rec("python/test_table_async.test_list_tables_with_marker")
NAME_ERRORS = rec("python-assets/test_table_client.test_table_name_errors@4f55d47")
NAMES = "learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model"

ACCEPTS = (*LEVELS, "application/json")
NO_PREFERENCE = {"no Prefer": None}
PREFERENCES = {**NO_PREFERENCE, "return-content": "return-content", "return-no-content": "return-no-content"}


def create(s: Session, name: str, **more):
    return s.post("/Tables", {"TableName": name}, **more)


def range_filter(prefix: str) -> str:
    return f"TableName ge '{prefix}' and TableName lt '{prefix}{{'"


# --- create ---------------------------------------------------------------------------------------


@check("A table is created with {prefer} and Accept {accept}", CREATE,
       product(prefer=PREFERENCES, accept=ACCEPTS))
def created(s: Session, prefer, accept):
    name = s.new_name("Made")
    answer = create(s, name, prefer=prefer, accept=accept)
    if prefer == "return-no-content":
        answer.is_(204)
    else:
        answer.is_(201, s.documents.table(name, level_of(accept)))


@check("A table is created by a body of type {kind}", CREATE,
       product(kind=["application/json", "application/json;odata=nometadata",
                     "application/json;odata=minimalmetadata",
                     "application/json;odata=fullmetadata", "application/json; odata=nometadata",
                     "application/json; charset=utf-8"]))
def content_type(s: Session, kind):
    name = s.new_name()
    create(s, name, content_type=kind).is_(201, s.documents.table(name))


@check("A table has a name of {length} characters",
       doc(NAMES, "Table names must be from 3 to 63 characters long."), product(length=[32, 62, 63]))
def longest_name(s: Session, length):
    name = s.new_name("n").ljust(length, "x")
    create(s, name).is_(201, s.documents.table(name))


@check("A table exists already: {form} name, {prefer}, {accept}",
       rec("java-2020/TableServiceAsyncClientTest.serviceCreateTableFailsIfExistsAsync@87834dc"),
       product(form={"the same": str, "the upper case": str.upper, "the lower case": str.lower},
               prefer=PREFERENCES, accept=ACCEPTS))
def conflict(s: Session, form, prefer, accept):
    name = s.table if form is str else s.new_table("Mixed")
    create(s, form(name), prefer=prefer, accept=accept).fails(TABLE_ALREADY_EXISTS)


UNICODE_NAME = rec("python-hist/test_table.test_unicode_create_table_unicode_name@76983ee")
BAD_CHARACTERS = {"1table": NAME_ERRORS, "a//": NAME_ERRORS, "my_table": NAME_ERRORS, "東京都": UNICODE_NAME,
                  "+++": rec("cpp-assets/CreateTableFail-key@0b3363c")}
MORE_BAD_CHARACTERS = ["my-table", "my table", "tablé", "a%20b", "it's", "table.name", "ta\\ble"]
RULE = doc(NAMES, "Table names may contain only alphanumeric characters.")


@check("A name with a bad character is refused: {name}, {prefer}",
       lambda name, prefer: BAD_CHARACTERS.get(name, RULE),
       product(name=[*BAD_CHARACTERS, *MORE_BAD_CHARACTERS],
               prefer={**NO_PREFERENCE, "return-no-content": "return-no-content"}))
def bad_characters(s: Session, name, prefer):
    create(s, name, prefer=prefer).fails(INVALID_RESOURCE_NAME)


@check("A name of {length} characters is refused with {prefer} and Accept {accept}", NAME_ERRORS,
       product(length=[1, 2, 64, 65, 255], prefer=PREFERENCES, accept=ACCEPTS))
def bad_length(s: Session, length, prefer, accept):
    create(s, "a" * length, prefer=prefer, accept=accept).fails(NAME_LENGTH)


@check("The name {name} is reserved", doc(NAMES, 'Some table names are reserved, including "tables".'),
       product(name=["tables", "Tables", "TABLES"]))
def reserved(s: Session, name):
    create(s, name).fails(INVALID_INPUT)


@check("An empty body is refused at Accept {accept}",
       inferred("The reader of bodies refuses what does not parse."), product(accept=ACCEPTS))
def empty_body(s: Session, accept):
    s.post("/Tables", "", accept=accept).fails(UNREADABLE_BODY)


@check("A body is refused: {body}", inferred("The reader of bodies refuses what does not parse."),
       product(body=["{", "name", "{\"TableName\":", "[]"]))
def bad_body(s: Session, body):
    s.post("/Tables", body).fails(UNREADABLE_BODY)


@check("A table is found under its name in {form} case",
       doc(NAMES, "Table names are case-insensitive."),
       product(form={"its own": str, "upper": str.upper, "lower": str.lower}))
def found_in_any_case(s: Session, form):
    name = s.new_table("Case")
    s.get(f"/Tables('{form(name)}')", accept="nometadata").is_(200, {"TableName": name})
    s.post(f"/{form(name)}", s.keys(), prefer="return-no-content").ok()


# --- list -----------------------------------------------------------------------------------------


@check("Tables are listed at Accept {accept} by {form}", LIST,
       product(accept=ACCEPTS, form=["/Tables", "/Tables()", "/Tables%28%29"]), requests=5)
def listed(s: Session, accept, form):
    prefix = s.new_name("list")
    for end in "Ab":
        create(s, prefix + end, prefer="return-no-content").ok()
    answer = s.get(form, accept=accept, query={"$filter": range_filter(prefix)})
    answer.is_(200, s.documents.tables([f"{prefix}A", f"{prefix}b"], level_of(accept)))


@check("A list without a match is empty at Accept {accept}", LIST, product(accept=ACCEPTS))
def nothing_listed(s: Session, accept):
    answer = s.get("/Tables", accept=accept, query={"$filter": f"TableName eq '{s.new_name('absent')}'"})
    answer.is_(200, s.documents.tables([], level_of(accept)))


@check("Tables are listed by their lower-cased names, in the case of their creation",
       rec("java/TableServiceClientTest.serviceListTablesWithTop"), requests=8)
def order(s: Session):
    prefix = s.new_name("order")
    names = [prefix + end for end in ("Zb", "a1", "B2", "zA", "Ba")]
    for name in names:
        create(s, name, prefer="return-no-content").ok()
    s.get("/Tables", query={"$filter": range_filter(prefix)}).is_(
        200, s.documents.tables(sorted(names, key=str.lower)))


COMPARISONS = rows("operator ends",
                   [("eq", "b"), ("ge", "bc"), ("gt", "c"), ("le", "ab"), ("lt", "a"), ("ne", "ac")])


@check("TableName {operator} a name finds the right ones of three", LIST, COMPARISONS, requests=5)
def compared(s: Session, operator, ends):
    prefix = s.new_name("cmp")
    for end in "abc":
        create(s, prefix + end, prefer="return-no-content").ok()
    text = f"({range_filter(prefix)}) and TableName {operator} '{prefix}b'"
    s.get("/Tables", query={"$filter": text}).is_(200, s.documents.tables([prefix + end for end in ends]))


@check("A filter by {form} finds a table in another case",
       doc(NAMES, "Table names are case-insensitive."),
       product(form={"eq": "TableName eq '{0}'", "a range": "TableName ge '{0}' and TableName lt '{0}{{'"}))
def filter_in_another_case(s: Session, form):
    name = s.new_table("CASE")
    s.get("/Tables", query={"$filter": form.format(name.lower())}).is_(200, s.documents.tables([name]))


@check("$select={names} has no effect on a list of tables", inferred("A table has no other property."),
       product(names=["TableName", "x"]))
def select(s: Session, names):
    name = s.new_table()
    s.get("/Tables", query={"$filter": f"TableName eq '{name}'", "$select": names}).is_(
        200, s.documents.tables([name]))


# --- pages ----------------------------------------------------------------------------------------


def decoded(token: str) -> str:
    text = token.rpartition("!")[2].replace("-", "=").replace("*", "+").replace("_", "/")
    return base64.b64decode(text + "=" * (-len(text) % 4)).decode("utf-8", "replace")


@check("$top={top} of four tables is followed by the rest, {form} token",
       lambda top, form: PAGES if form is quote else RAW_TOKEN,
       product(top=[1, 2, 3], form={"an encoded": quote, "a raw": str}), requests=8)
def pages(s: Session, top, form):
    prefix = s.new_name("page")
    names = [prefix + end for end in "abcd"]
    for name in names:
        create(s, name, prefer="return-no-content").ok()
    first = query = f"$filter={quote(range_filter(prefix))}&$top={top}"
    while len(names) > top:
        page = s.get("/Tables", query=query).is_(
            200, s.documents.tables(names[:top]), more={"x-ms-continuation-NextTableName": TOKEN})
        names = names[top:]
        token = page.answer.header("x-ms-continuation-NextTableName") or ""
        framed = re.fullmatch(r"1!(\d+)!(.*)", token)
        right_length = bool(framed and len(framed[2]) == int(framed[1]))
        s.holds("a token has the length of its text", right_length, token)
        text = decoded(token)
        s.holds("a token begins with the next table", text.startswith(names[0].lower()), text)
        query = f"{first}&NextTableName={form(token)}"
    s.get("/Tables", query=query).is_(200, s.documents.tables(names))


@check("$top={top} of two tables has no continuation", PAGES,
       product(top=[2, 3, 1000]), requests=5)
def last_page(s: Session, top):
    prefix = s.new_name("last")
    for end in "ab":
        create(s, prefix + end, prefer="return-no-content").ok()
    s.get("/Tables", query={"$filter": range_filter(prefix), "$top": str(top)}).is_(
        200, s.documents.tables([f"{prefix}a", f"{prefix}b"]))


@check("$top={top} is refused for tables",
       doc("learn.microsoft.com/rest/api/storageservices/query-operators-supported-for-the-table-service",
           "Returns only the top n tables or entities from the set."), product(top=["1001", "-1", "abc"]))
def bad_top(s: Session, top):
    s.get("/Tables", query={"$top": top}).fails(INVALID_INPUT)


@check("A page of tables continues after the next table was deleted",
       inferred("A continuation token names where the next page begins, not a table that must exist."),
       requests=9)
def deleted_meanwhile(s: Session):
    prefix = s.new_name("gone")
    for end in "abc":
        create(s, prefix + end, prefer="return-no-content").ok()
    query = {"$filter": range_filter(prefix), "$top": "1"}
    page = s.get("/Tables", query=query).ok()
    s.delete(f"/Tables('{prefix}b')").ok()
    query["NextTableName"] = page.answer.header("x-ms-continuation-NextTableName") or ""
    s.get("/Tables", query=query).is_(200, s.documents.tables([f"{prefix}c"]))


# --- get ------------------------------------------------------------------------------------------

FORMS = ["/Tables('{}')", "/Tables(%27{}%27)", "/Tables%28'{}'%29", "/Tables%28%27{}%27%29"]


@check("A table is got at Accept {accept} by {form}", GET, product(accept=ACCEPTS, form=FORMS))
def got(s: Session, accept, form):
    s.get(form.format(s.table), accept=accept).is_(200, s.documents.table(s.table, level_of(accept)))


@check("$format={level} overrides Accept for {resource}",
       rec("java-2020/TableServiceAsyncClientTest.serviceListTablesAsync@6e324c4"),
       product(level=LEVELS, resource={"a table": False, "a list": True}))
def format_option(s: Session, level, resource):
    query = {"$format": f"application/json;odata={level}"}
    if resource:
        query["$filter"] = f"TableName eq '{s.table}'"
        s.get("/Tables", query=query).is_(200, s.documents.tables([s.table], level))
    else:
        s.get(f"/Tables('{s.table}')", query=query).is_(200, s.documents.table(s.table, level))


@check("{method} of an absent table is refused at Accept {accept}",
       lambda method, accept: GET if method == "GET" else DELETE_ABSENT,
       product(method=["GET", "DELETE"], accept=ACCEPTS))
def absent(s: Session, method, accept):
    s.send(method, f"/Tables('{s.new_name('absent')}')", accept=accept).fails(RESOURCE_NOT_FOUND)


@check("A refused DELETE of a table is answered in XML to {accept}",
       rec("python-2020/test_table.test_delete_table_with_non_existing_table_fail_not_exist"),
       product(accept={"Accept: */*": "*/*", "no Accept": None}))
def absent_in_xml(s: Session, accept):
    s.delete(f"/Tables('{s.new_name('absent')}')", accept=accept).fails(RESOURCE_NOT_FOUND)


# --- delete ---------------------------------------------------------------------------------------


@check("A table is deleted with {prefer} and {accept}", DELETE,
       product(prefer=PREFERENCES, accept={**{one: one for one in ACCEPTS}, "*/*": "*/*", "no Accept": None}),
       requests=4)
def deleted(s: Session, prefer, accept):
    name = s.new_table()
    s.delete(f"/Tables('{name}')", prefer=prefer, accept=accept).is_(204)
    s.get(f"/Tables('{name}')").fails(RESOURCE_NOT_FOUND)


@check("A table is deleted by {form}", rec("go-legacy/StorageEntitySuite/TestDelete"), product(form=FORMS))
def deleted_by_form(s: Session, form):
    name = s.new_table()
    s.delete(form.format(name)).is_(204)


@check("A table is deleted by its name in {form} case", doc(NAMES, "Table names are case-insensitive."),
       product(form={"upper": str.upper, "lower": str.lower}))
def deleted_in_another_case(s: Session, form):
    name = s.new_table("Mixed")
    s.delete(f"/Tables('{form(name)}')").is_(204)
    s.get(f"/Tables('{name}')").fails(RESOURCE_NOT_FOUND)


@check("A table is deleted with Content-Type {kind}", DELETE,
       product(kind=["application/json", "application/json;odata=nometadata"]))
def deleted_with_content_type(s: Session, kind):
    name = s.new_table()
    s.delete(f"/Tables('{name}')", headers={"Content-Type": kind}).is_(204)


@check("A deleted table has no entities: {method}", rec("cpp-assets/EntityGetFail-sas@0b3363c"),
       product(method=["GET", "POST", "DELETE"]), requests=4)
def gone(s: Session, method):
    name = s.new_table()
    s.given(table=name)
    s.delete(f"/Tables('{name}')").ok()
    path = f"/{name}" if method == "POST" else s.entity_url(table=name)
    s.send(method, path, s.keys() if method == "POST" else None, if_match="*").fails(TABLE_NOT_FOUND)
