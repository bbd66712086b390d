"""--trace FILE: all requests and responses as an HTTP archive, always without secrets and within the size limit."""
import base64
import concurrent.futures
import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

import pytest

from access import OPERATIONS, SharedKey, ask, prepare
from bearer_token import bearer_token
from har import body_of, entries_of, header, in_order, read_trace, started, wait_for
from own_server import needs_program
from rocktable_server import (
    BATCH_HEADERS,
    BINARY,
    Server,
    batch_body,
    batch_part,
    connection,
    create_table,
    exchange,
    exchange_until_closed,
    read_response,
    request_bytes,
    send,
    send_batch,
)
from shared_access import account_sas, send_with

pytestmark = needs_program

MEBIBYTE = 1 << 20
EACH_BODY = 64 << 10


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    return tmp_path_factory.mktemp("trace") / "t.har"


@pytest.fixture(scope="module")
def server(trace):
    running = Server("--trace", trace)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def traced(server, trace):
    """traced(answer) returns its entry."""

    def find(answer):
        request_id = answer.headers["x-ms-request-id"]
        is_it = lambda entry: entry["_rocktable"].get("requestId", header(entry["response"], "x-ms-request-id")) == request_id
        entries = wait_for(trace, lambda entries: any(map(is_it, entries)))
        return next(filter(is_it, entries))

    return find


def last_of(trace, comment):
    """Returns the only entry with this text in its comment."""
    entries = wait_for(trace, lambda entries: any(comment in entry.get("comment", "") for entry in entries), comment)
    return next(entry for entry in entries if comment in entry.get("comment", ""))


# --- contents of entries --------------------------------------------------------------------------


def test_an_entry_has_request_and_answer_whole(server, traced):
    table = create_table(server)
    before = time.time()
    body = '{"PartitionKey":"p","RowKey":"r","a":"\u00e9\U0001f600"}'
    answer = send(server, "POST", f"/{table}?timeout=5", {"x-ms-client-request-id": "mine"}, body)
    entry = traced(answer)
    request, response = entry["request"], entry["response"]
    assert before - 0.01 <= started(entry) <= time.time()
    assert request["method"] == "POST" and request["url"] == f"{server.endpoint}/{table}?timeout=5"
    assert request["httpVersion"] == "HTTP/1.1" and request["queryString"] == [{"name": "timeout", "value": "5"}]
    assert header(request, "x-ms-client-request-id") == "mine"
    assert header(request, "Authorization") == f"SharedKeyLite {server.name}:***"
    assert request["postData"]["text"] == body and request["bodySize"] == len(body.encode())
    assert response["status"] == 201 and response["statusText"] == "Created"
    assert [(pair["name"], pair["value"]) for pair in response["headers"]] == answer.headers.items()
    assert response["content"]["text"] == answer.text and response["content"]["size"] == len(answer.body)
    assert response["content"]["mimeType"] == answer.headers["Content-Type"]
    assert entry["serverIPAddress"] == "127.0.0.1"
    assert entry["_rocktable"] == {"client": "127.0.0.1", "requestId": answer.headers["x-ms-request-id"]}
    assert "comment" not in entry


def test_an_entry_tells_cost_and_error(server, traced):
    table = create_table(server)
    for row in "abc":
        assert send(server, "PUT", f"/{table}(PartitionKey='p',RowKey='{row}')", body=f'{{"n":{ord(row)}}}').status == 204
    query = traced(send(server, "GET", f"/{table}()?$filter=n%20gt%2097"))["_rocktable"]
    assert (query["plan"], query["scanned"], query["returned"]) == ("table-scan", 3, 2)
    missing = traced(send(server, "GET", f"/{table}(PartitionKey='p',RowKey='none')"))["_rocktable"]
    assert (missing["plan"], missing["errorCode"]) == ("point", "ResourceNotFound")
    assert traced(send(server, "GET", "/Tables?comp=none"))["_rocktable"]["errorCode"]


def test_a_refusal_of_access_says_why(server, traced):
    wrong = {"Authorization": f"SharedKeyLite {server.name}:{base64.b64encode(b'wrong' * 6 + b'xx').decode()}"}
    entry = traced(send(server, "GET", "/Tables", wrong))
    assert entry["response"]["status"] == 403
    assert entry["_rocktable"]["errorCode"] == "AuthenticationFailed"
    assert "The signature does not match" in entry["_rocktable"]["explanation"]
    assert header(entry["response"], "x-rocktable-explain") is None


