# SPDX-License-Identifier: MIT
"""The recipes of other package managers, with the hash of the source."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

from tools.packages.sums import sha256

UNKNOWN = "0" * 64  # the hash in packaging/, which is a part of the source


def write(packaging: Path, source: Path, archive: Path) -> None:
    """Write an archive of all files in `packaging`, with the hash of `source`.

    Equal files result in an equal archive.
    """
    root = archive.name.removesuffix(".tar.gz")
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as tar:
        for path in sorted(path for path in packaging.rglob("*") if path.is_file()):
            text = path.read_text().replace(UNKNOWN, sha256(source)).encode()
            member = tarfile.TarInfo(f"{root}/{path.relative_to(packaging).as_posix()}")
            member.size, member.mode = len(text), path.stat().st_mode & 0o755
            tar.addfile(member, io.BytesIO(text))
    archive.write_bytes(gzip.compress(content.getvalue(), mtime=0))
