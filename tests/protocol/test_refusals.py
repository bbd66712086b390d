"""Refusals of access as one table: each refused request, and the most similar accepted request.

Each row is two tests: the refused request, with its complete response and an unchanged store, and its accepted twin.
The operations, and how credentials are written, are in tests/support/access.py.

Source, unless a row says otherwise: learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key,
.../create-account-sas, .../create-service-sas, .../define-stored-access-policy and .../common-rest-api-error-codes.
"""
import re
from typing import NamedTuple

import pytest

from access import (
    BATCHED,
    SINGLE,
    AccountSas,
    Both,
    In,
    LeftOut,
    Nothing,
    Refusal,
    SharedKey,
    TableSas,
    ToAccount,
    Twice,
    ask,
    check_let_in,
    prepare,
    state,
)
from answers import ABSENT, NOT_AUTHENTICATED
from rocktable_server import Server, create_table, delete_table, send

# --- how the service refuses ----------------------------------------------------------------------

NOT_AUTHORIZED = "This request is not authorized to perform this operation"
CHALLENGE = re.compile(
    r"Bearer authorization_uri=https://login\.microsoftonline\.com/[0-9a-f-]{36}/oauth2/authorize "
    r"resource_id=https://storage\.azure\.com"
)

# Recorded: 401 with the usual headers, 403 of a wrong signature without version; the reason phrase is the message.
NO_CREDENTIALS = Refusal(
    401,
    "NoAuthenticationInformation",
    "Server failed to authenticate the request. Please refer to the information in the www-authenticate header.",
    front_end=True,
    headers={"WWW-Authenticate": CHALLENGE},
)
# Recorded with version 2016-05-31.
HIDDEN = Refusal(404, "ResourceNotFound", ABSENT, front_end=True, without=("x-ms-error-code",))
NOT_AUTHENTIC = Refusal(403, "AuthenticationFailed", NOT_AUTHENTICATED, front_end=True, without=("x-ms-version",))
MALFORMED = Refusal(
    400,
    "InvalidAuthenticationInfo",
    "Authentication information is not given in the correct format. Check the value of Authorization header.",
    front_end=True,
)
BAD_HEADER = Refusal(
    400, "InvalidHeaderValue", "The value for one of the HTTP headers is not in the correct format.", front_end=True
)
# Recorded for a role and for a key range: in the table layer's JSON, without x-ms-error-code.
NO_PERMISSION = Refusal(403, "AuthorizationPermissionMismatch", f"{NOT_AUTHORIZED} using this permission.")
NO_RESOURCE_TYPE = Refusal(403, "AuthorizationResourceTypeMismatch", f"{NOT_AUTHORIZED} using this resource type.")
OUT_OF_REACH = Refusal(403, "AuthorizationFailure", f"{NOT_AUTHORIZED}.")
NOT_FOUND = Refusal(404, "ResourceNotFound", ABSENT)
NO_ACCOUNT = NOT_FOUND._replace(front_end=True)
LEFT_OUT = LeftOut()
WRONG_SERVICE = Refusal(403, "AuthorizationServiceMismatch", f"{NOT_AUTHORIZED} using this service.", True)
WRONG_PROTOCOL = Refusal(403, "AuthorizationProtocolMismatch", f"{NOT_AUTHORIZED} using this protocol.", True)
WRONG_ADDRESS = Refusal(
    403, "AuthorizationSourceIPMismatch", f"{NOT_AUTHORIZED} using this source IP 127.0.0.1.", True
)


class Row(NamedTuple):
    rule: str  # a sentence, the name of both tests
    operation: str
    refused: object
    let_in: object
    refusal: object
    refused_key: tuple = ("p", "r")
    let_in_key: tuple = ("p", "r")
    position: int = 0  # of the failed operation in a batch


# --- permissions of each operation ----------------------------------------------------------------

# operation: resource type, letters that an account SAS needs, letters that a table SAS needs (None: never permitted)
NEEDS = {
    "get service properties": ("s", "r", None),
    "set service properties": ("s", "w", None),
    "get service stats": ("s", "r", None),
    "list tables": ("c", "l", None),
    "get table": ("c", "l", None),
    "create table": ("c", "c or w", None),
    "delete table": ("c", "d", None),
    "query entities": ("o", "r", "r"),
    "get entity": ("o", "r", "r"),
    "insert entity": ("o", "a", "a"),
    "update entity": ("o", "u", "u"),
    "merge entity": ("o", "u", "u"),
    "merge entity by MERGE": ("o", "u", "u"),
    "merge entity by X-HTTP-Method": ("o", "u", "u"),
    "insert or replace": ("o", "au", "au"),
    "insert or merge": ("o", "au", "au"),
    "insert or merge by MERGE": ("o", "au", "au"),
    "delete entity": ("o", "d", "d"),
}
# In a batch, each operation needs the same permissions as a single one; the batch itself needs none.
NEEDS |= {f"{name} in a batch": NEEDS[name] for name in BATCHED}
ACCOUNT_LETTERS, TABLE_LETTERS = "rwdlacu", "raud"


