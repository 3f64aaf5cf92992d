# SPDX-License-Identifier: MIT
"""Test the layers: the imports of modules, and the modules that write to the user."""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "mpipp"

# Lowest first. A part imports from its own layer and those below. The longest name that a module
# begins with determines its layer.
LAYERS = (
    ("common",),
    ("typetree", "datatypes"),
    ("ranks",),
    ("dap",),
    ("model",),
    ("symbolizer",),
    ("analysis.rma_engine",),
    ("render",),
    ("program_types",),
    ("symbolizer.variables",),
    ("registry",),
    ("analysis",),
    ("reports",),
    ("distributed",),
    ("watcher",),
    ("toolchain",),
    ("gdb", "gdb_printers", "cli", "browser", "api"),
)
FRONT_END = len(LAYERS) - 1

# Front ends that start another.
STARTS = (("gdb_printers", "gdb"), ("cli", "browser"))
# A browser runs beside gdb, and knows MPI only from gdb's messages.
BROWSER = ("browser", "common")

# The modules outside the standard library, and the parts that may import them.
OUTSIDE = {
    "gdb": ("gdb", "gdb_printers"),
    "pygments": ("gdb",),
    "mpi4py": ("api",),
    "textual": ("browser",),
    "rich": ("browser", "cli"),
    "elftools": ("symbolizer", "toolchain"),
}

MODULES = sorted(PACKAGE.rglob("*.py"))
# Modules that are missing in sys.stdlib_module_names, or in Python before 3.10.
STANDARD = getattr(sys, "stdlib_module_names", frozenset(sys.builtin_module_names))


PARTS = {name: number for number, names in enumerate(LAYERS) for name in names}


def named(path: Path) -> str:
    """The name of the module in a file, without `mpipp.`: "gdb.commands.base"."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


def part(module: str) -> str | None:
    """The part of mpipp that a module belongs to, one of PARTS; None if no layer lists it."""
    words = module.split(".")
    names = (".".join(words[:length]) for length in range(len(words), 0, -1))
    return next((name for name in names if name in PARTS), None)


@functools.cache
def nodes(path: Path) -> list[ast.AST]:
    """The nodes of a file's syntax tree, cached for several tests."""
    return list(ast.walk(ast.parse(path.read_text())))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """(line, full name) of every import in a file, at any place."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            assert node.module
            if node.module.split(".")[0] == "mpipp":
                yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, node.module


def offences(path: Path) -> Iterator[str]:
    """The forbidden imports of a file, each as a line of text."""
    if named(path) == "__init__":
        return
    me = part(named(path))
    if me is None:
        yield f"{path.relative_to(PACKAGE.parent)}: no layer lists it"
        return
    for line, module in imports(path):
        where = f"{path.relative_to(PACKAGE.parent)}:{line}: {module}"
        first, _, rest = module.partition(".")
        if first == "mpipp":
            if rest and not rest.startswith("__"):
                yield from (f"{where} {wrong}" for wrong in _wrong(me, part(rest)))
        elif first in OUTSIDE:
            if me not in OUTSIDE[first]:
                yield f"{where} may be used only in {', '.join(OUTSIDE[first])}"
        elif first not in STANDARD:
            yield f"{where} is not in the standard library"


def _wrong(me: str, other: str | None) -> Iterator[str]:
    if other is None:
        yield "is in no layer"
    elif PARTS[other] > PARTS[me]:
        yield "is in a higher layer"
    elif PARTS[other] == FRONT_END and me != other and (me, other) not in STARTS:
        yield "is another front end"
    elif me == "browser" and other not in BROWSER:
        yield "is nothing a browser should know"


WRAPPER = PACKAGE.parent / "wrapper"
# Lowest first. Generated tables are below all other files, and generated calls above.
FOLDERS = (
    "generated",
    "abi",
    "registry",
    "watcher_client",
    "recorder",
    "layout",
    "call_filter",
    "intercept",
    "collective_precheck",
    "libc_interposer",
    "buffer_guard",
    "rma_log",
    "perturb",
    "instrumentation",
    "rma_page_trace",
    "thread_order",
    "debugger",
    "death_signals",
    "rma_screen",
    "generated/calls",
)
_INCLUDE = re.compile(r'^#include "(.+)"', re.MULTILINE)


def unit(path: Path) -> str:
    """The unit of a file: a C file and its header form one, "registry/object_store"."""
    return path.relative_to(WRAPPER).with_suffix("").as_posix()


def includes() -> dict[str, set[str]]:
    """The headers of other units that each unit of the wrapper includes."""
    found: dict[str, set[str]] = {}
    for path in sorted(p for p in WRAPPER.rglob("*") if p.suffix in (".c", ".h")):
        found.setdefault(unit(path), set())
        for name in _INCLUDE.findall(path.read_text()):
            other = next((p for p in (path.parent / name, WRAPPER / name) if p.exists()), None)
            if other is not None and unit(other) != unit(path):
                found[unit(path)].add(unit(other))
    return found


def folder(name: str) -> int:
    """The position of a unit's folder in FOLDERS."""
    # The entry point opens what the first call of a process needs.
    if name == "libmpipp_wrap":
        return FOLDERS.index("intercept")
    calls = name.startswith("generated/calls")
    return FOLDERS.index("generated/calls" if calls else name.partition("/")[0])


