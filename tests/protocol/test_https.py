"""HTTPS: certificates that clients can check, supported and refused versions of TLS, how connections end."""
import concurrent.futures
import json
import os
import re
import socket
import ssl
import stat
import struct
import subprocess
import time
import urllib.parse

import pytest

from own_server import needs_program, own_server
from process import open_sockets, wait_until
from rocktable_server import (
    BATCH_HEADERS,
    BINARY,
    Server,
    all_entities,
    batch_body,
    batch_part,
    connection,
    create_table,
    exchange,
    exchange_until_closed,
    paths_here,
    read_response,
    request_bytes,
    send,
)
from shared_access import account_sas, send_with

pytestmark = needs_program

NO_METADATA = {"Accept": "application/json;odata=nometadata"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with its own certificate authority."""
    running = Server("--tls", "auto", "--insightHeaders", "--location", tmp_path_factory.mktemp("https"))
    yield running
    running.stop()


plain = own_server()


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """A folder with a certificate for localhost: cert.pem, key.pem, and files that tests derive from them."""
    folder = tmp_path_factory.mktemp("certificates")
    openssl(folder, "req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 2 -keyout key.pem -out cert.pem"
                    " -addext subjectAltName=DNS:localhost,IP:127.0.0.1")
    return folder


def openssl(folder, arguments):
    subprocess.run(["openssl", *arguments.split()], cwd=folder, check=True, capture_output=True)


def refuses_to_start(*flags, names=(), never=None):
    """Checks for exit code 1 and one sentence that names the file."""
    words = [str(word) for word in (BINARY, "--inMemoryPersistence", "--tablePort", 0, *flags)]
    result = subprocess.run(words, capture_output=True, text=True, timeout=20, check=False)
    assert result.returncode == 1, result
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    for name in names:
        assert str(name) in paths_here(result.stderr), result.stderr
    assert never is None or never not in result.stderr + result.stdout


def health(server):
    return request_bytes(server, "GET", "/_rocktable/health", signed=False)


def raw(server, timeout=5):
    """Opens TCP without TLS."""
    return socket.create_connection((server.host, server.port), timeout=timeout)


def insert(server, table, row):
    body = json.dumps({"PartitionKey": "p", "RowKey": row})
    return send(server, "POST", f"/{table}", {"Prefer": "return-no-content"}, body)


# --- what clients trust ---------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "devstoreaccount1.table.localhost"])
def test_clients_that_trust_the_authority_believe_the_server(server, host):
    context = ssl.create_default_context(cafile=server.ready["certificateAuthority"])
    with raw(server) as client, context.wrap_socket(client, server_hostname=host) as secure:
        secure.sendall(health(server))
        assert read_response(secure).status == 200


def test_clients_that_do_not_trust_the_authority_refuse_the_server(server):
    with raw(server) as client, pytest.raises(ssl.SSLCertVerificationError):
        ssl.create_default_context().wrap_socket(client, server_hostname="localhost")
    context = ssl.create_default_context(cafile=server.ready["certificateAuthority"])
    with raw(server) as client, pytest.raises(ssl.SSLCertVerificationError):
        context.wrap_socket(client, server_hostname="example.com")
    assert server.is_healthy()


def test_the_start_tells_the_endpoint_and_the_authority(server):
    authority = server.ready["certificateAuthority"]
    assert os.path.isabs(authority) and authority.endswith("/__rocktable_tls__/ca.pem")
    assert server.ready["endpoint"] == f"https://127.0.0.1:{server.port}/devstoreaccount1"
    assert server.connection_string.startswith("DefaultEndpointsProtocol=https;")
    assert f"TableEndpoint={server.ready['endpoint']};" in server.connection_string
    output = server.output()
    assert f"listening at https://127.0.0.1:{server.port}\n" in output
    assert server.connection_string in output and authority in output
    assert server.errors() == "", "--location holds the authority, and so is not ignored"


def test_in_memory_the_location_holds_the_authority_alone(tmp_path):
    server = Server("--tls", "auto", "--location", tmp_path)
    create_table(server)
    server.stop()
    assert os.listdir(tmp_path) == ["__rocktable_tls__"]
    assert sorted(os.listdir(tmp_path / "__rocktable_tls__")) == [".gitignore", "ca-key.pem", "ca.pem"]
    assert stat.S_IMODE((tmp_path / "__rocktable_tls__" / "ca-key.pem").stat().st_mode) == 0o600


def test_the_authority_outlives_a_restart_and_other_certificates_do_not(tmp_path):
    seen = set()
    for _ in range(2):
        server = Server("--tls", "auto", location=tmp_path)
        authority = open(server.ready["certificateAuthority"]).read()
        seen.add((authority, ssl.get_server_certificate((server.host, server.port))))
        server.stop()
    authorities, certificates = zip(*seen)
    assert (len(set(authorities)), len(set(certificates))) == (1, 2)


def is_believed_as(server, name):
    context = ssl.create_default_context(cafile=server.ready["certificateAuthority"])
    try:
        with raw(server) as client, context.wrap_socket(client, server_hostname=name):
            return True
    except ssl.SSLCertVerificationError:
        return False


def test_other_names_are_in_the_next_certificate_of_the_same_authority(tmp_path):
    cloud, other = "myaccount.table.core.windows.net", "tables.example.test"
    authorities = set()
    for flags, believed in (
        ([], []),
        (["--tlsName", "*.table.core.windows.net", "--tlsName", "192.0.2.1"], [cloud, "192.0.2.1"]),
        (["--tlsName", other], [other]),
    ):
        server = Server("--tls", "auto", "--location", tmp_path, *flags)
        authorities.add(open(server.ready["certificateAuthority"]).read())
        assert [name for name in (cloud, "192.0.2.1", other) if is_believed_as(server, name)] == believed
        assert server.is_healthy(), "the names of this machine stay"
        server.stop()
    assert len(authorities) == 1


@pytest.mark.parametrize("name", ["https://a.test", "*.net", "a b", "10.1.2.256"])
def test_a_name_that_no_client_would_accept_is_refused(name):
    words = [str(BINARY), "--tls", "auto", "--tlsName", name]
    result = subprocess.run(words, capture_output=True, text=True, timeout=20, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(f"rocktable: --tlsName: {name} is ")


def test_servers_that_start_at_once_share_one_authority(tmp_path):
    def start(_):
        return Server("--tls", "auto", "--location", tmp_path / "new")

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        servers = list(pool.map(start, range(4)))
    assert all(one.is_healthy() for one in servers)
    assert sorted(os.listdir(tmp_path / "new" / "__rocktable_tls__")) == [".gitignore", "ca-key.pem", "ca.pem"]
    for one in servers:
        one.stop()


def test_a_damaged_authority_is_named_and_left_alone(tmp_path):
    folder = tmp_path / "__rocktable_tls__"
    folder.mkdir()
    (folder / "ca.pem").write_text("damaged")
    refuses_to_start("--tls", "auto", "--location", tmp_path, names=[folder / "ca.pem"])
    assert (folder / "ca.pem").read_text() == "damaged"


def test_a_certificate_in_pem_form(certificates):
    server = Server("--cert", certificates / "cert.pem", "--key", certificates / "key.pem",
                    authority=certificates / "cert.pem")
    assert server.is_healthy()
    assert "certificateAuthority" not in server.ready
    server.stop()


@pytest.mark.parametrize("options", ["", "-legacy"], ids=["AES", "RC2"])
def test_a_certificate_in_pfx_form(certificates, options):
    name = f"localhost{options}.pfx"
    openssl(certificates, f"pkcs12 -export {options} -in cert.pem -inkey key.pem -out {name} -passout pass:open-sesame")
    server = Server("--cert", certificates / name, "--pwd", "open-sesame", authority=certificates / "cert.pem")
    assert server.is_healthy()
    server.stop()
    refuses_to_start("--cert", certificates / name, "--pwd", "hunter2", names=[name, "password"], never="hunter2")


def test_the_password_of_a_certificate_comes_from_a_file_or_a_variable(certificates, tmp_path):
    openssl(certificates, "pkcs12 -export -in cert.pem -inkey key.pem -out secret.pfx -passout pass:open-sesame")
    (tmp_path / "password").write_text("open-sesame\n")
    for given in (f"@{tmp_path / 'password'}", "env:PFX_PASSWORD"):
        server = Server("--cert", certificates / "secret.pfx", "--pwd", given, authority=certificates / "cert.pem",
                        environment={"PFX_PASSWORD": "open-sesame"})
        assert server.is_healthy()
        server.stop()
    (tmp_path / "password").write_text("hunter2\n")
    refuses_to_start("--cert", certificates / "secret.pfx", "--pwd", f"@{tmp_path / 'password'}", never="hunter2")
    for given in ("@/nowhere", "env:NOT_SET"):
        refuses_to_start("--cert", certificates / "secret.pfx", "--pwd", given, names=["--pwd: ", given[4:]])


def test_files_that_do_not_do_are_named(certificates):
    openssl(certificates, "genrsa -out other.pem 2048")
    openssl(certificates, "rsa -in key.pem -aes128 -passout pass:secret -out encrypted.pem")
    for certificate, key, wrong in (
        ("absent.pem", "key.pem", "absent.pem"),
        ("cert.pem", "absent.pem", "absent.pem"),
        ("key.pem", "key.pem", "key.pem"),
        ("cert.pem", "other.pem", "other.pem"),
        ("cert.pem", "encrypted.pem", "encrypted.pem"),
    ):
        refuses_to_start("--cert", certificates / certificate, "--key", certificates / key,
                         names=[certificates / wrong])


def test_the_endpoint_has_the_name_that_the_server_was_given(tmp_path):
    """URLs use the host name, because few certificates contain the address."""
    server = Server("--tls", "auto", "--tableHost", "localhost", "--location", tmp_path)
    assert server.ready["endpoint"] == f"https://localhost:{server.port}/devstoreaccount1"
    assert server.is_healthy()
    server.stop()


# --- TLS versions and protocols -------------------------------------------------------------------


def handshake(server, **changes):
    """Connects as a client that does not check certificates."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for name, value in changes.items():
        if callable(getattr(context, name)):
            getattr(context, name)(value)
        else:
            setattr(context, name, value)
    client = raw(server)
    try:
        return context.wrap_socket(client)
    except BaseException:
        client.close()
        raise


@pytest.mark.filterwarnings("ignore:.*TLSv1.*deprecated")
def test_tls_1_1_is_refused(server):
    with pytest.raises(ssl.SSLError, match="(?i)version|alert"):
        handshake(server, set_ciphers="ALL:@SECLEVEL=0", minimum_version=ssl.TLSVersion.TLSv1_1,
                  maximum_version=ssl.TLSVersion.TLSv1_1)


@pytest.mark.parametrize("version", ["TLSv1_2", "TLSv1_3"])
def test_tls_1_2_and_1_3_are_spoken(server, version):
    with handshake(server, maximum_version=getattr(ssl.TLSVersion, version)) as client:
        assert client.version() == version.replace("_", ".")
        assert client.compression() is None
        assert re.match("(TLS_|ECDHE-)", client.cipher()[0]), client.cipher()
        client.sendall(health(server))
        assert read_response(client).status == 200


def test_ciphers_without_forward_secrecy_are_refused(server):
    with pytest.raises(ssl.SSLError):
        handshake(server, set_ciphers="AES128-GCM-SHA256:AES256-SHA", maximum_version=ssl.TLSVersion.TLSv1_2)


def test_http_1_1_is_agreed_upon(server):
    """RFC 7301: HTTP/1.1 is selected also if the client prefers HTTP/2. A client with only HTTP/2 gets an alert."""
    for offered in (["http/1.1"], ["h2", "http/1.1"]):
        with handshake(server, set_alpn_protocols=offered) as client:
            assert client.selected_alpn_protocol() == "http/1.1"
    with handshake(server) as client:
        assert client.selected_alpn_protocol() is None
    with pytest.raises(ssl.SSLError, match="(?i)alpn|application protocol"):
        handshake(server, set_alpn_protocols=["h2"])


def test_http_sent_to_https_gets_an_answer(server):
    with raw(server) as client:
        client.sendall(health(server))
        answer = read_response(client)
        assert client.recv(100) == b"", "closed behind the answer"
    assert (answer.status, answer.code) == (400, "AccountRequiresHttps")
    assert "use https://" in answer.text


def test_https_sent_to_http_ends_at_once_and_is_told_once(plain):
    for _ in range(3):
        start = time.monotonic()
        with pytest.raises(ssl.SSLError):
            handshake(plain)
        assert time.monotonic() - start < 2
    with raw(plain) as client:
        hello = ssl.MemoryBIO()
        with pytest.raises(ssl.SSLWantReadError):
            ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), hello, server_hostname="localhost").do_handshake()
        client.sendall(hello.read())
        answer = read_response(client)
        assert (answer.status, client.recv(100)) == (400, b"") and "use http://" in answer.text
    assert plain.is_healthy()
    assert plain.errors().count("use http://") == 1, plain.errors()


