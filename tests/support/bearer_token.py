"""Bearer tokens like those of Microsoft Entra ID. Only the signature differs; the server does not check it."""
import base64
import hashlib
import hmac
import json
import time

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
