"""rocktable report --logs: the report of a running server, from the diagnostic logs of the real service. The files in
tests/protocol/logs have the same requests in each form that the service's documentation describes."""
import gzip
import json
import os
import pathlib
import subprocess
import time

import pytest

from own_server import needs_program
from program import refusal, run_command
from rocktable_server import BINARY

pytestmark = needs_program

LOGS = pathlib.Path(__file__).resolve().parent / "logs"
FORMS = ["000000.log", "PT1H.json", "event_hub.json", "rows.json", "rows.csv"]
PRICES = {"version": 1, "date": "2026-11-01", "source": "https://example.com", "currency": "EUR",
          "transactionsPer10000": 1}


def report(*words, given=None, code=0):
    ended = run_command("report", "--logs", *words, given=given)
    assert (ended.returncode, ended.stderr) == (code, ""), ended
    return ended.stdout


def document(*words, given=None, code=0):
    return json.loads(report(*words, "--json", given=given, code=code))


def shapes_of(read):
    """What does not depend on the form of the logs."""
    names = ("account", "table", "operation", "plan", "fingerprint", "select", "client", "test", "requests", "errors",
             "conflicts", "continuations", "unbilled", "bytesSent", "milliseconds", "example")
    return [{name: shape.get(name) for name in names} for shape in read["shapes"]]


@pytest.mark.parametrize("form", FORMS)
def test_each_form_has_the_same_report(form):
    read = document(LOGS / form)
    expected = document(LOGS / FORMS[0])
    assert shapes_of(read) == shapes_of(expected)
    assert [finding["id"] for finding in read["findings"]] == ["table-scan"]
    assert (read["logs"]["otherServices"], read["logs"]["broken"], read["logs"]["withoutShape"]) == (1, 0, 1)
    assert read["logs"]["duplicates"] == (1 if form == "000000.log" else 0)
    assert (read["since"], read["until"]) == ("2026-11-26T10:00:00.1234567Z", "2026-11-26T10:00:14.1234567Z")


def test_shapes_are_those_of_a_server():
    shapes = {(one["table"], one["operation"], one["fingerprint"], one["plan"], one["test"]): one
              for one in document(LOGS / "PT1H.json")["shapes"]}
    scan = shapes["orders", "QueryEntities", "Customer eq ?", "table-scan", ""]
    assert (scan["requests"], scan["errors"], scan["unbilled"], scan["continuations"]) == (3, 1, 1, 1)
    assert (scan["client"], scan["bytesSent"]) == ("azsdk-net-Data.Tables/12.8.3", 5184)
    assert scan["milliseconds"]["max"] == 412  # of the service, not with the network: 422
    assert ("orders", "QueryEntities", "PartitionKey eq ? and RowKey ge ?", "row-range", "") in shapes
    assert shapes["orders", "GetEntity", "", "point", ""]["requests"] == 1
    assert shapes["orders", "InsertEntity", "", "", "checkout/pays"]["conflicts"] == 1
    for name in ("UpdateEntity", "InsertOrMergeEntity", "DeleteEntity", "CreateTable", "QueryTables", "Batch"):
        assert any(key[1] == name for key in shapes), name
    (unread,) = [one for key, one in shapes.items() if key[2] == "(not read)"]
    assert (unread["operation"], unread["errors"]) == ("QueryEntities", 1)


def test_what_logs_do_not_have_is_absent():
    read = document(LOGS / "000000.log")
    for shape in read["shapes"]:
        assert not {"entitiesScanned", "entitiesReturned", "entitiesWritten", "bytesRead"} & shape.keys()
    text = report(LOGS / "000000.log")
    assert "Logs do not count entities" in text and "0 entities" not in text
    assert "The service searches the whole table: 3 requests." in text
    for form in ("markdown", "html", "junit"):
        told = report(LOGS / "000000.log", "--format", form)
        assert "do not count entities" in told and "0 scanned" not in told and "entitiesScanned" not in told


def test_secrets_are_masked():
    for form in FORMS:
        told = report(LOGS / form, "--json") + report(LOGS / form, "--format", "html")
        assert "sig=***" in told
        assert "c2VjcmV0" not in told and "4C81DD17" not in told


