"""Limits, each with the largest value that is accepted and the smallest that is not."""
from __future__ import annotations

import base64

from conformance import (
    OPTIONAL,
    XML,
    Batch,
    Change,
    Session,
    check,
    doc,
    failed,
    inferred,
    inserted_no_content,
    product,
    rec,
    rows,
    updated,
)
from conformance.errors import (
    BODY_TOO_LARGE,
    ENTITY_TOO_LARGE,
    INVALID_INPUT,
    INVALID_XML_DOCUMENT,
    PROPERTY_NAME_TOO_LONG,
    PROPERTY_VALUE_TOO_LARGE,
    TOO_MANY_PROPERTIES,
)
from conformance.headers import JUDGED

SERVICE = "learn.microsoft.com/rest/api/storageservices/"
MODEL = f"{SERVICE}understanding-the-table-service-data-model"
NO_CONTENT = "return-no-content"
NAME_TOO_LONG = rec("python-assets/test_table_entity.insert_entity_property_name_too_long@0526594")
TOO_MANY = rec("python-assets/test_table_entity.insert_entity_too_many_properties@0526594")
NAMES = doc(MODEL, "Property names are case-sensitive strings up to 255 characters in size.")
COUNT = doc(MODEL, "Therefore, the user may include up to 252 custom properties, in addition to the 3 system "
                   "properties.")
STRING = doc(MODEL, "A UTF-16-encoded value. String values may be up to 64 KiB in size.")
BINARY = doc(MODEL, "An array of bytes up to 64 KiB in size.")
ENTITY = doc(MODEL, "The combined size of all data in an entity's properties cannot exceed 1 MiB.")
TRANSACTION = f"{SERVICE}performing-entity-group-transactions"
WRITES = ("POST", "PUT", "PATCH")
MIB = 1024 * 1024
UNSETTLED = {name: OPTIONAL for name in JUDGED}  # no source shows the headers of 413


def write(s: Session, method: str, members: dict, prefer=None):
    path = f"/{s.table}" if method == "POST" else s.entity_url()
    return s.send(method, path, {**s.keys(), **members}, prefer=prefer)


def written(s: Session, method: str, members: dict) -> None:
    write(s, method, members, NO_CONTENT if method == "POST" else None).is_(204)
    s.get(s.entity_url()).is_(200, s.document(members))


def second_of_two(s: Session, refused: dict) -> Batch:
    return Batch([Change("POST", f"/{s.table}", s.keys("first")),
                  Change("POST", f"/{s.table}", {**s.keys("second"), **refused})])


def is_absent(s: Session, row: str) -> None:
    query = {"$filter": f"PartitionKey eq '{s.pk}' and RowKey eq '{row}'"}
    s.get(f"/{s.table}()", query=query, accept="nometadata").is_(200, {"value": []})


# --- names of properties --------------------------------------------------------------------------


@check("{method} accepts a property name of {length} {letter}", NAMES,
       product(method=WRITES, length=[254, 255], letter={"ASCII letters": "n", "accented letters": "é"}))
def name_length(s: Session, method, length, letter):
    written(s, method, {letter * length: 1})


@check("{method} refuses a property name of {length} {letter}", NAME_TOO_LONG,
       product(method=WRITES, length=[256, 1000], letter={"ASCII letters": "n"})
       + product(method=["POST"], length=[256], letter={"accented letters": "é"}))
def name_too_long(s: Session, method, length, letter):
    write(s, method, {letter * length: 1}).fails(PROPERTY_NAME_TOO_LONG)


# --- number of properties -------------------------------------------------------------------------


def properties(count: int, first: int = 0) -> dict:
    return {f"p{number:03}": number for number in range(first, first + count)}


@check("{method} accepts {count} properties", COUNT, product(method=WRITES, count=[251, 252]))
def property_count(s: Session, method, count):
    written(s, method, properties(count))


@check("The system properties do not count: {method}", COUNT, product(method=WRITES))
def system_properties(s: Session, method):
    write(s, method, {"odata.etag": "x", "Timestamp": "2001-02-03T04:05:06Z", **properties(252)}).ok()
    s.get(s.entity_url()).is_(200, s.document(properties(252)))


