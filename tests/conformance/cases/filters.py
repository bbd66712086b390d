"""$filter: each operator on each type, literals of other types, missing properties, strings and literals."""
from __future__ import annotations

import operator
from typing import Any, Dict, List

from conformance import Session, check, doc, inferred, issue, product, rec, rows

QUERYING = "learn.microsoft.com/rest/api/storageservices/querying-tables-and-entities"
OPERATORS = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt,
             "ge": operator.ge}
MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
ALL_OPERATORS = doc(QUERYING, "For all property types, the following comparison operators are supported")
SAME_TYPE = doc(QUERYING, "The constant value must be of the same data type as the property in order for the "
                          "filter to return valid results.")
SEEN = inferred("A suite of another emulator, which can be run against an account, expects it.")
MISSING = issue("Azure/Azurite#1929", "Azure Storage seems to remove any entities where the field is not set")

# --- the entities ---------------------------------------------------------------------------------

# A partition for each type. The rows are neither in the order of the values nor in its reverse; d has no V.
HIGH, LOW, MIDDLE, NONE = "abcd"
GUIDS = ["1f000000-0000-0000-0000-0000000000ff", "2a0b0c0d-1a1b-2a2b-3a3b-4a4b4c4d4e4f",
         "f0000000-0000-0000-0000-000000000000"]
DATES = ["1999-12-31T23:59:59.9999999Z", "2000-01-01T00:00:00Z", "2000-01-01T00:00:00.0000001Z"]
# Values from low to high, as they are stored, and their literals.
VALUES: Dict[str, List[Any]] = {
    "Edm.Int32": [(-3, "-3"), (5, "5"), (40, "40")],
    "Edm.Int64": [("-3", "-3L"), ("5", "5L"), ("9007199254740993", "9007199254740993L")],
    "Edm.Double": [(-2.5, "-2.5"), (5.0, "5.0"), (1e20, "1E+20")],
    "Edm.String": [("10", "'10'"), ("5", "'5'"), ("A", "'A'")],
    "Edm.Boolean": [(False, "false"), (True, "true")],
    "Edm.DateTime": [(date, f"datetime'{date}'") for date in DATES],
    "Edm.Guid": [(guid, f"guid'{guid}'") for guid in GUIDS],
    "Edm.Binary": [("AQ==", "X'01'"), ("AQI=", "X'0102'"), ("/w==", "X'ff'")],
}
ROWS = {kind: dict(zip((LOW, MIDDLE, HIGH) if len(values) == 3 else (LOW, HIGH), range(len(values))))
        for kind, values in VALUES.items()}
PLAIN = ("Edm.Int32", "Edm.Double", "Edm.String", "Edm.Boolean")


def members_of(kind: str, row: str) -> dict:
    if row == NONE:
        return {"other": 1}
    value = VALUES[kind][ROWS[kind][row]][0]
    return {"V": value} if kind in PLAIN else {"V@odata.type": kind, "V": value}


def table_of_values(s: Session) -> str:
    def fill(table: str) -> None:
        for kind in VALUES:
            for row in (*ROWS[kind], NONE):
                s.given(members_of(kind, row), row, kind, table)
    return s.shared_table("Values", fill)


def finds(s: Session, kind: str, text: str, found: Any) -> None:
    """Judges a filter inside the partition of a type. `found`: the rows, in any order."""
    table = table_of_values(s)
    items = [s.documents.entity_item(table, kind, row, members_of(kind, row), "minimalmetadata")
             for row in sorted(found)]
    s.get(f"/{table}()", query={"$filter": f"PartitionKey eq '{kind}' and ({text})"}).is_(
        200, s.documents.entities(table, items))


def matching(kind: str, name: str, rank: int) -> List[str]:
    return [row for row, value in ROWS[kind].items() if OPERATORS[name](value, rank)]


# --- operators ------------------------------------------------------------------------------------

EXAMPLES = {
    "Edm.Boolean": rec("python-hist/test_table_entity.test_query_user_filter@d0da060"),
    "Edm.DateTime": rec("js-assets/node/filter_dates_correctly@5350ba0"),
    "Edm.Double": rec("python-hist/test_table_entity.test_query_user_filter_floats@76120e3"),
    "Edm.Guid": rec("python-hist/test_table_entity.test_query_user_filter_guids@02f5d0c"),
    "Edm.Binary": rec("python-hist/test_table_entity.test_query_user_filter_binary@e7cff23"),
    "Edm.Int32": rec("go/TestContinuationTokensFilters/TestContinuationTokensFilters_storage"),
    "Edm.String": rec("python-assets/test_table_entity.query_special_chars(first-9)@0526594"),
}
COMPARISONS = [(kind, name, VALUES[kind][rank][1], rank) for kind in VALUES for name in OPERATORS
               for rank in ((0, 1) if kind == "Edm.Boolean" else (1,))]


