"""Three front ends on one database, while parts of it fail.

terminate   connections of front ends are ended by the database, again and again
database    `kill -9` of the whole database server, which then starts again
front end   `kill -9` of a front end, and another one in its place

Writers are those of workload.py: each knows the state of its entities. They go to another front end in each round. All
acknowledged writes exist, with their values and ETags, and ETags grow whichever front end gives them; each unacknowledged
request is applied completely or not at all.
"""
import contextlib
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import postgres
import rocktable_server as rocktable
from workload import GONE, Check, Client, Unexpected, Violation, Writer

SHARED_TABLES = ("Steady0", "Steady1")
STALE_SECONDS = 1.2  # a front end knows tables that another one has changed within the last second


class FailingPostgres(postgres.Postgres):
    def kill(self):
        """Kills all its processes at once."""
        first = self.process.pid
        os.kill(first, signal.SIGSTOP)  # it starts no further process
        others = subprocess.run(["pgrep", "-P", str(first)], capture_output=True, text=True).stdout.split()
        processes = [first, *map(int, others)]
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.process.wait()
        while any(pathlib.Path(f"/proc/{process}").exists() for process in processes):
            time.sleep(0.005)
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def restart(self):
        for _ in range(postgres.START_TRIES):
            if self._start():
                return
            time.sleep(0.2)  # the memory of killed processes is freed a moment later
        raise RuntimeError(f"PostgreSQL does not start again: {self.log()}")

    def end_connections(self, url):
        """Ends about half of the connections of front ends."""
        postgres.sql(url, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                          "WHERE application_name = 'rocktable' AND random() < 0.5")


class FailedRequest(OSError):
    """A request got 5xx: nobody knows whether it was done."""


class FaultyClient(Client):
    def __init__(self, server, failures):
        super().__init__(server)
        self._failures = failures

    def send(self, method, target, headers=None, body=None):
        answer = super().send(method, target, headers, body)
        inner = re.search(r"HTTP/1.1 (5\d\d)", answer.text) if answer.status == 202 else None
        status = answer.status if answer.status >= 500 else int(inner[1]) if inner else 0
        if status:
            self._failures.append(status)
            raise FailedRequest(status)
        return answer


class RoamingWriter(Writer):
    """Writes until `stop` is set, or a request fails."""

    def __init__(self, number, seed, stop, failures):
        super().__init__(number, random.Random(seed * 1000 + number), SHARED_TABLES)
        self._stop, self._failures = stop, failures

    def _run(self, server):
        try:
            with contextlib.closing(FaultyClient(server, self._failures)) as client:
                while not self._stop.is_set():
                    self._step(client)
        except (Violation, Unexpected) as failure:
            self.failure = failure
        except GONE:
            pass  # unacknowledged requests stay recorded


class Farm:
    """A database and front ends on it."""

    def __init__(self, database, front_ends=3, writers=9, seed=1):
        self.database, self.seed = database, seed
        self.url = postgres.new_database(database.url)
        self.front_ends = [self.new_front_end() for _ in range(front_ends)]
        for name in SHARED_TABLES:
            rocktable.create_table(self.front_ends[0], name)
        self.stop, self.failures = threading.Event(), []
        self.writers = [RoamingWriter(number, seed, self.stop, self.failures) for number in range(writers)]
        self.longest_pause = 0.0

    def new_front_end(self):
        return rocktable.Server("--store", self.url)

    def run(self, rounds, fail):
        """`fail(farm)` makes something fail while writers write."""
        moments = random.Random(self.seed)
        for number in range(rounds):
            self.stop.clear()
            for writer in self.writers:
                writer.start(self.front_ends[(writer.number + number) % len(self.front_ends)])
            time.sleep(moments.choice((0.05, 0.3, 0.8)) * (0.5 + moments.random()))
            begin = time.monotonic()
            fail(self)
            self.answers_again(self.front_ends[number % len(self.front_ends)], begin)
            time.sleep(0.2)
            self.stop.set()
            for writer in self.writers:
                writer.join()
            time.sleep(STALE_SECONDS)
            Check(self.front_ends[number % len(self.front_ends)], self.writers).run()

    def answers_again(self, server, begin):
        with contextlib.closing(Client(server)) as client:
            answer = client.send("GET", f"/{SHARED_TABLES[0]}(PartitionKey='p',RowKey='none')")
        self.longest_pause = max(self.longest_pause, time.monotonic() - begin)
        if answer.status not in (404, 200):
            raise Violation(f"the first answer after the failure: {answer}")

    def acknowledged(self):
        return sum(writer.acknowledged for writer in self.writers)

    def end(self):
        self.stop.set()
        for front_end in self.front_ends:
            front_end.kill()


def end_connections(farm):
    for _ in range(20):
        farm.database.end_connections(farm.database.url)
        time.sleep(0.02)


def kill_database(farm):
    farm.database.kill()
    farm.database.restart()


def kill_front_end(farm):
    victim = random.Random(farm.acknowledged()).randrange(len(farm.front_ends))
    farm.front_ends[victim].kill()
    farm.front_ends[victim] = farm.new_front_end()
