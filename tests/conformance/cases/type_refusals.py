"""Types and values that the reader of bodies refuses, and dates out of range."""
from __future__ import annotations

from conformance import (
    LEVELS,
    OPTIONAL,
    Batch,
    Change,
    Session,
    check,
    failed,
    inferred,
    issue,
    product,
    rec,
    rows,
)
from conformance.errors import OUT_OF_RANGE_INPUT, UNREADABLE_BODY

TOPIC = "types"
ATYPICAL = rec("python-2024/test_encoder.create_entity_atypical_values")
UPDATE_ATYPICAL = rec("python-assets/test_encoder.update_entity_atypical_values(first-11)@7807206")
UNKNOWN_TYPE = rec("python-hist/test_table_entity.test_insert_entity_with_full_metadata@eb79ba5")
UNKNOWN_DATE_TYPE = rec("python-hist/test_table_entity.test_timezone@1a4637e")
UNKNOWN_TYPE_PUT = rec("python-hist/test_table_entity.test_update_entity_not_existing@fa87f89")
IN_XML = rec("python-hist/test_table_entity.test_insert_or_merge_entity_with_non_existing_entity@718198f")
LIKE_THE_RECORDED = inferred("Other values that their type cannot hold are refused as the recorded ones are.")
JSON = inferred("The reader of bodies refuses what does not parse.")
WRITES = ("PUT", "PATCH", "MERGE")

BAD_VALUES = [
    ("EdmType.INT64", '"5"', UNKNOWN_TYPE), ("EdmType.BINARY", '"AQID"', UNKNOWN_TYPE),
    ("EdmType.DATETIME", '"2020-01-02T03:04:05Z"', UNKNOWN_DATE_TYPE),
    ("Int64", '"5"', LIKE_THE_RECORDED), ("edm.int64", '"5"', LIKE_THE_RECORDED),
    ("Edm.Text", '"x"', LIKE_THE_RECORDED),
    ("Edm.Int64", '"9223372036854775808"', ATYPICAL),
    ("Edm.Int64", '"-9223372036854775809"', LIKE_THE_RECORDED),
    *(("Edm.Int64", value, LIKE_THE_RECORDED) for value in ('"5.5"', '"five"', '""', '"0x10"')),
    *(("Edm.Int32", value, LIKE_THE_RECORDED) for value in ('"2147483648"', "2147483648", '"-2147483649"',
                                                            '"x"', "1.5", "true")),
    *(("Edm.Boolean", value, LIKE_THE_RECORDED) for value in ('"yes"', "1", '""')),
    *(("Edm.Double", value, LIKE_THE_RECORDED) for value in ('"x"', "true", '""', '"1,5"')),
    *(("Edm.DateTime", value, LIKE_THE_RECORDED)
      for value in ('"yesterday"', '"2019-02-29T00:00:00Z"', '"2019-13-01T00:00:00Z"',
                    '"2019-01-01T25:00:00Z"', "20190101", '""')),
    *(("Edm.Guid", value, LIKE_THE_RECORDED)
      for value in ('"x"', '"9c6cb7d4-7a86-4e5e-8f3c-0a1b2c3d4e5"', '"9c6cb7d4-7a86-4e5e-8f3c-0a1b2c3d4e5g"',
                    '""', "5")),
    *(("Edm.Binary", value, LIKE_THE_RECORDED) for value in ('"!"', '"AQI"', '"A==="', '"_-__"', "5")),
    *(("Edm.String", value, LIKE_THE_RECORDED) for value in ("5", "true")),
]


def body_with(s: Session, value: str, annotation: str = "") -> str:
    annotated = f'"V@odata.type":"{annotation}",' if annotation else ""
    return f'{{"PartitionKey":"{s.pk}","RowKey":"r",{annotated}"V":{value}}}'


def target(s: Session, method: str) -> str:
    return f"/{s.table}" if method == "POST" else s.entity_url()


@check("{method} refuses the {kind} {value}",
       each=[{"method": "POST", **row} for row in rows("kind value evidence", BAD_VALUES)]
       + [{"method": "PATCH", **row} for row in rows("kind value evidence", BAD_VALUES[::4])])
def bad_value(s: Session, method, kind, value):
    s.send(method, target(s, method), body_with(s, value, kind)).fails(UNREADABLE_BODY)


@check("{method} refuses the value {value}", inferred("A property is a value of one of the eight types."),
       product(method=["POST"], value=["{}", "[]", '{"a":1}', "[1]", '["x"]'])
       + product(method=["PUT"], value=["{}", "[1]"]))
def nested(s: Session, method, value):
    s.send(method, target(s, method), body_with(s, value)).fails(UNREADABLE_BODY)


