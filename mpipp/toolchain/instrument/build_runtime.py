# SPDX-License-Identifier: MIT
"""The code that `mpipp cc` adds to programs, built once for a compiler in the user's cache.

The sources are in `wrapper/instrumentation/in_program/`. The sources become two static libraries,
for executables and for shared libraries, and for Clang functions to inline.
"""

from __future__ import annotations

import hashlib
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from mpipp import __version__
from mpipp.common.cache import build_directory, install, trusted
from mpipp.common.errors import MpippError
from mpipp.common.lazy_dataclass import dataclass
from mpipp.common.text.sanitize import plain
from mpipp.common.wrapper_sources import source_directory
from mpipp.toolchain.build_progress import BuildProgress
from mpipp.toolchain.build_wrapper import report_cache_directory

_FLAGS = ("-x", "c", "-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden")
# Seconds before progress is shown. Build systems that read stderr never see it.
_SILENT = 2.0
# The linker replaces calls of these functions. GCC does not instrument them, and Clang only in
# sources that it compiles itself.
_WRAPPED = ("memcpy", "memmove", "memset")
# The functions that GCC calls for atomic operations, with the bytes of their values.
_CHANGES = ("add", "sub", "and", "or", "xor", "nand")
_ATOMICS = (
    "__atomic_is_lock_free",
    *(
        f"__atomic_{word}_{size}"
        for size in (1, 2, 4, 8)
        for word in (
            *("load", "store", "exchange", "compare_exchange"),
            *(f"fetch_{change}" for change in _CHANGES),
            *(f"{change}_fetch" for change in _CHANGES),
        )
    ),
)
# A symbol that GCC's objects need. Object files whose code only marks frames do not refer to this
# symbol.
_SHADOW = "mpipp_need_shadow"
_EXECUTABLE, _SHARED, _INLINED = "libmpipp_executable.a", "libmpipp_shared.a", "inlined.bc"
# Attributes of functions that inlined checks call. The attributes promise that the program cannot
# notice the functions' effects, so it need not load checked values again.
_APART = {
    "mpipp_inlined_(?:load|store|comb)": "inaccessiblememonly nounwind cold",
    "mpipp_inlined_span": "inaccessiblememonly readonly nounwind willreturn",
}


@dataclass(frozen=True)
class Compiler:
    """The compiler that an MPI compiler calls.

    Attributes:
        path: the path of the program.
        version: the first line of its version output.
        is_clang: True for Clang, False for GCC.
    """

    path: str
    version: str
    is_clang: bool


def probe(wrapper: str) -> Compiler:
    """The compiler that an MPI compiler calls, or the compiler itself if it is none of MPI's.

    Raises:
        MpippError: it is neither GCC nor Clang, or does not compile for x86-64.
    """
    shown = _output([wrapper, "-show"])
    words = shlex.split(shown) if shown and "\n" not in shown.strip() else []
    path = shutil.which(words[0]) if words else None
    path = path or wrapper
    said = _output([path, "--version"])
    version = said.partition("\n")[0]
    is_clang = "clang version" in version or "oneAPI" in version
    if not is_clang and "Free Software Foundation" not in said:
        raise MpippError(
            f"{wrapper} calls {path}, which is neither GCC nor Clang: name another with --mpicc"
        )
    machine = _output([path, "-dumpmachine"])
    if not machine.startswith("x86_64"):
        raise MpippError(
            f"{path} compiles for {machine.strip()}: mpipp instruments programs only for x86-64"
        )
    return Compiler(path, version, is_clang)


