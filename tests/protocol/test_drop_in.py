"""Starts the program in place of Azurite, with the literal arguments of tools: through a link named azurite, with the
word azurite, and after the options of an entry point. Ports are free ones and /data is a folder of the test, unlike in
a container."""
import socket
import subprocess

import pytest

from azurite_starts import ALL_HOSTS, STARTS, AzuriteStart
from drop_in import announced_ports, ports_of
from own_server import needs_program
from program import Program, run
from rocktable_server import BINARY

pytestmark = needs_program

ENTRY_POINT = (BINARY, "--tableHost", "0.0.0.0")
FREE = ("--tablePort", "0", "--blobPort", "0", "--queuePort", "0")

# testcontainers-java and -node, with certificates that they copy into the container
WITH_CERTIFICATES = [
    AzuriteStart("Testcontainers for Java, PEM", None, ["azurite", *ALL_HOSTS, "--cert", "/cert.pem", "--key", "/key.pem"]),
    AzuriteStart("Testcontainers for Java, PFX", None, ["azurite", *ALL_HOSTS, "--cert", "/cert.pfx", "--pwd", "open-sesame"]),
    AzuriteStart("Testcontainers for Node.js, all options", "azurite",
                 [*ALL_HOSTS, "--inMemoryPersistence", "--extentMemoryLimit", "64", "--skipApiVersionCheck",
                  "--cert", "/cert.pem", "--key", "/key.pem", "--oauth", "basic"]),
]


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """Certificates, as the modules copy them into their containers."""
    folder = tmp_path_factory.mktemp("certificates")
    for arguments in (
        "req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 2 -keyout key.pem -out cert.pem",
        "pkcs12 -export -in cert.pem -inkey key.pem -out cert.pfx -passout pass:open-sesame",
    ):
        subprocess.run(["openssl", *arguments.split()], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("way", ["link", "word", "entry point"])
@pytest.mark.parametrize("tool", [*STARTS, *WITH_CERTIFICATES], ids=lambda start: start.tool)
def test_a_tool_starts_it_and_finds_three_lines_and_three_ports(tool, way, symlink, tmp_path, certificates):
    words = [word for word in tool.arguments if word != "azurite"]
    words = [str(tmp_path) if word == "/data" else word for word in words]
    words = [str(certificates / word[1:]) if word.startswith(("/cert", "/key")) else word for word in words]
    start = {"link": [symlink("azurite")], "word": [BINARY, "azurite"], "entry point": [*ENTRY_POINT, "azurite"]}[way]
    with Program(*start, *words, *FREE, environment=tool.environment, folder=tmp_path) as program:
        ports = announced_ports(program)
        assert len(set(ports)) == 3 and 0 not in ports
        for port in ports:
            socket.create_connection(("127.0.0.1", port), timeout=20).close()
        assert ports_of(program.pid) == set(ports)
        is_open = "--tableHost" in words or way == "entry point"
        assert program.errors().count("the key of the account is public") == is_open
        assert program.end() == 0


def test_the_last_host_counts_not_the_entry_points(tmp_path):
    with Program(*ENTRY_POINT, "azurite", *FREE, "--tableHost", "127.0.0.1", folder=tmp_path) as program:
        announced_ports(program)
        assert "Table service is successfully listening at http://127.0.0.1:" in program.output()


def test_the_table_service_alone_is_a_word_too(tmp_path):
    with Program(BINARY, "azurite-table", "--tablePort", 0, "--inMemoryPersistence") as program:
        program.wait_for("Azurite Table service successfully started on 127.0.0.1:")
        assert len(ports_of(program.pid)) == 1


@pytest.mark.parametrize("words", [["-v"], ["--version"], ["version"]])
def test_the_version_is_told_also_through_the_entry_point(words, symlink):
    for start in ([BINARY], [*ENTRY_POINT], [symlink("azurite")]):
        result = run(*start[1:], *words, program=start[0])
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.startswith("rocktable ") and result.stdout.count("\n") == 1
