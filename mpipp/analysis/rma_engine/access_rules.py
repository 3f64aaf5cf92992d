# SPDX-License-Identifier: MIT
"""The accesses of the same bytes that may happen at once: the table that code and docs share.

Rules that they break are named by their ids: the sentences are in `analysis/rules/rma.py`.

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
    """Accesses of `one` kind and of the `other` kind: what they are when data race.

    `id` is the rule that they break.
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
# In the separate memory model, and although the bytes are others of the same window.
APART = Rule((STORE,), UPDATES, CONFLICT, "rma-apart")
# In the separate memory model, where they are ordered, but the window's copies were not.
COPIES = Rule((LOAD, STORE), REMOTE, CONFLICT, "rma-copies")
# The rule for one operation whose buffer overlaps its target.
ITSELF = "rma-itself"
# The rule for accesses that exclusive locks keep apart, in any order.
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

    `size` is an element's, as an Operation's.
    """

    op: str
    types: tuple[str, ...]
    fetches: bool
    size: int = 0

    @property
    def does(self) -> tuple[bool, bool]:
        """Return whether it reads (has a result), and whether it writes."""
        return self.fetches, not self.reads_only

    @property
    def reads_only(self) -> bool:
        """Return whether nothing is changed."""
        return self.op == "MPI_NO_OP"


def may_update_together(one: str, other: str, accumulate_ops: str) -> bool:
    """Return whether two accumulates may update an element at once (MPI-4.1, 12.2.1 and 12.7).

    MPI_Compare_and_swap is taken for MPI_REPLACE: programs use both for one lock.
    """
    if one == other:
        return True
    return accumulate_ops == "same_op_no_op" and "MPI_NO_OP" in (one, other)


def in_order(first: tuple[bool, bool], second: tuple[bool, bool], keys: frozenset[str]) -> bool:
    """Return whether accumulates of one process to one element are in program order (MPI-4.1,
    12.7.2).

    Args:
        first: what the first does, as `Atomic.does`.
        keys: those of the window's accumulate_ordering.
    """
    needed = {
        later + "a" + earlier
        for later, does in zip("rw", second)
        for earlier, did in zip("rw", first)
        if does and did
    }
    return needed <= keys


def table() -> str:
    """RULES as a table in Markdown."""
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
