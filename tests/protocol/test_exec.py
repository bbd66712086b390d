"""rocktable exec: runs a command with its own table service. Exit codes, exported variables, signals, which process
ends first."""
import contextlib
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from own_server import needs_program
from process import is_running, wait_until
from rocktable_server import BINARY, Account

pytestmark = needs_program

PYTHON = sys.executable
SECONDS = 20
HELP_WIDTH, HELP_HEIGHT = 100, 30

# Counts the signals in its arguments until none arrives for a while, and exits with 10 + the count.
COUNT_SIGNALS = """
import os, signal, sys, time
count = 0
def note(number, frame):
    global count, deadline
    count, deadline = count + 1, time.monotonic() + 1
    os.write(1, f"noted {count}\\n".encode())  # print() must not interrupt itself
for name in sys.argv[1:]:
    signal.signal(getattr(signal, name), note)
deadline = time.monotonic() + 15
print("counting", os.environ["ROCKTABLE_URL"], flush=True)
while time.monotonic() < deadline:
    time.sleep(0.02)
sys.exit(10 + count)
"""


def words(*arguments):
    return [str(word) for word in (BINARY, "exec", *arguments)]


def run(*arguments, **options):
    options = {"capture_output": True, "text": True, "timeout": SECONDS, "check": False} | options
    return subprocess.run(words(*arguments), **options)


def python(code, *arguments):
    return ["--", PYTHON, "-c", code, *arguments]


