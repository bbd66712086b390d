"""$filter: and, or, not and their precedence, constants, keys, Timestamp, names of tables; $select."""
from __future__ import annotations

import itertools
import operator
import re
from datetime import datetime, timedelta

from conformance import LEVELS, Session, check, doc, inferred, issue, product, rec, rows, timestamp_of
from conformance.errors import INVALID_INPUT

TOPIC = "filters"
QUERYING = "learn.microsoft.com/rest/api/storageservices/querying-tables-and-entities"
OPERATORS = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt,
             "ge": operator.ge}
BOOLEAN = rec("python-hist/test_table_entity.test_query_user_filter@d0da060")
PRECEDENCE = rec("python-assets/test_table_entity.query_injection@0526594")
PARENTHESES = issue("Azure/Azurite#1051", "(MyBooleanField eq true)")
NOT = issue("Azure/Azurite#1828", "not (PartitionKey lt 'Part2')")
LOGICAL = doc(QUERYING, "Additionally, the following operators are supported for Boolean properties")
TWO = rec("python-hist/test_table_entity.test_query_user_filter_multiple_params@c928ed4")
SEEN = inferred("A suite of another emulator, which can be run against an account, expects it.")

# --- and, or, not ---------------------------------------------------------------------------------

# The name of each row is the three values, as TFT.
BITS = {"".join("FT"[bit] for bit in bits): dict(zip("ABC", (bit == 1 for bit in bits)))
        for bits in itertools.product((0, 1), repeat=3)}
# The filters, with A for "A eq true", and what they mean.
LOGIC = [
    ("A", lambda A, B, C: A, BOOLEAN),
    ("A and B", lambda A, B, C: A and B, TWO), ("A or B", lambda A, B, C: A or B, LOGICAL),
    ("A and B and C", lambda A, B, C: A and B and C, LOGICAL),
    ("A or B or C", lambda A, B, C: A or B or C, LOGICAL),
    ("A or B and C", lambda A, B, C: A or (B and C), PRECEDENCE),
    ("A and B or C", lambda A, B, C: (A and B) or C, PRECEDENCE),
    ("A and B or B and C", lambda A, B, C: (A and B) or (B and C), PRECEDENCE),
    ("A or B and C or A", lambda A, B, C: A or (B and C), PRECEDENCE),
    ("(A or B) and C", lambda A, B, C: (A or B) and C, PARENTHESES),
    ("A and (B or C)", lambda A, B, C: A and (B or C), PARENTHESES),
    ("(A)", lambda A, B, C: A, PARENTHESES), ("((A))", lambda A, B, C: A, PARENTHESES),
    ("( A )", lambda A, B, C: A, PARENTHESES),
    ("(((A) and ((B))) or (C))", lambda A, B, C: (A and B) or C, PARENTHESES),
    ("(A)and(B)", lambda A, B, C: A and B, inferred("A parenthesis separates tokens as white space does.")),
    ("not (A)", lambda A, B, C: not A, NOT), ("not(A)", lambda A, B, C: not A, NOT),
    ("not (A and B)", lambda A, B, C: not (A and B), NOT),
    ("not (A or B)", lambda A, B, C: not (A or B), NOT),
    ("not (A) and B", lambda A, B, C: (not A) and B, NOT),
    ("not (A) or B", lambda A, B, C: (not A) or B, NOT), ("A and not (B)", lambda A, B, C: A and not B, NOT),
    ("A or not (B) and C", lambda A, B, C: A or ((not B) and C), NOT),
    ("not (not (A))", lambda A, B, C: A, NOT),
    ("not (A and not (B or C))", lambda A, B, C: not (A and not (B or C)), NOT),
]


def finds_bits(s: Session, text: str, found) -> None:
    def fill(table: str) -> None:
        for row, members in BITS.items():
            s.given(members, row, "p", table)
    table = s.shared_table("Bits", fill)
    items = [s.documents.entity_item(table, "p", row, BITS[row], "minimalmetadata") for row in sorted(found)]
    s.get(f"/{table}()", query={"$filter": text}).is_(200, s.documents.entities(table, items))


def meant(test) -> list:
    return [row for row, values in BITS.items() if test(**values)]


@check("The filter {text} finds what it means, A for A eq true", each=rows("text test evidence", LOGIC))
def logic(s: Session, text, test):
    finds_bits(s, re.sub("[ABC]", r"\g<0> eq true", text), meant(test))


PROPERTIES = doc(QUERYING, "the following operators are supported for Boolean properties")


LONE = [
    ("A", lambda A, B, C: A), ("not A", lambda A, B, C: not A), ("A and B", lambda A, B, C: A and B),
    ("A or B and C", lambda A, B, C: A or (B and C)), ("not A and B", lambda A, B, C: (not A) and B),
    ("A and B eq false", lambda A, B, C: A and not B), ("A eq false or C", lambda A, B, C: not A or C),
    ("(A or B) and not C", lambda A, B, C: (A or B) and not C),
]