def test_includes_point_downwards() -> None:
    upwards = [
        f"{name} includes {other}"
        for name, others in sorted(includes().items())
        for other in sorted(others)
        if folder(other) > folder(name)
    ]
    assert upwards == []


@pytest.mark.skipif(sys.version_info < (3, 10), reason="needs sys.stdlib_module_names")
def test_imports_point_downwards() -> None:
    assert [offence for path in MODULES for offence in offences(path)] == []


def drawn(table: str) -> list[list[str]]:
    """The names written as code in each row of a table in docs/design.md, from its first two
    columns.

    From the second column, only folders count.
    """
    text = (PACKAGE.parent / "docs" / "design.md").read_text()
    rows = text.partition(f"| folder of `{table}/` |")[2].partition("\n\n")[0].split("\n")[2:]
    columns = [row.split("|") for row in rows]
    return [
        re.findall(r"`([\w/.]+)`", one) + re.findall(r"`(\w+/)`", two)
        for _, one, two, *_ in columns
    ]


def test_the_design_draws_the_layers_as_they_are() -> None:
    found = drawn("mpipp")
    parts = [name.removesuffix(".py").strip("/").replace("/", ".") for row in found for name in row]
    assert [name for name in parts if name in PARTS] == list(PARTS)
    folders = {path.parent.relative_to(PACKAGE).as_posix() for path in MODULES} - {"."}
    named_there = {name.strip("/") for row in found for name in row}
    assert {one for one in folders if not {one, one.rpartition("/")[2]} & named_there} == set()


def test_the_design_draws_the_wrapper_as_it_is() -> None:
    found = [name.strip("/") for row in drawn("wrapper") for name in row]
    assert found == [*FOLDERS[1:-1], "generated", "generator"]
    assert sorted(found) == sorted(p.name for p in WRAPPER.iterdir() if p.is_dir())


# Folders in which modules import by names that begin there.
ROOMS = {
    PACKAGE: "mpipp",
    PACKAGE.parent / "wrapper" / "generator": "wrapper.generator",
    PACKAGE.parent / "benchmarks": "benchmarks",
    PACKAGE.parent / "tools": "tools",
    PACKAGE.parent / "tests": "tests",
}


def graph(room: Path, prefix: str) -> dict[str, set[str]]:
    """The imports of each module of a folder, including imports only for annotations."""
    files = {}
    for path in sorted(room.rglob("*.py")):
        words = [prefix, *path.relative_to(room).with_suffix("").parts]
        files[".".join(filter(None, words)).removesuffix(".__init__")] = path

    def module(name: str) -> str:
        # The imported name may be a name in the module.
        return name if name in files or "." not in name else module(name.rpartition(".")[0])

    return {
        me: {module(name) for _, name in imports(path)} & files.keys() - {me}
        for me, path in files.items()
    }


def circle(of: Mapping[str, Set[str]]) -> list[str]:
    """Modules that import each other in a cycle; [] if there are none."""
    left = {me: set(others) for me, others in of.items()}
    while ends := [me for me, others in left.items() if not others & left.keys()]:
        for me in ends:
            del left[me]
    if not left:
        return []
    way = [min(left)]
    while (following := min(left[way[-1]] & left.keys())) not in way:
        way.append(following)
    way = way[way.index(following) :]
    first = way.index(min(way))
    return [*way[first:], *way[: first + 1]]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_no_module_imports_itself_by_way_of_others(room: Path) -> None:
    found = circle(graph(room, ROOMS[room]))
    assert found == [], f"{' imports '.join(found)}: a circle"


def test_no_file_includes_itself_by_way_of_others() -> None:
    found = circle(includes())
    assert found == [], f"{' includes '.join(found)}: a circle"


