"""Shared access signatures made by hand, so that any field can be wrong.

Source: learn.microsoft.com/rest/api/storageservices/create-account-sas and .../create-service-sas.
"""
import time
import urllib.parse

from rocktable_server import exchange, request_bytes, signature


def at(seconds):
    """Returns a time so many seconds from now, in the format of a signature."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


def query_string(fields):
    return urllib.parse.urlencode({name: value for name, value in fields.items() if value is not None},
                                  quote_via=urllib.parse.quote)


def account_sas(account, key=None, layout=None, **changes):
    """Returns a signature that grants everything on tables for an hour, with changed fields; None removes a field.
    `layout`: the version of the string to sign, if it is not that of `sv`."""
    fields = {"sv": "2019-02-02", "ss": "t", "srt": "sco", "sp": "rwdlacu", "se": at(3600)} | changes
    version = layout or fields["sv"] or ""
    names = ["sp", "ss", "srt", "st", "se", "sip", "spr", "sv"] + ["ses"] * (version >= "2020-12-06")
    to_sign = "".join(f"{line}\n" for line in [account.name] + [fields.get(name) or "" for name in names])
    return query_string(fields | {"sig": signature(account, to_sign, key)})


def table_sas(account, table, key=None, layout=None, **changes):
    """Returns a signature that grants everything on the entities of a table for an hour, with changed fields; None
    removes a field. `layout` as above."""
    fields = {"sv": "2019-02-02", "tn": table, "sp": "raud", "se": at(3600)} | changes
    version = layout or fields["sv"] or ""
    resource = f"{'/table' if version >= '2015-02-21' else ''}/{account.name}/{table.lower()}"
    names = ["si"] + ["sip", "spr"] * (version >= "2015-04-05") + ["sv", "spk", "srk", "epk", "erk"]
    values = [fields.get(name) or "" for name in ("sp", "st", "se")] + [resource]
    to_sign = "\n".join(values + [fields.get(name) or "" for name in names])
    return query_string(fields | {"sig": signature(account, to_sign, key)})


def send_with(account, sas, method, resource, headers=None, body=None, base=None):
    """Sends a request without Authorization, with the signature in its query."""
    target = f"{account.base if base is None else base}{resource}{'&' if '?' in resource else '?'}{sas}"
    return exchange(account, request_bytes(account, method, target, headers, body, signed=False), method)


DELEGATION_LINES = ["sp", "st", "se", "tn", "skoid", "sktid", "skt", "ske", "sks", "skv", "skdutid", "sduoid", "sip",
                    "spr", "sv", "spk", "srk", "epk", "erk"]


def delegation_sas(account, table, key, **changes):
    """Returns a signature by a user delegation key, as delegation_key() returns it, that grants everything on the
    entities of a table for half an hour, with changed fields; None removes a field."""
    fields = {"sv": "2025-07-05", "tn": table, "sp": "raud", "se": at(1800), "skoid": key["SignedOid"],
              "sktid": key["SignedTid"], "skt": key["SignedStart"], "ske": key["SignedExpiry"],
              "sks": key["SignedService"], "skv": key["SignedVersion"]} | changes
    signed = fields | {"tn": f"/table/{account.name}/{table.lower()}"}
    to_sign = "\n".join(signed.get(name) or "" for name in DELEGATION_LINES)
    return query_string(fields | {"sig": signature(account, to_sign, key["Value"])})