def without(letters, taken):
    return "".join(letter for letter in letters if letter not in taken)


def rows_of_needs(operation, resource_type, account_letters, table_letters):
    choices = account_letters.split(" or ")
    for granted in choices:
        for letter in [account_letters] if len(choices) > 1 else granted:
            yield Row(
                f"{operation} needs {letter} of an account SAS and {granted} will do",
                operation,
                AccountSas(sp=without(ACCOUNT_LETTERS, letter)),
                AccountSas(sp=granted, srt=resource_type),
                NO_PERMISSION,
            )
    yield Row(
        f"{operation} needs the resource type {resource_type} of an account SAS",
        operation,
        AccountSas(srt=without("sco", resource_type)),
        AccountSas(srt=resource_type),
        NO_RESOURCE_TYPE,
    )
    for letter in table_letters or "":
        yield Row(
            f"{operation} needs {letter} of a table SAS and {table_letters} will do",
            operation,
            TableSas(sp=without(TABLE_LETTERS, letter)),
            TableSas(sp=table_letters),
            NO_PERMISSION,
        )
    yield Row(
        f"{operation} is " + ("for the table of a table SAS alone" if table_letters else "not for a table SAS"),
        operation,
        TableSas(of="other") if table_letters else TableSas(),
        TableSas() if table_letters else AccountSas(),
        OUT_OF_REACH,  # decision: the code
    )


PERMISSIONS = [row for operation, needs in NEEDS.items() for row in rows_of_needs(operation, *needs)]

# Source: learn.microsoft.com/rest/api/storageservices/set-table-acl; Microsoft's SDK tests assert the 403.
POLICIES_ARE_FOR_THE_KEY = [
    Row("get table ACL is not for an account SAS", "get table ACL", AccountSas(), SharedKey(), NO_PERMISSION),
    Row("set table ACL is not for an account SAS", "set table ACL", AccountSas(), SharedKey(), NO_PERMISSION),
    Row("get table ACL is not for a table SAS", "get table ACL", TableSas(), SharedKey(), OUT_OF_REACH),
    Row("set table ACL is not for a table SAS", "set table ACL", TableSas(), SharedKey(), OUT_OF_REACH),
]

# If one operation is not granted, the whole batch is refused, and nothing is written.
MIXED = "a batch of insert and delete"
INSERTS = "a batch of two inserts"
BATCHES = [
    Row("a batch needs each letter of an account SAS", MIXED, AccountSas(sp="ar"), AccountSas(sp="ad"), NO_PERMISSION,
        position=1),
    Row("a batch needs each letter of a table SAS", MIXED, TableSas(sp="ar"), TableSas(sp="ad"), NO_PERMISSION,
        position=1),
    Row("a batch tells its first operation that is not granted", MIXED, TableSas(sp="rd"), TableSas(sp="da"),
        NO_PERMISSION),
    Row("a batch lies in the key range with its last operation, too", INSERTS, TableSas(epk="p", erk="r"),
        TableSas(epk="p", erk="r+"), OUT_OF_REACH, position=1),
]

# --- conditions of a signature --------------------------------------------------------------------

LIST, QUERY, GET, INSERT, UPDATE = "list tables", "query entities", "get entity", "insert entity", "update entity"

SERVICES = [
    Row(f"ss={services} does not name the table service", LIST, AccountSas(ss=services), AccountSas(ss=services + "t"),
        WRONG_SERVICE)
    for services in ("b", "q", "f", "bqf")
]

ADDRESSES = [
    Row(f"sip={refused} does not hold 127.0.0.1 and {let_in} does", QUERY, kind(sip=refused), kind(sip=let_in),
        WRONG_ADDRESS)
    for kind, refused, let_in in [
        (AccountSas, "127.0.0.2", "127.0.0.1"),
        (TableSas, "10.0.0.1", "127.0.0.1"),
        (AccountSas, "127.0.0.2-127.0.0.9", "127.0.0.1-127.0.0.9"),
        (TableSas, "126.0.0.0-127.0.0.0", "126.0.0.0-127.0.0.1"),
        (TableSas, "127.0.0.1-127.0.0.0", "127.0.0.1-127.0.0.1"),
        (AccountSas, "128.0.0.0-255.255.255.255", "0.0.0.0-255.255.255.255"),
        (AccountSas, "127.0.0", "127.0.0.0-127.0.0.255"),
        (TableSas, "127.0.0.1-", "127.0.0.1-127.0.0.2"),
        (AccountSas, "127.0.0.0/8", "127.0.0.0-127.255.255.255"),
        (TableSas, "::ffff:127.0.0.1", "127.0.0.1-128.0.0.0"),
        (AccountSas, "localhost", "126.0.0.0-128.0.0.0"),
    ]
]

