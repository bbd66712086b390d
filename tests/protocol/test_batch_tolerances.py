"""Accepted forms of a batch. Each was sent by a client and accepted by the service."""
import json

import pytest

from rocktable_server import all_entities, send

HTTP = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n"
ACCEPT = "Accept: application/json;odata=minimalmetadata\r\n"
TYPE = "Content-Type: application/json;odata=nometadata\r\n"


def wrap(*parts, after_header="", end="--batch_x--\r\n"):
    inner = "".join(f"--changeset_x\r\n{part}" for part in parts)
    start = f"--batch_x\r\nContent-Type: multipart/mixed; boundary=changeset_x\r\n\r\n{after_header}"
    return f"{start}{inner}--changeset_x--\r\n{end}"


def part(
    server, table, row="r", target=None, mime="", headers=ACCEPT + TYPE, gap="", method="POST", body=None,
    after="\r\n", empty=1,
):
    """Returns one part, by default an insert. `gap` precedes the body, `after` follows it."""
    target = target or f"{server.endpoint}/{table}"
    body = json.dumps({"PartitionKey": "p", "RowKey": row, "a": "é"}, ensure_ascii=False) if body is None else body
    lines = "\r\n" * empty
    return f"{HTTP}{mime}{lines}{method} {target} HTTP/1.1\r\n{headers}\r\n{gap}{body}{after}"


def submit(server, text, content_type="multipart/mixed; boundary=batch_x"):
    """Sends a batch that must succeed. Returns the response."""
    answer = send(server, "POST", "/$batch", {"Content-Type": content_type}, text)
    assert answer.status == 202, answer
    assert "HTTP/1.1 20" in answer.text and "HTTP/1.1 4" not in answer.text, answer.text
    return answer


def rows(server, table):
    return [entity["RowKey"] for entity in all_entities(server, table)]


def test_lines_may_end_in_lf_alone(server, table):
    """Recorded from the service: the legacy Python client."""
    text = wrap(part(server, table, "a"), part(server, table, "b")).replace("\r\n", "\n")
    submit(server, text)
    assert rows(server, table) == ["a", "b"]


@pytest.mark.parametrize("change", [str.lower, str.upper, str.title])
def test_header_names_may_be_in_any_case(server, table, change):
    """Recorded from the service: content-type, Dataserviceversion, X-Ms-Version."""
    text = wrap(part(server, table, headers=ACCEPT + TYPE + "Prefer: return-no-content\r\nDataServiceVersion: 3.0\r\n"))
    for name in ("Content-Type", "Content-Transfer-Encoding", "Accept", "Prefer", "DataServiceVersion"):
        text = text.replace(f"{name}:", f"{change(name)}:")
    assert "HTTP/1.1 204 No Content" in submit(server, text).text
    assert rows(server, table) == ["r"]


@pytest.mark.parametrize("empty", [1, 2, 3])
def test_empty_lines_may_follow_the_headers_of_a_part(server, table, empty):
    """Recorded from the service: one or two."""
    submit(server, wrap(part(server, table, empty=empty)))
    assert rows(server, table) == ["r"]


@pytest.mark.parametrize("after", ["", "\r\n", "\r\n\r\n"])
def test_empty_lines_may_follow_the_header_of_the_change_set(server, table, after):
    """Recorded from the service: one before the first boundary."""
    submit(server, wrap(part(server, table), after_header=after))
    assert rows(server, table) == ["r"]


@pytest.mark.parametrize("gap", ["", "\r\n", "\r\n\r\n", "  "])
def test_white_space_may_precede_the_body_of_an_operation(server, table, gap):
    """Recorded from the service: the JavaScript client sends an empty line more."""
    submit(server, wrap(part(server, table, gap=gap)))
    assert rows(server, table) == ["r"]


@pytest.mark.parametrize("after", ["\r\n", "\r\n\r\n", "\n", "\r\n\r\n\r\n"])
def test_a_body_may_be_followed_by_several_line_breaks(server, table, after):
    """Recorded from the service."""
    submit(server, wrap(part(server, table, "a", after=after), part(server, table, "b", after=after)))
    assert rows(server, table) == ["a", "b"]


