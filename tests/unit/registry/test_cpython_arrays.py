# SPDX-License-Identifier: MIT
"""Python objects with memory, found by name in a frame of a real process."""

from __future__ import annotations

import ast
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mpipp.common.errors import UnreadableMemory
from mpipp.registry.memory import cpython_arrays
from mpipp.registry.memory.address_space import Memory, ProcessMemory
from tests.unit.registry.test_cpython_frames import needs_known

SCRIPT = """\
import array, ctypes, mmap, os, sys, types
class Inner:
    def __init__(self):
        self.levels = [bytearray(7), {"x": array.array("i", [1, 2, 3]), 3: bytearray(9)}]
class Plain:
    def __init__(self):
        self.u, self.deep = array.array("d", range(5)), Inner()
class Slots:
    __slots__ = ("one", "two")
    def __init__(self):
        self.one, self.two = None, bytearray(11)
class Derived(Slots):
    pass
class Items(list):
    pass
module_wide = bytearray(13)
space = types.SimpleNamespace(k=bytearray(15))

def inside(p, s):
    local, other = bytearray(17), array.array("h", [1, 2])
    def closure():
        return local
    items = Items([bytearray(19)])
    late = Plain()
    late.extra = bytearray(21)
    late.__dict__["more"] = bytearray(23)
    nested = (1, (bytearray(25), 2))
    foreign, mapped = (ctypes.c_double * 4)(), mmap.mmap(-1, 4096)
    every = {
        "module_wide": module_wide, "space.k": space.k, "local": local, "other": other,
        "items[0]": items[0], "late.extra": late.extra, "late.more": late.more, "p.u": p.u,
        "p.deep.levels[0]": p.deep.levels[0], 'p.deep.levels[1]["x"]': p.deep.levels[1]["x"],
        "p.deep.levels[1][3]": p.deep.levels[1][3], "s.two": s.two,
        "nested[1][0]": nested[1][0], "foreign": foreign, "mapped": mapped,
    }
    at = {n: ctypes.addressof(ctypes.c_char.from_buffer(o)) for n, o in every.items()}
    view, every = memoryview(p.u)[1:3], None
    at["view"] = at["p.u"] + 8
    frame = sys._getframe()
    if sys.version_info >= (3, 11):
        frame = ctypes.c_uint64.from_address(id(frame) + 24).value
    else:
        frame = id(frame)
    print([os.getpid(), frame, sys.hexversion, at], flush=True)
    sys.stdin.read(1)

inside(Plain(), Derived())
"""


@contextmanager
def waiting(directory: Path, python: str) -> Iterator[tuple[Memory, int, int, dict[str, int]]]:
    """A waiting process: its memory, its frame, Py_Version, and addresses of expressions."""
    script = directory / "waits.py"
    script.write_text(SCRIPT)
    pipe = subprocess.PIPE
    with subprocess.Popen([python, str(script)], stdin=pipe, stdout=pipe, text=True) as process:
        try:
            assert process.stdout
            pid, frame, version, at = ast.literal_eval(process.stdout.readline())
            yield ProcessMemory(pid), frame, version, at
        finally:
            process.kill()


@needs_known
def test_names(tmp_path: Path) -> None:
    with waiting(tmp_path, sys.executable) as (memory, frame, version, at):
        found = list(cpython_arrays.arrays(memory, frame, version, at.values()))
    for name, address in at.items():
        assert name in [one.name for one in found if one.holds(address)]
    by_name = {one.name: one for one in found}
    numbers, view = by_name["p.u"], by_name["view"]
    assert (numbers.kind, numbers.item_size, numbers.elements) == ("float", 8, 5)
    assert (view.sort, view.kind, view.elements) == ("memoryview", "float", 2)
    foreign = by_name["foreign"]
    assert (foreign.kind, foreign.item_size, foreign.elements) == ("float", 8, 4)
    assert view.owner == numbers.owner == (numbers.low, numbers.low + 40)
    assert (by_name["local"].sort, by_name["local"].elements) == ("bytearray", 17)


@needs_known
def test_other_release(tmp_path: Path) -> None:
    with waiting(tmp_path, sys.executable) as (memory, frame, _, at):
        assert not list(cpython_arrays.arrays(memory, frame, 0x03080000, at.values()))


class _Damaged:
    # Memory that sometimes returns wrong bytes.
    def __init__(self, memory: Memory, seed: int) -> None:
        self._memory = memory
        self._chance = random.Random(seed)

    def read(self, address: int, length: int) -> bytes:
        data = self._memory.read(address, length)
        if self._chance.random() < 0.03:
            if self._chance.random() < 0.5:
                raise UnreadableMemory(address, length)
            return self._chance.randbytes(length)
        return data


@needs_known
def test_damage(tmp_path: Path) -> None:
    with waiting(tmp_path, sys.executable) as (memory, frame, version, at):
        for seed in range(50):
            damaged = _Damaged(memory, seed)
            for one in cpython_arrays.arrays(damaged, frame, version, at.values()):
                assert one.low <= one.high
