"""Table SAS that name a stored access policy."""
from __future__ import annotations

from urllib.parse import quote

from cases.access_policies import document, policy
from cases.access_policies import put as set_policies
from conformance import (
    Session,
    check,
    doc,
    product,
    rec,
    rows,
    table_sas,
    utc,
)
from conformance.errors import AUTHENTICATION_FAILED, PERMISSION_MISMATCH

TOPIC = "access"
USED = rec("python/test_table_entity.test_sas_signed_identifier")
EXPIRED = rec("python-hist/test_table_entity.test_sas_signed_identifier@5350851")
SAS_PAGE = "learn.microsoft.com/rest/api/storageservices/create-service-sas"
ONCE = doc(SAS_PAGE, "You must omit this field if it has been specified in an associated stored access "
                     "policy.")


def table_with(s: Session, *policies: str) -> str:
    """Returns a new table with policies that apply, and with one entity."""
    table = s.new_table()
    s.given({"n": 1}, table=table)
    set_policies(s, table, document(*policies)).ok()
    s.wait_for_service()
    return table


def get_with(s: Session, table: str, name: str, permissions: str = "", **more: str):
    return s.get(s.entity_url(table=table), auth=table_sas(table, permissions, policy=name, **more))


# What the policy gives and what the SAS gives: start, expiry and permission.
SHARED = [
    ("all", "nothing", policy("p", utc(-60), utc(3600), "r"), {}),
    ("expiry and permission", "nothing", policy("p", utc(-60), utc(3600), "r"), {}),
    ("expiry", "the permission", policy("p", "", utc(3600)), {"permissions": "r"}),
    ("the permission", "expiry", policy("p", permission="r"), {"expiry": "2051-01-01"}),
    ("nothing", "all", policy("p"), {"permissions": "r", "start": "2021-01-01", "expiry": "2051-01-01"})]


@check("A policy gives {what}, the SAS {rest}", lambda what, **_: USED if what == "all" else ONCE,
       rows("what rest stored sent", SHARED), needs=["key"], requests=4)
def divided(s: Session, what, rest, stored, sent):
    table = table_with(s, stored)
    get_with(s, table, "p", **sent).is_(200, s.document({"n": 1}, table=table))


TWICE = {"Permission": {"permissions": "r"}, "Expiry": {"expiry": "2051-01-01"},
         "Start": {"start": "2021-01-01"}}


@check("A field may not be in the policy and in the SAS: {field}", ONCE, product(field=TWICE), needs=["key"],
       requests=4)
def in_both(s: Session, field):
    table = table_with(s, policy("p", utc(-60), utc(3600), "r"))
    get_with(s, table, "p", **field).fails(AUTHENTICATION_FAILED)


MISSING = {"an expiry": (policy("p", permission="r"), {}), "a permission": (policy("p", "", utc(3600)), {})}


@check("The policy or the SAS must have {what}", ONCE, product(what=MISSING), needs=["key"], requests=4)
def in_neither(s: Session, what):
    stored, sent = what
    get_with(s, table_with(s, stored), "p", **sent).fails(AUTHENTICATION_FAILED)


PERIODS = {"has expired": (-3600, -60), "is not yet valid": (600, 3600)}


@check("A policy that {what} grants nothing", EXPIRED, product(what=PERIODS), needs=["key"], requests=4)
def out_of_period(s: Session, what):
    start, end = what
    get_with(s, table_with(s, policy("p", utc(start), utc(end), "r")), "p").fails(AUTHENTICATION_FAILED)


@check("A policy with {letters} does not grant a read", ONCE, product(letters=["a", "aud"]), needs=["key"],
       requests=4)
def not_permitted(s: Session, letters):
    get_with(s, table_with(s, policy("p", utc(-60), utc(3600), letters)), "p").fails(PERMISSION_MISMATCH)


UNKNOWN = doc("learn.microsoft.com/rest/api/storageservices/define-stored-access-policy",
              "Deleting or renaming a stored access policy immediately affects all of the shared access "
              "signatures associated with it.")


@check("There is no policy {name}", UNKNOWN, product(name=["q", "P", "p ", "pp"]), needs=["key"], requests=4)
def unknown(s: Session, name):
    table = table_with(s, policy("p", utc(-60), utc(3600), "r"))
    get_with(s, table, name).fails(AUTHENTICATION_FAILED)


@check("A SAS ends with its policy: {how}", UNKNOWN,
       product(how={"removed": "", "renamed": policy("q", utc(-60), utc(3600), "r"),
                    "expired": policy("p", utc(-120), utc(-60), "r")}), needs=["key"], requests=7)
def ended(s: Session, how):
    table = table_with(s, policy("p", utc(-60), utc(3600), "r"))
    get_with(s, table, "p").ok()
    set_policies(s, table, document(how)).ok()
    s.wait_for_service()
    get_with(s, table, "p").fails(AUTHENTICATION_FAILED)


@check("The signature of a SAS covers si", UNKNOWN, needs=["key"], requests=4)
def covered(s: Session):
    table = table_with(s, policy("p", utc(-60), utc(3600), "r"), policy("q", utc(-60), utc(3600), "r"))
    get_with(s, table, "p", si="q").fails(AUTHENTICATION_FAILED)


@check("A policy of another table grants nothing", UNKNOWN, needs=["key"], requests=6)
def of_another_table(s: Session):
    table_with(s, policy("p", utc(-60), utc(3600), "r"))
    get_with(s, table_with(s), "p").fails(AUTHENTICATION_FAILED)


@check("A SAS names the second of two policies", USED, needs=["key"], requests=4)
def second(s: Session):
    table = table_with(s, policy("one", utc(-60), utc(3600), "a"),
                       policy("two", utc(-60), utc(3600), "r"))
    get_with(s, table, "two").is_(200, s.document({"n": 1}, table=table))
    get_with(s, table, "one").fails(PERMISSION_MISMATCH)


@check("A query with a policy and a filter is granted", USED, needs=["key"], requests=4)
def with_filter(s: Session):
    table = table_with(s, policy("p", utc(-60), utc(3600), "r"))
    item = s.documents.entity_item(table, s.pk, "r", {"n": 1}, "minimalmetadata")
    s.get(f"/{table}()", query="$filter=" + quote(f"PartitionKey eq '{s.pk}'"),
          auth=table_sas(table, policy="p")).is_(200, s.documents.entities(table, [item]))
