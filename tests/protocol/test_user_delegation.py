"""User delegation keys and signatures, over HTTPS: the recorded answer, refusals, roles, revocation, restarts."""
import base64
import json
import re

import pytest

from answers import BAD_NODE, BAD_XML, check_front_end_error
from bearer_token import KEY_RESOURCE, TENANT, XML_FIELDS, delegation_key, guid, key_info, send_token, token_for
from own_server import needs_program
from rocktable_server import BATCH_HEADERS, Server, batch_body, batch_part, create_table, exchange, request_bytes, send
from rocktable_server import unique_name
from shared_access import account_sas, at, delegation_sas, send_with, table_sas

pytestmark = needs_program

OWNER, USER = guid(1), guid(4)
NEW = {"x-ms-version": "2025-07-05"}


def start(folder, *flags):
    return Server("--tls", "auto", "--oauth", "basic", *flags, location=folder)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = start(tmp_path_factory.mktemp("delegation"), "--explainAuth", "--anyAccount")
    yield running
    running.stop()


@pytest.fixture(scope="module")
def table(server):
    return create_table(server)


@pytest.fixture(scope="module")
def key(server):
    return delegation_key(server, token_for(OWNER))


def ask_key(server, body, token=None, method="POST", **headers):
    return send_token(server, token or token_for(OWNER), method, KEY_RESOURCE, XML_FIELDS | headers, body)


def control(server, method, resource, body=None):
    return exchange(server, request_bytes(server, method, f"/_rocktable/{resource}", None, body, signed=False), method)


def test_a_key_is_answered_as_recorded(server):
    """Recorded 2026-04-14 with version 2025-07-05."""
    begin, end = at(-60), at(3600)
    answer = ask_key(server, key_info(begin, end))
    assert answer.status == 200 and answer.headers["Content-Type"] == "application/xml"
    assert answer.headers["Transfer-Encoding"] == "chunked" and answer.headers["x-ms-version"] == "2025-07-05"
    found = re.fullmatch(
        '\ufeff<\\?xml version="1.0" encoding="utf-8"\\?><UserDelegationKey><SignedOid>' + OWNER + "</SignedOid><SignedTid>"
        + TENANT + "</SignedTid><SignedStart>" + begin + "</SignedStart><SignedExpiry>" + end + "</SignedExpiry>"
        "<SignedService>t</SignedService><SignedVersion>2025-07-05</SignedVersion><Value>([^<]+)</Value>"
        "</UserDelegationKey>", answer.text)
    assert found and len(base64.b64decode(found[1])) == 32, answer.text
    assert ask_key(server, key_info(begin, end)).text == answer.text  # without state
    without_slash = request_bytes(server, "POST", f"{server.base}?restype=service&comp=userdelegationkey",
                                  XML_FIELDS | {"Authorization": f"Bearer {token_for(OWNER)}"}, key_info(begin, end), signed=False)
    assert exchange(server, without_slash).text == answer.text


def test_the_start_may_be_absent_and_a_user_may_be_of_the_same_tenant(server):
    key = delegation_key(server, token_for(OWNER), more=f"<DelegatedUserTid>{TENANT}</DelegatedUserTid>")
    assert key["SignedDelegatedUserTid"] == TENANT and list(key)[-2:] == ["SignedDelegatedUserTid", "Value"]
    assert key["SignedStart"] <= at(1)
    assert delegation_key(server, token_for(OWNER.upper()))["SignedOid"] == OWNER


@pytest.mark.parametrize("expiry, start, value", [
    (-1, None, "expiry"),
    (7 * 86400 + 60, None, "expiry"),
    (60, 120, "expiry"),
    ("tomorrow", None, "expiry"),
    ("2099-01-01T00:00:00.000000Z", None, "expiry"),
    ("2099-01-01T00:00:00.0000000Z", None, "expiry"),
    (60, "2026-01-01T00:00:00.123456Z", "start"),
], ids=["past", "over a week", "before start", "no time", "microseconds", "ticks", "microseconds of start"])
def test_times_of_keys_that_are_refused(server, expiry, start, value):
    """Reports of users, and the notes of a library: InvalidXmlNodeValue, which names the value twice."""
    body = key_info(start, expiry)
    named = re.search(rf"<{value.capitalize()}>([^<]*)<", body)[1]
    answer = ask_key(server, body)
    assert (answer.status, answer.code, answer.headers["x-ms-error-code"]) == (400, "InvalidXmlNodeValue", "InvalidXmlNodeValue")
    assert BAD_NODE in answer.text
    assert f"<XmlNodeName>{named}</XmlNodeName><XmlNodeValue>{named}</XmlNodeValue>" in answer.text


def test_a_week_is_the_longest(server):
    assert ask_key(server, key_info(None, 7 * 86400 - 5)).status == 200


@pytest.mark.parametrize("body", [
    "", "x", "<KeyInfo />", "<KeyInfo><Start>2026-01-01T00:00:00Z</Start></KeyInfo>", "<Key />",
    "<KeyInfo><Expiry>2026-01-01T00:00:00Z</Expiry><Other /></KeyInfo>",
    "<KeyInfo><Expiry>a</Expiry><Expiry>b</Expiry></KeyInfo>"])
