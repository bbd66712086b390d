"""The shapes of error documents, how a request selects one, and formats that are not supported."""
import pytest

from answers import (
    ABSENT,
    EMPTY,
    NOT_IMPLEMENTED,
    NO_TABLE,
    TABLE_LAYER,
    check_early_error,
    check_empty,
    check_error,
    check_front_end_error,
    check_not_authenticated,
    check_table_layer_xml_error,
)
from rocktable_server import exchange, request_bytes, send

SYNTAX = "Syntax error at position 7 in 'aaa bbb ccc'."
BAD_FILTER = "$filter=aaa%20bbb%20ccc"


# --- the table layer ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "media_type, level",
    [
        ("application/json", "minimalmetadata"),
        ("application/json;odata=minimalmetadata", "minimalmetadata"),
        ("application/json; odata=nometadata", "nometadata"),
        ("application/json;odata=fullmetadata", "fullmetadata"),
        ("application/json;charset=utf-8", "minimalmetadata"),
        ("text/plain, application/json", "minimalmetadata"),
        ("Application/JSON;Odata=NoMetadata", "nometadata"),
    ],
)
@pytest.mark.parametrize("resource", ["/Tables('absent')", "/{}(PartitionKey='p',RowKey='r')"])
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_who_asks_for_json_gets_errors_in_json(server, table, media_type, level, resource, method):
    """Recorded from the service for the three levels and application/json; decision: the preferred type of a list."""
    headers = {"Accept": media_type, "If-Match": "*"}
    check_error(send(server, method, resource.format(table), headers), 404, "ResourceNotFound", ABSENT, level=level)


@pytest.mark.parametrize("media_type", ["*/*", None, "application/*"])
@pytest.mark.parametrize("resource", ["/Tables('absent')", "/{}(PartitionKey='p',RowKey='r')"])
def test_who_takes_anything_gets_errors_in_xml(server, table, media_type, resource):
    """Recorded from the service for */*: DELETE of a table and of an entity; decision: without Accept likewise."""
    answer = send(server, "DELETE", resource.format(table), {"Accept": media_type, "If-Match": "*"})
    check_table_layer_xml_error(answer, 404, "ResourceNotFound", ABSENT)


@pytest.mark.parametrize("method", ["PUT", "MERGE", "PATCH"])
def test_failed_writes_that_take_anything_are_answered_in_xml(server, table, method):
    """Decision: as recorded from the service for DELETE; Preference-Applied stays."""
    resource = f"/{table}(PartitionKey='p',RowKey='r')"
    headers = {"Accept": "*/*", "If-Match": "*", "Prefer": "return-no-content"}
    answer = send(server, method, resource, headers, "{}")
    applied = {"Preference-Applied": "return-no-content"}
    check_table_layer_xml_error(answer, 404, "ResourceNotFound", ABSENT, applied)


def test_early_errors_in_xml_lack_cache_control_as_well(server):
    """Decision: the shape of the body does not depend on the headers."""
    resource = "/absent(PartitionKey='p',RowKey='r')"
    answer = send(server, "DELETE", resource, {"Accept": "*/*", "If-Match": "*"})
    check_table_layer_xml_error(answer, 404, "TableNotFound", NO_TABLE, without=("Cache-Control",))


def test_xml_errors_escape_what_they_quote(server, table):
    """Decision: the message is text."""
    resource = f"/{table}(PartitionKey='p',RowKey='r')"
    answer = send(server, "DELETE", resource, {"Accept": "*/*", "If-Match": "<a>&\"b"})
    text = (
        "The etag value '<a>&\"b' specified in one of the request headers is not valid. Please make sure only one etag "
        "value is specified and is valid."
    )
    check_table_layer_xml_error(answer, 400, "InvalidInput", text, without=("Cache-Control",))


def test_json_errors_escape_what_they_quote(server, table):
    """Decision: the message is text."""
    answer = send(server, "GET", f"/{table}()?$filter=a%20%22%5C")
    assert answer.code == "InvalidInput" and 'a \\"\\\\' in answer.text, answer


