# SPDX-License-Identifier: MIT
"""Rules for the end of a process."""

from __future__ import annotations

from mpipp.analysis.rules.rule import REMARK, WARNING, Rule, Templates

RULES = (
    Rule(
        "process-died",
        "process-died",
        "11.2.2",
        "a process must call MPI_Finalize before it ends",
        "read the output of the process, and open its core file with mpipp gdb; the launcher's "
        "message names the signal",
    ),
    Rule(
        "died-of-error",
        "process-died",
        "11.2.2",
        "a process must call MPI_Finalize before it ends",
        "correct the call: MPI most likely ended the program because of this error, as its default "
        "error handler does",
        severity=REMARK,  # the consequence of an error that was reported
    ),
    Rule(
        "ended-by-signal",
        "process-died",
        "11.2.2",
        "a process must call MPI_Finalize before it ends, except if a signal from outside ends it",
        "find out who sent the signal",
        severity=REMARK,  # the program may be correct
    ),
    Rule(
        "died-late",
        "process-died",
        "11.2.2",
        "MPI_Finalize ends MPI, not the process: the process continues until it returns from main "
        "or calls exit",
        "open the core file of the process with mpipp gdb, and check destructors of static objects "
        "and functions passed to atexit",
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
        "MPI_Abort ends all processes of a job immediately",
        "nothing, if the program aborts here on purpose",
        "",
        WARNING,
    ),
)


def _several(clause: str, how: str = "") -> dict[str, str]:
    # Sentences for one process and for several, by the kind of their end.
    return {
        f"{how}one": f"a process has {clause}",
        f"{how}several": f"{{times}} processes have {clause}",
    }


WHAT: Templates = {
    "process-died": {
        "core": "a process has died of {signal}",
        **_several("died{ending}", "signal-"),
        **_several("died inside MPI{ending}", "inside-"),
    },
    "died-of-error": {
        **_several("died in a call that is wrong{ending}"),
        **_several("ended in a call that is wrong", "exit-"),
    },
    "ended-by-signal": _several("been ended{ending}"),
    "died-late": {
        **_several("died after MPI_Finalize{ending}"),
        **_several("died inside MPI after MPI_Finalize{ending}", "inside-"),
    },
    "no-finalize": _several("ended without MPI_Finalize"),
    "aborted": _several("called MPI_Abort"),
}
