# SPDX-License-Identifier: MIT
"""The loads and stores that `mpipp cc` could not instrument, as listed in the compiled file.

Each object file has the list in a section of its own, which is not loaded; the linker joins them.
The section consists of strings: a number, a space, and the source file's name.
"""

from __future__ import annotations

import functools
from collections import Counter
from contextlib import suppress

from mpipp.symbolizer.line_table import damage

SECTION = ".mpipp.skipped"
_MOST = 1 << 20  # bytes of the section that are read
_DIGITS = 10


def entry(count: int, source: str) -> bytes:
    """Return the text for one source file."""
    return b"%d %s\0" % (count, source.encode(errors="surrogateescape"))


def counts(content: bytes) -> Counter[str]:
    """Return the number of loads and stores of each source file; invalid texts are skipped."""
    found = Counter[str]()
    for text in content[:_MOST].split(b"\0"):
        count, _, source = text.partition(b" ")
        if count.isdigit() and len(count) < _DIGITS and source:
            found[source.decode(errors="backslashreplace")] += int(count)
    return found


@functools.cache
def of_file(path: str) -> Counter[str]:
    """Return the numbers for an ELF file, which is read once; none if it is unreadable."""
    with suppress(*damage()), open(path, "rb") as file:
        from elftools.elf.elffile import ELFFile

        section = ELFFile(file).get_section_by_name(SECTION)
        return counts(section.data()) if section is not None else Counter()
    return Counter()
