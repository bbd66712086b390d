"""HTTP: forms of requests on the wire, complete or in pieces, single or pipelined."""
import re
import socket
import time

import pytest

from answers import EMPTY, ETAG, TABLE_LAYER, check, check_empty, json_type
from rocktable_server import (
    BATCH_HEADERS,
    all_entities,
    batch_body,
    batch_part,
    connection,
    exchange,
    exchange_until_closed,
    read_response,
    request_bytes,
    send,
)

BODY = '{"PartitionKey":"p","RowKey":"%s","a":"\u00e9"}'


def insertion(server, table, row, headers=None, **kwargs):
    return request_bytes(server, "POST", f"{server.base}/{table}", headers, BODY % row, **kwargs)


def rows(server, table):
    return [entity["RowKey"] for entity in all_entities(server, table)]


# --- bodies ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["100-continue", "100-Continue"])
def test_expect_100_continue_is_answered_before_the_body_comes(server, table, value):
    """RFC 9110, section 10.1.1: old .NET clients send it with every body and wait."""
    data = insertion(server, table, "r", {"Expect": value})
    head, body = data.split(b"\r\n\r\n")
    with connection(server) as client:
        client.sendall(head + b"\r\n\r\n")
        assert client.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(body)
        assert read_response(client).status == 201
        client.sendall(insertion(server, table, "s"))  # the connection continues
        assert read_response(client).status == 201


def test_who_does_not_wait_for_100_continue_is_served_as_well(server, table):
    """RFC 9110, section 10.1.1: a client may send its body at once."""
    with connection(server) as client:
        client.sendall(insertion(server, table, "r", {"Expect": "100-continue"}))
        time.sleep(0.05)
        received = client.recv(65536)
        expected = rb"(HTTP/1\.1 100 Continue\r\n\r\n)?HTTP/1\.1 201 Created\r\n.*"
        assert re.fullmatch(expected, received, re.DOTALL), received


def chunked(data, size, extension=b"", trailer=b""):
    head, body = data.split(b"\r\n\r\n", 1)
    head = re.sub(rb"\r\nContent-Length: \d+", b"\r\nTransfer-Encoding: chunked", head)
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    chunks = b"".join(b"%x%s\r\n%s\r\n" % (len(piece), extension, piece) for piece in pieces)
    return head + b"\r\n\r\n" + chunks + b"0\r\n" + trailer + b"\r\n"


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("extension, trailer", [(b"", b""), (b";x=1", b"trailer: y\r\n")])
def test_chunked_request_bodies(server, table, size, extension, trailer):
    """RFC 9112, section 7.1."""
    answer = exchange(server, chunked(insertion(server, table, "r"), size, extension, trailer))
    assert answer.status == 201, answer
    parts = [batch_part(server, "POST", table, {"PartitionKey": "p", "RowKey": row}) for row in "ab"]
    data = request_bytes(server, "POST", f"{server.base}/$batch", BATCH_HEADERS, batch_body(parts))
    assert exchange(server, chunked(data, size)).status == 202
    assert rows(server, table) == ["a", "b", "r"]


@pytest.mark.parametrize(
    "method, headers, trailer",
    [
        ("POST", {}, {"X-HTTP-Method": "DELETE", "If-Match": "*"}),
        ("PUT", {}, {"If-Match": "W/\"datetime'2021-05-26T15%3A48%3A10Z'\""}),
        ("PUT", {}, {"If-None-Match": "*"}),
        ("PUT", {"Prefer": None}, {"Prefer": "return-no-content"}),
        ("PUT", {}, {"Accept": "application/atom+xml"}),
        ("PUT", {}, {"Content-Type": "text/plain"}),
        ("PUT", {}, {"Host": "other"}),
        ("PUT", {}, {"x-ms-version": "nonsense"}),
        ("PUT", {}, {"x-ms-date": "Sat, 22 May 2021 23:05:14 GMT"}),
        ("PUT", {}, {"Authorization": "SharedKeyLite a:b"}),
        ("PUT", {}, {"x-ms-client-request-id": "mine"}),
        ("PUT", {}, {"Connection": "close"}),
    ],
    ids=str,
)
def test_a_trailer_changes_nothing(server, table, method, headers, trailer):
    """RFC 9110, section 6.5.1: trailers are not used as headers, because the request is evaluated before."""
    resource = f"{server.base}/{table}(PartitionKey='p',RowKey='r')"
    assert send(server, "PUT", f"/{table}(PartitionKey='p',RowKey='r')", body="{}").status == 204
    data = request_bytes(server, method, resource, headers, '{"b":1}')
    lines = "".join(f"{name}: {value}\r\n" for name, value in trailer.items()).encode()
    with connection(server) as client:
        client.sendall(chunked(data, 4))
        without = read_response(client)
        client.sendall(chunked(data, 4, trailer=lines))
        answer = read_response(client)
        assert (answer.status, answer.code) == (without.status, without.code), answer
        assert sorted(answer.headers.keys()) == sorted(without.headers.keys())
        assert (answer.status < 300) == (method == "PUT"), answer
        client.sendall(request_bytes(server, "GET", resource))  # the connection continues
        assert read_response(client).status == 200
    assert rows(server, table) == ["r"]


