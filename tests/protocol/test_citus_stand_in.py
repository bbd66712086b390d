"""What Citus says of a commit, said by one PostgreSQL with triggers (support/citus_stand_in.sql)."""
import concurrent.futures
import json
import pathlib
import subprocess
import time

import pytest

import postgres
import rocktable_server as rocktable
from fixture_control import done
from own_server import own_database

STAND_IN = pathlib.Path(__file__).resolve().parents[1] / "support/citus_stand_in.sql"
TABLE = "Orders"
STORE_TIMEOUT = 3

pytestmark = pytest.mark.embedded("it starts a database of its own")


@pytest.fixture(scope="module")
def database():
    with own_database(postgres.Postgres, "127.0.0.1", (), {"max_prepared_transactions": "4"}) as server:
        yield server


def schema():
    command = [rocktable.BINARY, "store", "schema", "--distributed"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def store(database):
    url = postgres.new_database(database.url)
    postgres.sql(url, STAND_IN.read_text())
    postgres.sql(url, schema())
    yield url
    postgres.drop_database(url)


@pytest.fixture
def server(store):
    running = rocktable.Server("--store", store, "--storeTimeout", STORE_TIMEOUT, "--storeConnections", "1")
    rocktable.create_table(running, TABLE)
    yield running
    running.kill()


def send(server, method, row="r", headers=None):
    target = f"/{TABLE}(PartitionKey='p',RowKey='{row}')"
    return rocktable.send(server, method, target, headers, None if method in ("GET", "DELETE") else json.dumps({"n": 1})).status


def when_written(store, kinds, what, table="rocktable_entities"):
    """Does this at the next write."""
    for statement in ["CREATE SEQUENCE writes",
                      f"""CREATE FUNCTION at_write() RETURNS trigger LANGUAGE plpgsql AS
                          $$ BEGIN IF nextval('writes') = 1 THEN {what}; END IF; RETURN NULL; END $$""",
                      f"CREATE TRIGGER at_write AFTER {kinds} ON {table} FOR EACH ROW EXECUTE FUNCTION at_write()"]:
        postgres.sql(store, statement)


NOT_CONFIRMED = "RAISE WARNING 'failed to commit transaction on node2:5432'"
LOST = ("RAISE EXCEPTION 'connection to the remote node a@node2:5432 failed with the following error: server closed the "
        "connection unexpectedly' USING ERRCODE = '08006'")


def test_a_write_that_a_node_does_not_confirm_is_looked_for_and_found(store, server):
    when_written(store, "INSERT", NOT_CONFIRMED)
    assert send(server, "PUT") == 204
    assert send(server, "GET") == 200


def test_a_deletion_that_a_node_does_not_confirm_is_not_acknowledged(store, server):
    assert send(server, "PUT") == 204
    when_written(store, "DELETE", NOT_CONFIRMED)
    assert send(server, "DELETE", headers={"If-Match": "*"}) == 500


def test_a_reset_that_a_node_does_not_confirm_begins_again_and_drops_nothing_that_is_there(store, server):
    assert send(server, "PUT") == 204
    when_written(store, "UPDATE", NOT_CONFIRMED, table="rocktable_tables")
    done(server, "POST", f"reset?account={server.name}&table={TABLE}")
    assert send(server, "GET") == 404
    assert postgres.sql(store, "SELECT last_value FROM writes").strip() == "1"
    assert postgres.sql(store, "SELECT id FROM rocktable_dropped WHERE id IN (SELECT id FROM rocktable_tables)") == ""
    assert send(server, "PUT") == 204


def test_a_write_does_not_begin_again_while_a_transaction_of_it_is_prepared(store, server):
    assert send(server, "PUT", "other") == 204
    processes = postgres.sql(store, "SELECT pid FROM pg_stat_activity WHERE application_name = 'rocktable' "
                                    "AND datname = current_database()").split()
    for process in processes:
        postgres.sql(store, f"BEGIN; CREATE TABLE work_of_{process} (); PREPARE TRANSACTION 'citus_0_{process}_1_1'")
    when_written(store, "INSERT", LOST)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        write = pool.submit(send, server, "PUT")
        time.sleep(1)
        assert not write.done()
        for process in processes:
            postgres.sql(store, f"ROLLBACK PREPARED 'citus_0_{process}_1_1'")
        assert write.result() == 204
    assert send(server, "GET") == 200


def test_all_nodes_are_asked_twice_what_is_left(store, server):
    """What PostgreSQL makes of the statement is what is run: it looks once for `x OR x`."""
    postgres.sql(store, "CREATE SEQUENCE asked")
    text = postgres.sql(store, "SELECT pg_get_functiondef('run_command_on_all_nodes'::regproc)")
    postgres.sql(store, text.replace("nodeid := 1;", "nodeid := 1; PERFORM nextval('asked');"))
    when_written(store, "INSERT", LOST)
    assert send(server, "PUT") == 204
    assert postgres.sql(store, "SELECT last_value FROM asked").strip() == "2"


def test_a_setting_that_a_node_refuses_is_an_error_of_the_schema(database):
    url = postgres.new_database(database.url)
    postgres.sql(url, STAND_IN.read_text())
    text = postgres.sql(url, "SELECT pg_get_functiondef('run_command_on_all_nodes'::regproc)")
    postgres.sql(url, text.replace("EXECUTE command;", "RAISE EXCEPTION 'must be owner of database';"))
    with pytest.raises(subprocess.CalledProcessError) as refused:
        postgres.sql(url, schema())
    assert "must be owner of database" in refused.value.stderr
    postgres.drop_database(url)
