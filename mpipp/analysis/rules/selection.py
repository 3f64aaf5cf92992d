# SPDX-License-Identifier: MIT
"""Selection of checks, by the names of their groups or their words."""

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
    "threads": ("thread-level", "concurrent-collectives", "concurrent-completion"),
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
    "variables": ("variable-type", "short-argument", "argument-type", "temporary-buffer"),
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
    "races": ("message-race", "message-crossing", "message-order"),
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
# Words of other groups that a group includes. An RMA log cannot be analysed at operations that
# these checks refuse. The analysis also need not compare an operation with itself. If a start and a
# post do not match, they wait for each other.
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
# Words that are always selected: a truncated run must not be reported as free of errors.
_ALWAYS = GROUPS["ends"]
# Rules whose errors another check reports, too.
_TOLD_BY = {"rma-some-fences": "argument-mismatch"}
ALL = "all"
# All checks except those that guard buffers, keep an RMA log, query the buffers of each place once,
# or need the order of calls.
FAST = "fast"
OF_OBJECTS = (
    "variable-type",
    "beyond-object",
    "misaligned-buffer",
    "long-size",
    "temporary-buffer",
)
# Checks that need the order of calls, which is recorded only for them.
OF_ORDER = ("crossed-collective", "needs-buffering")
_SLOWER = (*OF_OBJECTS, *OF_ORDER, *GROUPS["buffers"], *GROUPS["rma"])
# Possible errors: reported only if their word is selected by name.
_BY_WORD = ("rma-possible",)
# Findings in programs that are correct here: reported only if they or their group are selected by
# name.
_BY_NAME = (*GROUPS["portability"], *GROUPS["races"])
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
    "races",
    "leaks",
    "ends",
)


def words(text: str) -> frozenset[str]:
    """Return the words of "messages,leaks" or "all", and those for process ends; all words for "".

    Raises MpippError for an unknown name.
    """
    return optional_words(text).union(_ALWAYS)


def optional_words(text: str) -> frozenset[str]:
    """Return the words without those for process ends, which every run checks.

    Raises MpippError.
    """
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
                f'there is no check "{name}": write a group ({", ".join(GROUPS)}, '
                f"{ALL} or {FAST}) or a word of docs/reference/checks"
            )
    return frozenset(found)


def is_reported(rule: Rule, chosen: Collection[str]) -> bool:
    """Return whether the findings of a rule are reported if these words are selected."""
    return rule.check in chosen and _TOLD_BY.get(rule.id) not in chosen


def has_group(chosen: Collection[str], *groups: str) -> bool:
    """Return whether any check of these groups is selected."""
    return any(word in chosen for group in groups for word in GROUPS[group])


def calls(text: str) -> str:
    """Return the calls to check before they start: "all", operations on "windows", or "none".

    Raises MpippError as words() does.
    """
    at_once = [group for group in GROUPS if group not in _LATER]
    if has_group(_named(text), *at_once):
        return "all"
    return "windows" if has_group(words(text), *at_once) else "none"


def merged(of: Iterable[Collection[str]]) -> frozenset[str]:
    """Return the words in any selection; all if there is no selection, or if one is empty."""
    every = list(of)
    if not every or not all(every):
        return words("")
    return frozenset(word for each in every for word in each)
