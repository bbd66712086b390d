"""Operations, credentials and refusals as data, for tables of refused and accepted requests."""
import email.utils
import re
import time
from typing import NamedTuple

from answers import (
    GUID,
    TABLE_LAYER,
    check,
    check_error,
    check_front_end_error,
    error_json,
    json_type,
)
from rocktable_server import (
    BATCH_HEADERS,
    all_entities,
    batch_body,
    batch_part,
    exchange,
    request_bytes,
    send,
    signature,
)
from shared_access import account_sas, at, table_sas

# --- operations -----------------------------------------------------------------------------------

XML = {"Accept": "application/xml"}
ANY_ETAG = {"If-Match": "*"}
ENTITY = "/{table}(PartitionKey='{partition}',RowKey='{row}')"
KEYS = '{"PartitionKey":"{partition}","RowKey":"{row}"}'
PROPERTIES = "/?restype=service&comp=properties"
POLICY = "<SignedIdentifiers><SignedIdentifier><Id>new</Id></SignedIdentifier></SignedIdentifiers>"


class Operation(NamedTuple):
    method: str
    resource: str
    status: int  # status of the response on success
    headers: dict = {}
    body: str | None = None
    parts: tuple = ()  # the operations in a batch


SINGLE = {
    "get service properties": Operation("GET", PROPERTIES, 200, XML),
    "set service properties": Operation("PUT", PROPERTIES, 202, XML, "<StorageServiceProperties><Cors /></StorageServiceProperties>"),
    "get service stats": Operation("GET", "-secondary/?restype=service&comp=stats", 200, XML),
    "get table ACL": Operation("GET", "/{table}?comp=acl", 200, XML),
    "set table ACL": Operation("PUT", "/{table}?comp=acl", 204, XML, POLICY),
    "list tables": Operation("GET", "/Tables", 200),
    "get table": Operation("GET", "/Tables('{table}')", 200),
    "create table": Operation("POST", "/Tables", 201, {}, '{"TableName":"{table}x"}'),
    "delete table": Operation("DELETE", "/Tables('{table}y')", 204),
    "query entities": Operation("GET", "/{table}()", 200),
    "get entity": Operation("GET", ENTITY, 200),
    "insert entity": Operation("POST", "/{table}", 201, {}, KEYS),
    "update entity": Operation("PUT", ENTITY, 204, ANY_ETAG, "{}"),
    "merge entity": Operation("PATCH", ENTITY, 204, ANY_ETAG, "{}"),
    "merge entity by MERGE": Operation("MERGE", ENTITY, 204, ANY_ETAG, "{}"),
    "merge entity by X-HTTP-Method": Operation("POST", ENTITY, 204, ANY_ETAG | {"X-HTTP-Method": "MERGE"}, "{}"),
    "insert or replace": Operation("PUT", ENTITY, 204, {}, "{}"),
    "insert or merge": Operation("PATCH", ENTITY, 204, {}, "{}"),
    "insert or merge by MERGE": Operation("MERGE", ENTITY, 204, {}, "{}"),
    "delete entity": Operation("DELETE", ENTITY, 204, ANY_ETAG),
}


def batch_of(*names):
    return Operation("POST", "/$batch", 202, BATCH_HEADERS, parts=names)


BATCHED = [name for name, one in SINGLE.items() if ENTITY in one.resource or name == "insert entity"]
OPERATIONS = SINGLE | {f"{name} in a batch": batch_of(name) for name in BATCHED}
OPERATIONS["a batch of insert and delete"] = batch_of("insert entity", "delete entity")
OPERATIONS["a batch of two inserts"] = batch_of("insert entity", "insert entity")


class Request(NamedTuple):
    method: str
    target: str
    headers: dict
    body: str | None


def filled(text, table, key):
    for name, value in (("{table}", table), ("{partition}", key[0]), ("{row}", key[1])):
        text = text and text.replace(name, value)
    return text


def touched(name, key):
    """Returns each single operation with its key. The operations of a batch have consecutive row keys."""
    parts = OPERATIONS[name].parts
    return [(part, (key[0], key[1] + "+" * i)) for i, part in enumerate(parts)] or [(name, key)]


def request_of(account, table, name, key):
    operation = OPERATIONS[name]
    body = filled(operation.body, table, key)
    if operation.parts:
        body = batch_request(account, table, touched(name, key))
    return Request(operation.method, account.base + filled(operation.resource, table, key), operation.headers, body)


