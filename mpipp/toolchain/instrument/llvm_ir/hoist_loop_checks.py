# SPDX-License-Identifier: MIT
"""Replaces checks in a loop by one check before it, in LLVM's textual IR.

The address of a load or store may change by a constant step in each iteration. Then the first and
the last address bound all others. If no checked memory lies between them, the loop runs without
checks, and the compiler can optimise it. Nested loops of this kind are treated together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mpipp.toolchain.instrument.llvm_ir import patterns
from mpipp.toolchain.instrument.llvm_ir.function import Function
from mpipp.toolchain.instrument.llvm_ir.loops import Block, Loop

_MOST = 32  # accesses in a loop, to limit the code before it
_CORNERS = 8  # corner addresses of one access
_PENDING, _KEPT = 1, 2  # kinds of spans (wrapper/instrumentation/in_program/interface.h)
_EITHER = 2  # a slope that may be up or down

_OPPOSITE = {
    "eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt",
    "ult": "uge", "uge": "ult", "ugt": "ule", "ule": "ugt",
}  # fmt: skip
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
_LAST = {"lt": -1, "gt": 1, "le": 0, "ge": 0}


class _Step(NamedTuple):
    """A value that changes by a constant step in each iteration. The unit is bytes, or
    `element`."""

    start: str
    unit: str
    flags: str
    type: str
    element: str


class _Span(NamedTuple):
    """The smallest and largest of these corners bound all addresses of an access."""

    corners: tuple[str, ...]
    bytes: int


def hoisted(lines: Sequence[str]) -> Iterator[str]:
    """A module's text, with checks moved out of loops."""
    for own, part in patterns.functions(lines):
        yield from _hoist(part) if own else part


def _hoist(lines: Sequence[str]) -> Iterator[str]:
    function = Function(lines)
    done: list[_LoopChecks] = []
    for loop in function.loops:
        if _is_quiet(function, loop):
            looking = _LoopChecks(function, loop)
            looking.take([one for one in done if one.loop.outer is loop])
            done.append(looking)
    for looking in done:
        looking.finish()
    return function.text()


def _is_quiet(function: Function, loop: Loop) -> bool:
    for i in loop.body:
        for line in function.block(i).lines:
            if patterns.LOUD.search(line):
                return False
            called = patterns.CALLED.search(line) if patterns.CALL.search(line) else None
            if called and not patterns.QUIET.fullmatch(called[1]):
                return False
    return True


