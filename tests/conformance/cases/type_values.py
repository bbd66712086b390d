"""Values of the eight types: what has no annotation, borders, and how the service writes them."""
from __future__ import annotations

import json

from conformance import Session, check, doc, inferred, issue, product, rec, rows

TOPIC = "types"
MODEL = "learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model"
ATYPICAL = rec("python-2024/test_encoder.create_entity_atypical_values")
ALL_TYPES = rec("java/TableAsyncClientTest.createEntityWithAllSupportedDataTypes")
RAW = rec("python-assets/test_encoder.create_entity_raw@0526594")
TUPLES = rec("python-2024/test_encoder.create_entity_tuples")
DOUBLES = rec("python-assets/test_table_entity.get_entity_with_special_doubles@0526594")
GO = rec("go-2021/TestTableClient_Storage/TestBatchComplex")
DATE_RANGE = doc(MODEL, "The supported DateTime range begins from 12:00 midnight, January 1, 1601 A.D. "
                        "(C.E.), UTC. The range ends at December 31, 9999.")
INT32 = doc(MODEL, "A 32-bit integer.")
INT64 = doc(MODEL, "A 64-bit integer.")
DOUBLE = doc(MODEL, "A 64-bit floating point value.")
NORMALISED = inferred("The service stores values, and writes each in one form.")


def read_back(s: Session, sent: str, answer: str, annotation: str = "") -> str:
    """Inserts the JSON text `sent` as V, judges the echo and the entity. Returns the text of the answer."""
    annotated = f'"V@odata.type":"{annotation}",' if annotation else ""
    body = f'{{"PartitionKey":"{s.pk}","RowKey":"r",{annotated}"V":{sent}}}'
    value = json.loads(answer)
    is_plain = isinstance(value, (bool, int, float)) or annotation in ("", "Edm.String")
    members = {"V": value} if is_plain else {"V@odata.type": annotation, "V": value}
    s.post(f"/{s.table}", body).is_(201, s.document(members))
    return s.get(s.entity_url()).is_(200, s.document(members)).answer.text


# --- numbers --------------------------------------------------------------------------------------

BEYOND = issue("microsoft/AzureStorageExplorer#1382", "if I don't set the type, my number 5454161346626 "
                                                      "become a Double")
NUMBERS = [
    ("0", "0", INT32), ("-1", "-1", INT32), ("-0", "0", NORMALISED),
    ("2147483647", "2147483647", INT32), ("-2147483648", "-2147483648", INT32),
    ("2147483648", "2147483648.0", BEYOND), ("-2147483649", "-2147483649.0", BEYOND),
    ("1700000000000", "1700000000000.0", BEYOND), ("9007199254740993", "9007199254740992.0", BEYOND),
    ("9223372036854775807", "9.2233720368547758E+18", BEYOND),
    ("-9223372036854775808", "-9.2233720368547758E+18", BEYOND),
    ("9223372036854775808", "9.2233720368547758E+18", ATYPICAL),
    ("18446744073709551616000", "1.8446744073709552E+22", ATYPICAL),
    ("-18446744073709551616000", "-1.8446744073709552E+22", ATYPICAL),
    ("7.0", "7.0", ALL_TYPES), ("0.0", "0.0", ALL_TYPES), ("-7.25", "-7.25", DOUBLE), ("0.1", "0.1", DOUBLE),
    ("1e2", "100.0", DOUBLE), ("1E+2", "100.0", DOUBLE), ("25e-1", "2.5", DOUBLE),
    ("7.500", "7.5", NORMALISED),
    ("0.30000000000000004", "0.30000000000000004", DOUBLE),
    ("123456789012345.12", "123456789012345.12", DOUBLE),
    ("1.7976931348623157E+308", "1.7976931348623157E+308", DOUBLE),
    ("-1.7976931348623157E+308", "-1.7976931348623157E+308", DOUBLE),
    ("2.2250738585072014E-308", "2.2250738585072014E-308", DOUBLE),
    ("4.94065645841247E-324", "4.94065645841247E-324", DOUBLE),
    ("-4.94065645841247E-324", "-4.94065645841247E-324", DOUBLE),
    ("-0.0", "0.0", inferred("The suite of the .NET library compares the two zeros, which are equal.")),
]


@check("The number {sent} without annotation is read back as {answer}",
       each=rows("sent answer evidence", NUMBERS))
