# SPDX-License-Identifier: MIT
"""Calls a compiler so that each load and store of a program is checked.

Clang is called twice. In the first call, its ThreadSanitizer adds calls of functions to the
program, in the text form of LLVM IR. The second call compiles that, and inlines the functions.
Loops are vectorised and unrolled only in the second call, if they contain no checks.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from mpipp.common.lazy_dataclass import dataclass
from mpipp.toolchain.instrument.llvm_ir.add_missing_checks import complete
from mpipp.toolchain.instrument.llvm_ir.hoist_loop_checks import hoisted

# Report errors and continue; check the shadow memory of interface.h inline.
GCC = (
    "-fsanitize=kernel-address",
    "-fasan-shadow-offset=0x7fff8000",
    # GCC also instruments variables that are used by name if they have red zones in the frame, and
    # are checked outside their scope.
    *("--param", "asan-stack=1", "-fsanitize-address-use-after-scope"),
    *("--param", "asan-use-after-return=0", "--param", "asan-globals=0"),
    *("--param", "asan-instrument-allocas=0"),
    *("--param", "asan-instrumentation-with-call-threshold=1000000000"),
    "-U__SANITIZE_ADDRESS__",
    "-fno-optimize-sibling-calls",  # so that the caller of memcpy stays on the stack
    "-fno-inline-atomics",  # calls functions, which the linker replaces
)
_CLANG = (
    "-fsanitize=thread",
    *("-mllvm", "-tsan-instrument-func-entry-exit=0"),
    "-fno-optimize-sibling-calls",
    *("-fno-vectorize", "-fno-slp-vectorize"),
    *("-mllvm", "-unroll-runtime=0", "-mllvm", "-unroll-allow-partial=0"),
)
_FAST = ("-O3", "-mllvm", "-enable-nontrivial-unswitch")


@dataclass(frozen=True)
class Step:
    """The compilation of one source by Clang.

    Attributes:
        compiler: the MPI compiler.
        source: the source file.
        output: the object file, or with `assembles` the file of assembler code.
        options: the user's options, without files.
    """

    compiler: str
    source: str
    output: str
    options: list[str]
    assembles: bool

    def run(self, functions: Path, text: str) -> int:
        """Compile; returns the compiler's exit status.

        Args:
            functions: the bitcode of the functions to inline.
            text: the path of the temporary file between the two calls.
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
        # Do nothing if the text of this Clang has an unknown form, or is nested too deeply.
        try:
            file.write_text("".join(hoisted(plain)))
        except (LookupError, ValueError, RecursionError):
            return False
        return True

    def _dependencies(self) -> list[str]:
        # Name the dependency file and target like the object, because the first call has another
        # output.
        words = []
        if any(word in ("-MD", "-MMD") for word in self.options):
            if not any(word.startswith("-MF") for word in self.options):
                words += ["-MF", str(Path(self.output).with_suffix(".d"))]
            if not any(word.startswith(("-MT", "-MQ")) for word in self.options):
                words += ["-MT", self.output]
        return words

    def _reused_options(self) -> list[str]:
        # The options without those of language and preprocessor, which the first call has used.
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
