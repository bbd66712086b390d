"""A server for tests: accounts of their own, reset, snapshots."""
from __future__ import annotations

import dataclasses
import http.client
import json
import os
import pathlib
import secrets
import ssl
import urllib.error
import urllib.parse
import urllib.request
from types import TracebackType
from typing import Any, Mapping

from ._process import Error, Process, flag_name, flags

KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="  # is public

__all__ = ["Account", "Error", "Server", "start"]


@dataclasses.dataclass(frozen=True)
class Account:
    """An account of the server. Accounts share nothing."""

    name: str
    connection_string: str
    endpoint: str


def start(*, seed: str | os.PathLike[str] | None = None, template: str | None = None, **options: Any) -> Server:
    """Starts a server in memory on a free port, and returns when it answers.

    seed      a file or folder with data to begin with
    template  the account that `account()` copies; default: the account that the seed filled, if it is one
    options   further options of the server, as in `rocktable --help`: `explain_auth=True` is --explainAuth,
              `tls_name=["a", "b"]` repeats --tlsName. `location` keeps the data in a folder

    Error: the server could not start; the text is its own sentence. Use the result in a `with` statement, or call
    `stop()`. The server also stops when this process ends.
    """
    given = {flag_name(name): value for name, value in options.items()}
    for name in ("readyFile", "stopAtInputEnd"):
        if name in given:
            raise TypeError(f"start() sets the option {name} itself")
    defaults = {"inMemoryPersistence": not given.get("location"), "tablePort": 0, "silent": True, "anyAccount": True}
    process = Process(flags({**defaults, "seed": seed, **given}))
    try:
        return Server(process, seed is not None, template, given.get("controlToken"))
    except BaseException:
        process.stop()
        raise


class Server:
    """A running server; `start` makes it."""

    def __init__(self, process: Process, seeded: bool, template: str | None, control_token: str | None) -> None:
        self._process = process
        self._headers = {"Authorization": f"Bearer {control_token}"} if control_token else {}
        handlers: list[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({})]  # the server is on this machine
        if self.url.startswith("https:"):
            authority = process.ready.get("certificateAuthority")
            handlers.append(urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=authority)))
        self._opener = urllib.request.build_opener(*handlers)
        self._templates = [template] if template else self._filled() if seeded else []

    @property
    def connection_string(self) -> str:
        """Of the first account, usually devstoreaccount1."""
        return str(self._process.ready["connectionString"])

    @property
    def endpoint(self) -> str:
        """Of the first account: http://127.0.0.1:41441/devstoreaccount1"""
        return str(self._process.ready["endpoint"])

    @property
    def url(self) -> str:
        """http://127.0.0.1:41441"""
        return self.endpoint.rpartition("/")[0]

    @property
    def port(self) -> int:
        return int(self._process.ready["port"])

    @property
    def certificate_authority(self) -> pathlib.Path | None:
        """With `tls="auto"`: the file that clients must trust."""
        file = self._process.ready.get("certificateAuthority")
        return pathlib.Path(file) if file else None

    def account(self) -> Account:
        """Makes an account with a new name: a copy of the template, or empty if nothing was seeded.

        Error: the seed filled several accounts, and `template` names none
        """
        if len(self._templates) > 1:
            raise Error(f"the seed filled the accounts {', '.join(self._templates)}: choose one with template=...")
        name = "t" + secrets.token_hex(10)
        for template in self._templates:
            self._call("POST", f"accounts/{name}", {"from": template})
        endpoint = f"{self.url}/{name}"
        protocol = self.url.partition(":")[0]
        return Account(
            name,
            f"DefaultEndpointsProtocol={protocol};AccountName={name};AccountKey={KEY};TableEndpoint={endpoint};",
            endpoint,
        )

    def reset(self, account: str | None = None) -> None:
        """Deletes all tables and settings: of all accounts, or of the account with this name."""
        self._call("POST", "reset", {"account": account} if account else {})

    def snapshot(self, name: str) -> None:
        """Takes a snapshot of all accounts."""
        self._call("POST", f"snapshots/{urllib.parse.quote(name, safe='')}")

    def restore(self, name: str) -> None:
        """Restores all accounts from a snapshot. The snapshot stays."""
        self._call("POST", f"snapshots/{urllib.parse.quote(name, safe='')}/restore")

    def stats(self) -> dict[str, Any]:
        """The costs of all requests since the start."""
        return dict(self._call("GET", "stats"))

    def stop(self) -> None:
        """Stops the server. Error: it had ended before."""
        self._process.stop()

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _filled(self) -> list[str]:
        """The names of the accounts that have tables."""
        return [one["account"] for one in self._call("GET", "contents")["accounts"]]

    def _call(self, method: str, resource: str, query: Mapping[str, str] | None = None) -> Any:
        url = f"{self.url}/_rocktable/{resource}" + (f"?{urllib.parse.urlencode(query)}" if query else "")
        try:
            with self._opener.open(urllib.request.Request(url, method=method, headers=self._headers)) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise Error(json.load(refusal)["error"], refusal.code) from None
        except (OSError, http.client.HTTPException) as error:
            raise Error(f"the server does not answer: {getattr(error, 'reason', error)}") from None
