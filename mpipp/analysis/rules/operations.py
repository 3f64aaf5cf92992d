# SPDX-License-Identifier: MIT
"""Rules for reductions, windows, attached buffers and partitions, in one process."""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.analysis.rules import type_matching
from mpipp.analysis.rules.rule import WARNING, Rule, Templates

_NEGATIVE = "MUST_ERROR_INTEGER_NEGATIVE"


def _transfer(id: str, section: str, sentence: str) -> Iterator[Rule]:
    # Rules for the data at both ends of a one-sided operation, with one for MPI_BYTE.
    advice = "describe the same basic types in the same order on both sides"
    of_bytes = f"{sentence}; MPI_BYTE matches only MPI_BYTE"
    for which, told in (("types", sentence), ("types-byte", of_bytes)):
        name = f"{id}-{which}"
        yield Rule(name, "target-mismatch", section, told, advice, error_class="MPI_ERR_TYPE")
    yield Rule(
        f"{id}-length",
        "target-mismatch",
        section,
        "the data must fit at its destination without truncation",
        "pass the same number of elements on both sides",
        error_class="MPI_ERR_TRUNCATE",
    )


_REDUCTIONS = (
    Rule(
        "accumulate-op",
        "op-not-allowed",
        "12.3.4",
        "{op} may be used only in {where}",
        "pass a reduction such as MPI_SUM",
        error_class="MPI_ERR_OP",
    ),
    Rule(
        "own-op",
        "op-not-allowed",
        "12.3.4",
        "accumulate calls accept only predefined operations",
        "pass MPI_SUM or another predefined operation; or use a get and a put within an exclusive "
        "lock",
        error_class="MPI_ERR_OP",
    ),
    Rule(
        "op-of-type",
        "op-type",
        "6.9.2",
        "{op} is for {classes}",
        "pass an operation for this datatype, or the datatype of the values",
        error_class="MPI_ERR_OP",
    ),
    Rule(
        "op-of-pairs",
        "op-type",
        "6.9.4",
        "{op} is for {classes}",
        "pass a pair type such as MPI_DOUBLE_INT, and pairs of value and index",
        error_class="MPI_ERR_OP",
    ),
    Rule(
        "op-of-derived-type",
        "op-type",
        "6.9.2",
        "predefined operations reduce only predefined datatypes",
        "reduce the elements themselves with a larger count, or create an operation with "
        "MPI_Op_create",
        error_class="MPI_ERR_OP",
    ),
    Rule(
        "accumulated-types",
        "op-type",
        "12.3.4",
        "accumulated data must consist of one predefined datatype",
        "accumulate elements of only one type in each call",
        error_class="MPI_ERR_TYPE",
    ),
)

_WINDOWS = (
    Rule(
        "outside-window",
        "outside-window",
        "12.3.1",
        "the target's memory must lie in its window",
        "{advice}",
        error_class="MPI_ERR_RMA_RANGE",
    ),
    Rule(
        "null-window",
        "window-argument",
        "12.2.1",
        "a window must consist of memory of the process",
        "pass the memory's address, or use MPI_Win_allocate; without memory pass the size 0",
        error_class="MPI_ERR_ARG",
    ),
    Rule(
        "negative-window-size",
        "window-argument",
        "12.2.1",
        "a window's size must not be negative",
        "check how the size is computed: it is in bytes",
        _NEGATIVE,
        error_class="MPI_ERR_SIZE",
    ),
    Rule(
        "displacement-unit",
        "window-argument",
        "12.2.1",
        "the displacement unit must be positive",
        "pass 1 for displacements in bytes, or the size of an element",
        error_class="MPI_ERR_DISP",
    ),
)

_TRANSFERS = (
    *_transfer(
        "transfer",
        "12.3.1",
        "the types at the origin and at the target must match, in the same order",
    ),
    *_transfer(
        "accumulate",
        "12.3.4",
        "all datatypes of an accumulate call must consist of the same predefined datatype",
    ),
)

