"""Table SAS: permissions, ranges of keys, names of tables, stored access policies, versions, signatures."""
from __future__ import annotations

from typing import Callable, Dict, List, Optional, Sequence, Tuple

from cases.access_operations import ENTITIES, PROPERTIES, STATS, Operation, forbidden
from conformance import (
    XML,
    Batch,
    Change,
    Session,
    account_sas,
    check,
    doc,
    failed,
    inferred,
    inserted_no_content,
    product,
    rec,
    rows,
    table_sas,
    utc,
)
from conformance.connection import Account
from conformance.errors import (
    AUTHENTICATION_FAILED,
    AUTHORIZATION_FAILURE,
    PERMISSION_MISMATCH,
    RESOURCE_NOT_FOUND,
)
from conformance.session import Exchange
from conformance.signing import Auth, add_query, sas_query, signature
from conformance.wire import Request

TOPIC = "access"
PAGE = "learn.microsoft.com/rest/api/storageservices/create-service-sas"
UPSERTS = doc(PAGE, "Add and Update permissions are required for upsert operations.")
BY_LETTERS = {("r",): rec("python/test_table_entity.test_sas_query"),
              ("a",): rec("python/test_table_entity.test_sas_add"),
              ("u",): rec("python/test_table_entity.test_sas_update"),
              ("d",): rec("python/test_table_entity.test_sas_delete"), ("au",): UPSERTS}
NARROW = rec("net-assets/ValidateSasCredentialsDuplicateTokenInUriAndCred(sp filled in)@29c528f")

PREFERENCES = {"no Prefer": None, "return-content": "return-content",
               "return-no-content": "return-no-content"}

# --- permissions ----------------------------------------------------------------------------------


@check("A table SAS with only the permission grants {operation}",
       lambda operation: BY_LETTERS[operation.letters], product(operation=ENTITIES), needs=["key"])
def granted(s: Session, operation: Operation):
    operation.run(s, table_sas(s.table, "".join(operation.letters)))


@check("A table SAS without the permission does not grant {operation}", NARROW,
       product(operation=ENTITIES), needs=["key"])
def not_granted(s: Session, operation: Operation):
    letters = "".join(one for one in "raud" if one not in operation.letters[0])
    operation.run(s, table_sas(s.table, letters), PERMISSION_MISMATCH)


@check("A table SAS with sp={letters} does not grant {operation}", UPSERTS,
       product(operation={name: one for name, one in ENTITIES.items() if one.letters == ("au",)},
               letters=["a", "u", "rad", "rud"]), needs=["key"])
def half_of_an_upsert(s: Session, operation: Operation, letters):
    operation.run(s, table_sas(s.table, letters), PERMISSION_MISMATCH)


BEYOND = doc(PAGE, "Containers, queues, and tables can't be created, deleted, or listed.")
OTHERS = {"Query Tables": ("GET", "/Tables"), "Get Table": ("GET", "/Tables('{}')"),
          "Create Table": ("POST", "/Tables"), "Delete Table": ("DELETE", "/Tables('{}')"),
          "Get Table Service Properties": ("GET", PROPERTIES)}


@check("A table SAS does not grant {operation}", BEYOND, product(operation=OTHERS), needs=["key"], requests=2)
def other_operations(s: Session, operation):
    method, path = operation
    name = s.new_table() if method == "DELETE" else s.table
    body = {"TableName": s.new_name()} if method == "POST" else None
    forbidden(s.send(method, path.format(name), body, auth=table_sas(name, "raud")))


@check("A table SAS does not grant Get Table Service Stats", BEYOND, needs=["key", "secondary"], requests=1)
def stats(s: Session):
    forbidden(s.get(STATS, secondary=True, auth=table_sas(s.table, "raud")))


@check("A table SAS with sp={letters} does not grant {method} of access policies",
       rec("cpp-assets/GetAccessPolicy-sas(sv,sp,se filled in)@0b3363c"),
       product(letters=["r", "raud"], method=["GET", "PUT"]), needs=["key"], requests=1)
def policies(s: Session, letters, method):
    body = "<SignedIdentifiers />" if method == "PUT" else None
    answer = s.send(method, f"/{s.table}?comp=acl", body, content_type=XML, auth=table_sas(s.table, letters))
    answer.fails(AUTHORIZATION_FAILURE)


INSERTS = {"a table SAS": False, "an account SAS": True}