BROKEN = {"an open brace": "{", "a list": "[]", "a text": '"text"', "a number": "5",
          "no JSON": "PartitionKey", "two objects": "{}{}", "a property without value": '{"n":}',
          "no colon": '{"n" 1}',
          "a leading zero": '{"n":01}', "a bare word": '{"n":yes}', "an open text": '{"n":"x}'}


@check("{method} refuses a body of {what}", JSON,
       product(method=["POST"], what=BROKEN) + product(method=["PUT"], what={"a list": "[]", "no JSON": "n"}))
def broken(s: Session, method, what):
    s.send(method, target(s, method), what).fails(UNREADABLE_BODY)


# --- by method, level and preference --------------------------------------------------------------

ACCEPTS = {**{one: one for one in LEVELS}, "application/json": "application/json"}
XML_ACCEPTS = {"*/*": "*/*", "none": None}


def format_evidence(method: str, accept: object, **_):
    if method == "POST":
        return UNKNOWN_TYPE
    return UPDATE_ATYPICAL if accept in ACCEPTS.values() else IN_XML


@check("{method} refuses an Int64 that is too large at Accept {accept}", format_evidence,
       product(method=["POST"], accept=ACCEPTS) + product(method=WRITES, accept={**ACCEPTS, **XML_ACCEPTS}))
def by_accept(s: Session, method, accept):
    s.send(method, target(s, method), body_with(s, '"9223372036854775808"', "Edm.Int64"),
           accept=accept).fails(UNREADABLE_BODY)


@check("{method} refuses the unknown type EdmType.INT64 at Accept {accept}",
       lambda method, accept: IN_XML if method == "PATCH" else UNKNOWN_TYPE_PUT,
       product(method=WRITES, accept={"minimalmetadata": "minimalmetadata", **XML_ACCEPTS}))
def unknown_type(s: Session, method, accept):
    s.send(method, target(s, method), body_with(s, '"5"', "EdmType.INT64"), accept=accept).fails(
        UNREADABLE_BODY)


@check("{method} refuses a value early: no Preference-Applied for {prefer}",
       inferred("What the reader of bodies refuses is an early error, which repeats no preference."),
       product(method=["POST", "PUT", "PATCH"], prefer=["return-no-content", "return-content"]))
def preference(s: Session, method, prefer):
    s.send(method, target(s, method), body_with(s, '"x"', "Edm.Int64"), prefer=prefer).fails(UNREADABLE_BODY)


@check("A refused {method} with If-Match {match} changes nothing", UPDATE_ATYPICAL,
       product(method=WRITES, match=["*", "its ETag"]), requests=3)
def nothing_changed(s: Session, method, match):
    etag = s.given({"n": 1})
    body = body_with(s, '"9223372036854775808"', "Edm.Int64")
    s.send(method, s.entity_url(), body, if_match="*" if match == "*" else etag).fails(UNREADABLE_BODY)
    s.get(s.entity_url()).is_(200, s.document({"n": 1}, etag=etag))


# --- in batches -----------------------------------------------------------------------------------

IN_BATCH = inferred("A batch refuses a part by the code and the sentence of the request alone.")


@check("A batch refuses a bad value: {method} as operation {index}", IN_BATCH,
       product(method=["POST", *WRITES], index=[0, 2]))
def in_batch(s: Session, method, index):
    changes = [Change("POST", f"/{s.table}", s.keys(f"r{number}")) for number in range(index)]
    changes.append(Change(method, target(s, method), body_with(s, '"x"', "Edm.Guid")))
    s.batch(Batch(changes)).has([failed(UNREADABLE_BODY, index)])


@check("A batch refuses a bad value at {level}", IN_BATCH, product(level=LEVELS))
def in_batch_at(s: Session, level):
    change = Change("POST", f"/{s.table}", body_with(s, '"x"', "Edm.Int64"),
                    accept=f"application/json;odata={level}")
    s.batch(Batch([change])).has([failed(UNREADABLE_BODY, 0, level)])


# --- dates out of range ---------------------------------------------------------------------------

TOO_EARLY = issue("Azure/Azurite#1757", "The service answers 400 OutOfRangeInput.")
DATES = ["1600-12-31T23:59:59.9999999Z", "1600-12-31T23:59:59Z", "0001-01-01T00:00:00Z"]


@check("{method} refuses the DateTime {date}", TOO_EARLY,
       product(method=["POST"], date=DATES) + product(method=WRITES, date=DATES[:1]))
def too_early(s: Session, method, date):
    body = body_with(s, f'"{date}"', "Edm.DateTime")
    s.send(method, target(s, method), body).fails(OUT_OF_RANGE_INPUT, more={"Cache-Control": OPTIONAL})