def test_only_the_shell_command_and_its_builds_print() -> None:
    printing = [
        f"{path.relative_to(PACKAGE.parent)}:{node.lineno}"
        for path in MODULES
        if part(named(path)) not in ("cli", "toolchain")
        for node in nodes(path)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert printing == []


# Scripts read the paths that this prints, or the module imports nothing and prints only own text.
RAW = ("cli/commands/wrapper.py", "watcher/ipc/launch.py", "gdb_printers.py")


def test_what_is_written_passes_through_plain() -> None:
    """Text of other users, such as names of processes, is sanitized before it reaches
    the terminal."""
    raw = [
        f"{path.relative_to(PACKAGE.parent)}:{node.lineno}"
        for path in MODULES
        if path.relative_to(PACKAGE).as_posix() not in RAW
        for node in nodes(path)
        if isinstance(node, ast.Call)
        and re.fullmatch(r"print|sys\.std(out|err)\.write(lines)?", ast.unparse(node.func))
        and not all(re.match(r"plain\(|'[^']*'$", ast.unparse(one)) for one in node.args[:1])
    ]
    assert raw == []


def test_types_of_the_wrapper_bear_its_name() -> None:
    """gdb takes a variable of a Fortran program for a struct of that name in any library."""
    without = [
        f"{path.relative_to(WRAPPER)}: {kind} {tag}"
        for path in sorted(WRAPPER.rglob("*.[ch]"))
        for kind, tag in re.findall(r"\b(struct|enum|union) (\w+) \{", path.read_text())
        if not tag.startswith("mpipp_")
    ]
    assert without == []


def test_every_file_names_its_licence() -> None:
    lacking = [
        str(path.relative_to(PACKAGE.parent))
        for path in MODULES
        if "SPDX-License-Identifier: MIT" not in path.read_text().split("\n", 2)[0]
    ]
    assert lacking == []


def test_a_wrong_import_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "PACKAGE", tmp_path)
    for name, text in (
        ("typetree.py", "import gdb\nfrom mpipp import registry\nimport numpy\n"),
        ("cli/run.py", "from mpipp.gdb import printers\nfrom mpipp import __version__\n"),
        ("gdb/memory.py", "import gdb\nfrom mpipp.registry import registry\n"),
        ("gdb/server.py", "from mpipp.common import cache\nfrom mpipp.browser import tree\n"),
        ("browser/tree.py", "import gdb\nfrom mpipp.registry import registry\nimport textual\n"),
        ("cli/browse.py", "from mpipp.browser import tree\nimport textual\n"),
        ("others.py", ""),
        ("render/text.py", "from mpipp import others\n"),
    ):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    found = [line for path in sorted(tmp_path.rglob("*.py")) for line in offences(path)]
    assert [line.split("/", 1)[1] for line in found] == [
        "browser/tree.py:1: gdb may be used only in gdb, gdb_printers",
        "browser/tree.py:2: mpipp.registry.registry is nothing a browser should know",
        "cli/browse.py:2: textual may be used only in browser",
        "cli/run.py:1: mpipp.gdb.printers is another front end",
        "gdb/server.py:2: mpipp.browser.tree is another front end",
        "others.py: no layer lists it",
        "render/text.py:1: mpipp.others is in no layer",
        "typetree.py:1: gdb may be used only in gdb, gdb_printers",
        "typetree.py:2: mpipp.registry is in a higher layer",
        "typetree.py:3: numpy is not in the standard library",
    ]


def test_a_circle_is_found(tmp_path: Path) -> None:
    (tmp_path / "render").mkdir()
    for name, text in (
        ("__init__.py", "from mpipp.errors import MpippError\n"),
        ("errors.py", "import sys\n"),
        ("typetree.py", "from mpipp.render import trees\n"),
        ("render/__init__.py", ""),
        ("render/trees.py", "if TYPE_CHECKING:\n    from mpipp.values import Node\n"),
        ("values.py", "def of():\n    import mpipp.typetree\n"),
        ("first.py", "from mpipp.values import of\n"),
    ):
        (tmp_path / name).write_text(text)
    found = graph(tmp_path, "mpipp")
    assert found["mpipp"] == {"mpipp.errors"}
    assert circle(found) == [
        "mpipp.render.trees",
        "mpipp.values",
        "mpipp.typetree",
        "mpipp.render.trees",
    ]
    found["mpipp.typetree"].clear()
    assert circle(found) == []


def children(modules: Mapping[str, Set[str]], package: str) -> dict[str, set[str]]:
    """The modules and packages directly in a package, with their imports of each other.

    `__init__` is above all others of its package, and is left out.
    """
    inside = f"{package}."

    def child(module: str) -> str:
        # `typetree` belongs to `datatypes`, and `gdb_printers` to `gdb`: their paths are fixed.
        name = module[len(inside) :].partition(".")[0]
        return {"typetree": "datatypes", "gdb_printers": "gdb"}.get(name, name)

    found: dict[str, set[str]] = {}
    for me, others in modules.items():
        if me.startswith(inside):
            mine = found.setdefault(child(me), set())
            mine |= {child(other) for other in others if other.startswith(inside)} - {child(me)}
    return found


def test_packages_form_no_circle() -> None:
    modules = graph(PACKAGE, "mpipp")
    for package in sorted(modules):
        found = circle(children(modules, package))
        assert found == [], f"in {package}, {' imports '.join(found)}: a circle"


def test_no_room_is_crowded() -> None:
    """A folder has at most 20 modules. In C, a header and its source are one."""
    root, suffixes = PACKAGE.parent, {".py", ".c", ".h", ".cc", ".sh"}
    rooms: dict[Path, set[str]] = {}
    for tree in ("mpipp", "wrapper", "tests", "tools", "benchmarks"):
        for path in (root / tree).rglob("*"):
            room = path.relative_to(root).parent
            # Leave out folders of test programs, because a test names each of them.
            if path.suffix in suffixes and not {"programs", "generated"} & {*room.parts}:
                rooms.setdefault(room, set()).add(path.stem)
    assert rooms.keys() > {Path("mpipp"), Path("wrapper/registry"), Path("tests/gdb")}
    assert {room: len(stems) for room, stems in rooms.items() if len(stems) > 20} == {}
