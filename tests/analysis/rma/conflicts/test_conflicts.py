# SPDX-License-Identifier: MIT
"""Runs with --check=rma report conflicts of one-sided operations, and only those."""

from __future__ import annotations

import re
from pathlib import Path

from mpipp.analysis.rma_engine import access_rules
from tests.support import MPI, ROOT, compile_program, on_mpi, program_source
from tests.watcher import runs

HERE = Path(__file__).resolve().parent


def alike(text: str) -> str:
    text = re.sub(r"0x[0-9a-f]{3,}", "0x...", text)
    # Inlining depends on the compiler.
    text = re.sub(r" \(inlined\)(\n    from .*)+", "", text)
    return re.sub(r"\.c:\d+ in (?!main)", ".c:LINE in ", text)


def expected(name: str, mpi: MPI) -> list[str]:
    """The blocks of a report, from a file."""
    blocks = (HERE / "expected" / name).read_text().strip("\n").split("\n\n")
    return [mpi.cited(block) for block in blocks]


@on_mpi("mpich4", "openmpi4")
def test_each_conflict_is_told_and_what_is_right_is_not(mpi: MPI) -> None:
    program = compile_program(program_source("analysis/rma", "conflicts.c"), mpi)
    wrong = runs.run(mpi, [program], "--check=rma", n=3)
    assert (wrong.status, wrong.output) == (0, "done\n")
    assert [alike(block) for block in wrong.blocks] == expected("conflicts.txt", mpi)
    right = runs.run(mpi, [program, "right"], "--check=rma", n=3)
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    assert [line.partition(" (")[0] for line in right.last] == ["mpipp: no errors in 3 processes"]


@on_mpi("mpich4", "openmpi4")
def test_whatever_synchronizes_orders_and_nothing_else_does(mpi: MPI) -> None:
    source = program_source("analysis/rma", "orders.c")
    program = compile_program(source, mpi)
    orders = re.findall(r"ORDERED\((\w+)\) {", source.read_text())
    right = runs.run(mpi, [program], "--check=rma", n=3)
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    assert [line.partition(" (")[0] for line in right.last] == ["mpipp: no errors in 3 processes"]
    wrong = runs.run(mpi, [program, "wrong"], "--check=rma", n=3)
    assert [line.partition(" (")[0] for line in wrong.last] == ["mpipp: 35 errors in 3 processes"]
    found = re.findall(r"Put\(.*\n    called at orders\.c:\d+ in (\w+)", "\n".join(wrong.blocks))
    # A synchronous send orders both ways. On the other communicator the order is complete.
    silent = ("any_message", "other_communicator")
    assert {one.removesuffix("_order") for one in found} == {*orders} - {*silent}


@on_mpi("mpich4", "openmpi4")
def test_forms_of_operations_that_are_right_are_silent(mpi: MPI) -> None:
    program = compile_program(
        program_source("analysis/rma", "forms.c"), mpi, ("-g", "-O0", "-pthread")
    )
    run = runs.run(mpi, [program], "--check=rma-conflict,rma-epoch", n=3)
    assert (run.status, run.output, run.blocks) == (0, "done\n", [])
    said = [re.sub(r"\d+ possible conflicts?", "N", line) for line in run.last]
    assert said[0] == (
        "mpipp: not checked: N of one-sided operations: values that processes read from memory may "
        "order them (the check rma-possible shows them)"
    )
    assert [line.partition(" (")[0] for line in said[1:]] == ["mpipp: no errors in 3 processes"]


@on_mpi("mpich4", "openmpi4")
def test_values_tell_which_flags_order_and_info_keys_what_may_be_at_once(mpi: MPI) -> None:
    program = compile_program(program_source("analysis/rma", "atomic_flags.c"), mpi)
    right = runs.run(mpi, [program], "--check=rma", n=3)
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    assert [line.partition(" (")[0] for line in right.last] == ["mpipp: no errors in 3 processes"]
    wrong = runs.run(mpi, [program, "wrong"], "--check=rma", n=3)
    found = [
        re.findall(r"^error: (.*)|called at atomic_flags.c:\d+ in (\w+)", b, re.M)
        for b in wrong.blocks
    ]
    assert [(what, one, other) for (what, _), (_, one), (_, other), *_ in found] == [
        ("MPI_Put and MPI_Get write and read the same memory: data race", "put", "get"),
        (
            "MPI_Put and MPI_Get write and read the same memory: the second may start before the "
            "first completes at its target",
            "by_a_value_too_early",
            "get",
        ),
        (
            "MPI_Accumulate and MPI_Get_accumulate update and read the same memory: data race",
            "same_op",
            "same_op",
        ),
        (
            "MPI_Accumulate and MPI_Accumulate update the same memory: the first is not complete "
            "when the second starts",
            "ordering",
            "ordering",
        ),
        (
            "MPI_Accumulate and MPI_Accumulate update the same memory: the first is not complete "
            "when the second starts",
            "ordering",
            "ordering",
        ),
    ]
    assert [line.partition(" (")[0] for line in wrong.last] == ["mpipp: 5 errors in 3 processes"]


