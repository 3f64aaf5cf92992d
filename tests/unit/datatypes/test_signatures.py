# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from typing import Any

import pytest

from mpipp.datatypes.signatures import formatting, matching
from mpipp.datatypes.signatures import grammar as signature_grammar
from mpipp.datatypes.signatures.matching import Comparison, Side, compare
from mpipp.datatypes.signatures.runlength import EMPTY, Signature, concatenate, signature
from mpipp.render import signature_mismatch
from mpipp.render.signature_mismatch import Entries
from mpipp.typetree import Datatype, Extents
from tests.short import some
from tests.unit.datatypes import hashing_cases
from tests.unit.makers import Maker, expanded
from tests.unit.samples import (
    BYTE,
    CHAR,
    DOUBLE,
    DOUBLE_INT,
    INT,
    LB,
    UB,
    basic,
    contiguous,
    darray,
    dup,
    paper_struct,
    struct,
    vector,
)

PAIR = struct((1, 0, INT), (1, 8, DOUBLE))
PACKED = basic("MPI_PACKED", 1)
PAIRS = some(40_000)
DIGESTS = 20_000


def f90_real(p: int, r: int) -> Datatype:
    return Datatype("F90_REAL", {"p": p, "r": r}, reported=Extents(8, 0, 8, 0, 8))


def brute(datatype: Datatype) -> list[str]:
    """All elements of a datatype, computed only from the constructor's arguments."""
    get: Any = datatype.arguments.get
    if datatype.combiner == "NAMED":
        if datatype.name in ("MPI_LB", "MPI_UB"):
            return []
        pair = {"MPI_DOUBLE_INT": "MPI_DOUBLE", "MPI_SHORT_INT": "MPI_SHORT"}.get(datatype.name)
        return [pair, "MPI_INT"] if pair else [datatype.name]
    parts = [brute(component) for component in datatype.components]
    if datatype.combiner in ("DUP", "RESIZED"):
        return parts[0]
    if datatype.combiner == "CONTIGUOUS":
        return get("count") * parts[0]
    if datatype.combiner == "VECTOR":
        return get("count") * get("blocklength") * parts[0]
    if datatype.combiner == "INDEXED_BLOCK":
        return get("count") * get("blocklength") * parts[0]
    if datatype.combiner == "SUBARRAY":
        copies = 1
        for length in get("subsizes"):
            copies *= length
        return copies * parts[0]
    lengths = get("blocklengths")
    if datatype.combiner == "INDEXED":
        return sum(lengths) * parts[0]
    return [kind for part, length in zip(parts, lengths) for kind in length * part]


def prefix(first: Sequence[str], second: Sequence[str]) -> int:
    """The number of equal elements at the start."""
    for position, (one, other) in enumerate(zip(first, second)):
        if one != other:
            return position
    return min(len(first), len(second))


def verdict(first: Sequence[str], second: Sequence[str]) -> str:
    if first == second:
        return "match"
    equal = prefix(first, second)
    return "partial" if equal == len(first) else "longer" if equal == len(second) else "mismatch"


@pytest.mark.timeout(300)
def test_random_signatures() -> None:
    seed = int(os.environ.get("MPIPP_SEED", "1"))
    print(f"seeds {seed} to {seed + PAIRS - 1}")
    start = time.monotonic()
    verdicts = dict.fromkeys(("match", "partial", "longer", "mismatch"), 0)
    for number in range(seed, seed + PAIRS):
        maker = Maker(number)
        first = maker.signature(number % 5)
        second = maker.like(first) if number % 2 else maker.signature(number % 5)
        one, other = expanded(first), expanded(second)
        found = compare(first, second)
        equal = prefix(one, other)
        assert (found.verdict, found.equal) == (verdict(one, other), equal), number
        verdicts[found.verdict] += 1
        if found.first is not None:
            assert (found.first.kind, first.at(equal)[0].kind) == (one[equal], one[equal]), number
        if one and other and number % 4 == 0:
            forms = signature_grammar.recompressed(first, second)
            assert [expanded(form) for form in forms] == [one, other], number
            assert (forms[0] is forms[1]) == (one == other), number
            assert matching._walk(*forms, bounded=False) == equal, number
    print(f"{verdicts} in {time.monotonic() - start:.1f} s")
    assert min(verdicts.values()) > PAIRS // 100


def test_digests_of_random_signatures() -> None:
    """The signatures have short runs, too."""
    seed = int(os.environ.get("MPIPP_SEED", "1"))
    print(f"seeds {seed} to {seed + DIGESTS - 1}")
    for number in range(seed, seed + DIGESTS):
        hashing_cases.run(number)


