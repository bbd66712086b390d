"""Stored access policies: get and set the ACL of a table."""
from __future__ import annotations

from typing import Any, Dict, Optional

from conformance import (
    EMPTY,
    XML,
    Session,
    Xml,
    as_sent,
    check,
    doc,
    inferred,
    product,
    rec,
    rows,
)
from conformance.errors import (
    INVALID_RESOURCE_NAME,
    INVALID_XML_DOCUMENT,
    MEDIA_TYPE_NOT_SUPPORTED,
    NAME_LENGTH,
    TABLE_NOT_FOUND,
)

TOPIC = "access"
SET_PAGE = "learn.microsoft.com/rest/api/storageservices/set-table-acl"
SET = rec("python/test_table.test_set_table_acl_with_signed_identifiers")
SEVERAL = rec("python-assets/test_table.set_table_acl_with_empty_signed_identifier@8a03a54")
ORDERS = rec("go/TestSetMultipleAccessPolicies")
CLEARED = rec("go/TestSetAccessPolicy")
TOO_MANY = rec("python/test_table.test_set_table_acl_too_many_ids")
THREE_DIGITS = rec("python-hist/test_table.test_set_table_acl_with_signed_identifiers@8656ab1")
NAME_ERRORS = rec("python-assets/test_table_client.test_table_name_errors@4f55d47")
LEGACY = rec("go-legacy/StorageTableSuite/TestSetThenGetPermissionsSuccessfully")
DECLARATION = '<?xml version="1.0" encoding="utf-8"?>'
FULL = ("2031-02-03T00:00:00Z", "2032-03-04T05:06:07Z", "raud")
SEVEN_DIGITS = ("2031-02-03T00:00:00.0000000Z", "2032-03-04T05:06:07.0000000Z", "raud")


def keyed(title: str, evidence: Any, each: Any = ({},), requests: int = 2) -> Any:
    """A check that needs the key: no SAS grants access policies."""
    return check(title, evidence, each, needs=["key"], requests=requests)


def policy(identifier: str, start: str = "", expiry: str = "", permission: str = "") -> str:
    """An identifier as the service writes it: what is empty is left out."""
    fields = {"Start": start, "Expiry": expiry, "Permission": permission}
    inner = "".join(f"<{name}>{text}</{name}>" for name, text in fields.items() if text)
    access = f"<AccessPolicy>{inner}</AccessPolicy>" if inner else ""
    return f"<SignedIdentifier><Id>{identifier}</Id>{access}</SignedIdentifier>"


def document(*policies: str) -> str:
    return f"<SignedIdentifiers>{''.join(policies)}</SignedIdentifiers>"


def put(s: Session, table: str, body: Optional[str], content_type: Optional[str] = XML, **more):
    """Sets the policies, with a declaration of XML as most libraries do."""
    text = DECLARATION + body if body else body
    return s.put(f"/{table}?comp=acl", text, content_type=content_type, **more)


def read_back(s: Session, table: str, *policies: str) -> None:
    s.get(f"/{table}?comp=acl").is_(200, Xml(document(*policies), bom=True))


# --- set and get ----------------------------------------------------------------------------------


@keyed("A new table has no access policies",
       rec("python-2020/test_table.test_set_table_acl_with_empty_signed_identifiers"))
def none_at_first(s: Session):
    read_back(s, s.new_table())


@keyed("A policy is stored with {what}", SET,
       rows("what start expiry permission", [
           ("all fields", *FULL), ("a permission", "", "", "r"), ("a start", FULL[0], "", ""),
           ("an expiry", "", FULL[1], ""), ("times", FULL[0], FULL[1], ""), ("nothing", "", "", "")]),
       requests=3)
def fields(s: Session, what, start, expiry, permission):
    table = s.new_table()
    put(s, table, document(policy("one", start, expiry, permission))).is_(204)
    written = [time and time.replace("Z", ".0000000Z") for time in (start, expiry)]
    read_back(s, table, policy("one", *written, permission))


@keyed("A policy has the permissions {letters}", LEGACY,
       product(letters=["r", "a", "u", "d", "ra", "ud", "rad", "aud", "raud"]), requests=3)
