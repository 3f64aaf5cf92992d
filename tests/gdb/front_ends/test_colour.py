# SPDX-License-Identifier: MIT
"""Colours in the output of commands, by pygments in gdb's own Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import support

ESCAPE = re.compile("\x1b\\[[0-9;]*m")
STOP = ["break mark", "run", "up"]


@pytest.fixture(scope="module")
def program() -> Path:
    return support.compile_program(
        support.program_source("gdb", "commands.c"), support.find_mpi("mpich4")
    )


def shown(program: Path, *commands: str) -> str:
    mpi = support.find_mpi("mpich4")
    return support.gdb_batch(commands, program=program, mpi=mpi, stop=STOP)


def need_pygments() -> None:
    """Skip the test if gdb's Python has no pygments."""
    if "<module 'pygments'" not in support.gdb_batch(["python import pygments; print(pygments)"]):
        support.lacking("gdb's Python has no pygments: install python3-pygments")


def test_colour_on_request_changes_nothing_but_the_colour(program: Path) -> None:
    need_pygments()
    plain = shown(program, "set mpipp colour off", "mpipp vec", "mpipp s_type data 2")
    coloured = shown(program, "set mpipp colour on", "mpipp vec", "mpipp s_type data 2")
    assert ESCAPE.search(coloured)
    assert ESCAPE.sub("", coloured) == plain


def test_no_colour_where_the_output_is_no_terminal(program: Path) -> None:
    assert not ESCAPE.search(shown(program, "mpipp vec", "mpipp s_type data 2"))


def test_blocks_and_quotes_are_not_coloured_as_errors(program: Path) -> None:
    need_pygments()
    write = 'python from mpipp.gdb import output; output.write(["\u2588\u2592 of rank 3\'s"])'
    said = shown(program, "set mpipp colour on", write)
    assert "\x1b[04m" not in said  # underlined
    assert ESCAPE.sub("", said).rstrip() == "\u2588\u2592 of rank 3's"
