# SPDX-License-Identifier: MIT
"""The facts on a process that descriptions need, without a debugger."""

from __future__ import annotations

from mpipp.registry.describe_adapter import Recorded
from mpipp.registry.registry import Registry


class Around(Recorded):
    """`describe.Surroundings` by a registry; functions are their addresses."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    def function(self, address: int) -> str:
        """The function at an address."""
        return f"<{address:#x}>"

    def file(self, address: int) -> str:
        """Not known."""
        return ""
