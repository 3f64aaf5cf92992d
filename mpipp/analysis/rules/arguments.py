# SPDX-License-Identifier: MIT
"""Rules for the arguments of a call, in one process."""

from __future__ import annotations

from mpipp.analysis.rules.rule import Rule, Templates

_NEGATIVE = "MUST_ERROR_INTEGER_NEGATIVE"
_NULL_POINTER = "MUST_ERROR_POINTER_NULL"
_RANK = "a rank must belong to the {noun}'s group"
_ONE_OF_THESE = "pass a rank of the {noun}{clause}"
_NULL_HANDLE = "the variable may never have been set, or MPI_Type_free set it to null"

_SCALARS = (
    Rule(
        "negative-count",
        "argument",
        "3.2.2",
        "a count must not be negative",
        "check where the count is computed: a sum too large for an int overflows and is negative",
        _NEGATIVE,
        error_class="MPI_ERR_COUNT",
    ),
    Rule(
        "null-requests",
        "argument",
        "3.7.5",
        "an array of requests must have an entry for each request",
        "pass the array of requests, or 0 as its length",
        "MUST_ERROR_POINTER_NULL",
        error_class="MPI_ERR_ARG",
    ),
    Rule(
        "null-output",
        "argument",
        "2.3",
        "an output argument must be the address of a variable",
        "pass the address of a variable{clause}",
        _NULL_POINTER,
        error_class="MPI_ERR_ARG",
    ),
    Rule(
        "packed-beyond",
        "argument",
        "5.2",
        "a packed buffer must have enough bytes for the data, from position on",
        "pass the size of the whole packed buffer in bytes: MPI_Pack_size returns an upper bound",
        error_class="MPI_ERR_TRUNCATE",
    ),
    Rule(
        "negative-rank",
        "argument",
        "3.2.3",
        _RANK,
        _ONE_OF_THESE,
        _NEGATIVE,
        error_class="MPI_ERR_RANK",
    ),
    Rule(
        "rank-too-large",
        "argument",
        "3.2.3",
        _RANK,
        _ONE_OF_THESE,
        "MUST_ERROR_INTEGER_GREATER_EQUAL_COMM_SIZE",
        error_class="MPI_ERR_RANK",
    ),
    Rule(
        "no-such-root",
        "argument",
        "3.2.3",
        _RANK,
        _ONE_OF_THESE,
        "MUST_ERROR_ROOT_NOT_IN_COMM",
        error_class="MPI_ERR_ROOT",
    ),
    Rule(
        "negative-tag",
        "argument",
        "3.2.3",
        "a tag must be from 0 to MPI_TAG_UB",
        "pass a tag from 0 to MPI_TAG_UB{clause}",
        _NEGATIVE,
        error_class="MPI_ERR_TAG",
    ),
    Rule(
        "tag-too-large",
        "argument",
        "3.2.3",
        "a tag must be from 0 to MPI_TAG_UB",
        "pass a tag up to MPI_TAG_UB, which MPI_Comm_get_attr returns and which is at least 32767; "
        "or use several communicators",
        "MUST_ERROR_INTEGER_NOT_WITHIN_ZERO_TAG_UB",
        error_class="MPI_ERR_TAG",
    ),
    Rule(
        "in-place",
        "in-place",
        "6.2.1",
        "MPI_IN_PLACE may be passed only where the description of {procedure} allows it",
        "pass a buffer as {argument}{clause}",
        "MUST_ERROR_MPI_IN_PLACE_USED",
        error_class="MPI_ERR_BUFFER",
    ),
)

_DATATYPES = (
    Rule(
        "null-datatype",
        "null-datatype",
        "5.1.9",
        "only a committed datatype may be used in communication",
        f"pass a committed datatype: {_NULL_HANDLE}",
        "MUST_ERROR_DATATYPE_NULL",
        error_class="MPI_ERR_TYPE",
    ),
    Rule(
        "freed-datatype",
        "freed-datatype",
        "5.1.9",
        "a handle that was freed must not be used",
        "free the datatype after its last use",
        "MUST_ERROR_DATATYPE_UNKNOWN",
        error_class="MPI_ERR_TYPE",
    ),
    Rule(
        "uncommitted-datatype",
        "uncommitted-datatype",
        "5.1.9",
        "only a committed datatype may be used in communication",
        "call MPI_Type_commit after the last constructor and before the first communication",
        "MUST_ERROR_DATATYPE_NOT_COMMITED",
        error_class="MPI_ERR_TYPE",
    ),
    *(
        Rule(
            f"{what}-view",
            f"{what}-datatype",
            "14.3",
            "the datatypes of a file view must be committed",
            advice,
            error_class="MPI_ERR_TYPE",
        )
        for what, advice in (
            ("null", f"pass a committed datatype: {_NULL_HANDLE}"),
            (
                "freed",
                "free the datatype only after MPI_File_set_view has returned",
            ),
            ("uncommitted", "call MPI_Type_commit after the last constructor"),
        )
    ),
)


def _constructor(
    id: str,
    section: str,
    sentence: str,
    advice: str,
    must: str = "",
    error_class: str = "MPI_ERR_ARG",
) -> Rule:
    return Rule(
        id, "constructor-argument", section, sentence, advice, must, error_class=error_class
    )