PROTOCOLS = [
    Row("an account SAS for HTTPS does not open HTTP", LIST, AccountSas(spr="https"), AccountSas(spr="https,http"),
        WRONG_PROTOCOL),
    Row("a table SAS for HTTPS does not open HTTP", QUERY, TableSas(spr="https"), TableSas(spr="https,http"),
        WRONG_PROTOCOL),
    Row("a SAS cannot be for HTTP alone", QUERY, TableSas(spr="http"), TableSas(), NOT_AUTHENTIC),
]

TIMES = [
    row
    for kind, name in ((AccountSas, "an account SAS"), (TableSas, "a table SAS"))
    for row in [
        Row(f"{name} ends with its expiry", QUERY, kind(se=In(-1)), kind(se=In(5)), NOT_AUTHENTIC),
        Row(f"{name} begins with its start", QUERY, kind(st=In(5)), kind(st=In(0)), NOT_AUTHENTIC),
        Row(f"{name} may have a date for a start", QUERY, kind(st="2099-01-01"), kind(st="2020-01-01"), NOT_AUTHENTIC),
        Row(f"{name} may have a date for an expiry", QUERY, kind(se="2020-01-01"), kind(se="2099-01-01"),
            NOT_AUTHENTIC),
        Row(f"{name} has a time for an expiry", QUERY, kind(se="soon"), kind(se="2099-01-01T00:00Z"), NOT_AUTHENTIC),
        Row(f"{name} has a time for a start", QUERY, kind(st="soon"), kind(st="2020-01-01T00:00Z"), NOT_AUTHENTIC),
    ]
]

# --- required fields of a signature ---------------------------------------------------------------

# Signed without the field, so that the signature is right.
MISSING = [
    row
    for kind, name, operation, fields in [
        (AccountSas, "an account SAS", LIST, ("sv", "ss", "srt", "sp", "se")),
        (TableSas, "a table SAS", QUERY, ("sv", "tn", "sp", "se")),
    ]
    for row in [
        *[Row(f"{name} needs {field}", operation, kind(**{field: None}), kind(), NOT_AUTHENTIC) for field in fields],
        *[Row(f"{name} needs a value of {field}", operation, kind(**{field: ""}), kind(), NOT_AUTHENTIC)
          for field in fields if field != "tn"],
        Row(f"{name} without sig is no credentials at all", operation, kind(after={"sig": None}), kind(),
            NO_CREDENTIALS),
        Row(f"{name} needs a value of sig", operation, kind(after={"sig": ""}), kind(), NOT_AUTHENTIC),
    ]
] + [
    Row("srk needs spk", QUERY, TableSas(srk="0"), TableSas(spk="p", srk="0"), NOT_AUTHENTIC),
    Row("erk needs epk", QUERY, TableSas(erk="z"), TableSas(epk="p", erk="z"), NOT_AUTHENTIC),
]

# The string to sign depends on the version; the layout of another version gives another signature.
LAYOUTS = [
    Row(f"{name} of {version} is not signed as in {other}", QUERY, kind(sv=version, layout=other, **more),
        kind(sv=version, **more), NOT_AUTHENTIC)
    for kind, name, version, other, more in [
        (TableSas, "a table SAS", "2012-02-12", "2015-02-21", {}),
        (TableSas, "a table SAS", "2013-08-15", "2015-04-05", {}),
        (TableSas, "a table SAS", "2014-02-14", "2015-02-21", {}),
        (TableSas, "a table SAS", "2015-02-21", "2014-02-14", {}),
        (TableSas, "a table SAS", "2015-04-05", "2015-02-21", {"sip": "127.0.0.1"}),
        (TableSas, "a table SAS", "2018-11-09", "2015-02-21", {"spr": "https,http"}),
        (TableSas, "a table SAS", "2020-12-06", "2014-02-14", {}),
        (TableSas, "a table SAS", "2026-06-06", "2014-02-14", {}),
        (AccountSas, "an account SAS", "2015-04-05", "2020-12-06", {}),
        (AccountSas, "an account SAS", "2018-11-09", "2020-12-06", {}),
        (AccountSas, "an account SAS", "2020-10-02", "2020-12-06", {}),
        (AccountSas, "an account SAS", "2020-12-06", "2020-10-02", {"ses": "scope"}),
        (AccountSas, "an account SAS", "2021-02-12", "2020-10-02", {}),
        (AccountSas, "an account SAS", "2026-06-06", "2020-10-02", {"ses": "scope"}),
    ]
] + [
    Row("there is no table SAS before 2012-02-12", QUERY, TableSas(sv="2011-08-18"), TableSas(sv="2012-02-12"),
        NOT_AUTHENTIC),
    Row("there is no account SAS before 2015-04-05", QUERY, AccountSas(sv="2015-02-21"), AccountSas(sv="2015-04-05"),
        NOT_AUTHENTIC),
    Row("a version is a date", QUERY, TableSas(sv="newest"), TableSas(sv="2019-07-07"), NOT_AUTHENTIC),
]

