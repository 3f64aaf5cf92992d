# SPDX-License-Identifier: MIT
"""Rules for the memory that communication uses."""

from __future__ import annotations

from mpipp.analysis.rules.rule import WARNING, Rule, Templates

_PENDING = (
    "the buffer of a nonblocking operation must not be changed, and a receive buffer not used at "
    "all, before the operation is complete"
)
_ONE_AFTER_THE_OTHER = "complete one operation before the other is started, or use two buffers"
_MAPPED = "a buffer must lie in memory of the process"

RULES = (
    Rule(
        "written-twice",
        "buffer-overlap",
        "3.7.2",
        _PENDING,
        _ONE_AFTER_THE_OTHER,
        "MUST_ERROR_OVERLAPPED_RECV",
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "written-while-read",
        "buffer-overlap",
        "3.7.2",
        _PENDING,
        _ONE_AFTER_THE_OTHER,
        "MUST_ERROR_OVERLAPPED_SEND",
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "touched-while-pending",
        "touched-buffer",
        "3.7.2",
        _PENDING,
        "complete the operation before, with {wait_procedure} or the like, or use another buffer",
    ),
    Rule(
        "touched-once-moved",
        "touched-buffer",
        "3.7.2",
        _PENDING,
        "complete the operation before, with {wait_procedure} or the like: it may have done no "
        "harm this time, but another library, size or moment moves the data later",
    ),
    Rule(
        "freed-while-pending",
        "touched-buffer",
        "3.7.2",
        _PENDING,
        "complete the operation before, with {wait_procedure} or the like, and give the memory "
        "back then",
    ),
    Rule(
        "changed-while-pending",
        "touched-buffer",
        "3.7.2",
        _PENDING,
        "look between the two calls for what uses the buffer, also in other threads; or use "
        "another buffer",
    ),
    Rule(
        "gone-while-pending",
        "touched-buffer",
        "3.7.2",
        "an operation has its buffer until it is complete",
        "complete the operation before the function returns, or use memory that stays",
    ),
    Rule(
        "given-up",
        "buffer-overlap",
        "3.7.3",
        "an operation goes on when its request is freed, and has its buffer until it is complete",
        "wait for the request instead of freeing it, or for an answer of the other process",
    ),
    Rule(
        "aliased-buffers",
        "aliased-buffers",
        "2.3",
        "an argument that is written must not be aliased with another",
        "{first_clause}use two buffers{last_clause}",
        "MUST_ERROR_OVERLAPPED_RECV",
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "self-overlap",
        "self-overlap",
        "5.1.11",
        "a buffer that an operation writes must not have overlapping entries",
        "give every element a place of its own: compare the stride, displacements and extent "
        "of the datatype with the size of what it repeats",
        "MUST_ERROR_SELFOVERLAPPED",
        error_class="MPI_ERR_TYPE",
    ),
    Rule(
        "parts-overlap",
        "self-overlap",
        "6.5",
        "counts, datatypes and displacements must not have any place of the receive buffer "
        "written more than once",
        "give each process's part a place of its own: compare the displacements with the counts",
        "MUST_ERROR_SELFOVERLAPPED",
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "variable-type",
        "variable-type",
        "3.3.1",
        "the datatype must be that of the program's variable",
        "see with mpipp compare what lies where; for bytes as they are, pass MPI_BYTE",
        severity=WARNING,
    ),
    Rule(
        "unmapped-buffer",
        "unmapped-buffer",
        "5.1.12",
        _MAPPED,
        "compare the address, the count and the datatype's extent with the memory allocated",
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "read-only-buffer",
        "read-only-buffer",
        "5.1.12",
        _MAPPED,
        "pass memory that may be written: constants and string literals are not",
        error_class="MPI_ERR_BUFFER",
    ),
)

_TOUCHED = {
    "load": "a load from the buffer of a pending {procedure}{clause}",
    "store": "a store to the buffer of a pending {procedure}{clause}",
}
_TWICE = "{procedure} writes memory twice: {argument} overlaps itself"
WHAT: Templates = {
    "written-twice": "{procedure} and {other_procedure} write the same memory, {bytes}",
    "written-while-read": "{procedure} and {other_procedure} write and read the same memory, "
    "{bytes}",
    "touched-while-pending": _TOUCHED,
    "touched-once-moved": _TOUCHED,
    "freed-while-pending": "the buffer of a pending {procedure} is given back",
    "changed-while-pending": "the buffer of a pending {procedure} was {verb}",
    "gone-while-pending": "the buffer of a pending {procedure} is gone with its stack frame",
    "given-up": "{procedure} uses memory that {freed_procedure} may still use, whose request was "
    "freed, {bytes}",
    "aliased-buffers": {
        "same": "{argument} and {other_argument} of {procedure} are the same memory",
        "overlap": "{argument} and {other_argument} of {procedure} overlap",
    },
    "self-overlap": _TWICE,
    "parts-overlap": _TWICE,
    "variable-type": "the datatype of {argument}{clause} does not fit the variable {variable}",
    "unmapped-buffer": {
        "whole": "{argument} of {procedure} lies in memory that the process does not have, at "
        "{address}",
        "part": "{argument} of {procedure} reaches into memory that the process does not have, at "
        "{address}",
    },
    "read-only-buffer": "{procedure} writes to {argument} in memory that is read-only, at "
    "{address}",
}
