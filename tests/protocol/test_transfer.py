"""rocktable export, import and copy: what they transfer, how they resume after faults and aborts, and their
messages."""
import base64
import json
import os
import resource
import subprocess
import threading
import time

import pytest

from fixture_control import done, insert
from http_server import Handler, HttpServer
from own_server import needs_program, own_server
from program import user_environment
from proxy import BUSY, Proxy
from rocktable_server import BINARY, Server, all_entities, create_table, delete_table, send
from shared_access import account_sas, table_sas

pytestmark = needs_program

DEADLINE = 240  # seconds; a sanitized program is slow

source = own_server()
target = own_server(scope="function")


def command(*words, environment=None, stdin=None, **options):
    """Starts a command, without an account in the environment."""
    return subprocess.Popen([str(word) for word in (BINARY, *words)], stdin=stdin or subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, env=user_environment(**(environment or {})), **options)


def finish(process):
    output, errors = process.communicate(timeout=DEADLINE)
    return process.returncode, errors, output


def run(*words, **options):
    """Runs a command that must succeed. Returns its output."""
    code, errors, _ = finish(command(*words, **options))
    assert code == 0, errors
    return errors


def refusal(*words, code=1, **options):
    """Runs a command that must fail. Returns its error message, which must be one sentence."""
    exit_code, errors, _ = finish(command(*words, **options))
    assert exit_code == code, errors
    last = errors.splitlines()[-1]
    assert last.startswith("rocktable: "), errors
    return last


def entity(i, partition):
    """Returns an entity with all types and extreme values."""
    values = {
        "PartitionKey": partition, "RowKey": f"row {i:06}",
        "Text": f"text {i} \u00e4\u4e2d\U0001F600 \"quoted\" \\ \n\t\u0001", "Empty": "",
        "Flag": i % 2 == 0, "Small": (-2**31, 2**31 - 1, i)[i % 3],
        "Big@odata.type": "Edm.Int64", "Big": str((-2**63, 2**63 - 1, i)[i % 3]),
        "Number@odata.type": "Edm.Double", "Number": (1.0, 5e-324, 1.7976931348623157e308, "NaN", "-Infinity", 0.1)[i % 6],
        "When@odata.type": "Edm.DateTime", "When": ("1601-01-01T00:00:00Z", "9999-12-31T23:59:59.9999999Z")[i % 2],
        "Id@odata.type": "Edm.Guid", "Id": f"{i:08x}-0000-4000-8000-ffffffffffff",
        "Bytes@odata.type": "Edm.Binary", "Bytes": base64.b64encode(bytes([i % 256]) * (i % 9)).decode(),
    }
    if i % 5 == 0:
        values["Only\u00e9"] = "some have it"
    return values


def write_file(path, count, partitions=7, make=entity):
    with open(path, "w", encoding="utf-8") as file:
        for i in range(count):
            file.write(json.dumps(make(i, f"p'{i % partitions} \u00fc%"), ensure_ascii=False) + "\n")
    return path


def small(i, partition):
    return {"PartitionKey": partition, "RowKey": f"{i:06}", "N": i}


def busy_at_every(n):
    return lambda number, *_: (503, BUSY) if number % n == 0 else None


def wait_for(path, process):
    deadline = time.monotonic() + DEADLINE
    while not path.exists():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline, f"{path} does not appear"
        time.sleep(0.002)


def kill(process):
    process.kill()
    process.wait()
    process.stderr.close()


def entities_in(state):
    """Returns the maximum number of entities of a table in a state file; 0 if there is none yet."""
    try:
        tables = json.loads(state.read_text())["tables"].values()
        return max((table["entities"] for table in tables), default=0)
    except FileNotFoundError:
        return 0


class Interruption:
    """A fault of a proxy that kills a command in the middle of a request, as soon as `is_due()`. `asked`, if given, is
    the fault of all other requests."""

    def __init__(self, is_due, asked=None):
        self.is_due, self.asked = is_due, asked or (lambda *_: None)
        self.process, self.killed = None, threading.Event()

    def __call__(self, *request):
        if self.process is None or self.killed.is_set() or not self.is_due(*request):
            return self.asked(*request)
        self.process.kill()
        self.killed.set()
        return "swallow"

    def run(self, *words):
        """Starts the command and checks that it is killed before it ends."""
        self.process = command(*words)
        self.process.wait(DEADLINE)
        assert self.killed.is_set(), self.process.stderr.read()
        self.process.stderr.close()
        self.process = None


def without_contents_id(_number, _method, path):
    """A fault of a proxy that hides that the endpoint is rocktable."""
    return (404, "{}") if path.startswith("/_rocktable/") else None


# --- Transferred data -----------------------------------------------------------------------------


def test_all_types_survive_import_and_export_to_the_byte(source, target, tmp_path):
    write_file(tmp_path / "Types.ndjson", 1000)
    run("import", "--from", tmp_path / "Types.ndjson", "--to", source.connection_string, "--verify")
    run("export", "--from", source.connection_string, "--table", "Types", "--to", tmp_path / "one", "--verify")
    run("import", "--from", tmp_path / "one", "--to", target.connection_string, "--verify")
    run("export", "--from", target.connection_string, "--all", "--to", tmp_path / "two", "--verify")
    first = (tmp_path / "one" / "Types.ndjson").read_bytes()
    assert first == (tmp_path / "two" / "Types.ndjson").read_bytes()
    written = {(e["PartitionKey"], e["RowKey"]): e for e in map(json.loads, first.splitlines())}
    assert len(written) == 1000
    for i in (0, 1, 2, 3, 4, 5):
        expected = entity(i, f"p'{i % 7} \u00fc%")
        found = written[expected["PartitionKey"], expected["RowKey"]]
        assert found["Big@odata.type"] == "Edm.Int64" and found["Id@odata.type"] == "Edm.Guid"
        assert {name: value for name, value in found.items() if not name.startswith("Number")} == {
            name: value for name, value in expected.items() if not name.startswith("Number")}
        assert str(found["Number"]) == str(expected["Number"]), i