@pytest.mark.parametrize("prefer", [None, "return-no-content"])
def test_filter_syntax_is_an_early_error(server, table, prefer):
    """Recorded from the service."""
    answer = send(server, "GET", f"/{table}()?{BAD_FILTER}", {"Prefer": prefer})
    check_early_error(answer, 400, "InvalidInput", SYNTAX)


@pytest.mark.parametrize("level", ["nometadata", "fullmetadata"])
def test_early_errors_have_the_level_asked_for(server, table, level):
    """Recorded from the service."""
    answer = send(server, "GET", f"/{table}()?{BAD_FILTER}", {"Accept": f"application/json;odata={level}"})
    check_early_error(answer, 400, "InvalidInput", SYNTAX, level=level)


# --- the front end --------------------------------------------------------------------------------


@pytest.mark.parametrize("media_type", [None, "application/xml", "application/atom+xml,application/xml"])
def test_errors_of_the_front_end_are_xml_with_the_message_as_reason_phrase(server, media_type):
    """Recorded from the service."""
    answer = send(server, "GET", "/absent?comp=acl", {"Accept": media_type})
    check_front_end_error(answer, 404, "TableNotFound", NO_TABLE)


BAD_KEY = {"Authorization": "SharedKeyLite devstoreaccount1:" + "A" * 43 + "="}


@pytest.mark.parametrize(
    "media_type, json_wanted",
    [
        ("application/json", True),
        ("application/json;odata=nometadata", True),
        (None, False),
        ("*/*", False),
        ("application/xml", False),
    ],
)
@pytest.mark.parametrize(
    "method, resource",
    [("GET", "/Tables"), ("POST", "/$batch"), ("GET", "/x?comp=acl")],
)
def test_failed_authentication_is_told_in_json_only_to_who_asks_for_it(
    server, media_type, json_wanted, method, resource
):
    """Recorded from the service: JSON for a table operation, XML for a batch without Accept; never an x-ms-version."""
    answer = send(server, method, resource, BAD_KEY | {"Accept": media_type}, "x" if method == "POST" else None)
    check_not_authenticated(answer, json_wanted)


# --- formats --------------------------------------------------------------------------------------

READS = ["/Tables", "/Tables('{}')", "/{}()", "/{}(PartitionKey='p',RowKey='r')"]


@pytest.mark.parametrize("resource", READS)
@pytest.mark.parametrize(
    "media_type, code, message",
    [
        ("application/atom+xml", "AtomFormatNotSupported", "Atom format is not supported."),
        (None, "AtomFormatNotSupported", "Atom format is not supported."),
        ("text/plain", "MediaTypeNotSupported", "None of the provided media types are supported"),
        ("application/xml", "MediaTypeNotSupported", "None of the provided media types are supported"),
    ],
)
def test_formats_that_are_not_served(server, table, resource, media_type, code, message):
    """learn.microsoft.com/rest/api/storageservices/payload-format-for-table-service-operations: Atom, the default,
    ended with version 2015-12-11. The sentence of MediaTypeNotSupported is recorded from the service, without its full
    stop. Decision: such errors come in XML."""
    answer = send(server, "GET", resource.format(table), {"Accept": media_type})
    check_table_layer_xml_error(answer, 415, code, message, without=("Cache-Control",))


def test_verbose_json_is_not_supported(server, table):
    """The code is that of Microsoft's SDKs; decision: the text."""
    answer = send(server, "GET", f"/{table}()", {"Accept": "application/json;odata=verbose"})
    assert (answer.status, answer.code) == (415, "JsonVerboseFormatNotSupported")


@pytest.mark.parametrize(
    "media_type",
    [
        "*/*",
        "application/*",
        "*/*;q=0.8",
        "text/plain, */*",
        "text/html,application/json",
        "application/atom+xml,application/json",
    ],
)
def test_who_takes_anything_gets_entities_in_minimal_json(server, table, media_type):
    """Decision: JSON is the only format."""
    answer = send(server, "GET", f"/{table}()", {"Accept": media_type})
    assert answer.status == 200
    assert answer.headers["Content-Type"].startswith("application/json;odata=minimalmetadata;")


