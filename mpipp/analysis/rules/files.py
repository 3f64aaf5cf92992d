# SPDX-License-Identifier: MIT
"""Rules for split collective calls on files, and what is pending on them, one process alone."""

from __future__ import annotations

from mpipp.analysis.rules.rule import Rule, Templates

_DATA = "14.4.5"
_END_BEFORE = "call its _end before"


def _split(id: str, section: str, sentence: str, advice: str) -> Rule:
    return Rule(id, "split-order", section, sentence, advice, error_class="MPI_ERR_IO")


def _before(id: str, section: str, procedure: str) -> Rule:
    sentence = f"split collective calls must have ended before {procedure} is called"
    return _split(f"split-before-{id}", section, sentence, _END_BEFORE)


def _pending(id: str, section: str, procedure: str) -> Rule:
    sentence = f"nonblocking operations on a file must be complete before {procedure} is called"
    advice = "complete its request before, with MPI_Wait or its like"
    return _split(f"pending-before-{id}", section, sentence, advice)


_ENDS = (
    ("close", "14.2.2", "MPI_File_close"),
    ("set-size", "14.2.4", "MPI_File_set_size"),
    ("set-view", "14.3", "MPI_File_set_view"),
    ("sync", "14.6.1", "MPI_File_sync"),
)

RULES = (
    _split(
        "split-twice",
        _DATA,
        "a file may have one split collective call pending at a time",
        "call the _end of the first before the second begins",
    ),
    _split(
        "split-beside",
        _DATA,
        "between _begin and _end no collective call may access the file",
        _END_BEFORE,
    ),
    _split(
        "split-not-begun",
        _DATA,
        "an _end belongs to the split collective call that is pending",
        "call the _begin before, and each _end once",
    ),
    _split(
        "split-other-end",
        _DATA,
        "an _end belongs to the split collective call that is pending",
        "call the _end of the procedure that has begun it",
    ),
    *(_before(*each) for each in _ENDS),
    *(_pending(*each) for each in _ENDS),
)

_WHILE = "{procedure} is called while {pending_procedure} is pending on the file"
WHAT: Templates = {
    **{rule.id: _WHILE for rule in RULES},
    "split-not-begun": "{procedure} is called, but no split collective call is pending on the file",
    "split-other-end": "{procedure} cannot end {pending_procedure}",
}
