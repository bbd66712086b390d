"""Checks that the recorded history of one entity is linearizable.

Linearizable: each operation takes effect at one moment between its start and its end. The entity is a register whose
versions have ETags, and ETags grow with each write, so the order of the writes is known. One pass in this order
decides: each operation takes effect as early as possible. A search over all orders is not needed.
"""
from typing import NamedTuple


class Write(NamedTuple):
    """An operation that succeeded. `before`: the ETag in If-Match; None without a condition."""

    start: float
    end: float
    etag: str
    value: int
    before: str | None


class Read(NamedTuple):
    start: float
    end: float
    etag: str
    value: int


class Refused(NamedTuple):
    """A write that was refused because the ETag of the entity was not `before`."""

    start: float
    end: float
    before: str


class Broken(AssertionError):
    """The history is not linearizable. The message names the first operation that does not fit."""


def age(etag):
    """Returns a sort key of an ETag: its time. A fraction of a second may have any number of digits."""
    return etag.rstrip("Z'\"")


def check_linearizable(first, operations):
    """`first`: the write that created the entity, which ended before all others began. Raises Broken."""
    writes = sorted((o for o in operations if isinstance(o, Write)), key=lambda write: age(write.etag))
    versions = [first, *writes]
    position = {write.etag: i for i, write in enumerate(versions)}
    if len(position) < len(versions):
        raise Broken("two writes made the same ETag")
    reads = [[] for _ in versions]
    for read in (o for o in operations if isinstance(o, Read)):
        if read.etag not in position:
            raise Broken(f"{read} saw what nobody wrote")
        reads[position[read.etag]].append(read)

    moments = []  # of each write, the earliest possible time
    moment = first.start
    for i, write in enumerate(versions):
        if write.before is not None and i > 0 and write.before != versions[i - 1].etag:
            raise Broken(f"{write} found its ETag, though {versions[i - 1]} had changed it")
        moment = max(moment, write.start)
        if moment > write.end:
            raise Broken(f"{write} was over before those with earlier ETags, or their readers, began")
        moments.append(moment)
        for read in reads[i]:
            if read.value != write.value:
                raise Broken(f"{read} saw another value than {write} wrote")
            if read.end < moments[i]:
                raise Broken(f"{read} saw {write} before it was made")
        moment = max([moment, *(read.start for read in reads[i])])

    for refused in (o for o in operations if isinstance(o, Refused)):
        i = position.get(refused.before)
        if i is None or i + 1 == len(versions) or moments[i + 1] > refused.end:
            raise Broken(f"{refused}, though nobody had changed the entity yet")
