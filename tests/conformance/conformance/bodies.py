"""Compares bodies: JSON by value, type of numbers and order of members; XML as a tree; error documents."""
from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import Any, Iterator, Tuple, Union

from conformance.answers import Answer, Pairs, json_pairs, parse_error
from conformance.differences import BODY, Difference
from conformance.errors import Refusal
from conformance.values import ERROR_TIME_PATTERN, Holds, Placeholder, Unjudged, Xml, etag_of

SYSTEM_MEMBERS = {"PartitionKey", "RowKey", "Timestamp", "Timestamp@odata.type", "value", "TableName",
                  "odata.error"}
Found = Iterator[Tuple[str, str]]  # cause, detail


def shown(value: Any, limit: int = 160) -> str:
    if isinstance(value, Placeholder):
        return str(value)
    text = json.dumps(plain(value), ensure_ascii=False, default=str)
    return text if len(text) <= limit else text[:limit] + "..."


def plain(value: Any) -> Any:
    """Returns parsed JSON with dicts again."""
    if isinstance(value, Pairs):
        return {name: plain(one) for name, one in value}
    return [plain(one) for one in value] if isinstance(value, list) else value


def edm_type(name: str, siblings: dict) -> str:
    value = siblings.get(name)
    kinds = {bool: "Edm.Boolean", int: "Edm.Int32", float: "Edm.Double", str: "Edm.String",
             type(None): "null"}
    return siblings.get(f"{name}@odata.type") or kinds.get(type(value), "property")


def member_name(name: str, siblings: dict) -> str:
    """Returns the name of a member for a cause: those of the user are replaced by their type."""
    if name.startswith("odata.") or name in SYSTEM_MEMBERS:
        return name
    if name.endswith("@odata.type"):
        return f"the annotation {siblings[name]}"
    return f"the value of an {edm_type(name, siblings)} property"


def json_differences(expected: Any, live: Any, what: str = "the document") -> Found:
    if isinstance(expected, Placeholder):
        if not expected.matches(live):
            yield f"{what} has another form", f"{shown(live)} is no {expected.name}"
    elif isinstance(expected, dict):
        if isinstance(live, Pairs):
            yield from object_differences(expected, live)
        else:
            yield f"{what} is no object", shown(live)
    elif isinstance(expected, list):
        if not isinstance(live, list) or isinstance(live, Pairs):
            yield f"{what} is no list", shown(live)
        elif len(live) != len(expected):
            more = "more" if len(live) > len(expected) else "fewer"
            yield f"{what} has {more} items", f"{len(live)} instead of {len(expected)} items"
        else:
            for one, other in zip(expected, live):
                yield from json_differences(one, other, what)
    elif type(expected) is not type(live):
        yield f"{what} has another JSON type", f"{shown(live)} instead of {shown(expected)}"
    elif expected != live:
        yield f"{what} differs", f"{shown(live)} instead of {shown(expected)}"


def object_differences(expected: dict, live: Pairs) -> Found:
    names = [name for name, _ in live]
    members = dict(live)
    same = True
    for name in expected:
        if name not in members:
            same = False
            yield f"{member_name(name, expected)} is missing", name
    for name in members:
        if name not in expected:
            same = False
            yield f"{member_name(name, members)} is sent in addition", f"{name}: {shown(members[name])}"
    if same and len(names) != len(members):
        yield "a member is sent twice", ", ".join(names)
    elif same and names != list(expected):
        yield "the order of the members differs", f"{', '.join(names)} instead of {', '.join(expected)}"
    for name, value in expected.items():
        if name in members:
            for cause, detail in json_differences(value, members[name], member_name(name, expected)):
                yield cause, f"{name}: {detail}" if not isinstance(value, (dict, list)) else detail