@pytest.mark.parametrize("breaks", range(4))
def test_an_operation_without_body_may_end_in_several_line_breaks(server, table, breaks):
    """Recorded from the service with one to three."""
    submit(server, wrap(part(server, table)))
    target = f"{server.endpoint}/{table}(PartitionKey='p',RowKey='r')"
    text = part(server, table, target=target, method="DELETE", body="", headers=f"{ACCEPT}If-Match: *\r\n",
                after="\r\n" * breaks)
    submit(server, wrap(text))
    assert rows(server, table) == []


@pytest.mark.parametrize("end", ["--batch_x--", "--batch_x--\r\n", "--batch_x--\n", "\r\n--batch_x--\r\n",
                                 "--batch_x--\r\nwhatever\r\n--batch_x\r\n"])
def test_what_follows_the_final_delimiter_is_ignored(server, table, end):
    """Recorded from the service with and without a final line break."""
    submit(server, wrap(part(server, table), end=end))
    assert rows(server, table) == ["r"]


@pytest.mark.parametrize(
    "content_type",
    [
        "multipart/mixed; boundary=batch_x",
        'multipart/mixed; boundary="batch_x"',
        "multipart/mixed;boundary=batch_x",
        "Multipart/Mixed; Boundary=batch_x",
        "multipart/mixed; charset=utf-8; boundary=batch_x",
    ],
)
def test_the_boundary_may_be_quoted(server, table, content_type):
    """Recorded from the service without quotes; decision: the other spellings of RFC 2046 are accepted."""
    submit(server, wrap(part(server, table)), content_type)
    assert rows(server, table) == ["r"]


def test_boundaries_may_have_any_name(server, table):
    """Recorded from the service: batch_fakeId."""
    text = wrap(part(server, table)).replace("batch_x", "batch_fakeId").replace("changeset_x", "a'b+c_d")
    submit(server, text, "multipart/mixed; boundary=batch_fakeId")
    assert rows(server, table) == ["r"]


@pytest.mark.parametrize(
    "base",
    [
        "http://127.0.0.1:10002/devstoreaccount1/",
        "https://devstoreaccount1.table.core.windows.net/",
        "https://otheraccount.table.core.windows.net/",  # the host is not compared
        "/devstoreaccount1/",
        "/",
        "",
        "devstoreaccount1/",
    ],
)
def test_urls_of_parts_may_be_absolute_or_not_with_or_without_account(server, table, base):
    """Absolute URLs and /mytable are recorded from the service; decision: with the account of path style, without a
    slash. Links in the response have the base of the batch."""
    answer = submit(server, wrap(part(server, table, target=f"{base}{table}")))
    assert f"Location: {server.endpoint}/{table}(PartitionKey='p',RowKey='r')\r\n" in answer.text
    one = f"{base}{table}(PartitionKey='p',RowKey='r')"
    submit(server, wrap(part(server, table, target=one, method="PUT", body="{}")))
    assert rows(server, table) == ["r"]


def test_a_table_may_have_the_name_of_the_account(server):
    """Decision: the first segment is the account only if another one follows."""
    name = server.name
    assert send(server, "POST", "/Tables", body=json.dumps({"TableName": name})).status == 201
    for row, target in zip("abc", (f"/{name}", f"/{name}/{name}", name)):
        submit(server, wrap(part(server, name, row, target=target)))
    assert rows(server, name) == ["a", "b", "c"]
    assert send(server, "DELETE", f"/Tables('{name}')").status == 204


@pytest.mark.parametrize(
    "keys",
    [
        "(PartitionKey='p''q',RowKey='r s')",
        "(PartitionKey='p''q',RowKey='r%20s')",
        "(PartitionKey=%27p%27%27q%27,RowKey=%27r%20s%27)",
        "%28PartitionKey=%27p%27%27q%27%2CRowKey=%27r%20s%27%29",
        "(PartitionKey='p''q', RowKey='r%20s')",
    ],
)
def test_keys_in_urls_of_parts_may_be_encoded_in_any_way(server, table, keys):
    """Recorded from the service: quotes and parentheses, percent-encoded or not; decision: literal blanks."""
    for method in ("PUT", "MERGE"):
        submit(server, wrap(part(server, table, target=f"/{table}{keys}", method=method, body='{"a":1}')))
    (entity,) = all_entities(server, table)
    assert (entity["PartitionKey"], entity["RowKey"]) == ("p'q", "r s")