def test_documents_that_are_none_of_a_key(server, body):
    """Inferred: as for service properties."""
    answer = ask_key(server, body)
    assert (answer.status, answer.code) == (400, "InvalidXmlDocument"), answer


def test_callers_that_get_no_key(server, table, key):
    """Blob's answer, known from an emulator and from reports: only the scheme Bearer is supported."""
    def refused(answer, status=403, code="AuthenticationFailed"):
        assert (answer.status, answer.headers["x-ms-error-code"]) == (status, code), answer
        return answer.headers["x-rocktable-explain"] or ""

    assert "Only authentication scheme Bearer" in refused(send(server, "POST", KEY_RESOURCE, XML_FIELDS, key_info()))
    for sas in (account_sas(server), table_sas(server, table), delegation_sas(server, table, key)):
        refused(send_with(server, sas, "POST", KEY_RESOURCE, XML_FIELDS, key_info()))
    for token in (token_for(None), token_for(OWNER, None), token_for("alice"), token_for(OWNER, "tenant")):
        assert "oid and tid" in refused(ask_key(server, key_info(), token))
    refused(ask_key(server, key_info(), **{"x-ms-version": "2025-05-05"}), 400, "InvalidQueryParameterValue")
    refused(ask_key(server, key_info(more=f"<DelegatedUserTid>{guid(9)}</DelegatedUserTid>")), 400, "InvalidXmlNodeValue")
    for method in ("GET", "PUT", "DELETE"):
        assert ask_key(server, key_info(), method=method).status == 405
    owner = request_bytes(server, "POST", f"/_rocktable/entities/{server.name}{KEY_RESOURCE}", XML_FIELDS, key_info(), signed=False)
    assert exchange(server, owner).status == 403


def test_without_the_option_there_are_no_keys(tmp_path):
    plain = Server("--tls", "auto", location=tmp_path)
    try:
        assert ask_key(plain, key_info()).status == 403
        assert not (tmp_path / "__rocktable_identity__.json").exists()
    finally:
        plain.stop()


def test_a_signature_gives_entities_of_its_table(server, table, key):
    row = unique_name()
    one, entity = f"/{table}(PartitionKey='p',RowKey='{row}')", json.dumps({"PartitionKey": "p", "RowKey": row})
    sas = delegation_sas(server, table, key)
    part = batch_part(server, "PUT", f"{table}(PartitionKey='p',RowKey='b{row}')", {})
    for method, resource, headers, body, status in (
        ("POST", f"/{table.upper()}", {}, entity, 201),
        ("GET", one, {}, None, 200),
        ("GET", f"/{table}()", {}, None, 200),
        ("PUT", one, {}, "{}", 204),
        ("MERGE", one, {"If-Match": "*"}, "{}", 204),
        ("POST", "/$batch", BATCH_HEADERS, batch_body([part]), 202),
        ("DELETE", one, {"If-Match": "*"}, None, 204),
    ):
        answer = send_with(server, sas, method, resource, headers, body)
        assert answer.status == status and "error" not in answer.text, (method, resource, answer)


def test_a_signature_gives_no_tables_policies_and_properties(server, table, key):
    """The announcement of the service: an account SAS must be used for tables."""
    sas = delegation_sas(server, table, key)
    for method, resource, headers, body in (
        ("GET", "/Tables", {}, None), ("POST", "/Tables", {}, '{"TableName":"never"}'), ("GET", f"/Tables('{table}')", {}, None),
        ("DELETE", f"/Tables('{table}')", {}, None), ("GET", f"/{table}?comp=acl", {"Accept": "application/xml"} | NEW, None),
        ("GET", "/?restype=service&comp=properties", {"Accept": "application/xml"}, None),
        ("GET", "/?restype=service&comp=stats", {"Accept": "application/xml"}, None),
    ):
        answer = send_with(server, sas, method, resource, headers, body)
        assert (answer.status, answer.code) == (403, "AuthorizationPermissionMismatch"), (method, resource, answer)


def test_letters_range_and_other_table(server, table, key):
    one, entity = f"/{table}(PartitionKey='p',RowKey='r')", '{"PartitionKey":"z","RowKey":"r"}'
    reads = delegation_sas(server, table, key, sp="r")
    assert send_with(server, reads, "POST", f"/{table}", {}, entity).code == "AuthorizationPermissionMismatch"
    adds = delegation_sas(server, table, key, sp="a")
    assert send_with(server, adds, "PUT", one, {}, "{}").code == "AuthorizationPermissionMismatch"  # needs u, too
    ranged = delegation_sas(server, table, key, spk="a", epk="c")
    assert send_with(server, ranged, "POST", f"/{table}", {}, entity).code == "AuthorizationFailure"
    assert send_with(server, ranged, "GET", one).status == 404
    other = create_table(server)
    assert send_with(server, reads, "GET", f"/{other}()").code == "AuthorizationFailure"


