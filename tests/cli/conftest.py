# SPDX-License-Identifier: MIT
"""A small library in place of the wrapper, which is built quickly."""

from __future__ import annotations

from pathlib import Path

import pytest

from mpipp.toolchain import build_wrapper


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory in place of the wrapper's sources, with one small correct file."""
    directory = tmp_path / "wrapper"
    directory.mkdir()
    (directory / "one.c").write_text(
        '#include <mpi.h>\n#include "mpipp_have.h"\nchar built_with[] = MPIPP_BUILT_WITH;\n'
    )
    for folder in ("libc_interposer", "rma_screen", "instrumentation/in_program"):
        (directory / folder).mkdir(parents=True)
    for file in ("libc_interposer/malloc.c", "rma_screen/screen.c"):
        (directory / file).write_text("void freed(void);\nvoid freed(void) {}\n")
    monkeypatch.setattr(build_wrapper, "source_directory", lambda: directory)
    monkeypatch.setenv("MPIPP_CACHE", str(tmp_path / "cache"))
    return directory
