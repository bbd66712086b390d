"""The program for Windows, started as users do: what it does with files, names, processes and signals of that system.

Needs build/windows/rocktable.exe (script/build windows), and Wine where this is not Windows.
"""
import json
import os
import shutil
import stat
import subprocess

import pytest

import windows_program
from process import wait_until
from rocktable_server import create_table, send
from windows_program import ON_WINDOWS, SECONDS, does_listen, interrupt, path, run, serving, start

pytestmark = pytest.mark.skipif(not windows_program.IS_THERE, reason=windows_program.WHAT_IS_MISSING)

NAME = "Müller 日本 (ü)"  # of folders and keys


def insert(server, table, key, **properties):
    entity = {"PartitionKey": key, "RowKey": "1"} | properties
    answer = send(server, "POST", f"/{table}", {"Content-Type": "application/json", "Prefer": "return-no-content"},
                  json.dumps(entity).encode())
    assert answer.status == 204, answer


def keys_in(server, table):
    answer = send(server, "GET", f"/{table}()", {"Accept": "application/json;odata=nometadata"})
    assert answer.status == 200, answer
    return [entity["PartitionKey"] for entity in answer.json()["value"]]


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("shared"), "--silent") as server:
        yield server


# --- Streams and arguments -------------------------------------------------------------------------------------


def test_output_has_the_line_ends_of_other_systems():
    answer = run("--help")
    assert answer.returncode == 0
    assert b"--tablePort" in answer.stdout and b"\r" not in answer.stdout


def test_a_wrong_option_is_one_sentence():
    answer = run("--tablePort", "many")
    assert answer.returncode == 2
    assert answer.stderr.startswith(b"rocktable: ") and answer.stderr.count(b"\n") == 1, answer


def test_a_path_that_begins_with_a_slash_is_no_option():
    answer = run("faults", "add", "/absent/rule.json")
    assert answer.returncode == 1, answer
    assert b"/absent/rule.json cannot be read" in answer.stderr, answer


def test_the_name_of_a_copy_counts_without_its_extension(tmp_path):
    copy = tmp_path / "azurite-table.exe"
    os.symlink(windows_program.PROGRAM, copy) if not ON_WINDOWS else shutil.copy(windows_program.PROGRAM, copy)
    answer = run("--inMemoryPersistence", "--tablePort", 0, "--stopAtInputEnd", program=copy)
    assert answer.returncode == 0, answer
    assert b"Azurite Table service successfully started on 127.0.0.1:" in answer.stdout, answer


def test_the_store_in_a_database_is_refused():
    answer = run("--store", "postgresql://localhost/rocktable")
    assert answer.returncode == 2
    assert b"--store is not in this program" in answer.stderr, answer


def test_variables_count_in_any_case(tmp_path):
    answer = run("--location", path(tmp_path / "data"), rocktable_table_port="many")
    assert answer.returncode == 2 and b"ROCKTABLE_TABLE_PORT" in answer.stderr, answer


# --- The server ------------------------------------------------------------------------------------------------


def test_data_in_a_folder_with_any_name_is_kept(tmp_path):
    location = tmp_path / NAME / ("long " * 20 + "name")
    location.parent.mkdir()
    for number in range(3):
        with serving(tmp_path / str(number), location=location) as server:
            table = "Kept"
            if number == 0:
                create_table(server, table)
            assert keys_in(server, table) == [f"{NAME}{i}" for i in range(number)]
            insert(server, table, f"{NAME}{number}")
            assert server.stop() == 0
            assert b"rocktable: stopped; 1 table kept in " in server.output()
    assert (location / "__rocktable__" / "CURRENT").exists()


def test_a_kill_loses_nothing_that_was_answered(tmp_path):
    location = tmp_path / "data"
    with serving(tmp_path / "first", "--sync", location=location) as server:
        create_table(server, "Kept")
        insert(server, "Kept", "a")
        server.process.kill()
        server.process.wait(SECONDS)
    with serving(tmp_path / "second", location=location) as server:
        assert keys_in(server, "Kept") == ["a"]


