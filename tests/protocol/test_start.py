"""Messages at the start and the end: where data are kept, errors, who can access the server, what remains on disk."""
import os
import re
import signal
import socket
import stat
import time

import pytest

from own_server import needs_program
from program import Program, refusal, run
from rocktable_server import BINARY, Server, create_table, delete_table

pytestmark = needs_program

LISTENING = "successfully listening at"
STOPS = "; press Ctrl-C to stop"
PUBLIC = "the key of the account is public"


def started(*flags, **options):
    return Program(BINARY, "--tablePort", 0, *flags, **options)


def version():
    return run("--version").stdout.split()[1]


@pytest.fixture
def taken():
    """Listens on a port of an address in this process."""
    sockets = []

    def take(address="127.0.0.1"):
        one = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
        sockets.append(one)
        one.bind((address, 0))
        one.listen()
        return one.getsockname()[1]

    yield take
    for one in sockets:
        one.close()


# --- where data are kept, and what remains ------------------------------------------------------------


def test_the_start_says_where_data_are_kept_and_the_end_what(tmp_path):
    with started(folder=tmp_path) as program:
        first, second, page, third = program.wait_for(STOPS).splitlines()
        assert first.startswith(f"rocktable: Table service is {LISTENING} http://127.0.0.1:")
        assert second.startswith("DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;")
        assert page == f"rocktable: see tables and requests at {first.split()[-1]}/_rocktable/"
        assert third == f"rocktable: version {version()}; data is kept in {tmp_path}/__rocktable__{STOPS}"
        assert program.end(signal.SIGINT) == 0
        said = program.output().splitlines()
        assert said == [first, second, page, third, f"rocktable: stopped; 0 tables kept in {tmp_path}/__rocktable__"]
        assert program.errors() == ""


def test_in_memory_nothing_is_kept_and_both_say_so():
    with started("--inMemoryPersistence") as program:
        assert program.wait_for(STOPS).splitlines()[3] == f"rocktable: version {version()}; in memory: no data is kept{STOPS}"
        assert program.end() == 0
        assert program.output().splitlines()[4:] == ["rocktable: stopped; no data is kept"]


@pytest.mark.parametrize("tables", [0, 1, 3])
def test_the_end_counts_the_tables_of_all_accounts(tmp_path, tables):
    server = Server("--anyAccount", location=tmp_path)
    names = [create_table(server) for _ in range(tables + 1)]
    delete_table(server, names[0])
    assert server.process.poll() is None
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(20) == 0
    noun = "table" if tables == 1 else "tables"
    assert server.output().splitlines()[-1] == f"rocktable: stopped; {tables} {noun} kept in {tmp_path}/__rocktable__"
    server.kill()


@pytest.mark.parametrize("mode", ["azurite", "azurite-table"])
def test_where_the_peers_lines_are_all_of_the_output_these_go_to_standard_error(mode, tmp_path):
    free = ["--blobPort", 0, "--queuePort", 0]
    with started(mode, *free, "-l", tmp_path) as program:
        program.wait_for("Table service")
        assert program.end() == 0
        assert "rocktable" not in program.output()
        assert program.errors().splitlines() == [
            f"rocktable: version {version()}; data is kept in {tmp_path}/__rocktable__{STOPS}",
            f"rocktable: stopped; 0 tables kept in {tmp_path}/__rocktable__",
        ]


# --- repeated signals ---------------------------------------------------------------------------------


def test_the_repetition_of_a_signal_is_the_same_request_to_stop(tmp_path):
    for number in (signal.SIGTERM, signal.SIGINT):
        for pause in (0, 0.0005, 0.005, 0.02):
            with started("-s", "-l", tmp_path) as program:
                program.wait_for(STOPS)
                program.process.send_signal(number)
                time.sleep(pause)
                program.process.send_signal(number)
                assert program.process.wait(20) == 0, pause
                assert program.output().splitlines()[-1].startswith("rocktable: stopped; ")


# GNU timeout signals its child, and then its process group, which includes the child.
def test_timeout_ends_a_server_in_order(tmp_path):
    for _ in range(5):
        result = run_with_timeout(tmp_path)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.splitlines()[-1].startswith("rocktable: stopped; ")


