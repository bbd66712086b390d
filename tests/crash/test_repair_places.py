"""Repair of a store whose files are damaged at many places: what is kept is current, or named as what may be older.

Every entity has an older version in another file. A repair that drops a file brings it back.

    ROCKTABLE_DAMAGE_PLACES=100   the first and the last 64 bytes of each file, and so many places between, in place of few;
                                  prints a table
"""
import collections
import contextlib
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
ENTITIES = 5_000
KINDS = {"sst": r"\d+\.sst", "log": r"\d+\.log", "manifest": r"MANIFEST-\d+", "current": "CURRENT"}
MAY_BE_OLDER = 6  # exit code


def write_all(server, version):
    for begin in range(0, ENTITIES, 100):
        parts = [batch_part(server, "PUT", f"Many(PartitionKey='p',RowKey='{row:04}')", {"V": version, "F": "x" * 150})
                 for row in range(begin, begin + 100)]
        assert rocktable.send(server, "POST", "/$batch", BATCH_HEADERS, batch_body(parts)).status == 202


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store in which each entity has version 2, and version 1 in an older file. A log has a few entities more."""
    folder = tmp_path_factory.mktemp("places")
    for version in (1, 2):
        server = rocktable.Server(location=folder)
        if version == 1:
            rocktable.create_table(server, "Many")
        write_all(server, version)
        server.stop()
    server = rocktable.Server(location=folder)
    for row in range(20):
        body = json.dumps({"PartitionKey": "q", "RowKey": f"{row:02}", "V": 2})
        assert rocktable.send(server, "POST", "/Many", body=body).status == 201
    server.kill()
    return folder / "__rocktable__"


def repaired(folder):
    """Returns the report of `rocktable repair`, and the versions of the entities then."""
    words = [str(rocktable.BINARY), "repair", "--json", str(folder)]
    result = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode in (0, MAY_BE_OLDER), result
    report = json.loads(result.stdout)
    assert (result.returncode == MAY_BE_OLDER) == (report["olderCount"] > 0)
    server = rocktable.Server(location=folder)
    with contextlib.ExitStack() as stack:
        stack.callback(server.kill)
        tables = [table["TableName"] for table in rocktable.send(server, "GET", "/Tables").json()["value"]]
        found = {}
        for table in tables:
            for entity in rocktable.all_entities(server, table):
                found[entity["PartitionKey"], entity["RowKey"]] = entity["V"]
    return report, found


def check(folder):
    """Checks the repaired store. Returns how many entities are current, older and lost."""
    report, found = repaired(folder)
    named = set(re.findall(r"RowKey='(\d+)'", " ".join(report["older"])))
    older = {row for (_, row), version in found.items() if version == 1}
    assert older <= named, f"{len(older - named)} entities are older, and nobody says so: {sorted(older - named)[:5]}"
    lost = ENTITIES + 20 - len(found)
    if lost or older:
        assert report["lost"] or (report["incomplete"] and lost == 1), "nothing is said to be lost"
    return ENTITIES + 20 - lost - len(older), len(older), lost


def place(tmp_path, store, name, change):
    shutil.rmtree(tmp_path / "s", ignore_errors=True)
    copy = tmp_path / "s" / "__rocktable__"
    shutil.copytree(store, copy)
    data = (copy / name).read_bytes()
    (copy / name).write_bytes(change(data))
    return tmp_path / "s"


def files_of(store, kind):
    return sorted(path.name for path in store.iterdir() if re.fullmatch(KINDS[kind], path.name))


def flipped(at):
    return lambda data: data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1:]


def places_of(size, name):
    """The first and the last 64 bytes and 100 places between, or a few of them."""
    chance = random.Random(name)
    between = [chance.randrange(64, size - 64) for _ in range(PLACES or 3)] if size > 128 else []
    edges = [*range(min(64, size)), *range(max(size - 64, 0), size)]
    return sorted({*(edges if PLACES else chance.sample(edges, min(3, len(edges)))), *between})


CHANGES = {
    "one byte appended": lambda data: data + b"x",
    "a megabyte appended": lambda data: data + bytes(1 << 20),
    "the last byte cut off": lambda data: data[:-1],
    "the last 100 bytes cut off": lambda data: data[:-100],
}


@pytest.mark.parametrize("change", CHANGES)
def test_files_of_another_length_keep_all_entities(store, tmp_path, change):
    """Neither the index nor the end of a file is needed."""
    for name in files_of(store, "sst"):
        assert check(place(tmp_path, store, name, CHANGES[change])) == (ENTITIES + 20, 0, 0), name


def test_a_current_that_names_nothing_loses_nothing(store, tmp_path):
    for garbage in (b"", b"garbage\n", b"MANIFEST-999999\n", b"\0" * 16):
        folder = place(tmp_path, store, "CURRENT", lambda data, garbage=garbage: garbage)
        report, found = repaired(folder)
        assert len(found) == ENTITIES + 20 and set(found.values()) == {2}
        assert len(report["lost"]) == 1 and "CURRENT" in report["lost"][0], report["lost"]


@pytest.mark.parametrize("how", ["lost", "empty", "half"])
def test_what_a_lost_file_leaves_is_named_as_older(store, tmp_path, how):
    newest = max(files_of(store, "sst"), key=lambda name: ((store / name).stat().st_size > 500_000, name))
    folder = place(tmp_path, store, newest, lambda data: b"" if how == "empty" else data[: len(data) // 2])
    if how == "lost":
        (folder / "__rocktable__" / newest).unlink()
    current, older, lost = check(folder)
    assert (older > 0, lost) == (True, 0)
    assert (current > ENTITIES * 0.4) == (how == "half")


@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_bit_costs_a_block_at_most(store, tmp_path, kind):
    """A block has 16 KiB, about 60 entities. What is lost is said, and what may be older is named."""
    rows = collections.defaultdict(list)
    for name in files_of(store, kind):
        for at in places_of((store / name).stat().st_size, name):
            current, older, lost = check(place(tmp_path, store, name, flipped(at)))
            rows[name].append((current, older, lost))
            if kind == "sst":
                assert current >= ENTITIES + 20 - 100, (name, at, current, older, lost)
    for name, results in rows.items():
        least = min(results)
        print(f"{name}: {len(results)} places; at least {least[0]} of {ENTITIES + 20} current; "
              f"at most {max(r[1] for r in results)} older, {max(r[2] for r in results)} lost")
