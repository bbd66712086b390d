"""Fixtures: the cluster that ROCKTABLE_CITUS names, and a store of its own on it for each test."""
import os
import pathlib
import sys

import pytest

for folder in ("support", "crash"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / folder))
import citus


@pytest.fixture(scope="session")
def nodes():
    """The coordinator and two workers."""
    if citus.VARIABLE not in os.environ:
        pytest.skip(f"{citus.VARIABLE} names no cluster")
    return citus.nodes()


@pytest.fixture
def urls(nodes):
    """The URLs of a new store through each node. The first start of a front end needs that of the coordinator, the first."""
    schema = citus.new_schema(nodes[0])
    yield [citus.in_schema(node, schema) for node in nodes]
    nodes[0].sql(f"DROP SCHEMA {schema} CASCADE")
