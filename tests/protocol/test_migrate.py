"""rocktable migrate: applies each migration once, despite interruptions, with a history that other tools can read."""
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import threading
import time

import pytest

from own_server import needs_program, own_server
from program import user_environment
from proxy import BUSY, Proxy
from rocktable_server import BINARY, Server, all_entities, create_table, paths_here, send

pytestmark = needs_program

ROUNDS = int(os.environ.get("ROCKTABLE_MIGRATION_KILLS", "8"))
ENTITIES = int(os.environ.get("ROCKTABLE_MIGRATION_ENTITIES", "3000"))
DEADLINE = 120
OWN = {"PartitionKey", "RowKey"}

server = own_server(scope="function")


def start(account, *words):
    variables = user_environment(AZURE_STORAGE_CONNECTION_STRING=account.connection_string)
    return subprocess.Popen([str(word) for word in (BINARY, "migrate", *words)], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables)


def finish(process, code=0):
    output, errors = map(paths_here, process.communicate(timeout=DEADLINE))
    assert process.returncode == code, errors
    return output if code == 0 else errors.splitlines()[-1]


def run(account, *words, code=0):
    return finish(start(account, *words), code)


def write(folder, number, *steps, **others):
    document = {"id": number, "version": f"1.{number}", "description": f"migration {number}", "steps": steps} | others
    (folder / f"{number:04}.json").write_text(json.dumps(document), encoding="utf-8")


def entities(account, table):
    """Returns the properties with types, without those that the service adds."""
    return [{name: value for name, value in one.items() if not name.startswith("odata.") and name != "Timestamp"}
            for one in all_entities(account, table, "minimalmetadata")]


def keys(account, table):
    return [(one["PartitionKey"], one["RowKey"]) for one in all_entities(account, table)]


def tables(account):
    listed = send(account, "GET", "/Tables", {"Accept": "application/json;odata=nometadata"}).json()
    return sorted(one["TableName"] for one in listed["value"])


def insert(account, table, **values):
    assert send(account, "POST", f"/{table}", body=json.dumps(values)).status == 201


def fill(account, table, count, partitions=4):
    """Imports the rows with `rocktable import`."""
    create_table(account, table)
    lines = "".join(json.dumps({"PartitionKey": f"p{i % partitions}", "RowKey": f"{i:06}", "Name": f"Name {i % 97}",
                                "Created@odata.type": "Edm.DateTime",
                                "Created": f"2026-01-{1 + i % 28:02}T{i % 24:02}:{i % 60:02}:00Z", "N": i}) + "\n"
                    for i in range(count))
    subprocess.run([BINARY, "import", "--from", "-", "--table", table, "--to", account.connection_string],
                   input=lines, text=True, check=True, stderr=subprocess.DEVNULL, timeout=DEADLINE)


# --- Once -----------------------------------------------------------------------------------------------------


def test_the_example_of_the_article_runs_once(server, tmp_path):
    write(tmp_path, 1, {"createTable": "table1"}, {"createTable": "table2"},
          {"insert": {"table": "table1", "entities": [{"PartitionKey": "pk", "RowKey": "1", "Name": "foo"}]}},
          {"insert": {"table": "table1", "entities": [{"PartitionKey": "pk", "RowKey": "2", "Name": "foo2"}]}},
          {"insert": {"table": "table2", "entities": [{"PartitionKey": "pk", "RowKey": "1", "Name": "foo"}]}},
          version="1.1", description="My first migration!")
    assert run(server, "up", tmp_path) == "1 migration applied\n"
    before = all_entities(server, "table1"), all_entities(server, "table2"), all_entities(server, "versionData")
    assert len(before[0]) == 2 and len(before[1]) == 1
    assert run(server, "up", tmp_path) == "nothing to do\n"
    assert (all_entities(server, "table1"), all_entities(server, "table2"), all_entities(server, "versionData")) == before
    (row,) = entities(server, "versionData")
    assert (row["PartitionKey"], row["RowKey"]) == ("versionData", "1")
    assert (row["Version"], row["Description"]) == ("1.1", "My first migration!")
    assert re.fullmatch("[0-9a-f]{64}", row["Checksum"]) and row["Started"] <= row["Ended"]