@check("An {kind} property {name} {literal} finds the right rows",
       lambda kind, **_: EXAMPLES.get(kind, ALL_OPERATORS), rows("kind name literal rank", COMPARISONS))
def compared(s: Session, kind, name, literal, rank):
    finds(s, kind, f"V {name} {literal}", matching(kind, name, rank))


@check("A literal stands on the left: {name} an {kind}",
       issue("Azure/Azurite#1599", "'2022-07-12' eq PartitionKey"),
       product(kind=["Edm.Int32", "Edm.String"], name=[*OPERATORS])
       + product(kind=["Edm.Int64", "Edm.Double", "Edm.DateTime", "Edm.Guid"], name=["eq", "lt"]))
def reversed_comparison(s: Session, kind, name):
    finds(s, kind, f"{VALUES[kind][1][1]} {name} V", matching(kind, MIRRORED[name], 1))


WIDENED = issue("microsoft/AzureStorageExplorer#5346",
                "Succeed to use Int32 property to query one entity which has Int64 property")


@check("An {kind} property {name} the literal {literal} is compared",
       lambda kind, literal, **_: WIDENED if kind == "Edm.Int64" else SEEN,
       [{"kind": kind, "literal": literal, "name": name}
        for kind, literal in (("Edm.Int64", "5"), ("Edm.Double", "5"), ("Edm.Double", "5L"))
        for name in OPERATORS])
def widened(s: Session, kind, literal, name):
    finds(s, kind, f"V {name} {literal}", matching(kind, name, 1))


# --- literals of another type ---------------------------------------------------------------------

LITERALS = {"Edm.Int32": "5", "Edm.Int64": "5L", "Edm.Double": "5.0", "Edm.String": "'5'",
            "Edm.Boolean": "true", "Edm.DateTime": f"datetime'{DATES[1]}'", "Edm.Guid": f"guid'{GUIDS[1]}'",
            "Edm.Binary": "X'0102'"}
COMPARABLE = {("Edm.Int64", "Edm.Int32"), ("Edm.Double", "Edm.Int32"), ("Edm.Double", "Edm.Int64")}
PAIRS = [(kind, other) for kind in VALUES for other in LITERALS if kind != other
         and (kind, other) not in COMPARABLE]


def literal_like(kind: str, other: str) -> str:
    """Returns a literal of the other type that looks like the middle value of the property."""
    if other == "Edm.String":
        return f"'{VALUES[kind][-2][0]}'"
    return LITERALS[other]


@check("An {kind} property eq an {other} literal finds nothing", SAME_TYPE, rows("kind other", PAIRS))
def other_type_equal(s: Session, kind, other):
    finds(s, kind, f"V eq {literal_like(kind, other)}", [])


@check("An {kind} property ne an {other} literal finds each row that has it", SEEN,
       rows("kind other", [(kind, other) for kind, other in PAIRS
                           if other in ("Edm.String", "Edm.Int64")]))
def other_type_not_equal(s: Session, kind, other):
    finds(s, kind, f"V ne {literal_like(kind, other)}", ROWS[kind])


@check("An {kind} property is less than any {other} literal: {name}", SEEN,
       [{"kind": kind, "other": other, "name": name, "found": name in ("lt", "le")}
        for kind, other in (("Edm.Int32", "Edm.Int64"), ("Edm.String", "Edm.Int32"),
                            ("Edm.Guid", "Edm.String"))
        for name in ("lt", "le", "gt", "ge")])
def other_type_ordered(s: Session, kind, other, name, found):
    finds(s, kind, f"V {name} {literal_like(kind, other)}", ROWS[kind] if found else [])


# --- missing properties ---------------------------------------------------------------------------


@check("A missing property {name} a literal is false: {text}",
       lambda name, **_: MISSING if name == "ne" else SEEN,
       rows("name text", [(name, f"W {name} {literal}") for name in OPERATORS for literal in ("5", "''")]))
def missing(s: Session, name, text):
    finds(s, "Edm.String", text, [])


@check("A missing property is not negated as unknown: {text}", SEEN,
       rows("text found", [("not (V eq '5')", "abd"), ("not (V ne '5')", "cd"), ("not (V lt 'A')", "ad"),
                           ("not (W eq 5)", "abcd"), ("not (W ne 5)", "abcd"),
                           ("V ne '5' or other eq 1", "abd"), ("other eq 1", "d")]))
