"""Simulated behaviour of the service: /_rocktable/behaviour, /_rocktable/clock, --behave."""
import concurrent.futures
import itertools
import json
import random
import subprocess
import threading
import time
import urllib.parse

import pytest

from fixture_control import XML, account_of, control, done, fill, insert, next_timestamp, year_of_next
from own_server import needs_program, own_server
from rocktable_server import (
    BINARY,
    Server,
    all_entities,
    batch_part,
    connection,
    continuation,
    create_table,
    delete_table,
    read_response,
    request_bytes,
    send,
    send_batch,
)
from shared_access import at, send_with, table_sas

pytestmark = needs_program

FUTURE = 9998  # the last year to which the clock can be turned

server = own_server("--anyAccount")


_numbers = itertools.count()


@pytest.fixture
def account(server):
    """An account of its own, whose behaviour no other test changes."""
    return account_of(server, f"behave{next(_numbers)}")


@pytest.fixture
def clock(server):
    """Turns the clock; at the end it is real again."""
    yield lambda turn: done(server, "PUT", "clock", turn)
    done(server, "PUT", "clock", {})


def behave(server, account, **behaviour):
    return done(server, "PUT", f"behaviour?account={account.name}", behaviour)


def pages(account, table, query=""):
    """Returns the row keys of each page, and the names of the continuation headers after each."""
    found, tokens = [], ""
    while True:
        answer = send(account, "GET", f"/{table}()?{query}{tokens}")
        assert answer.status == 200, answer
        more = continuation(answer)
        found.append(([entity["RowKey"] for entity in answer.json()["value"]], set(more)))
        if not more:
            return found
        tokens = "&" + urllib.parse.urlencode(more)


# --- settings -------------------------------------------------------------------------------------


def test_all_is_off_at_the_start(server):
    assert done(server, "GET", "behaviour")["behaviour"] == {}
    assert done(server, "GET", "clock")["offset"] == "0s"


def test_an_account_has_its_own_behaviour_until_its_reset(server, account):
    told = behave(server, account, throttle=[500, 20000], boundaries=4)
    assert told == {"account": account.name, "behaviour": {"throttle": [500, 20000], "boundaries": 4}}
    assert done(server, "GET", "behaviour")["accounts"][account.name] == told["behaviour"]
    done(server, "POST", f"reset?account={account.name}")
    assert account.name not in done(server, "GET", "behaviour")["accounts"]


def test_a_list_is_read_as_on_the_command_line(server, account):
    put = done(server, "PUT", f"behaviour?account={account.name}", {"behaviour": "latency=20,0.5,deleteDelay"})
    assert put["behaviour"] == {"latency": [20, 0.5], "deleteDelay": 40}
    assert done(server, "DELETE", f"behaviour?account={account.name}") == {"status": "done"}
    assert done(server, "GET", f"behaviour?account={account.name}")["behaviour"] == {}


@pytest.mark.parametrize(
    "document, sentence",
    [
        ('{"bounderies": 4}', "behaviour:1:16: bounderies: there is no behaviour bounderies; there are throttle, "),
        ('{"boundaries": -1}', "behaviour:1:16: boundaries: must be from 0 to "),
        ('{"boundaries": 0.5}', "behaviour:1:16: boundaries: boundaries must be an integer from 0 to 10000, but is 0.5"),
        ('{"behaviour": "throttle=x"}', "behaviour:1:15: behaviour: `x` is not a number of throttle"),
        ("[]", "behaviour:1:1: must be an object, but is "),
        ("", "behaviour:1:1: this is not JSON: it is empty"),
    ],
)
def test_wrong_behaviour_is_refused_with_its_place(server, document, sentence):
    answer = control(server, "PUT", "behaviour", document)
    assert answer.status == 400
    assert answer.json()["error"].startswith(sentence)
    assert done(server, "GET", "behaviour")["behaviour"] == {}


@pytest.mark.parametrize("resource", ["behaviour?account=x", "behaviour?accounts=acct", "clock?account=acct"])
def test_wrong_parameters_are_refused(server, resource):
    assert control(server, "GET", resource).status in (400, 404)


