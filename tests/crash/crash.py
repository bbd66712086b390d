"""Kills the server at random moments, again and again on one folder, and checks what it kept.

    script/crash [ROUNDS] [--scenario writes|stop|deletion|start|fixtures|all] [--sync] [--seed N] [--writers N]
                 [--start-limit SECONDS]

writes    `kill -9` while writers are at work over several connections: inserts, upserts, conditional updates, merges,
          deletions, transactions of 2 to 100, tables that come and go
stop      the same in the middle of an orderly stop
deletion  `kill -9` while large tables are deleted
start     `kill -9` within the first 30 ms on a new folder
fixtures  `kill -9` while a snapshot is taken, replaced or restored, an account copied, something reset

After each kill: all that was acknowledged is there, with its values and ETags; what was under way is there wholly
or not at all; no ETag comes twice; nothing of a deleted table comes back; the first answer is there within two
seconds. A seed repeats the choices, not the moments to the microsecond.
"""
import argparse
import contextlib
import json
import pathlib
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import rocktable_server as rocktable
from fixture_control import account_of, contents, done, moment
from workload import GONE, Check, Client, Unexpected, Violation, Writer, entities_of

START_LIMIT = 2.0  # seconds until the first answer
SHARED_TABLES = ("Steady0", "Steady1")
LARGE = 30_000  # characters: a few transactions fill RocksDB's buffers, so that files are written and compacted


class Run:
    """A folder that servers are started on and killed, and what is told about it."""

    def __init__(self, folder, seed, sync=False, writers=8, start_limit=START_LIMIT):
        self.folder, self.seed, self.writers, self.start_limit = pathlib.Path(folder), seed, writers, start_limit
        self.random = random.Random(seed)
        self.flags = ["--sync"] if sync else []
        self.kills = self.acknowledged = self.entities = 0
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
        """No server outlives the run."""
        if self._server and self._server.process.poll() is None:
            self._server.kill()

    def __str__(self):
        return (f"{self.kills} kills, {self.acknowledged} requests acknowledged before, {self.entities} entities at the end,"
                f" slowest start {self.slowest_start:.2f} s, nothing lost")


def writes(run, rounds, stop=False):
    """`stop`: the kill comes in the middle of an orderly stop."""
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
                writer.join()  # tells why
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
    server = run.start()  # an orderly end keeps everything as well
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
    """Some 75 MB a table: several files of RocksDB, which are deleted as files."""
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
        for _ in range(2):  # the second start finds what the first left behind
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


class Fixtures:
    """A store with snapshots, and what it and they must hold. `now` and `snapshots` are as contents() tells."""

    # What is asked for, and how long to wait for the kill at most.
    ACTIONS = {"restore": 0.25, "take": 0.08, "copy": 0.03, "reset": 0.01, "reset an account": 0.01, "reset a table": 0.01}

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
            fill(self.server, table, 300)
        self._write()

    def _write(self):
        """So that no two states are the same; and ETags go on."""
        self.written += 1
        entity = json.dumps({"PartitionKey": "written", "RowKey": str(self.written)})
        answer = rocktable.send(self.server, "POST", "/One", body=entity)
        if answer.status != 201:
            raise Unexpected(str(answer))
        if self.last_etag and moment(answer.headers["ETag"]) <= moment(self.last_etag):
            raise Violation(f"the ETag {answer.headers['ETag']} comes after {self.last_etag}")
        self.last_etag = answer.headers["ETag"]
        self.now = contents(self.server)

    def ask_and_kill(self, action, method, resource):
        """Whether the answer came, and said that it is done."""
        data = rocktable.request_bytes(self.server, method, f"/_rocktable/{resource}", {"Content-Length": "0"}, signed=False)
        with rocktable.connection(self.server, timeout=20) as client:
            client.sendall(data)
            time.sleep(self.run.random.random() ** 2 * self.ACTIONS[action])
            self.run.kill(self.server)
            answer = None
            with contextlib.suppress(*GONE):
                answer = rocktable.read_response(client)
        self.server = self.run.start()
        if answer and answer.status not in (200, 201):
            raise Unexpected(f"{method} {resource}: {answer}")
        self.run.acknowledged += answer is not None
        return answer is not None

    def require(self, account, acknowledged, before, after, what):
        found = contents(account)
        allowed = (after,) if acknowledged else (before, after)
        if found not in allowed:
            counts = {name: len(rows) for name, rows in found[0].items()}
            raise Violation(f"{what}: neither as before nor as after; acknowledged: {acknowledged}; tables: {counts}")
        return found

    def step(self):
        action = self.run.random.choice(list(self.ACTIONS))
        name = self.run.random.choice(("first", "second"))
        before = self.now
        if action == "restore":
            acknowledged = self.ask_and_kill(action, "POST", f"snapshots/{name}/restore")
            self.now = self.require(self.server, acknowledged, before, self.snapshots[name], action)
        elif action == "take":
            acknowledged = self.ask_and_kill(action, "POST", f"snapshots/{name}?replace=true")
            self.require(self.server, True, before, before, action)
            done(self.server, "POST", f"snapshots/{name}/restore")
            self.now = self.require(self.server, acknowledged, self.snapshots[name], before, "a snapshot that was replaced")
            self.snapshots[name] = self.now
        elif action == "copy":
            acknowledged = self.ask_and_kill(action, "POST", f"accounts/copy?from={self.server.name}")
            nothing = {}, {}, before[2]
            self.require(account_of(self.server, "copy"), acknowledged, nothing, before, action)
            self.require(self.server, True, before, before, "the account that was copied")
            done(self.server, "DELETE", "accounts/copy")
        else:
            tables, policies, settings = before
            after = ({**tables, "One": []}, policies, settings) if action == "reset a table" else ({}, {}, settings)
            parameters = {"reset": "", "reset an account": f"?account={self.server.name}"}
            parameters["reset a table"] = f"?account={self.server.name}&table=One"
            acknowledged = self.ask_and_kill(action, "POST", "reset" + parameters[action])
            self.now = self.require(self.server, acknowledged, before, after, action)
        listed = {one["name"] for one in done(self.server, "GET", "snapshots")["snapshots"]}
        if listed != set(self.snapshots):
            raise Violation(f"after {action} the snapshots are {listed}")
        if not self.now[0]:
            self._fill()
        self._write()


def fixtures(run, rounds):
    state = Fixtures(run)
    for _ in range(rounds):
        state.step()
    state.server.stop()
    state.server = run.start()
    state.require(state.server, True, state.now, state.now, "an orderly end")
    run.entities = sum(len(rows) for rows in state.now[0].values())
    state.server.stop()
    left = {path.name for path in run.folder.iterdir()} - {"__rocktable__", "__rocktable__.snapshots"}
    if left:
        raise Violation(f"left over: {left}")


SCENARIOS = {
    "writes": writes,
    "stop": lambda run, rounds: writes(run, rounds, stop=True),
    "deletion": deletion,
    "start": first_start,
    "fixtures": fixtures,
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
