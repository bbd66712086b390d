"""rocktable migrate: a step that fails is no dead end. Rules for missing properties, corrected files, `migrate abort`."""
import json
import os
import pathlib
import random
import signal
import time

import pytest

from own_server import needs_program, own_server
from proxy import Proxy
from rocktable_server import Server, all_entities, create_table, send
from test_migrate import DEADLINE, ENTITIES, ROUNDS, entities, fill, finish, insert, keys, run, start, tables, write

pytestmark = needs_program

server = own_server(scope="function")


def document(account, *words, code=0):
    process = start(account, *words, "--json")
    output, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == code, (output, errors)
    return json.loads(output)


def errors_of(account, *words, code=0):
    process = start(account, *words)
    _, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == code, errors
    return errors


def people(account, with_name=3, without=2):
    create_table(account, "people")
    for i in range(with_name):
        insert(account, "people", PartitionKey="p", RowKey=f"{i}", Name=f"N{i}")
    for i in range(without):
        insert(account, "people", PartitionKey="p", RowKey=f"x{i}")


def rekey(**more):
    return {"rekey": {"table": "people", "RowKey": "{Name:lower}_{RowKey}"} | more}


# --- onMissing ------------------------------------------------------------------------------------------------


def test_a_missing_property_fails_with_all_that_is_needed_to_go_on(server, tmp_path):
    people(server, without=7)
    write(tmp_path, 1, {"createTable": "other"}, rekey())
    before = all_entities(server, "people")
    told = run(server, "up", tmp_path, code=1)
    assert f"migration 1 ({tmp_path}/0001.json), step 2 of 2 (re-key people" in told
    assert ('the table people: 7 entities have no property Name: ("p", "x0"), ("p", "x1"), ("p", "x2"), ("p", "x3"), '
            '("p", "x4") and 2 more') in told
    assert '"onMissing": "skip" or "default"' in told and "step 1 is done, and step 2 has changed no entities" in told
    assert f"rocktable migrate abort {tmp_path}" in told
    assert all_entities(server, "people") == before
    # Each way out works: the data is corrected ...
    for i in range(7):
        send(server, "MERGE", f"/people(PartitionKey='p',RowKey='x{i}')", {"If-Match": "*"}, body='{"Name": "Z"}')
    assert run(server, "up", tmp_path) == "1 migration applied\n"
    assert [row for _, row in keys(server, "people")] == ["n0_0", "n1_1", "n2_2"] + [f"z_x{i}" for i in range(7)]
    assert tables(server) == ["other", "people", "versionData"]


@pytest.mark.parametrize("rule, rows", [
    ({"onMissing": "skip"}, ["n0_0", "n1_1", "n2_2", "x0", "x1"]),
    ({"onMissing": "default", "defaults": {"Name": "None"}}, ["n0_0", "n1_1", "n2_2", "none_x0", "none_x1"]),
])
def test_a_rule_in_the_corrected_file_lets_the_migration_go_on(server, tmp_path, rule, rows):
    people(server)
    write(tmp_path, 1, {"createTable": "other"}, rekey(), {"createTable": "last"})
    run(server, "up", tmp_path, code=1)
    write(tmp_path, 1, {"createTable": "other"}, rekey(**rule), {"createTable": "last"})
    assert "begun at step 2, and edited so that it can continue" in run(server, "status", tmp_path)
    assert run(server, "up", tmp_path) == "1 migration applied\n"
    assert [row for _, row in keys(server, "people")] == rows
    assert tables(server) == ["last", "other", "people", "versionData"]
    assert all("Name" not in one for one in entities(server, "people") if one["RowKey"].endswith(("x0", "x1")))
    assert run(server, "verify", tmp_path) == "1 migration, all applied\n"


def test_what_was_skipped_is_reported(server, tmp_path):
    people(server, without=7)
    write(tmp_path, 1, {"createTable": "other"}, rekey(onMissing="skip"))
    told = document(server, "up", tmp_path)
    assert told["skipped"] == [{"id": 1, "step": 2, "property": "Name", "entities": 7,
                                "keys": [["p", f"x{i}"] for i in range(5)]}]
    write(tmp_path, 2, {"renameProperty": {"table": "people", "from": "Name", "to": "Title"}})
    assert '  skipped: 7 entities have no property Name: ("p", "x0")' in errors_of(server, "up", tmp_path)