def test_ctrl_c_stops_in_order(tmp_path):
    with serving(tmp_path / "server", location=tmp_path / "data") as server:
        create_table(server, "Kept")
        interrupt(server.process)
        assert server.process.wait(SECONDS) == 0
        assert b"rocktable: stopped; 1 table kept in " in server.output()


def test_a_second_server_is_told_who_has_the_port_and_the_folder(tmp_path, shared):
    taken = run("--inMemoryPersistence", "--tablePort", shared.port)
    assert taken.returncode == 1
    # the sockets of Wine are in a process of its own
    holder = f"rocktable.exe (pid {shared.ready['pid']})" if ON_WINDOWS else "another program"
    assert f"is taken by {holder}".encode() in taken.stderr, taken
    with serving(tmp_path / "server", location=tmp_path / "data"):
        locked = run("--location", path(tmp_path / "data"), "--tablePort", 0)
        assert locked.returncode == 1 and b"is in use" in locked.stderr, locked


def test_a_reader_of_output_that_does_not_read_keeps_nobody_waiting(tmp_path):
    with serving(tmp_path / "server", stdout=subprocess.PIPE) as server:
        for _ in range(1500):  # lines of 100 bytes: more than a pipe takes
            assert send(server, "GET", "/Tables").status == 200
        server.process.stdout.close()
        assert send(server, "GET", "/Tables").status == 200
        assert server.stop() == 0


def test_the_local_authority_is_trusted_and_its_key_is_private(tmp_path):
    for name in ("first", "second"):
        with serving(tmp_path / name, "--tls", "auto", location=tmp_path / "data") as server:
            assert server.url.startswith("https://")
            assert send(server, "GET", "/Tables").status == 200
            assert "other users can read" not in server.errors()
    key = tmp_path / "data/__rocktable_tls__/ca-key.pem"
    if not ON_WINDOWS:  # Wine shows the access control list as a mode: the group are the administrators
        assert stat.S_IMODE(key.stat().st_mode) & 0o007 == 0


def test_accounts_are_read_again_when_their_file_changes(tmp_path):
    key, file = "a2V5MQ==", tmp_path / "accounts.txt"
    file.write_text(f"devstoreaccount1:{key}\r\n")
    with serving(tmp_path / "server", "--accounts", path(file)) as server:
        assert send(server, "GET", "/Tables").status == 200
        replacement = tmp_path / "new.txt"
        replacement.write_text("devstoreaccount1:a2V5Mg==\r\n")
        os.replace(replacement, file)
        wait_until(lambda: send(server, "GET", "/Tables").status == 403, SECONDS, "the new key does not count")


def test_a_trace_is_whole_while_it_is_written(tmp_path):
    trace = tmp_path / f"{NAME}.har"
    for number in range(2):
        with serving(tmp_path / str(number), "--trace", path(trace)) as server:
            for _ in range(3):
                assert send(server, "GET", "/Tables").status == 200
            wait_until(lambda: len(json.loads(trace.read_text(encoding="utf-8"))["log"]["entries"]) == 3, SECONDS,
                       "the trace does not get whole")
    assert (tmp_path / f"{NAME}.har.1").exists()


def test_snapshots_are_taken_and_restored(tmp_path):
    with serving(tmp_path / "server", location=tmp_path / "data") as server:
        create_table(server, "Kept")
        insert(server, "Kept", "a")
        at_server = ("--url", server.url)
        assert run("snapshot", "take", "before", *at_server).returncode == 0
        for _ in range(2):
            insert(server, "Kept", "b")
            restored = run("snapshot", "restore", "before", *at_server)
            assert restored.returncode == 0, restored
            assert keys_in(server, "Kept") == ["a"]
        assert run("reset", "--yes", *at_server).returncode == 0
        assert server.stop() == 0
    with serving(tmp_path / "again", location=tmp_path / "data") as server:
        assert run("snapshot", "restore", "before", "--url", server.url).returncode == 0
        assert keys_in(server, "Kept") == ["a"]


