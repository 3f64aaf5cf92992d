# SPDX-License-Identifier: MIT
"""Run programs under stops.c and gdb_silence.py: the output of `mpipp check` at each stop."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import support

HERE = Path(__file__).parent
SCRIPT = HERE / "gdb_silence.py"
_WRAPPER = support.ROOT / "wrapper"
_SILENCE = re.compile(r"no findings in \d+ process(es)?, \d+ active calls?, \d+ pending requests?")
# The random traffic does this on purpose, and MPI allows it.
ALLOWED = "warning: MPI_Comm_free is called for a communicator on which "
_ALLOWED_ALONE = re.compile(rf"({ALLOWED}.*\n(  .*\n)*\n)+\d+ findings? in .*")


@dataclass(frozen=True)
class Stop:
    """A stop of all processes: its sort, and the output of `mpipp check`."""

    what: str
    said: tuple[str, ...]

    @property
    def silent(self) -> bool:
        """Return whether there were no findings, and everything was checked."""
        said = "\n".join(self.said)
        return bool(_SILENCE.fullmatch(said) or _ALLOWED_ALONE.fullmatch(said))


def library(mpi: support.MPI) -> Path:
    """stops.c as a library to preload."""
    return support.compile_program(
        HERE / "stops.c", mpi, ["-g", "-O1", "-shared", "-fPIC", f"-I{_WRAPPER}"]
    )


@contextmanager
def waiting(
    words: Sequence[str | Path],
    mpi: support.MPI,
    n: int,
    seed: int,
    every: int,
    cwd: Path | None = None,
) -> Iterator[tuple[list[int], subprocess.Popen[str]]]:
    """The processes of a program, which wait for gdb in their first call, and its mpiexec."""
    with tempfile.TemporaryDirectory() as directory:
        pipe = Path(directory) / "pids"
        os.mkfifo(pipe)
        # Open it for writing, too, so that it does not end while there is no other writer.
        reader = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        settings = [f"STOPS_PIPE={pipe}", f"STOPS_EVERY={every}", f"STOPS_SEED={seed}"]
        command = [*mpi.mpiexec, "-n", str(n), "env", *settings]
        command += [f"LD_PRELOAD={library(mpi)}:{mpi.wrapper}", *map(str, words)]
        with subprocess.Popen(
            command,
            env=dict(mpi.env),
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            try:
                yield _pids(reader, n), process
            finally:
                os.close(reader)
                support.end(process)


def _pids(reader: int, n: int) -> list[int]:
    text = b""
    end = time.monotonic() + 120
    while text.count(b"\n") < n:
        left = end - time.monotonic()
        assert left > 0 and select.select([reader], [], [], left)[0], f"{n} processes: {text!r}"
        text += os.read(reader, 1000)
    return [int(line) for line in text.split()]


def stops(
    words: Sequence[str | Path],
    mpi: support.MPI,
    *,
    n: int = 2,
    stops: int = 20,
    updates: int = 0,
    interrupts: int = 0,
    every: int = 1,
    seed: int = 1,
    commands: Sequence[str] = (),
    cwd: Path | None = None,
) -> list[Stop]:
    """All stops of a program that runs to its end with status 0.

    Args:
        stops: number of stops at starts and ends of calls; `seed` selects one of `every`.
        updates: number of stops between these, some instructions into a change of records.
        interrupts: number of later stops at any place of the processes.
        commands: commands to run at each stop; only exceptions of Python in their output count.
        cwd: the program's directory.
    """
    with waiting(words, mpi, n, seed, every, cwd) as (pids, process):
        numbers = f"stops={stops}, updates={updates}, interrupts={interrupts}, seed={seed}"
        script = [f"source {SCRIPT}", f"python silence({pids}, {numbers}, commands={[*commands]})"]
        output = support.gdb_batch(script, mpi=mpi)
        assert output.count("stop at the end\n") == n, output
        said, _ = process.communicate(timeout=120)
    assert process.returncode == 0, f"{output}\n{said}"
    found = re.findall(r"^stop (.*)\n((?:\| .*\n|\|\n)*)", output, re.MULTILINE)
    return [Stop(what, tuple(line[2:] for line in text.splitlines())) for what, text in found]


def planted(commands: Sequence[Sequence[str | Path]], mpi: support.MPI) -> list[dict[str, Any]]:
    """The output of `mpipp check --json` for programs whose two processes are held in an error."""
    with ExitStack() as started:
        jobs = [
            started.enter_context(waiting(words, mpi, 2, seed=1, every=0))[0] for words in commands
        ]
        output = support.gdb_batch([f"source {SCRIPT}", f"python planted({jobs})"], mpi=mpi)
    reports = [line[len("report ") :] for line in output.splitlines() if line.startswith("report ")]
    assert len(reports) == len(jobs), output
    return [json.loads(report) for report in reports]


def traffic(mpi: support.MPI) -> Path:
    """The compiled programs/traffic.c."""
    flags = ["-g", "-O0", "-Wall", "-Wno-stringop-overflow", "-Wno-stringop-overread", "-pthread"]
    return support.compile_program(
        support.program_source("analysis", "traffic.c"), mpi, [*flags, "-ldl"]
    )
