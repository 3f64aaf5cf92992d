# SPDX-License-Identifier: MIT
"""Adds compiled wrappers to a wheel, if the build has some: see `python -m tools.prebuild`."""

from __future__ import annotations

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PrebuiltWrappers(BuildHookInterface):  # type: ignore[type-arg]
    """A build hook of hatchling. Without MPIPP_PREBUILT, the wheel contains only the sources."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the directory MPIPP_PREBUILT, for machines with the platform tag MPIPP_PLATFORM."""
        directory = os.environ.get("MPIPP_PREBUILT")
        if directory and version != "editable":
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{os.environ['MPIPP_PLATFORM']}"
            build_data["force_include"][directory] = "mpipp/_prebuilt"
