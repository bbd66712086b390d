"""Shared access signatures of tables and of the account, and stored access policies, made by the SDK."""
import datetime

import pytest
from azure.core.credentials import AzureNamedKeyCredential, AzureSasCredential
from azure.core.exceptions import HttpResponseError
from azure.data.tables import (
    AccountSasPermissions,
    ResourceTypes,
    TableAccessPolicy,
    TableClient,
    TableSasPermissions,
    TableServiceClient,
    UpdateMode,
    generate_account_sas,
    generate_table_sas,
)

THERE = {"PartitionKey": "p", "RowKey": "there"}
NEW = {"PartitionKey": "p", "RowKey": "new"}
EVERYTHING = AccountSasPermissions(read=True, write=True, delete=True, list=True, add=True, update=True)
ALL_TYPES = ResourceTypes.from_string("sco")  # the constructor knows no containers, which are the tables


def in_hours(hours):
    return datetime.datetime.utcnow().replace(microsecond=0) + datetime.timedelta(hours=hours)


def row_keys(client):
    return [entity["RowKey"] for entity in client.list_entities()]


def with_sas(server, name, sas):
    return TableClient(server.endpoint, name, credential=AzureSasCredential(sas), retry_total=0)


@pytest.fixture
def allowed(server, table):
    """allowed(permissions, ...): a client that may do what such a SAS for `table` allows."""

    def make(permissions=None, **options):
        if permissions is not None:
            options = {"permission": TableSasPermissions(_str=permissions), "expiry": in_hours(1), **options}
        credential = AzureNamedKeyCredential(server.name, server.key)
        return with_sas(server, table.table_name, generate_table_sas(credential, table.table_name, **options))

    return make


@pytest.fixture
def account_sas(server):
    def make(types=ALL_TYPES, permission=EVERYTHING, expiry=None, **options):
        credential = AzureNamedKeyCredential(server.name, server.key)
        return generate_account_sas(credential, types, permission, expiry or in_hours(1), **options)

    return make


def status_of(call):
    """The status with which the service refuses."""
    with pytest.raises(HttpResponseError) as failure:
        call()
    return failure.value.status_code


# --- stored access policies -----------------------------------------------------------------------


def test_access_policies_come_back_as_they_were_set(table):
    assert table.get_table_access_policy() == {}
    start, expiry = datetime.datetime(2020, 2, 3, 4, 5, 6), datetime.datetime(2030, 1, 1)
    whole = TableAccessPolicy(start=start, expiry=expiry, permission=TableSasPermissions(_str="raud"))
    table.set_table_access_policy({"whole": whole, "<&>": TableAccessPolicy(permission="r"), "bare": None})
    seen = table.get_table_access_policy()
    assert list(seen) == ["whole", "<&>", "bare"]
    times = [moment.replace(tzinfo=None) for moment in (seen["whole"].start, seen["whole"].expiry)]
    assert times == [start, expiry]
    assert (seen["whole"].permission, seen["<&>"].permission, seen["bare"]) == ("raud", "r", None)
    table.set_table_access_policy({})
    assert table.get_table_access_policy() == {}


def test_access_policies_are_five_at_most(table):
    table.set_table_access_policy({str(number): None for number in range(5)})
    with pytest.raises((HttpResponseError, ValueError)):  # the SDK makes a ValueError of the refusal
        table.set_table_access_policy({str(number): None for number in range(6)})
    assert len(table.get_table_access_policy()) == 5


def test_access_policies_of_an_absent_table(client_of, refused):
    with refused(404, "TableNotFound"):
        client_of("absent1").get_table_access_policy()


def test_a_stored_access_policy_holds_as_long_as_it_is_there(table, allowed, refused):
    reading = allowed(policy_id="reading")

    def set_policy(permission, hours):
        policy = TableAccessPolicy(permission=permission, expiry=in_hours(hours), start=in_hours(-2))
        table.set_table_access_policy({"reading": policy})

    table.create_entity(THERE)
    with refused(403, "AuthenticationFailed"):
        row_keys(reading)
    set_policy("r", 1)
    assert row_keys(reading) == ["there"]
    with refused(403, "AuthorizationPermissionMismatch"):
        reading.create_entity(NEW)
    set_policy("ra", 1)
    reading.create_entity(NEW)
    set_policy("ra", -1)
    with refused(403, "AuthenticationFailed"):
        row_keys(reading)
    table.set_table_access_policy({})
    with refused(403, "AuthenticationFailed"):
        row_keys(reading)


