# SPDX-License-Identifier: MIT
"""Builds the wrapper for one MPI, once, in the user's cache directory.

A build is one directory, `NAME/libmpipp_FLAVOR.so` with gdb's auto-load script beside it, and the
library that is loaded, too, where it is told of memory. It is named by everything that can change
the result, and appears whole or not at all, so several builders (the ranks of a job, the workers of
a test run) need not wait for each other.
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
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mpipp import __version__
from mpipp.common import file_trust
from mpipp.common.cache import Cache, build_directory, cache_directory, install, trusted
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.toolchain import elf
from mpipp.toolchain.mpi_libraries import TITLES, Flavor, Mpi
from mpipp.watcher.ipc.launch import BESIDE

# -g: at the entry of a call the debugger reads the parameters by their names. Vectors of two
# constants cost GCC more than it saves: six instructions in every call that makes a request.
_FLAGS = (
    *("-std=gnu11", "-O2", "-fno-tree-slp-vectorize", "-g"),
    *("-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra"),
    *("-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"),
)
_LINK_FLAGS = ("-shared", "-ldl", "-lpthread", "-Wl,-z,now")

_INTERPOSER = "libc_interposer"  # the sources of the library beside
_IN_PROGRAM = "instrumentation/in_program"  # built by toolchain/instrument/build_runtime.py

_MEMCHECK = "/usr/include/valgrind/memcheck.h"  # which the wrapper uses where it is

_PACKAGE = Path(__file__).resolve().parent.parent

# gdb runs NAME-gdb.py when the program loads NAME, where its auto-load safe-path allows.
_AUTOLOAD = """\
# Written by mpipp when it built the wrapper beside this file: gdb runs it when that is loaded.
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


def source_directory() -> Path:
    """The wrapper's C sources: shipped in the package, or those of the checkout.

    Raises:
        MpippError: there are none.
    """
    for directory in (_PACKAGE / "_wrapper", _PACKAGE.parent / "wrapper"):
        if any(directory.rglob("*.c")):
            return directory
    raise MpippError(f"the wrapper's C sources are not in {_PACKAGE}: install mpipp again")


def library_path(mpi: Mpi) -> Path:
    """Where the wrapper for `mpi` is, or will be once it is built.

    Raises:
        MpippError: the C sources are missing, LD_PRELOAD cannot hold the path, or there is no
            directory that others cannot have written.
    """
    cache = _cache().path
    name = re.sub(r"[^\w.+-]", "_", f"{mpi.flavor.key}-{mpi.version}-{__version__}")
    directory = cache / f"{name}-{_own_fingerprint()}-{_fingerprint(mpi)}"
    return directory / f"libmpipp_{mpi.flavor.key}.so"


def newest(flavor: Flavor, library: str) -> Mpi | None:
    """What is known of an MPI for which this version of mpipp has built a wrapper.

    Where there are several, it is one of the library's version if there is one, else the newest.

    Args:
        flavor: of the program.
        library: path of the MPI library that it loads.
    """
    cache = _cache()
    mark = f"-{__version__}-{_own_fingerprint()}-"
    name = f"libmpipp_{flavor.key}.so"
    found = {
        path: path.parent.name[len(flavor.key) + 1 :].partition(mark)[0]
        for path in cache.path.glob(f"{flavor.key}-*{mark}*/{name}")
    }
    if not found:
        return None
    say_where(cache)
    try:
        text = Path(library).read_bytes()
    except OSError:
        text = b""
    order = {path: (found[path].encode() in text, path.stat().st_mtime) for path in found}
    best = max(found, key=lambda path: order[path])
    version, title = found[best], TITLES[flavor.key]
    return Mpi("", flavor, f"{title} {version}", version, "", (), (), library, str(best))


def _cache() -> Cache:
    _expect_holdable(cache_directory())
    cache = trusted()
    _expect_holdable(cache.path)
    return cache


def _expect_holdable(cache: Path) -> None:
    # The dynamic loader splits LD_PRELOAD at both, and knows no way to quote them.
    if re.search(r"[\s:]", str(cache)):
        raise MpippError(
            f"the cache directory {cache} has a space or a colon in its name, which "
            "LD_PRELOAD cannot hold: set MPIPP_CACHE to another"
        )


def say_where(cache: Cache) -> None:
    """Say on the error stream, once, that builds are not kept where the user has it, and why."""
    if cache.problem:
        _say(
            f"mpipp: the cache directory is {cache.path}, which other nodes may not see, and not "
            f"{cache_directory()}: {cache.problem}"
        )


@functools.cache
def _say(sentence: str) -> None:
    print(plain(sentence), file=sys.stderr)


def build(
    mpi: Mpi,
    *,
    force: bool = False,
    progress: Callable[[str], None] = lambda text: None,
    extra_flags: Sequence[str] = (),
) -> Path:
    """Build the wrapper for `mpi`, unless that was done before.

    Args:
        force: build it again even then.
        progress: called with pieces of text while building.
        extra_flags: more flags for the C compiler, which do not change what is built: -Werror.

    Returns:
        The path of the library, to be put in LD_PRELOAD of the program.

    Raises:
        MpippError: the cache cannot be written, the sources are missing, or they do not compile.
    """
    library = library_path(mpi)
    say_where(_cache())
    if library.exists() and not force:
        return library
    with build_directory(library.parent.parent) as work:
        progress(f"building the wrapper for {mpi.name} ...")
        start = time.monotonic()
        try:
            _compile(mpi, work, library, extra_flags)
            (work / f"{library.name}-gdb.py").write_text(_autoload())
            install(work, library.parent)
        finally:
            progress(f" {time.monotonic() - start:.1f} s\n")
    return library


