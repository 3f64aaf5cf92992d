# SPDX-License-Identifier: MIT
"""Where wrappers are kept once they are built."""

from __future__ import annotations

import os
from pathlib import Path


def cache_directory() -> Path:
    """$MPIPP_CACHE, or mpipp in $XDG_CACHE_HOME or in ~/.cache."""
    chosen = os.environ.get("MPIPP_CACHE")
    if chosen:
        return Path(chosen).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base).absolute() / "mpipp"
