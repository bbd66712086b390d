"""Fixtures for pytest: `rocktable`, a server, and `tables`, an account for one test.

Each worker of pytest-xdist starts its own server, when its first test needs one. So `rocktable.reset()` and
`rocktable.restore()` in one worker do not change the data of another.
"""
from __future__ import annotations

import os
from typing import Any, Iterator

import pytest

from ._server import Account, Server, start


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rocktable", "an emulator of Azure Table Storage")
    group.addoption("--rocktable-seed", metavar="PATH", help="data to begin with, a file or a folder")
    group.addoption("--rocktable-template", metavar="ACCOUNT", help="the account that the fixture `tables` copies")
    group.addoption(
        "--rocktable-option", metavar="NAME[=VALUE]", action="append", default=[],
        help="a further option of the server, such as tls=auto; may be repeated",
    )
    parser.addini("rocktable_seed", "data to begin with, a file or a folder, relative to this file")
    parser.addini("rocktable_template", "the account that the fixture `tables` copies")
    parser.addini("rocktable_options", "further options of the server: NAME or NAME=VALUE in each line", "linelist", [])


def _seed(config: pytest.Config) -> str | None:
    """The command line's path is relative to where pytest was started, that of the ini file to its folder."""
    if given := config.getoption("rocktable_seed"):
        return os.path.join(config.invocation_params.dir, given)
    written = config.getini("rocktable_seed")
    return os.path.join(config.rootpath, written) if written else None


def _options(lines: list[str]) -> dict[str, Any]:
    """["explainAuth", "tlsName=a", "tlsName=b"] becomes {"explainAuth": True, "tlsName": ["a", "b"]}."""
    options: dict[str, list[Any]] = {}
    for line in lines:
        name, has_value, value = line.partition("=")
        options.setdefault(name.strip(), []).append(value.strip() if has_value else True)
    return {name: values if len(values) > 1 else values[0] for name, values in options.items()}


@pytest.fixture(scope="session")
def rocktable(pytestconfig: pytest.Config) -> Iterator[Server]:
    """A server, filled by --rocktable-seed."""
    template = pytestconfig.getoption("rocktable_template") or pytestconfig.getini("rocktable_template") or None
    lines = [*pytestconfig.getini("rocktable_options"), *pytestconfig.getoption("rocktable_option")]
    with start(seed=_seed(pytestconfig), template=template, **_options(lines)) as server:
        yield server


@pytest.fixture
def tables(rocktable: Server) -> Iterator[Account]:
    """An account of its own: a copy of what was seeded, or empty. Its data are deleted after the test."""
    account = rocktable.account()
    yield account
    rocktable.reset(account.name)
