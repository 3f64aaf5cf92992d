# SPDX-License-Identifier: MIT
"""The output of one command in several ranks, with equal output merged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from mpipp.common.text import wording

# gdb numbers the values that it prints. Equal values may have different numbers, so drop them.
_VALUE = re.compile(r"(?m)^\$\d+ = ")


def lines(outputs: Mapping[int, str]) -> Iterator[str]:
    """The merged lines of the outputs, which are passed by rank."""
    groups: dict[str, list[int]] = {}
    for rank in sorted(outputs):
        text = _VALUE.sub("", outputs[rank]).rstrip("\n")
        groups.setdefault(text, []).append(rank)
    for text, ranks in groups.items():
        if not text:
            continue
        first, *rest = text.split("\n")
        if not rest:
            yield f"{wording.ranks(ranks)}: {first}"
        else:
            yield f"{wording.ranks(ranks)}:"
            yield from (f"  {line}" for line in (first, *rest))