@check("An insert with {sas} for reads is refused: {prefer}, Accept {accept}",
       rec("python/test_table_aad_async.test_insert_entity_dictionary"),
       product(sas=INSERTS, prefer=PREFERENCES, accept=["nometadata", "fullmetadata"]), needs=["key"])
def refused_insert(s: Session, sas, prefer, accept):
    auth = account_sas("r") if sas else table_sas(s.table, "r")
    s.insert({"n": 1}, prefer=prefer, accept=accept, auth=auth).fails(PERMISSION_MISMATCH)


# --- ranges of keys -------------------------------------------------------------------------------

RANGES = doc(PAGE, "Table queries return only results that are within the range, and attempts to use the "
                   "shared access signature to add, update, or delete entities outside this range will fail.")
OUTSIDE_INSERT = rec("python-assets/test_table_entity.sas_add_outside_range@0526594")
OUTSIDE_GET = rec("net-2024/ValidateSasCredentialsWithRowKeyAndPartitionKeyRanges")
FIELDS = {"spk": "first_partition", "srk": "first_row", "epk": "last_partition", "erk": "last_row"}


def bounded(text: str) -> Dict[str, str]:
    """Takes "spk=b,srk=2"."""
    return {FIELDS[item.split("=")[0]]: item.split("=")[1] for item in text.split(",") if text}


EVERY = ["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"]
SHOWN = {"spk=b": EVERY[3:], "epk=b": EVERY[:6], "spk=b,srk=2": EVERY[4:], "epk=b,erk=2": EVERY[:5],
         "spk=b,epk=b": EVERY[3:6], "spk=b,srk=2,epk=b,erk=2": EVERY[4:5],
         "spk=a,srk=2,epk=c,erk=2": EVERY[1:8], "spk=c,epk=a": []}


def nine_entities(s: Session) -> str:
    table = s.new_table()
    for partition in "abc":
        changes = [Change("POST", f"/{table}", {"PartitionKey": partition, "RowKey": row},
                          prefer="return-no-content") for row in "123"]
        s.batch(Batch(changes)).has([inserted_no_content(s.location(row, partition, table)) for row in "123"])
    return table


def shows(s: Session, table: str, keys: Sequence[str], auth: Optional[Auth], query: str = "") -> None:
    items = [s.documents.entity_item(table, key[0], key[1:], {}, "minimalmetadata") for key in keys]
    s.get(f"/{table}()", query=query, auth=auth).is_(200, s.documents.entities(table, items))


@check("A query with {bounds} shows the entities of the range", OUTSIDE_GET, product(bounds=[*SHOWN]),
       needs=["key"], requests=5)
def queried(s: Session, bounds):
    table = nine_entities(s)
    shows(s, table, SHOWN[bounds], table_sas(table, "r", **bounded(bounds)))


FILTERS = {"RowKey eq '3'": ["a3", "b3"], "PartitionKey eq 'c'": [],
           "PartitionKey ge 'b'": ["b1", "b2", "b3"]}


@check("A query with epk=b and the filter {text} shows what both allow", RANGES, product(text=[*FILTERS]),
       needs=["key"], requests=5)
def filtered(s: Session, text):
    table = nine_entities(s)
    shows(s, table, FILTERS[text], table_sas(table, "r", last_partition="b"),
          "$filter=" + text.replace(" ", "%20"))


@check("The end of a range is no prefix: {bounds}", RANGES,
       rows("bounds keys", [("epk=b", ["a1", "b1", "b11"]), ("epk=b,erk=1", ["a1", "b1"])]),
       needs=["key"], requests=6)
def prefixes(s: Session, bounds, keys):
    table = s.new_table()
    for partition, row in (("a", "1"), ("b", "1"), ("b", "11"), ("ba", "1")):
        s.given(row=row, partition=partition, table=table)
    shows(s, table, keys, table_sas(table, "r", **bounded(bounds)))


# The first key inside and the first one outside of each bound; a key beyond the row, in another partition.
POINTS: List[Tuple[str, str, bool]] = [
    ("spk=b", "b1", True), ("spk=b", "a3", False), ("epk=b", "b3", True), ("epk=b", "c1", False),
    ("spk=b,srk=2", "b2", True), ("spk=b,srk=2", "b1", False), ("spk=b,srk=2", "c1", True),
    ("epk=b,erk=2", "b2", True), ("epk=b,erk=2", "b3", False), ("epk=b,erk=2", "a3", True)]
