# SPDX-License-Identifier: MIT
"""Sourced by gdb: attaches to all processes of a program and checks them at random stops.

Its output is for silence.py: a line "stop ..." for each stop, then the output of `mpipp check`
there, each line after a bar; or the output of `mpipp check --json` at a planted error.
"""

import contextlib
import os
import random
import signal
import subprocess

import gdb

# The wrapper's functions that change records in most calls.
UPDATES = (
    "mpipp_request_made mpipp_recorder_operation_completed mpipp_registry_freed "
    "mpipp_recorder_count mpipp_registry_publish mpipp_recorder_received_any "
).split()
_LOCKED = 5  # seconds in which a thread has made its steps, or waits for another


def _attach(pids):
    gdb.execute("set schedule-multiple on")
    # A signal that comes late, when gdb has left, must not matter: it is ignored.
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
    # All others stand still meanwhile: one of them may have the lock that this thread needs.
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
    # The first of these that comes, or the one after a random stop. A program that only sends and
    # receives in blocking calls may never call them again.
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
    # gdb's own, for C++ classes whose library has no symbols.
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
    """Check at that many stops of each sort, and at the end of each process."""
    random.seed(seed)
    _attach(pids)
    gdb.execute("set scheduler-locking step")  # the others stand still meanwhile
    drawn = gdb.Breakpoint("random_stop", internal=True)
    final = gdb.Breakpoint("final_stop", internal=True)
    plan = ["by draw"] * stops + ["in an update"] * updates
    random.shuffle(plan)
    plan = ["by interrupt"] * interrupts + plan  # begins at its end
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
            what = "by a late signal"  # of an earlier interrupt
        _report(what, commands)
    _leave()


def planted(jobs):
    """Check each job of as many processes while all are held in the planted error."""
    for pids in jobs:
        _attach(pids)
        held = gdb.Breakpoint("held_stop", internal=True)
        while held.hit_count < len(pids):
            gdb.execute("continue", to_string=True)
        gdb.write("\nreport " + gdb.execute("mpipp check --json", to_string=True))
        held.delete()
        _leave()


def _leave():
    # A process that is still attached cannot be detached any more when another has ended.
    for inferior in gdb.inferiors():
        gdb.execute(f"detach inferiors {inferior.num}", to_string=True)
