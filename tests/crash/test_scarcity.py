"""A full disk and too few file descriptors: writes are refused with the error of the service, reads continue, no
acknowledged write is lost, and writes succeed again once there is space, without a restart."""
import contextlib
import json
import os
import random
import resource
import socket
import subprocess
import time

import pytest

import rocktable_server as rocktable
from crash import NoSmallDisk, SmallDisk
from fixture_control import done
from workload import GONE, Client

DISK = 80 << 20
BALLAST = 40 << 20  # more than the memtables hold, which are flushed before writes continue
LEAST_BALLAST = 36 << 20  # a memtable and its overhead
RECOVERY_LIMIT = 10.0  # seconds


@pytest.fixture
def disk(tmp_path):
    """A folder on a disk of its own, and a file on it that can be deleted to free space."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine does not let a small disk be mounted")
    (folder / "ballast").write_bytes(bytes(BALLAST))
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def start():
    servers = []

    def make(*flags, **options):
        servers.append(rocktable.Server(*flags, **options))
        return servers[-1]

    yield make
    for server in servers:
        if server.is_running():
            server.kill()


class Rows:
    """Writes rows one by one and records which were acknowledged."""

    def __init__(self, server, table="Rows"):
        self.table, self.acknowledged, self._next = table, set(), 0
        rocktable.create_table(server, table)

    def write(self, client):
        self._next += 1
        row = f"{self._next:06}"
        body = json.dumps({"PartitionKey": "p", "RowKey": row, "A": "x" * 30_000})
        answer = client.send("POST", f"/{self.table}", {"Prefer": "return-no-content"}, body)
        if answer.status == 204:
            self.acknowledged.add(row)
        return answer

    def fill(self, client):
        """Writes until the disk is full."""
        for _ in range(DISK // 30_000 * 2):
            answer = self.write(client)
            if answer.status != 204:
                return answer
        raise AssertionError("the disk does not get full")

    def until_written(self, client):
        begin = time.monotonic()
        while self.write(client).status != 204:
            assert time.monotonic() - begin < RECOVERY_LIMIT, "no write succeeds though there is room"
            time.sleep(0.1)

    def check(self, server):
        """Checks that acknowledged rows exist and refused rows do not, except the last one before a crash."""
        rows = {entity["RowKey"] for entity in rocktable.all_entities(server, self.table)}
        assert self.acknowledged <= rows
        return rows - self.acknowledged


def fill_again(disk):
    """The files of a deleted table may still be there: RocksDB removes a file of its first level by compaction only."""
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    assert free > LEAST_BALLAST, "the first table and a deletion take more than their memtables"
    (disk / "ballast").write_bytes(bytes(min(BALLAST, free)))


def refused_for_want_of_space(answer, server):
    assert (answer.status, answer.code) == (500, "InternalError"), answer
    assert "No space left on device" in server.errors()


@pytest.mark.parametrize("sync", [False, True], ids=["without sync", "with sync"])
def test_a_full_disk_refuses_writes_until_there_is_room(disk, start, sync):
    server = start(*["--sync"] * sync, location=disk)
    rows = Rows(server)
    with contextlib.closing(Client(server)) as client:
        for attempt in range(2):
            refused_for_want_of_space(rows.fill(client), server)
            assert client.send("POST", "/Tables", {}, '{"TableName":"Another"}').status == 500
            assert not rows.check(server), "what was refused is there"
            assert client.send("GET", f"/{rows.table}(PartitionKey='p',RowKey='000001')").status == 200
            (disk / "ballast").unlink()
            rows.until_written(client)
            if attempt == 0:
                assert not rows.check(server)
                rocktable.delete_table(server, rows.table)
                rows = Rows(server, "Again")
                fill_again(disk)
    server.kill()
    server = start(location=disk)
    assert not rows.check(server)
    assert rows.acknowledged


def test_a_crash_on_a_full_disk_loses_nothing(disk, start):
    server = start(location=disk)
    rows = Rows(server)
    with contextlib.closing(Client(server)) as client:
        refused_for_want_of_space(rows.fill(client), server)
        for _ in range(20):
            rows.write(client)
    server.kill()
    try:
        server = start(location=disk)
    except AssertionError as refusal:
        assert "No space left on device" in str(refusal) and "repair" not in str(refusal), refusal
    else:
        server.kill()
    (disk / "ballast").unlink()
    server = start(location=disk)
    assert len(rows.check(server)) <= 1
    with contextlib.closing(Client(server)) as client:
        rows.until_written(client)


def test_a_stop_on_a_full_disk_loses_nothing(disk, start):
    server = start(location=disk)
    rows = Rows(server)
    with contextlib.closing(Client(server)) as client:
        refused_for_want_of_space(rows.fill(client), server)
    server.stop()
    (disk / "ballast").unlink()
    assert len(rows.check(start(location=disk))) <= 1


def test_a_disk_that_fills_during_a_restore_loses_nothing(start, tmp_path):
    """The worst moment: neither the snapshot nor the former store can be opened. The store is not available, reports
    the reason, and is reopened once there is space."""
    folder = tmp_path / "disk"
    folder.mkdir()
    try:
        disk = SmallDisk(folder, random.Random(1), at_exchange=1, hold=10)
    except NoSmallDisk as reason:
        pytest.skip(str(reason))
    try:
        server = start(location=folder)
        rows = Rows(server)
        with contextlib.closing(Client(server)) as client:
            for _ in range(100):
                assert rows.write(client).status == 204
            done(server, "POST", "snapshots/x")
            taken = set(rows.acknowledged)
            give_up = time.monotonic() + 120
            while time.monotonic() < give_up:
                rows.until_written(client)
                before = set(rows.acknowledged)
                with disk.filling():
                    disk.wait_until_little_is_left()
                    answer = ask(server, "POST", "snapshots/x/restore")
                    ready = ask(server, "GET", "ready")
                    refused = [ask(server, "POST", "snapshots/y").status, rows.write(client).status]
                    if ready.status == ask(server, "GET", "ready").status == 503:
                        assert answer.status == 500 and "No space left on device" in answer.json()["error"]
                        assert "No space left on device" in ready.json()["error"]
                        assert refused == [503, 503]
                        break
                if answer.status == 200:
                    rows.acknowledged = taken | (rows.acknowledged - before)
            else:
                raise AssertionError("no restore was caught")
            deadline = time.monotonic() + RECOVERY_LIMIT
            while ask(server, "GET", "ready").status != 200:
                assert time.monotonic() < deadline, "there is room, and the store is not opened"
                time.sleep(0.1)
            assert not rows.check(server)
            rows.until_written(client)
            done(server, "POST", "snapshots/y?replace=true")
        server.kill()
        server = start(location=folder)
        assert not rows.check(server)
        server.stop()
    finally:
        disk.close()


def ask(server, method, resource):
    data = rocktable.request_bytes(server, method, f"/_rocktable/{resource}", {"Content-Length": "0"}, signed=False)
    return rocktable.exchange(server, data, method)


def test_too_few_descriptors_are_survived(start, tmp_path):
    """Clients use all descriptors; the store has more files than descriptors are left."""
    for session in range(12):  # each session leaves files
        server = start(location=tmp_path)
        if session == 0:
            rocktable.create_table(server, "Rows")
        for row in range(20):
            body = json.dumps({"PartitionKey": f"p{row}", "RowKey": f"{session}"})
            assert rocktable.send(server, "POST", "/Rows", body=body).status == 201
        server.stop()
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits[0], limits[1]))
    server = rocktable_with_few_files(start, tmp_path, 60)
    clients = []
    try:
        for _ in range(100):
            clients.append(socket.create_connection((server.host, server.port), timeout=1))
        time.sleep(0.3)
        for row in range(20):
            with contextlib.suppress(*GONE):
                data = rocktable.request_bytes(server, "GET", f"{server.base}/Rows(PartitionKey='p{row}',RowKey='3')")
                clients[row].sendall(data)
                assert rocktable.read_response(clients[row]).status in (200, 500)
    finally:
        for client in clients:
            client.close()
    deadline = time.monotonic() + RECOVERY_LIMIT
    while True:
        with contextlib.suppress(*GONE):
            if len(rocktable.all_entities(server, "Rows")) == 240:
                break
        assert time.monotonic() < deadline, "the clients are gone, and it does not recover"
        time.sleep(0.1)
    body = json.dumps({"PartitionKey": "after", "RowKey": ""})
    while rocktable.send(server, "POST", "/Rows", body=body).status != 201:  # it may need a file that a read does not
        assert time.monotonic() < deadline, "the clients are gone, and no write succeeds"
        time.sleep(0.1)
    server.stop()


def rocktable_with_few_files(start, folder, count):
    """Sets both limits, because the server raises the soft limit to the hard one."""
    script = folder / "few"
    script.write_text(f'#!/bin/sh\nulimit -n {count}\nexec "{rocktable.BINARY}" "$@"\n')
    script.chmod(0o755)
    return start(location=folder, binary=script)
