"""The fixtures for asyncio. Each call waits in a thread, so the event loop goes on."""
from __future__ import annotations

import asyncio
import concurrent.futures
import os
import pathlib
from types import TracebackType
from typing import Any, Generator

from . import _server
from ._server import Account, Error

__all__ = ["Account", "Error", "Server", "start"]


def start(*, seed: str | os.PathLike[str] | None = None, template: str | None = None, **options: Any) -> Starting:
    """Like rocktable.start: `async with start(...) as server`, or `server = await start(...)`."""
    return Starting({"seed": seed, "template": template, **options})


class Starting:
    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self._server: Server | None = None

    def __await__(self) -> Generator[Any, None, Server]:
        return self._start().__await__()

    async def __aenter__(self) -> Server:
        self._server = await self
        return self._server

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server:
            await self._server.stop()

    async def _start(self) -> Server:
        thread = concurrent.futures.ThreadPoolExecutor(1)
        started = thread.submit(_server.start, **self._options)
        thread.shutdown(wait=False)
        try:
            return Server(await asyncio.wrap_future(started))
        except asyncio.CancelledError:  # the thread goes on, and nobody gets its server
            started.add_done_callback(_stop_unused)
            raise


def _stop_unused(started: concurrent.futures.Future[_server.Server]) -> None:
    if not started.cancelled() and not started.exception():
        started.result().stop()


class Server:
    """A running server; `start` makes it. The methods are those of rocktable.Server."""

    def __init__(self, server: _server.Server) -> None:
        self._server = server

    @property
    def connection_string(self) -> str:
        return self._server.connection_string

    @property
    def endpoint(self) -> str:
        return self._server.endpoint

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def port(self) -> int:
        return self._server.port

    @property
    def certificate_authority(self) -> pathlib.Path | None:
        return self._server.certificate_authority

    async def account(self) -> Account:
        return await asyncio.to_thread(self._server.account)

    async def reset(self, account: str | None = None) -> None:
        await asyncio.to_thread(self._server.reset, account)

    async def snapshot(self, name: str) -> None:
        await asyncio.to_thread(self._server.snapshot, name)

    async def restore(self, name: str) -> None:
        await asyncio.to_thread(self._server.restore, name)

    async def stats(self) -> dict[str, Any]:
        return await asyncio.to_thread(self._server.stats)

    async def stop(self) -> None:
        await asyncio.to_thread(self._server.stop)

    async def __aenter__(self) -> Server:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()
