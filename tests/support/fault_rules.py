"""Fault rules of one account: adds them, sends requests that meet them, and asks what became of these."""
import json

from fixture_control import done
from rocktable_server import all_entities, connection, send


def add(server, account, then, when=None, name=None, **match):
    """Adds a rule for the account, and returns its name."""
    rule = {"match": {"account": account.name, **match}, "when": when or {}, "then": then}
    if name:
        rule["name"] = name
    return done(server, "POST", "faults", rule)["faults"][0]["name"]


def hits(server, name):
    return done(server, "GET", f"faults/{name}")["hits"]


def retries(server, account):
    return done(server, "GET", f"retries?account={account.name}")["retries"]


def entity(row, partition="p"):
    return json.dumps({"PartitionKey": partition, "RowKey": row})


def post(account, table, row, **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return send(account, "POST", f"/{table}", {"Prefer": "return-no-content", **headers}, entity(row))


def rows(account, table):
    return [one["RowKey"] for one in all_entities(account, table)]


def raw(account, request):
    """All bytes of the answer. Raises ConnectionResetError for a TCP RST."""
    received = b""
    with connection(account) as client:
        client.sendall(request)
        while piece := client.recv(65536):
            received += piece
    return received
