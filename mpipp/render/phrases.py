# SPDX-License-Identifier: MIT
"""Sentences as data: a template with typed facts. The text is made last.

The name of a fact gives its type: `address`, and `second_address`, are addresses. The type defines
the text of a value, and between which reports of the same mistake it varies. Code that compares
findings (merging ranks or nodes, removing repetitions) compares facts, never text.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from string import Formatter
from typing import Any, NamedTuple, Union

from mpipp.common.lazy_dataclass import dataclass
from mpipp.common.text import wording
from mpipp.render.print_settings import shortened


class Varies(enum.IntEnum):
    """The range in which a fact varies between reports of one error. Each level includes the ones
    above."""

    NEVER = 0
    LOOKS = 1  # between two checks of the same calls: counts, tags
    RANKS = 2  # between ranks with the same mistake: peers, threads, values
    CALLS = 3  # between calls in one line: addresses, serial numbers


_DIGITS = re.compile(r"(?<![\w.])-?(?:0x[0-9a-f]+|\d+(?:,\d{3})*(?:\.\d+)?)(?!\w)")
_SERIES = re.compile(r"\bN(?:(?:,| to| and) N)+")


def _identity(value: Any) -> Any:
    return value


def _without_numbers(value: str) -> str:
    # Remove the indices of an element and the counts of a datatype. The first element may have no
    # index.
    return _SERIES.sub("N", _DIGITS.sub("N", value)).replace("[N]", "")


class Type(NamedTuple):
    """A type of facts: how it is shown, and how widely it varies."""

    name: str  # the name of the type in JSON
    varies: Varies = Varies.NEVER
    show: Callable[[Any], str] = str
    essence: Callable[[Any], Any] = _identity  # the value without its varying numbers


_ELEMENTS = Type("count", Varies.LOOKS, lambda number: wording.counted(number, "element"))
_TEXT = Type("text", essence=_without_numbers)
_NAME = Type("name")
_COUNT = Type("count", Varies.LOOKS)
_NUMBER = Type("number", Varies.LOOKS)
_RANK = Type("rank", Varies.RANKS)
_RANKS = Type("ranks", Varies.RANKS, lambda ranks: wording.ranks(ranks))
_ADDRESS = Type("address", Varies.CALLS, lambda address: f"{address:#x}")
_SERIAL = Type("serial", Varies.CALLS, lambda serial: f"#{serial}")

# The last word of a fact's name is its type: `rank` and `other_rank` are ranks.
TYPES: Mapping[str, Type] = {
    # Names and words, which are equal in every rank.
    "procedure": Type("procedure"),
    "argument": Type("argument"),
    "datatype": Type("datatype", essence=_without_numbers),
    "signature": Type("signature", essence=_without_numbers),
    "element": Type("element", essence=_without_numbers),
    "variable": Type("variable", essence=_without_numbers),
    "operation": Type("operation"),
    "op": Type("operation"),
    "role": Type("argument"),
    "constant": Type("constant"),
    "kind": Type("kind"),
    "class": Type("error class"),
    "library": Type("library"),
    "file": Type("file"),
    "function": Type("function"),
    "signal": Type("signal"),
    "name": _NAME,
    "text": _TEXT,
    "clause": _TEXT,
    "verb": _TEXT,
    "noun": _TEXT,
    "how": _TEXT,
    "where": _TEXT,
    "why": _TEXT,
    "classes": _TEXT,
    "comm": _TEXT,
    "place": Type("place"),
    "version": Type("version"),
    # Numbers, which are equal in every rank with the same mistake.
    "count": _COUNT,
    "elements": _ELEMENTS,
    "size": Type("bytes", Varies.LOOKS),
    "bytes": Type("bytes", Varies.LOOKS, lambda size: wording.counted(size, "byte")),
    "extent": Type("bytes", Varies.LOOKS),
    "displacement": Type("bytes", Varies.LOOKS),
    "tag": Type("tag", Varies.LOOKS),
    "index": Type("index", Varies.LOOKS),
    "ordinal": Type("ordinal", Varies.LOOKS),
    "number": _NUMBER,
    "time": Type("seconds", Varies.LOOKS, lambda seconds: f"{seconds:g} s"),
    # Facts that differ in each rank.
    "rank": _RANK,
    "ranks": _RANKS,
    "neighbor": Type("neighbor", Varies.RANKS),
    "coords": Type("coordinates", Varies.RANKS),
    "thread": Type("thread", Varies.RANKS),
    "process": Type("process", Varies.RANKS),
    "offset": Type("bytes", Varies.RANKS),
    "value": Type("value", Varies.RANKS),
    "times": Type("times", Varies.RANKS),
    "others": Type("times", Varies.RANKS),
    # Facts that differ in each call.
    "address": _ADDRESS,
    "own": Type("handle", Varies.CALLS),
    "handle": Type("handle", Varies.CALLS, lambda handle: f"{handle:#x}"),
    "serial": _SERIAL,
}

# A fact in JSON: `name`, `type`, `value`.
Json = dict[str, Any]
Value = Union[int, str, float, "Phrase", tuple["Value", ...]]


def type_of(name: str) -> Type:
    """The type of the fact with this name. Raises KeyError for an unknown last word."""
    return TYPES[name.rpartition("_")[2]]


@dataclass(frozen=True)
class Phrase:
    """A template such as "{procedure} writes to {argument}", with its facts.

    A fact may be a phrase, or several, which are joined by ", ".

    Attributes:
        facts: names and values, in the order of the arguments.
        varies: for a phrase inside another: comparisons from this level on leave it out.
        most: limit of the text in characters, 0 for no limit.
    """

    template: str
    facts: tuple[tuple[str, Value], ...] = ()
    varies: Varies | None = None
    most: int = 0

    @classmethod
    def of(cls, template: str, **facts: Value) -> Phrase:
        """A phrase from a template and its facts. Raises KeyError for a name without a type."""
        for name, value in facts.items():
            if not isinstance(value, (Phrase, tuple)):
                type_of(name)
        return cls(template, tuple(facts.items()))

    def is_left_out(self, varies: Varies) -> bool:
        """Return whether comparisons at this level ignore the phrase."""
        return self.varies is not None and self.varies >= varies

    def reworded(self, template: str) -> Phrase:
        """A phrase with another template, and those facts that it uses."""
        wanted = {name for _, name, _, _ in Formatter().parse(template) if name}
        return Phrase(template, tuple(fact for fact in self.facts if fact[0] in wanted))

    @cached_property
    def text(self) -> str:
        """The sentence."""
        shown = {name: _shown(name, value) for name, value in self.facts}
        text = self.template.format(**shown)
        return shortened(text, self.most) if self.most else text

    @property
    def place(self) -> str:
        """The source line at the end of the text; "" if the text ends with something else."""
        *_, (_, last, _, _) = Formatter().parse(self.template)
        value = dict(self.facts).get(last or "")
        if isinstance(value, Phrase):
            return value.place
        return str(value) if last and type_of(last).name == "place" else ""

    def __str__(self) -> str:
        return self.text

    def key(self, varies: Varies) -> object:
        """A key that is equal for equal phrases. The key leaves out facts that vary at this level.

        The key's `repr` is the same in every process.
        """
        facts = tuple(
            (name, _key(name, value, varies))
            for name, value in self.facts
            if not _is_dropped(name, value, varies)
        )
        return self.template, facts

    def values(self, varies: Varies) -> Iterator[Value]:
        """All facts except those that vary at this level."""
        for name, value in self.flat():
            kind = type_of(name)
            if kind.varies < varies:
                yield kind.essence(value) if varies <= Varies.LOOKS else value

    def flat(self) -> Iterator[tuple[str, Value]]:
        """All facts, including those of nested phrases."""
        for name, value in self.facts:
            if isinstance(value, Phrase):
                yield from value.flat()
            elif _is_several(value):
                for one in value:  # type: ignore[union-attr]
                    yield from one.flat()  # type: ignore[union-attr]
            else:
                yield name, value

    def json(self) -> list[Json]:
        """All facts for JSON, each with `name`, `type` and `value`."""
        return [{"name": n, "type": type_of(n).name, "value": _plain(v)} for n, v in self.flat()]


def plain(text: str) -> Phrase:
    """A phrase without facts."""
    return Phrase(text.replace("{", "{{").replace("}", "}}"))


def _is_several(value: Value) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, Phrase) for one in value)


def _shown(name: str, value: Value) -> str:
    if isinstance(value, Phrase):
        return value.text
    if _is_several(value):
        return ", ".join(map(str, value))  # type: ignore[arg-type]
    return type_of(name).show(value)


def _is_dropped(name: str, value: Value, varies: Varies) -> bool:
    if isinstance(value, Phrase):
        return value.is_left_out(varies)
    return not _is_several(value) and type_of(name).varies >= varies


def _key(name: str, value: Value, varies: Varies) -> object:
    if isinstance(value, Phrase):
        return value.key(varies)
    if isinstance(value, tuple):
        return tuple(_key(name, one, varies) for one in value if not _is_left_out(one, varies))
    return type_of(name).essence(value) if varies <= Varies.LOOKS else value


def _is_left_out(one: Value, varies: Varies) -> bool:
    return isinstance(one, Phrase) and one.is_left_out(varies)


def _plain(value: Value) -> Any:
    return list(map(_plain, value)) if isinstance(value, tuple) else value
