# SPDX-License-Identifier: MIT
"""The cost of browsing: one page in the middle of a large buffer, from a real gdb by socket."""

from __future__ import annotations

import json
import socket
import statistics
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.table import Figure, seconds
from tests.support import MPI, compile_program, gdb_words

HERE = Path(__file__).parent
ROUNDS = 5


def figures(mpi: MPI) -> Iterator[Figure]:
    """All figures of one MPI."""
    program = compile_program(HERE / "programs" / "debugger.c", mpi)
    with subprocess.Popen(
        [*gdb_words(mpi), str(program)],
        env=dict(mpi.env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as gdb:
        assert gdb.stdin is not None
        assert gdb.stdout is not None
        commands = (
            "break done",
            "run",
            "frame function main",
            "mpipp browse --terminal vec memory",
            'python print("@", mpipp.gdb.commands.browse._browsed.server.path)',
        )
        gdb.stdin.write(
            "".join(f"{command}\n" for command in ("python import mpipp.gdb", *commands))
        )
        gdb.stdin.flush()
        path = next((line.split()[-1] for line in gdb.stdout if "@ " in line), "")
        times = [page(path, first) for first in range(500_000, 500_000 + ROUNDS * 1000, 1000)]
        gdb.stdin.write("kill\nquit\n")
        gdb.stdin.flush()
        gdb.stdout.read()
    what = f"{mpi.id}: browse: 1000 elements in the middle of 10^6"
    yield Figure(what, statistics.median(times) * 1e3, 50, "ms")


def page(path: str, first: int) -> float:
    """Seconds to get a page of a thousand elements."""
    with socket.socket(socket.AF_UNIX) as connection, connection.makefile("rwb") as file:
        connection.connect(path)
        file.readline()  # the hello message
        request = {"do": "children", "path": [1], "start": first, "stop": first + 1000}

        def ask() -> None:
            file.write(json.dumps(request).encode() + b"\n")
            file.flush()
            reply = json.loads(file.readline())
            if reply["lines"][0]["value"] != f"{{{first}}}":
                raise RuntimeError(f"gdb showed something else: {reply['lines'][0]}")

        return seconds(ask)
