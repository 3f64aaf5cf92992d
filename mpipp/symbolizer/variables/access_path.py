# SPDX-License-Identifier: MIT
"""Parse an expression that names a variable or a part of it: `field[1][2]`, `p->x`, `u(3)`."""

from __future__ import annotations

import re
from typing import NamedTuple, Union

from mpipp.common.errors import MpippError

_NAME = r"[A-Za-z_]\w*"
_STEP = re.compile(
    rf"\s*(?:(?P<arrow>->|\.|%)\s*(?P<member>{_NAME})|\[\s*(?P<index>-?\d+)\s*\]"
    r"|\(\s*(?P<indices>-?\d+(?:\s*,\s*-?\d+)*)\s*\))"
)
_BEGIN = re.compile(rf"\s*(?P<stars>(?:\*\s*)*)(?P<name>{_NAME})")
_LONGEST = 9  # digits of an index


class Member(NamedTuple):
    """A member of a struct or derived type; `is_pointed` for `->`."""

    name: str
    is_pointed: bool


class Target(NamedTuple):
    """The target of a pointer: `*p`."""


class Indices(NamedTuple):
    """One index of C, or all indices of Fortran."""

    numbers: tuple[int, ...]


Step = Union[Member, Target, Indices]


class AccessPath(NamedTuple):
    """A variable, and the steps from it to a part of it."""

    name: str
    steps: tuple[Step, ...]


def parsed(text: str) -> AccessPath:
    """Return the path that an expression describes. Raises MpippError for other expressions."""
    begin = _BEGIN.match(text)
    at = begin.end() if begin else 0
    steps: list[Step] = []
    while begin and at < len(text.rstrip()):
        found = _STEP.match(text, at)
        if found is None:
            break
        steps.append(_step(found))
        at = found.end()
    if begin is None or at < len(text.rstrip()):
        raise MpippError(
            f"{text} is not a variable or a part of one, as field[1][2], p->x, *p or u(3): "
            "mpipp print in gdb evaluates other expressions"
        )
    steps += [Target()] * begin["stars"].count("*")
    return AccessPath(begin["name"], tuple(steps))


def spelled(name: str, step: Step, is_fortran: bool) -> str:
    """Return the expression for a part of the object with the expression `name`."""
    if isinstance(step, Target):
        return f"*{name}"
    if isinstance(step, Member):
        separator = "->" if step.is_pointed else "%" if is_fortran else "."
        return f"{name}{separator}{step.name}"
    numbers = ",".join(map(str, step.numbers))
    return f"{name}({numbers})" if is_fortran else f"{name}[{numbers}]"


def _step(found: re.Match[str]) -> Step:
    if found["member"]:
        return Member(found["member"], found["arrow"] == "->")
    numbers = re.findall(r"-?\d+", found["index"] or found["indices"])
    if any(len(number) > _LONGEST for number in numbers):
        raise MpippError(f"the index {max(numbers, key=len)} is out of range")
    return Indices(tuple(map(int, numbers)))
