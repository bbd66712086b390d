"""Shared access signatures of both kinds against every operation; policies, key ranges, conditions of use."""
import urllib.parse

import pytest

from answers import EMPTY, TABLE_LAYER, check_empty, check_error, check_front_end_error
from rocktable_server import (
    BATCH_HEADERS,
    all_entities,
    batch_body,
    batch_part,
    create_table,
    delete_table,
    send,
    unique_name,
)
from shared_access import account_sas, at, send_with, table_sas

NO_PERMISSION = "This request is not authorized to perform this operation using this permission."
NO_RESOURCE_TYPE = "This request is not authorized to perform this operation using this resource type."
NOT_AUTHORIZED = "This request is not authorized to perform this operation."
REFUSED = (
    "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly "
    "including the signature."
)
XML = {"Accept": "application/xml"}
ONE = "/{}(PartitionKey='p',RowKey='r')"
PROPERTIES = "/?restype=service&comp=properties"


def put(server, table, row="r", partition="p"):
    """Stores an entity by the account's key."""
    resource = f"/{table}(PartitionKey='{partition}',RowKey='{row}')"
    assert send(server, "PUT", resource, body="{}").status == 204


class Operations:
    """Every operation, ready to be tried with a signature; `table` holds the entity (p, r)."""

    # name: service type, sets of letters that suffice, method, resource, headers, body
    TABLE = {
        "get properties": ("s", ["r"], "GET", PROPERTIES, XML, None),
        "set properties": ("s", ["w"], "PUT", PROPERTIES, XML, "<StorageServiceProperties />"),
        "get statistics": ("s", ["r"], "GET", "/?restype=service&comp=stats", XML, None),
        "query tables": ("c", ["l"], "GET", "/Tables", {}, None),
        "get table": ("c", ["l"], "GET", "/Tables('{}')", {}, None),
        "create table": ("c", ["c", "w"], "POST", "/Tables", {}, '{{"TableName":"{}x"}}'),
        "delete table": ("c", ["d"], "DELETE", "/Tables('{}y')", {}, None),
        "get policies": ("-", [], "GET", "/{}?comp=acl", XML, None),
        "set policies": ("-", [], "PUT", "/{}?comp=acl", XML, "<SignedIdentifiers />"),
        "query": ("o", ["r"], "GET", "/{}()", {}, None),
        "get": ("o", ["r"], "GET", ONE, {}, None),
        "insert": ("o", ["a"], "POST", "/{}", {}, '{{"PartitionKey":"p","RowKey":"new"}}'),
        "replace": ("o", ["u"], "PUT", ONE, {"If-Match": "*"}, "{{}}"),
        "merge": ("o", ["u"], "MERGE", ONE, {"If-Match": "*"}, "{{}}"),
        "patch": ("o", ["u"], "PATCH", ONE, {"If-Match": "*"}, "{{}}"),
        "insert or replace": ("o", ["au"], "PUT", ONE, {}, "{{}}"),
        "insert or merge": ("o", ["au"], "MERGE", ONE, {}, "{{}}"),
        "delete": ("o", ["d"], "DELETE", ONE, {"If-Match": "*"}, None),
    }
    LETTERS = "rwdlacu"

    @classmethod
    def names(cls, types="sco-"):
        return [name for name, row in cls.TABLE.items() if row[0] in types]

    @classmethod
    def attempt(cls, server, table, name, sas):
        _, _, method, resource, headers, body = cls.TABLE[name]
        if name == "create table":
            send(server, "DELETE", f"/Tables('{table}x')")
        if name == "delete table":
            send(server, "POST", "/Tables", body=f'{{"TableName":"{table}y"}}')
        if name == "insert":
            send(server, "DELETE", f"/{table}(PartitionKey='p',RowKey='new')", {"If-Match": "*"})
        put(server, table)
        base = f"{server.base}-secondary" if name == "get statistics" else None
        return send_with(server, sas, method, resource.format(table), headers, body and body.format(table), base)


@pytest.fixture
def sample(server):
    name = create_table(server, unique_name("Sample"))
    yield name
    for suffix in ("", "x", "y"):
        send(server, "DELETE", f"/Tables('{name}{suffix}')")


def check_denied(answer, name, code, message):
    """The table layer says so in the body, the front end in a header and the reason phrase, too."""
    kind = Operations.TABLE[name]
    if "comp=" in kind[3]:
        check_front_end_error(answer, 403, code, message)
    else:
        check_error(answer, 403, code, message)


