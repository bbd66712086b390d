"""Fault rules and the retries that follow: /_rocktable/faults, /_rocktable/retries, --faults."""
import concurrent.futures
import contextlib
import itertools
import json
import subprocess
import time

import pytest

from fault_rules import add, entity, hits, post, raw, retries, rows
from fixture_control import account_of, control, done
from own_server import needs_program, own_server
from rocktable_server import (
    BINARY,
    Server,
    batch_part,
    connection,
    create_table,
    read_response,
    request_bytes,
    send,
    send_batch,
)
from shared_access import account_sas, send_with, table_sas

pytestmark = needs_program

_numbers = itertools.count()

server = own_server("--anyAccount")


@pytest.fixture
def account(server):
    """An account of its own, whose faults no other test meets."""
    one = account_of(server, f"faults{next(_numbers)}")
    yield one
    done(server, "POST", f"reset?account={one.name}")


# --- errors ---------------------------------------------------------------------------------------


def test_an_error_before_the_commit_has_the_services_answer_and_writes_nothing(server, account):
    table = create_table(account)
    add(server, account, {"status": 503}, {"skip": 1, "count": 1}, table=table, operation=["InsertEntity"])
    assert post(account, table, "1").status == 204
    answer = post(account, table, "2")
    assert (answer.status, answer.code) == (503, "ServerBusy")
    assert answer.headers["Content-Type"].startswith("application/json")
    assert post(account, table, "3").status == 204
    assert rows(account, table) == ["1", "3"]


def test_an_error_after_the_commit_hides_a_write_that_happened(server, account):
    table = create_table(account)
    name = add(server, account, {"at": "afterCommit", "code": "OperationTimedOut"}, {"count": 1}, operation="InsertEntity")
    assert (post(account, table, "1").status, post(account, table, "1").status) == (500, 409)
    assert rows(account, table) == ["1"]
    assert hits(server, name) == 1


def test_any_code_of_the_service_with_a_message_of_ones_own(server, account):
    table = create_table(account)
    add(server, account, {"code": "EntityTooLarge", "message": "Too large for a test."}, method="POST")
    answer = post(account, table, "1")
    assert (answer.status, answer.code) == (400, "EntityTooLarge")
    assert answer.json()["odata.error"]["message"]["value"].startswith("Too large for a test.\nRequestId:")


def test_only_accepted_requests_are_hit(server, account):
    name = add(server, account, {"status": 503})
    assert send(account, "GET", "/Tables", signed=False).status == 401
    assert send(account, "GET", "/mytable()?$filter=V%20eq").status == 400
    assert hits(server, name) == 0
    assert send(account, "GET", "/Tables").status == 503


def test_a_request_that_is_refused_by_its_head_meets_no_rule(server, account):
    """Its body, which rules would read, has not come yet."""
    table = create_table(account)
    name = add(server, account, {"status": 503})
    answer = send_with(account, table_sas(account, table, sp="r"), "POST", f"/{table}", body="x" * 1_000_000)
    assert (answer.status, answer.code) == (403, "AuthorizationPermissionMismatch")
    assert hits(server, name) == 0
    assert retries(server, account) == []


# --- connections ----------------------------------------------------------------------------------


@pytest.mark.parametrize("at, kept", [("beforeCommit", []), ("afterCommit", ["1"])])
def test_a_reset_connection(server, account, at, kept):
    table = create_table(account)
    add(server, account, {"at": at, "reset": True}, {"count": 1}, operation="InsertEntity")
    with pytest.raises(ConnectionResetError):
        post(account, table, "1")
    assert rows(account, table) == kept


@pytest.mark.parametrize("at, kept", [("beforeCommit", []), ("afterCommit", ["1"])])
def test_a_closed_connection(server, account, at, kept):
    table = create_table(account)
    add(server, account, {"at": at, "close": True}, {"count": 1}, operation="InsertEntity")
    request = request_bytes(account, "POST", f"{account.base}/{table}", {}, entity("1"))
    assert raw(account, request) == b""
    assert rows(account, table) == kept


@pytest.mark.parametrize("length", [0, 1, 100])
def test_an_answer_is_cut_after_some_bytes(server, account, length):
    table = create_table(account)
    add(server, account, {"cutAfterBytes": length}, {"count": 1}, operation="QueryEntities")
    answer = raw(account, request_bytes(account, "GET", f"{account.base}/{table}()"))
    assert len(answer) == length
    assert b"HTTP/1.1 200 OK\r\n"[:length].startswith(answer[:17])


