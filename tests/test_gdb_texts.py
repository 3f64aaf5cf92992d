# SPDX-License-Identifier: MIT
"""Only one module passes text to gdb, and only one takes text from it.

gdb executes each line of a name that is put into a command, and ends at some types that it writes.
Its terminal executes control characters in its output.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.test_layers import MODULES, named

# Members of the gdb module and its objects, with the module that may use them.
OF_GDB = {
    **dict.fromkeys(
        "execute parse_and_eval lookup_type decode_line execute_mi rbreak set_parameter".split(),
        "gdb.console",
    ),
    "write": "gdb.output",
    "solib_name": "gdb.program.symbol_names",
}
OF_OBJECTS = "print_name linkage_name filename fullname fields iterkeys iteritems".split()
COMMANDS = ("console.execute", "console.output")


def raw_texts(path: Path, module: str) -> Iterator[str]:
    """The places where a module in mpipp/gdb passes text to gdb or takes text from it."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        where = f"{module}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Attribute):
            owner = OF_GDB.get(node.attr) if ast.unparse(node.value) == "gdb" else None
            if node.attr in OF_OBJECTS and ast.unparse(node.value) != "symbol_names":
                owner = "gdb.program.symbol_names"
            if owner not in (None, module):
                yield f"{where}: {node.attr} is for {owner}"
        if not isinstance(node, ast.Call) or ast.unparse(node.func) not in COMMANDS:
            continue
        if not isinstance(node.args[0], ast.Constant):
            yield f"{where}: a command is made of text"
    if module != "gdb.program.symbol_names":
        yield from (f"{module}:{line}: a type is written" for line in sorted(_types(tree)))


def _types(tree: ast.AST) -> Iterator[int]:
    # The lines in which a gdb.Type becomes text: f"{value.type}", str(kind).
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            arguments = (*function.args.args, *function.args.kwonlyargs)
            notes = {one.arg: ast.unparse(one.annotation) for one in arguments if one.annotation}
            types = {name for name, note in notes.items() if note == "gdb.Type"} | {"plain"}
            types |= {f"{name}.type" for name in (*notes, "field", "value", "symbol")} - {"self"}
            for node in ast.walk(function):
                written: ast.AST | None = None
                if isinstance(node, ast.FormattedValue):
                    written = node.value
                elif isinstance(node, ast.Call) and ast.unparse(node.func) == "str" and node.args:
                    written = node.args[0]
                while isinstance(written, ast.Call) and isinstance(written.func, ast.Attribute):
                    written = written.func.value  # an example is kind.unqualified()
                if written is not None and ast.unparse(written) in types:
                    yield getattr(node, "lineno", 0)


def test_text_goes_to_gdb_and_comes_from_it_in_one_place() -> None:
    modules = [(path, named(path)) for path in MODULES if named(path).startswith("gdb.")]
    assert [line for path, module in modules for line in raw_texts(path, module)] == []


def test_raw_text_is_found(tmp_path: Path) -> None:
    module = tmp_path / "printers.py"
    module.write_text(
        "gdb.execute('x')\n"
        "console.output(f'ptype {name}')\n"
        "console.output('info symbol {:#x}', pc)\n"
        "console.execute(text)\n"
        "gdb.write(name)\n"
        "name = symbol.print_name\n"
        "def f(value: gdb.Value, kind: gdb.Type) -> str:\n"
        "    raise MpippError(f'{value.type} is none')\n"
        "    return str(kind.unqualified()) + f'{kind.code}'\n"
    )
    assert sorted(raw_texts(module, "gdb.printers")) == [
        "gdb.printers:1: execute is for gdb.console",
        "gdb.printers:2: a command is made of text",
        "gdb.printers:4: a command is made of text",
        "gdb.printers:5: write is for gdb.output",
        "gdb.printers:6: print_name is for gdb.program.symbol_names",
        "gdb.printers:8: a type is written",
        "gdb.printers:9: a type is written",
    ]