def missing_negated(s: Session, text, found):
    finds(s, "Edm.String", text, found)


@check("An empty string {name} finds each row that has the property",
       issue("Azure/Azurite#2342",
             "both Azurite and product Azure storage server will filter out null values"),
       rows("name found", [("gt", "abc"), ("ge", "abc"), ("ne", "abc"), ("lt", ""), ("le", ""), ("eq", "")]))
def compared_with_empty(s: Session, name, found):
    finds(s, "Edm.String", f"V {name} ''", found)


# --- forms of literals ----------------------------------------------------------------------------

ODATA = inferred("A form of the literal in OData 3.")
FRACTION = rec("python-hist/test_table_entity.test_query_user_filter_datetimes@04a341c")
TICK = inferred("Times have a precision of 100 ns, in literals, too.")
FORMS = [
    ("Edm.Int32", "-3", LOW, EXAMPLES["Edm.Int32"]), ("Edm.Int32", "005", MIDDLE, ODATA),
    ("Edm.Int64", "5l", MIDDLE, ODATA), ("Edm.Int64", "-3L", LOW, ODATA),
    ("Edm.Int64", "9007199254740993L", HIGH, ODATA), ("Edm.Int64", "9007199254740992L", "", ODATA),
    ("Edm.Double", "5.00", MIDDLE, EXAMPLES["Edm.Double"]), ("Edm.Double", "5E0", MIDDLE, ODATA),
    ("Edm.Double", "50e-1", MIDDLE, ODATA), ("Edm.Double", "0.5E+1", MIDDLE, ODATA),
    ("Edm.Double", "5.0D", MIDDLE, ODATA), ("Edm.Double", "5d", MIDDLE, ODATA),
    ("Edm.Double", "-2.5", LOW, ODATA), ("Edm.Double", "1e20", HIGH, ODATA),
    ("Edm.DateTime", "datetime'2000-01-01T00:00:00.000000Z'", MIDDLE, FRACTION),
    ("Edm.DateTime", "datetime'2000-01-01T00:00:00.0Z'", MIDDLE, FRACTION),
    ("Edm.DateTime", "datetime'2000-01-01T00:00:00'", MIDDLE, ODATA),
    ("Edm.DateTime", "datetime'2000-01-01T00:00'", MIDDLE, ODATA),
    ("Edm.DateTime", "datetime'2000-01-01T02:30:00+02:30'", MIDDLE, ODATA),
    ("Edm.DateTime", "datetime'2000-01-01T00:00:00.0000001Z'", HIGH, TICK),
    ("Edm.DateTime", "datetime'1999-12-31T23:59:59.9999999Z'", LOW, TICK),
    ("Edm.DateTime", "datetime'1999-12-31T23:59:59.999Z'", "", TICK),
    ("Edm.Guid", f"guid'{GUIDS[1].upper()}'", MIDDLE, ODATA),
    ("Edm.Binary", "X'0102'", MIDDLE, EXAMPLES["Edm.Binary"]), ("Edm.Binary", "binary'0102'", MIDDLE, ODATA),
    ("Edm.Binary", "X'FF'", HIGH, ODATA), ("Edm.Binary", "X''", "", ODATA),
]


@check("The literal {text} of {kind} is understood", each=rows("kind text found evidence", FORMS))
def literal_form(s: Session, kind, text, found):
    finds(s, kind, f"V eq {text}", found)


# --- numbers that are none ------------------------------------------------------------------------

SPECIAL = {"i": "Infinity", "m": "-Infinity", "n": "NaN"}


@check("Special values are compared as IEEE 754 says: {text}", inferred("A Double is an IEEE 754 number."),
       rows("text found", [("V eq INF", "i"), ("V eq -INF", "m"), ("V gt 0.0", "i"), ("V lt 0.0", "m"),
                           ("V eq NaN", ""), ("V ge -1E+300", "i"), ("V ne NaN", "imn"), ("V ne 1.5", "imn")]),
       requests=4)
def special(s: Session, text, found):
    members = {row: {"V@odata.type": "Edm.Double", "V": value} for row, value in SPECIAL.items()}
    for row, value in members.items():
        s.given(value, row)
    items = [s.documents.entity_item(s.table, s.pk, row, members[row], "minimalmetadata") for row in found]
    s.get(f"/{s.table}()", query={"$filter": f"PartitionKey eq '{s.pk}' and {text}"}).is_(
        200, s.documents.entities(s.table, items))


# --- strings --------------------------------------------------------------------------------------

