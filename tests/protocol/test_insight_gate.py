"""Budgets of requests (rocktable exec --budget, rocktable report --budget, --writeBudget), prices, and stored data."""
import json
import os
import subprocess
import sys

import pytest

from own_server import needs_program
from rocktable_server import BINARY, create_table, send

pytestmark = needs_program

SECONDS = 60

# Writes 120 entities to the table of its first argument, and scans it as often as its second one says.
COMMAND = """
import os, sys
from azure.data.tables import TableClient
table = TableClient.from_connection_string(os.environ["AZURE_TABLES_CONNECTION_STRING"], sys.argv[1])
table.create_table()
for row in range(120):
    table.create_entity({"PartitionKey": f"p{row % 3}", "RowKey": f"{row:03}", "Age": row})
for _ in range(int(sys.argv[2])):
    assert len(list(table.query_entities("Age ge 118"))) == 2
assert table.get_entity("p0", "000")["Age"] == 0
print("done", flush=True)
sys.exit(int(sys.argv[3]))
"""


def run(*words, **options):
    options = {"capture_output": True, "text": True, "timeout": SECONDS, "check": False} | options
    return subprocess.run([str(word) for word in (BINARY, *words)], **options)


def exec_command(*options, table="Log20261121", scans=2, code=0, **more):
    return run("exec", *options, "--", sys.executable, "-c", COMMAND, table, scans, code, **more)


def write(path, **members):
    path.write_text(json.dumps({"version": 1, **members}))
    return path


SCAN_RULE = {"fingerprint": "Age ge ?", "allow": True, "reason": "the nightly export"}
PRICES = {"date": "2026-11-01", "source": "https://example.com", "currency": "EUR", "transactionsPer10000": 1}


# --- exec -----------------------------------------------------------------------------------------


def test_a_table_scan_exceeds_the_usual_budget(tmp_path):
    budget = write(tmp_path / "b.json")
    result = exec_command("--budget", budget)
    assert (result.returncode, result.stdout) == (3, "done\n"), result
    for text in ("rocktable: over budget", "2 table scans read 240 entities to return 4", "log#", "Age ge ?",
                 "at most partition-scan (the default)", "GET /devstoreaccount1/"):
        assert text in result.stderr, (text, result.stderr)
    assert len(result.stderr.splitlines()) < 25


def test_what_a_budget_allows_passes_with_one_line(tmp_path):
    budget = write(tmp_path / "b.json", rules=[SCAN_RULE], totals={"transactions": 124, "entitiesScanned": 241})
    result = exec_command("--budget", budget)
    assert (result.returncode, result.stdout) == (0, "done\n")
    assert result.stderr == f"rocktable: within budget: 124 requests of 4 shapes, judged by {budget}\n"


@pytest.mark.parametrize("totals, text", [
    ({"transactions": 123}, "124 transactions in all"),
    ({"entitiesScanned": 240}, "241 entities scanned in all"),
])
def test_a_total_is_a_ceiling(tmp_path, totals, text):
    result = exec_command("--budget", write(tmp_path / "b.json", rules=[SCAN_RULE], totals=totals))
    assert result.returncode == 3 and text in result.stderr, result


def test_a_rule_names_the_table_in_any_case_and_with_any_date(tmp_path):
    rule = {"table": "LOG20250101", "operation": "QueryEntities", "maxClass": "table-scan", "maxScannedPerReturned": 60}
    assert exec_command("--budget", write(tmp_path / "b.json", rules=[rule])).returncode == 0
    rule["maxScannedPerReturned"] = 59
    result = exec_command("--budget", write(tmp_path / "b.json", rules=[rule]))
    assert result.returncode == 3
    assert f"at most 59 for each one returned ({tmp_path}/b.json:1:" in result.stderr


def test_a_failed_command_keeps_its_exit_code(tmp_path):
    result = exec_command("--budget", write(tmp_path / "b.json"), code=7)
    assert result.returncode == 7 and "over budget" in result.stderr


