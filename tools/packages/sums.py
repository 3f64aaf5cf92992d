# SPDX-License-Identifier: MIT
"""The hashes of files, as `sha256sum --check` reads them."""

from __future__ import annotations

import hashlib
from pathlib import Path

NAME = "SHA256SUMS"


def sha256(path: Path) -> str:
    """The SHA-256 hash of a file, in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write(directory: Path) -> None:
    """Write SHA256SUMS, with the hashes of all other files in the directory."""
    files = sorted(path for path in directory.iterdir() if path.is_file() and path.name != NAME)
    lines = [f"{sha256(path)}  {path.name}\n" for path in files]
    (directory / NAME).write_text("".join(lines))