def test_the_flag_is_for_all_accounts():
    server = Server("--behave", "boundaries=2,seed=3")
    assert done(server, "GET", "behaviour") == {"behaviour": {"boundaries": 2, "seed": 3}, "accounts": {}}
    server.stop()
    wrong = subprocess.run([BINARY, "--behave", "throtle"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "--behave: there is no behaviour throtle; there are throttle, retryAfter," in wrong.stderr


def test_the_command_shows_and_sets_behaviour_and_clock(server, account):
    def run(*words):
        command = [BINARY, "behave", *words, "--url", server.url]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        return ended.returncode, ended.stdout + ended.stderr

    assert run("throttle=5,boundaries=2", "--account", account.name) == (
        0, f"the account {account.name} at {server.url}: boundaries=2,throttle=5,20000\n")
    code, text = run("--clock", "+2m")
    assert code == 0 and ", turned by 2m\n" in text and f"the account {account.name}: boundaries=2,throttle=5,20000\n" in text
    code, text = run("--clock", "real", "--json")
    assert code == 0 and json.loads(text)["clock"]["offset"] == "0s"
    code, text = run("bounderies=2")
    assert code == 1 and "there is no behaviour bounderies" in text


# --- throttle -------------------------------------------------------------------------------------


def test_a_throttled_request_has_the_services_answer_and_changes_nothing(server, account, clock):
    clock({"frozen": True})
    table = create_table(account)
    behave(server, account, throttle=[3, 20000])
    statuses = [insert_status(account, table, "p", str(row)) for row in range(5)]
    assert statuses == [204, 204, 204, 503, 503]
    answer = send(account, "GET", f"/{table}(PartitionKey='p',RowKey='0')")
    assert (answer.status, answer.code) == (503, "ServerBusy")
    assert answer.json()["odata.error"]["message"]["value"].startswith(
        "The server is currently unable to receive requests. Please retry your request.\nRequestId:")
    assert answer.headers["Retry-After"] is None
    assert insert_status(account, table, "q", "0") == 204  # another partition
    clock({"step": "1s"})
    assert insert_status(account, table, "p", "9") == 204
    behave(server, account)
    assert [entity["RowKey"] for entity in all_entities(account, table)] == ["0", "1", "2", "9", "0"]


def insert_status(account, table, partition, row):
    entity = json.dumps({"PartitionKey": partition, "RowKey": row})
    return send(account, "POST", f"/{table}", {"Prefer": "return-no-content"}, entity).status


def test_a_change_set_and_a_scan_cost_what_they_touch(server, account, clock):
    clock({"frozen": True})
    table = create_table(account)
    behave(server, account, throttle=[10, 20000])
    parts = [batch_part(account, "POST", table, {"PartitionKey": "p", "RowKey": str(row)}) for row in range(30)]
    assert send_batch(account, parts).status == 202
    assert send_batch(account, parts).status == 503
    clock({"step": "2s"})
    assert insert_status(account, table, "p", "x") == 503  # a debt of 20
    clock({"step": "1100ms"})
    assert send(account, "GET", f"/{table}()?$filter=PartitionKey%20eq%20'p'").status == 200  # reads 30
    clock({"step": "1s"})
    assert insert_status(account, table, "p", "x") == 503  # a scan's debt is that of a second
    clock({"step": "200ms"})
    assert insert_status(account, table, "p", "x") == 204


def test_an_account_counts_transactions(server, account, clock):
    """A change set and a scan are one each. So a large scan does not keep others from another table."""
    clock({"frozen": True})
    scanned, other = create_table(account), create_table(account)
    parts = [batch_part(account, "POST", scanned, {"PartitionKey": "p", "RowKey": str(row)}) for row in range(50)]
    behave(server, account, throttle=[1000, 4])
    assert send_batch(account, parts).status == 202
    assert send(account, "GET", f"/{scanned}()").status == 200  # reads 50
    assert [insert_status(account, other, "p", str(row)) for row in range(3)] == [204, 204, 503]


def test_retry_after_is_an_option(server, account, clock):
    clock({"frozen": True})
    table = create_table(account)
    behave(server, account, throttle=[20000, 1], retryAfter=7)
    assert insert_status(account, table, "p", "0") == 204
    answer = send(account, "GET", f"/{table}()")
    assert (answer.status, answer.headers["Retry-After"]) == (503, "7")


@pytest.mark.timing
def test_throttling_lets_through_its_rate(server, account):
    """Four connections ask as fast as they can. The burst of the first second is left out."""
    table = create_table(account)
    insert(account, table, "p", "r")
    rate, seconds = 2000, 4
    behave(server, account, throttle=[rate, rate])
    request = request_bytes(account, "GET", f"{account.base}/{table}(PartitionKey='p',RowKey='r')")
    accepted, ends = [0], time.monotonic() + 1.5 + seconds
    lock = threading.Lock()

    def ask():
        with connection(account) as client:
            while (now := time.monotonic()) < ends:
                client.sendall(request)
                status = read_response(client).status
                assert status in (200, 503)
                if status == 200 and now > ends - seconds:
                    with lock:
                        accepted[0] += 1

    with concurrent.futures.ThreadPoolExecutor() as pool:
        for asking in [pool.submit(ask) for _ in range(4)]:
            asking.result()
    assert accepted[0] == pytest.approx(rate * seconds, rel=0.05)


# --- pages ----------------------------------------------------------------------------------------


def test_pages_end_at_partition_keys_and_every_second_is_empty(server, account):
    table = create_table(account)
    for partition in range(12):
        for row in range(2):
            insert(account, table, f"p{partition:02}", f"{partition:02}-{row}")
    behave(server, account, boundaries=4)
    found = pages(account, table)
    assert [bool(rows) for rows, _ in found] == [True, False] * 4 + [True]
    assert all(names == {"NextPartitionKey"} for _, names in found[:-1])
    assert sum((rows for rows, _ in found), []) == [f"{p:02}-{row}" for p in range(12) for row in range(2)]
    assert pages(account, table) == found
    one_partition = "$filter=" + urllib.parse.quote("PartitionKey eq 'p05'")
    assert [rows for rows, _ in pages(account, table, one_partition)] == [["05-0", "05-1"]]
    others = []  # another seed chooses the same boundaries once in some hundred tables
    for seed in (1, 2, 3):
        behave(server, account, boundaries=4, seed=seed)
        others.append(pages(account, table))
    assert any(other != found for other in others)


def test_an_empty_next_row_key_is_refused(server, account):
    """As the service refuses it. A client that takes a missing token for an empty one fails under boundaries."""
    table = create_table(account)
    for partition in "ab":
        insert(account, table, partition, "r")
    behave(server, account, boundaries=1)
    token = send(account, "GET", f"/{table}()").headers["x-ms-continuation-NextPartitionKey"]
    assert send(account, "GET", f"/{table}()?NextPartitionKey={token}").status == 200
    answer = send(account, "GET", f"/{table}()?NextPartitionKey={token}&NextRowKey=")
    assert (answer.status, answer.code) == (400, "InvalidInput")


@pytest.mark.parametrize("round_", range(4))
def test_paging_yields_what_a_plain_read_yields(server, account, round_):
    """Under any boundaries, deadlines, page sizes and refused requests."""
    chance = random.Random(1000 + round_)
    table = create_table(account)
    for number in range(chance.randint(1, 60)):
        insert(account, table, f"p{chance.randint(0, 20)}", str(number), V=number % 3)
    queries = ["", "$filter=" + urllib.parse.quote("V eq 1"), "$filter=" + urllib.parse.quote("PartitionKey ge 'p1' and V ne 0"),
               "$filter=" + urllib.parse.quote("PartitionKey eq 'p3' or PartitionKey eq 'p7'")]
    plain = {query: [entity["RowKey"] for entity in entities_of(account, table, query)] for query in queries}
    for _ in range(6):
        behave(server, account, boundaries=chance.randint(0, 30), seed=chance.randint(0, 99), pageDeadline=chance.randint(1, 20))
        rule = {"match": {"account": account.name}, "when": {"probability": 0.3, "seed": chance.randint(0, 99)},
                "then": {"status": 503}}
        done(server, "POST", "faults", rule)
        for query in queries:
            limit = f"&$top={chance.randint(1, 20)}" if chance.random() < 0.5 else ""
            found = [entity["RowKey"] for entity in entities_of(account, table, query + limit)]
            assert found == plain[query]
        done(server, "DELETE", f"faults?account={account.name}")


def entities_of(account, table, query):
    """All entities of a query, in order. Asks again after 503."""
    found, tokens = [], ""
    while True:
        answer = send(account, "GET", f"/{table}()?{query}{tokens}")
        if answer.status == 503:
            continue
        assert answer.status == 200, answer
        found += answer.json()["value"]
        tokens = "&" + urllib.parse.urlencode(continuation(answer))
        if tokens == "&":
            return found


# --- delays of the service ------------------------------------------------------------------------


def test_the_name_of_a_deleted_table_is_taken_for_a_while(server, account, clock):
    clock({"frozen": True})
    behave(server, account, deleteDelay=40)
    table = create_table(account)
    delete_table(account, table)
    answer = send(account, "POST", "/Tables", body=json.dumps({"TableName": table.upper()}))
    assert (answer.status, answer.code) == (409, "TableBeingDeleted")
    assert send(account, "GET", f"/{table}()").code == "TableNotFound"
    clock({"step": "39s"})
    assert send(account, "POST", "/Tables", body=json.dumps({"TableName": table})).status == 409
    clock({"step": "1s"})
    assert send(account, "POST", "/Tables", body=json.dumps({"TableName": table})).status == 201


def test_a_table_that_was_deleted_in_the_future_is_gone_when_the_clock_is_turned_back(server, account, clock):
    behave(server, account, deleteDelay=40)
    table = create_table(account)
    clock({"step": "+10m"})  # signatures of the present are still valid
    delete_table(account, table)
    assert send(account, "POST", "/Tables", body=json.dumps({"TableName": table})).code == "TableBeingDeleted"
    clock({})
    assert send(account, "POST", "/Tables", body=json.dumps({"TableName": table})).status == 201


def write_in_the_future(server, *accounts):
    """Turns the clock far forward, writes into each account, and turns the clock back. Returns the Timestamps."""
    done(server, "PUT", "clock", {"frozen": f"{FUTURE}-01-01T00:00:00Z"})
    times = [next_timestamp(server, account) for account in accounts]
    done(server, "PUT", "clock", {})
    assert all(whole.startswith(str(FUTURE)) for whole, _ in times), times
    return times


def this_year():
    return time.gmtime().tm_year


@pytest.mark.parametrize("method, resource", [
    ("POST", "reset"), ("POST", "reset?account=devstoreaccount1"), ("DELETE", "accounts/devstoreaccount1"),
], ids=["everything", "the only account", "the only account, deleted"])
def test_timestamps_begin_anew_when_the_store_is_emptied_after_the_clock_was_turned_back(start, tmp_path, method, resource):
    server = start(location=tmp_path)
    write_in_the_future(server, server)
    assert year_of_next(server) == FUTURE
    done(server, method, resource)
    assert year_of_next(server) == this_year()
    server.stop()
    server = start(location=tmp_path)
    assert year_of_next(server) == this_year()


def test_the_reset_of_one_of_two_accounts_keeps_timestamps_in_order(start):
    server = start("--anyAccount")
    one, other = account_of(server, "one"), account_of(server, "other")
    times = write_in_the_future(server, one, other)
    done(server, "POST", "reset?account=one")
    times += [next_timestamp(server, one), next_timestamp(server, other)]
    assert times == sorted(set(times))
    done(server, "POST", "reset?account=one")
    done(server, "POST", "reset?account=other")
    assert year_of_next(server) == this_year()


@pytest.mark.embedded("snapshots")
def test_timestamps_go_on_after_those_of_a_restored_snapshot_of_the_future(start, tmp_path):
    server = start(location=tmp_path)
    times = write_in_the_future(server, server)
    done(server, "POST", "snapshots/future")
    done(server, "POST", "reset")
    assert year_of_next(server) == this_year()
    done(server, "POST", "snapshots/future/restore")
    times.append(next_timestamp(server))
    server.stop()
    server = start(location=tmp_path)
    times.append(next_timestamp(server))
    assert times == sorted(set(times))
    done(server, "POST", "reset")
    assert year_of_next(server) == this_year()


def policy_of(permission):
    access = f"<AccessPolicy><Expiry>{at(3600)}</Expiry><Permission>{permission}</Permission></AccessPolicy>"
    return f"<SignedIdentifiers><SignedIdentifier><Id>one</Id>{access}</SignedIdentifier></SignedIdentifiers>"


def test_changed_access_policies_apply_later(server, account, clock):
    table = create_table(account)
    clock({"frozen": True})
    behave(server, account, policyDelay=30)
    sas = table_sas(account, table, si="one", sp=None, se=None)

    def may_read():
        return send_with(account, sas, "GET", f"/{table}()").status == 200

    assert send(account, "PUT", f"/{table}?comp=acl", XML, policy_of("r")).status == 204
    assert not may_read()
    assert "<Id>one</Id>" in send(account, "GET", f"/{table}?comp=acl", XML).text
    clock({"step": "30s"})
    assert may_read()
    assert send(account, "PUT", f"/{table}?comp=acl", XML, policy_of("a")).status == 204
    assert may_read()
    clock({"step": "30s"})
    assert not may_read()


def test_latency_delays_each_answer(server, account):
    create_table(account, "Orders")
    behave(server, account, latency=150)
    start = time.monotonic()
    assert all_entities(account, "Orders") == []
    assert time.monotonic() - start >= 0.15
    behave(server, account)


# --- clock ----------------------------------------------------------------------------------------


def test_a_signature_expires_in_no_time(server, account, clock):
    table = create_table(account)
    sas = table_sas(account, table, se=at(3600))
    assert send_with(account, sas, "GET", f"/{table}()").status == 200
    clock({"step": "+2h"})
    answer = send_with(account, sas, "GET", f"/{table}()")
    assert (answer.status, answer.code) == (403, "AuthenticationFailed")
    clock({"step": "-2h"})
    assert send_with(account, sas, "GET", f"/{table}()").status == 200


def test_the_window_of_key_signatures_follows_the_clock(server, account, clock):
    clock({"offset": "14m"})
    assert send(account, "GET", "/Tables").status == 200
    clock({"offset": "16m"})
    assert (send(account, "GET", "/Tables").status, send(account, "GET", "/Tables").code) == (403, "AuthenticationFailed")
    clock({"offset": "-16m"})
    assert send(account, "GET", "/Tables").status == 403


def test_timestamps_follow_the_clock_and_never_go_back(server, account, clock):
    table = create_table(account)
    clock({"offset": "10m"})
    ahead = insert(account, table, "p", "1")
    clock({"offset": "-10m"})
    back = insert(account, table, "p", "2")
    clock({"frozen": True})
    frozen = [insert(account, table, "p", str(row)) for row in range(3, 6)]
    times = [ticks_of(etag) for etag in (ahead, back, *frozen)]
    assert times == sorted(set(times))


def ticks_of(etag):
    """The time in an ETag as text with all seven decimals, so that texts compare as times do."""
    seconds, _, decimals = urllib.parse.unquote(etag).split("'")[1].rstrip("Z").partition(".")
    return f"{seconds}.{decimals:<07}"


@pytest.mark.parametrize(
    "turn, sentence",
    [
        ({"step": "2 hours"}, "clock:1:10: step: must be a duration such as 90s, -15m or +2h"),
        ({"frozen": "yesterday"}, "clock:1:12: frozen: must be a time such as 2026-01-31T12:00:00Z, or true"),
        ({"offset": "1s", "step": "1s"}, "clock:1:1: must have one of offset, frozen and step"),
        ({"offset": "4000000d"}, "clock:1:12: offset: must be a duration such as"),
        ({"offset": "-300000d"}, "clock:1:1: the time must be in the years 1601 to 9998"),
        ({"spin": 1}, "clock:1:10: spin: unknown property; allowed: offset, frozen, step"),
    ],
)
def test_a_wrong_turn_is_refused(server, turn, sentence):
    answer = control(server, "PUT", "clock", turn)
    assert answer.status == 400
    assert answer.json()["error"].startswith(sentence)
    assert done(server, "GET", "clock")["offset"] == "0s"


def test_a_reset_forgets_the_past(server, account):
    behave(server, account, deleteDelay=40, policyDelay=30)
    fill(account, ["One"])
    delete_table(account, "One")
    done(server, "POST", f"reset?account={account.name}")
    create_table(account, "One")