@pytest.mark.parametrize(
    "data", [b"\x16", b"\x16\x03\x01\x00", b"\x16" * 1000, b"\x16\x03\x01\xff\xff" + b"a" * 70_000])
def test_what_only_looks_like_tls_ends_its_connection(server, data):
    with raw(server) as client:
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        try:
            while client.recv(65536):
                pass
        except ConnectionResetError:
            pass
    assert server.is_healthy()


# --- requests -------------------------------------------------------------------------------------


def records_of_answer(server, data):
    """Returns the types of the TLS records of a response, in TLS 1.2, where they are not encrypted."""
    context = ssl.create_default_context(cafile=server.ready["certificateAuthority"])
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    secure = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
    with raw(server) as client:
        while True:
            try:
                secure.do_handshake()
                break
            except ssl.SSLWantReadError:
                client.sendall(outgoing.read())
                incoming.write(client.recv(65536))
        secure.write(data)
        client.sendall(outgoing.read())
        received = b""
        while piece := client.recv(65536):
            received += piece
    types = []
    while received:
        types.append(received[0])
        received = received[5 + int.from_bytes(received[3:5], "big"):]
    return types


@pytest.mark.parametrize("target", ["/_rocktable/health", "/devstoreaccount1/Tables", "/devstoreaccount1/absent()"])
def test_an_answer_is_one_record(server, target):
    """Applies to all small responses, also chunked ones: each record costs the client a call and 29 bytes."""
    application_data, alert = 23, 21
    data = request_bytes(server, "GET", target, {"Connection": "close"})
    assert records_of_answer(server, data) == [application_data, alert]


