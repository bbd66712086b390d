"""An expected answer, and its comparison with the live one."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator, List, Optional, Sequence, Tuple

from conformance.answers import Answer, Headers, parse_multipart
from conformance.bodies import body_differences, error_differences
from conformance.differences import BODY, HEADERS, STATUS, Difference
from conformance.errors import Refusal
from conformance.headers import JUDGED, JUDGED_FOR_CORS, HeaderSet, wanted_format
from conformance.values import EMPTY, GUID_PATTERN, OPTIONAL, Placeholder
from conformance.wire import Request


@dataclass
class ExpectedPart:
    """One answer inside the answer to a batch. Its headers are compared in their order."""

    status: int
    headers: List[Tuple[str, Any]]
    body: Any = EMPTY
    refusal: Optional[Refusal] = None
    index: Optional[int] = None  # the prefix of the message
    form: str = "json"


@dataclass
class Expected:
    status: int
    headers: HeaderSet
    body: Any = EMPTY
    refusal: Optional[Refusal] = None
    parts: Optional[Sequence[ExpectedPart]] = None  # of the answer to a batch
    changeset: bool = True

    @property
    def code(self) -> str:
        return self.refusal.code if self.refusal else ""

    def inner(self) -> List[str]:
        return [f"{one.status} {one.refusal.code if one.refusal else ''}" for one in self.parts or ()]


@dataclass
class Context:
    """What a comparison has to know besides the two answers."""

    request: Request
    operation: str  # as "POST entity set"
    cors: bool = False  # whether the headers of CORS are judged
    differences: List[Difference] = field(default_factory=list)


def outcome(status: int, code: str) -> str:
    return f"{status} {code}".strip()


def status_difference(status: int, code: str, answer: Answer) -> Iterator[Difference]:
    live, wanted = outcome(answer.status, answer.code), outcome(status, code)
    if live == wanted:
        return
    if answer.status == status and not answer.code:
        yield Difference(STATUS, f"{wanted} has no error code", answer.text[:200])
    else:
        yield Difference(STATUS, f"status {live} instead of {wanted}", answer.text[:300])


def compare(expected: Expected, answer: Answer, context: Context) -> List[Difference]:
    """Returns all differences; of a wrong status or code nothing but that."""
    found = list(status_difference(expected.status, expected.code, answer))
    if found:
        return found
    if expected.refusal:
        found += refusal_differences(expected.refusal, answer, context.request)
    elif expected.parts is not None:
        found += batch_differences(expected, answer, context)
        if any(one.strength == STATUS for one in found):
            return found
    else:
        found += body_differences(expected.body, answer, f"{context.operation} -> {answer.status}")
    judged = JUDGED + (JUDGED_FOR_CORS if context.cors else ())
    found += header_differences(expected, answer, context, judged)
    return found


# --- headers --------------------------------------------------------------------------------------


def header_differences(expected: Expected, answer: Answer, context: Context,
                       judged: Sequence[str]) -> Iterator[Difference]:
    where = expected.code or f"{context.operation} -> {expected.status}"
    wanted = {name.lower(): value for name, value in expected.headers.items()}
    for name in judged:
        lines = [value for one, value in answer.headers if one.lower() == name.lower()]
        value = wanted.get(name.lower())
        if value is OPTIONAL:
            continue
        if len(lines) > 1:
            yield Difference(HEADERS, f"{name} is sent twice with {where}", ", ".join(lines))
        elif value is None and lines:
            yield Difference(HEADERS, f"{name} is sent with {where}", lines[0])
        elif value is not None and not lines:
            yield Difference(HEADERS, f"{name} is missing with {where}", f"expected: {value}")
        elif value is not None:
            yield from value_difference(name, value, lines[0], where, context.request)


def value_difference(name: str, value: Any, live: str, where: str, request: Request) -> Iterator[Difference]:
    if name == "x-ms-version" and isinstance(value, Placeholder):
        sent = request.header("x-ms-version")
        if sent and live != sent:
            yield Difference(HEADERS, "x-ms-version is not that of the request", f"{live} instead of {sent}")
    elif isinstance(value, Placeholder):
        if not value.matches(live):
            yield Difference(HEADERS, f"{name} has another form with {where}", f"{live} is no {value.name}")
    elif live != value:
        fixed = name in ("Cache-Control", "Content-Type", "Preference-Applied", "X-Content-Type-Options")
        what = f"{name} is '{live}' instead of '{value}'" if fixed else f"{name} differs"
        yield Difference(HEADERS, f"{what} with {where}", f"{live} instead of {value}")


# --- refusals -------------------------------------------------------------------------------------


def refusal_differences(refusal: Refusal, answer: Answer, request: Request) -> Iterator[Difference]:
    form = "json" if wanted_format(request) != "xml" else ("prefixed xml" if refusal.front_end else "xml")
    for cause, detail in error_differences(refusal, form, refusal.message, answer):
        yield Difference(BODY, cause, detail)
    yield from request_id_difference(answer, answer.header("x-ms-request-id"), refusal)


def request_id_difference(answer: Answer, sent: Optional[str], refusal: Refusal) -> Iterator[Difference]:
    error = answer.error
    if error and error.request_id and error.request_id != sent:
        yield Difference(BODY, f"the RequestId of {refusal.code} is not the x-ms-request-id of the answer",
                         f"{error.request_id} and {sent}")


# --- batches --------------------------------------------------------------------------------------


def batch_differences(expected: Expected, answer: Answer, context: Context) -> Iterator[Difference]:
    found = parse_multipart(answer.header("Content-Type") or "", answer.body)
    if not found:
        yield Difference(STATUS, "the answer to a batch is not multipart", answer.text[:200])
        return
    parts = list(expected.parts or ())
    live = [outcome(one.status, one.answer().code) for one in found.parts]
    wanted = [outcome(one.status, one.refusal.code if one.refusal else "") for one in parts]
    if live != wanted:
        different = [(a, b) for a, b in zip(live, wanted) if a != b]
        if different:
            cause = f"part with status {different[0][0]} instead of {different[0][1]}"
        else:
            cause = f"{'more' if len(live) > len(wanted) else 'fewer'} parts in the answer to a batch"
        yield Difference(STATUS, cause, f"{live} instead of {wanted}")
        return
    if answer.text != found.render():
        yield Difference(BODY, "the multipart body is laid out in another way", answer.text[:600])
    if bool(found.changeset) != expected.changeset:
        yield Difference(BODY,
                         "the change set of the answer is " + ("missing" if expected.changeset
                                                               else "not expected"))
    yield from boundary_differences(found.changeset)
    for one, part in zip(parts, found.parts):
        yield from part_differences(one, part.answer(), answer.header("x-ms-request-id"))


def boundary_differences(changeset: str) -> Iterator[Difference]:
    pattern = Placeholder("boundary", rf"changesetresponse_{GUID_PATTERN}")
    if changeset and not pattern.matches(changeset):
        yield Difference(BODY, "the boundary of the change set has another form", changeset)


def part_differences(expected: ExpectedPart, live: Answer, request_id: Optional[str]) -> Iterator[Difference]:
    where = f"a part with {outcome(expected.status, expected.refusal.code if expected.refusal else '')}"
    if expected.refusal:
        message = expected.refusal.message
        prefixed = message if expected.index is None else f"{expected.index}:{message}"
        for cause, detail in error_differences(expected.refusal, expected.form, prefixed, live):
            yield Difference(BODY, f"{cause}, in a batch", detail)
        yield from request_id_difference(live, request_id, expected.refusal)
    else:
        yield from body_differences(expected.body, live, where)
    yield from part_header_differences(expected.headers, live.headers, where)


def part_header_differences(expected: List[Tuple[str, Any]], live: Headers,
                            where: str) -> Iterator[Difference]:
    wanted, names = [name for name, _ in expected], [name for name, _ in live]
    missing = [name for name in wanted if name not in names]
    added = [name for name in names if name not in wanted]
    for name in missing:
        yield Difference(HEADERS, f"{name} is missing in {where}", f"{names} instead of {wanted}")
    for name in added:
        yield Difference(HEADERS, f"{name} is sent in {where}", f"{names} instead of {wanted}")
    if not missing and not added and names != wanted:
        yield Difference(HEADERS, f"the order of the headers differs in {where}",
                         f"{names} instead of {wanted}")
    values = dict(live)
    for name, value in expected:
        if name in values:
            good = value.matches(values[name]) if isinstance(value, Placeholder) else value == values[name]
            if not good:
                yield Difference(HEADERS, f"{name} differs in {where}", f"{values[name]} instead of {value}")
