"""Bodies of batches, with everything that clients write differently, and the expected parts of the answer.

    change = Change("POST", f"/{s.table}", s.keys("a"), prefer="return-no-content")
    s.batch(Batch([change])).has([inserted_no_content(s.location("a"))])
"""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Union

from conformance.connection import Endpoint
from conformance.errors import Refusal
from conformance.expectations import ExpectedPart
from conformance.headers import json_type
from conformance.values import ETAG

MINIMAL = "application/json;odata=minimalmetadata"


@dataclass
class Change:
    """One operation. `path`: "/table..." as in a request of its own. None is no header."""

    method: str
    path: str
    body: Any = None
    prefer: Optional[str] = None
    if_match: Optional[str] = None
    accept: Optional[str] = MINIMAL
    content_type: Optional[str] = "application/json"
    content_id: Optional[str] = None
    headers: Dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        if self.body is None or isinstance(self.body, str):
            return self.body or ""
        return json.dumps(self.body, ensure_ascii=False, separators=(",", ":"))


@dataclass
class Batch:
    """A body of POST /$batch. The defaults are what most libraries send."""

    changes: Sequence[Change]
    line_end: str = "\r\n"
    quoted: bool = False  # the boundary in Content-Type is in quotes
    last_dashes: bool = True  # the last boundary ends in "--"
    glued: bool = False  # a boundary follows the JSON without a line end
    content_id_in: str = "part"  # or "request": among the headers of the operation
    urls: str = "absolute"  # or "path" (/account/table, host style: /table), "table" (/table), "bare" (table)
    length: bool = False  # the operations have Content-Length
    lines_before_boundary: int = 0  # additional empty lines
    lines_before_json: int = 0
    lower_case_headers: bool = False
    after_end: str = ""  # text after the last boundary
    changeset: Optional[bool] = None  # None: a change set unless the only operation is a GET
    boundary: str = "batch_a1"
    inner_boundary: str = "changeset_b2"

    def has_changeset(self) -> bool:
        if self.changeset is not None:
            return self.changeset
        return [one.method for one in self.changes] != ["GET"]

    def content_type(self) -> str:
        return "multipart/mixed; boundary=" + (f'"{self.boundary}"' if self.quoted else self.boundary)

    def render(self, endpoint: Endpoint) -> str:
        end, dashes = self.line_end, "--" if self.last_dashes else ""
        inner = self.inner_boundary if self.has_changeset() else self.boundary
        lines = ""
        if self.has_changeset():
            head = f"{self.name('Content-Type')}: multipart/mixed; boundary={inner}"
            lines = f"--{self.boundary}{end}{head}{end}{end}{end * self.lines_before_boundary}"
        for one in self.changes:
            lines += f"--{inner}{end}" + self.operation(one, endpoint)
        if self.has_changeset():
            lines += f"--{inner}--{end}" + end * self.lines_before_boundary
        return f"{lines}--{self.boundary}{dashes}{end}{self.after_end}"

    def name(self, header: str) -> str:
        return header.lower() if self.lower_case_headers else header

    def operation(self, one: Change, endpoint: Endpoint) -> str:
        end = self.line_end
        part: Dict[str, Optional[str]] = {
            "Content-Type": "application/http", "Content-Transfer-Encoding": "binary"}
        body = one.text()
        request: Dict[str, Optional[str]] = {
            "Accept": one.accept, "Prefer": one.prefer, "If-Match": one.if_match,
            "Content-Type": one.content_type if body else None,
            "Content-Length": str(len(body.encode("utf-8"))) if body and self.length else None, **one.headers}
        if one.content_id is not None:
            (part if self.content_id_in == "part" else request).update({"Content-ID": one.content_id})
        head = "".join(f"{self.name(name)}: {value}{end}" for name, value in part.items())
        fields = "".join(f"{self.name(name)}: {value}{end}" for name, value in request.items()
                         if value is not None)
        text = f"{head}{end}{one.method} {self.url(one.path, endpoint)} HTTP/1.1{end}{fields}{end}"
        text += end * self.lines_before_json + body if body else ""
        return text + ("" if self.glued and body else end) + end * self.lines_before_boundary

    def url(self, path: str, endpoint: Endpoint) -> str:
        forms = {"absolute": endpoint.base + path, "path": endpoint.path + path, "table": path,
                 "bare": path[1:]}
        return forms[self.urls]


# --- parts of the answer, their headers in the order of the service --------------------------------


def part(status: int, names: List[str], values: Dict[str, Any], body: Any = b"", **more: Any) -> ExpectedPart:
    fixed = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache", "ETag": ETAG}
    known = {**fixed, **values}
    headers = [(name, known[name]) for name in names if known.get(name) is not None]
    return ExpectedPart(status, headers, body, **more)


def inserted_no_content(location: str, content_id: Optional[str] = None) -> ExpectedPart:
    names = ["Content-ID", "X-Content-Type-Options", "Cache-Control", "Preference-Applied",
             "DataServiceVersion", "Location", "DataServiceId", "ETag"]
    return part(204, names, {"Content-ID": content_id, "Preference-Applied": "return-no-content",
                             "DataServiceVersion": "3.0;", "Location": location, "DataServiceId": location})


def inserted(location: str, body: Any, level: str = "minimalmetadata", content_id: Optional[str] = None,
             prefer: Optional[str] = None) -> ExpectedPart:
    names = ["DataServiceVersion", "Content-Type", "Content-ID", "X-Content-Type-Options", "Cache-Control",
             "Preference-Applied", "Location", "ETag"]
    return part(201, names,
                {"DataServiceVersion": "3.0;", "Content-Type": json_type(level), "Content-ID": content_id,
                             "Preference-Applied": prefer, "Location": location}, body)


def updated(content_id: Optional[str] = None, prefer: Optional[str] = None) -> ExpectedPart:
    """PUT, PATCH and MERGE."""
    names = ["Content-ID", "X-Content-Type-Options", "Cache-Control", "Preference-Applied",
             "DataServiceVersion", "ETag"]
    return part(204, names, {"Content-ID": content_id, "Preference-Applied": prefer,
                             "DataServiceVersion": "3.0;" if prefer else "1.0;"})


def deleted(content_id: Optional[str] = None) -> ExpectedPart:
    names = ["Content-ID", "X-Content-Type-Options", "Cache-Control", "DataServiceVersion"]
    return part(204, names, {"Content-ID": content_id, "DataServiceVersion": "1.0;"})


def found(body: Any, level: str = "minimalmetadata") -> ExpectedPart:
    names = ["DataServiceVersion", "Content-Type", "X-Content-Type-Options", "Cache-Control", "ETag"]
    return part(200, names, {"DataServiceVersion": "3.0;", "Content-Type": json_type(level)}, body)


def failed(refusal: Refusal, index: Union[int, None], level: str = "minimalmetadata",
           content_id: Optional[str] = None, prefer: Optional[str] = None) -> ExpectedPart:
    """`index`: the prefix of the message; None where the service writes none."""
    names = ["Content-ID", "X-Content-Type-Options"]
    names += [] if refusal.early else ["Cache-Control", "Preference-Applied"]
    return part(refusal.status, names + ["DataServiceVersion", "Content-Type"],
                {"Content-ID": content_id, "Preference-Applied": prefer, "DataServiceVersion": "3.0;",
                 "Content-Type": json_type(level)}, refusal=refusal, index=index)
