"""packages/action: the steps of the GitHub Action, from tarballs of the program under test."""
import contextlib
import functools
import hashlib
import http.server
import pathlib
import re
import shutil
import sys
import time

import pytest
import yaml
from azure.data.tables import TableServiceClient

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import packages
from composite_action import Job, StepFailed
from http_server import HttpServer
from rocktable_server import BINARY

ACTION = ROOT / "packages" / "action" / "action.yml"
SECONDS = 20


def write_checksums(folder):
    (folder / "SHA256SUMS").write_text("".join(
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(folder.glob("*.tar.gz"))))


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A folder with tarballs for both architectures and their checksums."""
    if not BINARY.exists():
        pytest.skip("no program to make packages of")
    folder = tmp_path_factory.mktemp("made")
    packages.make("tarball", folder, packages.stripped(tmp_path_factory.mktemp("program")))
    write_checksums(folder)
    return folder


@pytest.fixture
def own(made, tmp_path):
    """A copy of that folder, for a test that changes it."""
    return pathlib.Path(shutil.copytree(made, tmp_path / "own"))


@pytest.fixture
def job(tmp_path):
    made = Job(tmp_path)
    yield made
    made.stop()


@pytest.fixture
def seed(job):
    (job.workspace / "seed").mkdir()
    (job.workspace / "seed" / "customers.ndjson").write_text('{"PartitionKey":"de","RowKey":"1","Name":"Anna"}\n')
    return "seed"


def tarball(folder, architecture):
    (file,) = folder.glob(f"rocktable-*-linux-{architecture}.tar.gz")
    return file


def error_of(job, **inputs):
    with pytest.raises(StepFailed) as failed:
        job.uses(ACTION, {name: str(value) for name, value in inputs.items()})
    return str(failed.value)


def test_later_steps_have_the_program_but_no_server(made, job):
    outputs, _ = job.uses(ACTION, {"packages": str(made)})
    _, printed = job.run("rocktable --version")
    assert printed.startswith("rocktable ")
    assert outputs == {"connection-string": "", "url": ""}
    assert not [name for name in job.environment if name.startswith(("AZURE_", "ROCKTABLE_"))]


def test_later_steps_have_a_server_with_the_seed(made, job, seed):
    outputs, _ = job.uses(ACTION, {"packages": str(made), "start": "true", "seed": seed})
    text = job.environment["AZURE_TABLES_CONNECTION_STRING"]
    assert text == job.environment["AZURE_STORAGE_CONNECTION_STRING"] == outputs["connection-string"]
    assert outputs["url"] == job.environment["ROCKTABLE_URL"]
    assert outputs["url"] == f"http://127.0.0.1:{job.environment['ROCKTABLE_PORT']}"
    customers = TableServiceClient.from_connection_string(text).get_table_client("customers")
    assert customers.get_entity("de", "1")["Name"] == "Anna"
    customers.create_entity({"PartitionKey": "de", "RowKey": "2", "Name": "Bernd"})
    assert [one["Name"] for one in customers.list_entities()] == ["Anna", "Bernd"]
    job.run("rocktable reset")
    assert list(TableServiceClient.from_connection_string(text).list_tables()) == []


JOBS = re.findall(r"^```yaml(?: run)?\n(.*?)^```", (ROOT / "docs" / "ci.md").read_text(), re.MULTILINE | re.DOTALL)
USES = [step for text in JOBS for job in (yaml.safe_load(text) if "jobs:" in text else {}).get("jobs", {}).values()
        for step in job["steps"] if "actions/rocktable" in step.get("uses", "")]


@pytest.mark.parametrize("step", USES, ids=lambda step: "starts" if step["with"].get("start") else "installs")
def test_the_steps_of_the_guide_work(made, job, seed, step):
    shutil.copytree(made, job.workspace / step["with"]["packages"])
    inputs = {name: "true" if value is True else value for name, value in step["with"].items()}
    outputs, _ = job.uses(ACTION, inputs)
    job.run("rocktable --version")
    assert bool(outputs["connection-string"]) == (inputs.get("start") == "true")
    assert inputs.get("seed") in (None, seed)


def test_the_guide_shows_both_uses():
    assert len(USES) == 2


def test_the_server_ends_with_the_job(made, job):
    job.uses(ACTION, {"packages": str(made), "start": "true"})
    (program,) = job.temporary.glob("*/rocktable")
    assert packages.running(program)
    job.stop()
    deadline = time.monotonic() + SECONDS
    while packages.running(program):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_options_are_divided_by_blanks(made, job):
    options = "--anyAccount\n--tls auto --controlToken env:TOKEN"
    job.environment["TOKEN"] = "100%"
    outputs, _ = job.uses(ACTION, {"packages": str(made), "start": "true", "options": options})
    assert outputs["url"].startswith("https://127.0.0.1:")
    assert job.environment["ROCKTABLE_CONTROL_TOKEN"] == "100%"
    for name in ("ROCKTABLE_CA_FILE", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        assert pathlib.Path(job.environment[name]).exists()
    job.run('curl -fsS -H "x-rocktable-token: $TOKEN" "$ROCKTABLE_URL/_rocktable/contents"')


def test_a_job_may_have_several_servers(made, job):
    first, _ = job.uses(ACTION, {"packages": str(made), "start": "true"})
    second, _ = job.uses(ACTION, {"packages": str(made), "start": "true"})
    for outputs in (first, second):
        service = TableServiceClient.from_connection_string(outputs["connection-string"])
        service.create_table("same")


@contextlib.contextmanager
def serving(folder):
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    handler.log_message = None
    with HttpServer(handler) as server:
        yield server.url


def test_packages_come_from_a_url(made, job):
    with serving(made) as url:
        job.uses(ACTION, {"packages": url})
        job.run("rocktable --version")
        assert error_of(job, packages=f"{url}/none") == f"cannot get {url}/none/SHA256SUMS"


def test_another_checksum_is_refused(own, job):
    with tarball(own, "x86_64").open("ab") as file:
        file.write(b"\0")
    assert error_of(job, packages=own) == f"{tarball(own, 'x86_64').name} has another checksum than in SHA256SUMS"
    assert "rocktable" not in job.environment["PATH"]


def test_the_tarball_is_that_of_the_architecture(own, tmp_path):
    tarball(own, "aarch64").unlink()
    write_checksums(own)
    (tmp_path / "arm").mkdir()
    told = error_of(Job(tmp_path / "arm", runner_arch="ARM64"), packages=own)
    assert told == f"{own}/SHA256SUMS has no rocktable-VERSION-linux-aarch64.tar.gz"


@pytest.mark.parametrize("system, architecture, hint", [
    ("Linux", "ARM", "use the container image"), ("macOS", "ARM64", "use the container image"),
    ("Windows", "X64", "unpack rocktable-VERSION-windows-x86_64.zip in a step of your own"),
], ids=["Linux", "macOS", "Windows"])
def test_other_runners_are_refused(made, tmp_path, system, architecture, hint):
    told = error_of(Job(tmp_path, system, architecture), packages=made)
    assert told == (f"there is no program for {system} {architecture}, only for Linux X64 and ARM64; "
                    f"{hint}")


def test_a_folder_without_packages_is_refused(job, tmp_path):
    assert error_of(job, packages=tmp_path) == f"cannot get {tmp_path}/SHA256SUMS"


def test_one_of_several_versions_must_be_chosen(own, job):
    shutil.copyfile(tarball(own, "x86_64"), own / "rocktable-99.0.1-linux-x86_64.tar.gz")
    write_checksums(own)
    assert error_of(job, packages=own) == (
        f'{own}/SHA256SUMS has several versions; choose one with the input "version"')
    job.uses(ACTION, {"packages": str(own), "version": "99.0.1"})
    assert error_of(job, packages=own, version="99.0.2") == (
        f"{own}/SHA256SUMS has no rocktable-99.0.2-linux-x86_64.tar.gz")


def test_the_error_of_the_step_is_the_sentence_of_the_program(made, job):
    (job.workspace / "100% bad").mkdir()
    (job.workspace / "100% bad" / "customers.ndjson").write_text('{"PartitionKey":"de"}\n')
    told = error_of(job, packages=made, start="true", seed="100% bad")
    assert told == "rocktable: 100% bad/customers.ndjson:1:1: the entity has no RowKey"
    told = error_of(job, packages=made, start="true", options="--nothing")
    assert told.startswith("rocktable: there is no option --nothing")
    assert not [name for name in job.environment if name.startswith("AZURE_")]
