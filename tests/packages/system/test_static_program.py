"""The static program in a folder that contains nothing else."""
import json
import re
import subprocess

from azure.data.tables import TableServiceClient

START = ["/rocktable", "--tablePort", "0", "--silent", "--readyFile", "-", "--stopAtInputEnd"]
ENTITY = {"PartitionKey": "p", "RowKey": "r", "Name": "Chloé"}
SECONDS = 30


class Running:
    """A server in a root folder, until the end of the block. Then its exit code must be 0."""

    def __init__(self, root, *flags):
        self._root = root
        self._process = root.start(*START, *flags, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ready = json.loads(self._process.stdout.readline())

    def tables(self):
        authority = self.ready.get("certificateAuthority")
        trust = {"connection_verify": f"{self._root.folder}{authority}"} if authority else {}
        return TableServiceClient.from_connection_string(self.ready["connectionString"], **trust)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.communicate(timeout=SECONDS)
        assert self._process.returncode == 0


def test_it_needs_no_library(static_program):
    listed = subprocess.run(["ldd", static_program], capture_output=True, text=True, check=False)
    assert "not a dynamic executable" in listed.stderr + listed.stdout


def test_it_tells_its_commit(empty_root):
    said, _ = empty_root.run("/rocktable", "--version")
    assert re.fullmatch(r"rocktable \d+\.\d+\.\d+ \(commit \w+, RocksDB [\d.]+, libpq [\d.]+, OpenSSL [\d.]+\)\n", said)


def test_an_sdk_stores_an_entity_that_the_next_start_has(empty_root):
    with Running(empty_root, "-l", "/data") as running:
        running.tables().create_table("customers").create_entity(ENTITY)
    with Running(empty_root, "-l", "/data") as running:
        assert running.tables().get_table_client("customers").get_entity("p", "r")["Name"] == "Chloé"


def test_a_command_has_its_own_service(empty_root):
    said, _ = empty_root.run("/rocktable", "exec", "--", "/rocktable", "healthcheck")
    assert re.fullmatch(r"rocktable: http://127.0.0.1:\d+ is ready\n", said)


# There is no /etc/hosts, and no resolver.
def test_localhost_and_names_below_it_are_this_machine(empty_root):
    with Running(empty_root, "--inMemoryPersistence") as running:
        for host in ("localhost", "account.table.localhost"):
            url = f"http://{host}:{running.ready['port']}"
            assert empty_root.run("/rocktable", "healthcheck", "--url", url) == (f"rocktable: {url} is ready\n", "")
    _, refused = empty_root.run("/rocktable", "healthcheck", "--url", "http://localhost:1", code=1)
    assert "nothing listens on this port" in refused


# Modules for host names are made for one version of glibc. The static program has another, and must not load them.
def test_it_loads_no_module_for_host_names(empty_root):
    (empty_root.folder / "etc").mkdir()
    (empty_root.folder / "etc/nsswitch.conf").write_text("hosts: mymachines mdns4_minimal [NOTFOUND=return] resolve\n")
    (empty_root.folder / "etc/hosts").write_text("127.0.0.1 tables.example\n")
    with Running(empty_root, "--inMemoryPersistence") as running:
        url = f"http://tables.example:{running.ready['port']}"
        assert empty_root.run("/rocktable", "healthcheck", "--url", url) == (f"rocktable: {url} is ready\n", "")


def test_tables_are_copied_to_a_second_instance_over_https(empty_root):
    with Running(empty_root, "--inMemoryPersistence") as source, Running(empty_root, "-l", "/data", "--tls", "auto") as target:
        source.tables().create_table("customers").create_entity(ENTITY)
        empty_root.run("/rocktable", "copy", "--from", source.ready["connectionString"], "--to", target.ready["connectionString"],
                       "--all", "--caFile", target.ready["certificateAuthority"])
        assert target.tables().get_table_client("customers").get_entity("p", "r")["Name"] == "Chloé"


def test_authorities_are_found_where_fedora_has_them(empty_root):
    with Running(empty_root, "-l", "/data", "--tls", "auto") as running:
        url = f"https://localhost:{running.ready['port']}"
        assert "not trusted" in empty_root.run("/rocktable", "healthcheck", "--url", url, code=1)[1]
        bundle = empty_root.folder / "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"
        bundle.parent.mkdir(parents=True)
        bundle.write_bytes((empty_root.folder / running.ready["certificateAuthority"].lstrip("/")).read_bytes())
        assert empty_root.run("/rocktable", "healthcheck", "--url", url) == (f"rocktable: {url} is ready\n", "")
