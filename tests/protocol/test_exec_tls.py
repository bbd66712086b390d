"""rocktable exec --tls auto: the runtimes of the command trust the service without configuration, and still trust all
authorities that they trusted before."""
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest

from own_server import needs_program
from process import wait_until
from rocktable_server import BINARY, Server

pytestmark = needs_program

JAVASCRIPT = pathlib.Path(__file__).resolve().parents[1] / "clients" / "javascript"
SYSTEM = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
VARIABLES = ("SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
SECONDS = 60
PEM = re.compile("-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)

# Each sends a request to both servers, that of `exec` and the one in OTHER_URL, and prints the two status codes.
ASK_BOTH = {
    "python-ssl": """
import os, urllib.request
for name in ("ROCKTABLE_URL", "OTHER_URL"):
    print(urllib.request.urlopen(os.environ[name] + "/_rocktable/health").status)
""",
    "python-requests": """
import os, requests
for name in ("ROCKTABLE_URL", "OTHER_URL"):
    print(requests.get(os.environ[name] + "/_rocktable/health").status_code)
""",
    "node": """
for (const name of ["ROCKTABLE_URL", "OTHER_URL"])
  console.log((await fetch(`${process.env[name]}/_rocktable/health`)).status);
""",
    "curl": 'for url in "$ROCKTABLE_URL" "$OTHER_URL"; do curl -sS -o /dev/null -w "%{http_code}\\n" "$url/_rocktable/health"; done',
}

# Unmodified clients of the SDKs: only the environment defines what they trust.
PYTHON_SDK = """
import os
from azure.data.tables import TableServiceClient
service = TableServiceClient.from_connection_string(os.environ["AZURE_TABLES_CONNECTION_STRING"], retry_total=0)
table = service.create_table("inside")
table.create_entity({"PartitionKey": "p", "RowKey": "r", "n": 1})
print(table.url.split(":")[0], table.get_entity("p", "r")["n"])
"""
PYTHON_AIO_SDK = """
import asyncio, os
from azure.data.tables.aio import TableServiceClient
async def main():
    async with TableServiceClient.from_connection_string(os.environ["AZURE_TABLES_CONNECTION_STRING"], retry_total=0) as service:
        table = await service.create_table("inside")
        await table.create_entity({"PartitionKey": "p", "RowKey": "r", "n": 1})
        print(table.url.split(":")[0], (await table.get_entity("p", "r"))["n"])
asyncio.run(main())
"""
JAVASCRIPT_SDK = """
import { TableClient } from "@azure/data-tables";
const table = TableClient.fromConnectionString(process.env.AZURE_TABLES_CONNECTION_STRING, "inside");
await table.createTable();
await table.createEntity({ partitionKey: "p", rowKey: "r", n: 1 });
console.log(table.url.split(":")[0], (await table.getEntity("p", "r")).n);
"""


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """A server whose authority the system does not know, but its users already trust."""
    running = Server("--tls", "auto", "--location", tmp_path_factory.mktemp("other"))
    yield running
    running.stop()


def environment(**more):
    """Returns the environment without variables that name trusted certificates."""
    kept = {name: value for name, value in os.environ.items() if not re.search("SSL_|CA_BUNDLE|_CA_CERTS|_CERT$", name)}
    return kept | more


def command_of(language, code):
    if language == "curl":
        return ["sh", "-c", code]
    if language.startswith("node"):
        return ["node", "--input-type=module", "--experimental-global-webcrypto", "-e", code]
    return [sys.executable, "-c", code]


def run(*command, flags=(), cwd=None, **variables):
    words = [str(word) for word in (BINARY, "exec", "--tls", "auto", *flags, "--", *command)]
    return subprocess.run(words, cwd=cwd, env=environment(**variables), capture_output=True, text=True, timeout=SECONDS, check=False)


def bundles(result):
    """Returns the certificates that the variables name, from the output of a command that prints both."""
    return dict(line.split("=", 1) for line in result.stdout.splitlines() if line.partition("=")[0] in VARIABLES)


def certificates(text):
    return set(PEM.findall(text))


@pytest.mark.parametrize("language, code", [("python", PYTHON_SDK), ("python", PYTHON_AIO_SDK), ("node", JAVASCRIPT_SDK)],
                         ids=["python", "python-aio", "javascript"])
def test_sdks_work_as_they_are(language, code):
    result = run(*command_of(language, code), cwd=JAVASCRIPT)
    assert (result.returncode, result.stdout, result.stderr) == (0, "https 1\n", "")


@pytest.mark.parametrize("language", ASK_BOTH)
def test_whom_the_user_trusts_stays_trusted(language, other):
    """By the variable of each runtime. SSL_CERT_DIR is set, as on many machines."""
    name = {"node": "NODE_EXTRA_CA_CERTS", "python-requests": "REQUESTS_CA_BUNDLE"}.get(language, "SSL_CERT_FILE")
    variables = {name: other.ready["certificateAuthority"], "SSL_CERT_DIR": "/etc/ssl/certs"}
    asked = {"OTHER_URL": f"https://127.0.0.1:{other.port}", **variables}
    result = run(*command_of(language, ASK_BOTH[language]), **asked)
    assert (result.returncode, result.stdout, result.stderr) == (0, "200\n200\n", "")


def test_curls_own_variable_counts_for_curl(other):
    asked = {"OTHER_URL": f"https://127.0.0.1:{other.port}", "CURL_CA_BUNDLE": other.ready["certificateAuthority"]}
    assert run("sh", "-c", ASK_BOTH["curl"], **asked).stdout == "200\n200\n"


def test_a_folder_that_the_user_trusts_counts_for_curl(other, tmp_path):
    (tmp_path / "other.pem").symlink_to(other.ready["certificateAuthority"])
    asked = {"OTHER_URL": f"https://127.0.0.1:{other.port}", "SSL_CERT_DIR": str(tmp_path)}
    assert run("sh", "-c", ASK_BOTH["curl"], **asked).stdout == "200\n200\n"


@pytest.mark.skipif(not SYSTEM.exists(), reason="no list of authorities is installed")
def test_the_systems_authorities_stay_trusted():
    result = run("sh", "-c", 'env; cat "$SSL_CERT_FILE" "$ROCKTABLE_CA_FILE"')
    named = bundles(result)
    assert set(named) == set(VARIABLES)
    assert len({named[name] for name in VARIABLES[:3]}) == 1
    assert certificates(result.stdout) > certificates(SYSTEM.read_text())


def test_the_commands_of_rocktable_trust_it_as_well():
    result = run("sh", "-c", '"$0" healthcheck && unset ROCKTABLE_CA_FILE && "$0" healthcheck && "$0" reset', BINARY)
    assert (result.returncode, result.stderr) == (0, "")
    assert re.fullmatch(r"(rocktable: https://\S+ is ready\n){2}rocktable: .*\n", result.stdout), result


def test_what_cannot_be_read_is_told_and_the_rest_works(tmp_path):
    absent = str(tmp_path / "absent.pem")
    result = run("sh", "-c", 'cat "$NODE_EXTRA_CA_CERTS" "$ROCKTABLE_CA_FILE"', NODE_EXTRA_CA_CERTS=absent)
    assert result.returncode == 0
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"rocktable: NODE_EXTRA_CA_CERTS: {absent} cannot be read: ")
    assert len(PEM.findall(result.stdout)) == 2 and len(certificates(result.stdout)) == 1


@pytest.mark.parametrize("keeps", [False, True])
def test_the_files_are_for_the_user_alone_and_gone_afterwards(tmp_path, keeps):
    """A location keeps the authority, and nothing of a single run."""
    temporary, location = tmp_path / "temporary", tmp_path / "location"
    temporary.mkdir()
    flags = ("--location", location) if keeps else ()
    script = 'env; stat -c %a "$TMPDIR"/*; grep -c "PRIVATE KEY" "$TMPDIR"/*/trusted-*'
    result = run("sh", "-c", script, flags=flags, TMPDIR=str(temporary))
    named = bundles(result)
    assert len(named) == 4 and all(str(temporary) in path for path in named.values()), result
    assert "\n700\n" in result.stdout
    assert {line.rpartition(":")[2] for line in result.stdout.splitlines() if "/trusted-" in line and "=" not in line} == {"0"}
    assert list(temporary.iterdir()) == []
    if keeps:
        assert {"ca.pem", "ca-key.pem"} <= set(os.listdir(location / "__rocktable_tls__"))
        assert not list(location.rglob("trusted-*"))


def test_the_files_are_gone_after_exec_was_killed(tmp_path):
    words = [str(word) for word in (BINARY, "exec", "--tls", "auto", "-l", tmp_path / "kept", "--", "sh", "-c", "echo ready; exec sleep 60")]
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment(TMPDIR=str(temporary))) as process:
        assert process.stdout.readline() == "ready\n"
        assert len(list(temporary.glob("*/trusted-*.pem"))) == 2
        process.send_signal(signal.SIGKILL)
    wait_until(lambda: list(temporary.iterdir()) == [], 20, "the files are left behind")


def test_a_certificate_of_ones_own_changes_nobodys_trust(tmp_path):
    openssl = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -days 2 -keyout key.pem -out cert.pem"
    subprocess.run(openssl.split(), cwd=tmp_path, check=True, capture_output=True)
    words = [str(word) for word in (BINARY, "exec", "--cert", "cert.pem", "--key", "key.pem", "--", "env")]
    result = subprocess.run(words, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=SECONDS, check=True)
    assert "ROCKTABLE_URL=https://" in result.stdout and bundles(result) == {}