# --- stored access policies -----------------------------------------------------------------------

POLICY = {"start": "2020-01-01", "expiry": In(3600), "permission": "r"}


def by_policy(policy=POLICY, **fields):
    """Returns a signature whose permissions and times are in the policy `id`."""
    return TableSas(policy=policy, **{"si": "id", "sp": None, "se": None} | fields)


def stored(**changes):
    return by_policy(POLICY | changes)


STORED_POLICIES = [
    Row("a policy gives the permission", INSERT, stored(), stored(permission="ra"), NO_PERMISSION),
    Row("a policy gives the expiry", QUERY, stored(expiry=In(-1)), stored(expiry=In(5)), NOT_AUTHENTIC),
    Row("a policy gives the start", QUERY, stored(start=In(5)), stored(start=In(0)), NOT_AUTHENTIC),
    Row("a signature names a policy that there is", QUERY, by_policy(si="absent"), by_policy(), NOT_AUTHENTIC),
    Row("the name of a policy has its case", QUERY, by_policy(si="ID"), by_policy(si="id"), NOT_AUTHENTIC),
    Row("a policy counts for its own table", QUERY, by_policy(of="other"), by_policy(), NOT_AUTHENTIC),
    Row("sp stands in one place alone", QUERY, by_policy(sp="r"), by_policy(POLICY | {"permission": ""}, sp="r"),
        NOT_AUTHENTIC),
    Row("se stands in one place alone", QUERY, by_policy(se=In(60)), by_policy(POLICY | {"expiry": ""}, se=In(60)),
        NOT_AUTHENTIC),
    Row("st stands in one place alone", QUERY, by_policy(st=In(-60)), by_policy(POLICY | {"start": ""}, st=In(-60)),
        NOT_AUTHENTIC),
    Row("sp stands in one place at least", QUERY, stored(permission=""), stored(), NOT_AUTHENTIC),
    Row("se stands in one place at least", QUERY, stored(expiry=""), stored(), NOT_AUTHENTIC),
    Row("a policy may be empty", INSERT, by_policy({}, sp="r", se=In(60)), by_policy({}, sp="a", se=In(60)),
        NO_PERMISSION),
    Row("the name of the policy is signed", QUERY, by_policy(after={"si": "other"}), by_policy(), NOT_AUTHENTIC),
]

# --- tables and key ranges ------------------------------------------------------------------------

TABLES = [
    Row(f"the name of the table in a table SAS is taken in {case} case", QUERY, TableSas(of="other"),
        TableSas(spell=spell), OUT_OF_REACH)
    for case, spell in (("lower", str.lower), ("upper", str.upper))
] + [
    Row("the name of the table is signed", QUERY, TableSas(after={"tn": "other"}), TableSas(), NOT_AUTHENTIC),
]

# limits, a key outside, a key inside: exactly on the limit if possible
RANGES = [
    ({"spk": "b"}, ("a", "9"), ("b", "")),
    ({"epk": "b"}, ("b0", ""), ("b", "9")),
    ({"spk": "b", "srk": "2"}, ("b", "1"), ("b", "2")),
    ({"epk": "b", "erk": "2"}, ("b", "20"), ("b", "2")),
    ({"spk": "b", "srk": "2"}, ("a", "3"), ("c", "1")),  # row keys apply only to the first and the last partition
    ({"epk": "b", "erk": "2"}, ("c", "1"), ("a", "3")),
    ({"spk": "b", "epk": "b"}, ("c", "1"), ("b", "1")),
    ({"spk": "a", "srk": "2", "epk": "c", "erk": "1"}, ("c", "2"), ("b", "9")),
]
BOUND = ["get entity", "insert entity", "update entity", "merge entity by MERGE", "insert or replace",
         "insert or merge", "delete entity"]