def test_a_new_key_of_a_skipped_entity_is_refused(server, tmp_path):
    people(server, with_name=1, without=0)
    insert(server, "people", PartitionKey="p", RowKey="n0_0")
    before = all_entities(server, "people")
    write(tmp_path, 1, rekey(onMissing="skip"))
    assert '("p", "n0_0") belongs to an entity that is not re-keyed' in run(server, "up", tmp_path, code=1)
    assert all_entities(server, "people") == before


@pytest.mark.parametrize("step, after", [
    ({"renameProperty": {"table": "people", "from": "Name", "to": "T", "onMissing": "default", "defaults": {"Name": "d"}}},
     {"T": "d"}),
    ({"retypeProperty": {"table": "people", "name": "N", "type": "Edm.Int64", "onMissing": "default", "defaults": {"N": 5}}},
     {"N": "5", "N@odata.type": "Edm.Int64"}),
    ({"retypeProperty": {"table": "people", "name": "N", "type": "Edm.Int64", "onMissing": "skip"}}, {}),
])
def test_steps_on_properties_have_rules_too(server, tmp_path, step, after):
    create_table(server, "people")
    insert(server, "people", PartitionKey="p", RowKey="r")
    write(tmp_path, 1, step)
    run(server, "up", tmp_path)
    assert entities(server, "people") == [{"PartitionKey": "p", "RowKey": "r"} | after]


@pytest.mark.parametrize("kind", ["renameProperty", "retypeProperty"])
def test_steps_on_properties_can_require_them(server, tmp_path, kind):
    people(server)
    step = {"renameProperty": {"from": "Name", "to": "T"}, "retypeProperty": {"name": "Name", "type": "Edm.String"}}[kind]
    write(tmp_path, 1, {kind: {"table": "people", "onMissing": "fail"} | step})
    before = all_entities(server, "people")
    assert "2 entities have no property Name" in run(server, "up", tmp_path, code=1)
    assert all_entities(server, "people") == before


@pytest.mark.parametrize("more, place, sentence", [
    ('"onMissing": "ignore"', "5:16", "steps[0].rekey.onMissing: `ignore` is unknown; use fail, skip or default"),
    ('"onMissing": "default"', "5:16", "steps[0].rekey.onMissing: requires defaults"),
    ('"defaults": {"Name": "x"}', "5:15", 'steps[0].rekey.defaults: requires "onMissing": "default"'),
    ('"onMissing": "default", "defaults": {"Age": 1}', "5:47", "steps[0].rekey.defaults.Age: no template uses this property"),
    ('"onMissing": "default", "defaults": {"Name": 1}', "5:48", "is Edm.Int32, and must be text"),
    ('"onMissing": "default", "defaults": {"Name": "a/b"}', "5:48", "cannot be part of a key"),
    ('"onMissing": "default", "defaults": {}', "5:39", "must contain a value for at least one property"),
    ('"onMissing": "default", "defaults": {"RowKey": "x"}', "5:39", "PartitionKey and RowKey are never missing"),
])
def test_a_rule_that_makes_no_sense_is_refused_with_its_place(server, tmp_path, more, place, sentence):
    (tmp_path / "0001.json").write_text(
        '{"id": 1,\n "steps": [\n {"rekey": {"table": "people", "RowKey": "{Name:lower}_{RowKey}",\n\n  ' + more + "}}]}")
    told = run(server, "up", tmp_path, code=1)
    assert f"0001.json:{place}: " in told and sentence in told
    assert tables(server) == []


@pytest.mark.parametrize("more, is_valid", [
    ({}, True), ({"onMissing": "skip"}, True), ({"onMissing": "fail"}, True), ({"onMissing": "other"}, False),
    ({"onMissing": "default", "defaults": {"Name": "x"}}, True), ({"onMissing": "default"}, False),
    ({"defaults": {"Name": "x"}}, False), ({"onMissing": "skip", "defaults": {"Name": "x"}}, False),
    ({"onMissing": "default", "defaults": {}}, False), ({"onMissing": "default", "defaults": {"RowKey": "x"}}, False),
])
def test_the_schema_and_the_program_agree_on_rules(server, tmp_path, more, is_valid):
    jsonschema = pytest.importorskip("jsonschema")
    create_table(server, "people")
    schema = json.loads((pathlib.Path(__file__).parents[2] / "docs" / "migration.schema.json").read_text())
    for step in (rekey(**more), {"renameProperty": {"table": "people", "from": "Name", "to": "T"} | more},
                 {"retypeProperty": {"table": "people", "name": "Name", "type": "Edm.String"} | more}):
        write(tmp_path, 1, step)
        assert jsonschema.Draft7Validator(schema).is_valid({"id": 1, "steps": [step]}) == is_valid
        run(server, "up", "--dryRun", tmp_path, code=0 if is_valid else 1)


