"""Explanations of refused access: in the debug log, and with --explainAuth in a header. Without it, responses are those
of the service."""
import base64
import email.utils
import re
import time
import urllib.parse

import pytest

from rocktable_server import (
    BATCH_HEADERS,
    Server,
    batch_body,
    batch_part,
    create_table,
    exchange,
    exchange_until_closed,
    request_bytes,
    send,
    signature,
)
from shared_access import account_sas, at, send_with, table_sas

HEADER = "x-rocktable-explain"
SIGNATURE = re.compile(r"[A-Za-z0-9+/]{43}=|[0-9a-fA-F]{64}")


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return tmp_path_factory.mktemp("explain") / "debug.log"


@pytest.fixture(scope="module")
def server(log):
    running = Server("--explainAuth", "--debug", log)
    yield running
    running.stop()


@pytest.fixture
def told(server, log):
    """told(answer, status) returns its explanation, and checks that the log has it too and that it contains no
    secret."""

    def check(answer, status):
        assert answer.status == status, answer
        text = answer.headers[HEADER]
        assert text and text.isascii() and text.isprintable() and len(text) < 8192, text
        assert server.key not in text and not SIGNATURE.search(text), text
        line = next(line for line in log.read_text().splitlines() if answer.headers["x-ms-request-id"] in line)
        assert line.endswith(f" refused: {text}"), line
        return text

    return check


def ask(server, to_sign, target=None, headers=None, scheme="SharedKeyLite", method="GET", key=None, body=None):
    """A request signed over `to_sign`, in which `{date}` is its date."""
    target = target or f"{server.base}/Tables"
    date = email.utils.formatdate(usegmt=True)
    credentials = f"{server.name}:{signature(server, to_sign.format(date=date), key)}"
    fields = {"x-ms-date": date, "Authorization": f"{scheme} {credentials}"} | (headers or {})
    return exchange(server, request_bytes(server, method, target, fields, body, signed=False), method)


def test_the_usual_mistake_in_signing_is_named(server, told):
    """Each is a mistake of a real client; learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key."""
    path, name = f"{server.base}/Tables", server.name
    query = f"{path}?$top=1"
    for to_sign, target, scheme, part in (
        (f"{{date}}\n{path}", path, "SharedKeyLite", "signed the account once"),
        (f"{{date}}\n/{name}{path}", path, "SharedKey", "signed the string of SharedKeyLite"),
        (f"GET\n\n\n{{date}}\n/{name}{path}", path, "SharedKeyLite", "signed the string of SharedKey"),
        (f"GET\n\n\n\n/{name}{path}", path, "SharedKey", "empty date line"),
        (f"get\n\n\n{{date}}\n/{name}{path}", path, "SharedKey", "verb in lower case"),
        (f"{{date}}\n/{name}{query}", query, "SharedKeyLite", "whole query"),
        (f"{{date}}\n{server.endpoint}/Tables", path, "SharedKeyLite", "full URL"),
    ):
        text = told(ask(server, to_sign, target, scheme=scheme), 403)
        assert text.startswith("The signature does not match. The client ") and part in text, text
        assert f"\\n/{name}{path}'." in text, text


def test_credentials_that_come_twice_are_told_so(server, told):
    """Decision: only this explanation, because the signature itself is correct."""
    path = f"{server.base}/Tables"
    good = request_bytes(server, "GET", path).decode().split("Authorization: ")[1].split("\r\n")[0]
    answer = send(server, "GET", "/Tables", {"Authorization": [good, good]})
    assert told(answer, 400) == "The request has two Authorization headers."
    for sas in (account_sas(server), table_sas(server, "abc")):
        for field in sas.split("&"):
            answer = send_with(server, f"{sas}&{field}", "GET", "/abc()")
            assert told(answer, 403) == "A field of the SAS is repeated in the query."


def test_a_batch_that_writes_to_the_secondary_location_is_told_so(server, told):
    """Decision: like a single write; only the body of a batch shows whether it writes."""
    part = batch_part(server, "PUT", "abc(PartitionKey='p',RowKey='r')", {})
    target = f"{server.base}-secondary/$batch"
    answer = exchange(server, request_bytes(server, "POST", target, BATCH_HEADERS, batch_body([part])))
    assert told(answer, 403) == "The secondary location (-secondary) is read-only."