def test_a_history_of_the_library_is_continued(server, tmp_path):
    create_table(server, "versionData")
    for number in (1, 2, 10):
        insert(server, "versionData", PartitionKey="versionData", RowKey=str(number), Version="1.0", Description="x")
    for number in (1, 2, 3, 10, 11):
        write(tmp_path, number, {"createTable": f"table{number}"})
    assert run(server, "up", tmp_path) == "2 migrations applied\n"
    assert tables(server) == ["table11", "table3", "versionData"]
    assert [row for _, row in keys(server, "versionData")] == ["1", "10", "11", "2", "3"]
    assert "10  1.10  migration 10: applied\n" in run(server, "status", tmp_path)


def test_ids_run_as_numbers_and_up_to_the_one_that_is_asked_for(server, tmp_path):
    for number, name in ((10, "a"), (2, "b"), (1, "c")):
        (tmp_path / f"{name}.json").write_text(json.dumps({"id": number, "steps": [
            {"merge": {"table": "orders", "createTable": True,
                       "entities": [{"PartitionKey": "p", "RowKey": "r", "Last": number}]}}]}))
    assert run(server, "up", "--to", "2", tmp_path) == "2 migrations applied\n"
    assert entities(server, "orders")[0]["Last"] == 2
    assert "10: waiting" in run(server, "status", tmp_path)
    assert "10 failed verification: waiting" in run(server, "verify", tmp_path, code=1)
    assert run(server, "up", tmp_path) == "1 migration applied\n"
    assert entities(server, "orders")[0]["Last"] == 10
    assert run(server, "verify", tmp_path) == "3 migrations, all applied\n"


def test_an_applied_file_that_was_edited_is_refused_and_nothing_runs(server, tmp_path):
    write(tmp_path, 1, {"createTable": "table1"})
    run(server, "up", tmp_path)
    file = tmp_path / "0001.json"
    file.write_text(json.dumps(json.loads(file.read_text()), indent=4))  # another layout, the same content
    assert run(server, "up", tmp_path) == "nothing to do\n"
    write(tmp_path, 1, {"createTable": "table1"}, {"createTable": "table5"})
    write(tmp_path, 2, {"createTable": "table2"})
    for words in (["up", tmp_path], ["up", "--dryRun", tmp_path]):
        assert f"migration 1 ({file}) was edited after it was applied" in run(server, *words, code=1)
    assert tables(server) == ["table1", "versionData"]
    assert f": edited" in run(server, "status", tmp_path)


def test_an_id_that_two_files_have_is_refused(server, tmp_path):
    write(tmp_path, 1, {"createTable": "table1"})
    (tmp_path / "other.json").write_text('{"id": 1, "steps": []}')
    told = run(server, "up", tmp_path, code=1)
    assert "the id 1 is used twice" in told and "0001.json" in told and "other.json" in told


def test_a_dry_run_counts_and_writes_nothing(server, tmp_path):
    fill(server, "people", 250)
    write(tmp_path, 1, {"addProperty": {"table": "people", "name": "Country", "value": "NL"}},
          {"removeProperty": {"table": "people", "partition": "p1", "name": "Name"}},
          {"rekey": {"table": "people", "RowKey": "{Created:invertedTicks}_{RowKey}"}},
          {"deleteTable": "absent"})
    before = all_entities(server, "people")
    told = run(server, "up", "--dryRun", tmp_path)
    assert "in people: 250 entities, 4 transactions\n" in told
    assert "where PartitionKey eq 'p1': 63 entities, 1 transaction\n" in told
    assert "{Created:invertedTicks}_{RowKey}': 250 entities, 16 transactions\n" in told
    assert "delete table absent: 0 entities, 0 transactions\n" in told
    assert all_entities(server, "people") == before and tables(server) == ["people"]


# --- Steps ----------------------------------------------------------------------------------------------------


