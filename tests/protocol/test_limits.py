"""Each limit of the service: the largest accepted value, and the smallest refused one.

Source, unless a test says otherwise:
learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model.
"""
import email.utils
import json
import time
import urllib.parse

import pytest

from answers import (
    ABSENT,
    BAD_NODE,
    BAD_XML,
    INVALID,
    UNREADABLE,
    check_early_error,
    check_error,
    check_front_end_error,
    check_table_layer_xml_error,
)
from fixture_control import XML, cors_rule
from rocktable_server import (
    BATCH_HEADERS,
    authorization,
    batch_body,
    batch_part,
    create_table,
    delete_table,
    exchange,
    request_bytes,
    send,
    send_batch,
    unique_name,
)

OUT_OF_RANGE = "One of the request inputs is out of range."
TOO_LARGE = (
    "The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 "
    "encoded and the maximum number of characters should be 32K or less."
)
MIB = 1 << 20


def insert(server, table, members="", partition="p", row="r", headers=None):
    text = json.dumps({"PartitionKey": partition, "RowKey": row}, ensure_ascii=False)[:-1]
    return send(server, "POST", f"/{table}", {"Prefer": "return-no-content"} | (headers or {}),
                f"{text}{members and ','}{members}}}")


def check_refused(answer, code, message):
    check_error(answer, 400, code, message, {"Preference-Applied": "return-no-content"})


def check_unreadable(answer, code="InvalidInput", message=UNREADABLE):
    check_early_error(answer, 400, code, message)


def insertable(server, table, members):
    """Returns whether the entity is accepted. Deletes it afterwards."""
    answer = insert(server, table, members)
    if answer.status == 204:
        delete = send(server, "DELETE", f"/{table}(PartitionKey='p',RowKey='r')", {"If-Match": "*"})
        assert delete.status == 204
    return answer


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [3, 63])
def test_table_names_of_3_to_63_characters(server, length):
    name = unique_name("n").replace("x", "")[-(length - 1):].rjust(length - 1, "0")
    delete_table(server, create_table(server, f"a{name}"))


@pytest.mark.parametrize("name", ["", "a", "ab", "a" * 64, "a" * 1000])
def test_table_names_of_other_lengths(server, name):
    """Decision: the code is that of public tests of the table SDK."""
    answer = send(server, "POST", "/Tables", body=json.dumps({"TableName": name}))
    text = "The specified resource name length is not within the permissible limits."
    check_error(answer, 400, "OutOfRangeInput", text)


