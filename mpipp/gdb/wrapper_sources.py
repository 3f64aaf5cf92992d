# SPDX-License-Identifier: MIT
"""Lets gdb find the wrapper's source files, wherever mpipp is installed."""

from __future__ import annotations

import contextlib

import gdb

from mpipp.common.errors import MpippError
from mpipp.common.wrapper_sources import COMPILED_FROM, source_directory
from mpipp.gdb import console


def register() -> None:
    """Replace the directory of the sources in compiled wrappers. Other files are not affected."""
    with contextlib.suppress(MpippError, gdb.error):  # gdb then shows lines without their text
        place = str(source_directory()).replace("\\", "\\\\").replace(" ", "\\ ")
        console.output("set substitute-path {} {}", COMPILED_FROM, place)
