#!/usr/bin/python3
"""Measures how a store on Citus grows with its nodes, beside one PostgreSQL without Citus.

    tests/citus/scaling.py [SHARE [WORKERS...]]     default: 0.2 1 2 4

Each server may use SHARE of a core. Each worker has a front end of its own, which is not limited. Prints for each number of
workers the requests per second of all front ends together, the median of three rounds. Needs root, the controller `cpu` of
cgroups (version 1), and wrk(1) (script/bootstrap --bench). It starts the servers itself.
"""
import contextlib
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import citus
import postgres
import rocktable_server as rocktable

GROUPS = pathlib.Path("/sys/fs/cgroup/cpu")
PERIOD = 20_000  # us
ENTITIES, PARTITIONS = 1000, 100
CONNECTIONS = 16  # of each front end
ROUNDS, SECONDS = 3, 4
TABLE = "Orders"
TEXT = "x" * 40
TARGET = f"/_rocktable/entities/devstoreaccount1/{TABLE}"
READS = f"""
local n = math.random({ENTITIES})
function request()
  n = (n + 7919) % {ENTITIES}
  local key = "(PartitionKey='" .. n % {PARTITIONS} .. "',RowKey='" .. n .. "')"
  return wrk.format("GET", "{TARGET}" .. key, {{["Accept"] = "application/json"}})
end"""
INSERTS = f"""
local n, mark = 0, ""
local headers = {{["Accept"] = "application/json", ["Content-Type"] = "application/json", ["Prefer"] = "return-no-content"}}
function init(arguments) mark = arguments[1] end
function request()
  n = n + 1
  local body = '{{"PartitionKey":"' .. n % {PARTITIONS} .. '","RowKey":"' .. mark .. n .. '","Text":"{TEXT}"}}'
  return wrk.format("POST", "{TARGET}", headers, body)
end"""


@contextlib.contextmanager
def limited(server, share):
    """Its processes may use this share of a core, for the block."""
    group = GROUPS / f"rocktable-{server.port}"
    group.mkdir()
    try:
        (group / "cpu.cfs_period_us").write_text(str(PERIOD))
        (group / "cpu.cfs_quota_us").write_text(str(int(PERIOD * share)))
        children = subprocess.run(["pgrep", "-P", str(server.process.pid)], capture_output=True, text=True).stdout.split()
        for process in (str(server.process.pid), *children):
            with contextlib.suppress(ProcessLookupError):  # it has ended
                (group / "cgroup.procs").write_text(process)
        yield
    finally:
        for process in (group / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                (GROUPS / "cgroup.procs").write_text(process)
        group.rmdir()


def load(servers, script, seconds, mark):
    """Returns the requests per second of all front ends."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(script)
        file.flush()
        running = [subprocess.Popen(["wrk", "-t", "1", "-c", str(CONNECTIONS), "-d", f"{seconds}s", "--timeout", "30s", "-s", file.name,
                                     server.url, "--", f"{mark}-{number}-"], stdout=subprocess.PIPE, text=True)
                   for number, server in enumerate(servers)]
        told = [one.communicate()[0] for one in running]
    for text in told:
        assert "Non-2xx" not in text and "Socket errors" not in text, text
    return sum(float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]) for text in told)


def fill(server):
    rocktable.create_table(server, TABLE)
    for number in range(ENTITIES):
        answer = rocktable.send(server, "POST", f"/{TABLE}", {"Prefer": "return-no-content"},
                                f'{{"PartitionKey":"{number % PARTITIONS}","RowKey":"{number}","Text":"{TEXT}"}}')
        assert answer.status == 204, answer


def measure(first, urls, databases, share):
    """Returns (reads, inserts) per second. `first`: the URL that makes the tables. `databases`: the servers to limit."""
    servers = []
    try:
        maker = rocktable.Server("--store", first)
        servers = [rocktable.Server("--store", url) for url in urls]
        fill(maker)
        maker.stop()
        with contextlib.ExitStack() as limits:
            for database in databases:
                limits.enter_context(limited(database, share))
            medians = []
            for name, script in (("r", READS), ("i", INSERTS)):
                load(servers, script, SECONDS, f"{name}w")  # opens the connections
                medians.append(statistics.median(load(servers, script, SECONDS, f"{name}{turn}") for turn in range(ROUNDS)))
        return medians
    finally:
        for server in servers:
            server.kill()


def main():
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 0.2
    numbers = [int(word) for word in sys.argv[2:]] or [1, 2, 4]
    print(f"each server: {share} of a core; {CONNECTIONS} connections for each worker")
    with postgres.Postgres() as plain:
        reads, inserts = measure(plain.url, [plain.url], [plain], share)
    print(f"PostgreSQL         reads {reads:7.0f}/s   inserts {inserts:7.0f}/s", flush=True)
    for number in numbers:
        cluster = citus.Cluster(number)
        try:
            urls = [node.url for node in cluster.nodes]
            reads, inserts = measure(urls[0], urls[1:], cluster.servers, share)
        finally:
            cluster.stop()
        print(f"Citus, {number} workers   reads {reads:7.0f}/s   inserts {inserts:7.0f}/s", flush=True)


if __name__ == "__main__":
    main()
