"""Checks responses exactly: status, reason phrase, the set of headers, error documents."""
import http.client
import json
import re
import urllib.parse
import xml.sax.saxutils

from rocktable_server import API_VERSION

GUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
# The fraction of a Timestamp, and of the ETag made from it, has no trailing zeros.
TIMESTAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,6}[1-9])?Z"
ETAG = re.compile(r"""W/"datetime'%s'\"""" % TIMESTAMP.replace(":", "%3A").replace("(?%3A", "(?:"))
ERROR_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z"  # with all seven digits
HTTP_DATE = re.compile(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT")

COMMON = {
    "Server": re.compile(r"Windows-Azure-Table/1\.0 .+"),
    "x-ms-request-id": re.compile(GUID),
    "x-ms-version": API_VERSION,
    "Date": HTTP_DATE,
}
EARLY = {"X-Content-Type-Options": "nosniff"}
TABLE_LAYER = EARLY | {"Cache-Control": "no-cache"}
EMPTY = {"Content-Length": "0"}
NO_CONTENT = {"Preference-Applied": "return-no-content"}
XML = {"Content-Type": "application/xml", "Transfer-Encoding": "chunked"}
ANY_LENGTH = re.compile(r"\d+")

MINIMAL = "application/json;odata=minimalmetadata"
LEVELS = ("nometadata", "minimalmetadata", "fullmetadata")

# Messages of the service.
ABSENT = "The specified resource does not exist."
NO_TABLE = "The table specified does not exist."
ENTITY_EXISTS = "The specified entity already exists."
TABLE_EXISTS = "The table specified already exists."
INVALID = "One of the request inputs is not valid."
NOT_IMPLEMENTED = "The requested operation is not implemented on the specified resource."
NOT_SATISFIED = "The update condition specified in the request was not satisfied."
UNREADABLE = "An error occurred while processing this request."
BAD_XML = "XML specified is not syntactically valid."
BAD_NODE = "The value for one of the XML nodes is not in the correct format."
NOT_AUTHENTICATED = (
    "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly "
    "including the signature."
)


def accept(level):
    return {"Accept": f"application/json;odata={level}"}


def json_type(level="minimalmetadata"):
    kind = f"application/json;odata={level};streaming=true;charset=utf-8"
    return {"Content-Type": kind, "Transfer-Encoding": "chunked"}


def timestamp_of(etag):
    """Returns the Timestamp of the entity with this ETag."""
    assert ETAG.fullmatch(etag), etag
    return urllib.parse.unquote(etag).split("'")[1]


def check(answer, status, headers, reason=None, without=()):
    """Checks the status line, and that the headers are the common ones and these, each once and with this spelling."""
    assert answer.status == status, answer
    assert answer.reason == (reason or http.client.responses[status]), answer
    expected = {name: value for name, value in (COMMON | headers).items() if name not in without}
    assert sorted(answer.headers.keys()) == sorted(expected), answer
    for name, value in expected.items():
        found = answer.headers[name]
        matches = found == value if isinstance(value, str) else value.fullmatch(found)
        assert matches, f"{name}: {found}, not {value}"


def check_empty(answer, status, headers, **kwargs):
    check(answer, status, headers, **kwargs)
    assert answer.body == b""


def context(server, suffix, level):
    """Returns the first member of a document; empty without metadata."""
    return "" if level == "nometadata" else f'"odata.metadata":"{server.endpoint}/$metadata#{suffix}",'


# --- error documents ------------------------------------------------------------------------------


def error_json(code, message, request_id):
    """Returns a pattern for shape A: JSON of the table layer, and of failed authentication if JSON was requested."""
    text = re.escape(json.dumps(message)[1:-1])
    value = rf"{text}\\nRequestId:{request_id}\\nTime:{ERROR_TIME}"
    return rf'\{{"odata\.error":\{{"code":"{code}","message":\{{"lang":"en-US","value":"{value}"\}}\}}\}}'


def error_xml(code, message, request_id, prefix):
    """Returns a pattern for XML: the front end uses the prefix `m:`, the table layer none."""
    space = f"xmlns{':' if prefix else ''}{prefix[:-1]}"
    text = re.escape(xml.sax.saxutils.escape(message))
    uri = re.escape("http://schemas.microsoft.com/ado/2007/08/dataservices/metadata")
    return (
        rf'<\?xml version="1\.0" encoding="utf-8"\?><{prefix}error {space}="{uri}"><{prefix}code>{code}</{prefix}code>'
        rf'<{prefix}message xml:lang="en-US">{text}\nRequestId:{request_id}\nTime:{ERROR_TIME}'
        rf"</{prefix}message></{prefix}error>"
    )


def check_body(answer, pattern):
    assert re.fullmatch(pattern, answer.text), f"{answer.text}\nis not\n{pattern}"


def check_error(answer, status, code, message, headers=None, level="minimalmetadata", without=()):
    """Checks an error of the table layer, in JSON. Only the body has its code."""
    check(answer, status, TABLE_LAYER | json_type(level) | (headers or {}), without=without)
    check_body(answer, error_json(code, message, answer.headers["x-ms-request-id"]))


def check_early_error(answer, status, code, message, level="minimalmetadata"):
    """Checks an error found before the operation is parsed: no Cache-Control and no Preference-Applied."""
    check_error(answer, status, code, message, level=level, without=("Cache-Control",))


def check_table_layer_xml_error(answer, status, code, message, headers=None, without=()):
    kind = {"Content-Type": "application/xml;charset=utf-8", "Transfer-Encoding": "chunked"}
    check(answer, status, TABLE_LAYER | kind | (headers or {}), without=without)
    check_body(answer, error_xml(code, message, answer.headers["x-ms-request-id"], ""))


def check_front_end_error(answer, status, code, message, headers=None, json_wanted=False, without=()):
    """Checks an error of the front end: the reason phrase repeats the message, and a header has the code."""
    kind = "application/json" if json_wanted else "application/xml"
    fields = {"Content-Type": kind, "Content-Length": str(len(answer.body)), "x-ms-error-code": code}
    check(answer, status, fields | (headers or {}), reason=message, without=without)
    request_id = answer.headers["x-ms-request-id"]
    as_json, as_xml = error_json(code, message, request_id), error_xml(code, message, request_id, "m:")
    check_body(answer, as_json if json_wanted else as_xml)


def check_not_authenticated(answer, json_wanted=True):
    """Recorded from the service: 403, without x-ms-version; the reason phrase is the message."""
    check_front_end_error(
        answer, 403, "AuthenticationFailed", NOT_AUTHENTICATED, json_wanted=json_wanted, without=("x-ms-version",)
    )
