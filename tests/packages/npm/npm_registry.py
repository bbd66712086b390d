"""A registry with only the packages in some files, from which npm installs as users do."""
import base64
import hashlib
import json
import tarfile
import urllib.parse

from http_server import Handler, HttpServer


def manifest_of(file):
    with tarfile.open(file) as archive:
        return json.load(archive.extractfile("package/package.json"))


class Registry(HttpServer):
    """Serves the packages until the end of the block. Answers all other names with 404."""

    def __init__(self, files):
        super().__init__(self._handler())
        self._files = {file.name: file for file in files}
        self._documents = {manifest["name"]: document for manifest, document in map(self._document, files)}

    def _document(self, file):
        manifest = manifest_of(file)
        digest = base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()
        dist = {"tarball": f"{self.url}/{file.name}", "integrity": f"sha512-{digest}"}
        version = manifest["version"]
        versions = {version: {**manifest, "dist": dist}}
        return manifest, {"name": manifest["name"], "dist-tags": {"latest": version}, "versions": versions}

    def _answer(self, path):
        name = urllib.parse.unquote(path.lstrip("/"))
        if name in self._files:
            return self._files[name].read_bytes()
        return json.dumps(self._documents[name]).encode() if name in self._documents else None

    def _handler(registry):
        class Package(Handler):
            def do_GET(self):
                body = registry._answer(self.path)
                self.answer(404 if body is None else 200, body or b"")

        return Package
