# SPDX-License-Identifier: MIT
"""Dataclasses get their methods with their first instance, and then behave as usual."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import pytest

from mpipp.common.lazy_dataclass import complete, dataclass


@dataclass
class Place:
    line: int
    names: list[str] = dataclasses.field(default_factory=list)


@dataclass(frozen=True)
class Value:
    line: int
    column: int = 0


@dataclass(frozen=True)
class NamedValue(Value):
    name: str = ""

    def __post_init__(self) -> None:
        assert self.line >= 0


def test_first_instance_has_all_methods() -> None:
    assert Value(1) == Value(1, 0)
    assert hash(Value(1)) == hash(Value(1))
    assert repr(Value(1)).endswith("Value(line=1, column=0)")
    assert dataclasses.replace(Value(1), column=2) == Value(1, 2)
    assert Place(1) == Place(1, [])
    with pytest.raises(dataclasses.FrozenInstanceError):
        Value(1).line = 2  # type: ignore[misc]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'line'"):
        Place()  # type: ignore[call-arg]


def test_derived_class_completes_its_base() -> None:
    assert NamedValue(1, 2, "a").name == "a"
    assert NamedValue(1) != Value(1)


def test_fields_are_known_once_the_class_is_complete() -> None:
    @dataclass
    class Pair:
        first: int
        second: int = 0

    complete(Pair)
    assert [one.name for one in dataclasses.fields(Pair)] == ["first", "second"]
    assert Pair(1).second == 0


def test_subclass_without_the_decorator() -> None:
    @dataclass(frozen=True)
    class Base:
        line: int

    class Derived(Base):
        pass

    assert Derived(3).line == 3
    assert Base(3).line == 3


def test_own_initializer_is_refused() -> None:
    with pytest.raises(TypeError, match=r"use dataclasses\.dataclass"):

        @dataclass
        class Own:
            def __init__(self) -> None:
                pass


def test_declaration_does_not_load_dataclasses() -> None:
    code = """
import sys
from mpipp.common.lazy_dataclass import dataclass
@dataclass
class Pair:
    first: int
assert "dataclasses" not in sys.modules
assert Pair(1).first == 1 and "dataclasses" in sys.modules
"""
    subprocess.run([sys.executable, "-S", "-c", code], check=True)
