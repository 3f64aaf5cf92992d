# SPDX-License-Identifier: MIT
"""Some of the checks, by the names of their groups or their words."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from mpipp.analysis.rules import TABLES
from mpipp.analysis.rules.rule import Rule
from mpipp.common.errors import MpippError

# The sections of docs/checks.md, each with its words.
GROUPS = {
    "arguments": ("argument",),
    "handles": ("null-handle", "freed-handle", "no-handle", "wrong-free"),
    "initialization": ("lifetime",),
    "threads": ("thread-level",),
    "topologies": ("topology-argument", "group-argument"),
    "operations": ("op-not-allowed", "op-type"),
    "windows": ("outside-window", "target-mismatch", "window-argument"),
    "attached-buffers": ("attached-buffer",),
    "requests": ("partition", "not-persistent", "already-active", "freed-active"),
    "files": ("split-order",),
    "constructors": ("constructor-argument",),
    "datatypes": ("uncommitted-datatype", "freed-datatype", "null-datatype"),
    "buffers": ("touched-buffer",),
    "overlap": ("buffer-overlap", "aliased-buffers", "self-overlap"),
    "in-place": ("in-place",),
    "memory": ("unmapped-buffer", "read-only-buffer"),
    "variables": ("variable-type",),
    "messages": ("type-mismatch", "truncation", "lost-message"),
    "collectives": (
        "collective-mismatch",
        "collective-form-mismatch",
        "collective-order",
        "root-mismatch",
        "op-mismatch",
        "length-mismatch",
        "argument-mismatch",
    ),
    "deadlocks": ("deadlock", "lone-wait"),
    "rma": ("rma-conflict", "rma-epoch", "rma-possible"),
    "leaks": (
        "incomplete-request",
        "request-leak",
        "message-leak",
        "datatype-leak",
        "comm-leak",
        "group-leak",
        "win-leak",
        "op-leak",
        "file-leak",
        "info-leak",
        "errhandler-leak",
        "session-leak",
    ),
    "ends": ("process-died", "no-finalize", "aborted"),
}
# What is chosen with a group, and is another's: an operation that these refuse is none that the
# log's analysis could compare, or one that it need not compare with itself; and a start and a post
# that do not match wait for each other.
_WITH = {
    "rma": (
        "outside-window",
        "target-mismatch",
        "uncommitted-datatype",
        "aliased-buffers",
        *GROUPS["deadlocks"],
    )
}
# What is always chosen: nobody can say of a run that was cut short that it has no errors.
_ALWAYS = GROUPS["ends"]
# Rules whose findings another check tells, too.
_TOLD_BY = {"rma-some-fences": "argument-mismatch"}
ALL = "all"
# What may be an error: told only where it is called by its word.
_BY_WORD = ("rma-possible",)
# Those of one call, as it is made; the others look at processes that are over, or at several.
_LATER = ("threads", "buffers", "messages", "collectives", "deadlocks", "rma", "leaks", "ends")


def words(text: str) -> frozenset[str]:
    """The words of "messages,leaks" or "all", and how processes end; of all checks for "".

    Raises MpippError for a name that is none.
    """
    return optional_words(text).union(_ALWAYS)


def optional_words(text: str) -> frozenset[str]:
    """The words without how processes end, which every run checks. Raises MpippError."""
    return _named(text).union(*(_WITH.get(name, ()) for name in text.split(",")))


def _named(text: str) -> frozenset[str]:
    known = {rule.check for table in TABLES for rule in table.RULES}
    found: set[str] = set()
    for name in text.split(",") if text else [ALL]:
        if name in known:
            found.add(name)
        elif name in GROUPS or name == ALL:
            found |= {*GROUPS.get(name, known)} - {*_BY_WORD}
        else:
            raise MpippError(
                f'there is no check "{name}": known are {", ".join(GROUPS)}, {ALL}, and the words '
                "of docs/checks.md"
            )
    return frozenset(found)


def is_reported(rule: Rule, chosen: Collection[str]) -> bool:
    """Whether the findings of a rule are reported, if these words are chosen."""
    return rule.check in chosen and _TOLD_BY.get(rule.id) not in chosen


def has_group(chosen: Collection[str], *groups: str) -> bool:
    """Whether any check of these groups is chosen."""
    return any(word in chosen for group in groups for word in GROUPS[group])


def calls(text: str) -> str:
    """Which calls are looked at when they are made: "all", operations on "windows", or "none".

    Raises MpippError as words() does.
    """
    at_once = [group for group in GROUPS if group not in _LATER]
    if has_group(_named(text), *at_once):
        return "all"
    return "windows" if has_group(words(text), *at_once) else "none"


def merged(of: Iterable[Collection[str]]) -> frozenset[str]:
    """The words that any choice has; all if there are no choices, or if a choice is empty."""
    every = list(of)
    if not every or not all(every):
        return words("")
    return frozenset(word for each in every for word in each)
