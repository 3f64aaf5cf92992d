# SPDX-License-Identifier: MIT
"""A rule of the MPI standard, and its section in the version that a library follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Optional, Union

Version = Optional[tuple[int, int]]  # of the standard: (3, 1); None if it is unknown

# The sentence for a program that violates a rule, by the rule's id. The sentence is a template of
# the finding's facts (`render/phrases.py`), or several templates by their case.
Templates = Mapping[str, Union[str, Mapping[str, str]]]

ERROR, WARNING, REMARK = "error", "warning", "remark"


class Rule(NamedTuple):
    """A demand of the standard on programs.

    `sentence`, `advice` and `error_class` are templates of a finding's facts (`render/phrases.py`).
    """

    id: str
    check: str  # the word that scripts use, common to related rules: "type-mismatch"
    section: str  # of MPI-4.1; several as "3.5 and 6.14"
    sentence: str  # the demand, without its full stop
    advice: str  # what to do
    must: str = ""  # MUST's identifier of an equal rule, or ""
    severity: str = ERROR  # WARNING for mere waste; REMARK if the program may intend it
    # MPI's error class with which --on-error refuses the call. The class is "" for warnings, and if
    # mpipp finds the error only after the call.
    error_class: str = ""


def cited(sections: str, standard: Version) -> str:
    """Return sections of MPI-4.1, with the numbers of another version if they are certain.

    For version 3.1, "5.1.9" gives "MPI-3.1, section 4.1.9"; for an unknown version it gives
    "MPI-4.1, section 5.1.9". "3.5 and 6.14" gives "MPI-4.1, sections 3.5 and 6.14".
    """
    version = "{}.{}".format(*standard) if standard else ""
    each = sections.split(" and ")
    known = _NUMBERS.get(version, {})
    if all(section in known for section in each):
        numbers = [known[section] for section in each]
    else:
        version, numbers = "4.1", each
    return f"MPI-{version}, section{'s' * (len(each) > 1)} {' and '.join(numbers)}"


# Numbers of MPI-4.1's sections in other versions, only if they are certain.
_SAME = "2.3 2.5.1 3.2.2 3.2.3 3.2.4 3.2.5 3.3.1 3.5 3.6 3.7.2 3.7.3 3.7.5 3.8.2 3.8.3 3.9".split()
_IN_3_1 = {
    "5.1.2": "4.1.2",
    "5.1.3": "4.1.3",
    "5.1.4": "4.1.4",
    "5.1.9": "4.1.9",
    "5.1.11": "4.1.11",
    "5.1.12": "4.1.12",
    "6.1": "5.1",
    "6.2": "5.2",
    "6.2.1": "5.2.1",
    "6.2.3": "5.2.3",
    "6.5": "5.5",
    "6.9": "5.9",
    "6.9.2": "5.9.2",
    "6.9.4": "5.9.4",
    "6.10.2": "5.10.2",
    "6.11": "5.11",
    "6.12": "5.12",
    "6.14": "5.13",
    "7.3.1": "6.3.1",
    "7.3.2": "6.3.2",
    "7.4.2": "6.4.2",
    "7.4.3": "6.4.3",
    "7.6.1": "6.6.1",
    "7.6.2": "6.6.2",
    "8.1": "7.1",
    "8.5": "7.5",
    "8.5.1": "7.5.1",
    "8.5.2": "7.5.2",
    "8.5.3": "7.5.3",
    "8.5.4": "7.5.4",
    "8.5.5": "7.5.5",
    "8.5.6": "7.5.6",
    "8.5.7": "7.5.7",
    "8.6": "7.6",
    "8.7": "7.7",
    "9.1.2": "8.1.2",
    "9.3": "8.3",
    "11.2.2": "8.7",
    "11.4.2": "8.7",
    "12.2": "11.2",
    "12.2.1": "11.2.1",
    "12.2.4": "11.2.4",
    "12.2.5": "11.2.5",
    "12.3": "11.3",
    "12.3.1": "11.3.1",
    "12.3.4": "11.3.4",
    "12.3.5": "11.3.5",
    "12.5": "11.5",
    "12.5.1": "11.5.1",
    "12.5.3": "11.5.3",
    "12.5.5": "11.5.5",
    "12.7": "11.7",
    "14.2.1": "13.2.1",
    "14.2.2": "13.2.2",
    "14.2.4": "13.2.4",
    "14.2.5": "13.2.5",
    "14.3": "13.3",
    "14.4.1": "13.4.1",
    "14.4.4": "13.4.4",
    "14.4.5": "13.4.5",
    "14.6.1": "13.6.1",
    "19.1.9": "17.1.9",
    "19.1.12": "17.1.12",
    "19.3.10": "17.2.10",
}
_IN_4_0 = "4.2 6.13 8.8".split()
# Missing sections were not checked: 5.0 may have the same numbers.
_IN_5_0 = """
    2.5.1 3.2.3 3.3.1 3.5 3.6 3.7.2 3.7.3 3.8.2 3.8.3 3.9 4.2 4.2.1 4.2.2
    5.1.2 5.1.3 5.1.4 5.1.9 5.1.11 5.1.12 6.1 6.2 6.2.1 6.9 6.9.2 6.9.4 6.12 6.13 6.14
    7.3.2 7.4.2 7.4.3 7.6.2 8.5 8.5.1 8.5.3 8.5.4 8.5.7 8.6 8.7 8.8
    11.2.1 11.2.2 11.4.1 11.4.2 11.6.2 12.2.1 12.3 12.3.1 12.3.4 12.5 12.5.1 12.5.3 12.5.5 12.7
    14.3 14.4.4 14.6.1
""".split()
_NUMBERS: Mapping[str, Mapping[str, str]] = {
    "3.1": {**{section: section for section in _SAME}, **_IN_3_1},
    "4.0": {section: section for section in (*_SAME, *_IN_3_1, *_IN_4_0)},
    "5.0": {section: section for section in _IN_5_0},
}