def test_export_import_and_repair(tmp_path, shared):
    create_table(shared, "Exported")
    for key in ("a", NAME):
        insert(shared, "Exported", key)
    folder = tmp_path / NAME
    folder.mkdir()
    file = folder / "Exported.ndjson"
    for _ in range(2):  # also over the file of before
        answer = run("export", "--from", shared.connection_string, "--to", path(file), "--table", "Exported")
        assert answer.returncode == 0, answer
    assert b"\r" not in file.read_bytes() and len(file.read_bytes().splitlines()) >= 2
    with serving(tmp_path / "server", location=tmp_path / "data") as server:
        answer = run("import", "--from", path(file), "--to", server.connection_string, "--table", "Exported")
        assert answer.returncode == 0, answer
        assert keys_in(server, "Exported") == sorted(["a", NAME])
        assert server.stop() == 0
    os.remove(tmp_path / "data/__rocktable__/CURRENT")
    repaired = run("repair", path(tmp_path / "data"))
    assert repaired.returncode == 0, repaired
    with serving(tmp_path / "again", location=tmp_path / "data") as server:
        assert keys_in(server, "Exported") == sorted(["a", NAME])


# --- exec ------------------------------------------------------------------------------------------------------


def test_exec_passes_variables_and_the_exit_code():
    answer = run("exec", "--", "cmd", "/d", "/c", "echo %ROCKTABLE_URL%& echo %AZURE_TABLES_CONNECTION_STRING%& exit 7")
    assert answer.returncode == 7, answer
    assert answer.stdout.startswith(b"http://127.0.0.1:") and b"AccountName=devstoreaccount1" in answer.stdout


def test_exec_says_that_a_program_is_not_there():
    answer = run("exec", "--", "no-such-program")
    assert answer.returncode == 127
    assert answer.stderr.startswith(b"rocktable: cannot run no-such-program: "), answer


def test_exec_replaces_a_variable_of_another_case():
    answer = run("exec", "--", "cmd", "/d", "/c", "echo %ROCKTABLE_PORT%", rocktable_port="1")
    assert answer.returncode == 0 and answer.stdout.strip().isdigit() and answer.stdout.strip() != b"1", answer


# Those of npm are batch files. The shell would expand and split what is between quotation marks.
def test_exec_gives_batch_files_their_arguments_unchanged(tmp_path):
    batch = tmp_path / "batch file.cmd"
    batch.write_text("@echo off\r\necho [%~1][%~2]\r\nexit 3\r\n")
    second = "x%PATH%y" if ON_WINDOWS else "x,y=z;w"  # the shell of Wine expands variables in any case
    answer = run("exec", "--", path(batch), "a b", second)
    assert answer.returncode == 3, answer
    assert answer.stdout.strip() == f"[a b][{second}]".encode(), answer


def test_the_report_of_exec_is_behind_the_output_of_its_command():
    answer = run("exec", "--report", "-", "--reportFormat", "json", "--", "cmd", "/d", "/c", "echo first")
    assert answer.returncode == 0, answer
    first, _, report = answer.stdout.partition(b"\n")
    assert first.strip() == b"first" and isinstance(json.loads(report), dict)


# The command is a server of its own, which says its port.
def command_that_stays(folder):
    return ["--", path(windows_program.PROGRAM), "--inMemoryPersistence", "--tablePort", "0", "--readyFile",
            path(folder / "command.json"), "--silent"]


def ports_of(folder):
    files = [folder / "command.json", folder / "server.json"]
    wait_until(lambda: all(file.exists() for file in files), SECONDS, "exec or its command does not get ready")
    return [json.loads(file.read_text())["port"] for file in files]


