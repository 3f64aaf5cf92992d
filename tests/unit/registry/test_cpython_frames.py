# SPDX-License-Identifier: MIT
"""The current Python lines of threads, from the memory of real processes."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mpipp.common.errors import UnreadableMemory
from mpipp.registry.memory import cpython_frames
from mpipp.registry.memory.address_space import ProcessMemory

SCRIPT = """\
import ctypes, os, sys, threading

def waits(number):
    pipe, _ = os.pipe()
    print(os.getpid(), runtime, sys.hexversion, threading.get_ident(), flush=True)
    return os.read(
        pipe,
        number,
    )

def calls():
    for _ in range(3):
        number = 1; waits(number)

own = ctypes.CDLL(None)
runtime = ctypes.addressof(ctypes.c_char.in_dll(own, "_PyRuntime"))
calls()
"""
needs_known = pytest.mark.skipif(
    not (3, 9) <= sys.version_info[:2] <= (3, 13), reason="a release that is not known"
)


@contextmanager
def waiting(directory: Path) -> Iterator[tuple[ProcessMemory, int, int, int, int]]:
    """A process that waits in a C call: its memory, _PyRuntime, Py_Version, process id,
    pthread_self."""
    script = directory / "wäits.py"
    script.write_text(SCRIPT)
    words = [sys.executable, str(script)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            pid, runtime, version, thread = map(int, process.stdout.readline().split())
            while not re.search(r"\) S ", Path(f"/proc/{pid}/stat").read_text()):
                time.sleep(0.01)
            yield ProcessMemory(pid), runtime, version, pid, thread
        finally:
            process.kill()


@needs_known
def test_where_it_waits(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, runtime, version, tid, thread):
        place = cpython_frames.at(memory, runtime, version, tid, thread)
        other = cpython_frames.at(memory, runtime, version, os.getpid())
        older = cpython_frames.at(memory, runtime, 0x03080000, tid, thread)
        layout = cpython_frames._LAYOUTS[version >> 16 & 0xFF]
        number = thread if layout.step else tid
        places = list(cpython_frames._Reader(memory, layout).places(runtime, number))
    file = str(tmp_path / "wäits.py")
    assert place == (file, 6, "waits")
    assert (other, older) == (None, None)
    assert [(each.line, each.function) for each in places] == [
        (6, "waits"),
        (13, "calls"),
        (17, "<module>"),
    ]


class _Damaged:
    # Memory that sometimes returns wrong bytes.
    def __init__(self, memory: ProcessMemory, seed: int) -> None:
        self._memory = memory
        self._chance = random.Random(seed)

    def read(self, address: int, length: int) -> bytes:
        data = self._memory.read(address, length)
        if self._chance.random() < 0.1:
            if self._chance.random() < 0.5:
                raise UnreadableMemory(address, length)
            return self._chance.randbytes(length)
        return data


@needs_known
def test_damage(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, runtime, version, tid, thread):
        for seed in range(2000):
            place = cpython_frames.at(_Damaged(memory, seed), runtime, version, tid, thread)
            assert place is None or place.line > 0


def test_tables_of_older_releases() -> None:
    # Steps of code and lines: 2 bytes without a line, 4 of line 5, 2 of line 8, 2 of line 7.
    table = bytes([2, 0x80, 4, 0, 2, 3, 2, 0xFF])
    lines = [cpython_frames._line_in_10(table, 5, offset) for offset in range(0, 10, 2)]
    assert lines == [0, 5, 5, 8, 7]
    # 4 bytes of line 5, 2 of line 8, and the rest of line 7.
    table = bytes([4, 3, 2, 0xFF])
    assert [cpython_frames._line_in_9(table, 5, offset) for offset in range(0, 10, 2)] == [
        5,
        5,
        8,
        7,
        7,
    ]