def test_an_answer_that_is_cut_behind_its_end_is_whole(server, account):
    table = create_table(account)
    add(server, account, {"cutAfterBytes": 100_000}, {"count": 1}, operation="QueryEntities")
    assert raw(account, request_bytes(account, "GET", f"{account.base}/{table}()")).endswith(b"\r\n0\r\n\r\n")


def test_delays_before_and_after_the_commit(server, account):
    table = create_table(account)
    add(server, account, {"delay": "200ms"}, {"count": 1}, operation="InsertEntity", rowKey="1")
    add(server, account, {"at": "afterCommit", "delay": "200ms"}, {"count": 1}, operation="InsertEntity", rowKey="2")
    for row in ("1", "2"):
        start = time.monotonic()
        assert post(account, table, row).status == 204
        assert time.monotonic() - start >= 0.2


def test_a_delayed_request_does_not_hold_up_others(server, account):
    table = create_table(account)
    add(server, account, {"delay": "2s"}, {"count": 8}, operation="InsertEntity")
    with contextlib.ExitStack() as open_:
        waiting = [open_.enter_context(connection(account)) for _ in range(8)]
        for row, client in enumerate(waiting):
            client.sendall(request_bytes(account, "POST", f"{account.base}/{table}", {}, entity(str(row))))
        start = time.monotonic()
        assert send(account, "GET", "/Tables").status == 200
        assert time.monotonic() - start < 1.5
        assert [read_response(client).status for client in waiting] == [201] * 8


def test_a_stop_ends_a_long_delay():
    running = Server()
    table = create_table(running)
    done(running, "POST", "faults", {"then": {"delay": "10m"}})
    with connection(running) as client:
        client.sendall(request_bytes(running, "GET", f"{running.base}/{table}()"))
        time.sleep(0.2)
        start = time.monotonic()
        running.stop()
    assert time.monotonic() - start < 8


# --- change sets ----------------------------------------------------------------------------------


def batch(account, table, *rows_):
    parts = [batch_part(account, "POST", table, {"PartitionKey": "p", "RowKey": row}) for row in rows_]
    return send_batch(account, parts)


def test_a_change_set_is_hit_as_a_whole(server, account):
    table = create_table(account)
    add(server, account, {"status": 503}, {"count": 1}, rowKey="b")
    answer = batch(account, table, "a", "b", "c")
    assert (answer.status, answer.code) == (503, "ServerBusy")
    assert rows(account, table) == []
    assert batch(account, table, "a", "b", "c").status == 202
    assert rows(account, table) == ["a", "b", "c"]


@pytest.mark.parametrize("at, kept", [("beforeCommit", []), ("afterCommit", ["a", "b", "c"])])
def test_a_position_fails_inside_of_the_answer(server, account, at, kept):
    table = create_table(account)
    add(server, account, {"at": at, "code": "ServerBusy"}, {"count": 1}, position=1)
    answer = batch(account, table, "a", "b", "c")
    assert answer.status == 202
    assert "HTTP/1.1 503 Service Unavailable\r\n" in answer.text
    assert '"value":"1:The server is currently unable to receive requests.' in answer.text
    assert rows(account, table) == kept


# --- choice ---------------------------------------------------------------------------------------


def test_accounts_do_not_see_each_others_rules(server, account):
    other = account_of(server, f"{account.name}x")
    add(server, account, {"status": 503})
    assert send(other, "GET", "/Tables").status == 200
    assert send(account, "GET", "/Tables").status == 503
    assert done(server, "GET", f"faults?account={other.name}")["faults"] == []


def test_rules_go_with_the_reset_of_their_account(server, account):
    name = add(server, account, {"status": 503})
    done(server, "POST", f"reset?account={account.name}")
    assert control(server, "GET", f"faults/{name}").status == 404
    assert send(account, "GET", "/Tables").status == 200