BOUND += [f"{name} in a batch" for name in BOUND]


def refusal_beyond(operation):
    """Recorded for an insert; Microsoft's SDK tests assert the 404."""
    if operation == QUERY:
        return LEFT_OUT
    return NOT_FOUND if operation.startswith("get entity") else OUT_OF_REACH


KEY_RANGES = [
    Row(f"{operation} is for {within} and not {beyond} by " + " ".join(f"{name}={key}" for name, key in limits.items()),
        operation, TableSas(**limits), TableSas(**limits), refusal_beyond(operation), beyond, within)
    for operation in [QUERY] + BOUND
    for limits, beyond, within in RANGES
]

# --- the signature itself -------------------------------------------------------------------------

OTHER_KEY = "bm90IHRoZSBrZXk="
SIGNED_FIELDS = [
    Row(f"{name} is signed with its {field} and not " + (f"with {value}" if value else "without"), QUERY,
        kind(**signed, after={field: value}), kind(**signed), NOT_AUTHENTIC)
    for kind, name, signed, field, value in [
        (AccountSas, "an account SAS", {"sp": "r"}, "sp", "rwdlacu"),
        (AccountSas, "an account SAS", {"srt": "o"}, "srt", "sco"),
        (AccountSas, "an account SAS", {"ss": "t"}, "ss", "bqft"),
        (AccountSas, "an account SAS", {}, "se", "2099-01-01"),
        (AccountSas, "an account SAS", {}, "st", "2020-01-01"),
        (AccountSas, "an account SAS", {"sip": "127.0.0.1"}, "sip", None),
        (AccountSas, "an account SAS", {"spr": "https,http"}, "spr", None),
        (AccountSas, "an account SAS", {}, "sv", "2019-07-07"),
        (AccountSas, "an account SAS", {"sv": "2021-02-12"}, "ses", "scope"),
        (TableSas, "a table SAS", {"sp": "r"}, "sp", "raud"),
        # decision: permissions in another order than signed are not accepted
        (TableSas, "a table SAS", {"sp": "ra"}, "sp", "ar"),
        (TableSas, "a table SAS", {}, "se", "2099-01-01"),
        (TableSas, "a table SAS", {}, "st", "2020-01-01"),
        (TableSas, "a table SAS", {"sip": "127.0.0.1"}, "sip", None),
        (TableSas, "a table SAS", {"spr": "https,http"}, "spr", None),
        (TableSas, "a table SAS", {}, "sv", "2019-07-07"),
        (TableSas, "a table SAS", {"spk": "p"}, "spk", None),
        (TableSas, "a table SAS", {"spk": "p", "srk": "a"}, "srk", None),
        (TableSas, "a table SAS", {"epk": "p"}, "epk", "q"),
        (TableSas, "a table SAS", {"epk": "p", "erk": "s"}, "erk", None),
        (TableSas, "a table SAS", {}, "si", "id"),
    ]
]

KEYS = [
    Row("another key does not sign an account SAS", QUERY, AccountSas(key=OTHER_KEY), AccountSas(), NOT_AUTHENTIC),
    Row("another key does not sign a table SAS", QUERY, TableSas(key=OTHER_KEY), TableSas(), NOT_AUTHENTIC),
    *[
        Row(f"another key does not sign {scheme} for {operation}", operation, SharedKey(scheme, key=OTHER_KEY),
            SharedKey(scheme), NOT_AUTHENTIC)
        for scheme in ("SharedKey", "SharedKeyLite")
        for operation in SINGLE
    ],
    *[
        Row(f"{scheme} is of the account in the URL", QUERY, SharedKey(scheme, name="otheraccount"), SharedKey(scheme),
            NOT_AUTHENTIC)
        for scheme in ("SharedKey", "SharedKeyLite")
    ],
    *[
        Row(f"{kind.__name__} opens its own account and none that is not there", QUERY, ToAccount("nobody", kind()),
            kind(), NO_ACCOUNT)
        for kind in (SharedKey, AccountSas, TableSas)
    ],
    Row("SharedKeyLite may name the secondary location", QUERY, SharedKey(name="other-secondary"),
        SharedKey(name="devstoreaccount1-secondary"), NOT_AUTHENTIC),
]

