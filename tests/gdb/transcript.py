# SPDX-License-Identifier: MIT
"""Sessions of gdb in text files, as a user sees them: "(gdb) " and what is typed, then the answer.

0x... is any address, other `...` anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import support

TRANSCRIPTS = Path(__file__).resolve().parent / "transcripts"
_PROMPT = "(gdb) "
_MARKER = "@@@"


def hold(name: str, *, stop: Sequence[str], **options: object) -> None:
    """Type what is in the file `name` after the commands `stop`; the answers must be these."""
    exchanges = _read((TRANSCRIPTS / name).read_text())
    commands = [f"echo {_MARKER}\\n"]
    for typed, _ in exchanges:
        commands += [typed, f"echo {_MARKER}\\n"]
    output = support.gdb_batch(commands, stop=stop, **options)  # type: ignore[arg-type]
    said = output.split(f"{_MARKER}\n")[1:]
    wrong = [
        f"(gdb) {typed}\nexpected\n{expected}\nfound\n{found}"
        for (typed, expected), found in zip(exchanges, said)
        if not _matches(expected, found.rstrip("\n"))
    ]
    assert not wrong, "\n".join(wrong)
    assert len(said) == len(exchanges) + 1, output


def _read(text: str) -> list[tuple[str, str]]:
    exchanges = []
    for part in ("\n" + text).split(f"\n{_PROMPT}")[1:]:
        typed, _, answer = part.partition("\n")
        exchanges.append((typed, answer.rstrip("\n")))
    return exchanges


def _matches(expected: str, found: str) -> bool:
    pattern = re.escape(expected)
    for mark, meaning in ((r"0x\.\.\.", "0x[0-9a-f]+"), (r"\.\.\.", "(?s:.*)")):
        pattern = pattern.replace(mark, meaning)
    return re.fullmatch(pattern, found) is not None
