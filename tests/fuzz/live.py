# SPDX-License-Identifier: MIT
"""Two processes of jumble.c under gdb. Their registries are damaged while commands are typed."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests import support
from tests.fuzz import cases
from tests.fuzz.snapshots import PROGRAM, STOPS
from tests.ranks import ranks

_SCRIPT = Path(__file__).with_name("gdb_damage.py")
_WRONG = re.compile(r"wrong: |Traceback|Python Exception|Error (?:while|occurred)|internal-error")
_TOGETHER = 500  # cases of one gdb


def chunks(seeds: range) -> list[range]:
    """The cases of one gdb: all of them use the same stop."""
    starts = range(seeds.start - seeds.start % _TOGETHER, seeds.stop, _TOGETHER)
    chosen = [range(max(i, seeds.start), min(i + _TOGETHER, seeds.stop)) for i in starts]
    return [chunk for chunk in chosen if chunk]


def run(seeds: range, mpi_id: str) -> Iterator[str]:
    """The failures in the cases of the seeds, each with its seed. The cases share their
    processes."""
    mpi = support.find_mpi(mpi_id)
    program = support.compile_program(PROGRAM, mpi, ["-g", "-O0"])
    stop = seeds[0] // _TOGETHER % STOPS
    path = f"sys.path[:0] = [{str(support.ROOT)!r}]"
    with ranks(program, mpi, str(stop)) as processes:
        pids = [pid for _, pid in sorted(processes.items())]
        limit = f"--as={cases.MOST_MEMORY}"
        words = [
            support.need("prlimit"),
            limit,
            *support.gdb_words(None),
            "-batch",
            "-ex",
            f"python import sys; {path}",
        ]
        words += ["-ex", f"source {_SCRIPT}", "-ex", f"python attach({pids})"]
        words += ["-ex", f"python fuzz({seeds})", str(program)]
        with support.running(
            words,
            env=dict(mpi.env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            errors="replace",
        ) as gdb:
            assert gdb.stdout
            case, ended = "no case", False
            for line in gdb.stdout:
                if line.startswith("case "):
                    case = line.strip()
                elif _WRONG.search(line):
                    yield f"{case}: {line[:1500].rstrip()}"
                ended = ended or line == "done\n"
        if not ended:
            yield f"{case}: gdb ended with status {gdb.returncode}"
