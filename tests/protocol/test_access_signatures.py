"""Shared access signatures: their position in the URL, policies that change, queries limited by a key range. Refusals
are in test_refusals.py."""
import urllib.parse

import pytest

from access import set_policy
from answers import EMPTY, TABLE_LAYER, check_empty
from rocktable_server import continuation, create_table, delete_table, send
from shared_access import account_sas, at, send_with, table_sas

ONE = "/{}(PartitionKey='p',RowKey='r')"


def put(server, table, row="r", partition="p"):
    """Stores an entity with the key of the account."""
    resource = f"/{table}(PartitionKey='{partition}',RowKey='{row}')"
    assert send(server, "PUT", resource, body="{}").status == 204


# --- the URL --------------------------------------------------------------------------------------


def both(server, table, **changes):
    return account_sas(server, **changes), table_sas(server, table, **changes)


def test_a_signature_in_the_query_may_have_any_order_and_case_of_names(server, table):
    """Decision: like all query parameters."""
    for sas in both(server, table):
        backwards = "&".join(reversed(sas.split("&")))
        shouted = "&".join(f"{n.upper()}={v}" for n, _, v in (pair.partition("=") for pair in sas.split("&")))
        assert send_with(server, backwards, "GET", f"/{table}()").status == 200
        assert send_with(server, shouted, "GET", f"/{table}()").status == 200


def test_letters_are_signed_in_the_order_of_the_client(server):
    """learn.microsoft.com/rest/api/storageservices/create-account-sas."""
    assert send_with(server, account_sas(server, ss="tbqf", srt="ocs", sp="lr"), "GET", "/Tables").status == 200


def test_the_secondary_location_takes_the_signature_of_the_primary(server, table):
    """learn.microsoft.com/rest/api/storageservices/create-service-sas: the account without -secondary."""
    for sas in (table_sas(server, table), account_sas(server)):
        assert send_with(server, sas, "GET", f"/{table}()", base=f"{server.base}-secondary").status == 200


def test_a_signed_delete_answers_as_any_other(server, table):
    """Decision: a successful response does not depend on the caller."""
    put(server, table)
    resource = ONE.format(table)
    answer = send_with(server, table_sas(server, table), "DELETE", resource, {"If-Match": "*"})
    check_empty(answer, 204, TABLE_LAYER | EMPTY)


# --- stored access policies -----------------------------------------------------------------------


def test_a_policy_is_looked_up_at_each_request(server, table):
    """learn.microsoft.com/rest/api/storageservices/define-stored-access-policy; immediately, although the service takes
    up to 30 seconds."""
    sas = table_sas(server, table, si="id", sp=None, se=None)

    def answered():
        return send_with(server, sas, "GET", f"/{table}()").status

    assert answered() == 403
    granted = {"expiry": at(3600), "permission": "r"}
    for change in (
        {"expiry": at(-60)},
        {"expiry": ""},
        {"start": at(60)},
        {"permission": "aud"},
        {"permission": ""},
        {"name": "other"},
    ):
        set_policy(server, table, **granted)
        assert answered() == 200
        set_policy(server, table, **granted | change)
        assert answered() == 403, change
    set_policy(server, table, **granted)
    assert answered() == 200
    assert send(server, "PUT", f"/{table}?comp=acl", {"Accept": "application/xml"}, "").status == 204
    assert answered() == 403


def test_a_policy_ends_with_its_table(server):
    """Decision: a new table of the same name does not inherit the policies of the former table."""
    table = create_table(server)
    sas = table_sas(server, table, si="id", sp=None, se=None)
    set_policy(server, table, expiry=at(3600), permission="r")
    assert send_with(server, sas, "GET", f"/{table}()").status == 200
    delete_table(server, table)
    create_table(server, table)
    assert send_with(server, sas, "GET", f"/{table}()").status == 403
    delete_table(server, table)


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
    """learn.microsoft.com/rest/api/storageservices/create-service-sas: both ends belong to the range; row keys apply
    only to the first and the last partition."""
    sas = table_sas(server, keyed, **limits)

    def found(options=""):
        answer = send_with(server, sas, "GET", f"/{keyed}(){options}")
        assert answer.status == 200, answer
        return [(item["PartitionKey"], item["RowKey"]) for item in answer.json()["value"]]

    assert found() == reached
    assert found("?$filter=RowKey%20eq%20'1'") == [key for key in reached if key[1] == "1"]
    assert found("?$filter=PartitionKey%20eq%20'b'") == [key for key in reached if key[0] == "b"]


def test_pages_of_a_range_end_with_it(server, keyed):
    """Decision: a token beyond the range would reveal that an entity exists there."""
    sas = table_sas(server, keyed, spk="a", srk="2", epk="b")
    options, seen = "", []
    for _ in range(3):
        answer = send_with(server, sas, "GET", f"/{keyed}()?$top=1{options}")
        seen += [(item["PartitionKey"], item["RowKey"]) for item in answer.json()["value"]]
        options = "&" + urllib.parse.urlencode(continuation(answer))
    assert seen == KEYS[1:4]
    assert not continuation(answer)
