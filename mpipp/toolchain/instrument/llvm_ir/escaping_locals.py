# SPDX-License-Identifier: MIT
"""Parts of local variables that others may reach, in the text of Clang's modules.

For an element of a local array, or a member of a local structure, ThreadSanitizer tests whether its
own address escapes. It does not test the variable's: it skips all of them.
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
    """Pointers to the local variables of a function, and to parts of them, by names.

    Attributes:
        reached: those to parts of variables whose address the function gives away.
        private: those to the variables whose address it does not give away, and to their parts.
    """

    reached: set[str]
    private: set[str]


def local_pointers(lines: Sequence[str]) -> Locals:
    """The pointers of the function with these lines."""
    of: dict[str, str] = {}  # a pointer, and its variable
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
