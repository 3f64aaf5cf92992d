# SPDX-License-Identifier: MIT
"""The ELF reader agrees with readelf."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from mpipp.common.errors import MpippError
from mpipp.toolchain import elf
from tests.support import need


def readelf(option: str, path: str) -> str:
    """The output of readelf for one file."""
    words = [need("readelf"), "-W", option, path]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("path", [sys.executable, "/bin/true", "/usr/bin/gdb"])
def test_against_readelf(path: str) -> None:
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", path))
    undefined = re.findall(r" UND ([^\s@]+)", readelf("--dyn-syms", path))
    (interpreter,) = re.findall(r"interpreter: (.*)\]", readelf("-l", path))
    assert elf.needed(path) == needed
    assert elf.undefined(path) == undefined
    assert elf.interpreter(path) == interpreter
    assert elf.is_elf(path)


def test_the_other_class_and_byte_order(tmp_path: Path) -> None:
    # A 32-bit big-endian program with one segment, its interpreter.
    name = b"/lib/ld.so.1\0"
    header = b"\x7fELF\1\2\1" + bytes(9)
    header += struct.pack(">HHIIIIIHHHHHH", 2, 20, 1, 0, 52, 0, 0, 52, 32, 1, 40, 0, 0)
    segment = struct.pack(">IIIIIIII", 3, 84, 0, 0, len(name), len(name), 4, 1)
    path = tmp_path / "program"
    path.write_bytes(header + segment + name)
    assert elf.interpreter(str(path)) == "/lib/ld.so.1"
    assert elf.needed(str(path)) == []
    assert elf.undefined(str(path)) == []


def test_what_is_not_a_whole_elf_file(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("#!/bin/sh\n")
    cut = tmp_path / "cut"
    cut.write_bytes(Path("/bin/true").read_bytes()[:100])
    none = tmp_path / "none"
    for path, sentence in (
        (text, f"{text} is not an ELF file"),
        (cut, f"{cut} is a damaged ELF file"),
        (none, f"cannot read {none}: No such file or directory"),
    ):
        with pytest.raises(MpippError) as raised:
            elf.interpreter(str(path))
        assert str(raised.value) == sentence
    assert not elf.is_elf(str(text))
    assert not elf.is_elf(str(none))
