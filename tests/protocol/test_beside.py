"""rocktable --with azurite: which programs are started, and what happens if they do not do what Azurite does. Small
programs stand in for Azurite, whose own tests are in tests/beside."""
import os
import signal
import stat
import subprocess
import time

import pytest

from descendants import children_of
from own_server import needs_program
from process import is_running, wait_until
from program import Program
from rocktable_server import BINARY, Server

pytestmark = needs_program

SECONDS = 20
LISTENS = 'echo "Azurite Some service successfully listens on http://127.0.0.1:$PORT"'
GOES_ON = "exec sleep 600"


def install(folder, blob, queue=None):
    """Makes programs azurite-blob and azurite-queue of these lines of shell."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in (("azurite-blob", blob), ("azurite-queue", queue or blob)):
        path = folder / name
        path.write_text(f"#!/bin/sh\n{lines}\n")
        path.chmod(stat.S_IRWXU)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def listens_at(port, then=GOES_ON):
    return f"PORT={port}\n{LISTENS}\n{then}"


def start(environment, *flags, **options):
    return Server("--with", "azurite", *flags, environment=environment, **options)


def refusal(environment, *flags, folder=None):
    """Returns the sentence with which a start is refused."""
    with Program(BINARY, "--inMemoryPersistence", "--tablePort", 0, "--with", "azurite", *flags, environment=environment,
                 folder=folder) as program:
        assert program.process.wait(SECONDS) == 1
        assert program.output() == ""
        (line,) = program.errors().splitlines()
    return line


def test_without_azurite_the_start_says_how_to_install_it(tmp_path):
    assert refusal({"PATH": "/nowhere"}, folder=tmp_path) == (
        "rocktable: --with azurite needs the program azurite-blob, which is neither in PATH nor in node_modules/.bin: npm "
        "install --global azurite")


def test_the_nearest_project_comes_before_the_path(tmp_path):
    environment = install(tmp_path / "bin", listens_at(1))
    install(tmp_path / "project/node_modules/.bin", listens_at(2))
    (tmp_path / "project/inside").mkdir()
    with Program(BINARY, "--inMemoryPersistence", "--tablePort", 0, "--with", "azurite", environment=environment,
                 folder=tmp_path / "project/inside") as program:
        program.wait_for("blobs are at http://127.0.0.1:2, served by azurite-blob")
        assert program.end() == 0
    with Program(BINARY, "--inMemoryPersistence", "--tablePort", 0, "--with", "azurite", environment=environment,
                 folder=tmp_path) as program:
        program.wait_for("queues are at http://127.0.0.1:1, served by azurite-queue")
        assert program.end() == 0


def test_it_is_started_with_the_accounts_and_ports_of_the_server(tmp_path):
    told = tmp_path / "told"
    environment = install(tmp_path / "bin", f'echo "$0 $* $AZURITE_ACCOUNTS ${{AZURITE_DB-none}}" >>{told}\n{listens_at(7)}')
    environment |= {"AZURITE_ACCOUNTS": "one:a2V5:b3RoZXI=;two:dHdv", "AZURITE_DB": "mysql://u:p@h/d"}
    start(environment, "--blobPort", 1001, "--queueHost", "::1", "--queuePort", 1002).stop()
    always = "--silent --skipApiVersionCheck --disableTelemetry"
    assert sorted(told.read_text().splitlines()) == [
        f"{tmp_path}/bin/azurite-blob {always} --blobPort 1001 --inMemoryPersistence one:a2V5:b3RoZXI=;two:dHdv none",
        f"{tmp_path}/bin/azurite-queue {always} --queuePort 1002 --queueHost ::1 --inMemoryPersistence "
        "one:a2V5:b3RoZXI=;two:dHdv none",
    ]


def test_an_address_of_ipv6_is_written_as_in_urls(tmp_path):
    program = "echo 'Azurite Some service successfully listens on http://::1:77'\n" + GOES_ON
    server = start(install(tmp_path, program))
    assert "BlobEndpoint=http://[::1]:77/devstoreaccount1;" in server.connection_string
    server.stop()


def test_a_program_that_fails_ends_the_start_with_its_last_line(tmp_path):
    environment = install(tmp_path, listens_at(1), "echo first\necho 'the reason' >&2\necho\nexit 3")
    assert refusal(environment) == "rocktable: azurite-queue did not start (exit code 3): the reason"
    environment = install(tmp_path, "exit 0")
    assert refusal(environment) == "rocktable: azurite-blob did not start (exit code 0)"
    environment = install(tmp_path, "kill -9 $$")
    assert refusal(environment) == "rocktable: azurite-blob did not start (signal 9 (Killed))"


def test_a_port_that_is_taken_is_named_with_who_has_it(tmp_path):
    other = Server()
    said = "Exit due to unhandled error: listen EADDRINUSE: address already in use"
    line = refusal(install(tmp_path, f"echo '{said}' >&2\nexit 1"), "--blobPort", other.port)
    other.stop()
    assert line.startswith(f"rocktable: the port is in use: 127.0.0.1:{other.port} is taken by rocktable (pid ")
    assert line.endswith("; --blobPort 0 picks a free one")


def test_a_program_that_cannot_be_executed_is_named(tmp_path):
    environment = install(tmp_path, "")
    (tmp_path / "azurite-blob").write_text("#!/nowhere/interpreter\n")
    assert refusal(environment).startswith("rocktable: azurite-blob did not start (exit code 127): ")


def test_a_signal_ends_a_start_that_waits(tmp_path):
    environment = install(tmp_path, "echo $$ >>pids\nexec sleep 600")
    with Program(BINARY, "--inMemoryPersistence", "--tablePort", 0, "--with", "azurite", environment=environment,
                 folder=tmp_path) as program:
        wait_until(lambda: (tmp_path / "pids").exists() and len((tmp_path / "pids").read_text().split()) == 2, SECONDS,
                   "they are not started")
        began = time.monotonic()
        assert program.end(signal.SIGINT) == 1
        assert time.monotonic() - began < 5
        assert program.errors() == "rocktable: stopped before Azurite answered\n"
    assert not any(is_running(pid) for pid in (tmp_path / "pids").read_text().split())


def test_one_that_ignores_sigterm_is_killed_after_five_seconds(tmp_path):
    environment = install(tmp_path, listens_at(1), listens_at(2, "trap '' TERM\nwhile :; do sleep 1; done"))
    server = start(environment)
    pids = list(children_of(server.process.pid))
    began = time.monotonic()
    server.stop()
    assert 4.5 < time.monotonic() - began < 9
    assert len(pids) == 2 and not any(is_running(pid) for pid in pids)


def test_one_that_prints_much_does_not_stop(tmp_path):
    more = f"yes 'a long line of the access log' | head -c 3000000; echo done >{tmp_path}/done; {GOES_ON}"
    server = start(install(tmp_path, listens_at(1, more)))
    wait_until((tmp_path / "done").exists, SECONDS, "it waits for a reader")
    server.stop()


def test_all_end_if_exec_is_killed(tmp_path):
    environment = install(tmp_path, f"echo $$ >>{tmp_path}/pids\n{listens_at(1)}")
    with Program(BINARY, "exec", "--with", "azurite", "--", "sleep", "600", environment=environment) as program:
        wait_until(lambda: any("sleep 600" in words for words in children_of(program.pid).values()), SECONDS,
                   "the command is not started")
        program.end(signal.SIGKILL)
        pids = (tmp_path / "pids").read_text().split()
        assert len(pids) == 2
        wait_until(lambda: not any(is_running(pid) for pid in pids), SECONDS, "an Azurite goes on")


def test_exec_exports_the_three_endpoints_and_keeps_its_own_output(tmp_path):
    environment = install(tmp_path, listens_at(5))
    ended = subprocess.run([BINARY, "exec", "--with", "azurite", "--", "sh", "-c", "echo $AZURE_STORAGE_CONNECTION_STRING"],
                           env={**os.environ, **environment}, capture_output=True, text=True, timeout=SECONDS, check=True)
    assert ended.stderr == ""
    (line,) = ended.stdout.splitlines()
    assert "BlobEndpoint=http://127.0.0.1:5/devstoreaccount1;QueueEndpoint=http://127.0.0.1:5/devstoreaccount1;Table" in line


def test_its_lines_replace_the_stubs_of_compat_azurite(tmp_path):
    with Program(BINARY, "--inMemoryPersistence", "--tablePort", 0, "--compat", "azurite", "--with", "azurite",
                 environment=install(tmp_path, listens_at(6))) as program:
        said = program.wait_for("Azurite Table service is successfully listening")
        assert "Azurite Blob service is successfully listening at http://127.0.0.1:6\n" in said
        assert program.end() == 0


@pytest.mark.parametrize("flags, sentence", [
    (["--with", "floci"], "--with must be azurite"),
    (["--with", "azurite", "--blobUpstream", "http://h"], "--with azurite serves blobs and queues: remove --blobUpstream"),
    (["--with", "azurite", "--store", "postgresql://h/d"], "--with azurite is for the embedded store: start Azurite by "),
], ids=["another", "upstream", "database"])
def test_what_does_not_go_together_is_refused(flags, sentence):
    ended = subprocess.run([BINARY, *flags], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (ended.returncode, ended.stdout) == (2, "") and ended.stderr.startswith(f"rocktable: {sentence}")
