"""Kills the server at random moments, repeatedly on one folder, and checks its data.

    script/crash [ROUNDS] [--scenario writes|stop|deletion|start|fixtures|full|all] [--sync] [--seed N] [--writers N]
                 [--start-limit SECONDS]

writes    `kill -9` while writers use several connections: inserts, upserts, conditional updates, merges, deletions,
          transactions of 2 to 100, tables that are created and deleted
stop      the same during an orderly stop
deletion  `kill -9` while large tables are deleted
start     `kill -9` within the first 30 ms on a new folder
fixtures  `kill -9` while a snapshot is taken, replaced or restored, an account cloned, something reset
full      the same, with and without a kill, on a small disk that fills and empties meanwhile (only root can mount it):
          a refused request changes nothing, and the server continues once there is space

After each kill: all acknowledged writes exist, with their values and ETags; each unacknowledged request is applied
completely or not at all; no ETag repeats; nothing of a deleted table reappears; the first response comes within two
seconds. A seed repeats the choices, but not the exact moments.
"""
import argparse
import contextlib
import json
import os
import pathlib
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import rocktable_server as rocktable
from fixture_control import account_of, contents, done, moment
from workload import GONE, Check, Client, Unexpected, Violation, Writer, entities_of

START_LIMIT = 2.0  # seconds until the first response
SHARED_TABLES = ("Steady0", "Steady1")
LARGE = 30_000  # characters: a few transactions fill RocksDB's memtables, so that files are written and compacted


class Run:
    """A folder on which servers are started and killed, and counters for the report."""

    def __init__(self, folder, seed, sync=False, writers=8, start_limit=START_LIMIT):
        self.folder, self.seed, self.writers, self.start_limit = pathlib.Path(folder), seed, writers, start_limit
        self.random = random.Random(seed)
        self.flags = ["--sync"] if sync else []
        self.kills = self.acknowledged = self.entities = 0
        self.refused = self.unavailable = 0  # because the disk is full
        self.slowest_start = 0.0
        self._server = None

    def start(self, folder=None):
        begin = time.monotonic()
        server = self._server = rocktable.Server(*self.flags, location=folder or self.folder)
        with contextlib.closing(Client(server)) as client:
            answer = client.send("GET", "/Tables")
        took = time.monotonic() - begin
        self.slowest_start = max(self.slowest_start, took)
        if answer.status != 200 or took > self.start_limit:
            server.kill()
            raise Violation(f"the first answer came after {took:.2f} s: {answer}")
        return server

    def kill(self, server):
        if server.process.poll() is None:
            self.kills += 1
        server.kill()

    def end(self):
        """Kills the server if it still runs."""
        if self._server and self._server.process.poll() is None:
            self._server.kill()

    def __str__(self):
        refusals = f" {self.refused} refused, {self.unavailable} times no store was open," if self.refused else ""
        return (f"{self.kills} kills, {self.acknowledged} requests acknowledged before,{refusals} {self.entities} entities at"
                f" the end, slowest start {self.slowest_start:.2f} s, nothing lost")


def writes(run, rounds, stop=False):
    """`stop`: kills during an orderly stop."""
    writers = []
    for number in range(run.writers):
        sizes = (LARGE,) if number == 0 else (0, 10, 200, 3000)
        writers.append(Writer(number, random.Random(run.seed * 1000 + number), SHARED_TABLES, sizes))
    server = run.start()
    for name in SHARED_TABLES:
        rocktable.create_table(server, name)
    for _ in range(rounds):
        for writer in writers:
            writer.start(server)
        time.sleep(run.random.choice((0.02, 0.2, 0.6)) * (0.5 + run.random.random()))
        if not all(writer.thread.is_alive() for writer in writers):
            for writer in writers:
                writer.join()  # raises the error of the writer
            raise Unexpected("a writer ended before the server")
        if stop:
            server.process.send_signal(signal.SIGTERM)
            time.sleep(run.random.random() * 0.04)
        run.kill(server)
        for writer in writers:
            writer.join()
        server = run.start()
        check = Check(server, writers)
        check.run()
    run.entities += check.entities
    run.acknowledged += sum(writer.acknowledged for writer in writers)
    server.stop()
    server = run.start()  # an orderly stop keeps everything as well
    Check(server, writers).run()
    server.stop()


