# SPDX-License-Identifier: MIT
"""Select the tests of --short: a quarter of the random cases, and not every MPI build.

A test runs on one build of each family, MPICH and Open MPI. The first is the machine's own, chosen
by the test's name, and the second a wheel. So all builds have about as many tests, and the same
ones in every run. The cases of a test, if it has several, alternate between the two. A test that is
only for the machine's builds runs on one of them. The build of the standard ABI, which belongs to
no family, gets a sixth of the tests.

Three markers change that. `each_mpi`: tests about the libraries themselves run on every build.
`same_mpi`: its word replaces the name, for tests that share builds. `thorough`: tests that take
long or only repeat others run in `make test-all` only.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence

import pytest

ABI = "abi5"
is_short = False  # set by conftest.py for this run


def some(cases: int) -> int:
    """The number of random cases to run, out of `cases`."""
    return cases // 4 if is_short else cases


def sizes() -> range:
    """The numbers of processes with which a rule of collective calls is tested."""
    return range(2, 4 if is_short else 6)


def chosen(name: str, machine: Sequence[str], wheels: Sequence[str]) -> list[str]:
    """The builds on which a test runs, out of those that it supports: at most one of
    each family."""
    first = zlib.crc32(name.encode()) % 2
    if not (machine and wheels):
        return [*_one(sorted([*machine, *wheels]), first)]
    families = defaultdict(list)
    for build in (*machine, *wheels):
        families[build.rstrip("0123456789")].append(build)
    return [
        build
        for number, family in enumerate(sorted(families))
        for build in _one(families[family], (first + number) % 2)
    ]


def _one(builds: Sequence[str], number: int) -> Sequence[str]:
    return builds[number : number + 1] if len(builds) > 1 else builds


def in_turn(number: int, builds: Sequence[str]) -> Sequence[str]:
    """The build for one of several cases of a test."""
    at = number % len(builds) if builds else 0
    return builds[at : at + 1]


def _build(item: pytest.Item) -> str:
    return str(item.callspec.params.get("mpi", "")) if hasattr(item, "callspec") else ""


def _is_of_abi(item: pytest.Item) -> bool:
    each = item.get_closest_marker("each_mpi") is not None
    return each or zlib.crc32(item.nodeid.encode()) % 6 == 0


def left_out(
    items: Iterable[pytest.Item], machine: Sequence[str], wheels: Sequence[str]
) -> set[pytest.Item]:
    """The tests that do not run."""
    items = list(items)
    tests: dict[str, dict[str, pytest.Item]] = defaultdict(dict)
    out = {item for item in items if item.get_closest_marker("thorough") is not None}
    for item in items:
        build = _build(item)
        is_chosen = item not in out and item.get_closest_marker("each_mpi") is None
        if is_chosen and build in (*machine, *wheels):
            tests[item.nodeid.replace(build, "")][build] = item
    out.update(item for item in items if _build(item) == ABI and not _is_of_abi(item))
    functions: dict[str, list[str]] = defaultdict(list)
    for name in tests:
        functions[name.partition("[")[0]].append(name)
    for names in functions.values():
        for number, name in enumerate(names):
            builds = tests[name]
            shared = next(iter(builds.values())).get_closest_marker("same_mpi")
            here = [[one for one in group if one in builds] for group in (machine, wheels)]
            stay: Sequence[str] = chosen(shared.args[0] if shared else name, *here)
            if len(names) > 1 and not shared:
                stay = in_turn(number, stay)
            out.update(item for build, item in builds.items() if build not in stay)
    return out
