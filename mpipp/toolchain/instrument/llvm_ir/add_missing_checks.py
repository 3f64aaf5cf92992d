# SPDX-License-Identifier: MIT
"""Adds checks for loads and stores that ThreadSanitizer skips, in LLVM's textual IR."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from mpipp.symbolizer import skipped_accesses
from mpipp.toolchain.instrument.llvm_ir import patterns
from mpipp.toolchain.instrument.llvm_ir.escaping_locals import Locals, local_pointers

# Accesses that ThreadSanitizer skips, by default or by option. These are accesses of sizes other
# than 1, 2, 4, 8 and 16 bytes, accesses to parts of local variables, and atomic operations. (It
# would replace atomic operations.)
_TYPE = r"x86_fp80|fp128|half|bfloat|float|double|ptr|i\d+\*?|<\d+ x [a-z]+\d*>"
_PLACE = (
    rf"(?P<pointer>ptr|(?:{_TYPE})\*) "
    r"(?P<address>%[^,\s]+|@[^,\s]+|(?:getelementptr|bitcast) .*\)(?=(?: [a-z_]+)?, align))"
)
_LOAD = re.compile(
    rf"  %\S+ = (?P<verb>load)(?P<atomic> atomic)?(?: volatile)? (?P<type>{_TYPE}), {_PLACE}"
)
_STORE = re.compile(
    rf"  (?P<verb>store)(?P<atomic> atomic)?(?: volatile)? (?P<type>{_TYPE}) .+, {_PLACE}"
)
_CHANGE = re.compile(
    r"  %\S+ = (?P<verb>atomicrmw|cmpxchg)(?P<atomic>)(?: weak)?(?: volatile)?(?: f?[a-z]+)? "
    rf"{_PLACE}, (?P<type>{_TYPE}) "
)
_ACCESS = re.compile(r"  (?:%\S+ = )?(?:load|store|atomicrmw|cmpxchg) ")
_POINTER = re.compile(r"  (?:%\S+ = load|store) (?:volatile )?[^,]*\*[ ,]")
# Copies call functions of the C library or, since Clang 16, of ThreadSanitizer.
_COPIES = re.compile(r"(?<=@)(?:__tsan_)?(?=mem(?:cpy|move|set)\()")
_LOOK = re.compile(r"  (?:tail )?call void @__tsan_")
_LOCATION = re.compile(r", !dbg !\d+")
_WIDTHS = {
    "half": 16, "bfloat": 16, "float": 32, "double": 64, "ptr": 64, "x86_fp80": 80, "fp128": 128,
}  # fmt: skip
_SEEN = (8, 16, 32, 64, 128)


def complete(lines: Sequence[str], source: str) -> Iterator[str]:
    """A module's text with the missing checks, and with renamed calls of memcpy and similar
    functions.

    The object file will contain the number of loads and stores of `source` that still have no check
    (symbolizer/skipped_accesses.py).
    """
    count = skipped = 0
    for own, part in patterns.functions(lines):
        pointers = local_pointers(part) if own else Locals(set(), set())
        before = ""
        for line in part:
            if own and line.startswith("  "):
                has_check = _LOOK.match(before) is not None
                skipped += not has_check and _is_unknown(line, pointers.private)
                for added in _added(line, count, () if has_check else pointers.reached):
                    count += 1
                    yield added
                if "call" in line:
                    line = _COPIES.sub("mpipp_inlined_", line)
            yield line
            before = line
    if skipped:
        yield from _listed(skipped_accesses.entry(skipped, source))


def _is_unknown(line: str, private: Collection[str]) -> bool:
    # Return whether neither ThreadSanitizer nor _added checks this access. Before Clang 15, LLVM
    # had typed pointers; ThreadSanitizer checks accesses through them.
    if not _ACCESS.match(line) or _POINTER.match(line):
        return False
    if any(known.match(line) for known in (_LOAD, _STORE, _CHANGE)):
        return False
    return not any(name in private for name in patterns.NAME.findall(line))


def _listed(entry: bytes) -> Iterator[str]:
    yield f'module asm ".pushsection {skipped_accesses.SECTION}"\n'
    yield f'module asm ".byte {", ".join(map(str, entry))}"\n'
    yield 'module asm ".popsection"\n'


def _added(line: str, number: int, parts: Collection[str]) -> Iterator[str]:
    # `parts` are pointers to parts of local variables, which need a check here.
    found = _LOAD.match(line) or _STORE.match(line) or _CHANGE.match(line)
    if not found:
        return
    size = _bits(found["type"])
    is_atomic = found["atomic"] is not None
    address, kind = found["address"], "ptr"
    if size % 8 or (size in _SEEN and not is_atomic and address not in parts):
        return
    location = _LOCATION.search(line)
    if found["pointer"] != "ptr":
        kind = "i8*"
        yield f"  %mpipp.{number} = bitcast {found['pointer']} {address} to i8*\n"
        address = f"%mpipp.{number}"
    loads = found["verb"] == "load"
    if size in _SEEN:
        call = f"@__tsan_{'read' if loads else 'write'}{size // 8}({kind} {address})"
    else:
        call = f"@mpipp_inlined_{'load' if loads else 'store'}s({kind} {address}, i64 {size // 8})"
    yield f"  call void {call}" + (location[0] if location else "") + "\n"


def _bits(kind: str) -> int:
    if kind.endswith("*"):
        return 64
    vector = re.match(r"<(\d+) x (\S+)>", kind)
    if vector:
        return int(vector[1]) * _bits(vector[2])
    return _WIDTHS.get(kind) or int(kind[1:])