# --- account SAS ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", Operations.names("sco"))
def test_what_an_account_sas_must_grant(server, sample, name):
    """learn.microsoft.com/rest/api/storageservices/create-account-sas: all letters but one, and those alone that
    suffice. The headers of a refusal are recorded from the service for a role that lacks the permission."""
    kind, sufficient, *_ = Operations.TABLE[name]
    for letters in sufficient:
        answer = Operations.attempt(server, sample, name, account_sas(server, sp=letters, srt=kind))
        assert answer.status < 300, (letters, answer)
    needed = set("".join(sufficient))
    for lacking in ([needed] if len(sufficient) > 1 else needed):
        letters = "".join(letter for letter in Operations.LETTERS if letter not in lacking)
        answer = Operations.attempt(server, sample, name, account_sas(server, sp=letters, srt="sco"))
        check_denied(answer, name, "AuthorizationPermissionMismatch", NO_PERMISSION)


@pytest.mark.parametrize("name", Operations.names("sco"))
def test_an_account_sas_must_name_the_resource_type(server, sample, name):
    """learn.microsoft.com/rest/api/storageservices/create-account-sas; checked before the permission."""
    kind = Operations.TABLE[name][0]
    for letters in ("rwdlacu", "p"):
        sas = account_sas(server, srt="sco".replace(kind, ""), sp=letters)
        answer = Operations.attempt(server, sample, name, sas)
        check_denied(answer, name, "AuthorizationResourceTypeMismatch", NO_RESOURCE_TYPE)


@pytest.mark.parametrize("name", Operations.names("-"))
def test_no_signature_opens_the_access_policies(server, sample, name):
    """learn.microsoft.com/rest/api/storageservices/set-table-acl; Microsoft's SDK tests assert the 403."""
    for sas in (account_sas(server), table_sas(server, sample)):
        answer = Operations.attempt(server, sample, name, sas)
        assert (answer.status, answer.headers["x-ms-error-code"]) == (403, answer.code), answer


@pytest.mark.parametrize("services", ["b", "qf", "bqf"])
def test_an_account_sas_must_name_the_table_service(server, services):
    """learn.microsoft.com/rest/api/storageservices/create-account-sas."""
    answer = send_with(server, account_sas(server, ss=services), "GET", "/Tables")
    text = "This request is not authorized to perform this operation using this service."
    check_front_end_error(answer, 403, "AuthorizationServiceMismatch", text, json_wanted=True)


@pytest.mark.parametrize(
    "changes",
    [
        {"sv": "2015-04-05"},
        {"sv": "2019-02-02"},
        {"sv": "2020-12-06"},
        {"sv": "2026-06-06"},
        {"ss": "tbqf", "srt": "ocs", "sp": "lr"},
        {"st": "2020-01-01T00:00:00Z"},
        {"st": "2020-01-01"},
        {"spr": "https,http"},
        {"sip": "127.0.0.1"},
        {"sip": "127.0.0.0-127.0.0.9"},
        {"sv": "2020-12-06", "ses": "scope"},
    ],
)
def test_layouts_of_the_account_sas(server, changes):
    """learn.microsoft.com/rest/api/storageservices/create-account-sas: with an encryption scope from 2020-12-06 on; the
    letters are signed in the order of the client."""
    assert send_with(server, account_sas(server, **changes), "GET", "/Tables").status == 200


# --- table SAS ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", Operations.names("o"))
def test_what_a_table_sas_must_grant(server, sample, name):
    """learn.microsoft.com/rest/api/storageservices/create-service-sas; upserts need both letters."""
    (needed,) = Operations.TABLE[name][1]
    assert Operations.attempt(server, sample, name, table_sas(server, sample, sp=needed)).status < 300
    for letter in needed:
        sas = table_sas(server, sample, sp="raud".replace(letter, ""))
        answer = Operations.attempt(server, sample, name, sas)
        check_denied(answer, name, "AuthorizationPermissionMismatch", NO_PERMISSION)


@pytest.mark.parametrize("name", Operations.names("sc"))
def test_a_table_sas_opens_nothing_but_entities(server, sample, name):
    """learn.microsoft.com/rest/api/storageservices/create-service-sas; decision: the code."""
    answer = Operations.attempt(server, sample, name, table_sas(server, sample))
    check_denied(answer, name, "AuthorizationFailure", NOT_AUTHORIZED)


