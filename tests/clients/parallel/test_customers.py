"""Run by several workers at once (pytest -n), beside the tests in JavaScript, on the same instance."""
import pytest


def names_in(table):
    return [entity["Name"] for entity in table.list_entities()]


def test_customers_are_there_as_seeded_types_included(service):
    anna = service.get_table_client("customers").get_entity("de", "1")
    assert anna["Name"] == "Anna"
    assert anna["Points"].value == 1200
    assert anna["Since"].isoformat() == "2019-04-01T00:00:00+00:00"


@pytest.mark.parametrize("number", range(20))
def test_a_customer_joins_and_nobody_else(service, number):
    table = service.get_table_client("customers")
    table.create_entity({"PartitionKey": "de", "RowKey": "3", "Name": f"Guest {number}"})
    assert names_in(table) == ["Anna", "Bernd", f"Guest {number}", "Chloé"]


def test_all_customers_can_leave(service):
    table = service.get_table_client("customers")
    for entity in list(table.list_entities()):
        table.delete_entity(entity)
    assert names_in(table) == []


@pytest.mark.parametrize("number", range(10))
def test_a_table_can_be_deleted_and_only_here(service, number):
    service.delete_table("orders")
    assert [table.name for table in service.list_tables()] == ["customers"]
    service.create_table(f"orders{number}")
    assert [table.name for table in service.list_tables()] == ["customers", f"orders{number}"]