def test_properties_are_added_renamed_removed_and_retyped(server, tmp_path):
    fill(server, "people", 1200, partitions=3)
    before = entities(server, "people")
    write(tmp_path, 1,
          {"addProperty": {"table": "people", "partition": "p1", "name": "Country", "value": "NL"}},
          {"renameProperty": {"table": "people", "from": "Name", "to": "Title"}},
          {"retypeProperty": {"table": "people", "name": "N", "type": "Edm.Int64"}},
          {"removeProperty": {"table": "people", "partition": "p2", "name": "Created"}})
    run(server, "up", tmp_path)
    for old, new in zip(before, entities(server, "people"), strict=True):
        expected = {name: value for name, value in old.items() if name not in ("Name", "N")}
        expected |= {"Title": old["Name"], "N": str(old["N"]), "N@odata.type": "Edm.Int64"}
        if old["PartitionKey"] == "p1":
            expected["Country"] = "NL"
        if old["PartitionKey"] == "p2":
            del expected["Created"], expected["Created@odata.type"]
        assert new == expected


def test_a_value_that_cannot_be_retyped_stops_the_step_before_it_changes_anything(server, tmp_path):
    fill(server, "people", 150)
    insert(server, "people", PartitionKey="p9", RowKey="r", N="many")
    before = all_entities(server, "people")
    write(tmp_path, 1, {"retypeProperty": {"table": "people", "name": "N", "type": "Edm.String"}})
    write(tmp_path, 2, {"retypeProperty": {"table": "people", "name": "N", "type": "Edm.Int32"}})
    run(server, "up", "--to", "1", tmp_path)
    before = all_entities(server, "people")
    told = run(server, "up", tmp_path, code=1)
    assert 'the table people, entity ("p9", "r"): its property N, \'many\', cannot be converted to Edm.Int32' in told
    assert "0002.json), step 1 of 1" in told
    assert all_entities(server, "people") == before
    assert "2  1.2  migration 2: begun at step 1" in run(server, "status", tmp_path)


def test_tables_are_copied_renamed_cleared_and_deleted_with_all_types(server, tmp_path):
    fill(server, "one", 300)
    before = entities(server, "one")
    write(tmp_path, 1, {"copyTable": {"from": "one", "to": "two"}}, {"renameTable": {"from": "two", "to": "three"}},
          {"renameTable": {"from": "one", "to": "four", "deleteOld": True}}, {"clearTable": "two"},
          {"delete": {"table": "four", "filter": "N ge 10"}}, {"delete": {"table": "four", "partition": "p1"}},
          {"delete": {"table": "four", "partition": "p2", "row": "000002"}}, {"deleteTable": "gone"})
    run(server, "up", tmp_path)
    assert tables(server) == ["four", "three", "two", "versionData"]
    assert entities(server, "three") == before
    assert entities(server, "two") == []
    assert keys(server, "four") == [("p0", "000000"), ("p0", "000004"), ("p0", "000008"), ("p2", "000006"),
                                    ("p3", "000003"), ("p3", "000007")]


def test_entities_are_inserted_upserted_and_merged(server, tmp_path):
    create_table(server, "one")
    insert(server, "one", PartitionKey="p", RowKey="a", Old=1)
    insert(server, "one", PartitionKey="p", RowKey="b", Old=1)
    insert(server, "one", PartitionKey="p", RowKey="c", Old=1)
    named = [{"PartitionKey": "p", "RowKey": row, "New": 2} for row in "abcd"]
    write(tmp_path, 1, {"insert": {"table": "one", "ifAbsent": True, "entities": [named[0], named[3]]}},
          {"upsert": {"table": "one", "entities": [named[1]]}}, {"merge": {"table": "one", "entities": [named[2]]}})
    run(server, "up", tmp_path)
    assert [{name: one[name] for name in one.keys() - OWN} for one in entities(server, "one")] == [
        {"Old": 1}, {"New": 2}, {"Old": 1, "New": 2}, {"New": 2}]
    write(tmp_path, 2, {"insert": {"table": "one", "entities": [named[0]]}})
    assert "EntityAlreadyExists" in run(server, "up", tmp_path, code=1)


