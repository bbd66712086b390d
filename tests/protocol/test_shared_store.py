"""What a database refuses, at the start and later: one sentence for the user, 5xx for clients, and nothing is lost."""
import contextlib
import json
import os
import pwd
import subprocess
import time
import urllib.parse

import pytest

import postgres
import rocktable_server as rocktable
from fixture_control import done, year_of_next
from own_server import own_database

PASSWORD = "s3cr3t-word"
TABLE = "Orders"
MEBIBYTE = 1 << 20

pytestmark = pytest.mark.embedded("it starts databases of its own")


@pytest.fixture(scope="module")
def database():
    with own_database() as server:
        postgres.sql(server.url, f"CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}'")
        access = server.data / "pg_hba.conf"
        access.write_text("host all guest 127.0.0.1/32 scram-sha-256\n" + access.read_text())
        postgres.sql(server.url, "SELECT pg_reload_conf()")
        yield server


def test_without_postgresql_a_start_says_what_is_missing(monkeypatch):
    """A bare Debian has neither its programs nor its user."""
    def no_user(name):
        raise KeyError(name)

    monkeypatch.setattr(postgres.glob, "glob", lambda pattern: [])
    monkeypatch.setattr(postgres.shutil, "which", lambda name: None)
    monkeypatch.setattr(postgres.pwd, "getpwnam", no_user)
    with pytest.raises(FileNotFoundError, match="script/bootstrap --postgres"):
        postgres.Postgres()


@pytest.fixture
def store(database):
    """The URL of an empty database."""
    url = postgres.new_database(database.url)
    yield url
    postgres.drop_database(url)


def with_user(url, user):
    return url.replace("//postgres@", f"//{user}@")


def refusal(url, **environment):
    """Starts the program, which must refuse the store. Returns its message."""
    ended = subprocess.run([rocktable.BINARY, "--store", url, "--storeTimeout", "2", "--tablePort", "0"],
                           capture_output=True, text=True, timeout=30, env={**os.environ, **environment})
    assert ended.returncode != 0
    assert ended.stdout == ""
    assert PASSWORD not in ended.stderr
    lines = ended.stderr.splitlines()
    assert len(lines) == 1, ended.stderr
    return lines[0]


# --- The start --------------------------------------------------------------------------------------------------------


def test_a_server_that_is_not_there():
    message = refusal(f"postgresql://guest:{PASSWORD}@127.0.0.1:{postgres.free_port()}/tables")
    assert "cannot open the store postgresql://guest:***@127.0.0.1:" in message
    assert "Connection refused" in message


def test_a_host_that_does_not_exist():
    message = refusal("postgresql://nowhere.invalid/tables")
    assert 'cannot open the store postgresql://nowhere.invalid/tables: could not translate host name' in message


@pytest.mark.parametrize("given", ["", "another", PASSWORD + "x"])
def test_a_wrong_password(store, given):
    message = refusal(with_user(store, "guest"), PGPASSWORD=given)
    assert ("no password supplied" if given == "" else 'password authentication failed for user "guest"') in message


def test_a_database_that_does_not_exist(database):
    message = refusal(urllib.parse.urlsplit(database.url)._replace(path="/absent").geturl())
    assert 'database "absent" does not exist' in message


def test_a_user_who_may_not_create_tables(store):
    message = refusal(with_user(store, "guest"), PGPASSWORD=PASSWORD)
    assert "permission denied for schema public" in message


def test_a_user_who_may_not_read_the_tables(store):
    rocktable.Server("--store", store).stop()
    message = refusal(with_user(store, "guest"), PGPASSWORD=PASSWORD)
    assert "permission denied for table rocktable_meta" in message


def test_a_user_with_the_rights_of_the_documentation(store):
    schema = subprocess.run([rocktable.BINARY, "store", "schema"], capture_output=True, text=True, check=True).stdout
    for statement in [schema, "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO guest",
                      "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO guest"]:
        postgres.sql(store, statement)
    server = rocktable.Server("--store", with_user(store, "guest"), environment={"PGPASSWORD": PASSWORD})
    try:
        rocktable.create_table(server, TABLE)
        assert insert(server, "1").status == 201
    finally:
        server.stop()


def test_a_format_of_a_newer_version(store):
    rocktable.Server("--store", store).stop()
    postgres.sql(store, "UPDATE rocktable_meta SET value = '99' WHERE name = 'format'")
    assert "it was written by a newer rocktable (format 99; this version reads up to 2)" in refusal(store)
    assert postgres.sql(store, "SELECT value FROM rocktable_meta WHERE name = 'format'").strip() == "\\x3939"


def test_tables_of_another_program(store):
    postgres.sql(store, "CREATE TABLE rocktable_meta (id int)")
    assert "its tables are not those of rocktable" in refusal(store)


@pytest.mark.parametrize("url", ["postgresql://[::1", "postgresql://host:port/x", "mysql://host/x", "postgresql://h/x?no=1"])
def test_a_url_that_is_not_one(url):
    assert refusal(url)


# --- Later ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def server(store):
    running = rocktable.Server("--store", store, "--storeTimeout", "2")
    rocktable.create_table(running, TABLE)
    yield running
    running.kill()


def insert(server, row, text="x"):
    body = json.dumps({"PartitionKey": "p", "RowKey": row, "Text": text})
    return rocktable.send(server, "POST", f"/{TABLE}", {"Content-Type": "application/json"}, body)


def read(server, row):
    return rocktable.send(server, "GET", f"/{TABLE}(PartitionKey='p',RowKey='{row}')")


