# SPDX-License-Identifier: MIT
"""`mpipp compare-ranks`: a variable of all ranks against its values in another run."""

from __future__ import annotations

from collections.abc import Iterable

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb.commands.base import Command


class CompareRanks(Command):
    """Compare a variable of all ranks with its values in another run or core file.

    mpipp compare-ranks EXPR with FILE

    Write FILE before, in that run or on its core files, with
    "mpipp print EXPR --ranks --save FILE". mpipp names the ranks whose value differs, and the
    elements of arrays.
    """

    name = "mpipp compare-ranks"
    completes = gdb.COMPLETE_EXPRESSION

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        expression, found, file = argument.rpartition(" with ")
        if not found or not expression.strip() or len(file.split()) != 1:
            raise MpippError("write mpipp compare-ranks EXPR with FILE")
        from mpipp.gdb.all_ranks import values_text  # takes some time to load

        return values_text.changes(expression.strip(), file.strip())
