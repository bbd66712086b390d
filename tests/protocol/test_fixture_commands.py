"""rocktable reset and rocktable snapshot in scripts."""
import json

import pytest

from fixture_control import account_of, contents, fill, insert
from http_server import Handler, HttpServer
from own_server import needs_program, own_server
from program import run_command
from rocktable_server import create_table

pytestmark = needs_program

server = own_server("--anyAccount", "--controlToken", "open-sesame")


class Named(HttpServer):
    """A control API whose snapshots have this name, and whose error messages consist of it."""

    def __init__(self, name):
        class Control(Handler):
            def do_GET(self):  # pylint: disable=invalid-name
                if self.path == "/_rocktable/ready":
                    return self._say(200, {"status": "ready"})
                return self._say(200, {"snapshots": [{"name": name, "taken": name, "tables": 1, "bytes": 2}]})

            def do_POST(self):  # pylint: disable=invalid-name
                self._say(409, {"error": name})

            def _say(self, status, document):
                self.answer(status, json.dumps(document).encode())

        super().__init__(Control)


def run(server, *words, environment=None):
    variables = environment
    if variables is None:
        variables = {"ROCKTABLE_URL": server.url, "ROCKTABLE_CONTROL_TOKEN": "open-sesame"}
    return run_command(*words, **variables)


def done(server, *words):
    ended = run(server, *words)
    assert (ended.returncode, ended.stderr) == (0, ""), ended
    return ended.stdout


def refused(server, *words, code=1, **options):
    ended = run(server, *words, **options)
    assert (ended.returncode, ended.stdout) == (code, ""), ended
    assert ended.stderr.startswith("rocktable: ") and ended.stderr.count("\n") == 1
    return ended.stderr


def test_reset(server):
    other = account_of(server, "other")
    fill(server)
    fill(other)
    tables = contents(server)[0]
    address = server.url
    assert done(server, "reset", "--account", server.name, "--table", "One") == (
        f"rocktable: reset the table One of the account {server.name} at {address}\n"
    )
    assert contents(server)[0] == tables | {"One": []}
    assert done(server, "reset", "--account", "other") == (
        f"rocktable: reset the account other at {address}: all 2 tables of the account other\n"
    )
    assert contents(other)[0] == {} and contents(server)[0] != {}
    fill(other, tables=["Three"])
    assert done(server, "reset") == f"rocktable: reset all accounts at {address}: all 3 tables of 2 accounts\n"
    assert contents(server)[0] == {}
    assert done(server, "reset") == f"rocktable: reset all accounts at {address}: no tables\n"


def test_snapshots(server):
    fill(server)
    before = contents(server)
    address = server.url
    assert done(server, "snapshot", "list") == ""
    assert done(server, "snapshot", "take", "seeded") == (
        f"rocktable: took the snapshot seeded of all accounts at {address}: 2 tables\n"
    )
    taken = json.loads(done(server, "snapshot", "show", "seeded", "--json"))["snapshot"]["taken"]
    said = refused(server, "snapshot", "take", "seeded")
    assert "The snapshot seeded already exists. Use --replace to replace it." in said and "?" not in said
    insert(server, "One", "p", "new")
    create_table(server, "Three")
    assert done(server, "snapshot", "restore", "seeded") == (
        f"rocktable: restored the snapshot seeded of all accounts at {address}: 2 tables, taken {taken}, "
        f"replacing all 3 tables of the account {server.name}\n"
    )
    assert contents(server) == before
    assert f"replacing 2 tables, taken {taken}\n" in done(server, "snapshot", "take", "seeded", "--replace")
    done(server, "snapshot", "take", "b")
    lines = done(server, "snapshot", "list").splitlines()
    assert [line.split()[0] for line in lines] == ["b", "seeded"] and "2 tables" in lines[1]
    listed = json.loads(done(server, "snapshot", "list", "--json"))["snapshots"]
    assert [one["name"] for one in listed] == ["b", "seeded"]
    assert done(server, "snapshot", "show", "seeded").split() == lines[1].split()
    for name in ("b", "seeded"):
        assert f"deleted the snapshot {name} at {address}: 2 tables, taken " in done(server, "snapshot", "delete", name)
    assert "There is no snapshot b." in refused(server, "snapshot", "restore", "b")


