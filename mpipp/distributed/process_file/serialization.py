# SPDX-License-Identifier: MIT
"""Conversion of the model's objects to plain values of JSON, and back.

An object becomes a dictionary of its fields. The annotations of the fields define the values that
reading accepts: nothing is ever evaluated. A field that is None is left out. A call site or a
datatype becomes its number in a table of the file. A set becomes a sorted list, and range(n)
becomes {"range": n}.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from mpipp.common.errors import MpippError
from mpipp.common.lazy_dataclass import complete
from mpipp.model import (
    Broken,
    Buffer,
    Call,
    Channel,
    Comm,
    Constructor,
    DatatypeRecord,
    File,
    Group,
    Header,
    Op,
    OwnOp,
    Polls,
    ProcessInfo,
    Request,
    Share,
    Site,
    Thread,
    ThreadCall,
    Win,
)

_CLASSES: dict[str, Any] = {
    made.__name__: made
    for made in (
        *(Buffer, Call, Channel, Comm, Constructor, File, Group, Header, Op, OwnOp, Polls),
        *(ProcessInfo, Request, Share, Thread, ThreadCall, Win),
    )
}
MOST_PROCESSES = 1 << 20  # the comparison makes lists of all processes of a job
# Fields that must not exceed MOST_PROCESSES.
_OF_PROCESSES = {
    "Comm": ("size", "remote_size", "rank"),
    "Group": ("size",),
    "ProcessInfo": ("world_size", "world_rank"),
}
# Communicators have lines of their own. Some fields matter only while a call is active.
_LEFT_OUT = (
    "channels",
    "attached",
    "of_sessions",
    "apart",
    "unseen",
    "given_types",
    "freed_at",
    "arrays",
    "statuses",
)


def _annotated(made: Any) -> dict[str, str]:
    # NamedTuple wraps annotations in ForwardRef.
    every = made.__annotations__.items()
    found = {name: getattr(text, "__forward_arg__", text) for name, text in every}
    return {name: str(text) for name, text in found.items() if name not in _LEFT_OUT}


def _optional(made: Any) -> set[str]:
    # The fields that have a default.
    complete(made)
    fields = getattr(made, "__dataclass_fields__", None)
    if fields is None:
        return set(made._field_defaults)
    return {name for name, one in fields.items() if one.default is not one.default_factory}


_FIELDS = {name: _annotated(made) for name, made in _CLASSES.items()}
_OPTIONAL = {name: _optional(made) for name, made in _CLASSES.items()}
_ATOMS: dict[str, type] = {"int": int, "str": str, "bool": bool}


class Numbers(Protocol):
    """The tables of a file that is being written."""

    def place(self, site: Site) -> int:
        """Return the number of a call site."""
        ...

    def datatype(self, found: DatatypeRecord | Broken) -> int:
        """Return the number of a datatype."""
        ...


class Tables(Protocol):
    """The tables of a file that is being read. Methods raise IndexError for unknown numbers."""

    def site(self, number: int) -> Site:
        """Return a call site by its number."""
        ...

    def datatype_by_number(self, number: int) -> DatatypeRecord | Broken:
        """Return a datatype by its number."""
        ...


def plain(value: Any, numbers: Numbers) -> Any:
    """Convert a value of the model to a value of JSON."""
    if value is None or isinstance(value, (int, str)):
        return value
    if isinstance(value, Site):
        return numbers.place(value)
    if isinstance(value, (DatatypeRecord, Broken)):
        return numbers.datatype(value)
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, Mapping):
        return {name: plain(one, numbers) for name, one in value.items()}
    if isinstance(value, range) and value == range(len(value)):
        return {"range": len(value)}
    if type(value).__name__ in _CLASSES:
        return _fields(value, numbers)
    return [plain(one, numbers) for one in value]


def _fields(value: Any, numbers: Numbers) -> dict[str, Any]:
    found = {}
    for name in _FIELDS[type(value).__name__]:
        one = plain(getattr(value, name), numbers)
        if one is not None:
            found[name] = one
    return found


def model(name: str, value: Any, tables: Tables) -> Any:
    """Convert a plain value to an object of the named class.

    Raises MpippError if the value does not describe such an object.
    """
    try:
        return _object(name, value, tables)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise MpippError(f"it has a {name} that is none ({error})") from None


_Reader = Callable[[Any, Tables], Any]


def _object(name: str, value: Any, tables: Tables) -> Any:
    if not isinstance(value, dict):
        raise TypeError(f"{str(value)[:20]} for {name}")
    found = {}
    for field, annotation in _FIELDS[name].items():
        if field in value or field not in _OPTIONAL[name]:
            found[field] = _reader(annotation)(value.get(field), tables)
    for field in _OF_PROCESSES.get(name, ()):
        if abs(found[field] or 0) > MOST_PROCESSES:
            raise ValueError(f"{found[field]} for {field}")
    return _CLASSES[name](**found)


@functools.cache
def _reader(annotation: str) -> _Reader:
    # Returns a function that reads the value of a field, from the field's type annotation.
    choices = list(_split(annotation, "|"))
    if len(choices) > 1:
        readers = [_reader(choice) for choice in choices]

        def one_of(value: Any, tables: Tables) -> Any:
            for reader in readers:
                try:
                    return reader(value, tables)
                except TypeError as error:
                    wrong = error
            raise wrong

        return one_of
    name, _, inside = annotation.partition("[")
    if name in _ATOMS:
        return functools.partial(_atom, _ATOMS[name])
    if name == "Site":
        return lambda value, tables: tables.site(number(value))
    if name in ("DatatypeRecord", "Broken"):
        return lambda value, tables: tables.datatype_by_number(number(value))
    if name in _CLASSES:
        return lambda value, tables: _object(name, value, tables)
    if name == "None":
        return _check_none
    return _several(name, list(_split(inside[:-1], ",")))


def _several(name: str, inside: list[str]) -> _Reader:
    if name == "tuple" and inside[-1:] != ["..."]:
        parts = [_reader(part) for part in inside]
        return lambda value, tables: tuple(
            reader(one, tables) for reader, one in zip(parts, _list(value, len(parts)))
        )
    item = _reader(inside[1 if name == "Mapping" else 0])
    if name == "Mapping":
        return lambda value, tables: {
            _atom(str, key, tables): item(one, tables) for key, one in _items(value)
        }
    if name == "frozenset":
        return lambda value, tables: frozenset(item(one, tables) for one in _list(value))
    if name in ("tuple", "Sequence"):
        return lambda value, tables: (
            range(_of_processes(value["range"]))
            if isinstance(value, dict) and name == "Sequence"
            else tuple(item(one, tables) for one in _list(value))
        )
    raise AssertionError(name)


def _atom(wanted: type, value: Any, _: Tables) -> Any:
    if type(value) is not wanted:
        raise TypeError(f"{str(value)[:20]} for {wanted.__name__}")
    return value


def _check_none(value: Any, _: Tables) -> None:
    if value is not None:
        raise TypeError(f"{str(value)[:20]} for nothing")


def number(value: Any) -> int:
    """Check that a value is a number of an entry in a table, and return it. Raises TypeError for
    any other value."""
    if type(value) is not int or value < 0:
        raise TypeError(f"{str(value)[:20]} for a number")
    return value


def _of_processes(value: Any) -> int:
    if number(value) > MOST_PROCESSES:
        raise ValueError(f"{value} processes")
    return int(value)


def integer(value: Any) -> int:
    """Return an integer. Raises TypeError for any other value."""
    if type(value) is not int:
        raise TypeError(f"{str(value)[:20]} for an integer")
    return value


def _list(value: Any, length: int | None = None) -> list[Any]:
    if not isinstance(value, list) or length not in (None, len(value)):
        raise TypeError(f"{str(value)[:20]} for a list")
    return value


def _items(value: Any) -> Any:
    if not isinstance(value, dict):
        raise TypeError(f"{str(value)[:20]} for a dictionary")
    return value.items()


def _split(text: str, separator: str) -> Iterator[str]:
    # Splits only outside brackets.
    depth = start = 0
    for position, character in enumerate(text):
        depth += {"[": 1, "]": -1}.get(character, 0)
        if character == separator and not depth:
            yield text[start:position].strip()
            start = position + 1
    yield text[start:].strip()
