"""The kind of an exchange: method, kind of resource, status, error code, names of the headers that matter.

Used by the reports, and by a tool that compares the kinds of a run with recorded ones.
"""
from __future__ import annotations

import re
from typing import Iterable, List
from urllib.parse import unquote

# Headers that tell kinds of answers apart. Framing and `nosniff` are left out: recorders drop them.
TELLING = ("cache-control", "content-type", "dataserviceid", "etag", "location", "preference-applied",
           "www-authenticate", "x-ms-continuation-nextpartitionkey", "x-ms-continuation-nextrowkey",
           "x-ms-continuation-nexttablename", "x-ms-error-code", "x-ms-version")
START_LINE = re.compile(r"^([A-Z]+) (\S.*?) HTTP/1\.1\r?$", re.MULTILINE)


def without_base(path: str, base_path: str) -> str:
    """Returns the path without the account, and without the host of an absolute URL."""
    path = re.sub(r"^https?://[^/]*", "", path)
    return re.sub(rf"^{re.escape(base_path)}(-secondary)?(?=/|$)", "", path) if base_path else path


def resource_kind(target: str, base_path: str = "") -> str:
    """Returns the kind of resource that a target names. `base_path`: "/account" in path style."""
    path, _, query = target.partition("?")
    path = without_base(path, base_path)
    comp = re.search(r"(?:^|&)comp=(\w+)", query, re.IGNORECASE)
    if comp:
        return comp[1].lower()
    segments = [unquote(one) for one in path.strip("/").split("/")]
    if segments == [""]:
        return "service"
    if segments == ["$batch"]:
        return "batch"
    if len(segments) > 1 and "(" not in segments[0]:
        return "second segment"
    name, bracket, keys = segments[0].partition("(")
    one = bool(bracket) and keys != ")"
    if name.lower() == "tables":
        return "one table" if one else "table set"
    return "one entity" if one else "entity set"


def parts_of_request(body: str, base_path: str = "") -> List[str]:
    """Returns "METHOD resource" of each operation in the body of a batch."""
    return [f"{method} {resource_kind(target, base_path)}" for method, target in START_LINE.findall(body)]


def operation(method: str, target: str, body: str = "", base_path: str = "") -> str:
    resource = resource_kind(target, base_path)
    if resource != "batch":
        return f"{method} {resource}"
    parts = sorted(set(parts_of_request(body, base_path)))
    return f"{method} batch of {', '.join(parts) or 'nothing'}"


def kind(what: str, status: int, code: str, headers: Iterable[str], inner: Iterable[str] = ()) -> str:
    """`what` is of `operation`; `inner`: "status code" of each part in the answer to a batch."""
    names = sorted({name.lower() for name in headers} & set(TELLING))
    outcome = f"{status} {code}".strip()
    parts = sorted(set(one.strip() for one in inner))
    return f"{what} -> {outcome}" + (f" ({', '.join(parts)})" if parts else "") + f" [{' '.join(names)}]"
