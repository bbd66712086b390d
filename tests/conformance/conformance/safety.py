"""Keeps a run inside tables of its own, whatever a case asks for."""
from __future__ import annotations

import json
import re
from typing import Iterator, Optional
from urllib.parse import unquote

from conformance.kinds import START_LINE, resource_kind, without_base
from conformance.wire import Request

POSSIBLE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{2,62}")


class ForeignTable(Exception):
    """A case would change a table that this run did not name."""


def table_in_body(body: Optional[bytes]) -> Optional[str]:
    try:
        name = json.loads(body or b"")["TableName"]
    except (ValueError, TypeError, KeyError):
        return None
    return name if isinstance(name, str) else None


def tables_changed(request: Request, base_path: str) -> Iterator[str]:
    """Returns the names of all tables that the request would change."""
    operations = [(request.method, request.target)]
    if resource_kind(request.target, base_path) == "batch":
        operations = START_LINE.findall((request.body or b"").decode("utf-8", "replace"))
    for method, target in operations:
        kind = resource_kind(target, base_path)
        if method in ("GET", "HEAD", "OPTIONS") or kind in ("service", "properties", "stats", "batch"):
            continue
        if kind == "table set":
            yield table_in_body(request.body) or ""
            continue
        path = without_base(target.partition("?")[0], base_path)
        name, _, keys = unquote(path.strip("/").split("/")[0]).partition("(")
        yield keys.strip("')") if kind == "one table" else name


def refuse_foreign_tables(request: Request, base_path: str, prefix: str) -> None:
    for name in tables_changed(request, base_path):
        if POSSIBLE_NAME.fullmatch(name) and not name.lower().startswith(prefix) and name.lower() != "tables":
            raise ForeignTable(f"{request.method} {request.target} would change the table {name}")
