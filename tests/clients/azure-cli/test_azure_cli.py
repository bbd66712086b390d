"""`az storage table` and `az storage entity`, as their users type them.

Each command takes about a second to start, so these tests are few and long.
`script/test --azure-cli` runs them.
"""
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import rocktable_server
from rocktable_server import unique_name

pytestmark = pytest.mark.skipif(shutil.which("az") is None, reason="az is not installed")

COMMAND_TIMEOUT = 60.0
STALE_ETAG = "W/\"datetime'2015-01-01T00%3A00%3A00Z'\""
EXPIRY = "2035-01-02T03:04:05Z"


@pytest.fixture(scope="module")
def server():
    running = rocktable_server.connect()
    yield running
    running.stop()


class CommandFailed(Exception):
    """What `az` printed, and its exit code."""


class AzureCli:
    """Runs commands with one account and a folder of their own for settings."""

    def __init__(self, folder, credentials):
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("AZURE_")},
            "AZURE_CONFIG_DIR": str(folder),
            "AZURE_CORE_COLLECT_TELEMETRY": "no",
            "AZURE_CORE_NO_COLOR": "yes",
            "AZURE_CORE_ONLY_SHOW_ERRORS": "yes",
        }
        self.credentials = credentials

    def __call__(self, command, **options):
        """az("table exists", name="t"): the command's answer, or None if it prints none."""
        flags = []
        for name, value in options.items():
            flags.append(f"--{name.replace('_', '-')}")
            if value is not True:
                flags += value if isinstance(value, list) else [str(value)]
        result = subprocess.run(
            ["az", "storage", *command.split(), *flags, *self.credentials, "--output", "json"],
            capture_output=True,
            text=True,
            timeout=COMMAND_TIMEOUT,
            env=self.environment,
            check=False,
        )
        if result.returncode != 0:
            output = result.stderr + result.stdout
            raise CommandFailed(f"az {command} ended with {result.returncode}: {output}")
        return json.loads(result.stdout) if result.stdout.strip() else None


@pytest.fixture(scope="module")
def az(server, tmp_path_factory):
    return AzureCli(tmp_path_factory.mktemp("azure"), ["--connection-string", server.connection_string])


@pytest.fixture(scope="module")
def az_with_sas(server, tmp_path_factory):
    """Makes an `az` that may do what a SAS allows, and no more."""

    def make(sas):
        text = f"TableEndpoint={server.endpoint};SharedAccessSignature={sas}"
        return AzureCli(tmp_path_factory.mktemp("azure"), ["--connection-string", text])

    return make


@pytest.fixture
def table(server):
    name = rocktable_server.create_table(server)
    yield name
    rocktable_server.delete_table(server, name)


@pytest.fixture
def entities(az, table):
    """Three entities: (p, r0), (p, r1), (q, r0)."""
    for partition, row, number in (("p", "r0", 1), ("p", "r1", 2), ("q", "r0", 3)):
        properties = [f"PartitionKey={partition}", f"RowKey={row}", f"number={number}", f"text=it's {number}"]
        az("entity insert", table_name=table, entity=[*properties, "number@odata.type=Edm.Int32"])
    return table


def show(az, table, row="r0", partition="p"):
    """An entity without what the service adds."""
    entity = az("entity show", table_name=table, partition_key=partition, row_key=row)
    system = ("PartitionKey", "RowKey", "Timestamp", "etag")
    return {name: value for name, value in entity.items() if name not in system}


def keys(answer):
    return [(item["PartitionKey"], item["RowKey"]) for item in answer["items"]]


# --- tables ---------------------------------------------------------------------------------------


def test_create_exists_delete(az):
    name = unique_name()
    assert az("table exists", name=name) == {"exists": False}
    assert az("table create", name=name) == {"created": True}
    with pytest.raises(CommandFailed, match="TableAlreadyExists"):
        az("table create", name=name, fail_on_exist=True)
    assert az("table exists", name=name) == {"exists": True}
    assert az("table delete", name=name) == {"deleted": True}
    with pytest.raises(CommandFailed, match="does not exist"):
        az("table delete", name=name, fail_not_exist=True)
    assert az("table exists", name=name) == {"exists": False}


