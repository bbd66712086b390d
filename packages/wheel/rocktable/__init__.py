"""Azure Table Storage for tests, by a server of their own.

    with rocktable.start(seed="seed") as server:
        account = server.account()
        TableServiceClient.from_connection_string(account.connection_string)

`rocktable.aio.start` is the same for asyncio; `rocktable.pytest_plugin` has fixtures.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._server import Account, Error, Server, start

__all__ = ["Account", "Error", "Server", "start"]


def __getattr__(name: str) -> Any:
    """Imports the fixtures when they are used first: the command `rocktable` starts without them in half the time."""
    if name in __all__:
        from . import _server

        return getattr(_server, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
