"""The command: options, the question before a run against a remote account, reports and exit codes."""
from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import ssl
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

from conformance.allowances import Allowances, BadAllowances, read_allowances
from conformance.connection import Account, BadConnectionString, parse_connection_string
from conformance.environment import Environment
from conformance.registry import CHECKS, Check
from conformance.report import make_report
from conformance.report_markdown import render_markdown
from conformance.report_text import render_text
from conformance.runner import Run
from conformance.wire import NoAnswer

# The order of the topics in a report; others follow by name.
TOPICS = ["tables", "entities", "types", "limits", "filters", "paging", "batches", "etags", "access",
          "service_properties", "cors", "errors", "headers"]
# About the public list price of transactions on tables with locally redundant storage. Regions and contracts
# differ, and the few kilobytes that the run stores for minutes cost less than the transactions.
DOLLARS_FOR_10000_REQUESTS = 0.00036

OK, BELOW, USAGE, INTERRUPTED = 0, 1, 2, 130


class UsageError(Exception):
    pass


def load_cases(folder: Path) -> List[Check]:
    names = [one.name for one in pkgutil.iter_modules([str(folder)])]
    for name in sorted(names, key=lambda name: (TOPICS.index(name) if name in TOPICS else len(TOPICS), name)):
        importlib.import_module(f"cases.{name}")
    return CHECKS


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="run", allow_abbrev=False,
        description="Checks how faithfully an endpoint speaks the protocol of Azure Table Storage.",
        epilog="Works only in tables of its own, and deletes them. Exit codes: 0 done, 1 below --require "
               "or a needless exception, 2 usage or no connection, 130 interrupted.")
    add = result.add_argument
    add("--connectionString", metavar="TEXT", required=True,
        help="of the account; or UseDevelopmentStorage=true")
    add("--topic", metavar="NAME", action="append", help="only this topic; may be repeated")
    add("--only", metavar="TEXT", help="only checks with this text in their title")
    add("--json", metavar="FILE", help="write everything as JSON; - for standard output")
    add("--markdown", metavar="FILE",
        help="write a page with the score and each difference; - for standard output")
    add("--require", metavar="PERCENT", type=float, help="exit with 1 if less reaches the last strength")
    add("--except", metavar="FILE", dest="allowed", type=Path,
        help="checks that may fail, a line each: topic/title: reason")
    add("--serviceProperties", action="store_true",
        help="change the service properties, too, and restore them")
    add("--jobs", metavar="N", type=int, default=4, help="threads, each with its own connection (default 4)")
    add("--caFile", metavar="FILE", help="trust this certificate authority for HTTPS")
    add("--insecure", action="store_true", help="do not verify the certificate of the server")
    add("--plan", action="store_true", help="only print how many requests there are, and what they cost")
    add("--yes", action="store_true", help="do not ask before a run against a remote account")
    return result


def selected(checks: Sequence[Check], topics: Optional[Sequence[str]], text: Optional[str]) -> List[Check]:
    known = {check.topic for check in checks}
    for topic in topics or ():
        if topic not in known:
            raise UsageError(f"There is no topic '{topic}'. There are: {', '.join(sorted(known))}.")
    chosen = [check for check in checks if (not topics or check.topic in topics)
              and (text or "") in check.title]
    if not chosen:
        raise UsageError(f"No check has '{text}' in its title.")
    return chosen


def tls_of(account: Account, ca_file: Optional[str], insecure: bool) -> Optional[ssl.SSLContext]:
    if account.primary.scheme != "https":
        return None
    context = ssl.create_default_context(cafile=ca_file)
    if insecure:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def plan(account: Account, checks: Sequence[Check]) -> str:
    """Returns what the run will do, in one paragraph."""
    requests = sum(check.requests for check in checks) + 2 * len({check.topic for check in checks}) + 4
    text = f"{len(checks)} checks with about {requests:,} requests to {account.primary.base}."
    if not account.local:
        dollars = requests * DOLLARS_FOR_10000_REQUESTS / 10000
        text += f"\nAbout USD {dollars:.6f} by the public list price (locally redundant storage)."
        text += "\nOnly tables named conformance* of this run are made, changed and deleted."
    return text


def confirmed() -> bool:
    if not sys.stdin.isatty():
        raise UsageError("This account is remote. Pass --yes to run without a question.")
    return input("Continue? [y/N] ").strip().lower() in ("y", "yes")


def probe(environment: Environment) -> None:
    try:
        answer = environment.first_answer()
    except NoAnswer as error:
        raise UsageError(f"{environment.account.primary.base} does not answer: {error}") from None
    if answer.status in (401, 403):
        base = environment.account.primary.base
        raise UsageError(f"{base} refuses the credentials: {answer.status} {answer.code}")


def write(path: Optional[str], text: str) -> None:
    if path == "-":
        print(text)
    elif path:
        Path(path).write_text(text + "\n", encoding="utf-8")


def verdict(report: Dict[str, Any], required: Optional[float], needless: Sequence[str]) -> int:
    if not report["complete"]:
        return INTERRUPTED
    code = OK
    for name in needless:
        print(f"conformance: The check passes, remove it from the file of exceptions: {name}",
              file=sys.stderr)
        code = BELOW
    if required is not None and report["gate"] < required:
        strongest = report["strengths"][-1]
        print(f"conformance: {report['gate']:.1f} % reach '{strongest}', {required:g} % are required.",
              file=sys.stderr)
        code = BELOW
    return code


def run(arguments: argparse.Namespace, folder: Path) -> int:
    account = parse_connection_string(arguments.connectionString)
    every = load_cases(folder)
    checks = selected(every, arguments.topic, arguments.only)
    if arguments.jobs < 1:
        raise UsageError("--jobs must be at least 1.")
    names = [check.id for check in every]
    allowances = read_allowances(arguments.allowed, names) if arguments.allowed else Allowances()
    print(plan(account, checks), file=sys.stdout if arguments.plan else sys.stderr)
    if arguments.plan or not (account.local or arguments.yes or confirmed()):
        return OK
    environment = Environment(account, tls_of(account, arguments.caFile, arguments.insecure))
    probe(environment)
    execution = Run(environment, checks, arguments.jobs, arguments.serviceProperties)
    execution.execute()
    report = make_report(execution, allowances)
    write(arguments.json, json.dumps(report, ensure_ascii=False, indent=1))
    write(arguments.markdown, render_markdown(report).rstrip("\n"))
    if "-" not in (arguments.json, arguments.markdown):
        print(render_text(report))
    return verdict(report, arguments.require, allowances.needless(execution.results))


def main(folder: Path) -> int:
    arguments = parser().parse_args()
    try:
        return run(arguments, folder)
    except (UsageError, BadConnectionString, BadAllowances, OSError) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
