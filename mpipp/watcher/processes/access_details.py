# SPDX-License-Identifier: MIT
"""Details of loads and stores in guarded buffers, from debug information."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mpipp.model import Site, Touch
from mpipp.registry.memory.address_space import Memory
from mpipp.registry.registry import Registry
from mpipp.symbolizer.process_symbols import Places, StackFrame


def of_program(touch: Touch, places: Places, frame: StackFrame | None = None) -> Touch:
    """Return an access with the variable's name, and without the callers of the program's main.

    Args:
        frame: the stack frame that contains the address, if known.
    """
    site = own_frames(touch.site, places)
    return touch._replace(site=site, variable=places.variable(touch.address, frame))


def own_frames(site: Site, places: Places) -> Site:
    """Return a call site without the callers of the program's main."""
    frames = list(site.frames)
    while frames and not places.calls(frames[-1])[-1].line:
        frames.pop()
    return replace(site, frames=tuple(frames))


class Touched(Registry):
    """The registry of a watched process, with accesses that the process could not report itself."""

    def __init__(self, memory: Memory, address: int, places: Places) -> None:
        super().__init__(memory, address)
        self._places = places

    def touches(self) -> Iterator[Touch]:
        return (of_program(touch, self._places) for touch in super().touches())