def test_links_are_those_of_https(server):
    table = create_table(server)
    body = json.dumps({"PartitionKey": "p", "RowKey": "r"})
    answer = send(server, "POST", f"/{table}", {"Accept": "application/json;odata=fullmetadata"}, body)
    assert answer.status == 201
    assert answer.headers["Location"] == f"{server.endpoint}/{table}(PartitionKey='p',RowKey='r')"
    assert answer.json()["odata.metadata"].startswith(f"https://127.0.0.1:{server.port}/")


def test_many_requests_use_one_connection(server):
    table = create_table(server)
    with connection(server) as client:
        for row in range(100):
            client.sendall(request_bytes(server, "POST", f"{server.base}/{table}", {"Prefer": "return-no-content"},
                                         json.dumps({"PartitionKey": "p", "RowKey": f"{row:03}"})))
            assert read_response(client).status == 204
    assert len(all_entities(server, table)) == 100


def test_pipelined_requests_are_answered_in_order(server):
    table = create_table(server)
    insert(server, table, "a")
    targets = [f"/{table}(PartitionKey='p',RowKey='a')", f"/{table}(PartitionKey='p',RowKey='b')", f"/{table}()"] * 20
    requests = [request_bytes(server, "GET", f"{server.base}{target}") for target in targets]
    requests.append(request_bytes(server, "GET", "/_rocktable/health", {"Connection": "close"}, signed=False))
    received = exchange_until_closed(server, b"".join(requests))
    statuses = [int(code) for code in re.findall(rb"HTTP/1\.1 (\d+) ", received)]
    assert statuses == [200, 404, 200] * 20 + [200]


