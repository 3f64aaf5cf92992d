# SPDX-License-Identifier: MIT
"""Source lines and functions for addresses of code."""

from __future__ import annotations

import os
import re

import gdb

from mpipp.gdb import console
from mpipp.gdb.program import memory_mappings, symbol_names
from mpipp.model import Site
from mpipp.render import header_calls
from mpipp.symbolizer.demangle import source_name
from mpipp.symbolizer.source_frames import Frame

_LINE = re.compile(r"[^:]+:\d+( |$)")


def site(where: Site) -> list[str]:
    """The place where an object was created, innermost caller first; [] if unknown.

    Leading callers without a source line are left out if another caller has one. Such callers are
    the MPI library's Fortran layer, or an extension module. MPIPP_FRAMES must record enough
    callers.
    """
    return [text for text, _ in _calls(where)]


def place(where: Site) -> str:
    """The place in one line, as from `header_calls.place`; "" if unknown."""
    return header_calls.place(_calls(where))


def site_and_place(where: Site) -> tuple[list[str], str]:
    """The results of `site` and `place`, from a single look-up."""
    calls = _calls(where)
    return [text for text, _ in calls], header_calls.place(calls)


def _calls(where: Site) -> list[tuple[str, str]]:
    # Return the call and its callers, each as text with the path of its source file.
    if where.python:
        return [(where.python.text, "")]
    addresses = [address for address in (where.address, *where.frames) if address]
    calls = [(call(address), _source(address)) for address in dict.fromkeys(addresses)]
    with_line = [i for i, (text, _) in enumerate(calls) if has_line(text)]
    return calls[with_line[0] :] if with_line else calls


def frames(where: Site) -> list[Frame]:
    """The callers with a known source line, innermost first."""
    if where.python:
        path, line, name = where.python
        return [Frame(where.python.text, path, line, name)]
    return [
        found
        for address in (where.address, *where.frames)
        if address and (found := frame(address)) is not None
    ]


def frame(return_address: int) -> Frame | None:
    """The source line of the call with this return address; None if unknown."""
    line = gdb.find_pc_line(return_address - 1)
    if line.symtab is None or not line.line:
        return None
    return Frame(call(return_address), symbol_names.path(line.symtab), line.line)


def _source(return_address: int) -> str:
    table = gdb.find_pc_line(return_address - 1).symtab
    return "" if table is None else symbol_names.path(table)


def has_line(place: str) -> bool:
    """Return whether a text from `call` contains a source line."""
    return _LINE.match(place) is not None


def call(return_address: int) -> str:
    """The call with this return address: "file.c:12 in main", or the known part of that."""
    # The instruction after the call may belong to the next line, or even to the next function.
    pc = return_address - 1
    line = gdb.find_pc_line(pc)
    name = _function(pc)
    if line.symtab is not None and line.line:
        place = f"{os.path.basename(symbol_names.file(line.symtab))}:{line.line}"
        return f"{place} in {name}" if name else place
    symbol = _symbol(pc)
    if symbol:
        return symbol
    found = memory_mappings.file_at(pc)
    if found is None:
        return f"{return_address:#x}"
    name, start = found
    return f"{os.path.basename(name)}+{return_address - start:#x}"


def is_in_symbol(pc: int, name: str) -> bool:
    """Return whether an address of code belongs to this symbol of the linker."""
    return _symbol(pc).partition("+")[0] == name


def function(address: int) -> str:
    """A function by its address, `<name>`; the bare address if it has no name."""
    name = _function(address) or _symbol(address)
    return f"<{name}>" if name else f"{address:#x}"


def _function(pc: int) -> str | None:
    try:
        block = gdb.block_for_pc(pc)
    except (gdb.error, RuntimeError):
        return None
    while block is not None and block.function is None:
        block = block.superblock
    return None if block is None else source_name(symbol_names.symbol(block.function))


def _symbol(pc: int) -> str:
    # "main+18", from gdb's "main + 18 in section .text of /lib/x.so".
    try:
        text = console.output("info symbol {:#x}", pc)
    except gdb.error:
        return ""
    # With "set trace-commands", gdb writes the command in a line before.
    text = text.rstrip().rpartition("\n")[2]
    if text.startswith("No symbol"):
        return ""
    name: str = text.split(" in section ")[0]
    return name.strip().replace(" + ", "+")
