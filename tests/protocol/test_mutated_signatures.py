"""Changes valid signed requests at random. An accepted request must have a correct signature, and may do only what was
signed.

    ROCKTABLE_MUTATION_SECONDS  duration, with other changes each time; default: 3 s with the same changes
"""
import email.utils
import http.client
import os
import random
import re
import socket
import string
import time
import urllib.parse

import pytest

from access_model import Asked
from rocktable_server import API_VERSION, Response, create_table, send, signature
from shared_access import account_sas, at, table_sas

SECONDS = float(os.environ.get("ROCKTABLE_MUTATION_SECONDS", "0"))
DEFAULT_SECONDS = 3
RENEWED_AFTER = 60  # dates count for 15 minutes
POLICIES = {"reader": "r"}
METHODS = ["GET", "POST", "PUT", "MERGE", "PATCH", "DELETE", "HEAD", "OPTIONS", "get", "TRACE"]
PARTITIONS = "abcde"
ROWS = "123"


# --- valid requests ---------------------------------------------------------------------------------


class Sent:
    """A request before it is encoded. Each character is one byte."""

    def __init__(self, method, target, headers, body=""):
        self.method, self.target, self.headers, self.body = method, target, list(headers), body

    def copy(self):
        return Sent(self.method, self.target, self.headers, self.body)

    def raw(self):
        lines = [f"{self.method} {self.target} HTTP/1.1"] + [f"{name}: {value}" for name, value in self.headers]
        lines += [f"Content-Length: {len(self.body)}"] * bool(self.body)
        return ("\r\n".join(lines) + "\r\n\r\n" + self.body).encode("latin-1")

    def asked(self, account):
        return Asked(account, self.method, self.target, self.headers)


OPERATIONS = [
    # method, resource, headers, body
    ("GET", "/Tables", {}, ""),
    ("GET", "/Tables('{t}')", {}, ""),
    ("GET", "/{t}()", {}, ""),
    ("GET", "/{t}(PartitionKey='c',RowKey='2')", {}, ""),
    ("GET", "/{t}(PartitionKey=%27c%27,RowKey=%272%27)", {}, ""),
    ("POST", "/{t}", {}, '{"PartitionKey":"c","RowKey":"2"}'),
    ("PUT", "/{t}(PartitionKey='c',RowKey='2')", {}, '{"V":2}'),
    ("MERGE", "/{t}(PartitionKey='c',RowKey='2')", {"If-Match": "*"}, '{"V":2}'),
    ("DELETE", "/{t}(PartitionKey='z',RowKey='z')", {"If-Match": "*"}, ""),
    ("GET", "/?restype=service&comp=properties", {"Accept": "application/xml"}, ""),
    ("GET", "/{t}?comp=acl", {"Accept": "application/xml"}, ""),
]


def headers_of(account, more, body):
    fields = {"Host": account.authority, "x-ms-version": API_VERSION, "Accept": "application/json"}
    fields |= {"Content-Type": "application/json"} if body else {}
    return list((fields | more).items())


def with_shared_key(account, operation, table, scheme, base, date_name):
    method, resource, more, body = operation
    target = base + resource.format(t=table)
    sent = Sent(method, target, headers_of(account, more, body), body)
    sent.headers.append((date_name, email.utils.formatdate(usegmt=True)))
    text = next(sent.asked(account).key_strings(scheme.lower()))
    sent.headers.append(("Authorization", f"{scheme} {account.name}:{signature(account, text)}"))
    return sent


def signatures(account, table):
    """Returns shared access signatures of all layouts. Some grant nothing."""
    yield account_sas(account)
    yield account_sas(account, sv="2020-12-06", ses="", sp="rl", srt="co")
    yield account_sas(account, sv="2015-04-05", sp="r", srt="o", spr="https,http", sip="127.0.0.1", st=at(-60))
    yield account_sas(account, sp="a", srt="o")
    yield account_sas(account, ss="b")
    yield account_sas(account, se=at(-60))
    yield table_sas(account, table)
    yield table_sas(account, table, sp="r", spk="b", srk="2", epk="d", erk="2")
    yield table_sas(account, table, sp="rau", spk="c", epk="c")
    yield table_sas(account, table, sv="2014-02-14", sp="r")
    yield table_sas(account, table, sv="2012-02-12", sp="ra", epk="b")
    yield table_sas(account, table, sp=None, si="reader", se=at(3600))
    yield table_sas(account, table, se=at(-60))
    yield table_sas(account, table, sip="10.0.0.1")
    yield table_sas(account, table, spr="https")


