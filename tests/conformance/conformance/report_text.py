"""The report for the terminal: the score by topic, then the differences by cause."""
from __future__ import annotations

from typing import Any, Dict, List

from conformance.report import percent

CAUSES_SHOWN = 40


def score_rows(report: Dict[str, Any]) -> List[List[str]]:
    """Returns the score as a table of texts, with its heading."""
    table = [["topic", "checks", *report["strengths"], "not run"]]
    for topic, counts in [*report["topics"].items(), ("all", report["total"])]:
        shares = [f"{percent(counts, strength):.1f} %" if counts["checks"] else "-" for strength in range(3)]
        table.append([topic, str(counts["checks"]), *shares, str(counts["notRun"] or "")])
    return table


def aligned(table: List[List[str]]) -> str:
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    lines = []
    for row in table:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def render_text(report: Dict[str, Any]) -> str:
    lines = [aligned(score_rows(report)), ""]
    for reason, count in report["total"]["reasons"].items():
        lines.append(f"Not run: {count}. {reason[0].upper()}{reason[1:]}.")
    if report["excepted"]:
        lines.append(f"Allowed to fail: {report['excepted']}.")
    causes = report["causes"]
    if causes:
        lines += ["Differences by cause, with the number of checks:", ""]
    for one in causes[:CAUSES_SHOWN]:
        lines.append(f"{len(one['checks']):5}  {one['cause']}")
        lines.append(f"       in {one['checks'][0]}")
        if one["example"]:
            lines.append(f"       {one['example'][:200]}".replace("\r", "").replace("\n", " "))
    if len(causes) > CAUSES_SHOWN:
        lines.append(f"and {len(causes) - CAUSES_SHOWN} causes more: --markdown and --json have all")
    lines += ["", f"{report['requests']} requests in {report['seconds']} s to {report['endpoint']}"]
    if not report["complete"]:
        lines.append("The run was interrupted: the score is that of a part of the checks.")
    return "\n".join(lines)
