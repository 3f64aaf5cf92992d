# SPDX-License-Identifier: MIT
"""A file that stores the values of an expression in many ranks, for a later comparison."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from mpipp.common.errors import MpippError
from mpipp.ranks.values import Number, Shape, Value

_VERSION = 1
_MOST = 1 << 28  # bytes to read from a file at most


def text(values: Sequence[Value], expression: str) -> str:
    """The contents of the file, as JSON."""
    found = [record(one) for one in values]
    return json.dumps({"mpipp": _VERSION, "expression": expression, "values": found}) + "\n"


def read(path: str) -> list[Value]:
    """The values in a file. Raises MpippError."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.loads(file.read(_MOST))
        return [value(one) for one in content["values"]]
    except OSError as error:
        raise MpippError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise MpippError(f"{path} is not from mpipp print EXPR --ranks --save") from None


def record(value: Value) -> dict[str, Any]:
    """A value for JSON."""
    numbers: list[Number | str] | None = None
    if value.numbers is not None:  # JSON has no NaN: numbers are text there
        numbers = [one if math.isfinite(one) else repr(one) for one in value.numbers]
    shape = value.shape._asdict()
    return {"rank": value.rank, "text": value.text, "numbers": numbers, **shape}


def value(found: Mapping[str, Any]) -> Value:
    """The value of a record. Raises ValueError, KeyError, TypeError, AttributeError."""
    numbers = found["numbers"]
    counts, lows = (tuple(map(int, found[name])) for name in ("counts", "lows"))
    shape = Shape(counts, lows, bool(found["fortran"]))
    known = None if numbers is None else tuple(map(_number, numbers))
    if known is not None and len(known) != math.prod(counts):
        raise ValueError("another number of elements")
    return Value(int(found["rank"]), str(found["text"]), known, shape)


def _number(found: Any) -> Number:
    return found if isinstance(found, int) else float(found)