def _output(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""


def link_flags(compiler: Compiler, shared: bool) -> list[str]:
    """The linker flags for a program or a shared library. The flags come last on the command line.

    Raises:
        MpippError: the libraries cannot be built.
    """
    library = _built(compiler) / (_SHARED if shared else _EXECUTABLE)
    needed = [] if compiler.is_clang else [f"-Wl,-u,{_SHADOW}"]
    wrapped = _WRAPPED if compiler.is_clang else _WRAPPED + _ATOMICS
    return [*(f"-Wl,--wrap={name}" for name in wrapped), *needed, str(library)]


def included() -> Path:
    """The header that GCC includes before a source in C or C++."""
    return source_directory() / "instrumentation" / "in_program" / "atomics.h"


def inlined(compiler: Compiler) -> Path:
    """The bitcode of the functions that Clang inlines.

    Raises:
        MpippError: the bitcode cannot be built.
    """
    return _built(compiler) / _INLINED


def _built(compiler: Compiler) -> Path:
    sources = source_directory() / "instrumentation" / "in_program"
    digest = hashlib.sha256("\0".join([compiler.path, compiler.version, *_FLAGS]).encode())
    for file in (*sorted(sources.iterdir()), Path(__file__)):
        digest.update(file.read_bytes())
    name = re.sub(r"[^\w.+-]", "_", Path(compiler.path).name)
    cache = trusted()
    report_cache_directory(cache)
    directory = cache.path / f"program-{name}-{__version__}-{digest.hexdigest()[:12]}"
    if directory.exists():
        return directory
    with build_directory(cache.path) as work:
        _build(compiler, sources, work)
        install(work, directory)
    return directory


def _build(compiler: Compiler, sources: Path, work: Path) -> None:
    progress = BuildProgress("the code for instrumented programs", silent=_SILENT)
    names = [
        "runtime",
        "atomics",
        *(["inline_checks"] if compiler.is_clang else []),
        *2 * ["kasan_shadow"],
    ]
    sizes = [(sources / f"{name}.c").stat().st_size for name in names]
    progress.begin(sum(sizes), 1)
    has_built = False
    try:
        for number, _ in enumerate(_compile_all(compiler, sources, work), 1):
            progress.done(number, len(sizes), sum(sizes[:number]) / sum(sizes))
        has_built = True
    finally:
        progress.end(has_built)


def _compile_all(compiler: Compiler, sources: Path, work: Path) -> Iterator[None]:
    # Yields after each source, to show progress.
    runtime = _object(compiler, sources, work, "runtime")
    yield
    atomics = _object(compiler, sources, work, "atomics")
    yield
    if compiler.is_clang:
        _inline(compiler, sources, work)
        yield
    for library, flag in ((_EXECUTABLE, "-DMPIPP_EXECUTABLE"), (_SHARED, "-DMPIPP_SHARED")):
        shadowed = _object(compiler, sources, work, "kasan_shadow", flag)
        _run(["ar", "rcs", str(work / library), runtime, atomics, shadowed])
        yield


def _object(compiler: Compiler, sources: Path, work: Path, name: str, *flags: str) -> str:
    output = work / f"{name}.o"
    source = str(sources / f"{name}.c")
    _run(
        [compiler.path, *_FLAGS, f"-I{sources.parents[1]}", *flags, "-c", source, "-o", str(output)]
    )
    return str(output)


def _inline(compiler: Compiler, sources: Path, work: Path) -> None:
    # C cannot declare these attributes, so add them to LLVM's text. If this version of Clang does
    # not accept them, compile without them.
    text, output = work / "inlined.ll", work / _INLINED
    flags = ("-O1", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm")
    source = str(sources / "inline_checks.c")
    _run([compiler.path, *_FLAGS, f"-I{sources.parents[1]}", *flags, source, "-o", str(text)])
    untold = told = text.read_text()
    for name, known in _APART.items():
        declared = re.compile(rf"^(declare .*@{name}\([^)]*\)).*$", re.MULTILINE)
        told = declared.sub(rf"\1 {known}", told)
    text.write_text(told)
    command = [compiler.path, "-c", "-emit-llvm", str(text), "-o", str(output)]
    if subprocess.run(command, capture_output=True, check=False).returncode == 0:
        return
    said = (
        f"mpipp: what {compiler.version} makes of mpipp's functions is not known: loops are not "
        "compiled twice, and programs may take twice as long"
    )
    print(plain(said), file=sys.stderr)
    text.write_text(untold)
    _run(command)


def _run(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise MpippError(f"cannot start {command[0]}: {error.strerror}") from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line] or ["no message"]
        raise MpippError(
            f"the code that mpipp adds to programs does not compile: {lines[0].strip()}"
        )