def valid_requests(account, table):
    out = []
    for operation in OPERATIONS:
        for scheme in ("SharedKey", "SharedKeyLite"):
            out.append(with_shared_key(account, operation, table, scheme, account.base, "x-ms-date"))
        out.append(with_shared_key(account, operation, table, "SharedKeyLite", f"{account.base}-secondary", "Date"))
        method, resource, more, body = operation
        for sas in signatures(account, table):
            target = account.base + resource.format(t=table)
            target += ("&" if "?" in target else "?") + sas
            out.append(Sent(method, target, headers_of(account, more, body), body))
    return out


# --- changes ----------------------------------------------------------------------------------------


class Mutator:
    """Changes requests; `others`: requests whose parts it may copy."""

    def __init__(self, seed, others, table):
        self.random, self.others, self.table = random.Random(seed), others, table
        self.changes = [change for name, change in sorted(vars(Mutator).items()) if name.startswith("change_")]

    def mutated(self, sent):
        sent = sent.copy()
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            self.random.choice(self.changes)(self, sent)
        return sent

    # texts

    def text(self, old):
        """Returns another text: with a changed bit, character or piece. Without control characters, because they end a
        line."""
        at_ = self.random.randrange(len(old) + 1)
        end = min(len(old), at_ + self.random.choice((1, 1, 2, 8)))
        new = self.random.choice((
            lambda: old[:at_] + "".join(chr(ord(c) ^ 1 << self.random.randrange(7)) for c in old[at_:at_ + 1]) + old[at_ + 1:],
            lambda: old[:at_] + self.random.choice(string.ascii_letters + string.digits + "/+=%&'(), ?-") + old[at_:],
            lambda: old[:at_] + old[end:],
            lambda: old[:at_],
            lambda: old + old[at_:end],
            lambda: old.swapcase(),
            lambda: old[:at_] + "".join(f"%{ord(c):02X}" for c in old[at_:end]) + old[end:],
            lambda: urllib.parse.unquote(old, "latin-1"),
        ))()
        return "".join(c if " " <= c <= "\xff" and c != "\x7f" else "_" for c in new)

    # parts of a request; each is a method `change_...`

    def change_method(self, sent):
        sent.method = self.random.choice(METHODS)

    def change_path(self, sent):
        path, question, query = sent.target.partition("?")
        path = self.random.choice((
            lambda: self.text(path),
            lambda: path.replace("'", "%27"),
            lambda: path.replace("%27", "'"),
            lambda: path.replace("(", "%28").replace(")", "%29"),
            lambda: path + "/",
            lambda: path.replace("/", "//", 1),
            lambda: path.replace("devstoreaccount1", "devstoreaccount1-secondary", 1),
            lambda: path.replace("-secondary", "", 1),
            lambda: path.replace(self.table, self.random.choice((self.table.upper(), "Tables", "other"))),
            lambda: path.replace("'c'", "'a'").replace("%27c%27", "%27a%27"),
            lambda: "/devstoreaccount1" + path,
            lambda: "/" + path.split("/", 2)[-1],
            lambda: self.random.choice(self.others).target.partition("?")[0],
        ))()
        sent.target = (path.replace(" ", "%20") or "/") + question + query

    def change_query(self, sent):
        path, _, query = sent.target.partition("?")
        parts = [part for part in query.split("&") if part]
        place = self.random.randrange(len(parts) + 1)
        wanted = self.random.choice((
            "sp=raud", "sp=rwdlacu", "srt=sco", "ss=t", f"se={at(7200)}", "se=2999-01-01", "sv=2019-02-02",
            "sv=2020-12-06", "sv=2012-02-12", "spk=", "epk=zzz", "srk=", "erk=zzz", "tn=other", f"tn={self.table}",
            "si=reader", "sip=", "spr=https,http", "ses=", "st=2000-01-01", "sig=", "sig=AAAA", "comp=acl",
            "%63omp=acl", "comp=properties", "COMP=acl", "comp=", "%73ig=x", "%73p=rwdlacu", "$top=1",
            "timeout=5", "api-version=2019-02-02", "restype=service", "x",
        ))
        sent.target = path + "?" + "&".join(parts[:place] + [wanted] + parts[place:])

    def change_parameter(self, sent):
        path, _, query = sent.target.partition("?")
        parts = [part for part in query.split("&") if part]
        if not parts:
            return
        i, j = self.random.randrange(len(parts)), self.random.randrange(len(parts))
        name, equals, value = parts[i].partition("=")
        other = parts[j].partition("=")
        where = self.random.randrange(9)
        if where == 0:
            parts[i] = name + equals + self.text(value).replace(" ", "%20").replace("&", "%26")
        elif where == 1:
            parts[i], parts[j] = name + "=" + other[2], other[0] + "=" + value
        elif where == 2:
            parts[i] = self.random.choice((name.upper(), name.title(), f"%{ord(name[0]):02x}{name[1:]}" if name else "")) + equals + value
        elif where == 3:
            parts.insert(i, name + "=" + self.text(value).replace(" ", "%20").replace("&", "%26"))
        elif where == 4:
            parts.append(name + "=" + self.text(value).replace(" ", "%20").replace("&", "%26"))
        elif where == 5:
            del parts[i]
        elif where == 6:
            parts[i] = name + equals + "".join(f"%{ord(c):02x}" for c in urllib.parse.unquote(value, "latin-1"))
        elif where == 7:
            self.random.shuffle(parts)
        else:
            parts[i] = name + equals + value.replace("%2B", "+").replace("%3A", ":").replace("%3D", "=")
        sent.target = path + "?" + "&".join(parts)

    def change_other_query(self, sent):
        """Uses the signature of another request."""
        path = sent.target.partition("?")[0]
        sent.target = path + "?" + self.random.choice(self.others).target.partition("?")[2]

    def change_header(self, sent):
        i = self.random.randrange(len(sent.headers))
        name, value = sent.headers[i]
        if name.lower() == "host":
            value = self.random.choice(("devstoreaccount1.table.localhost:10002", "localhost:1",
                                        "devstoreaccount1-secondary.table.localhost", "other.table.localhost"))
            sent.headers[i] = (name, value)
            return
        where = self.random.randrange(6)
        if where == 0:
            sent.headers[i] = (name, self.text(value))
        elif where == 1:
            sent.headers[i] = (self.random.choice((name.upper(), name.lower())), value)
        elif where == 2:
            sent.headers.insert(i, (name, self.text(value)))
        elif where == 3:
            sent.headers.append((name, self.text(value)))
        elif where == 4:
            del sent.headers[i]
        else:
            sent.headers[i] = (name, f" \t {value} \t")

    def change_dates(self, sent):
        old, new = (email.utils.formatdate(time.time() + shift, usegmt=True) for shift in (-3600, 60))
        swapped = {"x-ms-date": "Date", "date": "x-ms-date"}
        self.random.choice((
            lambda: sent.headers.append(("Date", self.random.choice((old, new)))),
            lambda: sent.headers.insert(0, ("x-ms-date", self.random.choice((old, new, "")))),
            lambda: sent.headers.__setitem__(slice(None), [(swapped.get(n.lower(), n), v) for n, v in sent.headers]),
        ))()

    def change_credentials(self, sent):
        given = self.random.choice(self.others)
        stolen = [(n, v) for n, v in given.headers if n in ("Authorization", "x-ms-date", "Date")]
        keep = [(n, v) for n, v in sent.headers if n not in ("Authorization", "x-ms-date", "Date")]
        only = [(n, v) for n, v in sent.headers if n not in ("Authorization",)]
        scheme = {"SharedKey": "SharedKeyLite", "SharedKeyLite": "SharedKey"}
        self.random.choice((
            lambda: sent.headers.__setitem__(slice(None), keep + stolen),
            lambda: sent.headers.__setitem__(slice(None), only + [pair for pair in stolen if pair[0] == "Authorization"]),
            lambda: sent.headers.__setitem__(slice(None), [
                (n, " ".join([scheme.get(v.split(" ")[0], v.split(" ")[0])] + v.split(" ")[1:]) if n == "Authorization" else v)
                for n, v in sent.headers]),
            lambda: sent.headers.append(("X-HTTP-Method", self.random.choice(METHODS))),
            lambda: sent.headers.append(("Content-MD5", "bWQ1")),
            lambda: sent.headers.append(("If-Match", "*")),
        ))()

    def change_form(self, sent):
        """Uses the absolute form of a target."""
        sent.target = "http://" + self.random.choice(("127.0.0.1:1", "devstoreaccount1.table.localhost")) + sent.target