# --- SAS of a table -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "needed, call",
    [
        ("r", row_keys),
        ("r", lambda client: client.get_entity("p", "there")),
        ("a", lambda client: client.create_entity(NEW)),
        ("u", lambda client: client.update_entity(THERE, mode=UpdateMode.MERGE)),
        ("u", lambda client: client.update_entity(THERE, mode=UpdateMode.REPLACE)),
        ("au", lambda client: client.upsert_entity(NEW, mode=UpdateMode.MERGE)),
        ("au", lambda client: client.upsert_entity(NEW, mode=UpdateMode.REPLACE)),
        ("d", lambda client: client.delete_entity(THERE)),
        ("a", lambda client: client.submit_transaction([("create", NEW)])),
        ("au", lambda client: client.submit_transaction([("upsert", NEW)])),
        ("d", lambda client: client.submit_transaction([("delete", THERE)])),
    ],
)
def test_each_operation_needs_its_permissions(table, allowed, refused, needed, call):
    table.create_entity(THERE)
    for missing in needed:
        with refused(403, "AuthorizationPermissionMismatch"):
            call(allowed("raud".replace(missing, "")))
    assert row_keys(table) == ["there"]
    call(allowed(needed))


def test_a_table_sas_gives_no_access_to_anything_else(server, table, allowed, client_of, new_name):
    everything = allowed("raud")
    with client_of(new_name()) as other:
        other.create_table()
        elsewhere = with_sas(server, other.table_name, everything.credential.signature)
        for call in (
            lambda: elsewhere.create_entity(NEW),
            lambda: row_keys(elsewhere),
            everything.get_table_access_policy,
            lambda: everything.set_table_access_policy({}),
            everything.delete_table,
        ):
            assert status_of(call) == 403
        assert row_keys(other) == []
    assert row_keys(table) == []


@pytest.mark.parametrize(
    "code, options",
    [
        (None, {"start": -1, "expiry": 1}),
        ("AuthenticationFailed", {"start": 1, "expiry": 2}),
        ("AuthenticationFailed", {"expiry": -1}),
        (None, {"protocol": "https,http"}),
        ("AuthorizationProtocolMismatch", {"protocol": "https"}),
    ],
)
def test_a_table_sas_holds_for_its_time_and_protocol(allowed, refused, code, options):
    times = {key: in_hours(value) for key, value in options.items() if key in ("start", "expiry")}
    client = allowed("r", **{**options, **times})
    if code is None:
        assert row_keys(client) == []
    else:
        with refused(403, code):
            row_keys(client)


def test_a_key_range_bounds_what_is_read_and_written(table, allowed, refused):
    entities = [{"PartitionKey": key[0], "RowKey": key} for key in ("a1", "b1", "b2", "c1", "c2")]
    for entity in entities:
        table.create_entity(entity)
    client = allowed("raud", start_pk="b", start_rk="b2", end_pk="c", end_rk="c1")
    assert row_keys(client) == ["b2", "c1"]
    with refused(404, "ResourceNotFound"):
        client.get_entity("c", "c2")
    for outside in (entities[0], entities[1], entities[4]):
        with refused(403, "AuthorizationFailure"):
            client.upsert_entity(outside)
        with refused(403, "AuthorizationFailure"):
            client.delete_entity(outside)
    with refused(403, "AuthorizationFailure"):
        client.submit_transaction([("upsert", entities[2]), ("upsert", entities[1])])
    client.upsert_entity({"PartitionKey": "b", "RowKey": "b3"})
    assert row_keys(table) == ["a1", "b1", "b2", "b3", "c1", "c2"]


# --- SAS of the account ---------------------------------------------------------------------------


def test_an_account_sas_with_all_permissions(server, account_sas, new_name):
    sas = account_sas()
    name = new_name()
    with TableServiceClient(server.endpoint, credential=AzureSasCredential(sas), retry_total=0) as service:
        service.create_table(name)
        assert name in [item.name for item in service.list_tables()]
        service.set_service_properties(cors=[])
        service.get_service_properties()
    with with_sas(server, name, sas) as client:
        client.create_entity(THERE)
        client.submit_transaction([("upsert", NEW)])
        client.delete_entity(THERE)
        assert row_keys(client) == ["new"]
        assert status_of(client.get_table_access_policy) == 403
        assert status_of(lambda: client.set_table_access_policy({})) == 403
        client.delete_table()


@pytest.mark.parametrize(
    "code, options",
    [
        (None, {"permission": AccountSasPermissions(list=True)}),
        ("AuthorizationPermissionMismatch", {"permission": AccountSasPermissions(read=True, write=True)}),
        ("AuthorizationResourceTypeMismatch", {"types": "so"}),
        ("AuthenticationFailed", {"expiry": -1}),
        ("AuthenticationFailed", {"start": 0.5}),
        (None, {"ip_address_or_range": "127.0.0.0-127.0.0.9"}),
        ("AuthorizationSourceIPMismatch", {"ip_address_or_range": "192.0.2.1-192.0.2.9"}),
        ("AuthorizationProtocolMismatch", {"protocol": "https"}),
    ],
)
def test_listing_tables_with_an_account_sas(server, account_sas, refused, code, options):
    times = {key: in_hours(value) for key, value in options.items() if key in ("start", "expiry")}
    if "types" in options:
        options = {"types": ResourceTypes.from_string(options["types"])}
    sas = account_sas(**{**options, **times})
    with TableServiceClient(server.endpoint, credential=AzureSasCredential(sas), retry_total=0) as service:
        if code is None:
            list(service.list_tables())
        else:
            with refused(403, code):
                list(service.list_tables())
