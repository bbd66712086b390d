"""Starts the server under test and sends it requests, well-formed or not.

    ROCKTABLE_BINARY                  the server to start; default: build/release/rocktable of this tree
    ROCKTABLE_TEST_CONNECTION_STRING  use the endpoint of this connection string instead of starting a server
    ROCKTABLE_TEST_STORE              the PostgreSQL server (support/postgres.py) where servers keep their data, each in a
                                      database of its own, which is dropped with it; one with a `location` in the database
                                      of that location, which stays. Default: in memory, and in that folder
"""
import base64
import contextlib
import email.utils
import hashlib
import hmac
import http.client
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.parse

import postgres

BINARY = pathlib.Path(
    os.environ.get(
        "ROCKTABLE_BINARY", pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "rocktable"
    )
)
BY_WINE = BINARY.parent.name == "by-wine"  # tests/windows/run.py --protocol
START_DEADLINE = 20.0
STOP_DEADLINE = 10.0
SOCKET_TIMEOUT = 30.0  # s; a server that answers is never that slow, also on a busy machine
API_VERSION = "2020-12-06"
WELL_KNOWN_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


def paths_here(text):
    """Returns a text of the program with paths as this system has them: in Wine, drive Z: is the root folder."""
    if not BY_WINE:
        return text
    path = rf"(?:Z:\\|{re.escape(tempfile.gettempdir())}/)[^\s\"'|]*"
    several = r"\\+"  # JSON doubles backslashes
    return re.sub(path, lambda found: re.sub(several, "/", found[0].removeprefix("Z:")), text)


class Account:
    """An endpoint and its credentials. Over HTTPS, its certificate is checked against those in `authority`."""

    def __init__(self, connection_string, authority=None):
        parts = dict(part.split("=", 1) for part in connection_string.split(";") if part)
        self.connection_string = connection_string
        self.name = parts["AccountName"]
        self.key = parts["AccountKey"]
        self.endpoint = parts["TableEndpoint"].rstrip("/")
        url = urllib.parse.urlsplit(self.endpoint)
        self.host = url.hostname
        self.port = url.port
        self.base = url.path  # "/devstoreaccount1"
        self.tls = None
        if url.scheme == "https":
            self.tls = ssl.create_default_context(cafile=authority)
            self.tls.options &= ~ssl.OP_IGNORE_UNEXPECTED_EOF  # an end without close_notify is an error

    @property
    def authority(self):
        return f"{self.host}:{self.port}"

    @property
    def url(self):
        """Where the server is, without the account: as --url takes it."""
        return f"{'https' if self.tls else 'http'}://{self.authority}"


_kept = {}  # `location` of a server -> the URL of the database in its place


def _store_of(location, flags):
    """Returns the options that choose a server's store, and the URL of a database that ends with the server."""
    if "--store" in flags:
        return [], None
    database_server = os.environ.get(postgres.VARIABLE)
    if not database_server:
        return ["--location", location] if location else ["--inMemoryPersistence"], None
    if not location:
        database = postgres.new_database(database_server)
        return ["--store", database], database
    if str(location) not in _kept:
        _kept[str(location)] = postgres.new_database(database_server)
    certificates = ["--location", location] if "--tls" in flags else []
    return ["--store", _kept[str(location)], *certificates], None


