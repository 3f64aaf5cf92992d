# SPDX-License-Identifier: MIT
"""docs/howto/memory.md: its program is compiled, and its commands print the output in the page."""

from __future__ import annotations

import re

from tests import support

DOCUMENT = support.ROOT / "docs/howto/memory.md"
BLOCK = re.compile(r"^```(c|gdb)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def same(text: str) -> str:
    """A text without addresses, which vary between machines."""
    return re.sub("0x[0-9a-f]+", "0x...", text)


def test_every_output_is_what_gdb_prints() -> None:
    blocks = BLOCK.findall(DOCUMENT.read_text())
    (program,) = (text for language, text in blocks if language == "c")
    shown = "".join(text for language, text in blocks if language == "gdb")
    typed = re.findall(r"^\(gdb\) (.*)$", shown, re.MULTILINE)
    assert len(typed) > 8
    mpi = support.find_mpi("mpich4")
    commands = ["frame function main"]
    for command in typed:
        commands += [f"echo (gdb) {command}\\n", command]
    output = support.gdb_batch(
        commands,
        program=support.compile_program(program, mpi),
        mpi=mpi,
        stop=["break MPI_Barrier", "run"],
    )
    assert same(output[output.index("(gdb) ") :]) == same(shown)
