"""Tables through the SDK: create, list, look up, delete."""
import pytest

from rocktable_server import send


def status_of(call):
    """The SDK swallows some errors; the status shows through its hook."""
    seen = []
    call(raw_response_hook=lambda answer: seen.append(answer.http_response.status_code))
    return seen[-1]


def test_a_table_is_created_once_in_whatever_case(service, new_name, refused):
    name = new_name("Case")
    assert service.create_table(name).table_name == name
    for again in (name, name.lower(), name.upper()):
        with refused(409, "TableAlreadyExists"):
            service.create_table(again)


def test_create_if_not_exists_is_content_with_an_existing_table(service, new_name):
    name = new_name()
    assert service.create_table_if_not_exists(name).table_name == name
    assert service.create_table_if_not_exists(name).table_name == name


def test_deleting_an_absent_table_is_a_404(service, new_name):
    name = new_name()
    service.create_table(name)
    assert status_of(lambda **options: service.delete_table(name, **options)) == 204
    assert status_of(lambda **options: service.delete_table(name, **options)) == 404


def test_a_deleted_table_is_gone_and_its_name_free(table, refused):
    table.create_entity({"PartitionKey": "p", "RowKey": "r"})
    table.delete_table()
    with refused(404, "TableNotFound"):
        table.get_entity("p", "r")
    table.create_table()
    assert list(table.list_entities()) == []


def test_tables_are_listed_by_filter_in_order_and_by_page(service, new_name):
    prefix = new_name("list")
    names = [f"{prefix}n{index}" for index in range(7)]
    for name in reversed(names):
        service.create_table(name)
    query = f"TableName ge '{prefix}n' and TableName lt '{prefix}o'"
    assert [item.name for item in service.query_tables(query)] == names
    assert set(names) <= {item.name for item in service.list_tables()}

    pages = service.query_tables(query, results_per_page=3).by_page()
    assert [[item.name for item in page] for page in pages] == [names[:3], names[3:6], names[6:]]
    assert not pages.continuation_token

    first = service.query_tables(query, results_per_page=2).by_page()
    assert [item.name for item in next(first)] == names[:2]
    token = first.continuation_token
    rest = service.query_tables(query, results_per_page=1000).by_page(continuation_token=token)
    assert [item.name for page in rest for item in page] == names[2:]


def test_more_than_a_thousand_tables_come_in_pages(service, new_name):
    prefix = new_name("many")
    for index in range(1001):
        service.create_table(f"{prefix}n{index:04}")
    query = f"TableName ge '{prefix}n' and TableName lt '{prefix}o'"
    pages = [list(page) for page in service.query_tables(query).by_page()]
    assert [len(page) for page in pages] == [1000, 1]
    for index in range(1001):
        service.delete_table(f"{prefix}n{index:04}")


def test_get_table_tells_whether_it_exists(server, table):
    found = send(server, "GET", f"/Tables('{table.table_name}')")
    assert (found.status, found.json()["TableName"]) == (200, table.table_name)
    absent = send(server, "GET", "/Tables('absent1')")
    assert (absent.status, absent.code) == (404, "ResourceNotFound")


@pytest.mark.parametrize(
    "name, code",
    [
        ("ab", "OutOfRangeInput"),
        ("a" * 64, "OutOfRangeInput"),
        ("with-dash", "InvalidResourceName"),
        ("1digit", "InvalidResourceName"),
        ("täble", "InvalidResourceName"),
        ("tables", "InvalidInput"),
        ("Tables", "InvalidInput"),
    ],
)
def test_a_bad_table_name_is_refused(server, name, code):
    answer = send(server, "POST", "/Tables", body='{"TableName":"%s"}' % name)
    assert (answer.status, answer.code) == (400, code), answer


@pytest.mark.parametrize("name", ["abc", "a" * 63, "A1b2C3"])
def test_a_good_table_name_is_taken(service, name):
    service.create_table(name)
    assert [item.name for item in service.query_tables(f"TableName eq '{name}'")] == [name]
    service.delete_table(name)


def test_prefer_decides_whether_the_table_comes_back(server, new_name):
    name = new_name()
    answer = send(server, "POST", "/Tables", {"Prefer": "return-no-content"}, '{"TableName":"%s"}' % name)
    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers["Preference-Applied"] == "return-no-content"
    location = f"{server.endpoint}/Tables('{name}')"
    assert (answer.headers["Location"], answer.headers["DataServiceId"]) == (location, location)
    name = new_name()
    answer = send(server, "POST", "/Tables", {"Prefer": "return-content"}, '{"TableName":"%s"}' % name)
    assert (answer.status, answer.json()["TableName"]) == (201, name)
    assert answer.headers["Preference-Applied"] == "return-content"


def test_entity_operations_on_an_absent_table_are_table_not_found(client_of, refused):
    absent = client_of("absent2")
    entity = {"PartitionKey": "p", "RowKey": "r"}
    for call in (
        lambda: absent.create_entity(entity),
        lambda: absent.get_entity("p", "r"),
        lambda: absent.upsert_entity(entity),
        lambda: absent.update_entity(entity),
        lambda: list(absent.list_entities()),
        lambda: absent.submit_transaction([("create", entity)]),
    ):
        with refused(404, "TableNotFound"):
            call()
