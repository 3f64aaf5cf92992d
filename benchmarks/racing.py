# SPDX-License-Identifier: MIT
"""The cost of a log for races of messages: kernels with and without `--check=races`."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.table import Figure
from benchmarks.watched import ALONE, KERNELS, WATCHED, added, kernel, ran
from tests.support import MPI

_AIM = 1.03
_ROUNDS = 9
_FEW = 100  # iterations before the first count of instructions
_OPTIONS = ("--check=races",)


def figures(mpi: MPI) -> Iterator[Figure]:
    """Instructions and times of the kernels, with two processes."""
    more, slower = [], []
    for name, iterations in KERNELS.items():
        command = kernel(mpi, name)
        more.append(added(mpi, [command], 2, _FEW, _FEW + iterations // 20, _OPTIONS))
        yield Figure(f"{mpi.id}: {name}, races, instructions", more[-1], _AIM, "x")
        least: dict[str, float] = {}
        for _ in range(_ROUNDS):
            for how in (ALONE, WATCHED):
                options = _OPTIONS if how == WATCHED else ()
                seconds = float(ran(mpi, how, [command, str(iterations)], 2, options).words[0])
                least[how] = min(least.get(how, seconds), seconds)
        slower.append(least[WATCHED] / least[ALONE])
        yield Figure(f"{mpi.id}: {name}, races", slower[-1], float("inf"), "x")
    for what, ratios in (("instructions", more), ("time", slower)):
        mean = sum(ratios) / len(ratios)
        yield Figure(f"{mpi.id}: mean of the kernels, races, {what}", mean, _AIM, "x")
