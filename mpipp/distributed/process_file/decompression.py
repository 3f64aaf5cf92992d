# SPDX-License-Identifier: MIT
"""Decompression of a file's end in pieces, because a small file may decompress to a huge one."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from mpipp.common.errors import MpippError

_PIECE = 1 << 20  # decompressed bytes


def pieces(file: BinaryIO, size: int, most: int, path: str) -> Iterator[bytes]:
    """Yield the decompressed content of the `size` bytes up to a file's end.

    Raises MpippError if bytes are missing or damaged, or decompress to more than `most` bytes.
    """
    left = os.fstat(file.fileno()).st_size - file.tell()
    if left != size:
        raise MpippError(f"{path} has {left} bytes of {size}: it is not whole")
    unpacking = zlib.decompressobj()
    total = 0
    while not unpacking.eof:
        data = unpacking.unconsumed_tail or file.read(_PIECE)
        try:
            piece = unpacking.decompress(data, _PIECE)
        except zlib.error as error:
            raise MpippError(f"{path} is damaged: {error}") from None
        if not (data or piece or unpacking.eof):
            raise MpippError(f"{path} is damaged: its compressed data has no end")
        total += len(piece)
        if total > most:
            raise MpippError(f"{path} is damaged: it expands to more than {most:,} bytes")
        yield piece


def lines(unpacked: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of text that comes in pieces, without their line ends."""
    begun: list[bytes] = []
    for piece in unpacked:
        first, *others = piece.split(b"\n")
        begun.append(first)
        if others:
            yield b"".join(begun)
            yield from others[:-1]
            begun = [others[-1]]
    if any(begun):
        yield b"".join(begun)
