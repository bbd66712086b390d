"""Advice that names keys: its code, in the language of the client, finds what the dear query found, and reads little.

Each case asks a table by an SDK, takes the advice of `GET /_rocktable/queries`, executes its code, and compares.
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fixture_control import done
from own_server import needs_program, own_server
from rocktable_server import create_table, send

pytestmark = needs_program

CLIENTS = Path(__file__).resolve().parents[1]
PROGRAMS = {"python": [sys.executable, CLIENTS / "python/design/program.py"],
            "javascript": ["node", "--experimental-global-webcrypto", "--no-warnings",
                           CLIENTS / "javascript/design/program.mjs"]}
USER_AGENT_OF_DOTNET = "azsdk-net-Data.Tables/12.13.0"

# Name: finding, dear request, values that the code asks for, Numbers that it must find.
CASES = {
    "inPartition": ("scanned-per-returned", "PartitionKey eq 'p0' and Status eq 'open'",
                    {"partitionKey": "p0", "status": "open"}, [0, 75]),
    "rangeInPartition": ("scanned-per-returned",
                         "PartitionKey eq 'p0' and Created ge datetime'2026-11-01T06:00:00Z' and "
                         "Created lt datetime'2026-11-01T12:00:00Z'",
                         {"partitionKey": "p0", "begin": {"time": "2026-11-01T06:00:00+00:00"},
                          "end": {"time": "2026-11-01T12:00:00+00:00"}}, [6, 9]),
    "elsewhere": ("table-scan", "Customer eq 'c1'", {"customer": "c1"}, list(range(1, 150, 6))),
    "rangeElsewhere": ("table-scan", "Customer eq 'c1' and Age ge 130", {"customer": "c1", "begin": 130}, [133, 139, 145]),
    "flag": ("table-scan", "IsOpen", {"isOpen": True}, list(range(0, 150, 7))),
    "onePartition": ("table-scan", "Age ge 8 and Age lt 11", {"begin": 8, "end": 11}, [8, 9, 10]),
    "row": ("table-scan", "RowKey eq '007'", {"rowKey": "007"}, [7]),
    "partitions": ("or-across-partitions", "PartitionKey eq 'p0' or PartitionKey eq 'p1'",
                   {"partitionKeys": ["p0", "p1"]}, [one for one in range(150) if one % 3 != 2]),
    "rows": ("or-across-rows", "PartitionKey eq 'p0' and (RowKey eq '003' or RowKey eq '057')",
             {"partitionKey": "p0", "rowKeys": ["003", "057"]}, [3, 57]),
    "reads": ("n-plus-one", [f"{one:03}" for one in range(0, 60, 3)],
              {"partitionKey": "p0", "rowKeys": [f"{one:03}" for one in range(0, 60, 3)]}, list(range(0, 60, 3))),
    "writes": ("single-writes", None, {}, []),
}
MANY_TIMES = {"scanned-per-returned": 2, "or-across-rows": 2}  # a finding needs 100 entities; a partition has 50

server = own_server("--anyAccount")


def in_words_of(language, name):
    return re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name) if language == "python" else name


def run(server, language, table, step, **given):
    ended = subprocess.run([*PROGRAMS[language], table, step], input=json.dumps(given), capture_output=True, text=True,
                           env={**os.environ, "AZURE_STORAGE_CONNECTION_STRING": server.connection_string}, timeout=60,
                           check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def report(server):
    return done(server, "GET", "queries")


def design_of(server, finding, table):
    found = [one["design"] for one in report(server)["findings"] if one["id"] == finding and one["table"] == table.lower()]
    assert len(found) == 1, (finding, table, report(server)["findings"])
    return found[0]


@pytest.mark.parametrize("language", PROGRAMS)
@pytest.mark.parametrize("case", CASES)
def test_the_code_finds_what_the_query_found_and_reads_little(server, language, case):
    finding, asked, values, expected = CASES[case]
    table = f"{case}In{language}"
    run(server, language, table, "seed")
    for _ in range(MANY_TIMES.get(finding, 1) if asked else 0):
        run(server, language, table, "ask", **({"rows": asked} if isinstance(asked, list) else {"filter": asked}))
    design = design_of(server, finding, table)
    assert design["language"] == language
    assert case == "writes" or f"{len(expected)} entit" in design["sentence"] or finding == "n-plus-one"
    done(server, "POST", "queries/reset")
    found = run(server, language, table, "advised", code=design["code"],
                values={in_words_of(language, name): value for name, value in values.items()},
                writes="index =" in design["code"])
    assert json.loads(found) == expected
    reads = [one for one in report(server)["shapes"] if one["operation"] in ("QueryEntities", "GetEntity")]
    assert sum(one["entitiesScanned"] for one in reads) == len(expected)
    assert {one["plan"] for one in reads} <= {"point", "row-range", "partition-scan"}


def test_the_code_for_csharp_is_what_its_tests_run(server):
    source = "".join((CLIENTS / "dotnet/current/DesignCode.cs").read_text().split())
    for case, (finding, asked, _, _) in CASES.items():
        table = f"{case}InCSharp"
        create_table(server, table)
        headers = {"User-Agent": USER_AGENT_OF_DOTNET}
        for number in sorted(range(150), key=lambda number: number % 3):
            entity = {"PartitionKey": f"p{number % 3}", "RowKey": f"{number:03}", "Status": "open" if number % 75 == 0 else "done",
                      "Customer": f"c{number % 6}", "Age": number, "IsOpen": number % 7 == 0, "Number": number,
                      "Created": f"2026-11-{1 + number // 24:02}T{number % 24:02}:00:00Z",
                      "Created@odata.type": "Edm.DateTime"}
            assert send(server, "POST", f"/{table}", headers, json.dumps(entity)).status == 201
        rows = asked if isinstance(asked, list) else []
        filters = [asked] * MANY_TIMES.get(finding, 1) if isinstance(asked, str) else []
        for target in [f"(PartitionKey='p0',RowKey='{row}')" for row in rows] + [
                "()?$filter=" + one.replace(" ", "%20") for one in filters]:
            assert send(server, "GET", f"/{table}{target}", headers).status == 200
        design = design_of(server, finding, table)
        assert design["language"] == "csharp"
        for part in design["code"].strip().split("\n\n"):
            assert "".join(part.split()) in source, part
