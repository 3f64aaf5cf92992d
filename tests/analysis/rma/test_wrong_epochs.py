# SPDX-License-Identifier: MIT
"""Synchronization that is wrong by itself: each case in a run of its own, and its correction."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import MPI, ROOT, compile_program, every_mpi, on_mpi
from tests.watcher import runs

SOURCE = Path(__file__).resolve().parent / "programs" / "wrong.c"
NO_EPOCH = "an operation where no epoch is open for its target"
NESTED = "an epoch is opened while another is open that excludes it"
NO_LOCKS = "a window is locked of which the info key no_locks says that it is not"
EXPOSED = "a window is locked in a process while that has exposed it"
NOT_OPEN = "a call ends, or must be in, an epoch that is not open"
NOT_ENDED = "an epoch is open at the end"
SOME = "an assertion of MPI_Win_fence by some processes alone"
NO_PUT = "MPI_MODE_NOPUT, but there is an update"
# Of each case what is told, and the calls and functions of both sides.
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
        "the request of an operation is freed",
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
        "a target is locked that this process has locked",
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
        "MPI_MODE_NOPRECEDE, but operations precede",
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
        "MPI_MODE_NOCHECK of MPI_Win_start or MPI_Win_post alone",
        "Win_start opens",
        "Win_post opens",
    ),
    "no_check_too_early": (
        "MPI_MODE_NOCHECK, but nothing says that MPI_Win_post has returned before MPI_Win_start",
        "Win_start opens",
        "Win_post opens",
    ),
    "no_check_of_locks": (
        "MPI_Put and MPI_Put write the same memory: nothing orders them",
        "Put put",
        "Put put",
    ),
    "gone_buffer": (
        "the buffer of an operation is gone before it is complete",
        "Put puts_its_own",
        "Win_unlock gone_buffer",
    ),
    "two_of_one_buffer": (
        "MPI_Get and MPI_Get write the same memory: the first is not complete when the second "
        "begins",
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
    "not_committed": ("a datatype is used that is not committed", "Get not_committed"),
    "gone_before_the_wait": (
        "the buffer of an operation is gone before it is complete",
        "Rput begins_to_put_its_own",
        "Wait gone_before_the_wait",
    ),
    # MPI libraries may end the process.
    "put_on_itself": (
        "MPI_Put reads and writes the same memory: its buffer lies where its target is",
        "Put put_on_itself",
        "Win_lock put_on_itself",
    ),
    "result_on_the_origin": (
        "origin_addr and result_addr of MPI_Get_accumulate are the same memory",
        "Get_accumulate result_on_the_origin",
    ),
}


def told(block: str) -> tuple[str, ...]:
    """What a finding says, and its first two calls with their functions."""
    headline = block.split("\n")[0].removeprefix("error: ")
    sides = re.findall(r"  ranks? [^:]+: MPI_(\w+).*\n    called at wrong\.c:\d+ in (\w+)", block)
    return (headline, *(f"{call} {function}" for call, function in sides[:2]))


@pytest.mark.parametrize("case", FOUND)
@on_mpi("mpich4", "openmpi4")
def test_each_mistake_is_told(mpi: MPI, case: str) -> None:
    """MPI refuses most of them, and does not end the process."""
    run = runs.run(mpi, [compile_program(SOURCE, mpi), case], "--check=rma")
    assert [told(block) for block in run.others] == [FOUND[case]]
    assert re.search(r"\n  ranks? 0", run.others[0])


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
    assert [line.partition(",")[0] for line in run.last] == ["mpipp: no errors in 2 processes"]


@on_mpi("mpich4", "openmpi4")
def test_a_mistake_that_ends_the_process_is_told(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    cases = ("unlock_alone", "outside_of_an_epoch", "negative_displacement", "not_committed")
    for case in (*cases, "freed_in_fence"):
        run = runs.run(mpi, [program, case, "fatal"], "--check=rma")
        # Open MPI 4 lets a window be freed in an epoch of a fence.
        assert run.status != 0 or (case, mpi.id) == ("freed_in_fence", "openmpi4")
        # Where one of them lives on a little, its own is told in a block more.
        assert {told(block) for block in run.others} == {FOUND[case]}


@every_mpi
def test_an_epoch_that_ends_too_late_for_a_process_that_is_alone(mpi: MPI) -> None:
    """The other's log lacks what both did before: as of one that is ended in the same barrier."""
    program = compile_program(SOURCE.with_name("unrecorded.c"), mpi)
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
    os.killpg(run.pid, signal.SIGINT)  # as Ctrl-C
    run.communicate(timeout=60)
