"""Writers that record acknowledged requests, and requests without a response when the server died.

A writer owns its partitions and its own tables, so that it knows the state of its entities without a lock. It records a
request before sending it, and the response after. In between, the server may apply the request or not, but only as a
whole.
"""
import contextlib
import http.client
import json
import re
import socket
import threading
import urllib.parse

import rocktable_server as rocktable
from fixture_control import moment

GONE = (OSError, http.client.HTTPException)  # errors of a client whose server dies
PARTITIONS = 3
ROWS = 100
MOST_IN_A_TRANSACTION = 100
SIZES = (0, 10, 200, 3000)  # characters in addition to the number of a value
BATCH_BYTES = 3 << 20


class Violation(AssertionError):
    """The store violated a guarantee."""


class Unexpected(AssertionError):
    """A response that no state of the store explains."""


class Client:
    """One keep-alive connection, used by one thread."""

    def __init__(self, server):
        self._server = server
        self._socket = socket.create_connection((server.host, server.port), timeout=20)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, method, target, headers=None, body=None):
        data = rocktable.request_bytes(self._server, method, self._server.base + target, headers, body)
        self._socket.sendall(data)
        return rocktable.read_response(self._socket, method)

    def close(self):
        self._socket.close()


def entity_path(table, key):
    return f"/{table}(PartitionKey='{key[0]}',RowKey='{key[1]}')"


def text(number, size):
    """Returns the value of a property; its number identifies the write."""
    return f"{number}:" + "x" * size


class Entity:
    """The known state of one entity: its properties and ETag, or None if it is absent."""

    def __init__(self):
        self.properties, self.etag = None, None
        self.seen = set()  # every ETag the entity ever had

    def becomes(self, properties, etag):
        if properties is not None:
            if etag in self.seen:
                raise Violation(f"the ETag {etag} comes back")
            self.seen.add(etag)
        self.properties, self.etag = properties, etag


class Change:
    """One operation on one entity: its effect, and its request."""

    def __init__(self, key, method, properties, sent=None, if_match=None):
        self.key, self.method, self.properties, self.sent, self.if_match = key, method, properties, sent, if_match

    def headers(self):
        return {"If-Match": self.if_match} if self.if_match else {}

    def body(self):
        if self.method == "DELETE":
            return None
        return json.dumps({"PartitionKey": self.key[0], "RowKey": self.key[1], **self.sent})

    def target(self, table):
        return f"/{table}" if self.method == "POST" else entity_path(table, self.key)


class Table:
    """A table and its unacknowledged requests."""

    def __init__(self, name, exists):
        self.name, self.exists = name, exists
        self.entities = {}
        self.under_way = []  # changes of one request: all or none
        self.creation_or_deletion_under_way = False

    def entity(self, key):
        return self.entities.setdefault(key, Entity())

    def is_now(self, exists):
        self.exists, self.creation_or_deletion_under_way = exists, False
        for entity in self.entities.values():
            entity.properties, entity.etag = None, None


