"""Runs one server under a mixed load, and judges its memory, descriptors and disk space.

    tests/soak/soak.py MINUTES [FOLDER]      folder of the results; its contents are deleted [build/soak]

Writes a row each minute (more often in short runs) to soak.csv and a chart to soak.svg. The exit code is the verdict.
"""
import csv
import json
import multiprocessing
import os
import pathlib
import shutil
import signal
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))

import chart  # noqa: E402
import load  # noqa: E402
from process import MEBIBYTE, descriptors, resident_bytes  # noqa: E402
from rocktable_server import BINARY, Server, send  # noqa: E402

PROCESSES, CONNECTIONS = 2, 8  # connections of each process
COLUMNS = ("seconds", "resident MiB", "disk MiB", "descriptors", "requests a second", "errors")
FEWEST_ROWS = 12
STOP_SECONDS = 2
SETTLED_SECONDS = 600  # shorter runs have looser limits, because caches still fill


def disk_bytes(folder):
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_blocks * 512
        except FileNotFoundError:  # compaction removed the file
            pass
    return total


class Soak:
    def __init__(self, minutes, folder):
        self.seconds = minutes * 60
        self.interval = min(60, self.seconds / FEWEST_ROWS)
        self.folder = folder
        self.data = folder / "data"
        shutil.rmtree(folder, ignore_errors=True)
        self.data.mkdir(parents=True)
        self.server = Server(location=self.data)
        for table in load.TABLES:
            assert send(self.server, "POST", "/Tables", body=json.dumps({"TableName": table})).status == 201
        self.done = multiprocessing.Array("Q", PROCESSES, lock=False)
        self.wrong = multiprocessing.Array("Q", PROCESSES, lock=False)
        self.rows = []

    def run(self):
        """Runs the load and measures. Returns the time that the server took to stop."""
        stop = multiprocessing.Event()
        workers = [
            multiprocessing.Process(target=load.run, daemon=True,
                                    args=(self.server, number, CONNECTIONS, self.done, self.wrong, stop))
            for number in range(PROCESSES)
        ]
        for worker in workers:
            worker.start()
        self.measure(workers)
        stop.set()
        for worker in workers:
            worker.join(60)
        begin = time.monotonic()
        code = self.server.signal(signal.SIGTERM)
        return code, time.monotonic() - begin

    def measure(self, workers):
        begin = last = time.monotonic()
        count = 0
        with open(self.folder / "soak.csv", "w", newline="", encoding="ascii") as file:
            table = csv.writer(file)
            table.writerow(COLUMNS)
            while last - begin < self.seconds - self.interval / 2:
                time.sleep(max(0, begin + (len(self.rows) + 1) * self.interval - time.monotonic()))
                if not self.server.is_running() or not all(worker.is_alive() for worker in workers):
                    return
                now, total = time.monotonic(), sum(self.done)
                row = (round(now - begin), resident_bytes(self.server) / MEBIBYTE, disk_bytes(self.data) / MEBIBYTE,
                       descriptors(self.server), (total - count) / (now - last), sum(self.wrong))
                last, count = now, total
                self.rows.append([round(value, 1) for value in row])
                table.writerow(self.rows[-1])
                file.flush()
                print("  ".join(f"{name} {value:,}" for name, value in zip(COLUMNS, self.rows[-1])), flush=True)


def is_bounded(values, factor, slack):
    """Returns whether the mean of the last third hardly exceeds that of the middle one. The first one fills caches."""
    third = len(values) // 3
    return statistics.mean(values[-third:]) <= factor * statistics.mean(values[third:-third]) + slack


def faults(rows, wanted_rows, errors, code, stop_seconds):
    """Returns each fault as a sentence."""
    if len(rows) < wanted_rows:
        yield f"the server or a client ended early, after {len(rows)} of {wanted_rows} rows"
        return
    _, memory, disk, files, _, _ = zip(*rows)
    factor = 1.05 if rows[-1][0] >= SETTLED_SECONDS else 1.5
    for name, values, slack in (("memory", memory, 4), ("disk", disk, 32), ("descriptors", files, 5)):
        if not is_bounded(values, factor, slack):
            yield f"{name} grows without bound: {values}"
    if errors:
        yield f"{errors} errors"
    if code != 0 or stop_seconds > STOP_SECONDS:
        yield f"exit code {code} after {stop_seconds:.1f} s"


def main():
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "build/soak")
    soak = Soak(float(sys.argv[1]), folder)
    code, stop_seconds = soak.run()
    chart.draw(COLUMNS, soak.rows, folder / "soak.svg")
    requests = sum(soak.done)
    print(f"{requests:,} requests, {requests / soak.seconds:,.0f} a second; stopped in {stop_seconds:.2f} s; "
          f"figures and chart in {os.path.relpath(folder)}")
    shutil.rmtree(soak.data)
    found = list(faults(soak.rows, round(soak.seconds / soak.interval), sum(soak.wrong), code, stop_seconds))
    for fault in found:
        print(f"FAILED: {fault}")
    print("failed" if found else "passed: memory, disk and descriptors are bounded, no errors")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
