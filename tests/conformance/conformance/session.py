"""What a case works with: `s` sends requests and judges the answers."""
from __future__ import annotations

import itertools
import json
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union
from urllib.parse import quote, unquote

from conformance.answers import Answer, parse_multipart
from conformance.batches import Batch
from conformance.differences import BODY, STATUS, Difference
from conformance.documents import Documents, Members, entity_path
from conformance.environment import Environment
from conformance.errors import Refusal
from conformance.expectations import Context, Expected, ExpectedPart, compare
from conformance.headers import LEVELS, HeaderSet, error_headers, usual_headers
from conformance.kinds import kind, operation, resource_kind
from conformance.registry import Check
from conformance.safety import refuse_foreign_tables, table_in_body
from conformance.signing import Auth, given_sas, shared_key_lite
from conformance.values import EMPTY
from conformance.wire import Connection, Request

VERSION = "2019-02-02"
MINIMAL = "application/json;odata=minimalmetadata"
XML = "application/xml"


class PreparationFailed(Exception):
    """A request that prepares a check was not answered as it must be."""


class Stop(Exception):
    """The status or code was not the expected one: what follows has no meaning."""


class BadCase(Exception):
    """The case itself is wrong."""


def accept_of(level: str) -> str:
    """Takes a level of metadata or a whole Accept header."""
    return f"application/json;odata={level}" if level in LEVELS else level


def level_of(accept: str) -> str:
    """Returns the level of metadata of a success: "application/json" alone is minimal."""
    return accept if accept in LEVELS else "minimalmetadata"


class Exchange:
    """A request and its answer. Each one is judged (`is_`, `fails`, `has`) or required to succeed (`ok`)."""

    def __init__(self, session: Session, request: Request, answer: Answer) -> None:
        self.session, self.request, self.answer = session, request, answer
        self.expected: Optional[Expected] = None
        self.settled = False
        self.differences: List[Difference] = []

    @property
    def etag(self) -> str:
        return self.answer.etag

    @property
    def json(self) -> Any:
        return self.answer.json

    @property
    def parts(self) -> List[Answer]:
        """Returns the answers inside the answer to a batch."""
        found = parse_multipart(self.answer.header("Content-Type") or "", self.answer.body)
        return [one.answer() for one in found.parts] if found else []

    @property
    def operation(self) -> str:
        body = (self.request.body or b"").decode("utf-8", "replace")
        return operation(self.request.method, self.request.target, body, self.session.base_path)

    def kind(self) -> Optional[str]:
        """Returns the kind of the expected exchange."""
        if not self.expected:
            return None
        return kind(self.operation, self.expected.status, self.expected.code, self.expected.headers,
                    self.expected.inner())

    def ok(self) -> Exchange:
        """Requires success, for a request that only prepares the check."""
        self.settled = True
        if not 200 <= self.answer.status < 300:
            outcome = f"{self.answer.status} {self.answer.code}".strip()
            raise PreparationFailed(f"{self.operation} is answered {outcome}")
        return self

    def is_(self, status: int, body: Any = None, headers: Optional[HeaderSet] = None,
            more: Optional[HeaderSet] = None, without: Sequence[str] = ()) -> Exchange:
        """Judges a success. `headers`: the whole set, else the usual one with `more` and `without`."""
        if body is None:
            if status == 200 or status == 201:
                raise BadCase("an expected 200 or 201 needs a body")
            body = EMPTY
        if headers is None:
            headers = usual_headers(self.request, status, self.session.base_path, self.made_url())
        headers = {name: value for name, value in {**headers, **(more or {})}.items() if name not in without}
        return self.judge(Expected(status, headers, body))

    def fails(self, refusal: Refusal, headers: Optional[HeaderSet] = None, more: Optional[HeaderSet] = None,
              without: Sequence[str] = ()) -> Exchange:
        """Judges a refusal: its document in the format that the request asks for, and its headers."""
        if self.session.front_end(self.request):
            refusal = refusal.from_front_end()
        if headers is None:
            headers = error_headers(self.request, refusal)
        headers = {name: value for name, value in {**headers, **(more or {})}.items() if name not in without}
        return self.judge(Expected(refusal.status, headers, refusal=refusal))

    def has(self, parts: Sequence[ExpectedPart], changeset: bool = True) -> Exchange:
        """Judges the answer to a batch. `changeset`: False for a query."""
        headers = usual_headers(self.request, 202, self.session.base_path)
        return self.judge(Expected(202, headers, parts=list(parts), changeset=changeset))

    def judge(self, expected: Expected) -> Exchange:
        self.settled, self.expected = True, expected
        cors = self.session.check.topic == "cors"
        self.differences = compare(expected, self.answer, Context(self.request, self.operation, cors))
        if any(one.strength == STATUS for one in self.differences):
            raise Stop
        return self

    def made_url(self) -> str:
        """Returns the URL of what a POST makes, by its body."""
        target = self.request.path[len(self.session.base_path):]
        resource = resource_kind(self.request.target, self.session.base_path)
        if self.request.method != "POST" or resource == "batch":
            return ""
        if resource == "table set":
            return f"{self.session.base}/Tables('{table_in_body(self.request.body)}')"
        try:
            keys = json.loads(self.request.body or b"")
            partition, row = keys["PartitionKey"], keys["RowKey"]
        except (ValueError, KeyError, TypeError):
            return ""
        table = unquote(target.strip("/").split("/")[0]).partition("(")[0]
        return f"{self.session.base}/{entity_path(table, partition, row)}"