STRINGS = {
    "empty": "", "space": " ", "apostrophe": "it's", "apostrophes": "''", "reserved": "a+b&c=d#e?/:@$,",
    "percent": "100%25", "quotation": 'say "x"', "backslash": "a\\b", "markup": "{<[|]>}^`~",
    "accents": "ünï", "chinese": "東京", "emoji": "😀", "wave": "～", "upperB": "B", "lowerB": "b",
    "mixed": "bB", "number": "12",
}
SPECIAL_CHARACTERS = rec("python-assets/test_table_entity.query_special_chars(first-9)@0526594")
ORDINAL = inferred("Strings are compared by their UTF-16 code units.")


def finds_strings(s: Session, query: Any, found: List[str]) -> None:
    """Judges a query. `query`: as `Session.send` takes it."""
    def fill(table: str) -> None:
        for row, value in STRINGS.items():
            s.given({"V": value}, row, "p", table)
    table = s.shared_table("Strings", fill)
    items = [s.documents.entity_item(table, "p", row, {"V": STRINGS[row]}, "minimalmetadata")
             for row in sorted(found)]
    s.get(f"/{table}()", query=query).is_(200, s.documents.entities(table, items))


def string_literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@check("A string is found by its value: {row}", SPECIAL_CHARACTERS, product(row=[*STRINGS]))
def string_equal(s: Session, row):
    finds_strings(s, {"$filter": f"V eq {string_literal(STRINGS[row])}"}, [row])


@check("Strings are compared by code unit: {name} {text}", ORDINAL,
       rows("name text", [("lt", "b"), ("gt", "b"), ("ge", "bB"), ("lt", "a"), ("gt", "😀"), ("le", "😀"),
                          ("ge", "～"), ("lt", "～"), ("le", ""), ("gt", "ün")]))
def string_order(s: Session, name, text):
    found = [row for row, value in STRINGS.items()
             if OPERATORS[name](value.encode("utf-16-be"), text.encode("utf-16-be"))]
    finds_strings(s, {"$filter": f"V {name} {string_literal(text)}"}, found)


@check("A prefix is found by a range: {first} to {last}",
       doc(QUERYING, "you can perform prefix matching by using comparison operators on the desired prefix."),
       rows("first last", [("b", "c"), ("B", "C"), ("1", "2"), ("東", "東\uffff")]))
def prefix(s: Session, first, last):
    low, high = first.encode("utf-16-be"), last.encode("utf-16-be")
    found = [row for row, value in STRINGS.items() if low <= value.encode("utf-16-be") < high]
    finds_strings(s, {"$filter": f"V ge '{first}' and V lt '{last}'"}, found)


# --- how the text arrives -------------------------------------------------------------------------

SPACES = inferred("White space separates tokens, as much as there is.")
GO = rec("go/TestContinuationTokensFilters/TestContinuationTokensFilters_storage")
ARRIVALS = {
    "%20 and %27": ("$filter=V%20eq%20%27b%27", SPECIAL_CHARACTERS),
    "+ for spaces": ("$filter=V+eq+'b'", GO),
    "literal apostrophes": ("$filter=V%20eq%20'b'", SPECIAL_CHARACTERS),
    "%24filter": ("%24filter=V%20eq%20'b'", GO),
    "everything escaped": ("$filter=%56%20%65%71%20%27%62%27", SPECIAL_CHARACTERS),
    "two spaces": ("$filter=V%20%20eq%20%20'b'", SPACES), "tabs": ("$filter=V%09eq%09'b'", SPACES),
    "spaces around": ("$filter=%20V%20eq%20'b'%20", SPACES),
    "another option behind": ("$filter=V%20eq%20'b'&$top=5", SPECIAL_CHARACTERS),
    "another option before": ("$top=5&$filter=V%20eq%20'b'", SPECIAL_CHARACTERS),
}


@check("A filter arrives with {form}", lambda form: form[1], product(form=ARRIVALS))
def arrival(s: Session, form):
    finds_strings(s, form[0], ["lowerB"])


@check("An empty $filter is no filter: {query}",
       issue("Azure/Azurite#1573", "Azurite returns an error when `filter` is empty"),
       product(query=["$filter=", "$filter=&$top=5", "$top=5&$filter="]))
def empty(s: Session, query):
    table = s.new_table()
    s.given({"n": 1}, "r", "p", table)
    item = s.documents.entity_item(table, "p", "r", {"n": 1}, "minimalmetadata")
    s.get(f"/{table}()", query=query).is_(200, s.documents.entities(table, [item]))
