# SPDX-License-Identifier: MIT
"""Rules for programs that must run with every MPI library and on every machine."""

from __future__ import annotations

from mpipp.analysis.rules.rule import REMARK, Rule, Templates

RULES = (
    Rule(
        "needs-buffering",
        "needs-buffering",
        "3.5",
        "a program must not rely on MPI buffering its messages",
        "reorder the calls in one process, or use MPI_Sendrecv or nonblocking calls",
        "MUST_ERROR_DEADLOCK",
        REMARK,
    ),
    Rule(
        "tag-range",
        "tag-range",
        "9.1.2",
        "every MPI library supports tags up to 32767; larger ones only up to its MPI_TAG_UB",
        "use smaller tags, or compare them with MPI_TAG_UB at the start of the program",
        severity=REMARK,
    ),
    Rule(
        "misaligned-buffer",
        "misaligned-buffer",
        "3.2.2",
        "an element must lie at an address where the language may store a variable of its type; "
        "some processors cannot access other addresses",
        "align the buffer, or send a packed structure as MPI_BYTE between equal machines",
        severity=REMARK,
    ),
    Rule(
        "long-size",
        "long-size",
        "3.2.2",
        "MPI_LONG is C's long, of 4 bytes on some systems and 8 bytes on others",
        "use the datatype of the variable's own type{clause}",
        severity=REMARK,
    ),
    Rule(
        "lock-order",
        "lock-order",
        "12.5.3",
        "exclusive locks keep epochs apart, but do not define their order",
        "order the epochs, for example with a message or a barrier, or use accumulates whose "
        "order does not matter",
        severity=REMARK,
    ),
    Rule(
        "needless-commit",
        "needless-commit",
        "5.1.9",
        "a derived datatype must be committed once before communication uses it; predefined "
        "datatypes are already committed",
        "remove the call",
        severity=REMARK,
    ),
)

WHAT: Templates = {
    "needs-buffering": {
        "circle": "{ranks} wait for each other unless MPI buffers their messages",
        "itself": "{ranks} waits for itself unless MPI buffers its message",
    },
    "tag-range": "tag {tag} is above 32767, the largest tag that every MPI library supports",
    "long-size": "{argument} has {datatype} elements in a variable of type {kind}: on other "
    "systems their sizes differ",
    "lock-order": "{text} {clause}, in exclusive locks whose order decides the result",
    "needless-commit": {
        "predefined": "{datatype} is predefined: MPI_Type_commit does nothing",
        "again": "the datatype is already committed: MPI_Type_commit does nothing",
    },
    "misaligned-buffer": "{argument} has {datatype} elements at addresses that are not multiples "
    "of {size}",
}
