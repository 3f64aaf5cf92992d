# SPDX-License-Identifier: MIT
"""The cost of look-ups, lists and large buffers in a real gdb."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.table import Figure
from tests import mi as machine_interface
from tests.support import MPI, PRINTERS, compile_program, gdb_words

HERE = Path(__file__).parent

AIMS = {  # name from gdb_timings.py: (text, factor to the unit, limit, unit)
    "look-up": ("look-up of a type by handle, 10^5 recorded", 1e6, 10, "us"),
    "first print": ("first print of one of 10^5 types", 1e3, 50, "ms"),
    "list": ("mpipp list types, 10^5 types", 1, 3, "s"),
    "some": ("mpipp vec buf, 10^6 elements, default limits", 1e3, 50, "ms"),
    "all": ("mpipp vec buf, 10^6 elements, all", 1, 4, "s"),
    "tree": ("tree of a struct of 10^5 different vectors", 1, 1.5, "s"),
    "typesig": ("its type signature", 1, 1, "s"),
}
MANY_AIMS = {
    "many list": ("mpipp list types, 10^6 types", 1, 5, "s"),
    "many check": ("mpipp check --leaks, 10^6 types", 1, 5, "s"),
    "many memory": ("memory of both", 1, 300, "MB"),
}


def figures(mpi: MPI) -> Iterator[Figure]:
    """All figures of one MPI."""
    program = compile_program(HERE / "programs" / "debugger.c", mpi)
    yield from timed(program, mpi, "gdb_timings.py", AIMS)
    many = compile_program(HERE / "programs" / "many_types.c", mpi)
    yield from timed(many, mpi, "gdb_many_types.py", MANY_AIMS)
    seconds = child_range(program, mpi)
    yield Figure(f"{mpi.id}: MI: children [500000, 500010) of 10^6", seconds, 0.3, "s")


def timed(
    program: Path, mpi: MPI, script: str, aims: Mapping[str, tuple[str, float, float, str]]
) -> Iterator[Figure]:
    """The figures that a script in gdb prints when the program has stopped in done()."""
    words = ["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off"]
    for command in (
        "set width 0",
        f"set exec-wrapper env LD_PRELOAD={mpi.wrapper}",
        "break done",
        "run",
        f"source {PRINTERS}",
        f"source {HERE / script}",
        "kill",
    ):
        words += ["-ex", command]
    done = subprocess.run(
        [*words, str(program)], env=dict(mpi.env), capture_output=True, text=True, check=False
    )
    times = dict(re.findall(r"^@ (.*) (\S+)$", done.stdout, re.MULTILINE))
    if times.keys() != aims.keys():
        raise RuntimeError(f"gdb did not get through the benchmark:\n{done.stdout}{done.stderr}")
    for name, (what, factor, aim, unit) in aims.items():
        yield Figure(f"{mpi.id}: {what}", float(times[name]) * factor, aim, unit)


def child_range(program: Path, mpi: MPI) -> float:
    """Seconds to create a variable object of a buffer, and to list ten of its 10^6 items."""
    words = [*gdb_words(mpi), str(program)]
    with machine_interface.stopped(words, "done", mpi.env) as gdb:
        gdb.ask("-stack-list-frames")  # makes gdb read the program's symbols first
        start = time.perf_counter()
        name = "m.data"
        gdb.ask("-var-create m * buffer")
        gdb.values("m")
        for first, last in ((50, 51), (0, 1)):
            (part,) = gdb.values(name, first, last)
            name = f"{name}.{part}"
        items = gdb.values(name, 0, 10)
        seconds = time.perf_counter() - start
        value = gdb.values(f"{name}.[500009]")
    if list(items) != [f"[{i}]" for i in range(500000, 500010)] or value != {"[0]": "500009"}:
        raise RuntimeError(f"gdb showed other children: {items}, {value}")
    return seconds
