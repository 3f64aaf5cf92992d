# SPDX-License-Identifier: MIT
"""Runs without findings do not import modules that are slow to import and not needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support import ROOT

# The modules that a process imports, and the beginnings of names that it must not import.
CASES = {
    "run": ("mpipp.cli.commands.run.command", ("mpipp.model", "mpipp.analysis", "elftools")),
    "exec": ("mpipp.cli.commands.exec", ("mpipp.model", "mpipp.toolchain.preload", "elftools")),
    "watcher": (
        "mpipp.watcher.damaged_records, mpipp.watcher.event_loop",
        (
            *("mpipp.analysis.rma_engine", "mpipp.analysis.message_races.replay", "elftools"),
            *("mpipp.watcher.processes.death_stacks", "mpipp.distributed", "mpipp.reports.formats"),
        ),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_modules(name: str) -> None:
    imported, slow = CASES[name]
    text = f"import sys, {imported}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert [one for one in done.stdout.split() if one.startswith(slow)] == []
