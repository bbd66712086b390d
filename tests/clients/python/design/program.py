"""Asks a table the dear way, or as it is advised: `program.py TABLE seed|ask|advised`, with JSON on standard input.

`ask` sends the `filter`. `advised` executes the two parts of the `code`: what writes an `entity`, for each of them, and what
asks. It prints the Numbers of the entities that were found.
"""
import concurrent.futures
import datetime
import json
import os
import sys

from azure.data.tables import TableClient


def entity_of(number):
    return {"PartitionKey": f"p{number % 3}", "RowKey": f"{number:03}", "Number": number,
            "Status": "open" if number % 75 == 0 else "done", "Customer": f"c{number % 6}", "Age": number,
            "Created": datetime.datetime(2026, 11, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(hours=number),
            "IsOpen": number % 7 == 0}


def value_of(given):
    is_time = isinstance(given, dict)
    return datetime.datetime.fromisoformat(given["time"]) if is_time else given


def seed(table):
    table.create_table()
    for number in sorted(range(150), key=lambda number: number % 3):
        table.upsert_entity(entity_of(number))


def advised(table, asked):
    entities = [entity_of(number) for number in range(150)]
    names = {name: value_of(value) for name, value in asked["values"].items()}
    names |= {"table": table, "concurrent": concurrent, "entities": [one for one in entities if one["PartitionKey"] == "p0"]}
    writing, _, asking = asked["code"].rpartition("\n\n") if asked["writes"] else ("", "", asked["code"])
    if writing:
        for entity in entities:
            exec(writing, names | {"entity": entity})
    exec(asking, names)
    print(json.dumps(sorted(entity["Number"] for entity in names.get("found", ()))))


table_name, step = sys.argv[1:]
with TableClient.from_connection_string(os.environ["AZURE_STORAGE_CONNECTION_STRING"], table_name) as client:
    given = json.load(sys.stdin)
    if step == "seed":
        seed(client)
    elif step == "ask" and "rows" in given:
        for row in given["rows"]:
            client.get_entity("p0", row)
    elif step == "ask":
        list(client.query_entities(given["filter"]))
    else:
        advised(client, given)
