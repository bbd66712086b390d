"""Measures the program for Windows by Wine beside that for Linux, in turn, and prints the table of docs/windows.md.

    tests/windows/measure.py [ROUNDS]     default: 5

Needs build/release/rocktable (or ROCKTABLE_BINARY), build/windows/rocktable.exe (or ROCKTABLE_WINDOWS_BINARY), Wine and
wrk. Data are in a folder, entities have 1 KB. Wine is not Windows: the figures tell what tests by Wine cost.
"""
import contextlib
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "tests/crash")]
from rocktable_server import Server, create_table  # noqa: E402
from shared_access import account_sas  # noqa: E402
from windows_program import serving  # noqa: E402
from workload import Client  # noqa: E402

SECONDS = 3  # of each measurement
ENTITY = {"PartitionKey": "p", "A": "x" * 1000}
HEADERS = {"Content-Type": "application/json", "Prefer": "return-no-content"}
INSERT = """
local number = 0
request = function()
  number = number + 1
  return wrk.format("POST", nil, nil, '{"PartitionKey": "wrk", "RowKey": "' .. number .. '", "A": "TEXT"}')
end
""".replace("TEXT", ENTITY["A"])


def per_second(act):
    begin, count = time.monotonic(), 0
    while (elapsed := time.monotonic() - begin) < SECONDS:
        act(count)
        count += 1
    return count / elapsed


def loaded(url, *options):
    """Requests per second of 16 connections."""
    words = ["wrk", "-t1", "-c16", f"-d{SECONDS}s", "-H", "Accept: application/json", *options, url]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in told and "Socket errors" not in told, told
    return float(re.search(r"Requests/sec: +([\d.]+)", told)[1])


def load(server, folder):
    create_table(server, "Measured")
    table = f"{server.endpoint}/Measured"
    signature = account_sas(server)  # a load generator does not sign
    headers = [word for name, value in HEADERS.items() for word in ("-H", f"{name}: {value}")]
    script = folder / "insert.lua"
    script.write_text(INSERT)

    with contextlib.closing(Client(server)) as client:
        def insert(number):
            answer = client.send("POST", "/Measured", HEADERS, json.dumps(ENTITY | {"RowKey": f"{number}"}))
            assert answer.status == 204, answer

        def read(_):
            assert client.send("GET", "/Measured(PartitionKey='p',RowKey='0')").status == 200

        inserts, reads = per_second(insert), per_second(read)
    return {
        "single entities read, one connection, /s": reads,
        "single entities read, 16 connections, /s": loaded(f"{table}(PartitionKey='p',RowKey='0')?{signature}"),
        "inserts, one connection, /s": inserts,
        "inserts, 16 connections, /s": loaded(f"{table}?{signature}", "-s", script, *headers),
    }


@contextlib.contextmanager
def on_linux(folder, _):
    server = Server(location=folder / "data")
    yield server
    server.stop()


def on_wine(folder, name):
    return serving(folder / name, "--silent", location=folder / "data")


def figures(start):
    with tempfile.TemporaryDirectory(prefix="rocktable-measure-") as name:
        folder = Path(name)
        with start(folder, "first"):  # makes the folder for the data
            pass
        begin = time.monotonic()
        with start(folder, "second") as server:
            return {"until ready, ms": 1000 * (time.monotonic() - begin), **load(server, folder)}


def main(rounds):
    told = [(figures(on_linux), figures(on_wine)) for _ in range(rounds)]
    print("| | Linux | by Wine |\n| --- | ---: | ---: |")
    for what in told[0][0]:
        linux, wine = (statistics.median(one[side][what] for one in told) for side in (0, 1))
        print(f"| {what} | {linux:,.0f} | {wine:,.0f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
