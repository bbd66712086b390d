"""What clients write differently in batches: line ends, boundaries, empty lines, URLs, headers."""
from __future__ import annotations

import itertools
import re
from typing import Any, Callable, Dict, List, NamedTuple

from cases.batches import (
    ALL_KINDS,
    ECHOED,
    LINE_ENDS,
    NO_CONTENT,
    OLD,
    answer_to,
    operation,
    stored,
    the_partition_holds,
)
from conformance import LEVELS, Batch, Change, Session, check, doc, inferred, inserted, product, rec
from conformance.errors import UNREADABLE_BODY
from conformance.expectations import ExpectedPart
from conformance.session import accept_of

TOPIC = "batches"
GLUED = rec("cpp/TransactionDelete-key")
JS = rec("js/browsers/batch_operations/recording_should_send_a_set_of_update_batch_operations")
GO = rec("go-2021/TestTableClient_Storage/TestBatchComplex")
GO_LEGACY = rec("go-legacy/TableBatchSuite/Test_BatchInsertMultipleEntities")
PYTHON = rec("python/test_table_batch.test_batch_insert")
AROUND = doc("www.rfc-editor.org/rfc/rfc2046",
             "These areas should generally be left blank, and implementations must ignore anything that "
             "appears before the first boundary delimiter line or after the last one.")
MIME = inferred("Multipart bodies and HTTP headers leave this to the client.")
HOST = inferred("Only the path and the query of a URL count, and the service is asked at many hosts.")
MIRRORED = inferred("The legacy library for Java sends X-HTTP-Method beside the verb that it names.")

ROWS = "abcd"
KINDS = ("POST", "PUT", "DELETE", "MERGE")
Edit = Callable[[Session, str, str], str]  # of the session, the text and the line end


def changes_of(s: Session, kinds, **more: Any) -> List[Change]:
    """Prepares and returns one operation on each of the first rows. DELETE finds its row, others make it."""
    changes = []
    for row, method in zip(ROWS, kinds):
        if method == "DELETE":
            s.given(OLD, row=row)
        more["if_match"] = "*" if method == "DELETE" else None
        more["prefer"] = NO_CONTENT if method == "POST" else None
        changes.append(operation(s, method, row, **more))
    return changes


def succeeds(s: Session, batch: Batch, edit: Edit | None = None, content_ids: bool = False) -> None:
    """Judges a batch of operations on the first rows, and what is stored then."""
    plain = batch.render(s.account.primary)
    text = edit(s, plain, batch.line_end) if edit else plain
    assert not edit or text != plain, "the edit changes nothing"
    s.batch(text, content_type=batch.content_type()).has(
        [answer_to(s, one, row, one.content_id if content_ids else None)
         for one, row in zip(batch.changes, ROWS)])
    the_partition_holds(s, {row: stored(one.method) for one, row in zip(batch.changes, ROWS)
                                    if one.method != "DELETE"})


# --- one form at a time ---------------------------------------------------------------------------


class Form(NamedTuple):
    evidence: Any
    options: Dict[str, Any] = {}  # of Batch
    edit: Edit | None = None


def replaced(old: str, new: str) -> Edit:
    """Returns an edit of the text. CRLF stands for the line end of the body."""
    def edit(s: Session, text: str, end: str) -> str:
        return text.replace(old.replace("\r\n", end), new.replace("\r\n", end))
    return edit


def ended_without_line_break(s: Session, text: str, end: str) -> str:
    return text[:-len(end)]


def one_line_break_after_headers(s: Session, text: str, end: str) -> str:
    """A part without a body ends with the empty line after its headers."""
    return text.replace(f"{end * 3}--", f"{end * 2}--")


def upper_case_names(s: Session, text: str, end: str) -> str:
    return re.sub(r"^[\w-]+(?=: )", lambda name: name[0].upper(), text, flags=re.MULTILINE)


def at_host(base: str) -> Edit:
    """The operations name another host; in path style with the account or without it."""
    def edit(s: Session, text: str, end: str) -> str:
        return text.replace(s.base, base.format(path=s.base_path))
    return edit


