"""Bearer tokens like those of Microsoft Entra ID. Only the signature differs; the server does not check it."""
import base64
import hashlib
import hmac
import json
import time
import xml.etree.ElementTree

from rocktable_server import send
from shared_access import at

TENANT = "00000000-0000-0000-0000-000000000000"
ISSUER = f"https://sts.windows.net/{TENANT}/"
AUDIENCE = "https://storage.azure.com"


def base64_url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def bearer_token(payload=None, **changes):
    """Returns a token that is valid for an hour, with changed claims (None removes a claim), or with this payload."""
    now = int(time.time())
    claims = {"aud": AUDIENCE, "iss": ISSUER, "iat": now - 60, "nbf": now - 60, "exp": now + 3600, "tid": TENANT}
    claims = {name: value for name, value in (claims | changes).items() if value is not None}
    payload = json.dumps(claims).encode() if payload is None else payload
    signed = f"{base64_url(json.dumps({'alg': 'HS256', 'typ': 'JWT'}).encode())}.{base64_url(payload)}"
    return f"{signed}.{base64_url(hmac.new(b'nobody', signed.encode(), hashlib.sha256).digest())}"


def guid(number):
    return f"00000000-0000-0000-0000-{number:012}"


def token_for(oid, tid=TENANT, **changes):
    return bearer_token(oid=oid, tid=tid, **changes)


def send_token(account, token, method, resource, headers=None, body=None):
    """Sends a request with a bearer token; `resource` starts at the account's base."""
    return send(account, method, resource, {"Authorization": f"Bearer {token}"} | (headers or {}), body, signed=False)


KEY_RESOURCE = "/?restype=service&comp=userdelegationkey"
XML_FIELDS = {"Accept": "application/xml", "Content-Type": "application/xml", "x-ms-version": "2025-07-05"}


def key_info(start=None, expiry=3600, more=""):
    """The document of a request for a user delegation key. Numbers are seconds from now, texts stay as they are."""

    def text(name, time_of_it):
        if time_of_it is None:
            return ""
        return f"<{name}>{time_of_it if isinstance(time_of_it, str) else at(time_of_it)}</{name}>"

    return (f"<?xml version='1.0' encoding='utf-8'?>\n"
            f"<KeyInfo>{text('Start', start)}{text('Expiry', expiry)}{more}</KeyInfo>")


def delegation_key(account, token, **options):
    """Asks for a user delegation key, and returns its elements by name."""
    answer = send_token(account, token, "POST", KEY_RESOURCE, XML_FIELDS, key_info(**options))
    assert answer.status == 200, answer
    return {child.tag: child.text for child in xml.etree.ElementTree.fromstring(answer.body.decode("utf-8-sig"))}
