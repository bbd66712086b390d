"""/_rocktable/snapshots: taken and restored by name, while others are at work, in memory and on disk."""
import os
import threading

import pytest

from fixture_control import PROPERTIES, account_of, contents, control, done, fill, insert, moment, set_document
from rocktable_server import BINARY, Server, create_table, send

pytestmark = pytest.mark.skipif(
    "ROCKTABLE_TEST_CONNECTION_STRING" in os.environ and not BINARY.exists(), reason="no binary to start"
)


@pytest.fixture(params=["in memory", "on disk"])
def server(request, tmp_path):
    running = Server("--anyAccount", **({} if request.param == "in memory" else {"location": tmp_path}))
    yield running
    running.stop()


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
    server.kill()  # a restore is kept without an orderly end
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
    """Two rows that are always written together."""
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