WRITES = {"Insert Entity": ("POST", None, "a"), "Update Entity": ("PUT", "*", "u"),
          "Merge Entity": ("MERGE", "*", "u"), "Insert Or Replace Entity": ("PUT", None, "au"),
          "Insert Or Merge Entity": ("PATCH", None, "au"), "Delete Entity": ("DELETE", "*", "d")}
PLACES = [(bounds, key, "inside" if inside else "outside") for bounds, key, inside in POINTS]
WRITTEN = [(operation, *place) for operation in WRITES for place in PLACES]


@check("{operation} of {key} is {where} of {bounds}",
       lambda operation, where, **_: OUTSIDE_INSERT if where == "outside" else RANGES,
       rows("operation bounds key where", WRITTEN), needs=["key"], requests=3)
def written(s: Session, operation, bounds, key, where):
    method, match, letters = WRITES[operation]
    table = s.new_table()
    if match:
        s.given(row=key[1], partition=key[0], table=table)
    path = f"/{table}" if method == "POST" else s.entity_url(key[1], key[0], table)
    body = None if method == "DELETE" else {"PartitionKey": key[0], "RowKey": key[1], "n": 1}
    answer = s.send(method, path, body, if_match=match, prefer=None if match else "return-no-content",
                    auth=table_sas(table, letters, **bounded(bounds)))
    if where == "inside":
        answer.is_(204)
    else:
        answer.fails(AUTHORIZATION_FAILURE)


@check("Get Entity of {key} is {where} of {bounds}",
       lambda where, **_: OUTSIDE_GET if where == "outside" else RANGES,
       rows("bounds key where", PLACES), needs=["key"], requests=3)
def got(s: Session, bounds, key, where):
    table = s.new_table()
    s.given({"n": 1}, key[1], key[0], table)
    answer = s.get(s.entity_url(key[1], key[0], table), auth=table_sas(table, "r", **bounded(bounds)))
    if where == "inside":
        answer.is_(200, s.document({"n": 1}, row=key[1], partition=key[0], table=table))
    else:
        answer.fails(RESOURCE_NOT_FOUND)


@check("A change of a batch outside of the range refuses the batch", RANGES, needs=["key"], requests=3)
def batch_outside(s: Session):
    table = s.new_table()
    changes = [Change("POST", f"/{table}", {"PartitionKey": "b", "RowKey": row}, prefer="return-no-content")
               for row in "123"]
    auth = table_sas(table, "a", last_partition="b", last_row="2")
    s.batch(Batch(changes), auth=auth).has([failed(AUTHORIZATION_FAILURE, 2, prefer="return-no-content")])
    shows(s, table, [], None)


# --- the name of the table ------------------------------------------------------------------------

CAPITALS = rec("python/test_table_entity.test_sas_upper_case_table_name")


@check("tn is written in {form} case, the path in {path} case", CAPITALS,
       product(form={"upper": str.upper, "lower": str.lower, "its own": str},
               path={"upper": str.upper, "its own": str}), needs=["key"], requests=3)
def capitals(s: Session, form, path):
    table = s.new_table("Mixed")
    s.post(f"/{path(table)}", s.keys(), prefer="return-no-content", auth=table_sas(form(table), "a")).ok()
    s.get(s.entity_url(table=table)).is_(200, s.document({}, table=table))


@check("A table SAS is not valid for another table: {method}",
       doc(PAGE, "The tableName field specifies the name of the table to share."),
       product(method=["GET", "POST", "DELETE"]), needs=["key"], requests=3)
def other_table(s: Session, method):
    s.given({"n": 1})
    path = f"/{s.table}" if method == "POST" else s.entity_url()
    body = s.keys("new") if method == "POST" else None
    forbidden(s.send(method, path, body, if_match="*", auth=table_sas(s.new_table("other"), "raud")))
    s.get(s.entity_url()).is_(200, s.document({"n": 1}))


# --- versions and signatures ----------------------------------------------------------------------

LAYOUT = doc(PAGE, "String-to-sign for a table must include the additional parameters, even if they're empty "
                   "strings.")
Lines = List[str]


