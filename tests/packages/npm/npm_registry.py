"""A registry with only the packages in some files, from which npm installs as users do."""
import base64
import hashlib
import http.server
import json
import tarfile
import threading
import urllib.parse


def manifest_of(file):
    with tarfile.open(file) as archive:
        return json.load(archive.extractfile("package/package.json"))


class Registry:
    """Serves the packages until the end of the block. Answers all other names with 404."""

    def __init__(self, files):
        self._files = {file.name: file for file in files}
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        self._documents = {manifest["name"]: document for manifest, document in map(self._document, files)}

    def _document(self, file):
        manifest = manifest_of(file)
        digest = base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()
        dist = {"tarball": self.url + file.name, "integrity": f"sha512-{digest}"}
        version = manifest["version"]
        versions = {version: {**manifest, "dist": dist}}
        return manifest, {"name": manifest["name"], "dist-tags": {"latest": version}, "versions": versions}

    def _answer(self, path):
        name = urllib.parse.unquote(path.lstrip("/"))
        if name in self._files:
            return self._files[name].read_bytes()
        return json.dumps(self._documents[name]).encode() if name in self._documents else None

    def _handler(registry):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = registry._answer(self.path)
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_):
                pass

        return Handler

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