def test_a_batch_of_4_mib_and_a_page_of_1000_entities(server):
    table = create_table(server)
    text = "x" * 20_000
    rows = [{"PartitionKey": "p", "RowKey": f"{row:04}", "A": text, "B": text} for row in range(100)]
    body = batch_body(batch_part(server, "POST", table, row) for row in rows)
    body = body.replace(text, text + "y" * ((4 * 2**20 - len(body)) // 200))
    assert 4 * 2**20 - 200 <= len(body) <= 4 * 2**20
    answer = send(server, "POST", "/$batch", BATCH_HEADERS, body)
    assert answer.status == 202 and answer.text.count("HTTP/1.1 201 Created") == 100, answer
    for first in range(1000, 2000, 100):
        rows = ({"PartitionKey": "p", "RowKey": f"{first + row}", "A": "z" * 3000} for row in range(100))
        answer = send(server, "POST", "/$batch", BATCH_HEADERS,
                      batch_body(batch_part(server, "POST", table, row) for row in rows))
        assert answer.text.count("HTTP/1.1 201 Created") == 100, answer
    answer = send(server, "GET", f"/{table}()?$filter=RowKey%20ge%20'1'", NO_METADATA)
    assert answer.status == 200 and len(answer.body) > 3_000_000
    assert [entity["RowKey"] for entity in answer.json()["value"]] == [f"{row}" for row in range(1000, 2000)]
    found = all_entities(server, table)
    assert len(found) == 1100 and sum(len(entity["A"]) for entity in found) > 5_000_000


def test_a_body_that_is_too_large_is_refused_and_the_client_can_read_why(server):
    data = request_bytes(server, "POST", f"{server.base}/$batch", BATCH_HEADERS, b"x" * (6 * 2**20))
    with connection(server, timeout=20) as client:
        client.sendall(data)
        assert read_response(client).status == 413


def test_a_signature_for_https_alone_is_good_over_https_alone(server, plain):
    """Source: learn.microsoft.com/rest/api/storageservices/create-account-sas, `spr`."""
    assert send_with(server, account_sas(server, spr="https"), "GET", "/Tables").status == 200
    answer = send_with(plain, account_sas(plain, spr="https"), "GET", "/Tables")
    assert (answer.status, answer.code) == (403, "AuthorizationProtocolMismatch")
    for one in (server, plain):
        assert send_with(one, account_sas(one, spr="https,http"), "GET", "/Tables").status == 200


# --- ends of connections --------------------------------------------------------------------------


def test_the_server_says_that_it_closes(server):
    """RFC 8446, section 6.1: without close_notify a client cannot distinguish the end from a truncation. This client
    then raises."""
    data = request_bytes(server, "GET", "/_rocktable/health", {"Connection": "close"}, signed=False)
    with connection(server) as client:
        client.sendall(data)
        received = b""
        while piece := client.recv(65536):
            received += piece
    assert received.startswith(b"HTTP/1.1 200 OK")


def test_a_cut_request_is_not_answered(server):
    data = request_bytes(server, "GET", f"{server.base}/Tables")
    with connection(server) as client:
        client.sendall(data[:-2])
        tcp = socket.socket(fileno=os.dup(client.fileno()))
        tcp.shutdown(socket.SHUT_WR)
        assert client.recv(65536) == b""
        tcp.close()
    assert server.is_healthy()


@pytest.mark.parametrize("secure", [True, False], ids=["HTTPS", "HTTP"])
def test_idle_connections_are_closed_in_order(tmp_path, secure):
    flags = ["--tls", "auto", "--location", tmp_path] if secure else []
    server = Server("--tableKeepAliveTimeout", 1, *flags)
    with connection(server) as client:
        client.sendall(health(server))
        assert read_response(client).status == 200
        assert client.recv(100) == b""
    server.stop()


def test_a_stop_says_goodbye_to_idle_connections(tmp_path):
    server = Server("--tls", "auto", "--location", tmp_path)
    with connection(server) as client, raw(server) as silent:
        client.sendall(health(server))
        assert read_response(client).status == 200
        start = time.monotonic()
        server.stop()
        assert time.monotonic() - start < 2
        assert client.recv(100) == b""
        try:
            assert silent.recv(100) == b""
        except ConnectionResetError:
            pass


def test_clients_that_dawdle_are_closed(server):
    """A handshake that does not begin or is incomplete, and a client that ignores the server's close_notify."""
    before = open_sockets(server)
    hello = ssl.MemoryBIO()
    with pytest.raises(ssl.SSLWantReadError):
        ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), hello, server_hostname="localhost").do_handshake()
    hello = hello.read()
    clients = [raw(server, 20) for _ in range(3)]
    clients[1].sendall(hello[:-1])
    clients[2].sendall(hello)
    deaf = handshake(server)
    deaf.sendall(request_bytes(server, "GET", "/_rocktable/health", {"Connection": "close"}, signed=False))
    assert read_response(deaf).status == 200
    assert open_sockets(server) == before + 4
    start = time.monotonic()
    while open_sockets(server) > before and time.monotonic() - start < 20:
        time.sleep(0.1)
    assert 5 < time.monotonic() - start < 15
    assert server.is_healthy()
    for client in (*clients, deaf):
        client.close()


