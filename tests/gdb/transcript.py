# SPDX-License-Identifier: MIT
"""Sessions of gdb in text files, as a user sees them: "(gdb) " and what is typed, then the answer.

0x... is any address, other `...` anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests import typed

TRANSCRIPTS = Path(__file__).resolve().parent / "transcripts"
_PROMPT = "(gdb) "
_MARKS = {"0x...": "0x[0-9a-f]+", **typed.ANYTHING}


def hold(name: str, *, stop: Sequence[str], **options: object) -> None:
    """Type what is in the file `name` after the commands `stop`; the answers must be these."""
    exchanges = _read((TRANSCRIPTS / name).read_text())
    typed.hold(exchanges, (), _MARKS, stop=stop, **options)


def _read(text: str) -> list[tuple[str, str]]:
    exchanges = []
    for part in ("\n" + text).split(f"\n{_PROMPT}")[1:]:
        line, _, answer = part.partition("\n")
        exchanges.append((line, answer.rstrip("\n")))
    return exchanges
