# SPDX-License-Identifier: MIT
"""Rules for races of messages: receives that could have taken another message."""

from __future__ import annotations

from mpipp.analysis.rules.rule import REMARK, WARNING, Rule, Templates

_DEMAND = (
    "messages of two processes may arrive in any order, unless a synchronization orders the second "
    "send after the receive"
)

RULES = (
    Rule(
        "message-race",
        "message-race",
        "3.5",
        _DEMAND,
        "receive from a rank, or with another tag or communicator; or order the send of rank "
        "{other_rank} after this receive by a barrier or message{clause}",
        severity=WARNING,
    ),
    Rule(
        "message-crossing",
        "message-crossing",
        "3.5",
        "a receive with MPI_ANY_SOURCE takes any message with its tag and communicator; messages "
        "of one process arrive in the order of their sends",
        "nothing, if both parts of the program know this order; else give the two messages "
        "different tags or communicators",
        severity=REMARK,
    ),
    Rule(
        "message-order",
        "message-order",
        "3.5",
        _DEMAND,
        "nothing, if the result does not depend on the order of the messages",
        severity=REMARK,
    ),
)

WHAT: Templates = {
    "message-race": {
        "receive": "{procedure} took the message of rank {rank}, but could have taken another one "
        "of rank {other_rank}",
        "after probe": "{procedure} took the message that {other_procedure} found, but could have "
        "taken another one of rank {other_rank}",
        "probe": "{procedure} found the message of rank {rank}, but could have found another one "
        "of rank {other_rank}",
    },
    "message-crossing": "{procedure} with MPI_ANY_SOURCE matches two messages of rank {rank}: the "
    "order in which rank {rank} sends them decides",
    "message-order": "messages of several ranks may arrive in another order; the same call takes "
    "all of them",
}