def run_with_timeout(location):
    """Runs a server under GNU timeout: for 0.3 s, or longer on a machine where it starts more slowly."""
    for seconds in ("0.3", "1", "3", "9"):
        words = ["timeout", "--preserve-status", seconds, BINARY, "-s", "--tablePort", 0, "-l", location]
        result = run(*words[1:], program=words[0])
        if result.stdout:
            return result
    return result


def test_a_later_signal_ends_the_server_at_once():
    with started("--inMemoryPersistence") as program:
        port = int(re.search(r"http://127.0.0.1:(\d+)", program.wait_for(STOPS))[1])
        with socket.create_connection(("127.0.0.1", port)) as half:
            # the server waits for the rest
            half.sendall(b"POST /devstoreaccount1/Tables HTTP/1.1\r\nContent-Length: 5\r\n\r\n")
            time.sleep(0.2)
            program.process.send_signal(signal.SIGTERM)
            time.sleep(0.1)
            program.process.send_signal(signal.SIGTERM)
            time.sleep(0.7)
            assert program.process.poll() is None
            assert program.end(signal.SIGTERM) == -signal.SIGTERM
            assert "stopped" not in program.output()


def test_timeout_ends_the_server_of_a_command_in_order():
    for _ in range(3):
        result = run("--preserve-status", "0.4", BINARY, "exec", "--", "sleep", "60", program="timeout")
        assert (result.returncode, result.stderr) == (128 + signal.SIGTERM, "")


def test_a_command_with_a_server_of_its_own_says_nothing_of_it():
    result = run("exec", "--", "true")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


# --- missing folders ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["new", "new/", "./new", "here/../new"])
def test_a_folder_is_made_in_one_that_is_there_and_that_is_said(tmp_path, name):
    (tmp_path / "here").mkdir()
    with started("-l", name, folder=tmp_path) as program:
        program.wait_for(f"data is kept in {tmp_path}/new/__rocktable__")
        assert program.errors() == f"rocktable: created the folder {tmp_path}/new\n"
        assert program.end() == 0
    with started("-l", name, folder=tmp_path) as program:
        program.wait_for(STOPS)
        assert program.errors() == ""