def test_keys_of_an_export_stand_in_the_order_of_the_service(source, tmp_path):
    write_file(tmp_path / "Order.ndjson", 500)
    run("import", "--from", tmp_path / "Order.ndjson", "--to", source.connection_string)
    run("export", "--from", source.connection_string, "--table", "Order", "--to", tmp_path / "out.ndjson")
    keys = [(e["PartitionKey"], e["RowKey"]) for e in map(json.loads, (tmp_path / "out.ndjson").open(encoding="utf-8"))]
    assert keys == sorted(keys) and len(keys) == 500


def test_csv_carries_all_values_and_types(source, target, tmp_path):
    write_file(tmp_path / "Sheet.ndjson", 300)
    run("import", "--from", tmp_path / "Sheet.ndjson", "--to", source.connection_string)
    run("export", "--from", source.connection_string, "--table", "Sheet", "--to", tmp_path, "--format", "csv", "--verify")
    run("import", "--from", tmp_path / "Sheet.csv", "--to", target.connection_string, "--verify")
    assert len(all_entities(target, "Sheet")) == 300


def test_standard_output_and_input_make_a_pipe(source, target, tmp_path):
    write_file(tmp_path / "Pipe.ndjson", 2500, make=small)
    run("import", "--from", tmp_path / "Pipe.ndjson", "--to", source.connection_string)
    writer = command("export", "--from", source.connection_string, "--table", "Pipe", "--to", "-", stdout=subprocess.PIPE)
    reader = command("import", "--from", "-", "--table", "Piped", "--to", target.connection_string, stdin=writer.stdout)
    writer.stdout.close()
    assert finish(reader)[0] == 0
    assert writer.wait(DEADLINE) == 0
    writer.stderr.close()
    assert len(all_entities(target, "Piped")) == 2500


def test_only_what_a_filter_lets_through_is_copied(source, target, tmp_path):
    write_file(tmp_path / "Filtered.ndjson", 400, make=small)
    run("import", "--from", tmp_path / "Filtered.ndjson", "--to", source.connection_string)
    said = run("copy", "--from", source.connection_string, "--to", target.connection_string, "--table", "Filtered",
               "--filter", "N ge 100 and N lt 250", "--verify")
    assert "150 entities" in said
    assert sorted(e["N"] for e in all_entities(target, "Filtered")) == list(range(100, 250))


def test_of_two_entities_with_one_key_the_last_one_stays(target, tmp_path):
    lines = [{"PartitionKey": "p", "RowKey": "r", "N": n} for n in range(250)]
    (tmp_path / "Twice.ndjson").write_text("\n".join(map(json.dumps, lines)))
    run("import", "--from", tmp_path / "Twice.ndjson", "--to", target.connection_string)
    assert [e["N"] for e in all_entities(target, "Twice")] == [249]


def test_large_entities_go_in_transactions_within_the_limit_of_the_service(source, target, tmp_path):
    def large(i, partition):
        texts = {f"T{n}": "\u0001" * 30_000 for n in range(15)}  # six bytes each in JSON
        return {"PartitionKey": "p", "RowKey": f"{i:04}", **texts}

    write_file(tmp_path / "Large.ndjson", 6, make=large)
    run("import", "--from", tmp_path / "Large.ndjson", "--to", source.connection_string, "--verify")
    run("copy", "--from", source.connection_string, "--to", target.connection_string, "--table", "Large", "--verify")


def test_modes_insert_replace_or_merge(target, tmp_path):
    def write(mode, **properties):
        (tmp_path / "Mode.ndjson").write_text(json.dumps({"PartitionKey": "p", "RowKey": "r", **properties}))
        return "import", "--from", tmp_path / "Mode.ndjson", "--to", target.connection_string, "--mode", mode

    def properties():
        [found] = all_entities(target, "Mode")
        return {name: value for name, value in found.items() if name in "ABC"}

    run(*write("insert", A=1))
    run(*write("merge", B=2))
    assert properties() == {"A": 1, "B": 2}
    run(*write("replace", C=3))
    assert properties() == {"C": 3}
    assert "(409 EntityAlreadyExists)" in refusal(*write("insert", A=1))
    assert properties() == {"C": 3}


def test_a_dry_run_counts_and_writes_nothing(source, target, tmp_path):
    write_file(tmp_path / "Dry.ndjson", 123, make=small)
    run("import", "--from", tmp_path / "Dry.ndjson", "--to", source.connection_string)
    said = run("copy", "--from", source.connection_string, "--to", target.connection_string, "--table", "Dry", "--dryRun")
    assert "counted, nothing written: 123 entities of 1 table" in said
    run("export", "--from", source.connection_string, "--table", "Dry", "--to", tmp_path / "none", "--dryRun")
    assert not (tmp_path / "none").exists()
    assert send(target, "GET", "/Tables").json()["value"] == []


# --- Accounts -------------------------------------------------------------------------------------


def test_an_account_comes_from_the_environment_a_variable_or_a_file(source, target, tmp_path):
    write_file(tmp_path / "Secret.ndjson", 3, make=small)
    (tmp_path / "secret").write_text(source.connection_string + "\n")
    environment = {"AZURE_STORAGE_CONNECTION_STRING": source.connection_string, "OTHER": target.connection_string}
    run("import", "--from", tmp_path / "Secret.ndjson", environment=environment)
    run("copy", "--to", "env:OTHER", "--table", "Secret", environment=environment)
    run("copy", "--from", f"@{tmp_path / 'secret'}", "--to", target.connection_string, "--table", "Secret", "--verify")
    assert "OTHER is not set" in refusal("copy", "--from", "env:OTHER", "--to", target.connection_string, "--all")


def test_shared_access_signatures_do_for_both_sides(source, target, tmp_path):
    write_file(tmp_path / "Shared.ndjson", 250, make=small)
    run("import", "--from", tmp_path / "Shared.ndjson", "--to", source.connection_string)
    create_table(target, "Shared")
    reader = f"{source.endpoint}/Shared?{table_sas(source, 'Shared', sp='r')}"
    writer = f"TableEndpoint={target.endpoint};SharedAccessSignature={table_sas(target, 'Shared')}"
    run("copy", "--from", reader, "--to", writer, "--verify")  # the signature names the only table
    said = run("copy", "--from", f"{source.endpoint}?{account_sas(source)}",
               "--to", f"{target.endpoint}?{account_sas(target)}", "--table", "Shared", "--verify")
    assert "250 entities" in said


