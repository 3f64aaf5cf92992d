# SPDX-License-Identifier: MIT
"""Buffers of pending operations are guarded: mpipp reports errors, and no correct accesses."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from mpipp.cli.commands import exec
from tests import support
from tests.support import MPI, on_mpi
from tests.watcher import runs

PENDING = """\
  rule: MPI-4.1, section 3.7.2: before a nonblocking operation completes, its send buffer must not \
be written and its receive buffer must not be accessed
  to do: complete the operation first, for example with MPI_Wait"""
RULE = PENDING + ", or use another buffer"
RULE_ONCE_MOVED = PENDING + (": the data may arrive later with another MPI library, size or timing")
NOT_MOVED = "\n    at the next MPI call of the process the data had not moved"


FOUND = [
    (
        "a store to the buffer of a pending MPI_Issend",
        "stores to buf[2048](DOUBLE), at 0x...",
        "stores_to_send, early_store, wrong, main",
        'MPI_Issend(dest = 1, tag = 1, comm = "MPI_COMM_WORLD", buf = 0x... (4096 MPI_DOUBLE))',
        "early_store",
        NOT_MOVED,
        ("MPI_Wait, which completes it", "early_store"),
    ),
    (
        "a load from the buffer of a pending MPI_Irecv",
        "loads buf[3496](DOUBLE), at 0x..., in fixed+27968",
        "loads(inlined), adds(inlined), early_load, wrong, main",
        'MPI_Irecv(source = 1, tag = 2, comm = "MPI_COMM_WORLD", buf = 0x... (4096 MPI_DOUBLE))',
        "receives(inlined), early_load",
        NOT_MOVED,
        ("MPI_Wait, which completes it", "early_load"),
    ),
    (
        "a store to the buffer of a pending MPI_Irecv",
        "stores to buf[100](BYTE), at 0x...",
        "by_the_library, wrong, main",
        'MPI_Irecv(source = 1, tag = 3, comm = "MPI_COMM_WORLD", buf = 0x... (4096 MPI_BYTE))',
        "by_the_library",
        NOT_MOVED,
        ("MPI_Wait, which completes it", "by_the_library"),
    ),
    (
        "a store to the buffer of a pending MPI_Issend",
        "stores to buf(VECTOR)[1][1024](DOUBLE), at 0x..., in grid+73728, in thread N",
        "other_thread",
        'MPI_Issend(dest = 1, tag = 4, comm = "MPI_COMM_WORLD", '
        "buf = 0x... (1 VECTOR[8, 4096, 8192]))",
        "by_a_thread",
        "\n    started in thread N" + NOT_MOVED,
        ("MPI_Wait, which completes it", "by_a_thread"),
    ),
    (
        "a store to the buffer of a pending MPI_Isend, whose data had moved by the next MPI call",
        "stores to buf[2048](DOUBLE), at 0x...",
        "moved_already, wrong, main",
        'MPI_Isend(dest = 0, tag = 5, comm = "MPI_COMM_SELF", buf = 0x... (4096 MPI_DOUBLE))',
        "moved_already",
        "",
        ("MPI_Waitall, which completes it", "moved_already"),
    ),
]


def block(
    what: str,
    access: str,
    functions: str,
    call: str,
    caller: str,
    moved: str,
    end: tuple[str, str],
) -> str:
    lines = [f"error: {what}", f"  rank 0: {access}", *places("at", functions)]
    lines += [f"  rank 0: {call}, request #N", "\n".join(places("called at", caller)) + moved]
    lines += [f"  rank 0: {end[0]}, came after"]
    lines += [f"    called at guard.c:LINE in {end[1]}"]
    return "\n".join([*lines, RULE if moved else RULE_ONCE_MOVED])


def places(made: str, functions: str) -> list[str]:
    """Lines of a report: a function and its callers, with a mark for inlined functions."""
    at, *callers = functions.replace("(", " (").split(", ")
    return [f"    {made} guard.c:LINE in {at}", *(f"    from guard.c:LINE in {f}" for f in callers)]


def alike(text: str) -> str:
    text = re.sub(r"0x[0-9a-f]+", "0x...", text)
    text = re.sub(r"in thread \d+", "in thread N", text)
    return re.sub(r"guard\.c:\d+", "guard.c:LINE", re.sub(r"request #\d+", "request #N", text))


@on_mpi("mpich4", "openmpi4")
def test_each_access_is_told_and_what_is_right_is_as_without(mpi: MPI) -> None:
    program = runs.program("guard.c", mpi)
    right = runs.run(mpi, [program], "--check=buffers")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    (last,) = right.last
    assert re.fullmatch(
        r"mpipp: no errors in 2 processes \([\d,]+ MPI calls checked\); "
        r"some accesses to buffers of pending operations not checked \(compile with mpipp cc\)",
        last,
    )
    run = runs.run(mpi, [program, "wrong"], "--check=buffers")
    assert (run.status, run.output) == (0, "done\n")
    assert [alike(one) for one in run.blocks] == [mpi.cited(block(*one)) for one in FOUND]


LAST = """\
error: a store to the buffer of a pending MPI_Issend
  rank 0: stores to buf[2048](DOUBLE), at 0x..., in faces+49152
    at last_store.c:29 in main
  rank 0: MPI_Issend(dest = 1, tag = 0, comm = "MPI_COMM_WORLD", \
buf = 0x... (4096 MPI_DOUBLE)), request #N
    called at last_store.c:28 in main
    mpipp does not know whether the data had moved