def test_credentials_in_a_trailer_are_none(server, table):
    """RFC 9110, section 6.5.1."""
    data = insertion(server, table, "r")
    signed = [line for line in data.split(b"\r\n") if line.startswith((b"Authorization", b"x-ms-date"))]
    assert len(signed) == 2
    for line in signed:
        data = data.replace(line + b"\r\n", b"")
    answer = exchange(server, chunked(data, 9, trailer=b"\r\n".join(signed) + b"\r\n"))
    assert (answer.status, answer.code) == (401, "NoAuthenticationInformation")
    assert rows(server, table) == []


def refused_and_closed(server, data):
    """Returns the response to a request that is followed by another one, whose start is ambiguous."""
    behind = request_bytes(server, "GET", f"{server.base}/Tables")
    received = exchange_until_closed(server, data + behind)
    assert received.count(b"HTTP/1.1 ") + received.count(b"HTTP/1.0 ") == 1, received
    return int(received.split(b" ")[1]), received


@pytest.mark.parametrize(
    "coding, status, code",
    [
        ("gzip, chunked", 501, b"NotImplemented"),
        ("identity,chunked", 501, b"NotImplemented"),
        ("deflate, gzip, Chunked", 501, b"NotImplemented"),
        ("chunked, chunked", 400, b"InvalidHeaderValue"),
        ("chunked, gzip", 400, b"InvalidHeaderValue"),
        ("chunked;a=b", 400, b"InvalidHeaderValue"),
        ("gzip", 400, b"InvalidHeaderValue"),
        (["gzip", "chunked"], 400, b"InvalidHeaderValue"),
    ],
    ids=str,
)
def test_a_transfer_coding_other_than_chunked_is_refused(server, table, coding, status, code):
    """RFC 9112, section 6.1: 501 if the coding is unknown, 400 if the end of the body is unknown."""
    data = chunked(insertion(server, table, "r"), 9)
    lines = "".join(f"\r\nTransfer-Encoding: {one}" for one in (coding if isinstance(coding, list) else [coding]))
    found = refused_and_closed(server, data.replace(b"\r\nTransfer-Encoding: chunked", lines.encode()))
    assert found[0] == status and code in found[1], found
    assert rows(server, table) == []


def test_chunks_in_http_1_0_are_refused(server, table):
    """RFC 9112, section 6.1: the framing of such a message is invalid, and the connection ends."""
    data = chunked(insertion(server, table, "r", {"Connection": "keep-alive"}, version="HTTP/1.0"), 9)
    status, received = refused_and_closed(server, data)
    assert status == 400 and b"InvalidHeaderValue" in received
    assert rows(server, table) == []


@pytest.mark.parametrize("lines", ["Content-Length: %d, %d", "Content-Length: %d\r\nContent-Length: %d"])
def test_two_lengths_are_refused_though_they_agree(server, table, lines):
    """RFC 9112, section 6.3, permits both; decision: refused, because a proxy may interpret them
    differently."""
    data = insertion(server, table, "r")
    length = int(re.search(rb"Content-Length: (\d+)", data)[1])
    data = re.sub(rb"Content-Length: \d+", (lines % (length, length)).encode(), data)
    status, received = refused_and_closed(server, data)
    assert status == 400 and b"InvalidHeaderValue" in received
    assert rows(server, table) == []