def test_rules_can_be_listed_and_removed(server, account):
    name = add(server, account, {"close": True}, name="a rule/with a name")
    assert name == "a rule/with a name"
    assert [rule["name"] for rule in done(server, "GET", f"faults?account={account.name}")["faults"]] == [name]
    taken = control(server, "POST", "faults", {"name": name, "then": {"close": True}})
    assert (taken.status, 'There is a fault rule "a rule/with a name" already' in taken.json()["error"]) == (409, True)
    assert done(server, "DELETE", "faults/a%20rule%2Fwith%20a%20name") == {"status": "done"}
    assert control(server, "DELETE", "faults/a%20rule%2Fwith%20a%20name").status == 404
    add(server, account, {"close": True})
    assert done(server, "DELETE", f"faults?account={account.name}") == {"removed": 1}


def test_a_wrong_rule_is_refused_with_its_place(server):
    answer = control(server, "POST", "faults", '{"name": "x",\n "then": {"resett": true}}')
    assert answer.status == 400
    assert answer.json()["error"].startswith("faults:2:21: then.resett: unknown property; allowed: at, status, code,")


# --- determinism ----------------------------------------------------------------------------------

RULES = [
    {"name": "busy", "when": {"probability": 0.2, "seed": 5}, "then": {"status": 503}},
    {"name": "lost", "match": {"method": "POST"}, "when": {"probability": 0.2, "seed": 6}, "then": {"at": "afterCommit", "close": True}},
    {"name": "third", "when": {"skip": 2, "count": 3}, "then": {"code": "InternalError"}},
]


def outcomes(server, name):
    """The statuses of fixed requests of an account over one connection each; 0: no answer."""
    account = account_of(server, name)
    done_ = [send_status(account, "POST", "/Tables", json.dumps({"TableName": "Orders"}))]
    for number in range(20):
        done_.append(send_status(account, "POST", "/Orders", entity(str(number))))
        done_.append(send_status(account, "GET", f"/Orders(PartitionKey='p',RowKey='{number}')"))
    return done_


def send_status(account, method, target, body=None):
    answer = raw(account, request_bytes(account, method, account.base + target, {"Connection": "close"}, body))
    return int(answer.split(b" ")[1]) if answer else 0


def run_all(*flags, **options):
    server = Server("--anyAccount", *flags, **options)
    done(server, "POST", "faults", RULES)
    names = [f"account{number}" for number in range(32)]
    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        found = dict(zip(names, pool.map(lambda name: outcomes(server, name), names)))
    server.stop()
    return found


def test_the_same_rules_and_requests_give_the_same_faults(tmp_path):
    """Thirty-two accounts at once, in memory and on disk."""
    first, second = run_all(), run_all(location=tmp_path / "store")
    assert first == second
    assert len(first) == 32
    statuses = set(sum(first.values(), []))
    assert {0, 201, 200, 500, 503} <= statuses
    assert len({tuple(one) for one in first.values()}) > 20  # accounts draw by themselves


# --- retries --------------------------------------------------------------------------------------


def test_a_lost_insert_meets_its_own_work(server, account):
    table = create_table(account)
    add(server, account, {"at": "afterCommit", "reset": True}, {"count": 1}, name=f"lost-{account.name}", operation="InsertEntity")
    with pytest.raises(ConnectionResetError):
        post(account, table, "1")
    assert post(account, table, "1").status == 409
    (seen,) = retries(server, account)
    assert (seen["method"], seen["target"]) == ("POST", f"{account.base}/{table}")
    assert (seen["outcome"], seen["committed"], seen["metOwnWork"]) == ("failed", 1, True)
    first, second = seen["attempts"]
    assert (first["fault"], first["status"], first["committed"]) == (f"lost-{account.name}", None, True)
    assert (second["fault"], second["status"], second["code"]) == (None, 409, "EntityAlreadyExists")


def test_a_lost_upsert_is_committed_twice(server, account):
    table = create_table(account)
    add(server, account, {"at": "afterCommit", "status": 503}, {"count": 1}, method="PUT")
    target = f"/{table}(PartitionKey='p',RowKey='1')"
    for status in (503, 204):
        assert send(account, "PUT", target, body="{}").status == status
    (seen,) = retries(server, account)
    assert (seen["outcome"], seen["committed"], seen["metOwnWork"]) == ("succeeded", 2, False)