def test_a_rule_that_no_request_matches_is_told(tmp_path):
    budget = write(tmp_path / "b.json", rules=[SCAN_RULE, {"table": "other", "maxClass": "point"}])
    result = exec_command("--budget", budget)
    assert result.returncode == 0
    passed, line = result.stderr.splitlines()
    assert "within budget" in passed
    assert line.startswith(f"rocktable: {budget}:1:") and "no request matches this rule: table `other`" in line


@pytest.mark.parametrize("text, sentence", [
    ('{"version": 1,\n "rule": []}', ":2:10: rule: unknown property"),
    ("{", ":1:2: this is not JSON"),
    ('{"version": 1, "rules": [{"table": "a", "allow": true}]}', ":1:26: rules[0]: allow needs a reason"),
])
def test_a_bad_budget_is_refused_before_the_command_starts(tmp_path, text, sentence):
    budget = tmp_path / "b.json"
    budget.write_text(text)
    result = exec_command("--budget", budget)
    assert (result.returncode, result.stdout) == (2, "")
    assert f"rocktable: {budget}{sentence}" in result.stderr


@pytest.mark.parametrize("options, sentence", [
    (["--budget", "absent.json"], "absent.json"),
    (["--report", "absent/r.md"], "absent does not exist"),
    (["--report", "r.md", "--prices", "absent.json"], "absent.json"),
    (["--report", "r.md", "--reportFormat", "pdf"], "--reportFormat pdf: must be one of text, markdown"),
    (["--prices", "p.json"], "--prices needs --report"),
    (["--reportFormat", "json"], "--reportFormat needs --report"),
])
def test_mistakes_in_the_options_of_a_report_are_told_before_the_command_starts(tmp_path, options, sentence):
    result = exec_command(*options, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert sentence in result.stderr and len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("name, begins", [("r.md", "#"), ("r.html", "<!"), ("r.json", "{"), ("r.xml", "<?xml"),
                                          ("r", "rocktable")])
def test_a_report_has_the_format_of_its_name(tmp_path, name, begins):
    result = exec_command("--report", tmp_path / name)
    assert (result.returncode, result.stderr) == (0, "")
    text = (tmp_path / name).read_text()
    assert text.lstrip("*# ").lower().startswith(begins.lstrip("#")) and "log#" in text


def test_a_report_follows_what_the_command_printed():
    result = exec_command("--report", "-", "--reportFormat", "json")
    assert (result.returncode, result.stderr) == (0, "")
    first, rest = result.stdout.split("\n", 1)
    assert first == "done"
    report = json.loads(rest)
    (scan,) = [one for one in report["shapes"] if one["plan"] == "table-scan"]
    assert (scan["table"], scan["requests"], scan["entitiesScanned"], scan["entitiesReturned"]) == ("log#", 2, 240, 4)
    assert report["verdict"]["hasBudget"] is False


def test_the_summary_of_a_step_is_appended_as_markdown(tmp_path):
    summary = tmp_path / "step_summary"
    summary.write_text("before\n")
    result = exec_command("--report", summary, env={**os.environ, "GITHUB_STEP_SUMMARY": str(summary)})
    assert result.returncode == 0, result
    text = summary.read_text()
    assert text.startswith("before\n") and "| " in text


def test_prices_give_the_cost_of_the_run(tmp_path):
    prices = write(tmp_path / "p.json", **PRICES)
    result = exec_command("--report", tmp_path / "r.json", "--prices", prices)
    assert result.returncode == 0, result
    cost = json.loads((tmp_path / "r.json").read_text())["verdict"]["cost"]
    assert cost["currency"] == "EUR" and cost["total"]["transactions"] == 124
    assert cost["total"]["cost"] == pytest.approx(0.0124)


def test_a_report_that_cannot_be_written_fails_a_command_that_succeeded(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    result = exec_command("--report", folder)
    assert (result.returncode, result.stdout) == (1, "done\n")
    (line,) = result.stderr.splitlines()
    assert f"the report {folder} cannot be written" in line


# --- report ---------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path):
    """The report of a command, as a file."""
    path = tmp_path / "saved.json"
    result = exec_command("--report", path)
    assert result.returncode == 0, result
    return path


def test_report_judges_a_saved_report(tmp_path, saved):
    result = run("report", "--from", saved, "--budget", write(tmp_path / "b.json"))
    assert result.returncode == 3 and "over budget" in result.stdout, result
    result = run("report", "--from", saved, "--budget", write(tmp_path / "b.json", rules=[SCAN_RULE]))
    assert result.returncode == 0 and "within budget" in result.stdout, result
    (tmp_path / "b.json").write_text("{}")
    result = run("report", "--from", saved, "--budget", tmp_path / "b.json")
    assert result.returncode == 2 and "b.json:1:1: the property version is missing" in result.stderr


def test_a_written_budget_allows_what_is_and_keeps_reasons(tmp_path, saved):
    budget = tmp_path / "b.json"
    result = run("report", "--from", saved, "--writeBudget", budget)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    written = json.loads(budget.read_text())
    assert written["rules"] == [{"table": "log#", "operation": "QueryEntities", "fingerprint": "Age ge ?",
                                 "maxClass": "table-scan", "maxScannedPerReturned": 60}]
    assert written["totals"] == {"transactions": 124, "entitiesScanned": 241}
    assert run("report", "--from", saved, "--budget", budget).returncode == 0
    written["rules"][0]["reason"] = "a small table"
    budget.write_text(json.dumps(written))
    assert run("report", "--from", saved, "--writeBudget", budget).returncode == 0
    assert json.loads(budget.read_text())["rules"][0]["reason"] == "a small table"
    budget.write_text("notes")
    result = run("report", "--from", saved, "--writeBudget", budget)
    assert result.returncode == 1 and "exists and is not a budget" in result.stderr
    assert budget.read_text() == "notes"


def test_the_cost_of_a_month(tmp_path, saved):
    prices = write(tmp_path / "p.json", **PRICES)
    result = run("report", "--from", saved, "--prices", prices, "--times", 1000, "--json")
    cost = json.loads(result.stdout)["verdict"]["cost"]
    assert cost["times"] == 1000 and cost["total"]["cost"] == pytest.approx(12.4)
    result = run("report", "--from", saved, "--times", 5)
    assert result.returncode == 2 and "--times" in result.stderr


def test_the_schema_of_budgets_is_printed():
    result = run("report", "--budgetSchema")
    assert result.returncode == 0
    assert json.loads(result.stdout) == json.loads((BINARY.parents[2] / "docs/budget.schema.json").read_text())


# --- stored data ----------------------------------------------------------------------------------


def test_stored_data_are_looked_through(tmp_path, server):
    table = create_table(server)
    for row in range(1, 13):
        age = {"Age": "x"} if row == 1 else {"Age": 5}
        body = json.dumps({"PartitionKey": "p", "RowKey": f"item{row}", **age})
        answer = send(server, "POST", f"/{table}", body=body)
        assert answer.status == 201
    prices = write(tmp_path / "p.json", **PRICES, storagePerGigabyteMonth=0.5)
    words = ("report", "--data", "--connectionString", server.connection_string, "--table", table)
    result = run(*words, "--prices", prices)
    assert (result.returncode, result.stderr) == (0, ""), result
    for text in (f"{table}: 12 entities in 1 partition", "`item9` and `item10`",
                 "`Age`: Edm.Int32 in 11, Edm.String in 1", f"EUR: storage of {table} for a month"):
        assert text in " ".join(result.stdout.split()), (text, result.stdout)
    report = json.loads(run(*words, "--sample", 5, "--json").stdout)
    assert report["tables"] == [{"table": table, "entities": 5, "partitions": 1, "bytes": report["tables"][0]["bytes"],
                                 "complete": False}]
    assert {one["id"] for one in report["findings"]} == {"mixed-types"}


def test_a_missing_table_is_an_error_of_its_own(server):
    result = run("report", "--data", "--connectionString", server.connection_string, "--table", "absent")
    assert result.returncode == 1
    (line,) = result.stderr.splitlines()
    assert "the table absent" in line and "cannot be read" in line