@pytest.mark.parametrize("end", ["kill", "interrupt"])
def test_the_children_of_exec_end_with_it(tmp_path, end):
    process = start(tmp_path, "exec", "--readyFile", path(tmp_path / "server.json"), *command_that_stays(tmp_path))
    try:
        ports = ports_of(tmp_path)
        assert all(map(does_listen, ports))
        process.kill() if end == "kill" else interrupt(process)
        process.wait(SECONDS)
        wait_until(lambda: not any(map(does_listen, ports)), SECONDS, "a child goes on")
    finally:
        if process.poll() is None:
            process.kill()




# --- Azurite beside it -----------------------------------------------------------------------------------------


def install_azurite(folder):
    """Makes azurite-blob and azurite-queue as npm does: batch files, which start another program. That is a server
    here, which tells in a file that it stopped in order. Returns the variables for rocktable."""
    folder.mkdir()
    for number, name in enumerate(("blob", "queue"), 1):
        program = path(windows_program.PROGRAM)
        flags = f'--inMemoryPersistence --tablePort 0 --readyFile "{path(folder / name)}.json"'
        lines = ["@echo off", f"echo Azurite Some service successfully listens on http://127.0.0.1:{number}",
                 f'"{program}" {flags} >"{path(folder / name)}.out" 2>&1']
        (folder / f"azurite-{name}.cmd").write_text("".join(f"{line}\r\n" for line in lines), newline="")
        (folder / f"azurite-{name}").write_text("#!/bin/sh\n")  # for shells of POSIX
    return {"WINEPATH": path(folder)} if not ON_WINDOWS else {"PATH": f"{folder};{os.environ['PATH']}"}


def azurite_ports_in(folder):
    files = [folder / "blob.json", folder / "queue.json"]
    wait_until(lambda: all(file.exists() for file in files), SECONDS, "what stands in for Azurite does not get ready")
    return [json.loads(file.read_text())["port"] for file in files]


def test_without_azurite_the_start_is_refused():
    answer = run("--inMemoryPersistence", "--tablePort", 0, "--with", "azurite")
    assert answer.returncode == 1, answer
    assert b"needs the program azurite-blob, which is neither in PATH" in answer.stderr, answer


@pytest.mark.parametrize("end", ["input", "kill"])
def test_azurite_ends_with_the_server(tmp_path, end):
    installed = tmp_path / "with blanks"
    with serving(tmp_path / "server", "--with", "azurite", variables=install_azurite(installed)) as server:
        assert "BlobEndpoint=http://127.0.0.1:1/devstoreaccount1;" in server.connection_string
        assert "QueueEndpoint=http://127.0.0.1:2/devstoreaccount1;" in server.connection_string
        ports = azurite_ports_in(installed)
        assert all(map(does_listen, ports))
        if end == "kill":
            server.process.kill()
        else:
            assert server.stop() == 0
            if ON_WINDOWS:  # Wine gives a process without a terminal no console to attach to: then it is killed
                assert all(b"rocktable: stopped; " in file.read_bytes() for file in installed.glob("*.out"))
        wait_until(lambda: not any(map(does_listen, ports)), SECONDS, "an Azurite goes on")


def test_azurite_that_ends_is_told_and_the_tables_go_on(tmp_path):
    variables = install_azurite(tmp_path / "bin")
    says = "echo Azurite Some service successfully listens on http://127.0.0.1:2"
    (tmp_path / "bin/azurite-queue.cmd").write_text(f"@echo off\r\n{says}\r\nexit 3\r\n", newline="")
    with serving(tmp_path / "server", "--with", "azurite", variables=variables) as server:
        wait_until(lambda: "azurite-queue ended" in server.errors(), SECONDS, "the end is not told")
        assert "azurite-queue ended (exit code 3): there are no queues any more, the tables go on" in server.errors()
        assert send(server, "GET", "/Tables").status == 200
