# SPDX-License-Identifier: MIT
"""Compare typed gdb commands and their output. %p stands for any address, %n for any number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from tests import support

MARKS = {"%p": "0x[0-9a-f]+", "%n": "-?[0-9]+"}
ANYTHING = {"...": "(?s:.*)"}
_MARKER = "@@@"

Lines = Sequence[tuple[str, str]]  # (typed text, gdb's output)


def answers(typed: Iterable[str], before: Sequence[str] = (), **options: object) -> list[str]:
    """The output of gdb for each line, typed in one session after the lines `before`."""
    typed = list(typed)
    commands = [*before, f"echo {_MARKER}\\n"]
    for line in typed:
        commands += [line, f"echo {_MARKER}\\n"]
    output = support.gdb_batch(commands, **options)  # type: ignore[arg-type]
    said = [text.rstrip("\n") for text in output.split(f"{_MARKER}\n")[1:]]
    assert len(said) == len(typed) + 1, output
    return said[:-1]


def compare(lines: Lines, said: Iterable[str], marks: Mapping[str, str] = MARKS) -> None:
    """Fail if gdb's output differs from the expected one."""
    wrong = [
        f"(gdb) {typed}\nexpected\n{expected}\nfound\n{found}"
        for (typed, expected), found in zip(lines, said)
        if not matches(expected, found, marks)
    ]
    assert not wrong, "\n".join(wrong)


def hold(
    lines: Lines,
    before: Sequence[str] = (),
    marks: Mapping[str, str] = MARKS,
    **options: object,
) -> None:
    """Type all lines in one session, and compare the answers."""
    compare(lines, answers([typed for typed, _ in lines], before, **options), marks)


def matches(expected: str, found: str, marks: Mapping[str, str] = MARKS) -> bool:
    """Return whether the output is as expected; `marks` stand for regular expressions."""
    pattern = re.escape(expected)
    for mark, meaning in marks.items():
        pattern = pattern.replace(re.escape(mark), meaning)
    return re.fullmatch(pattern, found) is not None
