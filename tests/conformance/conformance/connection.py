"""Connection strings: which endpoint, which account, which credentials."""
from __future__ import annotations

import base64
import ipaddress
from dataclasses import dataclass
from typing import Dict, Optional
from urllib.parse import urlsplit

# The account and the key that every local emulator of Azure Storage has. They are public.
DEVELOPMENT_ACCOUNT = "devstoreaccount1"
DEVELOPMENT_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
DEVELOPMENT_ENDPOINT = f"http://127.0.0.1:10002/{DEVELOPMENT_ACCOUNT}"
DEFAULT_PORTS = {"http": 80, "https": 443}


class BadConnectionString(ValueError):
    pass


@dataclass(frozen=True)
class Endpoint:
    """A place that answers requests. `path` is "" in host style and "/account" in path style."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def host_header(self) -> str:
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == DEFAULT_PORTS[self.scheme] else f"{name}:{self.port}"

    @property
    def base(self) -> str:
        """Returns the beginning of each URL that the service writes."""
        return f"{self.scheme}://{self.host_header}{self.path}"

    @property
    def loopback(self) -> bool:
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


@dataclass(frozen=True)
class Account:
    name: str
    key: Optional[bytes]
    sas: Optional[str]
    primary: Endpoint
    secondary: Optional[Endpoint]  # None: not known to exist

    @property
    def local(self) -> bool:
        return self.primary.loopback


def parse_endpoint(url: str) -> Endpoint:
    parts = urlsplit(url)
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        raise BadConnectionString(f"the endpoint is not an http or https URL: {url}")
    return Endpoint(parts.scheme, parts.hostname, parts.port or DEFAULT_PORTS[parts.scheme],
                    parts.path.rstrip("/"))


def fields_of(text: str) -> Dict[str, str]:
    fields = {}
    for item in filter(None, (one.strip() for one in text.split(";"))):
        name, equals, value = item.partition("=")
        if not equals:
            raise BadConnectionString(f"the connection string has a field without a value: {name}")
        fields[name.lower()] = value
    return fields


def parse_connection_string(text: str) -> Account:
    fields = fields_of(text)
    if fields.get("usedevelopmentstorage", "").lower() == "true":
        defaults = {"accountname": DEVELOPMENT_ACCOUNT, "accountkey": DEVELOPMENT_KEY,
                    "tableendpoint": DEVELOPMENT_ENDPOINT}
        fields = {**defaults, **fields}
    name, key, sas = fields.get("accountname"), fields.get("accountkey"), fields.get("sharedaccesssignature")
    url = fields.get("tableendpoint")
    if not url:
        if not name:
            raise BadConnectionString("the connection string has neither AccountName nor TableEndpoint")
        suffix = fields.get("endpointsuffix", "core.windows.net")
        url = f"{fields.get('defaultendpointsprotocol', 'https')}://{name}.table.{suffix}"
    primary = parse_endpoint(url)
    name = name or (primary.path.strip("/").rpartition("/")[2] or primary.host.partition(".")[0])
    if not key and not sas:
        raise BadConnectionString("the connection string has neither AccountKey nor SharedAccessSignature")
    try:
        decoded = base64.b64decode(key, validate=True) if key else None
    except ValueError:
        raise BadConnectionString("the AccountKey is not base64") from None
    return Account(name, decoded, sas and sas.lstrip("?"), primary, secondary_of(fields, name, primary))


def secondary_of(fields: Dict[str, str], name: str, primary: Endpoint) -> Optional[Endpoint]:
    """Emulators have a secondary endpoint; of others it is known only if it is named."""
    if "tablesecondaryendpoint" in fields:
        return parse_endpoint(fields["tablesecondaryendpoint"])
    if not primary.loopback:
        return None
    if primary.path:
        return Endpoint(primary.scheme, primary.host, primary.port, f"{primary.path}-secondary")
    host = primary.host.replace(name, f"{name}-secondary", 1)
    return Endpoint(primary.scheme, host, primary.port, "")
