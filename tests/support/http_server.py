"""Servers of HTTP whose answers a test writes itself."""
import http.server
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers by do_GET() and so on of a subclass; says nothing on standard error."""

    def answer(self, status, body=b"", **headers):
        """Sends an answer. Keywords are headers, with underscores for hyphens."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class HttpServer:
    """Listens on a free port, and answers from the beginning to the end of the block; each request in a thread."""

    def __init__(self, handler):
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
