# SPDX-License-Identifier: MIT
"""`mpipp typesig` and `mpipp match`: type signatures, and whether two of them match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import gdb

from mpipp.analysis.rules import cited
from mpipp.common.errors import MpippError
from mpipp.datatypes.signatures import formatting
from mpipp.gdb import settings
from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.parser import operands
from mpipp.gdb.parser.operands import Operand
from mpipp.render import json_output, signature_mismatch
from mpipp.render.signature_mismatch import Entries

_JSON = ("--json",)
_MOST_ENTRIES = 10_000  # entries of a signature in JSON


class Typesig(Command):
    """Show the type signature of a datatype: its basic types, in type-map order.

    mpipp typesig TYPE [COUNT] [--json]

    Repetitions are shown once: 3 x {5 x MPI_INT, MPI_DOUBLE}. Pair types appear as their two parts.
    "set print elements" limits the number of types. @2 TYPE is an expression in inferior 2.
    """

    name = "mpipp typesig"
    completes = gdb.COMPLETE_EXPRESSION

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if argument.startswith("["):  # the user means a variable of this name
            return print_.show(f"typesig{argument}")
        options, rest = operands.options(argument, _JSON)
        if not rest:
            raise MpippError("write mpipp typesig TYPE [COUNT]")
        found = _entries(operands.entries(rest))
        return [_document(found)] if options else _lines(found)


def _lines(found: Entries) -> Iterator[str]:
    whole = found.signature
    if whole.elements:
        yield formatting.text(whole, settings.limits().elements)
    elements = f"{whole.elements} element{'' if whole.elements == 1 else 's'}"
    yield f"{elements}, {whole.size} byte{'' if whole.size == 1 else 's'}"


def _document(found: Entries) -> str:
    whole = found.signature
    signature, complete = formatting.entries(whole, _MOST_ENTRIES)
    content = {
        "datatype": found.text,
        "count": found.count,
        "elements": whole.elements,
        "size": whole.size,
        "signature": signature,
        "complete": complete,
    }
    return json_output.document("typesig", content)


class Match(Command):
    """Compare the type signatures of a send and a receive.

    mpipp match TYPE [COUNT] with TYPE [COUNT] [--json]

    The first datatype is the sender's, and the second the receiver's. The answer is
      match      the same basic types in the same order
      partial    the send is shorter: legal in point-to-point, not in collective communication
      longer     the send is longer: the message is truncated
      mismatch   the types differ; the first such element is shown, with its address on both sides
    MPI_BYTE matches only MPI_BYTE. MPI_PACKED matches any type: its contents are unknown.

    Each TYPE is an expression of a handle in the selected inferior and frame. @2 TYPE [COUNT] is
    evaluated in inferior 2, in the innermost frame of its first thread outside MPI that knows TYPE.
    """

    name = "mpipp match"
    completes = gdb.COMPLETE_EXPRESSION

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if argument.startswith("["):  # the user means a variable of this name
            return print_.show(f"match{argument}")
        options, rest = operands.options(argument, _JSON)
        sides = operands.split_with(rest, "mpipp match TYPE [COUNT] with TYPE [COUNT]")
        read = [operands.entries(side) for side in sides]
        sender, receiver = map(_entries, read)
        found = signature_mismatch.compare(sender, receiver)
        if options:
            return [
                json_output.document("match", signature_mismatch.content(found, sender, receiver))
            ]
        standard = read[0].session.registry.info.standard
        return signature_mismatch.lines(
            found, sender, receiver, cite=lambda section: cited(section, standard)
        )


def _entries(operand: Operand) -> Entries:
    return Entries(operand.text, operand.datatype.tree, operand.count)
