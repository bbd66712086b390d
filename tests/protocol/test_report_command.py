"""rocktable report: what requests scanned, from a running server or from a saved report, in each format."""
import json
import pathlib

import pytest

from own_server import needs_program, own_server
from program import refusal, run_command
from rocktable_server import create_table, send

pytestmark = needs_program

SAVED = pathlib.Path(__file__).resolve().parents[1] / "unit" / "client" / "report" / "report.json"

server = own_server(scope="function")


def report(*words, given=None, code=0, **variables):
    ended = run_command("report", *words, given=given, **variables)
    assert (ended.returncode, ended.stderr) == (code, ""), ended
    return ended.stdout


def scan(server, rows=20):
    table = create_table(server)
    for row in range(rows):
        body = '{"PartitionKey":"p%d","RowKey":"1","Age":%d}' % (row, row)
        send(server, "POST", f"/{table}", {"Prefer": "return-no-content"}, body)
    send(server, "GET", f"/{table}()?$filter=Age%20gt%200&$top=1000")


def test_a_running_server_says_what_its_requests_scanned(server):
    scan(server)
    text = report("--url", server.url)
    assert "table-scan" in text and "QueryEntities Age gt ?" in text
    document = json.loads(report("--url", server.url, "--json"))
    (shape,) = [one for one in document["shapes"] if one["operation"] == "QueryEntities"]
    assert (shape["plan"], shape["entitiesScanned"], shape["entitiesReturned"]) == ("table-scan", 20, 19)
    assert document["verdict"]["hasBudget"] is False


def test_a_saved_report_says_the_same(server, tmp_path):
    scan(server)
    told = report("--url", server.url, "--save", tmp_path / "saved.json")
    assert report("--from", tmp_path / "saved.json") == told
    assert report("--from", "-", given=(tmp_path / "saved.json").read_text()) == told
    # What --json prints can be read again, too.
    (tmp_path / "printed.json").write_text(report("--from", tmp_path / "saved.json", "--json"))
    assert report("--from", tmp_path / "printed.json") == told


def test_reset_forgets_after_the_report(server):
    scan(server)
    assert "QueryEntities" in report("--url", server.url, "--reset")
    assert "QueryEntities" not in report("--url", server.url)


def test_an_account_has_its_own_report(server):
    scan(server)
    assert "QueryEntities" in report("--url", server.url, "--account", "devstoreaccount1")
    assert "table-scan" in report("--from", SAVED, "--account", "other")
    assert "orders" not in report("--from", SAVED, "--account", "other")


@pytest.mark.parametrize("name, start", [("r.txt", "rocktable: "), ("r.md", "## rocktable: "), ("r.html", "<!doctype html>"),
                                         ("r.json", "{"), ("r.xml", "<?xml"), ("r", "rocktable: ")])
def test_the_file_tells_the_format(tmp_path, name, start):
    assert report("--from", SAVED, "--output", tmp_path / name) == ""
    assert (tmp_path / name).read_text().startswith(start)
    assert report("--from", SAVED, "--output", tmp_path / name, "--format", "junit") == ""
    assert (tmp_path / name).read_text().startswith("<?xml")


def test_the_summary_of_a_job_is_markdown_and_grows(tmp_path):
    summary = tmp_path / "step_summary_1"
    summary.write_text("# Before\n")
    report("--from", SAVED, "--output", summary, GITHUB_STEP_SUMMARY=str(summary))
    assert summary.read_text().startswith("# Before\n## rocktable: ")


def test_what_is_wrong_is_named(tmp_path):
    (tmp_path / "other.json").write_text("{}")
    (tmp_path / "broken.json").write_text("{")
    assert refusal(1, "report", "--from", tmp_path / "other.json").endswith("it has no version")
    assert refusal(1, "report", "--from", tmp_path / "broken.json").endswith("broken.json is not JSON")
    assert "there is no format pdf; there are text, markdown" in refusal(2, "report", "--format", "pdf")
    assert "--from excludes --reset" in refusal(2, "report", "--from", SAVED, "--reset")
    assert "--account must not be empty" in refusal(2, "report", "--account", "")
    told = json.loads(report("--from", tmp_path / "other.json", "--json", code=1))
    assert told["error"].endswith("it has no version")
