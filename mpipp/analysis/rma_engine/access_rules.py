# SPDX-License-Identifier: MIT
"""The rules for two concurrent accesses of the same bytes, as a table for code and documents.

A violated rule is named by its id: the sentences are in `analysis/rules/rma.py`.

Two accesses that are not in RULES are allowed: both only read. The language defines the order of
two loads or stores of one process, and of processes that share memory.
"""

from __future__ import annotations

from typing import NamedTuple

# The kinds of accesses to memory.
LOAD, STORE, READ, WRITTEN, GET, PUT, ACCUMULATE = range(7)

WORDS = (
    "load",
    "store",
    "origin buffer read",
    "origin or result buffer written",
    "target of a get",
    "target of a put",
    "target of an accumulate",
)
REMOTE = (GET, PUT, ACCUMULATE)
UPDATES = (PUT, ACCUMULATE)

# The results for two concurrent accesses that share bytes.
ALLOWED, CONFLICT, ACCUMULATES, READS, LANGUAGE = range(5)

VERDICTS = {
    ALLOWED: "allowed",
    CONFLICT: "conflict",
    ACCUMULATES: "allowed: same basic datatype at the same displacements, and same operation or "
    "ordered",
    READS: "conflict, unless MPI_NO_OP",
    LANGUAGE: "the language's rules",
}


class Rule(NamedTuple):
    """The result for concurrent accesses of a kind in `one` and a kind in `other`.

    `id` is the rule that they violate.
    """

    one: tuple[int, ...]
    other: tuple[int, ...]
    verdict: int
    id: str


RULES = (
    Rule((LOAD, STORE), (STORE,), LANGUAGE, ""),
    Rule((STORE,), (READ,), CONFLICT, "rma-buffer"),
    Rule((LOAD, STORE), (WRITTEN,), CONFLICT, "rma-buffer"),
    Rule((READ, WRITTEN), (WRITTEN,), CONFLICT, "rma-two-buffers"),
    Rule((STORE, WRITTEN), (GET,), CONFLICT, "rma-local"),
    Rule((LOAD, STORE, READ, WRITTEN), (PUT,), CONFLICT, "rma-local"),
    Rule((STORE, WRITTEN), (ACCUMULATE,), CONFLICT, "rma-local"),
    Rule((LOAD, READ), (ACCUMULATE,), READS, "rma-local"),
    Rule((GET, PUT), (PUT,), CONFLICT, "rma-target"),
    Rule((PUT,), (ACCUMULATE,), CONFLICT, "rma-target"),
    Rule((GET,), (ACCUMULATE,), READS, "rma-target"),
    Rule((ACCUMULATE,), (ACCUMULATE,), ACCUMULATES, "rma-accumulates"),
)
# For the separate memory model: different bytes of the same window conflict, too.
APART = Rule((STORE,), UPDATES, CONFLICT, "rma-apart")
# For the separate memory model: the accesses are ordered, but the window's copies were not
# synchronized between them.
COPIES = Rule((LOAD, STORE), REMOTE, CONFLICT, "rma-copies")
# The rule for one operation whose buffer overlaps its target.
ITSELF = "rma-itself"
# The rule for accesses that exclusive locks keep apart, in an order that is not fixed.
LOCKS = "lock-order"

KINDS = range(len(WORDS))
_NONE = Rule((), (), ALLOWED, "")
TABLE = tuple(
    tuple(
        next(
            (
                rule
                for rule in RULES
                if (one in rule.one and other in rule.other)
                or (other in rule.one and one in rule.other)
            ),
            _NONE,
        )
        for other in KINDS
    )
    for one in KINDS
)
VERDICT = tuple(tuple(rule.verdict for rule in row) for row in TABLE)


class Atomic(NamedTuple):
    """The effect of an accumulate on each element: `op` as in MPI, and the basic datatypes.

    `size` is the bytes of an element, as in Operation.
    """

    op: str
    types: tuple[str, ...]
    fetches: bool
    size: int = 0

    @property
    def does(self) -> tuple[bool, bool]:
        """(reads, writes): whether it has a result, and whether it changes the target."""
        return self.fetches, not self.reads_only

    @property
    def reads_only(self) -> bool:
        """True if it changes nothing."""
        return self.op == "MPI_NO_OP"


def may_update_together(one: str, other: str, accumulate_ops: str) -> bool:
    """Return whether two accumulates may update an element concurrently (MPI-4.1, 12.2.1 and 12.7).

    MPI_Compare_and_swap counts as MPI_REPLACE, because programs use both for one lock.
    """
    if one == other:
        return True
    return accumulate_ops == "same_op_no_op" and "MPI_NO_OP" in (one, other)


def in_order(first: tuple[bool, bool], second: tuple[bool, bool], keys: frozenset[str]) -> bool:
    """Return whether two accumulates of one process to one element are in program order.

    See MPI-4.1, section 12.7.2.

    Args:
        first: effect of the first accumulate, as `Atomic.does`.
        second: effect of the second one.
        keys: the window's accumulate_ordering.
    """
    needed = {
        later + "a" + earlier
        for later, does in zip("rw", second)
        for earlier, did in zip("rw", first)
        if does and did
    }
    return needed <= keys


def table() -> str:
    """Return RULES as a table in Markdown."""
    lines = [
        "| concurrent | " + " | ".join(WORDS) + " |",
        "|---" * (len(WORDS) + 1) + "|",
    ]
    for one in KINDS:
        cells = [
            f"{VERDICTS[rule.verdict]}{f' (`{rule.id}`)' if rule.id else ''}" for rule in TABLE[one]
        ]
        cells = [cell if other <= one else "" for other, cell in enumerate(cells)]
        lines.append(f"| **{WORDS[one]}** | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
