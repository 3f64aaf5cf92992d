# SPDX-License-Identifier: MIT
"""Builds the wrapper for one MPI library in the user's cache directory, once.

A build is a directory: the recorder `NAME/libmpipp_FLAVOR.so`, gdb's auto-load script, and the
libraries of the other parts. NAME depends on everything that can change the result. The directory
appears completely or not at all. So several builders (the ranks of a job, the workers of a test
run) need not wait for each other.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from mpipp import __version__
from mpipp.common import file_trust
from mpipp.common.cache import Cache, build_directory, cache_directory, install, trusted
from mpipp.common.errors import MpippError
from mpipp.common.lazy_dataclass import dataclass
from mpipp.common.text.sanitize import plain
from mpipp.common.wrapper_sources import source_directory
from mpipp.toolchain import elf
from mpipp.toolchain.build_progress import BuildProgress
from mpipp.toolchain.mpi_libraries import TITLES, Flavor, Mpi
from mpipp.watcher.ipc.launch import INTERPOSER, PARTS, SCREEN, part_path

# -g: gdb needs debug information to read the parameters at the entry of a call. Without vectors:
# GCC would join the stores of two constants, which costs six instructions for each request.
_FLAGS = (
    *("-std=gnu11", "-O2", "-fno-tree-slp-vectorize", "-g"),
    *("-fPIC", "-fvisibility=hidden", "-fno-semantic-interposition", "-Wall", "-Wextra"),
    *("-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"),
)
# -Bsymbolic: calls inside a library stay direct, although other libraries may call the functions,
# too (abi/seam.h).
_LINK_FLAGS = ("-shared", "-ldl", "-lpthread", "-Wl,-z,now", "-Wl,-Bsymbolic")

# The source folders of each of PARTS. All other folders belong to the recorder.
_FOLDERS = {
    "check": ("collective_precheck",),
    "guard": ("buffer_guard", "instrumentation"),
    "rma": ("rma_log", "rma_page_trace", "thread_order"),
    "perturb": ("perturb",),
    "hold": ("debugger",),
    "death": ("death_signals",),
}
# Parts that a part needs beside the recorder, and that are loaded with it.
_USES = {"rma": ("guard",), "perturb": ("guard",)}

_INTERPOSER = "libc_interposer"  # the sources of the library that is loaded before the C library
_SCREEN = "rma_screen"  # the sources of the library that the watcher loads
_IN_PROGRAM = "instrumentation/in_program"  # built by toolchain/instrument/build_runtime.py

_MEMCHECK = "/usr/include/valgrind/memcheck.h"  # optional: compiled in if valgrind is installed

_PACKAGE = Path(__file__).resolve().parent.parent

# gdb runs NAME-gdb.py when the program loads NAME, if the auto-load safe-path allows it.
_AUTOLOAD = """\
# Written by mpipp when it built the wrapper beside this file: gdb runs it when it loads the
# wrapper.
import os
import sys

import gdb

PRINTERS = {printers!r}
TRUST = {trust!r}


def _load():
    rules = {{}}
    exec(TRUST, rules)
    problem = rules["problem"](PRINTERS)
    if problem:
        sys.stderr.write("mpipp: not loaded: " + problem + "\\n")
    else:
        gdb.execute("source " + PRINTERS)


if "mpipp.gdb" not in sys.modules and os.path.exists(PRINTERS):
    _load()
