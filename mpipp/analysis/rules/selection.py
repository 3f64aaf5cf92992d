# SPDX-License-Identifier: MIT
"""Some of the checks, by the names of their groups or their words."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from mpipp.analysis.rules import TABLES
from mpipp.analysis.rules.rule import Rule
from mpipp.common.errors import MpippError

# The sections of docs/reference/checks, each with its words.
GROUPS = {
    "arguments": ("argument",),
    "handles": ("null-handle", "freed-handle", "no-handle", "wrong-free"),
    "initialization": ("lifetime",),
    "codes": ("returned-code",),
    "threads": ("thread-level",),
    "topologies": ("topology-argument", "group-argument"),
    "operations": ("op-not-allowed", "op-type"),
    "windows": ("outside-window", "target-mismatch", "window-argument"),
    "attached-buffers": ("attached-buffer",),
    "requests": (
        "partition",
        "not-persistent",
        "never-started",
        "already-active",
        "freed-active",
    ),
    "files": ("split-order", "file-view"),
    "constructors": ("constructor-argument",),
    "datatypes": ("uncommitted-datatype", "freed-datatype", "null-datatype"),
    "buffers": ("touched-buffer",),
    "overlap": ("buffer-overlap", "aliased-buffers", "self-overlap"),
    "in-place": ("in-place",),
    "memory": (
        "unmapped-buffer",
        "read-only-buffer",
        "displacement-overflow",
        "beyond-object",
    ),
    "variables": ("variable-type", "short-argument", "argument-type"),
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
    "deadlocks": ("deadlock", "lone-wait", "crossed-collective"),
    "portability": (
        "needs-buffering",
        "tag-range",
        "misaligned-buffer",
        "long-size",
        "lock-order",
        "needless-commit",
    ),
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
        "growth",
    ),
    "ends": ("process-died", "no-finalize", "aborted"),
}
# Words of other groups that a group includes. The log's analysis cannot compare an operation that
# these refuse, or need not compare it with itself. A start and a post that do not match wait for
# each other.
_WITH = {
    "rma": (
        "outside-window",
        "target-mismatch",
        "uncommitted-datatype",
        "aliased-buffers",
        "deadlock",
        "lone-wait",
    )
}
# Words that are always chosen: a truncated run cannot be reported as free of errors.
_ALWAYS = GROUPS["ends"]
# Rules whose findings another check tells, too.
_TOLD_BY = {"rma-some-fences": "argument-mismatch"}
ALL = "all"
# All checks except those that guard buffers, log one-sided communication, ask about the buffers of
# each place once, or need the order of calls.
FAST = "fast"
OF_OBJECTS = ("variable-type", "beyond-object", "misaligned-buffer", "long-size")
# Their check needs the order of calls, which only its runs record.
OF_ORDER = ("crossed-collective", "needs-buffering")
_SLOWER = (*OF_OBJECTS, *OF_ORDER, *GROUPS["buffers"], *GROUPS["rma"])
# Possible errors: reported only if their word is named.
_BY_WORD = ("rma-possible",)
# Remarks on programs that are right here: reported only if they are named, or their group.
_BY_NAME = GROUPS["portability"]
# Groups that check completed calls or several processes; the others check one call before it
# starts.
_LATER = (
    "codes",
    "threads",
    "buffers",
    "messages",
    "collectives",
    "deadlocks",
    "rma",
    "leaks",
    "ends",
)


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
        elif name in GROUPS:
            found |= {*GROUPS[name]} - {*_BY_WORD}
        elif name == ALL:
            found |= known - {*_BY_WORD, *_BY_NAME}
        elif name == FAST:
            found |= known - {*_BY_WORD, *_BY_NAME, *_SLOWER}
        else:
            raise MpippError(
                f'there is no check "{name}": known are {", ".join(GROUPS)}, {ALL}, {FAST}, '
                "and the words of docs/reference/checks"
            )
    return frozenset(found)


def is_reported(rule: Rule, chosen: Collection[str]) -> bool:
    """Return whether the findings of a rule are reported, if these words are chosen."""
    return rule.check in chosen and _TOLD_BY.get(rule.id) not in chosen


def has_group(chosen: Collection[str], *groups: str) -> bool:
    """Return whether any check of these groups is chosen."""
    return any(word in chosen for group in groups for word in GROUPS[group])


def calls(text: str) -> str:
    """The calls to check before they start: "all", operations on "windows", or "none".

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
