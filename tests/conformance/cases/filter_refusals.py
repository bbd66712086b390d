"""Filters that the service refuses, with its sentences and positions."""
from __future__ import annotations

import re

from conformance import ANY, LEVELS, OPTIONAL, Session, check, doc, inferred, issue, product, rec, rows
from conformance.errors import INVALID_INPUT, NOT_IMPLEMENTED
from conformance.values import Placeholder

TOPIC = "filters"
QUERYING = "learn.microsoft.com/rest/api/storageservices/querying-tables-and-entities"
CODES = "learn.microsoft.com/rest/api/storageservices/table-service-error-codes"
SYNTAX = rec("python/test_table_entity.test_query_invalid_filter")
CHARACTER = rec("python-hist/test_table_entity.test_query_entities@b74ba7f")
CHARACTER_PLAIN = rec("python-hist/test_table_entity.test_query_entities_no_metadata@9eb7c6c")
UNSETTLED = {"Cache-Control": OPTIONAL}
LIBRARY = inferred("The suite of the legacy .NET library expects the refusal. The sentence is its parser's.")
CASE = doc(QUERYING, "All parts of the filter string are case-sensitive.")


def refused(s: Session, text: str, message, what: str = "", **more) -> None:
    path = f"/{what or s.table}{'' if what else '()'}"
    s.get(path, query={"$filter": text}, **more).fails(INVALID_INPUT.saying(message))


# --- syntax ---------------------------------------------------------------------------------------

# The position is that behind the token that is not expected.
LEFT_OVER = [
    ("one two three", 7), ("one two", 7), ("a b", 3), ("a 'b'", 5), ("a 12", 4), ("a eq 1)", 7),
    ("a eq 1 b", 8), ("a eq 1 2", 8), ("a eq 1 'x'", 10), ("a eq 1 (b eq 2)", 8), ("a eq 1 not b", 10),
    ("true false", 10),
    ("(a eq 1) b", 10), ("ä ö", 3),
]


@check("A token that is not expected is refused behind it: {text}", SYNTAX, rows("text position", LEFT_OVER))
def left_over(s: Session, text, position):
    refused(s, text, f"Syntax error at position {position} in '{text}'.")


@check("An operator in upper case is none: {text}", CASE,
       rows("text position", [("a EQ 1", 4), ("a Eq 1", 4), ("a eq 1 AND b eq 2", 10),
                             ("a eq 1 OR b eq 2", 9),
                              ("a NE 1", 4), ("NOT a", 5)]))
def upper_case(s: Session, text, position):
    refused(s, text, f"Syntax error at position {position} in '{text}'.")


@check("An operator of another language is none: {text}", SYNTAX,
       rows("text position", [("a like 'b'", 6), ("a is 5", 4), ("a in 5", 4), ("a has 5", 5),
                             ("a xor b", 5)]))
def other_operator(s: Session, text, position):
    refused(s, text, f"Syntax error at position {position} in '{text}'.")


FORMS = {"nometadata": CHARACTER_PLAIN, "minimalmetadata": SYNTAX, "fullmetadata": SYNTAX,
         "application/json": SYNTAX}


@check("A syntax error is refused at Accept {accept} for {what}", lambda accept, what: FORMS[accept],
       product(accept=[*FORMS], what={"entities": "", "tables": "Tables"}))
def by_accept(s: Session, accept, what):
    refused(s, "no filter", "Syntax error at position 9 in 'no filter'.", what, accept=accept)


CHARACTERS = [("<", 0), ("<b>", 0), ("a < 5", 2), ("a > 5", 2), ("a eq !", 5), ('a eq "b"', 5), ("a & b", 2),
              ("a | b", 2), ("a eq #1", 5), ("é eq ~", 5), ("a ; b", 2), ("a ^ b", 2), ("a eq 1 !", 7)]


@check("A character that begins no token is refused: {text}", CHARACTER, rows("text position", CHARACTERS))
def character(s: Session, text, position):
    message = f"Syntax error: character '{text[position]}' is not valid at position {position} in '{text}'."
    refused(s, text, message)


@check("A character that begins no token is refused at {level} for {what}",
       lambda level, what: CHARACTER_PLAIN if level == "nometadata" else CHARACTER,
       product(level=LEVELS, what={"entities": "", "tables": "Tables"}))
def character_at(s: Session, level, what):
    refused(s, "<x>", "Syntax error: character '<' is not valid at position 0 in '<x>'.", what, accept=level)


