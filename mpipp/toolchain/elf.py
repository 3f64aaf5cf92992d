# SPDX-License-Identifier: MIT
"""Facts from ELF files: the libraries that a program needs, and the program of a core file."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from mpipp.common.errors import MpippError

_ET_CORE = 4
_AT_ENTRY = 9
_ST_INFO = 4  # offset of the type and binding in a symbol of a 64-bit file
_STB_LOCAL = 0
_SHN_UNDEF = 0
_PT_INTERP = 3
_HEADER = 64  # bytes of the header of a 64-bit file
# The format and place of e_phoff, e_phentsize and e_phnum in the header.
_WIDE_HEADER = (("Q", 32), ("H", 54), ("H", 56))
_NARROW_HEADER = (("I", 28), ("H", 42), ("H", 44))
# The format of p_offset and p_filesz, and their places in a program header.
_WIDE_SEGMENT = ("Q", 8, 32)
_NARROW_SEGMENT = ("I", 4, 16)


def is_elf(path: str) -> bool:
    """Return whether the file can be read and begins like an ELF file."""
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def interpreter(path: str) -> str:
    """The dynamic loader that a program requests; "" if it is statically linked.

    Raises:
        MpippError: the file cannot be read, or is not a whole ELF file.
    """
    # Each run calls this function, so it does not use pyelftools, whose import is slow.
    try:
        with open(path, "rb") as file:
            start = file.read(_HEADER)
            if start[:4] != b"\x7fELF":
                raise MpippError(f"{path} is not an ELF file")
            order, is_wide = "<>"[start[5] == 2], start[4] == 2
            table, size, count = (
                struct.unpack_from(order + form, start, place)[0]
                for form, place in (_WIDE_HEADER if is_wide else _NARROW_HEADER)
            )
            for number in range(count):
                file.seek(table + number * size)
                segment = file.read(size)
                if struct.unpack_from(f"{order}I", segment)[0] == _PT_INTERP:
                    form, at, length = _WIDE_SEGMENT if is_wide else _NARROW_SEGMENT
                    file.seek(struct.unpack_from(order + form, segment, at)[0])
                    name = file.read(struct.unpack_from(order + form, segment, length)[0])
                    return os.fsdecode(name.partition(b"\0")[0])
            return ""
    except OSError as error:
        raise MpippError(f"cannot read {path}: {error.strerror}") from None
    except (struct.error, IndexError, ValueError, OverflowError, MemoryError):
        raise _Damaged(f"{path} is a damaged ELF file") from None


def needed(path: str) -> list[str]:
    """The sonames of the libraries that a file is linked with. Raises MpippError as `interpreter`
    does."""
    with _opened(path) as elf:
        dynamic = _segments(elf, "PT_DYNAMIC")
        return [tag.needed for each in dynamic for tag in each.iter_tags("DT_NEEDED")]


def undefined(path: str) -> list[str]:
    """The dynamic symbols that a file needs from others. Raises MpippError as
    `interpreter` does."""
    with _opened(path) as elf:
        return [name for _, name, is_defined in _dynamic_symbols(elf) if not is_defined]


def defined(path: str) -> set[str]:
    """The dynamic symbols that a file offers to others. Raises MpippError as `interpreter`
    does."""
    with _opened(path) as elf:
        return {name for _, name, is_defined in _dynamic_symbols(elf) if is_defined}


def hide(path: str, is_hidden: Callable[[str], bool]) -> None:
    """Change a 64-bit library so that the dynamic linker no longer finds some of its symbols.

    The hidden symbols become local. References inside the library, and its debug information, stay
    as they are.

    Args:
        is_hidden: returns whether the symbol with a name is to be hidden.

    Raises:
        MpippError: the file cannot be read or written, or is not a whole ELF file.
    """
    with _opened(path) as elf:
        symbols = [
            place for place, name, known in _dynamic_symbols(elf) if known and is_hidden(name)
        ]
    try:
        with open(path, "r+b") as file:
            for place in symbols:
                file.seek(place + _ST_INFO)
                kind = file.read(1)[0] & 0xF
                file.seek(place + _ST_INFO)
                file.write(bytes([_STB_LOCAL << 4 | kind]))
    except OSError as error:
        raise MpippError(f"cannot write {path}: {error.strerror}") from None


def _dynamic_symbols(elf: Any) -> Iterator[tuple[int, str, bool]]:
    # The offset in the file, the name, and whether the file itself defines the symbol.
    # pyelftools would read each of the thousands of symbols with some hundred calls.
    order = "<" if elf.little_endian else ">"
    entry = struct.Struct(f"{order}IBBHQQ" if elf.elfclass == 64 else f"{order}IIIBBH")
    for table in elf.iter_sections():
        if table["sh_type"] != "SHT_DYNSYM" or table["sh_entsize"] != entry.size:
            continue
        names = elf.get_section(table["sh_link"]).data()
        data = table.data()
        for at in range(0, len(data) - entry.size + 1, entry.size):
            name, *fields = entry.unpack_from(data, at)
            info, section = fields[0:3:2] if elf.elfclass == 64 else fields[2:5:2]
            if name and info >> 4 != _STB_LOCAL:
                text = names[name : names.index(b"\0", name)].decode("utf-8", "replace")
                yield table["sh_offset"] + at, text, section != _SHN_UNDEF


def program_of_core(path: str) -> str:
    """The path of the program that wrote a core file; "" if the core does not name it.

    Raises:
        MpippError: there is no such file, or it is not a core file of a 64-bit process.
    """
    if not _is_core(path):
        raise MpippError(f"{path} is not a core file of a 64-bit process")
    try:
        with _opened(path) as elf:
            notes = {note["n_type"]: note for note in _notes(elf)}
            order = "little" if elf.little_endian else "big"
    except _Damaged:  # the file may be cut off; gdb reports the missing parts
        return ""
    entry = _entry(notes["NT_AUXV"]["n_desc"], order) if "NT_AUXV" in notes else 0
    mapped = _file_at(entry, notes["NT_FILE"]["n_desc"]) if entry and "NT_FILE" in notes else ""
    if mapped or "NT_PRPSINFO" not in notes:
        return mapped
    # The command line, which the core cuts after 80 bytes.
    words = notes["NT_PRPSINFO"]["n_desc"]["pr_psargs"].split(b"\0")[0].split()
    return os.fsdecode(words[0]) if words else ""


def _is_core(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            header = file.read(18)
    except OSError as error:
        raise MpippError(f"cannot read {path}: {error.strerror}") from None
    order = {b"\1": "little", b"\2": "big"}.get(header[5:6], "")
    return header[:5] == b"\x7fELF\2" and bool(order) and _number(header[16:], order) == _ET_CORE


def _notes(elf: Any) -> Iterator[Mapping[str, Any]]:
    # Yield the readable notes of a damaged file.
    with suppress(*_damage()):
        for segment in _segments(elf, "PT_NOTE"):
            yield from segment.iter_notes()


def _segments(elf: Any, kind: str) -> Iterator[Any]:
    return (each for each in elf.iter_segments() if each["p_type"] == kind)


def _entry(vector: bytes, order: str) -> int:
    # The program's entry address, from the (type, value) pairs of the auxiliary vector.
    for start in range(0, len(vector) - 15, 16):
        if _number(vector[start : start + 8], order) == _AT_ENTRY:
            return _number(vector[start + 8 : start + 16], order)
    return 0


def _file_at(address: int, listed: Mapping[str, Any]) -> str:
    for entry, name in zip(listed["Elf_Nt_File_Entry"], listed["filename"]):
        if entry["vm_start"] <= address < entry["vm_end"]:
            return os.fsdecode(name)
    return ""


def _number(data: bytes, order: str) -> int:
    return int.from_bytes(data, "little" if order == "little" else "big")


class _Damaged(MpippError):
    pass


def _damage() -> tuple[type[Exception], ...]:
    # The exceptions that pyelftools raises for invalid bytes.
    from elftools.common.exceptions import ELFError

    return (ELFError, ValueError, LookupError, TypeError, AttributeError)


@contextmanager
def _opened(path: str) -> Iterator[Any]:
    # Open a file with pyelftools. The import is here because other callers work without the
    # package.
    try:
        from elftools.elf.elffile import ELFFile
    except ImportError:
        raise MpippError(
            "the Python package pyelftools is missing: install it with pip (Debian: "
            "python3-pyelftools)"
        ) from None
    try:
        with open(path, "rb") as file:
            if file.read(4) != b"\x7fELF":
                raise MpippError(f"{path} is not an ELF file")
            yield ELFFile(file)
    except OSError as error:
        raise MpippError(f"cannot read {path}: {error.strerror}") from None
    except _damage():
        raise _Damaged(f"{path} is a damaged ELF file") from None