def test_an_index_is_added_beside_its_entities(server, tmp_path):
    fill(server, "people", 200)
    before = entities(server, "people")
    step = {"rekey": {"table": "people", "RowKey": "name_{Name:lower}_{RowKey}", "keepOld": True}}
    write(tmp_path, 1, step)
    run(server, "up", tmp_path)
    index = [one | {"RowKey": f"name_{one['Name'].lower()}_{one['RowKey']}"} for one in before]
    expected = sorted(before + index, key=lambda one: (one["PartitionKey"], one["RowKey"]))
    assert entities(server, "people") == expected
    assert tables(server) == ["people", "versionData"]  # and not the temporary table of the step


@pytest.mark.parametrize("template, sentence", [
    ("{Name}", "two entities would get the key"),
    ("{Missing}", '400 entities have no property Missing: ("p0", "000000"), ("p0", "000004"), '),
    ("{Name:ticks}", "Name is Edm.String, and must be a time"),
    ("a/{N}", "is not a valid key"),
])
def test_keys_that_cannot_be_change_nothing(server, tmp_path, template, sentence):
    fill(server, "people", 400)
    before = all_entities(server, "people")
    write(tmp_path, 1, {"rekey": {"table": "people", "RowKey": template}})
    assert sentence in run(server, "up", tmp_path, code=1)
    assert all_entities(server, "people") == before


def test_a_key_of_an_entity_that_stays_is_not_taken(server, tmp_path):
    fill(server, "people", 20)
    before = all_entities(server, "people")
    write(tmp_path, 1, {"rekey": {"table": "people", "filter": "N eq 0", "RowKey": "000004"}})
    assert "belongs to an entity that is not re-keyed; step 1 has changed no entities" in run(server, "up", tmp_path, code=1)
    assert all_entities(server, "people") == before


def test_keys_may_be_exchanged_among_entities(server, tmp_path):
    create_table(server, "people")
    for number in range(10):
        insert(server, "people", PartitionKey="p", RowKey=str(number), Next=str((number + 1) % 10))
    write(tmp_path, 1, {"rekey": {"table": "people", "RowKey": "{Next}"}})
    run(server, "up", tmp_path)
    assert [(one["RowKey"], one["Next"]) for one in entities(server, "people")] == [(str(i), str(i)) for i in range(10)]


# --- Interrupted ----------------------------------------------------------------------------------------------


def test_what_is_killed_at_any_moment_ends_as_if_it_had_run_once(server, tmp_path):
    """ROCKTABLE_MIGRATION_KILLS=50 ROCKTABLE_MIGRATION_ENTITIES=20000 for the long form."""
    steps = [{"rekey": {"table": "people", "RowKey": "{Created:invertedTicks}_{RowKey}"}},
             {"rekey": {"table": "people", "PartitionKey": "q{PartitionKey}"}},
             {"addProperty": {"table": "people", "name": "Country", "value": "NL"}},
             {"insert": {"table": "people", "entities": [{"PartitionKey": "r", "RowKey": str(i)} for i in range(150)]}},
             {"renameTable": {"from": "people", "to": "persons", "deleteOld": True}}]
    for folder in ("whole", "killed"):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder, 1, *steps)
    fill(server, "people", ENTITIES)
    began = time.monotonic()
    run(server, "up", tmp_path / "whole")
    length = time.monotonic() - began
    expected = entities(server, "persons")
    assert len(expected) == ENTITIES + 150

    random.seed(os.environ.get("ROCKTABLE_MIGRATION_SEED", "1"))
    kills = 0
    while kills < ROUNDS:
        other = Server()
        try:
            fill(other, "people", ENTITIES)
            while kills < ROUNDS:
                runner = start(other, "up", tmp_path / "killed")
                # So early that many attempts are needed to reach the end.
                time.sleep(random.uniform(0, min(length, 2.5 * length / ROUNDS + 0.02)))
                if runner.poll() is not None:
                    break
                runner.send_signal(signal.SIGKILL)
                runner.communicate()
                kills += 1
            run(other, "up", tmp_path / "killed")
            assert entities(other, "persons") == expected
            assert tables(other) == ["persons", "versionData"]
            assert keys(other, "versionData") == [("versionData", "1")]
        finally:
            other.stop()