@on_mpi("mpich4", "openmpi4")
def test_shared_memory_may_order_while_it_is_there(mpi: MPI) -> None:
    program = compile_program(program_source("analysis/rma", "shared_memory_order.c"), mpi)
    both = "MPI_Put and MPI_Put write the same memory: "
    for way, what in (
        ("freed", f"error: {both}data race"),
        ("fences", f"error: {both}data race"),
        ("flag", f"warning: {both}values that processes read from memory may order them"),
    ):
        run = runs.run(mpi, [program, way], "--check=rma,rma-possible", n=3)
        assert (run.status, run.output) == (0, "done\n"), way
        assert [block.split("\n")[0] for block in run.blocks] == [what]
        assert run.last[-1].startswith(f"mpipp: 1 {what.partition(':')[0]} in 3 processes")
        assert run.last[:-1] == [
            "mpipp: not checked: 1 possible conflict of one-sided operations: values that "
            "processes read from memory may order it (the check rma-possible shows it)"
        ] * (way == "flag"), way


@on_mpi("mpich5", "abi5")
def test_memory_of_other_windows_may_order_where_a_process_has_it(mpi: MPI) -> None:
    program = compile_program(program_source("analysis/rma", "shared_memory_order.c"), mpi)
    both = "MPI_Put and MPI_Put write the same memory: "
    for way, what in (
        ("own", f"error: {both}data race"),
        ("query", f"warning: {both}values that processes read from memory may order them"),
    ):
        run = runs.run(mpi, [program, way], "--check=rma,rma-possible", n=3, MPIPP_RMA_LOG="16384")
        assert (run.status, run.output) == (0, "done\n"), way
        assert [block.split("\n")[0] for block in run.blocks] == [what]
        assert run.last[:-1] == [
            "mpipp: not checked: 1 possible conflict of one-sided operations: values that "
            "processes read from memory may order it (the check rma-possible shows it)"
        ] * (way == "query"), way


@on_mpi("mpich4", "openmpi4")
def test_that_no_others_memory_is_told_changes_nothing(mpi: MPI) -> None:
    program = compile_program(program_source("analysis/rma", "shared_memory_order.c"), mpi)
    run = runs.run(mpi, [program, "refused"], "--check=rma", n=3)
    assert (run.status, run.output) == (0, "done\n")
    assert [block.split("\n")[0] for block in run.blocks] == [
        "error: MPI_Put and MPI_Put write the same memory: data race"
    ]
    assert [line.partition(" (")[0] for line in run.last] == ["mpipp: 1 error in 3 processes"]


@on_mpi("mpich4", "openmpi4")
def test_windows_have_their_names_and_bytes_are_told_where_it_is_not_all(mpi: MPI) -> None:
    program = compile_program(program_source("analysis/rma", "windows.c"), mpi)
    wrong = runs.run(mpi, [program], "--check=rma", n=3)
    assert [block.split("\n")[0] for block in wrong.blocks] == [
        "error: MPI_Put and MPI_Put write the same memory: data race",
        "error: MPI_Accumulate and MPI_Accumulate update the same memory through two windows: "
        "data race",
    ]
    assert re.findall(r"    (?:writes|updates) (.*), at 0x\w+, (.*)", "\n".join(wrong.blocks)) == [
        ("the bytes [3, 4) of target_disp(INT) of rank 1", 'byte 7 of the window "counters"'),
        ("the bytes [0, 1) of target_disp(INT) of rank 1", 'byte 7 of the window "counters"'),
        ("target_disp(INT) of rank 1", "byte 12 of the window"),
        ("target_disp(INT) of rank 1", "byte 12 of the window"),
    ]
    right = runs.run(mpi, [program, "right"], "--check=rma", n=3)
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])


