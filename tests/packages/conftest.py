"""What the tests of several kinds of packages share."""
import pytest


@pytest.fixture
def seed(tmp_path):
    """A folder with one table, `customers`, of one entity, Anna."""
    folder = tmp_path / "seed"
    folder.mkdir()
    (folder / "customers.ndjson").write_text('{"PartitionKey":"de","RowKey":"1","Name":"Anna"}\n')
    return folder
