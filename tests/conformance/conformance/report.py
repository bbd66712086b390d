"""A run as plain data: the content of --json, from which the other two reports are rendered."""
from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import Any, Dict, List, Optional, Sequence

from conformance.allowances import Allowances
from conformance.bodies import plain
from conformance.differences import HEADERS, STRENGTHS
from conformance.expectations import Expected
from conformance.runner import Result, Run
from conformance.session import Exchange
from conformance.values import Holds, Placeholder, Unjudged, Xml

BODY_LIMIT = 6000  # characters of a body in the report


def make_report(run: Run, allowances: Allowances) -> Dict[str, Any]:
    topics: Dict[str, List[Result]] = defaultdict(list)
    for result in run.results:
        topics[result.check.topic].append(result)
    excepted = [result for result in run.results if result.check.id in allowances.reasons]
    judged_for_gate = [result for result in run.results if result not in excepted]
    return {
        "endpoint": run.environment.account.primary.base,
        "tables": f"{run.environment.prefix}*",
        "complete": not run.interrupted,
        "seconds": round(run.seconds, 1),
        "requests": run.environment.requests,
        "strengths": list(STRENGTHS),
        "topics": {topic: score(results) for topic, results in topics.items()},
        "total": score(run.results),
        "excepted": len(excepted),
        "gate": percent(score(judged_for_gate), HEADERS),
        "causes": causes(run.results),
        "checks": [check_report(result, allowances) for result in run.results],
    }


def score(results: Sequence[Result]) -> Dict[str, Any]:
    """Counts the checks that reach each strength."""
    run = [result for result in results if not result.not_run]
    reasons: Dict[str, int] = defaultdict(int)
    for result in results:
        if result.not_run:
            reasons[result.not_run] += 1
    counts = [sum(result.reached[strength] for result in run) for strength in range(len(STRENGTHS))]
    return {"checks": len(run), "reached": counts, "notRun": sum(reasons.values()), "reasons": dict(reasons)}


def percent(counts: Dict[str, Any], strength: int) -> float:
    """Returns the share rounded down, so that 100 means all."""
    if not counts["checks"]:
        return 0.0
    return counts["reached"][strength] * 1000 // counts["checks"] / 10


def causes(results: Sequence[Result]) -> List[Dict[str, Any]]:
    """Groups the checks that fail by the cause of the difference, the most common first."""
    found: Dict[str, Dict[str, Any]] = {}
    for result in results:
        for difference in result.differences:
            one = found.setdefault(difference.cause, {
                "cause": difference.cause, "strength": STRENGTHS[difference.strength], "checks": [],
                "example": difference.detail})
            if result.check.id not in one["checks"]:
                one["checks"].append(result.check.id)
    return sorted(found.values(), key=lambda one: (-len(one["checks"]), one["cause"]))


# --- checks and exchanges -------------------------------------------------------------------------


def check_report(result: Result, allowances: Allowances) -> Dict[str, Any]:
    check = result.check
    report: Dict[str, Any] = {"topic": check.topic, "title": check.title, "evidence": str(check.evidence),
                              "evidenceKind": check.evidence.kind, "evidenceSource": check.evidence.source}
    if result.not_run:
        return {**report, "notRun": result.not_run}
    report["reached"] = [name for name, good in zip(STRENGTHS, result.reached) if good]
    if check.id in allowances.reasons:
        report["excepted"] = allowances.reasons[check.id]
    if result.problem:
        report["problem"] = {"cause": result.problem.cause, "detail": result.problem.detail}
    if result.broken_rules:
        report["brokenRules"] = [{"cause": one.cause, "detail": one.detail} for one in result.broken_rules]
    last = result.exchanges[-1] if result.problem and result.exchanges else None
    report["requests"] = [exchange_report(one, one is last) for one in result.exchanges]
    return report


def exchange_report(exchange: Exchange, complete: bool) -> Dict[str, Any]:
    """Whole messages only where something differs, or where the check ended."""
    report: Dict[str, Any] = {"method": exchange.request.method, "target": masked(exchange.request.target),
                              "status": exchange.answer.status}
    if exchange.expected:
        report["kind"] = exchange.kind()
    if exchange.differences or complete:
        report["request"] = request_text(exchange)
        report["answer"] = answer_text(exchange)
    if exchange.differences and exchange.expected:
        report["expected"] = expected_text(exchange.expected)
        report["differences"] = [{"cause": one.cause, "strength": STRENGTHS[one.strength],
                                  "detail": one.detail}
                                 for one in exchange.differences]
    return report


def masked(text: str) -> str:
    """Hides signatures: reports are passed on."""
    return re.sub(r"\bsig=[^&\s]+", "sig=...", text)


def shortened(text: str) -> str:
    return text if len(text) <= BODY_LIMIT else f"{text[:BODY_LIMIT]}... ({len(text)} characters)"


def request_text(exchange: Exchange) -> str:
    request = exchange.request
    lines = [f"{request.method} {masked(request.target)} HTTP/1.1"]
    for name, value in request.header_lines():
        lines.append(f"{name}: " + (re.sub(r" .*", " ...", value) if name == "Authorization" else value))
    return "\n".join(lines + ["", shortened((request.body or b"").decode("utf-8", "replace"))]).rstrip()


def answer_text(exchange: Exchange) -> str:
    answer = exchange.answer
    lines = [f"HTTP/1.1 {answer.status} {answer.reason}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    return "\n".join(lines + ["", shortened(answer.text)]).rstrip()


def expected_text(expected: Expected) -> str:
    lines = [f"HTTP/1.1 {expected.status} {expected.code}".rstrip()]
    lines += [f"{name}: {value}" for name, value in sorted(expected.headers.items())]
    if expected.parts is not None:
        body = "\n".join(
            "\n".join([f"part: {one.status} {one.refusal.code if one.refusal else ''}".rstrip()]
                      + [f"  {name}: {value}" for name, value in one.headers]) for one in expected.parts)
    elif expected.refusal:
        body = f"{expected.refusal.code}: {expected.refusal.message}"
    else:
        body = body_text(expected.body)
    return "\n".join(lines + ["", shortened(body)]).rstrip()


def body_text(body: Any) -> str:
    if isinstance(body, bytes):
        return body.decode("utf-8", "replace")
    if isinstance(body, Xml):
        return body.text
    if isinstance(body, Holds):
        return f"<{body.rule}>"
    if isinstance(body, Unjudged):
        return "<not judged>"
    return json.dumps(plain(body), ensure_ascii=False, default=placeholder_text, separators=(",", ":"))


def placeholder_text(value: Any) -> Optional[str]:
    return str(value) if isinstance(value, Placeholder) else repr(value)
