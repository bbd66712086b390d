"""rocktable export, import and copy: what they carry, how they go on after faults and aborts, and what they say."""
import base64
import json
import os
import signal
import subprocess
import time

import pytest

from proxy import BUSY, Proxy
from rocktable_server import BINARY, Server, all_entities, create_table, exchange, request_bytes, send
from shared_access import account_sas, table_sas

pytestmark = pytest.mark.skipif(
    "ROCKTABLE_TEST_CONNECTION_STRING" in os.environ and not BINARY.exists(), reason="no binary to start"
)

DEADLINE = 60


@pytest.fixture(scope="module")
def source():
    running = Server()
    yield running
    running.stop()


@pytest.fixture
def target():
    running = Server()
    yield running
    running.stop()


def command(*words, environment=None, stdin=None, **options):
    """Starts a command; the environment names no account."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("AZURE_")}
    return subprocess.Popen([str(word) for word in (BINARY, *words)], stdin=stdin or subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, env=variables | (environment or {}), **options)


def finish(process):
    output, errors = process.communicate(timeout=DEADLINE)
    return process.returncode, errors, output


def run(*words, **options):
    """Runs a command that must succeed; what it said."""
    code, errors, _ = finish(command(*words, **options))
    assert code == 0, errors
    return errors


def refusal(*words, code=1, **options):
    """Runs a command that must fail: the one sentence that says why."""
    exit_code, errors, _ = finish(command(*words, **options))
    assert exit_code == code, errors
    last = errors.splitlines()[-1]
    assert last.startswith("rocktable: "), errors
    return last


def entity(i, partition):
    """One with all types, extreme values among them."""
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


# --- What they carry ------------------------------------------------------------------------------


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
        texts = {f"T{n}": "\u0001" * 30_000 for n in range(15)}  # six bytes each, as JSON
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
    assert "counted, and nothing written: 123 entities of 1 table" in said
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


# --- Faults on the way ------------------------------------------------------------------------------


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
        run("export", "--from", proxy.connection_string, "--table", "Bumpy", "--to", tmp_path / "bumpy.ndjson")
    assert sum(1 for _ in (tmp_path / "bumpy.ndjson").open(encoding="utf-8")) == 9000


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
    assert "going on with an earlier attempt" in said
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
    assert "going on with an earlier attempt" in run(*words)
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
    assert "going on with an earlier attempt" in run(*words, "--verify")
    assert sorted(e["N"] for e in all_entities(target, "Moved")) == list(range(70_000))
    assert not state.exists()


def test_a_state_is_of_one_transfer_alone(target, tmp_path):
    write_file(tmp_path / "Mine.ndjson", 3, make=small)
    (tmp_path / "state").write_text("{}")
    words = ("import", "--from", tmp_path / "Mine.ndjson", "--to", target.connection_string)
    assert "is not of this transfer" in refusal(*words, "--state", tmp_path / "state")
    (tmp_path / "Mine.ndjson.rocktable-import.json").write_text('{"version":1,"transfer":{"command":"import"}}')
    assert "is of another transfer" in run(*words)


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
    begun = time.monotonic()
    for words in (("import", "--from", tmp_path / "Gone.ndjson", "--to", there),
                  ("export", "--from", there, "--all", "--to", tmp_path / "out"),
                  ("export", "--from", there, "--table", "Gone", "--to", tmp_path / "out")):
        assert "http://127.0.0.1:1 cannot be reached: Connection refused" in refusal(*words)
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
    write_file(tmp_path / "Full.ndjson", 3000, make=small)
    run("import", "--from", tmp_path / "Full.ndjson", "--to", source.connection_string)
    os.symlink("/dev/full", tmp_path / "full.ndjson.partial")
    said = refusal("export", "--from", source.connection_string, "--table", "Full", "--to", tmp_path / "full.ndjson")
    assert "full.ndjson: cannot be written: No space left on device" in said
    assert "written so far: 0 entities, up to the table Full" in said
    assert not (tmp_path / "full.ndjson").exists()
    with open("/dev/full", "w", encoding="utf-8") as full:
        said = refusal("export", "--from", source.connection_string, "--table", "Full", "--to", "-", stdout=full)
    assert "standard output: cannot be written: No space left on device" in said


def test_two_sides_that_differ_are_told_by_verify(source, target, tmp_path):
    write_file(tmp_path / "Differ.ndjson", 10, make=small)
    run("import", "--from", tmp_path / "Differ.ndjson", "--to", source.connection_string)
    create_table(target, "Differ")
    more = {"PartitionKey": "another", "RowKey": "1"}
    assert send(target, "POST", "/Differ", {"Content-Type": "application/json"}, json.dumps(more)).status == 201
    said = refusal("copy", "--from", source.connection_string, "--to", target.connection_string, "--table", "Differ",
                   "--verify")
    assert "the table Differ is not the same on both sides: 10 entities" in said and "11 entities" in said


@pytest.mark.parametrize("words", [
    ("export", "--from", "UseDevelopmentStorage=true", "--to", "out"),
    ("export", "--from", "UseDevelopmentStorage=true", "--to", "out", "--all", "--table", "abc"),
    ("export", "--from", "UseDevelopmentStorage=true", "--all"),
    ("import", "--from", "-", "--to", "UseDevelopmentStorage=true"),
    ("import", "--from", "x", "--to", "UseDevelopmentStorage=true", "--mode", "upsert"),
    ("import", "--from", "x", "--to", "UseDevelopmentStorage=true", "--connections", "0"),
    ("export", "--from", "UseDevelopmentStorage=true", "--table", "abc", "--to", "-", "--verify"),
    ("copy", "--all"),
])
def test_wrong_usage_ends_with_2(words):
    assert "--help)" in refusal(*words, code=2)


@pytest.mark.parametrize("words, why", [
    (("export", "--from", "AccountName=a", "--all", "--to", "out"), "neither AccountKey nor SharedAccessSignature"),
    (("export", "--from", "@/nowhere", "--all", "--to", "out"), "/nowhere cannot be read"),
    (("export", "--all", "--to", "out"), "no account is named"),
    (("import", "--from", "/nowhere", "--to", "UseDevelopmentStorage=true", "--table", "abc"), "/nowhere cannot be read"),
    (("import", "--from", "/proc/self/fd", "--to", "UseDevelopmentStorage=true"), "has no file TABLE.ndjson"),
    (("import", "--from", "x-y.ndjson", "--to", "UseDevelopmentStorage=true"), "is no name of a table"),
    (("copy", "--from", "UseDevelopmentStorage=true", "--to", "UseDevelopmentStorage=true", "--all"), "the same account"),
])
def test_what_cannot_be_done_is_said_in_one_sentence(words, why):
    assert why in refusal(*words)


@pytest.mark.parametrize("name", ["export", "import", "copy"])
def test_each_command_has_help(name):
    code, _, output = finish(command(name, "--help", stdout=subprocess.PIPE))
    assert code == 0
    assert output.startswith(f"rocktable {name} ")
    assert max(map(len, output.splitlines())) <= 120
