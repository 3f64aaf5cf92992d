# SPDX-License-Identifier: MIT
"""Call frame information, compared with the results of pyelftools."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from mpipp.symbolizer.frame_table import RBP, RSP, of_elf
from tests import support

SOURCE = """\
#include <alloca.h>
#include <string.h>
int use(char *);
int plain(int a) { return a + use(0); }
int many(int a, int b, int c) { char row[999]; return use(row) + plain(a) * b + c; }
int grows(int n) { char *room = alloca(n); return use(room) + plain(n); }
int aligned(int n) { char row[64] __attribute__((aligned(64))); return use(row) + grows(n); }
int leaves(int n) { if (n) return 3; return use(0) + use(0) * n; }
"""


@pytest.fixture(params=["-O0", "-O2", "-O2 -fno-omit-frame-pointer"])
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    made = tmp_path / "lib.so"
    flags = str(request.param).split()
    gcc = support.need("gcc")
    words = [gcc, *flags, "-fno-inline", "-shared", "-fPIC", "-xc", "-", "-o", str(made)]
    subprocess.run(words, input=SOURCE, text=True, check=True)
    return made


def rows(elf: Any) -> list[tuple[int, Any, Any]]:
    """For each instruction with a change: the CFA rule, and the place of %rbp."""
    from elftools.dwarf.callframe import FDE

    found = []
    for entry in elf.get_dwarf_info().EH_CFI_entries():
        table = entry.get_decoded().table if isinstance(entry, FDE) else []
        # If several rows have one address, the last one counts.
        last = {row["pc"]: row for row in table}
        found += [(pc, row["cfa"], row.get(RBP)) for pc, row in last.items()]
    return found


def test_as_pyelftools(library: Path) -> None:
    elffile = pytest.importorskip("elftools.elf.elffile")
    with library.open("rb") as file:
        elf = elffile.ELFFile(file)
        if elf["e_machine"] != "EM_X86_64":
            pytest.skip("call frame information is read on x86-64 only")
        table = of_elf(elf)
        known = 0
        for pc, cfa, rbp in rows(elf):
            rule = table.rule(pc)
            if cfa.reg in (RBP, RSP):
                assert rule is not None
                assert (rule.register, rule.distance, rule.is_stored) == (
                    cfa.reg,
                    cfa.offset,
                    False,
                )
                saved = rbp.arg if rbp is not None and rbp.type == "OFFSET" else None
                assert rule.saved == saved or rbp.type == "EXPRESSION"
                known += 1
        assert known > 20
        assert table.rule(0) is None and table.rule(1 << 40) is None
