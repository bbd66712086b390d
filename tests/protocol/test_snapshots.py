"""/_rocktable/snapshots: taken and restored by name, while other clients send requests, in memory and on disk."""
import contextlib
import json
import os
import shutil
import subprocess
import sys
import threading

import pytest

from fixture_control import PROPERTIES, account_of, contents, control, done, fill, insert, moment, set_document
from own_server import needs_program, own_server_in_each_place
from process import wait_until
from rocktable_server import BINARY, Server, create_table, exchange, request_bytes, send

pytestmark = [pytest.mark.embedded("snapshots"), needs_program]

server = own_server_in_each_place("--anyAccount")


def test_before_each_test_the_same_again(server):
    """The pattern of test suites: one snapshot, restored again and again."""
    other = account_of(server, "other")
    fill(server)
    fill(other, tables=["Three"])
    before = contents(server), contents(other)
    taken = done(server, "POST", "snapshots/seeded")
    assert taken["name"] == "seeded" and taken["tables"] == 3 and taken["bytes"] > 0
    for _ in range(5):
        insert(server, "One", "p", "new")
        assert send(server, "DELETE", "/Tables('Two')").status == 204
        create_table(other, "Four")
        done(server, "POST", "snapshots/seeded/restore")
        assert (contents(server), contents(other)) == before


def test_they_are_listed_shown_and_deleted(server):
    assert done(server, "GET", "snapshots") == {"snapshots": []}
    taken = [done(server, "POST", f"snapshots/{name}") for name in ("b", "a.1_2-3")]
    assert done(server, "GET", "snapshots") == {"snapshots": taken[::-1]}
    assert done(server, "GET", "snapshots/b") == taken[0]
    done(server, "DELETE", "snapshots/b")
    assert control(server, "DELETE", "snapshots/b").status == 404
    assert control(server, "GET", "snapshots/b").status == 404
    assert control(server, "POST", "snapshots/b/restore").status == 404
    assert done(server, "GET", "snapshots") == {"snapshots": taken[1:]}


def test_a_name_is_taken_once_unless_it_is_replaced(server):
    done(server, "POST", "snapshots/x?replace=false")
    fill(server)
    answer = control(server, "POST", "snapshots/x")
    assert answer.status == 409 and "replace" in answer.json()["error"]
    done(server, "POST", "snapshots/x/restore")
    assert contents(server)[0] == {}
    fill(server)
    before = contents(server)
    done(server, "POST", "snapshots/x?replace=true")
    done(server, "POST", "reset")
    done(server, "POST", "snapshots/x/restore")
    assert contents(server) == before


@pytest.mark.parametrize(
    "method, resource, status",
    [
        ("POST", "snapshots/..", 400),
        ("POST", "snapshots/.", 400),
        ("POST", "snapshots/%2e%2e", 400),
        ("POST", "snapshots/~x", 400),
        ("POST", "snapshots/" + "x" * 65, 400),
        ("POST", "snapshots/\xe4", 400),
        ("POST", "snapshots/a/b", 404),
        ("POST", "snapshots/a/restore/", 404),
        ("POST", "snapshots//restore", 404),
        ("POST", "snapshots/../restore", 404),
        ("DELETE", "snapshots/..", 404),
        ("GET", "snapshots/..", 404),
        ("POST", "snapshots/a?replace=yes", 400),
        ("POST", "snapshots/a?replaced=true", 400),
        ("POST", "snapshots/a/restore?x=1", 400),
        ("POST", "snapshots", 405),
        ("DELETE", "snapshots", 405),
        ("PUT", "snapshots/a", 405),
        ("GET", "snapshots/a/restore", 405),
    ],
)
def test_what_makes_no_sense_is_refused(server, method, resource, status):
    assert control(server, method, resource).status == status
    assert done(server, "GET", "snapshots") == {"snapshots": []}


def test_they_outlive_the_server(tmp_path):
    server = Server(location=tmp_path)
    fill(server)
    before = contents(server)
    done(server, "POST", "snapshots/x")
    insert(server, "One", "p", "new")
    server.kill()
    server = Server(location=tmp_path)
    done(server, "POST", "snapshots/x/restore")
    server.kill()  # a restore is durable also without an orderly end
    server = Server(location=tmp_path)
    assert contents(server) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["__rocktable__", "__rocktable__.snapshots"]
    server.stop()


def test_etags_go_on(server):
    create_table(server, "tbl")
    done(server, "POST", "snapshots/x")
    seen = []
    for _ in range(20):
        seen += [insert(server, "tbl", "p", str(row)) for row in range(3)]
        done(server, "POST", "snapshots/x/restore")
    assert seen == sorted(set(seen), key=moment)