@check("A Boolean property is a condition: {text}", PROPERTIES, rows("text test", LONE))
def lone_property(s: Session, text, test):
    finds_bits(s, text, meant(test))


@check("A property that is no Boolean is no match: {text}", SEEN,
       product(text=["Other", "D", "D or false"]))
def lone_other_property(s: Session, text):
    row = {"D": 1, "A": True}
    s.given(row)
    query = f"PartitionKey eq '{s.pk}' and ({text})"
    s.get(f"/{s.table}()", query={"$filter": query}).is_(200, s.documents.entities(s.table, []))


CONSTANT = issue("Azure/Azurite#2450", "A health check sends $filter=false.")


@check("A constant is a condition: {text}", CONSTANT,
       rows("text test", [("true", lambda A, B, C: True), ("false", lambda A, B, C: False),
                          ("A eq true and true", lambda A, B, C: A),
                          ("A eq true or false", lambda A, B, C: A),
                          ("A eq true or true", lambda A, B, C: True),
                          ("not (false)", lambda A, B, C: True)]))
def constant(s: Session, text, test):
    finds_bits(s, text, meant(test))


@check("No table is found by the filter false at {level}", CONSTANT, product(level=LEVELS))
def constant_for_tables(s: Session, level):
    s.get("/Tables", accept=level, query={"$filter": "false"}).is_(200, s.documents.tables([], level))


# --- keys -----------------------------------------------------------------------------------------

PARTITIONS = ("", "A", "a", "é", "😀", "～")  # in the order of the service
KEYS = [(partition, row) for partition in PARTITIONS for row in ("", "5", "it's")]
KEY_ORDER = doc(QUERYING, "Query results are sorted by PartitionKey, then by RowKey.")
CASE = doc(QUERYING, "the key property names and constant values are case-sensitive.")
ON_THE_LEFT = issue("Azure/Azurite#1599", "'2022-07-12' eq PartitionKey")
BY_PARTITION = rec("go-2021/TestTableClient_Storage/TestAddBasicEntity")
BY_ROW = rec("go-2021/TestTableClient_Storage/TestQueryComplexEntity")
BOTH = rec("net-2024/UpsertAndQueryWithSingleQuoteNames(True)")


def units(text: str) -> bytes:
    return text.encode("utf-16-be")


def finds_keys(s: Session, text: str, found) -> None:
    def fill(table: str) -> None:
        for partition, row in reversed(KEYS):
            s.given({}, row, partition, table)
    table = s.shared_table("Keys", fill)
    items = [s.documents.entity_item(table, *keys, {}, "minimalmetadata") for keys in found]
    s.get(f"/{table}()", query={"$filter": text} if text else "").is_(200, s.documents.entities(table, items))


@check("Entities come in the order of their keys by UTF-16", KEY_ORDER, requests=20)
def key_order(s: Session):
    finds_keys(s, "", KEYS)


@check("PartitionKey {name} {key} finds a range", BY_PARTITION,
       product(name=[*OPERATORS], key=["a", "😀"]))
def partition_range(s: Session, name, key):
    found = [one for one in KEYS if OPERATORS[name](units(one[0]), units(key))]
    finds_keys(s, f"PartitionKey {name} '{key}'", found)


@check("RowKey {name} {key} finds rows of each partition", BY_ROW, product(name=[*OPERATORS], key=["5"]))
def row_range(s: Session, name, key):
    found = [one for one in KEYS if OPERATORS[name](units(one[1]), units(key))]
    finds_keys(s, f"RowKey {name} '{key}'", found)


@check("Keys are compared together: {text}",
       each=rows("text test evidence", [
           ("PartitionKey eq 'a' and RowKey eq '5'", lambda p, r: (p, r) == ("a", "5"), BOTH),
           ("RowKey eq '5' and PartitionKey eq 'a'", lambda p, r: (p, r) == ("a", "5"), BOTH),
           ("PartitionKey eq 'a' and RowKey eq 'it''s'", lambda p, r: (p, r) == ("a", "it's"), BOTH),
           ("PartitionKey eq '' and RowKey eq ''", lambda p, r: (p, r) == ("", ""),
            rec("java/TableAsyncClientTest.allowListEntitiesWithEmptyPrimaryKey")),
           ("PartitionKey eq 'a' and PartitionKey eq 'A'", lambda p, r: False,
            inferred("No text equals two others.")),
           ("PartitionKey eq 'a' or PartitionKey eq '～'", lambda p, r: p in ("a", "～"), PRECEDENCE),
           ("PartitionKey eq 'a' or RowKey eq '5' and PartitionKey eq 'A'",
            lambda p, r: p == "a" or (p, r) == ("A", "5"), PRECEDENCE),
           ("PartitionKey ge 'a' and PartitionKey lt '😀'", lambda p, r: p in ("a", "é"), KEY_ORDER),
           ("PartitionKey gt 'a' and PartitionKey le '😀'", lambda p, r: p in ("é", "😀"), KEY_ORDER),
           ("PartitionKey eq 'é' and RowKey gt '' and RowKey lt 'it'",
            lambda p, r: (p, r) == ("é", "5"), KEY_ORDER),
           ("not (PartitionKey lt 'é')", lambda p, r: p in ("é", "😀", "～"), NOT),
           ("not (PartitionKey eq 'a' and RowKey eq '')", lambda p, r: (p, r) != ("a", ""), NOT),
           ("'a' eq PartitionKey", lambda p, r: p == "a", ON_THE_LEFT),
           ("'é' lt PartitionKey", lambda p, r: p in ("😀", "～"), ON_THE_LEFT),
           ("PartitionKey eq 'É'", lambda p, r: False, CASE),
           ("partitionkey eq 'a'", lambda p, r: False, CASE),
           ("ROWKEY ne 'a'", lambda p, r: False, CASE),
       ]))