@pytest.mark.parametrize("character", ["x", "é", "\U0001f600"])
@pytest.mark.parametrize("which", ["partition", "row"])
def test_keys_of_512_characters(server, table, which, character):
    """1 KiB in UTF-16; decision: PropertyValueTooLarge, as in public tests of the table SDK."""
    units = len(character.encode("utf-16-le")) // 2
    assert insert(server, table, **{which: character * (512 // units)}).status == 204
    answer = insert(server, table, **{which: character * (512 // units) + "y"})
    check_refused(answer, "PropertyValueTooLarge", TOO_LARGE)


@pytest.mark.parametrize("method", ["PUT", "MERGE"])
def test_keys_of_512_characters_in_a_url(server, table, method):
    """Decision: an upsert by URL is refused like an insert."""
    for length, status in ((512, 204), (513, 400)):
        answer = send(server, method, f"/{table}(PartitionKey='p',RowKey='{'x' * length}')", body="{}")
        assert answer.status == status
    check_error(answer, 400, "PropertyValueTooLarge", TOO_LARGE)


@pytest.mark.parametrize("method", ["GET", "PUT", "MERGE", "DELETE"])
def test_a_longer_key_is_just_not_found(server, table, method):
    """Decision: after a public suite for the table SDK, no entity can have it."""
    for length in (512, 513, 2048):
        resource = f"/{table}(PartitionKey='p',RowKey='{'x' * length}')"
        body = "{}" if method in ("PUT", "MERGE") else None
        answer = send(server, method, resource, {"If-Match": "*"}, body)
        check_error(answer, 404, "ResourceNotFound", ABSENT)


@pytest.mark.parametrize(
    "character",
    [" ", "!", "%", "'", '"', "&", "+", "~", "\u00a0", "\ue000", "\ufffd", "@", ";", "="],
)
def test_characters_that_a_key_may_hold(server, table, character):
    assert insert(server, table, row=f"a{character}b").status == 204
    path = urllib.parse.quote(character.replace("'", "''"))
    assert send(server, "GET", f"/{table}(PartitionKey='p',RowKey='a{path}b')").status == 200


@pytest.mark.parametrize("character", ["/", "\\", "#", "?", "\0", "\x1f", "\t", "\n", "\x7f", "\x80", "\x9f"])
@pytest.mark.parametrize("which", ["partition", "row"])
def test_characters_that_a_key_may_not_hold(server, table, character, which):
    """Decision: the code is that of public tests of the table SDK."""
    text = json.dumps({"PartitionKey": "p", "RowKey": "r"} | {f"{which.title()}Key": f"a{character}b"})
    answer = send(server, "POST", f"/{table}", {"Prefer": "return-no-content"}, text)
    check_refused(answer, "OutOfRangeInput", OUT_OF_RANGE)


@pytest.mark.parametrize("character", ["n", "é"])
def test_property_names_of_255_characters(server, table, character):
    """Recorded from the service."""
    assert insertable(server, table, f'"{character * 255}":1').status == 204
    answer = insert(server, table, f'"{character * 256}":1')
    check_refused(answer, "PropertyNameTooLong", "The property name exceeds the maximum allowed length (255).")


@pytest.mark.parametrize("name", ["1a", "1" * 255, "a-b", "a b", "a.b", "", "a:b", "$a"])
def test_property_names_are_identifiers(server, table, name):
    """A name of 255 digits is asserted by Microsoft's SDK tests."""
    check_early_error(insert(server, table, f'"{name}":1'), 400, "PropertyNameInvalid", "The property name is invalid.")


def properties(count, value="1"):
    return ",".join(f'"p{i}":{value}' for i in range(count))


def test_252_properties_of_the_user(server, table):
    """Recorded from the service. Nulls, annotations and the three system properties do not count."""
    text = (
        "The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. "
        "Each entity also has 3 system properties."
    )
    extra = ',"Timestamp":"2020-01-01T00:00:00Z","odata.etag":"x"'
    assert insertable(server, table, properties(252) + extra).status == 204
    check_refused(insert(server, table, properties(253)), "TooManyProperties", text)


@pytest.mark.parametrize("method", ["MERGE", "PATCH"])
def test_252_properties_after_a_merge(server, table, method):
    """Decision: the limit applies to the merged entity."""
    resource = f"/{table}(PartitionKey='p',RowKey='r')"
    assert insert(server, table, properties(251)).status == 204
    assert send(server, method, resource, body='{"one":1,"p0":2}').status == 204
    answer = send(server, method, resource, body='{"more":1}')
    assert (answer.status, answer.code) == (400, "TooManyProperties")
    assert "more" not in send(server, "GET", resource).json()


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("character", ["x", "é", "\U0001f600"])
def test_strings_of_32768_utf16_units(server, table, character):
    units = len(character.encode("utf-16-le")) // 2
    text = character * (32768 // units)
    assert insertable(server, table, f'"a":"{text}"').status == 204
    check_refused(insert(server, table, f'"a":"{text}y"'), "PropertyValueTooLarge", TOO_LARGE)


def test_binaries_of_65536_bytes(server, table):
    """The limit counts decoded bytes."""
    start = '"a@odata.type":"Edm.Binary","a":"'
    assert insertable(server, table, f'{start}{"AAAA" * 21845}AA=="').status == 204  # 65,536
    assert 21845 * 3 + 1 == 65536
    check_refused(insert(server, table, f'{start}{"AAAA" * 21845}AAA="'), "PropertyValueTooLarge", TOO_LARGE)


@pytest.mark.parametrize("inside, outside, code, message", [
    ("1601-01-01T00:00:00Z", "1600-12-31T23:59:59.9999999Z", "OutOfRangeInput", OUT_OF_RANGE),
    ("1601-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "OutOfRangeInput", OUT_OF_RANGE),
    ("9999-12-31T23:59:59.9999999Z", "10000-01-01T00:00:00Z", "InvalidInput", UNREADABLE),
])
def test_dates_from_1601_to_9999(server, table, inside, outside, code, message):
    """Seen in a report about the service for 1600-12-31T23:59:59.999Z."""
    start = '"a@odata.type":"Edm.DateTime","a":'
    assert insertable(server, table, f'{start}"{inside}"').status == 204
    refused = check_refused if code == "OutOfRangeInput" else check_unreadable
    refused(insert(server, table, f'{start}"{outside}"'), code, message)


@pytest.mark.parametrize("kind, inside, outside", [
    ("Int32", "2147483647", "2147483648"),
    ("Int32", "-2147483648", "-2147483649"),
    ("Int64", '"9223372036854775807"', '"9223372036854775808"'),
    ("Int64", '"-9223372036854775808"', '"-9223372036854775809"'),
])
def test_integers_of_32_and_64_bits(server, table, kind, inside, outside):
    """Recorded from the service for Int64."""
    start = f'"a@odata.type":"Edm.{kind}","a":'
    assert insertable(server, table, start + inside).status == 204
    check_unreadable(insert(server, table, start + outside))


def entity_of(size):
    """Returns members of an entity (p, r) of this size, as the service counts it."""
    rest = size - 4 - 2 * 2  # the entity, and 2 characters of keys
    members = []
    for i in range(15):  # each property: 8 bytes, 2 for each character of its name, and 4 plus its length for a binary
        members.append(f'"b{i:02}@odata.type":"Edm.Binary","b{i:02}":"{"AAAA" * 21845}AA=="')
        rest -= 8 + 2 * 3 + 4 + 65536
    rest -= 8 + 2 + 4
    whole, part = divmod(rest, 3)
    members.append(f'"z@odata.type":"Edm.Binary","z":"{"AAAA" * whole}{("", "AA==", "AAA=")[part]}"')
    return ",".join(members)


def test_entities_of_1_mib(server, table):
    """Asserted by Microsoft's SDK tests; the rules of counting are from the storage team's article on
    billing."""
    assert insertable(server, table, entity_of(MIB)).status == 204
    check_refused(insert(server, table, entity_of(MIB + 1)), "EntityTooLarge",
                  "The entity is larger than the maximum allowed size (1MB).")


def test_the_size_of_the_entity_is_checked_before_that_of_the_value(server, table):
    """Asserted by Microsoft's SDK tests: a binary of 1 MiB is too large an entity."""
    answer = insert(server, table, f'"a@odata.type":"Edm.Binary","a":"{"AAAA" * (MIB // 3 + 1)}"')
    check_refused(answer, "EntityTooLarge", "The entity is larger than the maximum allowed size (1MB).")


# --- requests -------------------------------------------------------------------------------------


@pytest.mark.parametrize("resource, headers, filler", [("/{}", {}, " "), ("/$batch", BATCH_HEADERS, "\r\n")])
def test_bodies_of_4_mib(server, table, resource, headers, filler):
    """Asserted by Microsoft's SDK tests for a batch; decision: the same limit for every request."""
    text = '{"PartitionKey":"p","RowKey":"r"}'
    if resource == "/$batch":
        text = batch_body([batch_part(server, "POST", table, {"PartitionKey": "p", "RowKey": "r"})])
    whole = text + filler * (4 * MIB // len(filler))
    answer = send(server, "POST", resource.format(table), headers, whole[: 4 * MIB])
    assert answer.status in (201, 202), answer
    refused = send(server, "POST", resource.format(table), headers, whole[: 4 * MIB] + " ")
    assert (refused.status, refused.code) == (413, "RequestBodyTooLarge")
    assert "The request body is too large and exceeds the maximum permissible limit." in refused.text


def batch_of(server, table, count):
    parts = [batch_part(server, "POST", table, {"PartitionKey": "p", "RowKey": f"{i}"}) for i in range(count)]
    return send_batch(server, parts)


def test_100_operations_in_a_batch(server, table):
    """Recorded from the service: the 101st operation is reported with index 99."""
    assert batch_of(server, table, 100).text.count("HTTP/1.1 201 Created") == 100
    other = create_table(server)
    answer = batch_of(server, other, 101)
    assert '"value":"99:The batch request operation exceeds the maximum 100 changes per change set.' in answer.text
    assert send(server, "GET", f"/{other}()").json()["value"] == []
    delete_table(server, other)


def test_one_change_set_in_a_batch(server, table):
    """learn.microsoft.com/rest/api/storageservices/performing-entity-group-transactions; decision: the code, and that
    nothing is written."""
    whole = batch_body([batch_part(server, "POST", table, {"PartitionKey": "p", "RowKey": "1"})])
    one = whole.removesuffix("--batch_1--\r\n")
    assert send(server, "POST", "/$batch", BATCH_HEADERS, f"{one}--batch_1--\r\n").status == 202
    second = one.replace('"RowKey": "1"', '"RowKey": "2"')
    answer = send(server, "POST", "/$batch", BATCH_HEADERS, f"{second}{second.replace('2', '3')}--batch_1--\r\n")
    check_early_error(answer, 400, "InvalidInput", INVALID)
    assert [item["RowKey"] for item in send(server, "GET", f"/{table}()").json()["value"]] == ["1"]


@pytest.mark.parametrize("count", [1000, 1001])
def test_a_page_of_1000_entities(server, table, count):
    """learn.microsoft.com/rest/api/storageservices/query-timeout-and-pagination."""
    for start in range(0, count, 100):
        parts = [batch_part(server, "PUT", f"{table}(PartitionKey='p',RowKey='{i:04}')", {})
                 for i in range(start, min(start + 100, count))]
        assert send_batch(server, parts).status == 202
    for options in ("", "?$top=1000"):
        answer = send(server, "GET", f"/{table}(){options}")
        assert len(answer.json()["value"]) == 1000
        assert answer.headers["x-ms-continuation-NextRowKey"] == (None if count == 1000 else "1!8!MTAwMA--")


def test_a_page_of_1000_tables(server):
    """learn.microsoft.com/rest/api/storageservices/query-timeout-and-pagination."""
    prefix = unique_name("many")
    names = [create_table(server, f"{prefix}{i:04}") for i in range(1001)]
    query = f"/Tables?$filter=TableName%20ge%20'{prefix}'%20and%20TableName%20lt%20'{prefix}%7B'"
    answer = send(server, "GET", query)
    assert [item["TableName"] for item in answer.json()["value"]] == names[:1000]
    token = answer.headers["x-ms-continuation-NextTableName"]
    rest = send(server, "GET", f"{query}&NextTableName={token}")
    assert [item["TableName"] for item in rest.json()["value"]] == names[1000:]
    delete_table(server, names[1000])
    assert send(server, "GET", query).headers["x-ms-continuation-NextTableName"] is None
    for name in names[:1000]:
        delete_table(server, name)


@pytest.mark.parametrize("top, good", [(0, True), (1, True), (1000, True), (1001, False), (-1, False)])
@pytest.mark.parametrize("resource", ["/{}()", "/Tables"])
def test_top_from_0_to_1000(server, table, top, good, resource):
    """Asserted by Microsoft's SDK tests; 0 according to a maintainer of Azure Storage Explorer."""
    answer = send(server, "GET", f"{resource.format(table)}?$top={top}")
    if good:
        assert answer.status == 200
    else:
        check_early_error(answer, 400, "InvalidInput", INVALID)


@pytest.mark.parametrize("count", [15, 16, 200])
def test_more_than_15_comparisons_are_served(server, table, count):
    """Decision: learn.microsoft.com/rest/api/storageservices/querying-tables-and-entities names 15, but nothing shows
    that the service enforces it."""
    insert(server, table)
    text = "%20or%20".join(f"n%20eq%20{i}" for i in range(count - 1)) + "%20or%20RowKey%20eq%20'r'"
    assert len(send(server, "GET", f"/{table}()?$filter={text}").json()["value"]) == 1


@pytest.mark.parametrize(
    "timeout, good",
    [("1", True), ("30", True), ("31", True), ("9999", True), ("x", False), ("-1", False)],
)
def test_timeouts_above_30_seconds_are_reduced(server, table, timeout, good):
    """learn.microsoft.com/rest/api/storageservices/setting-timeouts-for-table-service-operations."""
    answer = send(server, "GET", f"/{table}()?timeout={timeout}")
    assert (answer.status, answer.code if answer.status != 200 else None) == (
        (200, None) if good else (400, "InvalidQueryParameterValue")
    )


@pytest.mark.parametrize("length", [1024, 1025])
def test_request_ids_of_1024_characters(server, length):
    """learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes; decision: no longer one is
    echoed."""
    given = "x" * length
    answer = send(server, "GET", "/Tables", {"x-ms-client-request-id": given})
    assert answer.headers["x-ms-client-request-id"] == (given if length == 1024 else None)


@pytest.mark.parametrize("seconds, status", [(890, 200), (910, 403), (-890, 200), (-910, 403)])
def test_clocks_may_differ_by_15_minutes(server, seconds, status):
    """learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key."""
    target = f"{server.base}/Tables"
    date = email.utils.formatdate(time.time() + seconds, usegmt=True)
    headers = {"x-ms-date": date, "Authorization": authorization(server, target, date)}
    assert exchange(server, request_bytes(server, "GET", target, headers, signed=False)).status == status


# --- the front end --------------------------------------------------------------------------------


def identifier(name):
    return f"<SignedIdentifier><Id>{name}</Id></SignedIdentifier>"


def set_policies(server, table, *names):
    body = f"<SignedIdentifiers>{''.join(map(identifier, names))}</SignedIdentifiers>"
    return send(server, "PUT", f"/{table}?comp=acl", XML, body)


def test_5_stored_access_policies(server, table):
    """Recorded from the service."""
    assert set_policies(server, table, *"abcde").status == 204
    check_front_end_error(set_policies(server, table, *"abcdef"), 400, "InvalidXmlDocument", BAD_XML)


@pytest.mark.parametrize("character", ["x", "é"])
def test_policy_ids_of_64_characters(server, table, character):
    """learn.microsoft.com/rest/api/storageservices/define-stored-access-policy; decision: the code."""
    assert set_policies(server, table, character * 64).status == 204
    check_front_end_error(set_policies(server, table, character * 65), 400, "InvalidXmlDocument", BAD_XML)


def set_properties(server, sections):
    body = f"<StorageServiceProperties>{sections}</StorageServiceProperties>"
    return send(server, "PUT", "/?restype=service&comp=properties", XML, body)


@pytest.fixture
def kept_properties(server):
    """Restores the service properties of the account."""
    resource = "/?restype=service&comp=properties"
    before = send(server, "GET", resource, XML)
    yield
    assert send(server, "PUT", resource, XML, before.body).status == 202


@pytest.fixture
def set_rules(server, kept_properties):
    return lambda *rules: set_properties(server, f"<Cors>{''.join(rules)}</Cors>")


def test_5_cors_rules(set_rules):
    """Recorded from the service."""
    assert set_rules(*[cors_rule()] * 5).status == 202
    check_front_end_error(set_rules(*[cors_rule()] * 6), 400, "InvalidXmlDocument", BAD_XML)


def listed(count, suffix=""):
    return ",".join(f"x{i}{suffix}" for i in range(count))


@pytest.mark.parametrize("field", ["origins", "allowed", "exposed"])
def test_64_origins_and_headers_of_a_rule(set_rules, field):
    """Asserted by Microsoft's SDK tests."""
    assert set_rules(cors_rule(**{field: listed(64)})).status == 202
    check_front_end_error(set_rules(cors_rule(**{field: listed(65)})), 400, "InvalidXmlNodeValue", BAD_NODE)


@pytest.mark.parametrize("field", ["allowed", "exposed"])
def test_2_prefixes_of_headers_beside_the_64_literals(set_rules, field):
    """Asserted by Microsoft's SDK tests."""
    both = f"{listed(2, 'p*')},{listed(64)}"
    assert set_rules(cors_rule(**{field: both})).status == 202
    check_front_end_error(set_rules(cors_rule(**{field: listed(3, "p*")})), 400, "InvalidXmlNodeValue", BAD_NODE)


@pytest.mark.parametrize("field", ["origins", "allowed", "exposed"])
def test_origins_and_headers_of_256_characters(set_rules, field):
    """learn.microsoft.com/rest/api/storageservices/set-table-service-properties; decision: the code."""
    assert set_rules(cors_rule(**{field: "x" * 256})).status == 202
    check_front_end_error(set_rules(cors_rule(**{field: "x" * 257})), 400, "InvalidXmlNodeValue", BAD_NODE)


def test_2_kib_of_cors_settings(set_rules):
    """learn.microsoft.com/rest/api/storageservices/set-table-service-properties, tags not counted;
    decision: the code."""

    def rules_of(size):
        """Five rules: `GET`, `*`, `0` and one list of headers each."""
        lists = [",".join(["x" * 200] * 2)] * 4
        rest = size - 5 * len("GET*0") - sum(map(len, lists))
        return [cors_rule(allowed=text) for text in lists] + [cors_rule(allowed=f"{'y' * 200},{'z' * (rest - 201)}")]

    assert set_rules(*rules_of(2048)).status == 202
    check_front_end_error(set_rules(*rules_of(2049)), 400, "InvalidXmlDocument", BAD_XML)


@pytest.mark.parametrize(
    "days, good",
    [("1", True), ("365", True), ("0", False), ("366", False), ("-1", False), ("x", False)],
)
@pytest.mark.parametrize("section", ["Logging", "HourMetrics", "MinuteMetrics"])
def test_retention_from_1_to_365_days(server, kept_properties, days, good, section):
    """366 is recorded from the service."""
    retention = f"<RetentionPolicy><Enabled>true</Enabled><Days>{days}</Days></RetentionPolicy>"
    flags = "<Read>true</Read><Write>true</Write><Delete>true</Delete>"
    if section != "Logging":
        flags = "<Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs>"
    answer = set_properties(server, f"<{section}><Version>1.0</Version>{flags}{retention}</{section}>")
    if good:
        assert answer.status == 202
    else:
        check_front_end_error(answer, 400, "InvalidXmlDocument", BAD_XML)


@pytest.mark.parametrize(
    "age, good",
    [("0", True), ("2147483647", True), ("-1", False), ("2147483648", False), ("x", False)],
)
def test_the_age_of_a_preflight(set_rules, age, good):
    """learn.microsoft.com/rest/api/storageservices/set-table-service-properties; decision: the code."""
    answer = set_rules(cors_rule(age=age))
    if good:
        assert answer.status == 202
    else:
        check_front_end_error(answer, 400, "InvalidXmlNodeValue", BAD_NODE)


def test_limits_are_told_in_xml_to_who_takes_anything(server, table):
    """The shape of an error depends only on Accept: recorded from the service."""
    answer = insert(server, table, '"%s":1' % ("n" * 256), headers={"Accept": "*/*"})
    check_table_layer_xml_error(
        answer, 400, "PropertyNameTooLong", "The property name exceeds the maximum allowed length (255).",
        {"Preference-Applied": "return-no-content"},
    )
