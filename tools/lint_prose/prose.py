# SPDX-License-Identifier: MIT
"""Blocks of prose, and their sentences with line numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

DOCUMENT, MESSAGE, DOCSTRING, COMMENT = "document", "message", "docstring", "comment"
NAME = "name"
CODE = "`code`"  # replaces a code span or a placeholder: a word that matches no rule

_END = re.compile(r"[.!?][\"')\]*_]*(?=\s)")
_ABBREVIATION = re.compile(r"(\b(e\.g|i\.e|cf|vs|etc|resp|approx|no|No|Fig|al)|\.\.)\.$")


class Block(NamedTuple):
    """A paragraph, a list item, a table cell, a comment or a string literal.

    Attributes:
        lines: pieces of the text, each with its line number in the file.
    """

    kind: str
    lines: tuple[tuple[int, str], ...]


class Sentence(NamedTuple):
    """One sentence. A code span counts as one word."""

    kind: str
    line: int
    text: str
    begins: bool = True  # False: the message continues another one, after a blank


def sentences(block: Block) -> Iterator[Sentence]:
    """The sentences of a block, with normalized blanks."""
    text = ""
    starts: list[tuple[int, int]] = []  # position in the text, line number
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
    """The text with one word in place of each `code span` and {placeholder}."""
    text = re.sub(r"(?:\b\w+[=.])?(``[^`]+``|`[^`]*`)(?:\.?\w+)*", CODE, text)
    return re.sub(r"\{[^{}]*\}", CODE, text)
