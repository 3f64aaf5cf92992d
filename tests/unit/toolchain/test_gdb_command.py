# SPDX-License-Identifier: MIT
"""The gdb of all ranks must be new enough."""

from __future__ import annotations

from pathlib import Path

import pytest

from mpipp.common.errors import MpippError
from mpipp.toolchain.gdb_command import debugger_of_ranks


@pytest.mark.parametrize(
    ("printed", "is_refused"),
    [
        ("GNU gdb (Debian 10.1-1.7) 10.1.90.20210103-git", True),
        ("GNU gdb (GDB) 11.1", False),
        ("GNU gdb (Debian 13.1-3) 13.1", False),
        ("another debugger", False),
    ],
)
def test_the_version_decides(
    printed: str, is_refused: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gdb = tmp_path / "gdb"
    gdb.write_text(f"#!/bin/sh\necho '{printed}'\n")
    gdb.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    if not is_refused:
        assert debugger_of_ranks() == str(gdb)
        return
    with pytest.raises(MpippError) as error:
        debugger_of_ranks()
    assert str(error.value) == (
        f"{gdb} is gdb 10, which cannot hold all ranks: use gdb 11 or newer, or mpipp run "
        "and mpipp attach"
    )
