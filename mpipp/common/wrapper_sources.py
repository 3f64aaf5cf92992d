# SPDX-License-Identifier: MIT
"""The C sources of the wrapper, in the package or in the checkout."""

from __future__ import annotations

from pathlib import Path

from mpipp.common.errors import MpippError

# The directory of the sources in the debug information of compiled wrappers (tools/prebuild).
COMPILED_FROM = "/mpipp-wrapper"

_PACKAGE = Path(__file__).resolve().parent.parent


def source_directory() -> Path:
    """The directory of the wrapper's C sources.

    Raises:
        MpippError: there are no sources.
    """
    for directory in (_PACKAGE / "_wrapper", _PACKAGE.parent / "wrapper"):
        if any(directory.rglob("*.c")):
            return directory
    raise MpippError(f"the wrapper's C sources are not in {_PACKAGE}: install mpipp again")