@check("A string that does not end is refused: {text}",
       inferred("The sentence was seen for a key in a URL, which the same parser reads."),
       product(text=["a eq 'x", "a eq '", "a eq 'it''s", "PartitionKey eq 'p' and RowKey eq 'r", "'",
                     "a eq 'x''", "a eq 'ä"]))
def unterminated(s: Session, text):
    refused(s, text, f"There is an unterminated string literal at position {len(text)} in '{text}'.")


INCOMPLETE = ["a eq", "a eq ", "eq 1", "(", "()", ")", "(a eq 1", "a eq (1", "a eq 1 and", "and a eq 1",
              "a eq 1 or", "not", "a eq 1 and and b eq 2", "a eq eq 1", "a,b", "a eq 1,"]


@check("An incomplete filter is refused: {text}",
       inferred("What does not follow the grammar is InvalidInput."), product(text=INCOMPLETE))
def incomplete(s: Session, text):
    refused(s, text, ANY)


# --- literals -------------------------------------------------------------------------------------

INT32 = issue("Azure/azure-storage-node#316", "Unrecognized 'Edm.Int32' literal '1498179600055'")


@check("An integer beyond Int32 needs an L: {text}", INT32,
       rows("text literal", [("n ge 2147483648", "2147483648"), ("n eq -2147483649", "-2147483649"),
                             ("n lt 1700000000000", "1700000000000"),
                             ("a eq 1 and n ne 9223372036854775808", "9223372036854775808"),
                             ("9999999999 eq n", "9999999999")]))
def too_large(s: Session, text, literal):
    pattern = re.escape(f"Unrecognized 'Edm.Int32' literal '{literal}'") + ".*"
    refused(s, text, Placeholder(f"sentence about {literal}", pattern))


@check("The largest integers are literals: {literal}", INT32,
       product(literal=["2147483647", "-2147483648", "9223372036854775807L", "-9223372036854775808L"]))
def largest(s: Session, literal):
    kind = "Edm.Int64" if literal.endswith("L") else ""
    value = literal[:-1] if kind else int(literal)
    members = {"n@odata.type": kind, "n": value} if kind else {"n": value}
    s.given(members)
    item = s.documents.entity_item(s.table, s.pk, "r", members, "minimalmetadata")
    s.get(f"/{s.table}()", query={"$filter": f"PartitionKey eq '{s.pk}' and n eq {literal}"}).is_(
        200, s.documents.entities(s.table, [item]))


BAD_LITERALS = ["datetime'yesterday'", "datetime'2019-02-30T00:00:00Z'", "guid'1234'",
                "guid'9c6cb7d4-7a86-4e5e-8f3c-0a1b2c3d4e5g'", "X'0'", "X'0g'", "9223372036854775808L"]


@check("A literal that its type cannot hold is refused: {literal}",
       inferred("Such a literal is refused as an integer beyond Int32 is."), product(literal=BAD_LITERALS))
def bad_literal(s: Session, literal):
    refused(s, f"a eq {literal}", ANY)


# --- types ----------------------------------------------------------------------------------------

KINDS = {"eq": "Equal", "ne": "NotEqual", "gt": "GreaterThan", "ge": "GreaterThanOrEqual", "lt": "LessThan",
         "le": "LessThanOrEqual"}
LITERALS = {"Edm.Int32": "12345", "Edm.Int64": "5L", "Edm.Double": "1.5", "Edm.Boolean": "true",
            "Edm.DateTime": "datetime'2020-01-02T03:04:05Z'", "Edm.String": "'x'",
            "Edm.Guid": "guid'9c6cb7d4-7a86-4e5e-8f3c-0a1b2c3d4e5f'", "Edm.Binary": "X'01'"}


def incompatible(left: str, right: str, kind: str) -> str:
    return ("A binary operator with incompatible types was detected. "
            f"Found operand types '{left}' and '{right}' for operator kind '{kind}'.")


def mismatches():
    for name in KINDS:
        yield "PartitionKey", "Edm.String", name, "Edm.Int32"
    for other in LITERALS:
        if other not in ("Edm.String", "Edm.Int32"):
            yield "RowKey", "Edm.String", "eq", other
        if other != "Edm.DateTime":
            yield "Timestamp", "Edm.DateTime", "ge", other


@check("{name} {operator} an {other} literal is refused", LIBRARY,
       rows("name kind operator other", mismatches()))