def number(s: Session, sent, answer):
    read_back(s, sent, answer)


@check("The Double {sent} is written as {answer}",
       each=rows("sent answer evidence", [
           ("12.0", "12.0", ALL_TYPES), ("3.25", "3.25", ALL_TYPES),
           ("1234.5678", "1234.5678", GO),
           ("2.34567890123456e+24", "2.34567890123456E+24",
            rec("js-assets/node/createentity_with_double_number_in_scientific_notation@5350ba0")),
           ("9223372036854775808000", "9.2233720368547758E+21", ATYPICAL)]))
def number_format(s: Session, sent, answer):
    text = read_back(s, sent, answer)
    s.holds(f"the number is written as {answer}", text.endswith(f'"V":{answer}}}'), text[-60:])


ANNOTATED_NUMBERS = [
    ("Edm.Int64", '"0"', '"0"', INT64), ("Edm.Int64", '"-1"', '"-1"', INT64),
    ("Edm.Int64", '"9223372036854775807"', '"9223372036854775807"', ATYPICAL),
    ("Edm.Int64", '"-9223372036854775808"', '"-9223372036854775808"', INT64),
    ("Edm.Int64", '"9007199254740993"', '"9007199254740993"', INT64),
    ("Edm.Int64", '"007"', '"7"', NORMALISED),
    ("Edm.Int32", '"2147483647"', "2147483647", RAW), ("Edm.Int32", '"-2147483648"', "-2147483648", RAW),
    ("Edm.Int32", "-2147483648", "-2147483648", TUPLES),
    ("Edm.Double", '"NaN"', '"NaN"', DOUBLES), ("Edm.Double", '"Infinity"', '"Infinity"', DOUBLES),
    ("Edm.Double", '"-Infinity"', '"-Infinity"', DOUBLES),
    ("Edm.Double", "9", "9.0", rec("python-assets/test_table_batch.batch_same_row_operations_fail@8a03a54")),
    ("Edm.Double", '"10"', "10.0", RAW), ("Edm.Double", '"-2.50"', "-2.5", RAW),
    ("Edm.Double", '"1e3"', "1000.0",
     rec("js-assets/node/createentity_with_double_number_in_scientific_notation@5350ba0")),
    ("Edm.Double", "3000000000", "3000000000.0", DOUBLE),
    ("Edm.Double", '"123456789012345.12"', "123456789012345.12", DOUBLE),
]


@check("The {kind} {sent} is read back as {answer}",
       each=rows("kind sent answer evidence", ANNOTATED_NUMBERS))
def annotated_number(s: Session, kind, sent, answer):
    read_back(s, sent, answer, kind)


# --- DateTime -------------------------------------------------------------------------------------

DIGITS = rec("go-2021/TestTableClient_Storage/TestBatchComplex")
NO_ZEROS = rec("python-assets/test_encoder.create_entity_raw@0526594")
CUT = rec("java/TableAsyncClientTest.createEntityWithAllSupportedDataTypes")
OFFSET = inferred("The recorded offset +00:00 is converted to UTC, and so is any other.")
DATES = [
    *((f"2016-02-29T12:34:56.{'7654321'[:digits]}Z", "", DIGITS) for digits in range(1, 8)),
    ("2016-02-29T12:34:56Z", "", NO_ZEROS),
    ("2016-02-29T12:34:56.76543214Z", "2016-02-29T12:34:56.7654321Z", CUT),
    ("2016-02-29T12:34:56.765432104Z", "2016-02-29T12:34:56.7654321Z", CUT),
    ("2016-02-29T12:34:56.0Z", "2016-02-29T12:34:56Z", NO_ZEROS),
    ("2016-02-29T12:34:56.000000Z", "2016-02-29T12:34:56Z", NO_ZEROS),
    ("2016-02-29T12:34:56.0000000Z", "2016-02-29T12:34:56Z", NO_ZEROS),
    ("2016-02-29T12:34:56.500Z", "2016-02-29T12:34:56.5Z", NO_ZEROS),
    ("2016-02-29T12:34:56.0050000Z", "2016-02-29T12:34:56.005Z", NO_ZEROS),
    ("2016-02-29T12:34:56.0000001Z", "", DIGITS),
    ("2016-02-29T12:34:56.740+00:00", "2016-02-29T12:34:56.74Z", CUT),
    ("2016-02-29T12:34:56+00:00", "2016-02-29T12:34:56Z", CUT),
    ("2016-02-29T12:34:56+02:00", "2016-02-29T10:34:56Z", OFFSET),
    ("2016-02-29T23:34:56.5-05:30", "2016-03-01T05:04:56.5Z", OFFSET),
    ("2016-02-29T12:34:56", "2016-02-29T12:34:56Z", inferred("A time without an offset is UTC.")),
    ("1601-01-01T00:00:00Z", "", DATE_RANGE), ("1601-01-01T00:00:00.0000001Z", "", DATE_RANGE),
    ("1969-12-31T23:59:59.9999999Z", "", DATE_RANGE), ("1970-01-01T00:00:00Z", "", DATE_RANGE),
    ("2038-01-19T03:14:08Z", "", DATE_RANGE), ("9999-12-31T23:59:59Z", "", DATE_RANGE),
    ("9999-12-31T23:59:59.9999999Z", "", DATE_RANGE),
]