@pytest.mark.parametrize("fault", ["drop", "swallow", (503, BUSY)])
def test_a_network_and_a_service_that_fail_now_and_then_are_waited_out(server, tmp_path, fault):
    write(tmp_path, 1, {"rekey": {"table": "people", "RowKey": "{Created:invertedTicks}_{RowKey}"}},
          {"retypeProperty": {"table": "people", "name": "N", "type": "Edm.String"}},
          {"insert": {"table": "people", "entities": [{"PartitionKey": "r", "RowKey": str(i)} for i in range(150)]}},
          {"delete": {"table": "people", "partition": "p1"}}, {"clearTable": "other"}, {"deleteTable": "other"})
    fill(server, "people", 600)
    fill(server, "other", 150)
    with Proxy(server, lambda number, method, path: fault if number % 7 == 3 else None) as proxy:
        assert run(proxy, "up", tmp_path) == "1 migration applied\n"
    found = entities(server, "people")
    assert len(found) == 600 // 4 * 3 + 150
    assert all(isinstance(one["N"], str) for one in found if one["PartitionKey"] != "r")
    assert tables(server) == ["people", "versionData"]


def test_entities_that_others_write_meanwhile_are_not_lost(server, tmp_path):
    """Changes of properties are conditional on the entity's ETag, and a re-keyed entity keeps its last change."""
    fill(server, "people", 2000)
    write(tmp_path, 1, {"retypeProperty": {"table": "people", "name": "N", "type": "Edm.Int64"}},
          {"renameProperty": {"table": "people", "from": "Name", "to": "Title"}},
          {"addProperty": {"table": "people", "name": "Country", "value": "NL"}})
    over, written = threading.Event(), {}

    def others():
        generator = random.Random(5)
        while not over.is_set():
            i = generator.randrange(2000)
            where = f"/people(PartitionKey='p{i % 4}',RowKey='{i:06}')"
            if send(server, "MERGE", where, {"If-Match": "*"}, body=json.dumps({"Mine": len(written)})).status == 204:
                written[i] = len(written)

    # Each thread records its last write. No entity is written by two threads.
    writer = threading.Thread(target=others)
    writer.start()
    try:
        run(server, "up", tmp_path)
    finally:
        over.set()
        writer.join()
    found = {int(one["RowKey"]): one for one in entities(server, "people")}
    assert len(found) == 2000 and len(written) > 20
    for i, one in found.items():
        assert one["Title"] == f"Name {i % 97}" and one["N@odata.type"] == "Edm.Int64" and one["Country"] == "NL"
        assert "Name" not in one and ("Mine" in one) == (i in written)


# --- One at a time --------------------------------------------------------------------------------------------


def test_of_two_runners_one_applies_and_the_other_finds_nothing_to_do(server, tmp_path):
    fill(server, "people", 1000)
    write(tmp_path, 1, {"rekey": {"table": "people", "RowKey": "x{RowKey}"}})
    write(tmp_path, 2, {"rekey": {"table": "people", "RowKey": "y{RowKey}"}})
    runners = [start(server, "up", tmp_path) for _ in range(2)]
    said = sorted(finish(runner) for runner in runners)
    assert said in (["2 migrations applied\n", "nothing to do\n"], ["0 migrations applied\n", "2 migrations applied\n"])
    assert keys(server, "people") == sorted((f"p{i % 4}", f"yx{i:06}") for i in range(1000))


def hold_lock(account, owner, until):
    create_table(account, "versionData")
    insert(account, "versionData", PartitionKey="versionDataLock", RowKey="lock", Owner=owner,
           **{"Until@odata.type": "Edm.DateTime", "Until": until})


def test_a_runner_says_who_is_at_work_instead(server, tmp_path):
    write(tmp_path, 1, {"createTable": "one"})
    hold_lock(server, "elsewhere, process 7, 1", "2999-01-01T00:00:00Z")
    told = run(server, "up", "--wait", "0", tmp_path, code=1)
    assert told.endswith("another runner is migrating " + server.connection_string.split("TableEndpoint=")[1].strip(";")
                         + ": elsewhere, process 7")
    assert tables(server) == ["versionData"]


