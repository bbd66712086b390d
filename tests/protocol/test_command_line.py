"""Starts and stops the program as users do: flags, exit codes, files, signals, durability."""
import concurrent.futures
import contextlib
import email.utils
import fcntl
import http.client
import os
import pathlib
import pty
import signal
import socket
import struct
import subprocess
import termios
import threading
import time

import pytest

from own_server import needs_program
from process import wait_until
from program import refusal, run
from rocktable_server import (
    BINARY,
    all_entities,
    authorization,
    batch_part,
    create_table,
    delete_table,
    exchange,
    request_bytes,
    send,
    send_batch,
)

pytestmark = needs_program

HELP_WIDTH = 80
FLAGS = """--tableHost --tablePort --tableKeepAliveTimeout --location --silent --debug --loose
    --skipApiVersionCheck --disableProductStyleUrl --inMemoryPersistence --disableTelemetry --readyFile --sync
    --insightHeaders --strictApiVersion --compat --blobHost --queuePort --extentMemoryLimit
    --accounts --anyAccount --tls --cert --key --pwd --oauth --roles --identitySecret --controlToken --explainAuth --version --help
    --seed --seedAccount --trace --traceLimit --config --stopAtInputEnd""".split()


def refuses(code, *flags, environment=None, names=""):
    """Checks that the program exits with this code and one sentence on standard error that names the cause."""
    result = run(*flags, environment=environment)
    assert result.returncode == code, result
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    assert names in result.stderr, result.stderr
    assert "listening" not in result.stdout
    return result.stderr


def insert(server, table, row, **properties):
    body = '{"PartitionKey":"p","RowKey":"%s"}' % row
    return send(server, "POST", f"/{table}", {"Prefer": "return-no-content"}, body, **properties)


def rows(server, table):
    return {entity["RowKey"] for entity in all_entities(server, table)}


def tables(server):
    return [table["TableName"] for table in send(server, "GET", "/Tables").json()["value"]]


def etag(server, table, row):
    return send(server, "GET", f"/{table}(PartitionKey='p',RowKey='{row}')").headers["ETag"]


# --- what is printed ------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["--version", "-v", "version"])
def test_version(word):
    result = run(word)
    assert (result.returncode, result.stderr) == (0, "")
    (line,) = result.stdout.splitlines()
    assert any(word[0].isdigit() and "." in word for word in line.split()), line


COMMANDS = ["copy", "exec", "export", "healthcheck", "import", "migrate", "repair", "reset", "snapshot"]


@pytest.mark.parametrize("words", [*([name] for name in COMMANDS), ["snapshot", "take"], ["migrate", "up"]], ids=" ".join)
def test_help_on_a_command_is_its_own_help(words):
    for asked in (["help", *words], ["--tableHost", "0.0.0.0", "help", *words]):
        result = run(*asked)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout == run(*words, "--help").stdout != run("--help").stdout
    assert max(map(len, result.stdout.splitlines())) <= HELP_WIDTH


