"""A small shop on azure.data.tables, in two designs. Planted has three anti-patterns; Mended does the same work as the
findings advise."""
import os

from azure.data.tables import TableServiceClient


def row(number):
    return f"{number:04}"


class Shop:
    def __init__(self):
        connection_string = os.environ["AZURE_STORAGE_CONNECTION_STRING"]
        self.table = TableServiceClient.from_connection_string(connection_string).create_table("orders")


class Planted(Shop):
    def add_order(self, order, customer, lines):
        """Writes one by one."""
        self.table.create_entity({"PartitionKey": order, "RowKey": "order", "Customer": customer})
        for line in range(lines):
            self.table.create_entity({"PartitionKey": order, "RowKey": row(line), "Amount": line})

    def lines_of(self, order, lines):
        """Reads one by one."""
        return [self.table.get_entity(order, row(line)) for line in range(lines)]

    def orders_of(self, customer):
        """The customer is not in the keys."""
        return [entity["PartitionKey"] for entity in self.table.query_entities(f"Customer eq '{customer}'")]


class Mended(Shop):
    def add_order(self, order, customer, lines):
        """One transaction for the order and its lines, and a second entity under the customer."""
        entities = [{"PartitionKey": order, "RowKey": "order", "Customer": customer}]
        entities += [{"PartitionKey": order, "RowKey": row(line), "Amount": line} for line in range(lines)]
        self.table.submit_transaction([("create", entity) for entity in entities])
        self.table.create_entity({"PartitionKey": f"customer-{customer}", "RowKey": order})

    def lines_of(self, order, _lines):
        """A range of rows."""
        return list(self.table.query_entities(f"PartitionKey eq '{order}' and RowKey ge '0' and RowKey lt 'a'"))

    def orders_of(self, customer):
        return [entity["RowKey"] for entity in self.table.query_entities(f"PartitionKey eq 'customer-{customer}'")]