@contextlib.contextmanager
def started(*arguments, **options):
    """A running process whose standard output is read by lines. At the end, it is killed with its children."""
    process = subprocess.Popen(words(*arguments), stdout=subprocess.PIPE, text=True, **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def exported(text):
    """Returns the variables in the output of `env` that describe the service."""
    pairs = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    return {name: value for name, value in pairs.items() if re.match("ROCKTABLE_|AZURE_|MY_", name)}


def environment_without_ours(**more):
    kept = {k: v for k, v in os.environ.items() if not re.match("ROCKTABLE_|AZURE_|AZURITE_|MY_", k)}
    return kept | more


def is_there(url):
    try:
        with urllib.request.urlopen(f"{url}/_rocktable/health", timeout=SECONDS) as answer:
            return answer.status == 200
    except urllib.error.URLError:
        return False


def children_of(pid):
    return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


# --- exit codes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [0, 1, 2, 7, 255])
def test_the_exit_code_is_the_commands(code):
    result = run("--", "sh", "-c", f"exit {code}")
    assert (result.returncode, result.stdout, result.stderr) == (code, "", "")


@pytest.mark.parametrize("name", ["KILL", "TERM", "SEGV"])
def test_a_signal_that_ended_the_command_is_counted_as_shells_do(name):
    assert run("--", "sh", "-c", f"kill -{name} $$").returncode == 128 + getattr(signal, f"SIG{name}")


def test_a_command_that_is_not_there_or_cannot_be_run(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("no program")
    for command, code in (("no-such-command", 127), (tmp_path / "absent", 127), (plain, 126), (tmp_path, 126)):
        result = run("--", command)
        assert result.returncode == code, result
        (line,) = result.stderr.splitlines()
        assert line.startswith(f"rocktable: cannot run {command}: "), line


def test_the_command_is_looked_up_in_path(tmp_path):
    script = tmp_path / "my-tests"
    script.write_text("#!/bin/sh\necho \"$@\"\n")
    script.chmod(0o755)
    result = run("--", "my-tests", "--tablePort", "--", "a b", env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert (result.returncode, result.stdout) == (0, "--tablePort -- a b\n")


@pytest.mark.parametrize(
    "arguments, names",
    [
        ([], "--"),
        (["--"], "--"),
        (["true"], "true"),
        (["--nonsense", "--", "true"], "--nonsense"),
        (["--tablePort", "many", "--", "true"], "--tablePort"),
        (["--oauth", "basic", "--", "true"], "--oauth"),
        (["--export", "--", "true"], "--export"),
        (["--export", "A=B", "--", "true"], "--export"),
        (["--export", "", "--", "true"], "--export"),
    ],
)
def test_a_mistake_on_the_command_line_is_named(arguments, names):
    result = run(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("rocktable: ") and names in line and line.endswith("(see rocktable exec --help)")


def test_help_fits_the_screen_and_names_what_is_exported():
    result = run("--help")
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert len(lines) <= HELP_HEIGHT and max(map(len, lines)) <= HELP_WIDTH, result.stdout
    for name in ("--export", "AZURE_STORAGE_CONNECTION_STRING", "AZURE_TABLES_CONNECTION_STRING", "ROCKTABLE_URL"):
        assert name in result.stdout


# --- the environment of the command -----------------------------------------------------------------


def test_the_service_is_in_the_environment():
    result = run("--export", "MY_FIRST", "--export=MY_SECOND", "--", "env", env=environment_without_ours())
    found = exported(result.stdout)
    port = found["ROCKTABLE_PORT"]
    connection = Account(found["AZURE_STORAGE_CONNECTION_STRING"])
    assert found["ROCKTABLE_URL"] == f"http://127.0.0.1:{port}"
    assert found["ROCKTABLE_ENDPOINT"] == f"http://127.0.0.1:{port}/devstoreaccount1" == connection.endpoint
    for name in ("AZURE_TABLES_CONNECTION_STRING", "MY_FIRST", "MY_SECOND"):
        assert found.pop(name) == found["AZURE_STORAGE_CONNECTION_STRING"]
    assert set(found) == {f"ROCKTABLE_{x}" for x in ("URL", "PORT", "ENDPOINT", "YES")} | {"AZURE_STORAGE_CONNECTION_STRING"}


def test_what_the_environment_had_is_kept_or_replaced():
    before = environment_without_ours(MY_OWN="kept", AZURE_STORAGE_CONNECTION_STRING="the cloud's", ROCKTABLE_PORT="1")
    found = exported(run("--", "env", env=before).stdout)
    assert found["MY_OWN"] == "kept"
    assert "127.0.0.1" in found["AZURE_STORAGE_CONNECTION_STRING"]
    assert found["ROCKTABLE_PORT"] != "1"


def test_the_servers_options_are_taken(tmp_path):
    environment = environment_without_ours(AZURITE_ACCOUNTS="first:a2V5;second:a2V5")
    debug = tmp_path / "debug"
    code = (
        "import os, urllib.request as r; u = os.environ['ROCKTABLE_URL'];"
        "r.urlopen(r.Request(u + '/_rocktable/stats',"
        " headers={'Authorization': 'Bearer ' + os.environ['ROCKTABLE_CONTROL_TOKEN']}));"
        "print(os.environ['ROCKTABLE_ENDPOINT'])"
    )
    result = run("--controlToken", "secret", "--debug", debug, *python(code), env=environment)
    assert result.returncode == 0, result
    assert result.stdout.endswith("/first\n")
    assert "/_rocktable/stats" in debug.read_text()


@pytest.mark.parametrize("given", ["@{}", "env:CONTROL"])
def test_a_token_from_elsewhere_is_on_no_command_line(tmp_path, given):
    """The command and its children get the token in the environment, also if it starts with @, like a reference to a
    file."""
    (tmp_path / "token").write_text("@open-sesame\n")
    code = (
        "import glob, os, subprocess;"
        "assert os.environ['ROCKTABLE_CONTROL_TOKEN'] == '@open-' + 'sesame';"
        f"subprocess.run([{str(BINARY)!r}, 'reset'], check=True);"
        "lines = [open(p, 'rb').read() for p in glob.glob(f'/proc/{os.getppid()}/task/*/children')];"
        "family = [os.getppid(), *map(int, b''.join(lines).split())];"
        "assert len(family) == 3, family;"
        "lines = [open(f'/proc/{one}/cmdline', 'rb').read() for one in family];"
        "assert all(lines) and not any(b'-' + b'sesame' in line for line in lines), lines"
    )
    environment = environment_without_ours(CONTROL="@open-sesame")
    result = run("--controlToken", given.format(tmp_path / "token"), *python(code), env=environment)
    assert result.returncode == 0 and result.stdout.startswith("rocktable: reset all accounts at http://127.0.0.1:"), result


@pytest.mark.parametrize("flags", [[], ["--tls", "auto"]], ids=["http", "https"])
def test_a_real_client_works_inside(flags, tmp_path):
    code = (
        "import os; from azure.data.tables import TableServiceClient as T;"
        "more = {'connection_verify': os.environ['ROCKTABLE_CA_FILE']} if 'ROCKTABLE_CA_FILE' in os.environ else {};"
        "s = T.from_connection_string(os.environ['AZURE_TABLES_CONNECTION_STRING'], **more);"
        "t = s.create_table('inside'); t.create_entity({'PartitionKey': 'p', 'RowKey': 'r', 'n': 1});"
        "print(t.get_entity('p', 'r')['n'])"
    )
    working, temporary = tmp_path / "working", tmp_path / "temporary"
    working.mkdir()
    temporary.mkdir()
    environment = environment_without_ours(TMPDIR=str(temporary))
    result = run(*flags, *python(code), cwd=working, env=environment)
    assert (result.returncode, result.stdout, result.stderr) == (0, "1\n", "")
    assert list(working.iterdir()) == [] == list(temporary.iterdir()), "something is left behind"


def test_standard_input_and_output_are_the_commands():
    result = run("--", "sh", "-c", "cat; echo to stderr >&2", input="a line\n")
    assert (result.returncode, result.stdout, result.stderr) == (0, "a line\n", "to stderr\n")


def test_requests_are_not_logged():
    code = "import os, urllib.request as r; r.urlopen(os.environ['ROCKTABLE_URL'] + '/_rocktable/health')"
    result = run(*python(code))
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_with_a_location_data_stay(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parents[1] / "support")}
    start = "import os; from rocktable_server import *; a = Account(os.environ['AZURE_TABLES_CONNECTION_STRING']);"
    first = run("-l", tmp_path, *python(start + "create_table(a, 'kept')"), env=environment)
    assert first.returncode == 0, first
    second = run("-l", tmp_path, *python(start + "print(send(a, 'GET', '/Tables').text)"), env=environment)
    assert '"kept"' in second.stdout, second
    without = run(*python(start + "print(send(a, 'GET', '/Tables').text)"), env=environment, cwd=tmp_path)
    assert without.returncode == 0 and '"kept"' not in without.stdout, without


def test_several_side_by_side_stay_apart():
    with contextlib.ExitStack() as stack:
        all_started = [stack.enter_context(started("--", "sh", "-c", "echo $ROCKTABLE_PORT; cat", stdin=subprocess.PIPE))
                       for _ in range(5)]
        assert len({process.stdout.readline() for process in all_started}) == 5
        for process in all_started:
            process.stdin.close()
        assert [process.wait(SECONDS) for process in all_started] == [0] * 5


def test_the_command_starts_with_the_signals_of_its_parent():
    status = dict(line.split(":", 1) for line in run("--", "cat", "/proc/self/status").stdout.splitlines())
    ignored, blocked = int(status["SigIgn"], 16), int(status["SigBlk"], 16)
    assert not ignored & 1 << signal.SIGPIPE - 1
    assert blocked == 0
    quiet = run("--", "cat", "/proc/self/status", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    status = dict(line.split(":", 1) for line in quiet.stdout.splitlines())
    assert int(status["SigIgn"], 16) & 1 << signal.SIGHUP - 1, "as under nohup"


def test_who_ignores_its_children_gets_an_exit_code_all_the_same():
    ignore = lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    assert run("--", "sh", "-c", "exit 3", preexec_fn=ignore).returncode == 3


def test_the_command_inherits_no_open_files():
    assert run("--", "ls", "/proc/self/fd").stdout.split() == ["0", "1", "2", "3"]  # 3: the folder itself


# --- signals --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"])
def test_a_signal_is_passed_on_once(name):
    with started(*python(COUNT_SIGNALS, name)) as process:
        assert process.stdout.readline().startswith("counting")
        process.send_signal(getattr(signal, name))
        assert process.wait(SECONDS) == 11


def test_a_command_that_a_signal_ends_ends_us():
    with started("--", "sh", "-c", "echo $ROCKTABLE_URL; exec sleep 60") as process:
        url = process.stdout.readline().strip()
        assert is_there(url)
        process.terminate()
        assert process.wait(SECONDS) == 128 + signal.SIGTERM
        assert not is_there(url)


class Terminal:
    """A program in the foreground of a new terminal."""

    def __init__(self, *command):
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.execvp(command[0], command)
        self.text = ""

    def type(self, text):
        os.write(self.master, text.encode())

    def read_until(self, text):
        deadline = time.monotonic() + SECONDS
        while text not in self.text:
            assert time.monotonic() < deadline, self.text
            if select.select([self.master], [], [], 0.1)[0]:
                with contextlib.suppress(OSError):  # the other end is closed
                    self.text += os.read(self.master, 4096).decode()

    def wait(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.close(self.master)


def test_what_is_typed_at_a_terminal_reaches_the_command_once():
    for key, name in (("\x03", "SIGINT"), ("\x1c", "SIGQUIT")):
        terminal = Terminal(*words(*python(COUNT_SIGNALS, name)))
        terminal.read_until("counting http")
        terminal.read_until("\n")
        os.kill(terminal.pid, signal.SIGSTOP)  # two equal signals at the same time would count as one
        terminal.type(key)
        terminal.read_until("noted 1")
        os.kill(terminal.pid, signal.SIGCONT)
        time.sleep(0.3)
        assert is_there(re.search(r"http://\S+", terminal.text)[0]), "the server has heard it, too"
        assert terminal.wait() == 11
        terminal.close()


def test_ctrl_z_stops_the_job_and_fg_goes_on_with_it():
    job = " ".join(words("--", "sh", "-c", "'echo ready; read line; echo read $line; test $line = typed'"))
    script = f"set -m; {job}; echo stopped $?; fg >/dev/null; echo ended $?"
    terminal = Terminal("bash", "--norc", "-c", script)
    terminal.read_until("ready")
    terminal.type("\x1a")
    terminal.read_until(f"stopped {128 + signal.SIGTSTP}")
    terminal.type("typed\n")
    terminal.read_until("ended 0")
    terminal.close()


def test_a_signal_before_the_server_is_ready_ends_all(tmp_path):
    certificate, touched = tmp_path / "certificate", tmp_path / "touched"
    os.mkfifo(certificate)  # the server waits for a client that sends a request
    with started("--cert", certificate, "--pwd", "", "--", "touch", touched) as process:
        wait_until(lambda: children_of(process.pid), SECONDS, "no server is started")
        (server,) = children_of(process.pid)
        process.terminate()
        assert process.wait(SECONDS) == 128 + signal.SIGTERM
        assert not is_running(server)
    assert not touched.exists()


# --- which process ends first ---------------------------------------------------------------------


def test_nothing_is_left_when_the_command_has_ended():
    with started("--", "sh", "-c", "echo $ROCKTABLE_URL; read line", stdin=subprocess.PIPE) as process:
        url = process.stdout.readline().strip()
        family = children_of(process.pid)
        assert len(family) == 2 and is_there(url)
        process.stdin.close()
        process.wait(SECONDS)
        assert not any(map(is_running, family)) and not is_there(url)


def test_nothing_is_left_when_we_are_killed(tmp_path):
    environment = environment_without_ours(TMPDIR=str(tmp_path))
    with started("--tls", "auto", "--", "sh", "-c", "echo ready; exec sleep 60", env=environment) as process:
        process.stdout.readline()
        family = children_of(process.pid)
        assert len(family) == 2
        process.kill()
        process.wait()
        wait_until(lambda: not any(map(is_running, family)), SECONDS, "something outlives us")
    assert list(tmp_path.iterdir()) == []


# The parent must be the program: another, such as the first process of the machine, has children that are none of ours.
KILL_SERVER = (
    "import os, signal, time; mine = os.getppid();"
    "assert b'exec' in open(f'/proc/{mine}/cmdline', 'rb').read().split(b'\\0');"
    "all = open(f'/proc/{mine}/task/{mine}/children').read().split();"
    "[os.kill(int(pid), signal.SIGKILL) for pid in all if int(pid) != os.getpid()];"
    "time.sleep(0.5); raise SystemExit(CODE)"
)


@pytest.mark.parametrize("code, ours", [(0, 1), (7, 7)])
def test_a_server_that_ends_early_is_told(code, ours):
    result = run(*python(KILL_SERVER.replace("CODE", str(code))))
    assert result.returncode == ours
    (line,) = result.stderr.splitlines()
    assert line == "rocktable: the server ended before the command (signal 9 (Killed))"


def test_a_server_that_cannot_start_is_told_and_nothing_is_run(tmp_path):
    file, touched = tmp_path / "file", tmp_path / "touched"
    file.write_text("no folder")
    result = run("-l", file, "--", "touch", touched)
    assert (result.returncode, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("rocktable: ") and str(file) in line
    assert not touched.exists()


def test_what_a_command_leaves_running_does_not_keep_us():
    begin = time.monotonic()
    result = run("--", "sh", "-c", "sleep 30 >/dev/null 2>&1 & exit 3")
    assert result.returncode == 3 and time.monotonic() - begin < 15
