"""docs/fixtures.md: the extension of JUnit, compiled and run unchanged, with a test that does not need the library of the
service. docs/access.md: how Java trusts the local authority, with a program in place of Maven."""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from guide import Guide
from rocktable_server import BINARY

JARS = pathlib.Path("/usr/share/java")
CLASSES = ":".join(str(JARS / f"{name}.jar") for name in (
    "junit-jupiter-api", "junit-jupiter-engine", "junit-platform-commons", "junit-platform-console", "junit-platform-engine",
    "junit-platform-launcher", "junit-platform-reporting", "apiguardian-api", "opentest4j", "picocli"))
(EXTENSION,) = (block.values[1] for block in Guide("fixtures.md").runnable("java"))
TEST = """
import static org.junit.jupiter.api.Assertions.*;
import java.net.URI;
import java.net.http.*;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CustomerTests {
    @RegisterExtension static Tables tables = new Tables();

    @Test void theServerAnswers() throws Exception {
        var endpoint = tables.connectionString.replaceAll(".*TableEndpoint=([^;]*).*", "$1");
        System.out.println("endpoint " + endpoint);
        var request = HttpRequest.newBuilder(URI.create(endpoint).resolve("/_rocktable/ready")).build();
        var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertEquals(200, answer.statusCode());
    }
}
"""
(TRUST,) = (text for _, _, text, _ in Guide("access.md").blocks() if "keytool" in text)
READY = """
import java.net.URI;
import java.net.http.*;

class Ready {
    public static void main(String[] words) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(System.getenv("ROCKTABLE_URL") + "/_rocktable/ready")).build();
        System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
    }
}
"""
pytestmark = [
    pytest.mark.skipif(not shutil.which("javac"), reason="there is no JDK"),
    pytest.mark.skipif(not (JARS / "junit-jupiter-api.jar").exists(), reason="JUnit is not installed"),
    pytest.mark.skipif(not BINARY.exists(), reason="there is no server to start"),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/rocktable").symlink_to(BINARY.absolute())
    (tmp_path / "seed").mkdir()
    (tmp_path / "seed/customers.ndjson").write_text('{"PartitionKey": "de", "RowKey": "1", "Name": "Anna"}\n')
    (tmp_path / "Tables.java").write_text(EXTENSION)
    (tmp_path / "CustomerTests.java").write_text(TEST)
    subprocess.run(["javac", "-cp", CLASSES, "-d", "out", "Tables.java", "CustomerTests.java"], cwd=tmp_path, check=True)
    return tmp_path


def run_tests(folder, path):
    """Returns the exit code and the output."""
    ended = subprocess.run(
        ["java", "-cp", f"{CLASSES}:out", "org.junit.platform.console.ConsoleLauncher", "--scan-classpath", "out"], cwd=folder,
        env={**os.environ, "PATH": path}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
    return ended.returncode, ended.stdout


def test_the_extension_starts_a_server_and_stops_it(folder):
    code, text = run_tests(folder, f"{folder}/bin:{os.environ['PATH']}")
    assert code == 0 and "1 tests successful" in text, text
    (port,) = re.findall(r"endpoint http://127\.0\.0\.1:(\d+)/devstoreaccount1", text)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(port)))


def test_a_server_that_cannot_start_fails_the_tests(folder):
    shutil.rmtree(folder / "seed")
    code, text = run_tests(folder, f"{folder}/bin:{os.environ['PATH']}")
    assert code != 0 and "rocktable did not start" in text and "seed" in text, text


def test_java_trusts_the_authority_and_those_of_the_jdk(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/rocktable").symlink_to(BINARY.absolute())
    (tmp_path / "bin/mvn").write_text('#!/bin/sh\ntest "$*" = test && exec java Ready.java\n')
    (tmp_path / "bin/mvn").chmod(0o755)
    (tmp_path / "Ready.java").write_text(READY)
    environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    ended = subprocess.run(["sh", "-ec", TRUST.removeprefix("$ ")], cwd=tmp_path, env=environment, capture_output=True, text=True,
                           timeout=120, check=False)
    assert (ended.returncode, ended.stdout) == (0, "200\n"), ended.stderr
    listed = subprocess.run(["keytool", "-list", "-keystore", "trust.jks", "-storepass", "changeit"], cwd=tmp_path, check=True,
                            capture_output=True, text=True).stdout
    assert "rocktable" in listed and listed.count("trustedCertEntry") > 10
