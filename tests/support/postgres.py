#!/usr/bin/python3
"""Starts a PostgreSQL server that lives as long as a test run.

    tests/support/postgres.py -- COMMAND...     runs a command with ROCKTABLE_TEST_STORE=postgresql://... set

Its folder is temporary, its port is free, and it keeps its promises: fsync is on. It ends with the command, also if that is
interrupted or this program is killed.

Where ROCKTABLE_TEST_STORE is set, test servers keep their data in databases of that server: each has a new, empty one, from
new_database().
"""
import contextlib
import glob
import itertools
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

VARIABLE = "ROCKTABLE_TEST_STORE"
USER = "postgres"  # in the database; also the user of Debian's package, which runs the server if the caller is root
START_DEADLINE = 30.0
START_TRIES = 5  # another program may take the port between the choice and the start
SETTINGS = {"fsync": "on", "max_connections": "300", "shared_buffers": "128MB", "log_min_messages": "error"}


def program(name):
    """Returns the path of a program of the newest installed PostgreSQL. Debian keeps them out of the PATH."""
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=lambda path: float(path.split("/")[4]))
    path = found[-1] if found else shutil.which(name)
    if path is None:
        raise FileNotFoundError(f"{name} is missing; script/bootstrap --postgres installs PostgreSQL")
    return path


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def signal_all(processes, number):
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


def freeze(first):
    """Stops the processes of the server whose first one this is. Returns them."""
    os.kill(first, signal.SIGSTOP)  # before the others, so that it starts no further one
    others = subprocess.run(["pgrep", "-P", str(first)], capture_output=True, text=True).stdout.split()
    processes = [first, *map(int, others)]
    signal_all(processes, signal.SIGSTOP)
    return processes


@contextlib.contextmanager
def silent(first):
    """Frozen, for the block."""
    processes = freeze(first)
    try:
        yield
    finally:
        signal_all(processes, signal.SIGCONT)


class Postgres:
    """A server with an empty folder. PostgreSQL refuses to run as root, so then it runs as the user `postgres`. Raises
    FileNotFoundError if PostgreSQL is not installed."""

    def __init__(self, address="127.0.0.1", within=(), settings=None):
        """`within`: words before the command of the server, for example of nsenter(1). `settings`: {name: value}, besides
        SETTINGS."""
        program("initdb")  # before anything else, because without PostgreSQL there is no user either
        self.address, self._within, self._settings = address, within, settings or {}
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rocktable-pg-"))
        self.data = self.folder / "data"
        self.process = None
        try:
            self._become = []
            if os.geteuid() == 0:
                user = pwd.getpwnam(USER)
                os.chown(self.folder, user.pw_uid, user.pw_gid)
                self._become = [f"--reuid={USER}", f"--regid={user.pw_gid}", "--init-groups"]
            self._make_data()
            for left in reversed(range(START_TRIES)):
                self.port = free_port()
                if self._start():
                    break
                if left == 0:
                    raise RuntimeError(f"PostgreSQL does not start: {self.log()}")
        except BaseException:
            self.stop()
            raise
        self.url = f"postgresql://{USER}@{self.address}:{self.port}/{USER}"

    def _make_data(self):
        self._run(program("initdb"), "--pgdata", self.data, "--auth", "trust", "--username", USER, "--encoding",
                  "UTF8", "--locale", "C", "--no-sync")
        with open(self.data / "pg_hba.conf", "a") as access:
            access.write(f"host all all {self.address}/24 trust\n")

    def _words(self, *command):
        return [str(word) for word in (*self._within, "setpriv", *self._become, *command)]

    def _run(self, *command):
        done = subprocess.run(self._words("--", *command), cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{command[0]} failed: {done.stderr or done.stdout}")

    def _start(self):
        """Returns False if the server ends at once. If this program is killed, the server gets SIGQUIT, which ends it
        immediately."""
        settings = SETTINGS | {"port": self.port, "unix_socket_directories": self.folder,
                               "listen_addresses": self.address} | self._settings
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                self._words("--pdeathsig", "QUIT", "--", program("postgres"), "-D", self.data, *options),
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)  # Ctrl-C at the terminal is for this program alone
        deadline = time.monotonic() + START_DEADLINE
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                return False
            with contextlib.suppress(FileNotFoundError, IndexError):
                if (self.data / "postmaster.pid").read_text().splitlines()[7].strip() in ("ready", "standby"):
                    return True
            time.sleep(0.02)
        raise RuntimeError(f"PostgreSQL does not get ready: {self.log()}")

    def log(self):
        path = self.folder / "log"
        return path.read_text(errors="replace")[-2000:] if path.exists() else ""

    def start(self):
        """Starts the server again, after halt()."""
        if not self._start():
            raise RuntimeError(f"PostgreSQL ends at once: {self.log()}")

    def stop(self):
        """Ends the server immediately and removes its folder."""
        self.halt()
        shutil.rmtree(self.folder, ignore_errors=True)

    def halt(self):
        """Ends the server immediately. Its data stays."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def freeze(self):
        """Stops all its processes: it answers nothing, and no connection ends. Returns them."""
        return freeze(self.process.pid)

    def silent(self):
        """Frozen, for the block."""
        return silent(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


# --- databases --------------------------------------------------------------------------------------------------------

_numbers = itertools.count()


def sql(url, statement):
    """Runs one statement and returns its rows as text."""
    return subprocess.run(["psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set", "ON_ERROR_STOP=1",
                           "--command", statement, url], capture_output=True, text=True, check=True).stdout


def new_database(server):
    """Makes an empty database on the server of this URL. Returns the URL of it."""
    name = f"test_{os.getpid()}_{time.time_ns() // 1000}_{next(_numbers)}"
    sql(server, f"CREATE DATABASE {name}")
    return urllib.parse.urlsplit(server)._replace(path=f"/{name}").geturl()


def drop_database(url):
    """Drops a database that new_database() made, with the connections to it."""
    parts = urllib.parse.urlsplit(url)
    sql(parts._replace(path=f"/{USER}").geturl(), f"DROP DATABASE {parts.path[1:]} WITH (FORCE)")


# --- the program ------------------------------------------------------------------------------------------------------


def end(number, _frame):
    sys.exit(128 + number)


def main():
    if len(sys.argv) < 3 or sys.argv[1] != "--":
        sys.exit("usage: tests/support/postgres.py -- COMMAND...")
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, end)
    with Postgres() as postgres:
        process = subprocess.Popen(sys.argv[2:], env={**os.environ, VARIABLE: postgres.url})
        try:
            return process.wait()
        finally:
            if process.poll() is None:  # interrupted
                process.terminate()
                process.wait()


if __name__ == "__main__":
    sys.exit(main())
