# SPDX-License-Identifier: MIT
"""The layers of the wrapper, by linked symbols.

`tests/test_layers.py` checks the includes. But a header may declare a function that a higher folder
defines.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping, Set
from pathlib import Path

from mpipp.toolchain import build_wrapper
from mpipp.toolchain import mpi_libraries as mpis
from tests import support
from tests.test_layers import WRAPPER, circle, folder, unit


def symbols(objects: Path) -> Iterable[tuple[str, str, str]]:
    """Object file without its suffix, name, and type in nm's output, for each global symbol."""
    files = sorted(map(str, objects.glob("*.o")))
    done = subprocess.run(
        [support.need("nm"), "-A", "-P", "-g", *files], capture_output=True, text=True, check=True
    )
    for line in done.stdout.splitlines():
        file, name, kind = line.split()[:3]
        yield Path(file.rstrip(":")).stem, name, kind


# A part may replace functions of the C library, which all folders call.
OWN = re.compile(r"mpipp_|P?MPIX?_|p?mpix?_")


def references(found: Iterable[tuple[str, str, str]]) -> dict[str, set[str]]:
    """The units that each unit refers to. Units are named as in `test_layers.unit`."""
    units = {unit(path).replace("/", "_"): unit(path) for path in WRAPPER.rglob("*.c")}
    defined: dict[str, str] = {}
    wanted: dict[str, set[str]] = {}
    for file, name, kind in found:
        if kind in "Uvw":
            wanted.setdefault(units[file], set()).add(name)
        elif OWN.match(name):
            defined[name] = units[file]
    return {me: {defined[name] for name in names & defined.keys()} for me, names in wanted.items()}


# The word of each folder in the names of its symbols.
WORDS = {
    "abi": "abi",
    "registry": "registry",
    "watcher_client": "watcher",
    "recorder": "recorder",
    "layout": "layout",
    "call_filter": "filter",
    "intercept": "intercept",
    "collective_precheck": "precheck",
    "buffer_guard": "guard",
    "rma_log": "rma",
    "perturb": "perturb",
    "rma_page_trace": "trace",
    "instrumentation": "instrument",
    "thread_order": "order",
    "death_signals": "death",
}
# Names that other libraries and gdb look up.
KNOWN_OUTSIDE = re.compile(
    r"mpipp_(registry|open|at_root|at_leaf|finalizing|hook_(in|out)|program_register|guards_buffers"
    r"|fork_(begin|end)|handler_replace"
    r"|onesided_(report_free|pends)|system_\w+)"
)


def unnamed(found: Iterable[tuple[str, str, str]]) -> list[str]:
    """The symbols without the word of their folder, each as a line of text."""
    folders = {
        unit(path).replace("/", "_"): unit(path).split("/")[0] for path in WRAPPER.rglob("*.c")
    }
    return [
        f"{folders[file]} defines {name}"
        for file, name, kind in found
        if kind not in "Uvw" and name.startswith("mpipp_") and folders[file] in WORDS
        if not name.startswith(f"mpipp_{WORDS[folders[file]]}")
        and not KNOWN_OUTSIDE.fullmatch(name)
    ]


def upwards(graph: Mapping[str, Set[str]]) -> list[str]:
    """The references from a unit to a unit in a higher folder, each as a line of text."""
    return [
        f"{me} refers to {other}"
        for me, others in sorted(graph.items())
        for other in sorted(others)
        if folder(other) > folder(me)
    ]


@support.on_mpi(*support.MACHINE)
def test_linked_symbols_point_downwards(mpi: support.MPI, tmp_path: Path) -> None:
    graph = compiled_references(mpi, tmp_path)
    assert upwards(graph) == []
    assert unnamed(symbols(tmp_path)) == []
    found = circle(graph)
    assert found == [], f"{' refers to '.join(found)}: a circle"


def compiled_references(one: support.MPI, work: Path) -> dict[str, set[str]]:
    """The references in the wrapper for an MPI, as from `references`.

    They exclude `libc_interposer/`, which is a library of its own. Optimization would only remove
    references, and takes three times as long.
    """
    probed = mpis.probe(one.mpicc)
    build_wrapper.write_have(probed, work)
    steps = build_wrapper.commands(probed, work, work / "none", extra_flags=["-O0", "-g0"])
    failed = [done.stderr for done in build_wrapper.run_all(steps.compile) if done.returncode]
    assert failed == []
    graph = references(symbols(work))
    # Two object files must not have the same name.
    assert len(list(work.glob("*.o"))) == len(steps.compile) > 100
    return graph


def test_a_reference_upwards_and_a_circle_are_found() -> None:
    graph = references(
        [
            ("registry_object_store", "mpipp_find", "T"),
            ("registry_object_store", "mpipp_registry_event_sink", "U"),
            ("registry_object_store", "malloc", "U"),
            ("intercept_hooks", "mpipp_registry_event_sink", "D"),
            ("intercept_hooks", "mpipp_find", "U"),
            ("intercept_hooks", "malloc", "T"),
        ]
    )
    assert graph == {
        "registry/object_store": {"intercept/hooks"},
        "intercept/hooks": {"registry/object_store"},
    }
    assert upwards(graph) == ["registry/object_store refers to intercept/hooks"]
    assert circle(graph) == ["intercept/hooks", "registry/object_store", "intercept/hooks"]
