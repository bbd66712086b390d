"""The report as a page: the score, then each cause with one exchange, worst first."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from conformance.report_text import score_rows

CHECKS_SHOWN = 10


def render_markdown(report: Dict[str, Any]) -> str:
    heading, *table = score_rows(report)
    lines = ["# Conformance to Azure Table Storage", "",
             f"Endpoint `{report['endpoint']}`, {report['requests']} requests in {report['seconds']} s.", "",
             f"| {' | '.join(heading)} |", f"| --- |{' ---: |' * (len(heading) - 1)}"]
    lines += [f"| {' | '.join(row)} |" for row in table]
    lines += ["", "Each strength includes the ones before it."]
    for reason, count in report["total"]["reasons"].items():
        lines += ["", f"Not run: {count}. {reason[0].upper()}{reason[1:]}."]
    checks = {f"{one['topic']}/{one['title']}": one for one in report["checks"]}
    if report["causes"]:
        lines += ["", "## Differences by cause"]
    for one in sorted(report["causes"], key=lambda one: severity(one, report["strengths"])):
        lines += cause_section(one, checks)
    return "\n".join(lines) + "\n"


def severity(cause: Dict[str, Any], strengths: List[str]) -> Tuple[int, int]:
    """A wrong status is worse than a wrong header; then what concerns more checks."""
    return strengths.index(cause["strength"]), -len(cause["checks"])


def cause_section(cause: Dict[str, Any], checks: Dict[str, Any]) -> List[str]:
    names = cause["checks"]
    lines = ["", f"### {cause['cause']}", "", f"{len(names)} check{'s' if len(names) > 1 else ''}:", ""]
    lines += [f"- {name}" for name in names[:CHECKS_SHOWN]]
    if len(names) > CHECKS_SHOWN:
        lines.append(f"- and {len(names) - CHECKS_SHOWN} more")
    example = checks[names[0]]
    lines += ["", f"Evidence of the first: {example['evidence']}"]
    if cause["example"]:
        lines += ["", "Difference:"] + fence(cause["example"])
    exchange = exchange_with(cause["cause"], example)
    for name in ("request", "expected", "answer") if exchange else ():
        if exchange and name in exchange:
            title = "Live answer" if name == "answer" else name.capitalize()
            lines += ["", f"{title}:"] + fence(exchange[name])
    return lines


def exchange_with(cause: str, check: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """Returns the exchange that has the difference; of a check that broke off, its last one."""
    exchanges = check.get("requests", [])
    for one in exchanges:
        if any(difference["cause"] == cause for difference in one.get("differences", ())):
            return one
    return exchanges[-1] if exchanges else None


def fence(text: str) -> List[str]:
    mark = "```"
    while mark in text:
        mark += "`"
    return ["", f"{mark}text", *text.replace("\r", "").split("\n"), mark]
