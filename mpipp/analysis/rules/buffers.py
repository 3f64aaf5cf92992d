# SPDX-License-Identifier: MIT
"""Rules for the memory that communication uses."""

from __future__ import annotations

from mpipp.analysis.rules.rule import REMARK, WARNING, Rule, Templates

_PENDING = (
    "before a nonblocking operation completes, its send buffer must not be written and its "
    "receive buffer must not be accessed"
)
_ONE_AFTER_THE_OTHER = "complete one operation before you start the other, or use two buffers"
_WIDER = (
    "compute displacements in a wider type; if an int cannot hold them, count in larger datatypes, "
    "or call {procedure}_c, which takes MPI_Aint"
)
_STATUS = "a status is an MPI_Status in C, and MPI_STATUS_SIZE integers in Fortran"
_TEMPORARY = (
    "for an array section with a stride, or an expression, a Fortran compiler may pass a temporary "
    "copy that exists only during the call"
)
_CONTIGUOUS = (
    "pass a contiguous array; or pass the first element of the section, with a datatype from "
    "MPI_Type_vector"
)
_MAPPED = "a buffer must lie in mapped memory of the process"

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
        "complete the operation first, for example with {wait_procedure}, or use another buffer",
    ),
    Rule(
        "touched-once-moved",
        "touched-buffer",
        "3.7.2",
        _PENDING,
        "complete the operation first, for example with {wait_procedure}: the data may arrive "
        "later with another MPI library, size or timing",
    ),
    Rule(
        "freed-while-pending",
        "touched-buffer",
        "3.7.2",
        _PENDING,
        "complete the operation first, for example with {wait_procedure}, and free the memory "
        "afterwards",
    ),
    Rule(
        "changed-while-pending",
        "touched-buffer",
        "3.7.2",
        _PENDING,
        "search for code between the two calls that writes to the buffer, also in other threads; "
        "or use another buffer",
    ),
    Rule(
        "gone-while-pending",
        "touched-buffer",
        "3.7.2",
        "the buffer must exist until the operation is complete",
        "complete the operation before the function returns, or use memory that lives longer",
    ),
    Rule(
        "given-up",
        "buffer-overlap",
        "3.7.3",
        "an operation continues after its request is freed, and uses its buffer until it is "
        "complete",
        "wait for the request instead of freeing it, or wait for a reply from the other process",
    ),
    Rule(
        "aliased-buffers",
        "aliased-buffers",
        "2.3",
        "an output argument must not alias another argument",
        "{first_clause}use two buffers{last_clause}",
        "MUST_ERROR_OVERLAPPED_RECV",
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "self-overlap",
        "self-overlap",
        "5.1.11",
        "a buffer that an operation writes must not have overlapping entries",
        "give every element its own bytes: compare the stride, displacements and extent of the "
        "datatype with the size of the repeated elements",
        "MUST_ERROR_SELFOVERLAPPED",
        error_class="MPI_ERR_TYPE",
    ),
    Rule(
        "parts-overlap",
        "self-overlap",
        "6.5",
        "counts, datatypes and displacements must not cause any byte of the receive buffer to be "
        "written twice",
        "give each process's part its own bytes: compare the displacements with the counts",
        "MUST_ERROR_SELFOVERLAPPED",
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "variable-type",
        "variable-type",
        "3.3.1",
        "the datatype must match the type of the program's variable",
        "compare the layouts with mpipp compare; to send raw bytes, pass MPI_BYTE",
        severity=WARNING,
    ),
    Rule(
        "overwritten-container",
        "variable-type",
        "3.3.1",
        "a container has pointers to its elements, which are valid only in their own process",
        "send the number of elements and then the elements: in C++ size() and data()",
        severity=WARNING,
    ),
    Rule(
        "received-temporary",
        "temporary-buffer",
        "19.1.12",
        _TEMPORARY,
        _CONTIGUOUS,
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "sent-temporary",
        "temporary-buffer",
        "19.1.12",
        _TEMPORARY,
        _CONTIGUOUS,
        severity=WARNING,
    ),
    Rule(
        "beyond-object",
        "beyond-object",
        "3.2.4",
        "the storage at the buffer's address must hold all elements that count and datatype "
        "describe",
        "compare count, datatype and displacements with the size of the object; in gdb, mpipp "
        "compare shows where each element lies",
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "short-status",
        "short-argument",
        "3.2.5",
        _STATUS,
        "declare integer :: status(MPI_STATUS_SIZE) in Fortran, MPI_Status status in C, and as "
        "many of them as there are requests; or pass MPI_STATUS_IGNORE",
        error_class="MPI_ERR_ARG",
    ),
    Rule(
        "status-inside",
        "short-argument",
        "3.2.5",
        _STATUS,
        "check that the program does not need the elements that follow: MPI stores the status in "
        "them",
        severity=REMARK,
    ),
    Rule(
        "short-array",
        "short-argument",
        "2.5.2",
        "an array argument must have as many elements as the other arguments say",
        "declare as many elements as there are requests, processes or dimensions",
        error_class="MPI_ERR_ARG",
    ),
    Rule(
        "argument-type",
        "argument-type",
        "2.6",
        "arguments must have the types of the language binding",
        "declare the variable with the type in the description of the procedure: int or INTEGER "
        "for most arguments; MPI_Count, MPI_Aint or INTEGER(KIND=MPI_ADDRESS_KIND) for some",
        severity=WARNING,
    ),
    Rule(
        "before-object",
        "beyond-object",
        "3.2.4",
        "the storage at the buffer's address must hold all elements that count and datatype "
        "describe",
        "look for negative displacements or strides: MPI counts them from the buffer's address",
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "added-addresses",
        "unmapped-buffer",
        "5.1.5 and 5.1.12",
        "a datatype with the addresses of MPI_Get_address needs MPI_BOTTOM as the buffer",
        "pass MPI_BOTTOM, or subtract the address of the buffer from all displacements with "
        "MPI_Aint_diff",
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "pointer-by-value",
        "argument-type",
        "2.6",
        "the procedure stores an address in the pointer whose address the program passes",
        "pass the address of the pointer, as in MPI_Alloc_mem(size, info, &pointer)",
        error_class="MPI_ERR_ARG",
    ),
    Rule(
        "small-integer",
        "argument-type",
        "19.1.5",
        "offsets have the kind MPI_OFFSET_KIND, and sizes and displacements in bytes "
        "MPI_ADDRESS_KIND",
        "declare the variable as INTEGER(KIND=MPI_OFFSET_KIND) or INTEGER(KIND=MPI_ADDRESS_KIND), "
        "and write a literal as 0_MPI_OFFSET_KIND; the module mpi_f08 lets the compiler check it",
        error_class="MPI_ERR_ARG",
    ),
    Rule(
        "small-result",
        "argument-type",
        "2.6",
        "arguments must have the types of the language binding",
        "declare the variable with the type of the procedure's argument: int for a flag, not bool; "
        "MPI_Aint or INTEGER(KIND=MPI_ADDRESS_KIND) for bounds; a pointer for attributes",
        error_class="MPI_ERR_ARG",
    ),
    Rule(
        "unmapped-buffer",
        "unmapped-buffer",
        "5.1.12",
        _MAPPED,
        "compare the address, the count and the datatype's extent with the allocated memory",
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "overflowed-displacement",
        "displacement-overflow",
        "5.1.12",
        _MAPPED,
        _WIDER,
        error_class="MPI_ERR_BUFFER",
    ),
    Rule(
        "wrapped-displacement",
        "displacement-overflow",
        "5.1.12",
        "a displacement is the distance from the buffer's address to a part of the data",
        _WIDER,
        severity=WARNING,
    ),
    Rule(
        "read-only-buffer",
        "read-only-buffer",
        "5.1.12",
        _MAPPED,
        "pass writable memory: constants and string literals are read-only",
        error_class="MPI_ERR_BUFFER",
    ),
)