def test_parts_of_a_batch_are_text(server, traced):
    table = create_table(server)
    parts = [batch_part(server, "POST", table, {"PartitionKey": "p", "RowKey": row}) for row in "aab"]
    data = batch_body(parts)
    answer = send(server, "POST", "/$batch", BATCH_HEADERS, data)
    entry = traced(answer)
    assert entry["request"]["postData"]["text"] == data
    assert entry["response"]["content"]["text"] == answer.text
    assert entry["_rocktable"]["errorCode"] == "InvalidDuplicateRow"


def test_who_shares_a_connection_shows(server, trace):
    with connection(server) as one, connection(server) as other:
        for n, client in enumerate((one, other, one)):
            client.sendall(request_bytes(server, "GET", f"/_rocktable/health?shared={n}", signed=False))
            assert read_response(client).status == 200
    mine = lambda entries: {entry["request"]["url"][-1]: entry["connection"] for entry in entries
                            if "health?shared=" in entry["request"]["url"]}
    found = mine(wait_for(trace, lambda entries: len(mine(entries)) == 3))
    assert found["0"] == found["2"] != found["1"]


def test_time_goes_where_it_is_spent(server, trace):
    data = request_bytes(server, "GET", "/_rocktable/health?slow", signed=False)
    with connection(server) as client:
        client.sendall(data[:30])
        time.sleep(0.2)
        client.sendall(data[30:])
        read_response(client)
        time.sleep(0.2)  # the client's own time
        client.sendall(data)
        read_response(client)
    mine = lambda entries: [entry for entry in entries if entry["request"]["url"].endswith("health?slow")]
    slow, quick = mine(wait_for(trace, lambda entries: len(mine(entries)) == 2))
    assert 190 < slow["timings"]["send"] < 2000 and slow["timings"]["wait"] < 150
    assert quick["time"] < 150 and started(quick) - started(slow) > 0.39


def test_head_http_1_0_and_chunks(server, trace):
    table = create_table(server)
    head = send(server, "HEAD", "/Tables?head", version="HTTP/1.0")
    chunks = request_bytes(server, "POST", f"{server.base}/{table}?chunks", {
        "Transfer-Encoding": "chunked", "Content-Length": None, "Content-Type": "application/json"})
    body = '{"PartitionKey":"p","RowKey":"r"}'
    chunks += f"5\r\n{body[:5]}\r\n{len(body) - 5:x}\r\n{body[5:]}\r\n0\r\n\r\n".encode()
    assert exchange(server, chunks).status == 201
    ended = lambda entries, end: next((entry for entry in entries if entry["request"]["url"].endswith(end)), None)
    entries = wait_for(trace, lambda entries: ended(entries, "?chunks") and ended(entries, "?head"))
    assert ended(entries, "?chunks")["request"]["postData"]["text"] == body
    entry = ended(entries, "?head")
    assert (entry["request"]["method"], entry["request"]["httpVersion"]) == ("HEAD", "HTTP/1.0")
    assert entry["response"]["status"] == head.status and entry["response"]["content"]["size"] == 0


def test_threads_write_one_trace(server, trace):
    def ask_many(n):
        with connection(server) as client:
            for i in range(25):
                client.sendall(request_bytes(server, "GET", f"/_rocktable/health?many={n}-{i}", signed=False))
                assert read_response(client).status == 200

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(ask_many, range(8)))
    mine = lambda entries: [entry["request"]["url"].partition("many=")[2] for entry in entries if "many=" in entry["request"]["url"]]
    found = mine(wait_for(trace, lambda entries: len(mine(entries)) == 200))
    assert sorted(found) == sorted(f"{n}-{i}" for n in range(8) for i in range(25))


# --- every operation, and a replay of all ---------------------------------------------------------


def again(server, entry):
    """Returns the request of an entry, with a new signature if it was signed."""
    request = entry["request"]
    url = urllib.parse.urlsplit(request["url"])
    target = url.path + (f"?{url.query}" if url.query else "")
    given = {pair["name"]: pair["value"] for pair in request["headers"]}
    given.pop("Host")
    signed = given.pop("Authorization", None) is not None
    given.pop("x-ms-date", None)
    body = body_of(request["postData"]) if "postData" in request else None
    headers = {"x-ms-version": None, "Accept": None} | given
    return exchange(server, request_bytes(server, request["method"], target, headers, body, signed), request["method"])


