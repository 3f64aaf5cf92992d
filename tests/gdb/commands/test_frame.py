# SPDX-License-Identifier: MIT
"""`mpipp frame` selects the frame that called MPI, and front ends follow."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace

import pytest

from tests import mi as machine_interface
from tests import support
from tests.ranks import ranks, until_inside

WAITS = support.program_source("gdb", "waits.c")
LINE = "  if (argc > 1) MPI_Recv(&number, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &status);"

both = support.on_mpi("mpich4", "openmpi4")


def plain(output: str) -> list[str]:
    output = re.sub("0x[0-9a-f]+", "0x", re.sub(r"^#\d+ +", "#N  ", output, flags=re.M))
    return re.sub(r" \S*/(\w+\.[ch]:\d+)", r" \1", output).splitlines()


@pytest.mark.thorough
@both
def test_several_inferiors(mpi: support.MPI) -> None:
    words = ["here", *(["thread"] if mpi.id == "openmpi4" else [])]
    with ranks(support.compile_program(WAITS, mpi), mpi, *words) as pids:
        until_inside("MPI_Recv", *pids.values())
        stop = [f"attach {pids[0]}", "add-inferior", "inferior 2", f"attach {pids[1]}"]
        look = ["mpipp frame", "output rank", "echo \\n"]
        look += ["inferior 1", "echo @@@\\n", *look, "echo @@@\\n", "mpipp why"]
        output = support.gdb_batch(look, mpi=mpi, stop=stop)
    first, second, why = (plain(part) for part in output.split("@@@\n"))
    # MPI's own threads make a deadlock no less certain, but another thread of the program may call
    # MPI.
    kind = "deadlock" if len(words) == 1 else "possible deadlock"
    assert why[0] == f"{kind}: rank 0 and rank 1 wait for each other"
    frame = [f"#N  0x in main (argc={1 + len(words)}, argv=0x) at waits.c:24", f"24\t{LINE}"]
    assert first[:3] == [*frame, "1"]
    assert second[:3] == [*frame, "0"]


@both
def test_beyond_a_library_that_calls_in_its_header(mpi: support.MPI) -> None:
    env = {**mpi.env, "MPIPP_FRAMES": "4"}
    with ranks(support.compile_program(WAITS, mpi), replace(mpi, env=env)) as pids:
        until_inside("MPI_Recv", pids[0])
        commands = ["mpipp list calls", "mpipp list requests", "mpipp frame"]
        lines = plain(support.gdb_batch(commands, mpi=mpi, pid=pids[0]))
    assert lines[:3] == [
        "thread 1 in MPI_Recv, called at exchange.h:8 in exchange_with, from waits.c:25 in main",
        '  source = 1, tag = 4, comm = "MPI_COMM_WORLD", buf = 0x (1 MPI_INT)',
        "1 call",
    ]
    place = "exchange.h:7 in exchange_with, from waits.c:25 in main"
    assert lines[3].endswith(f"made at {place}")
    assert lines[4:7] == [
        "1 request",
        "#N  0x in main (argc=1, argv=0x) at waits.c:25",
        "25\t  exchange(1 - rank, &number);",
    ]


@support.on_mpi("mpich4")
def test_outside_mpi(mpi: support.MPI) -> None:
    program = support.compile_program(support.program_source("gdb", "commands.c"), mpi)
    stop = ["break mark", "run"]
    commands = ["mpipp frame", "mpipp frame up"]
    assert plain(support.gdb_batch(commands, program=program, mpi=mpi, stop=stop))[:2] == [
        'This thread is in no MPI call: see "mpipp list calls".',
        'mpipp frame takes only the number of a thread: for other frames, write "frame" or "up".',
    ]


@support.on_mpi("mpich4")
def test_front_ends_are_told(mpi: support.MPI) -> None:
    program = support.compile_program(support.program_source("gdb", "buffers.c"), mpi)
    words = [*support.gdb_words(mpi), str(program)]
    with machine_interface.stopped(words, "MPI_Bcast", mpi.env, up=0) as gdb:
        told = gdb.ask('-interpreter-exec console "mpipp frame"')
        place = gdb.ask("-stack-info-frame")
    assert re.search(r'=thread-selected,id="1",frame={level="\d",.*func="broadcast"', told), told
    assert 'func="broadcast"' in place and "buffers.c" in place


@support.on_mpi("mpich4")
def test_annotations_of_a_source_line(mpi: support.MPI) -> None:
    # These annotations tell DDD and Emacs which line to show.
    program = support.compile_program(support.program_source("gdb", "buffers.c"), mpi)
    words = [*support.gdb_words(mpi), "-batch", "-fullname", "-ex", "set breakpoint pending on"]
    for command in ("break PMPI_Bcast", "run", "echo @@@\\n", "mpipp frame"):
        words += ["-ex", command]
    done = subprocess.run([*words, str(program)], env=dict(mpi.env), capture_output=True, text=True)
    shown = done.stdout.partition("@@@\n")[2]
    assert re.search(r"\n\x1a\x1a/\S*/buffers.c:\d+:\d+:beg:0x", shown), shown
