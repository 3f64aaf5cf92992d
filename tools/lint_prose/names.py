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
# A function in C neither begins nor ends with one of these, either.
C_WORDS = WORDS | frozenset(
    "another beside further hear hears late later many nobody of once ones others say says soon "
    "such".split()
)
C_LAST = frozenset("found known one other".split())  # fine at the beginning of a name
_OWNER = frozenset({"are", "has", "is", "was", "were"})  # "is_of_x": write "belongs_to_x"
_PARTICIPLE = re.compile(r"\w{2,}ed|begun|done|gone|held|kept|learnt|left|lost|made|met|sent|taken")
_NO_PARTICIPLE = frozenset({"embed", "feed", "need", "proceed", "seed", "speed"})
# A word before a participle that makes the name a verb, or the name of a result.
_VERBS = frozenset(
    "are can find has have hand import is keep mark may must next put refuse set start was "
    "were".split()
)
_C_SUFFIX = re.compile(r"(?<=[a-z])_(?:locked|unlocked|slow)$")  # with and without a lock
_C_FUNCTION = re.compile(
    r"^(?!typedef\b|return\b|else\b)(?:[\w ]+?[ *]+)?((?![A-Z_]+\()\w+)\([^;]*(?:\{|,)\s*$"
)
_C_ATTRIBUTE = re.compile(r"__attribute__\(\(.*?\)\) ?")
_C_FOLDER = re.compile(
    r"(?:abi|filter|guard|instrument|intercept|layout|log|perturb|precheck|recorder|registry"
    r"|rma_log|rma|system|trace|watcher)_(?=[a-z])"
)
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
    in_python = path.suffix == ".py"
    for line, defined in _of_python(text) if in_python else _of_c(text):
        if is_bad(defined) or (not in_python and is_bad_in_c(defined)):
            yield Problem(R12, line, defined, _ADVICE)


def is_bad(name: str) -> bool:
    """Return whether a name begins or ends with a listed word."""
    parts = _parts(name)
    return bool(parts) and not WORDS.isdisjoint((parts[0], parts[-1]))


def is_bad_in_c(name: str) -> bool:
    """Return whether the name of a C function has no verb and is no noun, as far as lists show.

    A participle may follow a verb ("is_freed"), but is no name, and no end of one ("comm_freed").
    """
    own = _C_SUFFIX.sub("", name.removeprefix(_PREFIX))
    if name.startswith(_PREFIX):
        own = _C_FOLDER.sub("", own, count=1)
    parts = _parts(own)
    if not parts:
        return False
    first, last = parts[0], parts[-1]
    if not C_WORDS.isdisjoint((first, last)) and (last != "of" or len(parts) == 1):
        return True
    if last in C_LAST or (first in _OWNER and parts[1:2] == ["of"]):
        return True
    is_participle = _PARTICIPLE.fullmatch(last) and last not in _NO_PARTICIPLE
    return bool(is_participle) and _VERBS.isdisjoint(parts[:-1])


def _parts(name: str) -> list[str]:
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name.removeprefix(_PREFIX)).lower()
    return [word for word in words.split("_") if word]


def _of_python(text: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.lineno, node.name


def _of_c(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if found := _C_FUNCTION.match(_C_ATTRIBUTE.sub("", line)):
            yield number, found[1]
