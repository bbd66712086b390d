"""The names that cases are written with."""
from conformance.batches import (
    Batch,
    Change,
    deleted,
    failed,
    found,
    inserted,
    inserted_no_content,
    updated,
)
from conformance.documents import encoded_key, entity_path, sorted_members, typed
from conformance.evidence import doc, inferred, issue, rec
from conformance.headers import LEVELS, as_sent, empty_answer, json_answer
from conformance.registry import check, product, rows
from conformance.session import MINIMAL, XML, Session, level_of
from conformance.signing import (
    account_sas,
    anonymous,
    http_date,
    shared_key,
    shared_key_lite,
    table_sas,
    utc,
    wrong_key,
)
from conformance.values import (
    ANY,
    EMPTY,
    ETAG,
    GUID,
    OPTIONAL,
    PRESENT,
    TIMESTAMP,
    TOKEN,
    UNJUDGED,
    Holds,
    Xml,
    etag_of,
    timestamp_of,
)