def test_certificates_are_checked(start, target, tmp_path):
    secure = start("--tls", "auto", location=tmp_path / "store")
    write_file(tmp_path / "Secure.ndjson", 200, make=small)
    words = ("import", "--from", tmp_path / "Secure.ndjson", "--to", secure.connection_string)
    assert "its certificate is not trusted" in refusal(*words)
    run(*words, "--caFile", secure.ready["certificateAuthority"], "--verify")
    run(*words, environment={"ROCKTABLE_CA_FILE": secure.ready["certificateAuthority"]})


# --- Faults during a transfer -----------------------------------------------------------------------


def test_a_copy_is_complete_although_every_tenth_request_is_answered_503(source, target, tmp_path):
    for table in ("One", "Two"):
        write_file(tmp_path / f"{table}.ndjson", 4000, partitions=40, make=small)
    run("import", "--from", tmp_path, "--to", source.connection_string)
    with Proxy(target, busy_at_every(10)) as proxy:
        run("copy", "--from", source.connection_string, "--to", proxy.connection_string, "--table", "One", "--table",
            "Two", "--verify")
        assert proxy.requests > 80
    for table in ("One", "Two"):
        assert sorted(e["N"] for e in all_entities(target, table)) == list(range(4000))


@pytest.mark.parametrize("fault", ["drop", "swallow"])
@pytest.mark.parametrize("mode", ["insert", "replace"])
def test_broken_connections_lose_and_double_nothing(target, tmp_path, fault, mode):
    write_file(tmp_path / "Broken.ndjson", 3000, partitions=30, make=small)
    with Proxy(target, lambda number, *_: fault if number % 7 == 0 else None) as proxy:
        run("import", "--from", tmp_path / "Broken.ndjson", "--to", proxy.connection_string, "--mode", mode, "--verify")
    assert sorted(e["N"] for e in all_entities(target, "Broken")) == list(range(3000))


def test_an_export_outlives_busy_answers_and_broken_connections(source, tmp_path):
    write_file(tmp_path / "Bumpy.ndjson", 9000, make=small)
    run("import", "--from", tmp_path / "Bumpy.ndjson", "--to", source.connection_string)
    faults = {2: (503, BUSY), 3: "drop", 5: "swallow", 6: (500, "no JSON")}
    with Proxy(source, lambda number, *_: faults.get(number)) as proxy:
        run("export", "--from", proxy.connection_string, "--table", "Bumpy", "--to", tmp_path / "exported.ndjson")
    assert sum(1 for _ in (tmp_path / "exported.ndjson").open(encoding="utf-8")) == 9000


def test_a_table_that_is_still_being_deleted_is_waited_for(target, tmp_path):
    deleted = json.dumps({"odata.error": {"code": "TableBeingDeleted", "message": {"value": "Try operation later."}}})
    write_file(tmp_path / "Again.ndjson", 5, make=small)
    with Proxy(target, lambda number, *_: (409, deleted) if number <= 3 else None) as proxy:
        run("import", "--from", tmp_path / "Again.ndjson", "--to", proxy.connection_string)
    assert len(all_entities(target, "Again")) == 5


# --- Aborts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["insert", "replace"])
def test_an_import_that_was_killed_goes_on_and_loses_and_doubles_nothing(target, tmp_path, mode):
    folder = tmp_path / "data"
    folder.mkdir()
    write_file(folder / "Killed.ndjson", 70_000, partitions=300, make=small)
    state = folder / ".rocktable-import.json"
    words = ("import", "--from", folder, "--to", target.connection_string, "--mode", mode)
    process = command(*words)
    wait_for(state, process)
    while json.loads(state.read_text())["tables"]["Killed"]["entities"] == 0:
        assert process.poll() is None
        time.sleep(0.002)
    kill(process)
    done = json.loads(state.read_text())["tables"]["Killed"]["entities"]
    assert 20_000 <= done < 70_000
    said = run(*words, "--verify")
    assert "resuming an earlier attempt" in said
    again = int(said.split("done: ")[1].split(" ")[0].replace(",", ""))
    assert again == 70_000 - done
    assert sorted(e["N"] for e in all_entities(target, "Killed")) == list(range(70_000))
    assert not state.exists()


def test_an_export_that_was_killed_goes_on_to_the_same_file(target, tmp_path):
    write_file(tmp_path / "Killed.ndjson", 70_000, partitions=300, make=small)
    run("import", "--from", tmp_path / "Killed.ndjson", "--to", target.connection_string)
    run("export", "--from", target.connection_string, "--all", "--to", tmp_path / "whole")
    words = ("export", "--from", target.connection_string, "--all", "--to", tmp_path / "out")
    process = command(*words)
    wait_for(tmp_path / "out" / ".rocktable-export.json", process)
    kill(process)
    assert not (tmp_path / "out" / "Killed.ndjson").exists()
    with open(tmp_path / "out" / "Killed.ndjson.partial", "a", encoding="utf-8") as torn:
        torn.write('{"PartitionKey":"torn')
    assert "resuming an earlier attempt" in run(*words)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["Killed.ndjson"]
    assert (tmp_path / "out" / "Killed.ndjson").read_bytes() == (tmp_path / "whole" / "Killed.ndjson").read_bytes()


def test_a_copy_that_was_killed_goes_on_by_its_state(source, target, tmp_path):
    write_file(tmp_path / "Moved.ndjson", 70_000, partitions=300, make=small)
    run("import", "--from", tmp_path / "Moved.ndjson", "--to", source.connection_string)
    state = tmp_path / "state"
    words = ("copy", "--from", source.connection_string, "--to", target.connection_string, "--table", "Moved",
             "--state", state)
    process = command(*words)
    wait_for(state, process)
    kill(process)
    assert "resuming an earlier attempt" in run(*words, "--verify")
    assert sorted(e["N"] for e in all_entities(target, "Moved")) == list(range(70_000))
    assert not state.exists()


