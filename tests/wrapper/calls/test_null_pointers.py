# SPDX-License-Identifier: MIT
"""A procedure with a NULL pointer or a null handle has the same outcome as without the wrapper."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests import support
from tests.wrapper.watched import headers

try:
    import pympistandard  # noqa: F401
except ImportError:
    support.lacking("there is no pympistandard: run tools/setup.sh")
from tests.wrapper.calls import null_pointers
from wrapper.generator import mpi_standard, unrecorded_procedures

TEXT = null_pointers.program(
    p
    for p in mpi_standard.standard() + mpi_standard.removed()
    if unrecorded_procedures.is_wrapped(p)
)


Outcomes = dict[str, str]


def outcomes(
    mpi: support.MPI, directory: Path, wrapper: bool, milliseconds: int, names: Sequence[str] = ()
) -> Outcomes:
    """For each procedure and parameter, the error class, or the signal that ended the process."""
    program = support.compile_program(TEXT, mpi, ["-g", "-O0", "-w", *headers(mpi)])
    directory.mkdir()
    preload = [f"LD_PRELOAD={mpi.wrapper}"] if wrapper else []
    done = subprocess.run(
        ["env", *preload, program, directory / "file", str(milliseconds), *names],
        env=mpi.env,
        cwd=directory,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=200,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and lines[-1:] == ["all"], done.stderr
    return dict(line.split(": ") for line in lines if line.startswith("MPI_") and ": " in line)


def both(
    mpi: support.MPI, directory: Path, milliseconds: int, names: Sequence[str] = ()
) -> tuple[Outcomes, Outcomes]:
    """The outcomes without and with the wrapper."""
    directory.mkdir()
    with ThreadPoolExecutor(2) as pool:
        without, wrapped = (
            pool.submit(outcomes, mpi, directory / str(wrapper), wrapper, milliseconds, names)
            for wrapper in (False, True)
        )
        return without.result(), wrapped.result()


@support.every_mpi
def test_null_pointers(mpi: support.MPI, tmp_path: Path) -> None:
    without, wrapped = both(mpi, tmp_path / "all", 400)
    assert sum(outcome.startswith("class") for outcome in without.values()) > 900
    assert len(wrapped) == len(without)
    differ = [name for name in without if without[name] != wrapped[name]]
    if differ:  # Some calls never return. On a busy machine others may have had too little time.
        without, wrapped = both(mpi, tmp_path / "differ", 20_000, differ)
    assert {n: (without[n], wrapped[n]) for n in differ if without[n] != wrapped[n]} == {}
