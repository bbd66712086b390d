"""Shared Key in both forms: what is signed, and how a refusal looks."""
import email.utils
import json
import re
import time

import pytest

from answers import check_front_end_error
from rocktable_server import authorization, exchange, request_bytes, send, signature

REFUSED = (
    "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly "
    "including the signature."
)


def ask(server, method, target, to_sign=None, headers=None, body=None, scheme="SharedKeyLite", date=None, account=None):
    """Sends a request signed over `to_sign`, in which `{date}` is the date of the request."""
    date = date or email.utils.formatdate(usegmt=True)
    fields = {"x-ms-date": date}
    if to_sign is not None:
        credentials = f"{account or server.name}:{signature(server, to_sign.format(date=date))}"
        fields["Authorization"] = f"{scheme} {credentials}"
    return exchange(server, request_bytes(server, method, target, fields | (headers or {}), body, signed=False), method)


def check_refused(answer):
    """Recorded from the service: 403, without version, the reason phrase the message."""
    check_front_end_error(answer, 403, "AuthenticationFailed", REFUSED, json_wanted=True, without=("x-ms-version",))


# --- string to sign -------------------------------------------------------------------------------


def test_the_worked_example_of_a_signature(server):
    """Seen in a report: SharedKeyLite of a batch in path style, the account doubled."""
    text = "Sat, 22 May 2021 23:05:14 GMT\n/devstoreaccount1/devstoreaccount1/$batch"
    assert signature(server, text) == "y7mfjNimD4WGdW8k2saY+cB9E2vbD/VDFQTc2xrjHA4="


def test_shared_key_lite_signs_date_and_path(server):
    """learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key."""
    target = f"{server.base}/Tables"
    assert ask(server, "GET", f"{target}?$top=1&restype=x", "{date}\n/%s%s" % (server.name, target)).status == 200
    check_refused(ask(server, "GET", target, "{date}\n%s" % target))  # the account is not doubled
    check_refused(ask(server, "GET", target, "{date}\n/%s%s?$top=1" % (server.name, target)))


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "MERGE", "PATCH", "DELETE"])
def test_shared_key_signs_verb_md5_content_type_date_and_path(server, table, method):
    """learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key."""
    single = method not in ("GET", "POST")
    target = f"{server.base}/{table}" + ("(PartitionKey='p',RowKey='r')" if single else "")
    body = None if method in ("GET", "DELETE") else '{"PartitionKey":"p","RowKey":"r"}'
    if method == "DELETE":
        send(server, "POST", f"/{table}", body='{"PartitionKey":"p","RowKey":"r"}')
    kind = "application/json;odata=nometadata" if body else ""
    headers = {"If-Match": "*" if method == "DELETE" else None, "Content-MD5": "abc"}
    headers |= {"Content-Type": kind} if body else {}

    def signed(verb=method, digest="abc", content_type=kind):
        return f"{verb}\n{digest}\n{content_type}\n{{date}}\n/{server.name}{target}"

    for wrong in (signed(verb="HEAD"), signed(digest=""), signed(content_type="text/plain"), signed().lower()):
        check_refused(ask(server, method, target, wrong, headers, body, "SharedKey"))
    assert ask(server, method, target, signed(), headers, body, "SharedKey").status < 300


@pytest.mark.parametrize(
    "resource, component",
    [
        ("/?restype=service&comp=properties", "?comp=properties"),
        ("/?comp=properties&restype=service", "?comp=properties"),
        ("/{}?comp=acl", "?comp=acl"),
        ("/{}?comp=acl&timeout=30", "?comp=acl"),
    ],
)
@pytest.mark.parametrize("scheme", ["SharedKey", "SharedKeyLite"])
def test_of_the_query_only_comp_is_signed(server, table, resource, component, scheme):
    """learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key."""
    target = server.base + resource.format(table)
    start = "GET\n\n\n{date}" if scheme == "SharedKey" else "{date}"
    path = f"/{server.name}{target.partition('?')[0]}"
    headers = {"Accept": "application/xml"}
    assert ask(server, "GET", target, f"{start}\n{path}{component}", headers, scheme=scheme).status == 200
    assert ask(server, "GET", target, f"{start}\n{path}", headers, scheme=scheme).status == 403
    whole = f"{start}\n{path}?{target.partition('?')[2]}"
    assert (ask(server, "GET", target, whole, headers, scheme=scheme).status == 200) == (whole.endswith(component)
                                                                                         and whole.count("=") == 1)


