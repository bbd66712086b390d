"""Credentials of one request: each function below signs a request, or makes a function that does.

    s.get("/Tables", auth=anonymous)
    s.get("/Tables", auth=account_sas("rl", resource_types="c"))
"""
from __future__ import annotations

import base64
import email.utils
import hashlib
import hmac
import re
import time
from typing import Callable, Dict
from urllib.parse import quote

from conformance.connection import Account
from conformance.wire import Request

Auth = Callable[[Account, Request], None]
SAS_VERSION = "2019-02-02"


def signature(key: bytes, text: str) -> str:
    return base64.b64encode(hmac.new(key, text.encode("utf-8"), hashlib.sha256).digest()).decode()


def http_date(offset_seconds: float = 0) -> str:
    return email.utils.formatdate(time.time() + offset_seconds, usegmt=True)


def utc(offset_seconds: float = 0) -> str:
    """Returns a time relative to now, as a SAS writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + offset_seconds))


def canonicalized_resource(account: Account, request: Request) -> str:
    comp = re.search(r"(?:^|&)comp=([^&]*)", request.query)
    return f"/{account.name}{request.path}" + (f"?comp={comp[1]}" if comp else "")


def date_of(request: Request) -> str:
    if request.header("x-ms-date") is None and request.header("Date") is None:
        request.headers["x-ms-date"] = http_date()
    return request.header("x-ms-date") or request.header("Date") or ""


def shared_key_lite(account: Account, request: Request) -> None:
    """What the official table libraries send."""
    assert account.key
    text = f"{date_of(request)}\n{canonicalized_resource(account, request)}"
    request.headers["Authorization"] = f"SharedKeyLite {account.name}:{signature(account.key, text)}"


def shared_key(account: Account, request: Request) -> None:
    assert account.key
    lines = [request.method, request.header("Content-MD5") or "", request.header("Content-Type") or "",
             date_of(request), canonicalized_resource(account, request)]
    request.headers["Authorization"] = f"SharedKey {account.name}:" + signature(account.key, "\n".join(lines))


def wrong_key(account: Account, request: Request) -> None:
    other = Account(account.name, b"not the key of the account", None, account.primary, account.secondary)
    shared_key_lite(other, request)


def anonymous(account: Account, request: Request) -> None:
    del account, request


def given_sas(account: Account, request: Request) -> None:
    """The SAS of the connection string."""
    add_query(request, account.sas or "")


def add_query(request: Request, text: str) -> None:
    request.target += ("&" if "?" in request.target else "?") + text


def sas_query(fields: Dict[str, str]) -> str:
    return "&".join(f"{name}={quote(value, safe='')}" for name, value in fields.items() if value)


def account_sas(permissions: str, resource_types: str = "sco", services: str = "t", start: str = "",
                expiry: str = "", ip: str = "", protocol: str = "", version: str = SAS_VERSION,
                **replaced: str) -> Auth:
    """`replaced`: fields of the URL that differ from what was signed, as `sp="raud"`."""
    def sign(account: Account, request: Request) -> None:
        assert account.key
        end = expiry or utc(3600)
        lines = [account.name, permissions, services, resource_types, start, end, ip, protocol, version]
        if version >= "2020-12-06":
            lines.append("")  # the encryption scope
        fields = {"sv": version, "ss": services, "srt": resource_types, "sp": permissions, "st": start,
                  "se": end, "sip": ip, "spr": protocol}
        fields["sig"] = signature(account.key, "\n".join(lines) + "\n")
        add_query(request, sas_query({**fields, **replaced}))
    return sign


def table_sas(table: str, permissions: str = "", policy: str = "", start: str = "", expiry: str = "",
              ip: str = "", protocol: str = "", first_partition: str = "", first_row: str = "",
              last_partition: str = "", last_row: str = "", version: str = SAS_VERSION,
              **replaced: str) -> Auth:
    """With a `policy`, times and permissions come from it unless they are given."""
    def sign(account: Account, request: Request) -> None:
        assert account.key
        end = expiry or ("" if policy else utc(3600))
        resource = f"/table/{account.name}/{table.lower()}"
        bounds = [first_partition, first_row, last_partition, last_row]
        lines = [permissions, start, end, resource, policy, ip, protocol, version] + bounds
        fields = {"sv": version, "tn": table, "sp": permissions, "st": start, "se": end, "si": policy,
                  "sip": ip, "spr": protocol, "spk": first_partition, "srk": first_row,
                  "epk": last_partition, "erk": last_row}
        fields["sig"] = signature(account.key, "\n".join(lines))
        add_query(request, sas_query({**fields, **replaced}))
    return sign
