"""The fixtures of the pytest plug-in, in projects that use the installed wheel."""
import re

import pytest

PARALLEL = """
import os, pytest
from azure.data.tables import TableClient

@pytest.mark.parametrize("number", range(100))
def test_a_customer_joins(tables, rocktable, number):
    open(f"port{rocktable.port}", "w").close()
    customers = TableClient.from_connection_string(tables.connection_string, "customers")
    customers.create_entity({"PartitionKey": "de", "RowKey": "2", "Name": f"Guest {number}"})
    assert [customer["Name"] for customer in customers.list_entities()] == ["Anna", f"Guest {number}"]
"""
WORKERS = 4


@pytest.fixture
def project(environment, seed, tmp_path):
    """Runs pytest in a project with `files`, from the folder `start`, and returns the counts of its outcomes."""

    def run(files, *words, start=".", **options):
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        (tmp_path / start).mkdir(exist_ok=True)
        words = ["-m", "pytest", "-p", "no:cacheprovider", "-p", "no:rerunfailures", *words]
        told = environment.run("python", *words, folder=tmp_path / start, **options).stdout
        return {word: int(count) for count, word in re.findall(r"(\d+) (passed|failed|error)", told.splitlines()[-1])}

    return run


def test_a_hundred_parallel_tests_have_their_own_accounts(project, tmp_path):
    files = {"test_it.py": PARALLEL, "pytest.ini": "[pytest]\nrocktable_seed = seed\n"}
    assert project(files, "-n", str(WORKERS)) == {"passed": 100}
    assert len(list(tmp_path.glob("port*"))) == WORKERS


def test_a_path_on_the_command_line_is_relative_to_the_current_folder(project):
    test = 'def test_it(rocktable): assert len(rocktable._filled()) == 1\n'
    files = {"test_it.py": test, "pytest.ini": "[pytest]\nrocktable_seed = missing\n"}
    for words in ([], ["-n", "1"]):
        assert project(files, "--rocktable-seed", "../seed", "..", *words, start="below") == {"passed": 1}


def test_options_of_the_server_come_from_the_file_and_the_command_line(project, seed):
    (seed / "other").mkdir()
    (seed / "other" / "orders.ndjson").write_text('{"PartitionKey":"p","RowKey":"r"}\n')
    test = """
import urllib.request
def test_it(tables, rocktable):
    assert tables.endpoint.startswith("https://")
    assert rocktable.certificate_authority.exists()
    assert rocktable._templates == ["other"]
"""
    ini = "[pytest]\nrocktable_seed = seed\nrocktable_template = devstoreaccount1\nrocktable_options =\n    tls=auto\n"
    words = ["--rocktable-template", "other", "--rocktable-option", "insightHeaders"]
    assert project({"test_it.py": test, "pytest.ini": ini}, *words) == {"passed": 1}


def test_the_data_of_an_account_are_deleted_after_its_test(project):
    test = """
from azure.data.tables import TableServiceClient
def test_one(tables): TableServiceClient.from_connection_string(tables.connection_string).create_table("orders")
def test_two(tables, rocktable): assert rocktable._filled() == []
"""
    assert project({"test_it.py": test}) == {"passed": 2}


def test_a_server_that_cannot_start_is_an_error_of_the_test(project, environment, tmp_path):
    told = project({"test_it.py": "def test_it(tables): pass\n"}, "--rocktable-seed", "missing", code=1)
    assert told == {"error": 1}


def test_no_server_runs_for_tests_that_need_none(project, environment):
    variables = {"ROCKTABLE_BINARY": "/missing"}
    assert project({"test_it.py": "def test_it(): pass\n"}, environment=variables) == {"passed": 1}


def test_the_sdk_is_not_needed(project):
    blocked = "import sys\nsys.modules['azure'] = None\n"
    files = {"conftest.py": blocked, "test_it.py": "def test_it(tables): assert tables.name in tables.endpoint\n"}
    assert project(files) == {"passed": 1}