@on_mpi("mpich4", "openmpi4")
def test_what_is_not_decided_since_processes_were_ended_early_says_so(mpi: MPI) -> None:
    program = compile_program(program_source("analysis/rma", "shared_memory_order.c"), mpi)
    run = runs.run(mpi, [program, "abort"], "--check=rma", n=3)
    assert (run.status != 0, [one for one in run.blocks if "same memory" in one]) == (True, [])
    assert (
        "mpipp: not checked: 1 possible conflict of one-sided operations: values that processes "
        "read from memory, or calls of ranks 0 to 2, which did not reach MPI_Finalize, may order "
        "it "
        "(the check rma-possible shows it)" in run.last
    )


@on_mpi("mpich4")
def test_the_separate_memory_model_is_asked_for(mpi: MPI) -> None:
    program = compile_program(program_source("analysis/rma", "copies.c"), mpi)
    own = runs.run(mpi, [program], "--check=rma")
    assert (own.status, own.output, own.blocks) == (0, "done\n", [])
    separate = runs.run(mpi, [program], "--check=rma", "--rma-model", "separate")
    assert [alike(block) for block in separate.blocks] == expected("copies.txt", mpi)
    synchronized = runs.run(mpi, [program, "sync"], "--check=rma", "--rma-model=separate")
    assert (synchronized.status, synchronized.blocks) == (0, [])


@on_mpi("mpich4")
def test_what_a_full_log_leaves_out_is_said_and_nothing_false_is_told(mpi: MPI) -> None:
    program = compile_program(program_source("analysis/rma", "orders.c"), mpi)
    run = runs.run(mpi, [program], "--check=rma", n=3, MPIPP_RMA_LOG="13000")
    assert (run.status, run.output, run.blocks) == (0, "done\n", [])
    said = sorted(re.sub(r"[\d,]+ (?=(MPI )?calls)", "N ", line) for line in run.last)
    how = "compile with mpipp cc, or add --rma-loads"
    no_loads = f"loads and stores of windows not checked ({how})"
    lost = "N calls beyond the capacity of the log (see MPIPP_RMA_LOG)"
    assert said == [
        f"mpipp: no errors in 3 processes (N MPI calls checked); {no_loads}",
        # The log of rank 1 was not full.
        "mpipp: not checked: one-sided operations at the end of rank 1: their order is unknown",
        f"mpipp: not checked: rank 0: {lost}",
        f"mpipp: not checked: rank 2: {lost}",
    ]


@on_mpi("mpich4", "openmpi4")
def test_of_calls_that_are_repeated_only_what_differs_is_kept(mpi: MPI) -> None:
    """The log keeps only the differences of repeated calls: in full, one process would need 120,000
    bytes."""
    program = compile_program(ROOT / "benchmarks" / "programs" / "onesided.c", mpi)
    run = runs.run(mpi, [program, "counters", "500"], "--check=rma", MPIPP_RMA_LOG="65536")
    assert (run.status, run.blocks) == (0, [])
    assert [line.partition(" (")[0] for line in run.last] == ["mpipp: no errors in 2 processes"]


@on_mpi("mpich4", "openmpi4")
def test_a_full_log_of_messages_alone_is_not_worth_a_word(mpi: MPI) -> None:
    """mpipp does not report a full log if no process has ever had a window, and the checks stay
    fast."""
    program = compile_program(ROOT / "benchmarks" / "programs" / "pings.c", mpi)
    run = runs.run(mpi, [program, "8", "1000"], "--check=rma", MPIPP_RMA_LOG="5000")
    assert (run.status, run.blocks) == (0, [])
    assert run.last == ["mpipp: no errors in 2 processes (6,064 MPI calls checked)"]


@on_mpi("mpich4", "openmpi4")
def test_the_cases_of_the_paper(mpi: MPI, tmp_path: Path) -> None:
    program = runs.compiled(ROOT / "examples" / "cases.c", mpi, tmp_path)
    wrong = runs.run(mpi, [program], "--check=rma", n=3)
    assert (wrong.status, wrong.output) == (0, "")
    # The order varies in some places, and the compiler decides which loops are unrolled.
    blocks = [re.sub(r"\n    and \d more at .*", "", alike(block)) for block in wrong.blocks]
    assert sorted(blocks) == sorted(expected("cases.txt", mpi))
    right = runs.run(mpi, [program, "all", "right"], "--check=rma", n=3)
    assert (right.status, right.output, right.blocks) == (0, "", [])
    assert [line.partition(" (")[0] for line in right.last] == ["mpipp: no errors in 3 processes"]


def test_the_guide_has_the_table_of_rules() -> None:
    assert access_rules.table() in (ROOT / "docs/reference/rma.md").read_text()
