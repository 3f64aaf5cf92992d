# SPDX-License-Identifier: MIT
"""Rules for calls of several processes that belong together."""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.analysis.rules import type_matching
from mpipp.analysis.rules.rule import WARNING, Rule, Templates

_MESSAGE = "the types sent and received must match, in the same order"
_COLLECTIVE = "the amount and types sent must be those received"
_REDUCTION = "all processes must give the same number of elements of the same type"
_SAME_TYPES = "describe the same basic types in the same order on both sides"
_MISMATCH = "MUST_ERROR_TYPEMATCH_MISMATCH"


def _mismatch(id: str, section: str, sentence: str, error_class: str) -> Iterator[Rule]:
    # With a rule for MPI_BYTE.
    of_bytes = f"{sentence}; MPI_BYTE matches only MPI_BYTE"
    for which, told, must in ((id, sentence, ""), (f"{id}-byte", of_bytes, "_BYTE")):
        known = (section, told, _SAME_TYPES, _MISMATCH + must)
        yield Rule(which, "type-mismatch", *known, error_class=error_class)


def _unmatched(id: str, error_class: str = "") -> Rule:
    return Rule(
        id,
        "collective-mismatch",
        "6.1",
        "all processes of a communicator must call the same collective operations in the same "
        "order",
        "find where the processes take different ways: a branch on the rank, or a loop that one "
        "of them leaves earlier",
        "MUST_ERROR_COLLECTIVE_CALL_MISMATCH",
        error_class=error_class,
    )


def _length(id: str, section: str, sentence: str) -> Rule:
    advice = "let both sides have the same number of elements"
    must = "MUST_ERROR_TYPEMATCH_LENGTH"
    return Rule(id, "length-mismatch", section, sentence, advice, must, error_class="MPI_ERR_COUNT")


_ALIKE = "{argument} must be {how}"


def _differs(id: str, section: str) -> Rule:
    advice = "compute {argument} in all processes alike, or broadcast it"
    return Rule(id, "argument-mismatch", section, _ALIKE, advice, error_class="MPI_ERR_ARG")


