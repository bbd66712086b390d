"""The progress of a transfer: at terminals of 40 and 80 columns, after a change of the width, and without a
terminal."""
import json
import re
import signal
import subprocess
import time

import pytest

from own_server import needs_program, own_server
from program import run_command, user_environment
from proxy import Proxy
from rocktable_server import BINARY
from terminal import CLEAR, Terminal, drawn

pytestmark = needs_program

ENTITIES = 6000
NAME = "CustomersOfTheNorth"

server = own_server()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / f"{NAME}.ndjson"
    with open(path, "w", encoding="utf-8") as out:
        for i in range(ENTITIES):
            out.write(json.dumps({"PartitionKey": f"p{i % 3}", "RowKey": f"{i:06}", "Text": "x" * 400}) + "\n")
    return path


class Slow:
    """A fault of a proxy that delays writes, and pages even longer."""

    def __init__(self, pause, pages=0.0):
        self.pause, self.pages = pause, pages

    def __call__(self, _, method, path):
        time.sleep(self.pages if method == "GET" and "$top=1000" in path else self.pause if method == "POST" else 0)


@pytest.fixture(scope="module")
def table(server, file):
    """The table that `file` is imported into."""
    assert run_command("import", "--from", file, "--to", server.connection_string).returncode == 0
    return NAME


def lines_of(text):
    """The bars that were drawn."""
    return [line for line in drawn(text) if not line.startswith("rocktable: ")]


@pytest.mark.parametrize("columns", [40, 80])
def test_no_line_is_wider_than_the_terminal(server, file, columns):
    with Proxy(server, Slow(0.06, 0.3)) as proxy:
        words = [BINARY, "import", "--from", file, "--to", proxy.connection_string, "--connections", "2", "--verify"]
        code, text = Terminal(words, columns, user_environment()).finish()
    assert code == 0, text
    lines = lines_of(text)
    assert lines and max(map(len, lines)) <= columns - 1, lines
    writing = [line for line in lines if line.startswith(f"{NAME}: ")]
    verifying = [line for line in lines if line.startswith(f"verifying {NAME}: ")]
    assert any(re.search(r" \d+ %", line) for line in writing), lines
    assert any(re.search(r" \d+ %", line) for line in verifying), lines
    if columns == 80:
        assert any(re.search(r": \[=* *\] \d+ %, [\d,]+ entities, [\d,]+/s, \d+ s left$", line) for line in writing), lines
    assert text.count(CLEAR) >= len(lines)


def test_a_terminal_that_becomes_narrower_gets_shorter_lines(server, file):
    with Proxy(server, Slow(0.1)) as proxy:
        words = [BINARY, "import", "--from", file, "--to", proxy.connection_string, "--connections", "2"]
        terminal = Terminal(words, 120, user_environment())
        seen = len(terminal.read_until(r"left\r\x1b\[K"))
        terminal.resize(40)
        terminal.read_until(r"(?s)^.{%d}.*left\r\x1b\[K.*left\r\x1b\[K" % seen)
        code, text = terminal.finish()
    assert code == 0
    wide, narrow = lines_of(text[:seen]), lines_of(text[seen:])[2:]  # output that was sent before the size changed
    assert max(map(len, wide)) > 60
    assert narrow and max(map(len, narrow)) < 40, narrow


def test_without_a_terminal_nothing_is_written_over(server, file):
    ended = run_command("import", "--from", file, "--to", server.connection_string)
    assert ended.returncode == 0
    assert "\r" not in ended.stderr and "\x1b" not in ended.stderr
    assert all(line.startswith("rocktable: ") for line in ended.stderr.splitlines())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("kept", [True, False])
def test_who_ends_a_transfer_is_told_how_it_goes_on(server, file, table, tmp_path, number, kept):
    with Proxy(server, Slow(0.05)) as proxy:
        ends = ("import", "--from", file, "--to", proxy.connection_string, "--state", tmp_path / "state")
        if not kept:
            ends = ("copy", "--from", proxy.connection_string, "--table", table, "--to",
                    server.connection_string.replace("127.0.0.1", "localhost"), "--connections", "1")
        with subprocess.Popen([BINARY, *ends], stderr=subprocess.PIPE, text=True, env=user_environment()) as process:
            while proxy.requests < 3:
                assert process.poll() is None
                time.sleep(0.005)
            process.send_signal(number)
            said = process.stderr.read()
        assert process.returncode == -number
    assert said == ("rocktable: interrupted; run the same command again to resume\n" if kept else
                    "rocktable: interrupted; the same command starts over (with --state FILE it would resume)\n")


# The second signal may reach another thread while the first one is being reported.
def test_who_ends_a_transfer_by_two_signals_in_a_row_is_told_once(server, file, tmp_path):
    for attempt in range(5):
        with Proxy(server, Slow(0.05)) as proxy:
            ends = ("import", "--from", file, "--to", proxy.connection_string, "--state", tmp_path / f"state{attempt}")
            with subprocess.Popen([BINARY, *ends], stderr=subprocess.PIPE, text=True, env=user_environment()) as process:
                while proxy.requests < 3:
                    assert process.poll() is None
                    time.sleep(0.005)
                process.send_signal(signal.SIGTERM)
                process.send_signal(signal.SIGTERM)
                said = process.stderr.read()
            assert process.returncode == -signal.SIGTERM
        assert said == "rocktable: interrupted; run the same command again to resume\n"