@pytest.mark.parametrize("owner, until", [
    ("elsewhere, process 7, 1", "2020-01-01T00:00:00Z"),  # a lock that is no longer renewed
    ("HOST, process 4194303, 1", "2999-01-01T00:00:00Z"),  # a lock of a process that has ended
])
def test_a_lock_that_nobody_holds_any_more_is_taken_over(server, tmp_path, owner, until):
    write(tmp_path, 1, {"createTable": "one"})
    hold_lock(server, owner.replace("HOST", os.uname().nodename), until)
    assert run(server, "up", "--wait", "0", tmp_path) == "1 migration applied\n"
    assert keys(server, "versionData") == [("versionData", "1")]


# --- Wrong ----------------------------------------------------------------------------------------------------


def test_what_is_wrong_in_a_file_is_told_before_anything_is_changed(server, tmp_path):
    write(tmp_path, 1, {"createTable": "one"})
    (tmp_path / "0002.json").write_text('{\n  "id": 2,\n  "steps": [\n    { "createTabel": "two" }\n  ]\n}')
    assert f"{tmp_path}/0002.json:4:22: steps[0].createTabel: unknown step" in run(server, "up", tmp_path, code=1)
    assert tables(server) == []


def test_a_migration_that_is_no_regular_file_is_refused(server, tmp_path):
    write(tmp_path, 1, {"createTable": "one"})
    os.mkfifo(tmp_path / "0002.json")
    assert f"{tmp_path}/0002.json cannot be read: it is a pipe, not a regular file" in run(server, "up", tmp_path, code=1)
    assert tables(server) == []


def test_what_the_history_says_reaches_no_terminal_as_it_is(server, tmp_path):
    create_table(server, "versionData")
    row = {"PartitionKey": "versionData", "RowKey": "7", "Version": "1\u001b[2J", "Description": "\u009b\u202e\n"}
    assert send(server, "POST", "/versionData", body=json.dumps(row)).status == 201
    assert run(server, "status", tmp_path) == "7  1\\u001b[2J  \\u009b\\u202e\\u000a: applied, file is missing\n"
    assert "\u001b" not in run(server, "verify", tmp_path, code=1)


@pytest.mark.parametrize("words", [[], ["up"], ["down", "DIR"], ["up", "--to", "0", "DIR"], ["new", "DIR"]])
def test_wrong_usage(server, words, tmp_path):
    assert "--help" in run(server, *[str(tmp_path) if word == "DIR" else word for word in words], code=2)


def test_an_account_that_cannot_be_reached_is_named(tmp_path):
    write(tmp_path, 1, {"createTable": "one"})
    runner = subprocess.run([BINARY, "migrate", "up", "--connectionString",
                             "AccountName=a;AccountKey=a2V5;TableEndpoint=http://127.0.0.1:1/a", tmp_path],
                            capture_output=True, text=True, timeout=DEADLINE)
    assert runner.returncode == 1 and "127.0.0.1:1" in runner.stderr and "a2V5" not in runner.stderr


# --- The guide ------------------------------------------------------------------------------------------------