def test_a_signature_counts_for_one_account(server, table, key):
    elsewhere = send_with(server, delegation_sas(server, table, key), "GET", f"/{table}()", base="/elsewhere")
    assert (elsewhere.status, elsewhere.code) == (403, "AuthenticationFailed")


def test_only_the_user_of_a_signature_may_use_it(server, table, key):
    sas = delegation_sas(server, table, key, sduoid=USER)

    def ask(token):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return send_with(server, sas, "GET", f"/{table}()", headers)

    assert ask(token_for(USER)).status == 200
    nobody = ask(None)
    assert nobody.status == 401 and nobody.headers["WWW-Authenticate"].startswith("Bearer authorization_uri=")
    for token in (token_for(OWNER), token_for(USER, guid(9)), token_for(None)):
        assert (ask(token).status, ask(token).code) == (403, "AuthenticationFailed")


def test_the_roles_of_the_owner_count_at_each_request(server, table, key):
    sas = delegation_sas(server, table, key)

    def status():
        return send_with(server, sas, "GET", f"/{table}()").status

    try:
        for text, expected in (
            (f"{OWNER} Storage Table Data Reader", 200), ("", 403), (f"{guid(2)} Storage Table Data Reader", 403),
            (f"{OWNER} Storage Table Delegator", 403), (f"{OWNER} Storage Table Data Reader {server.name}/{table}", 200),
        ):
            assert control(server, "PUT", "roles", text).status == 200
            assert status() == expected, text
        # Contributors of data may not ask for keys.
        control(server, "PUT", "roles", f"{OWNER} Storage Table Data Contributor")
        refused = ask_key(server, key_info())
        assert (refused.status, refused.code) == (403, "AuthorizationPermissionMismatch")
        assert "Storage Table Delegator" in refused.headers["x-rocktable-explain"]
        control(server, "PUT", "roles", f"{OWNER} Storage Table Delegator")
        assert ask_key(server, key_info()).status == 200
    finally:
        control(server, "DELETE", "roles")


def test_revoked_keys_stay_revoked_and_others_do_not_notice(tmp_path):
    server = start(tmp_path, "--anyAccount", "--explainAuth")
    try:
        table = create_table(server)
        key = delegation_key(server, token_for(OWNER))
        sas = delegation_sas(server, table, key)
        assert send_with(server, sas, "GET", f"/{table}()").status == 200
        assert control(server, "POST", "accounts/another/revoke-user-delegation-keys").status == 200
        assert send_with(server, sas, "GET", f"/{table}()").status == 200
        assert control(server, "POST", f"accounts/{server.name}/revoke-user-delegation-keys").json()["account"] == server.name
        refused = send_with(server, sas, "GET", f"/{table}()")
        assert (refused.status, refused.code) == (403, "AuthenticationFailed")
        assert "was revoked" in refused.headers["x-rocktable-explain"]
        # A key that is asked for later counts, also if it begins before.
        later = delegation_sas(server, table, delegation_key(server, token_for(OWNER), start=-600))
        assert send_with(server, later, "GET", f"/{table}()").status == 200
        assert control(server, "POST", "accounts/x/revoke-user-delegation-keys").status == 404
    finally:
        server.stop()
    # With the same folder, keys count after a restart, and revoked ones do not.
    again = start(tmp_path, "--anyAccount")
    try:
        assert send_with(again, later, "GET", f"/{table}()").status == 200
        assert send_with(again, sas, "GET", f"/{table}()").status == 403
    finally:
        again.stop()
    assert (tmp_path / "__rocktable_identity__.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("secrets, expected", [(("a" * 16, "a" * 16), 200), (("a" * 16, "b" * 16), 403), ((None, None), 403)],
                         ids=["same", "other", "random"])
def test_servers_in_memory_share_keys_if_they_have_one_secret(tmp_path, secrets, expected):
    def in_memory(secret):
        flags = ("--identitySecret", "env:SECRET") if secret else ()
        return Server("--tls", "auto", "--oauth", "basic", "--location", tmp_path, *flags, environment={"SECRET": secret or ""})

    one, other = in_memory(secrets[0]), in_memory(secrets[1])
    try:
        table = create_table(one)
        create_table(other, table)
        sas = delegation_sas(one, table, delegation_key(one, token_for(OWNER)))
        assert send_with(one, sas, "GET", f"/{table}()").status == 200
        assert send_with(other, sas, "GET", f"/{table}()").status == expected
        # A revocation is of its process, as docs/identity.md says.
        assert control(one, "POST", f"accounts/{one.name}/revoke-user-delegation-keys").status == 200
        assert send_with(one, sas, "GET", f"/{table}()").status == 403
        assert send_with(other, sas, "GET", f"/{table}()").status == expected
    finally:
        one.stop()
        other.stop()


def test_logs_and_kept_requests_have_no_key(server):
    key = delegation_key(server, token_for(OWNER))
    kept = control(server, "GET", "requests?since=1&detail=true").text
    assert "<SignedOid>" in kept and "<Value>***</Value>" in kept
    assert key["Value"] not in kept and key["Value"].replace("/", "\\/") not in kept