def test_files_folders_and_standard_input_give_one_report(tmp_path):
    one = document(LOGS / "PT1H.json")["shapes"]
    folder = tmp_path / "y=2026" / "m=11"
    folder.mkdir(parents=True)
    (folder / "PT1H.json").write_bytes((LOGS / "PT1H.json").read_bytes())
    (folder / ".DS_Store").write_bytes(b"\0\1\2")
    (tmp_path / "empty.log").write_bytes(b"")
    assert document(tmp_path)["shapes"] == one
    mixed = document(tmp_path, LOGS / "000000.log", LOGS / "rows.csv", "-", given=(LOGS / "rows.json").read_text())
    assert mixed["logs"]["files"] == 5
    assert sum(shape["requests"] for shape in mixed["shapes"]) == 4 * sum(shape["requests"] for shape in one)
    everything = "".join((LOGS / form).read_text() + "\n" for form in FORMS)  # a byte order mark in the middle
    assert sum(shape["requests"] for shape in document("-", given=everything)["shapes"]) == 5 * 15


def test_broken_lines_are_counted_and_the_first_is_named(tmp_path):
    lines = (LOGS / "000000.log").read_bytes().splitlines(keepends=True)
    file = tmp_path / "a.log"
    file.write_bytes(lines[0] + b"\xff\xfe garbage\r\n" + b"".join(lines[1:3]) + lines[3][:200])
    read = document(file)["logs"]
    assert (read["lines"], read["broken"]) == (5, 2)
    assert read["firstBroken"] == f"{file}:2: it is of none of the known formats"
    assert f"Broken lines: 2. The first is {file}:2" in report(file, "--format", "html")


def test_logs_without_requests_tell_no_numbers_of_entities(tmp_path):
    (tmp_path / "empty.log").write_bytes(b"")
    blobs = (LOGS / "000000.log").read_text().replace(";table;", ";blob;").replace(".table.", ".blob.")
    (tmp_path / "blobs.log").write_text(blobs)
    for name, skipped in (("empty.log", 0), ("blobs.log", len(blobs.splitlines()))):
        assert document(tmp_path / name)["logs"]["otherServices"] == skipped
        for form in ("text", "markdown", "html", "junit"):
            told = report(tmp_path / name, "--format", form)
            assert "0 entities" not in told and "0 returned" not in told, (name, form)


def test_what_is_no_log_is_refused(tmp_path):
    (tmp_path / "other.txt").write_text("hello\n")
    (tmp_path / "packed.gz").write_bytes(gzip.compress(b"1.0;"))
    (tmp_path / "powershell.json").write_text("[]", encoding="utf-16")
    (tmp_path / "none").mkdir()
    good = LOGS / "rows.csv"
    assert refusal(1, "report", "--logs", good, tmp_path / "other.txt").endswith(
        "other.txt is of the known logs; " + f"{tmp_path}/other.txt:1: it is of none of the known formats")
    told = refusal(1, "report", "--logs", tmp_path / "packed.gz")
    assert told.endswith(f"packed.gz is compressed; use: zcat {tmp_path}/packed.gz | rocktable report --logs -")
    assert "powershell.json is UTF-16" in refusal(1, "report", "--logs", tmp_path / "powershell.json")
    assert refusal(1, "report", "--logs", tmp_path / "none").endswith("none has no files")
    assert "absent.log cannot be read" in refusal(1, "report", "--logs", tmp_path / "absent.log")
    assert "--from excludes --logs" in refusal(2, "report", "--logs", good, "--from", "x")
    assert "--logs excludes --reset" in refusal(2, "report", "--logs", good, "--reset")
    assert "--logs about requests" in refusal(2, "report", "--logs", good, "--data")
    assert "--logs must not be empty" in refusal(2, "report", "--logs", "")


