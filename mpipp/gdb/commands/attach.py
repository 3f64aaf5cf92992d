# SPDX-License-Identifier: MIT
"""`mpipp attach`: attach to several processes in this gdb, without gdb's usual output."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable, Iterator

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb import console, output
from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.program import symbol_names
from mpipp.gdb.program.ranks import first_thread, inferiors, label


class Attach(Command):
    """Attach to processes, one inferior each, and stop them.

    mpipp attach PID...

    If gdb cannot attach to a process, mpipp prints the reason and attaches to the others. In the
    shell, "mpipp attach" finds the processes of a job.

    "continue" then continues all of them (set schedule-multiple on), also processes that had been
    stopped (SIGSTOP). They also continue when you leave gdb.
    """

    name = "mpipp attach"

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if argument.startswith("["):  # the user means a variable of this name
            return print_.show(f"attach{argument}")
        words = argument.split()
        wrong = next((word for word in words if not word.isdigit()), None)
        if wrong is not None or not words:
            raise MpippError("write mpipp attach PID..., with the numbers of processes")
        return _attached(list(dict.fromkeys(map(int, words))))


def _attached(pids: list[int]) -> Iterator[str]:
    there = {inferior.pid for inferior in gdb.inferiors()}
    done = 0
    for pid in pids:
        if pid in there:
            yield f"process {pid} is already attached"
            continue
        with output.quiet():
            reason = _attach(pid)
        if reason:
            yield f"process {pid}: {reason}"
        else:
            done += 1
    console.execute("set schedule-multiple on")
    every = inferiors()
    if every and not gdb.selected_inferior().pid:
        console.output("inferior {}", every[0].num)
    if every and done:
        first_thread(every[0]).switch()
        names = ", ".join(label(inferior) for inferior in every)
        yield f"attached: {names}"


def _attach(pid: int) -> str:
    # gdb's message if it cannot attach to the process, else "".
    own = gdb.selected_inferior()
    added = None
    if own.pid or symbol_names.program():
        console.output("add-inferior -no-connection")
        added = max(gdb.inferiors(), key=lambda inferior: inferior.num)
        console.output("inferior {}", added.num)
    stopped = _is_stopped(pid)
    try:
        console.output("attach {}", pid)
        if stopped:
            _forget_stop(pid)
    except gdb.error as error:
        if added is not None:
            console.output("inferior {}", own.num)
            console.output("remove-inferiors {}", added.num)
        return ": ".join(str(error).splitlines()).rstrip(".")
    return ""


def _is_stopped(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "T"
    except (OSError, IndexError):
        return False


def _forget_stop(pid: int) -> None:
    # If a process was already stopped, gdb's own signal remains and would stop it again.
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGCONT)
    console.output("handle SIGCONT nostop noprint pass")