# --- responses --------------------------------------------------------------------------------------


class KeptConnection:
    """Sends requests on one connection, and opens another if the server closes it."""

    def __init__(self, account):
        self.account, self.socket = account, None

    def ask(self, sent):
        for _ in range(2):  # the server may have closed in between
            if self.socket is None:
                self.socket = socket.create_connection((self.account.host, self.account.port), timeout=10)
            try:
                self.socket.sendall(sent.raw())
                answer = http.client.HTTPResponse(self.socket, method=sent.method)
                answer.begin()
                response = Response(answer)
            except (ConnectionError, http.client.BadStatusLine):
                self.close()
                continue
            if answer.will_close:
                self.close()
            return response
        return None  # not valid HTTP

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None


def passed(answer):
    """Returns whether the signature was accepted: the request succeeded, or was refused by a check after
    authentication."""
    behind = answer.code and answer.code.startswith("Authorization")
    return answer.status < 400 or "X-Content-Type-Options" in answer.headers or behind


def entities_of(answer):
    if answer.status != 200 or "json" not in (answer.headers["Content-Type"] or "") or not answer.body:
        return []
    document = answer.json()
    found = document.get("value", [document])
    return [(e["PartitionKey"], e["RowKey"]) for e in found if "PartitionKey" in e]


def check(account, sent, answer):
    """Returns what happened: refused, passed or opened."""
    asked = sent.asked(account)
    if not passed(answer):
        return "refused"
    assert asked.is_signed(), "let in without a signature"
    if answer.status >= 400:
        return "passed"
    assert asked.may(POLICIES), "more than was signed"
    for partition, row in entities_of(answer):
        assert asked.sees(partition, row), f"({partition}, {row}) lies out of the range"
    return "opened"