def permissions(s: Session, letters):
    table = s.new_table()
    put(s, table, document(policy("one", *FULL[:2], letters))).is_(204)
    read_back(s, table, policy("one", *SEVEN_DIGITS[:2], letters))


PLAIN = policy("one", *FULL)
FORMS = {
    "with line breaks": "\n" + document(PLAIN).replace("><", ">\n  <") + "\n",
    "with AccessPolicy before Id": document(
        f"<SignedIdentifier><AccessPolicy><Permission>raud</Permission><Expiry>{FULL[1]}</Expiry>"
        f"<Start>{FULL[0]}</Start></AccessPolicy><Id>one</Id></SignedIdentifier>"),
    "with Expiry last": document(
        f"<SignedIdentifier><Id>one</Id><AccessPolicy><Start>{FULL[0]}</Start><Permission>raud</Permission>"
        f"<Expiry>{FULL[1]}</Expiry></AccessPolicy></SignedIdentifier>"),
}


@keyed("A policy may be sent {form}", ORDERS, product(form=FORMS), requests=3)
def forms(s: Session, form):
    table = s.new_table()
    put(s, table, form).is_(204)
    read_back(s, table, policy("one", *SEVEN_DIGITS))


@keyed("A policy may be sent without a declaration",
       rec("go-2021/TestTableClient_Storage/TestSetAccessPolicy"), requests=3)
def without_declaration(s: Session):
    table = s.new_table()
    s.put(f"/{table}?comp=acl", document(PLAIN), content_type=XML).is_(204)
    read_back(s, table, policy("one", *SEVEN_DIGITS))


EMPTY_FORMS = {"an empty AccessPolicy": "<SignedIdentifier><Id>one</Id><AccessPolicy /></SignedIdentifier>",
               "an AccessPolicy of two tags":
                   "<SignedIdentifier><Id>one</Id><AccessPolicy></AccessPolicy></SignedIdentifier>",
               "no AccessPolicy": policy("one")}


@keyed("A policy with {what} is written without one", SEVERAL, product(what=EMPTY_FORMS), requests=3)
def empty_policy(s: Session, what):
    table = s.new_table()
    put(s, table, document(what)).is_(204)
    read_back(s, table, policy("one"))


@keyed("An empty Permission is left out",
       rec("python-hist/test_table.test_set_table_acl_with_signed_identifiers@0dbf7c4"), requests=3)
def empty_permission(s: Session):
    table = s.new_table()
    put(s, table, document(policy("one", FULL[0]).replace("</Start>", "</Start><Permission />"))).is_(204)
    read_back(s, table, policy("one", SEVEN_DIGITS[0]))


@keyed("{count} policies stay in their order", SEVERAL, product(count=[2, 4, 5]), requests=3)
def order(s: Session, count):
    table = s.new_table()
    names = ["z", "a", "null", "M", "b"][:count]
    put(s, table, document(*(policy(name, *FULL) for name in names))).is_(204)
    read_back(s, table, *(policy(name, *SEVEN_DIGITS) for name in names))


@keyed("{count} policies are too many", TOO_MANY, product(count=[6, 7]), requests=3)
def too_many(s: Session, count):
    table = s.new_table()
    policies = [policy(f"id{number}", *FULL) for number in range(count)]
    put(s, table, document(*policies)).fails(INVALID_XML_DOCUMENT)
    read_back(s, table)


@keyed("Setting replaces all policies", SEVERAL, requests=4)
def replaced(s: Session):
    table = s.new_table()
    put(s, table, document(policy("old", *FULL), policy("both", *FULL))).ok()
    put(s, table, document(policy("both", *FULL[:2], "d"))).is_(204)
    read_back(s, table, policy("both", *SEVEN_DIGITS[:2], "d"))


CLEARING = {"no body": None, "an empty body": "", "an empty element": "<SignedIdentifiers />",
             "two tags": document()}


@keyed("Policies are removed by {what}", CLEARED, product(what=CLEARING), requests=4)
def cleared(s: Session, what):
    table = s.new_table()
    put(s, table, document(PLAIN)).ok()
    put(s, table, what).is_(204)
    read_back(s, table)


ID_LENGTH = doc(SET_PAGE, "The maximum length of the unique identifier is 64 characters.")


