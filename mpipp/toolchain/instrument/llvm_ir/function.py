# SPDX-License-Identifier: MIT
"""A function in LLVM's textual IR, to which lines can be added."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mpipp.toolchain.instrument.llvm_ir import loops, patterns
from mpipp.toolchain.instrument.llvm_ir.loops import Block, Loop


class Function:
    """A function with added checks and calls."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._blocks = loops.blocks(lines)
        self.loops = loops.loops(self._blocks)
        self._count = 0
        self._values: dict[str, tuple[int, str]] = {}
        for i, block in enumerate(self._blocks if self.loops else ()):
            for line in block.lines:
                self._define(i, line)
        self._added: dict[int, list[str]] = {}  # lines to add at the end of blocks
        self._known: dict[tuple[int, str], str] = {}  # the values of those lines
        self._between: dict[tuple[int, int], list[str]] = {}  # lines to add on the edges into loops

    def text(self) -> Iterator[str]:
        """The lines of the function, including the added ones."""
        yield self._lines[0]
        for i, block in enumerate(self._blocks):
            added = self._added.get(i, [])
            end = block.end()
            ways = {to: text for (at, to), text in self._between.items() if at == i}
            last = block.lines[end:]
            for to in ways:
                last = [
                    _leads(self._blocks[to].name).sub(f"label %{_way(to)}", one) for one in last
                ]
            yield from (*block.lines[:end], *added, *last)
            for to, text in ways.items():
                yield from (f"\n{_way(to)}:\n", *text, f"  br label %{self._blocks[to].name}\n")
        yield self._lines[-1]

    def can_add_between(self, loop: Loop) -> bool:
        """Return whether there is exactly one edge into a loop."""
        block = self._blocks[loop.entry]
        ways = _leads(self._blocks[loop.header].name).findall("".join(block.lines[block.end() :]))
        return len(ways) == 1

    def add_between(self, loop: Loop, line: str) -> None:
        """Add a line that runs only when the loop is entered."""
        key = (loop.entry, loop.header)
        if key not in self._between:
            self._between[key] = []
            header = self._blocks[loop.header]
            latch = self._blocks[loop.latch].name
            for i, one in enumerate(header.lines):
                if " = phi " in one:
                    header.lines[i] = re.sub(
                        r", %(\S+) \]",
                        lambda it: it[0] if it[1] == latch else f", %{_way(loop.header)} ]",
                        one,
                    )
        self._between[key].append(line)

    def _define(self, block: int, line: str) -> None:
        found = patterns.VALUE.match(line)
        if found:
            self._values[found["name"]] = (block, patterns.DETAILS.sub("", found["what"]))

    def block(self, at: int) -> Block:
        return self._blocks[at]

    def value(self, name: str) -> tuple[int, str] | None:
        return self._values.get(name)

    def add(self, block: int, what: str) -> str:
        """Add an instruction at the end of a block. Returns the name of the instruction's value."""
        if (block, what) in self._known:
            return self._known[block, what]
        self._count += 1
        name = self._known[block, what] = f"%mpipp.v{self._count}"
        line = f"  {name} = {what}\n"
        self._added.setdefault(block, []).append(line)
        self._define(block, line)
        return name


def _way(header: int) -> str:
    return f"mpipp.way{header}"


def _leads(name: str) -> re.Pattern[str]:
    return re.compile(rf"label %{re.escape(name)}(?![-\w.$])")
