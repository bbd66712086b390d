"""Headers of all requests: versions, the client's request id, tunnelled methods."""
import email.utils

import pytest

from answers import TABLE_LAYER, check, check_front_end_error, json_type
from own_server import needs_program
from rocktable_server import API_VERSION, Server, authorization, exchange, request_bytes, send

BAD_HEADER = "The value for one of the HTTP headers is not in the correct format."
NEWEST = "2026-06-06"


# --- x-ms-version ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "version",
    ["2013-08-15", "2016-05-31", "2017-04-17", "2019-02-02", "2020-12-06", "2021-01-01", "2099-12-31"],
)
def test_a_version_is_echoed(server, version):
    """Recorded from the service for its versions; decision: every well-formed version is accepted."""
    answer = send(server, "GET", "/Tables", {"x-ms-version": version})
    check(answer, 200, TABLE_LAYER | json_type() | {"x-ms-version": version})
    assert send(server, "GET", "/Tables('absent')", {"x-ms-version": version}).headers["x-ms-version"] == version
    front_end = send(server, "GET", "/absent?comp=acl", {"x-ms-version": version, "Accept": "application/xml"})
    assert (front_end.status, front_end.headers["x-ms-version"]) == (404, version)


@pytest.mark.parametrize(
    "version",
    [
        "nonsense",
        "19-02-02",
        "2019-2-2",
        "2019-13-01",
        "2019-02-30",
        "2019-02-02 ",
        "20190202",
        "2019-02-02x",
        "2019-02-02,2019-02-02",
    ],
)
def test_a_malformed_version_is_an_invalid_header(server, version):
    """learn.microsoft.com/rest/api/storageservices/versioning-for-the-azure-storage-services."""
    answer = send(server, "GET", "/Tables", {"x-ms-version": version})
    if version.strip() == "2019-02-02":  # white space around a value is not part of it
        assert answer.status == 200
    else:
        expected = {"x-ms-version": NEWEST}
        check_front_end_error(answer, 400, "InvalidHeaderValue", BAD_HEADER, expected, json_wanted=True)


def test_without_a_version_the_newest_is_meant(server):
    """Decision: the newest version. The service uses an old default, which supports only Atom."""
    for version in (None, ""):
        answer = send(server, "GET", "/Tables", {"x-ms-version": version})
        assert (answer.status, answer.headers["x-ms-version"]) == (200, NEWEST)


def test_the_version_may_be_a_parameter(server):
    """learn.microsoft.com/rest/api/storageservices/versioning-for-the-azure-storage-services; the header has
    precedence."""
    answer = send(server, "GET", "/Tables?api-version=2017-04-17", {"x-ms-version": None})
    assert (answer.status, answer.headers["x-ms-version"]) == (200, "2017-04-17")
    answer = send(server, "GET", "/Tables?api-version=2017-04-17")
    assert answer.headers["x-ms-version"] == API_VERSION
    answer = send(server, "GET", "/Tables?API-Version=nonsense", {"x-ms-version": None})
    assert (answer.status, answer.code) == (400, "InvalidHeaderValue")


@pytest.mark.parametrize("version", ["2009-04-14", "2012-02-12", "2013-08-14"])
def test_json_needs_version_2013_08_15(server, version):
    """learn.microsoft.com/rest/api/storageservices/payload-format-for-table-service-operations."""
    answer = send(server, "GET", "/Tables", {"x-ms-version": version})
    assert (answer.status, answer.code) == (415, "JsonFormatNotSupported")


@pytest.mark.parametrize(
    "version, status",
    [("2019-02-02", 200), (NEWEST, 200), ("2021-01-01", 400), ("2099-12-31", 400)],
)
@needs_program
def test_strict_api_version_refuses_what_the_service_never_had(version, status):
    """Decision: only with the flag `--strictApiVersion`, which the service does not have."""
    server = Server("--strictApiVersion")
    try:
        answer = send(server, "GET", "/Tables", {"x-ms-version": version})
        assert answer.status == status
        assert status == 200 or answer.code == "InvalidHeaderValue"
        assert send(server, "GET", "/Tables", {"x-ms-version": None}).status == 200
    finally:
        server.stop()


