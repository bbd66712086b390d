"""Cross-origin requests: preflights, the headers of actual responses, Vary.

Source, unless a test says otherwise: learn.microsoft.com/rest/api/storageservices/cross-origin-resource-sharing.
"""
import json

import pytest

from answers import EMPTY, ETAG, TABLE_LAYER, check, check_empty, check_front_end_error, json_type
from fixture_control import cors_rule
from rocktable_server import exchange, request_bytes, send
from shared_access import account_sas

ORIGIN = "https://www.contoso.com"
NO_MATCH = "CORS not enabled or no matching rule found for this request."
EVERY_METHOD = "DELETE,GET,HEAD,MERGE,POST,OPTIONS,PUT,PATCH"


def rule(origins=ORIGIN, methods=EVERY_METHOD, allowed="*", exposed="*", age=500):
    return cors_rule(origins, methods, allowed, exposed, age)


def set_rules(server, *rules):
    inner = f"<Cors>{''.join(rules)}</Cors>" if rules else "<Cors />"
    body = f"<StorageServiceProperties>{inner}</StorageServiceProperties>"
    headers = {"Accept": "application/xml", "Content-Type": "application/xml"}
    answer = send(server, "PUT", "/?restype=service&comp=properties", headers, body)
    assert answer.status == 202, answer


@pytest.fixture
def rules(server):
    """Sets the rules of the account and removes them after the test."""
    yield lambda *given: set_rules(server, *given)
    set_rules(server)


def preflight(server, method="GET", origin=ORIGIN, headers=None, resource="/Tables", media_type="application/json"):
    fields = {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": headers,
        "Accept": media_type,
    }
    target = f"{server.base}{resource}"
    return exchange(server, request_bytes(server, "OPTIONS", target, fields, signed=False), "OPTIONS")


# --- preflights -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "resource",
    ["/Tables", "/anything(PartitionKey='p',RowKey='r')", "/", "/$batch", "/x?comp=acl"],
)
def test_a_preflight_of_a_listed_origin(server, rules, resource):
    """No authorization, any path, existing or not."""
    rules(rule())
    expected = {
        "Access-Control-Allow-Origin": ORIGIN,
        "Access-Control-Allow-Methods": "PUT",
        "Access-Control-Allow-Headers": "x-ms-date, content-type",
        "Access-Control-Max-Age": "500",
        "Access-Control-Allow-Credentials": "true",
    }
    check_empty(preflight(server, "PUT", headers="x-ms-date, content-type", resource=resource), 200, EMPTY | expected)


def test_a_preflight_of_any_origin(server, rules):
    """No credentials if the rule has `*`; no list of headers if none were requested."""
    rules(rule("*", age=0))
    expected = {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Methods": "MERGE",
        "Access-Control-Max-Age": "0",
    }
    check_empty(preflight(server, "MERGE"), 200, EMPTY | expected)


@pytest.mark.parametrize(
    "origins, methods, allowed, origin, method, headers, good",
    [
        (ORIGIN, "GET", "", ORIGIN, "GET", None, True),
        (ORIGIN, "GET", "", ORIGIN, "PUT", None, False),
        (ORIGIN, "GET", "", "https://www.Contoso.com", "GET", None, False),  # case-sensitive
        (ORIGIN, "GET", "", "http://www.contoso.com", "GET", None, False),
        (ORIGIN, "GET", "", f"{ORIGIN}:443", "GET", None, False),
        (f"http://a.example,{ORIGIN}", "PUT,GET", "", ORIGIN, "GET", None, True),
        ("*", "GET", "", "null", "GET", None, True),
        ("https://*.contoso.com", "GET", "", "https://a.contoso.com", "GET", None, True),
        ("https://*.contoso.com", "GET", "", "https://contoso.com", "GET", None, False),
        ("https://*.contoso.com", "GET", "", "https://a.contoso.com.evil.example", "GET", None, False),
        (ORIGIN, "GET", "", ORIGIN, "GET", "x-ms-date", False),
        (ORIGIN, "GET", "x-ms-date", ORIGIN, "GET", "X-MS-Date", True),
        (ORIGIN, "GET", "x-ms-date", ORIGIN, "GET", "x-ms-date, x-ms-version", False),
        (ORIGIN, "GET", "x-ms-*", ORIGIN, "GET", "x-ms-date,X-Ms-Version", True),
        (ORIGIN, "GET", "x-ms-*", ORIGIN, "GET", "accept", False),
        (ORIGIN, "GET", "x-ms-*,accept", ORIGIN, "GET", "accept,x-ms-date", True),
        (ORIGIN, "GET", "*", ORIGIN, "GET", "anything,at-all", True),
        (ORIGIN, "GET", "", ORIGIN, "GET", "", True),
        (ORIGIN, "GET", "", ORIGIN, "get", None, False),
    ],
)
def test_what_a_rule_allows(server, rules, origins, methods, allowed, origin, method, headers, good):
    """Origins compare exactly, headers case-insensitively, prefixes end in `*`."""
    rules(rule(origins, methods, allowed))
    answer = preflight(server, method, origin, headers)
    if good:
        assert answer.status == 200, answer
    else:
        check_front_end_error(answer, 403, "CorsPreflightFailure", NO_MATCH, json_wanted=True)


