"""Runs checks in threads, and collects what each one found."""
from __future__ import annotations

import queue
import re
import signal
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import Callable, List, Optional, Sequence

from conformance.differences import STATUS, Difference, reached
from conformance.environment import Environment
from conformance.registry import NEEDS, Check
from conformance.safety import ForeignTable
from conformance.session import BadCase, Exchange, PreparationFailed, Session, Stop
from conformance.wire import NoAnswer


def hold_signals(block: bool) -> None:
    """Holds SIGINT and SIGTERM back, or lets them through, also those that came meanwhile."""
    if hasattr(signal, "pthread_sigmask"):  # not on Windows
        how = signal.SIG_BLOCK if block else signal.SIG_UNBLOCK
        signal.pthread_sigmask(how, {signal.SIGINT, signal.SIGTERM})


@dataclass
class Result:
    check: Check
    exchanges: List[Exchange] = field(default_factory=list)
    problem: Optional[Difference] = None  # what ended the check before all was judged
    broken_rules: List[Difference] = field(default_factory=list)
    not_run: str = ""

    @property
    def differences(self) -> List[Difference]:
        ended = [self.problem] if self.problem else []
        found = [one for exchange in self.exchanges for one in exchange.differences]
        return ended + found + self.broken_rules

    @property
    def reached(self) -> List[bool]:
        return reached(self.differences)

    @property
    def passed(self) -> bool:
        return not self.not_run and not self.differences


def reason_not_to_run(check: Check, environment: Environment, service_properties: bool) -> str:
    account = environment.account
    missing = {"key": not account.key, "secondary": not account.secondary}
    for need in check.needs:
        if missing[need]:
            return NEEDS[need]
    if check.service_properties and not service_properties:
        return "it changes the service properties; --serviceProperties allows it"
    return ""


def run_check(session: Session) -> Result:
    """Runs one check. Whatever goes wrong is a difference of this check."""
    result = Result(session.check)
    try:
        session.check.function(session, **session.check.parameters)
        session.finish()
    except Stop:
        pass
    except (BadCase, ForeignTable) as error:
        result.problem = Difference(STATUS, f"the case is wrong: {type(error).__name__}", str(error))
    except PreparationFailed as error:
        result.problem = Difference(STATUS, f"preparation failed: {error}")
    except NoAnswer as error:
        result.problem = Difference(STATUS, f"no answer: {re.sub(r'[0-9]+', 'N', str(error))}", str(error))
    except Exception as error:  # a case that trips over an unexpected answer must not end the run
        text = f"{type(error).__name__}: {error}"
        result.problem = Difference(STATUS, f"preparation failed: {type(error).__name__}", text)
    result.exchanges, result.broken_rules = session.exchanges, session.broken_rules
    return result


class Run:
    """One run of the suite against one account."""

    def __init__(self, environment: Environment, checks: Sequence[Check], jobs: int,
                 service_properties: bool) -> None:
        self.environment, self.checks, self.jobs = environment, list(checks), jobs
        self.service_properties = service_properties
        self.results: List[Result] = []
        self.seconds = 0.0
        self.interrupted = False
        self.stop = threading.Event()
        self.lock = threading.Lock()

    def execute(self) -> None:
        """Runs all checks and removes all traces. Ctrl-C ends the checks, not the removal."""
        started = time.monotonic()
        numbered = list(enumerate(self.checks))
        together = [item for item in numbered if not item[1].service_properties]
        alone = [item for item in numbered if item[1].service_properties]
        previous = signal.signal(signal.SIGTERM, self.on_signal)
        try:
            self.run_in_threads(together, self.jobs)
            self.run_with_properties(alone)
        except KeyboardInterrupt:
            self.interrupted = True
            self.stop.set()
        finally:
            signal.signal(signal.SIGTERM, previous)
            self.shielded(self.clean_up)
            self.seconds = time.monotonic() - started
        order = {check.id: number for number, check in numbered}
        self.results.sort(key=lambda result: order[result.check.id])

    def on_signal(self, number: int, frame: object) -> None:
        raise KeyboardInterrupt

    def shielded(self, action: Callable[[], None]) -> None:
        """Carries out the action without letting a second Ctrl-C cut it short."""
        previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            action()
        finally:
            signal.signal(signal.SIGINT, previous)

    def run_in_threads(self, numbered: Sequence[tuple], jobs: int) -> None:
        work: queue.SimpleQueue = queue.SimpleQueue()
        for item in numbered:
            work.put(item)
        threads = [threading.Thread(target=self.worker, args=(work,), daemon=True) for _ in range(jobs)]
        hold_signals(block=True)  # one while they start would leave them at work
        for thread in threads:
            thread.start()
        try:
            hold_signals(block=False)
            for thread in threads:
                while thread.is_alive():
                    thread.join(0.2)
        finally:
            self.stop_if_unfinished(threads)

    def stop_if_unfinished(self, threads: Sequence[threading.Thread]) -> None:
        """After Ctrl-C: lets the requests that are under way end, so that the removal sees all tables."""
        if any(thread.is_alive() for thread in threads):
            self.stop.set()
            for thread in threads:
                thread.join(30)

    def worker(self, work: queue.SimpleQueue) -> None:
        connections = self.environment.connections()
        while not self.stop.is_set():
            try:
                number, check = work.get_nowait()
            except queue.Empty:
                break
            reason = reason_not_to_run(check, self.environment, self.service_properties)
            if reason:
                result = Result(check, not_run=reason)
            else:
                result = run_check(Session(self.environment, check, f"p{number}", connections))
            with self.lock:
                self.results.append(result)
        for connection in connections.values():
            connection.close()

    def run_with_properties(self, numbered: Sequence[tuple]) -> None:
        """Runs the checks that change the service properties one after the other, and restores them."""
        saved = self.environment.service_properties() if numbered and self.service_properties else None
        if numbered and self.service_properties and saved is None:
            print("conformance: The service properties cannot be read, so no check changes them.",
                  file=sys.stderr)
            self.service_properties = False
        try:
            self.run_in_threads(numbered, 1)
        finally:
            if saved is not None:
                self.shielded(lambda: self.restore(saved))

    def restore(self, saved: bytes) -> None:
        try:
            restored = self.environment.restore_service_properties(saved)
        except NoAnswer:
            restored = False
        if not restored:
            print(f"conformance: The service properties were not restored. They were: {saved.decode()}",
                  file=sys.stderr)

    def clean_up(self) -> None:
        try:
            left = self.environment.clean_up()
        except NoAnswer as error:
            left = [f"{self.environment.prefix}* ({error})"]
        if left:
            print(f"conformance: Tables are left over, delete them: {', '.join(left)}", file=sys.stderr)
