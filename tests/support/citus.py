#!/usr/bin/python3
"""A cluster of Citus for tests: a coordinator and two workers, each a PostgreSQL server of this machine.

    tests/support/citus.py -- COMMAND...     runs a command with ROCKTABLE_CITUS=URL,URL,URL set, the coordinator first

Debian has no package of Citus. Citus 12.1 is built from its sources for the PostgreSQL of Debian 12:

    ./configure --without-libcurl && make && make install
"""
import contextlib
import itertools
import os
import pathlib
import signal
import subprocess
import sys
import time
import urllib.parse

import postgres

VARIABLE = "ROCKTABLE_CITUS"
START_DEADLINE = 60.0
SETTINGS = {"shared_preload_libraries": "citus", "citus.node_conninfo": "sslmode=disable", "wal_level": "logical",
            "max_prepared_transactions": "200", "max_connections": "500", "max_wal_senders": "20",
            "max_replication_slots": "20", "log_min_messages": "fatal", "citus.recover_2pc_interval": "2s"}

# Ends about half of the connections of a node, also those of other nodes to it.
CUT_HALF = ("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE backend_type = 'client backend' "
            "AND pid <> pg_backend_pid() AND datname = current_database() AND random() < 0.5")

_numbers = itertools.count()


class Node:
    """A node by its URL. What kills, stops and starts it needs the node on this machine, and the right to do so."""

    def __init__(self, url):
        self.url = url
        self.port = urllib.parse.urlsplit(url).port

    def sql(self, statement):
        return postgres.sql(self.url, statement)

    @property
    def data(self):
        """Its folder."""
        if not hasattr(self, "_data"):
            self._data = pathlib.Path(self.sql("SHOW data_directory").strip())
        return self._data

    def _first(self):
        return int((self.data / "postmaster.pid").read_text().split("\n", 1)[0])

    def kill(self):
        """Kills its processes with SIGKILL, and waits for their end."""
        processes = postgres.freeze(self._first())
        self._options = (self.data / "postmaster.opts").read_text()
        postgres.signal_all(processes, signal.SIGKILL)
        while any(map(self._runs, processes)):
            time.sleep(0.01)
        # Its parent may not have heard of its end yet, and then a new server would believe that it still runs.
        locks = self.data / "postmaster.pid"
        sockets = locks.read_text().split("\n")[4]
        if sockets:
            (pathlib.Path(sockets) / f".s.PGSQL.{self.port}.lock").unlink(missing_ok=True)
        locks.unlink()

    @staticmethod
    def _runs(process):
        try:
            return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except FileNotFoundError:
            return False

    def start(self):
        """Starts it again, as it was started before, and waits until it takes connections."""
        owner = self.data.stat()
        subprocess.run(["setpriv", f"--reuid={owner.st_uid}", f"--regid={owner.st_gid}", "--clear-groups",
                        postgres.program("pg_ctl"), "start", "--silent", "--no-wait", "-D", self.data, "-l", self.data / "start.log",
                        "-o", self._options.partition(" ")[2].strip()],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, cwd="/")
        deadline = time.monotonic() + START_DEADLINE
        while True:
            try:
                self.sql("SELECT 1")
                return
            except subprocess.CalledProcessError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def silent(self):
        """All its processes stand still, for the block."""
        return postgres.silent(self._first())


def nodes():
    """Those of ROCKTABLE_CITUS: the coordinator and two workers."""
    return [Node(url) for url in os.environ[VARIABLE].split(",")]


def new_schema(coordinator):
    """Makes a schema for a store. Returns its name."""
    name = f"test_{os.getpid()}_{next(_numbers)}"
    coordinator.sql(f"CREATE SCHEMA {name}")
    return name


def in_schema(node, name):
    """The URL of the store in a schema, through this node."""
    return f"{node.url}?options=-csearch_path%3D{name}"


# --- where entities are; `url` is that of a store ----------------------------------------------------------------------


def parts(url):
    """The values of the column `part`, of all entities."""
    return sorted(set(postgres.sql(url, "SELECT part FROM rocktable_entities").split()))


def _places(url, some):
    """Returns {part: (shard, port of its node)}."""
    listed = postgres.sql(url, f"SELECT part, shardid, nodeport FROM unnest(ARRAY[{','.join(some)}]) part JOIN citus_shards "
                               "ON shardid = get_shard_id_for_distribution_column('rocktable_entities', part)")
    return {part: (shard, int(port)) for part, shard, port in (line.split("|") for line in listed.split())}


def homes(url, nodes):
    """Returns {PartitionKey as a number: index of the node that has its rows}."""
    places = _places(url, parts(url))
    ports = [node.port for node in nodes]
    found = {}
    for line in postgres.sql(url, "SELECT encode(key, 'hex'), part FROM rocktable_entities").split():
        key, part = line.split("|")
        partition = bytes.fromhex(key)[8:].decode("utf-16-be").partition("\0")[0]
        found[int(partition)] = ports.index(places[part][1])
    return found


def move(url, nodes, part, mode):
    """Moves the shard with this part to the other worker."""
    shard, port = _places(url, [part])[part]
    other = next(node for node in nodes[1:] if node.port != port)
    postgres.sql(url, f"SELECT citus_move_shard_placement({shard}, '127.0.0.1', {port}, '127.0.0.1', {other.port}, '{mode}')")


class Cluster:
    """A coordinator and workers with empty folders, which know each other. Raises FileNotFoundError if Citus is not
    installed."""

    def __init__(self, workers=2):
        library = pathlib.Path(postgres.program("postgres")).parent.parent / "lib/citus.so"
        if not library.exists():
            raise FileNotFoundError(f"{library} is missing: Citus is not installed")
        self.servers = []
        try:
            for _ in range(1 + workers):
                self.servers.append(postgres.Postgres(settings=SETTINGS))
            self.nodes = [Node(server.url) for server in self.servers]
            for node in self.nodes:
                node.sql("CREATE EXTENSION citus")
            coordinator = self.nodes[0]
            coordinator.sql(f"SELECT citus_set_coordinator_host('127.0.0.1', {coordinator.port})")
            for worker in self.nodes[1:]:
                coordinator.sql(f"SELECT citus_add_node('127.0.0.1', {worker.port})")
        except BaseException:
            self.stop()
            raise

    def stop(self):
        for server in self.servers:
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # one that was killed and started again
                os.kill(int((server.data / "postmaster.pid").read_text().split("\n", 1)[0]), signal.SIGQUIT)
                time.sleep(0.5)
            server.stop()


def main():
    if len(sys.argv) < 3 or sys.argv[1] != "--":
        sys.exit("usage: tests/support/citus.py -- COMMAND...")
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, postgres.end)
    cluster = Cluster()
    try:
        urls = ",".join(node.url for node in cluster.nodes)
        return subprocess.run(sys.argv[2:], env={**os.environ, VARIABLE: urls}).returncode
    finally:
        cluster.stop()


if __name__ == "__main__":
    sys.exit(main())