def signed_by_hand(table: str, version: str, short: bool, service: bool,
                   change: Optional[Callable[[Lines, Dict[str, str]], None]] = None) -> Auth:
    """`short`: without the lines of sip and spr. `service`: the resource begins with "/table"."""
    def auth(account: Account, request: Request) -> None:
        assert account.key
        fields = {"sv": version, "tn": table, "sp": "r", "se": utc(3600)}
        resource = ("/table" if service else "") + f"/{account.name}/{table.lower()}"
        lines = ["r", "", fields["se"], resource, ""] + ([] if short else ["", ""]) + [version] + [""] * 4
        if change:
            change(lines, fields)
        add_query(request, sas_query({**fields, "sig": signature(account.key, "\n".join(lines))}))
    return auth


# The version, whether its string to sign lacks sip and spr, whether its resource names the service.
VERSIONS = [("2012-02-12", True, False), ("2013-08-15", True, False), ("2014-02-14", True, False),
            ("2015-02-21", True, True), ("2015-04-05", False, True), ("2018-11-09", False, True),
            ("2020-12-06", False, True), ("2025-07-05", False, True)]


def get_with(s: Session, auth: Auth) -> Exchange:
    s.given({"n": 1})
    return s.get(s.entity_url(), auth=auth)


@check("A table SAS has the version {version}", LAYOUT, rows("version short service", VERSIONS),
       needs=["key"])
def versions(s: Session, version, short, service):
    get_with(s, signed_by_hand(s.table, version, short, service)).is_(200, s.document({"n": 1}))


@check("A table SAS of version {version} is refused with {what}", LAYOUT,
       rows("version short service what",
            [(version, not short, service, "the lines of other versions")
             for version, short, service in VERSIONS]
            + [(version, short, not service, "the resource of other versions")
               for version, short, service in VERSIONS]), needs=["key"])
def other_layout(s: Session, version, short, service, what):
    get_with(s, signed_by_hand(s.table, version, short, service)).fails(AUTHENTICATION_FAILED)


@check("There is no table SAS of version {version}",
       doc(PAGE, "A shared access signature that specifies a storage service version that's earlier than "
                 "2012-02-12 can share only a blob or container."),
       product(version=["2011-08-18", "2009-09-19"]), needs=["key"])
def too_old(s: Session, version):
    get_with(s, signed_by_hand(s.table, version, True, False)).fails(AUTHENTICATION_FAILED)


NUMBERS = {"sp": 0, "se": 2, "sv": 7}  # of the lines


WITHOUT_SP = rec("python-hist/test_table_entity_async.test_sas_query@0325f67")


@check("A table SAS without a policy needs {field}", lambda field: WITHOUT_SP if field == "sp" else LAYOUT,
       product(field=[*NUMBERS]), needs=["key"])
def required(s: Session, field):
    def change(lines: Lines, fields: Dict[str, str]) -> None:
        lines[NUMBERS[field]] = fields[field] = ""
    get_with(s, signed_by_hand(s.table, "2019-02-02", False, True, change)).fails(AUTHENTICATION_FAILED)


REPLACED = {"sp": "raud", "se": "2051-01-01", "st": "2021-01-01", "spr": "https,http",
            "sip": "0.0.0.0-255.255.255.255", "sv": "2018-03-28", "spk": "a", "epk": "z", "sig": "c2ln"}


@check("The signature of a table SAS covers {field}",
       inferred("What grants access must be signed, else anybody could change it."),
       product(field=[*REPLACED]), needs=["key"])
def covered(s: Session, field):
    get_with(s, table_sas(s.table, "r", **{field: REPLACED[field]})).fails(AUTHENTICATION_FAILED)


@check("The signature of a table SAS covers {field} where it is removed",
       inferred("What limits access must be signed, else anybody could remove it."),
       rows("field bound", [("spk", "first_partition"), ("epk", "last_partition")]), needs=["key"])
def removed(s: Session, field, bound):
    get_with(s, table_sas(s.table, "r", **{bound: "x", field: ""})).fails(AUTHENTICATION_FAILED)


@check("A table SAS of another table is refused under another tn", LAYOUT, needs=["key"])
def other_name(s: Session):
    get_with(s, table_sas(s.new_name(), "r", tn=s.table)).fails(AUTHENTICATION_FAILED)


@check("A table SAS needs the partition of a bound that has a row: {row}",
       doc(PAGE, "Optional, but startPk must accompany startRk."),
       product(row={"srk": {"first_row": "a"}, "erk": {"last_row": "z"}}), needs=["key"])
def row_alone(s: Session, row):
    get_with(s, table_sas(s.table, "r", **row)).fails(AUTHENTICATION_FAILED)
