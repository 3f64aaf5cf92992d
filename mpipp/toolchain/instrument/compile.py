# SPDX-License-Identifier: MIT
"""Calls compilers so that each load and store of a program is seen to.

Clang is called twice. Its ThreadSanitizer adds calls of functions to the program, as text of its
intermediate language. Then that is compiled with the functions inlined. Before, loops are neither
vectorised nor unrolled; afterwards those without checks are.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mpipp.toolchain.instrument.llvm_ir.add_missing_checks import complete
from mpipp.toolchain.instrument.llvm_ir.hoist_loop_checks import hoisted

# Errors are reported, and the program continues; the shadow is that of interface.h, checked inline.
GCC = (
    "-fsanitize=kernel-address",
    "-fasan-shadow-offset=0x7fff8000",
    # With zones around a frame's variables, and visibility outside their scope, GCC also
    # instruments variables that are used by name.
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
        plain = list(complete(file.read_text().splitlines(keepends=True), self.source))
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
        # The options except those of languages and preprocessors.
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
