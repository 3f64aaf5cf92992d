# SPDX-License-Identifier: MIT
"""Help lines of options (R9): a verb phrase, "print JSON"."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tools.lint_prose.rules import R9, Problem

_NO_VERB = re.compile(
    r"(?:an?|the|of|with|for|in|that|those|such|what|whether|how|when|if|where|which)\b", re.I
)


def problems(text: str) -> Iterator[Problem]:
    """The violations in a Python file, in calls with the name of an option and a help line."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and any(map(_is_option, node.args)):
            for keyword in node.keywords:
                line = keyword.value
                if keyword.arg == "help" and _NO_VERB.match(_begin(line)):
                    shown = _begin(line)[:60]
                    yield Problem(R9, line.lineno, shown, "begin with a verb: what the option does")


def _is_option(value: ast.expr) -> bool:
    return _begin(value).startswith("-")


def _begin(value: ast.expr) -> str:
    if isinstance(value, ast.JoinedStr):
        value = value.values[0] if value.values else value
    said = value.value if isinstance(value, ast.Constant) else ""
    return said if isinstance(said, str) else ""
