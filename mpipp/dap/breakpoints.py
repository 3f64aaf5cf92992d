# SPDX-License-Identifier: MIT
"""Breakpoints as clients describe them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mpipp.common.errors import MpippError
from mpipp.dap.arguments import Arguments, optional, required

_HIT = re.compile(r"\s*(==|>=|>|%|)\s*(\d{1,9})\s*")


class Breakpoint(NamedTuple):
    """A breakpoint at a line or in a function.

    Attributes:
        line: 0 if it is in a function.
        hits: the condition on the number of hits; "" for none.
        log: the message to write instead of a stop; "": stop.
    """

    line: int
    function: str
    condition: str
    hits: str
    log: str


def source(arguments: Arguments) -> tuple[str, list[Breakpoint]]:
    """The path and the breakpoints of `setBreakpoints`. Raises MpippError."""
    path = optional(required(arguments, "source", dict), "path", "")
    if not path:
        raise MpippError("a breakpoint needs the path of its source file")
    found = optional(arguments, "breakpoints", list[Arguments]())
    return path, [_breakpoint(one, required(one, "line", int), "") for one in found]


def functions(arguments: Arguments) -> list[Breakpoint]:
    """The breakpoints of `setFunctionBreakpoints`. Raises MpippError."""
    found = required(arguments, "breakpoints", list)
    return [_breakpoint(one, 0, required(one, "name", str).strip()) for one in found]


def _breakpoint(one: Arguments, line: int, function: str) -> Breakpoint:
    texts = (optional(one, name, "") for name in ("condition", "hitCondition", "logMessage"))
    condition, hits, log = texts
    return Breakpoint(line, function, condition.strip(), hits.strip(), log)


def is_hit(condition: str, count: int) -> bool:
    """Return whether the hit with this number, from 1, is one that a condition asks for.

    Args:
        condition: "5" and ">= 5" from the fifth hit on, "> 5" after it, "== 5" only there, "% 5"
            at every fifth one; "" always.

    Raises MpippError for any other text.
    """
    if not condition:
        return True
    found = _HIT.fullmatch(condition)
    number = int(found[2]) if found is not None else 0
    if found is None or (found[1] == "%" and not number):
        raise MpippError(f"{condition} is not a hit condition: write 5, >= 5, > 5, == 5 or % 5")
    if found[1] == "%":
        return count % number == 0
    return {"==": count == number, ">": count > number}.get(found[1], count >= number)


def parts(message: str) -> Iterator[tuple[str, bool]]:
    """The parts of a log message: texts, and expressions (True), which stand in braces.

    Raises MpippError if a brace has no partner.
    """
    rest = message
    while "{" in rest:
        text, _, rest = rest.partition("{")
        expression, brace, rest = rest.partition("}")
        if not brace:
            raise MpippError("the log message has { without }")
        if text:
            yield text, False
        if expression.strip():
            yield expression.strip(), True
    if rest:
        yield rest, False