"""


def library_path(mpi: Mpi) -> Path:
    """The path of the wrapper for `mpi`, built or not.

    Raises:
        MpippError: the C sources are missing, LD_PRELOAD cannot contain the path, or there is no
            directory that only this user can write.
    """
    return _library_in(usable_cache(), mpi)


def _library_in(cache: Cache, mpi: Mpi) -> Path:
    name = re.sub(r"[^\w.+-]", "_", f"{mpi.flavor.key}-{mpi.version}-{__version__}")
    directory = cache.path / f"{name}-{_own_fingerprint()}-{_fingerprint(mpi)}"
    return directory / f"libmpipp_{mpi.flavor.key}.so"


def newest(flavor: Flavor, library: str) -> Mpi | None:
    """The MPI of the newest wrapper that this version of mpipp has built; None if there is none.

    Prefers a wrapper for the same version as the program's MPI library.

    Args:
        flavor: the ABI of the program.
        library: the path of the MPI library that the program loads.
    """
    cache = usable_cache()
    mark = f"-{__version__}-{_own_fingerprint()}-"
    name = f"libmpipp_{flavor.key}.so"
    found = {
        path: path.parent.name[len(flavor.key) + 1 :].partition(mark)[0]
        for path in cache.path.glob(f"{flavor.key}-*{mark}*/{name}")
    }
    if not found:
        return None
    report_cache_directory(cache)
    try:
        text = Path(library).read_bytes()
    except OSError:
        text = b""
    order = {path: (found[path].encode() in text, path.stat().st_mtime) for path in found}
    best = max(found, key=lambda path: order[path])
    version, title = found[best], TITLES[flavor.key]
    return Mpi("", flavor, f"{title} {version}", version, "", (), (), library, str(best))


def usable_cache() -> Cache:
    """The cache directory, whose path LD_PRELOAD can contain.

    Raises:
        MpippError: LD_PRELOAD cannot contain the path, or there is no directory that only this
            user can write.
    """
    _expect_holdable(cache_directory())
    cache = trusted()
    _expect_holdable(cache.path)
    return cache


def _expect_holdable(cache: Path) -> None:
    # The dynamic loader splits LD_PRELOAD at blanks and colons, which cannot be quoted.
    if re.search(r"[\s:]", str(cache)):
        raise MpippError(
            f"the cache directory {cache} has a space or a colon in its name, which "
            "LD_PRELOAD cannot hold: set MPIPP_CACHE to another directory"
        )


def report_cache_directory(cache: Cache) -> None:
    """Report on stderr, once, that builds are not in the user's usual cache, with the reason."""
    if cache.problem:
        _say(
            f"mpipp: the cache directory is {cache.path}, which other nodes may not see, "
            f"instead of {cache_directory()}: {cache.problem}"
        )


@functools.cache
def _say(sentence: str) -> None:
    print(plain(sentence), file=sys.stderr)


def build(
    mpi: Mpi,
    *,
    force: bool = False,
    shows_progress: bool = False,
    extra_flags: Sequence[str] = (),
) -> Path:
    """Build the wrapper for `mpi`, unless it exists already.

    Args:
        force: build it even if it exists.
        shows_progress: show the progress on stderr.
        extra_flags: flags for the C compiler that do not change the result, such as -Werror.

    Returns:
        The path of the library for LD_PRELOAD.

    Raises:
        MpippError: the cache cannot be written, the sources are missing, or they do not compile.
    """
    cache = usable_cache()
    library = _library_in(cache, mpi)
    report_cache_directory(cache)
    if library.exists() and not force:
        return library
    with build_directory(library.parent.parent) as work:
        progress = BuildProgress(f"the wrapper for {mpi.name}") if shows_progress else None
        has_built = False
        try:
            _compile(mpi, work, library, extra_flags, progress)
            write_autoload(work / library.name)
            install(work, library.parent)
            has_built = True
        finally:
            if progress is not None:
                progress.end(has_built)
    return library


@dataclass(frozen=True)
class Commands:
    """The commands that build the wrapper: independent compilations, and the links after them.

    Attributes:
        compile: the compilations, the largest source first.
        link: the commands that link the libraries; each library may need earlier ones.
        separate: the commands that build a library from its sources: the libc interposer, and the
            watcher's library.
    """

    compile: list[list[str]]
    link: list[list[str]]
    separate: list[list[str]]