def test_an_entity_that_loses_the_property_meanwhile_is_in_one_place(server, tmp_path):
    """The key in the temporary table is that of the former content, which must not come back."""
    for rule, rows in (({"onMissing": "skip"}, ["0", "n1_1"]), ({"onMissing": "default", "defaults": {"Name": "d"}}, ["d_0", "n1_1"])):
        account = Server()
        try:
            people(account, with_name=2, without=0)
            (tmp_path / rule["onMissing"]).mkdir()
            write(tmp_path / rule["onMissing"], 1, rekey(**rule))
            changed = []

            def change(number, method, path):
                """Runs once the step has read all entities and before it deletes one."""
                if "$batch" in path and len(keys(account, "versionData")) and not changed and running_phase(account) == 1:
                    changed.append(send(account, "PUT", "/people(PartitionKey='p',RowKey='0')", {"If-Match": "*"}, body="{}").status)

            with Proxy(account, change) as proxy:
                run(proxy, "up", tmp_path / rule["onMissing"])
            assert changed == [204]
            assert [row for _, row in keys(account, "people")] == rows
        finally:
            account.stop()


def running_phase(account):
    return next((one["Phase"] for one in all_entities(account, "versionData") if one["PartitionKey"] == "versionDataRunning"), None)


# --- Corrected files ------------------------------------------------------------------------------------------


def test_a_begun_file_may_change_what_is_not_done(server, tmp_path):
    people(server)
    done, failing = {"createTable": "one"}, rekey()
    write(tmp_path, 1, done, failing, {"createTable": "two"})
    run(server, "up", tmp_path, code=1)
    assert "rocktableRekey1s1" in tables(server)
    # A done step must not change, nor disappear.
    write(tmp_path, 1, {"createTable": "other"}, {"createTable": "two"})
    told = run(server, "up", tmp_path, code=1)
    assert "step 1 of 2 (create table other) is not the step that is done" in told and "rocktable migrate abort" in told
    assert ": edited: step 1 of 2" in run(server, "status", tmp_path)
    (one,) = document(server, "status", tmp_path)["migrations"]
    assert (one["state"], one["edited"], one["step"]) == ("edited", True, 2) and "step 1 of 2" in one["why"]
    write(tmp_path, 1)
    assert "step 1 is done, and is missing now" in run(server, "up", tmp_path, code=1)
    # The step in progress may be replaced, and later ones, and the description.
    write(tmp_path, 1, done, {"createTable": "three"}, {"createTable": "four"}, description="corrected")
    (one,) = document(server, "status", tmp_path)["migrations"]
    assert (one["state"], one["edited"], one["step"], one["why"]) == ("begun", True, 2, None)
    assert run(server, "up", tmp_path) == "1 migration applied\n"
    assert tables(server) == ["four", "one", "people", "three", "versionData"]
    assert run(server, "verify", tmp_path) == "1 migration, all applied\n"


def test_the_step_in_progress_may_be_removed(server, tmp_path):
    people(server)
    write(tmp_path, 1, {"createTable": "one"}, rekey())
    run(server, "up", tmp_path, code=1)
    write(tmp_path, 1, {"createTable": "one"})
    assert run(server, "up", tmp_path) == "1 migration applied\n"
    assert tables(server) == ["one", "people", "versionData"]


def kill_in_phase(account, folder, phase, delay=0.01):
    """Kills `up` when the record of the running migration has this phase. Later requests are slow."""
    with Proxy(account, lambda *_: time.sleep(delay)) as proxy:
        runner = start(proxy, "up", folder)
        deadline = time.monotonic() + DEADLINE
        while running_phase_or_none(account) != phase:
            assert runner.poll() is None and time.monotonic() < deadline
            time.sleep(0.002)
        runner.send_signal(signal.SIGKILL)
        runner.communicate()
    assert running_phase(account) == phase


def test_what_was_skipped_is_reported_after_an_interruption_too(server, tmp_path):
    fill(server, "people", 400)
    insert(server, "people", PartitionKey="p", RowKey="r")
    write(tmp_path, 1, rekey(onMissing="skip"))
    kill_in_phase(server, tmp_path, 1)
    assert document(server, "up", tmp_path)["skipped"] == [
        {"id": 1, "step": 1, "property": "Name", "entities": 1, "keys": [["p", "r"]]}]


