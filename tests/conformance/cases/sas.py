"""Account SAS: permissions, resource types, services, times, addresses, protocols, versions, signatures."""
from __future__ import annotations

import ipaddress
import re
from typing import Callable, Dict, List

from cases.access_operations import (
    ENTITIES,
    POLICIES,
    SERVICE,
    TABLES,
    Operation,
    forbidden,
    set_properties,
)
from conformance import (
    Batch,
    Change,
    Session,
    account_sas,
    as_sent,
    check,
    doc,
    failed,
    inferred,
    product,
    rec,
    rows,
    utc,
)
from conformance.connection import Account
from conformance.errors import (
    AUTHENTICATION_FAILED,
    PERMISSION_MISMATCH,
    PROTOCOL_MISMATCH,
    RESOURCE_TYPE_MISMATCH,
    SERVICE_MISMATCH,
    Refusal,
)
from conformance.session import Exchange
from conformance.signing import Auth, add_query, sas_query, signature
from conformance.wire import Request

TOPIC = "access"
PAGE = "learn.microsoft.com/rest/api/storageservices/create-account-sas"
TABLE = doc(PAGE, "The following table lists Table service operations and indicates which signed resource "
                  "type and signed permissions to specify when you delegate access to those operations.")
UPSERTS = doc(PAGE, "Add and Update permissions are required for upsert operations on the Table service.")
QUERIED = rec("python/test_table.test_account_sas")
INSERTED = rec("java/TableServiceClientTest.canUseSasTokenToCreateValidTableClient")
NARROW = rec("net-assets/ValidateSasCredentialsDuplicateTokenInUriAndCred(sp filled in)@29c528f")
EVERY_LETTER = "rwdlacup"

STATS = {"Get Table Service Stats": SERVICE["Get Table Service Stats"]}
OPERATIONS = {**ENTITIES, **TABLES,
              "Get Table Service Properties": SERVICE["Get Table Service Properties"]}


def evidence_of(operation: Operation):
    if operation.letters == ("au",):
        return UPSERTS
    return {("r",): QUERIED, ("a",): INSERTED}.get(operation.letters, TABLE)


# --- permissions and resource types ---------------------------------------------------------------

GRANTED = [{"operation": name, "letters": letters} for name, one in OPERATIONS.items()
           for letters in one.letters]


@check("An account SAS with sp={letters} and one resource type grants {operation}",
       lambda operation, letters: evidence_of(OPERATIONS[operation]), GRANTED, needs=["key"])
def granted(s: Session, operation: str, letters):
    one = OPERATIONS[operation]
    one.run(s, account_sas(letters, one.resource))


@check("An account SAS without the permission does not grant {operation}", NARROW,
       product(operation=OPERATIONS), needs=["key"])
def not_permitted(s: Session, operation: Operation):
    needed = "".join(operation.letters)
    letters = "".join(one for one in EVERY_LETTER if one not in needed)
    operation.run(s, account_sas(letters), PERMISSION_MISMATCH)


@check("An account SAS with sp={letters} does not grant {operation}", UPSERTS,
       product(operation={name: one for name, one in ENTITIES.items() if one.letters == ("au",)},
               letters=["a", "u", "rwdlcup", "rwdlacp"]), needs=["key"])
def half_of_an_upsert(s: Session, operation: Operation, letters):
    operation.run(s, account_sas(letters), PERMISSION_MISMATCH)


# The documentation names both "s" and "c" for Query Tables: only "o" is surely wrong.
OTHER_TYPES = {"s": "co", "c": "so", "o": "sc"}


@check("An account SAS for other resource types does not grant {operation}", TABLE,
       product(operation=OPERATIONS), needs=["key"])
def other_resource_type(s: Session, operation: Operation):
    types = "o" if operation.letters == ("l",) else OTHER_TYPES[operation.resource]
    operation.run(s, account_sas(EVERY_LETTER, types), RESOURCE_TYPE_MISMATCH)


STATS_SAS = {"granted": ("r", "s", None), "refused without r": ("wdlacup", "sco", PERMISSION_MISMATCH),
             "refused without s": ("rwdlacup", "co", RESOURCE_TYPE_MISMATCH)}


@check("Get Table Service Stats with an account SAS is {outcome}", TABLE, product(outcome=STATS_SAS),
       needs=["key", "secondary"], requests=1)
def stats(s: Session, outcome):
    letters, types, refusal = outcome
    STATS["Get Table Service Stats"].run(s, account_sas(letters, types), refusal)


PROPERTIES_SAS = {"granted": ("w", "s", None), "refused without w": ("rdlacup", "sco", PERMISSION_MISMATCH),
                  "refused without s": ("rwdlacup", "co", RESOURCE_TYPE_MISMATCH)}


