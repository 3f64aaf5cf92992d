# SPDX-License-Identifier: MIT
"""Rules for waits that never end."""

from __future__ import annotations

from mpipp.analysis.rules.rule import WARNING, Rule, Templates

_ORDER = (
    "run mpipp why to see what each process waits for; then reorder the calls in one process, or "
    "use MPI_Sendrecv or nonblocking calls"
)

RULES = (
    Rule(
        "deadlock",
        "deadlock",
        "3.5",
        "processes must not wait for each other in a cycle",
        _ORDER,
        "MUST_ERROR_DEADLOCK",
    ),
    Rule(
        "unsafe-deadlock",
        "deadlock",
        "3.5 and 6.14",
        "a program must not rely on buffering, or on calls that return without synchronizing",
        _ORDER,
        "MUST_ERROR_DEADLOCK",
        WARNING,
    ),
    Rule(
        "crossed-collective",
        "crossed-collective",
        "6.14",
        "messages and collective calls must be in an order in which no processes wait for each "
        "other in a cycle, even if every call synchronizes",
        "move the collective call before the message, or after it, in all processes, or use "
        "nonblocking calls",
        "MUST_ERROR_DEADLOCK",
    ),
    Rule(
        "lone-wait",
        "lone-wait",
        "11.2.2",
        "a process must complete its part of all communication before it calls MPI_Finalize",
        "run mpipp why to see what the process called instead; then add the missing call, or "
        "remove the wait for it",
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
    "crossed-collective": {
        "circle": "{ranks} wait for each other if collective calls synchronize",
        "itself": "{ranks} waits for itself if collective calls synchronize",
    },
    "lone-wait": {
        "one": "{ranks} waits for {ended_ranks}, which will not communicate again",
        "several": "{ranks} wait for {ended_ranks}, which will not communicate again",
    },
}