WHAT_IS_SIGNED = [
    Row(f"SharedKey signs the method of {operation}", operation, SharedKey("SharedKey", signed={"method": "HEAD"}),
        SharedKey("SharedKey"), NOT_AUTHENTIC)
    for operation in SINGLE
] + [
    Row(f"{scheme} signs {what}", operation, SharedKey(scheme, signed={"target": change}), SharedKey(scheme),
        NOT_AUTHENTIC)
    for scheme in ("SharedKey", "SharedKeyLite")
    for what, operation, change in [
        ("the path", GET, ("RowKey='r'", "RowKey='s'")),
        ("the case of the path", LIST, ("Tables", "tables")),
        ("parentheses at the end of the path", QUERY, ("()", "")),
        ("comp that is added", "get table ACL", ("?comp=acl", "")),
        ("comp that is taken away", QUERY, ("()", "()?comp=acl")),
        ("the value of comp", "set service properties", ("comp=properties", "comp=stats")),
    ]
] + [
    Row(f"SharedKey signs {field}", UPDATE, SharedKey("SharedKey", headers={field: value}),
        SharedKey("SharedKey", headers={field: value}, signed={"headers": {field: value}}), NOT_AUTHENTIC)
    for field, value in [("Content-Type", "application/json;odata=nometadata"), ("Content-MD5", "bWQ1")]
] + [
    Row(f"SharedKeyLite does not sign {field}", UPDATE, SharedKey(key=OTHER_KEY, headers={field: value}),
        SharedKey(headers={field: value}), NOT_AUTHENTIC)
    for field, value in [("Content-Type", "application/json;odata=nometadata"), ("Content-MD5", "bWQ1")]
]

# --- dates ----------------------------------------------------------------------------------------

DATED = {"x-ms-date": None, "Date": SharedKey}  # the signed date, in the header Date
DATES = [
    row
    for scheme in ("SharedKey", "SharedKeyLite")
    for row in [
        Row(f"{scheme} is at most 15 minutes old", QUERY, SharedKey(scheme, minutes=-15 - 1 / 6),
            SharedKey(scheme, minutes=-15 + 1 / 6), NOT_AUTHENTIC),
        Row(f"{scheme} is at most 15 minutes ahead", QUERY, SharedKey(scheme, minutes=15 + 1 / 6),
            SharedKey(scheme, minutes=15 - 1 / 6), NOT_AUTHENTIC),
        Row(f"{scheme} in Date is at most 15 minutes old", QUERY,
            SharedKey(scheme, minutes=-15 - 1 / 6, headers=DATED),
            SharedKey(scheme, minutes=-15 + 1 / 6, headers=DATED), NOT_AUTHENTIC),
        Row(f"{scheme} is not replayed the other day", QUERY, SharedKey(scheme, date="Sat, 22 May 2021 23:05:14 GMT"),
            SharedKey(scheme), NOT_AUTHENTIC),
        Row(f"{scheme} needs a date", QUERY, SharedKey(scheme, date="", headers={"x-ms-date": None}),
            SharedKey(scheme), NOT_AUTHENTIC),
        *[Row(f"{scheme} needs a date and no {date}", QUERY, SharedKey(scheme, date=date), SharedKey(scheme),
              NOT_AUTHENTIC)
          for date in ("yesterday", "2026-05-22T23:05:14Z", "0", "Sat, 99 May 2021 23:05:14 GMT")],
        Row(f"{scheme} signs x-ms-date where there is Date as well", QUERY,
            SharedKey(scheme, headers={"x-ms-date": "Sat, 22 May 2021 23:05:14 GMT", "Date": SharedKey}),
            SharedKey(scheme, headers={"Date": "Sat, 22 May 2021 23:05:14 GMT"}), NOT_AUTHENTIC),
        Row(f"{scheme} takes x-ms-date even if it is none and Date is", QUERY,
            SharedKey(scheme, headers={"x-ms-date": "nonsense", "Date": SharedKey}),
            SharedKey(scheme, headers={"Date": "nonsense"}), NOT_AUTHENTIC),
    ]
]

# --- the header, and no header --------------------------------------------------------------------