POLICY = ("<SignedIdentifiers><SignedIdentifier><Id>reader</Id><AccessPolicy><Permission>r</Permission>"
          "</AccessPolicy></SignedIdentifier></SignedIdentifiers>")


def fill(server, table):
    """Creates an entity for each of some keys, and a policy. Creates the table if it was deleted."""
    assert send(server, "POST", "/Tables", body=f'{{"TableName":"{table}"}}').status in (201, 409)
    for partition in PARTITIONS:
        for row in ROWS:
            key = f"(PartitionKey='{partition}',RowKey='{row}')"
            assert send(server, "PUT", f"/{table}{key}", body="{}").status == 204
    assert send(server, "PUT", f"/{table}?comp=acl", {"Accept": "application/xml"}, POLICY).status == 204
    return table


@pytest.fixture
def filled(server):
    return fill(server, create_table(server))


def test_the_model_and_the_server_agree_on_what_is_not_changed(server, filled):
    """The unchanged requests of this file: permitted ones succeed, the others are refused."""
    kept = KeptConnection(server)
    outcomes = {True: 0, False: 0}
    for sent in valid_requests(server, filled):
        answer = kept.ask(sent)
        asked = sent.asked(server)
        assert asked.is_signed(), sent.raw()
        may = asked.may(POLICIES)
        outcomes[may] += 1
        check(server, sent, answer)
        # A write to the secondary location, an entity that exists or not, a key outside of the range of a SAS.
        own = (400, 404, 409) if may else ()
        denied = answer.code in ("InsufficientAccountPermissions", "AuthorizationFailure")
        assert (answer.status < 400 or answer.status in own or denied) if may else answer.status >= 400, (sent.raw(), answer)
    assert min(outcomes.values()) > 20, outcomes


def test_changes_that_leave_the_signed_meaning_are_let_in(server, filled):
    """Decision: otherwise the test below could pass because every request is refused."""
    kept = KeptConnection(server)
    sas = account_sas(server)
    base = f"{server.base}/{filled}()?"
    plain = headers_of(server, {}, "")
    for target in (
        base + sas,
        base + sas.replace("sv=", "SV="),
        base + sas + "&x=1&x=2",
        base + "&".join(reversed(sas.split("&"))),
        base + sas + "&$top=1",
        base + sas.replace("sp=r", "sp=%72"),
    ):
        answer = kept.ask(Sent("GET", target, plain))
        assert check(server, Sent("GET", target, plain), answer) == "opened", target
    for target in (base + "sp=r&" + sas, base + "sig=x&" + sas, base + sas + "&sig=x", base + sas + "&sp=r",
                   base + sas.replace("sig=", "%73ig="),
                   base + sas.replace("sp=rwdlacu", "sp=r"), base + sas.replace("sp=", "%73p=")):
        answer = kept.ask(Sent("GET", target, plain))
        assert answer.status in (401, 403), (target, answer)


def test_whatever_is_changed_nobody_is_let_in_who_may_not(server, filled):
    """Decision: a signature grants only what it was made for."""
    seed = time.time_ns() if SECONDS else 1
    end = time.monotonic() + (SECONDS or DEFAULT_SECONDS)
    kept, counts, renewed = KeptConnection(server), {"refused": 0, "passed": 0, "opened": 0, "no answer": 0}, None
    while time.monotonic() < end:
        if renewed is None or time.monotonic() - renewed > RENEWED_AFTER:
            renewed = time.monotonic()
            requests = valid_requests(server, filled)
            mutator = Mutator(f"{seed}/{sum(counts.values())}", requests, filled)
        sent = mutator.mutated(mutator.random.choice(requests))
        answer = kept.ask(sent)
        try:
            outcome = check(server, sent, answer) if answer else "no answer"
        except Exception as wrong:
            raise AssertionError(f"{wrong}\nseed {seed}: {sent.raw()!r}\nanswer: {answer}") from wrong
        counts[outcome] += 1
        if outcome == "opened" and sent.method not in ("GET", "HEAD") and re.search("tables|comp", sent.target, re.I):
            fill(server, filled)  # allowed, but it may have deleted the table or its policies
    print(f"\nmutated signatures, seed {seed}: {counts}")
    assert server.is_healthy()
    assert counts["refused"] > 200 and counts["passed"] > 20 and counts["opened"] > 20, counts