@check("{method} refuses {count} properties", TOO_MANY, product(method=WRITES, count=[253, 254, 500]))
def too_many_properties(s: Session, method, count):
    write(s, method, properties(count)).fails(TOO_MANY_PROPERTIES)


@check("{method} adds {count} properties to 200", inferred("The limit is that of the entity, not of a body."),
       product(method=["PATCH", "MERGE"], count=[52]), requests=3)
def merged_properties(s: Session, method, count):
    s.given(properties(200))
    s.send(method, s.entity_url(), properties(count, 200)).is_(204)
    s.get(s.entity_url()).is_(200, s.document(properties(200 + count)))


@check("{method} of {count} new properties to 200 is refused and changes nothing",
       inferred("The limit is that of the entity, not of a body."),
       product(method=["PATCH", "MERGE"], count=[53]), requests=3)
def merged_too_many(s: Session, method, count):
    etag = s.given(properties(200))
    s.send(method, s.entity_url(), properties(count, 200)).fails(TOO_MANY_PROPERTIES)
    s.get(s.entity_url()).is_(200, s.document(properties(200), etag=etag))


# --- strings and binaries -------------------------------------------------------------------------

STRINGS = {"32,767 letters": "a" * 32767, "32,768 letters": "a" * 32768,
           "32,768 accented letters": "é" * 32768, "32,768 Chinese characters": "文" * 32768,
           "16,384 emoji": "😀" * 16384}
LONG_STRINGS = {"32,769 letters": "a" * 32769, "32,769 accented letters": "é" * 32769,
                "16,384 emoji and a letter": "😀" * 16384 + "a", "65,537 letters": "a" * 65537}
BYTES = {"65,535 bytes": 65535, "65,536 bytes": 65536}
LONG_BYTES = {"65,537 bytes": 65537, "100,000 bytes": 100000}
SEEN = inferred("A suite of another emulator, which can be run against an account, expects this code.")


def binary(size: int, name: str = "V") -> dict:
    return {f"{name}@odata.type": "Edm.Binary", name: base64.b64encode(b"\x5a" * size).decode()}


@check("{method} accepts a String of {text}", STRING,
       product(method=["POST"], text=STRINGS)
       + product(method=["PUT", "PATCH"], text={"32,768 letters": "a" * 32768}))
def string_length(s: Session, method, text):
    written(s, method, {"V": text})


@check("{method} refuses a String of {text}", SEEN,
       product(method=["POST"], text=LONG_STRINGS)
       + product(method=["PUT", "PATCH"], text={"32,769 letters": "a" * 32769}))
def string_too_long(s: Session, method, text):
    write(s, method, {"V": text}).fails(PROPERTY_VALUE_TOO_LARGE)


@check("{method} accepts a Binary of {size}", BINARY,
       product(method=["POST"], size=BYTES) + product(method=["PUT", "PATCH"], size={"65,536 bytes": 65536}))
def binary_size(s: Session, method, size):
    written(s, method, binary(size))


@check("{method} refuses a Binary of {size}", SEEN,
       product(method=["POST"], size=LONG_BYTES)
       + product(method=["PUT", "PATCH"], size={"65,537 bytes": 65537}))
def binary_too_large(s: Session, method, size):
    write(s, method, binary(size)).fails(PROPERTY_VALUE_TOO_LARGE)


# --- entities -------------------------------------------------------------------------------------

STRING_64_KIB = "a" * 32768


def binaries(count: int, first: int = 0) -> dict:
    return {name: value for number in range(first, first + count)
            for name, value in binary(65536, f"b{number:02}").items()}


def with_long_names(length: int) -> dict:
    """Returns 31 strings whose names of 203 letters decide between too large and not: each has two bytes."""
    return {f"n{number:02}".ljust(203, "n"): "a" * length for number in range(31)}


ENTITIES = {"15 binaries of 64 KiB": binaries(15), "15 binaries of 64 KiB and one of 60 KiB":
            {**binaries(15), **binary(61440)},
            "15 strings of 64 KiB": {f"s{number}": STRING_64_KIB for number in range(15)},
            "252 strings of 4,000 bytes": {f"s{number}": "a" * 2000 for number in range(252)},
            "31 strings of 32,400 bytes with long names": with_long_names(16200)}