"""


@on_mpi("mpich4", "openmpi4")
def test_a_store_is_told_though_the_process_does_nothing_after_it(mpi: MPI) -> None:
    program = runs.program("last_store.c", mpi)
    for how in {"mpich4": ("kill", "MPI_Abort"), "openmpi4": ("_exit",)}[mpi.id]:
        run = runs.run(mpi, [program, how], "--check=buffers")
        assert [alike(one) for one in run.others] == [mpi.cited(LAST + RULE)]


def meanwhile(
    procedure: str, access: str, variable: str, function: str, by: str, size: str = ""
) -> str:
    """The lines of a report about another thread's access, with the last ones."""
    verb = "load from" if access.startswith("loads") else "store to"
    ended, caller = by.split()
    return f"""\
error: a {verb} the buffer of a pending {procedure}
  rank 0: {access}(DOUBLE), at 0x..., in {variable}{size}, in thread N
    at concurrent_access.c:LINE in {function}
    mpipp does not know whether the data had moved
  rank 0: {ended}, which completes it, had not returned
    called at concurrent_access.c:LINE in {caller}"""


MEANWHILE = [
    ("MPI_Isend", "stores to buf[100]", "out+800", "stores", "MPI_Wait awaits"),
    (
        "MPI_Send_init",
        "stores to buf[101]",
        "started+808",
        "stores_to_started",
        "MPI_Wait awaits",
    ),
    ("MPI_Irecv", "loads buf[102]", "in+816", "loads", "MPI_Wait awaits"),
    ("MPI_Isend", "stores to buf[1]", "few+8", "stores_to_few", "MPI_Wait awaits"),
    (
        "MPI_Put",
        "stores to origin_addr[103]",
        "put+824",
        "stores_to_put",
        "MPI_Win_flush flushes",
    ),
    (
        "MPI_Rput",
        "stores to origin_addr[104]",
        "put+832",
        "stores_with_request",
        "MPI_Win_flush flushes",
    ),
]
FEW = """\
error: the buffer of a pending MPI_Isend was changed
    buf[1](DOUBLE), at 0x..., in few+8, was 0 and is 1
    mpipp does not know whether the data had moved
  rank 0: MPI_Wait()
    called at concurrent_access.c:LINE in awaits"""
FLUSHED = """\
error: the buffer of a pending MPI_Rput was changed
    origin_addr[2](DOUBLE), at 0x..., in some+16, was 0 and is 9
    mpipp does not know whether the data had moved
  rank 0: MPI_Win_flush(target_rank = 0)
    called at concurrent_access.c:LINE in puts_there"""


def brief(block: str) -> str:
    """A report without the operation's own call, its arguments, and the advice."""
    text = re.sub(r"concurrent_access\.c:\d+", "concurrent_access.c:LINE", alike(block))
    text = re.sub(r", win = .*", ")", text).partition("\n  rule: ")[0]
    other = re.compile(
        r"    (?:from|started|it was) |  rank 0: MPI_(?:Isend|Send_init|Irecv|Put|Rput|Start)\b"
    )
    lines = text.splitlines()
    kept = [line for line in lines if not other.match(line)]
    posted = {f"    called at concurrent_access.c:LINE in {name}" for name in POSTED}
    ends = kept[-1:]
    return "\n".join([*(line for line in kept[:-1] if line not in posted), *ends])


POSTED = [
    f"{name}{inlined}"
    for name in ("sends", "starts", "is_received", "is_small", "puts_there")
    for inlined in ("", " (inlined)")
]


@on_mpi("mpich4", "openmpi4")
def test_what_another_thread_does_until_the_call_returns_is_told(mpi: MPI, tmp_path: Path) -> None:
    held = support.compile_program(
        runs.program_source("call_gate.c"), mpi, ["-g", "-shared", "-fPIC"]
    )
    program = runs.program("concurrent_access.c", mpi, "-pthread", "-Wl,--no-as-needed", str(held))
    run = runs.run(mpi, [program], "--check=buffers")
    assert (run.status, run.output) == (0, "done\n")
    expected = [meanwhile(*one) for one in MEANWHILE]
    expected[3:4] = [FEW]
    assert [brief(one) for one in run.blocks] == [*expected, FLUSHED]
    program = runs.compiled(runs.program_source("concurrent_access.c"), mpi, tmp_path, str(held))
    run = runs.run(mpi, [program], "--check=buffers")
    assert (run.status, run.output) == (0, "done\n")
    found = [brief(re.sub(", in an access of 8 bytes", "", one)) for one in run.blocks]
    assert [one.replace(" (inlined)", "") for one in found[:-1]] == [
        meanwhile(*one) for one in MEANWHILE
    ]
    assert "MPI_Win_flush, which completes it, came after" in found[-1]


def test_the_default_checks_guard_buffers() -> None:
    def guards(check: str) -> bool:
        arguments = argparse.Namespace(
            check=check,
            strict=False,
            on_error="report",
            stop_at="",
            stop="",
            budget=None,
            rma_model="own",
            rma_loads=False,
            no_backtrace=False,
        )
        return "MPIPP_GUARD" in exec.for_program(arguments)

    asked = {name: guards(name) for name in ("all", "leaks", "buffers", "fast,buffers", "fast")}
    guarded = {"all": True, "buffers": True, "fast,buffers": True}
    assert asked == {**guarded, "leaks": False, "fast": False}
