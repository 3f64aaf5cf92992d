# SPDX-License-Identifier: MIT
"""The values of one expression, with the functions that have them, and the ranks without a value.

Merging is associative and commutative, so each node can gather the values of its ranks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from mpipp.common.errors import MpippError
from mpipp.common.lazy_dataclass import dataclass
from mpipp.common.text import wording
from mpipp.ranks import stored_values, values
from mpipp.ranks.values import Value


@dataclass
class GatheredValues:
    """The values of ranks.

    Attributes:
        functions: by rank, the function whose variables the expression uses; "" for global
            variables.
        failures: by rank, the reason why there is no value.
    """

    values: list[Value] = field(default_factory=list)
    functions: dict[int, str] = field(default_factory=dict)
    failures: dict[int, str] = field(default_factory=dict)

    def merge(self, other: GatheredValues) -> None:
        """Add the values of other ranks."""
        self.values += other.values
        self.functions.update(other.functions)
        self.failures.update(other.failures)

    def record(self) -> dict[str, Any]:
        """The values for JSON."""
        return {
            "values": [stored_values.record(one) for one in self.values],
            "functions": {str(rank): name for rank, name in self.functions.items()},
            "without_value": {str(rank): text for rank, text in self.failures.items()},
        }


def from_record(content: Mapping[str, Any]) -> GatheredValues:
    """The values of a record, as `GatheredValues.record` writes it. Raises MpippError."""
    try:
        return GatheredValues(
            [stored_values.value(one) for one in content["values"]],
            {int(rank): str(name) for rank, name in content["functions"].items()},
            {int(rank): str(text) for rank, text in content["without_value"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise MpippError("these are not the values of ranks") from None


def lines(found: GatheredValues, expression: str) -> Iterator[str]:
    """Each different value once, then the functions, then the ranks without a value."""
    yield from values.lines(found.values, expression)
    by_function = _by_text({rank: name for rank, name in found.functions.items() if name})
    if len(by_function) > 1:
        places = (f"{name} ({wording.ranks(ranks)})" for name, ranks in by_function.items())
        yield f"in different functions: {wording.listed(list(places))}"
    yield from failure_lines(found)


def failure_lines(found: GatheredValues) -> Iterator[str]:
    """The ranks without a value, with the reasons."""
    for text, ranks in _by_text(found.failures).items():
        yield f"{wording.ranks(ranks)}: {text}"


def _by_text(found: Mapping[int, str]) -> dict[str, list[int]]:
    ranks: dict[str, list[int]] = {}
    for rank in sorted(found):
        ranks.setdefault(found[rank], []).append(rank)
    return ranks
