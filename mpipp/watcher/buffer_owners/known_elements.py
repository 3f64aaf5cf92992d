# SPDX-License-Identifier: MIT
"""The variables that contain the buffers of calls, to name elements in findings.

The modules that read debug information are slow to import, and correct programs need none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mpipp.analysis.findings.finding import Party
    from mpipp.symbolizer.variables.holders import Holder
    from mpipp.watcher.buffer_owners.owners import BufferOwners

_MOST = 1 << 12  # places of calls


class KnownElements:
    """The variables at each place of a call, by process."""

    def __init__(self) -> None:
        self._at: dict[tuple[int, int], dict[Holder, None]] = {}

    def add(self, process: int, owners: BufferOwners) -> None:
        """Store the variables that the checks of a call found."""
        if owners.known and len(self._at) < _MOST:
            known = self._at.setdefault((process, owners.place), {})
            known.update(dict.fromkeys(owners.known))

    def name(self, party: Party, address: int) -> str:
        """The name of the element at an address in a buffer of the party, "u[2][6]"; ""
        if unknown."""
        from mpipp.watcher.processes import variable_names

        every = [
            one
            for one in self._at.get((party.process, party.site.address), ())
            if one.low <= address and (one.high is None or address < one.high)
        ]
        # Prefer declared variables: a pointer may lead to other data in each call from this place.
        declared = [one for one in every if one.is_declared]
        names = {variable_names.named([one], address) for one in declared or every}
        return names.pop() if len(names) == 1 else ""