def key_logic(s: Session, text, test):
    finds_keys(s, text, [one for one in KEYS if test(*one)])


# --- Timestamp ------------------------------------------------------------------------------------


def moved(stamp: str, ticks: int) -> str:
    """Returns the time as many ticks of 100 ns later."""
    whole, _, fraction = stamp[:-1].partition(".")
    total = int(fraction.ljust(7, "0") or "0") + ticks
    seconds, rest = divmod(total, 10_000_000)
    time = datetime.strptime(whole, "%Y-%m-%dT%H:%M:%S") + timedelta(seconds=seconds)
    return f"{time:%Y-%m-%dT%H:%M:%S}.{rest:07}Z"


@check("A Timestamp {name} a time {ticks} ticks later",
       inferred("Timestamp is a DateTime with a precision of 100 ns."),
       product(name=[*OPERATORS], ticks=[-1, 0, 1]))
def timestamp(s: Session, name, ticks):
    stamp = timestamp_of(s.given({"n": 1}))
    text = f"PartitionKey eq '{s.pk}' and Timestamp {name} datetime'{moved(stamp, ticks)}'"
    item = s.documents.entity_item(s.table, s.pk, "r", {"n": 1}, "minimalmetadata")
    s.get(f"/{s.table}()", query={"$filter": text}).is_(
        200, s.documents.entities(s.table, [item] if OPERATORS[name](0, ticks) else []))


# --- names of tables ------------------------------------------------------------------------------

TABLE_NAMES = rec("python/test_table.test_create_table_fail_on_exist")
RANGES = issue("Azure/Azurite#794", "Filters on table name with lt and gt")


@check("Tables are found by logic: {text}",
       lambda text, ends: TABLE_NAMES if ends == "b" else RANGES,
       rows("text ends", [("TableName eq '{0}a' or TableName eq '{0}c'", "ac"),
                          ("TableName gt '{0}a' and TableName lt '{0}c'", "b"),
                          ("TableName ge '{0}a' and not (TableName ge '{0}c')", "ab"),
                          ("'{0}b' eq TableName", "b"), ("'{0}b' lt TableName and TableName lt '{0}{{'", "c"),
                          ("(TableName eq '{0}a')", "a"),
                          ("TableName eq '{0}a' and TableName eq '{0}b'", "")]),
       requests=5)
def table_logic(s: Session, text, ends):
    name = s.new_name("logic")
    for end in "abc":
        s.post("/Tables", {"TableName": name + end}, prefer="return-no-content").ok()
    s.get("/Tables", query={"$filter": text.format(name)}).is_(
        200, s.documents.tables([name + end for end in ends]))


# --- $select --------------------------------------------------------------------------------------

SPACES = rec("python-hist/test_table_entity.test_query_entities_no_metadata@9c52fa9")


@check("$select of spaces alone selects everything at {level}", SPACES, product(level=LEVELS))
def select_spaces(s: Session, level):
    s.given({"a": 1, "b": 2})
    item = s.documents.entity_item(s.table, s.pk, "r", {"a": 1, "b": 2}, level)
    s.get(f"/{s.table}()", accept=level, query=f"$filter=PartitionKey%20eq%20'{s.pk}'&$select=%20").is_(
        200, s.documents.entities(s.table, [item], level, "&$select="))


@check("$select={text} is no list of names for {what}",
       inferred("The parser of names says where it expected one."),
       product(text=["['age,%20sex']", "%5B%27a%27%5D"], what={"a query": False, "one entity": True}))
def select_refused(s: Session, text, what):
    s.given({"a": 1})
    s.get(s.entity_url() if what else f"/{s.table}()", query=f"$select={text}").fails(
        INVALID_INPUT.saying("An identifier was expected at position 0."))
