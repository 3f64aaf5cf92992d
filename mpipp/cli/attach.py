# SPDX-License-Identifier: MIT
"""`mpipp attach`: one gdb for several running processes, with mpipp loaded."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from mpipp.cli.debugger import debugger, loading
from mpipp.cli.mpi import flavor_of_library
from mpipp.errors import MpippError

_PROC = Path("/proc")
# How launchers tell a process its rank.
_RANKS = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")
USAGE = "mpipp attach (PID... | --all-my-ranks) [-- GDB OPTION...]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `mpipp attach`."""
    parser.usage = USAGE
    parser.add_argument("pids", nargs="*", metavar="PID", help="processes, an inferior each")
    parser.add_argument(
        "--all-my-ranks",
        action="store_true",
        help="all of your processes on this machine that have loaded MPI and are not yet debugged, "
        "by rank",
    )


def run(arguments: argparse.Namespace, words: Sequence[str] = ()) -> int:
    """Replace this process by gdb, which stops the processes; `words` are gdb's own options.

    Raises:
        MpippError: there is no gdb, no such process, or none that has loaded MPI.
    """
    if arguments.all_my_ranks and arguments.pids:
        raise MpippError("--all-my-ranks attaches to all: name no processes, or leave it out")
    if not arguments.all_my_ranks and not arguments.pids:
        raise MpippError(f"no process to attach to: write {USAGE}")
    pids = _all_ranks() if arguments.all_my_ranks else [_process(word) for word in arguments.pids]
    twice = next((pid for pid in pids if pids.count(pid) > 1), None)
    if twice is not None:
        raise MpippError(f"process {twice} is named twice")
    command = [debugger(), *loading(), "-iex", "set pagination off"]
    for number, pid in enumerate(pids, 1):
        if number > 1:
            command += ["-ex", "add-inferior", "-ex", f"inferior {number}"]
        command += ["-ex", f"attach {pid}"]
    # What follows lets all go on, and starts with the first.
    command += ["-ex", "set schedule-multiple on", "-ex", "set pagination on"]
    command += ["-ex", "inferior 1"] if len(pids) > 1 else []
    sys.stdout.flush()
    try:
        os.execv(command[0], [*command, *words])
    except OSError as error:
        raise MpippError(f"cannot start {command[0]}: {error.strerror}") from None


def _process(word: str) -> int:
    if not word.isdigit():
        raise MpippError(f"{word} is not the number of a process")
    if not (_PROC / word).is_dir():
        raise MpippError(f"there is no process {word} on this machine")
    return int(word)


def _all_ranks() -> list[int]:
    found = sorted(_ranks_of(os.getuid()))
    if not found:
        raise MpippError("none of your processes on this machine has loaded MPI: name them by PID")
    return [pid for _, pid in found]


def _ranks_of(user: int) -> Iterator[tuple[int, int]]:
    # (rank, process); those that are told none come first.
    for directory in _PROC.iterdir():
        if not directory.name.isdigit():
            continue
        try:
            if directory.stat().st_uid != user or not _has_mpi(directory) or _traced(directory):
                continue
            yield _rank(_environment(directory)), int(directory.name)
        except OSError:  # it has ended, or may not be looked at
            continue


def _has_mpi(directory: Path) -> bool:
    # To run it: a debugger has its symbols.
    lines = (directory / "maps").read_text(errors="replace").splitlines()
    libraries = {line.split(None, 5)[5] for line in lines if ".so" in line and "xp " in line}
    return any(flavor_of_library(library) is not None for library in libraries)


def _traced(directory: Path) -> bool:
    # By another debugger: a process can have only one.
    return "\nTracerPid:\t0\n" not in (directory / "status").read_text()


def _environment(directory: Path) -> Mapping[str, str]:
    words = (directory / "environ").read_bytes().split(b"\0")
    pairs = (os.fsdecode(word).partition("=") for word in words)
    return {name: value for name, _, value in pairs}


def _rank(environment: Mapping[str, str]) -> int:
    for name in _RANKS:
        if environment.get(name, "").isdigit():
            return int(environment[name])
    return -1
