# SPDX-License-Identifier: MIT
"""A list of files in which the linter found no violation in its last run."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

_LINTER = Path(__file__).parent


class CleanFiles:
    """Fingerprints of files without violations, stored in `path`, so that unchanged files are
    skipped.

    A fingerprint depends on the file's text and name, and on the linter's own sources.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        sources = b"".join(each.read_bytes() for each in sorted(_LINTER.glob("*.py")))
        self._linter = hashlib.sha256(sources)
        self._before = _read(path)
        self._seen: set[str] = set()

    def has(self, name: str, text: str) -> bool:
        """Return whether an earlier run of the linter found nothing in this text."""
        is_known = self._fingerprint(name, text) in self._before
        if is_known:
            self.add(name, text)
        return is_known

    def add(self, name: str, text: str) -> None:
        """Remember a file that has no violation."""
        self._seen.add(self._fingerprint(name, text))

    def save(self) -> None:
        """Write the fingerprints of the files that this run has found clean."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        written = self._path.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps(sorted(self._seen)))
        written.replace(self._path)

    def _fingerprint(self, name: str, text: str) -> str:
        found = self._linter.copy()
        found.update(f"{name}\0{text}".encode())
        return found.hexdigest()


def _read(path: Path) -> frozenset[str]:
    try:
        return frozenset(json.loads(path.read_text()))
    except (OSError, ValueError):
        return frozenset()