def test_help_without_a_command_is_all_of_it():
    for words in (["help"], ["help", "help"], ["help", "azurite"], ["--tableHost", "0.0.0.0", "help"]):
        assert run(*words).stdout == run("--help").stdout
    assert refusal(2, "help", "snapshto") == "there is no command snapshto: did you mean snapshot? (see rocktable --help)"


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["snapshot", "foo"], "there is no command foo (see rocktable snapshot --help)"),
        (["snapshot", "tkae"], "there is no command tkae: did you mean take? (see rocktable snapshot --help)"),
        (["migrate", "down"], "there is no command down (see rocktable migrate --help)"),
        (["migrate", "up", "dir", "more"], "there is no command more (see rocktable migrate up --help)"),
        (["exec", "foo"], "there is no command foo (see rocktable exec --help)"),
        (["export", "foo"], "there is no command foo (see rocktable export --help)"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_help_on_what_is_not_there_is_refused(words, sentence):
    assert refusal(2, "help", *words) == sentence
    # --help shows the page, also after a wrong argument.
    assert run(*words, "--help").returncode == 0


ACTIONS = [["snapshot", action] for action in ("take", "restore", "list", "show", "delete")]


@pytest.mark.parametrize("words", ACTIONS, ids=" ".join)
def test_the_help_of_an_action_has_the_options_that_it_inherits(words):
    page = run("help", *words).stdout
    for option in ("--connectionString,--url", "--caFile", "--controlToken", "--json"):
        assert page.count(f"\n  {option} ") == 1, option
    assert "CONN identifies a running rocktable" in page
    assert ("NAME REQUIRED" in page) == (words[1] != "list")


def test_the_help_of_migrations_explains_accounts_where_one_is_needed():
    for action in ("up", "abort", "status", "verify", "new"):
        page = run("help", "migrate", action).stdout
        assert ("--connectionString" in page) == ("CONN identifies an account" in page) == ("AZURE_" in page) == (action != "new")
        assert "Exit codes: " in page


def test_a_paragraph_of_a_help_page_has_one_short_line_at_most():
    text = run("help", "reset").stdout.split("Usage:")[0].splitlines()
    assert len(text[1]) > HELP_WIDTH - 20 and text[2].startswith("and settings), or one table ")


def at_a_terminal(columns, *words):
    """Returns what the program prints at a terminal of this width."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([str(word) for word in (BINARY, *words)], stdout=follower)
    os.close(follower)
    text = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while piece := os.read(leader, 65536):
            text += piece
    os.close(leader)
    assert process.wait(20) == 0
    return text.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [40, 80, 132])
def test_help_is_as_wide_as_the_terminal(columns):
    for words in (["--help"], ["snapshot", "--help"], ["exec", "--help"]):
        page = at_a_terminal(columns, *words)
        too_wide = [line for line in page.splitlines() if len(line) > columns and " " in line.strip()]
        assert not too_wide
        assert " ".join(page.split()) == " ".join(run(*words).stdout.split()), "other words than at other widths"


def test_help_says_how_else_options_are_given():
    page = run("--help").stdout
    for text in ("rocktable help COMMAND", "ROCKTABLE_TABLE_PORT=", "--config FILE", "the last one wins"):
        assert text in page, text


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["snapshot", "tkae", "x"], "there is no command tkae: did you mean take? (see rocktable snapshot --help)"),
        (["snapshot", "take", "x", "--repalce"], "there is no option --repalce: did you mean --replace?"),
        (["snapshot", "take", "--repalce"], "there is no option --repalce: did you mean --replace?"),
        (["snapshot", "--ulr", "x", "list"], "there is no option --ulr: did you mean --url?"),
        (["snapshot"], "a command is required: take, restore, "),
        (["snapshot", "take"], "NAME is required (see rocktable snapshot take --help)"),
        (["snapshot", "take", "x", "y"], "unexpected argument y (see rocktable snapshot take --help)"),
        (["migrate", "up"], "DIR is required (see rocktable migrate up --help)"),
        (["reset", "--acount", "a"], "there is no option --acount: did you mean --account?"),
        (["exec", "--exprot", "X", "--", "true"], "there is no option --exprot: did you mean --export?"),
        (["exec", "--tablePrt", "1", "--", "true"], "there is no option --tablePrt: did you mean --tablePort?"),
        (["copy", "--form", "x"], "there is no option --form: did you mean --from?"),
        (["healthcheck", "surplus"], "unexpected argument surplus"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_slip_in_a_commands_line_is_answered_with_what_is_near(words, sentence):
    assert refusal(2, *words).startswith(sentence)


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_fits_the_screen_and_names_every_flag(flag):
    result = run(flag)
    assert (result.returncode, result.stderr) == (0, "")
    too_wide = [line for line in result.stdout.splitlines() if len(line) > HELP_WIDTH]
    assert not too_wide
    assert [name for name in FLAGS if name not in result.stdout] == []
    assert "azurite-table: " in result.stdout.split("--compat NAME")[1].split("\n\n")[0]


@pytest.mark.parametrize(
    "flags, names",
    [
        (["--nonsense"], "--nonsense"),
        (["-Z"], "-Z"),
        (["surplus"], "surplus"),
        (["--tablePort"], "--tablePort"),
        (["--tablePort", "many"], "--tablePort"),
        (["--tablePort", "-1"], "--tablePort"),
        (["--tablePort", "65536"], "--tablePort 65536: must be 0 to 65535"),
        (["--maxConnections", "0"], "--maxConnections 0: must be 1 to 1000000"),
        (["--tablePrt", "1"], "there is no option --tablePrt: did you mean --tablePort?"),
        (["snapshto"], "there is no command snapshto: did you mean snapshot?"),
        (["--traceLimit", "5"], "--traceLimit needs --trace"),
    ],
)
def test_a_mistake_on_the_command_line_is_named(flags, names):
    refuses(2, *flags, names=names)


@pytest.mark.parametrize("url", ["u:TOP@SECRET@host/db", "u:50%zzSECRET@host/db", "u:SECRET@[::1/db",
                                 "u:SECRET/c?a=b@host/db", "u:SECRET/db"])
def test_a_password_that_is_not_percent_encoded_is_not_printed(url):
    """libpq would take it for a host, a port or a parameter, and name that in its messages."""
    result = run("--store", "postgresql://" + url, "--tablePort", "0")
    assert (result.returncode, result.stdout) == (2, "")
    assert "--store" in result.stderr
    assert "SECRET" not in result.stderr


def test_the_start_is_announced_also_with_silent(start):
    server = start()
    lines = server.output().splitlines()
    announcement = f"rocktable: Table service is successfully listening at http://127.0.0.1:{server.port}"
    assert any(line.startswith(announcement) for line in lines), lines
    position = next(i for i, line in enumerate(lines) if announcement in line)
    assert any(server.connection_string in line for line in lines[position + 1 :]), lines
    assert send(server, "GET", "/Tables").status == 200
    assert server.output().splitlines() == lines, "--silent, but requests are logged"
    server.stop()


def test_the_ready_file(start):
    server = start()
    assert set(server.ready) == {"port", "endpoint", "connectionString", "accounts", "pid"}
    shared = {name: server.ready[name] for name in ("endpoint", "connectionString")}
    assert server.ready["accounts"] == [{"name": "devstoreaccount1", **shared}]
    assert server.ready["pid"] == server.process.pid
    assert server.ready["endpoint"] == f"http://127.0.0.1:{server.ready['port']}/devstoreaccount1"
    assert f"TableEndpoint={server.ready['endpoint']}" in server.ready["connectionString"]
    assert "AccountName=devstoreaccount1;" in server.ready["connectionString"]
    assert send(server, "GET", "/Tables").status == 200


def test_a_ready_file_that_cannot_be_written_is_an_error(tmp_path):
    path = tmp_path / "absent" / "ready.json"
    refuses(1, "--inMemoryPersistence", "--tablePort", 0, "--readyFile", path, names=str(path))


def test_port_0_takes_a_free_port(start):
    ports = {start().port for _ in range(3)}
    assert len(ports) == 3 and 0 not in ports


def test_a_given_port_and_host_are_used(start):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = start("--tableHost", "0.0.0.0", port=port)
    assert server.ready["port"] == port
    assert send(server, "GET", "/Tables").status == 200


def test_options_for_the_other_services_are_taken(start):
    server = start(
        *"--blobHost 127.0.0.1 --blobPort 1 --queueHost 127.0.0.1 --queuePort 1".split(),
        *"--skipApiVersionCheck --loose --disableTelemetry --extentMemoryLimit 50".split(),
        *"--tableKeepAliveTimeout 5".split(),
    )
    assert send(server, "GET", "/Tables").status == 200


# --- errors at the start --------------------------------------------------------------------------


def test_a_busy_port_is_reported(tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        refuses(1, "--location", tmp_path, "--tablePort", port, names=str(port))


def test_a_host_that_is_not_of_this_machine_is_reported():
    for host in ("not an address", "192.0.2.1"):
        refuses(1, "--inMemoryPersistence", "--tableHost", host, "--tablePort", 0, names=host)


def test_an_unwritable_folder_is_reported(tmp_path):
    file = tmp_path / "file"
    file.write_text("not a folder")
    for location in (file, file / "below", "/proc/rocktable"):
        refuses(1, "--location", location, "--tablePort", 0, names=str(location))
    assert file.read_text() == "not a folder"


def test_a_folder_in_use_is_reported_and_its_user_not_disturbed(start, tmp_path):
    first = start(location=tmp_path)
    create_table(first, "held")
    assert insert(first, "held", "before").status == 204
    sentence = f"the folder {tmp_path}/__rocktable__ is in use by another rocktable"
    assert refusal(1, "--location", tmp_path, "--tablePort", 0) == sentence
    assert refusal(1, "--location", ".", "--tablePort", 0, folder=tmp_path) == sentence
    assert refusal(1, "repair", tmp_path) == refusal(1, "repair", ".", folder=tmp_path) == sentence
    assert insert(first, "held", "after").status == 204
    first.stop()
    assert rows(start(location=tmp_path), "held") == {"before", "after"}


def test_a_damaged_store_is_reported_and_not_repaired_by_deletion(start, tmp_path):
    server = start(location=tmp_path)
    create_table(server, "damaged")
    server.stop()
    store = tmp_path / "__rocktable__"
    current = store / "CURRENT"
    current.write_text("nonsense\n")
    before = {path.name for path in store.glob("*.sst")} | {path.name for path in store.glob("MANIFEST*")}
    assert before
    refuses(1, "--location", tmp_path, "--tablePort", 0)
    assert before <= {path.name for path in store.iterdir()}


def test_foreign_files_stay_untouched(start, tmp_path):
    foreign = {
        "__azurite_db_table__.json": "{}",
        "LOG": "my own log",
        "CURRENT": "mine",
        "000001.sst": "not a table file",
        "folder/notes.txt": "text",
    }
    for name, text in foreign.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    server = start(location=tmp_path)
    create_table(server, "ours")
    server.stop()
    assert {name: (tmp_path / name).read_text() for name in foreign} == foreign
    expected = {pathlib.Path(name).parts[0] for name in foreign} | {"__rocktable__"}
    assert {path.name for path in tmp_path.iterdir()} == expected


def start_by_hand(folder):
    """Starts a server in a folder and ends it as soon as its ready file exists. Returns the exit code."""
    ready = folder / "ready.json"
    working = folder / "working"
    working.mkdir(exist_ok=True)
    flags = ["--inMemoryPersistence", "--tablePort", "0", "--readyFile", str(ready), "--silent"]
    process = subprocess.Popen([str(BINARY), *flags], cwd=working, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while not ready.exists() and process.poll() is None and time.monotonic() < deadline:
        pass  # without a pause, to be as fast as possible
    process.terminate()
    ready.unlink()
    return process.wait(10)


def test_data_in_memory_leave_nothing_on_disk(tmp_path):
    start_by_hand(tmp_path)
    assert list((tmp_path / "working").iterdir()) == []


def test_who_sees_the_ready_file_may_end_the_server_at_once(tmp_path):
    assert [start_by_hand(tmp_path) for _ in range(20)] == [0] * 20


# --- signals and durability -----------------------------------------------------------------------


class Load:
    """Several clients insert rows until the server ends, and record acknowledged rows."""

    def __init__(self, server, table, clients=4):
        create_table(server, table)
        self.acknowledged = set()
        self._lock = threading.Lock()
        self._pool = concurrent.futures.ThreadPoolExecutor(clients)
        self._work = [self._pool.submit(self._insert, server, table, client) for client in range(clients)]

    def _insert(self, server, table, client):
        for number in range(1_000_000):
            row = f"{client}-{number}"
            try:
                answer = insert(server, table, row)
            except (OSError, http.client.HTTPException):
                return
            assert answer.status == 204, answer
            with self._lock:
                self.acknowledged.add(row)

    def wait_for(self, count):
        wait_until(lambda: len(self.acknowledged) >= count, 20, "the load does not get on")

    def join(self):
        for work in self._work:
            work.result(20)
        self._pool.shutdown()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_under_load_ends_the_server_in_order(start, tmp_path, number):
    server = start(location=tmp_path)
    load = Load(server, "signalled")
    load.wait_for(200)
    begin = time.monotonic()
    assert server.signal(number) == 0
    assert time.monotonic() - begin < 10
    load.join()
    assert load.acknowledged <= rows(start(location=tmp_path), "signalled")


def test_idle_and_half_spoken_connections_do_not_hold_up_the_end(start):
    server = start()
    with socket.create_connection((server.host, server.port)), socket.create_connection(
        (server.host, server.port)
    ) as half:
        half.sendall(b"POST /devstoreaccount1/Tables HTTP/1.1\r\nContent-Le")
        time.sleep(0.1)
        begin = time.monotonic()
        assert server.signal(signal.SIGTERM) == 0
        assert time.monotonic() - begin < 10


def test_data_survive_a_restart(start, tmp_path):
    first = start(location=tmp_path)
    create_table(first, "Kept")
    for row in range(50):
        assert insert(first, "Kept", row).status == 204
    before = etag(first, "kept", "7")
    first.stop()
    second = start(location=tmp_path)
    assert tables(second) == ["Kept"]
    assert rows(second, "kept") == {str(row) for row in range(50)}
    assert etag(second, "kept", "7") == before


@pytest.mark.parametrize("round_", range(3))
def test_acknowledged_data_survive_a_kill(start, tmp_path, round_):
    server = start(location=tmp_path)
    load = Load(server, "killed")
    load.wait_for(100 + 150 * round_)
    server.kill()
    load.join()
    kept = rows(start(location=tmp_path), "killed")
    assert load.acknowledged <= kept
    # Unacknowledged rows may exist or not; each client has at most one.
    assert len(kept - load.acknowledged) <= 4


def test_a_deleted_table_stays_deleted_after_a_kill(start, tmp_path):
    first = start(location=tmp_path)
    create_table(first, "gone")
    assert insert(first, "gone", "r").status == 204
    delete_table(first, "gone")
    first.kill()
    second = start(location=tmp_path)
    assert tables(second) == []
    create_table(second, "gone")
    assert rows(second, "gone") == set()


def test_a_transaction_is_whole_after_a_kill(start, tmp_path):
    server = start(location=tmp_path)
    create_table(server, "whole")
    stopped = threading.Event()

    def write():
        for number in range(1_000_000):
            entities = [{"PartitionKey": f"{number}", "RowKey": f"{row}"} for row in range(50)]
            parts = [batch_part(server, "POST", "whole", entity) for entity in entities]
            try:
                send_batch(server, parts)
            except (OSError, http.client.HTTPException):
                stopped.set()
                return

    writer = threading.Thread(target=write)
    writer.start()
    time.sleep(0.5)
    server.kill()
    writer.join(20)
    assert stopped.is_set()
    counts = {}
    for entity in all_entities(start(location=tmp_path), "whole"):
        counts[entity["PartitionKey"]] = counts.get(entity["PartitionKey"], 0) + 1
    assert counts and set(counts.values()) == {50}


# --- styles of URL --------------------------------------------------------------------------------


def ask(server, host, path):
    date = email.utils.formatdate(usegmt=True)
    headers = {"Host": host, "x-ms-date": date, "Authorization": authorization(server, path, date)}
    return exchange(server, request_bytes(server, "GET", path, headers, signed=False))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "somecontainer", "[::1]", "host.docker.internal"])
def test_path_style(start, host):
    server = start()
    answer = ask(server, f"{host}:{server.port}", "/devstoreaccount1/Tables")
    assert answer.status == 200, answer
    assert answer.json()["odata.metadata"] == f"http://{host}:{server.port}/devstoreaccount1/$metadata#Tables"
    assert ask(server, f"{host}:{server.port}", "/Tables").status in (400, 403, 404)


@pytest.mark.parametrize("domain", ["localhost", "core.windows.net"])
def test_host_style(start, domain):
    server = start()
    host = f"devstoreaccount1.table.{domain}:{server.port}"
    answer = ask(server, host, "/Tables")
    assert answer.status == 200, answer
    assert answer.json()["odata.metadata"] == f"http://{host}/$metadata#Tables"
    assert ask(server, f"otheraccount.table.localhost:{server.port}", "/Tables").status in (403, 404)


def test_host_style_can_be_switched_off(start):
    server = start("--disableProductStyleUrl")
    host = f"devstoreaccount1.table.localhost:{server.port}"
    assert ask(server, host, "/Tables").status in (400, 403, 404)
    assert ask(server, host, "/devstoreaccount1/Tables").status == 200


def test_both_styles_see_the_same_data(start):
    server = start()
    create_table(server, "shared")
    host = f"devstoreaccount1.table.localhost:{server.port}"
    assert [item["TableName"] for item in ask(server, host, "/Tables").json()["value"]] == ["shared"]


def test_health_needs_no_signature(start):
    server = start()
    assert server.is_healthy()