@check("Set Table Service Properties with an account SAS is {outcome}",
       lambda outcome: rec("cpp-assets/ServiceClientSet-sas@0b3363c") if outcome[2] is None else TABLE,
       product(outcome=PROPERTIES_SAS), needs=["key"], service_properties=True, requests=1)
def properties(s: Session, outcome):
    letters, types, refusal = outcome
    set_properties(s, account_sas(letters, types), refusal)


@check("No account SAS grants {method} of access policies", TABLE, product(method=["GET", "PUT"]),
       needs=["key"], requests=1)
def policies(s: Session, method):
    body = "<SignedIdentifiers />" if method == "PUT" else None
    forbidden(s.send(method, f"/{s.table}?comp=acl", body, auth=account_sas(EVERY_LETTER)))
    POLICIES["Get Table ACL"].run(s, None)


# --- batches --------------------------------------------------------------------------------------

PARTS = inferred("A SAS must grant each operation of a batch; the first that is not granted is refused.")


@check("A batch of an insert and a delete with sp={letters} is {outcome}", PARTS,
       rows("letters outcome", [("ad", "carried out"), ("d", "refused at 0"), ("a", "refused at 1")]),
       needs=["key"], requests=3)
def batch(s: Session, letters, outcome):
    s.given(row="old")
    changes = [Change("POST", f"/{s.table}", s.keys("new"), prefer="return-no-content"),
               Change("DELETE", s.entity_url("old"), if_match="*")]
    answer = s.batch(Batch(changes), auth=account_sas(letters, "o"))
    if outcome == "carried out":
        answer.ok()
    else:
        prefer = "return-no-content" if outcome.endswith("0") else None
        answer.has([failed(PERMISSION_MISMATCH, int(outcome[-1]), prefer=prefer)])
    names = ["new"] if outcome == "carried out" else ["old"]
    items = [s.documents.entity_item(s.table, s.pk, name, {}, "minimalmetadata") for name in names]
    s.get(f"/{s.table}()", query={"$filter": f"PartitionKey eq '{s.pk}'"}).is_(
        200, s.documents.entities(s.table, items))


# --- single fields, all tried with Get Table ------------------------------------------------------


def get_table(s: Session, auth: Auth) -> Exchange:
    return s.get(f"/Tables('{s.table}')", auth=auth)


def accepted(s: Session, auth: Auth) -> None:
    get_table(s, auth).is_(200, s.documents.table(s.table))


SERVICES = rec("cpp-assets/EntityQuery-sas(first-8)@ca30219")


@check("An account SAS with ss={services} is valid for tables", SERVICES,
       product(services=["t", "tb", "bqtf", "bqft"]), needs=["key"], requests=1)
def services(s: Session, services):
    accepted(s, account_sas("l", services=services))


@check("An account SAS with ss={services} is not valid for tables",
       doc(PAGE, "Specifies the signed services that are accessible with the account SAS."),
       product(services=["b", "q", "f", "bqf"]), needs=["key"], requests=1)
def other_services(s: Session, services):
    answer = get_table(s, account_sas("l", services=services))
    answer.fails(SERVICE_MISMATCH, headers=as_sent(answer.answer))


@check("An account SAS may have letters of other services: sp={letters}", SERVICES,
       product(letters=["rwdxylacupitf", "wl", "lt", "yl"]), needs=["key"], requests=1)
def letters_of_other_services(s: Session, letters):
    accepted(s, account_sas(letters))


@check("An account SAS with srt={types} is valid for tables", TABLE,
       product(types=["c", "sc", "oc", "sco", "ocs"]), needs=["key"], requests=1)
def resource_types(s: Session, types):
    accepted(s, account_sas("l", types))


UNKNOWN_SERVICE = rec("python-hist/test_table.test_account_sas@6f17880")
UNKNOWN_TYPE = inferred("What is no letter of a resource type grants none.")


@check("An account SAS with an unknown letter is refused: {field}={letters}",
       lambda field, **_: UNKNOWN_SERVICE if field == "ss" else UNKNOWN_TYPE,
       product(field=["ss"], letters=["x", "tx", "T"]) + product(field=["srt"], letters=["x", "cx", "C"]),
       needs=["key"], requests=1)
def unknown_letters(s: Session, field, letters):
    auth = account_sas("l", services=letters) if field == "ss" else account_sas("l", letters)
    get_table(s, auth).fails(AUTHENTICATION_FAILED)


# --- times ----------------------------------------------------------------------------------------

FORMATS = doc("learn.microsoft.com/rest/api/storageservices/formatting-datetime-values",
              "The date value is required, while the time value is optional.")
