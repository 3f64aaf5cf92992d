# SPDX-License-Identifier: MIT
"""`mpipp overlap`: test whether two buffers share memory."""

from __future__ import annotations

from collections.abc import Iterable

import gdb

from mpipp.common.errors import MpippError
from mpipp.datatypes.memory import Buffer
from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.parser import operands
from mpipp.gdb.parser.operands import Operand
from mpipp.render import json_output
from mpipp.render.memory_map import blocks_text


class Overlap(Command):
    """Test whether two communication buffers share a byte, and show the elements that do.

    mpipp overlap TYPE ADDR [COUNT] with TYPE ADDR [COUNT] [--json]

    The answer is exact: buffers that interleave without sharing a byte do not overlap. For an
    overlap mpipp prints the bytes of one place, with the element of each buffer. Two operations may
    share memory if both only read it.
    """

    name = "mpipp overlap"
    completes = gdb.COMPLETE_EXPRESSION

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if argument.startswith("["):  # the user means a variable of this name
            return print_.show(f"overlap{argument}")
        options, rest = operands.options(argument, ("--json",))
        sides = operands.split_with(rest, "mpipp overlap TYPE ADDR [COUNT] with TYPE ADDR [COUNT]")
        first, second = (operands.buffer(side) for side in sides)
        if first.session is not second.session:
            raise MpippError(
                "the buffers are of two processes, which share no memory: write two of one process"
            )
        buffers = _buffer(first), _buffer(second)
        names = first.text, second.text
        if options:
            content = blocks_text.overlap_content(*buffers, names)
            return [json_output.document("overlap", content)]
        return blocks_text.overlap_lines(*buffers, names)


def _buffer(operand: Operand) -> Buffer:
    assert operand.address is not None
    return Buffer(operand.datatype.tree, operand.count, operand.address)
