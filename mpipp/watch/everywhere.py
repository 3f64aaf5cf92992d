# SPDX-License-Identifier: MIT
"""`--strict`: the calls of one collective operation whose processes are on several nodes.

Each node's watcher leaves in the run's directory what its own processes are about to do. All read
what all have left, and so come to the same.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Sequence

from mpipp.agreement import saving
from mpipp.errors import MpippError
from mpipp.watch import start
from mpipp.watch.connection import Disagreeing
from mpipp.watch.elsewhere import Elsewhere
from mpipp.watch.watched import Watched

_KEPT = 120.0  # seconds in which the watchers of all nodes have read it


class Meeting:
    """Where they leave the calls of one operation, by the number that its processes gave it."""

    def __init__(self, directory: str, number: int) -> None:
        self._folder = os.path.join(directory, saving.STRICT, f"{number:016x}")
        self._own = f"{start.node()}-{os.getpid()}"
        self._since = time.monotonic()

    def leave(self, watched: Sequence[Watched], calls: Sequence[Disagreeing]) -> None:
        """What these processes of this node are about to do. Raises MpippError."""
        from mpipp.agreement import files  # it takes some time to load

        by_pid = {one.pid: one for one in watched}
        said: list[list[object]] = []
        for call in calls:
            one = by_pid.get(call.pid)
            if one is None:  # it has died
                continue
            one.refresh()
            left = files.written(one.process(0), one.places.frames, start.node(), past=False)
            name = os.path.join(saving.PROCESSES, f"{self._own}-{call.pid}")
            self._save(name, left.process)
            said.append([os.path.basename(name), *call])
        self._save(f"{self._own}.json", json.dumps(said).encode())

    def _save(self, name: str, content: bytes) -> None:
        try:
            saving.save(self._folder, name, content)
        except OSError as error:
            raise MpippError(f"cannot write {self._folder}: {error.strerror}") from None

    @property
    def count(self) -> int:
        """How many processes of other nodes are there."""
        return len(self._others())

    def others(self) -> list[tuple[Elsewhere, Disagreeing]]:
        """They, with what each has asked. Raises MpippError for what makes no sense."""
        from mpipp.agreement import files

        where = os.path.join(self._folder, saving.PROCESSES)
        return [
            (Elsewhere(files.read(os.path.join(where, os.path.basename(name)))), call)
            for name, call in self._others()
        ]

    def _others(self) -> list[tuple[str, Disagreeing]]:
        found = []
        for path in saving.paths(self._folder):
            if not path.endswith(".json") or os.path.basename(path) == f"{self._own}.json":
                continue
            try:
                with open(path, encoding="utf-8") as file:
                    for name, *numbers in json.loads(file.read()):
                        if not isinstance(name, str) or not name.isprintable():
                            raise ValueError
                        found.append((name, Disagreeing(*map(int, numbers))))
            except (OSError, ValueError, TypeError, OverflowError, RecursionError):
                raise MpippError(f"{path} is damaged") from None
        return found

    @property
    def is_over(self) -> bool:
        """Whether nobody reads it any more."""
        return time.monotonic() - self._since > _KEPT

    def forget(self) -> None:
        """Remove what is there."""
        with contextlib.suppress(OSError):
            shutil.rmtree(self._folder)
