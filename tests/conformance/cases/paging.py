"""$top and continuation tokens, of entities and of tables; pages of 1,000 rows."""
from __future__ import annotations

import base64
import re
from urllib.parse import quote

from conformance import (
    LEVELS,
    OPTIONAL,
    TOKEN,
    Batch,
    Change,
    Session,
    check,
    doc,
    inferred,
    issue,
    product,
    rec,
    rows,
)
from conformance.errors import INVALID_INPUT

QUERYING = "learn.microsoft.com/rest/api/storageservices/querying-tables-and-entities"
PAGES = "learn.microsoft.com/rest/api/storageservices/query-timeout-and-pagination"
ENCODED = rec("go/TestContinuationTokens/TestContinuationTokens_storage")
RAW = rec("python/test_table_async.test_list_tables_with_marker")
FILTERED = rec("go/TestContinuationTokensFilters/TestContinuationTokensFilters_storage")
FULL = rec("java/TableAsyncClientTest.listEntitiesWithTop")
SELECTED = rec("python-hist/test_table_entity.test_query_entities_with_top_and_next@11df81d")
TOP = rec("java/AzureTableImplTest.queryEntityImplWithTop")
ORDER = doc(QUERYING, "Query results are sorted by PartitionKey, then by RowKey.")
NEXT = {"x-ms-continuation-NextPartitionKey": TOKEN, "x-ms-continuation-NextRowKey": TOKEN}
MAYBE_NEXT = {name: OPTIONAL for name in NEXT}

# --- the entities ---------------------------------------------------------------------------------

# Three partitions of 3, 1 and 3 rows, in their order. Some keys are beyond ASCII, which a token must carry.
KEYS = [("a", "1"), ("a", "é"), ("a", "😀"), ("b's", "x y"), ("c", "1"), ("c", "2"), ("c", "文")]


def members_of(number: int) -> dict:
    return {"n": number, "text": f"row {number}"}


def table_of_seven(s: Session) -> str:
    def fill(table: str) -> None:
        for number, (partition, row) in reversed(list(enumerate(KEYS))):
            s.given(members_of(number), row, partition, table)
    return s.shared_table("Seven", fill)


def page(s: Session, numbers, level: str = "minimalmetadata", select=None, context: str = "") -> dict:
    table = table_of_seven(s)
    items = [s.documents.entity_item(table, *KEYS[number], members_of(number), level, select)
             for number in numbers]
    return s.documents.entities(table, items, level, context)


def decoded(token: str) -> str:
    """Returns the text of a token, or nothing if it has another form."""
    framed = re.fullmatch(r"1!(\d+)!(.*)", token)
    if not framed or int(framed[1]) != len(framed[2]):
        return ""
    text = framed[2].replace("-", "=").replace("*", "+").replace("_", "/")
    return base64.b64decode(text).decode("utf-8", "replace")


def tokens(answer) -> tuple:
    return (answer.answer.header("x-ms-continuation-NextPartitionKey") or "",
            answer.answer.header("x-ms-continuation-NextRowKey") or "")


def encoded(token: str) -> str:
    return quote(token, safe="")


def following(answer, form) -> str:
    partition, row = tokens(answer)
    return f"&NextPartitionKey={form(partition)}&NextRowKey={form(row)}"


def walk(s: Session, numbers, top: int, query: str, form=encoded, exact: bool = True, **shown) -> None:
    """Judges each page of a query that finds these rows, and that each token names the next row.

    exact   False for filters: a token may name a row that does not match, and the last page may have one
    """
    table, rest, more, level = table_of_seven(s), list(numbers), "", shown.get("level", "minimalmetadata")
    while True:
        first, rest = rest[:top], rest[top:]
        answer = s.get(f"/{table}()", query=f"$top={top}{query}{more}", accept=level).is_(
            200, page(s, first, **shown), more=NEXT if rest else {} if exact else MAYBE_NEXT)
        if not rest:
            return
        names = tuple(decoded(token) for token in tokens(answer))
        if exact:
            s.holds("the tokens name the next row", names == KEYS[rest[0]], f"{tokens(answer)} are {names}")
        more = following(answer, form)


