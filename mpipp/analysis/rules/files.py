# SPDX-License-Identifier: MIT
"""Rules for split collective calls and pending operations on files, in one process."""

from __future__ import annotations

from mpipp.analysis.rules.rule import Rule, Templates

_DATA = "14.4.5"
_END_BEFORE = "call the matching _end procedure first"


def _split(id: str, section: str, sentence: str, advice: str) -> Rule:
    return Rule(id, "split-order", section, sentence, advice, error_class="MPI_ERR_IO")


def _view(id: str, sentence: str, advice: str) -> Rule:
    return Rule(id, "file-view", "14.3", sentence, advice, error_class="MPI_ERR_TYPE")


def _before(id: str, section: str, procedure: str) -> Rule:
    sentence = f"split collective calls must have ended before {procedure} is called"
    return _split(f"split-before-{id}", section, sentence, _END_BEFORE)


def _pending(id: str, section: str, procedure: str) -> Rule:
    sentence = f"nonblocking operations on a file must be complete before {procedure} is called"
    advice = "complete the pending operation first, for example with MPI_Wait"
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
        "a file may have only one pending split collective call",
        "end the first split collective call before you begin the second",
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
        "an _end procedure must match the split collective call that is pending",
        "call the _begin procedure first, and the _end procedure once",
    ),
    _split(
        "split-other-end",
        _DATA,
        "an _end procedure must match the split collective call that is pending",
        "call the _end procedure that matches the pending _begin",
    ),
    _view(
        "filetype-negative",
        "displacements of a filetype must not be negative",
        "count displacements from the beginning of the view, which disp moves",
    ),
    _view(
        "filetype-order",
        "displacements of a filetype must not decrease",
        "list the parts of the file in ascending order, and rearrange the data in the buffer "
        "instead",
    ),
    _view(
        "filetype-not-of-etypes",
        "a filetype must consist of whole etypes",
        "build the filetype from the etype, or pass MPI_BYTE as etype",
    ),
    _view(
        "filetype-overlap",
        "the filetype of a file that may be written must not overlap itself",
        "compare the displacements with the lengths of the blocks",
    ),
    *(_before(*each) for each in _ENDS),
    *(_pending(*each) for each in _ENDS),
)

_WHILE = "{procedure} is called while {pending_procedure} is pending on the file"
WHAT: Templates = {
    **{rule.id: _WHILE for rule in RULES},
    "filetype-negative": "{element} of the filetype lies at {displacement}, before the view begins",
    "filetype-order": "{element} of the filetype lies at {displacement}, below {other_element} at "
    "{other_displacement}, which precedes it",
    "filetype-not-of-etypes": {
        "size": "the filetype has {bytes}, which is not a multiple of the {etype_bytes} of the "
        "etype",
        "element": "{element} of the filetype has {bytes}, but the etype has {etype_bytes}",
    },
    "filetype-overlap": "{element} and {other_element} of the filetype share bytes of a file that "
    "may be written",
    "split-not-begun": "{procedure} is called, but no split collective call is pending on the file",
    "split-other-end": "{procedure} cannot end {pending_procedure}",
}
