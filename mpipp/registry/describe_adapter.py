# SPDX-License-Identifier: MIT
"""An adapter from the registry to descriptions: `render.object_structs.Surroundings`."""

from __future__ import annotations

from collections.abc import Mapping

from mpipp.model import Broken, Object
from mpipp.registry.registry import Registry


class Recorded:
    """A process with a known `registry`. Subclasses add the functions' names."""

    registry: Registry

    @property
    def constants(self) -> Mapping[str, int]:
        """The standard's constants that are not handles."""
        return self.registry.constants

    def constant_name(self, value: int, *names: str) -> str | None:
        """Return the first of `names` that has this value."""
        return self.registry.constant_name(value, *names)

    def find(self, kind: str, handle: int) -> Object | Broken | None:
        """Return the object of a handle."""
        return self.registry.find(kind, handle)
