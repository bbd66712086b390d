"""Stores with damaged files: truncated, with flipped bits, deleted. The server either starts, and
warns of writes that a torn log lost, or refuses to start and names the file and `rocktable repair`. Each read returns
the right value or an error, never a wrong value and never silently fewer rows. A repaired store has all other rows.

ROCKTABLE_DAMAGE_ROUNDS multiplies the number of damages, each at another place.
"""
import contextlib
import json
import os
import random
import re
import shutil
import subprocess
import time

import pytest

import rocktable_server as rocktable
from workload import Client, entity_path

ROUNDS = int(os.environ.get("ROCKTABLE_DAMAGE_ROUNDS", "1"))
FILES = {
    "log": r"\d+\.log",
    "sst": r"\d+\.sst",
    "manifest": r"MANIFEST-\d+",
    "current": "CURRENT",
    "options": r"OPTIONS-\d+",
    "identity": "IDENTITY",
}
HARMLESS = ("options", "identity")  # the store does not need these files
DAMAGES = ["truncated to nothing", "truncated by a byte", "truncated", "flipped", "zeroed", "deleted"]
SESSIONS, ROWS = 3, 150
MAY_BE_OLDER = 6  # exit code of a repair
SCANS = ("$top=200", "$filter=A%20ne%20'none'")  # by pages, and long enough for a scan with two threads


class Known:
    """The rows written into a store, in order: {row: value}. `older`: values that were overwritten or deleted."""

    def __init__(self):
        self.rows, self.older, self.tables = {}, {}, {"Known", "Other"}

    def write(self, client, row, value):
        body = json.dumps({"PartitionKey": "p", "RowKey": row, "A": value})
        answer = client.send("PUT", entity_path("Known", ("p", row)), {}, body)
        assert answer.status == 204, answer
        self._forget(row)
        self.rows[row] = value

    def delete(self, client, row):
        answer = client.send("DELETE", entity_path("Known", ("p", row)), {"If-Match": "*"})
        assert answer.status == 204, answer
        self._forget(row)

    def _forget(self, row):
        if row in self.rows:
            self.older.setdefault(row, set()).add(self.rows.pop(row))


def fill(server, known, session, rows):
    with contextlib.closing(Client(server)) as client:
        for i in range(rows):
            known.write(client, f"{session}-{i:03}", f"{session}-{i} " + "x" * 3000)
        if session == 0:
            known.write(client, "overwritten", "old")
            known.write(client, "deleted", "old")
        if session == 1:
            known.write(client, "overwritten", "new")
            known.delete(client, "deleted")


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """Returns {how the server ended: (folder, contents)}."""
    out = {}
    for ended in ("stopped", "killed"):
        folder, known = tmp_path_factory.mktemp(ended), Known()
        for session in range(SESSIONS):
            server = rocktable.Server(location=folder)
            if session == 0:
                for name in ("Known", "Other", "Dropped"):
                    rocktable.create_table(server, name)
                rocktable.send(server, "POST", "/Dropped", body='{"PartitionKey":"p","RowKey":"r"}')
                rocktable.delete_table(server, "Dropped")
            fill(server, known, session, ROWS)
            if ended == "killed" and session > 0:
                server.kill()  # leaves two logs with unflushed rows
            else:
                server.stop()
        out[ended] = folder / "__rocktable__", known
    return out


@pytest.fixture
def start(tmp_path):
    """Starts a server on tmp_path. Returns None if it refuses to start, with a message."""
    servers = []

    def make():
        try:
            servers.append(rocktable.Server(location=tmp_path))
        except AssertionError as refusal:
            sentence = str(refusal).split("starting: ")[1].strip()
            assert "ended with 1 " in str(refusal) and len(sentence.splitlines()) == 1, refusal
            return None, sentence
        return servers[-1], None

    yield make
    for server in servers:
        if server.is_running():
            server.kill()


def repair(folder, codes=(0,)):
    words = [str(rocktable.BINARY), "repair", str(folder)]
    result = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode in codes, result
    return result.stderr if result.returncode == 1 else result.stdout


def damage(path, how, chance):
    data = path.read_bytes()
    if how == "deleted":
        path.unlink()
        return
    if how == "truncated to nothing":
        data = b""
    elif how == "truncated by a byte":
        data = data[:-1]
    elif how == "truncated":
        data = data[: chance.randrange(len(data) or 1)]
    else:
        begin = chance.randrange(len(data) or 1)
        count = 1 if how == "flipped" else chance.randint(1, 5000)
        changed = bytes(1 << chance.randrange(8) for _ in data[begin : begin + 1]) if how == "flipped" else None
        if changed:
            data = data[:begin] + bytes([data[begin] ^ changed[0]]) + data[begin + 1 :]
        else:
            data = data[:begin] + bytes(len(data[begin : begin + count])) + data[begin + count :]
    path.write_bytes(data)


def read_all(client, query):
    """Returns {row: value} of the table Known by a scan, or None if it responds 500."""
    found, token = {}, ""
    while True:
        target = f"/Known()?{query}{token}"
        answer = client.send("GET", target, {"Accept": "application/json;odata=nometadata"})
        if answer.status == 500:
            assert answer.code == "InternalError"
            return None
        assert answer.status == 200, answer
        found |= {entity["RowKey"]: entity["A"] for entity in answer.json()["value"]}
        row = answer.headers["x-ms-continuation-NextRowKey"]
        if not row:
            return found
        token = f"&NextPartitionKey={answer.headers['x-ms-continuation-NextPartitionKey']}&NextRowKey={row}"


