"""A fixture: a separate account for each test, copied from the account `template`, which `--seed seed` has filled."""
import os
import urllib.request
import uuid

import pytest
from azure.data.tables import TableServiceClient

KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@pytest.fixture
def service():
    url = os.environ["ROCKTABLE_URL"]  # rocktable exec exports it
    account = "t" + uuid.uuid4().hex[:20]
    clone = urllib.request.Request(f"{url}/_rocktable/accounts/{account}?from=template", method="POST")
    urllib.request.urlopen(clone, timeout=10).close()
    connection_string = (
        f"DefaultEndpointsProtocol=http;AccountName={account};AccountKey={KEY};TableEndpoint={url}/{account};"
    )
    with TableServiceClient.from_connection_string(connection_string) as client:
        yield client