def test_a_retry_is_known_by_its_client_request_id(server, account):
    table = create_table(account)
    add(server, account, {"status": 503}, {"count": 2}, clientRequestIdPrefix="mine-")
    for status in (503, 503, 204):
        assert post(account, table, "1", x_ms_client_request_id="mine-1").status == status
    assert post(account, table, "2", x_ms_client_request_id="other").status == 204
    (seen,) = retries(server, account)
    assert [attempt["status"] for attempt in seen["attempts"]] == [503, 503, 204]
    assert seen["clientRequestId"] == "mine-1"
    done(server, "DELETE", f"retries?account={account.name}")
    assert retries(server, account) == []


def test_signatures_of_urls_are_masked(server, account):
    add(server, account, {"status": 503})
    assert send_with(account, account_sas(account), "GET", "/Tables").status == 503
    (seen,) = retries(server, account)
    assert "sig=***" in seen["target"]


# --- durability -----------------------------------------------------------------------------------


def test_what_was_committed_before_a_lost_answer_survives_a_kill(tmp_path):
    server = Server(location=tmp_path / "store")
    table = create_table(server)
    done(server, "POST", "faults", {"then": {"at": "afterCommit", "reset": True}, "match": {"operation": "InsertEntity"}})
    for row in range(50):
        with pytest.raises(ConnectionResetError):
            post(server, table, f"{row:02}")
    server.kill()
    again = Server(location=tmp_path / "store")
    assert rows(again, table) == [f"{row:02}" for row in range(50)]
    again.stop()


# --- command line ---------------------------------------------------------------------------------


def test_rules_come_from_a_file(tmp_path):
    file = tmp_path / "faults.json"
    file.write_text(json.dumps([{"name": "once", "when": {"count": 1}, "then": {"status": 503}}]))
    server = Server("--faults", file)
    assert send(server, "GET", "/Tables").status == 503
    assert send(server, "GET", "/Tables").status == 200
    server.stop()
    file.write_text('{"then": {}}')
    wrong = subprocess.run([BINARY, "--inMemoryPersistence", "--tablePort", "0", "--faults", file], capture_output=True, text=True, check=False)
    assert wrong.returncode == 1
    assert f"{file}:1:10: then: must have one of code, status, handshake, clientClock, reset, close and cutAfterBytes, or delay" in wrong.stderr


@pytest.mark.parametrize("flags, code", [([], 0), (["--strictFaults"], 4)])
def test_exec_tells_which_rule_never_fired(tmp_path, flags, code):
    file = tmp_path / "faults.json"
    file.write_text(json.dumps([{"name": "rotten", "match": {"table": "none"}, "then": {"status": 503}}]))
    ended = subprocess.run([BINARY, "exec", "--faults", file, *flags, "--", "true"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (code, 'rocktable: the fault rule "rotten" hit no request\n')
    ended = subprocess.run([BINARY, "exec", "--faults", file, *flags, "--", "sh", "-c", "exit 9"], capture_output=True, text=True, check=False)
    assert ended.returncode == 9


def test_the_command_adds_lists_and_clears_rules(server, account, tmp_path):
    file = tmp_path / "rule.json"
    file.write_text(json.dumps({"name": f"cmd-{account.name}", "match": {"account": account.name}, "when": {"count": 1},
                                "then": {"at": "afterCommit", "reset": True}}))

    def run(*words, text=None):
        command = [BINARY, "faults", *words, "--url", server.url]
        ended = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        return ended.returncode, ended.stdout + ended.stderr

    assert run("add", file) == (0, f'rocktable: added the fault rule "cmd-{account.name}" at {server.url}\n')
    with pytest.raises(ConnectionResetError):
        create_table(account, "Orders")
    code, text = run("list", "--account", account.name)
    assert code == 0 and text.startswith(f'"cmd-{account.name}": 1 hit of ')
    code, text = run("retries", "--account", account.name)
    assert code == 0 and f'POST {account.base}/Tables: "cmd-{account.name}"' in text
    code, text = run("clear", "--name", f"cmd-{account.name}", "--json")
    assert code == 0 and json.loads(text)["removed"] == 1
    code, text = run("clear", f"cmd-{account.name}")
    assert code == 1 and f'There is no fault rule "cmd-{account.name}"; there' in text
    assert run("add", "-", text="[]")[0] == 0
    code, text = run("add", "-", text="{")
    assert code == 1 and "faults:1:2: this is not JSON" in text
