"""An answer of the service: status, headers in their order, body; error documents and multipart bodies."""
from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

Headers = List[Tuple[str, str]]


class Pairs(list):
    """A JSON object as its members in order, doubled ones included."""


class ErrorDocument(NamedTuple):
    """`form`: "json", "xml" (table layer) or "prefixed xml" (front end)."""

    form: str
    code: str
    message: str  # without the lines of RequestId and Time
    request_id: str
    time: str


@dataclass
class Answer:
    status: int
    reason: str
    headers: Headers
    body: bytes

    def header(self, name: str) -> Optional[str]:
        return next((value for one, value in self.headers if one.lower() == name.lower()), None)

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    @property
    def json(self) -> Any:
        """Returns the body as dicts and lists. Raises ValueError if it is not JSON."""
        return json.loads(self.text.lstrip("\ufeff"))

    @property
    def etag(self) -> str:
        return self.header("ETag") or ""

    @property
    def error(self) -> Optional[ErrorDocument]:
        return parse_error(self.text)

    @property
    def code(self) -> str:
        """Returns the error code: of the body, else of the header that the front end sends."""
        error = self.error if self.status >= 400 else None
        return error.code if error else (self.header("x-ms-error-code") or "")


TAIL = re.compile(r"\A(?P<message>.*?)\nRequestId:(?P<id>[^\n]*)\nTime:(?P<time>[^\n]*)\Z", re.DOTALL)


def parse_error(text: str) -> Optional[ErrorDocument]:
    """Returns the error that the body describes, or nothing. RequestId and Time may be missing."""
    form, code, message = "", "", ""
    try:
        if text.lstrip("\ufeff").startswith("{"):
            content = json.loads(text.lstrip("\ufeff"))["odata.error"]
            form, code, message = "json", content["code"], content["message"]["value"]
        elif text.lstrip("\ufeff").startswith("<"):
            root = ET.fromstring(text.lstrip("\ufeff"))
            found = {child.tag.rpartition("}")[2].lower(): child.text or "" for child in root}
            form = "prefixed xml" if "<m:error" in text else "xml"
            code, message = found["code"], found["message"]
    except (ValueError, KeyError, TypeError, ET.ParseError):
        return None
    if not form:
        return None
    tail = TAIL.match(message)
    if not tail:
        return ErrorDocument(form, code, message, "", "")
    return ErrorDocument(form, code, tail["message"], tail["id"], tail["time"])


def json_pairs(text: str) -> Any:
    """Returns the JSON value with objects as `Pairs`. Raises ValueError."""
    return json.loads(text.lstrip("\ufeff"), object_pairs_hook=Pairs)


# --- multipart ------------------------------------------------------------------------------------


@dataclass
class Part:
    """One HTTP answer in the answer to a batch."""

    status: int
    reason: str
    headers: Headers
    body: bytes

    def answer(self) -> Answer:
        return Answer(self.status, self.reason, self.headers, self.body)


@dataclass
class Multipart:
    """`changeset` is the inner boundary; "" when the answer is that of a query, without a change set."""

    boundary: str
    changeset: str = ""
    parts: List[Part] = field(default_factory=list)

    def render(self) -> str:
        """Returns the body as the service writes it. A body that differs is laid out in another way.

            part := "--" boundary CRLF "Content-Type: application/http" CRLF
                    "Content-Transfer-Encoding: binary" CRLF CRLF
                    status-line CRLF *(header CRLF) CRLF [json] CRLF
        """
        inner = self.changeset or self.boundary
        text = ""
        if self.changeset:
            text += f"--{self.boundary}\r\nContent-Type: multipart/mixed; boundary={self.changeset}\r\n\r\n"
        for part in self.parts:
            head = "".join(f"{name}: {value}\r\n" for name, value in part.headers)
            body = part.body.decode("utf-8", "replace")
            text += f"--{inner}\r\nContent-Type: application/http\r\n"
            text += "Content-Transfer-Encoding: binary\r\n\r\n"
            text += f"HTTP/1.1 {part.status} {part.reason}\r\n{head}\r\n{body}\r\n"
        text += f"--{inner}--\r\n"
        return text + (f"--{self.boundary}--\r\n" if self.changeset else "")


def split_head(text: str) -> Tuple[Headers, str]:
    head, _, rest = text.partition("\n\n")
    pairs = [line.partition(":") for line in head.split("\n") if ":" in line]
    return [(name.strip(), value.strip()) for name, _, value in pairs], rest


def parse_multipart(content_type: str, body: bytes) -> Optional[Multipart]:
    """Returns the parts, whatever the line ends; None if the body is not multipart."""
    boundary = boundary_of(content_type)
    if not boundary:
        return None
    result = Multipart(boundary)
    text = body.decode("utf-8", "replace").replace("\r\n", "\n")
    for chunk in chunks_of(text, boundary):
        headers, rest = split_head(chunk)
        kind = fields(headers).get("content-type", "")
        inner = boundary_of(kind)
        if inner:
            result.changeset = inner
            result.parts += [parse_part(split_head(one)[1]) for one in chunks_of(rest, inner)]
        else:
            result.parts.append(parse_part(rest))
    return result


def fields(headers: Headers) -> Dict[str, str]:
    return {name.lower(): value for name, value in headers}


def boundary_of(content_type: str) -> str:
    found = re.search(r'multipart/mixed;\s*boundary="?([^";,\s]+)', content_type)
    return found[1] if found else ""


def chunks_of(text: str, boundary: str) -> List[str]:
    chunks = []
    for chunk in text.split(f"--{boundary}")[1:]:
        if chunk.startswith("--"):
            break
        chunks.append(chunk.lstrip("\n"))
    return chunks


def parse_part(text: str) -> Part:
    start, _, rest = text.partition("\n")
    headers, body = ([], rest[1:]) if rest.startswith("\n") else split_head(rest)
    words = start.split(" ", 2) + ["", ""]
    body = body[:-1] if body.endswith("\n") else body
    return Part(int(words[1]) if words[1].isdigit() else 0, words[2], headers, body.encode())