FORMS = {
    "absolute URLs": Form(GLUED, {"urls": "absolute"}),
    "paths with the account in path style": Form(HOST, {"urls": "path"}),
    "paths without the account": Form(ECHOED, {"urls": "table"}),
    "URLs without a slash": Form(HOST, {"urls": "bare"}),
    "URLs of another host": Form(HOST, {}, at_host("https://elsewhere.example{path}")),
    "URLs of a host without the account in the path": Form(HOST, {}, at_host("https://elsewhere.example")),
    "URLs with a port": Form(HOST, {}, at_host("http://127.0.0.1:10002{path}")),
    "encoded parentheses and quotes": Form(GO_LEGACY, {}, lambda s, text, end: re.sub(
        r"\(PartitionKey='(\w+)',RowKey='(\w+)'\) ", r"%28PartitionKey=%27\1%27,RowKey=%27\2%27%29 ", text)),
    "a boundary in quotes": Form(MIME, {"quoted": True}),
    "a boundary of one character": Form(MIME, {"boundary": "b", "inner_boundary": "c"}),
    "a boundary of 70 characters": Form(MIME, {"boundary": "b" * 70, "inner_boundary": "c" * 70}),
    "one boundary that begins like the other": Form(MIME, {"boundary": "x", "inner_boundary": "xy"}),
    "no final --": Form(GLUED, {"last_dashes": False}),
    "no line break at the end": Form(ECHOED, {}, ended_without_line_break),
    "boundaries glued to the JSON": Form(GLUED, {"glued": True}),
    "glued boundaries, no final --": Form(GLUED, {"glued": True, "last_dashes": False}),
    "an empty line before each boundary": Form(JS, {"lines_before_boundary": 1}),
    "two empty lines before each boundary": Form(MIME, {"lines_before_boundary": 2}),
    "one line break after headers without a body": Form(ECHOED, {}, one_line_break_after_headers),
    "an empty line before the JSON": Form(JS, {"lines_before_json": 1}),
    "three empty lines before the JSON": Form(MIME, {"lines_before_json": 3}),
    "an empty line more after the part headers": Form(MIME, {}, replaced(
        "binary\r\n\r\n", "binary\r\n\r\n\r\n")),
    "names of headers in lower case": Form(JS, {"lower_case_headers": True}),
    "names of headers in upper case": Form(MIME, {}, upper_case_names),
    "no space after the colon": Form(MIME, {}, replaced(": ", ":")),
    "Content-Length": Form(PYTHON, {"length": True}),
    "text after the end": Form(AROUND, {"after_end": "This is ignored.\r\n"}),
    "a boundary after the end": Form(AROUND, {"after_end": "--batch_a1\r\n\r\n--batch_a1--\r\n"}),
    "text before the first boundary": Form(AROUND, {}, lambda s, text, end: f"This is ignored.{end}{text}"),
    "an empty line before the first boundary": Form(AROUND, {}, lambda s, text, end: end + text),
    "no Content-Transfer-Encoding": Form(MIME, {}, replaced("Content-Transfer-Encoding: binary\r\n", "")),
    "the part headers in the other order": Form(GO, {}, replaced(
        "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n",
        "Content-Transfer-Encoding: binary\r\nContent-Type: application/http\r\n")),
}


@check("A batch may have {form}, {end}", lambda form, end: form.evidence,
       product(form=FORMS, end=LINE_ENDS), requests=3)
def forms(s: Session, form, end):
    succeeds(s, Batch(changes_of(s, KINDS), line_end=end, **form.options), form.edit)


# --- headers of the operations --------------------------------------------------------------------