def test_options_stand_for_the_environment(server):
    url = ("--url", server.url)
    token = ("--controlToken", "open-sesame")
    for words in (("reset", *url, *token), ("snapshot", *url, *token, "list"), ("snapshot", "list", *url, *token)):
        ended = run(server, *words, environment={})
        assert ended.returncode == 0, ended
    for environment in ({}, {"ROCKTABLE_CONTROL_TOKEN": "wrong"}):
        said = refused(server, "reset", *url, environment=environment)
        assert "pass --connectionString CONN" in said and "or --controlToken TOKEN" in said
        assert "Authorization" not in said and "x-rocktable-token" not in said


def test_a_token_comes_from_a_file_or_a_variable(server, tmp_path):
    (tmp_path / "token").write_text("open-sesame\n")
    (tmp_path / "url").write_text(f"{server.url}\n")
    for url, token in ((f"@{tmp_path / 'url'}", f"@{tmp_path / 'token'}"), ("env:WHERE", "env:CONTROL")):
        environment = {"WHERE": server.url, "CONTROL": "open-sesame"}
        ended = run(server, "reset", "--url", url, "--controlToken", token, environment=environment)
        assert ended.returncode == 0, ended
    for given, why in (("@/nowhere", "/nowhere cannot be read"), ("env:NOT_SET", "the variable NOT_SET is not set")):
        assert f"--controlToken: {why}" in refused(server, "reset", "--controlToken", given)
    (tmp_path / "token").write_text("two\nlines")
    assert "visible ASCII" in refused(server, "reset", "--controlToken", f"@{tmp_path / 'token'}")


def test_what_a_server_says_reaches_no_terminal_as_it_is(tmp_path):
    """The name of an existing snapshot is refused, too."""
    with Named("a\u001b[2J\u009b\u202e") as control:
        for words in (("snapshot", "list"), ("snapshot", "list", "--json"), ("reset",)):
            ended = run(None, *words, environment={"ROCKTABLE_URL": control.url})
            assert r"a\u001b[2J\u009b\u202e" in ended.stdout + ended.stderr, ended
            assert not set("\u001b\u009b\u202e") & set(ended.stdout + ended.stderr)


def test_what_cannot_be_done_is_told(server):
    assert "cannot be reached" in refused(server, "reset", environment={"ROCKTABLE_URL": "http://127.0.0.1:1"})
    ended = run(server, "reset", environment={"ROCKTABLE_URL": "nonsense"})
    assert ended.returncode == 2 and "'nonsense' does not start with http://" in ended.stderr, ended
    assert "NO" in refused(server, "reset", "--account", "NO")
    assert "name" in refused(server, "snapshot", "take", "../x")


@pytest.mark.parametrize(
    "words",
    [
        ("reset", "--table", "One"),
        ("reset", "--account", ""),
        ("reset", "--account", "a", "--table", ""),
        ("reset", "everything"),
        ("snapshot",),
        ("snapshot", "take"),
        ("snapshot", "take", ""),
        ("snapshot", "show"),
        ("snapshot", "list", "x"),
        ("reset", "--controlToken", "a\nb: c"),
    ],
    ids=str,
)
def test_wrong_usage_does_nothing(server, words):
    fill(server, tables=["Kept"], rows=1)
    try:
        refused(server, *words, code=2)
        assert contents(server)[0]["Kept"]
    finally:
        done(server, "reset")


def test_help(server):
    for words in (("reset", "--help"), ("snapshot", "--help"), ("snapshot", "take", "--help")):
        assert "--help" in done(server, *words)