class Writer:
    """Writes until the server dies. All writers share `tables`; each creates and deletes a table of its own."""

    def __init__(self, number, random, shared, sizes=SIZES):
        self.number, self.random, self.sizes = number, random, sizes
        self.tables = [Table(name, True) for name in shared] + [Table(f"own{number}", False)]
        self.acknowledged = 0
        self.last_etag = ""  # of all entities: timestamps never decrease
        self._operation = 0
        self.failure = None

    # --- one round ---

    def start(self, server):
        self.thread = threading.Thread(target=self._run, args=(server,), daemon=True)
        self.thread.start()

    def join(self):
        self.thread.join(60)
        if self.thread.is_alive():
            raise Unexpected("a writer hangs")
        if self.failure:
            raise self.failure

    def _run(self, server):
        try:
            with contextlib.closing(Client(server)) as client:
                while True:
                    self._step(client)
        except (Violation, Unexpected) as failure:
            self.failure = failure
        except GONE:
            pass  # the server is dead; unacknowledged requests stay recorded

    def _step(self, client):
        table = self.random.choice(self.tables)
        if table is self.tables[-1] and (not table.exists or self.random.random() < 0.05):
            self._create_or_delete(client, table)
        elif self.random.random() < 0.3:
            self._transaction(client, table)
        elif self.random.random() < 0.1:
            self._refused(client, table)
        else:
            self._single(client, table)

    # --- operations ---

    def _key(self):
        return f"w{self.number}p{self.random.randrange(PARTITIONS)}", f"{self.random.randrange(ROWS):03}"

    def _properties(self, size):
        self._operation += 1
        names = self.random.choice((("A",), ("B",), ("A", "B")))
        return {name: text(self._operation, size) for name in names}

    def _change(self, table, key, size):
        """Returns a change that must succeed in the current state of the entity."""
        now = table.entity(key)
        sent = self._properties(size)
        if now.properties is None:
            return Change(key, self.random.choice(("POST", "PUT", "MERGE")), sent, sent)
        condition = self.random.choice((None, "*", now.etag))
        kind = self.random.choice(("PUT", "PUT", "MERGE", "MERGE", "DELETE"))
        if kind == "DELETE":
            return Change(key, kind, None, if_match=condition or "*")
        after = sent if kind == "PUT" else {**now.properties, **sent}
        return Change(key, kind, after, sent, condition)

    def _single(self, client, table):
        change = self._change(table, self._key(), self.random.choice(self.sizes))
        table.under_way = [change]
        headers = {"Prefer": "return-no-content", **change.headers()}
        answer = client.send(change.method, change.target(table.name), headers, change.body())
        if answer.status != 204:
            raise Unexpected(f"{change.method} {change.target(table.name)}: {answer}")
        self._acknowledge(table, [answer.headers["ETag"]] if change.properties is not None else [])

    def _refused(self, client, table):
        """Sends a change whose condition does not hold, which must change nothing."""
        key = self._key()
        if table.entity(key).properties is None:
            return
        sent = self._properties(0)
        stale = "W/\"datetime'2020-01-01T00%3A00%3A00Z'\""
        change = Change(key, self.random.choice(("PUT", "MERGE", "DELETE")), None, sent, stale)
        answer = client.send(change.method, change.target(table.name), change.headers(), change.body())
        if answer.status != 412:
            raise Unexpected(f"{change.method} with a stale ETag: {answer}")

    def _transaction(self, client, table):
        partition = self._key()[0]
        count = self.random.randint(2, MOST_IN_A_TRANSACTION)
        rows = self.random.sample(range(ROWS), count)
        size = min(self.random.choice(self.sizes), BATCH_BYTES // count // 2)
        changes = [self._change(table, (partition, f"{row:03}"), size) for row in rows]
        parts = []
        for change in changes:
            fields = "".join(f"{name}: {value}\r\n" for name, value in change.headers().items())
            if change.method == "POST":
                fields += "Prefer: return-no-content\r\n"
            target = change.target(table.name).lstrip("/")
            parts.append(rocktable.batch_part(client._server, change.method, target, change.body(), fields))
        table.under_way = changes
        answer = client.send("POST", "/$batch", rocktable.BATCH_HEADERS, rocktable.batch_body(parts))
        if answer.status != 202 or answer.text.count("HTTP/1.1 204") != count:
            raise Unexpected(f"a transaction of {count}: {answer}")
        self._acknowledge(table, re.findall(r"^ETag: (.*)\r$", answer.text, re.MULTILINE))

    def _acknowledge(self, table, etags):
        changes, table.under_way = table.under_way, []
        written = [change for change in changes if change.properties is not None]
        if len(written) != len(etags) or len(set(etags)) > 1:
            raise Unexpected(f"{len(written)} entities were written, with the ETags {etags}")
        for etag in etags[:1]:
            if moment(etag) <= moment(self.last_etag):
                raise Violation(f"the ETag {etag} comes after {self.last_etag}")
            self.last_etag = etag
        for change in changes:
            table.entity(change.key).becomes(change.properties, etags[0] if change.properties is not None else None)
        self.acknowledged += 1

    def _create_or_delete(self, client, table):
        table.creation_or_deletion_under_way = True
        if table.exists:
            answer = client.send("DELETE", f"/Tables('{table.name}')")
        else:
            body = json.dumps({"TableName": table.name})
            answer = client.send("POST", "/Tables", {"Prefer": "return-no-content"}, body)
        if answer.status != 204:
            raise Unexpected(f"creating or deleting the table {table.name}: {answer}")
        table.is_now(not table.exists)
        self.acknowledged += 1


# --- after the restart ----------------------------------------------------------------------------


def entities_of(client, table):
    """Returns the entities of a table as {key: (properties, etag)}, or None if there is no such table."""
    found, tokens = {}, ""
    while True:
        answer = client.send("GET", f"/{table}()?{tokens}", {"Accept": "application/json;odata=fullmetadata"})
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise Violation(f"{table} cannot be read: {answer}")
        for entity in answer.json()["value"]:
            key = entity.pop("PartitionKey"), entity.pop("RowKey")
            if key in found:
                raise Violation(f"{table} has {key} twice")
            etag = entity["odata.etag"]
            found[key] = {name: entity[name] for name in ("A", "B") if name in entity}, etag
        tokens = urllib.parse.urlencode(rocktable.continuation(answer))
        if not tokens:
            return found


class Check:
    """Compares the contents of the server with the state of the writers, and updates that state."""

    def __init__(self, server, writers):
        self._server, self._writers = server, writers
        self.entities = 0

    def run(self):
        with contextlib.closing(Client(self._server)) as client:
            tables = {table.name for writer in self._writers for table in writer.tables}
            found = {name: entities_of(client, name) for name in sorted(tables)}
            for writer in self._writers:
                for table in writer.tables:
                    self._table(client, writer, table, found[table.name])
            known = {key for writer in self._writers for table in writer.tables for key in
                     ((table.name, *k) for k, e in table.entities.items() if e.properties is not None)}
            there = {(name, *key) for name, entities in found.items() for key in entities or ()}
            if surplus := there - known:
                raise Violation(f"{len(surplus)} entities that nobody wrote: {sorted(surplus)[:5]}")
            self.entities = len(there)

    def _table(self, client, writer, table, found):
        if table.creation_or_deletion_under_way and (found is not None) != table.exists:
            table.is_now(found is not None)
        table.creation_or_deletion_under_way = False
        if (found is not None) != table.exists:
            raise Violation(f"the table {table.name} is {'there' if table.exists else 'back'} no more")
        if found is None:
            self._recreate(client, table)
            return
        changes, table.under_way = table.under_way, []
        self._all_or_nothing(writer, table, changes, found)
        for key, entity in table.entities.items():
            now = found.get(key)
            expected = None if entity.properties is None else (entity.properties, entity.etag)
            if now != expected:
                raise Violation(f"{table.name}{key} was acknowledged as {brief(expected)} and is {brief(now)}")

    def _recreate(self, client, table):
        """Checks that a table created again is empty."""
        answer = client.send("POST", "/Tables", {"Prefer": "return-no-content"}, json.dumps({"TableName": table.name}))
        if answer.status != 204:
            raise Violation(f"{table.name} cannot be created again: {answer}")
        if rows := entities_of(client, table.name):
            raise Violation(f"{len(rows)} rows of the deleted table {table.name} are back")
        table.is_now(True)

    def _all_or_nothing(self, writer, table, changes, found):
        done = {change.key: self._is_done(table, change, found.get(change.key)) for change in changes}
        if len(set(done.values())) > 1:
            count = sum(done.values())
            raise Violation(f"of a transaction on {table.name} with {len(changes)} operations {count} were done")
        if not changes or not done[changes[0].key]:
            return
        etags = {found[change.key][1] for change in changes if change.properties is not None}
        if len(etags) > 1:
            raise Violation(f"a transaction on {table.name} left the ETags {sorted(etags)}")
        for etag in etags:
            if moment(etag) <= moment(writer.last_etag):
                raise Violation(f"the ETag {etag} comes after {writer.last_etag}")
            writer.last_etag = etag
        for change in changes:
            table.entity(change.key).becomes(change.properties, found.get(change.key, (None, None))[1])

    def _is_done(self, table, change, now):
        """Returns whether the change was applied; otherwise the entity must be unchanged."""
        before = table.entity(change.key)
        if now is None:
            return before.properties is not None  # absent: deleted, or absent before
        return now[1] != before.etag


def brief(state):
    if state is None:
        return "absent"
    properties, etag = state
    return {name: value[:12] + ("..." if len(value) > 12 else "") for name, value in properties.items()}, etag
