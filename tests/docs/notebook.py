# SPDX-License-Identifier: MIT
"""Run cells like a notebook, in an interpreter with only the cells' own imports.

Reads a JSON list of cells, each a text, from stdin. Writes a JSON list with the `text` and the
picture (`svg`, or null) of each.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from typing import Any


def run(cell: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run a cell. Returns its output, or else its last expression as a notebook shows it."""
    module = ast.parse(cell)
    last = module.body[-1] if isinstance(module.body[-1], ast.Expr) else None
    if last is not None:
        module.body.pop()
    value = None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(module, "<cell>", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    svg = value._repr_svg_() if hasattr(value, "_repr_svg_") else None
    shown = "" if value is None or svg else repr(value)
    return {"text": printed.getvalue() + shown, "svg": svg}


def main() -> None:
    """Run all cells in one namespace."""
    names: dict[str, Any] = {"__name__": "__main__"}
    found = [run(cell, names) for cell in json.load(sys.stdin)]
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