def read_singly(client, known):
    """Returns {row: value} by point reads of all rows ever written, and the rows whose read failed."""
    found, failed = {}, set()
    for row in {*known.rows, *known.older}:
        answer = client.send("GET", entity_path("Known", ("p", row)), {"Accept": "application/json;odata=nometadata"})
        if answer.status == 500:
            assert answer.code == "InternalError"
            failed.add(row)
        elif answer.status != 404:
            assert answer.status == 200, answer
            found[row] = answer.json()["A"]
    return found, failed


def check_served(server, known, kind, how):
    """Checks all rows, except errors and the last rows of a torn log. Returns whether errors occurred."""
    with contextlib.closing(Client(server)) as client:
        tables = client.send("GET", "/Tables")
        if tables.status == 500:
            return True
        names = {table["TableName"] for table in tables.json()["value"]}
        found, failed = read_singly(client, known)
        scans = [read_all(client, query) for query in SCANS]
    assert names == known.tables
    for scanned in scans:
        assert scanned in (found, None)
    if kind == "log" and found != known.rows:
        # An empty log, or one that ends between two records, looks like a whole log with fewer records.
        if how != "truncated to nothing":
            assert re.search(r"\d+\.log (is damaged at byte \d+|seems to be missing)", server.errors()), server.errors()
        written = [row for row in known.rows if row[0].isdigit()]
        kept = [row for row in written if row in found]
        assert kept == written[: len(kept)], "rows are missing in the middle"
        assert all(found[row] == known.rows[row] for row in kept)
        return False
    expected = {row: value for row, value in known.rows.items() if row not in failed}
    assert found == expected
    if failed or None in scans:
        assert re.search(r"request \S+ failed: .*\d+\.sst", server.errors()), server.errors()
    return bool(failed) or None in scans


def check_repaired(server, known, told, most_lost):
    """Checks that only written values exist, and that the report names missing rows."""
    with contextlib.closing(Client(server)) as client:
        names = {table["TableName"] for table in client.send("GET", "/Tables").json()["value"]}
        found = {}
        if "Known" in names:
            found, failed = read_singly(client, known)
            assert not failed
            assert all(read_all(client, query) == found for query in SCANS)
        for row, value in found.items():
            assert value in {known.rows.get(row)} | known.older.get(row, set()), (row, value)
        assert all(re.fullmatch(r"recovered\d+", name) for name in names - known.tables)
        assert len(known.rows) - len(found) <= most_lost
        if found != known.rows or names != known.tables:
            assert "lost:" in told
        new = rocktable.create_table(server)
        assert rocktable.all_entities(server, new) == [], "a new table has rows"
        body = json.dumps({"PartitionKey": "p", "RowKey": "r"})
        assert client.send("POST", f"/{new}", {}, body).status == 201


@pytest.mark.parametrize("seed", range(ROUNDS))
@pytest.mark.parametrize("how", DAMAGES)
@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("ended", ["stopped", "killed"])
def test_a_damaged_store_is_right_or_says_so(stores, start, tmp_path, ended, kind, how, seed):
    original, known = stores[ended]
    store = tmp_path / "__rocktable__"
    shutil.copytree(original, store)
    chance = random.Random(f"{ended} {kind} {how} {seed}")
    path = chance.choice(sorted(p for p in store.iterdir() if re.fullmatch(FILES[kind], p.name)))
    damage(path, how, chance)
    before = {p.name: p.read_bytes() for p in store.iterdir()}

    server, refusal = start()
    if server:
        failed = check_served(server, known, kind, how)
        assert not (failed and kind in HARMLESS)
        server.kill()
        if not failed:
            return
    else:
        assert kind not in HARMLESS
        assert f"`rocktable repair {tmp_path}` saves the undamaged data" in refusal
        assert re.search(r"CURRENT|MANIFEST|\d+\.(sst|log)", refusal), refusal
        after = {p.name: p.read_bytes() for p in store.iterdir() if not p.name.startswith("LOG")}
        for name, data in before.items():
            if re.fullmatch(r"\d+\.(sst|log)", name):
                assert after.get(name) == data, f"{name} was changed by a start that was refused"
    told = repair(tmp_path, codes=(0, MAY_BE_OLDER))
    assert "repaired" in told or "undamaged" in told
    if "repaired" in told:
        assert (tmp_path / "__rocktable__.damaged1" / path.name).exists() or how == "deleted"
    server, refusal = start()
    assert server, refusal
    one_record = (kind, how) == ("log", "flipped")  # the record has a row, or the tables
    check_repaired(server, known, told, most_lost=1 if one_record and "recovered" not in told else len(known.rows))


def test_a_store_in_use_is_not_repaired(stores, start, tmp_path):
    shutil.copytree(stores["stopped"][0], tmp_path / "__rocktable__")
    server, _ = start()
    assert "in use" in repair(tmp_path, codes=(1,))
    assert server.is_healthy()


def test_a_whole_store_is_left_as_it_is(stores, tmp_path):
    store = tmp_path / "__rocktable__"
    shutil.copytree(stores["killed"][0], store)
    before = {p.name: p.read_bytes() for p in store.iterdir()}
    told = repair(tmp_path)
    count = len(stores["killed"][1].rows)
    assert told == f"rocktable: the store is undamaged: 2 tables, {count} entities\n"
    assert {p.name: p.read_bytes() for p in store.iterdir()} == before
    assert [p.name for p in tmp_path.iterdir()] == ["__rocktable__"]


def test_where_there_is_no_store_nothing_is_repaired(tmp_path):
    assert "there is no store in" in repair(tmp_path, codes=(1,))
    assert list(tmp_path.iterdir()) == []
