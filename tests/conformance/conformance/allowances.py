"""The file of --except: checks that are allowed to fail, a line each `topic/title: reason`."""
from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, Iterable, List

from conformance.runner import Result


class BadAllowances(ValueError):
    pass


@dataclass
class Allowances:
    reasons: Dict[str, str] = field(default_factory=dict)  # by the id of the check

    def needless(self, results: Iterable[Result]) -> List[str]:
        """Returns the checks of the file that pass."""
        return [one.check.id for one in results if one.check.id in self.reasons and one.passed]


def read_allowances(path: Path, known: Iterable[str]) -> Allowances:
    """Titles may contain colons: the id is the longest known one that the line starts with."""
    ids = sorted(known, key=len, reverse=True)
    reasons = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name = next((one for one in ids if line.startswith(f"{one}:")), None)
        if not name:
            raise BadAllowances(f"{path}:{number}: no check has this name: {line}")
        reason = line[len(name) + 1:].strip()
        if not reason:
            raise BadAllowances(f"{path}:{number}: the reason is missing")
        reasons[name] = reason
    return Allowances(reasons)
