"""The whole set of headers of each operation, the framing of bodies, and connections that stay open."""
from __future__ import annotations

from typing import Any, Dict, Optional

from cases.headers import (
    absent_entity,
    absent_policies,
    batch,
    create_quietly,
    create_table,
    delete_entity,
    delete_table,
    get_entity,
    get_policies,
    get_properties,
    get_table,
    insert,
    insert_quietly,
    query,
    set_policies,
    writing,
)
from conformance import Session, check, inferred, product, rec, wrong_key
from conformance.errors import AUTHENTICATION_FAILED
from conformance.session import Exchange

TOPIC = "headers"

# --- sets of headers ------------------------------------------------------------------------------
# Besides Date, Server, x-ms-request-id and x-ms-version. Their values are judged with each operation.

NOSNIFF = "Cache-Control X-Content-Type-Options "
SETS: Dict[str, tuple] = {
    "Create Table": (create_table, NOSNIFF + "Content-Type Location Transfer-Encoding",
                     rec("python/test_retry.test_retry_callback_and_retry_context")),
    "Create Table without content": (
        create_quietly, NOSNIFF + "Content-Length DataServiceId Location Preference-Applied",
        rec("python-cosmosdb/test_table.test_create_table")),
    "Get Table": (get_table, NOSNIFF + "Content-Type Transfer-Encoding",
                  rec("python-cosmosdb/test_table.test_create_table")),
    "Delete Table": (delete_table, NOSNIFF + "Content-Length",
                     rec("python/test_retry.test_retry_callback_and_retry_context")),
    "Insert Entity": (insert, NOSNIFF + "Content-Type ETag Location Transfer-Encoding",
                      rec("python/test_table_aad.test_aad_delete_entities")),
    "Insert Entity without content": (
        insert_quietly, NOSNIFF + "Content-Length DataServiceId ETag Location Preference-Applied",
        rec("python/test_table_entity.test_entity_create_response_echo")),
    "Get Entity": (get_entity, NOSNIFF + "Content-Type ETag Transfer-Encoding",
                   rec("python/test_table_batch.test_batch_delete")),
    "Query Entities": (query, NOSNIFF + "Content-Type Transfer-Encoding",
                       rec("python/test_table.test_account_sas")),
    "Insert Or Replace Entity": (
        writing("PUT"), NOSNIFF + "Content-Length ETag",
        rec("python/test_table_entity.test_insert_or_replace_entity_with_existing_entity")),
    "Insert Or Merge Entity by PATCH": (writing("PATCH"), NOSNIFF + "Content-Length ETag",
                                        rec("python/test_table.test_account_sas")),
    "Insert Or Merge Entity by MERGE": (
        writing("MERGE"), NOSNIFF + "Content-Length ETag",
        rec("python-cosmosdb/test_table_entity.test_insert_or_merge_entity_with_non_existing_entity")),
    "Delete Entity": (delete_entity, NOSNIFF + "Content-Length",
                      rec("python/test_table_aad.test_aad_delete_entities")),
    "a batch": (batch, NOSNIFF + "Content-Type Transfer-Encoding",
                rec("java/TableAsyncClientTest.submitTransaction")),
    "an error": (absent_entity, NOSNIFF + "Content-Type Transfer-Encoding",
                 rec("python/test_table_aad.test_aad_delete_entities")),
    "Get Table Service Properties": (
        get_properties, "Content-Type Transfer-Encoding", rec("go/TestSetLogging"))}
SETS_OF_POLICIES: Dict[str, tuple] = {
    "Get Table ACL": (get_policies, "Content-Type Transfer-Encoding", rec("go/TestSetAccessPolicy")),
    "Set Table ACL": (set_policies, "Content-Length", rec("go/TestSetAccessPolicy")),
    "an error of the front end": (absent_policies, "Content-Length Content-Type x-ms-error-code",
                                  rec("go-legacy/StorageTableSuite/TestSetPermissionsUnsuccessfully"))}
# What HTTP servers and proxies add.
ADDED = {"connection", "keep-alive", "strict-transport-security", "vary", "access-control-allow-origin",
         "access-control-expose-headers", "access-control-allow-credentials"}


@check("The headers of {what} are those of the service, and no others", lambda what: what[2],
       product(what=SETS_OF_POLICIES), needs=["key"])
@check("The headers of {what} are those of the service, and no others", lambda what: what[2],
       product(what=SETS))
def sets(s: Session, what):
    run, names, _ = what
    wanted = {name.lower() for name in [*names.split(), "Date", "Server", "x-ms-request-id", "x-ms-version"]}
    live = {name.lower() for name, _ in run(s).answer.headers} - (ADDED - wanted)
    s.holds("the headers are those of the service", live == wanted, sorted(live ^ wanted))


@check("The headers of a refused signature are those of the service, and no others",
       rec("python-hist/test_table_service_stats.test_table_service_stats_f@ee9540b"), needs=["key"],
       requests=1)
def refused_signature(s: Session):
    answer = s.get("/Tables", auth=wrong_key).fails(AUTHENTICATION_FAILED).answer
    wanted = {"content-length", "content-type", "x-ms-error-code", "date", "server", "x-ms-request-id"}
    live = {name.lower() for name, _ in answer.headers} - ADDED
    s.holds("the headers are those of the service", live == wanted, sorted(live ^ wanted))


# --- framing and connections ----------------------------------------------------------------------

OPEN = inferred("HTTP/1.1 keeps connections open; a body that is framed wrongly breaks the next answer.")
FRAMED = ("Insert Entity", "Insert Entity without content", "Get Entity", "Delete Entity", "a batch",
          "an error", "Get Table Service Properties")


@check("The connection stays open after {what}", OPEN,
       product(what={name: one[0] for name, one in SETS_OF_POLICIES.items()}), needs=["key"])
@check("The connection stays open after {what}", OPEN, product(what={name: SETS[name][0] for name in FRAMED}))
def stays_open(s: Session, what):
    get_table(s)
    before = s.connections[False].socket
    what(s)
    get_table(s)
    s.holds("the connection is the same", before is not None and s.connections[False].socket is before)


def close(s: Session, **more: Any) -> Exchange:
    return s.get(f"/Tables('{s.table}')", headers={"Connection": "close"}, **more)


@check("Connection: close is answered and closes the connection",
       inferred("HTTP/1.1 ends a connection with the answer to a request that asks for it."), requests=3)
def closes(s: Session):
    answer: Optional[str] = close(s).is_(200, s.documents.table(s.table)).answer.header("Connection")
    s.holds("the answer says that it closes", (answer or "").lower() == "close", answer)
    get_table(s)
