#!/usr/bin/python3
"""Writes docs/fidelity.md: how faithful emulators are to the service, by the suite in tests/conformance.

    tests/fidelity.py record                runs the suite against the program, records the score, writes the page
    tests/fidelity.py azurite [VERSION]     the same for Azurite from npm; VERSION is the newest if it is missing
    tests/fidelity.py check REPORT          compares a report of the suite (its --json) with the recorded score

The program is ROCKTABLE_BINARY, or that of the release build. The recorded scores are in tests/standings/.
"""
import collections
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUITE = ROOT / "tests/conformance/run"
STANDINGS = ROOT / "tests/standings"
PAGE = ROOT / "docs/fidelity.md"
CAUSES_SHOWN = 40
NAMES = {"rocktable": "rocktable", "azurite": "Azurite"}  # in the order of the page

HEAD = """\
# Fidelity

How much do emulators answer as Azure Table Storage does? [tests/conformance](../tests/conformance) sends requests to
an endpoint and compares each answer with what the service answers. Each check has its evidence: a recording of the
real service by the test suite of a public SDK, a sentence of the documentation, a public issue, or "inferred". It runs
against any endpoint, an account in the cloud included:

```console
$ tests/conformance/run --connectionString UseDevelopmentStorage=true
```

`tests/fidelity.py` writes this page. CI fails if rocktable reaches less, on either store.

"""

STRENGTHS = """
A check reaches *status and code* if the status and the error code are those of the service; *and body*, if the body is
as well (values, types of numbers, order of members, messages); *and headers*, if the set of headers is as well. Azurite
is started with `--skipApiVersionCheck`.
"""


EVIDENCE = {
    "doc": "documentation",
    "inferred": "inferred from other checks, or decided",
    "issue": "public issue",
    "rec": "recording of the service, of this case or of its family",
}

INFERRED = """
What is inferred is not known of the service. rocktable was built with these checks, so 100 % says that it keeps every
rule that is known, and its own decisions elsewhere; [limits-and-differences.md](limits-and-differences.md) lists them.
"""


def summary_of(report):
    """Returns what the page needs of a report of the suite."""
    return {
        "total": report["total"],
        "topics": report["topics"],
        "evidence": dict(sorted(collections.Counter(one["evidenceKind"] for one in report["checks"]).items())),
        "causes": [{"cause": one["cause"], "strength": one["strength"], "checks": len(one["checks"])}
                   for one in report["causes"]],
    }


def recorded(name):
    return json.loads((STANDINGS / f"{name}.json").read_text())


def score_of(topic):
    """Returns the three shares of a topic, or of all: `100.0 %`. Rounds down, so that 100.0 % means all."""
    run = topic["checks"]
    return [f"{int(1000 * reached / run) / 10:.1f} %" if run else "-" for reached in topic["reached"]]


def table(heading, rows, texts=1):
    """Returns a table; its first columns are texts, the others numbers."""
    lines = [f"| {' | '.join(heading)} |", "|" + " --- |" * texts + " ---: |" * (len(heading) - texts)]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows]) + "\n"


def page():
    found = {name: recorded(name) for name in NAMES}
    measures = ["status and code", "and body", "and headers"]
    out = HEAD + table(["emulator", "version, date", "checks", *measures], [
        [NAMES[name], one["version"], f"{one['total']['checks']:,}", *score_of(one["total"])]
        for name, one in found.items()], texts=2)
    out += STRENGTHS
    out += "\n" + table(["evidence of the checks", "checks"], [
        [EVIDENCE[kind], f"{count:,}"] for kind, count in found["rocktable"]["evidence"].items()])
    out += INFERRED
    for name, one in found.items():
        out += f"\n## {NAMES[name]}, by topic\n\n"
        out += table(["topic", "checks", *measures], [
            [topic.replace("_", " "), f"{score['checks']:,}", *score_of(score)]
            for topic, score in one["topics"].items()])
        out += differences(NAMES[name], one["causes"])
    return out