def test_the_first_rule_that_matches_decides(server, rules):
    """Rules are tried in the order in which they were set."""
    rules(rule(methods="PUT", age=1), rule(methods="GET", age=2), rule("*", "GET,PUT", age=3))
    ages = [preflight(server, method, origin).headers["Access-Control-Max-Age"]
            for method, origin in (("PUT", ORIGIN), ("GET", ORIGIN), ("GET", "http://other.example"))]
    assert ages == ["1", "2", "3"]


@pytest.mark.parametrize(
    "media_type, json_wanted",
    [("application/json", True), (None, False), ("*/*", False)],
)
def test_without_rules_a_preflight_fails(server, media_type, json_wanted):
    """CORS is off for a new account."""
    answer = preflight(server, media_type=media_type)
    check_front_end_error(answer, 403, "CorsPreflightFailure", NO_MATCH, json_wanted=json_wanted)


@pytest.mark.parametrize("origin, method", [(None, "GET"), (ORIGIN, None), (None, None), ("", "GET")])
@pytest.mark.parametrize("with_rules", [True, False])
def test_a_preflight_needs_an_origin_and_a_method(server, rules, origin, method, with_rules):
    """The message is that of other emulators."""
    rules(*[rule()] * with_rules)
    answer = preflight(server, method, origin)
    text = "A required CORS header is not present."
    check_front_end_error(answer, 400, "InvalidHeaderValue", text, json_wanted=True)


# --- actual requests ------------------------------------------------------------------------------

ENTITY_EXPOSED = (
    "x-ms-request-id,x-ms-client-request-id,Server,x-ms-version,X-Content-Type-Options,Cache-Control,ETag,Content-Type,"
    "Content-Length,Date,Transfer-Encoding"
)
PAGE_EXPOSED = (
    "x-ms-request-id,x-ms-client-request-id,Server,x-ms-version,X-Content-Type-Options,Cache-Control,"
    "x-ms-continuation-NextPartitionKey,x-ms-continuation-NextRowKey,Content-Type,Content-Length,Date,Transfer-Encoding"
)
ACL_EXPOSED = "x-ms-request-id,x-ms-client-request-id,Server,x-ms-version,Content-Length,Date,Transfer-Encoding"
CLIENT_ID = {"x-ms-client-request-id": "id"}


def insert(server, table, row="r", headers=None):
    return send(server, "POST", f"/{table}", headers, f'{{"PartitionKey":"p","RowKey":"{row}"}}')


def cors_fields(answer):
    fields = answer.headers.items()
    return {name: value for name, value in fields if name.startswith("Access-Control-") or name == "Vary"}


@pytest.mark.parametrize("origin", [ORIGIN, None])
def test_any_origin_is_allowed_with_all_headers_exposed(server, table, rules, origin):
    """Recorded from the service, also for reads without Origin: the exact list of headers."""
    for row in "rs":
        insert(server, table, row)
    rules(rule("*"))
    headers = CLIENT_ID | {"Origin": origin}
    resource = f"/{table}(PartitionKey='p',RowKey='r')"
    expected = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": ENTITY_EXPOSED}
    answer = send(server, "GET", resource, headers)
    check(answer, 200, TABLE_LAYER | json_type() | CLIENT_ID | expected | {"ETag": ETAG})
    for resource, exposed in ((f"/{table}()?$top=1", PAGE_EXPOSED), (f"/{table}?comp=acl", ACL_EXPOSED)):
        media_type = "application/xml" if "comp" in resource else "application/json"
        answer = send(server, "GET", resource, headers | {"Accept": media_type})
        assert cors_fields(answer) == expected | {"Access-Control-Expose-Headers": exposed}