@pytest.mark.parametrize("key", ["é😀", "%C3%A9%F0%9F%98%80"])
def test_keys_in_urls_of_parts_may_be_raw_utf8(server, table, key):
    """Decision: characters that a client did not encode are accepted."""
    target = f"/{table}(PartitionKey='{key}',RowKey='r')"
    submit(server, wrap(part(server, table, target=target, method="PUT", body="{}")))
    assert all_entities(server, table)[0]["PartitionKey"] == "é😀"


@pytest.mark.parametrize("level", ["nometadata", "minimalmetadata", "fullmetadata"])
@pytest.mark.parametrize("accept", ["", "Accept: application/json;odata=fullmetadata\r\n"])
def test_the_format_may_stand_in_the_url(server, table, level, accept):
    """Recorded from the service: Go and .NET clients. $format has precedence over Accept."""
    target = f"{server.endpoint}/{table}?$format=application%2Fjson%3Bodata%3D{level}"
    answer = submit(server, wrap(part(server, table, target=target, headers=accept + TYPE)))
    assert f"application/json;odata={level};streaming=true" in answer.text


@pytest.mark.parametrize("indent", [2, "\t"])
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_bodies_may_be_pretty_printed(server, table, indent, line_break):
    """Decision: text in JSON is never read as a boundary or a header."""
    body = json.dumps({"PartitionKey": "p", "RowKey": "r", "a": "--changeset_x", "b": "\r\n--batch_x--"}, indent=indent)
    submit(server, wrap(part(server, table, body=body.replace("\n", line_break))))
    (entity,) = all_entities(server, table)
    assert (entity["a"], entity["b"]) == ("--changeset_x", "\r\n--batch_x--")


@pytest.mark.parametrize(
    "mime, inner, echo",
    [
        ("", "", None),
        ("Content-ID: 3\r\n", "", None),
        ("", "Content-ID: 3\r\n", "3"),
        ("", "content-id: 0\r\n", "0"),
        ("Content-ID: 1\r\n", "Content-ID: 2\r\n", "2"),
        ("", "Content-ID: any text\r\n", "any text"),
    ],
)
def test_a_content_id_is_echoed_only_from_the_inner_headers_and_never_invented(server, table, mime, inner, echo):
    """Recorded from the service for numbers."""
    answer = submit(server, wrap(part(server, table, mime=mime, headers=ACCEPT + TYPE + inner)))
    lines = [line for line in answer.text.split("\r\n") if line.lower().startswith("content-id")]
    assert lines == ([] if echo is None else [f"Content-ID: {echo}"])


@pytest.mark.parametrize(
    "header",
    [
        "Host: other.table.core.windows.net",
        "x-ms-version: 2009-04-14",
        "x-ms-date: nonsense",
        "x-ms-client-request-id: 1",
        "Authorization: SharedKeyLite nobody:AAAA",
        "DataServiceVersion: 1.0",
        "MaxDataServiceVersion: 3.0;NetFx",
        "User-Agent: x",
        "Content-Length: 3",
        "Content-Type: application/http; msgtype=request",
    ],
)
def test_headers_of_a_part_that_do_not_matter_are_ignored(server, table, header):
    """Recorded from the service for Host, x-ms-version, x-ms-date and x-ms-client-request-id; decision: the others."""
    extra = "" if header.startswith("Content-Type") else header + "\r\n"
    text = wrap(part(server, table, headers=ACCEPT + TYPE + extra))
    if not extra:
        text = text.replace("Content-Type: application/http\r\n", header + "\r\n")
    assert submit(server, text).headers["x-ms-client-request-id"] is None
    assert rows(server, table) == ["r"]


def test_a_part_may_lack_its_transfer_encoding(server, table):
    """Decision: the only transfer encoding is binary."""
    submit(server, wrap(part(server, table)).replace("Content-Transfer-Encoding: binary\r\n", ""))
    assert rows(server, table) == ["r"]


@pytest.mark.parametrize("method", ["MERGE", "PUT", "PATCH"])
def test_a_verb_may_be_tunnelled_in_a_part(server, table, method):
    """learn.microsoft.com/rest/api/storageservices/merge-entity has X-HTTP-Method; decision: also inside parts."""
    target = f"/{table}(PartitionKey='p',RowKey='r')"
    headers = f"{ACCEPT}{TYPE}X-HTTP-Method: {method}\r\n"
    submit(server, wrap(part(server, table, target=target, headers=headers, body="{}")))
    assert rows(server, table) == ["r"]
