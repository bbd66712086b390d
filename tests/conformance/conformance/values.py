"""Placeholders for values that an expectation cannot know, and types of whole bodies."""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable
from urllib.parse import unquote

GUID_PATTERN = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
# The fraction of a Timestamp, and of the ETag made from it, has no trailing zeros.
TIME_PATTERN = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,6}[1-9])?Z"
ERROR_TIME_PATTERN = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z"  # with all seven digits


@dataclass(frozen=True)
class Placeholder:
    """Stands for each text that matches. ETag and Timestamp of an entity must belong together."""

    name: str
    pattern: str

    def matches(self, value: Any) -> bool:
        return isinstance(value, str) and re.fullmatch(self.pattern, value, re.DOTALL) is not None

    def __str__(self) -> str:
        return f"<{self.name}>"


ANY = Placeholder("any text", r".*")
PRESENT = Placeholder("some text", r".+")
OPTIONAL = Placeholder("anything or nothing", r".*")  # for headers that no source settles
GUID = Placeholder("GUID", GUID_PATTERN)
TIMESTAMP = Placeholder("Timestamp", TIME_PATTERN)
ETAG = Placeholder("ETag", "W/\"datetime'" + TIME_PATTERN.replace(":", "%3A").replace("(?%3A", "(?:") + "'\"")
LENGTH = Placeholder("length of the body", r"\d+")
SENT_VERSION = Placeholder("version of the request", r"\d{4}-\d\d-\d\d")
TOKEN = Placeholder("continuation token", r"1!\d+![A-Za-z0-9*_-]+")
BATCH_BOUNDARY = Placeholder("boundary", rf"multipart/mixed; boundary=batchresponse_{GUID_PATTERN}")


def etag_of(timestamp: str) -> str:
    """Returns the ETag of an entity with this Timestamp."""
    return "W/\"datetime'" + timestamp.replace(":", "%3A") + "'\""


def timestamp_of(etag: str) -> str:
    """Returns the Timestamp of an entity with this ETag."""
    return unquote(etag).split("'")[1] if etag.count("'") == 2 else ""


# --- bodies ---------------------------------------------------------------------------------------
# A body of an expectation is a dict or list (JSON, compared by value, type of numbers and order of members),
# EMPTY, or one of these.

EMPTY = b""


@dataclass(frozen=True)
class Xml:
    """An XML document, compared as a tree in order. `bom`: it starts with a byte order mark."""

    text: str
    bom: bool = False


@dataclass(frozen=True)
class Holds:
    """A body that cannot be known as a whole, as a list of all tables. `true_of` gets the parsed JSON."""

    rule: str
    true_of: Callable[[Any], bool]


class Unjudged:
    """The body is not judged."""


UNJUDGED = Unjudged()
