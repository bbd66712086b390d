"""A proxy in front of a server. It forwards requests, and simulates faults of a network or a busy service for some."""
import http.client
import json
import threading

from http_server import Handler, HttpServer

BUSY = json.dumps({"odata.error": {"code": "ServerBusy", "message": {"lang": "en-US", "value": "The server is busy."}}})


class Proxy(HttpServer):
    """Calls `fault(number, method, path)` for each request; `number` starts at 1. It returns None (forward the
    request), a status with a body of JSON (respond in place of the server), "drop" (close the connection without
    forwarding) or "swallow" (forward the request, and close the connection without its response)."""

    def __init__(self, account, fault):
        self.account, self.fault = account, fault
        self.requests = 0
        self._lock = threading.Lock()
        proxy = self

        class Forwarding(Handler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def handle_one_request(self):
                self.raw_requestline = self.rfile.readline(65537)
                if not self.raw_requestline or not self.parse_request():
                    self.close_connection = True
                    return
                proxy._serve(self)

        super().__init__(Forwarding)
        self.endpoint = f"{self.url}{account.base}"
        self.connection_string = (f"AccountName={account.name};AccountKey={account.key};"
                                  f"TableEndpoint={self.endpoint};")

    def _serve(self, request):
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        with self._lock:
            self.requests += 1
            number = self.requests
        fault = self.fault(number, request.command, request.path)
        if fault == "drop":
            request.close_connection = True
            return
        if fault and fault != "swallow":
            return self._answer(request, fault[0], [("Content-Type", "application/json")], fault[1].encode())
        upstream = http.client.HTTPConnection(self.account.host, self.account.port, timeout=30)
        try:
            upstream.request(request.command, request.path, body, dict(request.headers))
            answer = upstream.getresponse()
            content = answer.read()
        finally:
            upstream.close()
        if fault == "swallow":
            request.close_connection = True
            return
        self._answer(request, answer.status, answer.getheaders(), content)

    @staticmethod
    def _answer(request, status, headers, body):
        head = f"HTTP/1.1 {status} Status\r\n"
        kept = [f"{name}: {value}\r\n" for name, value in headers
                if name.lower() not in ("content-length", "connection", "transfer-encoding")]
        if status != 204:
            kept.append(f"Content-Length: {len(body)}\r\n")
        request.wfile.write((head + "".join(kept) + "\r\n").encode() + body)