# --- $top -----------------------------------------------------------------------------------------


@check("$top={top} of seven rows is walked through", lambda top: ENCODED if top > 1 else TOP,
       product(top=[1, 2, 3, 4, 5, 6]), requests=6)
def walked(s: Session, top):
    walk(s, range(7), top, "")


@check("$top={top} of seven rows has no continuation",
       rec("python/test_table_async.test_list_tables_with_num_results"),
       product(top=[7, 8, 999, 1000]))
def all_on_one_page(s: Session, top):
    s.get(f"/{table_of_seven(s)}()", query=f"$top={top}").is_(200, page(s, range(7)))


ZERO = issue("Azure/Azurite#1428", "the platform, which returns zero entities")


@check("$top=0 finds no {what} at {level}", ZERO,
       product(what={"entities": True, "tables": False}, level=LEVELS))
def zero(s: Session, what, level):
    table = table_of_seven(s)
    body = s.documents.entities(table, [], level) if what else s.documents.tables([], level)
    s.get(f"/{table}()" if what else "/Tables", query="$top=0", accept=level).is_(200, body)


BAD_TOP = inferred("The suite of the legacy .NET library expects the refusal of 1001 and -1.")


@check("$top={top} is refused for {what}", BAD_TOP,
       product(top=["1001", "-1", "2000", "abc", "1.5", "99999999999", "1e2", "'5'"], what={"entities": True})
       + product(top=["1002", "-2", "abcd"], what={"tables": False}))
def bad_top(s: Session, top, what):
    s.get(f"/{table_of_seven(s)}()" if what else "/Tables", query=f"$top={top}").fails(INVALID_INPUT)


@check("$top=1001 is refused at Accept {accept}", BAD_TOP, product(accept=[*LEVELS, "application/json"]))
def bad_top_at(s: Session, accept):
    s.get(f"/{table_of_seven(s)}()", query="$top=1001", accept=accept).fails(INVALID_INPUT)


@check("%24top={top} is $top", ENCODED, product(top=[2]))
def escaped_top(s: Session, top):
    s.get(f"/{table_of_seven(s)}()", query=f"%24top={top}").is_(200, page(s, range(top)), more=NEXT)


# --- tokens ---------------------------------------------------------------------------------------


@check("{form} tokens are understood with $top={top}", lambda form, top: RAW if form is str else ENCODED,
       product(form={"Raw": str, "Encoded": encoded, "Lower-case encoded":
                     lambda token: encoded(token).replace("%2A", "%2a")}, top=[1, 3]), requests=8)
def token_forms(s: Session, form, top):
    walk(s, range(7), top, "", form)


@check("A query is walked through at {level}, $top={top}",
       lambda level, top: FULL if level == "fullmetadata" else ENCODED,
       product(level=LEVELS, top=[2, 5]), requests=5)
def levels(s: Session, level, top):
    walk(s, range(7), top, "", level=level)


FILTERS = [("PartitionKey eq 'a'", (0, 1, 2)), ("PartitionKey ge 'b' and PartitionKey lt 'c'", (3,)),
           ("n ge 2 and n ne 4", (2, 3, 5, 6)), ("RowKey eq '1'", (0, 4)), ("n le 3", (0, 1, 2, 3)),
           ("not (PartitionKey eq 'b''s')", (0, 1, 2, 4, 5, 6))]


@check("A filter is walked through: {text}, $top={top}", FILTERED,
       [{"text": text, "found": found, "top": top} for text, found in FILTERS for top in (1, 2)
        if len(found) > top], requests=5)
def filtered(s: Session, text, found, top):
    walk(s, found, top, f"&$filter={quote(text, safe='')}", exact=False)


@check("A selection is walked through: $select={text}", SELECTED,
       rows("text select context", [("n", ["n"], "&$select=n"), ("RowKey", ["RowKey"], "&$select=RowKey"),
                                    ("none", ["none"], "&$select=none"), ("", None, "&$select="),
                                    ("%20", None, "&$select=")]), requests=5)
def selected(s: Session, text, select, context):
    walk(s, range(7), 3, f"&$select={text}", select=select, context=context)


