"""Commands that control an instance: questions before data are lost, signatures, and what they never send."""
import base64
import json
import os

import pytest

from fixture_control import contents, fill
from http_server import Handler, HttpServer
from own_server import needs_program, own_server
from program import run_command, user_environment
from rocktable_server import BINARY
from terminal import Terminal

pytestmark = needs_program

OWN_KEY = base64.b64encode(b"a key of my own").decode()

local = own_server("--anyAccount")

# As in a container: other machines can reach the server, so that it requires credentials for control.
exposed = own_server("--tableHost", "0.0.0.0")
exposed_with_own_account = own_server(
    "--tableHost", "0.0.0.0", "--controlToken", "open-sesame", environment={"AZURITE_ACCOUNTS": f"mine:{OWN_KEY}"}
)


def done(*words, **variables):
    ended = run_command(*words, **variables)
    assert (ended.returncode, ended.stderr) == (0, ""), ended
    return ended.stdout


def refused(*words, **variables):
    ended = run_command(*words, **variables)
    assert (ended.returncode, ended.stdout) == (1, ""), ended
    return ended.stderr


def at_a_terminal(*words, **variables):
    return Terminal([BINARY, *words], columns=200, environment=user_environment(**variables))


# --- Questions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer, is_done", [("y\n", True), ("YES\n", True), ("n\n", False), ("\n", False), ("\x04", False)])
def test_a_reset_at_a_terminal_names_what_goes_and_asks(local, answer, is_done):
    fill(local)
    terminal = at_a_terminal("reset", "--connectionString", local.url)
    shown = terminal.read_until(r"\[y/N\] ")
    assert shown == f"Empty all 2 tables of the account {local.name} at {local.url}? [y/N] "
    assert len(contents(local)[0]) == 2  # nothing has happened so far
    terminal.type(answer)
    code, shown = terminal.finish()
    assert (code, "nothing was changed" in shown) == ((0, False) if is_done else (1, True))
    assert (contents(local)[0] == {}) == is_done
    done("reset", "--url", local.url)


def test_what_a_reset_is_asked_for_has_its_reach(local):
    fill(local)
    other = f"AccountName=other;AccountKey={local.key};TableEndpoint={local.url}/other"
    assert run_command("copy", "--from", local.connection_string, "--to", other, "--all").returncode == 0
    for words, question in (
        ((), "Empty all 4 tables of 2 accounts at "),
        (("--account", "other"), "Empty all 2 tables of the account other at "),
        (("--account", "other", "--table", "One"), "Empty the table One of the account other at "),
    ):
        terminal = at_a_terminal("reset", "--url", local.url, *words)
        assert terminal.read_until(r"\[y/N\] ").startswith(question)
        terminal.type("n\n")
        assert terminal.finish()[0] == 1
    done("reset", "--url", local.url)


def test_a_restore_at_a_terminal_names_what_it_replaces(local):
    fill(local, tables=["One"])
    done("snapshot", "take", "asked", "--url", local.url, "--replace")
    terminal = at_a_terminal("snapshot", "restore", "asked", "--url", local.url)
    shown = terminal.read_until(r"\[y/N\] ")
    assert shown.startswith(f"Replace 1 table of the account {local.name} at {local.url} with the snapshot asked (1 table, ")
    terminal.type("y\n")
    code, shown = terminal.finish()
    assert code == 0 and "restored the snapshot asked of all accounts" in shown
    done("reset", "--url", local.url)


@pytest.mark.parametrize("how", ["flag", "variable", "nothing to lose", "no terminal"])
def test_nobody_is_asked(local, how):
    """No question with --yes, with ROCKTABLE_YES (which `exec` sets), without tables, and without a terminal, so that
    scripts continue to work."""
    if how != "nothing to lose":
        fill(local)
    done("snapshot", "take", "kept", "--replace", "--url", local.url)
    for words in (["reset"], ["snapshot", "restore", "kept"], ["reset"]):
        words += ["--url", local.url] + ["--yes"] * (how == "flag")
        if how == "no terminal":
            done(*words)
            continue
        code, shown = at_a_terminal(*words, **({"ROCKTABLE_YES": "1"} if how == "variable" else {})).finish()
        assert code == 0 and "[y/N]" not in shown, shown
    assert contents(local)[0] == {}


@pytest.mark.parametrize("words", [["reset"], ["snapshot", "restore", "x"]], ids=" ".join)
def test_a_variable_that_neither_asks_nor_does_not_is_refused(local, words):
    ended = run_command(*words, "--url", local.url, ROCKTABLE_YES="maybe")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("rocktable: --yes maybe: must be true or false (ROCKTABLE_YES) (see rocktable ")
    # The command line has precedence; an empty variable counts as unset.
    for flags, variable in ((["--yes"], "maybe"), ([], "off"), ([], "")):
        ended = run_command(*words, *flags, "--url", local.url, ROCKTABLE_YES=variable)
        assert "--yes" not in ended.stderr
    assert "(Env:ROCKTABLE_YES)" in run_command("help", *words).stdout