def test_a_budget_judges_what_logs_have(tmp_path):
    budget = tmp_path / "budget.json"
    budget.write_text(json.dumps({"version": 1, "totals": {"transactions": 10, "entitiesScanned": 5}}))
    read = document(LOGS / "000000.log", "--budget", budget, code=3)
    violations = {one["id"]: one["sentence"] for one in read["verdict"]["violations"] if one["level"] == "error"}
    assert violations == {"table-scan": "3 table scans", "total-transactions": "14 transactions in all"}
    assert "not judged, because logs do not count entities" in read["verdict"]["unusedRules"][0]
    report(LOGS / "000000.log", "--writeBudget", tmp_path / "ceiling.json")
    assert json.loads((tmp_path / "ceiling.json").read_text())["totals"] == {"transactions": 14}
    assert document(LOGS / "000000.log", "--budget", tmp_path / "ceiling.json")["verdict"]["headline"] == "within budget"


def test_money_is_for_what_the_service_bills(tmp_path):
    (tmp_path / "prices.json").write_text(json.dumps(PRICES))
    cost = document(LOGS / "000000.log", "--prices", tmp_path / "prices.json", "--times", 1000)["verdict"]["cost"]
    assert cost["total"] == {"label": "total", "transactions": 14, "cost": pytest.approx(1.4)}  # 15 without the 503


def test_a_report_of_logs_can_be_saved(tmp_path):
    told = report(LOGS / "rows.csv", "--save", tmp_path / "saved.json")
    assert run_command("report", "--from", tmp_path / "saved.json").stdout == told
    (tmp_path / "printed.json").write_text(report(LOGS / "rows.csv", "--json"))
    assert run_command("report", "--from", tmp_path / "printed.json").stdout == told
    assert "orders" in report(LOGS / "rows.csv", "--account", "shop")
    assert "orders" not in report(LOGS / "rows.csv", "--account", "other")


def write_many(path, template, count):
    """Records with keys, filters and ids of their own; each tenth has a shape that no other one has."""
    with path.open("w", newline="") as file:
        for first in range(0, count, 10_000):
            file.write("".join(template(number) for number in range(first, first + 10_000)))


def analytics_line(number):
    name = f"Property{number}" if number % 10 == 0 else "Age"
    resource = (f"orders(PartitionKey='p{number % 1000}',RowKey='{number}')" if number % 2 else
                f"orders()?$filter=PartitionKey%20eq%20'p{number}'%20and%20{name}%20gt%20{number}&amp;$top=100&amp;sig=x")
    return (f"1.0;2026-11-26T10:{number // 60 % 60:02}:{number % 60:02}.1234567Z;"
            f"{'QueryEntity' if number % 2 else 'QueryEntities'};Success;200;40;{number % 90};authenticated;shop;shop;table;"
            f"\"https://shop.table.core.windows.net:443/{resource}\";\"/shop/orders\";668a4744-7eb3-4e8f-b8d3-{number:012x};0;"
            "192.100.0.102:4362;2019-02-02;601;22;339;417;22;;;;;;\"azsdk-net-Data.Tables/12.8.3 (.NET 8.0.4; Debian)\";;"
            f"\"0a5fb3f0-6cd1-11ec-8f5d-{number:012}\"\n")


def test_a_million_records_take_seconds_and_bounded_memory(tmp_path):
    """Ten seconds on two cores that do nothing else; the bound has room for a busy machine. The memory is that of ten
    thousand shapes, not of the file, which has 490 MB."""
    count = 1_000_000
    write_many(tmp_path / "a.log", analytics_line, count)
    started = time.monotonic()
    with subprocess.Popen([BINARY, "report", "--logs", tmp_path / "a.log", "--json"], stdout=subprocess.PIPE) as process:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    seconds = time.monotonic() - started
    read = json.loads(output)
    print(f"{seconds:.1f} s, of them {usage.ru_utime + usage.ru_stime:.1f} s of processors; {usage.ru_maxrss // 1024} MiB")
    assert status == 0 and read["logs"]["lines"] == count
    assert sum(shape["requests"] for shape in read["shapes"]) == count
    assert len(read["shapes"]) <= 10_002 and read["notCounted"] > 0
    assert usage.ru_utime + usage.ru_stime < 40
    assert usage.ru_maxrss < 400 * 1024  # KiB
