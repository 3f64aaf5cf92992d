# SPDX-License-Identifier: MIT
"""What several checks say of the ranks and arrays that calls are given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Union

Arguments = Mapping[str, Union[int, tuple[int, ...], None]]


def ranks_of(size: int) -> str:
    """The ranks that a group or communicator of `size` processes has."""
    if size < 1:
        return "no ranks"
    return f"the ranks 0 to {size - 1}" if size > 1 else "only the rank 0"


def missing_arrays(
    arguments: Arguments, lengths: Mapping[str, object]
) -> Iterator[tuple[str, dict[str, str]]]:
    """The arguments that are null pointers though entries are needed, by the lengths that count.

    Of each what is wrong, and the words of its rule.
    """
    for name, length in lengths.items():
        wanted = isinstance(length, int) and length > 0
        if wanted and name in arguments and arguments[name] is None:
            entries = "entry is" if length == 1 else "entries are"
            what = f"{name} is a null pointer, but {length} {entries} needed"
            yield what, {"length": str(length), "name": name}
