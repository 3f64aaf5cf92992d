# SPDX-License-Identifier: MIT
"""The wrappers that a wheel of mpipp contains, so that users need no compiler.

Each wrapper is compiled for an ABI, with the procedures of the newest MPI library that has it. A
program may ask whether its library has a procedure: mpi4py refers to hundreds of them weakly. The
program must not find a procedure that only the wrapper has. So mpipp copies the wrapper to the
user's cache for each MPI library. In the copy the dynamic linker finds only procedures of that
library.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
from pathlib import Path

from mpipp import __version__
from mpipp.common.cache import build_directory, install
from mpipp.common.errors import MpippError
from mpipp.toolchain import elf
from mpipp.toolchain.build_wrapper import (
    report_cache_directory,
    usable_cache,
    write_autoload,
)
from mpipp.toolchain.mpi_libraries import Flavor, Mpi
from mpipp.watcher.ipc.launch import INTERPOSER

DIRECTORY = Path(__file__).resolve().parent.parent / "_prebuilt"
_C_LIBRARY = re.compile(r"/libc(-2\.\d+)?\.so(\.6)?$")
_PROCEDURE = re.compile(r"P?MPIX?_")


def recorder(flavor: Flavor) -> Path | None:
    """The path of the recorder in this installation of mpipp; None if it has none.

    The libraries of the other parts lie beside it.
    """
    path = DIRECTORY / flavor.key / f"libmpipp_{flavor.key}.so"
    return path if path.exists() else None


def fitted(mpi: Mpi) -> str:
    """The path of the wrapper for `mpi`, made from the one of this installation.

    Args:
        mpi: an MPI with its library or, if there is none, with the procedures of its header.

    Returns:
        The path for LD_PRELOAD; "" if mpipp was installed without wrappers.

    Raises:
        MpippError: the cache cannot be written, or the library cannot be read.
    """
    original = recorder(mpi.flavor)
    if original is None:
        return ""
    cache = usable_cache()
    target = cache.path / _name(original, mpi)
    library = target / original.name
    report_cache_directory(cache)
    if not library.exists():
        with build_directory(cache.path) as work:
            fit(original, work, mpi)
            install(work, target)
    return str(library)


def is_of_mpi(symbol: str) -> bool:
    """Return whether a symbol has the name of a procedure of MPI."""
    return bool(_PROCEDURE.match(symbol))


def _name(original: Path, mpi: Mpi) -> str:
    # The directory's name contains everything that can change the result.
    parts = [str(original), *map(_identity, (str(original), _c_library()))]
    if os.path.isabs(mpi.library):
        parts += [os.path.realpath(mpi.library), _identity(mpi.library)]
    else:
        parts += mpi.procedures
    digest = hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()
    return f"prebuilt-{mpi.flavor.key}-{__version__}-{digest[:20]}"


@functools.cache
def _c_library() -> str:
    # The C library of this Python, which is the one of the programs, too. Raises MpippError.
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        mapped = {line.rstrip("\n").partition("/")[2] for line in maps}
    found = next((path for path in sorted(mapped) if _C_LIBRARY.search(path)), None)
    if found is None:
        raise MpippError("this Python does not use glibc, which mpipp needs: use another Python")
    return f"/{found}"


def _identity(path: str) -> str:
    try:
        found = os.stat(path)
    except OSError as error:
        raise MpippError(f"cannot read {path}: {error.strerror}") from None
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ino}"


def fit(original: Path, work: Path, mpi: Mpi) -> None:
    """Copy the wrapper at `original` to the directory `work`, with only the procedures of `mpi`.

    Args:
        original: the path of a recorder that was built for the ABI of `mpi`.
        mpi: an MPI with its library or, if there is none, with the procedures of its header.

    Raises:
        MpippError: a library cannot be read or copied.
    """
    try:
        for library in original.parent.glob("*.so"):
            shutil.copyfile(library, work / library.name)
    except OSError as error:
        raise MpippError(f"cannot copy {original.parent}: {error.strerror}") from None
    copy = work / original.name
    if os.path.isabs(mpi.library):
        known = elf.defined(mpi.library)
    else:
        known = {f"{start}MPI_{name}" for name in mpi.procedures for start in ("", "P")}
    elf.hide(str(copy), lambda name: is_of_mpi(name) and name not in known)
    functions = elf.defined(_c_library())
    elf.hide(str(work / INTERPOSER), lambda name: name not in functions)
    write_autoload(copy)
