"""HTTP/1.1 over a socket. Headers go out and arrive as they are, in their order."""
from __future__ import annotations

import select
import socket
import ssl
import time
from dataclasses import dataclass, field
from typing import Dict, List, Mapping, Optional, Sequence, Tuple, Union

from conformance.answers import Answer
from conformance.connection import Endpoint

TIMEOUT_SECONDS = 60
# Pauses before a request is repeated that the service was too busy for.
BACK_OFF_SECONDS = (0.5, 2, 8, 20)


class NoAnswer(Exception):
    """The connection was refused or broke, or what came is not HTTP."""


@dataclass
class Request:
    """A request as it goes out. A header with a list is sent once for each item, one with None not at all."""

    method: str
    target: str
    headers: Dict[str, Union[str, Sequence[str], None]] = field(default_factory=dict)
    body: Optional[bytes] = None

    def header(self, name: str) -> Optional[str]:
        for one, value in self.headers.items():
            if one.lower() == name.lower() and value is not None:
                return value if isinstance(value, str) else value[0]
        return None

    def header_lines(self) -> List[Tuple[str, str]]:
        lines = []
        for name, value in self.headers.items():
            if value is not None:
                lines += [(name, one) for one in ([value] if isinstance(value, str) else value)]
        return lines

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]

    def to_bytes(self, host: str) -> bytes:
        lines = [f"{self.method} {self.target} HTTP/1.1"]
        if self.header("Host") is None:
            lines.append(f"Host: {host}")
        lines += [f"{name}: {value}" for name, value in self.header_lines()]
        if self.body is not None or self.method not in ("GET", "HEAD", "DELETE", "OPTIONS"):
            if self.header("Content-Length") is None:
                lines.append(f"Content-Length: {len(self.body or b'')}")
        return "\r\n".join(lines + ["", ""]).encode("utf-8") + (self.body or b"")


class Connection:
    """One kept-alive connection to one endpoint. Used by one thread."""

    def __init__(self, endpoint: Endpoint, tls: Optional[ssl.SSLContext]) -> None:
        self.endpoint, self.tls = endpoint, tls
        self.socket: Optional[socket.socket] = None
        self.pending = b""

    def close(self) -> None:
        if self.socket:
            self.socket.close()
        self.socket, self.pending = None, b""

    def send(self, request: Request) -> Answer:
        """Sends the request, again if the service says that it is too busy."""
        for pause in BACK_OFF_SECONDS:
            answer = self.send_once(request)
            busy = answer.status == 503 or (answer.status == 500 and answer.code == "OperationTimedOut")
            if not busy:
                return answer
            time.sleep(pause)
        return self.send_once(request)

    def send_once(self, request: Request) -> Answer:
        data = request.to_bytes(self.endpoint.host_header)
        if self.socket and (self.pending or select.select([self.socket], [], [], 0)[0]):
            self.close()  # closed by the other side since the last answer
        reused = self.socket is not None
        try:
            return self.exchange(request.method, data)
        except (OSError, NoAnswer) as error:
            self.close()
            if not reused or isinstance(error, socket.timeout):
                raise NoAnswer(str(error) or type(error).__name__) from error
        try:  # the idle connection was closed at the very moment
            return self.exchange(request.method, data)
        except OSError as error:
            self.close()
            raise NoAnswer(str(error) or type(error).__name__) from error

    def exchange(self, method: str, data: bytes) -> Answer:
        if not self.socket:
            self.open()
        assert self.socket
        self.socket.sendall(data)
        status = 100
        while status == 100:
            status, reason, headers = self.read_head()
        body = self.read_body(method, status, headers)
        answer = Answer(status, reason, headers, body)
        if (answer.header("Connection") or "").lower() == "close":
            self.close()
        return answer

    def open(self) -> None:
        # Names of hosts below localhost, as of emulators in host style, are known to few resolvers.
        host = "127.0.0.1" if self.endpoint.host.endswith(".localhost") else self.endpoint.host
        plain = socket.create_connection((host, self.endpoint.port), TIMEOUT_SECONDS)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = plain
        if self.tls:
            self.socket = self.tls.wrap_socket(plain, server_hostname=self.endpoint.host)

    def fill(self) -> None:
        assert self.socket
        data = self.socket.recv(65536)
        if not data:
            raise NoAnswer("the connection was closed before the end of the answer")
        self.pending += data

    def read_until(self, mark: bytes) -> bytes:
        while mark not in self.pending:
            self.fill()
        found, _, self.pending = self.pending.partition(mark)
        return found

    def read_exactly(self, count: int) -> bytes:
        chunks, size = [self.pending], len(self.pending)
        while size < count:
            self.pending = b""
            self.fill()
            chunks.append(self.pending)
            size += len(self.pending)
        data = b"".join(chunks)
        self.pending = data[count:]
        return data[:count]

    def read_head(self) -> Tuple[int, str, List[Tuple[str, str]]]:
        start, *lines = self.read_until(b"\r\n\r\n").decode("utf-8", "replace").split("\r\n")
        version, _, rest = start.partition(" ")
        code, _, reason = rest.partition(" ")
        if not version.startswith("HTTP/1.") or not code.isdigit():
            raise NoAnswer(f"not an HTTP answer: {start[:80]}")
        pairs = [line.partition(":") for line in lines]
        return int(code), reason, [(name.strip(), value.strip()) for name, _, value in pairs]

    def read_body(self, method: str, status: int, headers: Sequence[Tuple[str, str]]) -> bytes:
        fields: Mapping[str, str] = {name.lower(): value for name, value in headers}
        if method == "HEAD" or status in (204, 304):
            return b""
        if fields.get("transfer-encoding", "").lower() == "chunked":
            return self.read_chunks()
        if "content-length" in fields:
            return self.read_exactly(int(fields["content-length"]))
        data = b""
        try:
            while True:
                self.fill()
                data, self.pending = data + self.pending, b""
        except NoAnswer:
            self.close()
        return data

    def read_chunks(self) -> bytes:
        chunks = []
        while True:
            size = int(self.read_until(b"\r\n").partition(b";")[0], 16)
            if size == 0:
                while self.read_until(b"\r\n"):
                    pass
                return b"".join(chunks)
            chunks.append(self.read_exactly(size))
            self.read_exactly(2)