def _of_arrays(combiner: str, section: str) -> tuple[Rule, ...]:
    # The common rules of the two constructors for parts of an array.
    sentence = "{argument} must not be less than 1"
    advice = "check where {entry_argument} is computed"
    return (
        _constructor(
            f"{combiner}-null-array",
            section,
            "an array argument must have an entry for each dimension",
            "pass an array of {count} as {argument}",
            _NULL_POINTER,
        ),
        _constructor(f"{combiner}-negative-size", section, sentence, advice, _NEGATIVE),
        _constructor(f"{combiner}-zero-size", section, sentence, advice),
    )


_CONSTRUCTORS = (
    _constructor(
        "null-array",
        "5.1.2",
        "an array argument must have an entry for each block",
        "pass an array of {count} as {argument}",
        _NULL_POINTER,
    ),
    _constructor(
        "negative-length",
        "5.1.2",
        "{argument} must not be negative",
        "check where {entry_argument} is computed",
        _NEGATIVE,
    ),
    *_of_arrays("subarray", "5.1.3"),
    _constructor(
        "subarray-too-large",
        "5.1.3",
        "a subarray must not be larger than the array",
        "compare the order of the dimensions in sizes and subsizes",
    ),
    *(
        _constructor(
            id,
            "5.1.3",
            "a subarray must lie inside the array: 0 <= start <= size - subsize",
            "count starts from 0, in Fortran too",
            must,
        )
        for id, must in (("subarray-negative-start", _NEGATIVE), ("subarray-outside", ""))
    ),
    *_of_arrays("darray", "5.1.4"),
    _constructor(
        "darray-rank",
        "5.1.4",
        "rank must be from 0 to size - 1",
        "pass the rank in the group that shares the array",
    ),
    _constructor(
        "darray-grid",
        "5.1.4",
        "the product of psizes must be size, the number of processes",
        "let MPI_Dims_create fill psizes for size processes",
    ),
    _constructor(
        "null-types",
        "5.1.2",
        "an array argument must have a datatype for each block",
        "pass an array of datatypes",
        _NULL_POINTER,
        error_class="MPI_ERR_TYPE",
    ),
    _constructor(
        "null-oldtype",
        "2.5.1",
        "oldtype must be a datatype, not the null handle",
        _NULL_HANDLE,
        "MUST_ERROR_DATATYPE_NULL",
        error_class="MPI_ERR_TYPE",
    ),
    _constructor(
        "freed-oldtype",
        "5.1.9",
        "a handle that was freed must not be used",
        "free the datatype after its last use",
        "MUST_ERROR_DATATYPE_UNKNOWN",
        error_class="MPI_ERR_TYPE",
    ),
    _constructor(
        "predefined-freed",
        "5.1.9",
        "a predefined datatype must not be freed",
        "free only datatypes that a constructor created",
        error_class="MPI_ERR_TYPE",
    ),
)

RULES = (*_SCALARS, *_DATATYPES, *_CONSTRUCTORS)

_NO_RANK = "{argument} is {rank}, but the {noun} has {ranks}"
_NULL = "{argument} is a null pointer, but {count} {noun} needed"
_ENTRY = "{entry_argument} is {number}"
_START = "starts[{index}] is {number}, but the subarray fits from 0 to {last_number}"
WHAT: Templates = {
    "negative-count": {
        "buffer": "the count {count} of {argument}{clause} is negative",
        "requests": "the number of requests is {count}",
    },
    "packed-beyond": {
        "pack": "MPI_Pack packs {bytes}, but outbuf has only {packed_bytes}",
        "unpack": "MPI_Unpack unpacks {bytes}, but inbuf has only {packed_bytes}",
    },
    "null-output": "{argument} is a null pointer, but MPI stores a result there",
    "null-requests": {
        "one": "the array of requests is a null pointer, but a request is needed",
        "several": "the array of requests is a null pointer, but {count} requests are needed",
    },
    **dict.fromkeys(("negative-rank", "rank-too-large", "no-such-root"), _NO_RANK),
    "negative-tag": "{argument} is {tag}, and a tag must not be negative",
    "tag-too-large": "{argument} is {tag}, but the largest tag of this library is {largest_tag}",
    "in-place": "MPI_IN_PLACE is passed as {argument}, but {why}",
    "null-datatype": "{constant} is used in communication",
    "freed-datatype": "a freed datatype is used",
    "uncommitted-datatype": "an uncommitted datatype is used",
    "null-view": "{argument} is {constant}",
    "freed-view": "{argument} was freed",
    "uncommitted-view": "{argument} is not committed",
    **dict.fromkeys(("null-array", "subarray-null-array", "darray-null-array"), _NULL),
    **dict.fromkeys(
        (
            "negative-length",
            "subarray-negative-size",
            "subarray-zero-size",
            "darray-negative-size",
            "darray-zero-size",
        ),
        _ENTRY,
    ),
    "subarray-too-large": "subsizes[{index}] is {number}, but sizes[{index}] is only "
    "{whole_number}",
    **dict.fromkeys(("subarray-negative-start", "subarray-outside"), _START),
    "darray-rank": "rank is {rank}, but the ranks are 0 to {last_number}",
    "darray-grid": "psizes describe {product_number} processes, but size is {number}",
    "null-types": "types does not point to a readable array",
    "null-oldtype": "{argument} is {constant}",
    "freed-oldtype": "{argument} was freed",
    "predefined-freed": "{argument} is {constant}, which is predefined",
}