LARGE_ENTITIES = {"16 binaries of 64 KiB": binaries(16),
                  "16 strings of 64 KiB": {f"s{number}": STRING_64_KIB for number in range(16)},
                  "252 strings of 4,200 bytes": {f"s{number}": "a" * 2100 for number in range(252)},
                  "31 strings of 33,600 bytes with long names": with_long_names(16800)}


@check("{method} accepts an entity of {what}", ENTITY,
       product(method=["POST"], what=ENTITIES) + product(method=["PUT"], what={"15 binaries": binaries(15)}))
def entity_size(s: Session, method, what):
    write(s, method, what, NO_CONTENT if method == "POST" else None).is_(204)


@check("{method} refuses an entity of {what}", ENTITY,
       product(method=["POST"], what=LARGE_ENTITIES)
       + product(method=["PUT", "PATCH"], what={"16 binaries": binaries(16)}))
def entity_too_large(s: Session, method, what):
    write(s, method, what).fails(ENTITY_TOO_LARGE)


@check("{method} of a sixteenth binary of 64 KiB is refused and changes nothing",
       inferred("The limit is that of the entity, not of a body."), product(method=["PATCH", "MERGE"]),
       requests=4)
def merged_too_large(s: Session, method):
    etag = s.given(binaries(15))
    s.send(method, s.entity_url(), binaries(1, 15)).fails(ENTITY_TOO_LARGE)
    body = s.document({"b15": None}, select=["b15"], context_suffix="&$select=b15", etag=etag)
    s.get(s.entity_url(), query="$select=b15").is_(200, body, more={"ETag": etag})


LIBRARY = inferred("The suite of the legacy .NET library expects this code from the service.")


@check("A Binary of 1 MiB makes the entity too large: {where}", LIBRARY,
       product(where={"alone": False, "in a batch": True}))
def binary_of_1_mib(s: Session, where):
    if where:
        s.batch(second_of_two(s, binary(MIB))).has([failed(ENTITY_TOO_LARGE, 1)])
    else:
        write(s, "POST", binary(MIB)).fails(ENTITY_TOO_LARGE)


# --- preferences ----------------------------------------------------------------------------------


@check("A refusal for {what} repeats the preference {prefer}",
       inferred("Errors that are found in the operation itself repeat it, as the recorded ones do."),
       [{"what": what, "members": members, "refusal": refusal, "prefer": prefer}
        for what, members, refusal in (("a name of 256 characters", {"n" * 256: 1}, PROPERTY_NAME_TOO_LONG),
                                       ("253 properties", properties(253), TOO_MANY_PROPERTIES),
                                       ("a long String", {"V": "a" * 32769}, PROPERTY_VALUE_TOO_LARGE))
        for prefer in (NO_CONTENT, "return-content")])
def preference(s: Session, what, members, refusal, prefer):
    write(s, "POST", members, prefer).fails(refusal)


# --- parts of batches -----------------------------------------------------------------------------

IN_BATCHES = doc(TRANSACTION, "All entities are subject to the limitations described in Understanding the "
                              "Table Service Data Model.")


@check("A batch is refused as a whole for {what}", IN_BATCHES,
       rows("what members refusal", [
           ("a name of 256 characters", {"n" * 256: 1}, PROPERTY_NAME_TOO_LONG),
           ("253 properties", properties(253), TOO_MANY_PROPERTIES),
           ("a String of 32,769 characters", {"V": "a" * 32769}, PROPERTY_VALUE_TOO_LARGE),
           ("a Binary of 65,537 bytes", binary(65537), PROPERTY_VALUE_TOO_LARGE),
           ("an entity of 16 times 64 KiB", binaries(16), ENTITY_TOO_LARGE)]), requests=3)
def refused_in_batch(s: Session, what, members, refusal):
    s.batch(second_of_two(s, members)).has([failed(refusal, 1)])
    is_absent(s, "first")


# --- size of batches ------------------------------------------------------------------------------

TOO_MANY_CHANGES = INVALID_INPUT.saying(
    "The batch request operation exceeds the maximum 100 changes per change set.").as_late()
TOO_MANY_OPERATIONS = rec("python/test_table_batch.test_batch_too_many_ops")