@pytest.mark.parametrize("end", ["import", "copy to", "copy from", "export"])
@pytest.mark.parametrize("asked", [None, without_contents_id], ids=["rocktable", "another endpoint"])
def test_an_endpoint_that_was_started_anew_is_not_gone_on_with(source, target, tmp_path, end, asked):
    """A new server at the same address: it does not have the entities of the state."""
    write_file(tmp_path / "Lost.ndjson", 30_000, partitions=300, make=small)
    for server in (source, target):
        if end != "import" and server is (source if end == "copy to" else target):
            run("import", "--from", tmp_path / "Lost.ndjson", "--to", server.connection_string)
    state, out = tmp_path / "state", tmp_path / "out"
    interruption = Interruption(lambda *_: entities_in(state) > 0, asked)
    with Proxy(target, interruption) as proxy:
        words = {
            "import": ("import", "--from", tmp_path / "Lost.ndjson", "--to", proxy.connection_string),
            "copy to": ("copy", "--from", source.connection_string, "--to", proxy.connection_string, "--table", "Lost"),
            "copy from": ("copy", "--from", proxy.connection_string, "--to", source.connection_string, "--table", "Lost"),
            "export": ("export", "--from", proxy.connection_string, "--table", "Lost", "--to", out),
        }[end] + ("--state", state)
        interruption.run(*words)
        anew = Server()
        try:
            if end in ("copy from", "export"):
                (tmp_path / "Lost.ndjson").write_text('{"PartitionKey":"another","RowKey":"1","N":-1}\n')
                run("import", "--from", tmp_path / "Lost.ndjson", "--to", anew.connection_string)
            proxy.account = anew
            said = refusal(*words)
            assert "cannot resume the earlier attempt" in said and proxy.endpoint in said
            assert "--restart" in said and str(state) in said
            run(*words, "--restart")
            if end == "export":
                assert (out / "Lost.ndjson").read_text() == '{"PartitionKey":"another","RowKey":"1","N":-1}\n'
            elif end == "copy from":
                assert {"another"} <= {e["PartitionKey"] for e in all_entities(source, "Lost")}
            else:
                assert sorted(e["N"] for e in all_entities(anew, "Lost")) == list(range(30_000))
            assert not state.exists()
        finally:
            if end.startswith("copy"):
                delete_table(source, "Lost")
            anew.stop()


def restore(server):
    done(server, "POST", "snapshots/before/restore")


def delete_by_request(server):
    delete_table(server, "Emptied")


@pytest.mark.parametrize("empty", [
    lambda server: done(server, "POST", "reset"),
    lambda server: done(server, "POST", f"reset?account={server.name}"),
    lambda server: done(server, "POST", f"reset?account={server.name}&table=Emptied"),
    pytest.param(restore, marks=pytest.mark.embedded("snapshots")),
    delete_by_request,
], ids=["all", "account", "table", "snapshot", "deletion"])
@pytest.mark.parametrize("asked", [None, without_contents_id], ids=["rocktable", "another endpoint"])
def test_a_target_that_was_emptied_is_not_gone_on_with(target, tmp_path, empty, asked):
    write_file(tmp_path / "Emptied.ndjson", 30_000, partitions=300, make=small)
    if empty is restore:
        done(target, "POST", "snapshots/before")
    state = tmp_path / "state"
    interruption = Interruption(lambda *_: entities_in(state) > 0, asked)
    with Proxy(target, interruption) as proxy:
        words = ("import", "--from", tmp_path / "Emptied.ndjson", "--to", proxy.connection_string, "--state", state)
        interruption.run(*words)
        empty(target)
        said = refusal(*words)
        assert "cannot resume the earlier attempt" in said and "--restart" in said
        if asked or empty is delete_by_request:
            assert 'the table Emptied had the entity ("' in said and "(404 " in said
        run(*words, "--restart", "--verify")
    assert len(all_entities(target, "Emptied")) == 30_000


def test_a_target_that_was_emptied_is_known_although_it_has_the_last_entity_again(target, tmp_path):
    write_file(tmp_path / "Again.ndjson", 30_000, partitions=300, make=small)
    state = tmp_path / "state"
    interruption = Interruption(lambda *_: entities_in(state) > 0)
    with Proxy(target, interruption) as proxy:
        words = ("import", "--from", tmp_path / "Again.ndjson", "--to", proxy.connection_string, "--state", state)
        interruption.run(*words)
        done(target, "POST", f"reset?account={target.name}&table=Again")
        partition, row = json.loads(state.read_text())["tables"]["Again"]["last"]
        insert(target, "Again", partition, row)
        assert f"{proxy.endpoint} was reset, restored or replaced since" in refusal(*words)


@pytest.mark.parametrize("more", [("--restart",), ("--filter", "N ge 0")], ids=["restart", "another transfer"])
def test_who_begins_anew_leaves_no_state_of_before(source, tmp_path, more):
    """The state would describe another unfinished file than the existing one."""
    write_file(tmp_path / "Anew.ndjson", 30_000, partitions=300, make=small)
    run("import", "--from", tmp_path / "Anew.ndjson", "--to", source.connection_string)
    out = tmp_path / "out"
    state = out / ".rocktable-export.json"
    interruption = Interruption(lambda *_: entities_in(state) > 0)
    with Proxy(source, interruption) as proxy:
        words = ("export", "--from", proxy.connection_string, "--table", "Anew", "--to", out)
        interruption.run(*words)
        assert state.exists()
        pages = []
        again = proxy.fault = Interruption(lambda _number, _method, path: pages.append(path) or len(pages) >= 5)
        again.run(*words, *more)
        assert (out / "Anew.ndjson.partial").exists() and not state.exists()
        assert "going on" not in run(*words, "--verify")
    delete_table(source, "Anew")