def running_phase_or_none(account):
    return running_phase(account) if "versionData" in tables(account) else None


@pytest.mark.parametrize("phase", [1, 2])
def test_a_step_that_has_begun_to_change_tables_may_change_only_its_rule(server, tmp_path, phase):
    fill(server, "people", 600)
    step = {"rekey": {"table": "people", "RowKey": "x{N}_{RowKey}"}}
    write(tmp_path, 1, step)
    kill_in_phase(server, tmp_path, phase)
    write(tmp_path, 1, {"rekey": {"table": "people", "RowKey": "y{N}_{RowKey}"}})
    told = run(server, "up", tmp_path, code=1)
    assert "step 1 of 1 (re-key people, RowKey 'y{N}_{RowKey}') is not the step that has begun to change tables" in told
    write(tmp_path, 1)
    assert "step 1 has begun to change tables, and is missing now" in run(server, "up", tmp_path, code=1)
    write(tmp_path, 1, {"rekey": {"table": "people", "RowKey": "x{N}_{RowKey}", "onMissing": "skip"}})
    assert run(server, "up", tmp_path) == "1 migration applied\n"
    assert keys(server, "people") == sorted((f"p{i % 4}", f"x{i}_{i:06}") for i in range(600))
    assert tables(server) == ["people", "versionData"]


def test_an_insert_that_finds_an_entity_changes_nothing_and_can_be_corrected(server, tmp_path):
    create_table(server, "orders")
    insert(server, "orders", PartitionKey="p", RowKey="149", Old=1)
    all_of_them = [{"PartitionKey": "p", "RowKey": f"{i}", "New": i} for i in range(150)]
    write(tmp_path, 1, {"insert": {"table": "orders", "entities": all_of_them}})
    assert 'entity ("p", "149"): it exists already (EntityAlreadyExists)' in run(server, "up", tmp_path, code=1)
    assert len(entities(server, "orders")) == 1
    write(tmp_path, 1, {"insert": {"table": "orders", "entities": all_of_them, "ifAbsent": True}})
    run(server, "up", tmp_path)
    assert len(entities(server, "orders")) == 150
    assert [one for one in entities(server, "orders") if "Old" in one] == [{"PartitionKey": "p", "RowKey": "149", "Old": 1}]


def test_a_record_of_an_earlier_version_is_continued_and_accepts_no_edit(server, tmp_path):
    """Earlier versions recorded neither the content of the steps, nor that an insert had begun."""
    create_table(server, "orders")
    steps = [{"createTable": "one"}, {"insert": {"table": "orders", "entities": [
        {"PartitionKey": "p", "RowKey": f"{i}", "N": i} for i in range(3)]}}]
    write(tmp_path, 1, *steps)
    insert(server, "orders", PartitionKey="p", RowKey="1", N=7)
    assert "EntityAlreadyExists" in run(server, "up", tmp_path, code=1)
    send(server, "DELETE", "/orders(PartitionKey='p',RowKey='1')", {"If-Match": "*"})
    insert(server, "orders", PartitionKey="p", RowKey="1", N=1)  # as an earlier attempt of that version left it
    (record,) = [one for one in entities(server, "versionData") if one["PartitionKey"] == "versionDataRunning"]
    old = {name: record[name] for name in ("Checksum", "Started", "Started@odata.type", "Step", "Phase")}
    where = "/versionData(PartitionKey='versionDataRunning',RowKey='1')"
    assert send(server, "PUT", where, {"If-Match": "*"}, body=json.dumps(old)).status == 204
    write(tmp_path, 1, *steps, {"createTable": "two"})
    assert "there is no record of the content of each step" in run(server, "up", tmp_path, code=1)
    write(tmp_path, 1, *steps)
    assert run(server, "up", tmp_path) == "1 migration applied\n"
    assert len(entities(server, "orders")) == 3


# --- migrate abort --------------------------------------------------------------------------------------------