@pytest.mark.parametrize("spell", [str, str.lower, str.upper])
def test_a_table_sas_names_its_table_in_any_case(server, sample, spell):
    """Recorded from the service: tn with capitals, signed in lower case."""
    put(server, sample)
    assert send_with(server, table_sas(server, spell(sample)), "GET", f"/{sample}()").status == 200
    assert send_with(server, table_sas(server, sample), "GET", f"/{spell(sample)}()").status == 200


@pytest.mark.parametrize("name", Operations.names("o"))
def test_a_table_sas_opens_its_table_alone(server, sample, name):
    """learn.microsoft.com/rest/api/storageservices/create-service-sas; decision: the code."""
    answer = Operations.attempt(server, sample, name, table_sas(server, "other"))
    check_denied(answer, name, "AuthorizationFailure", NOT_AUTHORIZED)


@pytest.mark.parametrize(
    "version",
    ["2012-02-12", "2013-08-15", "2015-02-21", "2015-04-05", "2019-02-02", "2026-06-06"],
)
def test_layouts_of_the_table_sas(server, table, version):
    """learn.microsoft.com/rest/api/storageservices/create-service-sas: the resource names the service from 2015-02-21
    on, address and protocol stand in it from 2015-04-05 on."""
    assert send_with(server, table_sas(server, table, sv=version), "GET", f"/{table}()").status == 200


def test_older_versions_have_no_table_sas(server, table):
    """learn.microsoft.com/rest/api/storageservices/create-service-sas."""
    answer = send_with(server, table_sas(server, table, sv="2011-08-18"), "GET", f"/{table}()")
    assert (answer.status, answer.code) == (403, "AuthenticationFailed")


def test_the_secondary_location_takes_the_signature_of_the_primary(server, table):
    """learn.microsoft.com/rest/api/storageservices/create-service-sas: the account without -secondary."""
    for sas in (table_sas(server, table), account_sas(server)):
        assert send_with(server, sas, "GET", f"/{table}()", base=f"{server.base}-secondary").status == 200


# --- both kinds -----------------------------------------------------------------------------------


def both(server, table, **changes):
    return account_sas(server, **changes), table_sas(server, table, **changes)


def check_refused(answer):
    check_front_end_error(answer, 403, "AuthenticationFailed", REFUSED, json_wanted=True, without=("x-ms-version",))


@pytest.mark.parametrize(
    "changes",
    [
        {"se": "2020-01-01T00:00:00Z"},
        {"se": at(-5)},
        {"st": at(60)},
        {"se": None},
        {"se": "soon"},
        {"st": "soon"},
        {"key": "bm90IHRoZSBrZXk="},
    ],
    ids=str,
)
def test_a_signature_counts_from_start_to_expiry(server, table, changes):
    """learn.microsoft.com/rest/api/storageservices/create-service-sas."""
    for sas in both(server, table, **changes):
        check_refused(send_with(server, sas, "GET", f"/{table}()"))


def test_a_change_of_any_field_voids_the_signature(server, table):
    """learn.microsoft.com/rest/api/storageservices/create-service-sas; decision: an unsigned spelling is no grant."""
    for sas in both(server, table, sp="r"):
        assert send_with(server, sas, "GET", f"/{table}()").status == 200
        check_refused(send_with(server, sas.replace("sp=r", "sp=rd"), "GET", f"/{table}()"))
        check_refused(send_with(server, sas.replace("sv=2019-02-02", "sv=2019-07-07"), "GET", f"/{table}()"))
        check_refused(send_with(server, f"{sas}&st=2020-01-01", "GET", f"/{table}()"))


def test_a_signature_in_the_query_may_have_any_order_and_case_of_names(server, table):
    """Decision: as all query parameters."""
    for sas in both(server, table):
        backwards = "&".join(reversed(sas.split("&")))
        shouted = "&".join(f"{n.upper()}={v}" for n, _, v in (pair.partition("=") for pair in sas.split("&")))
        assert send_with(server, backwards, "GET", f"/{table}()").status == 200
        assert send_with(server, shouted, "GET", f"/{table}()").status == 200


