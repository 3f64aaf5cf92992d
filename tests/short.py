# SPDX-License-Identifier: MIT
"""What runs where time is short (--short): a quarter of random cases, and not each build of MPI.

A test runs on one of each family, MPICH and Open MPI.
Of the machine's own it is one, chosen by the test's name, and of the wheels one of the other
family: all builds have about as many tests, and the same ones in every run. The standard ABI's
build, of no family, has a third of them. Three markers change that: `each_mpi` for what is about
the libraries themselves; `same_mpi` with a word in place of the name, for tests that share what is
built; `thorough` for what takes long, and runs in `make test-all` only.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence

import pytest

ABI = "abi5"
is_short = False  # of this run; conftest.py


def some(cases: int) -> int:
    """How many of so many random cases run, the first ones."""
    return cases // 4 if is_short else cases


def chosen(name: str, machine: Sequence[str], wheels: Sequence[str]) -> list[str]:
    """The builds that a test runs on, of those that it is for: at most one a family of each."""
    first = zlib.crc32(name.encode()) % 2
    return [*_one(machine, first), *_one(wheels, 1 - first)]


def _one(builds: Sequence[str], number: int) -> Sequence[str]:
    return sorted(builds)[number : number + 1] if len(builds) > 1 else builds


def _build(item: pytest.Item) -> str:
    return str(item.callspec.params.get("mpi", "")) if hasattr(item, "callspec") else ""


def _is_of_abi(item: pytest.Item) -> bool:
    each = item.get_closest_marker("each_mpi") is not None
    return each or zlib.crc32(item.nodeid.encode()) % 3 == 0


def left_out(
    items: Iterable[pytest.Item], machine: Sequence[str], wheels: Sequence[str]
) -> set[pytest.Item]:
    """Those of the tests that do not run."""
    items = list(items)
    tests: dict[str, dict[str, pytest.Item]] = defaultdict(dict)
    for item in items:
        build = _build(item)
        if build in (*machine, *wheels) and item.get_closest_marker("each_mpi") is None:
            tests[item.nodeid.replace(build, "")][build] = item
    out = {item for item in items if item.get_closest_marker("thorough") is not None}
    out.update(item for item in items if _build(item) == ABI and not _is_of_abi(item))
    for name, builds in tests.items():
        shared = next(iter(builds.values())).get_closest_marker("same_mpi")
        here = [[one for one in group if one in builds] for group in (machine, wheels)]
        stay = chosen(shared.args[0] if shared else name, *here)
        out.update(item for build, item in builds.items() if build not in stay)
    return out
