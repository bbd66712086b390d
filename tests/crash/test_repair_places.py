"""Repair of a store whose files are damaged at many places: what is kept is current, or named as what may be older.

Every entity has an older version in another file, and a log has changes and deletions of rows of the files. So a repair that
drops a file or a record brings older versions back.

    ROCKTABLE_DAMAGE_PLACES=100   the first and the last 64 bytes of each file, and so many places between, in place of few

With -s, the tests print a row of a table for each kind of file.
"""
import collections
import contextlib
import dataclasses
import json
import os
import random
import re
import shutil
import subprocess

import pytest

import rocktable_server as rocktable
from rocktable_server import BATCH_HEADERS, batch_body, batch_part

PLACES = int(os.environ.get("ROCKTABLE_DAMAGE_PLACES", "0"))
ENTITIES, DELETED_AT_ONCE = 5_000, 300  # a store deletes up to 200 one by one
KINDS = {"sst": r"\d+\.sst", "log": r"\d+\.log", "manifest": r"MANIFEST-\d+", "current": "CURRENT", "options": r"OPTIONS-\d+"}
HARMLESS = ("current", "options")  # what is in them is known, or not needed
MAY_BE_OLDER = 6  # exit code
XML = {"Accept": "application/xml", "Content-Type": "application/xml"}


class Expected:
    """What the store has: entities {(partition, row): version}, tables, and policies {table: permission}."""

    def __init__(self):
        self.entities, self.tables, self.policies = {}, set(), {}
        self.last = None  # the entity of the last operation


def send(server, status, method, target, headers=None, body=None):
    answer = rocktable.send(server, method, target, headers or {}, body)
    assert answer.status == status, answer


def put(server, known, partition, row, version, table="Many", **more):
    resource = f"/{table}(PartitionKey='{partition}',RowKey='{row}')"
    send(server, 204, "PUT", resource, None, json.dumps({"V": version} | more))
    known.entities[partition, row] = version
    known.last = partition, row


def write_many(server, known, version, partition="p", count=ENTITIES, table="Many"):
    for begin in range(0, count, 100):
        rows = [f"{row:04}" for row in range(begin, begin + 100)]
        parts = [batch_part(server, "PUT", f"{table}(PartitionKey='{partition}',RowKey='{row}')", {"V": version, "F": "x" * 150})
                 for row in rows]
        send(server, 202, "POST", "/$batch", BATCH_HEADERS, batch_body(parts))
        known.entities |= {(partition, row): version for row in rows}


def create(server, known, *tables):
    for table in tables:
        rocktable.create_table(server, table)
        known.tables.add(table)


def delete(server, known, table, partition):
    rocktable.delete_table(server, table)
    known.tables.remove(table)
    known.entities = {keys: version for keys, version in known.entities.items() if keys[0] != partition}