# --- pieces ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["get", "insert", "chunked insert", "batch"])
def test_one_request_split_at_every_byte(server, table, kind):
    """A request may arrive in any two pieces; the response is the same. TCP_NODELAY is set, so that two pieces
    arrive."""
    make = {
        "get": lambda row: request_bytes(server, "GET", f"{server.base}/{table}()?$filter=RowKey%20eq%20'x'"),
        "insert": lambda row: insertion(server, table, row),
        "chunked insert": lambda row: chunked(insertion(server, table, row), 9),
        "batch": lambda row: request_bytes(
            server, "POST", f"{server.base}/$batch", BATCH_HEADERS,
            batch_body([batch_part(server, "POST", table, {"PartitionKey": "p", "RowKey": row})]),
        ),
    }[kind]
    expected = {"get": 200, "insert": 201, "chunked insert": 201, "batch": 202}[kind]
    length = len(make("00000"))
    with connection(server) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(1, length):
            data = make(f"{at:05}")
            assert len(data) == length
            client.sendall(data[:at])
            time.sleep(0.0003)
            client.sendall(data[at:])
            answer = read_response(client)
            assert answer.status == expected, (at, answer)
    assert len(rows(server, table)) == (0 if kind == "get" else length - 1)


def test_a_request_may_come_byte_by_byte(server, table):
    """A request may arrive byte by byte, because TCP has no messages."""
    with connection(server) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in insertion(server, table, "r"):
            client.sendall(bytes([byte]))
        assert read_response(client).status == 201


# --- several requests on a connection -------------------------------------------------------------


def test_pipelined_requests_are_answered_in_order(server, table):
    """RFC 9112, section 9.3.2: each request sees the effects of the previous ones."""
    resource = f"{server.base}/{table}(PartitionKey='p',RowKey='r')"
    expect = {"Expect": "100-continue"}
    data = [
        insertion(server, table, "r"),
        request_bytes(server, "GET", resource),
        chunked(request_bytes(server, "MERGE", resource, {"If-Match": "*"}, '{"b":1}'), 3),
        request_bytes(server, "GET", f"{server.base}/{table}()?$select=b"),
        request_bytes(server, "HEAD", f"{server.base}/{table}?comp=acl", {"Accept": None}),
        request_bytes(server, "DELETE", resource, {"If-Match": "*"}),
        request_bytes(server, "GET", resource),
        insertion(server, table, "s", expect),
    ]
    for at in range(1, len(data) + 1):
        answer = exchange_until_closed(server, b"".join(data[:at]))
        statuses = [int(code) for code in re.findall(rb"HTTP/1\.1 (\d+) ", answer)]
        assert [code for code in statuses if code != 100] == [201, 200, 204, 200, 200, 204, 404, 201][:at]
        for row in "rs":
            send(server, "DELETE", f"/{table}(PartitionKey='p',RowKey='{row}')", {"If-Match": "*"})


def test_a_connection_goes_on_after_an_error(server, table):
    """RFC 9112, section 9.3: the connection continues after an error."""
    with connection(server) as client:
        for target, status in ((f"{server.base}/absent()", 404), (f"{server.base}/{table}()?$top=x", 400),
                               ("/otheraccount/Tables", 404), (f"{server.base}/{table}()", 200)):
            client.sendall(request_bytes(server, "GET", target))
            assert read_response(client).status == status
        client.sendall(request_bytes(server, "GET", f"{server.base}/Tables", {"Authorization": "SharedKeyLite a:b"}))
        assert read_response(client).status == 403
        client.sendall(insertion(server, table, "r"))
        assert read_response(client).status == 201


def test_connection_close_and_http_1_0(server):
    """RFC 9112, section 9.6; a client of HTTP/1.0 gets no chunks."""
    for version, headers in (("HTTP/1.1", {"Connection": "close"}), ("HTTP/1.0", {})):
        data = request_bytes(server, "GET", f"{server.base}/Tables", headers, version=version)
        answer = exchange_until_closed(server, data)
        assert answer.startswith(f"{version} 200 OK\r\n".encode()) and answer.endswith(b"]}") == (version == "HTTP/1.0")


