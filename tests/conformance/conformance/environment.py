"""What all checks of a run share: the account, the prefix of the tables, and which tables exist."""
from __future__ import annotations

import random
import re
import ssl
import string
import threading
from typing import Callable, Dict, List, Optional, Set
from urllib.parse import quote

from conformance.answers import Answer
from conformance.connection import Account
from conformance.kinds import resource_kind
from conformance.safety import table_in_body
from conformance.signing import given_sas, shared_key_lite
from conformance.wire import Connection, NoAnswer, Request

VERSION = "2019-02-02"
PROPERTIES = "/?restype=service&comp=properties"


class Environment:
    def __init__(self, account: Account, tls: Optional[ssl.SSLContext]) -> None:
        self.account, self.tls = account, tls
        self.prefix = "conformance" + "".join(random.choices(string.ascii_lowercase, k=8))
        self.tables: Set[str] = set()  # that this run made and has not deleted
        self.shared: Dict[str, str] = {}
        self.lock = threading.RLock()
        self.requests = 0

    def connections(self) -> Dict[bool, Connection]:
        """Returns connections for one thread: False is the primary endpoint, True the secondary one."""
        account = self.account
        pair = {False: Connection(account.primary, self.tls)}
        if account.secondary:
            pair[True] = Connection(account.secondary, self.tls)
        return pair

    def shared_table(self, topic: str, make: Callable[[], str]) -> str:
        with self.lock:
            if topic not in self.shared:
                self.shared[topic] = make()
            return self.shared[topic]

    def note_tables(self, request: Request, answer: Answer) -> None:
        """Keeps track of the tables that exist, from each answer."""
        with self.lock:
            self.requests += 1
            kind = resource_kind(request.target, self.account.primary.path)
            if kind == "table set" and request.method == "POST" and answer.status in (201, 204):
                self.tables.add(table_in_body(request.body) or "")
            elif kind == "one table" and request.method == "DELETE" and answer.status == 204:
                found = re.search(r"\((?:%27|')(.*?)(?:%27|')", request.target.replace("%28", "("))
                self.tables -= {name for name in self.tables if found and name.lower() == found[1].lower()}

    # --- outside of checks ---

    def send(self, connection: Connection, method: str, path: str, body: Optional[bytes] = None,
             accept: str = "application/json;odata=nometadata") -> Answer:
        headers = {"x-ms-version": VERSION, "Accept": accept, "DataServiceVersion": "3.0",
                   "Content-Type": "application/xml" if body else None}
        request = Request(method, f"{self.account.primary.path}{path}", headers, body)
        (shared_key_lite if self.account.key else given_sas)(self.account, request)
        self.requests += 1
        return connection.send(request)

    def first_answer(self) -> Answer:
        """Asks something harmless, to see whether the endpoint answers and accepts the credentials."""
        connection = Connection(self.account.primary, self.tls)
        try:
            return self.send(connection, "GET", "/Tables?$top=1")
        finally:
            connection.close()

    def service_properties(self) -> Optional[bytes]:
        connection = Connection(self.account.primary, self.tls)
        answer = self.send(connection, "GET", PROPERTIES, accept="application/xml")
        connection.close()
        return answer.body.lstrip(b"\xef\xbb\xbf") if answer.status == 200 else None

    def restore_service_properties(self, document: bytes) -> bool:
        connection = Connection(self.account.primary, self.tls)
        answer = self.send(connection, "PUT", PROPERTIES, document, accept="application/xml")
        connection.close()
        return answer.status == 202

    def clean_up(self) -> List[str]:
        """Deletes all tables of this run. Returns the names of those that are left."""
        connection = Connection(self.account.primary, self.tls)
        left = []
        for name in sorted(self.tables | self.listed(connection)):
            try:
                answer = self.send(connection, "DELETE", f"/Tables('{quote(name, safe='')}')")
                if answer.status not in (204, 404):
                    left.append(name)
            except NoAnswer:
                left.append(name)
        connection.close()
        self.tables = set(left)
        return left

    def listed(self, connection: Connection) -> Set[str]:
        """Returns the tables of this run that the service lists: one may exist whose answer was lost."""
        text = quote(f"TableName ge '{self.prefix}' and TableName lt '{self.prefix}{{'", safe="")
        try:
            names = [item["TableName"]
                     for item in self.send(connection, "GET", f"/Tables?$filter={text}").json["value"]]
        except (NoAnswer, ValueError, KeyError, TypeError):
            return set()
        return {name for name in names if name.lower().startswith(self.prefix)}
