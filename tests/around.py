# SPDX-License-Identifier: MIT
"""The facts around a process for descriptions, without a debugger."""

from __future__ import annotations

from mpipp.registry.describe_adapter import Recorded
from mpipp.registry.registry import Registry


class Around(Recorded):
    """`object_structs.Surroundings` from a registry. Functions are shown as addresses."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    def function(self, address: int) -> str:
        """The function at an address."""
        return f"<{address:#x}>"

    def file(self, address: int) -> str:
        """Return "": these tests have no source files."""
        return ""
