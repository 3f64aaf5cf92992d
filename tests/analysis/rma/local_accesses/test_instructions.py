# SPDX-License-Identifier: MIT
"""Loads and stores of instructions, compared with a disassembler."""

from __future__ import annotations

import ctypes
import re
import subprocess
from itertools import islice
from pathlib import Path

from tests.support import ROOT, need

LINES = 60000
MEMORY = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "XMMWORD": 16, "YMMWORD": 32}
LINE = re.compile(r" *[0-9a-f]+:\t((?:[0-9a-f]{2} )+) *\t(.*?(\w+) PTR .*)")
PREFIX = re.compile(r"(?:lock|rep\w*|bnd|data16|notrack|[cdefgs]s) ")
# Instructions that do not write to their first operand in memory.
LOADS_ONLY = re.compile(r"v?u?com|cmp|test|push|call|jmp|bt |i?mul|i?div|f|nop|prefetch|[vs]?ldm")
STORES_ONLY = re.compile(r"mov|v?mov|set|stos|v?extract|v?pextr|v?stm|fst|fist|fn")


def disassembled(library: str) -> list[tuple[bytes, str, int]]:
    """Instructions with a memory operand: their bytes, their text, and the size of the operand in
    bytes."""
    words = [need("objdump"), "-d", "-w", "-M", "intel", library]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout
        lines = list(islice(filter(None, map(LINE.match, running.stdout)), LINES))
        running.kill()
    known = [line for line in lines if line[3] in MEMORY]
    return [(bytes.fromhex(line[1]), PREFIX.sub("", line[2]), MEMORY[line[3]]) for line in known]


def test_bytes_of_instructions(tmp_path: Path) -> None:
    library = tmp_path / "decoder.so"
    source = ROOT / "wrapper" / "rma_page_trace" / "x86_decoder.c"
    include = f"-I{ROOT / 'wrapper'}"
    subprocess.run([need("gcc"), "-shared", "-fPIC", include, "-o", library, source], check=True)
    decode = ctypes.CDLL(str(library)).mpipp_trace_instruction_bytes
    found = {True: 0, False: 0}
    maps = Path("/proc/self/maps").read_text()
    c_library = re.search(r"/\S*/libc[-.]\S*so\S*", maps)
    assert c_library, maps
    for code, words, size in disassembled(c_library[0]):
        for stores in (True, False):
            is_first = "PTR" in words.partition(",")[0]
            if stores and (not is_first or LOADS_ONLY.match(words)):
                continue
            if not stores and is_first and STORES_ONLY.match(words):
                continue
            decoded = decode(code + bytes(16), stores)
            assert decoded in (0, size), (code.hex(), words)
            assert stores or decoded <= 8, words
            found[stores] += decoded > 0
    assert found[True] > 1000 and found[False] > 10000, found