def test_list(az, server):
    names = sorted(rocktable_server.create_table(server) for _ in range(3))
    listed = [item["name"] for item in az("table list")]
    assert [name for name in listed if name in names] == names
    assert listed == sorted(listed)


def test_stats(az):
    replication = az("table stats")["geoReplication"]
    assert replication["status"] == "live"
    synced = datetime.datetime.fromisoformat(replication["lastSyncTime"])
    assert abs(datetime.datetime.now(datetime.timezone.utc) - synced) < datetime.timedelta(hours=1)


def test_policies(az, table):
    assert az("table policy list", table_name=table) == {}
    az("table policy create", name="read", table_name=table, permissions="r", expiry=EXPIRY)
    az("table policy create", name="all", table_name=table, permissions="raud", start="2020-01-01T00:00:00Z")
    assert az("table policy show", name="read", table_name=table) == {
        "expiry": EXPIRY.replace("Z", "+00:00"),
        "permission": "r",
        "start": None,
    }
    az("table policy update", name="read", table_name=table, permissions="ra")
    policies = az("table policy list", table_name=table)
    assert {name: policy["permission"] for name, policy in policies.items()} == {"read": "ra", "all": "raud"}
    assert policies["read"]["expiry"] == EXPIRY.replace("Z", "+00:00")
    az("table policy delete", name="all", table_name=table)
    assert list(az("table policy list", table_name=table)) == ["read"]


def test_generate_sas(az, az_with_sas, entities):
    sas = az("table generate-sas", name=entities, permissions="r", expiry=EXPIRY)
    reading = az_with_sas(sas)
    assert len(reading("entity query", table_name=entities)["items"]) == 3
    with pytest.raises(CommandFailed, match="not authorized|[Pp]ermission"):
        reading("entity delete", table_name=entities, partition_key="p", row_key="r0")

    bounds = {"start_pk": "p", "start_rk": "r1", "end_pk": "p", "end_rk": "r1"}
    sas = az("table generate-sas", name=entities, permissions="raud", expiry=EXPIRY, **bounds)
    in_range = az_with_sas(sas)
    assert keys(in_range("entity query", table_name=entities)) == [("p", "r1")]
    with pytest.raises(CommandFailed):
        in_range("entity delete", table_name=entities, partition_key="p", row_key="r0")
    assert show(az, entities)["number"] == 1


def test_generate_sas_with_a_policy(az, az_with_sas, entities):
    az("table policy create", name="read", table_name=entities, permissions="r", expiry=EXPIRY)
    reading = az_with_sas(az("table generate-sas", name=entities, policy_name="read"))
    assert len(reading("entity query", table_name=entities)["items"]) == 3
    az("table policy delete", name="read", table_name=entities)
    with pytest.raises(CommandFailed, match="[Aa]uthenticat"):
        reading("entity query", table_name=entities)


# --- entities -------------------------------------------------------------------------------------


def test_insert(az, table):
    def insert(*properties, **options):
        entity = ["PartitionKey=p", "RowKey=r0", *properties]
        return az("entity insert", table_name=table, entity=entity, **options)

    etag = insert("a=1", "text=x y")["etag"]
    shown = az("entity show", table_name=table, partition_key="p", row_key="r0")
    assert (shown["etag"], shown["a"], shown["text"]) == (etag, 1, "x y")
    with pytest.raises(CommandFailed, match="already exists"):
        insert("a=2")
    with pytest.raises(CommandFailed, match="already exists"):
        insert("a=2", if_exists="fail")
    insert("b=2", if_exists="merge")
    assert show(az, table) == {"a": 1, "b": 2, "text": "x y"}
    insert("c=3", if_exists="replace")
    assert show(az, table) == {"c": 3}


