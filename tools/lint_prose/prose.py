# SPDX-License-Identifier: MIT
"""Blocks of prose, and their sentences with line numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

DOCUMENT, MESSAGE, DOCSTRING, COMMENT = "document", "message", "docstring", "comment"
NAME = "name"
CODE = "`code`"  # stands for a code span or a placeholder: one word that no rule reads

_END = re.compile(r"[.!?][\"')\]*_]*(?=\s)")
_ABBREVIATION = re.compile(r"(\b(e\.g|i\.e|cf|vs|etc|resp|approx|no|No|Fig|al)|\.\.)\.$")


class Block(NamedTuple):
    """A paragraph, a list item, a table cell, a comment or a string literal.

    Attributes:
        lines: the text, and the line of the file where each piece of it stands.
    """

    kind: str
    lines: tuple[tuple[int, str], ...]


class Sentence(NamedTuple):
    """One sentence: a code span counts as one word."""

    kind: str
    line: int
    text: str
    begins: bool = True  # False: a message that continues another, behind a blank


def sentences(block: Block) -> Iterator[Sentence]:
    """The sentences of a block, with white space as single blanks."""
    text = ""
    starts: list[tuple[int, int]] = []  # position in the text, line
    for number, piece in block.lines:
        starts.append((len(text), number))
        text += f"{piece} "
    begin = 0
    for end in [*_ends(text), len(text)]:
        words = " ".join(text[begin:end].split())
        if words:
            first = begin + len(text[begin:end]) - len(text[begin:end].lstrip())
            line = max(number for position, number in starts if position <= first)
            yield Sentence(block.kind, line, words, begin > 0 or not text[:1].isspace())
        begin = end


def _ends(text: str) -> Iterator[int]:
    for found in _END.finditer(text):
        if not _ABBREVIATION.search(text[: found.end()]):
            yield found.end()


def without_code(text: str) -> str:
    """The text with every `code span` and {placeholder} as one word."""
    text = re.sub(r"(?:\b\w+[=.])?(``[^`]+``|`[^`]*`)(?:\.?\w+)*", CODE, text)
    return re.sub(r"\{[^{}]*\}", CODE, text)