def test_every_operation_is_there_and_can_be_replayed(start, tmp_path):
    path = tmp_path / "t.har"
    first = start("--trace", path)
    sent = []
    for number, name in enumerate(OPERATIONS):
        table, key = create_table(first), ("p", "r")
        prepare(first, table, name, key)
        answer = ask(first, table, name, SharedKey(), key)
        sent.append((name, answer))
        assert answer.status == OPERATIONS[name].status, name
    first.stop()
    entries = in_order(read_trace(path))
    by_id = {header(entry["response"], "x-ms-request-id"): entry for entry in entries}
    for name, answer in sent:
        entry = by_id[answer.headers["x-ms-request-id"]]
        assert entry["request"]["method"] == OPERATIONS[name].method
        assert entry["response"]["status"] == answer.status
        assert body_of(entry["response"]["content"]) == answer.body

    second = start()
    for entry in entries:
        answer = again(second, entry)
        assert answer.status == entry["response"]["status"], (entry, answer)


# --- malformed and incomplete requests ------------------------------------------------------------


def test_a_malformed_head_is_there_as_far_as_it_goes(server, trace):
    received = exchange_until_closed(server, b"GET /broken?a=1 HTTP/1.1\r\nHost: h\r\nGood: 1\r\nbad line\r\nCookie: x\r\n\r\n")
    assert received.startswith(b"HTTP/1.1 400")
    entry = last_of(trace, "the request could not be read")
    assert entry["request"]["url"] == "http://h/broken?a=1" and entry["response"]["status"] == 400
    assert [pair["name"] for pair in entry["request"]["headers"]] == ["Host", "Good", "bad", "Cookie"]
    assert entry["_rocktable"]["errorCode"] == "InvalidHeaderValue"


@pytest.mark.parametrize("cut", ["GET /half?head=1 HTTP/1.1\r\nHost: h\r\nx-no",
                                 "POST /half?body=1 HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n12345"])
def test_a_client_that_goes_away_leaves_an_entry(server, trace, cut):
    with socket.create_connection((server.host, server.port)) as client:
        client.sendall(cut.encode())
    url = "http://h" + cut.split()[1]
    mine = lambda entries: [entry for entry in entries if entry["request"]["url"] == url]
    (entry,) = mine(wait_for(trace, mine))
    assert entry["comment"] == "the client went away before its request was whole"
    assert entry["response"]["status"] == 0 and entry["response"]["headers"] == []
    assert header(entry["request"], "x-no") == ("" if "head" in url else None)
    assert entry["request"].get("postData", {}).get("text") == ("12345" if "body" in url else None)


def test_a_connection_without_a_request_leaves_none(start, tmp_path):
    server = start("--trace", tmp_path / "t.har")
    with socket.create_connection((server.host, server.port)):
        pass
    assert send(server, "GET", "/Tables?after").status == 200
    server.stop()
    (entry,) = read_trace(tmp_path / "t.har")
    assert entry["request"]["url"].endswith("?after")


def test_a_body_that_is_too_large_is_refused_and_told(server, traced):
    head = request_bytes(server, "POST", f"{server.base}/t?large", {"Content-Length": str(5 << 20)}, "")
    entry = traced(exchange(server, head))
    assert entry["response"]["status"] == 413 and entry["_rocktable"].get("errorCode") == "RequestBodyTooLarge"
    assert entry["request"]["url"].endswith("/t?large")


def test_a_large_request_that_is_refused_by_its_head(server, traced):
    body = "x" * 100_000
    entry = traced(send(server, "POST", "/t?refused", {"Authorization": "SharedKey a:b"}, body))
    request = entry["request"]
    assert entry["response"]["status"] == 403 and entry["_rocktable"]["explanation"]
    assert request["url"].endswith("/t?refused") and header(request, "Authorization") == "SharedKey a:***"
    assert (request["bodySize"], request["postData"]["text"]) == (len(body), "")
    assert request["postData"]["comment"] == "the body was not kept"


