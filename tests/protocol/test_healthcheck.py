"""rocktable healthcheck: its exit codes and its one sentence, for any kind of server."""
import contextlib
import json
import signal
import socket
import subprocess
import threading
import time

import pytest

from own_server import needs_program
from process import wait_until
from program import run_command
from rocktable_server import BINARY, connection

pytestmark = needs_program

SECONDS = 20


def run(*flags, **environment):
    return run_command("healthcheck", *flags, **environment)


def refuses(code, names, *flags, **environment):
    result = run(*flags, **environment)
    assert (result.returncode, result.stdout) == (code, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("rocktable: ") and names in line, line


@contextlib.contextmanager
def answering(data):
    """The URL of a server that responds to one request with these bytes; None: it does not respond."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        done = threading.Event()

        def serve():
            with contextlib.suppress(OSError):
                client, _ = listener.accept()
                with client:
                    client.recv(4096)
                    if data is None:
                        done.wait(SECONDS)
                    else:
                        client.sendall(data)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            done.set()
            thread.join(SECONDS)


def test_a_server_that_is_ready(start):
    server = start()
    url = server.url
    for result in (run("--url", url), run("--url", url + "/"), run(ROCKTABLE_URL=url)):
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout == f"rocktable: {url} is ready\n"


def test_the_flag_comes_before_the_environment(start):
    assert run("--url", start().url, ROCKTABLE_URL="http://127.0.0.1:1").returncode == 0


def test_the_url_comes_from_a_variable(start):
    assert run("--url", "env:WHERE", WHERE=start().url).returncode == 0
    refuses(1, "--connectionString: the variable WHERE is not set", "--url", "env:WHERE")


def test_inside_exec_it_needs_no_flag():
    result = subprocess.run([BINARY, "exec", "--", BINARY, "healthcheck"], timeout=SECONDS, check=False)
    assert result.returncode == 0


def test_a_server_that_asks_for_a_token_or_listens_everywhere(start):
    server = start("--tableHost", "0.0.0.0", "--controlToken", "secret")
    assert run("--url", server.url).returncode == 0


def test_nobody_is_there(start):
    server = start()
    server.stop()
    refuses(1, str(server.port), "--url", server.url)
    refuses(1, f"Connection refused; nothing listens on this port; to start an emulator: rocktable --tablePort {server.port}",
            "--url", server.url)
    refuses(1, "no.such.host.invalid", "--url", "http://no.such.host.invalid:1")


def test_a_server_that_stops_is_not_ready(start):
    server = start()
    with connection(server) as client:
        client.sendall(b"POST /devstoreaccount1/Tables HTTP/1.1\r\nContent-Length: 5\r\n\r\n")
        # the server waits for the rest of the request, and accepts no more connections
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: run("--url", server.url, "--timeout", 1).returncode != 0, SECONDS, "it still accepts")
        refuses(1, str(server.port), "--url", server.url, "--timeout", 1)
    assert server.process.wait(SECONDS) == 0


def http(status, body="{}"):
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


@pytest.mark.parametrize(
    "data, names",
    [
        (http("503 Service Unavailable", '{"status":"stopping"}'), "not ready"),
        (http("404 Not Found"), "404"),
        (http("500 Internal Server Error"), "500"),
        (http("200 OK", "<h1>It works!</h1>"), "not a rocktable"),
        (http("302 Found"), "302"),
        (b"SSH-2.0-OpenSSH\r\n", "http"),
        (b"", "http"),
        (b"\x15\x03\x01\x00\x02\x02\x46", "speaks HTTPS: use https://"),
        (http("400 Bad Request", "Client sent an HTTP request to an HTTPS server."), "speaks HTTPS: use https://"),
        (http("400 Bad Request", "The plain HTTP request was sent to HTTPS port"), "speaks HTTPS: use https://"),
        (http("503 Service Unavailable", '{"status":"unavailable","error":"the disk is full"}'), "not ready: the disk is full"),
    ],
)
def test_another_answer_is_told(data, names):
    with answering(data) as url:
        refuses(1, names, "--url", url)


def test_who_keeps_silent_is_waited_for_no_longer_than_asked():
    with answering(None) as url:
        begin = time.monotonic()
        refuses(1, url, "--url", url, "--timeout", 1)
        assert 0.9 < time.monotonic() - begin < 10


def test_over_https_the_certificate_is_checked(start, tmp_path):
    server = start("--tls", "auto", location=tmp_path)
    url, authority = server.url, server.ready["certificateAuthority"]
    assert run("--url", url, "--caFile", authority).returncode == 0
    assert run("--url", url, ROCKTABLE_CA_FILE=authority).returncode == 0
    refuses(1, "set --caFile FILE to the certificate of its authority", "--url", url)
    refuses(1, str(tmp_path / "absent"), "--url", url, "--caFile", tmp_path / "absent")
    refuses(1, f"{url.replace('https:', 'http:')} speaks HTTPS: use https://", "--url", url.replace("https:", "http:"))


def test_another_authority_is_not_trusted(start, tmp_path):
    first, second = (start("--tls", "auto", location=folder) for folder in folders(tmp_path, "a", "b"))
    other = second.ready["certificateAuthority"]
    refuses(1, f"its certificate is not trusted", "--url", first.url, "--caFile", other)
    refuses(1, f"its authority is not in {other}", "--url", first.url, "--caFile", other)


def folders(parent, *names):
    for name in names:
        (parent / name).mkdir()
        yield parent / name


def test_https_to_who_speaks_http(start):
    url = start().url
    refuses(1, "use http:// if it speaks HTTP", "--url", url.replace("http:", "https:"))
    with answering(b"SSH-2.0-OpenSSH\r\n") as other:
        refuses(1, "use http:// if it speaks HTTP", "--url", other.replace("http:", "https:"), "--timeout", 2)


def test_a_connection_string_names_it(start):
    server = start()
    for given in (server.connection_string, f"{server.url}/devstoreaccount1?sv=1&sig=x"):
        assert run("--connectionString", given).returncode == 0
    result = run("--connectionString", server.connection_string, "--json")
    assert json.loads(result.stdout) == {"endpoint": server.url, "status": "ready"}
    result = run("--connectionString", "http://127.0.0.1:1", "--json")
    assert (result.returncode, result.stderr) == (1, "")
    assert "Connection refused" in json.loads(result.stdout)["error"]
    result = run("--connectionString", "nonsense", "--json")
    assert (result.returncode, result.stderr) == (2, "")
    assert "see rocktable healthcheck --help" in json.loads(result.stdout)["error"]


@pytest.mark.parametrize(
    "flags",
    [["--url", "127.0.0.1"], ["--url", "ftp://host"], ["--url", ""], ["--timeout", "0"], ["--timeout", "soon"], ["now"]],
)
def test_wrong_usage(flags):
    refuses(2, "see rocktable healthcheck --help", *flags)


def test_help():
    result = run("--help")
    assert (result.returncode, result.stderr) == (0, "")
    assert max(map(len, result.stdout.splitlines())) <= 100
    assert all(flag in result.stdout for flag in ("--connectionString", "--url", "--timeout", "--caFile", "--json"))
