# SPDX-License-Identifier: MIT
"""Numbers and lists in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def ranks(numbers: Iterable[int]) -> str:
    """ "rank 3", "ranks 0 and 1", "ranks 0, 2 to 5 and 8"."""
    return numbered("rank", numbers)


def numbered(noun: str, numbers: Iterable[int], many: str = "", more: int = 0) -> str:
    """Any things that have numbers, as `ranks`; with `more` that are not named."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    words: list[str] = []
    for first, last in runs:
        if last - first >= 2:
            words.append(f"{first} to {last}")
        else:
            words += [str(number) for number in range(first, last + 1)]
    if more:
        words.append(f"{more} more")
    single = len(words) == 1 and " " not in words[0]
    return f"{noun if single else many or noun + 's'} {listed(words)}"


def verb(numbers: Iterable[int], one: str, many: str) -> str:
    """ "rank 3 waits", "ranks 0 and 1 wait"."""
    numbers = list(numbers)
    return f"{ranks(numbers)} {one if len(numbers) == 1 else many}"


def are(numbers: Sequence[int]) -> str:
    """ "is", or of several "are"."""
    return "is" if len(numbers) == 1 else "are"


def listed(words: Sequence[str], last: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def counted(number: int, one: str, many: str = "") -> str:
    """ "1 message", "3 messages"."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def ordinal(number: int) -> str:
    """ "1st", "12th", "23rd"."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if 10 < number % 100 < 20 else ending}"
