"""The SDK with a token credential, over HTTPS: after the challenge of the service, it sends another token."""

import pytest
from azure.core.credentials import AccessToken
from azure.core.exceptions import ClientAuthenticationError, HttpResponseError, ResourceNotFoundError
from azure.data.tables import TableClient, TableServiceClient

from bearer_token import TENANT, bearer_token
from own_server import needs_program
from rocktable_server import Server, unique_name

pytestmark = needs_program


CHALLENGING = "2020-12-06"  # older versions refuse a token without a challenge


class Credential:
    """Returns these tokens, one after the other, and then always the last one. Records the requested scopes."""

    def __init__(self, *tokens):
        self.tokens, self.asked = list(tokens), []

    def get_token(self, *scopes, **kwargs):
        self.asked.append((scopes, kwargs.get("tenant_id")))
        token = self.tokens.pop(0) if len(self.tokens) > 1 else self.tokens[0]
        return AccessToken(token, 4_000_000_000)  # so the SDK asks again only when it is challenged


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server("--tls", "auto", "--oauth", "basic", "--location", tmp_path_factory.mktemp("bearer"))
    yield running
    running.stop()


@pytest.fixture
def options(server):
    return {"connection_verify": server.ready["certificateAuthority"], "retry_total": 0}


def test_a_token_serves_entities_and_transactions(server, options):
    with TableClient(server.endpoint, unique_name(), credential=Credential(bearer_token()), **options) as client:
        client.create_table()
        client.create_entity({"PartitionKey": "p", "RowKey": "r", "text": "x"})
        client.submit_transaction([("create", {"PartitionKey": "p", "RowKey": f"{row}"}) for row in range(3)])
        client.upsert_entity({"PartitionKey": "p", "RowKey": "r", "text": "y"})
        assert client.get_entity("p", "r")["text"] == "y"
        assert len(list(client.list_entities())) == 4
        client.delete_entity("p", "r")
        client.delete_table()


def test_a_token_serves_service_properties_but_no_access_policies(server, options):
    credential = Credential(bearer_token())
    with TableServiceClient(server.endpoint, credential=credential, **options) as service:
        assert "cors" in service.get_service_properties()
        name = unique_name()
        service.create_table(name)
        with pytest.raises(ResourceNotFoundError):
            service.get_table_client(name).get_table_access_policy()


def test_an_expired_token_is_replaced_when_the_service_asks(server, options):
    credential = Credential(bearer_token(exp=1_000_000_000), bearer_token())
    with TableServiceClient(server.endpoint, credential=credential, api_version=CHALLENGING, **options) as service:
        assert isinstance(list(service.list_tables()), list)
    assert len(credential.asked) == 2
    scopes, tenant = credential.asked[1]
    assert (scopes, tenant) == (("https://storage.azure.com/.default",), TENANT)


def test_in_the_version_of_the_sdk_the_service_does_not_ask_for_another_token(server, options):
    """Recorded from the service, with version 2019-07-07."""
    credential = Credential(bearer_token(exp=1_000_000_000), bearer_token())
    with TableServiceClient(server.endpoint, credential=credential, api_version="2019-02-02", **options) as service:
        with pytest.raises(ClientAuthenticationError) as refusal:
            list(service.list_tables())
    assert (refusal.value.status_code, len(credential.asked)) == (403, 1)


def test_a_token_for_somebody_else_is_refused(server, options):
    credential = Credential(bearer_token(aud="https://management.azure.com/"))
    with TableServiceClient(server.endpoint, credential=credential, api_version=CHALLENGING, **options) as service:
        with pytest.raises(ClientAuthenticationError) as refusal:
            list(service.list_tables())
    assert refusal.value.status_code == 401


def test_what_is_no_token_is_refused(server, options):
    with TableServiceClient(server.endpoint, credential=Credential("nonsense"), **options) as service:
        with pytest.raises(HttpResponseError) as refusal:
            list(service.list_tables())
    assert refusal.value.status_code == 403