def test_insert_with_types(az, table):
    typed = {
        "double": ("Edm.Double", "1.5", 1.5),
        "boolean": ("Edm.Boolean", "true", True),
        "guid": ("Edm.Guid", "c9da6455-213d-42c9-9a79-3e9149a57833", "c9da6455-213d-42c9-9a79-3e9149a57833"),
        "string": ("Edm.String", "123", "123"),
    }
    entity = ["PartitionKey=it's", "RowKey=a b"]
    for name, (edm_type, text, _) in typed.items():
        entity += [f"{name}={text}", f"{name}@odata.type={edm_type}"]
    az("entity insert", table_name=table, entity=entity)
    assert show(az, table, "a b", "it's") == {name: value for name, (_, _, value) in typed.items()}


def test_show_select(az, entities):
    shown = az("entity show", table_name=entities, partition_key="p", row_key="r0", select="number")
    assert shown["number"] == 1 and "text" not in shown
    with pytest.raises(CommandFailed, match="ResourceNotFound"):
        az("entity show", table_name=entities, partition_key="p", row_key="absent")


@pytest.mark.parametrize(
    "expression, expected",
    [
        ("PartitionKey eq 'p'", [("p", "r0"), ("p", "r1")]),
        ("number ge 2", [("p", "r1"), ("q", "r0")]),
        ("text eq 'it''s 1' or number eq 3", [("p", "r0"), ("q", "r0")]),
        ("RowKey eq 'absent'", []),
    ],
)
def test_query_filter(az, entities, expression, expected):
    assert keys(az("entity query", table_name=entities, filter=expression)) == expected


def test_query_select(az, entities):
    answer = az("entity query", table_name=entities, filter="number eq 2", select=["RowKey", "number"])
    (item,) = answer["items"]
    assert (item["RowKey"], item["number"]) == ("r1", 2)
    assert "text" not in item


def test_query_pages(az, entities):
    first = az("entity query", table_name=entities, num_results=2)
    assert keys(first) == [("p", "r0"), ("p", "r1")]
    marker = [f"{name}={value}" for name, value in first["nextMarker"].items()]
    second = az("entity query", table_name=entities, num_results=2, marker=marker)
    assert keys(second) == [("q", "r0")]
    assert second["nextMarker"] == {}


@pytest.mark.parametrize(
    "command, left", [("merge", {"number": 1, "text": "it's 1", "new": 5}), ("replace", {"new": 5})]
)
def test_merge_and_replace(az, entities, command, left):
    def change(row, **options):
        entity = ["PartitionKey=p", f"RowKey={row}", "new=5"]
        return az(f"entity {command}", table_name=entities, entity=entity, **options)

    etag = change("r0")["etag"]
    assert show(az, entities) == left
    assert change("r0", if_match=etag)["etag"] != etag
    with pytest.raises(CommandFailed, match="condition"):
        change("r0", if_match=STALE_ETAG)
    with pytest.raises(CommandFailed, match="does not exist"):
        change("absent")


def test_delete(az, entities):
    def delete(row, **options):
        az("entity delete", table_name=entities, partition_key="p", row_key=row, **options)

    with pytest.raises(CommandFailed, match="condition"):
        delete("r0", if_match=STALE_ETAG)
    delete("r0")
    etag = az("entity show", table_name=entities, partition_key="p", row_key="r1")["etag"]
    delete("r1", if_match=etag)
    assert keys(az("entity query", table_name=entities)) == [("q", "r0")]


def test_a_wrong_key_is_refused(server, table, tmp_path):
    wrong = server.connection_string.replace(server.key, "bm90IHRoZSBrZXkgb2YgdGhpcyBhY2NvdW50")
    with pytest.raises(CommandFailed, match="[Aa]uthenticat"):
        AzureCli(tmp_path, ["--connection-string", wrong])("entity query", table_name=table)
