# SPDX-License-Identifier: MIT
"""The data of a process for descriptions, from its registry:
`render.object_structs.Surroundings`.
"""

from __future__ import annotations

from collections.abc import Mapping

from mpipp.model import Broken, Object
from mpipp.registry.registry import Registry


class Recorded:
    """A process whose `registry` is known; where its functions are is for others to say."""

    registry: Registry

    @property
    def constants(self) -> Mapping[str, int]:
        """The standard's constants that are no handles."""
        return self.registry.constants

    def constant_name(self, value: int, *names: str) -> str | None:
        """The first of `names` that has this value."""
        return self.registry.constant_name(value, *names)

    def find(self, kind: str, handle: int) -> Object | Broken | None:
        """The object that has a handle."""
        return self.registry.find(kind, handle)
