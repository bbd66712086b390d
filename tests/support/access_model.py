"""A second implementation of access control, from the documentation and the decisions in the tests. Tests compare the
server with it. It reads only the bytes of a request; each byte is a character of Latin-1 here.

Source: learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key, .../create-account-sas,
.../create-service-sas.
"""
import base64
import hashlib
import hmac
import ipaddress
import re
import time
import urllib.parse

FIELDS = ("sv", "ss", "srt", "sp", "st", "se", "sip", "spr", "ses", "tn", "si", "spk", "srk", "epk", "erk", "sig")
BOUNDS = ("spk", "srk", "epk", "erk")


def decoded(text, plus_is_space=True):
    text = text.replace("+", " ") if plus_is_space else text
    return urllib.parse.unquote_to_bytes(text.encode("latin-1")).decode("latin-1")


def parameters(query):
    """Returns (name, value) as written."""
    return [tuple(part.partition("=")[::2]) for part in query.split("&")]


class Asked:
    """A request as it was sent: operation and credentials."""

    def __init__(self, account, method, target, headers):
        self.account, self.method, self.headers = account, method, headers
        host = self.header("Host")
        if origin := re.match(r"https?://([^/?]*)", target):
            host, target = origin[1], target[origin.end():]
        self.path, _, self.query = target.partition("?")
        self.path = self.path or "/"
        self.host_style = is_name_with_dot(re.sub(":[^:]*$", "", host))
        if self.host_style:
            self.name, self.resource = host.split(".")[0].lower(), self.path
        else:
            self.name, slash, rest = self.path[1:].partition("/")
            self.resource = slash + rest or "/"
        self.secondary = self.name.endswith("-secondary")
        self.name = self.name.removesuffix("-secondary")
        self.resource = self.resource.removeprefix(f"/{self.name}") if self.secondary and self.resource.startswith(
            f"/{self.name}/") else self.resource

    def header(self, name):
        """Returns the first header of this name."""
        return next((value.strip(" \t") for field, value in self.headers if field.lower() == name.lower()), "")

    # --- signatures -------------------------------------------------------------------------------

    def is_signed(self):
        """Returns whether the signature is correct for the sent request."""
        if self.name != self.account.name:
            return False
        names = [field.lower() for field, _ in self.headers]
        if any(names.count(name.lower()) > 1 for name in ("Authorization", "x-ms-date", "Date", "Content-Type", "Content-MD5")):
            return False
        authorization = self.header("Authorization")
        if not authorization:
            sas = self.sas()
            text = sas and string_to_sign(sas, self.name)
            return bool(text) and signature_of(self.account, text) == sas["sig"]
        scheme, _, credentials = authorization.partition(" ")
        name, colon, sent = credentials.strip(" \t").partition(":")
        if scheme.lower() not in ("sharedkey", "sharedkeylite") or not colon:
            return False
        if name not in (self.name, f"{self.name}-secondary"):
            return False
        return any(signature_of(self.account, text) == sent for text in self.key_strings(scheme.lower()))

    def key_strings(self, scheme):
        comp = next((decoded(v) for n, v in parameters(self.query) if decoded(n).lower() == "comp"), "")
        date = self.header("x-ms-date") or self.header("Date")
        lines = [self.method, self.header("Content-MD5"), self.header("Content-Type")] * (scheme == "sharedkey")
        for path in self.signed_paths():
            yield "\n".join(lines + [date, f"/{self.name}{path}" + (f"?comp={comp}" if comp else "")])

    def signed_paths(self):
        paths, secondary = [self.path], f"/{self.name}-secondary"
        if self.secondary and self.path.startswith(secondary):
            rest = self.path.removeprefix(secondary)
            paths += [f"/{self.name}{rest}"] + [rest] * rest.startswith(f"/{self.name}/")
        return paths + [path.replace("%27", "'") for path in paths]

    def sas(self):
        """Returns the fields of a shared access signature; None if `sig` is missing or a field is repeated."""
        fields = {}
        for name, value in parameters(self.query):
            if name.lower() in fields:
                return None
            if name.lower() in FIELDS:
                fields[name.lower()] = decoded(value, plus_is_space=name.lower() != "sig")
        return fields if "sig" in fields else None

    # --- permissions ------------------------------------------------------------------------------

    def may(self, policies):
        """Returns whether the operation may succeed. `policies`: {id: letters} of all tables."""
        if not self.is_signed():
            return False
        if self.header("Authorization"):
            return True
        sas = self.sas()
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 2))
        if sas.get("se", "9999") < now or sas.get("spr") == "https" or (sas.get("sip") or "127.0.0.1") != "127.0.0.1":
            return False
        letters = sas.get("sp") or policies.get(sas.get("si"), "")
        kind, needed = self.needs()
        allowed = any(set(alternative) <= set(letters) for alternative in needed)
        if sas.get("ss") or sas.get("srt"):
            return allowed and "t" in sas["ss"] and kind in sas.get("srt", "")
        table = re.match(r"/([A-Za-z0-9]+)", decoded(self.resource, False))
        return allowed and kind == "o" and bool(table) and table[1].lower() == sas["tn"].lower()

    def needs(self):
        """Returns the resource type, and sets of letters; the signature must have one of the sets."""
        method = self.header("X-HTTP-Method") if self.method == "POST" else ""
        method = (method or self.method).upper()
        component = next((decoded(v) for n, v in parameters(self.query) if decoded(n).lower() == "comp"), None)
        path = decoded(self.resource, False)
        if component is not None:
            return "s", [{"acl": "-"}.get(component, "r" if method in ("GET", "HEAD") else "w")]
        if re.match(r"/tables\b", path, re.IGNORECASE):
            return "c", {"POST": ["c", "w"], "DELETE": ["d"]}.get(method, ["l"])
        if method in ("PUT", "MERGE", "PATCH"):
            return "o", ["u"] if self.header("If-Match") else ["au"]
        return "o", [{"POST": "a", "DELETE": "d"}.get(method, "r")]

    def sees(self, partition, row):
        """Returns whether an entity is within the range of a table SAS."""
        sas = self.sas() if not self.header("Authorization") else None
        if not sas or sas.get("ss") or sas.get("srt"):
            return True
        low, high = (sas.get("spk", ""), sas.get("srk", "")), (sas.get("epk"), sas.get("erk"))
        above = (partition, row) >= low
        below = high[0] is None or partition < high[0] or (partition == high[0] and (high[1] is None or row <= high[1]))
        return above and below


