# SPDX-License-Identifier: MIT
"""Parts of local variables that others may reach, in the text of Clang's modules.

ThreadSanitizer asks of an element of a local array, or a member of a local structure, whether its
own address is given away, and not whether the variable's is: it passes over all of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mpipp.toolchain.instrument.llvm_ir import patterns

_VARIABLE = re.compile(r"alloca\b")
_PART = re.compile(r"(?:getelementptr|bitcast)\b")
# What leaves an address where it is: what it is of is read, written or compared.
_KEPT = re.compile(
    r"  (?:%\S+ = (?:load|icmp) |.*\bcall .*@(?:llvm\.|mem(?:cpy|move|set)\(|__tsan_)|  #dbg_)"
)
_STORE = re.compile(r"  store .*, (?:ptr|\S+\*) (%[-\w.$]+)")


def reached(lines: Sequence[str]) -> set[str]:
    """Of a function's lines: pointers to parts of its variables whose address it gives away."""
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
    return {name for name in parts if of[name] in given}
