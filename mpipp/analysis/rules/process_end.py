# SPDX-License-Identifier: MIT
"""Rules for how a process ends."""

from __future__ import annotations

from mpipp.analysis.rules.rule import WARNING, Rule, Templates

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
        "died-late",
        "process-died",
        "11.2.2",
        "MPI_Finalize ends MPI, not the process, which goes on until it returns from main or calls "
        "exit",
        "look at what it printed, and at its core file with mpipp gdb: the destructors of static "
        "objects run then, and what was given to atexit",
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


def _several(clause: str, how: str = "") -> dict[str, str]:
    # By how they ended, and how many.
    return {
        f"{how}one": f"a process has {clause}",
        f"{how}several": f"{{times}} processes have {clause}",
    }


WHAT: Templates = {
    "process-died": {
        "core": "a process has died of {signal}",
        **_several("died{ending}", "signal-"),
        **_several("died in a call that is wrong{ending}", "wrong-"),
        **_several("died inside of MPI{ending}", "inside-"),
    },
    "died-late": {
        **_several("died after MPI_Finalize{ending}"),
        **_several("died inside of MPI after MPI_Finalize{ending}", "inside-"),
    },
    "no-finalize": _several("ended without MPI_Finalize"),
    "aborted": _several("called MPI_Abort"),
}
