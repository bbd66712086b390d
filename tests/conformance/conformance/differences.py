"""A difference between an expected and a live answer, and the three strengths of a check."""
from __future__ import annotations

from typing import Iterable, List, NamedTuple

# Each strength includes the ones before it.
STRENGTHS = ("status and code", "and body", "and headers")
STATUS, BODY, HEADERS = range(3)


class Difference(NamedTuple):
    """`cause` is the same text for each check that fails for the same reason: it has no value of a case.
    `detail` says what differs here."""

    strength: int  # the first strength that is not reached
    cause: str
    detail: str = ""


def reached(differences: Iterable[Difference]) -> List[bool]:
    """Returns for each strength whether it is reached."""
    first = min((one.strength for one in differences), default=len(STRENGTHS))
    return [strength < first for strength in range(len(STRENGTHS))]