def fill(server, table, rows, partitions=4):
    rocktable.create_table(server, table)
    with contextlib.closing(Client(server)) as client:
        for first in range(0, rows, 50):
            entities = [{"PartitionKey": f"p{first // 50 % partitions}", "RowKey": f"{first + i:06}", "A": "x" * LARGE}
                        for i in range(50)]
            parts = [rocktable.batch_part(server, "POST", table, entity, "Prefer: return-no-content\r\n")
                     for entity in entities]
            answer = client.send("POST", "/$batch", rocktable.BATCH_HEADERS, rocktable.batch_body(parts))
            if answer.status != 202:
                raise Unexpected(str(answer))


def rows_of(server, table):
    with contextlib.closing(Client(server)) as client:
        found = entities_of(client, table)
    return None if found is None else len(found)


def deletion(run, rounds, rows=2500):
    """Tables of some 75 MB each: several files of RocksDB, which are dropped as whole files."""
    server = run.start()
    fill(server, "Kept", 500)
    for number in range(rounds):
        table = f"Large{number}"
        fill(server, table, rows)
        acknowledged = False
        client = Client(server)
        data = rocktable.request_bytes(server, "DELETE", f"{server.base}/Tables('{table}')")
        client._socket.sendall(data)
        time.sleep(run.random.random() * 0.06)
        run.kill(server)
        with contextlib.suppress(*GONE):
            acknowledged = rocktable.read_response(client._socket).status == 204
        client.close()
        run.acknowledged += acknowledged
        for _ in range(2):  # the second start finds the remains of the first
            server = run.start()
            left = rows_of(server, table)
            if left not in ((None,) if acknowledged else (None, rows)):
                raise Violation(f"{left} of {rows} rows are there; the deletion was acknowledged: {acknowledged}")
            if rows_of(server, "Kept") != 500:
                raise Violation("rows of another table are gone")
            run.kill(server)
        server = run.start()
        if left is not None:
            rocktable.delete_table(server, table)
        rocktable.create_table(server, table)
        if rows_of(server, table) != 0:
            raise Violation(f"rows of the deleted {table} are back")
        rocktable.delete_table(server, table)
    run.kill(server)


def first_start(run, rounds):
    for number in range(rounds):
        folder = run.folder / f"new{number}"
        folder.mkdir()
        for _ in range(run.random.randint(1, 3)):
            words = [str(rocktable.BINARY), "--location", str(folder), "--tablePort", "0", "--silent", *run.flags]
            process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(run.random.random() * 0.03)
            run.kills += process.poll() is None
            process.kill()
            process.wait()
        server = run.start(folder)
        if server.errors():
            raise Violation(f"a start after a killed one complains: {server.errors()}")
        rocktable.create_table(server, "First")
        answer = rocktable.send(server, "POST", "/First", body=json.dumps({"PartitionKey": "p", "RowKey": "r"}))
        if answer.status != 201:
            raise Violation(f"a start after a killed one is of no use: {answer}")
        run.acknowledged += 2
        run.kill(server)
        server = run.start(folder)
        run.entities += 1
        if rows_of(server, "First") != 1:
            raise Violation("the first entity is gone")
        server.stop()


DONE, REFUSED, UNKNOWN = "done", "refused", "not answered"


