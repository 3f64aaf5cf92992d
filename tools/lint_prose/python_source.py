# SPDX-License-Identifier: MIT
"""The prose of Python files: docstrings, comments, and string literals for users."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from tools.lint_prose.comments import comment_blocks
from tools.lint_prose.prose import CODE, DOCSTRING, MESSAGE, Block, without_code

_SECTION = re.compile(r"(Args|Attributes|Returns|Raises|Yields):$")
_ENTRY = re.compile(r"\s*[\w*, ]+:\s+(.*)")
_WORD = re.compile(r"(?<![\w<&%$.#/\\-])[A-Za-z][a-z']+(?![\w=/(_\\-])")
_PRAGMA = re.compile(r"#\s*(noqa|type:|fmt:|SPDX|!|pragma)")


def blocks(text: str, messages: bool) -> Iterator[Block]:
    """The docstrings and comments of a file, and with `messages` its string literals for users."""
    tree = ast.parse(text)
    documented = dict(_docstrings(tree))
    for node, docstring in documented.items():
        yield from _paragraphs(docstring, node.lineno)
    if messages:
        yield from _messages(tree, set(documented))
    yield from comment_blocks(_comments(text))


def _docstrings(tree: ast.Module) -> Iterator[tuple[ast.Constant, str]]:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        for statement in body:  # a string after an attribute documents the attribute
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                value = statement.value.value
                if isinstance(value, str):
                    yield statement.value, value


def _paragraphs(docstring: str, line: int) -> Iterator[Block]:
    # A line with deeper indentation or with columns is a block of its own.
    lines = docstring.split("\n")
    margin = min((_indent(each) for each in lines[1:] if each.strip()), default=0)
    paragraph: list[tuple[int, str]] = []
    for number, each in enumerate(lines, line):
        deeper = number > line and each.strip() and _indent(each) > margin
        entry = _ENTRY.match(each) if deeper else None
        if not each.strip() or _SECTION.match(each.strip()) or entry:
            if paragraph:
                yield Block(DOCSTRING, tuple(paragraph))
            paragraph = [(number, without_code(entry.group(1)))] if entry else []
        elif "  " in each.strip() or (deeper and not paragraph):
            if paragraph:
                yield Block(DOCSTRING, tuple(paragraph))
                paragraph = []
            for part in re.split(r"\s{2,}", each.strip()):
                yield Block(DOCSTRING, ((number, without_code(part)),))
        else:
            paragraph.append((number, without_code(each)))
    if paragraph:
        yield Block(DOCSTRING, tuple(paragraph))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _messages(tree: ast.Module, docstrings: set[ast.Constant]) -> Iterator[Block]:
    inside: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "split":
            inside.add(node.value)  # a list of words
            continue
        if isinstance(node, ast.JoinedStr):
            inside.update(ast.walk(node))
            inside.discard(node)
            text = "".join(
                str(part.value) if isinstance(part, ast.Constant) else CODE for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node in inside or node in docstrings:
                continue
            text = node.value
        else:
            continue
        for part in map(without_code, re.split(r"\n+|\s{2,}", text)):
            if _reads_as_prose(part):
                yield Block(MESSAGE, ((node.lineno, part),))


def _reads_as_prose(text: str) -> bool:
    words = [word for word in text.split() if word != CODE]
    prose = [word for word in words if _WORD.fullmatch(word.strip("(),.:;!?\"'"))]
    code = re.search(r"[{};]\s*$|[<>]{1}\w+[ >]|</|#include|==|&&|;\s*\w+:|^\s*[.#]\w+ *\{", text)
    return len(prose) >= 3 and len(prose) * 2 >= len(words) and not code


def _comments(text: str) -> Iterator[tuple[int, int, str, bool]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not _PRAGMA.match(token.string):
            alone = not token.line[: token.start[1]].strip()
            yield token.start[0], token.start[1], token.string.lstrip("# "), alone