SIGNED_PART = "devstoreaccount1:" + "A" * 43 + "="
AUTHORIZATION = [
    Row(f"{operation} needs credentials", operation, Nothing(), SharedKey(), NO_CREDENTIALS) for operation in SINGLE
] + [
    Row(f"without credentials version {version} is told so", QUERY, Nothing(x_ms_version=version),
        SharedKey(headers={"x-ms-version": version}),
        NO_CREDENTIALS._replace(headers=NO_CREDENTIALS.headers | {"x-ms-version": version}))
    for version in ("2020-12-06", "2025-07-05")  # recorded for the first
] + [
    Row(f"without credentials version {version} is told of no resource", QUERY, Nothing(x_ms_version=version),
        SharedKey(headers={"x-ms-version": version}),
        HIDDEN._replace(headers=HIDDEN.headers | {"x-ms-version": version}))
    for version in ("2016-05-31", "2020-10-02")  # recorded for the first
] + [
    Row(f"the header is a scheme, an account and a signature and not {value or 'empty'}", QUERY,
        Nothing(Authorization=value), SharedKey(), refusal)
    for value, refusal in [
        ("", NO_CREDENTIALS),
        ("SharedKey", MALFORMED),
        ("SharedKeyLite", MALFORMED),
        ("SharedKeyLite devstoreaccount1", MALFORMED),
        ("nonsense", MALFORMED),
        (SIGNED_PART, MALFORMED),
        ("Nonsense " + SIGNED_PART, MALFORMED),
        ("Basic YTpi", MALFORMED),
        ("SharedKeyLite devstoreaccount1:", NOT_AUTHENTIC),
        ("SharedKeyLite devstoreaccount1:%%%", NOT_AUTHENTIC),
        ("SharedKeyLite :" + "A" * 43 + "=", NOT_AUTHENTIC),
        ("SharedKeyLite " + SIGNED_PART, NOT_AUTHENTIC),
        ("SharedKey " + SIGNED_PART, NOT_AUTHENTIC),
    ]
] + [
    Row(f"the scheme may be spelled {scheme}", QUERY, SharedKey(scheme, key=OTHER_KEY), SharedKey(scheme),
        NOT_AUTHENTIC)  # RFC 9110, section 11.1
    for scheme in ("sharedkeylite", "SHAREDKEYLITE")
] + [
    Row("Authorization wins over an account SAS", QUERY, Both(SharedKey(key=OTHER_KEY), AccountSas()),
        Both(SharedKey(), AccountSas(key=OTHER_KEY)), NOT_AUTHENTIC),
    Row("Authorization wins over a table SAS", INSERT, Both(SharedKey(key=OTHER_KEY), TableSas()),
        Both(SharedKey(), TableSas(sp="r")), NOT_AUTHENTIC),
]

# --- repeated values ------------------------------------------------------------------------------

# Decision: one of two values is checked, and a proxy or a reader of the log may use the other one.
TWICE = [
    Row(f"{scheme} comes once and not with {what} {'in front' if in_front else 'behind'}", QUERY,
        Twice(SharedKey(scheme), header=header, other=other, in_front=in_front), SharedKey(scheme), refusal)
    for scheme in ("SharedKey", "SharedKeyLite")
    for in_front in (False, True)
    for what, header, other, refusal in [
        ("itself", "Authorization", None, MALFORMED),
        ("an empty Authorization", "Authorization", "", MALFORMED),
        ("another signature", "Authorization", "SharedKeyLite " + SIGNED_PART, MALFORMED),
        ("another scheme", "Authorization", "Bearer x", MALFORMED),
        ("the same date", "x-ms-date", None, BAD_HEADER),
        ("another date", "x-ms-date", "Sat, 22 May 2021 23:05:14 GMT", BAD_HEADER),
    ]
] + [
    Row(f"{field} comes once in {name} and not with {other or 'itself'} {'in front' if in_front else 'behind'}", QUERY,
        Twice(kind, field=field, other=other, in_front=in_front), kind, NOT_AUTHENTIC)
    for name, kind, values in [
        ("an account SAS", AccountSas(st=In(-60), sip="127.0.0.1", spr="https,http"),
         {"sv": "2020-12-06", "ss": "b", "srt": "s", "sp": "l", "st": "2020-01-01", "se": "2099-01-01",
          "sip": "0.0.0.0-255.255.255.255", "spr": "https", "sig": "AAAA"}),
        ("a table SAS", TableSas(st=In(-60), spk="a", srk="a", epk="z", erk="z"),
         {"sv": "2015-04-05", "tn": "other", "sp": "r", "st": "2020-01-01", "se": "2099-01-01", "spk": "p",
          "srk": "b", "epk": "zz", "erk": "y", "sig": "AAAA"}),
    ]
    for field, value in values.items()
    for other in (None, value)
    for in_front in (False, True)
] + [
    Row("si comes once", QUERY, Twice(by_policy(), field="si", other="absent"), by_policy(), NOT_AUTHENTIC),
    Row("comp comes once", "get service properties", Twice(SharedKey(), field="comp", other="stats"), SharedKey(),
        Refusal(400, "InvalidQueryParameterValue",
                "Value for one of the query parameters specified in the request URI is invalid.", front_end=True)),
]

# --- accounts with two keys -----------------------------------------------------------------------

