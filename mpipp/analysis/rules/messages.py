# SPDX-License-Identifier: MIT
"""Rules for messages: sent data and receive buffers."""

from __future__ import annotations

from mpipp.analysis.rules import type_matching
from mpipp.analysis.rules.rule import Rule, Templates

RULES = (
    *type_matching.mismatch_rules(
        "message-types",
        "3.3.1",
        "the types sent and received must match, in the same order",
    ),
    Rule(
        "truncation",
        "truncation",
        "3.2.4",
        "a message must not be longer than the receive buffer",
        "pass a buffer for the largest message, or get the size with MPI_Probe and MPI_Get_count",
        "MUST_ERROR_TYPEMATCH_LENGTH",
    ),
    Rule(
        "message-lost",
        "lost-message",
        "11.2.2",
        "every message must have been received before MPI is finalized",
        "receive it, or do not send it",
        "MUST_ERROR_MESSAGE_LOST",
    ),
)

WHAT: Templates = {
    **type_matching.templates("message"),
    "truncation": "{elements} sent, but only {other_count} received: the message is truncated "
    "(MPI_ERR_TRUNCATE)",
    "message-lost": {
        "one": "a message is sent and never received{clause}",
        "several": "{times} messages are sent and never received{clause}",
    },
}