def test_rules_for_cors_are_restored_as_well(server):
    rule = (
        "<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>http://a.example</AllowedOrigins>"
        "<AllowedMethods>GET</AllowedMethods><MaxAgeInSeconds>1</MaxAgeInSeconds><ExposedHeaders></ExposedHeaders>"
        "<AllowedHeaders></AllowedHeaders></CorsRule></Cors></StorageServiceProperties>"
    )

    def allowed():
        return send(server, "GET", "/Tables", {"Origin": "http://a.example"}).headers["Access-Control-Allow-Origin"]

    done(server, "POST", "snapshots/none")
    set_document(server, PROPERTIES, rule)
    done(server, "POST", "snapshots/one")
    assert allowed() == "http://a.example"
    done(server, "POST", "snapshots/none/restore")
    assert allowed() is None
    done(server, "POST", "snapshots/one/restore")
    assert allowed() == "http://a.example"


def test_pages_and_writes_are_whole_meanwhile(server):
    """Writes two rows, always together."""
    body = "".join(
        "--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
        f"PUT {server.endpoint}/tbl(PartitionKey='p',RowKey='{row}') HTTP/1.1\r\nContent-Type: application/json\r\n"
        "Accept: application/json\r\n\r\n{\"N\": %d}\r\n"
        for row in range(2)
    )
    batch = "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n" + body + "--c--\r\n--b--\r\n"
    headers = {"Content-Type": "multipart/mixed; boundary=b"}
    create_table(server, "tbl")
    faults, stop, pages = [], threading.Event(), []

    def write():
        number = 0
        while not stop.is_set():
            number += 1
            answer = send(server, "POST", "/$batch", headers, batch % (number, number))
            if answer.status not in (202, 503):
                faults.append(answer)

    def read():
        while not stop.is_set():
            answer = send(server, "GET", "/tbl()")
            rows = answer.json()["value"] if answer.status == 200 else []
            more = answer.headers["x-ms-continuation-NextPartitionKey"]
            torn = (len(rows) == 1 and not more) or len({row["N"] for row in rows}) > 1
            if answer.status not in (200, 503) or torn:
                faults.append(answer)
            pages.append(len(rows))

    workers = [threading.Thread(target=work) for work in (write, read, read)]
    for worker in workers:
        worker.start()
    for i in range(15):
        done(server, "POST", f"snapshots/s{i % 2}?replace=true")
        done(server, "POST", f"snapshots/s{i % 2}/restore")
    stop.set()
    for worker in workers:
        worker.join()
    assert not faults
    assert 2 in pages


# --- Restores that fail -- ------------------------------------------------------------------------------------

RECOVERY_LIMIT = 20.0  # seconds
# Takes the lock of a database as soon as it is closed or not yet open.
HOLD = """
import fcntl, os, sys
print("begins", flush=True)
while True:
    try:
        file = os.open(sys.argv[1], os.O_RDWR)
        break
    except FileNotFoundError:
        pass
fcntl.lockf(file, fcntl.LOCK_EX)
sys.stdin.read()
"""