@keyed("An Id has {length} characters", ID_LENGTH, product(length=[1, 63, 64]), requests=3)
def long_id(s: Session, length):
    table = s.new_table()
    put(s, table, document(policy("x" * length, *FULL))).is_(204)
    read_back(s, table, policy("x" * length, *SEVEN_DIGITS))


@keyed("An Id of {length} characters is refused", ID_LENGTH, product(length=[65, 256]))
def too_long_id(s: Session, length):
    put(s, s.new_table(), document(policy("x" * length, *FULL))).fails(INVALID_XML_DOCUMENT)


@keyed("An Id is written as it was sent: {name}", ID_LENGTH,
       product(name=["MTIz", "a-b_c", "ünï", "&lt;&amp;&gt;"]), requests=3)
def names_of_policies(s: Session, name):
    table = s.new_table()
    put(s, table, document(policy(name, *FULL))).is_(204)
    read_back(s, table, policy(name, *SEVEN_DIGITS))


# --- times ----------------------------------------------------------------------------------------

TIMES = {"2031-02-03": "2031-02-03T00:00:00.0000000Z",
         "2031-02-03T04:05Z": "2031-02-03T04:05:00.0000000Z",
         "2031-02-03T04:05:06Z": "2031-02-03T04:05:06.0000000Z",
         "2031-02-03T04:05:06.0000000Z": "2031-02-03T04:05:06.0000000Z",
         "2031-02-03T04:05:06.1234567Z": "2031-02-03T04:05:06.1234567Z",
         "2031-02-03T04:05:06.1200000Z": "2031-02-03T04:05:06.1200000Z"}
DATE_ALONE = rec("python-cosmosdb/test_table.test_set_table_acl_with_signed_identifiers")
MINUTES = doc("learn.microsoft.com/rest/api/storageservices/formatting-datetime-values",
              "The following ISO 8601 UTC formats are currently accepted: YYYY-MM-DDThh:mm<TZDSuffix>.")
SENT_BACK = inferred("The service writes seven decimals, and a client sends back what it read.")


def evidence_of_time(time: str, **_):
    known = {"2031-02-03": DATE_ALONE, "2031-02-03T04:05Z": MINUTES, "2031-02-03T04:05:06Z": SET}
    return known.get(time, SENT_BACK)


def with_time(others: tuple, field: str, time: str) -> Dict[str, str]:
    return {**dict(zip(("start", "expiry", "permission"), others)), field.lower(): time}


@keyed("{field} {time} is written with seven decimals", evidence_of_time,
       product(field=["Start", "Expiry"], time=[*TIMES]), requests=3)
def times(s: Session, field, time):
    table = s.new_table()
    put(s, table, document(policy("one", **with_time(FULL, field, time)))).is_(204)
    read_back(s, table, policy("one", **with_time(SEVEN_DIGITS, field, TIMES[time])))


@keyed("{field} {time} is refused", THREE_DIGITS,
       product(field=["Start", "Expiry"], time=["2031-02-03T04:05:06.000Z", "2031-02-03T04:05:06.123Z",
                                                "2031-02-03T04:05:06.000000001Z"]))
def bad_times(s: Session, field, time):
    put(s, s.new_table(), document(policy("one", **with_time(FULL, field, time)))).fails(INVALID_XML_DOCUMENT)


# --- refusals -------------------------------------------------------------------------------------

BAD_XML = {"no XML": "policies", "an open element": "<SignedIdentifiers>",
           "another root": "<SignedIdentifier><Id>one</Id></SignedIdentifier>",
           "an identifier without Id": document("<SignedIdentifier></SignedIdentifier>"),
           "an identifier with a policy and without Id": document(
               "<SignedIdentifier><AccessPolicy><Permission>r</Permission></AccessPolicy>"
               "</SignedIdentifier>"),
           "an unknown element": document(policy("one") + "<Other />"),
           "crossed tags": "<SignedIdentifiers><SignedIdentifier></SignedIdentifiers></SignedIdentifier>"}


@keyed("A document is refused: {what}", rec("go/TestSetInvalidAccessPolicy"), product(what=BAD_XML),
       requests=3)
