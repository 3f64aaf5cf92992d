# SPDX-License-Identifier: MIT
"""Rules for what is waited for."""

from __future__ import annotations

from mpipp.checks.rules.rule import Rule, Templates

RULES = (
    Rule(
        "deadlock",
        "deadlock",
        "3.5",
        "processes must not wait for each other in a circle",
        "ask mpipp why, which says what each lacks; then change the order of the calls in one of "
        "the processes, or use MPI_Sendrecv or nonblocking calls",
        "MUST_ERROR_DEADLOCK",
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
    "lone-wait": {
        "one": "{ranks} waits for {ended_ranks}, which will communicate no more",
        "several": "{ranks} wait for {ended_ranks}, which will communicate no more",
    },
}
