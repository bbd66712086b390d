"""A program for the cloud: inserts an order for each line of standard input. Its argument is the class of its credential."""
import os
import sys

import azure.identity
from azure.core.exceptions import HttpResponseError
from azure.data.tables import TableClient

credential = getattr(azure.identity, sys.argv[1])()
orders = TableClient(os.environ["TABLES_ENDPOINT"], "orders", credential=credential)
orders.create_table()
for line in sys.stdin:
    try:
        orders.create_entity({"PartitionKey": "p", "RowKey": line.strip()})
        print("inserted", flush=True)
    except HttpResponseError as error:
        print(error.status_code, str(error.error_code).rpartition(".")[2], flush=True)