RULES = (
    *_mismatch("message-types", "3.3.1", _MESSAGE, ""),
    Rule(
        "truncation",
        "truncation",
        "3.2.4",
        "a message must not be longer than the receive buffer",
        "receive with a buffer for all that may be sent, or ask MPI_Probe how much it is",
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
    *_mismatch("collective-types", "6.2", _COLLECTIVE, "MPI_ERR_TYPE"),
    _length("collective-length", "6.2", _COLLECTIVE),
    *_mismatch("reduction-types", "6.9", _REDUCTION, "MPI_ERR_TYPE"),
    _length("reduction-length", "6.9", _REDUCTION),
    _unmatched("collective-mismatch", "MPI_ERR_OTHER"),
    Rule(
        "collective-form-mismatch",
        "collective-form-mismatch",
        "6.12",
        "blocking, nonblocking and persistent collective operations do not match each other",
        "call the same procedure in all processes",
        "MUST_ERROR_COLLECTIVE_BLOCKING_NONBLOCKING_MISMATCH",
        error_class="MPI_ERR_OTHER",
    ),
    Rule(
        "recvcounts",
        "length-mismatch",
        "6.10.2",
        "recvcounts must be the same in all processes",
        "compute recvcounts in all processes alike, or broadcast them",
        "MUST_ERROR_COUNTS_ARRAYS_DIFFER",
        error_class="MPI_ERR_COUNT",
    ),
    Rule(
        "root-mismatch",
        "root-mismatch",
        "6.2",
        "the argument root must be the same in all processes",
        "pass the same root in all processes",
        "MUST_ERROR_COLLECTIVE_ROOT_MISMATCH",
        error_class="MPI_ERR_ROOT",
    ),
    Rule(
        "root-group-mismatch",
        "root-mismatch",
        "6.2.3",
        "in the root's group the root must give MPI_ROOT and the others MPI_PROC_NULL, in the "
        "other group all must give the root's rank",
        "let one group pass MPI_ROOT once and MPI_PROC_NULL else, and the other the rank of that "
        "process",
        "MUST_ERROR_COLLECTIVE_ROOT_MISMATCH",
        error_class="MPI_ERR_ROOT",
    ),
    Rule(
        "in-place-differs",
        "argument-mismatch",
        "6.2.1",
        "if one process passes MPI_IN_PLACE to {procedure}, all must",
        "pass MPI_IN_PLACE as {argument} in all processes, or in none",
        error_class="MPI_ERR_ARG",
    ),
    _differs("grid-differs", "8.5.1"),
    _differs("graph-differs", "8.5.3"),
    _differs("distributed-graph-differs", "8.5.4"),
    Rule(
        "graph-ends",
        "argument-mismatch",
        "8.5.4",
        "each edge is given by the process that it comes from and by the one that it goes to",
        "give the edge at both of its ends, or let MPI_Dist_graph_create tell the other",
        error_class="MPI_ERR_TOPOLOGY",
    ),
    _differs("group-differs", "7.4.2"),
    _differs("split-type-differs", "7.4.2"),
    _differs("leader-differs", "7.6.2"),
    _differs("high-differs", "7.6.2"),
    _differs("fence-differs", "12.5.1"),
    _differs("amode-differs", "14.2.1"),
    _differs("file-size-differs", "14.2.4"),
    _differs("preallocation-differs", "14.2.5"),
    _differs("view-differs", "14.3"),
    _differs("atomicity-differs", "14.6.1"),
    _differs("shared-pointer-differs", "14.4.4"),
    Rule(
        "op-mismatch",
        "op-mismatch",
        "6.9",
        "the argument op must be the same in all processes",
        "pass the same operation in all processes",
        "MUST_ERROR_COLLECTIVE_OP_MISMATCH",
        error_class="MPI_ERR_OP",
    ),
    Rule(
        "own-op-differs",
        "op-mismatch",
        "6.9",
        "the argument op must be the same in all processes",
        "nothing, if both functions compute the same; else reduce with the same operation in all "
        "processes",
        severity=WARNING,
    ),
    Rule(
        "own-op-commutes",
        "op-mismatch",
        "6.9",
        "the argument op must be the same in all processes",
        "give MPI_Op_create the same commute in all processes",
        severity=WARNING,
    ),
    Rule(
        "comm-order",
        "collective-order",
        "6.14",
        "collective operations must be called in an order in which processes do not wait for each "
        "other in a circle, whether they synchronize or not",
        "call them in the same order in all processes, or use nonblocking ones",
    ),
    _unmatched("collective-missing"),
)

_DIFFERS = {
    "values": "the processes give different {noun}: {constant} and {other_constant}",
    "": "the processes give different {noun}",
}
WHAT: Templates = {
    **{rule.id: _DIFFERS for rule in RULES if rule.sentence == _ALIKE},
    **type_matching.of("message"),
    "truncation": type_matching.TRUNCATION,
    "message-lost": {
        "one": "a message is sent and never received{clause}",
        "several": "{times} messages are sent and never received{clause}",
    },
    **type_matching.of("collective"),
    **type_matching.of("reduction"),
    "collective-mismatch": {
        "unnumbered": "{procedure} and {other_procedure} meet on one {noun}",
        "numbered": "{procedure} and {other_procedure} meet on one {noun}: each process's "
        "collective call number {call_ordinal} on it",
    },
    "collective-form-mismatch": "a {kind} and a {other_kind} call of one collective operation meet",
    "recvcounts": "the processes name different recvcounts: for rank {index} {count} and "
    "{other_count}",
    "root-mismatch": "the processes name different roots: {number} and {other_number}",
    "root-group-mismatch": {
        "two-roots": "two processes give MPI_ROOT",
        "both-groups": "processes of both groups give {text}: in one all must give a rank",
        "both-ranks": "processes of both groups give ranks: in one of them nobody may",
        "one-group": "processes of one group give {constant} and the rank {number}",
        "other-root": "rank {own_number} gives MPI_ROOT, but the other group {number}",
        "no-root": "the other group gives {number}, but that rank MPI_PROC_NULL",
    },
    "in-place-differs": "not all processes pass MPI_IN_PLACE as {argument}",
    "graph-ends": "rank {rank} has {sent} to rank {other_rank}, which has {received} from it",
    "op-mismatch": "the processes reduce with different operations: {op} and {other_op}",
    "own-op-differs": "the processes reduce with different functions of the program: {function} "
    "and {other_function}",
    "own-op-commutes": "the processes' own operations differ: only one of them is commutative",
    "comm-order": "the order of collective calls differs between {comm}, which is a deadlock where "
    "they synchronize",
    "collective-missing": {
        "one": "{ranks} has ended without calling {procedure}",
        "several": "{ranks} have ended without calling {procedure}",
    },
}