@pytest.mark.parametrize("value, asks", [("off", True), ("TRUE", False)])
def test_the_variable_answers_where_it_is_true(local, value, asks):
    fill(local)
    terminal = at_a_terminal("reset", "--url", local.url, ROCKTABLE_YES=value)
    if asks:
        terminal.read_until(r"\[y/N\] ")
        terminal.type("y\n")
    code, shown = terminal.finish()
    assert code == 0 and ("[y/N]" in shown) == asks


def test_inside_exec_nobody_is_asked():
    script = 'printenv ROCKTABLE_YES; rocktable import --from - --table One <<< \'{"PartitionKey":"p","RowKey":"r"}\'; rocktable reset'
    environment = user_environment(PATH=f"{BINARY.parent}:{os.environ['PATH']}")
    code, shown = Terminal([BINARY, "exec", "--", "bash", "-c", script], columns=200, environment=environment).finish()
    assert code == 0 and shown.startswith("1\n") and "[y/N]" not in shown
    assert "reset all accounts" in shown and shown.endswith(": 1 table of the account devstoreaccount1\n"), shown


# --- Signatures -----------------------------------------------------------------------------------


def test_in_a_container_the_account_signs(exposed):
    """Without flags, the command signs with the well-known key. A server without a token accepts it."""
    fill(exposed)
    for words in (["snapshot", "take", "seeded"], ["snapshot", "restore", "seeded"], ["snapshot", "list"], ["reset"]):
        done(*words, "--connectionString", exposed.connection_string)
        if words[1:2] == ["take"]:
            words.append("--replace")
        done(*words, ROCKTABLE_URL=exposed.url)
    assert contents(exposed)[0] == {}


def test_an_own_account_signs(exposed_with_own_account):
    server = exposed_with_own_account
    mine = f"AccountName=mine;AccountKey={OWN_KEY};TableEndpoint={server.url}/mine"
    said = done("reset", "--connectionString", mine)
    assert said == f"rocktable: reset all accounts at {server.url}: no tables\n"
    done("reset", "--connectionString", "env:MINE", MINE=mine)
    for variable in ("AZURE_STORAGE_CONNECTION_STRING", "AZURE_TABLES_CONNECTION_STRING"):
        done("reset", **{variable: mine, "ROCKTABLE_URL": server.url})  # as in a command of `rocktable exec`
    done("reset", "--url", server.url, "--controlToken", "open-sesame")
    done("reset", "--connectionString", mine, "--controlToken", "wrong")  # one of both is enough


def test_who_may_not_is_told_what_to_give(exposed_with_own_account):
    server = exposed_with_own_account
    flags = "pass --connectionString CONN with one of its accounts and its key, or --controlToken TOKEN\n"
    assert refused("reset", "--url", server.url) == f"rocktable: {server.url} requires authorization: {flags}"
    assert refused("reset", "--url", server.url, "--controlToken", "wrong") == (
        f"rocktable: {server.url} rejects this --controlToken: {flags}")
    wrong = f"AccountName=mine;AccountKey={base64.b64encode(b'wrong').decode()};TableEndpoint={server.url}/mine"
    assert refused("reset", "--connectionString", wrong) == (
        f"rocktable: {server.url} rejects the signature of the account mine: {flags}")
    assert "rejects this --controlToken and the signature of the account mine" in refused(
        "reset", "--connectionString", wrong, "--controlToken", "wrong")
    elsewhere = f"AccountName=mine;AccountKey={OWN_KEY};TableEndpoint=http://localhost:{server.port}/mine"
    assert "requires authorization" in refused("reset", "--url", server.url, AZURE_STORAGE_CONNECTION_STRING=elsewhere)


# --- Other servers ------ -------------------------------------------------------------------------


class Cloud(HttpServer):
    """A table service without the control API. Records all requests."""

    def __init__(self):
        self.requests = []
        outer = self

        class Recorder(Handler):
            protocol_version = "HTTP/1.1"

            def _answer(self):
                outer.requests.append((self.command, self.path, dict(self.headers)))
                self.answer(400, b'{"odata.error":{"code":"InvalidUri"}}')

            do_GET = do_POST = do_DELETE = _answer

        super().__init__(Recorder)


