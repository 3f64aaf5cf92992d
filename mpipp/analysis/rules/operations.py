# SPDX-License-Identifier: MIT
"""Rules for reductions, windows, attached buffers and partitions, one process alone."""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.analysis.rules import type_matching
from mpipp.analysis.rules.rule import WARNING, Rule, Templates

_NEGATIVE = "MUST_ERROR_INTEGER_NEGATIVE"


def _transfer(id: str, section: str, sentence: str) -> Iterator[Rule]:
    # Of a one-sided operation: what is at both ends, with a rule for MPI_BYTE.
    advice = "describe the same basic types in the same order on both sides"
    of_bytes = f"{sentence}; MPI_BYTE matches only MPI_BYTE"
    for which, told in (("types", sentence), ("types-byte", of_bytes)):
        name = f"{id}-{which}"
        yield Rule(name, "target-mismatch", section, told, advice, error_class="MPI_ERR_TYPE")
    yield Rule(
        f"{id}-length",
        "target-mismatch",
        section,
        "what is moved must fit, without truncation, where it goes",
        "let both sides have the same number of elements",
        error_class="MPI_ERR_TRUNCATE",
    )


_REDUCTIONS = (
    Rule(
        "accumulate-op",
        "op-not-allowed",
        "12.3.4",
        "{op} is for {where} only",
        "pass an operation that reduces, such as MPI_SUM",
        error_class="MPI_ERR_OP",
    ),
    Rule(
        "own-op",
        "op-not-allowed",
        "12.3.4",
        "only predefined operations may be used to accumulate",
        "pass MPI_SUM or another predefined one; or get, compute and put under a lock",
        error_class="MPI_ERR_OP",
    ),
    Rule(
        "op-of-type",
        "op-type",
        "6.9.2",
        "{op} is for {classes}",
        "pass an operation for this datatype, or a datatype of the values' own type",
        error_class="MPI_ERR_OP",
    ),
    Rule(
        "op-of-pairs",
        "op-type",
        "6.9.4",
        "{op} is for {classes}",
        "pass MPI_DOUBLE_INT or the like, and pairs of value and index",
        error_class="MPI_ERR_OP",
    ),
    Rule(
        "op-of-derived-type",
        "op-type",
        "6.9.2",
        "predefined operations reduce predefined datatypes",
        "reduce the elements themselves with a larger count, or make an operation with "
        "MPI_Op_create",
        error_class="MPI_ERR_OP",
    ),
    Rule(
        "accumulated-types",
        "op-type",
        "12.3.4",
        "what is accumulated must be of one predefined datatype throughout",
        "describe elements of one type, in several calls if need be",
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
        "a window is made of memory that the process has",
        "pass the memory's address, or let MPI_Win_allocate make it; without memory the size is 0",
        error_class="MPI_ERR_ARG",
    ),
    Rule(
        "negative-window-size",
        "window-argument",
        "12.2.1",
        "a window's size must not be negative",
        "look how the size is computed: it is in bytes",
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
        "the types at the origin and at the target must match, in the same order, as those of a "
        "message",
    ),
    *_transfer(
        "accumulate",
        "12.3.4",
        "all datatypes of a call that accumulates must be of one predefined datatype",
    ),
)

_ATTACHED = (
    Rule(
        "attached-too-small",
        "attached-buffer",
        "3.6",
        "a buffered send needs room for its data and MPI_BSEND_OVERHEAD bytes in the attached "
        "buffer",
        "attach a buffer with room for all messages that may be in it at a time, of each what "
        "MPI_Pack_size says and MPI_BSEND_OVERHEAD",
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "attached-too-small-for-all",
        "attached-buffer",
        "3.6",
        "a message may stay in the attached buffer until it is received, and of that the process "
        "has heard nothing in between",
        "attach a buffer with room for all of them, of each what MPI_Pack_size says and "
        "MPI_BSEND_OVERHEAD; or wait for an answer before more are sent",
        severity=WARNING,
    ),
    Rule(
        "attached-in-use",
        "attached-buffer",
        "3.6",
        "the space of an attached buffer may be used again only once it is detached",
        "send from other memory, or detach the buffer first",
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "attached-twice",
        "attached-buffer",
        "3.6",
        "only one buffer can be attached at a time",
        "detach the other one before, with MPI_Buffer_detach or MPI_Comm_detach_buffer",
        error_class="MPI_ERR_BUFFER",
    ),
)

_PARTITIONS = (
    Rule(
        "no-partitions",
        "partition",
        "4.2.1",
        "only partitions of a partitioned send are marked ready",
        "pass the request that MPI_Psend_init has made",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "no-such-partition",
        "partition",
        "4.2.1",
        "partitions are numbered from 0 to one less than MPI_Psend_init was told",
        "look how the number is computed",
        error_class="MPI_ERR_ARG",
    ),
    Rule(
        "ready-before-start",
        "partition",
        "4.2.1",
        "partitions are marked ready after MPI_Start, and before the operation is complete",
        "start the operation before",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "ready-again",
        "partition",
        "4.2.1",
        "each partition is marked ready once after each start",
        "look which thread marks which partitions",
        error_class="MPI_ERR_ARG",
    ),
    Rule(
        "no-arrivals",
        "partition",
        "4.2.2",
        "only partitions of a partitioned receive arrive",
        "pass the request that MPI_Precv_init has made",
        error_class="MPI_ERR_REQUEST",
    ),
    Rule(
        "no-such-arrival",
        "partition",
        "4.2.2",
        "partitions are numbered from 0 to one less than MPI_Precv_init was told",
        "look how the number is computed; the send may have another number of partitions",
        error_class="MPI_ERR_ARG",
    ),
)

RULES = (*_REDUCTIONS, *_WINDOWS, *_TRANSFERS, *_ATTACHED, *_PARTITIONS)

_NOT_DEFINED = "{op} is not defined for {datatype} ({argument}): {why}"
WHAT: Templates = {
    "accumulate-op": "{procedure} must not be given {op}",
    "own-op": "{procedure} is given an operation of the program's own",
    "op-of-type": _NOT_DEFINED,
    "op-of-pairs": _NOT_DEFINED,
    "op-of-derived-type": "{op} reduces {kind}, which is a derived datatype",
    "accumulated-types": "{procedure} is given {datatype} and {other_datatype} in one datatype",
    "outside-window": "{procedure} {verb} the bytes [{offset}, {end_offset}) of the window of rank "
    "{rank}, which has {size}",
    "null-window": "base is a null pointer, but size is {size}",
    "negative-window-size": "size is {size}",
    "displacement-unit": "disp_unit is {size}",
    **type_matching.of("transfer"),
    **type_matching.of("accumulate"),
    "attached-too-small": {
        "small": "{procedure} needs {needed_size} bytes, but the attached buffer has {size}",
        "none": "{procedure} needs an attached buffer, but there is none",
    },
    "attached-too-small-for-all": "{count} buffered sends need {needed_size} bytes, but the "
    "attached buffer has {size}",
    "attached-in-use": "{procedure} sends from the attached buffer",
    "attached-twice": "a buffer is attached, but there is one already",
    "no-partitions": "the request of {procedure} is none of a partitioned send",
    "no-such-partition": "partition {index} is marked ready, but the send has {count} partitions",
    "ready-before-start": "partition {index} is marked ready, but the send has not been started",
    "ready-again": "partition {index} is marked ready again",
    "no-arrivals": "the request of {procedure} is none of a partitioned receive",
    "no-such-arrival": "partition {index} is asked for, but the receive has {count} partitions",
}
