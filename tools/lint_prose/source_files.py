# SPDX-License-Identifier: MIT
"""The files of the repository that contain prose, by suffix."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from tools.lint_prose import comments, markdown, names, option_help, python_source
from tools.lint_prose.prose import DOCUMENT, MESSAGE, NAME, Block, sentences
from tools.lint_prose.rules import Problem, long_line, problems

_C = (".c", ".h", ".cc", ".js")
SUFFIXES = (".md", ".py", *_C)


def check(name: str, text: str) -> Iterator[tuple[str, Problem]]:
    """Every violation in a file, with the name of the file.

    Args:
        name: the path of the file in the repository.
    """
    for block in _blocks(name, text):
        for sentence in sentences(block):
            for problem in problems(sentence):
                yield block.kind, problem
    if name.endswith((".py", ".c", ".h")) and not name.startswith("tests/"):
        for problem in names.problems(name, text):
            yield NAME, problem
    if name.startswith("mpipp/") and name.endswith(".py"):
        for problem in option_help.problems(text):
            yield MESSAGE, problem
    if name.endswith(".md"):
        for number, line in markdown.prose_lines(text):
            for problem in long_line(number, line):
                yield DOCUMENT, problem


def _blocks(name: str, text: str) -> Iterator[Block]:
    suffix = PurePosixPath(name).suffix
    if suffix == ".md":
        yield from markdown.blocks(text)
    elif suffix == ".py":
        yield from python_source.blocks(text, messages=name.startswith("mpipp/"))
    elif suffix in _C:
        yield from comments.c_blocks(text)