# --- targets --------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", [None, "other.example"])
def test_absolute_form_request_targets(server, table, host):
    """RFC 9112, section 3.2.2: servers accept them, and their host has precedence over the header. Clients sign the
    path."""
    target = f"{server.base}/{table}"
    base = server.url
    data = insertion(server, table, "r", {"Host": host or server.authority})
    answer = exchange(server, data.replace(f"POST {target}".encode(), f"POST {base}{target}".encode(), 1))
    location = {"Location": f"{server.endpoint}/{table}(PartitionKey='p',RowKey='r')", "ETag": ETAG}
    check(answer, 201, TABLE_LAYER | json_type() | location)
    query = f"{target}()?$filter=RowKey%20eq%20'r'&$top=1"
    data = request_bytes(server, "GET", query)
    answer = exchange(server, data.replace(f"GET {query}".encode(), f"GET {base}{query}".encode(), 1))
    assert [item["RowKey"] for item in answer.json()["value"]] == ["r"]
    acl = f"{target}?comp=acl"
    data = request_bytes(server, "GET", acl, {"Accept": "application/xml"})
    assert exchange(server, data.replace(f"GET {acl}".encode(), f"GET {base}{acl}".encode(), 1)).status == 200


def test_an_absolute_form_may_name_the_account_in_its_host(server, table):
    """Decision: the style of a URL depends on its host, in the target or in the header."""
    host = f"{server.name}.table.localhost:{server.port}"
    data = request_bytes(server, "GET", f"/{table}()")
    answer = exchange(server, data.replace(b"GET /", f"GET http://{host}/".encode(), 1))
    assert answer.status == 200, answer
    assert answer.json()["odata.metadata"] == f"http://{host}/$metadata#{table}"


@pytest.mark.parametrize("size", [16, 60, 200])
def test_request_lines_and_headers_of_many_kilobytes(server, table, size):
    """Decision: SDKs send filters of many KiB; at least 64 KiB must succeed."""
    text = "x" * (size * 1024)
    assert send(server, "GET", f"/{table}()?ignored={text}").status == 200
    if size < 64:
        assert send(server, "GET", f"/{table}()", {"x-ignored": text}).status == 200


def test_quotes_in_headers_pass_unchanged(server, table):
    """Recorded from the service: ETag and If-Match hold both kinds."""
    etag = exchange(server, insertion(server, table, "r")).headers["ETag"]
    assert ETAG.fullmatch(etag)
    resource = f"/{table}(PartitionKey='p',RowKey='r')"
    check_empty(send(server, "DELETE", resource, {"If-Match": etag}), 204, TABLE_LAYER | EMPTY)


@pytest.mark.parametrize("encoding", ["gzip, deflate, br", "identity", "*"])
def test_answers_are_never_compressed(server, table, encoding):
    """Recorded from the service: no compression, although clients offer it."""
    answer = send(server, "GET", f"/{table}()", {"Accept-Encoding": encoding})
    check(answer, 200, TABLE_LAYER | json_type())


def test_merge_is_a_verb_of_its_own(server, table):
    """Recorded from the service."""
    resource = f"{server.base}/{table}(PartitionKey='p',RowKey='r')"
    assert exchange(server, request_bytes(server, "MERGE", resource, body="{}")).status == 204


@pytest.mark.parametrize("size, good", [(65_000, True), (65_536, False), (100_000, False), (200_000, False)])
@pytest.mark.parametrize("where", ["value", "name", "trailer"])
def test_a_header_of_64_kib_is_refused_and_ends_no_more_than_its_connection(server, table, where, size, good):
    """Decision: usual headers are far shorter; longer ones are refused with 400."""
    text = "x" * size
    if where == "trailer":
        data = chunked(insertion(server, table, "r"), 9, trailer=f"a: {text}\r\n".encode())
    else:
        headers = {text: "a"} if where == "name" else {"a": text}
        data = request_bytes(server, "GET", f"{server.base}/{table}()", headers)
    answer = exchange(server, data)
    assert (answer.status < 300) if good else (answer.status, answer.code) == (400, "InvalidHeaderValue"), answer
    assert server.is_healthy()