class Server(Account):
    """One server process. Flags may be added; `location` keeps its data, otherwise they end with it. Over HTTPS it is
    trusted for the certificates in `authority`, or for its own authority's."""

    def __init__(self, *flags, location=None, port=0, environment=None, binary=None, authority=None):
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="rocktable-py-"))
        self._output = open(self._folder / "stdout", "w+b")
        self._errors = open(self._folder / "stderr", "w+b")
        ready_file = self._folder / "ready.json"
        storage, self._database = _store_of(location, flags)
        always = ["--tablePort", port, "--readyFile", ready_file, "--silent"]
        command = [binary or BINARY, *storage, *always, *flags]
        self.process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=self._errors,
            env={**os.environ, **(environment or {})},
        )
        try:
            self.ready = self._wait_until_ready(ready_file)
        except BaseException:
            self.kill()
            raise
        super().__init__(self.ready["connectionString"], authority or self.ready.get("certificateAuthority"))

    def _wait_until_ready(self, ready_file):
        deadline = time.monotonic() + START_DEADLINE
        while time.monotonic() < deadline:
            if ready_file.exists():
                ready = json.loads(ready_file.read_text())
                if "certificateAuthority" in ready:
                    ready["certificateAuthority"] = paths_here(ready["certificateAuthority"])
                return ready
            code = self.process.poll()
            assert code is None, f"the server ended with {code} instead of starting: {self.errors()}"
            time.sleep(0.005)
        raise AssertionError("the server did not get ready")

    def output(self):
        """Returns its output. The server prints the start message, in one write, after the ready file."""
        deadline = time.monotonic() + START_DEADLINE
        while not (text := (self._folder / "stdout").read_text()):
            assert time.monotonic() < deadline, "the server does not announce its start"
            time.sleep(0.005)
        return paths_here(text)

    def errors(self):
        return paths_here((self._folder / "stderr").read_text())

    def signal(self, number):
        """Asks the server to end and returns its exit code."""
        self.process.send_signal(number)
        try:
            return self.process.wait(STOP_DEADLINE)
        finally:
            self.kill()

    def stop(self):
        code = self.signal(signal.SIGTERM)
        assert code == 0, f"exit code {code} after SIGTERM"

    def kill(self):
        """Kills the process, like a crash, and removes its output and its database."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self._database:
            postgres.drop_database(self._database)
            self._database = None
        self._output.close()
        self._errors.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def is_running(self):
        return self.process.poll() is None

    def is_healthy(self):
        return exchange(self, request_bytes(self, "GET", "/_rocktable/health", signed=False)).status == 200


class RunningEndpoint(Account):
    """An endpoint that was started elsewhere. It need not be rocktable."""

    def stop(self):
        pass

    def is_healthy(self):
        return exchange(self, request_bytes(self, "GET", f"{self.base}/Tables")).status == 200


def connect():
    given = os.environ.get("ROCKTABLE_TEST_CONNECTION_STRING")
    return RunningEndpoint(given) if given else Server()


# --- requests by hand ---------------------------------------------------------------------------


def signature(account, to_sign, key=None):
    digest = hmac.new(base64.b64decode(key or account.key), to_sign.encode(), hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def authorization(account, target, date, key=None):
    """SharedKeyLite over the raw target, as the client sends it."""
    path, _, query = target.partition("?")
    comp = urllib.parse.parse_qs(query).get("comp")
    to_sign = f"{date}\n/{account.name}{path}" + (f"?comp={comp[0]}" if comp else "")
    return f"SharedKeyLite {account.name}:{signature(account, to_sign, key)}"


def request_bytes(account, method, target, headers=None, body=None, signed=True, version="HTTP/1.1"):
    """Returns the bytes of a request. A header with the value None is omitted; a list repeats it."""
    date = email.utils.formatdate(usegmt=True)
    fields = {"Host": account.authority, "x-ms-version": API_VERSION, "Accept": "application/json"}
    if signed:
        fields |= {"x-ms-date": date, "Authorization": authorization(account, target, date)}
    if body is not None:
        body = body.encode() if isinstance(body, str) else body
        fields |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    fields |= headers or {}
    lines = [f"{method} {target} {version}"]
    for name, values in fields.items():
        for value in values if isinstance(values, list) else [values]:
            if value is not None:
                lines.append(f"{name}: {value}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b"")


def error_code(text):
    """Returns the error code of the service in a JSON or XML body; None if there is none."""
    with contextlib.suppress(ValueError, LookupError, TypeError):
        return json.loads(text)["odata.error"]["code"]
    found = re.search(r"<(?:m:)?code>(\w+)</", text)
    return found and found[1]


class Response:
    def __init__(self, answer):
        self.status = answer.status
        self.reason = answer.reason
        self.headers = answer.headers
        self.body = answer.read()

    @property
    def text(self):
        return self.body.decode()

    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        return error_code(self.text)

    def __repr__(self):
        return f"{self.status} {self.reason}: {self.body[:400]!r}"


@contextlib.contextmanager
def connection(account, timeout=SOCKET_TIMEOUT):
    with socket.create_connection((account.host, account.port), timeout=timeout) as client:
        if account.tls is None:
            yield client
            return
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # as SDKs do: TLS sends in records of 16 KiB
        with account.tls.wrap_socket(client, server_hostname=account.host, suppress_ragged_eofs=False) as secure:
            yield secure


def read_response(client, method="GET"):
    answer = http.client.HTTPResponse(client, method=method)
    answer.begin()
    return Response(answer)


def exchange(account, data, method="GET"):
    """Sends the bytes and reads one response. Fails if none arrives in time."""
    with connection(account) as client:
        # A server may refuse an oversized request and close before it has read everything.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            client.sendall(data)
        return read_response(client, method)


def exchange_until_closed(account, data):
    """Sends the bytes, shuts down the sending side, and returns all responses until the server closes. Python cannot
    shut down one side of TLS, so over TLS the last request must have Connection: close."""
    received = b""
    with connection(account) as client:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            client.sendall(data)
            if account.tls is None:
                client.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionResetError):
            while piece := client.recv(65536):
                received += piece
    return received


def send(account, method, target, headers=None, body=None, **kwargs):
    """Sends a well-formed signed request; `target` starts at the account's base."""
    request = request_bytes(account, method, f"{account.base}{target}", headers, body, **kwargs)
    return exchange(account, request, method)