def test_clients_that_vanish_in_the_handshake_leave_nothing(server):
    before = open_sockets(server)
    for _ in range(50):
        with raw(server) as client:
            client.sendall(b"\x16\x03\x01\x02\x00\x01")
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wait_until(lambda: open_sockets(server) <= before, 5, "connections stay open")


# --- clients that hang up during a scan -----------------------------------------------------------

# Matches nothing, and takes its time to find that out.
SLOW = urllib.parse.urlencode({"$filter": " or ".join(f"v eq '{i}'" for i in range(3000))})
ENTITIES = 50_000


def fill(server, table):
    with connection(server) as client:
        for first in range(0, ENTITIES, 100):
            body = batch_body(
                batch_part(server, "POST", table, {"PartitionKey": f"{first:06}", "RowKey": f"{row}", "v": "x"},
                           "Prefer: return-no-content\r\n") for row in range(100))
            client.sendall(request_bytes(server, "POST", f"{server.base}/$batch", BATCH_HEADERS, body))
            assert read_response(client).status == 202


@pytest.fixture(scope="module")
def large(server):
    table = create_table(server)
    fill(server, table)
    return table


@pytest.fixture(scope="module")
def large_plain(plain):
    table = create_table(plain)
    fill(plain, table)
    return table


def scans(server, table):
    """Returns how many scans have ended, and how many entities these and the running ones have read."""
    rows = exchange(server, request_bytes(server, "GET", "/_rocktable/stats", signed=False)).json()["counters"]
    found = [row for row in rows if (row["table"], row["plan"]) == (table.lower(), "table-scan")]
    return (found[0]["requests"], found[0]["entitiesScanned"]) if found else (0, 0)