WRONG_LENGTH = inferred("A boundary ends the body whatever Content-Length says.")
HEADERS = {
    "x-ms-version of the batch": (PYTHON, {"x-ms-version": "2019-02-02"}),
    "another x-ms-version": (inferred("The version of the batch counts."), {"x-ms-version": "2017-04-17"}),
    "an empty x-ms-version and DataServiceVersion": (
        rec("go-assets/TestBatchErrorHandleResponse_storage_tc@a600075"),
        {"x-ms-version": "", "DataServiceVersion": ""}),
    "DataServiceVersion 3.0": (ALL_KINDS, {"DataServiceVersion": "3.0"}),
    "DataServiceVersion 3.0;": (GLUED, {"DataServiceVersion": "3.0;"}),
    "dates and a client's request id": (PYTHON, {
        "x-ms-date": "Wed, 16 Sep 2020 18:39:20 GMT", "Date": "Wed, 16 Sep 2020 18:39:20 GMT",
        "x-ms-client-request-id": "ef5656a4-0000-11ea-8eaf-58961df361d1"}),
    "Host": (HOST, {"Host": "elsewhere.example"}),
    "Authorization": (inferred("The signature of the batch counts."), {"Authorization": "SharedKey a:b"}),
    "Content-Length that is too small": (WRONG_LENGTH, {"Content-Length": "1"}),
    "Content-Length that is too large": (WRONG_LENGTH, {"Content-Length": "100000"}),
}


@check("The operations of a batch may have {headers}", lambda headers: headers[0],
       product(headers=HEADERS), requests=3)
def inner_headers(s: Session, headers):
    succeeds(s, Batch(changes_of(s, KINDS, headers=headers[1])))


@check("X-HTTP-Method in a batch may stand beside its verb {method}", MIRRORED,
       product(method=["PUT", "MERGE", "PATCH", "DELETE"]))
def mirrored_method(s: Session, method):
    s.given(OLD)
    change = operation(s, method, if_match="*", headers={"X-HTTP-Method": method})
    s.batch(Batch([change])).has([answer_to(s, change)])


@check("{option} in the URL of an insert in a batch overrides Accept: {level}", GO,
       product(option=["$format", "%24format"], level=LEVELS))
def format_option(s: Session, option, level):
    other = "fullmetadata" if level == "nometadata" else "nometadata"
    path = f"/{s.table}?{option}=application%2Fjson%3Bodata%3D{level}"
    change = Change("POST", path, {**s.keys(), "n": 1}, accept=accept_of(other))
    s.batch(Batch([change])).has([inserted(s.location(), s.document({"n": 1}, level), level)])


@check("$format in the URL of {method} in a batch changes nothing", GO,
       product(method=["PUT", "PATCH", "MERGE", "DELETE"]))
def format_of_write(s: Session, method):
    s.given(OLD)
    change = operation(s, method, if_match="*")
    change.path += "?%24format=application%2Fjson%3Bodata%3Dminimalmetadata"
    s.batch(Batch([change])).has([answer_to(s, change)])


@check("The URL of a batch may be {path}", inferred("A percent-encoded character means the character."),
       product(path=["/%24batch"]))
def encoded_batch(s: Session, path):
    batch = Batch(changes_of(s, KINDS[:1]))
    answer = s.post(path, batch.render(s.account.primary), content_type=batch.content_type())
    answer.has([answer_to(s, one, row) for one, row in zip(batch.changes, ROWS)])


# --- forms together -------------------------------------------------------------------------------

PAIRABLE = {"a quoted boundary": {"quoted": True}, "no final --": {"last_dashes": False},
            "glued boundaries": {"glued": True}, "more empty lines": {"lines_before_boundary": 1},
            "an empty line before JSON": {"lines_before_json": 1},
            "lower case": {"lower_case_headers": True}, "relative URLs": {"urls": "table"},
            "text after the end": {"after_end": "\r\n\r\n"}}
PAIRS = [{"first": first, "second": second, "options": {**PAIRABLE[first], **PAIRABLE[second]}}
         for first, second in itertools.combinations(PAIRABLE, 2)]


@check("A batch may have {first} and {second}", inferred("Forms do not depend on each other."), PAIRS,
       requests=3)
def pairs(s: Session, first, second, options):
    succeeds(s, Batch(changes_of(s, KINDS), line_end="\n", **options))


