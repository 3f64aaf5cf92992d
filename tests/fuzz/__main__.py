# SPDX-License-Identifier: MIT
"""`python -m tests.fuzz`: damage recorded registries, and read them; first snapshots, then with
gdb.

Other tests run before the damage of registries. The findings in random one-sided programs, as
events and as programs in C, are compared with an oracle. The findings in random programs with
threads are compared with an enumeration of all orders. Races of messages are compared with all
orders of matching. Random correct programs must not change when they are perturbed. Damaged logs of
one-sided communication and directories of runs are read. Fingerprints of random signatures are
compared with the result of `matching`, and the wrapper's fingerprints of random datatypes with
these. The ledger of random calls is compared with the calls, and the call filter's decisions on
random calls with the checks' findings. Watchers get damaged records of live processes. Names in
compiled programs are changed at random, and gdb reads them. Readers of damaged records have
MOST_MEMORY bytes of memory. A failing case is reported with its seed. A live case shares its
processes with earlier ones.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Callable

from tests import support
from tests.fuzz import c_programs, cases, directories, live, names, provoked, watchers
from tests.unit.analysis.message_races import random_messages
from tests.unit.analysis.rma import flag_programs, random_programs
from tests.unit.analysis.rma.repetition import looped_programs
from tests.unit.analysis.rma.screen import screened_programs
from tests.unit.analysis.rma_threads import thread_programs
from tests.unit.datatypes import hashing_cases
from tests.unit.registry import rma_log_damage
from tests.watcher import screened
from tests.wrapper.history import test_ledger
from tests.wrapper.objects import test_fingerprints_in_c

_STEP = 200  # cases that a worker takes at once
_CALLS = 5_000  # random calls of one process for the call filter
_DATATYPES = 10_000  # random datatypes of one process for fingerprints
_PHASES = 300  # phases of one process for its call history: some 20,000 calls


def main() -> int:
    """Run the cases. Returns 0 if every case ended in sentences."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000_000, help="damaged snapshots")
    parser.add_argument("--live", type=int, help="damaged live registries (a tenth of the others)")
    parser.add_argument("--beside", type=int, help="watchers (a thousandth as many as snapshots)")
    parser.add_argument("--digests", type=int, help="signatures (as many as snapshots)")
    parser.add_argument("--onesided", type=int, help="one-sided programs (a hundredth as many)")
    parser.add_argument("--messages", type=int, help="programs of messages (a hundredth as many)")
    parser.add_argument("--threads", type=int, help="programs with threads (a hundredth as many)")
    parser.add_argument("--written", type=int, help="such in C (a thousandth as many)")
    parser.add_argument("--provoked", type=int, help="provoked programs (a thousandth as many)")
    parser.add_argument("--logs", type=int, help="damaged logs (a hundredth as many)")
    parser.add_argument("--directories", type=int, help="those of runs (a hundredth as many)")
    parser.add_argument("--screens", type=int, help="screened calls (as many as snapshots)")
    parser.add_argument("--c-digests", type=int, help="digests in C (as many as snapshots)")
    parser.add_argument("--ledgers", type=int, help="calls in ledgers (as many as snapshots)")
    parser.add_argument("--names", type=int, help="programs with random names (a thousandth)")
    parser.add_argument("--seed", type=int, help="only the case of this seed")
    parser.add_argument("--first", type=int, default=0, help="the first of the seeds")
    parser.add_argument("--live-seed", type=int, help="only the live case of this seed")
    parser.add_argument("--beside-seed", type=int, help="only the watcher of this seed")
    parser.add_argument("--mpi", default="mpich4", help="the MPI build that is recorded")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if options.seed is not None:
        found = cases.run(options.seed, options.mpi)
        print(found.trace if found else f"seed {options.seed}: nothing found")
        return found is not None
    if options.live_seed is not None:
        return _live(range(options.live_seed, options.live_seed + 1), options)
    if options.beside_seed is not None:
        return _beside(range(options.beside_seed, options.beside_seed + 1), options)
    wrong = _onesided(
        options.cases // 100 if options.onesided is None else options.onesided, options
    )
    number = options.cases // 100 if options.messages is None else options.messages
    wrong |= _messages(range(options.first, options.first + number), options)
    wrong |= _threads(options.cases // 100 if options.threads is None else options.threads, options)
    wrong |= _written(
        options.cases // 1000 if options.written is None else options.written, options
    )
    wrong |= _provoked(
        options.cases // 1000 if options.provoked is None else options.provoked, options
    )
    wrong |= _logs(options.cases // 100 if options.logs is None else options.logs, options)
    wrong |= _directories(
        options.cases // 100 if options.directories is None else options.directories, options
    )
    wrong |= _digests(options.cases if options.digests is None else options.digests, options)
    wrong |= _screens(options.cases if options.screens is None else options.screens, options)
    number = options.cases if options.c_digests is None else options.c_digests
    wrong |= _recorded("digests in C", _digests_in_c, number, options)
    number = options.cases if options.ledgers is None else options.ledgers
    wrong |= _recorded("calls in ledgers", _ledger, number, options)
    number = options.cases // 1000 if options.beside is None else options.beside
    wrong |= _beside(range(options.first, options.first + number), options)
    wrong |= _names(options.cases // 1000 if options.names is None else options.names, options)
    number = options.cases // 10 if options.live is None else options.live
    wrong |= _many(options) if options.cases else 0
    return wrong | _live(range(options.first, options.first + number), options)


def _beside(seeds: range, options: argparse.Namespace) -> int:
    begin, wrong = time.monotonic(), 0
    tasks = [(chunk, options.mpi) for chunk in watchers.chunks(seeds)]
    with multiprocessing.Pool(options.jobs) as pool:
        for results in pool.imap(_some_beside, tasks):
            wrong += len(results)
            for text in results:
                print(f"watcher {text}", flush=True)
    print(f"{len(seeds)} watchers, {wrong} wrong, {time.monotonic() - begin:.0f} s")
    return wrong > 0


def _some_beside(task: tuple[range, str]) -> list[str]:
    return list(watchers.run(*task))


def _names(number: int, options: argparse.Namespace) -> int:
    begin, wrong = time.monotonic(), 0
    seeds = range(options.first, options.first + number)
    tasks = [(seeds[i : i + names.TOGETHER], options.mpi) for i in range(0, number, names.TOGETHER)]
    with multiprocessing.Pool(options.jobs) as pool:
        for sentences in pool.imap(_some_names, tasks):
            wrong += len(sentences)
            for sentence in sentences:
                print(sentence, flush=True)
    print(f"{number} programs with random names, {wrong} wrong, {time.monotonic() - begin:.0f} s")
    return wrong > 0


def _some_names(task: tuple[range, str]) -> list[str]:
    seeds, mpi = task
    try:
        return list(names.run(seeds, mpi))
    except AssertionError as error:
        return [f"names, seeds {seeds.start} to {seeds.stop - 1}: {error}"]


def _live(seeds: range, options: argparse.Namespace) -> int:
    begin, wrong = time.monotonic(), 0
    tasks = [(chunk, options.mpi) for chunk in live.chunks(seeds)]
    with multiprocessing.Pool(options.jobs) as pool:
        for results in pool.imap(_some_live, tasks):
            wrong += len(results)
            for text in results:
                print(f"live {text}", flush=True)
    print(f"{len(seeds)} live cases, {wrong} wrong, {time.monotonic() - begin:.0f} s")
    return wrong > 0


def _some_live(task: tuple[range, str]) -> list[str]:
    return list(live.run(*task))


def _digests(number: int, options: argparse.Namespace) -> int:
    begin, wrong = time.monotonic(), 0
    seeds = range(options.first, options.first + number)
    with multiprocessing.Pool(options.jobs) as pool:
        for sentence in pool.imap(_digest, seeds, _STEP):
            wrong += bool(sentence)
            if sentence:
                print(sentence, flush=True)
    print(f"{number} signatures, {wrong} wrong, {time.monotonic() - begin:.0f} s")
    return wrong > 0


def _digest(seed: int) -> str:
    try:
        hashing_cases.run(seed)
    except AssertionError:
        return f"digests of seed {seed} are wrong"
    return ""


def _messages(seeds: range, options: argparse.Namespace) -> int:
    begin, wrong, racing = time.monotonic(), 0, 0
    with multiprocessing.Pool(options.jobs) as pool:
        for sentences, races in pool.imap(random_messages.compare, seeds, _STEP):
            wrong += len(sentences)
            racing += races > 0
            for sentence in sentences:
                print(sentence, flush=True)
    print(
        f"{len(seeds)} programs of messages, {racing} with races, {wrong} wrong, "
        f"{time.monotonic() - begin:.0f} s",
        flush=True,
    )
    return wrong > 0


def _threads(number: int, options: argparse.Namespace) -> int:
    begin, wrong = time.monotonic(), 0
    seeds = range(options.first, options.first + number)
    with multiprocessing.Pool(options.jobs) as pool:
        for sentence in pool.imap(thread_programs.differs, seeds, _STEP):
            wrong += bool(sentence)
            if sentence:
                print(sentence, flush=True)
    print(f"{number} programs with threads, {wrong} wrong, {time.monotonic() - begin:.0f} s")
    return wrong > 0


def _onesided(number: int, options: argparse.Namespace) -> int:
    begin, wrong, compared, conflicting = time.monotonic(), 0, 0, 0
    # Each seed makes about three programs.
    seeds = range(options.first, options.first + -(-number // 3))
    with multiprocessing.Pool(options.jobs) as pool:
        for sentences, some, bad in pool.imap(random_programs.compare, seeds, _STEP // 10):
            wrong += len(sentences)
            compared += some
            conflicting += bad
            for sentence in sentences:
                print(sentence, flush=True)
        for wrong_one in pool.imap(_flagged, seeds, _STEP // 10):
            compared += 1
            wrong += bool(wrong_one)
            if wrong_one:
                print(wrong_one, flush=True)
        for _, certain, wrong_one in pool.imap(screened_programs.difference, seeds, _STEP // 10):
            compared += certain
            wrong += bool(wrong_one)
            if wrong_one:
                print(wrong_one, flush=True)
        for part, wrong_one in pool.imap(screened_programs.suspicious_difference, seeds[::10]):
            compared += part is not None
            wrong += bool(wrong_one)
            if wrong_one:
                print(wrong_one, flush=True)
        for left_out, wrong_one in pool.imap(looped_programs.difference, seeds[::10]):
            compared += left_out > 0
            wrong += bool(wrong_one)
            if wrong_one:
                print(wrong_one, flush=True)
    print(
        f"{compared} one-sided programs, {conflicting} with conflicts, {wrong} wrong, "
        f"{time.monotonic() - begin:.0f} s",
        flush=True,
    )
    return wrong > 0


def _flagged(seed: int) -> str:
    wrong = flag_programs.difference(seed)[0]
    return wrong and f"one-sided with flags, seed {seed}: {wrong}"


def _written(number: int, options: argparse.Namespace) -> int:
    begin, wrong = time.monotonic(), 0
    seeds = range(options.first, options.first + number, c_programs.PROGRAMS)
    with multiprocessing.Pool(options.jobs) as pool:
        for sentences in pool.imap(_run_in_c, [(seed, options.mpi) for seed in seeds]):
            wrong += len(sentences)
            for sentence in sentences:
                print(sentence, flush=True)
    print(f"{number} one-sided programs in C, {wrong} wrong, {time.monotonic() - begin:.0f} s")
    return wrong > 0


def _run_in_c(task: tuple[int, str]) -> list[str]:
    return c_programs.run(support.find_mpi(task[1]), task[0])


def _provoked(number: int, options: argparse.Namespace) -> int:
    begin, wrong = time.monotonic(), 0
    seeds = range(options.first, options.first + -(-number // provoked.PROGRAMS))
    with multiprocessing.Pool(options.jobs) as pool:
        for sentence in pool.imap(_run_provoked, [(seed, options.mpi) for seed in seeds]):
            wrong += bool(sentence)
            if sentence:
                print(sentence, flush=True)
    done = len(seeds) * provoked.PROGRAMS
    print(f"{done} provoked programs, {wrong} wrong, {time.monotonic() - begin:.0f} s", flush=True)
    return wrong > 0


def _run_provoked(task: tuple[int, str]) -> str:
    seed, mpi = task
    return provoked.run(support.find_mpi(mpi), seed)


def _logs(number: int, options: argparse.Namespace) -> int:
    begin, wrong = time.monotonic(), 0
    seeds = range(options.first, options.first + number)
    with multiprocessing.Pool(options.jobs, cases.limit_memory) as pool:
        for sentence in pool.imap(_log, seeds, _STEP // 10):
            wrong += bool(sentence)
            if sentence:
                print(sentence, flush=True)
    print(f"{number} damaged logs, {wrong} wrong, {time.monotonic() - begin:.0f} s", flush=True)
    return wrong > 0


def _log(seed: int) -> str:
    try:
        with cases.patience():
            rma_log_damage.run(seed)
    except Exception as error:
        return f"log, seed {seed}: {type(error).__name__}: {error}"
    return ""


def _directories(number: int, options: argparse.Namespace) -> int:
    begin, wrong = time.monotonic(), 0
    directories.take(options.mpi)  # start the workers before memory is limited
    tasks = [(seed, options.mpi) for seed in range(options.first, options.first + number)]
    with multiprocessing.Pool(options.jobs, directories.limit_memory) as pool:
        for sentence in pool.imap(_directory, tasks, 5):
            wrong += bool(sentence)
            if sentence:
                print(sentence, flush=True)
    took = time.monotonic() - begin
    print(f"{number} damaged directories of runs, {wrong} wrong, {took:.0f} s", flush=True)
    return wrong > 0


def _directory(task: tuple[int, str]) -> str:
    return directories.run(*task)


def _screens(number: int, options: argparse.Namespace) -> int:
    begin, wrong = time.monotonic(), 0
    in_each = _CALLS * screened.PROCESSES
    seeds = range(options.first, options.first + -(-number // in_each))
    with multiprocessing.Pool(options.jobs) as pool:
        for sentence in pool.imap(_screened, [(seed, options.mpi) for seed in seeds]):
            wrong += bool(sentence)
            if sentence:
                print(sentence, flush=True)
    calls = len(seeds) * in_each
    print(
        f"{calls} screened calls, {wrong} runs wrong, {time.monotonic() - begin:.0f} s", flush=True
    )
    return wrong > 0


def _screened(task: tuple[int, str]) -> str:
    seed, mpi = task
    found = screened.run(support.find_mpi(mpi), seed, _CALLS)
    if found.status == 0 and len(found.last) == 1:
        return ""
    return f"screens, seed {seed}, status {found.status}:\n  " + "\n  ".join(found.last)


def _recorded(
    what: str,
    run: Callable[[tuple[int, str]], tuple[int, str]],
    number: int,
    options: argparse.Namespace,
) -> int:
    # Run processes, each with another seed, until they have made enough.
    begin, wrong, done = time.monotonic(), 0, 0
    seeds = itertools.count(options.first + 1)
    with multiprocessing.Pool(options.jobs) as pool:
        while done < number and not wrong:
            tasks = [(next(seeds), options.mpi) for _ in range(4 * options.jobs)]
            for made, sentence in pool.imap(run, tasks):
                done += made
                wrong += bool(sentence)
                if sentence:
                    print(sentence, flush=True)
    print(f"{done} {what}, {wrong} wrong, {time.monotonic() - begin:.0f} s", flush=True)
    return wrong > 0


def _digests_in_c(task: tuple[int, str]) -> tuple[int, str]:
    seed, mpi = task
    try:
        return test_fingerprints_in_c.compare(support.find_mpi(mpi), seed, _DATATYPES), ""
    except AssertionError as error:
        return 0, f"digests in C, seed {seed}: {error}"


def _ledger(task: tuple[int, str]) -> tuple[int, str]:
    seed, mpi = task
    try:
        return test_ledger.compare(support.find_mpi(mpi), seed, _PHASES), ""
    except AssertionError as error:
        return 0, f"ledger, seed {seed}: {error}"


def _many(options: argparse.Namespace) -> int:
    cases.run(options.first, options.mpi)  # takes the snapshots
    begin = time.monotonic()
    seen: Counter[str] = Counter()
    done = 0
    seeds = range(options.first, options.first + options.cases)
    tasks = [(seeds[i : i + _STEP], options.mpi) for i in range(0, len(seeds), _STEP)]
    with multiprocessing.Pool(options.jobs, cases.limit_memory) as pool:
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
