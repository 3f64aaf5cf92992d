# SPDX-License-Identifier: MIT
"""Synchronization that is wrong by itself: each case, and its correction."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import pytest

from tests.support import MPI, ROOT, compile_program, every_mpi, on_mpi, program_source, repeated
from tests.watcher import runs

SOURCE = program_source("analysis/rma", "wrong_epochs.c")
NO_EPOCH = "an operation without an open epoch for its target"
NESTED = "an epoch is opened while an epoch that excludes it is open"
NO_LOCKS = "a window with the info key no_locks is locked"
EXPOSED = "a window is locked in a process that has exposed it"
NOT_OPEN = "a call ends, or needs, an epoch that is not open"
NOT_ENDED = "an epoch is never ended"
SOME = "only some processes pass an assertion to MPI_Win_fence"
NO_PUT = "MPI_MODE_NOPUT is passed, but the window is updated"
# The finding of each case, and the calls and functions of both sides.
FOUND = {
    "outside_of_an_epoch": (NO_EPOCH, "Put put"),
    "outside_with_a_request": (NO_EPOCH, "Rput outside_with_a_request"),
    "request_in_fence": (
        "an operation with a request in an active target epoch",
        "Rput puts_with_a_request",
        "Win_fence request_in_fence",
    ),
    "request_in_start": (
        "an operation with a request in an active target epoch",
        "Rput puts_with_a_request",
        "Win_start opens",
    ),
    "freed_request": (
        "the request of an RMA operation is freed",
        "Rput freed_request",
        "Request_free freed_request",
    ),
    "other_target": (NO_EPOCH, "Put put"),
    "lock_in_fence": (NESTED, "Win_lock lock_in_fence", "Win_fence lock_in_fence"),
    "lock_all_in_lock": (NESTED, "Win_lock_all lock_all_in_lock", "Win_lock lock_all_in_lock"),
    "fence_in_lock_all": (NESTED, "Win_fence fence_in_lock_all", "Win_lock_all fence_in_lock_all"),
    "start_in_lock": (NESTED, "Win_start opens", "Win_lock start_in_lock"),
    "start_in_fence": (NESTED, "Win_start start_in_fence", "Win_fence start_in_fence"),
    "posted_in_fence": (NESTED, "Win_post posted_in_fence", "Win_fence posted_in_fence"),
    "posted_twice": (NESTED, "Win_post opens", "Win_post opens"),
    "locked_twice": (
        "a target is locked that this process already holds locked",
        "Win_lock locked_twice",
        "Win_lock locked_twice",
    ),
    "locked_without_locks": (
        NO_LOCKS,
        "Win_lock locked_without_locks",
        "Win_create locked_without_locks",
    ),
    "locked_all_without_locks": (
        NO_LOCKS,
        "Win_lock_all locked_all_without_locks",
        "Win_set_info locked_all_without_locks",
    ),
    "posted_and_locked": (EXPOSED, "Win_lock posted_and_locked", "Win_post posts_to_nobody"),
    "locked_and_posted": (EXPOSED, "Win_post posts_to_nobody", "Win_lock_all locked_and_posted"),
    "locked_while_exposed": (
        EXPOSED,
        "Win_lock locked_while_exposed",
        "Win_post posts_to_nobody",
    ),
    "unlock_alone": (NOT_OPEN, "Win_unlock unlock_alone"),
    "unlock_of_another": (NOT_OPEN, "Win_unlock unlock_of_another"),
    "unlock_all_alone": (NOT_OPEN, "Win_unlock_all unlock_all_alone"),
    "flush_alone": (NOT_OPEN, "Win_flush flush_alone"),
    "flush_of_another": (NOT_OPEN, "Win_flush flush_of_another"),
    "sync_alone": (NOT_OPEN, "Win_sync sync_alone"),
    "complete_alone": (NOT_OPEN, "Win_complete complete_alone"),
    "wait_alone": (NOT_OPEN, "Win_wait wait_alone"),
    "never_ended": (NOT_ENDED, "Win_lock never_ended", "Finalize main"),
    "freed_in_lock": (NOT_ENDED, "Win_lock_all freed_in_lock", "Win_free freed_in_lock"),
    "freed_in_fence": (NOT_ENDED, "Win_fence freed_in_fence", "Win_free freed_in_fence"),
    "nothing_precedes": (
        "MPI_MODE_NOPRECEDE is passed, but operations precede",
        "Win_fence nothing_precedes",
        "Win_fence nothing_precedes",
    ),
    "some_say_that_nothing_precedes": (
        SOME,
        "Win_fence some_say_that_nothing_precedes",
        "Win_fence some_say_that_nothing_precedes",
    ),
    "some_say_that_nothing_succeeds": (
        SOME,
        "Win_fence some_say_that_nothing_succeeds",
        "Win_fence some_say_that_nothing_succeeds",
    ),
    "nothing_succeeds": (NO_EPOCH, "Put put"),
    "no_put_in_fence": (NO_PUT, "Win_fence no_put_in_fence", "Put put"),
    "no_put_in_post": (NO_PUT, "Win_post opens", "Put put"),
    "no_check_alone": (
        "MPI_MODE_NOCHECK is passed to only one of MPI_Win_start and MPI_Win_post",
        "Win_start opens",
        "Win_post opens",
    ),
    "no_check_too_early": (
        "MPI_MODE_NOCHECK is passed, but MPI_Win_post may return after MPI_Win_start",
        "Win_start opens",
        "Win_post opens",
    ),
    "no_check_of_locks": (
        "MPI_Put and MPI_Put write the same memory: data race",
        "Put put",
        "Put put",
    ),
    "gone_buffer": (
        "the buffer of an operation ceases to exist before the operation completes",
        "Put puts_its_own",
        "Win_unlock gone_buffer",
    ),
    "two_of_one_buffer": (
        "MPI_Get and MPI_Get write the same memory: the first is not complete when the second "
        "starts",
        "Get two_of_one_buffer",
        "Get two_of_one_buffer",
    ),
    "outside_of_the_window": (
        "MPI_Put writes the bytes [64, 68) of the window of rank 1, which has 64",
        "Put put",
    ),
    "negative_displacement": (
        "MPI_Put writes the bytes [-4, 0) of the window of rank 1, which has 64",
        "Put put",
    ),
    "not_committed": ("an uncommitted datatype is used", "Get not_committed"),
    "gone_before_the_wait": (
        "the buffer of an operation ceases to exist before the operation completes",
        "Rput begins_to_put_its_own",
        "Wait gone_before_the_wait",
    ),
    # MPI libraries may end the process in this call.
    "put_on_itself": (
        "MPI_Put reads and writes the same memory: its buffer overlaps its target",
        "Put put_on_itself",
        "Win_lock put_on_itself",
    ),
    "result_on_the_origin": (
        "origin_addr and result_addr of MPI_Get_accumulate are the same memory",
        "Get_accumulate result_on_the_origin",
    ),
}


def told(block: str) -> tuple[str, ...]:
    """The first line of a finding, and its first two calls with their functions."""
    headline = block.split("\n")[0].removeprefix("error: ")
    sides = re.findall(
        r"  ranks? [^:]+: MPI_(\w+).*\n    called at wrong_\w+\.\w:\d+ in (\w+)", block
    )
    return (headline, *(f"{call} {function}" for call, function in sides[:2]))


# Cases after which nothing can be compared, because a process waits for a missing event, or a
# library ends it.
TOGETHER = (
    *("request_in_fence", "request_in_start", "posted_in_fence", "posted_and_locked"),
    *("locked_and_posted", "locked_while_exposed", "never_ended", "freed_in_lock"),
    *("freed_in_fence", "nothing_precedes", "some_say_that_nothing_precedes"),
    *("some_say_that_nothing_succeeds", "no_put_in_fence", "no_put_in_post", "no_check_alone"),
    *("no_check_too_early", "no_check_of_locks", "gone_buffer", "two_of_one_buffer"),
    *("gone_before_the_wait", "result_on_the_origin"),
)
ALONE = [case for case in FOUND if case not in TOGETHER]
FIRST = {FOUND[case][0]: case for case in reversed([*TOGETHER, *ALONE])}.values()
RUNS = [
    [*TOGETHER],
    *([case] for case in ALONE if case in FIRST),
    *repeated(*([case] for case in ALONE if case not in FIRST)),
]


@pytest.mark.each_case
@pytest.mark.parametrize("cases", RUNS, ids=lambda cases: cases[0])
@on_mpi("mpich4", "openmpi4")
def test_mistakes_are_told(mpi: MPI, cases: list[str]) -> None:
    """MPI rejects most of them, and does not end the process."""
    run = runs.run(mpi, [compile_program(SOURCE, mpi), *cases], "--check=rma")
    assert sorted(told(block) for block in run.others) == sorted(FOUND[case] for case in cases)
    assert all(re.search(r"\n  ranks? 0", block) for block in run.others)


@on_mpi("mpich4")
def test_assertions_are_shown(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    (block,) = runs.run(mpi, [program, "some_say_that_nothing_precedes"], "--check=rma").others
    assert re.findall(r"(rank .): (.*)", block) == [
        ("rank 0", "MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSTORE)"),
        ("rank 1", "MPI_Win_fence()"),
    ]
    (block,) = runs.run(
        mpi, [program, "some_say_that_nothing_precedes"], "--check=collectives"
    ).others
    assert re.findall(r"(rank .): MPI_Win_fence\(.*, (.*)\)", block) == [
        ("rank 0", "assert = MPI_MODE_NOPRECEDE | MPI_MODE_NOSTORE"),
        ("rank 1", "assert = 0"),
    ]
    (block,) = runs.run(mpi, [program, "no_check_alone"], "--check=rma").others
    assert re.findall(r"(rank .): (.*)", block) == [
        ("rank 0", "MPI_Win_start(rank 1, MPI_MODE_NOCHECK)"),
        ("rank 1", "MPI_Win_post(rank 0)"),
    ]


@on_mpi("mpich4", "openmpi4")
def test_what_is_corrected_is_silent(mpi: MPI) -> None:
    assert list(FOUND) == re.findall(r"CASE\((\w+)\),", SOURCE.read_text())
    run = runs.run(mpi, [compile_program(SOURCE, mpi)], "--check=rma")
    assert (run.status, run.output, run.blocks) == (0, "done\n", [])
    assert [line.partition(" (")[0] for line in run.last] == ["mpipp: no errors in 2 processes"]


@on_mpi("mpich4", "openmpi4")
def test_a_mistake_that_ends_the_process_is_told(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    cases = ("unlock_alone", "outside_of_an_epoch", "negative_displacement", "not_committed")
    for case in (*cases, "freed_in_fence"):
        run = runs.run(mpi, [program, case, "fatal"], "--check=rma")
        # Open MPI 4 allows MPI_Win_free in a fence epoch.
        assert run.status != 0 or (case, mpi.id) == ("freed_in_fence", "openmpi4")
        # If another process still runs for a while, a further block reports its own error.
        assert {told(block) for block in run.others} == {FOUND[case]}


@every_mpi
def test_an_epoch_that_ends_too_late_for_a_process_that_is_alone(mpi: MPI) -> None:
    """The log of the other process lacks the past of both. It looks like the log of a process that
    ended in the same barrier."""
    program = compile_program(program_source("analysis/rma", "unlogged_barrier.c"), mpi)
    for words, opens in ([], "Win_lock(shared, rank = 1)"), (["post"], "Win_post()"):
        run = runs.run(mpi, [program, *words], "--check=rma")
        found = [block for block in run.blocks if block.startswith(f"error: {NOT_ENDED}\n")]
        sides = [re.findall(r"  rank 0: MPI_(.*)", block) for block in found]
        assert sides == [[opens, "Win_free()"]]


@on_mpi("mpich4", "openmpi4")
def test_processes_that_wait_for_each_other_are_told(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    words = [*runs.words(mpi, "--check=rma", "--hang-after", "1"), str(program)]
    run = subprocess.Popen(
        [sys.executable, "-m", "mpipp.cli", *words, "start_without_post"],
        env={**mpi.env, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert run.stderr is not None
    said = ""
    while "error: deadlock: rank 0 and rank 1 wait for each other\n" not in said:
        line = run.stderr.readline()
        assert line, said
        said += line
    os.killpg(run.pid, signal.SIGINT)  # like Ctrl-C
    run.communicate(timeout=60)
