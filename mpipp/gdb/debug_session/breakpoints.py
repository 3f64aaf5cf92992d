# SPDX-License-Identifier: MIT
"""Breakpoints for selected ranks: at the start of the program, for run-to, and for tbreak."""

from __future__ import annotations

from collections.abc import Iterable

import gdb

from mpipp.gdb import console
from mpipp.gdb.browser_server import gdb_thread
from mpipp.gdb.debug_session.group import Group

# Names of the main program in Fortran (gfortran, flang, new flang), then in C. A Fortran program
# also has a `main`, which calls its main program.
_NAMES = ("MAIN__", "MAIN_", "_QQmain", "main")


def entry_name() -> str:
    """The function with which the selected inferior's program begins; "" if unknown."""
    return next((one for one in _NAMES if _is_known(one)), "")


def _is_known(name: str) -> bool:
    try:
        console.value(f"&'{name}'")
    except gdb.error:
        return False
    return True


class TargetBreakpoint(gdb.Breakpoint):
    """An internal breakpoint (without a number) that stops each of the selected ranks once."""

    def __init__(self, location: str, group: Group, ranks: Iterable[int]) -> None:
        super().__init__(location, internal=True)
        self.silent = True
        self._group, self._ranks = group, set(ranks)

    def stop(self) -> bool:
        """Return whether to stop. gdb calls this."""
        rank = self._group.rank(gdb.selected_inferior())
        if rank is None or rank not in self._ranks:
            return False
        self._ranks.remove(rank)
        return True


class OnceBreakpoint(gdb.Breakpoint):
    """A breakpoint that stops each rank once, and then is deleted. gdb's own stops only
    one rank."""

    def __init__(self, location: str, group: Group) -> None:
        super().__init__(location)
        self._group = group
        self._stopped: set[int] = set()

    def stop(self) -> bool:
        """Return whether to stop. gdb calls this."""
        rank = self._group.rank(gdb.selected_inferior())
        if rank is None or rank in self._stopped:
            return False
        self._stopped.add(rank)
        if self._stopped.issuperset(self._group.alive):
            gdb_thread.post(self._end)
        return True

    def _end(self) -> None:
        if self.is_valid():
            self.delete()


class MemoryWatchpoint(gdb.Breakpoint):
    """A watchpoint for a variable of one rank, at its address. Select the rank first.

    Args:
        expression: of C, without names of the program.
        name: of the variable.
        place: a value of the variable's type at its address.
        access: gdb.WP_WRITE, or gdb.WP_ACCESS to also stop at reads.
    """

    def __init__(self, expression: str, name: str, place: gdb.Value, access: int) -> None:
        self._name, self._address, self._type = name, int(place.address), place.type
        super().__init__(expression, gdb.BP_WATCHPOINT, access)

    def text(self) -> str:
        """Return the name of the variable, and its value."""
        place = gdb.Value(self._address).cast(self._type.pointer())
        try:
            return f"watchpoint {self._name} = {place.dereference().format_string()}"
        except gdb.error:
            return f"watchpoint {self._name}"
