# SPDX-License-Identifier: MIT
"""Rules for what is waited for."""

from __future__ import annotations

from mpipp.analysis.rules.rule import WARNING, Rule, Templates

_ORDER = (
    "ask mpipp why, which says what each lacks; then change the order of the calls in one of "
    "the processes, or use MPI_Sendrecv or nonblocking calls"
)

RULES = (
    Rule(
        "deadlock",
        "deadlock",
        "3.5",
        "processes must not wait for each other in a circle",
        _ORDER,
        "MUST_ERROR_DEADLOCK",
    ),
    Rule(
        "unsafe-deadlock",
        "deadlock",
        "3.5 and 6.14",
        "a program must not rely on what the library buffers, or on where it does not wait",
        _ORDER,
        "MUST_ERROR_DEADLOCK",
        WARNING,
    ),
    Rule(
        "lone-wait",
        "lone-wait",
        "11.2.2",
        "a process must have done its part in all communication before it calls MPI_Finalize",
        "ask mpipp why, which says what was done instead; then let the process do its part, or the "
        "other not wait for it",
        "MUST_ERROR_DEADLOCK",
    ),
)

WHAT: Templates = {
    "deadlock": {
        "mismatch": "{clause}",
        "circle": "{ranks} wait for each other",
        "itself": "{ranks} waits for itself",
    },
    "unsafe-deadlock": {
        "circle": "{ranks} wait for each other in calls that MPI allows to block",
        "itself": "{ranks} waits for itself in a call that MPI allows to block",
    },
    "lone-wait": {
        "one": "{ranks} waits for {ended_ranks}, which will communicate no more",
        "several": "{ranks} wait for {ended_ranks}, which will communicate no more",
    },
}