def test_random_datatypes() -> None:
    for number in range(some(10_000)):
        maker = Maker(number)
        datatype, count = maker.datatype(number % 4), maker.count()
        whole = signature(datatype, count)
        elements = count * brute(datatype)
        assert expanded(whole) == elements, number
        assert whole.elements == len(elements) == count * datatype.element_count, number
        assert whole.size == count * datatype.size, number
        # Read the regular form again.
        entries, complete = formatting.entries(whole)
        assert complete
        assert list(written(entries)) == elements, number
        for index in range(0, len(elements), 3):
            kind, packed = whole.at(index)
            assert kind.kind == elements[index], number
            assert packed == sum(
                {"MPI_INT": 4, "MPI_DOUBLE": 8, "MPI_CHAR": 1, "MPI_SHORT": 2}[kind]
                for kind in elements[:index]
            )


def written(entries: list[dict[str, Any]]) -> list[str]:
    """The elements in `formatting.entries`, without repetitions."""
    result: list[str] = []
    for entry in entries:
        inside = [entry["type"]] if "type" in entry else written(entry["entries"])
        result += entry["count"] * inside
    return result


# Tests of the matching rules.


def test_paper_struct() -> None:
    found = signature(paper_struct(), 3)
    assert formatting.text(found) == "3 x {5 x MPI_INT, 7 x MPI_CHAR, 2 x MPI_DOUBLE}"
    assert (found.elements, found.size) == (42, 129)


def test_order_is_type_map_order_whatever_the_storage_order() -> None:
    cyclic = darray(2, 1, (5, 4), ("CYCLIC", "BLOCK"), (None, None), (2, 1), PAIR, "FORTRAN")
    assert formatting.text(signature(cyclic)) == "8 x {MPI_INT, MPI_DOUBLE}"
    assert signature(cyclic) is signature(PAIR, 8)


def test_nothing_vanishes_and_nothing_is_left() -> None:
    empty = struct((0, 0, INT), (3, 8, contiguous(0, DOUBLE)), (1, 0, LB), (1, 9, UB))
    assert signature(empty, 10**9) is EMPTY
    assert signature(INT, 0) is EMPTY
    assert signature(struct((2, 0, INT), (1, 0, empty), (3, 0, INT))) is signature(INT, 5)
    assert formatting.text(EMPTY) == "{}"


def test_pair_types_are_two_elements() -> None:
    assert signature(DOUBLE_INT, 7) is signature(struct((1, 0, DOUBLE), (1, 8, INT)), 7)
    assert signature(basic("MPI_2INT", 8), 7) is signature(INT, 14)
    twice = basic("MPI_2DOUBLE_PRECISION", 16)
    assert formatting.text(signature(twice)) == "2 x MPI_DOUBLE_PRECISION"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("MPI_LONG_LONG", "MPI_LONG_LONG_INT", "match"),
        ("MPI_C_COMPLEX", "MPI_C_FLOAT_COMPLEX", "match"),
        ("MPI_INT", "MPI_INTEGER", "mismatch"),
        ("MPI_INT", "MPI_INT32_T", "mismatch"),
        ("MPI_CHAR", "MPI_SIGNED_CHAR", "mismatch"),
        ("MPI_CHAR", "MPI_BYTE", "mismatch"),
        ("MPI_BYTE", "MPI_BYTE", "match"),
        ("MPI_C_COMPLEX", "MPI_CXX_FLOAT_COMPLEX", "mismatch"),
        ("MPI_DOUBLE_PRECISION", "MPI_REAL8", "mismatch"),
    ],
)
def test_types_match_by_name(first: str, second: str, expected: str) -> None:
    found = compare(signature(basic(first, 8), 3), signature(basic(second, 8), 3))
    assert (found.verdict, found.unknown) == (expected, False)


def test_sizes_of_two_machines_may_differ() -> None:
    first = struct((2, 0, basic("MPI_LONG", 8)), (1, 0, INT))
    second = struct((2, 0, basic("MPI_LONG", 4)), (1, 0, CHAR))
    found = compare(signature(first), signature(second))
    assert found == Comparison("mismatch", 2, Side("MPI_INT", 16), Side("MPI_CHAR", 8))
    # The canonical form must also treat them as one letter.
    forms = signature_grammar.recompressed(signature(first), signature(second))
    assert matching._walk(*forms, bounded=False) == 2


