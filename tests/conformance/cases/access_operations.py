"""The operations that the checks of credentials send, each with the permission that a SAS needs.

An operation takes a session, credentials, and a refusal where it must be refused. It judges the answer.
"""
from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple

from conformance import (
    EMPTY,
    UNJUDGED,
    XML,
    Batch,
    Change,
    Session,
    Xml,
    as_sent,
    inserted_no_content,
)
from conformance.errors import Refusal
from conformance.session import Exchange
from conformance.signing import Auth

Judging = Optional[Refusal]
Run = Callable[..., None]  # of a session, credentials and a refusal
PROPERTIES = "/?restype=service&comp=properties"
STATS = "/?restype=service&comp=stats"
NO_POLICIES = "<SignedIdentifiers />"


class Operation(NamedTuple):
    """`resource`: the letter of srt. `letters`: each text is enough for sp, all its letters are necessary."""

    run: Run
    resource: str
    letters: Tuple[str, ...]


def judge(answer: Exchange, refusal: Judging, status: int, body: Any = EMPTY) -> None:
    if refusal:
        answer.fails(refusal)
    else:
        answer.is_(status, body)


def forbidden(answer: Exchange) -> None:
    """Judges the status alone: no source shows the code."""
    error = answer.answer.error
    refusal = Refusal(403, answer.answer.code, error.message if error else "")
    answer.fails(refusal, headers=as_sent(answer.answer))


# --- tables ---------------------------------------------------------------------------------------


def query_tables(s: Session, auth: Auth, refusal: Judging = None) -> None:
    answer = s.get("/Tables", query={"$filter": f"TableName eq '{s.table}'"}, auth=auth)
    judge(answer, refusal, 200, s.documents.tables([s.table]))


def get_table(s: Session, auth: Auth, refusal: Judging = None) -> None:
    judge(s.get(f"/Tables('{s.table}')", auth=auth), refusal, 200, s.documents.table(s.table))


def create_table(s: Session, auth: Auth, refusal: Judging = None) -> None:
    name = s.new_name()
    answer = s.post("/Tables", {"TableName": name}, prefer="return-content", auth=auth)
    judge(answer, refusal, 201, s.documents.table(name))


def delete_table(s: Session, auth: Auth, refusal: Judging = None) -> None:
    judge(s.delete(f"/Tables('{s.new_table()}')", auth=auth), refusal, 204)


# --- entities -------------------------------------------------------------------------------------


def query_entities(s: Session, auth: Auth, refusal: Judging = None) -> None:
    s.given({"n": 1})
    answer = s.get(f"/{s.table}()", query={"$filter": f"PartitionKey eq '{s.pk}'"}, auth=auth)
    item = s.documents.entity_item(s.table, s.pk, "r", {"n": 1}, "minimalmetadata")
    judge(answer, refusal, 200, s.documents.entities(s.table, [item]))


def get_entity(s: Session, auth: Auth, refusal: Judging = None) -> None:
    s.given({"n": 1})
    judge(s.get(s.entity_url(), auth=auth), refusal, 200, s.document({"n": 1}))


def insert_entity(s: Session, auth: Auth, refusal: Judging = None) -> None:
    judge(s.insert({"n": 1}, prefer="return-no-content", auth=auth), refusal, 204)


def changing(method: str) -> Run:
    """Update, merge and delete: an entity that exists, with If-Match."""
    def run(s: Session, auth: Auth, refusal: Judging = None) -> None:
        body = None if method == "DELETE" else {"n": 2}
        answer = s.send(method, s.entity_url(), body, if_match=s.given({"n": 1}), auth=auth)
        judge(answer, refusal, 204)
    return run


def upserting(method: str) -> Run:
    """Insert-or-replace and insert-or-merge: without If-Match."""
    def run(s: Session, auth: Auth, refusal: Judging = None) -> None:
        judge(s.send(method, s.entity_url(), {"n": 1}, prefer="return-no-content", auth=auth), refusal, 204)
    return run


def transaction(s: Session, auth: Auth, refusal: Judging = None) -> None:
    """Two inserts. A refusal is that of the whole batch."""
    changes = [Change("POST", f"/{s.table}", s.keys(row), prefer="return-no-content") for row in "ab"]
    answer = s.batch(Batch(changes), auth=auth)
    if refusal:
        answer.fails(refusal)
    else:
        answer.has([inserted_no_content(s.location(row)) for row in "ab"])


# --- the front end --------------------------------------------------------------------------------


def get_properties(s: Session, auth: Auth, refusal: Judging = None) -> None:
    judge(s.get(PROPERTIES, auth=auth), refusal, 200, UNJUDGED)


def set_properties(s: Session, auth: Auth, refusal: Judging = None) -> None:
    document = "<StorageServiceProperties><Cors /></StorageServiceProperties>"
    judge(s.put(PROPERTIES, document, content_type=XML, auth=auth), refusal, 202)


def get_stats(s: Session, auth: Auth, refusal: Judging = None) -> None:
    judge(s.get(STATS, secondary=True, auth=auth), refusal, 200, UNJUDGED)


def get_policies(s: Session, auth: Auth, refusal: Judging = None) -> None:
    judge(s.get(f"/{s.table}?comp=acl", auth=auth), refusal, 200, Xml(NO_POLICIES, bom=True))


def set_policies(s: Session, auth: Auth, refusal: Judging = None) -> None:
    answer = s.put(f"/{s.table}?comp=acl", NO_POLICIES, content_type=XML, auth=auth)
    judge(answer, refusal, 204)


# --- the tables of operations ---------------------------------------------------------------------

ENTITIES: Dict[str, Operation] = {
    "Query Entities": Operation(query_entities, "o", ("r",)),
    "Get Entity": Operation(get_entity, "o", ("r",)),
    "Insert Entity": Operation(insert_entity, "o", ("a",)),
    "Update Entity": Operation(changing("PUT"), "o", ("u",)),
    "Merge Entity by PATCH": Operation(changing("PATCH"), "o", ("u",)),
    "Merge Entity by MERGE": Operation(changing("MERGE"), "o", ("u",)),
    "Insert Or Replace Entity": Operation(upserting("PUT"), "o", ("au",)),
    "Insert Or Merge Entity by PATCH": Operation(upserting("PATCH"), "o", ("au",)),
    "Insert Or Merge Entity by MERGE": Operation(upserting("MERGE"), "o", ("au",)),
    "Delete Entity": Operation(changing("DELETE"), "o", ("d",)),
}
TABLES: Dict[str, Operation] = {
    "Query Tables": Operation(query_tables, "c", ("l",)),
    "Get Table": Operation(get_table, "c", ("l",)),
    "Create Table": Operation(create_table, "c", ("c", "w")),
    "Delete Table": Operation(delete_table, "c", ("d",)),
}
SERVICE: Dict[str, Operation] = {
    "Get Table Service Properties": Operation(get_properties, "s", ("r",)),
    "Get Table Service Stats": Operation(get_stats, "s", ("r",)),
}
POLICIES: Dict[str, Operation] = {
    "Get Table ACL": Operation(get_policies, "", ()),
    "Set Table ACL": Operation(set_policies, "", ()),
}