def is_name_with_dot(host):
    try:
        ipaddress.ip_address(host.strip("[]"))
        return False
    except ValueError:
        return "." in host and host.lower() != "host.docker.internal"


def string_to_sign(sas, name):
    """Returns None if the fields are malformed."""
    version = sas.get("sv", "")
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", version) or any("\n" in value for value in sas.values()):
        return None
    if sas.get("ss") or sas.get("srt"):
        names = ["sp", "ss", "srt", "st", "se", "sip", "spr", "sv"] + ["ses"] * (version >= "2020-12-06")
        lines = [name] + [sas.get(field, "") for field in names]
        return "".join(line + "\n" for line in lines) if version >= "2015-04-05" else None
    if version < "2012-02-12" or not sas.get("tn"):
        return None
    resource = f"{'/table' if version >= '2015-02-21' else ''}/{name}/{lower_ascii(sas['tn'])}"
    names = ["si"] + ["sip", "spr"] * (version >= "2015-04-05") + ["sv", *BOUNDS]
    return "\n".join([sas.get(n, "") for n in ("sp", "st", "se")] + [resource] + [sas.get(n, "") for n in names])


def lower_ascii(text):
    return re.sub("[A-Z]", lambda letter: letter[0].lower(), text)


_signatures = {}


def signature_of(account, text):
    """Cached: most changed requests have the same string to sign."""
    if len(_signatures) > 100_000:
        _signatures.clear()
    if text not in _signatures:
        digest = hmac.new(base64.b64decode(account.key), text.encode("latin-1"), hashlib.sha256).digest()
        _signatures[text] = base64.b64encode(digest).decode()
    return _signatures[text]
