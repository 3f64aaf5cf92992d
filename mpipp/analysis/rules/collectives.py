# SPDX-License-Identifier: MIT
"""Rules for the calls of one collective operation in several processes."""

from __future__ import annotations

from mpipp.analysis.rules import type_matching
from mpipp.analysis.rules.rule import WARNING, Rule, Templates

_COLLECTIVE = "the amount and types of data sent must equal those received"
_REDUCTION = "all processes must pass the same number of elements of the same type"


def _unmatched(id: str, error_class: str = "") -> Rule:
    return Rule(
        id,
        "collective-mismatch",
        "6.1",
        "all processes of a communicator must call the same collective operations in the same "
        "order",
        "find where the processes diverge: a branch on the rank, or a loop that one of them "
        "leaves earlier",
        "MUST_ERROR_COLLECTIVE_CALL_MISMATCH",
        error_class=error_class,
    )


def _length(id: str, section: str, sentence: str) -> Rule:
    advice = "pass the same number of elements on both sides"
    must = "MUST_ERROR_TYPEMATCH_LENGTH"
    return Rule(id, "length-mismatch", section, sentence, advice, must, error_class="MPI_ERR_COUNT")


_ALIKE = "{argument} must be {how}"


def _differs(id: str, section: str) -> Rule:
    advice = "compute {argument} identically in all processes, or broadcast it"
    return Rule(id, "argument-mismatch", section, _ALIKE, advice, error_class="MPI_ERR_ARG")


RULES = (
    *type_matching.mismatch_rules("collective-types", "6.2", _COLLECTIVE, "MPI_ERR_TYPE"),
    _length("collective-length", "6.2", _COLLECTIVE),
    *type_matching.mismatch_rules("reduction-types", "6.9", _REDUCTION, "MPI_ERR_TYPE"),
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
        "compute recvcounts identically in all processes, or broadcast them",
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
        "in the root's group the root must pass MPI_ROOT and the others MPI_PROC_NULL; in the "
        "other group all must pass the root's rank",
        "pass MPI_ROOT in one process and MPI_PROC_NULL in the rest of its group; pass that "
        "process's rank in the other group",
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
        "each edge must be listed by its source process and by its destination process",
        "list the edge in both processes, or use MPI_Dist_graph_create, where one suffices",
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
        "ignore this if both functions compute the same; else reduce with the same operation in "
        "all processes",
        severity=WARNING,
    ),
    Rule(
        "own-op-commutes",
        "op-mismatch",
        "6.9",
        "the argument op must be the same in all processes",
        "pass the same commute to MPI_Op_create in all processes",
        severity=WARNING,
    ),
    Rule(
        "comm-order",
        "collective-order",
        "6.14",
        "the order of collective calls must not let processes wait for each other in a cycle, "
        "even if every call synchronizes",
        "call them in the same order in all processes, or use nonblocking collectives",
    ),
    _unmatched("collective-missing"),
)

# Words for arguments that must agree, if their names are not enough, and for relations other than
# equality. The table has the relations (wrapper/generator/agreement.py).
NOUNS = {
    "group": "groups",
    "local_leader": "local leaders",
    "size": "sizes",
    "offset": "offsets",
    "etype": "extents of etype",
    "assert": "assertions",
    "datarep": "data representations",
    "weights": "kinds of weights",
}
EQUAL = "the same in all processes"
HOW = {
    "side": "the same in all processes of a group",
    "defined": "the same in all processes that do not pass MPI_UNDEFINED",
    "extent": "equal in extent in all processes",
    "members": "the same in all processes that are its members",
    "weights": "MPI_UNWEIGHTED in all processes or in none",
    "bits": "passed with MPI_MODE_NOPRECEDE in all processes or in none, and also with "
    "MPI_MODE_NOSUCCEED",
}

_DIFFERS = {
    "values": "the processes pass different {noun}: {constant} and {other_constant}",
    "": "the processes pass different {noun}",
}
WHAT: Templates = {
    **{rule.id: _DIFFERS for rule in RULES if rule.sentence == _ALIKE},
    **type_matching.templates("collective"),
    **type_matching.templates("reduction"),
    "collective-mismatch": {
        "unnumbered": "{procedure} and {other_procedure} are matched on one {noun}",
        "numbered": "{procedure} and {other_procedure} are matched on one {noun}: each process's "
        "collective call number {call_ordinal} on it",
    },
    "collective-form-mismatch": "a {kind} and a {other_kind} call of one collective operation are "
    "matched",
    "recvcounts": "the processes pass different recvcounts: for rank {index} {count} and "
    "{other_count}",
    "root-mismatch": "the processes pass different roots: {number} and {other_number}",
    "root-group-mismatch": {
        "two-roots": "two processes pass MPI_ROOT",
        "both-groups": "processes of both groups pass {text}: one group must pass a rank",
        "both-ranks": "processes of both groups pass ranks: only one group may",
        "one-group": "processes of one group pass {constant} and the rank {number}",
        "other-root": "rank {own_number} passes MPI_ROOT, but the other group passes {number}",
        "no-root": "the other group passes {number}, but that rank passes MPI_PROC_NULL",
    },
    "in-place-differs": "not all processes pass MPI_IN_PLACE as {argument}",
    "graph-ends": "rank {rank} has {sent} to rank {other_rank}, which has {received} from it",
    "op-mismatch": "the processes reduce with different operations: {op} and {other_op}",
    "own-op-differs": "the processes reduce with different functions of the program: {function} "
    "and {other_function}",
    "own-op-commutes": "the processes' own operations differ: only one of them is commutative",
    "comm-order": "the order of collective calls differs between {comm}, which is a deadlock if "
    "they synchronize",
    "collective-missing": {
        "one": "{ranks} has ended without calling {procedure}",
        "several": "{ranks} have ended without calling {procedure}",
    },
}
