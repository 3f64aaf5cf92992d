# SPDX-License-Identifier: MIT
"""`python -m benchmarks [GROUP ...] [MPI ...]`: prints the figures of some groups, by default of
all."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from benchmarks import (
    browse,
    compiled,
    debugger,
    guarded,
    ledgers,
    logged,
    onesided,
    racing,
    ranks,
    recorder,
    single,
    startup,
    threads,
    watched,
)
from benchmarks.checks import overlap, signatures
from benchmarks.table import Figure
from tests.support import find_mpi

GROUPS = {
    "recorder": recorder.figures,
    "debugger": debugger.figures,
    "browse": browse.figures,
    "watched": watched.figures,
    "single": single.figures,
    "startup": startup.figures,
    "guarded": guarded.figures,
    "logged": logged.figures,
    "ledgers": ledgers.figures,
    "races": racing.figures,
    "threads": threads.figures,
    "ranks": ranks.figures,
    "stacks": ranks.standing,
}
PURE = {  # groups that need no MPI argument
    "signatures": signatures.figures,
    "overlap": overlap.figures,
    "merging": ranks.merging,
    "onesided": onesided.figures,
    "compiled": compiled.figures,  # searches for an MPI itself
}
MPIS = ("mpich4", "openmpi4", "mpich5", "openmpi5")


def main(words: list[str]) -> int:
    """Print the figures. Returns 0 for any figures, because people judge them."""
    known = (*GROUPS, *PURE, *MPIS)
    unknown = [word for word in words if word not in known]
    if unknown:
        print(f"benchmarks: {unknown[0]} is neither of {', '.join(known)}")
        return 2
    for group in [word for word in words if word not in MPIS] or (*PURE, *GROUPS):
        if group in PURE:
            _print(PURE[group]())
        else:
            for name in [word for word in words if word in MPIS] or MPIS:
                _print(GROUPS[group](find_mpi(name, patient=False)))
    return 0


def _print(figures: Iterable[Figure]) -> None:
    for figure in figures:
        print(figure.line(), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
