# SPDX-License-Identifier: MIT
"""Calls compilers so that each load and store of a program is seen to.

Clang is called twice: its ThreadSanitizer adds calls of functions to the program, as text of its
intermediate language; then that is compiled with the functions inlined. Before, loops are neither
vectorised nor unrolled; afterwards those where nothing is to be looked at are.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mpipp.toolchain.instrument.llvm_ir import patterns
from mpipp.toolchain.instrument.llvm_ir.escaping_locals import reached
from mpipp.toolchain.instrument.llvm_ir.hoist_loop_checks import hoisted

# Errors are told of, and the program goes on; the shadow is that of interface.h, looked at inline.
GCC = (
    "-fsanitize=kernel-address",
    "-fasan-shadow-offset=0x7fff8000",
    # With zones around a frame's variables, and something to be seen outside of their scope, it
    # looks at those that are used by name, too.
    *("--param", "asan-stack=1", "-fsanitize-address-use-after-scope"),
    *("--param", "asan-use-after-return=0", "--param", "asan-globals=0"),
    *("--param", "asan-instrument-allocas=0"),
    *("--param", "asan-instrumentation-with-call-threshold=1000000000"),
    "-U__SANITIZE_ADDRESS__",
    "-fno-optimize-sibling-calls",  # who calls memcpy is to be seen
)
_CLANG = (
    "-fsanitize=thread",
    *("-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm", "-tsan-instrument-atomics=0"),
    "-fno-optimize-sibling-calls",
    *("-fno-vectorize", "-fno-slp-vectorize"),
    *("-mllvm", "-unroll-runtime=0", "-mllvm", "-unroll-allow-partial=0"),
)
_FAST = ("-O3", "-mllvm", "-enable-nontrivial-unswitch")


@dataclass(frozen=True)
class Step:
    """One source that Clang compiles.

    Attributes:
        compiler: the MPI compiler.
        source: the file.
        output: the object file, or with `assembles` that of assembler text.
        options: the user's, without the files.
    """

    compiler: str
    source: str
    output: str
    options: list[str]
    assembles: bool

    def run(self, functions: Path, text: str) -> int:
        """Compile; returns the compiler's exit status.

        Args:
            functions: those that are inlined.
            text: the file between the two calls, to be written.
        """
        first = [self.compiler, *self.options, *self._dependencies(), *_CLANG]
        last = "-S" if self.assembles else "-c"
        inlined = ("-Xclang", "-mlink-bitcode-file", "-Xclang", str(functions))
        command = [*first, *inlined, "-S", "-emit-llvm", self.source, "-o", text]
        status = subprocess.call(command)
        if status:
            return status
        file = Path(text)
        plain = list(complete(file.read_text().splitlines(keepends=True)))
        second = [self.compiler, *self._reused_options(), *_optimised(self.options), "-w"]
        second += [last, text, "-o", self.output]
        if (
            _optimised(self.options)
            and self._hoist_checks(plain, file)
            and subprocess.run(second, stderr=subprocess.DEVNULL, check=False).returncode == 0
        ):
            return 0
        file.write_text("".join(plain))
        return subprocess.call(second)

    @staticmethod
    def _hoist_checks(plain: Sequence[str], file: Path) -> bool:
        # Not where a compiler's text is other than is known, or too deep.
        try:
            file.write_text("".join(hoisted(plain)))
        except (LookupError, ValueError, RecursionError):
            return False
        return True

    def _dependencies(self) -> list[str]:
        # They are named by the output of the first call, if nothing else is said.
        words = []
        if any(word in ("-MD", "-MMD") for word in self.options):
            if not any(word.startswith("-MF") for word in self.options):
                words += ["-MF", str(Path(self.output).with_suffix(".d"))]
            if not any(word.startswith(("-MT", "-MQ")) for word in self.options):
                words += ["-MT", self.output]
        return words

    def _reused_options(self) -> list[str]:
        # The options but those of languages and preprocessors.
        words = []
        skip = False
        for word in self.options:
            if not skip and not word.startswith(("-x", "-include", "-imacros", "-M")):
                words.append(word)
            skip = not skip and word in ("-x", "-include", "-imacros", "-MF", "-MT", "-MQ")
        return words


def _optimised(options: Sequence[str]) -> tuple[str, ...]:
    levels = [word for word in options if word.startswith("-O")]
    return _FAST if levels and levels[-1] in ("-O2", "-O3", "-Ofast", "-O4") else ()


# What ThreadSanitizer passes over, or is told to: other sizes than 1, 2, 4, 8 and 16 bytes, parts
# of local variables, and atomic operations, which it would do itself.
_TYPE = r"x86_fp80|half|bfloat|float|double|ptr|i\d+\*?|<\d+ x [a-z]+\d*>"
_PLACE = (
    rf"(?P<pointer>ptr|(?:{_TYPE})\*) "
    r"(?P<address>%[^,\s]+|@[^,\s]+|(?:getelementptr|bitcast) .*\)(?=, align))"
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
_COPIES = re.compile(r"(?<=@)(?=mem(?:cpy|move|set)\()")
_LOOK = re.compile(r"  (?:tail )?call void @__tsan_")
_LOCATION = re.compile(r", !dbg !\d+")
_WIDTHS = {"half": 16, "bfloat": 16, "float": 32, "double": 64, "ptr": 64, "x86_fp80": 80}
_SEEN = (8, 16, 32, 64, 128)


def complete(lines: Sequence[str]) -> Iterator[str]:
    """A module's text with calls where there are none, and those of copies renamed."""
    count = 0
    for own, part in patterns.functions(lines):
        parts = reached(part) if own else ()
        before = ""
        for line in part:
            if own and line.startswith("  "):
                for added in _added(line, count, () if _LOOK.match(before) else parts):
                    count += 1
                    yield added
                if "call" in line and "@mem" in line:
                    line = _COPIES.sub("mpipp_inlined_", line)
            yield line
            before = line


def _added(line: str, number: int, parts: Collection[str]) -> Iterator[str]:
    # parts: of local variables, that are to be looked at here.
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
