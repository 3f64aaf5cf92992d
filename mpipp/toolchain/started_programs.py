# SPDX-License-Identifier: MIT
"""The MPI programs that a command starts, if it is no MPI program itself.

Commands such as `env A=1 ./app`, `numactl -N 0 ./app` and `bash -c "./app; ./other"` name their
programs in their words, and scripts name them in their text. No word is executed to find out.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence

from mpipp.common.errors import MpippError
from mpipp.toolchain import elf, program_mpi
from mpipp.toolchain.program_mpi import Program

# Characters of program names. All other characters separate words, as in a shell or a source file.
_NAME = re.compile(r"[\w./+@%,~-]+")
_MOST_TEXT = 1 << 16  # bytes of a script that are read
_MOST_FILES = 100  # files whose libraries are listed, which takes milliseconds each
_DEEPEST = 3  # scripts that start scripts


def find(words: Sequence[str]) -> Iterator[Program]:
    """The MPI programs that the words of a command name, in their order.

    Programs whose names the command computes, and those that it finds in another directory, are
    not found.
    """
    seen: set[str] = set()
    for word in words[1:]:
        yield from _at(shutil.which(word) or (word if os.path.isfile(word) else ""), seen, 0)
        yield from _in_text(word, seen, 0)
    yield from _in_text(_text(shutil.which(words[0]) or ""), seen, 0)


def _in_text(text: str, seen: set[str], depth: int) -> Iterator[Program]:
    for word in _NAME.findall(text):
        yield from _at(shutil.which(word) or "", seen, depth)


def _at(path: str, seen: set[str], depth: int) -> Iterator[Program]:
    if not path or path in seen or len(seen) >= _MOST_FILES:
        return
    seen.add(path)
    try:
        yield program_mpi.inspect(path)
    except MpippError:
        if depth < _DEEPEST:
            yield from _in_text(_text(path), seen, depth + 1)


def _text(path: str) -> str:
    # The beginning of a script; "" for other files.
    if elf.is_elf(path):
        return ""
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.read(_MOST_TEXT))
    except OSError:
        return ""