def commands(
    mpi: Mpi,
    build_directory: Path,
    output: Path,
    *,
    compiler: str = "",
    extra_flags: Sequence[str] = (),
) -> Commands:
    """The commands that build the wrapper. Call `write_have` before you run them.

    Args:
        build_directory: the directory of mpipp_have.h and the object files.
        output: the path of the recorder. The libraries of the parts are built beside it.
        compiler: the C compiler, if not the one that the MPI compiler calls.
        extra_flags: more flags for the compiler.
    """
    sources = source_directory()
    interposing = sorted((sources / _INTERPOSER).glob("*.c"))
    screening = sorted((sources / _SCREEN).glob("*.c"))
    others = {*interposing, *screening, *(sources / _IN_PROGRAM).iterdir()}
    files = sorted(set(sources.rglob("*.c")) - others)
    start = [compiler or mpi.compiler, *_FLAGS, *extra_flags]
    where = [f"-I{sources}", f"-I{build_directory}"]
    where += [f"-DMPIPP_FOR_{mpi.flavor.key.upper()}=1", *mpi.flags]
    objects = {
        file: str(build_directory / ("_".join(file.relative_to(sources).parts)[:-2] + ".o"))
        for file in files
    }
    of_part: dict[str, list[str]] = {name: [] for name in ("", *PARTS)}
    for file, made in objects.items():
        of_part[_part(file.relative_to(sources))].append(made)
    return Commands(
        [
            [*start, *where, *_part_flag(file.relative_to(sources)), "-c", str(file), "-o", to]
            for file, to in sorted(objects.items(), key=lambda one: -one[0].stat().st_size)
        ],
        [[*start, *_linked(name, of_part[name], output)] for name in of_part],
        [
            [
                *start,
                f"-I{sources}",
                *map(str, interposing),
                *_LINK_FLAGS,
                *(f"-Wl,--version-script={one}" for one in (sources / _INTERPOSER).glob("*.def")),
                "-o",
                str(output.with_name(INTERPOSER)),
            ],
            [
                *start,
                f"-I{sources}",
                *map(str, screening),
                *_LINK_FLAGS,
                "-o",
                str(output.with_name(SCREEN)),
            ],
        ],
    )


def _part(source: Path) -> str:
    # The part that a source belongs to; "" for the recorder.
    names = (name for name, folders in _FOLDERS.items() if source.parts[0] in folders)
    return next(names, "")


def _part_flag(source: Path) -> list[str]:
    return ["-DMPIPP_PART"] if _part(source) else []


def _linked(name: str, objects: Sequence[str], recorder: Path) -> list[str]:
    # A part finds the recorder by its soname, because it is already loaded, or else in its own
    # directory.
    library = part_path(str(recorder), name) if name else str(recorder)
    words = [*objects, *_LINK_FLAGS, f"-Wl,-soname,{os.path.basename(library)}", "-o", library]
    if name:
        used = [str(recorder), *(part_path(str(recorder), one) for one in _USES.get(name, ()))]
        words += [*used, "-Wl,-rpath,$ORIGIN"]
    return words


def run_all(
    compilations: Sequence[Sequence[str]], done: Callable[[int], None] = lambda number: None
) -> list[subprocess.CompletedProcess[str]]:
    """Run commands in parallel on the processors of this process. Results have the order of
    commands.

    Args:
        done: called with the number of each command that has ended, in any order.
    """
    from concurrent.futures import ThreadPoolExecutor, as_completed  # slow to import

    with ThreadPoolExecutor(_processors()) as pool:
        numbers = {pool.submit(_run, one): number for number, one in enumerate(compilations)}
        for ended in as_completed(numbers):
            done(numbers[ended])
    return [ended.result() for ended in numbers]


def _processors() -> int:
    return len(os.sched_getaffinity(0))


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def write_have(mpi: Mpi, build_directory: Path) -> None:
    """Write mpipp_have.h, with MPIPP_HAVE_<procedure> for each procedure in the MPI header."""
    (build_directory / "mpipp_have.h").write_text(_have(mpi))


def _have(mpi: Mpi) -> str:
    built_with = f"{mpi.mpicc} {mpi.name}".replace("\\", "\\\\").replace('"', '\\"')
    lines = [f"#define MPIPP_HAVE_{name} 1" for name in mpi.procedures]
    return "\n".join([*lines, f'#define MPIPP_BUILT_WITH "{built_with}"', ""])