def test_a_listed_origin_may_bring_credentials(server, table, rules):
    """The response names a listed origin, and has Vary."""
    rules(rule(exposed="x-ms-*,etag"))
    insert(server, table)
    answer = send(server, "GET", f"/{table}(PartitionKey='p',RowKey='r')", {"Origin": ORIGIN})
    assert cors_fields(answer) == {
        "Access-Control-Allow-Origin": ORIGIN,
        "Access-Control-Allow-Credentials": "true",
        "Access-Control-Expose-Headers": "x-ms-request-id,x-ms-version,ETag",
        "Vary": "Origin",
    }


@pytest.mark.parametrize(
    "exposed, listed",
    [("", None), ("absent", None), ("Date,DATE", "Date"), ("X-MS-*", "x-ms-request-id,x-ms-version")],
)
def test_only_headers_of_the_answer_are_exposed(server, table, rules, exposed, listed):
    """Case-insensitive; no header if there is nothing to expose."""
    rules(rule("*", exposed=exposed))
    answer = send(server, "GET", f"/{table}()", {"Origin": ORIGIN})
    assert answer.headers["Access-Control-Expose-Headers"] == listed


@pytest.mark.parametrize("method", ["POST", "PUT", "MERGE", "PATCH", "DELETE"])
def test_answers_to_writes_allow_the_origin_as_well(server, table, rules, method):
    """Decision: browsers need the headers on writes, too, although recordings show them only on reads. None without
    Origin."""
    rules(rule("*"))
    insert(server, table)
    for origin in (ORIGIN, None):
        headers = {"Origin": origin, "If-Match": "*"}
        if method == "POST":
            answer = insert(server, table, f"new {origin is None}", headers)
        else:
            send(server, "PUT", f"/{table}(PartitionKey='p',RowKey='r')", body="{}")
            body = None if method == "DELETE" else "{}"
            answer = send(server, method, f"/{table}(PartitionKey='p',RowKey='r')", headers, body)
        assert answer.status < 300
        assert answer.headers["Access-Control-Allow-Origin"] == ("*" if origin else None)
        assert answer.headers["Vary"] is None


@pytest.mark.parametrize("origin", [None, "http://other.example", ORIGIN])
@pytest.mark.parametrize(
    "resource, status",
    [
        ("/{}()", 200),
        ("/Tables", 200),
        ("/absent()", 404),
        ("/{}()?$filter=a%20b", 400),
        ("/{}?comp=acl", 200),
        ("/Tables('absent')", 404),
    ],
)
def test_reads_that_match_no_rule_vary_with_the_origin(server, table, rules, origin, resource, status):
    """Recorded from the service: successes and errors, also without Origin; the response is otherwise the usual one."""
    rules(rule("https://else.example"), rule(ORIGIN, "PUT"))
    media_type = "application/xml" if "comp" in resource else "application/json"
    answer = send(server, "GET", resource.format(table), {"Origin": origin, "Accept": media_type})
    assert answer.status == status
    assert cors_fields(answer) == {"Vary": "Origin"}


def test_writes_that_match_no_rule_do_not_vary(server, table, rules):
    """Recorded from the service: never on other methods."""
    rules(rule("https://else.example"))
    for origin in (None, ORIGIN):
        assert cors_fields(insert(server, table, f"{origin}"[:1], {"Origin": origin})) == {}
        resource = f"/{table}(PartitionKey='p',RowKey='r')"
        assert cors_fields(send(server, "PUT", resource, {"Origin": origin}, "{}")) == {}
        assert cors_fields(send(server, "DELETE", resource, {"Origin": origin, "If-Match": "*"})) == {}


def test_an_account_without_rules_says_nothing_of_origins(server, table):
    """Recorded from the service."""
    assert cors_fields(send(server, "GET", f"/{table}()", {"Origin": ORIGIN})) == {}


@pytest.mark.parametrize(
    "authorization, status",
    [(None, 401), ("SharedKeyLite devstoreaccount1:AAAA", 403), ("x", 400)],
)
def test_a_page_may_read_why_its_request_is_refused(server, rules, authorization, status):
    """Rules are evaluated independently of authentication."""
    rules(rule(exposed="x-ms-error-code"))
    for origin, fields in [
        (ORIGIN, {"Access-Control-Allow-Origin": ORIGIN, "Access-Control-Allow-Credentials": "true",
                  "Access-Control-Expose-Headers": "x-ms-error-code", "Vary": "Origin"}),
        ("http://other.example", {"Vary": "Origin"}),
    ]:
        answer = send(server, "GET", "/Tables", {"Origin": origin, "Authorization": authorization})
        assert (answer.status, cors_fields(answer)) == (status, fields)