class Session:
    """The account, the tables and the keys of one check."""

    names = itertools.count(1)

    def __init__(self, environment: Environment, check: Check, partition: str,
                 connections: Mapping[bool, Connection]) -> None:
        self.environment, self.check, self.pk, self.connections = environment, check, partition, connections
        self.account = environment.account
        self.local = self.account.local
        self.base, self.base_path = self.account.primary.base, self.account.primary.path
        self.documents = Documents(self.account)
        self.exchanges: List[Exchange] = []
        self.broken_rules: List[Difference] = []

    # --- tables and keys ---

    @property
    def table(self) -> str:
        """The table that the checks of a topic share. Each check has a PartitionKey of its own, `s.pk`."""
        return self.environment.shared_table(self.check.topic, lambda: self.new_table("shared"))

    def shared_table(self, word: str, fill: Callable[[str], None]) -> str:
        """Returns a table that checks of the topic share besides `table`. `fill` writes its entities, once."""
        def make() -> str:
            name = self.new_table(word)
            fill(name)
            return name
        return self.environment.shared_table(f"{self.check.topic} {word}", make)

    def new_name(self, word: str = "") -> str:
        """Returns a name that no table has and had."""
        return f"{self.environment.prefix}{word}{next(self.names)}"

    def new_table(self, word: str = "") -> str:
        name = self.new_name(word)
        self.post("/Tables", {"TableName": name}, prefer="return-no-content").ok()
        return name

    def entity_url(self, row: str = "r", partition: Optional[str] = None, table: Optional[str] = None) -> str:
        """Returns "/table(PartitionKey='..',RowKey='..')", encoded."""
        return "/" + entity_path(table or self.table, self.pk if partition is None else partition, row)

    def keys(self, row: str = "r", partition: Optional[str] = None) -> Dict[str, str]:
        return {"PartitionKey": self.pk if partition is None else partition, "RowKey": row}

    def location(self, row: str = "r", partition: Optional[str] = None, table: Optional[str] = None) -> str:
        return self.base + self.entity_url(row, partition, table)

    def given(self, members: Optional[Members] = None, row: str = "r", partition: Optional[str] = None,
              table: Optional[str] = None) -> str:
        """Prepares an entity by an insert. Returns its ETag."""
        body = {**self.keys(row, partition), **(members or {})}
        return self.post(f"/{table or self.table}", body, prefer="return-no-content").ok().etag

    def document(self, members: Members, level: str = "minimalmetadata", row: str = "r",
                 partition: Optional[str] = None, table: Optional[str] = None, **more: Any) -> Dict[str, Any]:
        """Returns the body of a GET of an entity of this check; more: see Documents.entity."""
        partition = self.pk if partition is None else partition
        return self.documents.entity(table or self.table, partition, row, members, level, **more)

    # --- requests ---

    def send(self, method: str, path: str, body: Any = None, *, accept: Optional[str] = "",
             prefer: Optional[str] = None, if_match: Optional[str] = None,
             query: Union[str, Mapping[str, str]] = "",
             content_type: Optional[str] = "application/json", version: Optional[str] = VERSION,
             headers: Optional[Mapping[str, Any]] = None, auth: Optional[Auth] = None,
             secondary: bool = False) -> Exchange:
        """Sends a request, and does not judge it.

        path     as it goes out, without the account; `query` as a text goes out as it is, a dict is encoded
        body     a dict or list is sent as JSON, a text or bytes as they are
        accept   a level of metadata or a whole header; None for none. Default: minimal JSON, for comp=... XML
        headers  more headers; None removes one, a list sends it several times
        """
        if isinstance(query, Mapping):
            query = "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items())
        endpoint = self.account.secondary if secondary else self.account.primary
        assert endpoint, "a check that uses the secondary endpoint declares it in `needs`"
        target = f"{endpoint.path}{path}" + (f"{'&' if '?' in path else '?'}{query}" if query else "")
        if accept == "":
            accept = XML if "comp=" in target else MINIMAL
        if isinstance(body, (dict, list)):
            body = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        data = body.encode("utf-8") if isinstance(body, str) else body
        fields: Dict[str, Any] = {
            "x-ms-version": version, "DataServiceVersion": "3.0", "Accept": accept and accept_of(accept),
            "Content-Type": content_type if data is not None else None, "Prefer": prefer,
            "If-Match": if_match}
        fields.update(headers or {})
        request = Request(method, target, fields, data)
        refuse_foreign_tables(request, endpoint.path, self.environment.prefix)
        (auth or (shared_key_lite if self.account.key else given_sas))(self.account, request)
        answer = self.connections[secondary].send(request)
        self.environment.note_tables(request, answer)
        exchange = Exchange(self, request, answer)
        self.exchanges.append(exchange)
        return exchange

    def get(self, path: str, **more: Any) -> Exchange:
        return self.send("GET", path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> Exchange:
        return self.send("POST", path, body, **more)

    def put(self, path: str, body: Any = None, **more: Any) -> Exchange:
        return self.send("PUT", path, body, **more)

    def patch(self, path: str, body: Any = None, **more: Any) -> Exchange:
        return self.send("PATCH", path, body, **more)

    def merge(self, path: str, body: Any = None, **more: Any) -> Exchange:
        return self.send("MERGE", path, body, **more)

    def delete(self, path: str, **more: Any) -> Exchange:
        return self.send("DELETE", path, **more)

    def insert(self, members: Members, row: str = "r", **more: Any) -> Exchange:
        """Inserts an entity with the keys of this check, to be judged."""
        return self.post(f"/{self.table}", {**self.keys(row), **members}, **more)

    def batch(self, batch: Union[Batch, str], **more: Any) -> Exchange:
        if isinstance(batch, Batch):
            more.setdefault("content_type", batch.content_type())
            batch = batch.render(self.account.primary)
        return self.send("POST", "/$batch", batch, **more)

    def front_end(self, request: Request) -> bool:
        return resource_kind(request.target, self.base_path) in ("acl", "properties", "stats")

    def wait_for_service(self, seconds: float = 30) -> None:
        """Waits for a setting that the real service takes time to apply."""
        if not self.local:
            time.sleep(seconds)

    # --- the end of the check ---

    def holds(self, rule: str, true: bool, detail: object = "") -> None:
        """Judges a rule that no single answer shows, as that the pages are all rows. Counts as a body."""
        if not true:
            self.broken_rules.append(Difference(BODY, f"not so: {rule}", str(detail)))

    def finish(self) -> None:
        """Raises BadCase where the case does not judge what it sends."""
        if not any(one.expected for one in self.exchanges):
            raise BadCase("the case judges nothing")
        for one in self.exchanges:
            if not one.settled:
                raise BadCase(f"the answer to {one.operation} is neither judged nor required to be ok()")
