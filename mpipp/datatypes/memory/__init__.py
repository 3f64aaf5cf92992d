# SPDX-License-Identifier: MIT
"""The bytes that communication buffers touch, and the bytes that two buffers share."""

from mpipp.datatypes.memory.buffer_overlap import (
    Buffer,
    Index,
    Overlap,
    Region,
    between,
    block,
    region,
    region_overlap,
    self_overlap,
    shared,
    span,
    touches,
    touching,
    union,
    within,
)

__all__ = [
    "Buffer",
    "Index",
    "Overlap",
    "Region",
    "between",
    "block",
    "region",
    "region_overlap",
    "self_overlap",
    "shared",
    "span",
    "touches",
    "touching",
    "union",
    "within",
]
