# SPDX-License-Identifier: MIT
"""Patterns for the lines of LLVM's textual IR that matter for loops."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

HOOK = re.compile(
    r"  (?:tail )?call void @(?:__tsan_(?:unaligned_)?(?P<verb>read|write|read_write)(?P<size>\d+)"
    r"|mpipp_inlined_(?P<plural>loads|stores))"
    r"\((?P<pointer>ptr|i8\*) (?P<address>[^\s,]+|.*\))(?:, i64 (?P<length>\d+))?\)(?P<rest>.*)"
)
VALUE = re.compile(r"  (?P<name>%\S+) = (?P<what>.*)")
DETAILS = re.compile(r"(?:, ![\w.]+ !\d+)+$")
BINARY = re.compile(
    r"(?P<verb>add|sub|mul|shl|or)(?P<flags>(?: nuw| nsw| disjoint)*) (?P<type>i\d+) "
    r"(?P<one>\S+), (?P<other>\S+)"
)
CAST = re.compile(
    r"(?P<verb>sext|zext|bitcast|ptrtoint|inttoptr)(?P<flags>(?: nneg)*) (?P<type>\S+) "
    r"(?P<one>\S+) to \S+"
)
ELEMENT = re.compile(r"getelementptr(?P<flags>(?: inbounds| nuw| nusw)*) (?P<rest>.+)")
PHI = re.compile(r"phi (?P<type>\S+) \[ (.+), %(\S+) \], \[ (.+), %(\S+) \]")
COMPARED = re.compile(r"icmp(?: samesign)? (\w+) (\S+) (\S+), (\S+)")
PURE = re.compile(r"(?:and|or|xor|lshr|ashr|trunc|select|icmp|freeze|sdiv|udiv) ")
BRANCH = re.compile(r"  br i1 (%\S+), label %(\S+), label %([^\s,]+)")
BOTH = re.compile(r"(?:and i1 (%\S+), (%\S+)|select i1 (%\S+), i1 (%\S+), i1 false)")
ANY = re.compile(r"(?:or i1 (%\S+), (%\S+)|select i1 (%\S+), i1 true, i1 (%\S+))")
FLAGS = re.compile(r"(?<=[a-z]) (?:nuw|nsw|nneg|disjoint|exact|inbounds|nusw|samesign)\b")
NAME = re.compile(r"%[-\w.$]+")
# Calls that do not change which memory is checked.
QUIET = re.compile(
    r"@(?:llvm\..*|__tsan_.*|mpipp_inlined_.*|(?:sqrt|cbrt|sin|cos|tan|exp|exp2|log|log2|log10|pow"
    r"|fabs|floor|ceil|fmin|fmax|fmod|hypot|atan|atan2|tanh|erf)f?)"
)
CALLED = re.compile(r"([@%][-\w.$]+)\(")
LOUD = re.compile(r" (?:atomicrmw|cmpxchg|fence|asm|atomic) ")
CALL = re.compile(r"\b(?:call|invoke|callbr) ")


def functions(lines: Sequence[str]) -> Iterator[tuple[bool, list[str]]]:
    """Split a module into functions and the lines between them. True marks a function of the
    program."""
    function: list[str] = []
    for line in lines:
        if line.startswith("define "):
            function = [line]
        elif not function:
            yield False, [line]
        else:
            function.append(line)
            if line.startswith("}"):
                yield (
                    "@__tsan_" not in function[0] and "@mpipp_inlined_" not in function[0],
                    function,
                )
                function = []


def parts(text: str) -> list[str]:
    """The items of a list, split at commas outside brackets."""
    parts = [""]
    depth = 0
    for letter in text:
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
