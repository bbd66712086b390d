"""Shared Key in both forms: the string to sign. Refusals are in test_refusals.py."""
import email.utils
import json

import pytest

from answers import check_not_authenticated
from rocktable_server import exchange, request_bytes, send, signature


def ask(server, method, target, to_sign=None, headers=None, body=None, scheme="SharedKeyLite", date=None, account=None):
    """Sends a request signed over `to_sign`, in which `{date}` is the date of the request."""
    date = date or email.utils.formatdate(usegmt=True)
    fields = {"x-ms-date": date}
    if to_sign is not None:
        credentials = f"{account or server.name}:{signature(server, to_sign.format(date=date))}"
        fields["Authorization"] = f"{scheme} {credentials}"
    return exchange(server, request_bytes(server, method, target, fields | (headers or {}), body, signed=False), method)


# --- string to sign -------------------------------------------------------------------------------


def test_the_worked_example_of_a_signature(server):
    """Seen in a report: SharedKeyLite of a batch in path style; the account appears twice."""
    text = "Sat, 22 May 2021 23:05:14 GMT\n/devstoreaccount1/devstoreaccount1/$batch"
    assert signature(server, text) == "y7mfjNimD4WGdW8k2saY+cB9E2vbD/VDFQTc2xrjHA4="


def test_shared_key_lite_signs_date_and_path(server):
    """learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key."""
    target = f"{server.base}/Tables"
    assert ask(server, "GET", f"{target}?$top=1&restype=x", "{date}\n/%s%s" % (server.name, target)).status == 200
    check_not_authenticated(ask(server, "GET", target, "{date}\n%s" % target))  # the account appears once
    check_not_authenticated(ask(server, "GET", target, "{date}\n/%s%s?$top=1" % (server.name, target)))


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
    """Clients sign the path as they send it, encoded or not. Decision: a path with literal quotes in place of %27 is
    accepted."""
    send(server, "POST", f"/{table}", body='{"PartitionKey":"p","RowKey":"r"}')
    target = f"{server.base}/{table}{predicate}"
    for signed in (target, target.replace("%27", "'")):
        assert ask(server, "GET", target, f"{{date}}\n/{server.name}{signed}").status == 200
    check_not_authenticated(ask(server, "GET", target, f"{{date}}\n/{server.name}{target}x"))


@pytest.mark.parametrize("key", ["é", "a b", "'"])
def test_other_characters_in_signed_paths(server, table, key):
    """learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key: the path is signed as it is encoded."""
    body = json.dumps({"PartitionKey": key, "RowKey": "r"})
    answer = send(server, "POST", f"/{table}", {"Prefer": "return-no-content"}, body)
    path = answer.headers["Location"].removeprefix(server.endpoint)
    target = server.base + path
    assert ask(server, "GET", target, f"{{date}}\n/{server.name}{target}").status == 200


def test_the_secondary_location_may_be_signed_with_either_name(server):
    """learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key: without -secondary; decision: both are
    accepted, because SDKs sign the path of path style with or without it."""
    target = f"{server.base}-secondary/Tables"
    for path in (target, f"{server.base}/Tables"):
        assert ask(server, "GET", target, f"{{date}}\n/{server.name}{path}").status == 200
    check_not_authenticated(ask(server, "GET", target, f"{{date}}\n/{server.name}-secondary{target}"))


# --- refusals -------------------------------------------------------------------------------------


def test_what_is_asked_for_matters_only_to_who_may_ask(server):
    """Decision: authentication comes first, so that its failure reveals nothing about the request."""
    check_not_authenticated(send(server, "GET", "/nonsense!", {"Authorization": "SharedKeyLite devstoreaccount1:AAAA"}))
    assert send(server, "GET", "/nonsense!").code == "InvalidResourceName"


def test_bearer_tokens_are_refused_over_http(server):
    """learn.microsoft.com/rest/api/storageservices/authorize-with-azure-active-directory: bearer tokens
    need HTTPS."""
    check_not_authenticated(send(server, "GET", "/Tables", {"Authorization": "Bearer eyJhbGciOiJub25lIn0.e30."}))