def test_a_folder_below_nothing_is_refused_and_not_made(tmp_path):
    for location in ("absent/new", tmp_path / "absent" / "new"):
        assert refusal(1, "-l", location, "--tablePort", 0, folder=tmp_path) == (
            f"--location {location}: the folder does not exist and cannot be created: its parent folder {tmp_path}/absent does not exist"
        )
    for command in (["exec", "-l", "absent/new", "--", "true"], ["--inMemoryPersistence", "--tls", "auto", "-l", "absent/new"]):
        assert "its parent folder" in refusal(1, *command, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", ["azurite", "azurite-table"])
def test_in_place_of_azurite_all_missing_folders_are_made_as_azurite_does(tmp_path, mode):
    ports = ["--blobPort", 0, "--queuePort", 0] if mode == "azurite" else []
    with started("--compat", mode, *ports, "-l", "./x/y/z", "--debug", "logs/of/debug.log", folder=tmp_path) as program:
        program.wait_for("Table service is")
        assert f"created the folder {tmp_path}/x/y/z\n" in program.errors()
        assert (tmp_path / "x/y/z/__rocktable__").is_dir() and (tmp_path / "logs/of/debug.log").is_file()
        assert program.end() == 0


def test_a_folder_for_the_debug_log_gets_a_file_and_that_is_said(tmp_path):
    with started("--inMemoryPersistence", "--debug", ".", folder=tmp_path) as program:
        program.wait_for(STOPS)
        assert "--debug . is a folder: the debug log is ./rocktable-debug.log\n" in program.errors()
        assert (tmp_path / "rocktable-debug.log").is_file()
        assert program.end() == 0


def test_a_debug_log_below_nothing_is_refused_and_nothing_is_made(tmp_path):
    said = refusal(1, "--inMemoryPersistence", "--tablePort", 0, "--debug", "absent/debug.log", folder=tmp_path)
    assert said == f"cannot write the debug log absent/debug.log: its parent folder {tmp_path}/absent does not exist"
    assert list(tmp_path.iterdir()) == []


def test_what_tells_of_requests_is_for_the_owner_alone(tmp_path):
    """An existing file keeps its mode: somebody has chosen it."""
    (tmp_path / "shared.log").touch()
    (tmp_path / "shared.log").chmod(0o640)
    for log, mode in (("new.log", 0o600), ("shared.log", 0o640)):
        with started("--inMemoryPersistence", "--debug", log, "--trace", "t.har", folder=tmp_path) as program:
            program.wait_for(STOPS)
            assert program.end() == 0
        assert stat.S_IMODE((tmp_path / log).stat().st_mode) == mode
        assert stat.S_IMODE((tmp_path / "t.har").stat().st_mode) == 0o600


def test_a_refused_folder_names_the_variable_that_gave_it(tmp_path):
    said = refusal(1, "--tablePort", 0, environment={"ROCKTABLE_LOCATION": "absent/new"}, folder=tmp_path)
    assert said.endswith(" (ROCKTABLE_LOCATION)")


def test_the_data_folders_are_ignored_by_git(tmp_path):
    with started("--tls", "auto", folder=tmp_path) as program:
        program.wait_for(STOPS)
        for folder in ("__rocktable__", "__rocktable_tls__"):
            assert (tmp_path / folder / ".gitignore").read_text() == "*\n"


# --- ports --------------------------------------------------------------------------------------------


def holder():
    with open("/proc/self/comm", encoding="utf-8") as file:
        return f"{file.read().strip()} (pid {os.getpid()})"


@pytest.mark.parametrize("address, host", [("127.0.0.1", None), ("::1", None), ("0.0.0.0", "127.0.0.1"), ("127.0.0.1", "0.0.0.0")])
def test_a_taken_port_is_told_with_its_address_its_holder_and_the_way_out(taken, address, host):
    port = taken(address)
    wanted = host or address
    at = f"[{wanted}]:{port}" if ":" in wanted else f"{wanted}:{port}"
    there = "" if wanted == address else f", which listens at {address}:{port}"
    flags = ["--inMemoryPersistence", "--tablePort", port, *(["--tableHost", host] if host else [])]
    assert refusal(1, *flags) == f"the port is in use: {at} is taken by {holder()}{there}; --tablePort 0 picks a free one"


@pytest.mark.parametrize("flag, other", [("--blobPort", "--queuePort"), ("--queuePort", "--blobPort")])
def test_so_are_the_ports_of_the_other_services(taken, flag, other):
    port = taken()
    said = refusal(1, "azurite", "--inMemoryPersistence", "--tablePort", 0, flag, port, other, 0)
    assert said == f"the port is in use: 127.0.0.1:{port} is taken by {holder()}; {flag} 0 picks a free one"


def test_a_second_server_on_a_port_is_told_of_the_first():
    with started("--inMemoryPersistence") as first:
        port = first.wait_for(STOPS).splitlines()[0].rsplit(":", 1)[1]
        said = refusal(1, "--inMemoryPersistence", "--tablePort", port)
        assert f"127.0.0.1:{port} is taken by rocktable (pid {first.pid})" in said


# --- the public key on an address that other machines can reach ---------------------------------------


@pytest.fixture
def own_accounts(tmp_path):
    file = tmp_path / "accounts"
    file.write_text("mine:c2VjcmV0\n")
    return ["--accounts", file]


@pytest.mark.parametrize("host, more, warns", [
    ("0.0.0.0", [], True),
    ("::", [], True),
    ("0.0.0.0", ["azurite", "--blobPort", 0, "--queuePort", 0], True),
    ("0.0.0.0", ["own"], False),
    ("0.0.0.0", ["own", "--anyAccount"], True),
    ("127.0.0.1", [], False),
    ("::1", [], False),
    ("localhost", [], False),
])
def test_one_line_warns_where_others_reach_the_public_key(host, more, warns, own_accounts):
    flags = [word for one in more for word in (own_accounts if one == "own" else [one])]
    with started("--inMemoryPersistence", "--tableHost", host, *flags) as program:
        program.wait_for("Table service is successfully listening")
        lines = [line for line in program.errors().splitlines() if "version" not in line]
        assert len(lines) == warns, lines
        if warns:
            where = f"[{host}]" if ":" in host else host
            assert lines[0].startswith(f"rocktable: everybody who can reach {where}:") and PUBLIC in lines[0]
            assert "--tableHost 127.0.0.1" in lines[0] and "--accounts FILE" in lines[0]