# --- tables ---------------------------------------------------------------------------------------

_names = itertools.count()


def unique_name(prefix="t"):
    """Returns a unique name, also among processes, because all may use one running endpoint."""
    return f"{prefix}{os.getpid()}x{int(time.time() * 1000) % 10**9}x{next(_names)}"


def create_table(account, name=None):
    name = name or unique_name()
    answer = send(account, "POST", "/Tables", {"Prefer": "return-no-content"}, json.dumps({"TableName": name}))
    assert answer.status == 204, answer
    return name


def delete_table(account, name):
    answer = send(account, "DELETE", f"/Tables('{name}')")
    assert answer.status == 204, answer


def continuation(answer):
    """Returns the options that request the next page of entities; none after the last page."""
    values = {name: answer.headers[f"x-ms-continuation-{name}"] for name in ("NextPartitionKey", "NextRowKey")}
    return {name: value for name, value in values.items() if value is not None}


def all_entities(account, table, metadata="nometadata"):
    """Returns all entities of a table, from all pages; without annotations, unless another metadata level is
    requested."""
    found, tokens = [], ""
    while True:
        accept = {"Accept": f"application/json;odata={metadata}"}
        answer = send(account, "GET", f"/{table}()?{tokens}", accept)
        assert answer.status == 200, answer
        found += answer.json()["value"]
        tokens = urllib.parse.urlencode(continuation(answer))
        if not tokens:
            return found


# --- batches ------------------------------------------------------------------------------------

BATCH_HEADERS = {"Content-Type": "multipart/mixed; boundary=batch_1"}


def batch_part(account, method, resource, body=None, headers=""):
    """One operation of a change set, without its boundary."""
    text = body if isinstance(body, str) else "" if body is None else json.dumps(body)
    return (
        "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
        f"{method} {account.endpoint}/{resource} HTTP/1.1\r\n"
        "Accept: application/json;odata=minimalmetadata\r\nContent-Type: application/json\r\n"
        f"{headers}\r\n{text}\r\n"
    )


def batch_body(parts):
    """A batch of one change set."""
    inner = "".join(f"--changeset_1\r\n{part}" for part in parts)
    return (
        "--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n"
        f"{inner}--changeset_1--\r\n--batch_1--\r\n"
    )


def send_batch(account, parts):
    """Sends the parts as one change set."""
    return send(account, "POST", "/$batch", BATCH_HEADERS, batch_body(parts))