def changes(s: Session, method: str, count: int, prefer=None) -> list:
    return [Change(method, f"/{s.table}" if method == "POST" else s.entity_url(f"{number:03}"),
                   s.keys(f"{number:03}"), prefer=prefer) for number in range(count)]


@check("A batch has {count} operations: {method}",
       rec("python-hist/test_table_batch.test_batch_inserts@0965eb6"),
       product(count=[1, 99, 100], method=["POST", "PUT"]))
def operations(s: Session, count, method):
    if method == "POST":
        parts = [inserted_no_content(s.location(f"{number:03}")) for number in range(count)]
        s.batch(Batch(changes(s, method, count, NO_CONTENT))).has(parts)
    else:
        s.batch(Batch(changes(s, method, count))).has([updated()] * count)


@check("A batch of {count} operations is refused: {method}, {prefer}", TOO_MANY_OPERATIONS,
       product(count=[101, 150], method=["POST", "PUT"], prefer={"no Prefer": None, NO_CONTENT: NO_CONTENT}))
def too_many_operations(s: Session, count, method, prefer):
    s.batch(Batch(changes(s, method, count, prefer))).has([failed(TOO_MANY_CHANGES, 99, prefer=prefer)])
    is_absent(s, "000")


PAYLOAD = doc(TRANSACTION, "The transaction can include at most 100 entities, and its total payload may be "
                           "no more than 4 MiB in size.")


def padded(s: Session, size: int) -> str:
    """Returns a batch of one insert, with text behind its end up to this size."""
    text = Batch([Change("POST", f"/{s.table}", s.keys(), prefer=NO_CONTENT)]).render(s.account.primary)
    return text + " " * (size - len(text))


@check("A batch has {size} bytes", PAYLOAD, product(size=[4 * MIB - 1, 4 * MIB]))
def payload(s: Session, size):
    s.batch(padded(s, size), content_type=Batch([]).content_type()).has([inserted_no_content(s.location())])


@check("A batch of {size} bytes is refused", PAYLOAD, product(size=[4 * MIB + 1, 5 * MIB]))
def payload_too_large(s: Session, size):
    s.batch(padded(s, size), content_type=Batch([]).content_type()).fails(BODY_TOO_LARGE, headers=UNSETTLED)


@check("An insert of {size} bytes is refused by its size alone",
       inferred("The size of the body is checked before the body is read."), product(size=[4 * MIB + 1]))
def body_too_large(s: Session, size):
    body = '{"PartitionKey":"p","RowKey":"r"}'
    s.post(f"/{s.table}", body + " " * (size - len(body))).fails(BODY_TOO_LARGE, headers=UNSETTLED)


# --- access policies ------------------------------------------------------------------------------


def policies(*names: str) -> str:
    text = "".join(f"<SignedIdentifier><Id>{name}</Id><AccessPolicy><Permission>r</Permission></AccessPolicy>"
                   "</SignedIdentifier>" for name in names)
    return f"<SignedIdentifiers>{text}</SignedIdentifiers>"


def set_policies(s: Session, names):
    return s.put(f"/{s.new_table()}", policies(*names), query="comp=acl", accept=XML, content_type=XML)


STORED_POLICY = f"{SERVICE}define-stored-access-policy"
POLICIES = doc(STORED_POLICY, "You can set a maximum of five access policies on a container, table, queue, "
                              "or share at a time.")


@check("A table has {count} access policies", POLICIES, product(count=[0, 1, 4, 5]), needs=["key"])
def policy_count(s: Session, count):
    set_policies(s, [f"id{number}" for number in range(count)]).is_(204)


@check("{count} access policies are refused", rec("go/TestSetTooManyAccessPolicies"),
       product(count=[6, 7, 20]), needs=["key"])
def too_many_policies(s: Session, count):
    set_policies(s, [f"id{number}" for number in range(count)]).fails(INVALID_XML_DOCUMENT)


@check("An access policy has an identifier of {length} characters",
       doc(STORED_POLICY, "<Id>unique-64-char-value</Id>"), product(length=[1, 63, 64]),
       needs=["key"])
def policy_identifier(s: Session, length):
    set_policies(s, ["x" * length]).is_(204)