def test_f90_types_match_by_their_parameters() -> None:
    one = signature(f90_real(15, 300))
    assert compare(one, signature(dup(f90_real(15, 300)))).verdict == "match"
    assert compare(one, signature(f90_real(15, 307))).verdict == "mismatch"
    assert compare(one, signature(DOUBLE)).verdict == "mismatch"
    assert formatting.text(signature(f90_real(15, -32766))) == "F90_REAL(p 15, r MPI_UNDEFINED)"


def test_packed_matches_anything() -> None:
    message = struct((3, 0, INT), (100, 12, PACKED))
    typed = struct((3, 0, INT), (7, 16, DOUBLE))
    packed = Comparison("match", 3, Side("MPI_PACKED", 12), Side("MPI_DOUBLE", 12), unknown=True)
    assert compare(signature(message), signature(typed)) == packed
    assert compare(signature(typed), signature(message)).unknown
    assert compare(signature(PACKED, 9), signature(PACKED, 9)) == Comparison("match", 9, None, None)
    assert compare(signature(PACKED, 9), signature(PACKED, 8)).verdict == "longer"
    # Before the MPI_PACKED part, types must match as usual.
    assert compare(signature(message), signature(struct((4, 0, CHAR)))).verdict == "mismatch"


def test_ends() -> None:
    six, seven = signature(PAIR, 6), signature(PAIR, 7)
    assert compare(six, seven) == Comparison("partial", 12, None, Side("MPI_INT", 72))
    assert compare(seven, six) == Comparison("longer", 12, Side("MPI_INT", 72), None)
    assert compare(EMPTY, six).verdict == "partial"
    assert compare(six, EMPTY).verdict == "longer"
    assert compare(EMPTY, EMPTY) == Comparison("match", 0, None, None)


# Large signatures, which are never expanded.


def test_repetition_against_repetition() -> None:
    flat = struct(*[(1, 8 * i, INT if i % 2 == 0 else DOUBLE) for i in range(2000)])
    assert compare(signature(PAIR, 10**9), signature(flat, 10**6)).verdict == "match"
    assert signature(PAIR, 10**9) is signature(flat, 10**6)


def test_phases_that_differ() -> None:
    turned = struct((1, 0, DOUBLE), (1, 8, INT))
    shifted = concatenate([signature(INT), signature(turned, 2**63), signature(DOUBLE)])
    whole = signature(PAIR, 2**63 + 1)
    assert compare(shifted, whole) == Comparison("match", 2**64 + 2, None, None)
    longer = concatenate([signature(INT), signature(turned, 2**63), signature(INT)])
    found = compare(longer, whole)
    assert (found.verdict, found.equal) == ("mismatch", 2**64 + 1)


def test_nested_repetitions() -> None:
    inner = struct((10**5, 0, PAIR), (1, 0, CHAR))
    other = struct((1, 0, PAIR), (10**5 - 1, 0, PAIR), (1, 0, CHAR))
    assert compare(signature(inner, 10**9), signature(other, 10**9)).verdict == "match"
    end = concatenate([signature(other, 10**9 - 1), signature(PAIR, 10**5), signature(BYTE)])
    found = compare(signature(inner, 10**9), end)
    assert (found.verdict, found.equal) == ("mismatch", (2 * 10**5 + 1) * 10**9 - 1)


def test_products_beyond_64_bits() -> None:
    large = contiguous(2**62, contiguous(2**62, PAIR))
    assert signature(large, 2**63).elements == 2**188
    assert compare(signature(large, 2**63), signature(PAIR, 2**187)).verdict == "match"


def test_deep_chains() -> None:
    first = second = INT
    for i in range(30_001):
        first = contiguous(1, first) if i % 2 else dup(first)
        second = struct((1, 0, second), (1, 8 * i, DOUBLE if i % 3 else INT))
    flat = struct((1, 0, INT), *[(1, 8 * i, DOUBLE if i % 3 else INT) for i in range(30_001)])
    assert signature(first) is signature(INT)
    assert compare(signature(second), signature(flat)).verdict == "match"
    assert formatting.text(signature(second)) == "{2 x MPI_INT, 10000 x {2 x MPI_DOUBLE, MPI_INT}}"


def test_text_of_what_is_nested_very_deep() -> None:
    whole, depth = INT, 5000
    for _ in range(depth):
        whole = struct((2, 0, whole), (1, 0, CHAR))
    found = signature(whole)
    assert formatting.text(found) == "{2 x " * depth + "MPI_INT" + ", MPI_CHAR}" * depth
    assert formatting.text(found, 1) == "{2 x " * depth + "MPI_INT" + "...}" * depth
    entries, complete = formatting.entries(found)
    assert not complete
    assert json.dumps(entries).count("entries") == 201