@pytest.mark.parametrize("resource", READS[:3])
@pytest.mark.parametrize(
    "media_type, level",
    [
        ("application/json;odata=nometadata", "nometadata"),
        ("application/json; odata=fullmetadata", "fullmetadata"),
        ("application/json", "minimalmetadata"),
    ],
)
@pytest.mark.parametrize("accept", [None, "application/atom+xml", "application/json;odata=minimalmetadata"])
@pytest.mark.parametrize("name", ["$format", "%24format"])
def test_format_in_the_url_overrides_accept(server, table, resource, media_type, level, accept, name):
    """learn.microsoft.com/rest/api/storageservices/payload-format-for-table-service-operations; recorded in batches."""
    encoded = media_type.replace("/", "%2F").replace(";", "%3B").replace("=", "%3D").replace(" ", "%20")
    answer = send(server, "GET", f"{resource.format(table)}?{name}={encoded}", {"Accept": accept})
    assert answer.status == 200
    assert answer.headers["Content-Type"] == f"application/json;odata={level};streaming=true;charset=utf-8"


@pytest.mark.parametrize(
    "media_type, code",
    [
        ("application/atom+xml", "AtomFormatNotSupported"),
        ("text/plain", "MediaTypeNotSupported"),
        ("application/xml", "MediaTypeNotSupported"),
    ],
)
@pytest.mark.parametrize("method, resource", [("POST", "/Tables"), ("POST", "/{}"),
                                              ("PUT", "/{}(PartitionKey='p',RowKey='r')")])
def test_bodies_that_are_not_json_are_refused(server, table, media_type, code, method, resource):
    """learn.microsoft.com/rest/api/storageservices/payload-format-for-table-service-operations; an early error."""
    answer = send(server, method, resource.format(table), {"Content-Type": media_type}, "x")
    message = {
        "AtomFormatNotSupported": "Atom format is not supported.",
        "MediaTypeNotSupported": "None of the provided media types are supported",
    }[code]
    check_early_error(answer, 415, code, message)


# --- resources and verbs --------------------------------------------------------------------------

NOT_ALLOWED = "The requested method is not allowed on the specified resource."


@pytest.mark.parametrize(
    "method, resource, allow",
    [
        ("PUT", "/Tables", "GET, POST"),
        ("DELETE", "/Tables", "GET, POST"),
        ("PUT", "/Tables('x12')", "GET, DELETE"),
        ("POST", "/Tables('x12')", "GET, DELETE"),
        ("DELETE", "/x12()", "GET, POST"),
        ("MERGE", "/x12", "GET, POST"),
        ("POST", "/x12(PartitionKey='p',RowKey='r')", "GET, PUT, MERGE, PATCH, DELETE"),
        ("GET", "/$batch", "POST"),
        ("PUT", "/$batch", "POST"),
    ],
)
def test_a_verb_that_a_resource_lacks_is_answered_with_those_it_has(server, method, resource, allow):
    """learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes; decision: the list."""
    answer = send(server, method, resource, {"If-Match": "*"}, "{}" if method != "GET" else None)
    check_error(answer, 405, "MethodNotAllowed", NOT_ALLOWED, {"Allow": allow}, without=("Cache-Control",))


@pytest.mark.parametrize(
    "method, resource, allow",
    [("POST", "/{}?comp=acl", "GET, HEAD, PUT"), ("DELETE", "/?restype=service&comp=properties", "GET, PUT")],
)
def test_a_verb_that_the_front_end_lacks(server, table, method, resource, allow):
    """learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes; decision: the list."""
    answer = send(server, method, resource.format(table), {"Accept": "application/xml"})
    assert (answer.status, answer.code, answer.reason) == (405, "MethodNotAllowed", NOT_ALLOWED)
    assert set(allow.split(", ")) <= {*answer.headers["Allow"].split(", "), "HEAD"}


def test_the_metadata_document_is_not_implemented(server):
    """Decision: no client reads it."""
    answer = send(server, "GET", "/$metadata")
    check_early_error(answer, 501, "NotImplemented", NOT_IMPLEMENTED)