def test_the_string_to_sign_is_shown_and_leads_to_a_good_signature(server, told):
    """Decision: the explanation contains the string to sign. With it and the key, a developer can correct the
    request."""
    text = told(ask(server, "nonsense", scheme="SharedKey"), 403)
    shown = re.search(r"The string to sign is '(.*)'\.$", text)[1]
    date = re.search(r"\\n(\w{3}, [^\\]*GMT)\\n", shown)[1]
    credentials = f"SharedKey {server.name}:{signature(server, shown.replace(chr(92) + 'n', chr(10)))}"
    headers = {"x-ms-date": date, "Authorization": credentials}
    data = request_bytes(server, "GET", f"{server.base}/Tables", headers, signed=False)
    assert exchange(server, data).status == 200


def test_dates_accounts_and_missing_credentials_are_told(server, told):
    """Decision: one sentence each, with the compared values."""
    old = email.utils.formatdate(time.time() - 3600, usegmt=True)
    text = told(ask(server, "x", headers={"x-ms-date": old}), 403)
    assert text.startswith(f"x-ms-date is '{old}', 60 minutes too old compared with the server's clock, '"), text
    assert "neither x-ms-date nor Date" in told(ask(server, "x", headers={"x-ms-date": None}), 403)
    assert "neither an Authorization header" in told(send(server, "GET", "/Tables", {"Authorization": None}), 401)
    assert "scheme 'Basic'" in told(send(server, "GET", "/Tables", {"Authorization": "Basic YTpi"}), 400)
    assert "There is no account 'nobody'" in told(ask(server, "x", "/nobody/Tables"), 404)
    assert "without --oauth basic" in told(send(server, "GET", "/Tables", {"Authorization": "Bearer x"}), 403)


def test_what_a_shared_access_signature_lacks_is_told(server, table, told):
    """learn.microsoft.com/rest/api/storageservices/create-account-sas and .../create-service-sas."""
    def asked(sas, method="GET", resource=f"/{table}()", body=None, status=403):
        return told(send_with(server, sas, method, resource, body=body), status)

    entity = '{"PartitionKey":"c","RowKey":"r"}'
    expiry = at(-60)
    assert f"is expired: start none, expiry '{expiry}', now '" in asked(account_sas(server, se=expiry))
    start = at(600)
    assert f"is not valid yet: start '{start}'" in asked(account_sas(server, st=start))
    assert "address or range '10.0.0.1' (sip), but the client's address is '127.0.0.1'" in asked(account_sas(server, sip="10.0.0.1"))
    assert "protocols 'https' (spr)" in asked(account_sas(server, spr="https"))
    assert "services 'bq' (ss)" in asked(account_sas(server, ss="bq"))
    assert "QueryEntities needs the resource type o; the SAS has 'sc'" in asked(account_sas(server, srt="sc"))
    assert "InsertEntity needs the permission a; the SAS has 'r'" in asked(
        table_sas(server, table, sp="r"), "POST", f"/{table}", entity)
    assert "(tn), but the request is for" in asked(table_sas(server, "other"))
    assert "no stored access policy 'nobody'" in asked(table_sas(server, table, sp=None, se=None, si="nobody"))
    ranged = table_sas(server, table, spk="a", srk="1", epk="b")
    outside = "(PartitionKey 'c', RowKey 'r') is outside of the range of the SAS, which is from spk 'a', srk '1' to"
    assert outside in asked(ranged, "POST", f"/{table}", entity)
    assert outside in asked(ranged, "GET", f"/{table}(PartitionKey='c',RowKey='r')", status=404)
    assert "must be in lower case" in asked(mis_signed_sas(server, table.upper()))
    policies = send_with(server, account_sas(server), "GET", f"/{table}?comp=acl", {"Accept": "application/xml"})
    assert "no SAS grants access policies" in told(policies, 403)


def mis_signed_sas(server, table):
    """The table's name signed as it is written."""
    expiry = at(3600)
    text = f"r\n\n{expiry}\n/table/{server.name}/{table}\n\n\n\n2019-02-02\n\n\n\n"
    sig = signature(server, text).replace("+", "%2B").replace("=", "%3D")
    return f"sv=2019-02-02&tn={table}&sp=r&se={expiry.replace(':', '%3A')}&sig={sig}"


def test_in_a_batch_the_refusal_of_an_operation_is_told(server, table, told):
    """Decision: in the header of the whole response, because the parts are like those of the service."""
    body = batch_body([batch_part(server, "POST", table, {"PartitionKey": key, "RowKey": "r"}) for key in "a"])
    answer = send_with(server, account_sas(server, sp="r"), "POST", "/$batch", BATCH_HEADERS, body)
    assert "InsertEntity needs the permission a" in told(answer, 202)
    assert HEADER not in answer.text