def test_an_aborted_migration_can_be_corrected_and_applied_from_its_beginning(server, tmp_path):
    people(server)
    before = all_entities(server, "people")
    write(tmp_path, 1, {"createTable": "one"}, {"createTable": "people"},
          {"insert": {"table": "one", "entities": [{"PartitionKey": "p", "RowKey": f"{i}", "D": 1.0} for i in range(120)]}},
          rekey(), {"createTable": "last"})
    run(server, "up", tmp_path, code=1)
    preview = document(server, "abort", "--dryRun", tmp_path)
    assert preview["dryRun"] is True and "rocktableRekey1s3" in tables(server)
    told = document(server, "abort", tmp_path)
    assert told == preview | {"dryRun": False}
    (one,) = told["aborted"]
    assert (one["id"], one["stays"]) == (1, [])
    assert len(one["undone"]) == 4 and "removed from one: 120 entities" in one["undone"][2]
    assert one["undone"][-1] == "deleted the table one, which the migration created"
    assert all_entities(server, "people") == before and tables(server) == ["people", "versionData"]
    assert entities(server, "versionData") == []
    assert ": waiting\n" in run(server, "status", tmp_path)
    assert run(server, "abort", tmp_path) == "no migration is begun\n"
    write(tmp_path, 1, rekey(onMissing="skip"))  # another first step
    assert run(server, "up", tmp_path) == "1 migration applied\n"


def test_what_an_abort_cannot_undo_stays_and_is_named(server, tmp_path):
    people(server)
    create_table(server, "old")
    insert(server, "old", PartitionKey="p", RowKey="r")
    entity = [{"PartitionKey": "p", "RowKey": f"{i}", "N": i} for i in range(3)]
    write(tmp_path, 1, {"createTable": "one"}, {"insert": {"table": "one", "entities": entity}},
          {"clearTable": "old"}, {"upsert": {"table": "old", "entities": entity}},
          {"addProperty": {"table": "people", "name": "Country", "value": "NL"}},
          {"copyTable": {"from": "one", "to": "copied"}}, rekey())
    run(server, "up", tmp_path, code=1)
    send(server, "MERGE", "/one(PartitionKey='p',RowKey='1')", {"If-Match": "*"}, body='{"Mine": 1}')
    insert(server, "copied", PartitionKey="mine", RowKey="r")
    told = run(server, "abort", tmp_path)
    assert 'stays: step 2 (insert 3 entities into one): they are not as the step wrote them in one: 1 entity: ("p", "1")' in told
    assert "stays: step 3 (clear table old): what it deleted is lost" in told
    assert "stays: step 4 (upsert 3 entities in old): what it wrote stays" in told
    assert "stays: step 5 (add property Country = 'NL' in people): the changed properties stay" in told
    assert "stays: the table one, which the migration created, is not empty" in told
    assert entities(server, "one") == [{"PartitionKey": "p", "RowKey": "1", "N": 1, "Mine": 1}]
    # The copy of an entity that was changed is no longer equal to it, so nobody knows whose it is.
    assert keys(server, "copied") == [("mine", "r"), ("p", "1")]
    assert "rocktableRekey1s6" not in tables(server)


def test_a_table_that_somebody_else_created_stays(server, tmp_path):
    people(server)
    create_table(server, "theirs")
    write(tmp_path, 1, {"createTable": "theirs"}, {"createTable": "ours"}, {"deleteTable": "ours"}, rekey())
    run(server, "up", tmp_path, code=1)
    create_table(server, "ours")  # it was deleted, so this is another one
    run(server, "abort", tmp_path)
    assert tables(server) == ["ours", "people", "theirs", "versionData"]


# A rekey that keeps the old keys has nothing to do in phase 1.
@pytest.mark.parametrize("phase, keep_old", [(0, False), (1, False), (2, False), (0, True), (2, True)])
def test_entities_get_their_old_keys_back(server, tmp_path, phase, keep_old):
    fill(server, "people", 600)
    before = entities(server, "people")
    write(tmp_path, 1, {"rekey": {"table": "people", "RowKey": "x{N}_{RowKey}", "keepOld": keep_old}})
    kill_in_phase(server, tmp_path, phase)
    time.sleep(0.05)
    send(server, "MERGE", "/people(PartitionKey='p3',RowKey='000599')", {"If-Match": "*"}, body='{"Mine": 1}')
    send(server, "MERGE", "/people(PartitionKey='p3',RowKey='x599_000599')", {"If-Match": "*"}, body='{"Mine": 1}')
    mine = [one for one in entities(server, "people") if "Mine" in one]
    preview = document(server, "abort", "--dryRun", tmp_path)
    assert len(preview["aborted"]) == 1 and [one for one in entities(server, "people") if "Mine" in one] == mine
    assert document(server, "abort", tmp_path) == preview | {"dryRun": False}
    after = entities(server, "people")
    assert tables(server) == ["people", "versionData"]
    assert [one for one in after if "Mine" in one] == mine
    replaced = [(one["PartitionKey"], one["RowKey"]) for one in mine]
    assert [one for one in after if (one["PartitionKey"], one["RowKey"]) not in replaced] == [
        one for one in before if (one["PartitionKey"], one["RowKey"]) not in replaced]