FIRST_KEY, SECOND_KEY = OTHER_KEY, "dGhlIHNlY29uZCBrZXk="
TWO_KEYS = [
    Row(f"{kind.__name__} may be made with {key} of its account and no other account's", QUERY,
        kind(key="bm90IGEga2V5"), kind(key=value), NOT_AUTHENTIC)
    for kind in (SharedKey, AccountSas, TableSas)
    for key, value in (("the first key", FIRST_KEY), ("the second key", SECOND_KEY))
]

# --- the order of checks --------------------------------------------------------------------------

# Each row corrects the error of the row before. Without a valid signature, a client learns nothing else.
ALL_WRONG = {"ss": "b", "se": In(-1), "sip": "10.0.0.1", "spr": "https", "srt": "s", "sp": "r"}
IN_TIME = ALL_WRONG | {"se": In(60)}
FROM_HERE = IN_TIME | {"sip": "127.0.0.1"}
BY_HTTP = FROM_HERE | {"spr": "https,http"}
FOR_TABLES = BY_HTTP | {"ss": "t"}
FOR_ENTITIES = FOR_TABLES | {"srt": "o"}
ORDER = [
    Row(f"{rule} comes first" if number == 0 else f"{rule} comes next", INSERT, AccountSas(**fields),
        AccountSas(**FOR_ENTITIES | {"sp": "a"}), refusal)
    for number, (rule, fields, refusal) in enumerate([
        ("the signature", IN_TIME | {"key": OTHER_KEY}, NOT_AUTHENTIC),
        ("the time", ALL_WRONG, NOT_AUTHENTIC),
        ("the address", IN_TIME, WRONG_ADDRESS),
        ("the protocol", FROM_HERE, WRONG_PROTOCOL),
        ("the service", BY_HTTP, WRONG_SERVICE),
        ("the resource type", FOR_TABLES, NO_RESOURCE_TYPE),
        ("the permission", FOR_ENTITIES, NO_PERMISSION),
    ])
] + [
    Row("the permission comes before the key range", INSERT, TableSas(sp="r", epk="a"), TableSas(sp="a", epk="z"),
        NO_PERMISSION),
]

ROWS = [
    *PERMISSIONS, *POLICIES_ARE_FOR_THE_KEY, *BATCHES, *SERVICES, *ADDRESSES, *PROTOCOLS, *TIMES, *MISSING, *LAYOUTS,
    *STORED_POLICIES, *TABLES, *KEY_RANGES, *SIGNED_FIELDS, *KEYS, *WHAT_IS_SIGNED, *DATES, *AUTHORIZATION, *TWICE,
    *ORDER,
]

# --- the tests ------------------------------------------------------------------------------------


@pytest.fixture
def sample(server, table):
    """Returns the name of a new table. Tables that operations derive from it are deleted."""
    yield table
    for suffix in "xy":
        send(server, "DELETE", f"/Tables('{table}{suffix}')")


each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.rule)


@each_row
def test_refused(server, sample, row):
    prepare(server, sample, row.operation, row.refused_key)
    row.refused.arrange(server, sample)
    before = state(server, sample)
    answer = ask(server, sample, row.operation, row.refused, row.refused_key)
    row.refusal.check(answer, row.operation, row.position, row.refused_key)
    assert state(server, sample) == before


@each_row
def test_let_in(server, sample, row):
    prepare(server, sample, row.operation, row.let_in_key)
    row.let_in.arrange(server, sample)
    check_let_in(ask(server, sample, row.operation, row.let_in, row.let_in_key), row.operation, row.let_in_key)


@pytest.fixture(scope="module")
def two_keys():
    """A server whose account has two keys."""
    server = Server(environment={"AZURITE_ACCOUNTS": f"devstoreaccount1:{FIRST_KEY}:{SECOND_KEY}"})
    if server.key != FIRST_KEY:
        server.stop()
        pytest.skip("the server takes no account with two keys yet")
    yield server
    server.stop()


@pytest.mark.parametrize("row", TWO_KEYS, ids=lambda row: row.rule)
def test_two_keys(two_keys, row):
    table = create_table(two_keys)
    prepare(two_keys, table, row.operation, row.let_in_key)
    answer = ask(two_keys, table, row.operation, row.refused, row.refused_key)
    row.refusal.check(answer, row.operation, row.position, row.refused_key)
    check_let_in(ask(two_keys, table, row.operation, row.let_in, row.let_in_key), row.operation, row.let_in_key)
    delete_table(two_keys, table)


def test_no_rule_is_told_twice():
    assert len({row.rule for row in ROWS}) == len(ROWS)
    assert all(name in {row.operation for row in ROWS} for name in SINGLE)
