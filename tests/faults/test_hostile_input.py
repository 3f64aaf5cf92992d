# SPDX-License-Identifier: MIT
"""Extremely large numbers, and control characters: each is reported in a sentence."""

from __future__ import annotations

import json
import re

from tests import support
from tests.faults import faults

STOP = ["break PMPI_Sendrecv", "break MPI_Sendrecv", "run"]
MANY = "9" * 5000
BEYOND = (10**19, 1 << 63, (1 << 64) + 5)
# {} stands for a number.
COMMANDS = (
    "mpipp odd[{}]",
    "mpipp odd at {}",
    "mpipp odd packed {}",
    "mpipp odd --expanded --depth {}",
    "mpipp MPI_INT &number {}",
    "mpipp list types --limit {}",
    "mpipp typesig odd {}",
    "mpipp blocks odd {} --map",
    "mpipp match odd {} with odd",
    "mpipp match @{} odd with odd",
    "mpipp overlap odd &number {} with odd &number",
    'output $mpi_element(odd, &number, "[{}]")',
    "mpipp {}",
)


def said(mpi: support.MPI, commands: list[str]) -> list[str]:
    """gdb's output for each command in main, during a call."""
    program = faults.program("hostile.c", mpi)
    between = "echo \\n=next=\\n"
    words = [word for command in commands for word in (command, between)]
    look = ["frame function main", between, *words]
    output = support.gdb_batch(look, program=program, mpi=mpi, stop=STOP)
    return [text.strip() for text in output.split("=next=\n")[1:-1]]


@support.on_mpi("mpich4", "openmpi4")
def test_numbers(mpi: support.MPI) -> None:
    numbers = (*BEYOND, MANY)
    commands = [command.format(n) for command in COMMANDS for n in numbers]
    for command, text in zip(commands, said(mpi, commands)):
        assert not re.search(r"Traceback|Python|Error |cannot fit|Exceeds", text), (
            command[:80] + text
        )
        assert 0 < len(text) < 6000 and "99999" * 20 not in text, command[:80] + text
    once = said(mpi, [f"mpipp MPI_INT &number {1 << 63}", f"mpipp list types --limit {MANY}"])
    assert once[0].startswith("{7, ")
    invalid = f"--limit: invalid int value: '{'9' * 20}... (5000 digits)': see \"help mpipp list\"."
    assert once[1] == invalid


@support.on_mpi("mpich4", "openmpi4")
def test_control_characters(mpi: support.MPI) -> None:
    asked = r'output $mpi_arg("\033[31m\177")'
    commands = [
        asked,
        "output odd",
        "output loud",
        "mpipp odd",
        "mpipp list comms",
        "mpipp list types --json",
        "mpipp list calls",
    ]
    texts = said(mpi, commands)
    for command, text in zip(commands, texts):
        assert not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f]", text), (command, text)
    assert texts[0].startswith(r"MPI_Sendrecv has no argument \033[31m\177: it has ")
    document = json.loads(texts[5])
    assert [one["name"] for one in document["objects"]] == ["\033[31m\x7f\x9b"]
    assert r"\u001b[31m\u007f\u009b" in texts[5]