def test_a_request_without_host_is_refused(server):
    """learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes: HostInformationNotPresent."""
    for host in (None, ""):
        answer = exchange(server, request_bytes(server, "GET", f"{server.base}/Tables", {"Host": host}))
        assert (answer.status, answer.code) == (400, "HostInformationNotPresent")


def test_an_unknown_account_is_a_resource_not_found(server):
    """Decision: like other emulators; the service has no such host."""
    answer = exchange(server, request_bytes(server, "GET", "/otheraccount/Tables"))
    check_front_end_error(answer, 404, "ResourceNotFound", ABSENT, json_wanted=True)


def test_successes_without_body_have_no_content_type(server, table):
    """Recorded from the service: Content-Length: 0 and neither Content-Type nor Transfer-Encoding."""
    resource = f"/{table}(PartitionKey='p',RowKey='r')"
    assert send(server, "PUT", resource, body="{}").status == 204
    check_empty(send(server, "DELETE", resource, {"If-Match": "*"}), 204, TABLE_LAYER | EMPTY)


def test_no_answer_names_a_data_service_version(server, table):
    """Recorded from the service: DataServiceVersion is only in the parts of a batch."""
    for method, resource in (("GET", "/Tables"), ("GET", f"/{table}()"), ("GET", "/Tables('absent')")):
        answer = send(server, method, resource, {"DataServiceVersion": "3.0", "MaxDataServiceVersion": "3.0;NetFx"})
        assert "DataServiceVersion" not in answer.headers


@pytest.mark.parametrize("version", ["3.0", "3.0;", "3.0;NetFx", "2.0;", "1.0"])
def test_any_data_service_version_will_do(server, table, version):
    """Recorded from the service for 3.0 in three spellings; decision: no response depends on it."""
    assert send(server, "GET", f"/{table}()", {"DataServiceVersion": version}).status == 200


# --- the order of checks --------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["POST", "PUT", "MERGE", "PATCH"])
@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        '{"PartitionKey":"p"}',
        '{"PartitionKey":"p/","RowKey":"r"}',
        '{"PartitionKey":1,"RowKey":"r"}',
        '{"PartitionKey":"p","RowKey":"r","%s":1}' % ("n" * 256),
        '{"PartitionKey":"p","RowKey":"r","a":1,"a":2}',
        '{"PartitionKey":"p","RowKey":"r","a":"%s"}' % ("x" * 32769),
        '{"PartitionKey":"p","RowKey":"r"}',
    ],
    ids=lambda value: str(value)[:30],
)
def test_the_table_is_looked_up_before_the_body_is_judged(server, method, body):
    """Recorded from the service for POST and missing keys; inferred for the others."""
    resource = "/absent" if method == "POST" else "/absent(PartitionKey='p',RowKey='r')"
    answer = send(server, method, resource, body=body)
    check_early_error(answer, 404, "TableNotFound", NO_TABLE)


@pytest.mark.parametrize(
    "more, code",
    [('"%s":1' % ("n" * 256), "PropertyNameTooLong"), ('"a":[]', "InvalidInput"), ("", None)],
)
def test_the_body_is_checked_before_the_entity_is_looked_for(server, table, more, code):
    """Decision: the order that fits all that is known."""
    resource = f"/{table}(PartitionKey='p',RowKey='r')"
    answer = send(server, "PUT", resource, {"If-Match": "*"}, f"{{{more}}}")
    assert answer.code == (code or "ResourceNotFound")


def test_a_body_without_content_type_is_read_as_json(server, table):
    """Decision: the documentation requires Content-Type, but there is only one format."""
    body = '{"PartitionKey":"p","RowKey":"r"}'
    assert send(server, "POST", f"/{table}", {"Content-Type": None}, body).status == 201


@pytest.mark.parametrize("name", ["If-Match", "If-None-Match"])
def test_conditions_on_tables_are_ignored(server, table, name):
    """Decision: the documentation refuses them, but SDKs were written against a service that has no ETags here."""
    assert send(server, "GET", f"/Tables('{table}')", {name: "*"}).status == 200
