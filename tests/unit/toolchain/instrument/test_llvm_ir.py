# SPDX-License-Identifier: MIT
"""The pass over LLVM's textual IR, on modules of Clang 14 to 19 (modules/source.c)."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from mpipp.symbolizer import skipped_accesses
from mpipp.toolchain.instrument.llvm_ir import patterns
from mpipp.toolchain.instrument.llvm_ir.add_missing_checks import complete
from mpipp.toolchain.instrument.llvm_ir.escaping_locals import local_pointers
from mpipp.toolchain.instrument.llvm_ir.function import Function
from mpipp.toolchain.instrument.llvm_ir.hoist_loop_checks import hoisted

MODULES = Path(__file__).with_name("modules")
every_clang = pytest.mark.parametrize("clang", range(14, 20))
CALLED = re.compile(r"\bcall .*@(__tsan_\w+|mpipp_inlined_\w+|mem\w+)\(")


def completed(clang: int, source: str = "source.c") -> list[str]:
    text = (MODULES / f"clang{clang}.ll").read_text()
    return list(complete(text.splitlines(keepends=True), source))


def functions(lines: list[str]) -> dict[str, list[str]]:
    """The program's functions by name."""
    own = (part for is_own, part in patterns.functions(lines) if is_own)
    return {found[1]: part for part in own if (found := re.search(r"@([\w.]+)\(", part[0]))}


def calls(function: list[str]) -> list[str]:
    return [found[1] for line in function if (found := CALLED.search(line))]


@every_clang
def test_each_access_is_checked(clang: int) -> None:
    found = {name: calls(lines) for name, lines in functions(completed(clang)).items()}
    assert found == {
        "sums": ["__tsan_read8"],
        "scales": ["__tsan_write8"],
        "gathers": ["__tsan_read4", "__tsan_read8", "__tsan_write8"],
        "calls": ["__tsan_write4"],
        "gives_local_away": ["mpipp_inlined_memcpy", "__tsan_read4"],
        "adds_atomically": ["__tsan_write4"],
        "loads_wide": ["mpipp_inlined_loads"],
        "copies": ["mpipp_inlined_memcpy"],
        "loads_by_segment": [],
        "tsan.module_ctor": ["__tsan_init"],
    }


@every_clang
def test_a_check_stands_before_its_access(clang: int) -> None:
    lines = functions(completed(clang))["loads_wide"]
    (at,) = (i for i, line in enumerate(lines) if "@mpipp_inlined_loads(" in line)
    assert re.search(r", i64 10\), !dbg !\d+$", lines[at])
    assert re.match(r"  %\d+ = load x86_fp80, ", lines[at + 1])


@every_clang
def test_what_is_not_understood_is_listed(clang: int) -> None:
    listed = [line for line in completed(clang, "ä b.c") if line.startswith("module asm")]
    asm = [ast.literal_eval(line[len("module asm ") :]) for line in listed]
    assert asm[0] == f".pushsection {skipped_accesses.SECTION}"
    assert asm[2] == ".popsection"
    content = bytes(int(number) for number in asm[1][len(".byte ") :].split(", "))
    assert skipped_accesses.counts(content) == {"ä b.c": 1}


def test_a_damaged_list_is_left_out() -> None:
    content = skipped_accesses.entry(3, "a.c") + b"x b.c\0-1 c.c\0 \0" + b"9" * 99 + b" d.c\0\xff\0"
    assert skipped_accesses.counts(content + skipped_accesses.entry(2, "a.c")) == {"a.c": 5}


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"\x7fELF" + bytes(range(256)) * 4])
def test_a_damaged_file_lists_nothing(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    assert not skipped_accesses.of_file(str(tmp_path / "file"))


@every_clang
def test_loops_are_found(clang: int) -> None:
    of = {name: Function(lines).loops for name, lines in functions(completed(clang)).items()}
    assert {name: len(loops) for name, loops in of.items() if loops} == {
        "sums": 1,
        "scales": 2,
        "gathers": 1,
        "calls": 1,
    }
    inner, outer = of["scales"]
    assert inner.outer is outer
    assert inner.body < outer.body


@every_clang
def test_checks_are_hoisted_where_the_addresses_are_known(clang: int) -> None:
    found = {
        name: calls(lines) for name, lines in functions(list(hoisted(completed(clang)))).items()
    }
    span = ["mpipp_inlined_min", "mpipp_inlined_max", "mpipp_inlined_overlaps"]
    keep = "mpipp_inlined_record"
    assert found["sums"] == [*span, keep, "mpipp_inlined_load_if"]
    # The outer loop also checks its corners first.
    assert found["scales"].count("mpipp_inlined_overlaps") == 2
    assert found["scales"][-2:] == [keep, "mpipp_inlined_store_if"]
    # The place of from[at[i]] is unknown before the loop.
    of_gathers = [name for name in found["gathers"] if name not in span]
    assert sorted(of_gathers) == [
        "__tsan_read8",
        "mpipp_inlined_load_if",
        keep,
        keep,
        "mpipp_inlined_store_if",
    ]
    # take() may start or complete an operation.
    assert found["calls"] == ["__tsan_write4"]


@every_clang
def test_values_of_the_loop_come_from_the_way_into_it(clang: int) -> None:
    text = "".join(hoisted(completed(clang)))
    lines = functions(text.splitlines(keepends=True))["sums"]
    way = next(line for line in lines if line.startswith("mpipp.way"))
    name = way.rstrip(":\n")
    assert sum(f"label %{name}," in line or f"label %{name}\n" in line for line in lines) == 1
    in_header = [line for line in lines if " = phi " in line and f"%{name} ]" in line]
    assert len(in_header) == 2  # i and sum


@every_clang
def test_locals(clang: int) -> None:
    pointers = local_pointers(functions(completed(clang))["gives_local_away"])
    # A pointer to few[i & 3]. Clang 14 has typed pointers: others to the same bytes and to few[0].
    assert len(pointers.reached) == (4 if clang == 14 else 1)
    assert not pointers.private


def test_a_local_that_stays_is_private() -> None:
    lines = [
        "define i32 @f() {\n",
        "  %a = alloca { i64, i64 }, align 8\n",
        "  %b = alloca [4 x i32], align 16\n",
        "  %c = getelementptr inbounds [4 x i32], ptr %b, i64 0, i64 2\n",
        "    #dbg_declare(ptr %a, !1, !DIExpression(), !2)\n",
        "  %d = load { i64, i64 }, ptr %a, align 8\n",
        "  call void @take(ptr noundef %c)\n",
        "  ret i32 0\n",
        "}\n",
    ]
    assert local_pointers(lines) == ({"%c"}, {"%a"})
    assert list(complete(lines, "f.c")) == lines  # the address does not escape