def batch_request(account, table, operations):
    parts = []
    for name, key in operations:
        one = SINGLE[name]
        fields = "".join(f"{field}: {value}\r\n" for field, value in one.headers.items())
        resource = filled(one.resource, table, key).lstrip("/")
        parts.append(batch_part(account, one.method, resource, filled(one.body, table, key), fields))
    if operations[0][0] == "get entity":  # a query in a batch is not in a change set
        return f"--batch_1\r\n{parts[0]}--batch_1--\r\n"
    return batch_body(parts)


def prepare(account, table, name, key):
    """Creates what the operation needs to succeed, with the key of the account."""
    if name == "delete table":
        assert send(account, "POST", "/Tables", body=f'{{"TableName":"{table}y"}}').status == 201
    for one, (partition, row) in touched(name, key):
        if one != "insert entity":
            resource = f"/{table}(PartitionKey='{partition}',RowKey='{row}')"
            assert send(account, "PUT", resource, body="{}").status == 204


def state(account, table):
    """Returns all state that an operation can change."""
    names = [item["TableName"] for item in send(account, "GET", "/Tables").json()["value"]]
    policies = send(account, "GET", f"/{table}?comp=acl", XML).body
    properties = send(account, "GET", PROPERTIES, XML).body
    return all_entities(account, table), [name for name in names if name.startswith(table)], policies, properties


# --- credentials ----------------------------------------------------------------------------------


class In(NamedTuple):
    """A time in seconds after the request is made."""

    seconds: int


def resolved(fields):
    return {name: at(value.seconds) if isinstance(value, In) else value for name, value in fields.items()}


class Credentials:
    """arrange() creates what the credentials need on the server; applied() adds them to a request."""

    def arrange(self, account, table):
        pass


class Nothing(Credentials):
    """No credentials, only these headers."""

    def __init__(self, **headers):
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def applied(self, account, table, request):
        return request._replace(headers=request.headers | self.headers)


class SharedKey(Credentials):
    """The key of the account, in either scheme. `minutes`: the error of the date. `signed`: differences between the
    signed and the sent request: a method, headers, (from, to) in the target. Headers come last. The value SharedKey of
    a header is replaced by the date."""

    def __init__(self, scheme="SharedKeyLite", key=None, name=None, minutes=0, date=None, signed=None, headers=None):
        self.scheme, self.key, self.name, self.minutes, self.date = scheme, key, name, minutes, date
        self.signed, self.headers = signed or {}, headers or {}

    def applied(self, account, table, request):
        date = email.utils.formatdate(time.time() + 60 * self.minutes, usegmt=True) if self.date is None else self.date
        signed = signature(account, self.string_to_sign(account, request, date), self.key)
        fields = {"x-ms-date": date, "Authorization": f"{self.scheme} {self.name or account.name}:{signed}"}
        fields |= {name: date if value is SharedKey else value for name, value in self.headers.items()}
        return request._replace(headers=request.headers | fields)

    def string_to_sign(self, account, request, date):
        target = request.target.replace(*self.signed.get("target", ("", "")))
        path, _, query = target.partition("?")
        comp = re.search(r"comp=\w+", query)
        resource = f"/{account.name}{path}" + (f"?{comp[0]}" if comp else "")
        if self.scheme.lower() == "sharedkeylite":
            return f"{date}\n{resource}"
        json = {"Content-Type": "application/json"} if request.body is not None else {}  # as in request_bytes()
        fields = json | request.headers | self.signed.get("headers", {})
        method = self.signed.get("method", request.method)
        return "\n".join([method, fields.get("Content-MD5", ""), fields.get("Content-Type", ""), date, resource])


class Sas(Credentials):
    """`after`: fields that are changed after signing; None removes a field."""

    def __init__(self, after=None, **fields):
        self.after, self.fields = after or {}, fields

    def applied(self, account, table, request):
        fields = dict(pair.split("=", 1) for pair in self.query(account, table, resolved(self.fields)).split("&"))
        changed = {name: value for name, value in (fields | resolved(self.after)).items() if value is not None}
        query = "&".join(f"{name}={value}" for name, value in changed.items())
        return request._replace(target=f"{request.target}{'&' if '?' in request.target else '?'}{query}")


class AccountSas(Sas):
    def query(self, account, table, fields):
        return account_sas(account, **fields)


class TableSas(Sas):
    """A signature for the requested table, with the name changed by `spell`, or for the table `of`. `policy`: fields of
    the stored access policy `id` of the requested table."""

    def __init__(self, of=None, spell=str, policy=None, **fields):
        super().__init__(**fields)
        self.of, self.spell, self.policy = of, spell, policy

    def arrange(self, account, table):
        if self.policy is not None:
            set_policy(account, table, **resolved(self.policy))

    def query(self, account, table, fields):
        return table_sas(account, self.of or self.spell(table), **fields)


