"""Bearer tokens over HTTPS: what they permit, and how they are refused."""
import http.client
import re
import ssl
import time

import pytest

from answers import ABSENT, check_front_end_error, check_not_authenticated
from bearer_token import bearer_token
from own_server import needs_program
from rocktable_server import API_VERSION, BATCH_HEADERS, Response, Server, batch_body, batch_part, unique_name

pytestmark = needs_program

XML = {"Accept": "application/xml"}
ONE = "/{}(PartitionKey='p',RowKey='r')"
CHALLENGED = (
    "Server failed to authenticate the request. Please refer to the information in the www-authenticate header."
)
CHALLENGE = {
    "WWW-Authenticate": re.compile(
        r"Bearer authorization_uri=https://login\.microsoftonline\.com/[0-9a-f-]{36}/oauth2/authorize "
        r"resource_id=https://storage\.azure\.com"
    )
}


def start(folder, *flags):
    return Server("--tls", "auto", "--location", folder, *flags)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = start(tmp_path_factory.mktemp("bearer"), "--oauth", "basic")
    yield running
    running.stop()


def ask(server, method, resource, token=None, headers=None, body=None):
    """Sends a request over HTTPS and checks the certificate of the server; with this token, or with a valid one."""
    context = ssl.create_default_context(cafile=server.ready["certificateAuthority"])
    connection = http.client.HTTPSConnection(server.host, server.port, context=context, timeout=10)
    fields = {"x-ms-version": API_VERSION, "Accept": "application/json"}
    fields |= {"Content-Type": "application/json"} if body else {}
    fields["Authorization"] = f"Bearer {bearer_token() if token is None else token}"
    try:
        connection.request(method, server.base + resource, body, fields | (headers or {}))
        return Response(connection.getresponse())
    finally:
        connection.close()


@pytest.fixture
def table(server):
    name = unique_name()
    assert ask(server, "POST", "/Tables", body=f'{{"TableName":"{name}"}}').status == 201
    yield name
    assert ask(server, "DELETE", f"/Tables('{name}')").status == 204


def test_a_token_opens_tables_entities_and_service_properties(server, table):
    """Recorded from the service, with version 2019-02-02."""
    one = ONE.format(table)
    for method, resource, headers, body, status in (
        ("GET", "/Tables", {}, None, 200),
        ("GET", f"/Tables('{table}')", {}, None, 200),
        ("POST", f"/{table}", {}, '{"PartitionKey":"p","RowKey":"r"}', 201),
        ("GET", one, {}, None, 200),
        ("GET", f"/{table}()", {}, None, 200),
        ("PUT", one, {}, "{}", 204),
        ("MERGE", one, {"If-Match": "*"}, "{}", 204),
        ("DELETE", one, {"If-Match": "*"}, None, 204),
        ("GET", "/?restype=service&comp=properties", XML, None, 200),
        ("PUT", "/?restype=service&comp=properties", XML, "<StorageServiceProperties><Cors /></StorageServiceProperties>", 202),
        ("POST", "/$batch", BATCH_HEADERS,
         batch_body([batch_part(server, "POST", table, {"PartitionKey": "p", "RowKey": "b"})]), 202),
    ):
        answer = ask(server, method, resource, headers=headers, body=body)
        assert answer.status == status, (method, resource, answer)
    assert ask(server, "GET", f"/{table}(PartitionKey='p',RowKey='b')").status == 200


@pytest.mark.parametrize("method, body", [("GET", None), ("PUT", "<SignedIdentifiers />")])
def test_access_policies_are_not_there_for_a_token(server, table, method, body):
    """Recorded from the service."""
    for name in (table, "absent"):
        answer = ask(server, method, f"/{name}?comp=acl", headers=XML, body=body)
        check_front_end_error(answer, 404, "ResourceNotFound", ABSENT)


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": ["https://management.azure.com", "https://storage.azure.com/"]},
        {"aud": "e406a681-f3d4-42a8-90b6-c2b029497af1"},
        {"aud": "https://devstoreaccount1.table.core.windows.net"},
        {"iss": "https://login.microsoftonline.com/some-tenant/v2.0", "ver": "2.0"},
        {"roles": [{"nested": [1, None]}]},
    ],
)
def test_tokens_that_are_taken(server, changes):
    """learn.microsoft.com/azure/storage/common/storage-auth-aad-app: audiences; decision: version 2 of tokens."""
    assert ask(server, "GET", "/Tables", bearer_token(**changes)).status == 200


@pytest.mark.parametrize(
    "changes",
    [
        lambda: {"exp": time.time() - 60},
        lambda: {"nbf": int(time.time()) + 3600},
        lambda: {"iss": "https://example.com/"},
        lambda: {"aud": "https://management.azure.com/"},
        lambda: {"aud": "https://other.table.core.windows.net"},
        lambda: {"aud": []},
    ],
    ids=["expired", "not yet valid", "issuer", "audience", "account", "no audience"],
)
def test_a_claim_that_does_not_fit_is_answered_with_the_challenge(server, changes):
    """Reports of users of the service; the challenge is recorded for requests without credentials."""
    answer = ask(server, "GET", "/Tables", bearer_token(**changes()))
    check_front_end_error(answer, 401, "InvalidAuthenticationInfo", CHALLENGED, CHALLENGE, json_wanted=True,
                          without=("x-ms-version",))


@pytest.mark.parametrize(
    "token",  # made in the test, because a token contains the time
    [
        lambda: "",
        lambda: "x",
        lambda: "a.b.c",
        lambda: "e30.e30.",
        lambda: bearer_token(iat=None),
        lambda: bearer_token(exp="soon"),
        lambda: bearer_token(payload=b"[" * 9000),
        lambda: bearer_token(x="x" * 40_000),
    ],
    ids=["empty", "one part", "no base64", "no claims", "no iat", "exp is text", "deep", "too long"],
)
def test_what_is_no_token_is_refused(server, token):
    """Decision: like a wrong signature, without the challenge, because another token of the same issuer would not
    help."""
    answer = ask(server, "GET", "/Tables", token())
    check_not_authenticated(answer)


def test_without_the_option_no_token_is_taken(tmp_path):
    """Decision: tokens are not verified, so the server accepts them only with an option."""
    plain = start(tmp_path)
    try:
        answer = ask(plain, "GET", "/Tables")
        check_not_authenticated(answer)
    finally:
        plain.stop()


def test_old_versions_know_no_tokens(server):
    """learn.microsoft.com/rest/api/storageservices/authorize-with-azure-active-directory: from 2017-11-09 on."""
    assert ask(server, "GET", "/Tables", headers={"x-ms-version": "2017-11-09"}).status == 200
    assert ask(server, "GET", "/Tables", headers={"x-ms-version": "2017-07-29"}).status == 403
