# SPDX-License-Identifier: MIT
"""The match between an element of a datatype and a member (MPI-4.1, section 3.3.1).

Each answer has a code, on which editors and scripts may rely, and a text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from mpipp.program_types import types
from mpipp.program_types.compare.element_streams import Stream
from mpipp.program_types.compare.member_lookup import Placement
from mpipp.program_types.types import ELSEWHERE, Path, Scalar, Type

# Other classes of members that elements of a class may be on.
_ALSO: Mapping[str, frozenset[str]] = {
    "signed": frozenset({"enum", "bits"}),
    "unsigned": frozenset({"enum", "bits"}),
    "logical": frozenset({"bool"}),
    "bool": frozenset({"logical"}),
}
# Classes with integer values. If only the class differs and the size agrees, it is only suspicious.
_INTEGERS = frozenset("signed unsigned char wchar bool logical enum bits".split())

Spell = Callable[[Path], str]


class Doubt(NamedTuple):
    """A problem of elements with their member. `certain`: an error, else suspicious."""

    code: str
    certain: bool
    words: str


def doubt(placement: Placement, whole: Type, spell: Spell, name: str) -> Doubt | None:
    """Return the problem of a placement on the type `whole`, called `name`; None if it is right."""
    stream = placement.stream
    if placement.where == "outside":
        where = f"which ends at {whole.size}" if stream.start >= 0 else "which begins at 0"
        return Doubt("outside", True, f"outside {name}, {where}")
    if placement.where == "member":
        assert isinstance(placement.kind, Scalar)
        return _on_member(stream, placement, placement.kind, spell)
    if stream.kind == "byte" and stream.start + stream.size <= whole.size and stream.start >= 0:
        return None
    if placement.where == "padding":
        return Doubt("padding", True, f"in no member: {_padding(stream, whole, spell)}")
    return _crossing(stream, whole, spell, name)


def _on_member(stream: Stream, placement: Placement, scalar: Scalar, spell: Spell) -> Doubt | None:
    if scalar.kind in ELSEWHERE:
        return _indirect(stream, scalar, spell(placement.path))
    if stream.kind == "byte":
        return None
    half = stream.kind == "float" and scalar.kind == "complex" and stream.size * 2 == scalar.size
    if half and placement.rest % stream.size == 0:  # an array of two numbers (C11, 6.2.5)
        return None
    same = stream.kind == scalar.kind or scalar.kind in _ALSO.get(stream.kind, ())
    whole = not placement.rest and stream.size == scalar.size
    if whole and (same or stream.kind == "opaque"):
        return None
    member = spell(placement.path)
    if placement.rest:
        text = f"{_bytes(placement.rest)} inside {member}, {_a(scalar)} at {placement.offset}"
        return Doubt("inside", True, text)
    if scalar.kind == "bits" and same:
        return Doubt("bits", False, f"{_bytes(stream.size)}, but {member} is {_a(scalar)}")
    integers = stream.kind in _INTEGERS and scalar.kind in _INTEGERS
    what = _bytes(stream.size) if same else stream.leaf.name
    words = f"{what}, but {member} is {_a(scalar)}{_fit(scalar)}"
    return Doubt("size" if same else "kind", not (integers and whole), words)


def _indirect(stream: Stream, scalar: Scalar, member: str) -> Doubt:
    what = f"{member} is {ELSEWHERE[scalar.kind]}"
    if scalar.kind == "vptr":
        return Doubt("pointer", True, f"{what}, which another process must not overwrite")
    if scalar.kind in ("container", "descriptor", "virtual"):
        return Doubt("pointer", True, f"{what}: its bytes mean nothing to another process")
    # Programs may send addresses as integers of their size, but not as other numbers.
    certain = stream.kind in ("float", "complex") or stream.size not in (1, scalar.size)
    words = f"{what} ({scalar.name}): its value means nothing to another process"
    return Doubt("pointer", certain, words)


def _crossing(stream: Stream, whole: Type, spell: Spell, name: str) -> Doubt | None:
    # Describes only the stream's first element; all its elements cross members in the same way.
    start, end = stream.start, stream.start + stream.size
    if start < 0 or end > whole.size:
        beyond = (
            f"before {name} begins" if start < 0 else f"beyond {name}, which ends at {whole.size}"
        )
        return Doubt("outside", True, f"reaches {beyond}")
    touched = list(types.within(whole, start, end))
    halves = [(at, s.kind, s.size * 2) for _, at, s in touched]
    if stream.kind == "complex" and halves == [
        (start, "float", stream.size),
        (start + stream.size // 2, "float", stream.size),
    ]:
        return None
    said = [f"{spell(path)} at {at}" for path, at, _ in touched]
    if len(said) > 1:
        several = f"{said[0]} and {said[1]}" if len(said) == 2 else f"{said[0]} to {said[-1]}"
        fit = _fit_of_all([scalar for _, _, scalar in touched], touched[0][1] == start)
        return Doubt("straddles", True, f"{_bytes(stream.size)} that straddle {several}{fit}")
    if not touched:
        return Doubt("padding", True, f"in no member: {_padding(stream, whole, spell)}")
    path, at, scalar = touched[0]
    if scalar.kind in ELSEWHERE:
        return _indirect(stream, scalar, spell(path))
    if start < at:
        return Doubt("straddles", True, f"begins in the padding before {said[0]}")
    if scalar.kind == "bits":
        return None
    ends = f"{_a(scalar)} that ends at {at + scalar.size}"
    return Doubt("straddles", True, f"reaches beyond {spell(path)}, {ends}{_fit(scalar)}")


def _padding(stream: Stream, whole: Type, spell: Spell) -> str:
    before = after = ""
    for path, at, leaf in _neighbors(whole, stream.start):
        if at < stream.start:
            before = f"after {spell(path)}, which ends at {at + leaf.size}"
        else:
            after = f"before {spell(path)} at {at}"
    return f"padding {before or after or 'only'}"


def _neighbors(whole: Type, at: int) -> list[tuple[Path, int, Type]]:
    # The last scalar or union before a place; if there is none, the first behind it.
    reach = 1
    while reach < 2 * whole.size:
        near = list(types.within(whole, at - reach, at))
        if near:
            return [max(near, key=lambda found: found[1])]
        reach *= 4
    after = list(types.within(whole, at, min(at + 64, whole.size)))
    return [after[0]] if after else []


def _a(scalar: Scalar) -> str:
    if scalar.kind == "bits":
        return f"bit fields in {_bytes(scalar.size)}"
    article = "an" if scalar.name[:1].lower() in "aeio" or scalar.name[:2] == "un" else "a"
    return f"{article} {scalar.name} of {_bytes(scalar.size)}"


def _bytes(number: int) -> str:
    return f"{number} byte" if number == 1 else f"{number} bytes"


def _fit(scalar: Scalar) -> str:
    name = types.datatype_name(scalar, "kind=" in scalar.name)
    return f": {name} fits" if name else ""


def _fit_of_all(scalars: Sequence[Scalar], begins: bool) -> str:
    # Both are numbers of one sort, such as floats that the datatype describes as doubles.
    first = scalars[0]
    is_one_type = begins and first.size > 1 and all(one == first for one in scalars)
    return _fit(first) if is_one_type else ""


def best(ways: list[list[Placement]], whole: Type) -> list[Placement]:
    """Return the alternative of a union that fits the elements best."""

    def badness(way: list[Placement]) -> tuple[int, int]:
        doubts = [doubt(placement, whole, lambda _: "", "") for placement in way]
        return sum(d is not None and d.certain for d in doubts), sum(d is not None for d in doubts)

    return min(ways, key=badness)