_TOUCHED = {
    "load": "a load from the buffer of a pending {procedure}{clause}",
    "store": "a store to the buffer of a pending {procedure}{clause}",
}
_BEYOND = {
    "object": "{argument} of {procedure} runs past the end of {variable}",
    "container": "{argument} of {procedure} runs past the last element of {variable}",
}
_TWICE = "{procedure} writes memory twice: {argument} overlaps itself"
WHAT: Templates = {
    "written-twice": "{procedure} and {other_procedure} write the same memory, {bytes}",
    "written-while-read": "{procedure} and {other_procedure} write and read the same memory, "
    "{bytes}",
    "touched-while-pending": _TOUCHED,
    "touched-once-moved": _TOUCHED,
    "freed-while-pending": "the buffer of a pending {procedure} is freed",
    "changed-while-pending": "the buffer of a pending {procedure} was {verb}",
    "gone-while-pending": "the stack frame with the buffer of a pending {procedure} has ended",
    "given-up": "{procedure} uses {bytes} that {freed_procedure} may still use: its request was "
    "freed while it was active",
    "aliased-buffers": {
        "same": "{argument} and {other_argument} of {procedure} are the same memory",
        "overlap": "{argument} and {other_argument} of {procedure} overlap",
    },
    "self-overlap": _TWICE,
    "parts-overlap": _TWICE,
    "variable-type": "the datatype of {argument}{clause} does not fit the variable {variable}",
    "overwritten-container": "{argument} of {procedure} overwrites the pointers in {variable}",
    "received-temporary": "{argument} of {procedure} is a temporary copy: the program does not get "
    "the data that MPI receives",
    "sent-temporary": "{argument} of {procedure} is a temporary copy, which may change before MPI "
    "sends it",
    "beyond-object": _BEYOND,
    "short-status": _BEYOND,
    "status-inside": "{argument} of {procedure} begins at element {element_number} of {variable}, "
    "and overwrites those that follow",
    "short-array": _BEYOND,
    "argument-type": "{argument} of {procedure} does not fit the variable {variable}",
    "before-object": "{argument} of {procedure} begins before {variable}",
    "added-addresses": "{argument} of {procedure} is a variable, but its datatype has absolute "
    "addresses: MPI would access unmapped memory at {address}",
    "pointer-by-value": "{argument} of {procedure} is the value of a pointer to {type_name}, not "
    "the address of the pointer",
    "small-integer": "{argument} of {procedure} is an integer of {bytes}, but {text} has "
    "{own_bytes}",
    "small-result": "{argument} of {procedure} is larger than the variable {variable}",
    "unmapped-buffer": {
        "whole": "{argument} of {procedure} lies in unmapped memory at {address}",
        "part": "{argument} of {procedure} extends into unmapped memory at {address}",
    },
    "overflowed-displacement": "the displacement of {argument} for {peer} is "
    "{displacement_number}, where the process has no memory: {meant_number} overflowed an int",
    "wrapped-displacement": "the displacement of {argument} for {peer} is {displacement_number}: "
    "{meant_number} overflowed an int",
    "read-only-buffer": "{procedure} writes to {argument} in read-only memory at {address}",
}
