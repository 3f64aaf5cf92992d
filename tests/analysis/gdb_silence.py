# SPDX-License-Identifier: MIT
"""Attach to all processes of a program in gdb, and check them at random stops.

The output is read by silence.py. A line "stop ..." for each stop precedes the output of `mpipp
check` there, each line after a bar. At a planted error it is the output of `mpipp check --json`.
"""

import contextlib
import os
import random
import signal
import subprocess

import gdb

# Functions of the wrapper that change records in most calls.
UPDATES = (
    "mpipp_add_request mpipp_recorder_complete_operation mpipp_registry_note_free "
    "mpipp_recorder_count mpipp_registry_publish mpipp_recorder_receive_wildcard "
).split()
_LOCKED = 5  # seconds for a thread to make its steps; afterwards it waits for another thread


def _attach(pids):
    gdb.execute("set schedule-multiple on")
    # Ignore a signal that arrives after gdb has detached.
    gdb.execute("handle SIGURG stop nopass", to_string=True)
    for number, pid in enumerate(pids, 1):
        if number > len(gdb.inferiors()):
            gdb.execute("add-inferior", to_string=True)
        gdb.execute(f"inferior {number}", to_string=True)
        gdb.execute(f"attach {pid}", to_string=True)
        gdb.execute("set variable stops_attached = 1")


def _run_for_a_moment(pids):
    moment = random.uniform(0, 0.01)
    with subprocess.Popen(["sh", "-c", f"sleep {moment}; kill -URG {random.choice(pids)}"]):
        gdb.execute("continue", to_string=True)


def _step(instructions):
    # All other threads are stopped meanwhile. One of them may have the lock that this thread needs.
    pid = gdb.selected_inferior().pid
    words = ["sh", "-c", f"sleep {_LOCKED}; kill -URG {pid}"]
    nothing = subprocess.DEVNULL
    with subprocess.Popen(words, stdout=nothing, stderr=nothing, start_new_session=True) as late:
        try:
            gdb.execute(f"stepi {instructions}", to_string=True)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(late.pid, signal.SIGKILL)


def _run_into_an_update(drawn):
    # Stop at the first of these breakpoints that is reached, or at the next random stop. A program
    # that only sends and receives in blocking calls may never call these functions again.
    updates = {gdb.Breakpoint(name, internal=True): random.randrange(8) for name in UPDATES}
    for update, passes in updates.items():
        update.ignore_count = passes
    before = drawn.hit_count
    gdb.execute("continue", to_string=True)
    any_hit = any(update.hit_count > passes for update, passes in updates.items())
    for update in updates:
        update.delete()
    drawn.enabled = False
    if any_hit or drawn.hit_count > before:
        _step(random.randrange(1, 100))


def _report(what, commands):
    said = gdb.execute("mpipp check", to_string=True).splitlines()
    # gdb's own warning about C++ classes of libraries without symbols.
    said = [line for line in said if not line.startswith("warning: RTTI symbol not found")]
    for command in commands:
        try:
            heard = gdb.execute(command, to_string=True)
        except gdb.error as error:
            heard = str(error)
        if "Python Exception" in heard or "Traceback" in heard or "Error occurred" in heard:
            said.append(f"{command}: {heard}")
    gdb.write("".join(f"{line}\n" for line in [f"stop {what}", *(f"| {line}" for line in said)]))


def silence(pids, stops, updates, interrupts, seed, commands=()):
    """Check at this many stops of each sort, and at the end of each process."""
    random.seed(seed)
    _attach(pids)
    gdb.execute("set scheduler-locking step")  # the other threads are stopped meanwhile
    drawn = gdb.Breakpoint("random_stop", internal=True)
    final = gdb.Breakpoint("final_stop", internal=True)
    plan = ["by draw"] * stops + ["in an update"] * updates
    random.shuffle(plan)
    plan = ["by interrupt"] * interrupts + plan  # taken from the end
    while final.hit_count < len(pids):
        before = final.hit_count
        what = plan.pop() if plan else "at the end"
        drawn.enabled = what in ("by draw", "in an update")
        if what == "by interrupt":
            _run_for_a_moment(pids)
        elif what == "in an update":
            _run_into_an_update(drawn)
        else:
            gdb.execute("continue", to_string=True)
        if final.hit_count > before:
            what = "at the end"
        elif what == "at the end":
            what = "by a late signal"  # an earlier interrupt was still on its way
        _report(what, commands)
    _leave()


def planted(jobs):
    """Check each job, while all its processes are held in the planted error."""
    for pids in jobs:
        _attach(pids)
        held = gdb.Breakpoint("held_stop", internal=True)
        while held.hit_count < len(pids):
            gdb.execute("continue", to_string=True)
        gdb.write("\nreport " + gdb.execute("mpipp check --json", to_string=True))
        held.delete()
        _leave()


def _leave():
    # When one process has ended, gdb cannot detach from the others any more.
    for inferior in gdb.inferiors():
        gdb.execute(f"detach inferiors {inferior.num}", to_string=True)