def test_a_sas_for_https_does_not_open_http(server, table):
    """learn.microsoft.com/rest/api/storageservices/create-service-sas."""
    for sas in both(server, table, spr="https"):
        answer = send_with(server, sas, "GET", f"/{table}()")
        text = "This request is not authorized to perform this operation using this protocol."
        check_front_end_error(answer, 403, "AuthorizationProtocolMismatch", text, json_wanted=True)


@pytest.mark.parametrize("address", ["10.0.0.1", "10.0.0.0-10.0.0.255", "128.0.0.0-127.0.0.0", "nonsense"])
def test_a_sas_for_other_addresses_names_the_callers(server, table, address):
    """learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes."""
    for sas in both(server, table, sip=address):
        answer = send_with(server, sas, "GET", f"/{table}()")
        text = "This request is not authorized to perform this operation using this source IP 127.0.0.1."
        check_front_end_error(answer, 403, "AuthorizationSourceIPMismatch", text, json_wanted=True)


# --- stored access policies -----------------------------------------------------------------------


def set_policy(server, table, name, start="", expiry="", permission=""):
    body = (
        f"<SignedIdentifiers><SignedIdentifier><Id>{name}</Id><AccessPolicy><Start>{start}</Start>"
        f"<Expiry>{expiry}</Expiry><Permission>{permission}</Permission></AccessPolicy></SignedIdentifier>"
        "</SignedIdentifiers>"
    )
    assert send(server, "PUT", f"/{table}?comp=acl", XML, body).status == 204


def with_policy(server, table, name="testid", **changes):
    return table_sas(server, table, **({"si": name, "sp": None, "se": None} | changes))


def test_a_policy_may_give_what_the_signature_lacks(server, table):
    """Recorded from the service: sv, si, tn and sig alone."""
    set_policy(server, table, "testid", "2020-01-01", at(3600), "r")
    sas = with_policy(server, table)
    assert "sp=" not in sas and "se=" not in sas
    assert send_with(server, sas, "GET", f"/{table}()").status == 200
    answer = send_with(server, sas, "POST", f"/{table}", body='{"PartitionKey":"p","RowKey":"r"}')
    check_error(answer, 403, "AuthorizationPermissionMismatch", NO_PERMISSION)


@pytest.mark.parametrize(
    "policy, changes",
    [
        ({"expiry": at(3600)}, {"sp": "r"}),
        ({"permission": "r"}, {"se": at(3600)}),
        ({"permission": "r", "expiry": at(3600)}, {"st": "2020-01-01"}),
    ],
)
def test_each_field_may_stand_in_either_place(server, table, policy, changes):
    """learn.microsoft.com/rest/api/storageservices/define-stored-access-policy."""
    set_policy(server, table, "testid", **policy)
    assert send_with(server, with_policy(server, table, **changes), "GET", f"/{table}()").status == 200


@pytest.mark.parametrize("changes", [{"sp": "r"}, {"se": at(3600)}, {"st": "2020-01-01"}])
def test_no_field_may_stand_in_both_places(server, table, changes):
    """learn.microsoft.com/rest/api/storageservices/define-stored-access-policy."""
    set_policy(server, table, "testid", "2020-01-01", at(3600), "r")
    check_refused(send_with(server, with_policy(server, table, **changes), "GET", f"/{table}()"))


def test_a_policy_is_looked_up_at_each_request(server, table):
    """learn.microsoft.com/rest/api/storageservices/define-stored-access-policy; at once, where the service needs up to
    30 seconds."""
    sas = with_policy(server, table)
    check_refused(send_with(server, sas, "GET", f"/{table}()"))
    set_policy(server, table, "testid", expiry=at(3600), permission="r")
    assert send_with(server, sas, "GET", f"/{table}()").status == 200
    for change in ({"expiry": at(-60), "permission": "r"}, {"permission": "r"}, {"start": at(60), "expiry": at(99)}):
        set_policy(server, table, "testid", **change)
        check_refused(send_with(server, sas, "GET", f"/{table}()"))
    set_policy(server, table, "other", expiry=at(3600), permission="r")
    check_refused(send_with(server, sas, "GET", f"/{table}()"))


# --- key ranges -----------------------------------------------------------------------------------

