"""tests/conformance: rocktable reaches everything, the suite finds wrong answers, and it leaves nothing behind."""
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from rocktable_server import Account, send
from shared_access import account_sas

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUITE = ROOT / "tests/conformance"
sys.path.insert(0, str(ROOT / "tests"))
import fidelity


def run_suite(account, *options, suite=SUITE, connection=None):
    command = [sys.executable, "-S", suite / "run", "--connectionString", connection or account.connection_string, *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def report_of(account, tmp_path, *options, **others):
    """Returns the report of a run, and the run itself."""
    path = tmp_path / "report.json"
    done = run_suite(account, "--json", path, *options, **others)
    assert path.exists(), done.stderr
    return json.loads(path.read_text()), done


def tables_of(account):
    return [row["TableName"] for row in send(account, "GET", "/Tables").json()["value"]]


class Distorted:
    """Forwards connections to a server, and replaces bytes in its answers by others of the same length."""

    def __init__(self, account, old, new):
        assert len(old) == len(new)
        self.target, self.old, self.new = (account.host, account.port), old, new
        self.listener = socket.create_server(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{self.listener.getsockname()[1]}{account.base}"
        self.connection_string = f"AccountName={account.name};AccountKey={account.key};TableEndpoint={endpoint};"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(self.target)
            for source, sink, change in ((client, server, False), (server, client, True)):
                threading.Thread(target=self._copy, args=(source, sink, change), daemon=True).start()

    def _copy(self, source, sink, change):
        try:
            while data := source.recv(1 << 20):
                sink.sendall(data.replace(self.old, self.new) if change else data)
        except OSError:
            pass
        for one in (source, sink):
            one.close()


@pytest.fixture
def own(start):
    """A server of the test's own, because the suite changes service properties."""
    return start()


def test_rocktable_reaches_everything(own, tmp_path):
    before = send(own, "GET", "/?restype=service&comp=properties", {"Accept": "application/xml"}).text
    report, done = report_of(own, tmp_path, "--serviceProperties", "--require", "100")
    assert done.returncode == 0, done.stdout
    assert report["causes"] == [] and report["total"]["notRun"] == 0
    assert report["total"]["checks"] >= 2000
    assert tables_of(own) == []
    assert send(own, "GET", "/?restype=service&comp=properties", {"Accept": "application/xml"}).text == before
    assert fidelity.summary_of(report)["topics"] == fidelity.recorded("rocktable")["topics"], "run tests/fidelity.py record"


def test_the_folder_works_alone(own, tmp_path):
    suite = shutil.copytree(SUITE, tmp_path / "copied", ignore=shutil.ignore_patterns("__pycache__"))
    done = run_suite(own, "--topic", "tables", "--require", "100", suite=suite)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("old, new, cause", [
    (b"Cache-Control: no-cache", b"X-Cache-Contr: no-cache", "Cache-Control is missing"),
    (b'"Edm.Int64"', b'"Edm.Int32"', "Edm.Int64"),
    (b"HTTP/1.1 409 Conflict", b"HTTP/1.1 400 Conflict", "409"),
])
def test_a_wrong_answer_is_found_and_named(own, tmp_path, old, new, cause):
    with Distorted(own, old, new) as distorted:
        report, done = report_of(distorted, tmp_path, "--topic", "tables", "--topic", "entities", "--require", "100")
    assert done.returncode == 1
    assert any(cause in one["cause"] for one in report["causes"]), report["causes"][:5]
    assert tables_of(own) == []


def test_a_plan_sends_nothing_but_the_first_request(own):
    done = run_suite(own, "--plan")
    assert done.returncode == 0 and "requests to" in done.stdout, done.stdout + done.stderr
    assert tables_of(own) == []


def test_an_interrupted_run_leaves_no_tables(own):
    command = [sys.executable, "-S", SUITE / "run", "--connectionString", own.connection_string]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        deadline = time.monotonic() + 20
        while not tables_of(own) and time.monotonic() < deadline:
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=60)
    assert running.returncode == 130, told
    assert tables_of(own) == []


def test_with_a_signature_alone_some_checks_do_not_run(own, tmp_path):
    connection = f"TableEndpoint={own.endpoint};SharedAccessSignature={account_sas(own)}"
    report, done = report_of(own, tmp_path, "--topic", "tables", "--topic", "access", "--topic", "limits",
                             connection=connection)
    assert done.returncode == 0, done.stderr
    assert report["total"]["notRun"] > 0 and report["total"]["checks"] > 0
    assert report["total"]["reached"][2] == report["total"]["checks"], report["causes"]


def test_a_wrong_key_is_told_in_a_sentence(own):
    account = Account(own.connection_string.replace("AccountKey=E", "AccountKey=F"))
    done = run_suite(account)
    assert done.returncode == 2 and "refuses the credentials: 403 AuthenticationFailed" in done.stderr, done.stderr


# --- docs/fidelity.md -----------------------------------------------------------------------------


def test_the_page_is_what_the_script_writes():
    assert fidelity.PAGE.read_text() == fidelity.page()


def test_the_readme_has_its_numbers_from_the_page():
    total, other = (fidelity.recorded(name)["total"] for name in ("rocktable", "azurite"))
    text = " ".join((ROOT / "README.md").read_text().split())
    for claim in (f"[{total['reached'][2]:,} of {total['checks']:,} checks](docs/fidelity.md)",
                  f"Azurite has status and error code right in {fidelity.score_of(other)[0]}"):
        assert claim in text, claim


def test_the_page_ranks_azurite_by_its_causes():
    causes = fidelity.recorded("azurite")["causes"]
    assert len(causes) >= 30
    assert all(one["checks"] > 0 and re.search(r"\w", one["cause"]) for one in causes)
