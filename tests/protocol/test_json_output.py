"""--json: each command prints one document on standard output, in the form of docs/json.md."""
import json
import os
import pathlib
import re
import shutil

from bearer_token import send_token, token_for
from own_server import needs_program, own_server
from program import run_command
from rocktable_server import BINARY, Server

pytestmark = needs_program

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "json.md"

server = own_server()


def document(*words, code=0, **variables):
    ended = run_command(*words, "--json", **variables)
    assert ended.returncode == code, ended
    return json.loads(ended.stdout)


def error(*words, code=1, **variables):
    """Errors are only on standard output."""
    ended = run_command(*words, "--json", **variables)
    told = json.loads(ended.stdout)
    assert (ended.returncode, ended.stderr, list(told)) == (code, "", ["error"]), ended
    return told["error"]


def shape(value):
    """Returns the members and their types; for a list, those of its first element."""
    if isinstance(value, dict):
        return {name: shape(one) for name, one in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def members(value):
    if isinstance(value, dict):
        return {name: members(one) for name, one in value.items()}
    return [members(value[0])] if isinstance(value, list) and value else None


def small_table(folder):
    (folder / "Small.ndjson").write_text('{"PartitionKey":"p","RowKey":"1"}\n{"PartitionKey":"p","RowKey":"2"}\n')
    return folder / "Small.ndjson"


def test_commands_that_control_an_instance(server, tmp_path):
    target = ("--url", server.url)
    document("import", "--from", small_table(tmp_path), "--to", server.connection_string)
    assert document("healthcheck", *target) == {"endpoint": server.url, "status": "ready"}
    taken = document("snapshot", "take", "one", *target)
    assert shape(taken) == {"endpoint": "str", "replaced": "NoneType",
                            "snapshot": {"name": "str", "taken": "str", "tables": "int", "bytes": "int"}}
    snapshot = taken["snapshot"]
    assert document("snapshot", "show", "one", *target) == {"endpoint": server.url, "snapshot": snapshot}
    assert document("snapshot", "list", *target) == {"endpoint": server.url, "snapshots": [snapshot]}
    again = document("snapshot", "take", "one", "--replace", *target)
    assert again["replaced"] == snapshot != again["snapshot"]
    assert document("snapshot", "restore", "one", *target) == {
        "endpoint": server.url, "snapshot": again["snapshot"], "replaced": {"accounts": 1, "tables": 1}}
    assert document("snapshot", "delete", "one", *target) == {"endpoint": server.url, "snapshot": again["snapshot"]}
    assert document("reset", "--account", server.name, "--table", "Small", *target) == {
        "endpoint": server.url, "account": server.name, "table": "Small", "accounts": None, "tables": None}
    assert document("reset", *target) == {"endpoint": server.url, "account": None, "table": None, "accounts": 1, "tables": 1}
    assert document("reset", "--account", server.name, *target) == {
        "endpoint": server.url, "account": server.name, "table": None, "accounts": 0, "tables": 0}
    assert "There is no snapshot one." in error("snapshot", "restore", "one", *target)
    assert "There is no snapshot one." in error("snapshot", "delete", "one", *target)
    assert "see rocktable snapshot" in error("snapshot", "take", code=2)
    assert "see rocktable reset" in error("reset", "--table", "One", code=2)


def test_transfers(server, tmp_path):
    imported = document("import", "--from", small_table(tmp_path), "--to", server.connection_string, "--verify")
    assert imported.pop("seconds") >= 0
    assert imported == {"command": "import", "from": str(tmp_path / "Small.ndjson"), "to": server.endpoint, "dryRun": False,
                        "entities": 2, "tables": [{"table": "Small", "entities": 2}], "verified": True}
    exported = document("export", "--from", server.connection_string, "--all", "--to", tmp_path / "out", "--dryRun")
    assert (exported["command"], exported["dryRun"], exported["entities"], exported["verified"]) == ("export", True, 2, False)
    assert "see rocktable export --help" in error("export", "--from", server.connection_string, "--all", "--to", "-", code=2)
    assert "cannot be read" in error("import", "--from", tmp_path / "absent.ndjson", "--to", server.connection_string)


def test_migrations(server, tmp_path):
    account = {"AZURE_STORAGE_CONNECTION_STRING": server.connection_string}
    begun = document("migrate", "new", "one", tmp_path)
    assert begun == {"file": str(tmp_path / "0001_one.json"), "schema": str(tmp_path / "migration.schema.json"),
                     "schemaChanged": False}
    one = {"id": 1, "version": "1.1", "description": "one"}
    steps = [{"step": "create table mytable", "entities": 0, "transactions": 0, "skipped": [], "fails": None,
              "notSimulated": None}]
    counted = document("migrate", "up", "--dryRun", tmp_path, **account)
    assert shape(counted) == shape({"waiting": [one | {"steps": steps}], "fails": False})
    assert document("migrate", "verify", tmp_path, code=1, **account) == {
        "verified": False, "migrations": [one | {"state": "waiting", "edited": False, "why": None, "file": begun["file"], "ended": None,
                                                "step": None}]}
    assert document("migrate", "up", tmp_path, **account) == {"applied": [one], "skipped": []}
    assert document("migrate", "up", tmp_path, **account) == {"applied": [], "skipped": []}
    (status,) = document("migrate", "status", tmp_path, **account)["migrations"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", status.pop("ended"))
    assert status == one | {"state": "applied", "edited": False, "why": None, "file": begun["file"], "step": None}
    assert document("migrate", "verify", tmp_path, **account)["verified"] is True
    assert "cannot read the folder" in error("migrate", "up", tmp_path / "absent", **account)
    assert "no account given" in error("migrate", "up", tmp_path / "absent", code=2)
    assert "see rocktable migrate up --help" in error("migrate", "up", code=2)


def test_a_repair(start, tmp_path):
    server = start(location=tmp_path)
    document("import", "--from", small_table(tmp_path), "--to", server.connection_string)
    server.stop()
    assert document("repair", tmp_path) == {
        "whole": True, "tables": 1, "entities": 2, "lost": [], "incomplete": None, "older": [], "olderCount": 0,
        "olderUnnamed": [], "backup": None}
    os.remove(next((tmp_path / "__rocktable__").glob("*.sst")))
    repaired = document("repair", tmp_path)
    assert repaired["whole"] is False and repaired["lost"] and pathlib.Path(repaired["backup"]).is_dir()
    shutil.rmtree(tmp_path / "__rocktable__")
    assert error("repair", tmp_path)


def examples_of_guide():
    return {name: json.loads(text) for name, text in
            re.findall(r"^`([\w -]+)`:\n\n```json\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)}


def test_the_reference_names_each_member_of_the_report_of_roles(tmp_path):
    running = Server("--tls", "auto", "--location", tmp_path, "--oauth", "basic")
    try:
        send_token(running, token_for("11111111-1111-1111-1111-111111111111"), "GET", "/orders()")
        told = document("report", "--roles", "--url", running.url, "--caFile", running.ready["certificateAuthority"])
        assert members(told) == members(examples_of_guide()["report --roles"])
    finally:
        running.stop()


def test_the_reference_names_each_member(server, tmp_path):
    """The examples of docs/json.md have exactly the members of the documents."""
    examples = examples_of_guide()
    target = ("--url", server.url)
    account = ("--connectionString", server.connection_string)
    small_table(tmp_path)
    skips = {"rekey": {"table": "mytable", "RowKey": "{Name}", "onMissing": "skip"}}
    entity = {"upsert": {"table": "mytable", "createTable": True, "entities": [{"PartitionKey": "p", "RowKey": "1"}]}}
    fails = {"deleteTable": "mytable"}, {"clearTable": "mytable"}
    for name, number, steps in (("migrations", 8, [entity, skips]), ("previewed", 20, [skips]),
                                ("failing", 21, [{"createTable": "other"}, *fails])):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{number}.json").write_text(json.dumps({"id": number, "steps": steps}))
    told = {
        "import": document("import", "--from", tmp_path / "Small.ndjson", "--to", server.connection_string),
        "healthcheck": document("healthcheck", *target),
        "snapshot take": document("snapshot", "take", "two", *target),
        "snapshot list": document("snapshot", "list", *target),
        "snapshot show": document("snapshot", "show", "two", *target),
        "snapshot restore": document("snapshot", "restore", "two", *target),
        "snapshot delete": document("snapshot", "delete", "two", *target),
        "reset": document("reset", *target),
        "sas table": document("sas", "table", "orders", "--permissions", "r", *account),
        "migrate new": document("migrate", "new", "two", tmp_path / "migrations"),
        "migrate up": document("migrate", "up", tmp_path / "migrations", *account),
        "migrate status": document("migrate", "status", tmp_path / "migrations", *account),
        "migrate verify": document("migrate", "verify", tmp_path / "migrations", *account),
        "migrate up --dryRun": document("migrate", "up", "--dryRun", tmp_path / "previewed", *account),
    }
    assert run_command("migrate", "up", tmp_path / "failing", *account).returncode == 1
    told["migrate abort"] = document("migrate", "abort", tmp_path / "failing", *account)
    (tmp_path / "rule.json").write_text('{"name": "busy", "when": {"count": 3}, "then": {"status": 503}}')
    told["faults add"] = document("faults", "add", tmp_path / "rule.json", *target)
    told["faults clear"] = document("faults", "clear", *target)
    told["behave"] = document("behave", "throttle=500", *target)
    document("behave", "off", *target)
    token = run_command("exec", "--tls", "auto", "--identity", "alice", "--", BINARY, "token", "--json")
    told["token"] = json.loads(token.stdout)
    assert set(told) | {"open", "repair", "report --roles"} == set(examples)
    for name, one in told.items():
        assert members(one) == members(examples[name]), name
