# SPDX-License-Identifier: MIT
"""Select the tests of --short: one MPI build, two cases, and a quarter of the random cases.

A test runs on one build. Its name chooses the family, MPICH or Open MPI, and the build: the
machine's own or a wheel. So all builds have about as many tests, and the same ones in every run.
The first test of each folder runs on one build of both families. The build of the standard ABI,
which belongs to no family, gets a tenth of the tests. A list of cases runs to its second case, and
its cases alternate between the families.

Four markers change that. `each_mpi`: tests about the libraries themselves run on every build.
`same_mpi`: its word replaces the name, for tests that share builds. `each_case`: a list whose cases
have a rule or a batch each is complete. `thorough`: tests that take long, or only repeat others,
run in `make test-all` only.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence

import pytest

ABI = "abi5"
CASES = 2  # of a list: one for each family
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
    """One of the builds, by the number of a case."""
    at = number % len(builds) if builds else 0
    return builds[at : at + 1]


def left_out(
    items: Iterable[pytest.Item], machine: Sequence[str], wheels: Sequence[str]
) -> set[pytest.Item]:
    """The tests that do not run."""
    items = list(items)
    out = {item for item in items if _has(item, "thorough")}
    lists: dict[str, dict[str, dict[str, pytest.Item]]] = defaultdict(lambda: defaultdict(dict))
    for item in items:
        build = _build(item)
        if build in (*machine, *wheels, ABI) and item not in out and not _has(item, "each_mpi"):
            name = item.nodeid.replace(build, "")
            lists[name.partition("[")[0]][name][build] = item
    folders = set()  # those with a test on both families
    for function, cases in lists.items():
        folder = function.rpartition("/")[0]
        for number, (name, builds) in enumerate(cases.items()):
            one = next(iter(builds.values()))
            shared = one.get_closest_marker("same_mpi")
            word = shared.args[0] if shared else name
            stay: Sequence[str] = chosen(
                word,
                *([build for build in group if build in builds] for group in (machine, wheels)),
            )
            if folder not in folders and len(stay) > 1:
                folders.add(folder)
            elif len(cases) > 1 and not shared:
                stay = in_turn(number, stay)
            else:
                stay = in_turn(zlib.crc32(word.encode()) // 2, stay)
            if not stay or zlib.crc32(name.encode()) % 10 == 0:
                stay = [*stay, ABI]
            if number >= CASES and not _has(one, "each_case"):
                stay = []
            out.update(item for build, item in builds.items() if build not in stay)
    return out


def _build(item: pytest.Item) -> str:
    return str(item.callspec.params.get("mpi", "")) if hasattr(item, "callspec") else ""


def _has(item: pytest.Item, marker: str) -> bool:
    return item.get_closest_marker(marker) is not None
