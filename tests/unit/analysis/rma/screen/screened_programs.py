# SPDX-License-Identifier: MIT
"""Random programs, whose logs the screen and the engine read."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

from mpipp.analysis.rma_engine import Result, analyse
from mpipp.model.rma_events import Event
from mpipp.registry.rma_log import screen_library
from tests.support import BUILD, ROOT, need
from tests.unit.analysis.rma.random_programs import Made
from tests.unit.analysis.rma.repetition.looped_programs import looped
from tests.unit.analysis.rma.screen.suspicious_programs import Suspicious
from tests.unit.analysis.rma.screen.written_logs import Written

_FLAGS = ("-std=gnu11", "-O2", "-g", "-fPIC", "-fvisibility=hidden", "-shared")


@cache
def library() -> Callable[..., int]:
    """The function of the compiled library."""
    found = screen_library.load(str(compiled()))
    assert found is not None
    return found


def compiled() -> Path:
    """The library, compiled as the builder of the wrapper does."""
    wrapper = ROOT / "wrapper"
    sources = sorted((wrapper / "rma_screen").glob("*.c"))
    read = [*sources, *sorted((wrapper / "rma_screen").glob("*.h"))]
    read.append(wrapper / "registry" / "rma_log_entry.h")
    read.append(wrapper / "generated" / "rma_verdicts.inc")
    name = hashlib.sha256(b"".join(file.read_bytes() for file in read)).hexdigest()[:16]
    made = BUILD / f"screen-{name}.so"
    if not made.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        work = made.with_suffix(f".{os.getpid()}")
        words = [need("gcc"), *_FLAGS, f"-I{wrapper}", *map(str, sources), "-o", str(work)]
        subprocess.run(words, check=True)
        work.rename(made)
    return made


def reason(written: Written) -> int:
    """The reason why the screen is uncertain; 0 if there are certainly no findings."""
    return screen_library.screen(library(), list(written.logs.values()))[0]


def is_clean(result: Result) -> bool:
    """Return whether a result has nothing to report."""
    found = (result.conflicts, result.mistakes, result.undecided, result.cut, result.stuck)
    others = (result.forgotten, result.unknown, result.threaded, result.locks)
    return not (any(found) or any(others))


def selected(written: Written) -> tuple[Result, float] | None:
    """The result from the selected entries, and the part of all entries that is selected.

    None if the screen has not selected any.
    """
    logs = written.logs
    why, selections = screen_library.screen(library(), list(logs.values()))
    if why != screen_library.SELECTED:
        return None
    by_rank = dict(zip(logs, selections))
    result = analyse(written.events(by_rank))
    return result, sum(some.entries.count(1) for some in selections) / written.count


def lost(events: Mapping[int, Iterable[Event]]) -> tuple[float | None, str]:
    """The part of the entries that the screen selects, and the findings that they lose, or "".

    None if the screen has not selected any.
    """
    written = Written(events)
    found = selected(written)
    if found is None:
        return None, ""
    result, part = found
    expected = analyse(written.events())
    same = result._replace(events=0) == expected._replace(events=0)
    return part, "" if same else f"{result} instead of {expected}"


def compare(events: Mapping[int, Iterable[Event]]) -> tuple[bool, bool]:
    """Return whether the engine finds nothing in a program, and whether the screen knows it."""
    written = Written(events)
    return is_clean(analyse(written.events())), not reason(written)


def difference(seed: int) -> tuple[int, int, str]:
    """The number of clean programs, of those that the screen knows to be clean, and an error.

    They are a random program, perhaps in a loop, and two copies with one step less.
    """
    made = Made(seed)
    removed = [None, *made.random.sample(made.removable, min(2, len(made.removable)))]
    programs = [made.program(without).events() for without in removed]
    if seed % 8 == 0:
        programs.append(looped(seed).events())
    clean, certain = 0, 0
    for number, events in enumerate(programs):
        _, wrong = lost(events)
        if wrong:
            return clean, certain, f"selected, seed {seed}, program {number}: {wrong}"
        has_none, knows = compare(events)
        if knows and not has_none:
            return clean, certain, f"screened, seed {seed}, program {number}: findings are lost"
        clean += has_none
        certain += knows
    return clean, certain, ""


def suspicious_difference(seed: int) -> tuple[float | None, str]:
    """The result of `lost` for a long random program with few conflicts."""
    part, wrong = lost(Suspicious(seed).program.events())
    return part, f"suspicious, seed {seed}: {wrong}" if wrong else ""