@pytest.mark.parametrize("words", [["reset"], ["snapshot", "restore", "x"], ["snapshot", "take", "x", "--replace"],
                                   ["snapshot", "delete", "x"]], ids=" ".join)
def test_what_is_no_rocktable_gets_nothing_but_the_question_whether_it_is_one(words):
    """The command sends neither a token nor a signature nor a request that changes data, wherever the account comes
    from."""
    with Cloud() as cloud:
        account = f"AccountName=a;AccountKey={OWN_KEY};TableEndpoint={cloud.url}"
        signed = f"{cloud.url}/?sv=2020-01-01&sig=c2VjcmV0"
        for given in (account, signed, cloud.url):
            said = refused(*words, "--connectionString", given, "--controlToken", "open-sesame")
            assert said == (f"rocktable: {cloud.url} is not a rocktable: it returned status 400 for GET /_rocktable/ready; "
                            "nothing else was sent\n")
        assert [request[:2] for request in cloud.requests] == [("GET", "/_rocktable/ready")] * 3
        assert not {"authorization", "x-rocktable-token"} & {name.lower() for request in cloud.requests for name in request[2]}


def test_the_account_of_the_environment_names_no_target(local):
    """The connection string may be that of a cloud account. So commands use ROCKTABLE_URL, or this machine."""
    fill(local)
    with Cloud() as cloud:
        cloud_account = f"AccountName=a;AccountKey={OWN_KEY};TableEndpoint={cloud.url}"
        for unreadable in (cloud_account, "nonsense", "AccountKey=x"):
            done("reset", ROCKTABLE_URL=local.url, AZURE_STORAGE_CONNECTION_STRING=unreadable)
        assert cloud.requests == []


# --- Messages -------------------------------------------------------------------------------------


def test_a_protocol_that_is_mixed_up_is_told(start, tmp_path):
    server = start("--tls", "auto", location=tmp_path)
    for words in (["reset"], ["snapshot", "list"]):
        assert "speaks HTTPS: use https://" in refused(*words, "--url", server.url.replace("https:", "http:"))
        assert "set --caFile FILE to the certificate of its authority" in refused(*words, "--url", server.url)
        done(*words, "--url", server.url, "--caFile", server.ready["certificateAuthority"])


def test_nobody_there(local):
    assert "Connection refused; nothing listens on this port; to start an emulator: rocktable --tablePort 1\n" in refused("reset", "--url", "http://localhost:1")
    said = json.loads(run_command("reset", "--url", "http://127.0.0.1:1", "--json").stdout)
    assert list(said) == ["error"] and "nothing listens on this port" in said["error"]


def test_a_target_given_twice_is_wrong_usage(local):
    ended = run_command("reset", "--url", local.url, "--connectionString", local.url)
    assert ended.returncode == 2 and "--connectionString" in ended.stderr


# --- Exit codes -----------------------------------------------------------------------------------------

WITH_CONN = {
    "reset": ["reset"], "snapshot": ["snapshot", "list"], "healthcheck": ["healthcheck"],
    "export": ["export", "--all", "--to", "out"], "import": ["import", "--from", "in"],
    "migrate up": ["migrate", "up", "no-folder"], "migrate status": ["migrate", "status", "no-folder"],
}


@pytest.mark.parametrize("words", WITH_CONN.values(), ids=WITH_CONN)
def test_a_conn_that_makes_no_sense_is_wrong_usage_wherever_it_stands(words, tmp_path):
    for nonsense in ("NONSENSE", "AccountName=a", "http:/x"):
        place = tmp_path / "place"
        place.write_text(nonsense)
        for given in (nonsense, f"@{place}", "env:PLACE"):
            ended = run_command(*words, "--connectionString", given, PLACE=nonsense)
            assert (ended.returncode, ended.stdout) == (2, ""), ended
            assert ended.stderr.count("\n") == 1 and f"(see rocktable {words[0]}" in ended.stderr


@pytest.mark.parametrize("words", WITH_CONN.values(), ids=WITH_CONN)
def test_a_conn_that_cannot_be_read_is_a_failure(words, tmp_path):
    assert "cannot be read" in refused(*words, "--connectionString", f"@{tmp_path}/absent")
    assert "the variable PLACE is not set" in refused(*words, "--connectionString", "env:PLACE")


@pytest.mark.parametrize("name", ["export", "import", "migrate up", "migrate status"])
def test_no_account_is_wrong_usage(name):
    ended = run_command(*WITH_CONN[name])
    assert ended.returncode == 2 and "no account given: pass --connectionString, or set " in ended.stderr
    ended = run_command(*WITH_CONN[name], AZURE_STORAGE_CONNECTION_STRING="NONSENSE")
    assert ended.returncode == 2 and "is not of the form Name=Value" in ended.stderr
