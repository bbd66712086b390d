"""--seed: an empty store starts with the tables of files, all of them or none. The service has no such function."""
import json
import os
import random
import subprocess
import time

import pytest

from own_server import needs_program
from rocktable_server import BINARY, Server, all_entities, create_table, paths_here, send

pytestmark = needs_program

ANNA = '{"PartitionKey":"de","RowKey":"1","Name":"Anna","Points@odata.type":"Edm.Int64","Points":"12"}\n'
ORDERS = "PartitionKey,RowKey,Item,Item@type,Price,Price@type\r\nde-1,1,\"Bread, dark\",String,3.5,Double\r\n"


def names_of(server):
    answer = send(server, "GET", "/Tables", {"Accept": "application/json;odata=nometadata"})
    assert answer.status == 200, answer
    return [row["TableName"] for row in answer.json()["value"]]


def start_refused(*flags):
    """Returns the message of a start that must fail."""
    command = [BINARY, "--tablePort", "0", "--silent", *flags]
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=20, check=False)
    assert (ended.returncode, ended.stdout) == (1, ""), ended
    lines = paths_here(ended.stderr).splitlines()
    assert len(lines) == 1 and lines[0].startswith("rocktable: "), ended.stderr
    return lines[0].removeprefix("rocktable: ")


@pytest.fixture
def seed(tmp_path):
    folder = tmp_path / "seed"
    folder.mkdir()
    (folder / "customers.ndjson").write_text(ANNA)
    (folder / "Orders.csv").write_text(ORDERS)
    return folder


def test_tables_are_there_from_the_first_request_on(start, seed):
    server = start("--seed", seed)
    assert names_of(server) == ["Orders", "customers"] or names_of(server) == ["customers", "Orders"]
    (anna,) = all_entities(server, "customers")
    assert (anna["Name"], anna["Points"]) == ("Anna", "12")
    (order,) = all_entities(server, "Orders")
    assert (order["Item"], order["Price"]) == ("Bread, dark", 3.5)
    assert order["Timestamp"].startswith("20")


def test_a_file_is_a_table_of_its_name(start, seed):
    assert names_of(start("--seed", seed / "Orders.csv")) == ["Orders"]


def test_a_folder_in_the_folder_is_an_account(start, seed):
    (seed / "template").mkdir()
    (seed / "template" / "lines.ndjson").write_text(ANNA)
    server = start("--seed", seed, "--anyAccount", "--seedAccount", "mine")
    def tables_of(account):
        server.name, server.base = account, f"/{account}"
        return sorted(names_of(server))

    assert tables_of("mine") == ["Orders", "customers"]
    assert tables_of("template") == ["lines"]
    assert tables_of("devstoreaccount1") == []


def test_a_store_with_tables_is_left_alone_and_that_is_told(tmp_path, seed):
    store = tmp_path / "store"
    first = Server("--seed", seed, location=store)
    send(first, "DELETE", "/Tables('Orders')")
    first.stop()
    (seed / "more.csv").write_text(ORDERS)
    (seed / "customers.ndjson").write_text("not even read")
    second = Server("--seed", seed, location=store)
    assert second.errors() == f"rocktable: the store already has tables: --seed {seed} is ignored\n"
    assert names_of(second) == ["customers"]
    second.stop()


def test_an_emptied_store_is_seeded_again(tmp_path, seed):
    store = tmp_path / "store"
    for _ in range(2):
        server = Server("--seed", seed, location=store)
        assert len(all_entities(server, "customers")) == 1
        for name in names_of(server):
            send(server, "DELETE", f"/Tables('{name}')")
        server.stop()


BROKEN = [
    ("customers.ndjson", ANNA + "\n" + ANNA.replace('"1"', '"2" "x"'), "3:35: this is not JSON: "),
    ("customers.ndjson", ANNA + ANNA.replace("de", "d/e"), "2:17: PartitionKey contains a character that keys may not contain"),
    ("customers.ndjson", ANNA + ANNA, '2:1: the entity with PartitionKey "de" and RowKey "1" is repeated'),
    ("customers.ndjson", ANNA.replace('"12"', '"1.2"'), '1:90: the value of "Points" is not an Int64'),
    ("Orders.csv", ORDERS + "de-1,2,x,String,cheap,Double\r\n", '3:17: the value of "Price" is not a Double'),
    ("Orders.csv", ORDERS + "de-1,1,x,String,1,Double\r\n", '3:1: the entity with PartitionKey "de-1"'),
    ("Orders.csv", "Name,Price\r\n", "1:1: the header has no column PartitionKey"),
    ("Orders.csv", "", "1:1: the file is empty"),
]