def test_the_guide_works_as_it_stands(server, tmp_path):
    guide = (pathlib.Path(__file__).parents[2] / "docs" / "migrations.md").read_text(encoding="utf-8")
    section = guide.split("## In five minutes")[1].split("\n## ")[0]
    blocks = re.findall(r"```(\w+)\n(.*?)```", section, re.S)
    assert [kind for kind, _ in blocks] == ["sh", "sh", "json", "sh"]
    environment = os.environ | {"AZURE_STORAGE_CONNECTION_STRING": server.connection_string,
                                "PATH": f"{BINARY.parent}:{os.environ['PATH']}"}
    said = []
    for kind, text in blocks[1:]:
        if kind == "json":
            (tmp_path / "migrations" / "0001_create_tables.json").write_text(text, encoding="utf-8")
            continue
        for line in text.strip().splitlines():
            done = subprocess.run(line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            said.append(done.stdout)
    assert said[0] == "migrations/0001_create_tables.json\n"
    assert said[1].endswith("1 migration waiting, nothing was written\n")
    assert said[2] == "1 migration applied\n" and ": applied" in said[3] and said[4] == "nothing to do\n"
    assert entities(server, "table1")[1]["Name"] == "foo2"


def test_the_schema_has_each_step_that_there_is(server, tmp_path):
    schema = json.loads((pathlib.Path(__file__).parents[2] / "docs" / "migration.schema.json").read_text())
    known = schema["properties"]["steps"]["items"]["properties"].keys()
    write(tmp_path, 1, {"unknown": 1})
    told = run(server, "up", tmp_path, code=1)
    assert sorted(told.split("allowed: ")[1].split(", ")) == sorted(known)


def test_a_new_migration_has_its_schema_beside_it(server, tmp_path):
    """The new file is valid, and so are all others in the folder. The schema is an exact copy of that in docs/."""
    jsonschema = pytest.importorskip("jsonschema")
    assert run(server, "new", "one", tmp_path) == f"{tmp_path}/0001_one.json\n"
    begun = json.loads((tmp_path / "0001_one.json").read_text())
    assert list(begun) == ["$schema", "id", "version", "description", "steps"]
    schema = tmp_path / begun["$schema"]
    original = pathlib.Path(__file__).parents[2] / "docs" / "migration.schema.json"
    assert schema.read_bytes() == original.read_bytes()
    jsonschema.validate(begun, json.loads(schema.read_text()))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(begun | {"steps": [{"unknown": 1}]}, json.loads(schema.read_text()))
    assert run(server, "up", tmp_path) == "1 migration applied\n"
    del begun["$schema"]
    (tmp_path / "0001_one.json").write_text(json.dumps(begun))  # the checksum is the same
    assert run(server, "verify", tmp_path) == "1 migration, all applied\n"


def test_a_schema_that_was_changed_stays_and_is_told(server, tmp_path):
    run(server, "new", "one", tmp_path)
    schema = tmp_path / "migration.schema.json"
    changed = schema.read_text().replace("For people.", "For us.")
    schema.write_text(changed)
    process = start(server, "new", "two", tmp_path)
    output, errors = map(paths_here, process.communicate(timeout=DEADLINE))
    assert (process.returncode, output) == (0, f"{tmp_path}/0002_two.json\n")
    assert errors == (f"rocktable: {schema} was edited and is kept; "
                      "delete it to get the schema of this version\n")
    assert schema.read_text() == changed
    schema.unlink()
    run(server, "new", "three", tmp_path)
    assert "For people." in schema.read_text()


def test_a_migration_that_fails_says_that_it_can_be_resumed(server, tmp_path):
    insert(server, create_table(server, "orders"), PartitionKey="p", RowKey="r", N="no number")
    write(tmp_path, 1, {"retypeProperty": {"table": "orders", "name": "N", "type": "Edm.Int32"}})
    assert run(server, "up", tmp_path, code=1).endswith(
        "; step 1 has changed no entities; run the same command again to resume, after a correction of the data or the file "
        f"if they are the cause; rocktable migrate abort {tmp_path} undoes what can be undone")
    write(tmp_path, 1, {"retypeProperty": {"table": "absent", "name": "N", "type": "Edm.Int32"}})
    assert "TableNotFound" in run(server, "up", tmp_path, code=1)


def test_a_migration_that_is_interrupted_says_so(server, tmp_path):
    fill(server, "orders", 2000)
    write(tmp_path, 1, {"rekey": {"table": "orders", "RowKey": "{RowKey}_{N}"}})
    with Proxy(server, lambda *_: time.sleep(0.02)) as proxy:
        process = start(proxy, "up", tmp_path)
        while proxy.requests < 10:
            assert process.poll() is None
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == -signal.SIGINT
    assert errors.splitlines()[-1] == "rocktable: interrupted; run the same command again to resume"
    assert run(server, "up", tmp_path) == "1 migration applied\n"
