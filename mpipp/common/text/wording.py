# SPDX-License-Identifier: MIT
"""Numbers and lists in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def ranks(numbers: Iterable[int]) -> str:
    """Return the words for a set of ranks: "rank 3", "ranks 0 and 1", "ranks 0, 2 to 5 and 8"."""
    return numbered("rank", numbers)


def numbered(noun: str, numbers: Iterable[int], many: str = "", more: int = 0) -> str:
    """Return the words for numbered things, as `ranks` does for ranks.

    Args:
        many: the plural of `noun`, if it is not the noun with "s".
        more: how many further things the list does not name.
    """
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
    """Return ranks with the verb that fits: "rank 3 waits", "ranks 0 and 1 wait"."""
    numbers = list(numbers)
    return f"{ranks(numbers)} {one if len(numbers) == 1 else many}"


def are(numbers: Sequence[int]) -> str:
    """Return "is" for one number, else "are"."""
    return "is" if len(numbers) == 1 else "are"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Return a list as words of a sentence: "a", "a and b", "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: "1 message", "3 messages"."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def ordinal(number: int) -> str:
    """Return an ordinal number: "1st", "12th", "23rd"."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if 10 < number % 100 < 20 else ending}"