class Both(Credentials):
    """A signature in the URL and an Authorization header."""

    def __init__(self, *credentials):
        self.credentials = credentials

    def applied(self, account, table, request):
        for one in self.credentials:
            request = one.applied(account, table, request)
        return request


class Twice(Credentials):
    """Valid credentials with a repeated header, or a repeated field of the signature in the URL: the same value again,
    or `other` before or after it."""

    def __init__(self, credentials, header=None, field=None, other=None, in_front=False):
        self.credentials, self.header, self.field = credentials, header, field
        self.other, self.in_front = other, in_front

    def arrange(self, account, table):
        self.credentials.arrange(account, table)

    def applied(self, account, table, request):
        request = self.credentials.applied(account, table, request)
        if self.header:
            return request._replace(headers=request.headers | {self.header: self.both(request.headers[self.header])})
        path, _, query = request.target.partition("?")
        fields = query.split("&")
        value = next(field.partition("=")[2] for field in fields if field.startswith(f"{self.field}="))
        others = [field for field in fields if not field.startswith(f"{self.field}=")]
        return request._replace(target=f"{path}?" + "&".join(
            others + [f"{self.field}={one}" for one in self.both(value)]))

    def both(self, value):
        other = value if self.other is None else self.other
        return [other, value] if self.in_front else [value, other]


class ToAccount(Credentials):
    """Valid credentials for another account than that in the URL."""

    def __init__(self, name, credentials):
        self.name, self.credentials = name, credentials

    def applied(self, account, table, request):
        request = self.credentials.applied(account, table, request)
        return request._replace(target=request.target.replace(account.base, f"/{self.name}", 1))


def set_policy(account, table, name="id", start="", expiry="", permission=""):
    body = (
        f"<SignedIdentifiers><SignedIdentifier><Id>{name}</Id><AccessPolicy><Start>{start}</Start>"
        f"<Expiry>{expiry}</Expiry><Permission>{permission}</Permission></AccessPolicy></SignedIdentifier>"
        "</SignedIdentifiers>"
    )
    assert send(account, "PUT", f"/{table}?comp=acl", XML, body).status == 204


def ask(account, table, name, credentials, key):
    request = credentials.applied(account, table, request_of(account, table, name, key))
    return exchange(account, request_bytes(account, *request, signed=False), request.method)


# --- responses ------------------------------------------------------------------------------------


class Refusal(NamedTuple):
    """`front_end`: the front end refuses the request, before the table layer, with its own form of errors."""

    status: int
    code: str
    message: str
    front_end: bool = False
    headers: dict = {}
    without: tuple = ()

    def check(self, answer, name, position, key):
        operation = OPERATIONS[name]
        if self.front_end or "comp=" in operation.resource:
            wants_json = "Accept" not in operation.headers
            check_front_end_error(answer, *self[:3], self.headers, json_wanted=wants_json, without=self.without)
        elif operation.parts:
            check_part(answer, *self[:3], position)
        else:
            check_error(answer, *self[:3])


class LeftOut(NamedTuple):
    """A query that succeeds without the entities that its caller may not access."""

    def check(self, answer, name, position, key):
        assert answer.status == 200 and key not in keys_of(answer), answer


def keys_of(answer):
    return [(item["PartitionKey"], item["RowKey"]) for item in answer.json()["value"]]


def check_part(answer, status, code, message, position):
    """The only part in the response to a refused batch: it names the operation that failed."""
    kind = re.compile(f"multipart/mixed; boundary=batchresponse_{GUID}")
    check(answer, 202, TABLE_LAYER | {"Content-Type": kind, "Transfer-Encoding": "chunked"})
    reason = {403: "Forbidden", 404: "Not Found"}[status]
    document = error_json(code, f"{position}:{message}", answer.headers["x-ms-request-id"])
    part = (
        rf"HTTP/1\.1 {status} {reason}\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n"
        rf"DataServiceVersion: 3\.0;\r\nContent-Type: {re.escape(json_type()['Content-Type'])}\r\n\r\n{document}\r\n"
    )
    assert len(re.findall(part, answer.text)) == answer.text.count("HTTP/1.1 ") == 1, answer.text


def check_let_in(answer, name, key):
    operation = OPERATIONS[name]
    assert answer.status == operation.status, answer
    if operation.parts:
        assert re.findall(r"HTTP/1\.1 (\d)", answer.text) == ["2"] * len(operation.parts), answer.text
    if name == "query entities":
        assert key in keys_of(answer), answer
