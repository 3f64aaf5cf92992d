# SPDX-License-Identifier: MIT
"""The files that a node's watcher writes for other nodes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mpipp.watcher.output.node_results import ProcessFiles


def process(rank: int | None, later: int = 0) -> Any:
    """A watched process. Its rank is unknown until its records are read again."""
    seen = SimpleNamespace(world="7-2", world_size=2, world_rank=later if rank is None else rank)
    in_init = SimpleNamespace(world="7-None", world_size=None, world_rank=None)
    registry = SimpleNamespace(info=in_init if rank is None else seen)
    return SimpleNamespace(
        pid=100 + later, registry=registry, refresh=lambda: setattr(registry, "info", seen)
    )


def test_nothing_is_left_where_all_are_on_one_node(tmp_path: Path) -> None:
    """A process whose records were last read during MPI_Init counts, too."""
    first = process(0)
    assert list(ProcessFiles(str(tmp_path)).leave([first], [first, process(None, later=1)])) == []
    assert list(tmp_path.rglob("*")) == []