KEYS = [("a", "1"), ("a", "2"), ("b", "1"), ("b", "2"), ("c", "1"), ("c", "2")]
RANGES = [
    ({"spk": "b"}, KEYS[2:]),
    ({"epk": "b"}, KEYS[:4]),
    ({"spk": "b", "epk": "b"}, KEYS[2:4]),
    ({"spk": "a", "srk": "2"}, KEYS[1:]),
    ({"spk": "a", "srk": "2", "epk": "b", "erk": "1"}, KEYS[1:3]),
    ({"spk": "a", "srk": "2", "epk": "c", "erk": "1"}, KEYS[1:5]),
    ({"epk": "c", "erk": "1"}, KEYS[:5]),
    ({"spk": "b", "srk": "1", "epk": "b", "erk": "1"}, KEYS[2:3]),
    ({"spk": "c", "epk": "a"}, []),
    ({"spk": "aa"}, KEYS[2:]),
    ({"spk": "x"}, []),
]


@pytest.fixture
def keyed(server, table):
    for partition, row in KEYS:
        put(server, table, row, partition)
    return table


@pytest.mark.parametrize("limits, reached", RANGES, ids=str)
def test_a_query_leaves_out_what_lies_beyond_the_range(server, keyed, limits, reached):
    """learn.microsoft.com/rest/api/storageservices/create-service-sas: both ends belong to the range; row keys count
    for the partitions at its ends alone."""
    sas = table_sas(server, keyed, **limits)

    def found(options=""):
        answer = send_with(server, sas, "GET", f"/{keyed}(){options}")
        assert answer.status == 200, answer
        return [(item["PartitionKey"], item["RowKey"]) for item in answer.json()["value"]]

    assert found() == reached
    assert found("?$filter=RowKey%20eq%20'1'") == [key for key in reached if key[1] == "1"]
    assert found("?$filter=PartitionKey%20eq%20'b'") == [key for key in reached if key[0] == "b"]


@pytest.mark.parametrize("limits, reached", RANGES, ids=str)
def test_an_entity_beyond_the_range_is_not_found_by_a_get(server, keyed, limits, reached):
    """Asserted by Microsoft's SDK tests."""
    sas = table_sas(server, keyed, **limits)
    for partition, row in KEYS:
        answer = send_with(server, sas, "GET", f"/{keyed}(PartitionKey='{partition}',RowKey='{row}')")
        if (partition, row) in reached:
            assert answer.status == 200
        else:
            check_error(answer, 404, "ResourceNotFound", "The specified resource does not exist.")


@pytest.mark.parametrize("limits, reached", RANGES, ids=str)
@pytest.mark.parametrize(
    "method, headers",
    [
        ("POST", {}),
        ("PUT", {}),
        ("PUT", {"If-Match": "*"}),
        ("MERGE", {}),
        ("PATCH", {"If-Match": "*"}),
        ("DELETE", {"If-Match": "*"}),
    ],
)
def test_a_write_beyond_the_range_is_refused(server, keyed, limits, reached, method, headers):
    """Recorded from the service for an insert: the JSON of the table layer, without x-ms-error-code."""
    sas = table_sas(server, keyed, **limits)
    for partition, row in KEYS:
        target = f"/{keyed}(PartitionKey='{partition}',RowKey='{row}')"
        if method == "POST":
            body = f'{{"PartitionKey":"{partition}","RowKey":"{row}"}}'
            answer = send_with(server, sas, method, f"/{keyed}", headers, body)
            allowed = (409,)
        else:
            answer = send_with(server, sas, method, target, headers, None if method == "DELETE" else "{}")
            allowed = (204,)
        if (partition, row) in reached:
            assert answer.status in allowed, answer
        else:
            check_error(answer, 403, "AuthorizationFailure", NOT_AUTHORIZED)


def test_pages_of_a_range_end_with_it(server, keyed):
    """Decision: a token beyond the range would say that there is something."""
    sas = table_sas(server, keyed, spk="a", srk="2", epk="b")
    options, seen = "", []
    for _ in range(3):
        answer = send_with(server, sas, "GET", f"/{keyed}()?$top=1{options}")
        seen += [(item["PartitionKey"], item["RowKey"]) for item in answer.json()["value"]]
        names = ("NextPartitionKey", "NextRowKey")
        tokens = {name: answer.headers[f"x-ms-continuation-{name}"] for name in names}
        options = "&" + urllib.parse.urlencode({n: v for n, v in tokens.items() if v})
    assert seen == KEYS[1:4]
    assert tokens == {"NextPartitionKey": None, "NextRowKey": None}


# --- batches --------------------------------------------------------------------------------------