@pytest.mark.embedded("--location")
@pytest.mark.parametrize("name, text, said", BROKEN)
def test_what_is_broken_is_named_by_line_and_column_and_nothing_is_seeded(start, tmp_path, seed, name, text, said):
    (seed / name).write_text(text)
    store = tmp_path / "store"
    assert start_refused("--seed", seed, "--location", store).startswith(f"{seed / name}:{said}")
    start_refused("--seed", seed, "--inMemoryPersistence")
    server = start(location=store)
    assert names_of(server) == []
    for table in ("customers", "Orders"):
        assert all_entities(server, create_table(server, table)) == []


@pytest.mark.parametrize("make, what", [(os.mkfifo, "a pipe"), (lambda path: path.symlink_to("/dev/zero"), "a device")],
                         ids=["pipe", "device"])
def test_what_is_no_regular_file_is_refused(seed, make, what):
    make(seed / "waits.ndjson")
    for given in (seed, seed / "waits.ndjson"):
        said = start_refused("--inMemoryPersistence", "--seed", given)
        assert said == f"--seed: {seed / 'waits.ndjson'} cannot be read: it is {what}, not a regular file"


def test_a_link_that_leads_nowhere_is_refused(seed):
    (seed / "lost.ndjson").symlink_to("/nowhere")
    assert "lost.ndjson cannot be read: No such file" in start_refused("--inMemoryPersistence", "--seed", seed)


def test_a_csv_whose_formulas_are_escaped_has_them_without(start, seed):
    (seed / "Orders.csv").write_text("PartitionKey,RowKey,Item,Item@type,odata.formulas\r\n'=p,1,'+1,String,\r\n")
    (order,) = all_entities(start("--seed", seed), "Orders")
    assert (order["PartitionKey"], order["Item"]) == ("=p", "+1")


def test_what_names_no_tables_is_refused(tmp_path, seed):
    (seed / "a-b.csv").write_text(ORDERS)
    assert "a-b.csv must be named after a table, but" in start_refused("--inMemoryPersistence", "--seed", seed)
    (tmp_path / "empty").mkdir()
    assert "empty contains no tables" in start_refused("--inMemoryPersistence", "--seed", tmp_path / "empty")
    assert "absent cannot be read" in start_refused("--inMemoryPersistence", "--seed", tmp_path / "absent")
    (seed / "a-b.csv").unlink()
    (seed / "template").mkdir()
    (seed / "template" / "lines.ndjson").write_text(ANNA)
    assert "for the account template, which does not exist" in start_refused("--inMemoryPersistence", "--seed", seed)


@pytest.mark.parametrize("flags", [("--seed", ""), ("--seedAccount", "mine"), ("--seed", "x", "--seedAccount", "A-B")])
def test_flags_that_make_no_sense_are_wrong_usage(flags):
    ended = subprocess.run([BINARY, *flags], capture_output=True, text=True, timeout=20, check=False)
    assert (ended.returncode, ended.stdout) == (2, ""), ended
    assert "--seed" in ended.stderr


COUNT = 60_000


@pytest.fixture(scope="module")
def large_seed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    for table in ("first", "second"):
        with open(folder / f"{table}.ndjson", "w", encoding="utf-8") as file:
            for number in range(COUNT // 2):
                row = {"PartitionKey": f"p{number // 100}", "RowKey": f"{number:06}", "Text": "x" * 200}
                file.write(json.dumps(row) + "\n")
    return folder


def test_a_large_seed_takes_seconds_and_little_memory(start, large_seed):
    begin = time.monotonic()
    server = start("--seed", large_seed)
    assert time.monotonic() - begin < 10  # half a second on an idle machine
    assert sum(len(all_entities(server, table)) for table in ("first", "second")) == COUNT


@pytest.mark.embedded("--location")
def test_who_is_killed_while_seeding_leaves_an_empty_store_or_a_complete_one(tmp_path, large_seed):
    store = tmp_path / "store"
    seen = set()
    for attempt in range(12):
        command = [BINARY, "--tablePort", "0", "--silent", "--location", store, "--seed", large_seed]
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
        time.sleep(random.uniform(0, 0.06 * (attempt + 1)))
        process.kill()
        process.wait()
        server = Server(location=store)
        tables = names_of(server)
        counts = [len(all_entities(server, table)) for table in tables]
        assert (tables, counts) in (([], []), (["first", "second"], [COUNT // 2] * 2)), (tables, counts)
        seen.add(len(tables))
        # New tables get the ids that an unfinished seed may have used.
        for name in ("new1", "new2"):
            assert all_entities(server, create_table(server, name)) == []
        for name in [*tables, "new1", "new2"]:
            send(server, "DELETE", f"/Tables('{name}')")
        server.stop()
    assert 0 in seen  # otherwise every kill was too late
