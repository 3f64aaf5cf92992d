# SPDX-License-Identifier: MIT
"""Loads and stores in programs compiled by `mpipp cc` that conflict with operations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.analysis.rma.onesided_reports import told
from tests.support import MPI, on_mpi, program_source
from tests.watcher import runs

FOUND = [
    ("MPI_Put and a load write and read the same memory", "rank 1: a load", "sum"),
    ("MPI_Get and a store read and write the same memory", "rank 1: a store", "set_others"),
    ("MPI_Put and a store read and write the same memory", "rank 0: a store", "set"),
    ("MPI_Get and a load write and read the same memory", "rank 0: a load", "get"),
    # The next accesses are to another process's part of a shared window.
    ("MPI_Put and a store write the same memory", "rank 0: a store", "set"),
    ("MPI_Put and a store read and write the same memory", "rank 0: a store", "set"),
    ("MPI_Put and a load write and read the same memory", "rank 0: a load", "get"),
]


@on_mpi("mpich4", "openmpi4")
def test_loads_and_stores_that_nothing_orders_are_told(mpi: MPI, tmp_path: Path) -> None:
    program = runs.compiled(program_source("analysis/rma", "accesses.c"), mpi, tmp_path)
    wrong = runs.run(mpi, [program], "--check=rma")
    assert (wrong.status, [told(block) for block in wrong.blocks]) == (0, FOUND)
    direct = r"    (?:reads|writes) (.*) of rank 1, at 0x\w+, (.*)"
    assert [re.findall(direct, block) for block in wrong.blocks[4:]] == [
        [
            (what, f"byte {byte} of the window"),
            (f"{what} of the first", f"byte {byte} of the window"),
        ]
        for what, byte in (
            ("target_disp(DOUBLE)", 240),
            ("origin_addr[2](DOUBLE)", 416),
            ("target_disp(DOUBLE)", 64),
        )
    ]
    demanded = "must not access memory of a window that it shares while an operation updates it"
    assert [demanded in block for block in wrong.blocks] == [False] * 4 + [True, False, True]
    right = runs.run(mpi, [program, "right"], "--check=rma")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    assert [line.partition(" (")[0] for line in right.last] == ["mpipp: no errors in 2 processes"]
    assert "looked at" not in right.last[0]


@on_mpi("mpich5")
def test_others_memory_may_be_that_of_another_kind_of_window(mpi: MPI, tmp_path: Path) -> None:
    """MPI-4.1: MPI_Win_shared_query may return such memory. Most libraries reject that."""
    allocates = "-DALLOCATES=MPI_Win_allocate"
    program = runs.compiled(program_source("analysis/rma", "accesses.c"), mpi, tmp_path, allocates)
    wrong = runs.run(mpi, [program], "--check=rma")
    assert (wrong.status, [told(block) for block in wrong.blocks]) == (0, FOUND)
    right = runs.run(mpi, [program, "right"], "--check=rma")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])


@on_mpi("mpich4", "openmpi4")
def test_what_functions_use_by_name_is_told(mpi: MPI, tmp_path: Path) -> None:
    program = runs.compiled(program_source("analysis/rma", "variables.c"), mpi, tmp_path)
    wrong = runs.run(mpi, [program], "--check=rma")
    assert (wrong.status, [told(block) for block in wrong.blocks]) == (
        0,
        [
            ("MPI_Get and a load write and read the same memory", "rank 0: a load", "gets"),
            ("MPI_Put and a store read and write the same memory", "rank 0: a store", "puts_it"),
            ("MPI_Fetch_and_op and a store write the same memory", "rank 0: a store", "fetches"),
        ],
    )
    right = runs.run(mpi, [program, "right"], "--check=rma")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])


@pytest.mark.parametrize("name", ["stores.cc", "stores.f90"])
@on_mpi("mpich4", "openmpi4")
def test_programs_in_other_languages(mpi: MPI, name: str, tmp_path: Path) -> None:
    """Perturbed runs show the error in the results, too."""
    program = runs.compiled(program_source("analysis/rma", name), mpi, tmp_path)
    options = "--check=rma", "--provoke=rma,1,defer=yes"
    wrong = runs.run(mpi, [program], *options)
    assert (wrong.status, wrong.output.split()[0]) == (0, "5.0")
    assert sorted(told(block) for block in wrong.blocks) == [
        ("MPI_Put and a load write and read the same memory", "rank 1: a load", "element"),
        ("MPI_Put and a store read and write the same memory", "rank 0: a store", "set"),
    ]
    right = runs.run(mpi, [program, "right"], *options)
    assert (right.status, right.output, right.blocks) == (0, "1.0 0.0\n", [])


@on_mpi("mpich4", "openmpi4")
def test_what_another_thread_stores_is_told_where_it_was(mpi: MPI, tmp_path: Path) -> None:
    program = runs.compiled(program_source("analysis/rma", "teams.c"), mpi, tmp_path)
    right = runs.run(mpi, [program], "--check=rma")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    assert right.last[:-1] == []
    wrong = runs.run(mpi, [program, "wrong"], "--check=rma")
    assert [told(block) for block in wrong.blocks] == [
        ("MPI_Put and a store write the same memory", "rank 0: a store", "works")
    ]


@on_mpi("mpich4", "openmpi4")
def test_threads_that_never_call_mpi_are_looked_at(mpi: MPI, tmp_path: Path) -> None:
    """Their loads are one entry of the log until another call is logged."""
    program = runs.compiled(program_source("analysis/rma", "bystander.c"), mpi, tmp_path)
    right = runs.run(mpi, [program], "--check=rma", MPIPP_RMA_LOG="16384")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    assert right.last[:-1] == []
    wrong = runs.run(mpi, [program, "wrong"], "--check=rma", MPIPP_RMA_LOG="16384")
    assert [told(block) for block in wrong.blocks] == [
        ("MPI_Put and a load write and read the same memory", "rank 0: a load", "loads")
    ]
    assert wrong.last[:-1] == []


@on_mpi("mpich4", "openmpi4")
def test_a_thread_that_comes_to_call_mpi_is_looked_at(mpi: MPI, tmp_path: Path) -> None:
    program = runs.compiled(program_source("analysis/rma", "second_thread.c"), mpi, tmp_path)
    right = runs.run(mpi, [program], "--check=rma")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    wrong = runs.run(mpi, [program, "wrong"], "--check=rma")
    assert [told(block) for block in wrong.blocks] == [
        ("MPI_Put and a load write and read the same memory", "rank 0: a load", "load")
    ]


@on_mpi("mpich4")
def test_a_store_elsewhere_in_a_window_is_shown_where_it_is(mpi: MPI, tmp_path: Path) -> None:
    program = runs.compiled(program_source("analysis/rma", "separate_model.c"), mpi, tmp_path)
    wrong = runs.run(mpi, [program], "--check=rma", "--rma-model=separate")
    used = re.findall(r"writes (\S+).*(byte \d+) of the window", "\n".join(wrong.blocks))
    assert used == [("target_disp(INT)", "byte 8"), ("the", "byte 36")]
    right = runs.run(mpi, [program, "right"], "--check=rma", "--rma-model=separate")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])


@on_mpi("mpich4", "openmpi4")
def test_all_buffers_and_windows_are_looked_at(mpi: MPI, tmp_path: Path) -> None:
    program = runs.compiled(program_source("analysis/rma", "many_buffers.c"), mpi, tmp_path)
    both = "MPI_Put and a store write the same memory"
    own = "MPI_Put and a store read and write the same memory"
    for case, headline, rank in (
        ("attached", both, 1),
        ("two_windows", both, 1),
        ("many_buffers", own, 0),
        ("columns", own, 0),
    ):
        wrong = runs.run(mpi, [program, case], "--check=rma")
        assert [told(block) for block in wrong.blocks] == [
            (headline, f"rank {rank}: a store", "set")
        ], case
        right = runs.run(mpi, [program, case, "right"], "--check=rma")
        assert (right.status, right.output, right.blocks) == (0, "done\n", []), case
        assert len(right.last) == 1, case


@on_mpi("mpich4")
@pytest.mark.parametrize("case, lost", [("far_apart", "45 buffers"), ("large_parts", "1 buffer")])
def test_what_is_too_much_to_look_at_is_said(
    mpi: MPI, case: str, lost: str, tmp_path: Path
) -> None:
    program = runs.compiled(program_source("analysis/rma", "many_buffers.c"), mpi, tmp_path)
    run = runs.run(mpi, [program, case], "--check=rma")
    assert (run.status, run.output, run.blocks) == (0, "done\n", [])
    assert run.last[0] == (
        f"mpipp: not checked: rank 0: loads and stores of {lost} of one-sided operations and "
        "windows: too many buffers, too large, or too many blocks"
    )
