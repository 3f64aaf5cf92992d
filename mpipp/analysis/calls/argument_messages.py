# SPDX-License-Identifier: MIT
"""Common messages of checks of ranks and arrays in calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Union

from mpipp.render.phrases import Phrase, Value

_ONE = Phrase("only rank 0")
Arguments = Mapping[str, Union[int, tuple[int, ...], None]]


def ranks_of(size: int) -> Phrase:
    """Return the ranks of a group or communicator of `size` processes, as words."""
    if size < 1:
        return Phrase("no ranks")
    return Phrase.of("the ranks 0 to {number}", number=size - 1) if size > 1 else _ONE


def missing_arrays(
    arguments: Arguments, lengths: Mapping[str, object]
) -> Iterator[dict[str, Value]]:
    """Yield facts about arguments that are null pointers although entries are needed.

    Args:
        lengths: the required lengths, by the arrays' names.
    """
    for name, length in lengths.items():
        if not isinstance(length, int) or length <= 0:
            continue
        if name in arguments and arguments[name] is None:
            entries = "entry is" if length == 1 else "entries are"
            yield {"argument": name, "count": length, "noun": entries}