def differences(name, causes):
    """Returns the list of causes, the worst first: a wrong status is worse than a wrong header."""
    if not causes:
        return "\nNo check finds a difference.\n"
    order = ["status and code", "and body", "and headers"]
    ranked = sorted(causes, key=lambda one: (order.index(one["strength"]), -one["checks"], one["cause"]))
    by_strength = {measure: [one for one in ranked if one["strength"] == measure] for measure in order}
    out = f"\n{len(causes):,} causes of differences; a cause may concern many checks.\n"
    for measure, of_it in by_strength.items():
        if not of_it:
            continue
        rows = [[code(one["cause"]), f"{one['checks']:,}"] for one in of_it[:CAUSES_SHOWN]]
        out += f"\n### {name}: {measure}\n\n" + table(["difference", "checks"], rows)
        if len(of_it) > CAUSES_SHOWN:
            out += f"\nand {len(of_it) - CAUSES_SHOWN} more.\n"
    return out


def code(text):
    """Returns text of an answer, so that no part of it is read as Markdown or ends the cell of a table."""
    text = " ".join(text.replace("|", "\\|").split())
    mark = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{mark}{text}{mark}" if len(mark) == 1 else f"{mark} {text} {mark}"


def write_standing(name, version, report):
    STANDINGS.mkdir(exist_ok=True)
    standing = {"version": f"{version}, {datetime.date.today()}", **summary_of(report)}
    (STANDINGS / f"{name}.json").write_text(json.dumps(standing, indent=1, ensure_ascii=False) + "\n")
    if all((STANDINGS / f"{one}.json").exists() for one in NAMES):
        PAGE.write_text(page())


def run_suite(connection):
    with tempfile.TemporaryDirectory(prefix="rocktable-fidelity-") as scratch:
        report = pathlib.Path(scratch) / "report.json"
        subprocess.run([SUITE, "--connectionString", connection, "--serviceProperties", "--json", report], check=True)
        return json.loads(report.read_text())


def record():
    sys.path.insert(0, str(ROOT / "tests/support"))
    from rocktable_server import BINARY, Server

    server = Server()
    try:
        report = run_suite(server.connection_string)
    finally:
        server.stop()
    version = subprocess.run([BINARY, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    write_standing("rocktable", version, report)


def measure_azurite(version):
    import compatibility

    if version is None:
        version = subprocess.run(["npm", "view", "azurite", "version"], capture_output=True, text=True,
                                 check=True).stdout.strip()
    peer = ROOT / "build/peer"
    subprocess.run(["npm", "install", "--prefix", peer, "--no-audit", "--no-fund", "--loglevel=error",
                    f"azurite@{version}"], check=True)
    with tempfile.TemporaryDirectory(prefix="rocktable-azurite-") as scratch:
        process, url = compatibility.start_azurite(peer, pathlib.Path(scratch) / "store", [])
        try:
            report = run_suite(compatibility.connection_string(url))
        finally:
            process.terminate()
            process.wait()
    write_standing("azurite", version, report)


def check(path):
    """Reports in sentences where a report differs from the recorded score of rocktable."""
    found, known = summary_of(json.loads(pathlib.Path(path).read_text())), recorded("rocktable")
    told = [f"{part}: {found[part]} now, {known[part]} in tests/standings/rocktable.json"
            for part in ("total", "topics", "causes") if found[part] != known[part]]
    for sentence in told:
        print(sentence)
    if told:
        print("run tests/fidelity.py record if that is right")
    return 1 if told else 0


def main():
    arguments = sys.argv[1:]
    os.environ.pop("ROCKTABLE_TEST_STORE", None)  # the page shows the embedded store
    if arguments == ["record"]:
        return record()
    if arguments[:1] == ["azurite"] and len(arguments) <= 2:
        return measure_azurite(arguments[1] if len(arguments) == 2 else None)
    if arguments[:1] == ["check"] and len(arguments) == 2:
        return check(arguments[1])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
