# SPDX-License-Identifier: MIT
"""`mpipp blocks`: the memory that a datatype touches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb import settings
from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.parser import operands
from mpipp.render import json_output, memory_map
from mpipp.render.memory_map import MemoryMap, blocks_text

_MOST_BLOCKS = 10_000  # blocks in the JSON list


class Blocks(Command):
    """Show the memory that a datatype touches: strided blocks, holes, alignment, overlap.

    mpipp blocks TYPE [COUNT] [--map] [--json]

    [0, 16) are the bytes from displacement 0 to 15. Repeated blocks are shown once, with their
    number and stride. Then follow the contiguous runs, the holes between them, and the share of the
    memory that is data. Two more lines name an element that is not aligned, and two elements that
    share a byte. A buffer that overlaps itself may be sent but not received into.

    --map    draw the memory, one character for each byte: a capital letter is the first byte of an
             element; of many repetitions only the first is drawn
    """

    name = "mpipp blocks"
    completes = gdb.COMPLETE_EXPRESSION

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if argument.startswith("["):  # the user means a variable of this name
            return print_.show(f"blocks{argument}")
        options, rest = operands.options(argument, ("--map", "--json"))
        if not rest:
            raise MpippError("write mpipp blocks TYPE [COUNT] [--map]")
        operand = operands.entries(rest)
        found = memory_map.memory_map(operand.datatype.tree, operand.count)
        if "--json" in options:
            content = blocks_text.content(found, operand.text, _MOST_BLOCKS)
            return [json_output.document("blocks", content)]
        return _lines(found, operand.text, "--map" in options)


def _lines(found: MemoryMap, name: str, drawn: bool) -> Iterator[str]:
    yield from blocks_text.lines(found, name, settings.limits().elements)
    if drawn and found.region.comb is not None:
        yield ""
        yield from memory_map.text(found)