@check("NextPartitionKey alone begins with the first row of {what}",
       doc(PAGES, "in some instances, x-ms-continuation-NextRowKey may be null."),
       rows("what partition numbers", [("the first partition", "a", range(7)),
                                       ("the second partition", "b's", range(3, 7)),
                                       ("the last partition", "c", range(4, 7))]))
def partition_alone(s: Session, what, partition, numbers):
    text = base64.b64encode(partition.encode()).decode().replace("=", "-")
    s.get(f"/{table_of_seven(s)}()", query=f"NextPartitionKey={encoded(f'1!{len(text)}!{text}')}").is_(
        200, page(s, numbers))


def token_of(key: str) -> str:
    text = base64.b64encode(key.encode()).decode()
    for character, other in ("=-", "+*", "/_"):
        text = text.replace(character, other)
    return f"1!{len(text)}!{text}"


EMPTY_ROW = issue("microsoft/AzureStorageExplorer#5434", "One of the request inputs is not valid.")


@check("An empty NextRowKey is refused at {level}", EMPTY_ROW, product(level=LEVELS))
def empty_row(s: Session, level):
    query = f"NextPartitionKey={token_of('a')}&NextRowKey="
    s.get(f"/{table_of_seven(s)}()", query=query, accept=level).fails(INVALID_INPUT)


MALFORMED = {"no frame": "YQ--", "plain text": "a", "another length": "1!8!YQ--", "no length": "1!!YQ--",
             "no base64": "1!4!%25%25%25%25", "an open frame": "1!4", "another version": "2!4!YQ--"}


@check("A malformed token is refused: {token} as {name}",
       inferred("A token that the service did not make is none."),
       product(token=MALFORMED, name=["NextPartitionKey"])
       + product(token={"no frame": "YQ--", "no length": "1!!YQ--"}, name=["NextRowKey"]))
def malformed(s: Session, token, name):
    partition = token if name == "NextPartitionKey" else token_of("a")
    row = token if name == "NextRowKey" else token_of("1")
    query = f"NextPartitionKey={partition}&NextRowKey={row}"
    s.get(f"/{table_of_seven(s)}()", query=query).fails(INVALID_INPUT)


@check("A page continues after {what}",
       inferred("A token names where the next page begins, not a row that exists."),
       product(what={"the next row was deleted": "delete", "a row was inserted before": "before",
                     "a row was inserted at the token": "at"}), requests=10)
def changed_meanwhile(s: Session, what):
    for row in "bdf":
        s.given({"n": 1}, row)
    query = f"$top=1&$filter=PartitionKey%20eq%20'{s.pk}'"
    answer = s.get(f"/{s.table}()", query=query).ok()
    found = "df"
    if what == "delete":
        s.delete(s.entity_url("d"), if_match="*").ok()
        found = "f"
    elif what == "before":
        s.given({"n": 1}, "a")
    else:
        s.delete(s.entity_url("d"), if_match="*").ok()
        s.given({"n": 1}, "e")
        found = "ef"
    items = [s.documents.entity_item(s.table, s.pk, row, {"n": 1}, "minimalmetadata") for row in found]
    s.get(f"/{s.table}()", query=query.replace("$top=1", "$top=5") + following(answer, encoded)).is_(
        200, s.documents.entities(s.table, items))


@check("A row with an empty RowKey is on its page: $top={top}", ORDER, product(top=[1, 2]), requests=9)
def empty_row_key(s: Session, top):
    table, keys = s.new_table(), [("", ""), ("", "r"), ("p", ""), ("p", "r")]
    for partition, row in keys:
        s.given({}, row, partition, table)
    seen, more = [], ""
    for _ in keys:
        answer = s.get(f"/{table}()", query=f"$top={top}{more}", accept="nometadata").ok()
        seen += [(item["PartitionKey"], item["RowKey"]) for item in answer.json["value"]]
        partition, row = tokens(answer)
        # The service may leave out the token of an empty key.
        more = "".join(f"&{name}={encoded(token)}" for name, token in
                       (("NextPartitionKey", partition), ("NextRowKey", row)) if token)
        if not more:
            break
    s.holds("the pages have each row once, in order", seen == keys, seen)
    s.get(f"/{table}()", query="$top=4", accept="minimalmetadata").is_(200, s.documents.entities(
        table, [s.documents.entity_item(table, *key, {}, "minimalmetadata") for key in keys]))