def permit(server, known, table, permission):
    access = f"<AccessPolicy><Expiry>2100-01-01T00:00:00Z</Expiry><Permission>{permission}</Permission></AccessPolicy>"
    body = f"<SignedIdentifiers><SignedIdentifier><Id>one</Id>{access}</SignedIdentifier></SignedIdentifiers>"
    send(server, 204, "PUT", f"/{table}?comp=acl", XML, body)
    known.policies[table] = permission


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A store whose second session has changed or deleted everything of the first, and whose third was killed: its log has
    new versions, deletions and new entities. Returns the store and what is in it."""
    folder, known = tmp_path_factory.mktemp("places"), Expected()
    server = rocktable.Server(location=folder)
    create(server, known, "Many", "Shared", "Gone", "Gone2")
    write_many(server, known, 1)
    write_many(server, known, 1, "gone", DELETED_AT_ONCE, "Gone")
    write_many(server, known, 1, "gone2", 100, "Gone2")
    for table in ("Many", "Shared"):
        permit(server, known, table, "raud")
    server.stop()
    server = rocktable.Server(location=folder)
    write_many(server, known, 2)
    delete(server, known, "Gone", "gone")
    permit(server, known, "Shared", "r")
    server.stop()
    server = rocktable.Server(location=folder)
    for row in range(20):
        put(server, known, "q", f"{row:04}", 3)
        put(server, known, "p", f"{row * 7:04}", 3)
        send(server, 204, "DELETE", f"/Many(PartitionKey='p',RowKey='{row * 7 + 1:04}')", {"If-Match": "*"})
        del known.entities["p", f"{row * 7 + 1:04}"]
        if row == 7:
            permit(server, known, "Many", "r")
        if row == 14:
            delete(server, known, "Gone2", "gone2")
    put(server, known, "p", "4000", 3, F="x" * 300)  # more than the tests cut off: a log that ends between records looks whole
    server.kill()
    return folder / "__rocktable__", known


@pytest.fixture(scope="module")
def store(original):
    return original[0]


def name_of(keys):
    return f"(PartitionKey='{keys[0]}',RowKey='{keys[1]}')"


@dataclasses.dataclass
class Repaired:
    """A store after `rocktable repair`: exit code, report, number of current entities, names of what is older and lost."""
    code: int
    report: dict
    current: int
    older: set
    lost: set


def difference(folder, known):
    """Returns the number of current entities, the names of what is older or should be deleted, and what is missing."""
    current, older, lost = 0, set(), set()
    server = rocktable.Server(location=folder)
    with contextlib.ExitStack() as stack:
        stack.callback(server.kill)
        tables = {table["TableName"] for table in rocktable.send(server, "GET", "/Tables").json()["value"]}
        found = {}
        for table in tables:
            found |= {(entity["PartitionKey"], entity["RowKey"]): entity["V"]
                      for entity in rocktable.all_entities(server, table)}
        for table, permission in known.policies.items():
            if table in tables:
                answer = rocktable.send(server, "GET", f"/{table}?comp=acl", XML).text
                there = "".join(re.findall("<Permission>(.*?)</Permission>", answer))
                if there != permission:
                    (older if there else lost).add(f"{table.lower()}?comp=acl")
    for keys, version in found.items():
        if known.entities.get(keys) == version:
            current += 1
        else:
            older.add(name_of(keys))
    lost |= {name_of(keys) for keys in known.entities.keys() - found.keys()}
    lost |= {f"/Tables('{table.lower()}')" for table in known.tables - tables}
    older |= {f"/Tables('{table.lower()}')" for table in tables - known.tables if not table.startswith("recovered")}
    return current, older, lost


def check(folder, known):
    """Repairs a store, and checks that nothing older is there unless the report says so."""
    words = [str(rocktable.BINARY), "repair", "--json", str(folder)]
    result = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode in (0, MAY_BE_OLDER), result
    report = json.loads(result.stdout)
    assert (result.returncode == MAY_BE_OLDER) == bool(report["olderCount"] or report["olderUnnamed"]), report
    assert report["olderCount"] == len(report["older"])
    current, older, lost = difference(folder, known)
    named = set(re.findall(r"\(PartitionKey='.*?',RowKey='.*?'\)|\w+\?comp=acl|/Tables\('\w+'\)", " ".join(report["older"])))
    silent = older - named
    if not report["olderUnnamed"]:
        last = {name_of(known.last)} if report["incomplete"] else set()
        assert silent <= last, f"{len(silent)} are older, and nobody says so: {sorted(silent)[:5]}, {report}"
    if lost or older:
        is_said = report["lost"] or (report["incomplete"] and (report["olderUnnamed"] or not lost))
        assert is_said, f"nothing is said to be lost: {report}"
    return Repaired(result.returncode, report, current, older, lost)


def place(tmp_path, store, name, change):
    shutil.rmtree(tmp_path / "s", ignore_errors=True)
    copy = tmp_path / "s" / "__rocktable__"
    shutil.copytree(store, copy)
    data = (copy / name).read_bytes()
    (copy / name).write_bytes(change(data))
    return tmp_path / "s"


def files_of(store, kind):
    names = sorted(path.name for path in store.iterdir() if re.fullmatch(KINDS[kind], path.name))
    return names[-1:] if kind in HARMLESS else names


def flipped(at):
    return lambda data: data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1:]


def places_of(size, name):
    """The first and the last 64 bytes and 100 places between, or a few of them."""
    chance = random.Random(name)
    between = [chance.randrange(64, size - 64) for _ in range(PLACES or 2)] if size > 128 else []
    edges = [*range(min(64, size)), *range(max(size - 64, 0), size)]
    return sorted({*(edges if PLACES else chance.sample(edges, min(3, len(edges)))), *between})


def tell(kind, change, results):
    codes = collections.Counter(result.code for result in results)
    print(f"| {kind} | {change} | {len(results)} | {min(result.current for result in results)} | "
          f"{codes[0]} | {codes[MAY_BE_OLDER]} | {max(len(result.older) for result in results)} | "
          f"{max(len(result.lost) for result in results)} |")


CHANGES = {
    "one byte appended": lambda data: data + b"x",
    "a megabyte appended": lambda data: data + bytes(1 << 20),
    "the last byte cut off": lambda data: data[:-1],
    "the last 100 bytes cut off": lambda data: data[:-100],
}


def test_the_store_is_whole(original, tmp_path):
    store, known = original
    shutil.copytree(store, tmp_path / "__rocktable__")
    result = check(tmp_path, known)
    assert (result.code, result.report["whole"], result.report["incomplete"]) == (0, True, None)
    assert (result.current, result.older, result.lost) == (len(known.entities), set(), set())


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", KINDS)
def test_files_of_another_length_keep_all_entities(original, tmp_path, kind, change):
    """Neither the index nor the end of a file is needed. A log that ends early has lost its last write."""
    store, known = original
    results = []
    for name in files_of(store, kind):
        result = check(place(tmp_path, store, name, CHANGES[change]), known)
        results.append(result)
        assert not result.lost, (name, result)
        is_cut_log = kind == "log" and "cut" in change
        is_last = name == files_of(store, kind)[-1]
        assert result.older == ({name_of(known.last)} if is_cut_log and is_last else set()), (name, result)
        # The end of an earlier log is no torn end. Its row is the clock's, but nobody knows that.
        assert result.code == (MAY_BE_OLDER if is_cut_log and not is_last else 0), (name, result)
    tell(kind, change, results)


def test_a_current_that_names_nothing_loses_nothing(original, tmp_path):
    store, known = original
    for garbage in (b"", b"garbage\n", b"MANIFEST-999999\n", b"\0" * 16):
        result = check(place(tmp_path, store, "CURRENT", lambda data, garbage=garbage: garbage), known)
        assert (result.code, result.current, result.older, result.lost) == (0, len(known.entities), set(), set())
        assert len(result.report["lost"]) == 1 and "CURRENT" in result.report["lost"][0], result.report


@pytest.mark.parametrize("how", ["lost", "empty", "half"])
def test_what_a_lost_file_leaves_is_named_as_older(original, tmp_path, how):
    store, known = original
    newest = max(files_of(store, "sst"), key=lambda name: ((store / name).stat().st_size > 500_000, name))
    folder = place(tmp_path, store, newest, lambda data: b"" if how == "empty" else data[: len(data) // 2])
    if how == "lost":
        (folder / "__rocktable__" / newest).unlink()
    result = check(folder, known)
    assert result.code == MAY_BE_OLDER and result.older and not result.lost
    assert (result.current > ENTITIES * 0.4) == (how == "half")
    assert any(f"{newest} may have had deletions of many entities" in told for told in result.report["olderUnnamed"])


@pytest.mark.parametrize("how", ["lost", "zeroed"])
def test_a_lost_log_may_leave_anything_older(original, tmp_path, how):
    store, known = original
    name = max(files_of(store, "log"), key=lambda name: (store / name).stat().st_size)
    folder = place(tmp_path, store, name, lambda data: bytes(len(data) // 2) + data[len(data) // 2:])
    if how == "lost":
        (folder / "__rocktable__" / name).unlink()
    result = check(folder, known)
    assert (result.code, result.report["olderCount"]) == (MAY_BE_OLDER, 0)
    sentence = r"\d+ operations of the logs are lost: " if how == "zeroed" else "what the operations of a missing log changed"
    assert re.match(sentence, result.report["olderUnnamed"][0])


@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_bit_costs_a_block_at_most(original, tmp_path, kind):
    """A block has 16 KiB, about 60 entities. What is lost is said, and what may be older is named."""
    store, known = original
    for name in files_of(store, kind):
        results = []
        for at in places_of((store / name).stat().st_size, name):
            result = check(place(tmp_path, store, name, flipped(at)), known)
            results.append(result)
            assert result.current >= len(known.entities) - {"sst": 100, "log": 1}.get(kind, 0), (name, at, result)
            if kind in HARMLESS:
                assert (result.code, result.older, result.lost) == (0, set(), set()), (name, at, result)
        tell(name, "a flipped bit", results)
