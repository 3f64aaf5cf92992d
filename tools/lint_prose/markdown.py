# SPDX-License-Identifier: MIT
"""The prose of a Markdown document: paragraphs, headings, list items and table cells."""

from __future__ import annotations

from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tools.lint_prose.prose import CODE, DOCUMENT, Block

_CELLS = ("td_open", "th_open")


def blocks(text: str) -> Iterator[Block]:
    """Every block of prose, except code blocks, HTML and quotations."""
    before = ""
    quoted = 0  # inside a quotation, which other people wrote
    for token in _parsed(text):
        quoted += token.nesting if token.type.startswith("blockquote") else 0
        if token.type == "inline" and token.map is not None and not quoted:
            pieces = tuple(_pieces(token, token.map[0] + 1))
            if before in _CELLS:  # in a list, each item is a sentence
                pieces = tuple((line, piece.replace("; ", ". ")) for line, piece in pieces)
            yield Block(DOCUMENT, pieces)
        before = token.type


def prose_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that can be wrapped: paragraphs and list items, not tables or headings."""
    lines = text.split("\n")
    before = ""
    for token in _parsed(text):
        if token.type == "inline" and token.map is not None and before == "paragraph_open":
            for number in range(*token.map):
                yield number + 1, lines[number]
        before = token.type


def _parsed(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(text)


def _pieces(token: Token, line: int) -> Iterator[tuple[int, str]]:
    piece = ""
    for child in token.children or []:
        if child.type in ("softbreak", "hardbreak"):
            yield line, piece
            line, piece = line + 1, ""
        elif child.type == "code_inline":
            piece += CODE
        elif child.type in ("image", "text"):
            piece += child.content
    yield line, piece