# --- request ids ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    ["1", "c7a2e0f6-8d1c-4a3b-9e2d-5f6a7b8c9d0e", "any text: with (signs)", "x" * 1024],
)
def test_the_clients_request_id_comes_back_on_every_answer(server, table, given):
    """Recorded from the service since version 2019-02-02; learn.microsoft.com/rest/api/storageservices/get-entity."""
    headers = {"x-ms-client-request-id": given}
    for method, resource, body in (
        ("GET", "/Tables", None),
        ("GET", f"/{table}()", None),
        ("GET", "/Tables('absent')", None),
        ("PUT", f"/{table}(PartitionKey='p',RowKey='r')", "{}"),
        ("GET", f"/{table}()?$filter=a%20b", None),
        ("GET", f"/{table}?comp=acl", None),
    ):
        accept = {"Accept": "application/xml" if "comp" in resource else "application/json"}
        answer = send(server, method, resource, headers | accept, body)
        assert answer.headers["x-ms-client-request-id"] == given, (resource, answer)
    refused = send(server, "GET", "/Tables", headers | {"Authorization": "SharedKeyLite devstoreaccount1:AAAA"})
    assert (refused.status, refused.headers["x-ms-client-request-id"]) == (403, given)


@pytest.mark.parametrize("given", [None, "", "x" * 1025, "\xe9", "a\tb"])
def test_an_absent_or_odd_request_id_does_not_come_back(server, given):
    """Decision: the request still succeeds. The service documents 1,024 visible ASCII characters."""
    answer = send(server, "GET", "/Tables", {"x-ms-client-request-id": given})
    assert answer.status == 200
    assert answer.headers["x-ms-client-request-id"] is None


def test_x_ms_return_client_request_id_needs_nothing_more(server):
    """Recorded from the service."""
    answer = send(server, "GET", "/Tables", {"x-ms-return-client-request-id": "true"})
    check(answer, 200, TABLE_LAYER | json_type())


def test_each_answer_has_a_request_id_of_its_own(server):
    """Recorded from the service."""
    ids = [send(server, "GET", "/Tables").headers["x-ms-request-id"] for _ in range(20)]
    assert len(set(ids)) == 20


# --- tunnelled verbs ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["MERGE", "PATCH", "PUT", "DELETE"])
def test_post_tunnels_a_verb(server, table, method):
    """learn.microsoft.com/rest/api/storageservices/merge-entity; decision: the signature covers POST."""
    resource = f"/{table}(PartitionKey='p',RowKey='r')"
    assert send(server, "PUT", resource, body='{"a":1}').status == 204
    body = None if method == "DELETE" else '{"b":2}'
    answer = send(server, "POST", resource, {"X-HTTP-Method": method, "If-Match": "*"}, body)
    assert answer.status == 204, answer
    found = send(server, "GET", resource)
    kept = {"MERGE": {"a", "b"}, "PATCH": {"a", "b"}, "PUT": {"b"}, "DELETE": set()}[method]
    assert set(found.json()) & {"a", "b"} == kept


@pytest.mark.parametrize("method, applied", [("PUT", True), ("MERGE", True), ("DELETE", False)])
def test_a_tunnelled_verb_has_the_preferences_of_that_verb(server, table, method, applied):
    """Decision: the response is that of the request that is tunnelled."""
    resource = f"/{table}(PartitionKey='p',RowKey='r')"
    assert send(server, "PUT", resource, body="{}").status == 204
    headers = {"X-HTTP-Method": method, "If-Match": "*", "Prefer": "return-no-content"}
    answer = send(server, "POST", resource, headers, None if method == "DELETE" else "{}")
    assert answer.headers["Preference-Applied"] == ("return-no-content" if applied else None), answer