def test_what_is_let_in_carries_no_explanation(server, table):
    """Decision: only refusals of access have the header."""
    for answer in (
        send(server, "GET", "/Tables"),
        send(server, "GET", f"/{table}(PartitionKey='a',RowKey='b')"),
        send(server, "GET", "/nonsense!"),
        send_with(server, account_sas(server), "GET", f"/{table}()"),
    ):
        assert HEADER not in answer.headers, answer


def test_hostile_bytes_do_not_leave_the_header(server, table, told):
    """Decision: printable ASCII, other characters escaped; bounded length."""
    sas = f"sv=2019-02-02&tn={table}&sp=r%0D%0ASet-Cookie:x&se=%C3%A9%01&sig=x"
    answer = send_with(server, sas, "GET", f"/{table}()")
    assert "No value may contain a line break" in told(answer, 403)
    answer = send_with(server, sas.replace("%0A", ""), "GET", f"/{table}()")
    assert "'r\\x0dSet-Cookie:x\\n\\n\\xc3\\xa9\\x01\\n/table/" in told(answer, 403)
    assert "Set-Cookie" not in answer.headers
    date = email.utils.formatdate(usegmt=True)
    raw = request_bytes(server, "GET", f"{server.base}/Tables", {
        "x-ms-date": date, "Authorization": f"SharedKey {server.name}:x", "Content-Type": "y-" * 20000}, signed=False)
    text = told(exchange(server, raw), 403)
    assert "...'" in text
    raw = raw.replace(b"y-" * 20000, b"\xff\\n\t'")
    assert "\\xff\\\\n\\x09'" in told(exchange(server, raw), 403)


def test_the_key_in_the_wrong_place_is_not_told(server, log):
    """Decision: a key that was sent as a header by mistake must not appear in logs."""
    for value in (server.key, f"{server.key} x", f"SharedKey {server.key}", f"Bearer {server.key}",
                  f"SharedKey {server.key}:{server.name}", f"SharedKeyLite {server.name} {server.key}:x"):
        answer = send(server, "GET", "/Tables", {"Authorization": value})
        assert answer.status in (400, 403)
        assert server.key not in answer.headers[HEADER]
    text = log.read_text()
    assert server.key not in text and base64.b64decode(server.key).hex() not in text


def test_a_signature_in_the_wrong_place_is_not_told(server, log):
    """Decision: a SAS that is joined to the URL by the wrong character looks like an account's name."""
    sas = account_sas(server)
    secret = sas.split("sig=")[1].split("&")[0]
    for target in (f"{server.base}&{sas}/Tables", f"{server.base}/Tables??{sas}",
                   f"{server.base}/Tables?{urllib.parse.quote(sas)}"):
        answer = exchange(server, request_bytes(server, "GET", target, signed=False))
        assert answer.status in (401, 403, 404)
        assert secret not in answer.headers[HEADER] and secret not in urllib.parse.unquote(answer.headers[HEADER])
    text = log.read_text()
    assert secret not in text and urllib.parse.quote(secret) not in text


def test_why_is_found_out_in_bounded_time(server):
    """An unauthenticated client must not keep the server busy: the maximum number of headers, thousands of
    parameters."""
    headers = {f"x-ms-{i:05}": "" for i in range(1_980)}
    for target, fields in ((f"{server.base}/Tables", headers),
                           (f"{server.base}/Tables?" + "&".join(f"p{i}=1" for i in range(10_000)), {})):
        start = time.monotonic()
        assert ask(server, "nonsense", target, fields).status == 403
        assert time.monotonic() - start < 1


def test_without_the_option_the_log_alone_is_told(tmp_path):
    """Decision: off by default; then responses are unchanged."""
    plain_log = tmp_path / "plain.log"
    plain = Server("--debug", plain_log)
    try:
        table = create_table(plain)
        for answer in (
            ask(plain, "nonsense"),
            send(plain, "GET", "/Tables", {"Authorization": None}),
            ask(plain, "x", "/nobody/Tables"),
            send_with(plain, account_sas(plain, sp="a"), "GET", f"/{table}()"),
        ):
            assert answer.status in (401, 403, 404)
            assert not any(name.lower().startswith("x-rocktable") for name in answer.headers), answer
        raw = exchange_until_closed(plain, request_bytes(plain, "GET", f"{plain.base}/Tables", signed=False))
        assert b"explain" not in raw.lower()
    finally:
        plain.stop()
    lines = plain_log.read_text().splitlines()
    assert sum("refused:" in line for line in lines) == 5, lines
    assert plain.key not in plain_log.read_text()