def submit(server, sas, parts):
    return send_with(server, sas, "POST", "/$batch", BATCH_HEADERS, batch_body(parts))


def part(server, table, method, row="r", partition="p", headers=""):
    if method == "POST":
        return batch_part(server, "POST", table, {"PartitionKey": partition, "RowKey": row}, headers)
    resource = f"{table}(PartitionKey='{partition}',RowKey='{row}')"
    return batch_part(server, method, resource, None if method == "DELETE" else {}, headers)


BATCHED = {"insert": ("POST", ""), "replace": ("PUT", "If-Match: *\r\n"), "merge": ("MERGE", "If-Match: *\r\n"),
           "insert or replace": ("PUT", ""), "insert or merge": ("PATCH", ""), "delete": ("DELETE", "If-Match: *\r\n")}


@pytest.mark.parametrize("name", BATCHED)
def test_a_batch_needs_the_permission_of_each_operation(server, table, name):
    """Decision: as the operation alone, the first that is not covered is told in its part."""
    (needed,) = Operations.TABLE[name][1]
    method, headers = BATCHED[name]
    row = "new" if name == "insert" else "r"
    put(server, table)
    operation = part(server, table, method, row, headers=headers)
    for make, more in ((table_sas, (table,)), (account_sas, ())):
        letters = "raud" if make is table_sas else "rwdlacu"
        for letter in needed:
            answer = submit(server, make(server, *more, sp=letters.replace(letter, "")), [operation])
            assert answer.status == 202 and "HTTP/1.1 403 Forbidden" in answer.text, answer
            told = f'"AuthorizationPermissionMismatch","message":{{"lang":"en-US","value":"0:{NO_PERMISSION}'
            assert told in answer.text
        answer = submit(server, make(server, *more, sp=needed), [operation])
        assert answer.status == 202 and "HTTP/1.1 20" in answer.text, answer
        put(server, table)
        send(server, "DELETE", f"/{table}(PartitionKey='p',RowKey='new')", {"If-Match": "*"})


def test_a_batch_must_lie_in_the_range_and_the_table(server, keyed):
    """Decision: the first operation beyond is told in its part, and nothing is written."""
    before = all_entities(server, keyed)
    sas = table_sas(server, keyed, spk="b", srk="2")
    parts = [part(server, keyed, "PUT", "3", "b"), part(server, keyed, "PUT", "1", "b")]
    answer = submit(server, sas, parts)
    assert answer.text.count("HTTP/1.1 ") == 1 and f'"value":"1:{NOT_AUTHORIZED}' in answer.text, answer
    other = create_table(server)
    answer = submit(server, sas, [part(server, other, "PUT", "3", "b")])
    assert f'"AuthorizationFailure","message":{{"lang":"en-US","value":"0:{NOT_AUTHORIZED}' in answer.text, answer
    assert all_entities(server, keyed) == before and all_entities(server, other) == []
    delete_table(server, other)
    answer = submit(server, sas, [part(server, keyed, "DELETE", "2", "b", "If-Match: *\r\n")])
    assert "HTTP/1.1 204 No Content" in answer.text
    left = [(entity["PartitionKey"], entity["RowKey"]) for entity in all_entities(server, keyed)]
    assert left == [key for key in KEYS if key != ("b", "2")]


@pytest.mark.parametrize("row, status", [("2", "200 OK"), ("1", "404 Not Found")])
def test_a_query_in_a_batch_is_bound_to_the_range_as_well(server, keyed, row, status):
    """Decision: as the query alone."""
    sas = table_sas(server, keyed, spk="b", srk="2", sp="r")
    http = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
    target = f"{server.endpoint}/{keyed}(PartitionKey='b',RowKey='{row}')"
    body = f"--batch_1\r\n{http}GET {target} HTTP/1.1\r\nAccept: application/json\r\n\r\n\r\n--batch_1--\r\n"
    answer = send_with(server, sas, "POST", "/$batch", BATCH_HEADERS, body)
    assert answer.status == 202 and f"HTTP/1.1 {status}\r\n" in answer.text, answer


def test_a_signed_delete_answers_as_any_other(server, table):
    """Decision: who asks makes no difference to a success."""
    put(server, table)
    resource = ONE.format(table)
    answer = send_with(server, table_sas(server, table), "DELETE", resource, {"If-Match": "*"})
    check_empty(answer, 204, TABLE_LAYER | EMPTY)
