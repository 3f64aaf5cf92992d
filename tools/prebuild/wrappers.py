# SPDX-License-Identifier: MIT
"""Compiles the wrapper of each ABI for one type of machine."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from mpipp.common.wrapper_sources import COMPILED_FROM, source_directory
from mpipp.toolchain import build_wrapper, mpi_libraries
from mpipp.toolchain.mpi_libraries import Mpi
from tools.prebuild import headers
from tools.prebuild.environment import Environment, fail

GLIBC = "2.17"  # the oldest C library on which the wrappers run
_HERE = Path(__file__).resolve().parent
_VALGRIND = Path("/usr/include/valgrind")  # macros that are the same on all machines


def compile_all(machine: str, environment: Environment, work: Path) -> Path:
    """Compile the wrappers for a machine type.

    Args:
        machine: "x86_64" or "aarch64".
        work: a directory for the compiler, the headers and the result.

    Returns:
        A directory with a folder for each ABI, as mpipp.toolchain.prebuilt_wrapper expects it.
    """
    compiler = environment.write_compiler(work / machine / "cc", f"{machine}-linux-gnu.{GLIBC}")
    made = work / machine / "wrappers"
    shutil.rmtree(made, ignore_errors=True)
    unwinder = _unwinder(compiler, work / machine)
    common = _common_headers(work / machine / "include")
    for abi, wanted in headers.ABIS.items():
        place = headers.unpack(wanted.package, machine, environment, work)
        flags = (f"-I{place}", f"-I{common}", *wanted.flags)
        mpi = mpi_libraries.of_headers(f"{wanted.package} for {machine}", compiler, flags)
        print(f"prebuild: the wrapper for {mpi.name}, {machine}", flush=True)
        (made / abi).mkdir(parents=True)
        _compile(mpi, made / abi / f"libmpipp_{abi}.so", unwinder)
    return made


def _common_headers(directory: Path) -> Path:
    if not _VALGRIND.is_dir():
        fail(f"there is no {_VALGRIND}: install valgrind")
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(_VALGRIND, directory / "valgrind")
    return directory


def _unwinder(compiler: str, directory: Path) -> Path:
    library = directory / "libgcc_s.so.1"
    words = [compiler, "-shared", "-fPIC", "-Wl,-soname,libgcc_s.so.1", "-o", str(library)]
    script = f"-Wl,--version-script={_HERE / 'libgcc_s.def'}"
    _run([*words, script, str(_HERE / "libgcc_s.c")])
    return library


def _compile(mpi: Mpi, recorder: Path, unwinder: Path) -> None:
    # Source paths in the debug information must not depend on the machine.
    flags = [f"-ffile-prefix-map={source_directory()}={COMPILED_FROM}", "-gdwarf-4"]
    flags.append("-DMPIPP_FOR_ANY_GLIBC")
    with tempfile.TemporaryDirectory() as objects:
        build_wrapper.write_have(mpi, Path(objects))
        steps = build_wrapper.commands(mpi, Path(objects), recorder, extra_flags=flags)
        for done in build_wrapper.run_all([*steps.compile, *steps.separate]):
            _expect_success(done)
        for link in steps.link:
            _run([*link, str(unwinder)])
    for library in recorder.parent.glob("*.so"):
        _expect_old_symbols(library)


def _run(words: list[str]) -> None:
    _expect_success(subprocess.run(words, capture_output=True, text=True, check=False))


def _expect_success(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode != 0:
        fail(f"{' '.join(done.args)}\n{done.stderr}")


def _expect_old_symbols(library: Path) -> None:
    words = ["nm", "-D", "--undefined-only", "--with-symbol-versions", str(library)]
    listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    oldest = _numbers(GLIBC)
    for name in re.findall(r"^\s+U (\S+)$", listed, re.MULTILINE):
        symbol, _, version = name.partition("@")
        is_new = version.startswith("GLIBC_") and _numbers(version[len("GLIBC_") :]) > oldest
        if is_new or not (version or symbol.startswith("mpipp_")):
            fail(f"{library.name} refers to {name}, which glibc {GLIBC} does not have")


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]