def test_exchanged_keys_are_exchanged_back(server, tmp_path):
    """New keys are old keys of other entities, so the order of the undo matters."""
    fill(server, "people", 400, partitions=1)
    for number in range(0, 400):
        send(server, "MERGE", f"/people(PartitionKey='p0',RowKey='{number:06}')", {"If-Match": "*"},
             body=json.dumps({"Next": f"{(number + 1) % 400:06}"}))
    before = entities(server, "people")
    write(tmp_path, 1, {"rekey": {"table": "people", "RowKey": "{Next}"}})
    kill_in_phase(server, tmp_path, 2)
    run(server, "abort", tmp_path)
    assert entities(server, "people") == before


def test_an_abort_that_is_killed_at_any_moment_is_repeated(tmp_path):
    write(tmp_path, 1, {"createTable": "one"}, {"insert": {"table": "one", "entities": [
        {"PartitionKey": "p", "RowKey": f"{i}"} for i in range(200)]}}, {"rekey": {"table": "people", "RowKey": "x{N}"}})
    random.seed(os.environ.get("ROCKTABLE_MIGRATION_SEED", "2"))
    rounds = max(3, ROUNDS // 2)
    for attempt in range(rounds):
        account = Server()
        try:
            fill(account, "people", 300)
            before = entities(account, "people")
            kill_in_phase(account, tmp_path, 2 if attempt % 2 else 1, delay=0.003)
            kills = 0
            with Proxy(account, lambda *_: time.sleep(0.001)) as proxy:
                while kills < 6:
                    undo = start(proxy, "abort", tmp_path)
                    time.sleep(random.uniform(0.05, 0.6))
                    if undo.poll() is not None:
                        finish(undo)
                        break
                    undo.send_signal(signal.SIGKILL)
                    undo.communicate()
                    kills += 1
                    if "aborting" in run(account, "status", tmp_path):
                        assert "is being aborted; finish that by rocktable migrate abort" in run(account, "up", tmp_path, code=1)
            run(account, "abort", tmp_path)
            assert entities(account, "people") == before
            assert tables(account) == ["people", "versionData"]
            history = entities(account, "versionData")
            # An abort that is killed between its last record and its end leaves its lock, which `up` takes over.
            assert [row for row in history if row["PartitionKey"] != "versionDataLock"] == []
            assert kills > 0 or history == []
            assert run(account, "up", tmp_path) == "1 migration applied\n"
        finally:
            account.stop()


def test_an_abort_waits_for_a_runner_that_is_at_work(server, tmp_path):
    fill(server, "people", 2000)
    write(tmp_path, 1, {"rekey": {"table": "people", "RowKey": "x{RowKey}"}})
    with Proxy(server, lambda *_: time.sleep(0.01)) as proxy:
        runner = start(proxy, "up", tmp_path)
        while running_phase_or_none(server) is None:
            time.sleep(0.005)
        assert "another runner is migrating" in run(server, "abort", "--wait", "0", tmp_path, code=1)
        assert finish(runner) == "1 migration applied\n"
    assert run(server, "abort", tmp_path) == "no migration is begun\n"
    assert len(keys(server, "people")) == 2000


def test_a_migration_without_its_file_can_be_aborted(server, tmp_path):
    fill(server, "people", 600)
    before = entities(server, "people")
    write(tmp_path, 7, {"createTable": "one"}, {"rekey": {"table": "people", "RowKey": "x{N}"}})
    kill_in_phase(server, tmp_path, 1)
    (tmp_path / "0007.json").unlink()
    assert "7: begun at step 2, file is missing" in run(server, "status", tmp_path)
    assert "7 failed verification" in run(server, "verify", tmp_path, code=1)
    told = run(server, "abort", tmp_path)
    assert told.startswith("7: aborted\n") and "deleted the table one, which the migration created" in told
    assert entities(server, "people") == before and tables(server) == ["people", "versionData"]


def test_what_others_wrote_at_both_keys_is_not_overwritten(server, tmp_path):
    fill(server, "people", 600, partitions=1)
    write(tmp_path, 1, {"rekey": {"table": "people", "RowKey": "x{N}"}})
    kill_in_phase(server, tmp_path, 2)
    for row in ("000007", "x7"):
        send(server, "PUT", f"/people(PartitionKey='p0',RowKey='{row}')", body='{"Theirs": 1}')
    told = run(server, "abort", tmp_path, code=1)
    assert 'the old and the new keys of the table people of 1 entity: ("p0", "000007")' in told
    assert "they are still in the table rocktableRekey1s0" in told
    send(server, "DELETE", "/people(PartitionKey='p0',RowKey='000007')", {"If-Match": "*"})
    run(server, "abort", tmp_path)
    found = {one["RowKey"]: one for one in entities(server, "people")}
    assert len(found) == 601 and found["x7"] == {"PartitionKey": "p0", "RowKey": "x7", "Theirs": 1}
    assert found["000007"]["Name"] == "Name 7" and tables(server) == ["people", "versionData"]


# --- up --dryRun ----------------------------------------------------------------------------------------------


def test_a_dry_run_sees_the_tables_as_earlier_steps_would_leave_them(server, tmp_path):
    people(server)
    write(tmp_path, 1, {"createTable": "one"}, {"insert": {"table": "one", "entities": [
        {"PartitionKey": "p", "RowKey": f"{i}", "N": str(i)} for i in range(120)]}},
          {"retypeProperty": {"table": "one", "name": "N", "type": "Edm.Int32"}}, {"delete": {"table": "one", "filter": "N ge 100"}},
          {"rekey": {"table": "one", "RowKey": "x{N:pad5}"}}, {"renameTable": {"from": "one", "to": "two", "deleteOld": True}})
    write(tmp_path, 2, {"delete": {"table": "two", "partition": "p", "row": "x00007"}}, rekey(), {"clearTable": "one"})
    methods = set()
    with Proxy(server, lambda number, method, path: methods.add(method)) as proxy:
        told = document(proxy, "up", "--dryRun", tmp_path, code=1)
    assert methods == {"GET"} and tables(server) == ["people"]
    first, second = told["waiting"]
    assert [step["entities"] for step in first["steps"]] == [0, 120, 120, 20, 100, 100] and told["fails"] is True
    assert [step["entities"] for step in second["steps"]] == [1, 0]
    assert "2 entities have no property Name" in second["steps"][1]["fails"]
    process = start(server, "up", "--dryRun", tmp_path)
    output, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 1 and "would fail: the table people: 2 entities have no property Name" in output
    file = tmp_path / "0002.json"
    assert errors.replace("\\", "/") == f"rocktable: migration 2 ({file}) would fail in step 2 of 3, nothing was written\n"
    write(tmp_path, 2, {"delete": {"table": "two", "partition": "p", "row": "x00007"}}, rekey(onMissing="skip"))
    assert document(server, "up", "--dryRun", tmp_path)["fails"] is False
    run(server, "up", tmp_path)
    assert len(keys(server, "two")) == 99


def test_a_dry_run_of_a_begun_migration_starts_where_it_would_continue(server, tmp_path):
    fill(server, "people", 400)
    write(tmp_path, 1, {"rekey": {"table": "people", "RowKey": "x{N}"}}, {"rekey": {"table": "people", "RowKey": "y{RowKey}"}},
          {"delete": {"table": "people", "filter": "RowKey ge 'yx0' and RowKey le 'yx1'"}})
    kill_in_phase(server, tmp_path, 1)
    told = document(server, "up", "--dryRun", tmp_path)
    assert [step["entities"] for step in told["waiting"][0]["steps"]] == [400, 400, 2]
    run(server, "up", tmp_path)
    assert len(keys(server, "people")) == 398


def random_step(generator):
    table, other = generator.sample(["one", "two", "three"], 2)
    name, new = generator.sample(["A", "B"], 2)
    some = [{"PartitionKey": generator.choice("pq"), "RowKey": row, name: generator.choice([1, "2", "many"])}
            for row in generator.sample("abcd", 2)]
    rule = generator.choice([{}, {"onMissing": "skip"}, {"onMissing": "fail"}, {"onMissing": "default", "defaults": {name: "9"}}])
    template = generator.choice(["{RowKey}x", f"{{{name}}}", f"{{{name}}}{{RowKey}}"])
    return generator.choice([
        {"createTable": table}, {"createTable": other}, {"deleteTable": table}, {"clearTable": table},
        {"copyTable": {"from": table, "to": other}}, {"renameTable": {"from": table, "to": other, "deleteOld": generator.random() < 0.5}},
        {"insert": {"table": table, "entities": some, "ifAbsent": generator.random() < 0.7, "createTable": True}},
        {"upsert": {"table": table, "entities": some, "createTable": True}}, {"merge": {"table": table, "entities": some, "createTable": True}},
        {"delete": {"table": table, "filter": f"{name} eq 1"}}, {"addProperty": {"table": table, "name": name, "value": "3"}},
        {"renameProperty": {"table": table, "from": name, "to": new} | rule}, {"removeProperty": {"table": table, "name": name}},
        {"retypeProperty": {"table": table, "name": name, "type": "Edm.Int32"} | rule},
        {"rekey": {"table": table, "RowKey": template, "keepOld": generator.random() < 0.3} | (rule if name in template else {})},
    ])


@pytest.mark.parametrize("seed", range(12))
def test_a_dry_run_foretells_what_happens(server, tmp_path, seed):
    """Random chains of steps: the preview must name the step that fails, and count what each step before it changes."""
    generator = random.Random(int(os.environ.get("ROCKTABLE_MIGRATION_SEED", "0")) * 1000 + seed)
    for number in range(1, 9):
        steps = [random_step(generator) for _ in range(generator.randrange(2, 7))]
        if number == 1:
            steps = [{"createTable": "one"}, {"createTable": "two"}]
        steps += [{"createTable": "one"}, {"copyTable": {"from": "one", "to": f"copy{number}"}}]
        write(tmp_path, number, *steps)
        process = start(server, "up", "--dryRun", "--json", tmp_path)
        told = json.loads(process.communicate(timeout=DEADLINE)[0])
        assert "error" not in told, (steps, told)
        ((*passed, last),) = [one["steps"] for one in told["waiting"]]
        assert all(step["fails"] is None and step["notSimulated"] is None for step in passed)
        assert (last["fails"] is not None) == told["fails"] == (process.returncode == 1)
        process = start(server, "up", tmp_path)
        _, errors = process.communicate(timeout=DEADLINE)
        assert (process.returncode == 1) == told["fails"], (told, errors)
        if process.returncode == 0:
            assert last["entities"] == len(keys(server, f"copy{number}"))
            continue
        assert f", step {len(passed) + 1} of {len(steps)} (" in errors, (told, errors)
        run(server, "abort", tmp_path)
        (tmp_path / f"{number:04}.json").unlink()


# --- The rules of the service ---------------------------------------------------------------------------------


def test_tables_that_are_still_being_deleted_are_waited_for(tmp_path):
    """The service keeps the name of a deleted table for a while. An abort deletes tables that `up` creates again."""
    account = Server("--behave", "deleteDelay=3,boundaries=2")
    try:
        people(account, with_name=120, without=1)
        write(tmp_path, 1, {"createTable": "one"}, rekey())
        run(account, "up", tmp_path, code=1)
        run(account, "abort", tmp_path)
        write(tmp_path, 1, {"createTable": "one"}, rekey(onMissing="skip"))
        assert run(account, "up", tmp_path) == "1 migration applied\n"
        assert len(keys(account, "people")) == 121 and ("p", "x0") in keys(account, "people")
        assert tables(account) == ["one", "people", "versionData"]
    finally:
        account.stop()


def test_a_network_that_fails_now_and_then_does_not_stop_an_abort(server, tmp_path):
    fill(server, "people", 300)
    before = entities(server, "people")
    write(tmp_path, 1, {"createTable": "one"}, {"rekey": {"table": "people", "RowKey": "x{N}"}})
    kill_in_phase(server, tmp_path, 2)
    with Proxy(server, lambda number, method, path: "swallow" if number % 29 == 3 else None) as proxy:
        run(proxy, "abort", tmp_path)
    assert entities(server, "people") == before and tables(server) == ["people", "versionData"]


def test_another_account_is_not_touched(server, tmp_path):
    people(server)
    write(tmp_path, 1, {"createTable": "one"}, rekey())
    run(server, "up", tmp_path, code=1)
    before = tables(server)
    other = Server()
    try:
        assert run(other, "abort", tmp_path) == "no migration is begun\n"
        assert tables(other) == [] and tables(server) == before
    finally:
        other.stop()
