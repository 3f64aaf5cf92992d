# SPDX-License-Identifier: MIT
"""Names of modules, functions and classes (R12): no listed pronoun, adverb or participle."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from tools.lint_prose.rules import R12, Problem

# A name must not begin or end with one of these words.
WORDS = frozenset(
    "afterwards again anybody elsewhere everybody everywhere given heard here meanwhile nothing "
    "somebody tell tells there these those told twice what whatever whether whose".split()
)
_C_FUNCTION = re.compile(r"^(?!typedef\b|return\b|else\b)[\w ]+?[ *]+(\w+)\([^;]*(?:\{|,)\s*$")
_PREFIX = "mpipp_"
_ADVICE = "name a thing of the domain, or begin with a verb"


def problems(name: str, text: str) -> Iterator[Problem]:
    """The violations in the names of a file and of its functions and classes.

    Args:
        name: the path of the file in the repository.
    """
    path = PurePosixPath(name)
    if is_bad(path.stem):
        yield Problem(R12, 1, path.name, _ADVICE)
    found = _of_python(text) if path.suffix == ".py" else _of_c(text)
    for line, defined in found:
        if is_bad(defined):
            yield Problem(R12, line, defined, _ADVICE)


def is_bad(name: str) -> bool:
    """Return whether a name begins or ends with a listed word."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name.removeprefix(_PREFIX)).lower()
    parts = [word for word in words.split("_") if word]
    return bool(parts) and not WORDS.isdisjoint((parts[0], parts[-1]))


def _of_python(text: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.lineno, node.name


def _of_c(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if found := _C_FUNCTION.match(line):
            yield number, found[1]