@dataclass(frozen=True)
class Commands:
    """How to build the wrapper: compilations, independent of each other, and the link after them.

    Attributes:
        compile: the largest source first.
        link: what makes the library of the object files.
        beside: what makes the other library, of its source.
    """

    compile: list[list[str]]
    link: list[str]
    beside: list[str]


def commands(
    mpi: Mpi,
    build_directory: Path,
    output: Path,
    *,
    compiler: str = "",
    extra_flags: Sequence[str] = (),
) -> Commands:
    """The commands that build the wrapper; `write_have` must have been here before.

    Args:
        build_directory: holds mpipp_have.h, and the object files later.
        compiler: the C compiler, if not the one that the MPI compiler calls.
        extra_flags: more flags for it.
    """
    sources = source_directory()
    beside = sorted((sources / _INTERPOSER).glob("*.c"))
    others = {*beside, *(sources / _IN_PROGRAM).iterdir()}
    files = sorted(set(sources.rglob("*.c")) - others)
    start = [compiler or mpi.compiler, *_FLAGS, *extra_flags]
    where = [f"-I{sources}", f"-I{build_directory}"]
    where += [f"-DMPIPP_FOR_{mpi.flavor.key.upper()}=1", *mpi.flags]
    objects = {
        file: str(build_directory / ("_".join(file.relative_to(sources).parts)[:-2] + ".o"))
        for file in files
    }
    largest_first = sorted(files, key=lambda file: -file.stat().st_size)
    return Commands(
        [[*start, *where, "-c", str(file), "-o", objects[file]] for file in largest_first],
        [*start, *objects.values(), *_LINK_FLAGS, "-o", str(output)],
        [
            *start,
            f"-I{sources}",
            *map(str, beside),
            *_LINK_FLAGS,
            *(f"-Wl,--version-script={one}" for one in (sources / _INTERPOSER).glob("*.def")),
            "-o",
            str(output.with_name(BESIDE)),
        ],
    )


def run_all(compilations: Sequence[Sequence[str]]) -> list[subprocess.CompletedProcess[str]]:
    """Run commands, as many at a time as this process may use processors; results in order."""
    from concurrent.futures import ThreadPoolExecutor  # takes some time to load

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(_run, compilations))


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def write_have(mpi: Mpi, build_directory: Path) -> None:
    """Write mpipp_have.h: what the MPI header declares, as MPIPP_HAVE_<procedure>."""
    (build_directory / "mpipp_have.h").write_text(_have(mpi))


def _have(mpi: Mpi) -> str:
    built_with = f"{mpi.mpicc} {mpi.name}".replace("\\", "\\\\").replace('"', '\\"')
    lines = [f"#define MPIPP_HAVE_{name} 1" for name in mpi.procedures]
    return "\n".join([*lines, f'#define MPIPP_BUILT_WITH "{built_with}"', ""])


def _autoload() -> str:
    rules = Path(file_trust.__file__).read_text(encoding="utf-8")
    return _AUTOLOAD.format(printers=str(_PACKAGE / "gdb_printers.py"), trust=rules)


def _own_fingerprint() -> str:
    # Of everything of mpipp's that goes into a build and is not in its name.
    sources = source_directory()
    digest = hashlib.sha256("\0".join([_autoload(), *_FLAGS, *_LINK_FLAGS]).encode())
    for file in sorted(sources.rglob("*")):
        if file.suffix in (".c", ".h", ".inc", ".def"):
            digest.update(f"\0{file.relative_to(sources)}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:10]


def _fingerprint(mpi: Mpi) -> str:
    # The same of the machine's.
    compiler = _run([mpi.compiler, "--version"])
    parts = [compiler.stdout.partition("\n")[0], mpi.compiler, _have(mpi)]
    parts += [*mpi.flags, str(os.path.exists(_MEMCHECK))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:10]


def _compile(mpi: Mpi, work: Path, library: Path, extra_flags: Sequence[str]) -> None:
    output = work / library.name
    with tempfile.TemporaryDirectory(dir=work) as objects:
        write_have(mpi, Path(objects))
        steps = commands(mpi, Path(objects), output, extra_flags=extra_flags)
        failed = [done for done in run_all(steps.compile) if done.returncode != 0]
        if not failed:
            failed = [done for done in run_all([steps.link, steps.beside]) if done.returncode != 0]
    problem = _first_error(failed[0]) if failed else _foreign_reference(output)
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


def _foreign_reference(library: Path) -> str:
    # The wrapper finds MPI when the program runs. A hard reference to it would keep every program
    # without MPI that inherits LD_PRELOAD from starting.
    for name in elf.needed(str(library)):
        if name.startswith("libmpi"):
            return f"it is linked with {name}"
    for name in elf.undefined(str(library)):
        if re.match(r"P?MPIX?_|ompi_|MPIR_", name):
            return f"it refers to {name} of the MPI library"
    return ""
