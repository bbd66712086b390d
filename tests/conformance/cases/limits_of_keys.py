"""Limits of PartitionKey and RowKey: their length and their characters, in bodies and in URLs."""
from __future__ import annotations

from conformance import OPTIONAL, Batch, Change, Session, check, doc, failed, inferred, issue, product
from conformance.errors import (
    OUT_OF_RANGE_INPUT,
    PROPERTY_VALUE_TOO_LARGE,
    QUERY_SYNTAX,
    RESOURCE_NOT_FOUND,
)

TOPIC = "limits"
MODEL = "learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model"
LENGTH = doc(MODEL, "The row key is a string value that may be up to 1 KiB in size.")
SEEN = inferred("A suite of another emulator, which can be run against an account, expects this code.")
FORBIDDEN = doc(MODEL, "The following characters are not allowed in values for the PartitionKey and RowKey "
                       "properties.")
WHICH = {"PartitionKey": True, "RowKey": False}
NO_CONTENT = "return-no-content"
UNSETTLED = {"Cache-Control": OPTIONAL}


def keys_with(s: Session, is_partition: bool, key: str) -> tuple:
    """Returns PartitionKey and RowKey, one of them the key. Entities of other checks have others."""
    return (key, s.pk) if is_partition else (s.pk, key)


# --- length ---------------------------------------------------------------------------------------

KEYS = {"511 letters": "k" * 511, "512 letters": "k" * 512, "512 accented letters": "é" * 512,
        "512 Chinese characters": "文" * 512, "256 emoji": "😀" * 256}
LONG_KEYS = {"513 letters": "k" * 513, "513 accented letters": "é" * 513,
             "256 emoji and a letter": "😀" * 256 + "k", "2,048 letters": "k" * 2048}


@check("A {which} has {key}", LENGTH, product(which=WHICH, key=KEYS))
def inserted_key(s: Session, which, key):
    partition, row = keys_with(s, which, key)
    s.post(f"/{s.table}", {"PartitionKey": partition, "RowKey": row}, prefer=NO_CONTENT).is_(204)
    s.get(s.entity_url(row, partition)).is_(200, s.document({}, row=row, partition=partition))


@check("A {which} of {key} is written to its URL", LENGTH,
       product(which=WHICH, key={"512 letters": "k" * 512, "512 accented letters": "é" * 512}))
def upserted_key(s: Session, which, key):
    partition, row = keys_with(s, which, key)
    s.put(s.entity_url(row, partition), {"n": 1}).is_(204)
    s.get(s.entity_url(row, partition)).is_(200, s.document({"n": 1}, row=row, partition=partition))


@check("An insert with a {which} of {key} is refused", SEEN, product(which=WHICH, key=LONG_KEYS))
def too_long(s: Session, which, key):
    partition, row = keys_with(s, which, key)
    s.post(f"/{s.table}", {"PartitionKey": partition, "RowKey": row}).fails(PROPERTY_VALUE_TOO_LARGE)


@check("{method} with a {which} of {length} letters finds no entity",
       inferred("A suite of another emulator, which can be run against an account, expects 404."),
       product(method=["GET", "DELETE", "PUT", "PATCH", "MERGE"], which=WHICH, length=[513]))
def absent(s: Session, method, which, length):
    body = {"n": 1} if method in ("PUT", "PATCH", "MERGE") else None
    partition, row = keys_with(s, which, "k" * length)
    s.send(method, s.entity_url(row, partition), body, if_match=None if method == "GET" else "*").fails(
        RESOURCE_NOT_FOUND)


# --- characters -----------------------------------------------------------------------------------


def named(*codes: int) -> dict:
    return {f"U+{code:04X}": chr(code) for code in codes}


CHARACTERS = {"a slash": "/", "a backslash": "\\", "a number sign": "#", "a question mark": "?",
              **named(0, 1, 9, 10, 13, 0x1F, 0x7F, 0x80, 0x85, 0x9F)}
NEIGHBOURS = {"a space": " ", "an exclamation mark": "!", "a tilde": "~", "a quotation mark": '"',
              "a percent sign": "%", "a colon": ":", "a plus": "+", **named(0xA0, 0xAD, 0x200B, 0xFFFD)}


@check("An insert with {character} in the {which} is refused", FORBIDDEN,
       product(character=CHARACTERS, which=WHICH))
def refused(s: Session, character, which):
    partition, row = keys_with(s, which, f"a{character}b")
    body = {"PartitionKey": partition, "RowKey": row}
    s.post(f"/{s.table}", body).fails(OUT_OF_RANGE_INPUT, more=UNSETTLED)


@check("A {which} has {character}", FORBIDDEN, product(character=NEIGHBOURS, which=WHICH))
def accepted(s: Session, character, which):
    partition, row = keys_with(s, which, f"a{character}b")
    s.post(f"/{s.table}", {"PartitionKey": partition, "RowKey": row}, prefer=NO_CONTENT).is_(204)
    s.get(s.entity_url(row, partition)).is_(200, s.document({}, row=row, partition=partition))


SLASHES = {"a slash": "/", "a backslash": "\\"}
SLASH = issue("Azure/azure-storage-net#386", "0:Bad Request - Error in query syntax.")
METHODS = ("GET", "PUT", "PATCH", "DELETE")


def send_to(s: Session, method: str, character: str, is_partition: bool):
    body = {"n": 1} if method in ("PUT", "PATCH") else None
    partition, row = keys_with(s, is_partition, f"a{character}b")
    return s.send(method, s.entity_url(row, partition), body, if_match="*" if method == "DELETE" else None)


@check("{method} with {character} in the {which} of the URL is refused", SLASH,
       product(method=METHODS, character=SLASHES, which=WHICH))
def slash_in_url(s: Session, method, character, which):
    send_to(s, method, character, which).fails(QUERY_SYNTAX)


@check("{method} with {character} in the RowKey of the URL is out of range", SEEN,
       product(method=METHODS, character={"a number sign": "#", "a question mark": "?",
                                          **named(1, 0x1F, 0x7F, 0x9F)}))
def character_in_url(s: Session, method, character):
    send_to(s, method, character, False).fails(OUT_OF_RANGE_INPUT, more=UNSETTLED)


@check("A batch with {character} in the URL of {method} is refused", SLASH,
       product(character=SLASHES, method=["PUT", "DELETE"]))
def slash_in_batch(s: Session, character, method):
    change = Change(method, s.entity_url(f"a{character}b"), {"n": 1} if method == "PUT" else None,
                    if_match="*" if method == "DELETE" else None)
    s.batch(Batch([change])).has([failed(QUERY_SYNTAX, 0)])
