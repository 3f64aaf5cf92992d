# SPDX-License-Identifier: MIT
"""`python -m fuzz [--cases N] [--seed N] [--mpi ID] [--jobs N]`: damage registries, and look."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections import Counter

from fuzz import cases

_STEP = 200  # cases that a worker takes at a time


def main() -> int:
    """The exit status: 0 if every case ended in sentences."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000_000, help="damaged snapshots")
    parser.add_argument("--seed", type=int, help="only the case of this seed")
    parser.add_argument("--first", type=int, default=0, help="the first of the seeds")
    parser.add_argument("--mpi", default="mpich4", help="the MPI build that is recorded")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if options.seed is not None:
        found = cases.run(options.seed, options.mpi)
        print(found.trace if found else f"seed {options.seed}: nothing found")
        return found is not None
    return _many(options)


def _many(options: argparse.Namespace) -> int:
    cases.run(options.first, options.mpi)  # takes the snapshots
    begin = time.monotonic()
    seen: Counter[str] = Counter()
    done = 0
    seeds = range(options.first, options.first + options.cases)
    tasks = [(seeds[i : i + _STEP], options.mpi) for i in range(0, len(seeds), _STEP)]
    with multiprocessing.Pool(options.jobs) as pool:
        for task, results in zip(tasks, pool.imap(_some, tasks)):
            done += len(task[0])
            for found in results:
                key = f"{found.error.split(':')[0]} at {found.place}"
                seen[key] += 1
                if seen[key] == 1:
                    print(f"seed {found.seed}: {found.look}: {found.error}\n  at {found.place}")
                    sys.stdout.flush()
            if done % 10_000 == 0:
                print(f"{done} cases, {time.monotonic() - begin:.0f} s", flush=True)
    for key, number in seen.most_common():
        print(f"{number} times: {key}")
    print(f"{done} cases, {sum(seen.values())} wrong, {time.monotonic() - begin:.0f} s")
    return bool(seen)


def _some(task: tuple[range, str]) -> list[cases.Found]:
    seeds, mpi = task
    return [found for found in (cases.run(seed, mpi) for seed in seeds) if found]


if __name__ == "__main__":
    sys.exit(main())
