"""Stores of earlier versions, tests/fixtures/store-FORMAT, open with all their contents."""
import json
import pathlib
import re
import shutil
import sys

import pytest

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "fixtures"
sys.path.append(str(FIXTURES))
import rocktable_server as rocktable
from write_store import ENVIRONMENT, FORMAT, accounts, all_that_is_seen

STORES = sorted(path for path in FIXTURES.glob("store-*") if path.is_dir())


def test_there_is_a_store_of_the_format_of_today():
    header = (FIXTURES.parents[1] / "storage/rocksdb/format/catalog_codec.h").read_text()
    today = int(re.search(r"kStoreFormat = (\d+)", header)[1])
    assert FORMAT == today and FIXTURES / f"store-{today}" in STORES


@pytest.mark.parametrize("store", STORES, ids=lambda path: path.name)
def test_a_store_of_an_earlier_version_is_read_whole(store, tmp_path):
    shutil.copytree(store, tmp_path / "__rocktable__")
    expected = json.loads(store.with_suffix(".json").read_text())
    for _ in range(2):  # the second start reads files that the first has rewritten
        server = rocktable.Server(location=tmp_path, environment=ENVIRONMENT)
        assert server.errors() == ""
        assert all_that_is_seen(server) == expected
        server.stop()


@pytest.mark.parametrize("store", STORES, ids=lambda path: path.name)
def test_a_store_of_an_earlier_version_goes_on(store, tmp_path):
    shutil.copytree(store, tmp_path / "__rocktable__")
    server = rocktable.Server(location=tmp_path, environment=ENVIRONMENT)
    try:
        second = accounts(server)["second"]
        rocktable.create_table(second, "Dropped")
        assert rocktable.all_entities(second, "Dropped") == [], "rows of a deleted table are back"
        target = "/Types(PartitionKey='types',RowKey='all')"
        before = rocktable.send(second, "GET", target).headers["ETag"]
        answer = rocktable.send(second, "MERGE", target, {"If-Match": before}, '{"Int32":9}')
        assert answer.status == 204 and answer.headers["ETag"] > before
        server.stop()
    finally:
        server.kill() if server.is_running() else None