# --- a thousand rows ------------------------------------------------------------------------------

ROWS = 1002


def table_of_thousand(s: Session) -> str:
    def fill(table: str) -> None:
        for first in range(0, ROWS, 100):
            changes = [Change("POST", f"/{table}", {"PartitionKey": "p", "RowKey": f"{row:04}"},
                              prefer="return-no-content") for row in range(first, min(ROWS, first + 100))]
            s.batch(Batch(changes)).ok()
    return s.shared_table("Thousand", fill)


def page_of(s: Session, first: int, last: int, level: str = "nometadata") -> dict:
    table = table_of_thousand(s)
    items = [s.documents.entity_item(table, "p", f"{row:04}", {}, level) for row in range(first, last)]
    return s.documents.entities(table, items, level)


LARGEST = doc(PAGES, "A query against the Table service may return a maximum of 1,000 items at one time")


@check("1,002 rows are walked through: {query}", LARGEST,
       rows("query sizes", [("", (1000, 2)), ("$top=1000", (1000, 2)), ("$top=999", (999, 3)),
                            ("$top=501", (501, 501)), ("$filter=PartitionKey%20eq%20'p'", (1000, 2)),
                            ("$filter=RowKey%20ge%20'0001'", (1000, 1)), ("$select=", (1000, 2))]),
       requests=14)
def thousand(s: Session, query, sizes):
    table, more, first = table_of_thousand(s), "", ROWS - sum(sizes)
    for size in sizes:
        body = page_of(s, first, first + size)
        first += size
        text = f"{query}{more}"
        answer = s.get(f"/{table}()", query=text.lstrip("&"), accept="nometadata").is_(
            200, body, more=NEXT if first < ROWS else {})
        if first < ROWS:
            names = tuple(decoded(token) for token in tokens(answer))
            s.holds("the tokens name the next row", names == ("p", f"{first:04}"), names)
            more = following(answer, encoded)


@check("1,002 rows are walked through at {level}", LARGEST, product(level=LEVELS), requests=14)
def thousand_at(s: Session, level):
    table = table_of_thousand(s)
    answer = s.get(f"/{table}()", accept=level).is_(200, page_of(s, 0, 1000, level), more=NEXT)
    s.get(f"/{table}()", accept=level, query=following(answer, encoded).lstrip("&")).is_(
        200, page_of(s, 1000, ROWS, level))


# --- tables ---------------------------------------------------------------------------------------


@check("Tables are walked through at {level}, $top={top}",
       lambda level, top: rec("java-2020/TableServiceAsyncClientTest.serviceListTablesWithTopAsync@50c2815")
       if level == "fullmetadata" else rec("python-cosmosdb/test_table.test_list_tables_with_marker"),
       product(level=LEVELS, top=[1, 2]), requests=7)
def tables(s: Session, level, top):
    prefix = s.new_name("walk")
    names = [prefix + end for end in "abc"]
    for name in names:
        s.post("/Tables", {"TableName": name}, prefer="return-no-content").ok()
    text = quote(f"TableName ge '{prefix}' and TableName lt '{prefix}{{'", safe="")
    more = ""
    while names:
        first, names = names[:top], names[top:]
        answer = s.get("/Tables", accept=level, query=f"$top={top}&$filter={text}{more}").is_(
            200, s.documents.tables(first, level),
            more={"x-ms-continuation-NextTableName": TOKEN} if names else {})
        more = f"&NextTableName={encoded(answer.answer.header('x-ms-continuation-NextTableName') or '')}"


@check("A malformed NextTableName is refused: {token}",
       inferred("A token that the service did not make is none."), product(token=MALFORMED))
def malformed_table(s: Session, token):
    s.get("/Tables", query=f"NextTableName={token}").fails(INVALID_INPUT)