@pytest.mark.parametrize(
    "method, value, code, message",
    [
        ("PUT", "MERGE", "XMethodNotUsingPost", "The request uses X-HTTP-Method with an HTTP verb other than POST."),
        ("GET", "GET", "XMethodNotUsingPost", "The request uses X-HTTP-Method with an HTTP verb other than POST."),
        ("POST", ["MERGE", "MERGE"], "XMethodIncorrectCount", "More than one X-HTTP-Method is specified."),
        ("POST", "BREW", "XMethodIncorrectValue", "The specified X-HTTP-Method is invalid."),
        ("POST", "GET", "XMethodIncorrectValue", "The specified X-HTTP-Method is invalid."),
    ],
)
def test_a_bad_tunnel_is_refused(server, table, method, value, code, message):
    """learn.microsoft.com/rest/api/storageservices/table-service-error-codes."""
    resource = f"/{table}(PartitionKey='p',RowKey='r')"
    answer = send(server, method, resource, {"X-HTTP-Method": value}, None if method == "GET" else "{}")
    assert (answer.status, answer.code) == (400, code) and message in answer.text, answer


# --- repeated headers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, values",
    [
        ("x-ms-version", ["2020-12-06", "2019-02-02"]),
        ("x-ms-version", ["2020-12-06", "2020-12-06"]),
        ("Content-Type", ["application/json", "text/plain"]),
        ("Content-MD5", ["YQ==", "Yg=="]),
        ("Date", ["Sat, 22 May 2021 23:05:14 GMT"] * 2),
    ],
    ids=str,
)
def test_a_header_that_is_signed_or_chooses_the_version_comes_once(server, table, name, values):
    """Decision: one of two values is checked, and a proxy or a log may use the other one."""
    answer = send(server, "PUT", f"/{table}(PartitionKey='p',RowKey='r')", {name: values}, "{}")
    check_front_end_error(answer, 400, "InvalidHeaderValue", BAD_HEADER, json_wanted=True)
    assert send(server, "GET", f"/{table}(PartitionKey='p',RowKey='r')").status == 404


@pytest.mark.parametrize("method", ["PUT", "MERGE", "PATCH", "DELETE"])
def test_two_conditions_are_refused(server, table, method):
    """The message is that of the service; decision: two headers are like two ETags in one."""
    resource = f"/{table}(PartitionKey='p',RowKey='r')"
    etag = send(server, "PUT", resource, body="{}").headers["ETag"]
    for conditions in (["*", etag], [etag, "*"], ["*", "*"]):
        body = None if method == "DELETE" else "{}"
        answer = send(server, method, resource, {"If-Match": conditions}, body)
        assert (answer.status, answer.code) == (400, "InvalidInput"), answer
        assert "make sure only one etag value is specified" in answer.text
    assert send(server, "GET", resource).headers["ETag"] == etag


def test_several_accept_headers_are_one_list(server):
    """RFC 9110, section 5.3."""
    answer = send(server, "GET", "/Tables", {"Accept": ["text/html", "application/json;odata=nometadata"]})
    assert answer.status == 200 and "odata=nometadata" in answer.headers["Content-Type"], answer


# --- names of headers -----------------------------------------------------------------------------


@pytest.mark.parametrize("change", [str.lower, str.upper])
def test_header_names_have_no_case(server, table, change):
    """RFC 9110."""
    resource = f"/{table}(PartitionKey='p',RowKey='r')"
    target = f"{server.base}{resource}"
    date = email.utils.formatdate(usegmt=True)
    fields = {"x-ms-date": date, "Authorization": authorization(server, target, date), "If-Match": "*",
              "Accept": "application/json;odata=nometadata"}
    headers = {"Accept": None} | {change(name): value for name, value in fields.items()}
    data = request_bytes(server, "PUT", target, headers, "{}", signed=False)
    answer = exchange(server, data)
    assert answer.status == 404, answer
    assert "odata=nometadata" in answer.headers["Content-Type"]
