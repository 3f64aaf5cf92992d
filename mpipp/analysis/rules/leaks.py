# SPDX-License-Identifier: MIT
"""Rules for operations to complete, and objects to free, before MPI_Finalize."""

from __future__ import annotations

from mpipp.analysis.rules.rule import REMARK, WARNING, Rule, Templates


def _leak(kind: str, how: str, must: str = "", until: str = " before MPI_Finalize") -> Rule:
    return Rule(
        f"{kind}-leak",
        f"{kind}-leak",
        "11.2.2",
        f"a program should free its objects{until}",
        f"call {how} after the last use",
        must,
        WARNING,
    )


RULES = (
    Rule(
        "incomplete-request",
        "incomplete-request",
        "11.2.2",
        "all communication must be complete before MPI_Finalize",
        "call MPI_Wait, or MPI_Test until it is complete, for every nonblocking operation",
        "MUST_ERROR_LEAK_REQUEST",
    ),
    Rule(
        "request-leak",
        "request-leak",
        "3.9",
        "a persistent request should be freed with MPI_Request_free",
        "call MPI_Request_free after the last use",
        "MUST_ERROR_LEAK_REQUEST",
        WARNING,
    ),
    Rule(
        "message-leak",
        "message-leak",
        "3.8.2",
        "a message that MPI_Mprobe or MPI_Improbe matched must be received",
        "call MPI_Mrecv or MPI_Imrecv: no other call can receive it",
        "MUST_ERROR_MESSAGE_LOST",
        WARNING,
    ),
    _leak("datatype", "MPI_Type_free", "MUST_ERROR_LEAK_DATATYPE"),
    _leak("comm", "MPI_Comm_free", "MUST_ERROR_LEAK_COMM"),
    _leak("group", "MPI_Group_free", "MUST_ERROR_LEAK_GROUP"),
    _leak("win", "MPI_Win_free"),
    _leak("op", "MPI_Op_free", "MUST_ERROR_LEAK_OP"),
    _leak("file", "MPI_File_close"),
    _leak("info", "MPI_Info_free", until=""),
    _leak("errhandler", "MPI_Errhandler_free", "MUST_ERROR_LEAK_ERR", until=""),
    _leak("session", "MPI_Session_finalize"),
    Rule(
        "growth",
        "growth",
        "2.5.1",
        "free objects that are no longer needed: memory and handles are limited",
        "free the objects in each iteration of the loop, or create them once before the loop",
        severity=REMARK,
    ),
)

# Objects that may also be freed after MPI_Finalize (MPI-4.1, section 11.4.1).
UNTIL_EXIT = frozenset(each for each in RULES if each.id in ("info-leak", "errhandler-leak"))


def _left(done: str, noun: str = "{noun}") -> dict[str, str]:
    return {
        "one": f"1 {noun} is not {done}",
        "several": f"{{times}} {noun}s are not {done}",
    }


WHAT: Templates = {
    **{rule.id: _left("freed") for rule in RULES if rule.severity != REMARK},
    "incomplete-request": _left("complete", "operation"),
    "request-leak": _left("freed", "persistent request"),
    "message-leak": _left("received"),
    "growth": "one place has created {made_text}; their number grows, and none was freed",
}