def bad_xml(s: Session, what):
    table = s.new_table()
    put(s, table, what).fails(INVALID_XML_DOCUMENT)
    read_back(s, table)


ABSENT = rec("go-legacy/StorageTableSuite/TestSetPermissionsUnsuccessfully")
ABSENT_GET = rec("python-assets/test_table_aad.aad_access_policy_error@8a03a54")


@keyed("{method} of the policies of an absent table is refused, {what}",
       lambda method, what: ABSENT_GET if method == "GET" else ABSENT,
       rows("method what", [("GET", "without a body"), ("PUT", "without a body"), ("PUT", "with policies")]),
       requests=1)
def absent(s: Session, method, what):
    body = document(PLAIN) if what == "with policies" else None
    answer = s.send(method, f"/{s.new_name()}?comp=acl", body, content_type=XML)
    answer.fails(TABLE_NOT_FOUND)
    s.holds("the reason phrase is the message", answer.answer.reason == TABLE_NOT_FOUND.message,
            answer.answer.reason)


IMPOSSIBLE = {"1table": INVALID_RESOURCE_NAME, "my_table": INVALID_RESOURCE_NAME,
              "my-table": INVALID_RESOURCE_NAME, "a": NAME_LENGTH, "aa": NAME_LENGTH,
              "a" * 64: NAME_LENGTH, "a%2F%2F": NAME_LENGTH}


@keyed("{method} of the policies of the impossible table {name} is refused", NAME_ERRORS,
       product(method=["GET", "PUT"], name=[*IMPOSSIBLE]), requests=1)
def impossible(s: Session, method, name):
    body = document() if method == "PUT" else None
    s.send(method, f"/{name}?comp=acl", body, content_type=XML).fails(IMPOSSIBLE[name])


# --- headers and forms of the URL -----------------------------------------------------------------


@keyed("{method} of policies takes Accept {accept}",
       lambda accept, **_: rec("python-cosmosdb/test_table.test_set_table_acl") if accept is None else SET,
       product(method=["GET", "PUT"], accept={"application/xml": XML, "none": None}))
def accepts(s: Session, method, accept):
    if method == "PUT":
        put(s, s.table, document(), accept=accept).is_(204)
    else:
        s.get(f"/{s.table}?comp=acl", accept=accept).is_(200, Xml(document(), bom=True))


@keyed("{method} of policies does not take Accept */*",
       rec("python-hist/test_table_entity.test_sas_signed_identifier@8a740b9"),
       product(method=["GET", "PUT"]), requests=1)
def any_type(s: Session, method):
    body = document() if method == "PUT" else None
    answer = s.send(method, f"/{s.table}?comp=acl", body, content_type=XML, accept="*/*")
    answer.fails(MEDIA_TYPE_NOT_SUPPORTED)


@keyed("Policies are set with Content-Type {kind}", LEGACY,
       product(kind={XML: XML, f"{XML}; charset=UTF-8": f"{XML}; charset=UTF-8", "none": None}), requests=3)
def content_types(s: Session, kind):
    table = s.new_table()
    put(s, table, document(PLAIN), kind).is_(204)
    read_back(s, table, policy("one", *SEVEN_DIGITS))


@keyed("The policies of a table are found under its name in {form} case",
       doc("learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model",
           "Table names are case-insensitive."),
       product(form={"upper": str.upper, "lower": str.lower}), requests=3)
def any_case(s: Session, form):
    table = s.new_table("Mixed")
    put(s, form(table), document(PLAIN)).is_(204)
    read_back(s, table, policy("one", *SEVEN_DIGITS))


@keyed("Policies take the query {query}", LEGACY,
       product(query=["comp=acl&timeout=30", "timeout=30&comp=acl"]), requests=1)
def queries(s: Session, query):
    s.get(f"/{s.table}?{query}").is_(200, Xml(document(), bom=True))


@keyed("HEAD of policies has no body",
       doc("learn.microsoft.com/rest/api/storageservices/get-table-acl",
           "GET/HEAD https://myaccount.table.core.windows.net/mytable?comp=acl"), requests=1)
def head(s: Session):
    answer = s.send("HEAD", f"/{s.table}?comp=acl")
    answer.is_(200, EMPTY, headers=as_sent(answer.answer))
