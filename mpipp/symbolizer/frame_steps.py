# SPDX-License-Identifier: MIT
"""Frames as steps of a stack, with adjacent frames of libraries folded into one step."""

from __future__ import annotations

from collections.abc import Sequence

from mpipp.ranks.stack_tree import LIBRARY, PROGRAM, Step
from mpipp.symbolizer.source_frames import Frame

# Libraries whose source lines do not help users: the C library, MPI, and the wrapper.
_HIDDEN = ("libc.so.", "libc-", "ld-linux", "libpthread", "libmpi", "libfmpi", "libpmpi")


def steps(frames: Sequence[Frame]) -> list[Step]:
    """Convert frames, innermost first, to steps, outermost first."""
    found: list[Step] = []
    for frame in reversed(frames):
        if not is_folded(frame):
            found.append(Step(frame.text, PROGRAM, frame.path, frame.line))
        elif not found or found[-1].kind != LIBRARY:
            name = frame.function or frame.text
            found.append(Step(f"{name} in {frame.library}" if frame.function else name, LIBRARY))
    # Leave out the C library's functions that begin a thread.
    begun = next((i for i, one in enumerate(found) if one.kind == PROGRAM), 0)
    return found[begun:]


def is_folded(frame: Frame) -> bool:
    """Return whether a frame belongs to a library that stacks show as one step."""
    return bool(frame.library) and (not frame.line or frame.library.startswith(_HIDDEN))