def fibonacci(n: int, grammar: int) -> Signature:
    """The Fibonacci word number `n`, built in one of two ways."""
    words = [signature(DOUBLE), signature(INT)]
    for i in range(2, n + 1):
        a, b, c = words[i - 1], words[i - 2], words[i - 3]
        parts = (b, c, b) if grammar and i > 2 else (a, b)
        words.append(Signature(tuple((part, 1) for part in parts)))
    return words[n]


def test_words_without_any_repetition_in_common() -> None:
    one, other = fibonacci(80, 0), fibonacci(80, 1)
    assert one.elements == 37889062373143906
    assert compare(one, other).verdict == "match"
    # Two neighbors in the opposite order differ only in their last two elements.
    swapped = Signature(((fibonacci(78, 0), 1), (fibonacci(79, 1), 1)))
    found = compare(one, swapped)
    assert (found.verdict, found.equal) == ("mismatch", one.elements - 2)
    assert found.first is not None and found.second is not None
    assert {found.first.kind, found.second.kind} == {"MPI_INT", "MPI_DOUBLE"}


# Tests of the text that mpipp prints.


def test_regular_form() -> None:
    d, c = DOUBLE, CHAR
    text = formatting.text
    # The paper's example is d c d c d c c c.
    assert text(signature(struct(*[(1, 0, t) for t in (d, c, d, c, d, c, c, c)]))) == (
        "{2 x {MPI_DOUBLE, MPI_CHAR}, MPI_DOUBLE, 3 x MPI_CHAR}"
    )
    inner = struct(*[(1, 0, t) for t in (INT, d, INT, d, c)])
    nested = signature(struct((2, 0, inner), (3, 0, d)), 5)
    assert text(nested) == ("5 x {2 x {2 x {MPI_INT, MPI_DOUBLE}, MPI_CHAR}, 3 x MPI_DOUBLE}")
    assert text(nested, 3) == "5 x {2 x {2 x {MPI_INT, MPI_DOUBLE}, MPI_CHAR}...}"
    assert text(nested, 1) == "5 x {2 x {2 x {MPI_INT...}...}...}"


def said(first: Entries, second: Entries) -> list[str]:
    return list(
        signature_mismatch.lines(
            signature_mismatch.compare(first, second), first, second, cite="section {}".format
        )
    )


def test_words() -> None:
    s_type, other = Entries("s", paper_struct(), 2), Entries("t", vector(2, 4, 8, INT), 1)
    assert said(s_type, other) == [
        "mismatch after 5 equal elements: MPI_CHAR is sent, MPI_INT received",
        "  sent      s(STRUCT)[2][0](CHAR)  MPI_CHAR  displacement 47, packed 20",
        "  received  t(VECTOR)[1][1](INT)   MPI_INT   displacement 36, packed 20",
    ]
    pairs = Entries("pairs", contiguous(3, DOUBLE_INT), 1)
    doubles = Entries("doubles", DOUBLE, 4)
    assert said(pairs, doubles) == [
        "mismatch after 1 equal element: MPI_INT is sent, MPI_DOUBLE received",
        "  sent      pairs(CONTIGUOUS)[0](DOUBLE_INT)  MPI_INT (2nd part of the pair)  "
        "displacement 8, packed 8",
        "  received  doubles[1](DOUBLE)                MPI_DOUBLE                      "
        "displacement 8, packed 8",
    ]
    # Both are Fortran types, so mixed languages are not the reason for the mismatch.
    first, second = (Entries(name, basic(f"MPI_{name}", 8), 1) for name in ("REAL8", "COMPLEX8"))
    assert said(first, second) == [
        "mismatch at the first element: MPI_REAL8 is sent, MPI_COMPLEX8 received",
        "  sent      REAL8(REAL8)        MPI_REAL8     displacement 0, packed 0",
        "  received  COMPLEX8(COMPLEX8)  MPI_COMPLEX8  displacement 0, packed 0",
    ]
    different = "types of C and of Fortran do not match (section 19.3.10)"
    assert said(first, doubles)[-1] == different
    first = Entries("first", basic("MPI_DOUBLE_PRECISION", 8), 1)
    assert not said(first, second)[-1].startswith("types of C")
    packed = Entries("packed", struct((1, 0, INT), (9, 4, PACKED)), 1)
    ints = Entries("ints", INT, 3)
    assert said(packed, ints)[0] == (
        "match as far as known: 1 equal element, then MPI_PACKED, whose content is not known"
    )
