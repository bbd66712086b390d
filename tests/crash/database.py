"""Three front ends on one database, while parts of it fail.

terminate   connections of front ends are ended by the database, again and again
database    `kill -9` of the whole database server, which then starts again
front end   `kill -9` of a front end, and another one in its place
network     the cable to the database is pulled, for shorter and for longer than requests wait
failover    `kill -9` of the database server, and its synchronous standby is promoted

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
        processes = self.freeze()
        postgres.signal_all(processes, signal.SIGKILL)
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


class Standby(FailingPostgres):
    """A synchronous standby of another server: that one acknowledges no commit that is not on the disk here."""

    def __init__(self, primary):
        self.primary = primary
        super().__init__()
        postgres.sql(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'")
        postgres.sql(primary.url, "SELECT pg_reload_conf()")
        deadline = time.monotonic() + postgres.START_DEADLINE
        while postgres.sql(primary.url, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'").strip() != "1":
            if time.monotonic() > deadline:
                raise RuntimeError(f"the standby does not follow: {self.log()}")
            time.sleep(0.05)

    def _make_data(self):
        self._run(postgres.program("pg_basebackup"), "--pgdata", self.data, "--dbname", self.primary.url,
                  "--write-recovery-conf", "--checkpoint", "fast", "--no-sync")

    def promote(self):
        postgres.sql(self.url, "SELECT pg_promote(wait => false)")


class Pair:
    """A server and its standby."""

    def __init__(self):
        self.primary = FailingPostgres()
        try:
            self.standby = Standby(self.primary)
        except BaseException:
            self.primary.stop()
            raise
        first, database = self.primary.url.rsplit("/", 1)
        self.url = f"{first},127.0.0.1:{self.standby.port}/{database}"

    def stop(self):
        self.primary.stop()
        self.standby.stop()


class Cable:
    """A network namespace for a database, and the cable to it, which can be pulled. Needs root and ip(8)."""

    NEAR, FAR = "198.18.77.1", "198.18.77.2"  # addresses for tests of networks: RFC 2544

    def __init__(self):
        self.name = f"rt{os.getpid()}"
        self.holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        namespace = pathlib.Path(f"/proc/{self.holder.pid}/ns/net")
        while namespace.readlink() == pathlib.Path("/proc/self/ns/net").readlink():
            time.sleep(0.01)
        self.within = ["nsenter", f"--net={namespace}"]
        for command in (["ip", "link", "add", self.name, "type", "veth", "peer", "name", "db", "netns", str(self.holder.pid)],
                        ["ip", "address", "add", f"{self.NEAR}/30", "dev", self.name],
                        ["ip", "link", "set", self.name, "up"],
                        [*self.within, "ip", "address", "add", f"{self.FAR}/30", "dev", "db"],
                        [*self.within, "ip", "link", "set", "db", "up"]):
            subprocess.run(command, check=True)

    @staticmethod
    def why_not():
        """Returns why this machine does not support it; None if it does."""
        if os.geteuid() != 0:
            return "needs root"
        tried = subprocess.run(["unshare", "--net", "ip", "link", "add", "near", "type", "veth", "peer", "name", "far"],
                               capture_output=True, text=True)
        return None if tried.returncode == 0 else f"no network namespaces with veth(4): {tried.stderr.strip()}"

    def pull(self):
        subprocess.run(["ip", "link", "set", self.name, "down"], check=True)

    def plug_in(self):
        subprocess.run(["ip", "link", "set", self.name, "up"], check=True)

    def remove(self):
        self.holder.kill()
        self.holder.wait()


class FailedRequest(OSError):
    """A request got 5xx. 503: it was not done. Others: nobody knows."""

    def __init__(self, status):
        super().__init__(status)
        self.status = status


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
        except FailedRequest as failed:
            if failed.status == 503:
                self._forget_what_is_under_way()
        except GONE:
            pass  # unacknowledged requests stay recorded

    def _forget_what_is_under_way(self):
        """503: nothing was done."""
        for table in self.tables:
            table.under_way, table.creation_or_deletion_under_way = [], False


class Farm:
    """Front ends on one store, one for each URL."""

    def __init__(self, urls, *options, writers=9, seed=1):
        self.urls, self.options, self.seed = urls, options, seed
        self.stop = threading.Event()
        self.front_ends = []
        try:
            for url in urls:
                self.front_ends.append(self.new_front_end(url))
        except BaseException:
            self.end()
            raise
        for name in SHARED_TABLES:
            rocktable.create_table(self.front_ends[0], name)
        self.failures = []
        self.writers = [RoamingWriter(number, seed, self.stop, self.failures) for number in range(writers)]
        self.longest_pause = 0.0

    def new_front_end(self, url):
        return rocktable.Server("--store", url, *self.options)

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


def check(urls, fail, rounds, options=(), least=101):
    """Runs a farm. `least`: of requests acknowledged. Returns the longest pause in s."""
    farm = Farm(urls, *options)
    try:
        farm.run(rounds, fail)
        print(f"{farm.acknowledged()} requests acknowledged, {len(farm.failures)} failed, the longest pause "
              f"{farm.longest_pause:.2f} s")
        assert farm.acknowledged() >= least
        # Deletions leave no trace, so the effect of a few requests cannot be found out.
        assert len(farm.failures) < 10 * rounds * len(farm.writers)
        return farm.longest_pause
    finally:
        farm.end()


def end_connections(database, _farm):
    for _ in range(20):
        database.end_connections(database.url)
        time.sleep(0.02)


def kill_database(database, _farm):
    database.kill()
    database.restart()


def kill_front_end(_database, farm):
    victim = random.Random(farm.acknowledged()).randrange(len(farm.front_ends))
    farm.front_ends[victim].kill()
    farm.front_ends[victim] = farm.new_front_end(farm.urls[victim])


def fail_over(pair, _farm):
    pair.primary.kill()
    pair.standby.promote()


def pull_cable(cable, seconds):
    """Returns a failure that lasts this long."""
    def fail(_database, _farm):
        cable.pull()
        time.sleep(seconds)
        cable.plug_in()
    return fail