class Fixtures:
    """A store with snapshots, and their expected contents: `now` and `snapshots` have the form of contents()."""

    # The actions, and the longest delay before the kill.
    ACTIONS = {"restore": 0.25, "take": 0.08, "copy": 0.03, "reset": 0.01, "reset an account": 0.01, "reset a table": 0.01}
    MORE_ACTIONS = ()  # repeated, so that they are more frequent
    ROWS = 300  # in each of two tables

    def __init__(self, run):
        self.run, self.snapshots, self.last_etag, self.written = run, {}, "", 0
        run.flags.append("--anyAccount")
        self.server = run.start()
        self._fill()
        for name in ("first", "second"):
            done(self.server, "POST", f"snapshots/{name}")
            self.snapshots[name] = self.now
            self._write()

    def _fill(self):
        for table in ("One", "Two"):
            fill(self.server, table, self.ROWS)
        self._write()

    def _write(self):
        """Writes rows, so that no two states are equal and ETags increase."""
        self.written += 1
        entity = json.dumps({"PartitionKey": "written", "RowKey": str(self.written)})
        answer = rocktable.send(self.server, "POST", "/One", body=entity)
        if answer.status != 201:
            raise Unexpected(str(answer))
        if self.last_etag and moment(answer.headers["ETag"]) <= moment(self.last_etag):
            raise Violation(f"the ETag {answer.headers['ETag']} comes after {self.last_etag}")
        self.last_etag = answer.headers["ETag"]
        self.now = contents(self.server)

    def kill_after(self, action):
        """Kills the server while it handles requests."""
        time.sleep(self.run.random.random() ** 2 * self.ACTIONS[action])
        self.run.kill(self.server)

    def ask(self, action, method, resource):
        """Returns DONE if the response says so, UNKNOWN if there was none. The server runs afterwards."""
        data = rocktable.request_bytes(self.server, method, f"/_rocktable/{resource}", {"Content-Length": "0"}, signed=False)
        with rocktable.connection(self.server, timeout=20) as client:
            client.sendall(data)
            self.kill_after(action)
            answer = None
            with contextlib.suppress(*GONE):
                answer = rocktable.read_response(client)
        self.server = self.run.start()
        if answer and answer.status not in (200, 201):
            raise Unexpected(f"{method} {resource}: {answer}")
        self.run.acknowledged += answer is not None
        return DONE if answer else UNKNOWN

    def require(self, account, outcome, before, after, what):
        found = contents(account)
        allowed = {DONE: (after,), REFUSED: (before,), UNKNOWN: (before, after)}[outcome]
        if found not in allowed:
            counts = {name: len(rows) for name, rows in found[0].items()}
            raise Violation(f"{what} was {outcome}, and the store is not as it must be then; tables: {counts}")
        return found

    def step(self):
        action = self.run.random.choice([*self.ACTIONS, *self.MORE_ACTIONS])
        name = self.run.random.choice(("first", "second"))
        before = self.now
        if action == "restore":
            outcome = self.ask(action, "POST", f"snapshots/{name}/restore")
            self.now = self.require(self.server, outcome, before, self.snapshots[name], action)
        elif action == "take":
            outcome = self.ask(action, "POST", f"snapshots/{name}?replace=true")
            self.require(self.server, DONE, before, before, action)
            done(self.server, "POST", f"snapshots/{name}/restore")
            self.now = self.require(self.server, outcome, self.snapshots[name], before, "a snapshot that was replaced")
            self.snapshots[name] = self.now
        elif action == "copy":
            outcome = self.ask(action, "POST", f"accounts/copy?from={self.server.name}")
            nothing = {}, {}, before[2]
            self.require(account_of(self.server, "copy"), outcome, nothing, before, action)
            self.require(self.server, DONE, before, before, "the account that was copied")
            done(self.server, "DELETE", "accounts/copy")
        else:
            tables, policies, settings = before
            after = ({**tables, "One": []}, policies, settings) if action == "reset a table" else ({}, {}, settings)
            parameters = {"reset": "", "reset an account": f"?account={self.server.name}"}
            parameters["reset a table"] = f"?account={self.server.name}&table=One"
            outcome = self.ask(action, "POST", "reset" + parameters[action])
            self.now = self.require(self.server, outcome, before, after, action)
        listed = {one["name"] for one in done(self.server, "GET", "snapshots")["snapshots"]}
        if listed != set(self.snapshots):
            raise Violation(f"after {action} the snapshots are {listed}")
        if not self.now[0]:
            self._fill()
        self._write()

    def finish(self):
        self.server.stop()
        self.server = self.run.start()
        self.require(self.server, DONE, self.now, self.now, "an orderly end")
        self.run.entities = sum(len(rows) for rows in self.now[0].values())
        self.server.stop()
        left = {path.name for path in self.run.folder.iterdir()} - {"__rocktable__", "__rocktable__.snapshots"}
        if left:
            raise Violation(f"left over: {left}")