SIX_DIGITS = rec("python-hist/test_table_entity.test_sas_query@9d59c39")
DIGITS = inferred("The service took no fraction of three digits in a policy and none of six in a SAS.")
GOOD_TIMES = ["{}", "{}T04:05Z", "{}T04:05:06Z", "{}T04:05:06.0000000Z", "{}T04:05:06.1234567Z"]
BAD_FRACTIONS = ["{}T04:05:06.1Z", "{}T04:05:06.000Z", "{}T04:05:06.123Z", "{}T04:05:06.000000Z",
                 "{}T04:05:06.123456Z", "{}T04:05:06.12345678Z"]
DATES = {"st": "2021-02-03", "se": "2051-02-03"}


def timed(field: str, time: str) -> Auth:
    return account_sas("l", start=time) if field == "st" else account_sas("l", expiry=time)


@check("An account SAS may have {field}={form}", FORMATS,
       product(field=DATES, form={form.format("DATE"): form for form in GOOD_TIMES}),
       needs=["key"], requests=1)
def times(s: Session, field, form):
    name = "st" if field == DATES["st"] else "se"
    accepted(s, timed(name, form.format(field)))


@check("An account SAS may not have {field}={form}",
       lambda form, **_: SIX_DIGITS if len(form.partition(".")[2]) == 7 else DIGITS,
       product(field=DATES, form={form.format("DATE"): form for form in BAD_FRACTIONS}),
       needs=["key"], requests=1)
def bad_fractions(s: Session, field, form):
    name = "st" if field == DATES["st"] else "se"
    get_table(s, timed(name, form.format(field))).fails(AUTHENTICATION_FAILED)


@check("An account SAS with {field}={time} is refused", inferred("A SAS needs times that can be read."),
       product(field=["st", "se"], time=["tomorrow", "2021-13-01", "2021-02-30T00:00:00Z"]),
       needs=["key"], requests=1)
def no_times(s: Session, field, time):
    get_table(s, timed(field, time)).fails(AUTHENTICATION_FAILED)


PERIOD = rec("python-hist/test_table_entity.test_sas_signed_identifier@5350851")
PERIODS = {"that has expired": (-3600, -60), "that is not yet valid": (600, 3600),
           "that expired before it began": (60, -60)}


@check("An account SAS {when} is refused", PERIOD, product(when=PERIODS), needs=["key"], requests=1)
def out_of_period(s: Session, when):
    start, end = when
    get_table(s, account_sas("l", start=utc(start), expiry=utc(end))).fails(AUTHENTICATION_FAILED)


@check("An account SAS is valid from {start} seconds to {end} seconds from now", QUERIED,
       rows("start end", [(-3600, 3600), (-120, 120)]), needs=["key"], requests=1)
def in_period(s: Session, start, end):
    accepted(s, account_sas("l", start=utc(start), expiry=utc(end)))


# --- address and protocol -------------------------------------------------------------------------

RANGE = doc(PAGE, "When you specify a range, note that the range is inclusive.")
NOBODY = "192.0.2.1"  # of a net for documentation
SENTENCE = "This request is not authorized to perform this operation using this source IP "


def refused_address(s: Session, ip: str) -> str:
    """Judges the refusal of another address. Returns the own one, which the message names."""
    answer = get_table(s, account_sas("l", ip=ip))
    error = answer.answer.error
    message = error.message if error else ""
    found = re.fullmatch(re.escape(SENTENCE) + r"([0-9a-f.:]+?)\.?", message)
    refusal = Refusal(403, "AuthorizationSourceIPMismatch", message if found else f"{SENTENCE}<address>.")
    answer.fails(refusal, headers=as_sent(answer.answer))
    return found[1] if found else NOBODY


@check("An account SAS for the address {ip} is refused to others", RANGE,
       product(ip=[NOBODY, "192.0.2.1-192.0.2.255", "0.0.0.0"]), needs=["key"], requests=1)
def other_address(s: Session, ip):
    refused_address(s, ip)


@check("An account SAS for all addresses is valid", RANGE, needs=["key"], requests=1)
def all_addresses(s: Session):
    accepted(s, account_sas("l", ip="0.0.0.0-255.255.255.255"))


# From the own address to the first and last of a range.
RANGES = {"the address": (0, None), "a range of it alone": (0, 0), "a range that ends there": (-5, 0),
          "a range that begins there": (0, 5)}
OTHER_RANGES = {"that ends before": (-5, -1), "that begins behind": (1, 5), "in reverse order": (5, -5)}


def around(own: str, first: int, last) -> str:
    start = ipaddress.ip_address(own) + first
    return str(start) if last is None else f"{start}-{ipaddress.ip_address(own) + last}"


@check("An account SAS is valid for {which}", RANGE, product(which=RANGES), needs=["key"])
def own_address(s: Session, which):
    accepted(s, account_sas("l", ip=around(refused_address(s, NOBODY), *which)))


