# SPDX-License-Identifier: MIT
"""Lines of inlined functions, for each instruction, compared with binutils."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from mpipp.symbolizer.line_table import LineTable
from tests.support import need

SOURCE = """\
#define INLINED static inline __attribute__((always_inline))
volatile double cells[100];
INLINED void put(int i, double with) {
  cells[i] = with;
}
INLINED void update(int i) {
  put(i, cells[i + 1]);
  if (cells[i] > 1) {
    put(i + 2, 1);
  }
}
void step(int n) {
  for (int i = 0; i < n; i++) {
    update(i);
  }
  put(0, 0);
}
int main(int argc, char **argv) {
  (void)argv;
  step(argc);
  update(argc);
  return 0;
}
"""
PLACE = re.compile(r"(\w+) at \S*?([^/]+:[\d?]+)(?: \(discriminator \d+\))?$")


def told(program: Path, addresses: list[int]) -> list[list[tuple[str, str]]]:
    """The output of addr2line: function and line for each address, innermost inlined function
    first."""
    words = [need("addr2line"), "-i", "-f", "-a", "-p", "-e", str(program), *map(hex, addresses)]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    places: list[list[tuple[str, str]]] = []
    for line in said.splitlines():
        match = PLACE.search(line)
        if not line.startswith(" (inlined by)"):
            places.append([])
        places[-1] += [(match[1], match[2])] if match else []
    return places


@pytest.mark.parametrize("version", [4, 5])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_each_instruction(compiler: str, version: int, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(SOURCE)
    program = tmp_path / "a"
    words = [need(compiler), "-O2", "-g", f"-gdwarf-{version}", "-o", str(program), "a.c"]
    subprocess.run(words, cwd=tmp_path, check=True)
    lines = LineTable(str(program))
    with program.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".symtab")
        found = [symbols.get_symbol_by_name(name)[0] for name in ("step", "main")]
        spans = [(one["st_value"], one["st_value"] + one["st_size"]) for one in found]
    addresses = [address for span in spans for address in range(*span)]
    places = [lines.places(address) for address in addresses]
    assert [[p.is_inlined for p in of] for of in places] == [
        [True] * (len(of) - 1) + [False] for of in places
    ]
    own = [[(p.function, f"{p.line.file}:{p.line.line}") for p in of if p.line] for of in places]
    of_binutils = told(program, addresses)
    # For an instruction without a line, Clang uses the line of the instruction before it.
    known = [i for i, theirs in enumerate(of_binutils) if theirs and "?" not in str(theirs)]
    assert [own[i] for i in known] == [of_binutils[i] for i in known]
    assert len(known) > len(addresses) / 2
    assert max(map(len, own)) >= 3
    assert [lines.function(low) for low, _ in spans] == ["step", "main"]
