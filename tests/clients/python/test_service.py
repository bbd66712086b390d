"""Settings of the account: service properties, CORS rules, statistics of the secondary location."""
import datetime

import pytest
from azure.core.credentials import AzureNamedKeyCredential
from azure.core.exceptions import HttpResponseError
from azure.data.tables import (
    TableAnalyticsLogging,
    TableClient,
    TableCorsRule,
    TableMetrics,
    TableRetentionPolicy,
)

from rocktable_server import send

OFF = {"enabled": False, "days": None}
RETENTION = {"enabled": True, "days": 10}
SETTINGS = {
    "analytics_logging": {
        "version": "1.0",
        **{"delete": True, "read": False, "write": True},
        "retention_policy": RETENTION,
    },
    "hour_metrics": {"version": "1.0", "enabled": True, "include_apis": False, "retention_policy": RETENTION},
    "minute_metrics": {"version": "1.0", "enabled": False, "include_apis": None, "retention_policy": OFF},
}
KINDS = {
    "analytics_logging": TableAnalyticsLogging,
    "hour_metrics": TableMetrics,
    "minute_metrics": TableMetrics,
}
RULE = {
    "allowed_origins": ["http://www.ab.com", "http://www.bc.com"],
    "allowed_methods": ["GET", "PUT"],
    "allowed_headers": ["x-ms-meta-xyz", "x-ms-meta-data*"],
    "exposed_headers": ["x-ms-meta-abc", "x-ms-meta-data*"],
    "max_age_in_seconds": 500,
}


def model(name, values):
    retention = TableRetentionPolicy(**values["retention_policy"])
    return KINDS[name](**{**values, "retention_policy": retention})


def set_properties(service, settings, cors=None):
    properties = {name: model(name, values) for name, values in settings.items()}
    if cors is not None:
        properties["cors"] = [TableCorsRule(**rule) for rule in cors]
    service.set_service_properties(**properties)


def get_properties(service):
    """What the SDK returns as objects, as plain values: the settings and the rules."""
    seen = service.get_service_properties()

    def plain(values, like):
        fields = {name: getattr(values, name) for name in like if name != "retention_policy"}
        retention = {name: getattr(values.retention_policy, name) for name in RETENTION}
        return {**fields, "retention_policy": retention}

    settings = {name: plain(seen[name], SETTINGS[name]) for name in SETTINGS}
    return settings, [{name: as_list(getattr(rule, name)) for name in RULE} for rule in seen["cors"]]


def as_list(value):
    return value.split(",") if isinstance(value, str) else value


@pytest.fixture(autouse=True)
def fresh(service):
    set_properties(service, SETTINGS, cors=[])


def test_service_properties_come_back_as_they_were_set(service):
    assert get_properties(service)[0] == SETTINGS


def test_what_is_left_out_keeps_its_value(service):
    minute_metrics = {**SETTINGS["hour_metrics"], "include_apis": True}
    set_properties(service, {"minute_metrics": minute_metrics})
    assert get_properties(service)[0] == {**SETTINGS, "minute_metrics": minute_metrics}
    set_properties(service, {}, cors=[RULE])
    assert get_properties(service) == ({**SETTINGS, "minute_metrics": minute_metrics}, [RULE])


def test_up_to_five_cors_rules_are_kept_in_their_order(service):
    rules = [{**RULE, "max_age_in_seconds": number} for number in range(5)]
    set_properties(service, {}, cors=rules)
    assert get_properties(service)[1] == rules
    with pytest.raises((HttpResponseError, ValueError)):  # the SDK makes a ValueError of the refusal
        set_properties(service, {}, cors=[*rules, RULE])
    assert get_properties(service)[1] == rules


@pytest.mark.parametrize("days", [366, 100_000])
def test_a_long_retention_is_refused(service, refused, days):
    logging = {**SETTINGS["analytics_logging"], "retention_policy": {"enabled": True, "days": days}}
    with refused(400, "InvalidXmlDocument"):
        set_properties(service, {"analytics_logging": logging})
    assert get_properties(service)[0] == SETTINGS


def test_the_secondary_location_has_the_statistics(service):
    """The SDK asks at /devstoreaccount1-secondary/devstoreaccount1/ and signs /devstoreaccount1/."""
    replication = service.get_service_stats()["geo_replication"]
    assert replication["status"] == "live"
    age = datetime.datetime.now(datetime.timezone.utc) - replication["last_sync_time"]
    assert abs(age) < datetime.timedelta(hours=1)


def test_the_primary_location_has_no_statistics(server):
    answer = send(server, "GET", "/?restype=service&comp=stats", {"Accept": "application/xml"})
    assert (answer.status, answer.code) == (400, "InvalidQueryParameterValue")


def test_the_secondary_location_serves_reads_and_no_writes(server, table):
    table.create_entity({"PartitionKey": "p", "RowKey": "it's"})
    credential = AzureNamedKeyCredential(server.name, server.key)
    endpoint = f"{server.endpoint}-secondary"
    with TableClient(endpoint, table.table_name, credential=credential, retry_total=0) as client:
        assert client.get_entity("p", "it's")["RowKey"] == "it's"
        with pytest.raises(HttpResponseError) as failure:
            client.create_entity({"PartitionKey": "p", "RowKey": "r"})
        assert failure.value.status_code == 403
    assert len(list(table.list_entities())) == 1