def test_tables_that_are_done_are_looked_for_as_well(target, tmp_path):
    """An empty one, and one with entities, before the one that was interrupted."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "Aempty.csv").write_text("PartitionKey,RowKey\n")
    write_file(folder / "Bsmall.ndjson", 3, make=small)
    write_file(folder / "Clarge.ndjson", 30_000, partitions=300, make=small)
    state = tmp_path / "state"
    interruption = Interruption(lambda *_: entities_in(state) >= 20_000)
    with Proxy(target, interruption) as proxy:
        words = ("import", "--from", folder, "--to", proxy.connection_string, "--state", state)
        interruption.run(*words)
        for table, told in (("Aempty", "the table Aempty existed"), ("Bsmall", "the table Bsmall had the entity")):
            delete_table(target, table)
            assert told in refusal(*words)
            create_table(target, table)
            if table == "Bsmall":
                run("import", "--from", folder / "Bsmall.ndjson", "--to", target.connection_string)
        assert "resuming an earlier attempt" in run(*words, "--verify")


def test_without_permission_to_read_the_target_nothing_is_gone_on_with(target, tmp_path):
    """Without an id of the contents, it is unknown whether the entities of the state exist."""
    write_file(tmp_path / "Blind.ndjson", 30_000, partitions=300, make=small)
    create_table(target, "Blind")
    state = tmp_path / "state"
    interruption = Interruption(lambda *_: entities_in(state) > 0)
    with Proxy(target, interruption) as proxy:
        account = f"TableEndpoint={proxy.endpoint};SharedAccessSignature={table_sas(target, 'Blind', sp='au')}"
        words = ("import", "--from", tmp_path / "Blind.ndjson", "--to", account, "--state", state)
        interruption.run(*words)
        said = refusal(*words)
        assert "(403 " in said and "--restart" in said
        run(*words, "--restart")
    assert len(all_entities(target, "Blind")) == 30_000


def fifth_transaction():
    """A fault that sets an Interruption at the fifth transaction."""
    transactions = []

    def is_due(_number, method, path):
        transactions.extend([path] * path.endswith("$batch"))
        return len(transactions) >= 5

    return is_due


def test_an_import_that_was_killed_at_once_takes_what_it_has_written_for_its_own(target, tmp_path):
    """The state is saved before the first entity: otherwise entities of the first attempt would stop the second one."""
    write_file(tmp_path / "Early.ndjson", 3000, partitions=30, make=small)
    interruption = Interruption(fifth_transaction())
    with Proxy(target, interruption) as proxy:
        words = ("import", "--from", tmp_path / "Early.ndjson", "--to", proxy.connection_string, "--mode", "insert")
        interruption.run(*words)
        assert 0 < len(all_entities(target, "Early")) < 3000
        assert "resuming an earlier attempt" in run(*words, "--verify")
    assert sorted(e["N"] for e in all_entities(target, "Early")) == list(range(3000))


def test_an_entity_that_somebody_else_has_written_is_not_taken_for_the_own(target, tmp_path):
    write_file(tmp_path / "Theirs.ndjson", 3000, partitions=30, make=lambda i, _: small(i, f"p{i % 30}"))
    interruption = Interruption(fifth_transaction())
    with Proxy(target, interruption) as proxy:
        words = ("import", "--from", tmp_path / "Theirs.ndjson", "--to", proxy.connection_string, "--mode", "insert")
        interruption.run(*words)
        theirs = all_entities(target, "Theirs")[0]
        one = f"/Theirs(PartitionKey='{theirs['PartitionKey']}',RowKey='{theirs['RowKey']}')"
        changed = json.dumps({"N": theirs["N"], "Theirs": True})
        assert send(target, "PUT", one, {"Content-Type": "application/json"}, changed).status == 204
        said = refusal(*words)
        assert f'the entity ("{theirs["PartitionKey"]}", "{theirs["RowKey"]}")' in said and "EntityAlreadyExists" in said
    assert send(target, "GET", one).json()["Theirs"] is True


def test_a_state_is_of_one_transfer_alone(target, tmp_path):
    write_file(tmp_path / "Mine.ndjson", 3, make=small)
    (tmp_path / "state").write_text("{}")
    words = ("import", "--from", tmp_path / "Mine.ndjson", "--to", target.connection_string)
    assert "belongs to another transfer" in refusal(*words, "--state", tmp_path / "state")
    (tmp_path / "Mine.ndjson.rocktable-import.json").write_text('{"version":1,"transfer":{"command":"import"}}')
    assert "belongs to another transfer and is ignored" in run(*words)


def test_no_state_holds_a_secret(target, tmp_path):
    write_file(tmp_path / "Quiet.ndjson", 70_000, make=small)
    words = ("import", "--from", tmp_path / "Quiet.ndjson", "--to", target.connection_string, "--state", tmp_path / "state")
    process = command(*words)
    wait_for(tmp_path / "state", process)
    kill(process)
    assert target.key not in (tmp_path / "state").read_text()


# --- Bad input ----------------------------------------------------------------------------------------


def test_a_broken_line_is_named_and_what_came_before_is_written(target, tmp_path):
    write_file(tmp_path / "Bad.ndjson", 150, make=small)
    with open(tmp_path / "Bad.ndjson", "a", encoding="utf-8") as file:
        file.write('{"PartitionKey":"p","RowKey":"r","N":[1]}\n')
    words = ("import", "--from", tmp_path / "Bad.ndjson", "--to", target.connection_string)
    said = refusal(*words)
    assert "Bad.ndjson:151:38: " in said
    assert "written so far: 150 entities" in said
    assert len(all_entities(target, "Bad")) == 150
    (tmp_path / "Bad.ndjson").write_text('{"PartitionKey":"p"')
    assert "Bad.ndjson:1:" in refusal(*words)


def test_a_wrong_header_of_csv_is_told_before_anything_is_created(target, tmp_path):
    (tmp_path / "Sheet.csv").write_text("Partition,Row,Name\n1,2,3\n")
    said = refusal("import", "--from", tmp_path, "--to", target.connection_string)
    assert "Sheet.csv:1:1: the header has no column PartitionKey" in said
    assert send(target, "GET", "/Tables").json()["value"] == []


def test_an_entity_that_the_service_refuses_is_named(target, tmp_path):
    write_file(tmp_path / "Ours.ndjson", 5, partitions=1, make=small)
    run("import", "--from", tmp_path / "Ours.ndjson", "--to", target.connection_string)
    lines = [small(i, "p'0 \u00fc%") for i in (7, 8, 3)]
    (tmp_path / "Ours.ndjson").write_text("\n".join(map(json.dumps, lines)))
    said = refusal("import", "--from", tmp_path / "Ours.ndjson", "--to", target.connection_string, "--mode", "insert")
    assert '"000003"): The specified entity already exists. (409 EntityAlreadyExists)' in said
    assert "written so far: 0 entities" in said


def test_an_endpoint_that_is_not_there_is_told_at_once(tmp_path):
    write_file(tmp_path / "Gone.ndjson", 3, make=small)
    there = "AccountName=a;AccountKey=a2V5;TableEndpoint=http://127.0.0.1:1/a"
    for words in (("import", "--from", tmp_path / "Gone.ndjson", "--to", there),
                  ("export", "--from", there, "--all", "--to", tmp_path / "out"),
                  ("export", "--from", there, "--table", "Gone", "--to", tmp_path / "out")):
        begun = time.monotonic()
        assert ("http://127.0.0.1:1 cannot be reached: Connection refused; nothing listens on this port; "
                "to start an emulator: rocktable --tablePort 1") in refusal(*words)
        assert time.monotonic() - begun < 5


def test_a_wrong_key_is_told_and_no_secret_with_it(source, target, tmp_path):
    write_file(tmp_path / "Key.ndjson", 3, make=small)
    wrong = source.connection_string.replace(source.key, base64.b64encode(b"another key").decode())
    for words in (("import", "--from", tmp_path / "Key.ndjson", "--to", wrong),
                  ("export", "--from", wrong, "--all", "--to", tmp_path / "out"),
                  ("copy", "--from", wrong, "--to", target.connection_string, "--table", "Key")):
        said = refusal(*words)
        assert "(403 AuthenticationFailed)" in said
        assert base64.b64encode(b"another key").decode() not in said


def test_a_table_that_is_not_there_is_told_and_none_made_of_it(source, target):
    said = refusal("copy", "--from", source.connection_string, "--to", target.connection_string, "--table", "Nowhere")
    assert "the table Nowhere" in said and "TableNotFound" in said
    assert send(target, "GET", "/Tables").json()["value"] == []


def test_a_full_disk_is_told_with_what_was_written(source, tmp_path):
    """A limit of the file size simulates a full disk."""
    write_file(tmp_path / "Full.ndjson", 3000, make=small)
    run("import", "--from", tmp_path / "Full.ndjson", "--to", source.connection_string)
    said = refusal("export", "--from", source.connection_string, "--table", "Full", "--to", tmp_path / "full.ndjson",
                   restore_signals=False,  # Python ignores SIGXFSZ, and so does the command: the write fails
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)))
    assert "full.ndjson: cannot be written: File too large" in said
    assert "written so far: 0 entities, up to the table Full" in said
    assert not (tmp_path / "full.ndjson").exists()
    with open("/dev/full", "w", encoding="utf-8") as full:
        said = refusal("export", "--from", source.connection_string, "--table", "Full", "--to", "-", stdout=full)
    assert "standard output: cannot be written: No space left on device" in said


# --- Hostile servers and users -----------------------------------------------------------------------------


OBEYED = "\u001b]0;title\u0007\u001b[2J\r\n\u007f\u009b31m\u202e\u2066"
HARMLESS = r"\u001b]0;title\u0007\u001b[2J"


def test_what_a_server_says_reaches_no_terminal_as_it_is(target, tmp_path):
    write_file(tmp_path / "Said.ndjson", 3, make=small)
    answer = json.dumps({"odata.error": {"code": "No" + OBEYED, "message": {"value": OBEYED}}})
    with Proxy(target, lambda *_: (400, answer)) as proxy:
        for words in (("import", "--from", tmp_path / "Said.ndjson", "--to", proxy.connection_string),
                      ("export", "--from", proxy.connection_string, "--all", "--to", tmp_path / "out")):
            code, errors, _ = finish(command(*words))
            assert code == 1 and HARMLESS in errors
            assert errors.count("\n") == 1 and not set(errors) & (set(OBEYED) - set("]0;title[2J31m\n")), errors


def test_what_a_file_says_reaches_no_terminal_as_it_is(target, tmp_path):
    (tmp_path / "Told\u001b[2J.ndjson").write_text("{}")
    said = refusal("import", "--from", tmp_path, "--to", target.connection_string)
    assert r"Told\u001b[2J.ndjson" in said and "\u001b" not in said
    (tmp_path / "Told\u001b[2J.ndjson").rename(tmp_path / "Told.ndjson")
    (tmp_path / "Told.ndjson").write_text('{"PartitionKey":"p","RowKey":"r","\u202e\u009b":1}', encoding="utf-8")
    said = refusal("import", "--from", tmp_path, "--to", target.connection_string)
    assert r"\u202e\u009b" in said and not {"\u202e", "\u009b"} & set(said)


class Endless(Handler):
    """Responds to every query with a page whose token is its own start."""

    def do_GET(self):  # pylint: disable=invalid-name
        body = b'{"value":[{"TableName":"Endless"}]}' if "/Tables" in self.path else b'{"value":[]}'
        names = ("NextTableName", "NextPartitionKey", "NextRowKey")
        self.answer(200, body, **{f"x-ms-continuation-{name}": "1!4!cA--" for name in names})


@pytest.mark.parametrize("tables", [("--all",), ("--table", "Endless")], ids=["tables", "entities"])
def test_a_continuation_token_that_comes_again_is_not_followed(tmp_path, tables):
    with HttpServer(Endless) as server:
        there = f"AccountName=a;AccountKey=a2V5;TableEndpoint={server.url}/a"
        said = refusal("export", "--from", there, *tables, "--to", tmp_path)
    assert "the same continuation token again" in said


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_prepared_link_is_not_written_through(source, tmp_path, link):
    write_file(tmp_path / "Linked.ndjson", 30, make=small)
    run("import", "--from", tmp_path / "Linked.ndjson", "--to", source.connection_string)
    victim, out = tmp_path / "victim", tmp_path / "out"
    victim.write_text("precious")
    out.mkdir()
    link(victim, out / "Linked.ndjson.partial")
    run("export", "--from", source.connection_string, "--table", "Linked", "--to", out, "--verify")
    assert victim.read_text() == "precious"
    assert [path.name for path in out.iterdir()] == ["Linked.ndjson"] and not (out / "Linked.ndjson").is_symlink()


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_in_place_of_an_unfinished_file_is_not_gone_on_with(source, tmp_path, link):
    write_file(tmp_path / "Swapped.ndjson", 30_000, partitions=300, make=small)
    run("import", "--from", tmp_path / "Swapped.ndjson", "--to", source.connection_string)
    victim, out, state = tmp_path / "victim", tmp_path / "out", tmp_path / "state"
    interruption = Interruption(lambda *_: entities_in(state) > 0)
    with Proxy(source, interruption) as proxy:
        words = ("export", "--from", proxy.connection_string, "--table", "Swapped", "--to", out, "--state", state)
        interruption.run(*words)
        partial = out / "Swapped.ndjson.partial"
        partial.rename(victim)
        with open(victim, "a", encoding="utf-8") as file:
            file.write("precious")
        before = victim.read_bytes()
        link(victim, partial)
        assert "Swapped starts over" in run(*words, "--verify")
    assert victim.read_bytes() == before
    assert [path.name for path in out.iterdir()] == ["Swapped.ndjson"]


def make_folder(path):
    path.mkdir()


@pytest.mark.parametrize("make, what", [(os.mkfifo, "a pipe"), (make_folder, "a folder"),
                                        (lambda path: path.symlink_to("/dev/zero"), "a device")],
                         ids=["pipe", "folder", "device"])
def test_what_is_no_regular_file_is_refused_before_anything_is_written(target, tmp_path, make, what):
    write_file(tmp_path / "Before.ndjson", 3, make=small)
    make(tmp_path / "Waits.ndjson")
    froms = [tmp_path, tmp_path / "Waits.ndjson"] if what != "a folder" else [tmp_path]
    for given in froms:
        said = refusal("import", "--from", given, "--to", target.connection_string)
        assert f"Waits.ndjson cannot be read: it is {what}, not a regular file" in said
    assert send(target, "GET", "/Tables").json()["value"] == []


def test_a_state_that_is_a_pipe_is_refused(target, tmp_path):
    write_file(tmp_path / "Piped.ndjson", 3, make=small)
    os.mkfifo(tmp_path / "Piped.ndjson.rocktable-import.json")
    said = refusal("import", "--from", tmp_path / "Piped.ndjson", "--to", target.connection_string)
    assert "Piped.ndjson.rocktable-import.json cannot be read: it is a pipe" in said


def test_formulas_are_escaped_in_a_csv_and_come_back(source, target, tmp_path):
    values = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "'", "plain", ""]
    with open(tmp_path / "Formulas.ndjson", "w", encoding="utf-8") as file:
        for i, value in enumerate(values):
            file.write(json.dumps({"PartitionKey": "=p", "RowKey": f"-{i}", "Text": value, "Number": -i}) + "\n")
    run("import", "--from", tmp_path / "Formulas.ndjson", "--to", source.connection_string)
    csv = tmp_path / "out" / "Formulas.csv"
    csv.parent.mkdir()
    run("export", "--from", source.connection_string, "--table", "Formulas", "--to", csv, "--escapeFormulas", "--verify")
    text = csv.read_bytes().decode()
    assert "'=p,'-0,0,Int32,'=1+1,String,\r\n" in text and "'=p,'-3,-3,Int32,'@SUM(A1),String,\r\n" in text
    run("import", "--from", csv, "--to", target.connection_string, "--verify")
    assert [e["Text"] for e in all_entities(target, "Formulas")] == values
    run("export", "--from", source.connection_string, "--table", "Formulas", "--to", csv)
    assert "\n=p,-0,0,Int32,=1+1,String\r" in csv.read_bytes().decode()


@pytest.mark.parametrize("names", ["DNS:other.example", "DNS:127.0.0.1", "IP:127.0.0.2"])
def test_a_certificate_for_another_name_is_refused_although_it_is_trusted(start, target, tmp_path, names):
    """RFC 9110, section 4.3.4. An address matches only addresses."""
    def server_with(names, folder):
        folder.mkdir()
        subprocess.run(["openssl", *("req -x509 -newkey rsa:2048 -nodes -subj /CN=127.0.0.1 -days 2 -keyout key.pem "
                                     f"-out cert.pem -addext subjectAltName={names}").split()],
                       cwd=folder, check=True, capture_output=True)
        flags = ("--cert", folder / "cert.pem", "--key", folder / "key.pem")
        running = start(*flags, authority=folder / "cert.pem")
        address = f"TableEndpoint=https://127.0.0.1:{running.port}/{running.name}"
        account = f"AccountName={running.name};AccountKey={running.key};{address}"
        return account, ("--caFile", folder / "cert.pem")

    write_file(tmp_path / "Named.ndjson", 3, make=small)
    account, trust = server_with(names, tmp_path / "other")
    said = refusal("import", "--from", tmp_path / "Named.ndjson", "--to", account, *trust)
    assert "its certificate is not trusted" in said
    account, trust = server_with("IP:127.0.0.1", tmp_path / "right")
    run("import", "--from", tmp_path / "Named.ndjson", "--to", account, *trust)


# --- Error messages ---------------------------------------------------------------------------------------


def test_two_sides_that_differ_are_told_by_verify(source, target, tmp_path):
    write_file(tmp_path / "Differ.ndjson", 10, make=small)
    run("import", "--from", tmp_path / "Differ.ndjson", "--to", source.connection_string)
    create_table(target, "Differ")
    more = {"PartitionKey": "another", "RowKey": "1"}
    assert send(target, "POST", "/Differ", {"Content-Type": "application/json"}, json.dumps(more)).status == 201
    said = refusal("copy", "--from", source.connection_string, "--to", target.connection_string, "--table", "Differ",
                   "--verify")
    assert "the table Differ differs between the two sides: 10 entities" in said and "11 entities" in said


@pytest.mark.parametrize("words", [
    ("export", "--from", "UseDevelopmentStorage=true", "--to", "out"),
    ("export", "--from", "UseDevelopmentStorage=true", "--to", "out", "--all", "--table", "abc"),
    ("export", "--from", "UseDevelopmentStorage=true", "--all"),
    ("import", "--from", "-", "--to", "UseDevelopmentStorage=true"),
    ("import", "--from", "x", "--to", "UseDevelopmentStorage=true", "--mode", "upsert"),
    ("import", "--from", "x", "--to", "UseDevelopmentStorage=true", "--connections", "0"),
    ("export", "--from", "UseDevelopmentStorage=true", "--table", "abc", "--to", "-", "--verify"),
    ("copy", "--all"),
    ("export", "--from", "UseDevelopmentStorage=true", "--table", "abc", "--to", "abc.ndjson", "--escapeFormulas"),
    ("import", "--from", "x.csv", "--to", "UseDevelopmentStorage=true", "--escapeFormulas"),
])
def test_wrong_usage_ends_with_2(words):
    assert "--help)" in refusal(*words, code=2)


@pytest.mark.parametrize("words, why", [
    (("export", "--from", "AccountName=a", "--all", "--to", "out"), "neither AccountKey nor SharedAccessSignature"),
    (("export", "--all", "--to", "out"), "or set AZURE_STORAGE_CONNECTION_STRING or AZURE_TABLES_CONNECTION_STRING"),
    (("copy", "--from", "UseDevelopmentStorage=true", "--to", "UseDevelopmentStorage=true", "--all"), "the same account"),
])
def test_an_account_that_cannot_be_meant_is_wrong_usage(words, why):
    said = refusal(*words, code=2)
    assert why in said and "--help)" in said


@pytest.mark.parametrize("words, why", [
    (("export", "--from", "@/nowhere", "--all", "--to", "out"), "/nowhere cannot be read"),
    (("import", "--from", "/nowhere", "--to", "UseDevelopmentStorage=true", "--table", "abc"), "/nowhere cannot be read"),
    (("import", "--from", "/proc/self/fd", "--to", "UseDevelopmentStorage=true"), "has no file named TABLE.ndjson"),
    (("import", "--from", "no_folder/", "--to", "UseDevelopmentStorage=true"), "no_folder/ cannot be read"),
])
def test_what_cannot_be_done_is_said_in_one_sentence(words, why):
    assert why in refusal(*words)


def test_a_file_whose_name_is_no_name_of_a_table_needs_one(target, tmp_path):
    write_file(tmp_path / "x-y.ndjson", 3, make=small)
    said = refusal("import", "--from", tmp_path / "x-y.ndjson", "--to", target.connection_string)
    assert "'x-y' is not a table name" in said and "--table sets another name" in said


def test_an_account_has_one_name_in_all_commands(source, target, tmp_path):
    """The former state file is refused, too."""
    write_file(tmp_path / "Named.ndjson", 3, make=small)
    for flag, table in (("--connectionString", "First"), ("--to", "Second")):
        run("import", "--from", tmp_path / "Named.ndjson", "--table", table, flag, target.connection_string)
    for flag in ("--connectionString", "--from"):
        run("export", flag, target.connection_string, "--all", "--to", tmp_path / flag.strip("-"))
        assert (tmp_path / flag.strip("-") / "Second.ndjson").exists()
    said = refusal("export", "--connectionString", source.connection_string, "--from", source.connection_string,
                   "--all", "--to", tmp_path / "both", code=2)
    assert "--connectionString" in said


def test_what_fails_says_whether_the_same_command_resumes_it(target, tmp_path):
    resume = "; run the same command again to resume"
    write_file(tmp_path / "Many.ndjson", 30_000, make=small)
    words = ("import", "--from", tmp_path / "Many.ndjson", "--to", target.connection_string)
    with open(tmp_path / "Many.ndjson", "a", encoding="utf-8") as file:
        file.write("no JSON\n")
    assert refusal(*words).endswith(resume)  # the first 20,000 are recorded
    done(target, "POST", "reset")
    assert not refusal(*words).endswith(resume)  # --restart helps
    assert not refusal(*words, "--restart", "--dryRun").endswith(resume)
    write_file(tmp_path / "Few.ndjson", 3, make=small)
    with open(tmp_path / "Few.ndjson", "a", encoding="utf-8") as file:
        file.write("no JSON\n")
    words = ("import", "--from", tmp_path / "Few.ndjson", "--to", target.connection_string)
    # not a state of this transfer
    assert refusal(*words, "--state", tmp_path / "Many.ndjson").endswith("written so far: 0 entities")


def test_a_protocol_that_is_mixed_up_is_told(start, source, tmp_path):
    secure = start("--tls", "auto", location=tmp_path / "tls")
    words = ("--all", "--to", tmp_path / "out")
    plain = secure.connection_string.replace("https:", "http:")
    assert "speaks HTTPS: use https://" in refusal("export", "--from", plain, *words)
    assert "set --caFile FILE to the certificate of its authority" in refusal("export", "--from", secure.connection_string, *words)
    as_secure = source.connection_string.replace("http:", "https:")
    assert "use http:// if it speaks HTTP" in refusal("export", "--from", as_secure, *words)


@pytest.mark.parametrize("name", ["export", "import", "copy"])
def test_each_command_has_help(name):
    code, _, output = finish(command(name, "--help", stdout=subprocess.PIPE))
    assert code == 0
    assert output.startswith(f"rocktable {name} ")
    assert max(map(len, output.splitlines())) <= 120
