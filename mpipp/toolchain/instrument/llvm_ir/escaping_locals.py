# SPDX-License-Identifier: MIT
"""Find local variables whose address escapes, in LLVM's textual IR.

For an element of a local array, or a member of a local structure, ThreadSanitizer tests whether the
address of that part escapes. If only the address of the whole variable escapes, it wrongly skips
the part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from mpipp.toolchain.instrument.llvm_ir import patterns

_VARIABLE = re.compile(r"alloca\b")
_PART = re.compile(r"(?:getelementptr|bitcast)\b")
# Instructions that do not let an address escape: they read, write or compare its target.
_KEPT = re.compile(
    r"  (?:%\S+ = (?:load|icmp) |.*\bcall .*@(?:llvm\.|mem(?:cpy|move|set)\(|__tsan_)|  #dbg_)"
)
_STORE = re.compile(r"  store .*, (?:ptr|\S+\*) (%[-\w.$]+)")


class Locals(NamedTuple):
    """The names of pointers to a function's local variables, or to parts of them.

    Attributes:
        reached: pointers to parts of variables whose address escapes.
        private: pointers to variables whose address does not escape, or to parts of them.
    """

    reached: set[str]
    private: set[str]


def local_pointers(lines: Sequence[str]) -> Locals:
    """The pointers in the function with these lines."""
    of: dict[str, str] = {}  # the variable of each pointer
    parts: list[str] = []
    given = set[str]()
    for line in lines:
        value = patterns.VALUE.match(line)
        if value and _VARIABLE.match(value["what"]):
            of[value["name"]] = value["name"]
            continue
        names = [name for name in patterns.NAME.findall(line) if name in of]
        if not names:
            continue
        if value and _PART.match(value["what"]):
            of[value["name"]] = of[names[-1]]
            parts.append(value["name"])
        elif not _KEPT.match(line):
            stored = _STORE.match(line)
            given.update(of[name] for name in names if not stored or name != stored[1])
    return Locals(
        {name for name in parts if of[name] in given},
        {name for name, variable in of.items() if variable not in given},
    )
