"""The image: an OCI layout for both architectures, whose files start as a container engine would start them."""
import contextlib
import hashlib
import json
import os
import signal
import socket
import subprocess
import tarfile
import time

import packages
import pytest
from azure.data.tables import TableServiceClient
from azurite_starts import STARTS
from root_folder import Root
from rocktable_server import Account

SECONDS = 20
PORTS = {"Blob": "--blobPort", "Queue": "--queuePort", "Table": "--tablePort"}


class Layout:
    """The blobs of an OCI layout; each must have the digest that is its name."""

    def __init__(self, archive):
        with tarfile.open(archive) as tar:
            self.files = {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}
        for name, content in self.files.items():
            if name.startswith("blobs/"):
                assert name == f"blobs/sha256/{hashlib.sha256(content).hexdigest()}"

    def blob(self, descriptor):
        content = self.files[descriptor["digest"].replace("sha256:", "blobs/sha256/")]
        assert len(content) == descriptor["size"]
        return content

    def document(self, descriptor):
        return json.loads(self.blob(descriptor))

    def images(self):
        """Returns the descriptor of each architecture's manifest."""
        (whole,) = json.loads(self.files["index.json"])["manifests"]
        return {one["platform"]["architecture"]: one for one in self.document(whole)["manifests"]}


@pytest.fixture(scope="module")
def layout(packages_of):
    (archive,) = packages_of("image")
    return Layout(archive)


@pytest.fixture(scope="module")
def config(layout):
    return layout.document(layout.document(layout.images()["amd64"])["config"])["config"]


@pytest.fixture
def root(layout, config, tmp_path):
    """The files of the image, for its user."""
    if os.geteuid() != 0:
        pytest.skip("chroot needs root")
    (layer,) = layout.document(layout.images()["amd64"])["layers"]
    archive = tmp_path / "layer.tar.gz"
    archive.write_bytes(layout.blob(layer))
    (tmp_path / "root").mkdir()
    subprocess.run(["tar", "-xpzf", archive, "-C", tmp_path / "root"], check=True)
    return Root(tmp_path / "root", int(config["User"].split(":")[0]), config["WorkingDir"])


class Container:
    """Runs words in the files of the image, as its user, in its folder, with its environment."""

    def __init__(self, root, config, words, environment=None, log=None):
        self._root = root
        self._health = config["Healthcheck"]["Test"]
        self._environment = {**dict(one.split("=", 1) for one in config["Env"]), **(environment or {})}
        self._log = log
        with open(log, "w") as output:
            self.process = root.start(*words, environment=self._environment, stdout=output, stderr=output)

    def output(self):
        return self._log.read_text()

    def is_healthy(self, url):
        kind, *words = self._health
        assert kind == "CMD"
        with self._root.start(*words, "--url", url, environment=self._environment, stderr=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL) as check:
            return check.wait(SECONDS) == 0

    def wait_until(self, holds):
        deadline = time.monotonic() + SECONDS
        while not holds():
            assert time.monotonic() < deadline and self.process.poll() is None, self.output()
            time.sleep(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(SECONDS) == 0, self.output()


def test_both_architectures_are_in_it(layout):
    assert set(layout.images()) == {"amd64", "arm64"}
    for architecture, image in layout.images().items():
        manifest = layout.document(image)
        config = layout.document(manifest["config"])
        assert (config["os"], config["architecture"]) == ("linux", architecture)
        assert len(config["rootfs"]["diff_ids"]) == len(manifest["layers"]) == 1


def test_the_same_program_gives_the_same_bytes(packages_of, static_program, tmp_path):
    assert packages.make("image", tmp_path, static_program)[0].read_bytes() == packages_of("image")[0].read_bytes()


def test_it_contains_the_program_and_no_system(root):
    files = {str(path.relative_to(root.folder)) for path in root.folder.rglob("*") if not path.is_dir()}
    assert files == {"etc/passwd", "usr/bin/rocktable", "usr/bin/azurite", "usr/bin/azurite-table",
                     "usr/share/doc/rocktable/LICENSE", "usr/share/doc/rocktable/THIRD-PARTY-LICENSES"}


def test_its_user_has_no_rights_except_in_its_folder(root, config):
    user, group = map(int, config["User"].split(":"))
    assert user > 999 and group > 999
    assert config["Volumes"] == {config["WorkingDir"]: {}}
    data = os.stat(root.folder / config["WorkingDir"].lstrip("/"))
    assert (data.st_uid, data.st_gid) == (user, group)


def free_ports(count):
    """Returns ports that differ, and that nobody has on any address."""
    with contextlib.ExitStack() as held:
        taken = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in taken:
            one.bind(("0.0.0.0", 0))
        return [one.getsockname()[1] for one in taken]


def test_it_starts_gets_healthy_keeps_data_and_stops(root, config, tmp_path):
    port, = free_ports(1)
    url = f"http://127.0.0.1:{port}"
    words = [*config["Entrypoint"], "--tablePort", port]
    for number, expected in enumerate(([], ["kept"])):
        with Container(root, config, words, log=tmp_path / f"log{number}") as container:
            container.wait_until(lambda: container.is_healthy(url))
            assert os.stat(f"/proc/{container.process.pid}").st_uid == int(config["User"].split(":")[0])
            text = next(line for line in container.output().splitlines() if line.startswith("DefaultEndpointsProtocol"))
            tables = TableServiceClient.from_connection_string(text.replace("0.0.0.0", "127.0.0.1"))
            assert [table.name for table in tables.list_tables()] == expected
            tables.create_table_if_not_exists("kept")
    assert (root.folder / "data" / "__rocktable__").is_dir()
    assert list((root.folder / "tmp").iterdir()) == []


@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.tool)
def test_tools_start_it_like_azurite(root, config, start, tmp_path):
    ports = dict(zip(PORTS, free_ports(len(PORTS))))
    own = [word for service, port in ports.items() for word in (PORTS[service], port)]
    words = [*([start.entry] if start.entry else config["Entrypoint"]), *start.arguments, *own]
    with Container(root, config, words, start.environment, log=tmp_path / "log") as container:
        container.wait_until(lambda: container.is_healthy(f"http://127.0.0.1:{ports['Table']}"))
        for service in start.services:
            line = f"Azurite {service} service is successfully listening at http://0.0.0.0:{ports[service]}"
            container.wait_until(lambda line=line: line in container.output())