def test_an_account_that_is_not_there_has_no_rules(server, rules):
    """Decision."""
    rules(rule("*"))
    target = "/nobody/Tables"
    answer = exchange(server, request_bytes(server, "GET", target, {"Origin": ORIGIN}, signed=False))
    assert (answer.status, cors_fields(answer)) == (404, {})


def test_a_page_that_does_not_read_the_answer_writes_nothing(server, table):
    """Decision: browsers send such a request without a preflight, and anybody can make a SAS with the well-known key."""
    sas = account_sas(server)
    body = json.dumps({"PartitionKey": "p", "RowKey": "r"})

    def post(**headers):
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return exchange(server, bare_request(server, "POST", f"/{table}?{sas}", fields, body)).status

    for page in (
        {"Origin": ORIGIN, "Sec_Fetch_Mode": "no-cors", "Sec_Fetch_Site": "cross-site"},
        {"Origin": ORIGIN, "Sec_Fetch_Mode": "cors", "Sec_Fetch_Site": "same-site"},
        {"Origin": ORIGIN, "Content_Type": "text/plain;charset=UTF-8"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site", "Accept_Language": "en"},
    ):
        assert post(**page) == 403, page
    assert send(server, "GET", f"/{table}()").json()["value"] == []
    assert post(Origin=ORIGIN, Content_Type="application/json") == 201  # a browser asks before it sends this


def test_a_page_that_a_rule_allows_writes_without_a_preflight(server, table, rules):
    rules(rule(ORIGIN, methods="POST"))
    data = bare_request(server, "POST", f"/{table}?{account_sas(server)}", {"Origin": ORIGIN},
                        json.dumps({"PartitionKey": "p", "RowKey": "r"}))
    assert exchange(server, data).status == 201


def test_a_page_at_a_foreign_host_name_is_refused(server, table):
    """Decision: a name that an attacker lets resolve to this machine makes its page of the same origin."""
    sas = account_sas(server)

    def get(host, **headers):
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return exchange(server, bare_request(server, "GET", f"/{table}()?{sas}", {"Host": host} | fields)).status

    for sign in ({"User_Agent": "Mozilla/5.0 (X11)"}, {"Sec_Fetch_Site": "same-origin"}, {"Accept_Language": "en-US"}):
        assert get(f"attacker:{server.port}", **sign) == 403
        for own in (server.authority, f"localhost:{server.port}", f"app.localhost:{server.port}", "[::1]"):
            expected = 404 if own.startswith("app") else 200  # there the first label is the account
            assert get(own, **sign) == expected, own
    assert get(f"attacker:{server.port}", User_Agent="azsdk-js-data-tables/13.3.2", Accept_Language="*") == 200


def bare_request(server, method, target, headers, body=""):
    """A request with nothing but what a page can send."""
    fields = {"Host": server.authority, "Content-Length": str(len(body)), "Accept": "application/json"} | headers
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{method} {server.base}{target} HTTP/1.1\r\n{head}\r\n{body}".encode()


@pytest.mark.parametrize("resource, answers", [
    ("/_rocktable/stats", {"GET": 403, "OPTIONS": 403}),
    ("/_rocktable/health", {"GET": 200, "OPTIONS": 405}),
])
def test_the_emulators_own_resources_are_closed_to_pages(server, rules, resource, answers):
    """Decision: control resources belong to no account, so no rule permits them."""
    rules(rule("*"))
    asked = {"Origin": ORIGIN, "Access-Control-Request-Method": "GET"}
    for method, status in answers.items():
        answer = exchange(server, request_bytes(server, method, resource, asked, signed=False), method)
        assert (answer.status, cors_fields(answer)) == (status, {})


def test_new_rules_count_at_once(server, table, rules):
    """Decision: immediately. The service documents a few seconds."""
    for origins, allowed in ((ORIGIN, ORIGIN), ("https://else.example", None), ("*", "*")):
        rules(rule(origins))
        answer = send(server, "GET", f"/{table}()", {"Origin": ORIGIN})
        assert answer.headers["Access-Control-Allow-Origin"] == allowed