_ATTACHED = (
    Rule(
        "attached-too-small",
        "attached-buffer",
        "3.6",
        "a buffered send needs space for its data and MPI_BSEND_OVERHEAD bytes in the attached "
        "buffer",
        "attach a larger buffer: for each buffered message the size from MPI_Pack_size plus "
        "MPI_BSEND_OVERHEAD",
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "attached-too-small-for-all",
        "attached-buffer",
        "3.6",
        "the attached buffer must have space for all buffered messages that may not have been "
        "received yet",
        "attach a larger buffer: for each message the size from MPI_Pack_size plus "
        "MPI_BSEND_OVERHEAD; or wait for a reply from the receiver before you send more",
        severity=WARNING,
    ),
    Rule(
        "attached-in-use",
        "attached-buffer",
        "3.6",
        "the program must not use the memory of an attached buffer until it is detached",
        "send from other memory, or detach the buffer first",
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "attached-twice",
        "attached-buffer",
        "3.6",
        "only one buffer may be attached at a time",
        "detach the other buffer first, with MPI_Buffer_detach or MPI_Comm_detach_buffer",
        error_class="MPI_ERR_BUFFER",
    ),
)

_PARTITIONS = (
    Rule(
        "no-partitions",
        "partition",
        "4.2.1",
        "only partitions of a partitioned send may be marked ready",
        "pass the request from MPI_Psend_init",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "no-such-partition",
        "partition",
        "4.2.1",
        "partitions are numbered from 0 to partitions - 1, as passed to MPI_Psend_init",
        "check how the number is computed",
        error_class="MPI_ERR_ARG",
    ),
    Rule(
        "ready-before-start",
        "partition",
        "4.2.1",
        "partitions must be marked ready after MPI_Start and before the operation completes",
        "start the operation first",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "ready-again",
        "partition",
        "4.2.1",
        "each partition must be marked ready exactly once after each start",
        "check which thread marks which partitions",
        error_class="MPI_ERR_ARG",
    ),
    Rule(
        "no-arrivals",
        "partition",
        "4.2.2",
        "MPI_Parrived accepts only partitioned receives",
        "pass the request from MPI_Precv_init",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "no-such-arrival",
        "partition",
        "4.2.2",
        "partitions are numbered from 0 to partitions - 1, as passed to MPI_Precv_init",
        "check how the number is computed; the send may have another number of partitions",
        error_class="MPI_ERR_ARG",
    ),
)

RULES = (*_REDUCTIONS, *_WINDOWS, *_TRANSFERS, *_ATTACHED, *_PARTITIONS)

_NOT_DEFINED = "{op} is not defined for {datatype} ({argument}): {why}"
WHAT: Templates = {
    "accumulate-op": "{op} must not be passed to {procedure}",
    "own-op": "a user-defined operation is passed to {procedure}",
    "op-of-type": _NOT_DEFINED,
    "op-of-pairs": _NOT_DEFINED,
    "op-of-derived-type": "{op} reduces {kind}, which is a derived datatype",
    "accumulated-types": "the datatype passed to {procedure} mixes {datatype} and {other_datatype}",
    "outside-window": "{procedure} {verb} the bytes [{offset}, {end_offset}) of the window of rank "
    "{rank}, which has {size}",
    "null-window": "base is a null pointer, but size is {size}",
    "negative-window-size": "size is {size}",
    "displacement-unit": "disp_unit is {size}",
    **type_matching.templates("transfer"),
    **type_matching.templates("accumulate"),
    "attached-too-small": {
        "small": "{procedure} needs {needed_size} bytes, but the attached buffer has {size}",
        "none": "{procedure} needs an attached buffer, but there is none",
    },
    "attached-too-small-for-all": "{count} buffered sends need {needed_size} bytes, but the "
    "attached buffer has {size}",
    "attached-in-use": "{procedure} sends from the attached buffer",
    "attached-twice": "a buffer is attached, but another buffer is already attached",
    "no-partitions": "the request of {procedure} is not a partitioned send",
    "no-such-partition": "partition {index} is marked ready, but the send has {count} partitions",
    "ready-before-start": "partition {index} is marked ready, but the send has not been started",
    "ready-again": "partition {index} is marked ready again",
    "no-arrivals": "the request of {procedure} is not a partitioned receive",
    "no-such-arrival": "partition {index} is queried, but the receive has {count} partitions",
}
