"""The registry of checks. One decorated function and one combination of its parameters are one check.

The topic is the name of the file, or `TOPIC` in it where a topic has several files.

    @check("An {kind} is read back at {level}", evidence=rec("python/test_x.test_y"),
           each=product(kind={"Int32": 5, "Boolean": True}, level=LEVELS))
    def read_back(s, kind, level): ...
"""
from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Sequence, Union

from conformance.evidence import Evidence

NEEDS = {
    "key": "the account key is not known",
    "secondary": "no secondary endpoint is known",
}


class Option(NamedTuple):
    """A value of a parameter, and the words for it in the title."""

    label: str
    value: Any


Row = Dict[str, Any]
Case = Callable[..., None]


@dataclass(frozen=True)
class Check:
    topic: str
    title: str
    evidence: Evidence
    function: Callable[..., None]
    parameters: Mapping[str, Any]
    needs: Sequence[str]
    service_properties: bool
    requests: int

    @property
    def id(self) -> str:
        return f"{self.topic}/{self.title}"


CHECKS: List[Check] = []
TITLES: Dict[str, Check] = {}


def product(**tables: Union[Mapping[str, Any], Iterable[Any]]) -> List[Row]:
    """Returns all combinations. A dict gives the words for the title (its keys) and the values."""
    columns = []
    for table in tables.values():
        items = table.items() if isinstance(table, Mapping) else ((None, value) for value in table)
        columns.append([value if label is None else Option(label, value) for label, value in items])
    return [dict(zip(tables, combination)) for combination in itertools.product(*columns)]


def rows(names: str, table: Iterable[Sequence[Any]]) -> List[Row]:
    """Returns combinations that are listed: rows("size status", [(255, 204), (256, 400)])."""
    columns = names.split()
    result = []
    for values in table:
        if len(values) != len(columns):
            raise TypeError(f"{len(values)} values for {len(columns)} parameters: {values!r}")
        result.append(dict(zip(columns, values)))
    return result


def check(title: str, evidence: Union[Evidence, Callable[..., Evidence], None] = None,
          each: Iterable[Row] = ({},), needs: Sequence[str] = (), service_properties: bool = False,
          requests: int = 2) -> Callable[[Case], Case]:
    """Registers the function below as a check for each row.

    title               a sentence, subject first; {name} is filled in from the row
    evidence            of all rows, or a function of their values; a row may have its own, named `evidence`
    needs               of NEEDS: the check is not run where one is missing
    service_properties  the check changes them: it runs alone, and only if the user allows it
    requests            about how many requests one check sends, for the estimate of costs
    """
    unknown = set(needs) - set(NEEDS)
    if unknown:
        raise TypeError(f"unknown needs {unknown}")

    def register(function: Case) -> Case:
        for row in each:
            values = {name: one.value if isinstance(one, Option) else one for name, one in row.items()}
            labels = {name: one.label if isinstance(one, Option) else one for name, one in row.items()}
            own = values.pop("evidence", None) or (evidence(**values) if callable(evidence) else evidence)
            if not isinstance(own, Evidence):
                raise TypeError(f"the evidence of '{title}' must be of rec(), doc(), issue() or inferred()")
            topic = function.__globals__.get("TOPIC") or function.__module__.rpartition(".")[2]
            one = Check(topic, title.format(**labels), own, function, values, tuple(needs),
                        service_properties, requests)
            if one.id in TITLES:
                raise ValueError(f"two checks have the name '{one.id}'")
            if "\n" in one.id:
                raise ValueError(f"the title of '{one.id}' has more than one line")
            TITLES[one.id] = one
            CHECKS.append(one)
        return function

    return register