@pytest.mark.parametrize(
    "predicate",
    [
        "(PartitionKey='p',RowKey='r')",
        "(PartitionKey=%27p%27,RowKey=%27r%27)",
        "%28PartitionKey=%27p%27%2CRowKey=%27r%27%29",
        "%28PartitionKey='p',RowKey='r'%29",
        "(PartitionKey='%70',%20RowKey='r')",
    ],
)
def test_percent_encoded_parentheses_and_quotes_in_signed_paths(server, table, predicate):
    """Clients sign the path as they send it, encoded or not; decision: also with literal quotes for %27."""
    send(server, "POST", f"/{table}", body='{"PartitionKey":"p","RowKey":"r"}')
    target = f"{server.base}/{table}{predicate}"
    for signed in (target, target.replace("%27", "'")):
        assert ask(server, "GET", target, f"{{date}}\n/{server.name}{signed}").status == 200
    check_refused(ask(server, "GET", target, f"{{date}}\n/{server.name}{target}x"))


@pytest.mark.parametrize("key", ["é", "a b", "'"])
def test_other_characters_in_signed_paths(server, table, key):
    """learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key: the path is signed as it is encoded."""
    body = json.dumps({"PartitionKey": key, "RowKey": "r"})
    answer = send(server, "POST", f"/{table}", {"Prefer": "return-no-content"}, body)
    path = answer.headers["Location"].removeprefix(server.endpoint)
    target = server.base + path
    assert ask(server, "GET", target, f"{{date}}\n/{server.name}{target}").status == 200


def test_the_secondary_location_may_be_signed_with_either_name(server):
    """learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key: without -secondary; decision: SDKs sign
    the path of path style with or without it, so both are taken."""
    target = f"{server.base}-secondary/Tables"
    for path in (target, f"{server.base}/Tables"):
        assert ask(server, "GET", target, f"{{date}}\n/{server.name}{path}").status == 200
    check_refused(ask(server, "GET", target, f"{{date}}\n/{server.name}-secondary{target}"))


# --- dates ----------------------------------------------------------------------------------------


def dated(offset):
    return email.utils.formatdate(time.time() + offset, usegmt=True)


@pytest.mark.parametrize(
    "minutes, good",
    [(-14.9, True), (14.9, True), (-15.1, False), (15.1, False), (-60, False)],
)
def test_a_date_may_be_15_minutes_off(server, minutes, good):
    """learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key."""
    target = f"{server.base}/Tables"
    answer = ask(server, "GET", target, f"{{date}}\n/{server.name}{target}", date=dated(minutes * 60))
    if good:
        assert answer.status == 200
    else:
        check_refused(answer)


@pytest.mark.parametrize("date", ["yesterday", "2021-05-22T23:05:14Z", "0", "Sat, 99 May 2021 23:05:14 GMT"])
def test_what_is_no_date_is_refused(server, date):
    """Decision: as a date that is too far away."""
    target = f"{server.base}/Tables"
    check_refused(ask(server, "GET", target, f"{{date}}\n/{server.name}{target}", date=date))


def test_a_request_needs_a_date(server):
    """learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key."""
    target = f"{server.base}/Tables"
    answer = ask(server, "GET", target, f"\n/{server.name}{target}", {"x-ms-date": None})
    check_refused(answer)


def test_x_ms_date_goes_before_date(server):
    """learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key."""
    target = f"{server.base}/Tables"
    to_sign = f"{{date}}\n/{server.name}{target}"
    assert ask(server, "GET", target, to_sign, {"Date": dated(-3600)}).status == 200
    assert ask(server, "GET", target, to_sign, {"Date": "nonsense"}).status == 200
    now = dated(0)
    assert ask(server, "GET", target, to_sign, {"x-ms-date": None, "Date": now}, date=now).status == 200
    check_refused(ask(server, "GET", target, to_sign, {"x-ms-date": dated(-3600), "Date": now}, date=now))