@contextlib.contextmanager
def locked_once_closed(*databases):
    """Other processes wait for the locks of both databases and get them during a restore: neither can be opened."""
    command = [sys.executable, "-c", HOLD]
    holders = [subprocess.Popen([*command, str(database / "LOCK")], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
               for database in databases]
    try:
        for holder in holders:
            assert holder.stdout.readline()  # a restore takes less time than the start of Python
        yield
    finally:
        for holder in holders:
            holder.kill()
            holder.wait()
            holder.stdin.close()
            holder.stdout.close()


def ask(server, method, resource):
    """Like control(), for responses that control() does not expect."""
    data = request_bytes(server, method, f"/_rocktable/{resource}", {"Content-Length": "0"}, signed=False)
    return exchange(server, data, method)


def until_unavailable(server, folder, hold):
    """Restores repeatedly until the store stays closed, because the processes that lock it may be too late."""
    store = folder / "__rocktable__"
    for _ in range(30):
        waiting = hold.enter_context(contextlib.ExitStack())
        waiting.enter_context(locked_once_closed(store, store.with_name(store.name + ".restore")))
        answer = ask(server, "POST", "snapshots/x/restore")
        if ask(server, "GET", "ready").status == 503:
            assert answer.status == 500 and answer.json()["error"]
            return
        waiting.close()
    raise AssertionError("no restore was caught")


@pytest.fixture
def unavailable(tmp_path):
    """A server whose store cannot be opened, its contents, and a function that releases the store."""
    server = Server(location=tmp_path)
    try:
        fill(server)
        done(server, "POST", "snapshots/x")
        with contextlib.ExitStack() as hold:
            until_unavailable(server, tmp_path, hold)
            yield server, hold
    finally:
        if server.is_running():
            server.kill()


def test_a_store_that_cannot_be_opened_is_not_ready_and_served_again_once_it_can_be(unavailable, tmp_path):
    server, hold = unavailable
    answer = ask(server, "GET", "ready")
    assert answer.status == 503 and answer.headers["Content-Type"] == "application/json"
    assert answer.json()["status"] == "unavailable" and "in use" in answer.json()["error"]
    assert ask(server, "HEAD", "ready").status == 503
    assert ask(server, "GET", "health").status == 200
    assert subprocess.run([BINARY, "healthcheck", "--url", server.url], check=False,
                          capture_output=True).returncode == 1
    for method, target, body in (("GET", "/Tables", None), ("GET", "/One()", None), ("DELETE", "/Tables('One')", None),
                                 ("POST", "/One", json.dumps({"PartitionKey": "p", "RowKey": "refused"}))):
        answer = send(server, method, target, body=body)
        assert (answer.status, answer.code) == (503, "ServerBusy"), (method, target)
    account = f"account={server.name}"
    for resource in ("reset", f"reset?{account}", f"reset?{account}&table=One", "snapshots/y", "snapshots/x?replace=true",
                     "snapshots/x/restore", f"accounts/{server.name}?from={server.name}"):
        answer = ask(server, "POST", resource)
        assert answer.status == 503 and answer.json()["error"], resource
    assert [one["name"] for one in done(server, "GET", "snapshots")["snapshots"]] == ["x"]
    assert server.is_running()

    hold.close()
    wait_until(lambda: ask(server, "GET", "ready").status == 200, RECOVERY_LIMIT, "the store can be opened, and is not")
    assert "cannot be reopened" in server.errors() and "was reopened" in server.errors()
    insert(server, "One", "p", "accepted")
    before = contents(server)
    assert {row["RowKey"] for row in before[0]["One"]} == {"0", "1", "2", "accepted"}
    server.kill()
    server = Server(location=tmp_path)
    assert contents(server) == before
    done(server, "POST", "snapshots/x/restore")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["__rocktable__", "__rocktable__.snapshots"]
    server.stop()


def test_a_stop_of_a_store_that_cannot_be_opened_loses_nothing(unavailable, tmp_path):
    server, hold = unavailable
    server.stop()
    hold.close()
    server = Server(location=tmp_path)
    assert [len(rows) for rows in contents(server)[0].values()] == [3, 3]
    server.stop()


@pytest.mark.skipif("ROCKTABLE_TEST_LONG" not in os.environ, reason="takes a minute; set ROCKTABLE_TEST_LONG=1")
def test_a_server_ends_where_its_store_cannot_be_opened_for_a_minute(unavailable, tmp_path):
    server, hold = unavailable
    assert server.process.wait(90) == 1
    assert "the store could not be reopened" in server.errors().splitlines()[-1]
    hold.close()
    server = Server(location=tmp_path)
    assert [len(rows) for rows in contents(server)[0].values()] == [3, 3]
    server.stop()


def test_a_damaged_snapshot_is_refused_with_the_name_of_the_file(tmp_path):
    server = Server(location=tmp_path)
    create_table(server, "One")
    for row in range(50):
        insert(server, "One", "p", f"{row:02}", A="x" * 1000)
    done(server, "POST", "snapshots/x")
    insert(server, "One", "p", "later")
    before = contents(server)
    for file in sorted((tmp_path / "__rocktable__.snapshots" / "x").iterdir()):
        whole = file.read_bytes()
        if not whole:
            continue
        file.rename(tmp_path / "aside")  # the store may have a lock of this kind as well
        file.write_bytes(whole[: len(whole) // 3] + bytes([whole[len(whole) // 3] ^ 1]) + whole[len(whole) // 3 + 1 :])
        answer = ask(server, "POST", "snapshots/x/restore")
        assert answer.status == 500 and str(file) in answer.json()["error"], answer
        assert contents(server) == before and ask(server, "GET", "ready").status == 200
        (tmp_path / "aside").rename(file)
    done(server, "POST", "snapshots/x/restore")
    assert len(contents(server)[0]["One"]) == 50
    server.stop()


def test_a_store_behind_a_link_is_restored_behind_it(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "here").mkdir()
    (tmp_path / "there" / "data").mkdir()
    (tmp_path / "here" / "__rocktable__").symlink_to("../there/data")
    server = Server(location=tmp_path / "here")
    fill(server)
    before = contents(server)
    done(server, "POST", "snapshots/x")
    for _ in range(2):
        insert(server, "One", "p", "later")
        done(server, "POST", "snapshots/x/restore")
        assert contents(server) == before
        server.stop()
        assert (tmp_path / "here" / "__rocktable__").is_symlink()
        assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["data", "data.snapshots"]
        server = Server(location=tmp_path / "here")
        assert contents(server) == before
    server.stop()
    shutil.rmtree(tmp_path / "there" / "data")
    with pytest.raises(AssertionError, match="is a link to .*, which does not exist"):
        Server(location=tmp_path / "here")