class _LoopChecks:
    # The checks of one loop.
    def __init__(self, function: Function, loop: Loop) -> None:
        self.loop = loop
        self.spans: list[_Span] = []
        self.around: _LoopChecks | None = None  # the outer loop that contains all of these checks
        self._function = function
        self._slopes: dict[tuple[str, str], int | None] = {}
        self._copies: dict[tuple[str, bool], str] = {}
        # The accesses whose bounds are known before the loop.
        self._hooks: list[tuple[Block, int, re.Match[str], _Span | None]] = []
        self._steps: dict[str, _Step | None] = {}
        self._is_sole = True  # whether the exit condition is one comparison
        self._turns = self._last_turn()
        self._is_exact = self._has_single_exit() and function.can_add_between(loop)

    # The methods below find the addresses that the loop accesses.

    def take(self, within: Sequence[_LoopChecks]) -> None:
        inside = {i for one in within for i in one.loop.body}
        for i in sorted(self.loop.body - inside):
            block = self._function.block(i)
            for at, line in enumerate(block.lines):
                hook = patterns.HOOK.match(line)
                span = self._of_hook(hook) if hook and len(self.spans) < _MOST else None
                if hook and span:
                    exactly = span if self._is_exact and i in self.loop.always else None
                    self._hooks.append((block, at, hook, exactly))
                    self._keep(span)
        for one in within:
            spans = [self._of_span(span) for span in one.spans]
            if spans and None not in spans and len(self.spans) + len(spans) <= _MOST:
                one.around = self
                for span in filter(None, spans):
                    self._keep(span)

    def _keep(self, span: _Span) -> None:
        if span not in self.spans:
            self.spans.append(span)

    def _of_hook(self, hook: re.Match[str]) -> _Span | None:
        address = hook["address"]
        size = int(hook["size"] or hook["length"])
        corners = self._corners(address)
        if not corners:
            return None
        numbers = [self._add(f"ptrtoint {hook['pointer']} {corner} to i64") for corner in corners]
        return _Span(tuple(numbers), size)

    def _of_span(self, span: _Span) -> _Span | None:
        corners: dict[str, None] = {}
        for corner in span.corners:
            found = self._corners(corner)
            if not found:
                return None
            corners.update(dict.fromkeys(found))
        return _Span(tuple(corners), span.bytes) if len(corners) <= _CORNERS else None

    def _corners(self, value: str) -> tuple[str, ...]:
        # The value in the first and in the last iteration; () if unknown.
        slope = self._slope(value, "")
        if slope is None:
            return ()
        if slope == 0:
            return (self._copy(value, False),)
        return (self._copy(value, False), self._copy(value, True)) if self._turns else ()

    # The direction in which a value changes in each iteration. The direction is 0 for a constant, 1
    # if the value grows, -1 if it shrinks, _EITHER for 1 or -1, None if unknown. `needed` is the
    # flag, nsw or nuw, which promises that an instruction does not overflow.

    def _slope(self, value: str, needed: str) -> int | None:
        key = (value, needed)
        if key not in self._slopes:
            self._slopes[key] = None  # a value may depend on itself
            self._slopes[key] = self._find_slope(value, needed)
        return self._slopes[key]

    def _inside(self, value: str) -> str:
        # The instruction that computes the value, if it is in the loop; else "".
        found = self._function.value(value)
        return found[1] if found and found[0] in self.loop.body else ""

    def _find_slope(self, value: str, needed: str) -> int | None:
        what = self._inside(value)
        if not what:
            return 0
        if what.startswith("phi "):
            step = self._step(value)
            if not step or not self._turns or needed not in step.flags:
                return None
            return _sign(step.unit)
        binary, cast, element = (
            patterns.BINARY.match(what),
            patterns.CAST.match(what),
            patterns.ELEMENT.match(what),
        )
        slope: int | None = None
        if binary:
            slope = self._of_binary(binary, needed)
        elif cast:
            if cast["verb"] in ("sext", "zext"):
                needed = "nsw" if cast["verb"] == "sext" or "nneg" in cast["flags"] else "nuw"
            slope = self._slope(cast["one"], needed)
        elif element:
            slope = self._of_element(element)
        if slope is None and (binary or cast or patterns.PURE.match(what)):
            divided = re.match(r"[su]div ", what) and not re.search(r", [1-9]\d*$", what)
            if not divided and all(
                self._slope(one, "") == 0 for one in patterns.NAME.findall(what)
            ):
                slope = 0
        return slope

    def _of_binary(self, found: re.Match[str], needed: str) -> int | None:
        one, other = self._slope(found["one"], needed), self._slope(found["other"], needed)
        if one is None or other is None:
            return None
        if one == other == 0:
            return 0
        verb = found["verb"]
        if needed not in found["flags"] or (verb == "or" and "disjoint" not in found["flags"]):
            return None
        if verb in ("add", "or"):
            return _common_size(one, other)
        if verb == "sub":
            return _common_size(one, other if other == _EITHER else -other)
        if verb == "shl":
            return one if other == 0 and _sign(found["other"]) == 1 else None
        if one and other:
            return None
        slope, factor = (one, found["other"]) if one else (other, found["one"])
        return _times(slope, _sign(factor))

    def _of_element(self, found: re.Match[str]) -> int | None:
        parts = patterns.parts(found["rest"])
        if len(parts) < 2 or any("<" in part and " x " in part for part in parts):
            return None
        slope: int | None = 0
        for number, part in enumerate(parts[1:]):
            kind, _, name = part.rpartition(" ")
            needed = "nsw" if number and kind != "i64" else ""
            now = self._slope(name, needed)
            slope = None if now is None or slope is None else _common_size(slope, now)
        return slope

    def _step(self, name: str) -> _Step | None:
        if name not in self._steps:
            self._steps[name] = self._find_step(name)
        return self._steps[name]

    def _find_step(self, name: str) -> _Step | None:
        found = self._function.value(name)
        phi = patterns.PHI.fullmatch(found[1]) if found else None
        if not found or not phi or found[0] != self.loop.header:
            return None
        latch = self._function.block(self.loop.latch).name
        values = {phi[3]: phi[2], phi[5]: phi[4]}
        following = values.pop(latch, "")
        if len(values) != 1 or following == name:
            return None
        (start,) = values.values()
        what = self._inside(following)
        binary, element = patterns.BINARY.fullmatch(what), patterns.ELEMENT.fullmatch(what)
        if binary and binary["verb"] in ("add", "sub"):
            unit = binary["other"]
            if binary["verb"] == "add" and unit == name:
                unit = binary["one"]
            elif binary["one"] != name:
                return None
            if binary["verb"] == "sub":
                if not re.fullmatch(r"-?\d+", unit):
                    return None
                unit = str(-int(unit))
            if not self._inside(unit):
                return _Step(start, unit, binary["flags"], phi["type"], "")
        if element:
            parts = patterns.parts(element["rest"])
            if len(parts) == 3 and parts[1] == f"{phi['type']} {name}":
                kind, _, unit = parts[2].rpartition(" ")
                if not self._inside(unit) and (kind == "i64" or not unit.startswith("%")):
                    return _Step(start, unit, "", phi["type"], parts[0])
        return None

    # The number of the last iteration, from 0; "" if unknown. The number is an upper bound if the
    # loop has other exits, and may be negative.

    def _last_turn(self) -> str:
        block = self._function.block(self.loop.latch)
        branch = (
            patterns.BRANCH.match(block.lines[block.end()])
            if block.end() < len(block.lines)
            else None
        )
        if not branch:
            return ""
        goes_on = branch[2] == self._function.block(self.loop.header).name
        return next(filter(None, self._turns_while(branch[1], goes_on)), "")

    def _turns_while(self, condition: str, goes_on: bool) -> Iterator[str]:
        # Yield bounds for the iterations while the condition equals `goes_on`. If the condition
        # combines several comparisons, each of them gives a bound.
        what = self._inside(condition)
        compared = patterns.COMPARED.fullmatch(what)
        if not compared:
            self._is_sole = False
            both = patterns.BOTH.fullmatch(what) if goes_on else patterns.ANY.fullmatch(what)
            for one in filter(None, both.groups() if both else ()):
                yield from self._turns_while(one, goes_on)
            return
        holds, kind, one, other = compared.groups()
        if not goes_on:
            holds = _OPPOSITE[holds]
        if not self._inside(one):
            one, other = other, one
            holds = holds[:-2] + _MIRRORED.get(holds[-2:], holds[-2:])
        if self._inside(other) or not self._inside(one):
            return
        for line in self._function.block(self.loop.header).lines:
            found = patterns.VALUE.match(line)
            step = self._step(found["name"]) if found else None
            if found and step and _is_number(step.unit):
                is_next = re.search(rf" {re.escape(one)}, %", found["what"]) is not None
                if is_next or one == found["name"]:
                    yield self._turns_until(step, holds, kind, other, is_next)

    def _turns_until(self, step: _Step, holds: str, kind: str, bound: str, is_next: bool) -> str:
        unit = int(step.unit)
        order = holds[-2:] if holds != "ne" else ""
        if holds == "eq" or not unit or (order and (order in ("lt", "le")) != (unit > 0)):
            return ""
        start, end, by = self._numbers(step, holds, kind, bound)
        if not start:
            return ""
        if order and _LAST[order]:
            end = self._add(f"add i64 {end}, {_LAST[order]}")
        if by == "-1":
            count = self._add(f"sub i64 {start}, {end}")
        else:
            count = self._add(f"sub i64 {end}, {start}")
            if by != "1":
                count = self._add(f"sdiv i64 {count}, {by}")
        more = (-1 if is_next else 0) if not order else (0 if is_next else 1)
        return self._add(f"add i64 {count}, {more}") if more else count

    def _numbers(self, step: _Step, holds: str, kind: str, bound: str) -> tuple[str, str, str]:
        # The start, the end and the step, in 64 bits.
        if step.element:
            start, end = (self._add(f"ptrtoint {kind} {one} to i64") for one in (step.start, bound))
            size = self._add(f"getelementptr {step.element}, {step.type} null, i64 {step.unit}")
            return start, end, self._add(f"ptrtoint {step.type} {size} to i64")
        if kind == "i64":
            return step.start, bound, step.unit
        if holds[0] == "s" or (holds == "ne" and "nsw" in step.flags):
            wider = "sext"
        elif holds[0] == "u" or (holds == "ne" and "nuw" in step.flags):
            wider = "zext"
        else:
            return "", "", ""
        start, end = (self._add(f"{wider} {kind} {one} to i64") for one in (step.start, bound))
        return start, end, step.unit

    # A name, defined before the loop, for the value in its first or last iteration.

    def _copy(self, value: str, last: bool) -> str:
        what = self._inside(value)
        if not what:
            return value
        key = (value, last and self._slope(value, "") != 0)
        if key not in self._copies:
            self._copies[key] = self._copied(value, what, key[1])
        return self._copies[key]

    def _copied(self, value: str, what: str, last: bool) -> str:
        if not what.startswith("phi "):
            plain = patterns.FLAGS.sub("", what)
            return self._add(patterns.NAME.sub(lambda name: self._copy(name[0], last), plain))
        step = self._step(value)
        assert step
        if not last:
            return step.start
        if step.element:
            by = self._add(f"mul i64 {self._turns}, {step.unit}")
            return self._add(f"getelementptr {step.element}, {step.type} {step.start}, i64 {by}")
        turns = self._turns
        if step.type != "i64":
            turns = self._add(f"trunc i64 {turns} to {step.type}")
        by = self._add(f"mul {step.type} {turns}, {step.unit}")
        return self._add(f"add {step.type} {step.start}, {by}")

    def _add(self, what: str) -> str:
        return self._function.add(self.loop.entry, what)

    # The check before the loop.

    def finish(self) -> None:
        for block, at, hook, exactly in self._hooks:
            size = int(hook["size"] or hook["length"])
            loads = hook["verb"] == "read" or hook["plural"] == "loads"
            if exactly:
                self._keep_all(exactly, 2 * size + (not loads), hook["rest"])
            looks = self._meets(self.spans, _PENDING if exactly else _PENDING | _KEPT)
            block.lines[at] = (
                f"  call void @mpipp_inlined_{'load' if loads else 'store'}_if(i1 noundef zeroext "
                f"{looks}, {hook['pointer']} noundef {hook['address']}, i64 noundef {size})"
                f"{hook['rest']}\n"
            )

    def _keep_all(self, span: _Span, size: int, rest: str) -> None:
        of = (span.corners[0], span.corners[-1], self._turns)
        words = [("i64", self._add(f"freeze i64 {one}")) for one in of]
        words.append(("i64", str(size)))
        given = ", ".join(f"{kind} noundef {one}" for kind, one in words)
        keeps = self._meets([span], _KEPT)
        line = f"  call void @mpipp_inlined_record(i1 noundef zeroext {keeps}, {given}){rest}\n"
        self._function.add_between(self.loop, line)

    def _has_single_exit(self) -> bool:
        # Return whether the number of iterations is known exactly.
        body = self.loop.body
        others = (self._function.block(i).after for i in body if i != self.loop.latch)
        return bool(self._turns) and self._is_sole and all(body.issuperset(one) for one in others)

    def _meets(self, spans: Sequence[_Span], kinds: int) -> str:
        # The condition that checked memory of these kinds lies in the spans. In a nested loop, it
        # must also lie in the spans of the outer loop.
        found = self._look(spans[0])
        for span in spans[1:]:
            found = self._add(f"or i32 {found}, {self._look(span)}")
        found = self._add(f"and i32 {found}, {kinds}")
        found = self._add(f"icmp ne i32 {found}, 0")
        if not self.around:
            return found
        around = self.around._meets(self.around.spans, _PENDING | _KEPT)
        return self._add(f"and i1 {around}, {found}")

    def _look(self, span: _Span) -> str:
        corners = [self._add(f"freeze i64 {corner}") for corner in span.corners]
        low = high = corners[0]
        for corner in corners[1:]:
            pair = f"i64 noundef {corner})"
            low = self._add(f"call i64 @mpipp_inlined_min(i64 noundef {low}, {pair}")
            high = self._add(f"call i64 @mpipp_inlined_max(i64 noundef {high}, {pair}")
        high = self._add(f"add i64 {high}, {span.bytes}")
        return self._add(f"call i32 @mpipp_inlined_overlaps(i64 noundef {low}, i64 noundef {high})")


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+", text) is not None


def _sign(text: str) -> int:
    if not _is_number(text):
        return _EITHER
    return (int(text) > 0) - (int(text) < 0)


def _common_size(one: int, other: int) -> int:
    if not one or not other:
        return one or other
    return one if one == other else _EITHER


def _times(slope: int, sign: int) -> int:
    return _EITHER if _EITHER in (slope, sign) else slope * sign
