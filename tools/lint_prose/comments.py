# SPDX-License-Identifier: MIT
"""Comments as blocks of prose. Finds the comments of C and JavaScript."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tools.lint_prose.prose import COMMENT, Block, without_code

# Strings come first in the pattern, because they may contain comment signs.
_TOKEN = re.compile(
    r"//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL
)
_COLUMNS = re.compile(r"\S\s{2,}\S")  # a row of a table, which does not continue the line before
_IGNORED = re.compile(r"\s*(SPDX|clang-format|NOLINT|\$\w+:|-----|=====)")


def c_blocks(text: str) -> Iterator[Block]:
    """The comments of a file in C, C++ or JavaScript."""
    yield from comment_blocks(_line_comments(text))
    for found in _TOKEN.finditer(text):
        if found["block"] is None or _IGNORED.match(found["block"]):
            continue
        first = text.count("\n", 0, found.start()) + 1
        paragraph: list[tuple[int, str]] = []
        for number, line in enumerate(found["block"].split("\n"), first):
            words = line.strip(" *")
            if paragraph and (not words or _COLUMNS.search(words)):
                yield Block(COMMENT, tuple(paragraph))
                paragraph = []
            if words:
                paragraph.append((number, without_code(words)))
        if paragraph:
            yield Block(COMMENT, tuple(paragraph))


def comment_blocks(comments: Iterable[tuple[int, int, str, bool]]) -> Iterator[Block]:
    """Join comments on consecutive lines in the same column. A comment behind code is a block of
    its own.

    Args:
        comments: for each, line, column, text, and True if it is alone on its line.
    """
    block: list[tuple[int, str]] = []
    last = (-1, -1)
    for line, column, text, alone in comments:
        follows = alone and (last[0] + 1, last[1]) == (line, column)
        joins = follows and text.strip() and not _COLUMNS.search(text)
        if block and not joins:
            yield Block(COMMENT, tuple(block))
            block = []
        if text.strip():
            block.append((line, without_code(text)))
        last = (line, column)
    if block:
        yield Block(COMMENT, tuple(block))


def _line_comments(text: str) -> Iterator[tuple[int, int, str, bool]]:
    for found in _TOKEN.finditer(text):
        words = found["line"]
        if words is None or _IGNORED.match(words):
            continue
        begin = text.rfind("\n", 0, found.start()) + 1
        line = text.count("\n", 0, found.start()) + 1
        yield (
            line,
            found.start() - begin,
            words.strip("/ "),
            not text[begin : found.start()].strip(),
        )
