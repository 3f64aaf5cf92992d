# SPDX-License-Identifier: MIT
"""Lets processes of MPICH sleep while they wait: several tests run at once on few processors.

Open MPI gives its processor away by itself (`--oversubscribe`). A thousand MPI_Allreduce of four
processes on two processors take 11 s with MPICH, and 0.5 s so.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

SOURCE = Path(__file__).resolve().with_suffix(".c")
_NAME = "libucp.so.0"


def add_to(directory: Path, ucp: Path) -> None:
    """Put a library into `directory`, for LD_LIBRARY_PATH, that stands before the one at `ucp`.

    Nothing is done where that is not there: the MPI library goes other ways.
    """
    made = directory / _NAME
    if not ucp.exists() or (made.exists() and made.stat().st_mtime > SOURCE.stat().st_mtime):
        return
    # A library without a name of its own is needed by the path that the linker is given.
    real = directory / "ucp"
    real.unlink(missing_ok=True)
    _link(real, [])
    new = directory / "new"
    named = [f"-Wl,-soname,{_NAME}", f'-DUCP="{real}"']
    _link(new, ["-O2", *named, "-Wl,--no-as-needed", SOURCE, real])
    real.unlink()
    real.symlink_to(ucp)
    new.rename(made)


def _link(made: Path, words: list[str | Path]) -> None:
    gcc = shutil.which("gcc") or "gcc"
    empty = [] if words else ["-xc", "/dev/null"]
    subprocess.run([gcc, "-shared", "-fPIC", *words, *empty, "-o", made], check=True)
