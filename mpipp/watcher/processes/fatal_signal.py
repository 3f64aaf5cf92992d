# SPDX-License-Identifier: MIT
"""A signal that kills a process, or its exit: the line, the callers and the variables."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.analysis.findings.finding import Party
from mpipp.model import PythonLine, Site
from mpipp.render.phrases import Phrase, Varies


class FatalSignal(NamedTuple):
    """A signal that kills a process, or its exit, with its place in the program.

    Attributes:
        signal: its number; 0 if the process exits.
        tid: the thread that got it.
        cause: the mistake, as far as the signal shows it: "writes to unmapped address 0x0".
        site: the line where it arrived, with callers; None inside MPI.
        callers: more callers, in Python.
        values: the variables of the program's innermost function; "" if unknown.
    """

    signal: int
    tid: int
    cause: Phrase
    site: Site | None = None
    callers: tuple[PythonLine, ...] = ()
    values: str = ""

    def party(self, number: int) -> Party | None:
        """The line where it died, as a party of a finding; None inside MPI."""
        if self.site is None:
            return None
        how = "died at" if self.signal else "called at"
        return Party(number, self.cause, how, self.site, self.tid, self.details)

    def in_call(self, party: Party) -> Party:
        """The party of the MPI call where it died, with the facts about the signal."""
        if self.site is not None or party.tid != self.tid:
            return party
        return party.with_details(self.cause, *self.details)

    @property
    def details(self) -> tuple[Phrase, ...]:
        """The callers and the variables, one line each."""
        lines = [Phrase.of("from {place}", place=line.text) for line in self.callers]
        if self.values:
            found = Phrase.of("{value}", value=self.values)
            lines.append(Phrase(found.template, found.facts, Varies.RANKS))
        return tuple(lines)
