# SPDX-License-Identifier: MIT
"""`mpipp attach`: several processes in this gdb, quietly."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable, Iterator

import gdb

from mpipp.errors import MpippError
from mpipp.gdb import text
from mpipp.gdb.commands import show
from mpipp.gdb.commands.base import Command
from mpipp.gdb.ranks import first_thread, inferiors, label


class Attach(Command):
    """Attach to processes, an inferior each, and stop them.

    mpipp attach PID...

    What gdb says while it attaches is left out. One that gdb cannot attach to is named with the
    reason; the others are attached. In the shell, "mpipp attach" finds the processes of a job.
    What goes on afterwards, "continue", goes on in all of them (set schedule-multiple on); one that
    had been stopped (SIGSTOP) does as well, and when gdb is left.
    """

    name = "mpipp attach"

    def lines(self, argument: str) -> Iterable[str]:
        """What to write."""
        if argument.startswith("["):  # a variable of this name
            return show.show(f"attach{argument}")
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
            yield f"process {pid} is attached already"
            continue
        with text.quiet():
            reason = _attach(pid)
        if reason:
            yield f"process {pid}: {reason}"
        else:
            done += 1
    gdb.execute("set schedule-multiple on")
    every = inferiors()
    if every and not gdb.selected_inferior().pid:
        gdb.execute(f"inferior {every[0].num}", to_string=True)
    if every and done:
        first_thread(every[0]).switch()
        names = ", ".join(label(inferior) for inferior in every)
        yield f"attached: {names}"


def _attach(pid: int) -> str:
    # What gdb says if it cannot.
    own = gdb.selected_inferior()
    added = None
    if own.pid or own.progspace.filename:
        gdb.execute("add-inferior -no-connection", to_string=True)
        added = max(gdb.inferiors(), key=lambda inferior: inferior.num)
        gdb.execute(f"inferior {added.num}", to_string=True)
    stopped = _is_stopped(pid)
    try:
        gdb.execute(f"attach {pid}", to_string=True)
        if stopped:
            _forget_stop(pid)
    except gdb.error as error:
        if added is not None:
            gdb.execute(f"inferior {own.num}", to_string=True)
            gdb.execute(f"remove-inferiors {added.num}", to_string=True)
        return str(error).rstrip(".")
    return ""


def _is_stopped(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "T"
    except (OSError, IndexError):
        return False


def _forget_stop(pid: int) -> None:
    # Of a process that was stopped already gdb's own signal is left over, and would stop it again.
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGCONT)
    gdb.execute("handle SIGCONT nostop noprint pass", to_string=True)