def mismatch(s: Session, name, kind, operator, other):
    refused(s, f"{name} {operator} {LITERALS[other]}", incompatible(kind, other, KINDS[operator]))


@check("The types of a reversed comparison are named from left to right: {text}", LIBRARY,
       rows("text left right", [("5 eq PartitionKey", "Edm.Int32", "Edm.String"),
                                ("true eq RowKey", "Edm.Boolean", "Edm.String"),
                                ("'x' eq Timestamp", "Edm.String", "Edm.DateTime")]))
def reversed_mismatch(s: Session, text, left, right):
    refused(s, text, incompatible(left, right, "Equal"))


@check("An operand that is no condition is refused: {text}", LIBRARY,
       rows("text left right kind", [
           ("(PartitionKey ) and (RowKey ge 'x')", "Edm.String", "Edm.Boolean", "And"),
           ("(PartitionKey ) or (RowKey ge 'x')", "Edm.String", "Edm.Boolean", "Or"),
           ("RowKey ge 'x' and PartitionKey", "Edm.Boolean", "Edm.String", "And"),
           ("PartitionKey and RowKey", "Edm.String", "Edm.String", "And")]))
def no_condition(s: Session, text, left, right, kind):
    refused(s, text, incompatible(left, right, kind))


NULL = issue("Azure/Azurite#2471", "One of the request inputs is not valid.")


@check("A comparison with null is refused: {text}", NULL,
       product(text=["PartitionKey eq null", "n eq null", "n ne null", "RowKey ne null", "null eq n"]))
def null(s: Session, text):
    refused(s, text, INVALID_INPUT.message)


# --- tables ---------------------------------------------------------------------------------------


@check("A filter on tables is refused: {text}",
       inferred("A table has no property but TableName, which is a String."),
       product(text=["TableName eq 5", "TableName ge true", "Name eq 'x'", "PartitionKey eq 'p'", "TableName",
                     "tablename eq 'x'"]))
def tables(s: Session, text):
    refused(s, text, ANY, "Tables")


# --- not implemented ------------------------------------------------------------------------------

FUNCTION = issue("Azure/azure-sdk-for-python#20283",
                 "The requested operation is not implemented on the specified resource.")
FUNCTION_OF_TABLES = issue("Azure/azure-sdk-for-js#19494", "the response error code is 'NotImplemented'")
UNSUPPORTED = doc(CODES, "The requested operation is not implemented on the specified resource.")
FUNCTIONS = ["startswith(PartitionKey,'a')", "endswith(RowKey,'a')", "substringof('a',RowKey)",
             "indexof(RowKey,'a') eq 1", "length(RowKey) eq 1", "tolower(RowKey) eq 'a'",
             "trim(RowKey) eq 'a'", "concat(PartitionKey,RowKey) eq 'ab'", "year(Timestamp) eq 2020",
             "day(Timestamp) eq 1",
             "startswith(n, 'a')", "PartitionKey eq 'a' and startswith(RowKey,'b')",
             "not startswith(RowKey,'b')"]


@check("A function is not implemented: {text}", FUNCTION, product(text=FUNCTIONS))
def function(s: Session, text):
    s.get(f"/{s.table}()", query={"$filter": text}).fails(NOT_IMPLEMENTED, more=UNSETTLED)


@check("A function of TableName is not implemented: {text}", FUNCTION_OF_TABLES,
       product(text=["startswith(TableName,'a')", "endswith(TableName,'a')", "indexof(TableName,'a') eq 0"]))
def function_of_tables(s: Session, text):
    s.get("/Tables", query={"$filter": text}).fails(NOT_IMPLEMENTED, more=UNSETTLED)


@check("Arithmetic is not implemented: {text}", UNSUPPORTED,
       product(text=[f"n {name} 2 eq 4" for name in ("add", "sub", "mul", "div", "mod")]))
def arithmetic(s: Session, text):
    s.get(f"/{s.table}()", query={"$filter": text}).fails(NOT_IMPLEMENTED, more=UNSETTLED)


OPTIONS = doc(QUERYING, "Additional query options defined by OData are not supported by the Table service.")


@check("The option {option} is not implemented for {what}", OPTIONS,
       product(option=["$orderby=RowKey", "$skip=1", "$expand=x", "$inlinecount=allpages"],
               what={"entities": True, "tables": False}))
def option(s: Session, option, what):
    s.get(f"/{s.table}()" if what else "/Tables", query=option).fails(NOT_IMPLEMENTED, more=UNSETTLED)