# --- refusals -------------------------------------------------------------------------------------


def test_without_credentials_the_answer_says_how_to_get_some(server):
    """Recorded from the service with version 2020-12-06; decision: for every version."""
    for version in ("2020-12-06", "2019-02-02", "2016-05-31"):
        challenge = re.compile(
            r"Bearer authorization_uri=https://login\.microsoftonline\.com/[0-9a-f-]{36}/oauth2/authorize "
            r"resource_id=https://storage\.azure\.com"
        )
        text = (
            "Server failed to authenticate the request. Please refer to the information in the www-authenticate header."
        )
        headers = {"Authorization": None, "x-ms-version": version}
        answer = send(server, "GET", "/Tables", headers)
        check_front_end_error(answer, 401, "NoAuthenticationInformation", text,
                              {"WWW-Authenticate": challenge, "x-ms-version": version}, json_wanted=True)


@pytest.mark.parametrize(
    "value",
    ["SharedKeyLite", "Nonsense a:b", "SharedKeyLite devstoreaccount1", "nonsense", "Basic YTpi"],
)
def test_a_malformed_authorization_is_no_authentication_information(server, value):
    """learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes: InvalidAuthenticationInfo."""
    answer = send(server, "GET", "/Tables", {"Authorization": value})
    text = "Authentication information is not given in the correct format. Check the value of Authorization header."
    check_front_end_error(answer, 400, "InvalidAuthenticationInfo", text, json_wanted=True)


@pytest.mark.parametrize(
    "value",
    [
        "SharedKeyLite devstoreaccount1:",
        "SharedKeyLite devstoreaccount1:%%%",
        "SharedKeyLite otheraccount:" + "A" * 44,
        "SharedKey devstoreaccount1:" + "A" * 44,
        "SharedKeyLite :abcd",
    ],
)
def test_a_wrong_signature_or_account_is_refused(server, value):
    """Recorded from the service for the signature."""
    check_refused(send(server, "GET", "/Tables", {"Authorization": value}))


@pytest.mark.parametrize("scheme", ["SharedKeyLite", "sharedkeylite", "SHAREDKEYLITE"])
def test_the_name_of_the_scheme_may_be_in_any_case(server, scheme):
    """Decision: by RFC 9110 schemes have no case."""
    target = f"{server.base}/Tables"
    assert ask(server, "GET", target, f"{{date}}\n/{server.name}{target}", scheme=scheme).status == 200


def test_authorization_beats_a_shared_access_signature(server):
    """Decision: a header that is there counts, whatever the query holds."""
    assert send(server, "GET", "/Tables?sv=2019-02-02&ss=t&srt=c&sp=l&se=2000-01-01&sig=x").status == 200
    check_refused(send(server, "GET", "/Tables?sig=x", {"Authorization": "SharedKeyLite devstoreaccount1:AAAA"}))


@pytest.mark.parametrize(
    "resource",
    ["/Tables", "/{}()", "/{}?comp=acl", "/?restype=service&comp=properties", "/nonsense!"],
)
def test_a_wrong_key_opens_nothing(server, table, resource):
    """Recorded from the service. Decision: what is asked for matters only to who may ask."""
    target = server.base + resource.format(table)
    date = email.utils.formatdate(usegmt=True)
    headers = {"x-ms-date": date, "Authorization": authorization(server, target, date, "bm90IHRoZSBrZXk=")}
    check_refused(exchange(server, request_bytes(server, "GET", target, headers, signed=False)))


def test_bearer_tokens_are_refused_over_http(server):
    """learn.microsoft.com/rest/api/storageservices/authorize-with-azure-active-directory: they need HTTPS."""
    check_refused(send(server, "GET", "/Tables", {"Authorization": "Bearer eyJhbGciOiJub25lIn0.e30."}))
