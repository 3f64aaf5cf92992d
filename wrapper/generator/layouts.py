# SPDX-License-Identifier: MIT
"""The C structs that Python reads from sockets and shared memory, with assertions in C.

The headers define them. The structs' members have types of a fixed size, and are arrays at most.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

WRAPPER = Path(__file__).resolve().parent.parent
# Each struct's name in C, its header, and the last member that Python reads ("": all members).
STRUCTS = {
    "mpipp_hello": ("watcher_client/messages.h", ""),
    "mpipp_notice": ("watcher_client/messages.h", ""),
    "mpipp_disagreeing": ("watcher_client/messages.h", ""),
    "mpipp_dying": ("watcher_client/messages.h", ""),
    "mpipp_note": ("watcher_client/queries.h", ""),
    "mpipp_question": ("watcher_client/queries.h", "next"),
    "mpipp_touched": ("watcher_client/queries.h", ""),
    "mpipp_change": ("watcher_client/queries.h", ""),
    "mpipp_region": ("registry/shared_arena.h", ""),
    "mpipp_arena": ("registry/shared_arena.h", "code_bytes"),
    "mpipp_reach": ("registry/window_extents.h", "disp_unit"),
    "mpipp_reaches": ("registry/window_extents.h", "count"),
}
ENUMS = {
    "mpipp_end": ("watcher_client/connection.h", "MPIPP_OVER_"),
    "mpipp_fatal_access": ("watcher_client/messages.h", "MPIPP_FATAL_"),
    "mpipp_note_kind": ("watcher_client/queries.h", "MPIPP_NOTE_"),
    "mpipp_awaits": ("watcher_client/queries.h", "MPIPP_AWAITS_"),
    "mpipp_ends": ("watcher_client/queries.h", "MPIPP_ENDS_"),
    "mpipp_change_kind": ("watcher_client/queries.h", "MPIPP_CHANGE_"),
    "mpipp_moved": ("registry/buffer_accesses.h", "MPIPP_"),
    "mpipp_reach_state": ("registry/window_extents.h", "MPIPP_REACH_"),
}
# For each C type: its letter in Python's `struct` module, and its size in bytes.
_TYPES = {"uint64_t": ("Q", 8), "int64_t": ("q", 8), "uint32_t": ("I", 4), "char": ("s", 1)}


_PYTHON = {"bytes": "size", "count": "amount"}  # the names in C are attributes of Python's tuples


class Member(NamedTuple):
    """A member of a struct, with its type as in Python's `struct` module."""

    name: str
    letters: str  # "Q", "32s"
    offset: int
    size: int


def members(name: str) -> list[Member]:
    """The members of a struct that Python reads. Raises ValueError for an unknown struct."""
    header, last = STRUCTS[name]
    body = _body(header, "struct", name)
    found: list[Member] = []
    at = 0
    for declaration in filter(None, map(str.strip, body.split(";"))):
        kind, _, declared = declaration.partition(" ")
        if kind not in _TYPES:
            raise ValueError(f"struct {name}: {kind} has no fixed size")
        letter, size = _TYPES[kind]
        for one in declared.split(","):
            variable, count = _array(header, one.strip())
            if at % size:
                raise ValueError(f"struct {name}: there is a gap before {variable}")
            letters = f"{count}{letter}" if letter == "s" else letter
            if count > 1 and letter != "s":
                raise ValueError(f"struct {name}: {variable} is an array")
            found.append(Member(variable, letters, at, size * count))
            at += size * count
            if variable == last:
                return found
    if last:
        raise ValueError(f"struct {name} has no {last}")
    return found


def _array(header: str, declared: str) -> tuple[str, int]:
    found = re.fullmatch(r"(\w+)(?:\[(\w+)\])?", declared)
    if found is None:
        raise ValueError(f"{header}: {declared}")
    name, count = found[1], found[2] or "1"
    if count.isdigit():
        return name, int(count)
    constant = re.search(rf"\b{count} = (\d+)", (WRAPPER / header).read_text())
    if constant is None:
        raise ValueError(f"{header}: {count} is no number")
    return name, int(constant[1])


def _body(header: str, what: str, name: str) -> str:
    text = re.sub(r"//.*", "", (WRAPPER / header).read_text())
    found = re.search(rf"^{what} {name} \{{(.*?)\}};", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise ValueError(f"{header} has no {what} {name}")
    return found[1]


def enumerators(name: str) -> Iterator[tuple[str, int]]:
    """The enumerators: names without the common prefix, and values."""
    header, prefix = ENUMS[name]
    value = -1
    for one in _body(header, "enum", name).split(","):
        word, _, given = (part.strip() for part in one.partition("="))
        value = int(given) if given else value + 1
        if word:
            yield word.removeprefix(prefix).removeprefix("MPIPP_"), value


def assertions() -> str:
    """The assertions in C: MPIPP_LAYOUT(name) fails if Python's layout of the struct differs."""
    lines = [
        "#ifndef MPIPP_GENERATED_LAYOUTS_H",
        "#define MPIPP_GENERATED_LAYOUTS_H",
        "",
        "#include <stddef.h>",
        "",
        "// The struct as mpipp/watcher/ipc/layouts.py reads it.",
        "#define MPIPP_LAYOUT(NAME) MPIPP_LAYOUT_##NAME",
        "",
    ]
    for name in STRUCTS:
        found = members(name)
        asserted = [
            f"_Static_assert(offsetof(struct {name}, {one.name}) == {one.offset} && "
            f'sizeof(((struct {name} *)0)->{one.name}) == {one.size}, "{one.name}")'
            for one in found
        ]
        if not STRUCTS[name][1]:
            size = found[-1].offset + found[-1].size
            asserted.append(f'_Static_assert(sizeof(struct {name}) == {size}, "size")')
        body = "; \\\n  ".join(asserted)
        lines += ["// clang-format off", f"#define MPIPP_LAYOUT_{name} \\\n  {body}"]
        lines += ["// clang-format on", ""]
    return "\n".join([*lines, "#endif", ""])


def python() -> str:
    """The text of mpipp/watcher/ipc/layouts.py."""
    lines = [
        '"""The structs of messages between a process and its watcher, from C headers.',
        "",
        "Annotations are types here, and not strings, each of which `NamedTuple` would compile.",
        '"""',
        "",
        "import enum",
        "from typing import NamedTuple",
        "",
        "from mpipp.watcher.ipc.binary_layout import Layout",
        "",
    ]
    for name in STRUCTS:
        header, _ = STRUCTS[name]
        found = members(name)
        word = _camel(name)
        lines += ["", f"class {word}(NamedTuple):"]
        lines += [f'    """struct {name} (wrapper/{header})."""', ""]
        lines += [f"    {_PYTHON.get(one.name, one.name)}: {_python_type(one)}" for one in found]
        letters = "".join(one.letters for one in found)
        lines += ["", "", f'{word.upper()} = Layout("={letters}", {word})', ""]
    for name in ENUMS:
        header, _ = ENUMS[name]
        lines += ["", f"class {_camel(name)}(enum.IntEnum):"]
        lines += [f'    """enum {name} (wrapper/{header})."""', ""]
        lines += [f"    {word} = {value}" for word, value in enumerators(name)]
        lines += [""]
    return "\n".join(lines)


def _python_type(one: Member) -> str:
    return "bytes" if one.letters.endswith("s") else "int"


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.removeprefix("mpipp_").split("_"))
