# SPDX-License-Identifier: MIT
"""`mpipp cc`, `mpipp c++`, `mpipp fortran`: compile programs that check each load and store.

The commands call the user's MPI compiler with its sanitizer's instrumentation. Functions of mpipp
replace the sanitizer's (`wrapper/instrumentation/in_program/`). GCC checks shadow memory inline.
With Clang each object gets a copy of mpipp's functions, so a source is compiled in two calls.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from mpipp.cli.commands.compile_languages import LANGUAGES
from mpipp.common.errors import MpippError
from mpipp.common.lazy_dataclass import dataclass
from mpipp.toolchain.instrument import build_runtime, compile
from mpipp.toolchain.instrument.build_runtime import Compiler

_C_FAMILY = ("cc", "c++")
_SOURCES = (".c", ".i", ".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".ii")
# Options whose value is the next word.
_WITH_VALUE = frozenset(
    "-o -I -D -U -L -l -x -B -T -u -z -e -J -include -imacros -isystem -iquote -idirafter -isysroot"
    " -MF -MT -MQ -Xlinker -Xpreprocessor -Xassembler -Xclang -mllvm -target --param".split()
)
_NOT_COMPILED = frozenset(
    "-E -M -MM -fsyntax-only -### --help --version -V -dumpversion -dumpmachine -show -showme "
    "-compile_info -link_info --showme".split()
)
_ONLY_COMPILED = frozenset(("-c", "-S"))
# Options only for the linker, left out of a compilation, where Clang warns about them. These
# options have no value, a separate value, or the value in the same word.
_LINKED = frozenset(
    "-shared -static -static-pie -pie -no-pie -r -s -rdynamic -nostdlib -nostartfiles -nolibc"
    " -nodefaultlibs -static-libgcc -static-libstdc++ -shared-libgcc".split()
)
_LINKED_VALUE = frozenset("-l -L -T -u -z -e -Xlinker".split())
_LINKED_JOINED = ("-l", "-L", "-Wl,", "-fuse-ld=", "--ld-path=")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `mpipp cc` and similar commands; `run` parses them."""
    parser.add_argument(
        "--mpicc", metavar="COMPILER", help="call this MPI compiler (must be the first option)"
    )
    parser.add_argument(
        "arguments",
        nargs=argparse.REMAINDER,
        metavar="ARGUMENT",
        help="an argument of the compiler",
    )


def refuse(arguments: argparse.Namespace) -> int:
    """Report that the command has no arguments.

    Raises:
        MpippError: always.
    """
    raise MpippError(f"nothing to compile: see {arguments.prog} --help")


@dataclass(frozen=True)
class Line:
    """The command line of a compiler.

    Attributes:
        words: the whole command line.
        inputs: positions of the input files.
        sources: positions of the input files in C or C++.
        output: position of the value of -o; None if there is no -o.
    """

    words: tuple[str, ...]
    inputs: tuple[int, ...]
    output: int | None

    @property
    def sources(self) -> list[int]:
        """The positions of the inputs in C or C++."""
        return [one for one in self.inputs if self.words[one].endswith(_SOURCES)]

    @property
    def compiles(self) -> bool:
        """Return whether the compiler compiles or links, and does not just print information."""
        return bool(self.inputs) and not _NOT_COMPILED & set(self.words)

    @property
    def links(self) -> bool:
        """Return whether the compiler links."""
        return not _ONLY_COMPILED & set(self.words)

    def single_source(self) -> list[str]:
        """The options to compile one source, without names of files."""
        left = {i for i, word in enumerate(self.words) if _is_of_link(word)}
        left |= {i + 1 for i in left if self.words[i] in _LINKED_VALUE} | set(self.inputs)
        if self.output is not None:
            left |= {self.output - 1, self.output}
        words = ((i, word) for i, word in enumerate(self.words) if word not in _ONLY_COMPILED)
        return [word for i, word in words if i not in left]


def _is_of_link(word: str) -> bool:
    return word in _LINKED or word in _LINKED_VALUE or word.startswith(_LINKED_JOINED)


def parse(words: Sequence[str]) -> Line:
    """Parse a command line by the rules of the compiler."""
    words = [part for word in words for part in _apart(word)]
    inputs = []
    output = None
    value = ""  # the option whose value is the next word
    for position, word in enumerate(words):
        if value == "-o":
            output = position
        elif not value and not word.startswith("-"):
            inputs.append(position)
        value = word if not value and word in _WITH_VALUE else ""
    return Line(tuple(words), tuple(inputs), output)


def _apart(word: str) -> tuple[str, ...]:
    # -oFILE is -o FILE.
    return ("-o", word[2:]) if word.startswith("-o") and len(word) > 2 else (word,)


def run(command: str, words: Sequence[str]) -> int:
    """Compile or link; returns the compiler's exit status.

    Raises:
        MpippError: there is no compiler, mpipp does not support it, or the functions for the
            program
            cannot be built.
    """
    chosen, words = _chosen(words)
    wrapper = _compiler(command, chosen)
    line = parse(words)
    if not line.compiles:
        return subprocess.call([wrapper, *words])
    for word in words:
        if word.startswith("-fsanitize=") and word != "-fsanitize=undefined":
            raise MpippError(
                f"{word} cannot be combined with mpipp {command}, which uses the compiler's "
                "instrumentation itself: leave it out"
            )
    compiler = build_runtime.probe(wrapper)
    if compiler.is_clang:
        return _with_clang(wrapper, compiler, line)
    flags = [*compile.GCC, *words]
    if command in _C_FAMILY:
        flags += ["-include", str(build_runtime.included())]
    if line.links:
        flags += build_runtime.link_flags(compiler, shared="-shared" in words)
    return subprocess.call([wrapper, *flags])


def _chosen(words: Sequence[str]) -> tuple[str | None, list[str]]:
    if words and words[0].startswith("--mpicc="):
        return words[0].partition("=")[2], list(words[1:])
    if words and words[0] == "--mpicc":
        if len(words) == 1:
            raise MpippError("--mpicc: expected one argument")
        return words[1], list(words[2:])
    return None, list(words)


def _compiler(command: str, chosen: str | None) -> str:
    language = LANGUAGES[command]
    named = [chosen] if chosen else [os.environ.get(name, "") for name in language.variables]
    for name in filter(None, named):
        found = shutil.which(name)
        if found:
            return found
        raise MpippError(f"there is no compiler {name}: name one with --mpicc")
    for name in language.names:
        found = shutil.which(name)
        if found:
            return found
    raise MpippError(
        f"no MPI compiler for {language.title}: there is no {language.names[0]} on PATH and "
        f"{language.variables[0]} is not set; name one with --mpicc"
    )


def _with_clang(wrapper: str, compiler: Compiler, line: Line) -> int:
    words = list(line.words)
    functions = build_runtime.inlined(compiler)
    with tempfile.TemporaryDirectory(prefix="mpipp-") as directory:
        for number, position in enumerate(line.sources):
            source = words[position]
            output = words[line.output] if line.output is not None else Path(source).stem
            if line.links:
                output = f"{directory}/{number}.o"
            elif line.output is None:
                output += ".s" if "-S" in words else ".o"
            step = compile.Step(wrapper, source, output, line.single_source(), "-S" in words)
            status = step.run(functions, f"{directory}/{number}.ll")
            if status:
                return status
            words[position] = output
        if not line.links:
            return 0
        words += build_runtime.link_flags(compiler, "-shared" in words)
        return subprocess.call([wrapper, *words])
