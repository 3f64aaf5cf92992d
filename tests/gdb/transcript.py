# SPDX-License-Identifier: MIT
"""Sessions of gdb in text files, as the user sees them: the prompt "(gdb) ", a typed command, and
its output.

"0x..." matches any address, "..." any text.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests import typed

TRANSCRIPTS = Path(__file__).resolve().parent / "transcripts"
_PROMPT = "(gdb) "
_MARKS = {"0x...": "0x[0-9a-f]+", **typed.ANYTHING}


def hold(name: str, *, stop: Sequence[str], **options: object) -> None:
    """Type the commands from the file `name` after the commands `stop`, and compare the output with
    the file."""
    exchanges = _read((TRANSCRIPTS / name).read_text())
    typed.hold(exchanges, (), _MARKS, stop=stop, **options)


def _read(text: str) -> list[tuple[str, str]]:
    exchanges = []
    for part in ("\n" + text).split(f"\n{_PROMPT}")[1:]:
        line, _, answer = part.partition("\n")
        exchanges.append((line, answer.rstrip("\n")))
    return exchanges
