# SPDX-License-Identifier: MIT
"""What descriptions need of a process where no debugger is."""

from __future__ import annotations

from collections.abc import Mapping

from mpipp.registry.reader import Registry


class Around:
    """`describe.Surroundings` by a registry; functions are their addresses."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self.find = registry.find
        self.constant_name = registry.constant_name

    @property
    def constants(self) -> Mapping[str, int]:
        """The standard's constants that are no handles; a damaged registry fails only here."""
        return self._registry.constants

    def function(self, address: int) -> str:
        """The function at an address."""
        return f"<{address:#x}>"