def test_no_http_at_all(server, trace):
    exchange_until_closed(server, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n")
    mine = lambda entries: [entry for entry in entries if entry["request"]["method"] == "" and entry["response"]["status"]]
    entry = mine(wait_for(trace, mine))[-1]
    assert entry["response"]["status"] == 400 and "speaks HTTP" in entry["response"]["content"]["text"]


@pytest.mark.parametrize("target, headers, body", [
    ("/t(PartitionKey='%FF%00',RowKey='\xff')?a=%ff&b=\xe9", {"x-note": "caf\xe9"}, b"\xff\x00\x1b[31m"),
    ("/t?" + "&".join(f"{n}" for n in range(2000)), {f"x-{n}": '"\\\t' for n in range(300)}, b"\xe2\x82"),
    ("/" + "x" * 100_000, {"x-long": "y" * 60_000}, b""),
], ids=["no UTF-8", "much of each", "long"])
def test_hostile_bytes_make_a_valid_archive(server, trace, target, headers, body):
    mark = f"{len(target)} characters"
    data = request_bytes(server, "POST", "TARGET", {"x-mark": mark} | headers, "").decode("latin-1")
    head = data.replace("TARGET", target).replace("Content-Length: 0", f"Content-Length: {len(body)}")
    with connection(server) as client:
        client.sendall(head.encode("latin-1") + body)
        status = read_response(client).status
    mine = lambda entries: [entry for entry in entries if header(entry["request"], "x-mark") == mark]
    (entry,) = mine(wait_for(trace, mine))
    assert entry["response"]["status"] == status and entry["request"]["url"].isascii()
    if body:
        assert body_of(entry["request"]["postData"]) == body


# --- secrets --------------------------------------------------------------------------------------


def all_bytes_of(path):
    """Returns the text of the file, and decoded bodies and URLs."""
    text = path.read_text(encoding="utf-8")
    bodies = [body_of(part) for entry in entries_of(text)
              for part in (entry["request"].get("postData", {}), entry["response"]["content"])]
    found = text + "".join(body.decode("latin-1") for body in bodies) + json.dumps(json.loads(text), ensure_ascii=False)
    return found + urllib.parse.unquote(urllib.parse.unquote(found))


def test_no_secret_is_in_the_file(start, tmp_path):
    path, accounts = tmp_path / "t.har", tmp_path / "accounts.txt"
    key = base64.b64encode(b"the key of this very test, 32 by").decode()
    accounts.write_text(f"mine:{key}\n")
    token = "control-token-of-this-test"
    server = start("--trace", path, "--accounts", accounts, "--controlToken", token, "--explainAuth")
    table = create_table(server)
    secrets = [key, token, "c3VwZXI", "cookie-value"]

    sas = account_sas(server)
    signed = urllib.parse.parse_qs(sas)["sig"][0]
    secrets += [signed, urllib.parse.quote(signed, safe=""), signed.rstrip("=")]
    url = f"{server.endpoint}/{table}()?{sas}"
    entity = json.dumps({"PartitionKey": "p", "RowKey": "r", "url": url, "connection": server.connection_string,
                         "AccountKey": key})
    assert send_with(server, sas, "POST", f"/{table}", {"Referer": url, "x-ms-copy-source": url}, entity).status == 201
    assert send_with(server, sas, "GET", f"/{table}()").status == 200
    assert send_with(server, sas.replace("sp=", "sp=x"), "GET", f"/{table}()").status == 403
    assert send_with(server, sas.replace("&", "%26"), "GET", f"/{table}()").status >= 400
    part = batch_part(server, "POST", f"{table}?{sas}", {"PartitionKey": "p", "RowKey": "s"},
                      f"Authorization: Other c3VwZXI\r\nCookie: cookie-value\r\nx-rocktable-token: {token}\r\n")
    assert send_batch(server, [part]).status == 202
    assert send(server, "POST", "/$batch", BATCH_HEADERS, batch_body([part]).encode() + b"\xff").status == 202
    jwt = bearer_token()
    secrets += jwt.split(".")
    for credentials in (f"Bearer {jwt}", f"Bearer {token}", "Basic c3VwZXI", "c3VwZXI", f"SharedKey {key}",
                        f"SharedKey mine:{key}", f"SharedKey {key}:mine", f"SharedKeyLite\tmine:{key}", f"{key} mine"):
        exchange(server, request_bytes(server, "GET", f"{server.base}/Tables", {"Authorization": credentials}))
    for fields in ({"x-rocktable-token": token}, {"Authorization": f"Bearer {token}"}):
        assert exchange(server, request_bytes(server, "GET", "/_rocktable/stats", fields, signed=False)).status == 200
    exchange(server, request_bytes(server, "GET", f"{server.base}/Tables", {"Cookie": "a=cookie-value"}))
    # a path of a faulty client; heads that are malformed, incomplete, or refused with their body
    exchange(server, request_bytes(server, "GET", f"{server.base}/Tables&{sas}", signed=False))
    for head in (f"GET /Tables?{sas} and more HTTP/1.1\r\nHost: h\r\n\r\n", f"x-rocktable-token {token}\r\n\r\n",
                 f"GET / HTTP/1.1\r\nAuthorization : SharedKey mine:{key}\r\nx-rocktable-token {token}\r\n"
                 f" {token}\r\nCookie: cookie-value\r\n\r\n"):
        exchange_until_closed(server, head.encode())
    whole = request_bytes(server, "PUT", f"{server.base}/{table}?{sas}", {"Cookie": "cookie-value"}, "x" * 100)
    signatures = re.findall(rb"Authorization: \w+ \w+:(\S+)", whole)
    for size in range(10, len(whole), 37):
        with socket.create_connection((server.host, server.port)) as client:
            client.sendall(whole[:size])
    send(server, "PUT", f"/{table}?{sas}", {"Authorization": f"SharedKey mine:{key}"}, "x" * 50_000)
    secrets += [signature.decode() for signature in signatures]

    server.stop()
    text = all_bytes_of(path)
    assert [secret for secret in secrets if secret in text] == []
    for kept in ("mine:***", "sig=***", "Bearer ***", "AccountKey=***", '"Cookie"'):
        assert kept in text, kept


def test_over_https_a_trace_is_plain_text(start, tmp_path):
    path = tmp_path / "t.har"
    server = start("--trace", path, "--tls", "auto", "--oauth", "basic", location=tmp_path)
    jwt = bearer_token()
    assert send(server, "GET", "/Tables", {"Authorization": f"Bearer {jwt}"}).status == 200
    with socket.create_connection((server.host, server.port)) as client:  # plain HTTP
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert b"https://" in client.recv(4096)
    server.stop()
    entries = in_order(read_trace(path))
    assert entries[0]["request"]["url"] == f"{server.endpoint}/Tables"
    assert header(entries[0]["request"], "Authorization") == "Bearer ***"
    assert entries[1]["request"]["url"].startswith("http://")
    assert entries[1]["_rocktable"]["errorCode"] == "AccountRequiresHttps"
    assert jwt.split(".")[2] not in path.read_text()


# --- the file -------------------------------------------------------------------------------------


def test_large_bodies_are_cut_and_the_files_stay_within_their_limit(start, tmp_path):
    path, older = tmp_path / "t.har", tmp_path / "t.har.1"
    server = start("--trace", path, "--traceLimit", "4")
    table = create_table(server)
    body = json.dumps({"PartitionKey": "p", "RowKey": "r"} | {f"p{n}": "x" * 30_000 for n in range(10)})
    with connection(server) as client:
        for n in range(80):
            client.sendall(request_bytes(server, "PUT", f"{server.base}/{table}(PartitionKey='p',RowKey='r')?n={n}", body=body))
            assert read_response(client).status == 204
    entries = wait_for(path, lambda entries: entries and entries[-1]["request"]["url"].endswith("?n=79"))
    kept = [entry["request"]["url"].partition("?n=")[2] for entry in read_trace(older) + entries]
    assert kept == [str(n) for n in range(80 - len(kept), 80)] and 30 < len(kept) < 65
    data = entries[-1]["request"]["postData"]
    assert data["text"] == body[:EACH_BODY] and data["comment"] == f"the first {EACH_BODY} of {len(body)} bytes"
    assert path.stat().st_size + older.stat().st_size <= 4 * MEBIBYTE
    assert {file.name for file in tmp_path.iterdir()} == {"t.har", "t.har.1"}


def test_kill_9_leaves_a_trace_that_can_be_read(start, tmp_path):
    path = tmp_path / "t.har"
    server = start("--trace", path)
    answered, stop = [0] * 4, threading.Event()

    def ask_on(n):
        with contextlib.suppress(OSError, ValueError), connection(server) as client:
            while not stop.is_set():
                client.sendall(request_bytes(server, "GET", f"/_rocktable/health?client={n}-{answered[n]}", signed=False))
                read_response(client)
                answered[n] += 1

    clients = [threading.Thread(target=ask_on, args=(n,)) for n in range(4)]
    for client in clients:
        client.start()
    wait_for(path, lambda entries: len(entries) > 50)
    server.process.send_signal(signal.SIGKILL)
    server.process.wait()
    stop.set()
    for client in clients:
        client.join()
    server.kill()
    start("--trace", path).stop()  # repairs what a kill during a write would leave
    assert read_trace(path) == []
    found = [entry["request"]["url"].partition("client=")[2] for entry in read_trace(tmp_path / "t.har.1")]
    for n, count in enumerate(answered):  # the entry follows the answer
        assert {f"{n}-{i}" for i in range(count - 1)} <= set(found)


def fails_to_start(*flags):
    result = subprocess.run([BINARY, "--inMemoryPersistence", "--tablePort", "0", *flags],
                            capture_output=True, text=True, timeout=20, check=False)
    assert len(result.stderr.splitlines()) == 1 and "listening" not in result.stdout
    return result.returncode, result.stderr


def test_a_file_that_cannot_be_written_ends_the_start(start, tmp_path):
    notes = tmp_path / "notes.har"
    notes.write_text('{"log":{"creator":{"name":"other"}}}')
    assert fails_to_start("--trace", notes) == (1, f"rocktable: cannot write the trace {notes}: a file of that "
                                                   "name exists and is not a trace of rocktable; it was not changed\n")
    assert notes.read_text() == '{"log":{"creator":{"name":"other"}}}'
    code, message = fails_to_start("--trace", tmp_path / "none" / "t.har")
    assert code == 1 and message.endswith("/none/t.har: No such file or directory\n")
    start("--trace", tmp_path / "t.har")
    assert fails_to_start("--trace", tmp_path / "t.har") == (
        1, f"rocktable: cannot write the trace {tmp_path}/t.har: another process is writing it\n")
    assert fails_to_start("--trace", "")[0] == 2
    for limit in ("3", "x", "-1"):
        assert fails_to_start("--trace", tmp_path / "u.har", "--traceLimit", limit)[0] == 2


def test_on_a_full_disk_requests_are_served_and_the_trace_stays_readable(start, tmp_path):
    path, limited = tmp_path / "t.har", tmp_path / "limited"
    # a file of 8 KiB has no room to grow
    limited.write_text(f"#!/bin/sh\ntrap '' XFSZ\nulimit -f 16\nexec {BINARY} \"$@\"\n")
    limited.chmod(0o755)
    server = start("--trace", path, binary=limited)
    for n in range(30):
        assert send(server, "GET", f"/Tables?n={n}").status == 200
    before = read_trace(path)
    assert 0 < len(before) < 30
    path.unlink()  # room
    send(server, "GET", "/Tables?after")
    is_last = lambda entry: entry["request"]["url"].endswith("?after")
    after = wait_for(path, lambda entries: any(map(is_last, entries)))
    assert after[0]["_missingBefore"] + len(before) + len(after) == 31
    (warning,) = server.errors().splitlines()
    assert warning == (f"rocktable: cannot write the trace {path}: No space left on device; requests are served, but are missing in the "
                       "trace until it can be written")


def test_exec_takes_it(tmp_path):
    path = tmp_path / "t.har"
    code = "import os, urllib.request as r; r.urlopen(os.environ['ROCKTABLE_URL'] + '/_rocktable/health')"
    for _ in range(2):
        result = subprocess.run([BINARY, "exec", "--trace", "t.har", "--", sys.executable, "-c", code], cwd=tmp_path,
                                capture_output=True, text=True, timeout=20, check=False)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    for one in (path, tmp_path / "t.har.1"):
        assert [entry["request"]["url"].rpartition("/")[2] for entry in read_trace(one)] == ["health"]
    (tmp_path / "other").write_text("x")
    result = subprocess.run([BINARY, "exec", "--trace", tmp_path / "other", "--", "true"], capture_output=True, text=True,
                            timeout=20, check=False)
    assert result.returncode == 1 and "is not a trace of rocktable" in result.stderr
