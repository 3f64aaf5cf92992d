# SPDX-License-Identifier: MIT
"""The bounds of arrays: constants, expressions, or the values of variables without a name."""

from __future__ import annotations

import sys
from typing import Any

from mpipp.symbolizer.variables import debug_types
from mpipp.symbolizer.variables.expressions import Frame, value
from mpipp.symbolizer.variables.locations import Values, expression, located
from mpipp.symbolizer.variables.scope import Scope

_WORD = 8  # bytes
_OTHER_NAMES = {"byte_stride": "DW_AT_stride"}  # from DWARF 2; pyelftools uses it for both


def bound(
    dimension: Any, name: str, at: int, frame: Frame, scope: Scope, values: Values
) -> int | None:
    """Return a bound of a dimension; None if the dimension does not have it, or if it is unknown.

    Args:
        name: "lower_bound", "upper_bound", "count" or "byte_stride".
        at: address of the array or its descriptor.

    Raises Unknown, UnreadableMemory, and IndexError for damage.
    """
    names = (f"DW_AT_{name}", _OTHER_NAMES.get(name, ""))
    attribute = next((one for one in names if one in dimension.attributes), "")
    if not attribute:
        return None
    found = dimension.attributes[attribute]
    if debug_types.is_reference(found):
        return _of_variable(dimension.get_DIE_from_attribute(attribute), frame, scope, values)
    if isinstance(found.value, int):
        number: int = found.value
        return number
    unsigned = value(bytes(found.value), frame, at)
    return unsigned - (1 << 64) if unsigned >> 63 else unsigned


def _of_variable(entry: Any, frame: Frame, scope: Scope, values: Values) -> int | None:
    constant = entry.attributes.get("DW_AT_const_value")
    if constant is not None and isinstance(constant.value, int):
        return int(constant.value)
    code = expression(entry, scope.address, scope.debug)
    bytes_ = debug_types.size(entry)
    if not code or not bytes_ or bytes_ > _WORD:
        return None
    start = located(code, frame, values)
    return int.from_bytes(frame.memory.read(start, bytes_), sys.byteorder, signed=True)