@check("An account SAS for a range {which} is refused", RANGE, product(which=OTHER_RANGES), needs=["key"])
def ranges_beside(s: Session, which):
    refused_address(s, around(refused_address(s, NOBODY), *which))


PROTOCOL = doc(PAGE, "Possible values are both HTTPS and HTTP (https,http) or HTTPS only (https).")


@check("An account SAS for both protocols is valid", PROTOCOL, needs=["key"], requests=1)
def both_protocols(s: Session):
    accepted(s, account_sas("l", protocol="https,http"))


@check("An account SAS for HTTPS is valid over HTTPS alone", PROTOCOL, needs=["key"], requests=1)
def https_alone(s: Session):
    answer = get_table(s, account_sas("l", protocol="https"))
    if s.account.primary.scheme == "https":
        answer.is_(200, s.documents.table(s.table))
    else:
        answer.fails(PROTOCOL_MISMATCH, headers=as_sent(answer.answer))


# --- versions and signatures ----------------------------------------------------------------------

VERSION = doc(PAGE, "Version 2020-12-06 adds support for the signed encryption scope field.")
Lines = List[str]


def signed_by_hand(change: Callable[[Lines, Dict[str, str]], None], version: str = "2019-02-02") -> Auth:
    """`change`: of the lines that are signed (each ends with a line feed) and of the fields in the URL."""
    def auth(account: Account, request: Request) -> None:
        assert account.key
        fields = {"sv": version, "ss": "t", "srt": "sco", "sp": "l", "se": utc(3600)}
        lines = [account.name, "l", "t", "sco", "", fields["se"], "", "", version]
        change(lines, fields)
        text = "".join(f"{line}\n" for line in lines)
        add_query(request, sas_query({**fields, "sig": signature(account.key, text)}))
    return auth


@check("An account SAS has the version {version}", VERSION,
       product(version=["2015-04-05", "2017-04-17", "2019-02-02", "2020-10-02", "2020-12-06", "2021-12-02",
                        "2023-11-03", "2025-07-05"]), needs=["key"], requests=1)
def versions(s: Session, version):
    accepted(s, account_sas("l", version=version))


@check("An account SAS of version {version} is refused {how}", VERSION,
       rows("version how", [("2019-02-02", "with the line of the encryption scope"),
                            ("2020-10-02", "with the line of the encryption scope"),
                            ("2020-12-06", "without the line of the encryption scope"),
                            ("2025-07-05", "without the line of the encryption scope")]),
       needs=["key"], requests=1)
def other_layout(s: Session, version, how):
    def change(lines: Lines, fields: Dict[str, str]) -> None:
        if how.startswith("with the"):
            lines.append("")
    get_table(s, signed_by_hand(change, version)).fails(AUTHENTICATION_FAILED)


@check("There is no account SAS of version {version}",
       doc(PAGE, "It must be set to version 2015-04-05 or later."),
       product(version=["2012-02-12", "2015-02-21"]), needs=["key"], requests=1)
def too_old(s: Session, version):
    get_table(s, account_sas("l", version=version)).fails(AUTHENTICATION_FAILED)


NUMBERS = {"sp": 1, "ss": 2, "srt": 3, "se": 5, "sv": 8}  # of the lines


@check("An account SAS needs {field}", doc(PAGE, "The required and optional parameters for the SAS token."),
       product(field=[*NUMBERS]), needs=["key"], requests=1)
def required(s: Session, field):
    def change(lines: Lines, fields: Dict[str, str]) -> None:
        lines[NUMBERS[field]] = fields[field] = ""
    get_table(s, signed_by_hand(change)).fails(AUTHENTICATION_FAILED)


REPLACED = {"sp": "rl", "ss": "bt", "srt": "sc", "se": "2051-01-01", "st": "2021-01-01", "spr": "https,http",
            "sip": "0.0.0.0-255.255.255.255", "sv": "2018-03-28", "sig": "c2lnbmF0dXJl"}


@check("The signature of an account SAS covers {field}",
       inferred("What grants access must be signed, else anybody could change it."),
       product(field=[*REPLACED]), needs=["key"], requests=1)
def covered(s: Session, field):
    get_table(s, account_sas("l", **{field: REPLACED[field]})).fails(AUTHENTICATION_FAILED)


@check("An account SAS of another key is refused", rec("python/test_table_batch.test_new_invalid_key"),
       needs=["key"], requests=1)
def other_key(s: Session):
    def auth(account: Account, request: Request) -> None:
        other = Account(account.name, b"not the key of the account", None, account.primary, account.secondary)
        account_sas("l")(other, request)
    get_table(s, auth).fails(AUTHENTICATION_FAILED)