@check("The DateTime {sent} is read back as {answer}",
       each=rows("sent answer evidence", [(sent, answer or sent, why) for sent, answer, why in DATES]))
def date_time(s: Session, sent, answer):
    read_back(s, f'"{sent}"', f'"{answer}"', "Edm.DateTime")


# --- Guid and Binary ------------------------------------------------------------------------------

GUID = "9c6cb7d4-7a86-4e5e-8f3c-0a1b2c3d4e5f"
LOWER = inferred("The service stores 128 bits, and writes them in lower case.")


@check("The Guid {sent} is read back as {answer}",
       each=rows("sent answer evidence", [
           (GUID, GUID, RAW), (GUID.upper(), GUID, LOWER), (GUID.title(), GUID, LOWER),
           ("00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000", RAW),
           ("FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "ffffffff-ffff-ffff-ffff-ffffffffffff", LOWER)]))
def guid(s: Session, sent, answer):
    read_back(s, f'"{sent}"', f'"{answer}"', "Edm.Guid")


@check("The Binary {text} is read back", RAW,
       product(text={"of no bytes": "", "with two padding characters": "AQ==", "with one": "AQI=",
                     "with none": "AQID", "with + and /": "+/v/+w==", "of zero bytes": "AAAAAAAA"}))
def binary(s: Session, text):
    read_back(s, f'"{text}"', f'"{text}"', "Edm.Binary")


# --- String and Boolean ---------------------------------------------------------------------------

INFERENCE = rec("go-assets/TestBatchError_storage_tc@a600075")  # dates and base64 without annotation
STRING = doc(MODEL, "A UTF-16-encoded value.")
UNICODE = rec("python-2024/test_encoder.create_entity_atypical_values")
STRINGS = {
    "of no characters": ('""', rec(
        "js/browsers/tableclient_createentity_getentity_and_delete/recording_should_createentity_with_"
        "empty_string")),
    "of one space": ('" "', STRING), "with spaces around": ('"  x "', STRING),
    "that looks like a number": ('"12"', STRING), "that looks like a Boolean": ('"true"', STRING),
    "that looks like null": ('"null"', STRING), "that looks like a double": ('"NaN"', STRING),
    "that looks like a date": ('"2020-01-02T03:04:05Z"', INFERENCE),
    "that looks like a GUID": (f'"{GUID}"', STRING), "that looks like base64": ('"AQID"', INFERENCE),
    "with escapes": (r'"\"\\\/\b\f\n\r\t"', STRING),
    "with escaped letters": (r'"\u0041\u00e9\u4e2d"', STRING),
    "with an escaped surrogate pair": (r'"\ud83d\ude00"', STRING), "in Chinese": ('"中文"', UNICODE),
    "with an emoji": ('"😀"', STRING), "with a combining accent": ('"e\u0301"', STRING),
    "from right to left": ('"שלום"', STRING), "with markup": ('"<a href=\'x\'>&amp;</a>"', STRING),
    "with U+FFFD and U+E000": ('"\ufffd\ue000"', STRING),
}


@check("A String {text} is read back", lambda text: text[1], product(text=STRINGS))
def string(s: Session, text):
    read_back(s, text[0], text[0])


@check("A Boolean {value} is read back", rec("python-assets/test_encoder.create_entity_basic@0526594"),
       product(value=["true", "false"]))
def boolean(s: Session, value):
    read_back(s, value, value)
