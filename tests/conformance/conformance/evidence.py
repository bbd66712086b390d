"""Where a check's expectation comes from. Each check names one of four kinds."""
from __future__ import annotations

import re
from typing import NamedTuple


class Evidence(NamedTuple):
    kind: str
    source: str
    note: str = ""

    def __str__(self) -> str:
        known = {"rec": "recorded from the service", "doc": "documentation", "issue": "seen at the service"}
        if self.kind == "inferred":
            return f"inferred: {self.source}"
        return f"{known[self.kind]}: {self.source}" + (f": {self.note}" if self.note else "")


def rec(test: str) -> Evidence:
    """A recorded exchange, by the library and the test that made it: rec("python/test_x.test_y")."""
    if not re.fullmatch(r"[\w-]+/\S.*", test):
        raise TypeError(f"rec() takes 'library/test name', not {test!r}")
    return Evidence("rec", test)


def doc(page: str, sentence: str) -> Evidence:
    """A sentence of the documentation: doc("learn.microsoft.com/...", "A sentence of that page.")."""
    if not re.fullmatch(r"[\w.-]+\.\w+/\S+", page) or len(sentence) < 10:
        raise TypeError(f"doc() takes a page without 'https://' and a sentence, not {page!r}, {sentence!r}")
    return Evidence("doc", page, sentence)


def issue(thread: str, note: str = "") -> Evidence:
    """An answer of the service that somebody quoted in public: issue("owner/repo#12")."""
    if not re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", thread):
        raise TypeError(f"issue() takes 'owner/repo#number', not {thread!r}")
    return Evidence("issue", thread, note)


def inferred(why: str) -> Evidence:
    """A conclusion; no source states it."""
    if len(why) < 10:
        raise TypeError("inferred() takes a sentence that says why")
    return Evidence("inferred", why)