def fixtures(run, rounds):
    state = Fixtures(run)
    for _ in range(rounds):
        state.step()
    state.finish()


class NoSmallDisk(Exception):
    """A small disk cannot be mounted: not root, or not supported by the machine."""


class SmallDisk:
    """A disk mounted on a folder, and a thread that fills and empties it. Requires root."""

    SIZE = 100 << 20
    LITTLE = 2 << 20  # enough to open a database

    def __init__(self, folder, choices, at_exchange=0.5, hold=0.3):
        """`at_exchange`: probability that a fill leaves some space until a restore exchanges the folders. `hold`:
        longest time in seconds for which the disk stays full."""
        self.folder, self._random, self._at_exchange, self._hold = folder, choices, at_exchange, hold
        self._fills, self._ends = threading.Event(), threading.Event()
        self._is_idle = threading.Event()
        command = ["mount", "-t", "tmpfs", "-o", f"size={self.SIZE}", "tmpfs", str(folder)]
        mounted = subprocess.run(command, capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            raise NoSmallDisk(f"cannot mount a small disk: {mounted.stderr}")
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    @contextlib.contextmanager
    def filling(self):
        """Fills and empties the disk meanwhile. Afterwards it has space."""
        self._is_idle.clear()
        self._fills.set()
        try:
            yield
        finally:
            self._fills.clear()
            self._is_idle.wait()

    def wait_until_little_is_left(self):
        while self._free() > self.LITTLE:
            time.sleep(0.001)

    def close(self):
        self._ends.set()
        self._fills.set()
        self._thread.join()
        subprocess.run(["umount", "--lazy", str(self.folder)], check=True)

    def _run(self):
        while True:
            self._is_idle.set()
            self._fills.wait()
            if self._ends.is_set():
                return
            while self._fills.is_set():
                if self._random.random() >= self._at_exchange:
                    self._ends.wait(self._random.random() ** 2 * 0.05)
                    self._fill(0)
                else:
                    self._fill(self.LITTLE)

    def _fill(self, left):
        """Fills the free space, also space that becomes free, for a while. `left`: leaves so many bytes until a restore
        has exchanged the folders."""
        ballast = self.folder / "ballast"
        hold = (0.5 + self._random.random() / 2) * self._hold
        until = time.monotonic() + hold
        store = self._store()
        with open(ballast, "wb") as file:
            taken = 0
            while self._fills.is_set() and time.monotonic() < until:
                free = self._free() - left
                with contextlib.suppress(OSError):
                    if free > 0:
                        os.posix_fallocate(file.fileno(), taken, free)
                        taken += free
                if left and self._store() != store:
                    left, until = 0, time.monotonic() + hold
        ballast.unlink()

    def _free(self):
        disk = os.statvfs(self.folder)
        return disk.f_bavail * disk.f_frsize

    def _store(self):
        """Returns an id of the folder of the store, or None in the middle of an exchange."""
        with contextlib.suppress(OSError):
            return os.stat(self.folder / "__rocktable__").st_ino


class FixturesOnSmallDisk(Fixtures):
    """Requests refused on a full disk change nothing. Once there is space, the server works without a restart."""

    MORE_ACTIONS = ("restore",) * 6
    ROWS = 60
    RECOVERY_LIMIT = 30.0  # seconds

    def __init__(self, run, disk):
        super().__init__(run)
        self.disk = disk

    def ask(self, action, method, resource):
        data = rocktable.request_bytes(self.server, method, f"/_rocktable/{resource}", {"Content-Length": "0"}, signed=False)
        kills, answer = self.run.random.random() < 0.3, None
        with self.disk.filling(), rocktable.connection(self.server, timeout=60) as client:
            if action == "restore":
                self.disk.wait_until_little_is_left()
            else:
                time.sleep(self.run.random.random() * 0.05)
            client.sendall(data)
            if kills:
                self.kill_after(action)
            with contextlib.suppress(*GONE):
                answer = rocktable.read_response(client)
        if kills:
            self.server = self.run.start()
        else:
            self._recover()
        if answer is None:
            if not kills:
                raise Violation(f"{method} {resource} was not answered")
            return UNKNOWN
        if answer.status in (200, 201):
            self.run.acknowledged += 1
            return DONE
        if answer.status not in (500, 503):
            raise Unexpected(f"{method} {resource}: {answer}")
        self.run.refused += 1
        return UNKNOWN if kills else REFUSED

    def _recover(self):
        """Waits until the server is ready and accepts writes."""
        deadline = time.monotonic() + self.RECOVERY_LIMIT
        waited = False
        while True:
            if self.server.process.poll() is not None:
                raise Violation(f"the server ended with {self.server.process.poll()}: {self.server.errors()}")
            data = rocktable.request_bytes(self.server, "GET", "/_rocktable/ready", signed=False)
            ready = rocktable.exchange(self.server, data)
            if ready.status == 200:
                if rocktable.send(self.server, "POST", "/Tables", body='{"TableName":"Probe"}').status == 201:
                    if rocktable.send(self.server, "DELETE", "/Tables('Probe')").status == 204:
                        return
            elif not waited:
                self.run.unavailable += 1
                waited = True
            if time.monotonic() > deadline:
                raise Violation(f"there is room, and the server does not recover: {ready.body}; {self.server.errors()}")
            time.sleep(0.05)


def full(run, rounds):
    location = run.folder = run.folder / "disk"
    location.mkdir()
    disk = SmallDisk(location, random.Random(run.seed))
    try:
        state = FixturesOnSmallDisk(run, disk)
        for _ in range(rounds):
            state.step()
        state.finish()
    except BaseException:
        run.end()
        shutil.copytree(location, location.with_name("left"))  # the disk is unmounted
        raise
    finally:
        run.end()
        disk.close()


SCENARIOS = {
    "writes": writes,
    "stop": lambda run, rounds: writes(run, rounds, stop=True),
    "deletion": deletion,
    "start": first_start,
    "fixtures": fixtures,
    "full": full,
}


def main():
    parser = argparse.ArgumentParser(prog="script/crash", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rounds", type=int, nargs="?", default=100)
    parser.add_argument("--scenario", choices=(*SCENARIOS, "all"), default="writes")
    parser.add_argument("--sync", action="store_true", help="start the server with --sync")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--start-limit", type=float, default=START_LIMIT, metavar="SECONDS",
                        help="until the first answer; more than the default where the machine has other work to do")
    options = parser.parse_args()
    failed = False
    for name in SCENARIOS if options.scenario == "all" else [options.scenario]:
        print(f"{name}: {options.rounds} rounds, --seed {options.seed}{' --sync' * options.sync}", flush=True)
        folder = tempfile.mkdtemp(prefix="rocktable-crash-")
        run = Run(folder, options.seed, options.sync, options.writers, options.start_limit)
        try:
            SCENARIOS[name](run, options.rounds)
            print(f"{name}: {run}", flush=True)
            shutil.rmtree(folder)
        except (AssertionError, *GONE) as failure:
            failed = True
            print(f"{name}: FAILED after {run.kills} kills: {failure}\n{name}: the store is left in {folder}", flush=True)
        finally:
            run.end()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
