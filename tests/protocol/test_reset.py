"""POST /_rocktable/reset: everything, an account or a table, in constant time, while other clients send requests."""
import threading

import pytest

from fixture_control import PROPERTIES, account_of, contents, control, done, fill, insert, moment, set_document
from own_server import needs_program
from rocktable_server import Server, create_table, send

pytestmark = needs_program

POLICIES = (
    "<SignedIdentifiers><SignedIdentifier><Id>reader</Id><AccessPolicy><Permission>r</Permission></AccessPolicy>"
    "</SignedIdentifier></SignedIdentifiers>"
)
RULES = (
    "<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>http://a.example</AllowedOrigins>"
    "<AllowedMethods>GET</AllowedMethods><MaxAgeInSeconds>1</MaxAgeInSeconds><ExposedHeaders></ExposedHeaders>"
    "<AllowedHeaders></AllowedHeaders></CorsRule></Cors></StorageServiceProperties>"
)


@pytest.fixture(params=["in memory", "on disk",
                        pytest.param("on disk, with --sync", marks=pytest.mark.embedded("--sync"))])
def server(request, tmp_path):
    kept = {} if request.param == "in memory" else {"location": tmp_path}
    flags = ["--sync"] if "sync" in request.param else []
    running = Server("--anyAccount", *flags, **kept)
    yield running
    running.stop()


def test_everything(server):
    other = account_of(server, "other")
    for _ in range(3):
        fill(server)
        fill(other)
        done(server, "POST", "reset")
        assert contents(server)[0] == contents(other)[0] == {}


def test_an_account_alone(server):
    other = account_of(server, "other")
    fill(server)
    fill(other)
    set_document(other, PROPERTIES, RULES)
    before, others = contents(server), contents(other)
    done(server, "POST", "reset?account=nobody")
    assert contents(other) == others
    done(server, "POST", "reset?account=other")
    assert contents(server) == before
    assert contents(other)[0] == {}
    assert "a.example" not in contents(other)[2]
    allowed = send(other, "GET", "/Tables", {"Origin": "http://a.example"}).headers["Access-Control-Allow-Origin"]
    assert allowed is None  # its CORS rules were deleted, too
    fill(other)


def test_a_table_alone_stays_with_its_access_policies(server):
    fill(server)
    set_document(server, "/One?comp=acl", POLICIES)
    tables, policies, settings = contents(server)
    done(server, "POST", f"reset?account={server.name}&table=oNE")
    assert contents(server) == (tables | {"One": []}, policies, settings)
    assert "reader" in policies["One"]
    insert(server, "One", "p", "0")


def test_the_reset_is_kept(tmp_path):
    server = Server("--anyAccount", location=tmp_path)
    fill(server, rows=300)
    fill(account_of(server, "other"))
    done(server, "POST", f"reset?account={server.name}&table=One")
    done(server, "POST", "reset?account=other")
    before = contents(server)
    server.kill()  # not an orderly end
    server = Server("--anyAccount", location=tmp_path)
    assert contents(server) == before
    assert contents(account_of(server, "other"))[0] == {}
    server.stop()


def test_etags_go_on(server):
    seen = []
    create_table(server, "tbl")
    for i in range(20):
        seen.append(insert(server, "tbl", "p", "r"))
        if i % 2:
            done(server, "POST", f"reset?account={server.name}&table=tbl")
        else:
            done(server, "POST", "reset")
            create_table(server, "tbl")
    assert seen == sorted(set(seen), key=moment)


@pytest.mark.parametrize(
    "resource, status",
    [
        ("reset?acount=other", 400),  # a typing error must not reset more than intended
        ("reset?account=", 400),
        ("reset?account=other&account=devstoreaccount1", 400),
        ("reset?table=One", 400),
        ("reset?account=devstoreaccount1&table=", 400),
        ("reset?account=devstoreaccount1&table=Three", 404),
        ("reset?account=devstoreaccount1&table=%ff", 400),
        ("reset?account=devstoreaccount1&table=..%2f", 404),
        ("reset?account=NO", 404),
        ("reset/", 404),
        ("resets", 404),
    ],
)
def test_what_is_not_understood_resets_nothing(server, resource, status):
    fill(server, tables=["One"])
    before = contents(server)
    assert control(server, "POST", resource).status == status
    for method in ("GET", "HEAD", "DELETE", "PUT"):
        answer = control(server, method, "reset")
        assert (answer.status, answer.headers["Allow"]) == (405, "POST")
    assert contents(server) == before


def test_an_account_that_is_not_served_is_told():
    server = Server()
    answer = control(server, "POST", "reset?account=other")
    assert answer.status == 404 and "--anyAccount" in answer.json()["error"]
    server.stop()


def test_writers_and_readers_get_answers_of_the_service_meanwhile(server):
    create_table(server, "tbl")
    faults, stop = [], threading.Event()

    def work(number):
        while not stop.is_set():
            read = send(server, "GET", "/tbl()?$filter=N ge 0".replace(" ", "%20"))
            write = send(server, "PUT", f"/tbl(PartitionKey='p{number}',RowKey='r')", body='{"N": 1}')
            if read.status not in (200, 404, 503) or write.status not in (204, 404, 503):
                faults.append((read, write))

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for i in range(40):
        done(server, "POST", ["reset", f"reset?account={server.name}"][i % 2])
        create_table(server, "tbl")
        done(server, "POST", f"reset?account={server.name}&table=tbl")
    stop.set()
    for worker in workers:
        worker.join()
    assert not faults