# Bodies as libraries write them.
CLIENTS = {
    "the C++ library": Form(GLUED, {"line_end": "\n", "glued": True, "last_dashes": False}),
    "the legacy library for Python": Form(ECHOED, {
        "line_end": "\n", "urls": "table", "content_id_in": "request", "length": True},
        ended_without_line_break),
    "the library for Python": Form(PYTHON, {"length": True}),
    "the library for JavaScript": Form(JS, {"lines_before_json": 1, "lines_before_boundary": 1}),
    "the library for Go": Form(GO, {"length": True}, replaced("DataServiceVersion", "Dataserviceversion")),
    "the library for Java": Form(ALL_KINDS, {"length": True}),
}
TASKS = {"an insert": ("POST",), "a replacement": ("PUT",), "a merge": ("MERGE",), "a deletion": ("DELETE",),
         "all kinds": KINDS}


@check("A batch of {task} may look as from {client}", lambda client, task: client.evidence,
       product(client=CLIENTS, task=TASKS), requests=3)
def clients(s: Session, client, task):
    changes = changes_of(s, task, headers={"DataServiceVersion": "3.0"})
    for number, change in enumerate(changes):
        change.content_id = str(number)
    echoed = client.options.get("content_id_in") == "request"
    succeeds(s, Batch(changes, **client.options), client.edit, content_ids=echoed)


# --- parts that cannot be read --------------------------------------------------------------------

UNREADABLE = rec("cpp/TransactionInsertReplace-key")
NOTHING_IN_IT = inferred("A part without a request cannot be read either.")


def unreadable() -> ExpectedPart:
    headers = [("DataServiceVersion", "1.0;"), ("Content-Type", "application/xml;charset=utf-8")]
    return ExpectedPart(400, headers, refusal=UNREADABLE_BODY, form="xml")


def glued_headers(s: Session, method: str) -> str:
    """A part as the C++ library writes replacements: two headers on one line, no body."""
    return (f"Content-Type: application/http\nContent-Transfer-Encoding: binary\n\n"
            f"{method} {s.location()} HTTP/1.1\nContent-Type: application/json\n"
            f"Content-Length: 69Accept: application/json;odata=minimalmetadata\n"
            f"Prefer: return-no-content\nDataServiceVersion: 3.0;\nIf-Match: *\n\n\n")


def body_of(parts: List[str], end: str) -> str:
    inner = "".join(f"--changeset_b2\n{part}\n" for part in parts)
    text = f"--batch_a1\nContent-Type: multipart/mixed; boundary=changeset_b2\n\n{inner}--changeset_b2--\n"
    return f"{text}--batch_a1\n".replace("\n", end)


BATCH = {"content_type": "multipart/mixed; boundary=batch_a1"}


@check("{method} with headers that run into each other cannot be read: {state}, {end}, Accept {accept}",
       lambda method, state, **_: UNREADABLE if method == "PATCH" and not state else
       inferred("The part is refused before the entity is looked up."),
       product(method=["PATCH", "PUT", "MERGE"], state={"no entity": False, "an entity": True}, end=LINE_ENDS,
               accept={"fullmetadata": "fullmetadata"})
       + product(method=["PATCH"], state={"an entity": True}, end={"LF": "\n"},
                 accept={"*/*": "*/*", "none": None, "nometadata": "nometadata"}), requests=3)
def headers_without_body(s: Session, method, state, end, accept):
    etag = s.given(OLD) if state else None
    s.batch(body_of([glued_headers(s, method)], end), accept=accept, **BATCH).has([unreadable()])
    if state:
        s.get(s.entity_url()).is_(200, s.document(OLD, etag=etag))
    else:
        the_partition_holds(s, {})


@check("A part with nothing in it cannot be read: {end}, {form}", NOTHING_IN_IT,
       product(end=LINE_ENDS, form={"an empty line": [""], "two empty lines": ["\n"]}), requests=1)
def nothing_in_part(s: Session, end, form):
    s.batch(body_of(form, end), **BATCH).has([unreadable()])


@check("A part that cannot be read undoes {which}", NOTHING_IN_IT,
       product(which={"the insert before it": 0, "the insert behind it": 1}))
def unreadable_beside_insert(s: Session, which):
    insert = Batch([operation(s, "POST", "a")]).operation(operation(s, "POST", "a"), s.account.primary)
    parts = [insert.replace("\r\n", "\n"), glued_headers(s, "PATCH")]
    s.batch(body_of(parts[::-1] if which else parts, "\n"), **BATCH).has([unreadable()])
    the_partition_holds(s, {})