def write_autoload(library: Path) -> None:
    """Write the script that gdb loads with the wrapper, beside it."""
    library.with_name(f"{library.name}-gdb.py").write_text(_autoload())


def _autoload() -> str:
    rules = Path(file_trust.__file__).read_text(encoding="utf-8")
    return _AUTOLOAD.format(printers=str(_PACKAGE / "gdb_printers.py"), trust=rules)


def _own_fingerprint() -> str:
    # Hash those inputs of a build that the name of its directory does not contain.
    sources = source_directory()
    parts = repr((_FOLDERS, _USES))
    digest = hashlib.sha256("\0".join([_autoload(), *_FLAGS, *_LINK_FLAGS, parts]).encode())
    for file in sorted(sources.rglob("*")):
        if file.suffix in (".c", ".h", ".inc", ".def"):
            digest.update(f"\0{file.relative_to(sources)}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:10]


def _fingerprint(mpi: Mpi) -> str:
    # A hash of the machine's inputs to a build.
    compiler = _run([mpi.compiler, "--version"])
    parts = [compiler.stdout.partition("\n")[0], mpi.compiler, _have(mpi)]
    parts += [*mpi.flags, str(os.path.exists(_MEMCHECK))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:10]


def _shown(
    progress: BuildProgress | None, compilations: Sequence[Sequence[str]]
) -> Callable[[int], None]:
    # A function that shows how many of these commands have ended.
    if progress is None:
        return lambda number: None
    sizes = [
        sum(os.path.getsize(word) for word in command if word.endswith(".c"))
        for command in compilations
    ]
    progress.begin(sum(sizes), _processors())
    ended: list[int] = []

    def done(number: int) -> None:
        ended.append(sizes[number])
        progress.done(len(ended), len(sizes), sum(ended) / max(sum(sizes), 1))

    return done


def _compile(
    mpi: Mpi,
    work: Path,
    library: Path,
    extra_flags: Sequence[str],
    progress: BuildProgress | None,
) -> None:
    output = work / library.name
    with tempfile.TemporaryDirectory(dir=work) as objects:
        write_have(mpi, Path(objects))
        steps = commands(mpi, Path(objects), output, extra_flags=extra_flags)
        compilations = [*steps.compile, *steps.separate]
        done = run_all(compilations, _shown(progress, compilations))
        failed = [one for one in done if one.returncode != 0]
        for link in [] if failed else steps.link:
            failed += [one for one in [_run(link)] if one.returncode != 0]
    problem = _first_error(failed[0]) if failed else _foreign_references(work)
    log = library.parent.parent / f"failed-{library.parent.name}.log"
    if problem:
        log.write_text("".join(_logged(done) for done in failed))
        raise MpippError(
            f"the wrapper for {mpi.name} does not compile: {problem}; all of it is in {log}"
        )
    log.unlink(missing_ok=True)


def _logged(done: subprocess.CompletedProcess[str]) -> str:
    return " ".join(done.args) + "\n" + done.stdout + done.stderr


def _first_error(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line for line in done.stderr.splitlines() if "error:" in line or "undefined" in line]
    if lines:
        return lines[0].strip()
    if done.returncode < 0:
        return f"the compiler was ended by {signal.Signals(-done.returncode).name}: try again"
    return "the compiler failed without an error message"


def _foreign_references(directory: Path) -> str:
    # The wrapper must find MPI at run time. With an undefined reference to MPI, no other program
    # that inherits LD_PRELOAD would start.
    for library in sorted(directory.glob("*.so")):
        for name in elf.needed(str(library)):
            if name.startswith("libmpi") and not name.startswith("libmpipp_"):
                return f"it is linked with {name}"
        for name in elf.undefined(str(library)):
            if re.match(r"P?MPIX?_|ompi_|MPIR_", name):
                return f"it refers to {name} of the MPI library"
    return ""