def check_that_a_scan_ends(server, table, leave, ahead=b""):
    """Checks that the scan of a client ends after the client has sent `ahead` and closed: before it has read
    everything, and before the limit of five seconds."""
    requests, entities = scans(server, table)
    with connection(server) as client:
        client.sendall(request_bytes(server, "GET", f"{server.base}/{table}()?{SLOW}", NO_METADATA))
        deadline = time.monotonic() + 10
        while scans(server, table)[1] == entities:
            assert time.monotonic() < deadline, "the scan does not show in the counters"
        if ahead:
            client.sendall(ahead)
            time.sleep(0.1)  # time for the server to notice the bytes
        leave(client)
    wait_until(lambda: scans(server, table)[0] > requests, 3, "the scan goes on")
    assert scans(server, table)[1] - entities < ENTITIES


def close(_client):
    """The `with` block closes the connection."""


def say_goodbye_and_close(client):
    """Sends close_notify first, as most clients do. These bytes hide the end of the connection."""
    client.settimeout(0)
    with pytest.raises(ssl.SSLWantReadError):
        client.unwrap()


def reset(client):
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@pytest.mark.parametrize("leave", [close, say_goodbye_and_close, reset])
@pytest.mark.parametrize("pipelined", [False, True], ids=["alone", "pipelined"])
def test_a_scan_ends_when_its_client_hangs_up_over_https(server, large, leave, pipelined):
    check_that_a_scan_ends(server, large, leave, health(server) if pipelined else b"")


@pytest.mark.parametrize("leave", [close, reset])
def test_a_scan_ends_when_its_client_hangs_up_behind_a_pipelined_request(plain, large_plain, leave):
    check_that_a_scan_ends(plain, large_plain, leave, health(plain))


def pipelined(server, requests):
    """Sends the requests at once, and one more that ends the connection. Returns all responses."""
    last = request_bytes(server, "GET", "/_rocktable/health", {"Connection": "close"}, signed=False)
    received = b""
    with connection(server, timeout=20) as client:
        client.sendall(b"".join(requests) + last)
        while piece := client.recv(65536):
            received += piece
    return received


def test_what_a_client_sends_ahead_does_not_end_its_scan(server, large):
    scan = request_bytes(server, "GET", f"{server.base}/{large}()?{SLOW}&timeout=1", NO_METADATA)
    received = pipelined(server, [scan])
    assert received.count(b"HTTP/1.1 200 OK") == 2
    # A scan that is to end does so within its first 66 entities.
    assert int(re.search(rb"x-rocktable-scanned: (\d+)", received)[1]) > 66


@pytest.mark.parametrize("where", ["server", "plain"])
def test_an_answer_does_not_wait_for_the_next_look_at_its_client(request, where):
    """A connection with unread bytes is checked every 50 ms. That must not delay the response to a short scan."""
    endpoint = request.getfixturevalue(where)
    table = request.getfixturevalue("large" if where == "server" else "large_plain")
    target = f"{endpoint.base}/{table}()?$filter=PartitionKey%20lt%20'000100'"
    scan = request_bytes(endpoint, "GET", target, NO_METADATA)
    start = time.monotonic()
    assert pipelined(endpoint, [scan] * 60).count(b"HTTP/1.1 200 OK") == 61
    assert time.monotonic() - start < 2
