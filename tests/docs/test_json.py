# SPDX-License-Identifier: MIT
"""docs/reference/json.md shows the output of `--json`.

With MPIPP_UPDATE_DOCS=1 the examples in the file are replaced by gdb's output.
"""

from __future__ import annotations

import json
import os
import re

import pytest

from tests.support import MPI, ROOT, compile_program, find_mpi, gdb_batch, on_mpi, program_source

PAGE = ROOT / "docs/reference/json.md"
PROGRAM = program_source("gdb", "json.c")
_EXAMPLE = re.compile(r"<!-- json: ([^\n]*) -->\n```json\n(.*?)```\n", re.DOTALL)
EXAMPLES = dict(_EXAMPLE.findall(PAGE.read_text()))
# These members vary between runs or MPI libraries.
_VARIES = ("handle", "serial", "tid", "predefined_not_shown", "buffer", "start", "end", "address")


def printed(mpi: MPI) -> dict[str, str]:
    """The output of gdb for each of the commands."""
    program = compile_program(PROGRAM, mpi)
    commands = []
    for command in EXAMPLES:
        commands += ["echo @", command]
    stop = ["mpipp break MPI_Wait", "run", "frame function main"]
    output = gdb_batch(commands, program=program, mpi=mpi, stop=stop, variables=True)
    return dict(zip(EXAMPLES, output.split("@")[1:]))


def settled(value: object, name: str = "") -> object:
    """A document without the members that vary."""
    if isinstance(value, dict):
        if value.get("type") in _VARIES:  # an entry of a list, with its kind as "type"
            return {**value, "value": "..."}
        return {key: settled(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [settled(item, name) for item in value]
    if name in _VARIES and isinstance(value, int):
        return type(value).__name__
    return re.sub(r"0x[0-9a-f]+", "0x...", value) if isinstance(value, str) else value


@on_mpi("mpich4", "openmpi4")
def test_examples(mpi: MPI) -> None:
    for command, text in printed(mpi).items():
        assert settled(json.loads(text)) == settled(json.loads(mpi.cited(EXAMPLES[command]))), (
            command
        )


@pytest.mark.skipif("MPIPP_UPDATE_DOCS" not in os.environ, reason="only on demand")
def test_update() -> None:
    page = PAGE.read_text()
    for command, text in printed(find_mpi("mpich4")).items():
        head = f"<!-- json: {command} -->\n```json\n"
        start = page.index(head) + len(head)
        end = page.index("```\n", start)
        page = page[:start] + json.dumps(json.loads(text), indent=2) + "\n" + page[end:]
    PAGE.write_text(page)