def etag_differences(live: Any, etag: str) -> Found:
    """Checks that ETag and Timestamp of one entity belong together, in each item of a list as well."""
    if not isinstance(live, Pairs):
        return
    members = dict(live)
    inner, stamp = members.get("odata.etag"), members.get("Timestamp")
    for item in members["value"] if isinstance(members.get("value"), list) else ():
        yield from etag_differences(item, "")
    if etag and isinstance(inner, str) and inner != etag:
        yield "odata.etag is not the ETag of the header", f"{inner} and {etag}"
    known = inner if isinstance(inner, str) else etag
    if known and isinstance(stamp, str) and known != etag_of(stamp):
        yield "the ETag does not belong to the Timestamp", f"{known} and {stamp}"


# --- XML ------------------------------------------------------------------------------------------


def tree(text: str) -> Any:
    def view(node: ET.Element) -> Any:
        return [node.tag, (node.text or "").strip(), sorted(node.attrib.items()), [view(one) for one in node]]
    return view(ET.fromstring(text))


def xml_differences(expected: Xml, answer: Answer) -> Found:
    text = answer.text
    if text.startswith("\ufeff") != expected.bom:
        yield "the XML " + ("lacks" if expected.bom else "has") + " a byte order mark", text[:60]
    try:
        live = tree(text.lstrip("\ufeff"))
    except ET.ParseError as error:
        yield "the body is no XML", f"{error}: {text[:120]}"
        return
    if live != tree(expected.text):
        yield "the XML differs", f"{text[:400]} instead of {expected.text[:400]}"


# --- errors ---------------------------------------------------------------------------------------


def error_differences(refusal: Refusal, form: str, message: Union[str, Placeholder],
                      answer: Answer) -> Found:
    """`form`: of `ErrorDocument`. `message` is that of the refusal, in batches with its prefix."""
    found = parse_error(answer.text)
    if not found:
        yield f"{refusal.code} has no error document", answer.text[:200]
        return
    if found.form != form:
        yield f"{refusal.code} is written as {found.form} instead of {form}", answer.text[:200]
    if isinstance(message, Placeholder):
        if not message.matches(found.message):
            yield f"the message of {refusal.code} differs", f"{shown(found.message)} is no {message}"
    elif found.message != message:
        same_text = without_index(found.message) == without_index(message)
        changed = "has another prefix" if same_text else "differs"
        yield (f"the message of {refusal.code} {changed}",
               f"{shown(found.message)} instead of {shown(message)}")
    if not found.request_id:
        yield f"the message of {refusal.code} lacks RequestId and Time", shown(found.message)
    elif not re.fullmatch(ERROR_TIME_PATTERN, found.time):
        yield f"the Time of {refusal.code} has another form", found.time
    if found.form == form == "json":
        content = {"code": found.code, "message": {"lang": "en-US", "value": Placeholder("message", ".*")}}
        for cause, detail in json_differences({"odata.error": content}, json_pairs(answer.text)):
            yield f"{cause} in the document of {refusal.code}", detail


def without_index(message: str) -> str:
    return re.sub(r"\A\d+:", "", message)


# --- any body -------------------------------------------------------------------------------------


def body_differences(expected: Any, answer: Answer, where: str) -> Iterator[Difference]:
    """`where` names the operation, for the causes."""
    if isinstance(expected, Unjudged):
        return
    for cause, detail in found_in_body(expected, answer):
        yield Difference(BODY, f"{cause} ({where})", detail)


def found_in_body(expected: Any, answer: Answer) -> Found:
    if isinstance(expected, bytes):
        if answer.body != expected:
            yield "the body is not empty" if not expected else "the body differs", answer.text[:200]
        return
    if isinstance(expected, Xml):
        yield from xml_differences(expected, answer)
        return
    try:
        live = json_pairs(answer.text)
    except ValueError:
        yield "the body is no JSON", answer.text[:200]
        return
    if isinstance(expected, Holds):
        if not expected.true_of(plain(live)):
            yield f"not so: {expected.rule}", answer.text[:300]
    else:
        yield from json_differences(expected, live)
    yield from etag_differences(live, answer.etag)
