# SPDX-License-Identifier: MIT
"""Rules for how a process ends."""

from __future__ import annotations

from mpipp.checks.rules.rule import WARNING, Rule, Templates

RULES = (
    Rule(
        "process-died",
        "process-died",
        "11.2.2",
        "a process must call MPI_Finalize before it ends",
        "look at what it printed, and at its core file with mpipp gdb; of a process that a signal "
        "has killed the launcher says which",
    ),
    Rule(
        "no-finalize",
        "no-finalize",
        "11.2.2",
        "a process must call MPI_Finalize before it ends",
        "call MPI_Finalize before the program returns from main or calls exit",
    ),
    Rule(
        "aborted",
        "aborted",
        "11.4.2",
        "MPI_Abort ends all processes of a job at once",
        "nothing, if the program found an error of its own there",
        "",
        WARNING,
    ),
)

_SUBJECT = {"one": "a process has", "several": "{times} processes have"}
WHAT: Templates = {
    "process-died": {
        f"{how}-{case}": f"{subject} {clause}"
        for case, subject in _SUBJECT.items()
        for how, clause in (
            ("signal", "died, by a signal or _exit"),
            ("wrong", "died in a call that is wrong"),
            ("inside", "died inside of MPI"),
        )
    },
    "no-finalize": {
        case: f"{subject} ended without MPI_Finalize" for case, subject in _SUBJECT.items()
    },
    "aborted": {case: f"{subject} called MPI_Abort" for case, subject in _SUBJECT.items()},
}