def refuse_inserts(store, state):
    """Makes the database refuse rows whose record has the word REFUSED, with this SQLSTATE."""
    for statement in [f"""CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                          $$ BEGIN RAISE EXCEPTION 'refused by a test' USING ERRCODE = '{state}'; END $$""",
                      """CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON rocktable_entities FOR EACH ROW
                         WHEN (position('REFUSED'::bytea in NEW.record) > 0) EXECUTE FUNCTION refuse()"""]:
        postgres.sql(store, statement)


@pytest.mark.parametrize("state, status, code", [
    ("ZZ999", 500, "InternalError"),  # a state that does not exist
    ("53100", 503, "ServerBusy"),     # the disk is full
    ("53200", 503, "ServerBusy"),     # no memory
    ("55P03", 503, "ServerBusy"),     # a lock that it was told not to wait for
    ("57014", 503, "ServerBusy"),     # a statement that took too long
    ("40001", 503, "ServerBusy"),     # a conflict that does not end
    ("40P01", 503, "ServerBusy"),
    ("53300", 503, "ServerBusy"),     # too many connections
    ("57P03", 503, "ServerBusy"),     # it starts or stops
])
def test_an_error_of_the_database_is_one_of_the_service(store, server, state, status, code):
    assert insert(server, "before").status == 201
    refuse_inserts(store, state)
    answer = insert(server, "refused", "REFUSED")
    assert (answer.status, answer.code) == (status, code)
    assert "refused by a test" not in answer.text
    assert read(server, "refused").status == 404
    assert insert(server, "after").status == 201
    assert read(server, "before").status == read(server, "after").status == 200
    if status == 500:
        assert f"refused by a test (SQLSTATE {state})" in server.errors()


def test_tables_that_somebody_has_dropped(store, server):
    assert insert(server, "1").status == 201
    postgres.sql(store, "ALTER TABLE rocktable_entities RENAME TO elsewhere")
    assert (insert(server, "2").status, read(server, "1").status) == (500, 500)
    assert '"rocktable_entities" does not exist' in server.errors()
    postgres.sql(store, "ALTER TABLE elsewhere RENAME TO rocktable_entities")
    assert (insert(server, "2").status, read(server, "1").status) == (201, 200)


def test_timestamps_begin_anew_for_the_front_end_that_resets_and_for_others_when_they_start(store):
    """docs/faults.md, "Clock"."""
    this_year = time.gmtime().tm_year
    servers = [rocktable.Server("--store", store) for _ in range(2)]
    try:
        for server in servers:
            done(server, "PUT", "clock", {"frozen": "9998-01-01T00:00:00Z"})
            assert year_of_next(server) == 9998
            done(server, "PUT", "clock", {})
        first, second = servers
        done(first, "POST", "reset")
        assert (year_of_next(first), year_of_next(second)) == (this_year, 9998)
        second.stop()
        servers.append(rocktable.Server("--store", store))
        assert year_of_next(servers[-1]) == this_year
    finally:
        for server in servers:
            server.kill()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a small disk")
@pytest.mark.usefixtures("database")  # skipped without PostgreSQL
def test_a_disk_that_is_full_loses_nothing_and_serves_again():
    small = "/mnt"  # in a namespace of the server alone
    owner = pwd.getpwnam(postgres.USER).pw_uid
    mount = f"mount -t tmpfs -o size={MEBIBYTE},mode=700,uid={owner} none {small} && exec \"$@\""
    with postgres.Postgres(within=["unshare", "--mount", "sh", "-c", mount, "sh"]) as database:
        postgres.sql(database.url, f"CREATE TABLESPACE small LOCATION '{small}'")
        url = postgres.new_database(database.url)
        server = rocktable.Server("--store", url, "--storeTimeout", "2")
        try:
            rocktable.create_table(server, TABLE)
            postgres.sql(url, "ALTER TABLE rocktable_entities SET TABLESPACE small")
            answers = {}
            for number in range(60):
                answers[number] = insert(server, str(number), "x" * (MEBIBYTE // 32 - 100)).status
            assert set(answers.values()) == {201, 503}
            assert "No space left on device" in server.errors()
            for number, status in answers.items():
                assert read(server, str(number)).status == (200 if status == 201 else 404)
            assert rocktable.send(server, "DELETE", f"/{TABLE}(PartitionKey='p',RowKey='0')",
                                  {"If-Match": "*"}).status == 204
        finally:
            server.kill()


@pytest.mark.skipif(not os.environ.get("ROCKTABLE_TEST_LONG"), reason="takes a minute; set ROCKTABLE_TEST_LONG=1")
def test_connections_that_nobody_needs_are_closed(store, server):
    def count():
        return int(postgres.sql(store, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                                       "AND pid <> pg_backend_pid()"))
    data = rocktable.request_bytes(server, "GET", f"{server.base}/{TABLE}(PartitionKey='p',RowKey='r')")
    with contextlib.ExitStack() as open_ones:
        clients = [open_ones.enter_context(rocktable.connection(server)) for _ in range(100)]
        for client in clients:
            client.sendall(data)
        for client in clients:
            assert rocktable.read_response(client).status == 404
    assert count() > 3
    time.sleep(35)
    assert count() <= 3


def test_a_delay_that_a_fault_makes_is_no_time_of_the_database(store):
    server = rocktable.Server("--store", store, "--storeTimeout", "1")
    try:
        rocktable.create_table(server, TABLE)
        done(server, "POST", "faults", {"match": {"operation": ["InsertEntity", "GetEntity"]}, "then": {"delay": "1500ms"}})
        assert insert(server, "r").status == 201
        assert read(server, "r").status == 200
    finally:
        server.kill()
