"""Requests of tests to /_rocktable/...: resets, snapshots, copies of accounts, entities."""
import json
import urllib.parse

from rocktable_server import Account, all_entities, create_table, exchange, request_bytes, send, unique_name

XML = {"Accept": "application/xml", "Content-Type": "application/xml"}
PROPERTIES = "/?restype=service&comp=properties"


def control(server, method, resource, document=None, **headers):
    """Sends a request, with a JSON document if there is one. Keywords are headers, with underscores for hyphens."""
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    body = None if document is None else document if isinstance(document, str) else json.dumps(document)
    if method == "POST" and body is None:
        fields = {"Content-Length": "0"} | fields
    data = request_bytes(server, method, f"/_rocktable/{resource}", fields, body, signed=False)
    answer = exchange(server, data, method)
    assert answer.status < 500 or answer.status == 503, answer
    assert answer.headers["Content-Type"] == "application/json"
    if answer.status >= 400 and method != "HEAD":
        assert answer.json()["error"]
    return answer


def done(server, method, resource, document=None):
    answer = control(server, method, resource, document)
    assert answer.status in (200, 201), answer
    return answer.json()


def account_of(server, name):
    """Another account of a server with --anyAccount."""
    endpoint = server.endpoint.replace(f"/{server.name}", f"/{name}")
    return Account(f"AccountName={name};AccountKey={server.key};TableEndpoint={endpoint}")


def insert(account, table, partition, row, **properties):
    entity = {"PartitionKey": partition, "RowKey": row, **properties}
    answer = send(account, "POST", f"/{table}", {"Prefer": "return-no-content"}, json.dumps(entity))
    assert answer.status == 204, answer
    return answer.headers["ETag"]


def fill(account, tables=("One", "Two"), rows=3):
    for table in tables:
        create_table(account, table)
        for row in range(rows):
            insert(account, table, "p", str(row), N=row)


def document(account, target):
    answer = send(account, "GET", target, XML)
    assert answer.status == 200, answer
    return answer.text


def cors_rule(origins="*", methods="GET", allowed="", exposed="", age="0"):
    return (
        f"<CorsRule><AllowedOrigins>{origins}</AllowedOrigins><AllowedMethods>{methods}</AllowedMethods>"
        f"<MaxAgeInSeconds>{age}</MaxAgeInSeconds><ExposedHeaders>{exposed}</ExposedHeaders>"
        f"<AllowedHeaders>{allowed}</AllowedHeaders></CorsRule>"
    )


def set_document(account, target, text):
    answer = send(account, "PUT", target, XML, text)
    assert answer.status in (202, 204), answer


def contents(account):
    """Returns all tables with their entities and access policies, and the service properties."""
    answer = send(account, "GET", "/Tables")
    assert answer.status == 200, answer
    names = [table["TableName"] for table in answer.json()["value"]]
    policies = {name: document(account, f"/{name}?comp=acl") for name in names}
    settings = document(account, PROPERTIES)
    return {name: all_entities(account, name) for name in names}, policies, settings


def sortable(time):
    """Returns a time of the service in a form that sorts."""
    whole, _, fraction = time.rstrip("Z").partition(".")
    return whole, fraction.ljust(7, "0")


def moment(etag):
    """Returns the time in an ETag, in a form that sorts."""
    return sortable(urllib.parse.unquote(etag).split("'")[1] if etag else "")


def as_owner(server, account, method, resource, document=None):
    """Sends a request that is not signed: a signature would be of another time, if the server's clock is turned."""
    body = None if document is None else json.dumps(document)
    headers = {"Accept": "application/json;odata=fullmetadata", "Content-Type": "application/json"}
    target = f"/_rocktable/entities/{account.name}/{resource}"
    return exchange(server, request_bytes(server, method, target, headers, body, signed=False), method)


def next_timestamp(server, account=None):
    """Inserts into a new table of the account, or of the server's first one. Returns the Timestamp, in a form that sorts."""
    table = unique_name()
    created = as_owner(server, account or server, "POST", "Tables", {"TableName": table})
    assert created.status == 201, created
    answer = as_owner(server, account or server, "POST", table, {"PartitionKey": "p", "RowKey": "r"})
    assert answer.status == 201, answer
    return sortable(answer.json()["Timestamp"])


def year_of_next(server):
    return int(next_timestamp(server)[0][:4])
