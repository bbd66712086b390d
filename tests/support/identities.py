"""A server with local identities, and requests to its identity endpoint."""
import base64
import http.client
import json
import subprocess
import urllib.parse

from guide import node_options
from program import user_environment
from rocktable_server import Server, connection, read_response, request_bytes

SECONDS = 20
STORAGE = "https://storage.azure.com"
READER, CONTRIBUTOR = "Storage Table Data Reader", "Storage Table Data Contributor"
CREDENTIALS = ["DefaultAzureCredential", "ManagedIdentityCredential"]
APP_SERVICE, MACHINE = "/msi/token", "/metadata/identity/oauth2/token"


def claims_of(token):
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def put_roles(server, text):
    with connection(server) as client:
        client.sendall(request_bytes(server, "PUT", "/_rocktable/roles", body=text))
        answer = read_response(client, "PUT")
    assert answer.status == 200, answer


class Identities(Server):
    """A server over HTTPS with the identities alice, who writes, and bob, who reads."""

    def __init__(self, *flags, **options):
        identities = [] if "--identity" in flags else ["--identity", f"alice={CONTRIBUTOR}", "--identity", f"bob={READER}"]
        super().__init__("--tls", "auto", *identities, *flags, **options)
        told = self.ready["identity"]
        self.identity_url, self.header = told["endpoint"], told["header"]
        self.identities = {one["name"]: one for one in told["identities"]}

    def ask(self, target, *, method="GET", host=None, raw=(), **headers):
        """Sends a request to the endpoint. Returns the status and the document."""
        authority = urllib.parse.urlsplit(self.identity_url).netloc
        client = http.client.HTTPConnection(authority, timeout=SECONDS)
        client.putrequest(method, target, skip_host=True)
        client.putheader("Host", host or authority)
        for name, value in [*headers.items(), *raw]:
            client.putheader(name.replace("_", "-"), value)
        client.endheaders()
        answer = client.getresponse()
        document = json.loads(answer.read())
        assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
        assert answer.headers["Cache-Control"] == "no-store"
        client.close()
        return answer.status, document

    def app_service(self, **parameters):
        query = urllib.parse.urlencode({"api-version": "2019-08-01", "resource": STORAGE} | parameters)
        return self.ask(f"{APP_SERVICE}?{query}", X_IDENTITY_HEADER=self.header)

    def token(self, name="alice", resource=STORAGE):
        status, document = self.app_service(client_id=self.identities[name]["clientId"], resource=resource)
        assert status == 200, document
        return document["access_token"]

    def call(self, token, method="GET", target="/Tables", body=None):
        return send_with(self, token, method, target, body)


def send_with(server, token, method="GET", target="/Tables", body=None):
    headers = {"Authorization": f"Bearer {token}", "x-ms-version": "2020-12-06"}
    with connection(server) as client:
        client.sendall(request_bytes(server, method, server.base + target, headers, body and json.dumps(body), signed=False))
        return read_response(client, method)


class Conversation:
    """A program that answers each line with a line."""

    def __init__(self, server, words, account):
        authority = server.ready["certificateAuthority"]
        environment = user_environment(
            TABLES_ENDPOINT=server.endpoint.replace(server.name, account), IDENTITY_ENDPOINT=server.identity_url,
            IDENTITY_HEADER=server.header, SSL_CERT_FILE=authority, NODE_EXTRA_CA_CERTS=authority, REQUESTS_CA_BUNDLE=authority,
            **node_options())
        self.process = subprocess.Popen([str(word) for word in words], env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, self.process.stderr.read()
        return answer.strip()

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.stderr.close()
        self.process.kill()
        self.process.wait()
